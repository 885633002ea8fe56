/* p_i = b^(2i/r), angle RN32(RN32(m) / p_i), every step binary32: no reciprocal is formed. (plain C, RoFormer-style NumPy)
 *
 * Roundings of p_i: the exponent by u, which b^x turns into e_i ln b u; the power by u; what the spec declares. The quotient
 * rounds by u: g_i = 2 + e_i ln b and what is declared. b^0 = 1 and m / 1 are exact: g_0 = 0.
 *
 * Window: 1 + e_i ln b floats of p_i, two more for a power within 1.5 ulps, and what is declared.
 * [derivation 7.2, 9, 11] [proofs/numeric/frequency.gappa] */
#include <math.h>

#include "../frequency/frequency.h"
#include "model.h"

static double center(const rope_spec *spec, int i) { return (double)(float)(1.0 / rope_frequency_double(spec, i)); }

static int window(const rope_spec *spec, int i) {
    return (int)ceil((i > 0 ? ROPE_POWER_SEARCHED + rope_model_exponent(spec, i) : 0.0) + rope_model_declared(spec, i));
}

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    const int h = rope_spec_pairs(spec);
    const float m = (float)position;
    for (int i = 0; i < h; i++) angle[i] = (double)(m / (float)parameter[i]);
}

static double growth(const rope_spec *spec, int i) {
    return (i > 0 ? ROPE_POWER_ASSUMED + 1.0 + rope_model_exponent(spec, i) : 0.0) + rope_model_declared(spec, i);
}

/* m over 1, or over a power of two, is exact. */
static int steps(const rope_spec *spec, int i) { return i > 0 || rope_rule_roundings(spec, 0) > 0.0; }

const rope_model rope_model_quotient = {
    .name = "quotient-f32",
    .statement = "p = RN32(1/theta) within some floats, angle = RN32(RN32(m) / p)",
    .position = ROPE_F32,
    .frequency = ROPE_F32,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .center = center,
    .window = window,
    .angles = angles,
    .growth = growth,
    .steps = steps,
};
