#include "model.h"

#include <math.h>

#include "../frequency/frequency.h"

/* What more than one of them explains is named by the first. A program that direct explains by chance keeps within direct's
 * bounds, whichever mixed one it follows: those come last. */
const rope_model *const rope_models[] = {&rope_model_f64,
                                         &rope_model_direct,
                                         &rope_model_iterated,
                                         &rope_model_quotient,
                                         &rope_model_exp2,
                                         &rope_model_accumulated,
                                         &rope_model_divided_position,
                                         &rope_model_multiplied_position,
                                         &rope_model_float_angle,
                                         &rope_model_float_frequency,
                                         &rope_model_float_quotient,
                                         &rope_model_float_exp2,
                                         &rope_model_divided_float_frequency,
                                         &rope_model_divided_float_product,
                                         &rope_model_divided_float_position,
                                         &rope_model_divided_float_angle,
                                         &rope_model_accumulated_float_frequency,
                                         &rope_model_accumulated_double,
                                         NULL};

bool rope_model_applies(const rope_model *model, const rope_spec *spec) { return !model->applies || model->applies(spec); }

double rope_model_exponent(const rope_spec *spec, int i) { return 2.0 * i / spec->rotary_dim * log(spec->base); }

static bool is_float(double x) { return (double)(float)x == x; }

/* RN32(b) moves theta_i by e_i u, e_i < 1; a factor's rounding moves it by u where it divides, by e_i r/(r-2) u, e_i r/(r-2)
 * <= 1 for every i < r/2, where it changes the base. [derivation 8.4] */
double rope_model_declared(const rope_spec *spec, int i) {
    double roundings = rope_rule_roundings(spec, i);
    const bool scaled = roundings > 0.0;
    if (i > 0 && !is_float(spec->base)) roundings += 1.0;
    for (int k = 0; scaled && k < ROPE_RULE_KEYS; k++)
        if (!is_float(spec->rule_value[k])) roundings += 1.0;
    return roundings;
}

/* The program: an exponent with up to three roundings, as exp(-e ln b) has, 3 e_i ln b; a power within 1.5 ulps, 3; a
 * reciprocal, 1; the rule's; the product with m, 1. Replay: theta_i is RN64 to within 2, the product 1; the test whether an
 * angle lies near a tie rounds once more, 1. Pair 0 alone has nothing that rounds. [derivation 9.1] */
double rope_model_slack(const rope_spec *spec, int i) {
    const double rule = rope_rule_roundings(spec, i);
    return i > 0 || rule > 0.0 ? ROPE_POWER_SEARCHED + 6.0 + 3.0 * rope_model_exponent(spec, i) + rule : 0.0;
}

double rope_model_step_unit(const rope_model *model) { return fmax(rope_unit(model->position), rope_unit(model->angle)); }

double rope_model_unit(const rope_model *model) { return fmax(rope_model_step_unit(model), rope_unit(model->frequency)); }
