/* A position divided by a linear factor that is no power of two, p = m / factor, times an unscaled frequency, where position,
 * frequency and angle are not all floats. (NumPy and Flax: positions / factor is float64; float32 positions stay float32)
 *
 *   divided-P-F-A      p in P          f_i in F                        angle in A
 *   f64-f32-f64        binary64        a float of direct's window      p f_i in binary64
 *   f64-f32-f32        binary64        a float of direct's window      RN32 of that
 *   f32-f64-f64        RN32(RN32(m)/factor)    binary64, theta_i of the unscaled rule     p f_i in binary64
 *   f32-f64-f32        as before       as before                       RN32 of that
 *
 * Slack (2^-53): a binary64 p = m/factor or m (1/factor) costs the program 2, the product 1, replay's p and product 2, the test
 * for a tie 1: 6. A float p is replayed to the bit; a binary64 f_i has the slack of every binary64 recipe, rule included.
 *
 * g_i, in u: a float f_i costs direct's 2 + e_i ln b, and what its base declares; a float p 1, its factor and quotient counted
 * as what is declared; a float angle 1; and the slack. Pair 0 has f_0 = 1.
 * [derivation 7.12, 8.2, 9, 9.1, 11] */
#include "../frequency/frequency.h"
#include "model.h"

static rope_spec unscaled(const rope_spec *spec) {
    rope_spec plain = *spec;
    plain.rule = &rope_rule_default;
    return plain;
}

static bool applies(const rope_spec *spec) { return rope_model_divided_position.applies(spec); }

/* ---- a float frequency ------------------------------------------------------------------------------- */

static double float_center(const rope_spec *spec, int i) { return rope_model_divided_position.center(spec, i); }
static int float_window(const rope_spec *spec, int i) { return rope_model_divided_position.window(spec, i); }

static void double_position(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_f64.angles(spec, parameter, position / spec->rule_value[0], angle);
}

static double position_slack(const rope_spec *spec, int i) {
    (void)spec;
    (void)i;
    return 6.0;
}

static double frequency_growth(const rope_spec *spec, int i) {
    const rope_spec plain = unscaled(spec);
    return (i > 0 ? 2.0 + rope_model_exponent(spec, i) + rope_model_declared(&plain, i) : 0.0) + 6.0 * 0x1p-29;
}

static double product_growth(const rope_spec *spec, int i) { return frequency_growth(spec, i) + 1.0; }

/* ---- a float position -------------------------------------------------------------------------------- */

static double double_center(const rope_spec *spec, int i) {
    const rope_spec plain = unscaled(spec);
    return rope_frequency_double(&plain, i);
}

static void float_position(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_f64.angles(spec, parameter, (double)((float)position / (float)spec->rule_value[0]), angle);
}

static double position_growth(const rope_spec *spec, int i) {
    return rope_model_declared(spec, i) + rope_model_slack(spec, i) * 0x1p-29;
}

static double angle_growth(const rope_spec *spec, int i) { return position_growth(spec, i) + 1.0; }

/* ---- roundings from row to row ----------------------------------------------------------------------- */

/* p's 2^-53 is below the 10^-6 that bounds are good to. */
static int product_alone(const rope_spec *spec, int i) {
    (void)spec;
    (void)i;
    return 1;
}

/* Also for pair 0: its p is rounded in another format than its angle. */
static int position_and_product(const rope_spec *spec, int i) {
    (void)spec;
    (void)i;
    return 2;
}

const rope_model rope_model_divided_float_frequency = {
    .name = "divided-f64-f32-f64",
    .statement = "f = RN32(b^(-2i/r)) within some floats, angle = (m / factor) f in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F32,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .applies = applies,
    .center = float_center,
    .window = float_window,
    .angles = double_position,
    .slack = position_slack,
    .growth = frequency_growth,
    .steps = position_and_product,
};

const rope_model rope_model_divided_float_product = {
    .name = "divided-f64-f32-f32",
    .statement = "f = RN32(b^(-2i/r)) within some floats, angle = RN32((m / factor) f)",
    .position = ROPE_F64,
    .frequency = ROPE_F32,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .applies = applies,
    .center = float_center,
    .window = float_window,
    .angles = double_position,
    .slack = position_slack,
    .growth = product_growth,
    .steps = product_alone,
};

const rope_model rope_model_divided_float_position = {
    .name = "divided-f32-f64-f64",
    .statement = "b^(-2i/r) in binary64, angle = RN32(RN32(m) / factor) b^(-2i/r) in binary64",
    .position = ROPE_F32,
    .frequency = ROPE_F64,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .applies = applies,
    .center = double_center,
    .angles = float_position,
    .slack = rope_model_slack,
    .growth = position_growth,
    .steps = position_and_product,
};

const rope_model rope_model_divided_float_angle = {
    .name = "divided-f32-f64-f32",
    .statement = "b^(-2i/r) in binary64, angle = RN32(RN32(RN32(m) / factor) b^(-2i/r))",
    .position = ROPE_F32,
    .frequency = ROPE_F64,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .applies = applies,
    .center = double_center,
    .angles = float_position,
    .slack = rope_model_slack,
    .growth = angle_growth,
    .steps = position_and_product,
};
