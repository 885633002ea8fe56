#include "rotation.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "frequency/frequency.h"
#include "phase.h"

_Static_assert(FLT_EVAL_METHOD == 0, "products and sums must round one by one, each in its own format");

/* ---- the correctly rounded table ------------------------------------------------------------------- */

/* v rounded once to the format. The step 2^k between its numbers at |v| is the least subnormal's below 2^emin, so v
 * 2^-k, rounded to an integer, counts steps for normal and subnormal numbers alike: there is no second rounding. The
 * count is at most 2^precision, a double; rope_round then turns what lies beyond the largest number into Inf. */
static double round_once(rope_dtype dtype, const mpfr_t v) {
    if (mpfr_zero_p(v)) return 0.0;
    const rope_format *format = rope_format_of(dtype);
    const long binade = (long)mpfr_get_exp(v) - 1; /* floor(log2 |v|) */
    const long k = (binade > format->emin ? binade : format->emin) - format->precision + 1;
    mpfr_t steps;
    mpfr_init2(steps, mpfr_get_prec(v));
    mpfr_mul_2si(steps, v, -k, MPFR_RNDN); /* exact */
    mpfr_roundeven(steps, steps);
    const double rounded = ldexp(mpfr_get_d(steps, MPFR_RNDN), (int)k);
    mpfr_clear(steps);
    return rope_round(dtype, rounded);
}

/* Ziv's test. Rounding is monotone: when both ends of [x - radius, x + radius] round to the same number with the same
 * sign, so does the true value between them. */
static bool decided(double *rounded, rope_dtype dtype, const mpfr_t x, const mpfr_t radius) {
    mpfr_t end;
    mpfr_init2(end, mpfr_get_prec(x));
    mpfr_sub(end, x, radius, MPFR_RNDD);
    const double low = round_once(dtype, end);
    mpfr_add(end, x, radius, MPFR_RNDU);
    *rounded = round_once(dtype, end);
    mpfr_clear(end);
    return low == *rounded && !signbit(low) == !signbit(*rounded);
}

/* Pair i at m != 0; A <= 2^exponent (1 + 2^-62). rope_phase_reference is off by at most A 2^(1-p) < 2^(exponent+2-p),
 * the radius. Why the loop ends: b, the rules' factors and a user's A are binary64 numbers, so m theta_i is algebraic
 * and not 0, and its cosine and sine are transcendental (Lindemann). A times them is neither 0 nor halfway between two
 * numbers of a format; a radius below the distance to the nearest such point decides, and it is halved at each bit. */
static void round_pair(rope_dtype dtype, const rope_spec *spec, int64_t m, int i, int exponent, double *c, double *s) {
    mpfr_t cosine, sine, radius;
    mpfr_inits2(MPFR_PREC_MIN, cosine, sine, radius, (mpfr_ptr)0);
    for (mpfr_prec_t p = rope_format_of(dtype)->precision + 32;; p *= 2) {
        mpfr_set_prec(cosine, p);
        mpfr_set_prec(sine, p);
        rope_phase_reference(cosine, sine, spec, m, i);
        mpfr_set_ui_2exp(radius, 1, exponent + 2 - p, MPFR_RNDN); /* a power of two: exact */
        if (decided(c, dtype, cosine, radius) && decided(s, dtype, sine, radius)) break;
    }
    mpfr_clears(cosine, sine, radius, (mpfr_ptr)0);
}

/* A in the format. A user's A is a binary64 number and exact here, ties included. No rule yet implies an A but 1; an
 * irrational one would have to be within 2^-255 of a tie to be rounded to the wrong side. */
static double round_magnitude(rope_dtype dtype, const rope_spec *spec) {
    mpfr_t A;
    mpfr_init2(A, 256);
    rope_magnitude(A, spec);
    const double rounded = round_once(dtype, A);
    mpfr_clear(A);
    return rounded;
}

void rope_rotation_table(rope_dtype dtype, const rope_spec *spec, int64_t m, double *c, double *s) {
    const int h = rope_spec_pairs(spec);
    const double A = round_magnitude(dtype, spec);
    int exponent;
    frexp(rope_magnitude_double(spec), &exponent);
    for (int i = 0; i < h; i++) {
        c[i] = A, s[i] = 0.0; /* cos 0 and sin 0 are exact */
        if (m != 0) round_pair(dtype, spec, m, i, exponent, &c[i], &s[i]);
    }
}

/* ---- the kernels ----------------------------------------------------------------------------------- */

/* How far y is from R_m x. Let |x_a|, |x_b| <= M, and let M and A be powers of two (round them up), A and A M at least
 * 2^(emin+1); precision P, u = 2^-P. Half an ulp does not shrink as numbers grow, so a rounding of numbers up to a
 * power of two X is off by at most X u/2: X itself is exact and the ulp just below it is X u.
 *     table      |c|, |s| <= A: A u/2 each, times |x_a| and |x_b|:     A M u
 *     products   <= A M: A M u/2 each                                  A M u
 *     sum        <= 2 A M                                              A M u
 * f64, f32: 3 A M u, of which 2 A M u is the arithmetic's. f16, bf16 (unit v, arithmetic in f32 of unit u): A M v from
 * the table, 2 A M u from the arithmetic, and A M v from the last rounding, of a number <= 2 A M: 2 A M (u + v).
 * [derivation 15.4] [For A = M = 1: 3 * 2^-53, 3 * 2^-24, and 65537 * 2^-23 for bf16, proofs/numeric/rotation64.gappa, rotation32.gappa,
 * storage.gappa.] */
static void rotate_pair(rope_dtype dtype, double c, double s, double x_a, double x_b, double *y_a, double *y_b) {
    if (dtype == ROPE_F64) {
        *y_a = x_a * c - x_b * s;
        *y_b = x_b * c + x_a * s;
        return;
    }
    const float cosine = (float)c, sine = (float)s, a = (float)x_a, b = (float)x_b; /* exact */
    *y_a = rope_round(dtype, (double)(a * cosine - b * sine));
    *y_b = rope_round(dtype, (double)(b * cosine + a * sine));
}

/* Where the value at channel j of the r = 2h rotary ones goes when the other layout becomes `to`. */
static int destination(rope_layout to, int h, int j) {
    if (to == ROPE_INTERLEAVED) return j < h ? 2 * j : 2 * (j - h) + 1;
    return j % 2 == 0 ? j / 2 : h + j / 2;
}

/* Moves each cycle of the permutation from its least channel. Walking on until a channel is not above the first tells
 * whether it is the least, so neither marks nor scratch are needed. */
static void change_layout(double *x, int h, rope_layout to) {
    for (int least = 0; least < 2 * h; least++) {
        int j = destination(to, h, least);
        while (j > least) j = destination(to, h, j);
        if (j < least) continue; /* this cycle has been moved */
        double carried = x[least];
        do {
            j = destination(to, h, j);
            const double next = x[j];
            x[j] = carried;
            carried = next;
        } while (j != least);
    }
}

void rope_rotate(rope_dtype dtype, const rope_spec *spec, const double *c, const double *s, bool inverse,
                 const double *x, double *y) {
    assert(spec->layout_in != ROPE_LAYOUT_UNSET && spec->layout_out != ROPE_LAYOUT_UNSET);
    const int h = rope_spec_pairs(spec);
    /* In place a pair can only be written where it was read: the layout changes afterwards. */
    const rope_layout written = x == y ? spec->layout_in : spec->layout_out;
    if (x != y) memcpy(y, x, (size_t)spec->dim * sizeof *y);
    for (int i = 0; i < h; i++) {
        int in_a, in_b, out_a, out_b;
        rope_spec_channels(spec, spec->layout_in, i, &in_a, &in_b);
        rope_spec_channels(spec, written, i, &out_a, &out_b);
        rotate_pair(dtype, c[i], inverse ? -s[i] : s[i], x[in_a], x[in_b], &y[out_a], &y[out_b]);
    }
    if (written != spec->layout_out) change_layout(y + rope_spec_first(spec), h, spec->layout_out);
}

/* ---- the MPFR kernel ------------------------------------------------------------------------------- */

/* Let N = |x_a| + |x_b| and p the precision of y_j. cos and sin, taken at the larger precision of the pair, are off by
 * at most A 2^(1-p) each, which moves x_a c - x_b s by at most A N 2^(1-p). That sum of two products is rounded once:
 * 2^-p of its value, which is below A N (1 + 2^(1-p)). In all A N 2^-p (3 + 2^(1-p)) <= A N 2^(2-p). */
void rope_rotate_mpfr(const rope_spec *spec, int64_t m, bool inverse, size_t count, const mpfr_t *x, mpfr_t *y) {
    assert(spec->layout_in != ROPE_LAYOUT_UNSET && spec->layout_out != ROPE_LAYOUT_UNSET);
    const int first = rope_spec_first(spec), h = rope_spec_pairs(spec);
    const size_t d = (size_t)spec->dim;
    mpfr_t c, s;
    mpfr_inits2(MPFR_PREC_MIN, c, s, (mpfr_ptr)0);
    for (int i = 0; i < h; i++) {
        int in_a, in_b, out_a, out_b;
        rope_spec_channels(spec, spec->layout_in, i, &in_a, &in_b);
        rope_spec_channels(spec, spec->layout_out, i, &out_a, &out_b);
        const mpfr_prec_t a = mpfr_get_prec(y[out_a]), b = mpfr_get_prec(y[out_b]);
        mpfr_set_prec(c, a > b ? a : b);
        mpfr_set_prec(s, a > b ? a : b);
        rope_phase_reference(c, s, spec, m, i);
        if (inverse) mpfr_neg(s, s, MPFR_RNDN);
        for (size_t k = 0; k < count * d; k += d) {
            mpfr_fmms(y[k + (size_t)out_a], x[k + (size_t)in_a], c, x[k + (size_t)in_b], s, MPFR_RNDN);
            mpfr_fmma(y[k + (size_t)out_b], x[k + (size_t)in_b], c, x[k + (size_t)in_a], s, MPFR_RNDN);
        }
    }
    for (size_t k = 0; k < count * d; k += d)
        for (int j = 0; j < spec->dim; j++)
            if (j < first || j >= first + 2 * h) mpfr_set(y[k + (size_t)j], x[k + (size_t)j], MPFR_RNDN);
    mpfr_clears(c, s, (mpfr_ptr)0);
}
