/* f_i = exp2(-e_i log2 b) in binary32, angle RN32(RN32(m) f_i). (MLX, some GPU kernels)
 *
 * Roundings of the exponent: e_i, log2 b and their product, each by u, and exp2 turns each into e_i ln b u; exp2
 * itself by u; the angle by u; what the spec declares: g_i = 3 e_i ln b + 2 and that. exp2(0) = 1: g_0 = 0.
 *
 * Window: 1 + 3 e_i ln b floats, two more for an exp2 within 1.5 ulps, and what is declared.
 * [derivation 7.4, 9, 11] [proofs/numeric/exponential.gappa] */
#include <math.h>

#include "model.h"

static double center(const rope_spec *spec, int i) { return rope_model_direct.center(spec, i); }

static int window(const rope_spec *spec, int i) {
    return (int)ceil((i > 0 ? ROPE_POWER_SEARCHED + 3.0 * rope_model_exponent(spec, i) : 0.0) + rope_model_declared(spec, i));
}

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_direct.angles(spec, parameter, position, angle);
}

static double growth(const rope_spec *spec, int i) {
    return (i > 0 ? ROPE_POWER_ASSUMED + 1.0 + 3.0 * rope_model_exponent(spec, i) : 0.0) + rope_model_declared(spec, i);
}

static int steps(const rope_spec *spec, int i) { return rope_model_direct.steps(spec, i); }

const rope_model rope_model_exp2 = {
    .name = "exp2-f32",
    .statement = "f = exp2(-e log2 b) within some floats, angle = RN32(RN32(m) f)",
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
