/* Inside rope_decay: which distances its tables hold.
 *
 * r_k = first + k step, k = 128 block + 63.5 +- (s + 1/2), 0 <= s < 64, so with block = mids t + m
 *
 *     e^{i r_k theta_j} = top_t mid_m baby_s  or  top_t mid_m conj(baby_s),   where
 *     top_t  = e^{i (first + 63.5 step + t mids 128 step) theta_j},
 *     mid_m  = e^{i m 128 step theta_j},   baby_s = e^{i (s + 1/2) step theta_j}.
 */
#ifndef ROPE_DECAY_TABLES_H
#define ROPE_DECAY_TABLES_H

#include "decay.h"
#include "decay_kernel.h"

enum { ROPE_DECAY_BLOCK = 128, ROPE_DECAY_BABIES = ROPE_DECAY_BLOCK / 2 };

typedef struct rope_decay_limbs rope_decay_limbs; /* decay_limb.c */

struct rope_decay {
    rope_spec spec;
    int pairs;
    rope_distances distances;
    int64_t mids, tops;
    rope_decay_giant *mid, *top; /* [mids][h], [tops][h]; NULL when there are limbs */
    rope_decay_baby *baby;       /* [64 / lanes][h], baby s in lane s % lanes */
    rope_decay_term *ones;       /* [h]: weight 1, term 1 */
    rope_decay_limbs *limbs;     /* NULL when there are doubles */
};

typedef enum rope_decay_level { ROPE_DECAY_BABY, ROPE_DECAY_MID, ROPE_DECAY_TOP } rope_decay_level;

/* Takes c + i s of one row and pair; called from several threads, for different pairs. */
typedef void rope_decay_put(void *tables, rope_decay_level level, int64_t row, int j, const mpfr_t c, const mpfr_t s);

/* Passes every table entry to put, each component within 2^(14 - precision). */
void rope_decay_fill(const rope_decay *decay, mpfr_prec_t precision, rope_decay_put *put, void *tables);

/* c + i s = e^{i x theta_j}, each within 2^-p, p the precision of c and s. Any real x. */
void rope_decay_phase(mpfr_t c, mpfr_t s, const rope_spec *spec, int j, const mpfr_t x);

/* Row s of a block as [side][s], side 0 above the centre: k - 128 block. */
static inline int rope_decay_row(int side, int s) {
    return side == 0 ? ROPE_DECAY_BABIES + s : ROPE_DECAY_BABIES - 1 - s;
}

/* total[k] = sum weight |S_i|, re[k] = Re sum term e^{i r theta_j} at r_(from + k), k < n, within
 * rope_decay_narrow_error. total or re may be NULL. */
void rope_decay_sweep(const rope_decay *decay, const rope_decay_term *term, int64_t from, int64_t n, double *total,
                      double *re);

/* The same at r_(at[k]), k < n: best in rising order. */
void rope_decay_pick(const rope_decay *decay, const rope_decay_term *term, const int64_t *at, int64_t n, double *total,
                     double *re);

/* h_j of q and k, 0 for j = h; each component rounded once. */
void rope_decay_content(mpfr_t re, mpfr_t im, const rope_spec *spec, const double *q, const double *k, int j);

/* decay_limb.c */
rope_status rope_decay_limbs_new(rope_decay *decay, long bits, rope_error *error);
void rope_decay_limbs_free(rope_decay_limbs *limbs);

#endif
