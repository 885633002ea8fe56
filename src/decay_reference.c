/* B, C and scores as plain sums in MPFR: no tables, nothing clever. Everything else is tested against this.
 * [derivation 16.3]
 *
 * Bounds below are in units of 2^-p, p the precision of all numbers, and H = 2^L is the least power of two >= h. A
 * number up to about N, N a power of two, rounds by N at most. */
#include "decay.h"

#include <assert.h>

#include "decay_tables.h"
#include "frequency/frequency.h"

static int exponent_above(int h) {
    int L = 0;
    while (1 << L < h) L++;
    return L;
}

void rope_decay_value_init(rope_decay_value *value) {
    mpfr_inits2(64, value->B, value->C, value->B_error, value->C_error, (mpfr_ptr)0);
}

void rope_decay_value_clear(rope_decay_value *value) {
    mpfr_clears(value->B, value->C, value->B_error, value->C_error, (mpfr_ptr)0);
}

/* S_i, and the phase that was added last. */
typedef struct partial_sum {
    mpfr_t re, im, modulus, c, s;
} partial_sum;

static void sum_init(partial_sum *S, mpfr_prec_t p) {
    mpfr_inits2(p, S->re, S->im, S->modulus, S->c, S->s, (mpfr_ptr)0);
    mpfr_set_zero(S->re, 1);
    mpfr_set_zero(S->im, 1);
}

static void sum_clear(partial_sum *S) { mpfr_clears(S->re, S->im, S->modulus, S->c, S->s, (mpfr_ptr)0); }

/* S_(j+1) from S_j. A phase is off by 1 per component, an addition by H: the components of S_i by 2 i H, |S_i| by
 * sqrt2 2 i H + H <= 4 i H [Lipschitz, see decay_kernel.c]. */
static void sum_next(partial_sum *S, const rope_spec *spec, int j, const mpfr_t r) {
    rope_decay_phase(S->c, S->s, spec, j, r);
    mpfr_add(S->re, S->re, S->c, MPFR_RNDN);
    mpfr_add(S->im, S->im, S->s, MPFR_RNDN);
    mpfr_hypot(S->modulus, S->re, S->im, MPFR_RNDN);
}

static void set_exact(rope_decay_value *value, int h) {
    mpfr_set_ui(value->B, (unsigned long)h + 1, MPFR_RNDN);
    mpfr_div_2ui(value->B, value->B, 1, MPFR_RNDN);
    mpfr_set_ui(value->C, (unsigned long)h, MPFR_RNDN);
    mpfr_set_zero(value->B_error, 1);
    mpfr_set_zero(value->C_error, 1);
}

/* C is off by 2 h H <= 2 H^2. The moduli's sum is off by 4 H h (h+1)/2, and by H^2 for each of h additions, as it
 * stays below about H^2; over h: 2 H (h+1) + H^2; the quotient rounds by H. With H >= 1: B is off by 6 H^2 < 8 H^2. */
void rope_decay_at(rope_decay_value *value, const rope_spec *spec, const mpfr_t r, long bits) {
    assert(bits >= ROPE_DECAY_DOUBLE);
    const int h = rope_spec_pairs(spec), L = exponent_above(h);
    mpfr_set_prec(value->B, bits);
    mpfr_set_prec(value->C, bits);
    if (mpfr_zero_p(r)) {
        set_exact(value, h);
        return;
    }
    partial_sum S;
    sum_init(&S, bits);
    mpfr_set_zero(value->B, 1);
    for (int j = 0; j < h; j++) {
        sum_next(&S, spec, j, r);
        mpfr_add(value->B, value->B, S.modulus, MPFR_RNDN);
    }
    mpfr_div_ui(value->B, value->B, (unsigned long)h, MPFR_RNDN);
    mpfr_swap(value->C, S.re);
    mpfr_set_ui_2exp(value->B_error, 1, 2 * L + 3 - bits, MPFR_RNDU);
    mpfr_set_ui_2exp(value->C_error, 1, 2 * L + 1 - bits, MPFR_RNDU);
    sum_clear(&S);
}

/* ---- scores ------------------------------------------------------------------------------------------ */

void rope_abel_value_init(rope_abel_value *value) {
    mpfr_inits2(64, value->score, value->inner, value->outer, value->trivial, value->error, (mpfr_ptr)0);
}

void rope_abel_value_clear(rope_abel_value *value) {
    mpfr_clears(value->score, value->inner, value->outer, value->trivial, value->error, (mpfr_ptr)0);
}

/* h_j = (q_a + i q_b) conj(k_a + i k_b), 0 for j = h: each component rounded once. */
void rope_decay_content(mpfr_t re, mpfr_t im, const rope_spec *spec, const double *q, const double *k, int j) {
    if (j == rope_spec_pairs(spec)) {
        mpfr_set_zero(re, 1);
        mpfr_set_zero(im, 1);
        return;
    }
    int a, b;
    mpfr_t qa, qb, ka, kb;
    rope_spec_channels(spec, spec->layout_in, j, &a, &b);
    mpfr_inits2(53, qa, qb, ka, kb, (mpfr_ptr)0);
    mpfr_set_d(qa, q[a], MPFR_RNDN);
    mpfr_set_d(qb, q[b], MPFR_RNDN);
    mpfr_set_d(ka, k[a], MPFR_RNDN);
    mpfr_set_d(kb, k[b], MPFR_RNDN);
    mpfr_fmma(re, qa, ka, qb, kb, MPFR_RNDN);
    mpfr_fmms(im, qb, ka, qa, kb, MPFR_RNDN);
    mpfr_clears(qa, qb, ka, kb, (mpfr_ptr)0);
}

/* times A^2; A is off by 2 of itself. */
static void times_magnitude(rope_abel_value *value, const rope_spec *spec, mpfr_prec_t p) {
    mpfr_t A;
    mpfr_init2(A, p);
    rope_magnitude(A, spec);
    mpfr_sqr(A, A, MPFR_RNDN);
    mpfr_mul(value->score, value->score, A, MPFR_RNDN);
    mpfr_mul(value->inner, value->inner, A, MPFR_RNDN);
    mpfr_mul(value->outer, value->outer, A, MPFR_RNDN);
    mpfr_mul(value->trivial, value->trivial, A, MPFR_RNDN);
    mpfr_mul(value->error, value->error, A, MPFR_RNDU);
    mpfr_clear(A);
}

/* With K = sum |h_j| (here the computed one, doubled to be safe), |h_i - h_(i-1)| <= 2 K:
 *   h_j is off by sqrt2 |h_j|; a difference by 2 sqrt2 K + sqrt2 2 K, its modulus by 2 K more: below 8 K;
 *   score: a term by (2 sqrt2 + 1) |h_j|, an addition by K: 4 K + K H <= 5 K H; trivial by 3 K + K H;
 *   inner: a term by 8 K i + 2 K 4 i H + 2 K i, an addition by 2 K H^2: with sum i <= H^2 below 20 K H^3;
 *   outer: the sum of moduli (<= H^2) by 3 H^3 (see rope_decay_at, times h): 8 K H^2 + 2 K 3 H^3 + 2 K H^2 <= 16 K H^3;
 *   A^2 by 5 of itself, the product by 1: 6 of at most 2 K H^2.
 * Together below 32 A^2 K H^3. */
void rope_abel_at(rope_abel_value *value, const rope_spec *spec, const double *q, const double *k, const mpfr_t r,
                  long bits) {
    assert(bits >= ROPE_DECAY_DOUBLE && spec->layout_in != ROPE_LAYOUT_UNSET);
    const int h = rope_spec_pairs(spec), L = exponent_above(h);
    mpfr_ptr const sums[] = {value->score, value->inner, value->outer, value->trivial};
    for (int n = 0; n < 4; n++) {
        mpfr_set_prec(sums[n], bits);
        mpfr_set_zero(sums[n], 1);
    }
    mpfr_t re, im, next_re, next_im, t, largest;
    partial_sum S;
    sum_init(&S, bits);
    mpfr_inits2(bits, re, im, next_re, next_im, t, largest, (mpfr_ptr)0);
    mpfr_set_zero(largest, 1);
    rope_decay_content(re, im, spec, q, k, 0);
    for (int j = 0; j < h; j++) {
        sum_next(&S, spec, j, r);
        mpfr_fmms(t, re, S.c, im, S.s, MPFR_RNDN);
        mpfr_add(value->score, value->score, t, MPFR_RNDN);
        mpfr_hypot(t, re, im, MPFR_RNDN);
        mpfr_add(value->trivial, value->trivial, t, MPFR_RNDN);
        rope_decay_content(next_re, next_im, spec, q, k, j + 1);
        mpfr_sub(re, next_re, re, MPFR_RNDN);
        mpfr_sub(im, next_im, im, MPFR_RNDN);
        mpfr_hypot(t, re, im, MPFR_RNDN);
        mpfr_max(largest, largest, t, MPFR_RNDN);
        mpfr_add(value->outer, value->outer, S.modulus, MPFR_RNDN);
        mpfr_mul(t, t, S.modulus, MPFR_RNDN);
        mpfr_add(value->inner, value->inner, t, MPFR_RNDN);
        mpfr_swap(re, next_re);
        mpfr_swap(im, next_im);
    }
    mpfr_mul(value->outer, value->outer, largest, MPFR_RNDN);
    mpfr_mul_2si(value->error, value->trivial, 1 + 5 + 3 * L - bits, MPFR_RNDU);
    times_magnitude(value, spec, bits);
    mpfr_clears(re, im, next_re, next_im, t, largest, (mpfr_ptr)0);
    sum_clear(&S);
}
