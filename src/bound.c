#include "bound.h"

#include <math.h>

#include "frequency/frequency.h"
#include "model/model.h"

/* Ulps that cos and sin may be off by: the documented maxima of the libms in use. Binary32: CUDA sinf and cosf 2 (glibc 0.56).
 * Binary64: NumPy's vectorised functions 4 (glibc 0.55). */
static double libm_ulps(rope_dtype arithmetic) { return arithmetic == ROPE_F64 ? 4.0 : 2.0; }

/* A libm with an error of at most L ulps leaves |delta cos|, |delta sin| <= L u (an ulp of a number below 1 is at most u), as a
 * vector sqrt(2) L u, rounded up to 1.5 L u: 3 u, 6 u. A factor A != 1 is itself rounded (u) and its product is rounded (u): 5 u,
 * 8 u. [derivation 2] [proofs/numeric/trig.gappa; magnitude_rounded of proofs/numeric/Rounding.v] */
double rope_bound_trig(rope_dtype arithmetic, double A) {
    const double roundings = A == 1.0 ? 0.0 : 2.0;
    return (1.5 * libm_ulps(arithmetic) + roundings) * rope_unit(arithmetic);
}

static double half_ulp(rope_dtype format, double A) {
    const double below = nextafter(A, 0.0); /* A = 1 itself is stored exactly; below it the ulp is half as large */
    return 0.5 * rope_ulp(format, below) / A;
}

/* Half an ulp of the grade at A: entries are at most A, and an ulp does not shrink as numbers grow. From binary64 to a short format
 * the way may lead through binary32, which rounds as well. [derivation 3.1, 3.4] [proofs/numeric/storage.gappa] */
double rope_bound_entry(rope_dtype grade, rope_dtype arithmetic, double A) {
    if (rope_unit(grade) <= rope_unit(arithmetic)) return 0.0;
    const bool twice = arithmetic == ROPE_F64 && rope_unit(grade) > rope_unit(ROPE_F32);
    return half_ulp(grade, A) + (twice ? half_ulp(ROPE_F32, A) : 0.0);
}

/* Two such entries as a vector. [derivation 3.2] */
double rope_bound_cache(rope_dtype grade, rope_dtype arithmetic, double A) {
    return sqrt(2.0) * rope_bound_entry(grade, arithmetic, A);
}

/* RN(RN(x_a c) - RN(x_b s)): the products round by u(|x_a c| + |x_b s|) <= u N (Cauchy-Schwarz, N = |x| A), the
 * difference by u |y| <= u N; an FMA saves one of them. Terms in u^2 are covered by the slack of the trig bound
 * (3 - 2.83 = 0.17 u or more). [derivation 4] [rotation_rounded of proofs/numeric/Rounding.v; in the unit box 3 * 2^-24 with the table's
 * rounding: proofs/numeric/rotation32.gappa] */
double rope_bound_rotation(rope_dtype arithmetic) { return 2.0 * rope_unit(arithmetic); }

/* RN(x_a c) and RN(x_b s): u (|x_a c| + |x_b s|) <= u N; the sum's rounding is that of the output. [derivation 4.1]
 * [products_rounded of proofs/numeric/Rounding.v] */
double rope_bound_products(rope_dtype grade) { return rope_unit(grade); }

/* The relative form above the least normal number, the absolute one below it. [derivation 5] [proofs/numeric/storage.gappa] */
double rope_bound_output(rope_dtype grade, double y) {
    return rope_unit(grade) * fabs(y) + 0.5 * rope_ulp(grade, 0.0);
}

static double position_rounding(const rope_model *model) {
    const double u = rope_model_step_unit(model);
    return u > rope_unit(ROPE_F64) ? u : 0.0;
}

/* Roundings of relative size x in all, products and quotients of them to any order: x/(1 - x) [Higham 2002, lemma 3.1].
 * [derivation 1.4] */
static double compounded(double x) { return x / (1.0 - x); }

/* g_i u theta_i |m|; where positions or angles are floats, one above 2^24 rounds by u, too (2^53 for doubles is out of reach). */
static double growth(const rope_model *model, const rope_spec *spec, int i, double largest) {
    const double position = largest > 0x1p24 ? position_rounding(model) : 0.0;
    return compounded(model->growth(spec, i) * rope_model_unit(model) + position);
}

/* The model's own count, or the largest of those that apply. [derivation 7.1, 7.7, 7.8] */
double rope_bound_slope(const rope_model *model, const rope_spec *spec, int i, double largest) {
    const double theta = rope_frequency_double(spec, i);
    if (model) return theta * growth(model, spec, i, largest);
    double most = 0.0;
    for (const rope_model *const *row = rope_models; *row; row++)
        if (rope_model_applies(*row, spec)) most = fmax(most, growth(*row, spec, i, largest));
    return theta * most;
}

/* What the model says, in 2^-53 m theta_i. [derivation 9.1] */
double rope_bound_drift(const rope_model *model, const rope_spec *spec, int i) {
    return model->slack ? model->slack(spec, i) * rope_unit(ROPE_F64) * rope_frequency_double(spec, i) : 0.0;
}

/* Binary32: the search window, which counts every rounding of f_i (see each model's file); floats are at most 2u
 * apart relatively, but the window counts roundings of u. Binary64: the roundings in g_i. [derivation 10] */
double rope_bound_frequency(const rope_model *model, const rope_spec *spec, int i) {
    return model->frequency == ROPE_F32 ? model->window(spec, i) * rope_unit(ROPE_F32) : growth(model, spec, i, 0.0);
}

/* |found - theta_i|, and the roundings of an angle: its own, and again those of the one that found was read from; the spec's
 * and the position's as above. [derivation 7.9] */
double rope_bound_fitted(const rope_model *model, const rope_spec *spec, double found, int i, double largest) {
    const double roundings = 2.0 * model->steps(spec, i) + rope_model_declared(spec, i);
    const double position = largest > 0x1p24 ? position_rounding(model) : 0.0;
    return fabs(found - rope_frequency_double(spec, i)) + found * compounded(roundings * rope_model_step_unit(model) + position);
}

static int most_steps(const rope_spec *spec, int i) {
    int most = 0;
    for (const rope_model *const *row = rope_models; *row; row++)
        if (rope_model_applies(*row, spec) && (*row)->steps(spec, i) > most) most = (*row)->steps(spec, i);
    return most;
}

/* The last rounding of an angle below 2^(k+1) is half an ulp of its format, 2^(k-24) <= u angle for floats. The earlier ones were
 * half ulps of other numbers, and reach the angle by products: at most u angle each. Positions above 2^24 add u angle.
 * [derivation 11] [proofs/numeric/angle.gappa, proofs/numeric/iterated.gappa] */
double rope_bound_difference(const rope_model *model, const rope_spec *spec, int i, double angle, double position) {
    const int steps = model ? model->steps(spec, i) : most_steps(spec, i);
    if (angle == 0.0) return 0.0;
    const double u = model ? rope_model_step_unit(model) : rope_unit(ROPE_F32);
    const double last = steps > 0 ? 0.5 * rope_ulp(model ? model->angle : ROPE_F32, angle) : 0.0;
    const double earlier = steps > 1 ? compounded((steps - 1) * u) * angle : 0.0;
    const double rounded_position = fabs(position) > 0x1p24 ? (model ? position_rounding(model) : u) * angle : 0.0;
    return earlier + last + rounded_position;
}

/* The judge's expected value: cos and sin within 2^-51 when they come from an angle in binary64, 2^-54 when from the certified
 * rows that alone judge binary64 results; two products and a sum. [derivation 6] */
double rope_bound_judge(rope_dtype grade) { return grade == ROPE_F64 ? 3.0 * 0x1p-53 : 0x1p-50; }

/* |x - v| <= 2 A for any x and v in [-A, A]. [derivation 14.1] */
double rope_bound_useless(void) { return 1.0; }

/* Recursive summation of n rounded products: (n + 1) u' sum|terms| to first order, doubled for the higher ones
 * (n u' < 2^-30 here). [Higham, Accuracy and Stability, 3.1] [derivation 13.1] */
double rope_bound_sum(int n, double sum_of_moduli) { return 2.0 * (n + 1) * 0x1p-53 * sum_of_moduli; }

/* Partial pivoting keeps each 2x2 block apart: l = RN(a21/a11), |l| <= 1, u22 = RN(a22 - RN(l a12)), determinant
 * RN(u11 u22): relative to |row||row| at most 4 roundings of 2^-53, twice for the moduli's sum; h blocks are
 * multiplied, one rounding each. Each block is within a factor 1 +- b, b = block + 9 * 2^-53, so the logarithm of the product
 * is off by at most -h ln(1 - b). [derivation 13.2] [determinant_off of proofs/numeric/Rounding.v] */
double rope_bound_determinant(int h, double block) { return -h * log1p(-(block + 9.0 * 0x1p-53)); }

/* T's eigenvalues are exactly those of M + E, |E| <= off, whatever the QR algorithm did: with Z = Q P, Q orthogonal, |Z - Q| <= defect,
 * and Q T Q^T = M + E. M is normal, so each lies within off of one of M, and each of M within 2n - 1 times off of one of these; 2n has
 * room for the rounding of the norms. A 2x2 block's square roots and their product round by 3 2^-53 of at most |T| <= 2 norm. [derivation 13.3] */
double rope_bound_spectrum(int n, double norm, double residual, double defect) {
    if (!(defect < 0.25)) return INFINITY;
    const double off = (residual + 2.0 * defect * norm) / (1.0 - defect);
    return 2.0 * n * off + 6.0 * 0x1p-53 * norm;
}
