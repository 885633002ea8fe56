/* theta_i = b^(-2i/r), A = 1. [RoFormer eq. 15, i from 0] */
#include "frequency.h"

static void theta(mpfr_t result, const rope_spec *spec, int i) {
    mpfr_t base;
    mpfr_init2(base, 53);
    mpfr_set_d(base, spec->base, MPFR_RNDN); /* exact */
    rope_power(result, base, i, spec->rotary_dim);
    mpfr_clear(base);
}

const rope_rule rope_rule_default = {
    .name = "default",
    .statement = "theta_i = b^(-2i/r)",
    .theta = theta,
};
