/* f_i = 1/b^(2i/r), angle RN32(RN32(m) f_i), every step binary32. (PyTorch, JAX, vLLM, ONNX caches)
 *
 * Roundings of f_i: the exponent 2i/r by u, which b^x turns into e_i ln b u; the power by u; its reciprocal by u; what the
 * spec declares. The angle's product adds u: g_i = 3 + e_i ln b and what is declared. b^0 = 1, 1/1 and m * 1 are exact: g_0 = 0.
 *
 * Window: f_i is off by (2 + e_i ln b) u relatively when the power is correctly rounded, two more for a power within
 * 1.5 ulps; floats are at least u apart relatively, so that many floats, rounded up, and what is declared.
 * [derivation 7.2, 9, 11] [proofs/numeric/frequency.gappa] */
#include <math.h>

#include "../frequency/frequency.h"
#include "model.h"

static double center(const rope_spec *spec, int i) { return (double)(float)rope_frequency_double(spec, i); }

static int window(const rope_spec *spec, int i) {
    return (int)ceil((i > 0 ? ROPE_POWER_SEARCHED + 1.0 + rope_model_exponent(spec, i) : 0.0) + rope_model_declared(spec, i));
}

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    const int h = rope_spec_pairs(spec);
    const float m = (float)position;
    for (int i = 0; i < h; i++) angle[i] = (double)(m * (float)parameter[i]);
}

static double growth(const rope_spec *spec, int i) {
    return (i > 0 ? ROPE_POWER_ASSUMED + 2.0 + rope_model_exponent(spec, i) : 0.0) + rope_model_declared(spec, i);
}

/* m times 1, or times a power of two, is exact. */
static int steps(const rope_spec *spec, int i) { return i > 0 || rope_rule_roundings(spec, 0) > 0.0; }

const rope_model rope_model_direct = {
    .name = "direct-f32",
    .statement = "f = RN32(theta) within some floats, angle = RN32(RN32(m) f)",
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
