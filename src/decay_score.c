/* Scores and Abel's bounds at many distances, in plain double. [derivation 16.7] */
#include "decay.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "decay_tables.h"
#include "frequency/frequency.h"

static const double v = 0x1p-53;

static rope_status refuse(const rope_spec *spec, const double *q, const double *k, rope_error *error) {
    if (spec->layout_in == ROPE_LAYOUT_UNSET)
        return rope_fail(error, ROPE_BAD_INPUT, "--layout", "interleaved or half", "a score needs to know the pairs");
    for (int c = 0; c < spec->dim; c++)
        if (!isfinite(q[c]) || !isfinite(k[c]))
            return rope_fail(error, ROPE_BAD_INPUT, "q, k", NULL, "channel %d is not finite", c);
    return ROPE_OK;
}

/* Terms whose totals and sums are the scores, RN of values with 160 bits: off by v of themselves. */
static void set_terms(rope_decay_term *term, const rope_spec *spec, const double *q, const double *k) {
    const int h = rope_spec_pairs(spec);
    mpfr_t re, im, next_re, next_im;
    mpfr_inits2(160, re, im, next_re, next_im, (mpfr_ptr)0);
    rope_decay_content(re, im, spec, q, k, 0);
    for (int j = 0; j < h; j++) {
        rope_decay_content(next_re, next_im, spec, q, k, j + 1);
        term[j].re = mpfr_get_d(re, MPFR_RNDN);
        term[j].im = mpfr_get_d(im, MPFR_RNDN);
        mpfr_sub(re, next_re, re, MPFR_RNDN);
        mpfr_sub(im, next_im, im, MPFR_RNDN);
        mpfr_hypot(re, re, im, MPFR_RNDN);
        term[j].weight = mpfr_get_d(re, MPFR_RNDN);
        mpfr_swap(re, next_re);
        mpfr_swap(im, next_im);
    }
    mpfr_clears(re, im, next_re, next_im, (mpfr_ptr)0);
}

/* A^2 is off by 3 v, the product rounds by v: 4 v of the value, which is at most size. Terms are off by v of
 * themselves. Second-order parts and what underflows are in the two last factors. */
static double with_magnitude(double error, double size, double A2) {
    return A2 * (error + 5 * v * size) * (1 + 0x1p-10) + DBL_MIN;
}

static rope_abel_bound bound_of(const rope_decay *decay, const rope_decay_term *term, double largest, double A2) {
    const int h = decay->pairs;
    const rope_decay_error scores = rope_decay_narrow_error(h, term), moduli = rope_decay_narrow_error(h, decay->ones);
    double content = 0.0, inner = 0.0;
    for (int j = 0; j < h; j++) {
        content += fabs(term[j].re) + fabs(term[j].im);
        inner += (j + 1) * term[j].weight;
    }
    /* outer: one product more, with the largest difference. */
    return (rope_abel_bound){with_magnitude(scores.re, content, A2), with_magnitude(scores.total, inner, A2),
                             with_magnitude(largest * moduli.total, 1.2 * largest * (h * (h + 1.0) / 2), A2)};
}

static void scale(double *x, int64_t n, double factor) {
    for (int64_t k = 0; k < n; k++) x[k] *= factor;
}

/* Which distances: from .. from + n - 1, or at[0 .. n - 1]. */
typedef struct where {
    int64_t from, n;
    const int64_t *at;
} where;

static void sweep(const rope_decay *decay, const rope_decay_term *term, where w, double *total, double *re) {
    if (w.at)
        rope_decay_pick(decay, term, w.at, w.n, total, re);
    else
        rope_decay_sweep(decay, term, w.from, w.n, total, re);
}

static rope_status enclose(rope_abel_bound *bound, const rope_decay *decay, const double *q, const double *k, where w,
                           double *score, double *inner, double *outer, rope_error *error) {
    const rope_status status = refuse(&decay->spec, q, k, error);
    if (status != ROPE_OK) return status;
    rope_decay_term *const term = malloc((size_t)decay->pairs * sizeof *term);
    if (!term) return rope_fail(error, ROPE_NO_MEMORY, NULL, NULL, "no memory for the scores");
    set_terms(term, &decay->spec, q, k);

    const double A = rope_magnitude_double(&decay->spec), A2 = A * A;
    double largest = 0.0;
    for (int j = 0; j < decay->pairs; j++) largest = fmax(largest, term[j].weight);
    *bound = bound_of(decay, term, largest, A2);
    if (score || inner) {
        sweep(decay, term, w, inner, score);
        if (score) scale(score, w.n, A2);
        if (inner) scale(inner, w.n, A2);
    }
    if (outer) {
        sweep(decay, decay->ones, w, outer, NULL);
        scale(outer, w.n, A2 * largest);
    }
    free(term);
    return ROPE_OK;
}

rope_status rope_abel_enclose(rope_abel_bound *bound, const rope_decay *decay, const double *q, const double *k,
                              int64_t from, int64_t n, double *score, double *inner, double *outer, rope_error *error) {
    return enclose(bound, decay, q, k, (where){from, n, NULL}, score, inner, outer, error);
}

rope_status rope_abel_enclose_at(rope_abel_bound *bound, const rope_decay *decay, const double *q, const double *k,
                                 const int64_t *at, int64_t n, double *score, double *inner, double *outer,
                                 rope_error *error) {
    return enclose(bound, decay, q, k, (where){0, n, at}, score, inner, outer, error);
}
