#include "bound.h"

#include <math.h>

#include "frequency/frequency.h"
#include "model/model.h"

/* A float libm with an error of at most L ulps leaves |delta cos|, |delta sin| <= L u (an ulp of a number below 1
 * is at most u = 2^-24), as a vector sqrt(2) L u. L = 2 covers the documented maxima of the libms in use (glibc
 * 0.56, CUDA sinf and cosf 2): 2.83 u, rounded up to 3 u. A factor A != 1 is itself rounded (u) and its product
 * is rounded (u). [DESIGN of the replay: 3 u decides] */
double rope_bound_trig(rope_dtype arithmetic, double A) {
    const double roundings = A == 1.0 ? 3.0 : 5.0;
    return roundings * rope_unit(arithmetic);
}

/* Half an ulp of the grade at A: entries are at most A, and an ulp does not shrink as numbers grow. */
double rope_bound_entry(rope_dtype grade, rope_dtype arithmetic, double A) {
    if (rope_unit(grade) <= rope_unit(arithmetic)) return 0.0;
    const double below = nextafter(A, 0.0); /* A = 1 itself is stored exactly; below it the ulp is half as large */
    return 0.5 * rope_ulp(grade, below) / A;
}

double rope_bound_cache(rope_dtype grade, rope_dtype arithmetic, double A) {
    return sqrt(2.0) * rope_bound_entry(grade, arithmetic, A);
}

/* RN(RN(x_a c) - RN(x_b s)): the products round by u(|x_a c| + |x_b s|) <= u N (Cauchy-Schwarz, N = |x| A), the
 * difference by u |y| <= u N; an FMA saves one of them. Terms in u^2 are covered by the slack of the trig bound
 * (3 - 2.83 = 0.17 u). [proofs: Gappa, 3 * 2^-24 in the unit box with the table's rounding] */
double rope_bound_rotation(rope_dtype arithmetic) { return 2.0 * rope_unit(arithmetic); }

/* RN(x_a c) and RN(x_b s): u (|x_a c| + |x_b s|) <= u N; the sum's rounding is that of the output. */
double rope_bound_products(rope_dtype grade) { return rope_unit(grade); }

double rope_bound_output(rope_dtype grade, double y) {
    return rope_unit(grade) * fabs(y) + 0.5 * rope_ulp(grade, 0.0);
}

/* g_i u theta_i |m|; a position above 2^24 rounds by u, too (2^53 for doubles is out of reach). */
static double growth(const rope_model *model, const rope_spec *spec, int i, double largest) {
    const double position = model->arithmetic == ROPE_F32 && largest > 0x1p24 ? 1.0 : 0.0;
    return (model->growth(spec, i) + rope_rule_roundings(spec, i) + position) * rope_unit(model->arithmetic);
}

double rope_bound_slope(const rope_model *model, const rope_spec *spec, int i, double largest) {
    const double theta = rope_frequency_double(spec, i);
    if (model) return theta * growth(model, spec, i, largest);
    double most = 0.0;
    for (const rope_model *const *row = rope_models; *row; row++)
        if ((*row)->arithmetic == ROPE_F32 && rope_model_applies(*row, spec)) most = fmax(most, growth(*row, spec, i, largest));
    return theta * most;
}

/* Binary32: the search window, which counts every rounding of f_i (see each model's file); floats are at most 2u
 * apart relatively, but the window counts roundings of u. Binary64: the roundings in g_i. */
double rope_bound_frequency(const rope_model *model, const rope_spec *spec, int i) {
    const double u = rope_unit(model->arithmetic);
    return model->arithmetic == ROPE_F32 ? model->window(spec, i) * u : growth(model, spec, i, 0.0);
}

/* |found - theta_i|, and the roundings of an angle: its own, and again those of the one that found was read from; the rule's
 * and the position's as above. */
double rope_bound_fitted(const rope_model *model, const rope_spec *spec, double found, int i, double largest) {
    const double position = largest > 0x1p24 ? 1.0 : 0.0;
    const double roundings = 2.0 * model->steps(spec, i) + rope_rule_roundings(spec, i) + position;
    return fabs(found - rope_frequency_double(spec, i)) + found * roundings * rope_unit(model->arithmetic);
}

static int most_steps(const rope_spec *spec, int i) {
    int most = 0;
    for (const rope_model *const *row = rope_models; *row; row++)
        if (rope_model_applies(*row, spec) && (*row)->steps(spec, i) > most) most = (*row)->steps(spec, i);
    return most;
}

/* The last rounding of an angle below 2^(k+1) is half an ulp, 2^(k-24) <= u angle. The earlier ones were half ulps of other
 * numbers, and reach the angle by products: at most u angle each. Positions above 2^24 add u angle. */
double rope_bound_difference(const rope_model *model, const rope_spec *spec, int i, double angle, double position) {
    const rope_dtype arithmetic = model ? model->arithmetic : ROPE_F32;
    const int steps = model ? model->steps(spec, i) : most_steps(spec, i);
    if (angle == 0.0) return 0.0;
    const double u = rope_unit(arithmetic), last = steps > 0 ? 0.5 * rope_ulp(arithmetic, angle) : 0.0;
    const double earlier = steps > 1 ? (steps - 1) * u * angle : 0.0;
    const double rounded_position = arithmetic == ROPE_F32 && fabs(position) > 0x1p24 ? u * angle : 0.0;
    return earlier + last + rounded_position;
}

double rope_bound_useless(void) { return 1.0; }

/* Recursive summation of n rounded products: (n + 1) u' sum|terms| to first order, doubled for the higher ones
 * (n u' < 2^-30 here). [Higham, Accuracy and Stability, 3.1] */
double rope_bound_sum(int n, double sum_of_moduli) { return 2.0 * (n + 1) * 0x1p-53 * sum_of_moduli; }

/* Partial pivoting keeps each 2x2 block apart: l = RN(a21/a11), |l| <= 1, u22 = RN(a22 - RN(l a12)), determinant
 * RN(u11 u22): relative to |row||row| at most 4 roundings of 2^-53, twice for the moduli's sum; h blocks are
 * multiplied, one rounding each. Each block is within a factor 1 +- b, b = block + 9 * 2^-53, so the logarithm of the product
 * is off by at most -h ln(1 - b). */
double rope_bound_determinant(int h, double block) { return -h * log1p(-(block + 9.0 * 0x1p-53)); }

/* The computed eigenvalues are those of M + E with |E|_F <= c n 2^-53 |M|_F, c a small constant, taken 10 [Wilkinson;
 * Golub, Van Loan 7.5.6]; M is normal up to rounding, so each is within |E|_2 of an exact one (Bauer-Fike).
 * |M|_F = A sqrt(n). */
double rope_bound_spectrum(int n, double A) { return 10.0 * n * 0x1p-53 * A * sqrt((double)n); }
