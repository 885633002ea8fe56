/* theta_i and the angle in binary64: the direct recipe's bound with u = 2^-53. Nothing is searched: at any position
 * below 2^31 the phase is within 2^-53 (3 + e_i ln b) m theta_i of the exact one, so it is compared with that. */
#include "model.h"

static double growth(const rope_spec *spec, int i) { return rope_model_direct.growth(spec, i); }

static int steps(const rope_spec *spec, int i) { return rope_model_direct.steps(spec, i); }

const rope_model rope_model_f64 = {
    .name = "f64",
    .statement = "theta and the angle in binary64",
    .arithmetic = ROPE_F64,
    .growth = growth,
    .steps = steps,
};
