/* theta_i and the angle in binary64: the direct recipe's bound with u = 2^-53, and what the scaling rule adds. Nothing is
 * searched: at any position below 2^31 the phase is within 2^-53 g_i m theta_i of the exact one, so it is compared with that.
 * (Where a hypothesis rounds the frequency or the position there is no exact phase, and the slack counts both sides.)
 * [derivation 7.6] */
#include "../frequency/frequency.h"
#include "model.h"

static double center(const rope_spec *spec, int i) { return rope_frequency_double(spec, i); }

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    const int h = rope_spec_pairs(spec);
    for (int i = 0; i < h; i++) angle[i] = position * parameter[i];
}

static double growth(const rope_spec *spec, int i) {
    return (i > 0 ? ROPE_POWER_ASSUMED + 2.0 + rope_model_exponent(spec, i) : 0.0) + rope_rule_roundings(spec, i);
}

static int steps(const rope_spec *spec, int i) { return rope_model_direct.steps(spec, i); }

const rope_model rope_model_f64 = {
    .name = "f64",
    .statement = "theta and the angle in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F64,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .center = center,
    .angles = angles,
    .slack = rope_model_slack,
    .growth = growth,
    .steps = steps,
};
