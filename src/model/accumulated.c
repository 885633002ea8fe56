/* f_0 = 1, f_i = RN32(f_(i-1) s) with s = RN32(b^(-2/r)), a linear factor divided out, angle RN32(RN32(m) f_i). (cumulative
 * products of frequencies)
 *
 * The roundings are those of iterated: s is off by u for its power and (2/r) ln b u for its exponent, i times in f_i; i - 1
 * products make f_i, since 1 s is exact, and one more the angle: g_i = 2i + e_i ln b, and what the spec declares. g_0 = 0. The
 * window of s is the same, too. But from position to position only the last product differs: frequency errors cancel.
 *
 * Float frequencies may meet an angle in binary64, m f_i: g_i without that product's u. With everything in binary64 the count is
 * the same, u = 2^-53, and the phase is compared with the exact one.
 * [derivation 7.3, 9, 9.1, 11] [proofs/numeric/iterated.gappa] */
#include "../frequency/frequency.h"
#include "model.h"

static double center(const rope_spec *spec, int i) { return rope_model_iterated.center(spec, i); }
static int window(const rope_spec *spec, int i) { return rope_model_iterated.window(spec, i); }

/* The frequencies that s makes. */
static void frequencies(const rope_spec *spec, double s, double *f) {
    const float ratio = (float)s, factor = (float)(1.0 / rope_frequency_double(spec, 0)); /* 1, or the linear one */
    float unscaled = 1.0f;
    for (int i = 0; i < rope_spec_pairs(spec); i++) {
        f[i] = (double)(unscaled / factor);
        unscaled *= ratio;
    }
}

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    double f[rope_spec_pairs(spec)];
    frequencies(spec, *parameter, f);
    rope_model_direct.angles(spec, f, position, angle);
}

static void products(const rope_spec *spec, const double *parameter, double position, double *angle) {
    double f[rope_spec_pairs(spec)];
    frequencies(spec, *parameter, f);
    rope_model_float_frequency.angles(spec, f, position, angle);
}

static double growth(const rope_spec *spec, int i) { return rope_model_iterated.growth(spec, i); }
static double float_growth(const rope_spec *spec, int i) { return growth(spec, i) - (i > 0 ? 1.0 - 0x1p-29 : 0.0); }
static int steps(const rope_spec *spec, int i) { return rope_model_direct.steps(spec, i); }
static double slack(const rope_spec *spec, int i) { return rope_model_float_frequency.slack(spec, i); }

static double double_center(const rope_spec *spec, int i) { return rope_model_f64.center(spec, i); }

static void double_angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_f64.angles(spec, parameter, position, angle);
}

static double double_growth(const rope_spec *spec, int i) {
    return (ROPE_POWER_ASSUMED + 1.0) * i + rope_model_exponent(spec, i) + rope_rule_roundings(spec, i);
}

/* Beside the frequency, which is off by what growth says, replay's own: theta_i and a product, 3, and the test for a tie, 1. */
static double double_slack(const rope_spec *spec, int i) {
    const double g = double_growth(spec, i);
    return g > 0.0 ? g + 4.0 : 0.0;
}

const rope_model rope_model_accumulated = {
    .name = "accumulated-f32",
    .statement = "f_0 = 1, f_i = RN32(f_(i-1) s), s = RN32(b^(-2/r)), angle = RN32(RN32(m) f_i)",
    .position = ROPE_F32,
    .frequency = ROPE_F32,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .iterated = true,
    .center = center,
    .window = window,
    .angles = angles,
    .growth = growth,
    .steps = steps,
};

const rope_model rope_model_accumulated_float_frequency = {
    .name = "accumulated-f32-f64",
    .statement = "f_0 = 1, f_i = RN32(f_(i-1) s), s = RN32(b^(-2/r)), angle = m f in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F32,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .iterated = true,
    .center = center,
    .window = window,
    .angles = products,
    .slack = slack,
    .growth = float_growth,
    .steps = steps,
};

const rope_model rope_model_accumulated_double = {
    .name = "accumulated-f64",
    .statement = "theta_0 = 1, theta_i = theta_(i-1) b^(-2/r), and the angle, in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F64,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .center = double_center,
    .angles = double_angles,
    .slack = double_slack,
    .growth = double_growth,
    .steps = steps,
};
