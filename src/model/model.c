#include "model.h"

#include <math.h>

const rope_model *const rope_models[] = {&rope_model_f64,      &rope_model_direct,           &rope_model_iterated,
                                         &rope_model_quotient, &rope_model_exp2,             &rope_model_divided_position,
                                         &rope_model_multiplied_position, NULL};

bool rope_model_applies(const rope_model *model, const rope_spec *spec) { return !model->applies || model->applies(spec); }

double rope_model_exponent(const rope_spec *spec, int i) { return 2.0 * i / spec->rotary_dim * log(spec->base); }
