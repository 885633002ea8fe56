/* The two double kernels of decay.c: rows of |S_i| sums for eight distances on either side of a centre at once.
 *
 * e^{i (c + x) theta} and e^{i (c - x) theta} are sum and difference of the same four products of e^{i c theta}, the
 * giant, and e^{i x theta}, the baby (angle addition): two products per phase, no recurrence, no error growth.
 */
#ifndef ROPE_DECAY_KERNEL_H
#define ROPE_DECAY_KERNEL_H

enum { ROPE_DECAY_LANES = 8 };

/* One frequency: e^{i c theta_j}, and e^{i x theta_j} of eight x, as double-doubles. */
typedef struct rope_decay_giant {
    double c, cl, s, sl;
} rope_decay_giant;

typedef struct rope_decay_baby {
    _Alignas(64) double c[ROPE_DECAY_LANES];
    double s[ROPE_DECAY_LANES], cl[ROPE_DECAY_LANES], sl[ROPE_DECAY_LANES];
} rope_decay_baby;

/* What a kernel leaves for [c + x, c - x][lane]; a number is high + low. */
typedef struct rope_decay_rows {
    double total[2][ROPE_DECAY_LANES], total_low[2][ROPE_DECAY_LANES]; /* of moduli |S_i|, i = 1 .. h */
    double re[2][ROPE_DECAY_LANES], re_low[2][ROPE_DECAY_LANES];       /* of phases */
    double least[2][ROPE_DECAY_LANES];                                 /* min |S_i|; rope_decay_grid only */
} rope_decay_rows;

/* giant[j] = mid[j] top[j]. All have modulus 1. */
void rope_decay_giants(int h, rope_decay_giant *giant, const rope_decay_giant *mid, const rope_decay_giant *top);

/* What a giant's and a baby's product is off by, as a complex number, when the tables are RN to double-doubles. */
#define ROPE_DECAY_PHASE_ERROR 0x1p-100

/* Double-double on a grid: total = sum |S_i| within rope_decay_grid_total where least >= rope_decay_grid_least, and
 * re = C within rope_decay_grid_re. */
rope_decay_rows rope_decay_grid(int h, const rope_decay_giant *giant, const rope_decay_baby *baby);
double rope_decay_grid_total(int h);
double rope_decay_grid_re(int h);
double rope_decay_grid_least(int h);

/* Plain double, from the high parts: total = sum weight |S_i|, re = Re sum (re + i im) e^{i r theta_j}, within the
 * errors that rope_decay_narrow_error returns for exact terms. */
typedef struct rope_decay_term {
    double weight, re, im; /* of |S_(j+1)| (not negative); of e^{i r theta_j} */
} rope_decay_term;

typedef struct rope_decay_error {
    double total, re;
} rope_decay_error;

rope_decay_rows rope_decay_narrow(int h, const rope_decay_giant *giant, const rope_decay_baby *baby,
                                  const rope_decay_term *term);
rope_decay_error rope_decay_narrow_error(int h, const rope_decay_term *term);

#endif
