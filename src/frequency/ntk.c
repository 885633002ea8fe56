/* NTK-aware scaling: theta_i = b'^(-2i/r) with b' = b factor^(r/(r-2)), A = 1.
 * It leaves theta_0 alone and divides the last frequency by factor. [YaRN, arXiv 2309.00071, definition 1] */
#include "frequency.h"

#include <math.h>

/* ln b' is what rope_power takes, so b' is formed to w bits with w large enough that its own relative error, multiplied
 * by the exponent 2i/r < 1, stays below 2^-(p+2): power (r/(r-2) exact to 2^-w, |ln factor| r/(r-2) < 28 for r >= 4) and
 * product cost below 2^(6-w); w = p + 20. */
static void theta(mpfr_t result, const rope_spec *spec, int i) {
    mpfr_t base, exponent;
    mpfr_inits2(mpfr_get_prec(result) + 20, base, exponent, (mpfr_ptr)0);
    mpfr_set_si(exponent, spec->rotary_dim, MPFR_RNDN);
    mpfr_div_si(exponent, exponent, spec->rotary_dim - 2, MPFR_RNDN);
    mpfr_set_d(base, spec->rule_value[0], MPFR_RNDN);
    mpfr_pow(base, base, exponent, MPFR_RNDN);
    mpfr_mul_d(base, base, spec->base, MPFR_RNDN);
    rope_power(result, base, i, spec->rotary_dim);
    mpfr_clears(base, exponent, (mpfr_ptr)0);
}

static rope_status check(const rope_spec *spec, rope_error *error) {
    if (spec->rotary_dim > 2) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, "--scaling", "ntk needs a rotary width of 4 or more",
                     "the exponent r/(r-2) divides by zero at r = 2");
}

/* An honest program forms b' by a power and a product and uses ln b' where ln b is counted. Let L = ln factor r/(r-2).
 * The power within an ulp and a half costs 3u and L u for its rounded exponent, the product u; each reaches theta_i scaled by
 * 2i/r < 1: 4 + L. Every place that counts e_i ln b (three at most, in exp2) lacks e_i L: 3L. b'^0 = 1 is exact.
 * [derivation 8.3] */
static double roundings(const rope_spec *spec, int i) {
    const double L = log(spec->rule_value[0]) * spec->rotary_dim / (spec->rotary_dim - 2);
    return i > 0 ? 4.0 + 4.0 * L : 0.0;
}

const rope_rule rope_rule_ntk = {
    .name = "ntk",
    .statement = "theta_i = (b factor^(r/(r-2)))^(-2i/r)",
    .key = {{.name = "factor", .least = 1.0, .largest = 0x1p20, .required = true}},
    .check = check,
    .theta = theta,
    .roundings = roundings,
};
