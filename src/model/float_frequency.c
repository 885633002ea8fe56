/* A float f_i (or divisor p_i), the angle m f_i (or m / p_i) in binary64, cos and sin, too. (NumPy: int64 times float32 is
 * float64; C: double position times float frequency)
 *
 * f_i and p_i are those of direct, exp2 and quotient: so are the centres and the windows, and g_i without the roundings of the
 * angle. m f_i is exact for |m| < 2^29 (24 and 29 bits); beyond, and in m / p_i, it rounds by 2^-53, as replay's does: slack 2.
 * m * 1 and m / 1 are exact: g_0 = 0. [derivation 7.11, 9, 9.1, 11] */
#include "../frequency/frequency.h"
#include "model.h"

static double direct_center(const rope_spec *spec, int i) { return rope_model_direct.center(spec, i); }
static double quotient_center(const rope_spec *spec, int i) { return rope_model_quotient.center(spec, i); }
static int direct_window(const rope_spec *spec, int i) { return rope_model_direct.window(spec, i); }
static int quotient_window(const rope_spec *spec, int i) { return rope_model_quotient.window(spec, i); }
static int exp2_window(const rope_spec *spec, int i) { return rope_model_exp2.window(spec, i); }

static void products(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_f64.angles(spec, parameter, position, angle);
}

static void quotients(const rope_spec *spec, const double *parameter, double position, double *angle) {
    const int h = rope_spec_pairs(spec);
    for (int i = 0; i < h; i++) angle[i] = position / parameter[i];
}

/* m times 1, or times a power of two, is exact. */
static int steps(const rope_spec *spec, int i) { return rope_model_direct.steps(spec, i); }

static double slack(const rope_spec *spec, int i) { return 2.0 * steps(spec, i); }

/* The float recipe's roundings, its last one replaced by 2^-53. */
static double without_product(const rope_model *recipe, const rope_spec *spec, int i) {
    return recipe->growth(spec, i) - (i > 0 ? 1.0 - 0x1p-29 : 0.0);
}

static double direct_growth(const rope_spec *spec, int i) { return without_product(&rope_model_direct, spec, i); }
static double quotient_growth(const rope_spec *spec, int i) { return without_product(&rope_model_quotient, spec, i); }
static double exp2_growth(const rope_spec *spec, int i) { return without_product(&rope_model_exp2, spec, i); }

const rope_model rope_model_float_frequency = {
    .name = "direct-f32-f64",
    .statement = "f = RN32(theta) within some floats, angle = m f in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F32,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .center = direct_center,
    .window = direct_window,
    .angles = products,
    .slack = slack,
    .growth = direct_growth,
    .steps = steps,
};

const rope_model rope_model_float_quotient = {
    .name = "quotient-f32-f64",
    .statement = "p = RN32(1/theta) within some floats, angle = m / p in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F32,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .center = quotient_center,
    .window = quotient_window,
    .angles = quotients,
    .slack = slack,
    .growth = quotient_growth,
    .steps = steps,
};

const rope_model rope_model_float_exp2 = {
    .name = "exp2-f32-f64",
    .statement = "f = exp2(-e log2 b) within some floats, angle = m f in binary64",
    .position = ROPE_F64,
    .frequency = ROPE_F32,
    .angle = ROPE_F64,
    .trig = ROPE_F64,
    .center = direct_center,
    .window = exp2_window,
    .angles = products,
    .slack = slack,
    .growth = exp2_growth,
    .steps = steps,
};
