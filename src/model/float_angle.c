/* theta_i and m theta_i in binary64, angle RN32(m theta_i), cos and sin of that in binary32 or better. (Hugging Face's Flax
 * models, C with `float angle = m * pow(...)`)
 *
 * Nothing is searched: the binary64 product is known to within the slack, a few 2^-53 of it, and its rounding to float with it,
 * unless a tie between two floats lies within the slack: then either neighbour may be the program's angle.
 *
 * g_i: the rounding to float, u, and the slack. m * 1 is a float below 2^24: g_0 = 0.
 * [derivation 7.10, 9.1, 11] */
#include "../frequency/frequency.h"
#include "model.h"

static double growth(const rope_spec *spec, int i) {
    const double slack = rope_model_slack(spec, i);
    return slack > 0.0 ? 1.0 + slack * 0x1p-29 : 0.0;
}

static double center(const rope_spec *spec, int i) { return rope_frequency_double(spec, i); }

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_f64.angles(spec, parameter, position, angle);
}

/* The product's own rounding, 2^-53, is below the 10^-6 that bounds are good to. */
static int steps(const rope_spec *spec, int i) { return rope_model_direct.steps(spec, i); }

const rope_model rope_model_float_angle = {
    .name = "direct-f64-f32",
    .statement = "theta and m theta in binary64, angle = RN32(m theta)",
    .position = ROPE_F64,
    .frequency = ROPE_F64,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .center = center,
    .angles = angles,
    .slack = rope_model_slack,
    .growth = growth,
    .steps = steps,
};
