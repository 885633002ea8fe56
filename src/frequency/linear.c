/* Position interpolation: theta_i = b^(-2i/r) / factor, A = 1. [Chen et al. 2023, arXiv 2306.15595, eq. 4] */
#include "frequency.h"

#include <math.h>

/* rope_power at p + 2 bits is off by 2^(-1-p), the division rounds to p bits: below 2^(1-p). */
static void theta(mpfr_t result, const rope_spec *spec, int i) {
    mpfr_t base, factor, power;
    mpfr_inits2(53, base, factor, (mpfr_ptr)0);
    mpfr_init2(power, mpfr_get_prec(result) + 2);
    mpfr_set_d(base, spec->base, MPFR_RNDN);
    mpfr_set_d(factor, spec->rule_value[0], MPFR_RNDN);
    rope_power(power, base, i, spec->rotary_dim);
    mpfr_div(result, power, factor, MPFR_RNDN);
    mpfr_clears(base, factor, power, (mpfr_ptr)0);
}

/* Dividing by a power of two is exact; else two roundings: of 1/factor and of its product. [derivation 8.2]
 * [proofs/numeric/scaled.gappa] */
static double roundings(const rope_spec *spec, int i) {
    int exponent;
    (void)i;
    return frexp(spec->rule_value[0], &exponent) == 0.5 ? 0.0 : 2.0;
}

const rope_rule rope_rule_linear = {
    .name = "linear",
    .statement = "theta_i = b^(-2i/r) / factor",
    .key = {{.name = "factor", .least = 0x1p-20, .largest = 0x1p20, .required = true}},
    .theta = theta,
    .roundings = roundings,
};
