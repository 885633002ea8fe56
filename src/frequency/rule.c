#include "frequency.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A new rule: its file, and its row here. */
const rope_rule *const rope_rules[] = {&rope_rule_default, &rope_rule_linear, &rope_rule_ntk, NULL};

const rope_rule *rope_rule_named(const char *name) {
    for (const rope_rule *const *rule = rope_rules; *rule; rule++)
        if (!strcmp((*rule)->name, name)) return *rule;
    return NULL;
}

/* b^(-e), e = 2i/r, as exp(-(2i ln b)/r). With working precision w each of ln, product, quotient is off by a relative
 * 2^-w, so the exponent x is off by |x| 3.01 2^-w absolutely, and so is exp(x) relatively, plus its own 2^-w. |x| < ln b <
 * 2^10 for every binary64 base (and 2^14 for the b' of ntk at r = 4), so the total is below 2^(15.6 + 2 - w) with
 * r >= 2: w = p + 20 leaves 2^-(p + 2), and the last rounding adds 2^-p: below 2^(1-p). */
void rope_power(mpfr_t theta, const mpfr_t base, int i, int rotary_dim) {
    assert(0 <= i && 2 * i < rotary_dim);
    mpfr_t x;
    mpfr_init2(x, mpfr_get_prec(theta) + 20);
    mpfr_log(x, base, MPFR_RNDN);
    mpfr_mul_si(x, x, -2L * i, MPFR_RNDN);
    mpfr_div_si(x, x, rotary_dim, MPFR_RNDN);
    mpfr_exp(theta, x, MPFR_RNDN); /* exp(0) = 1 exactly for pair 0 */
    mpfr_clear(x);
}

void rope_frequency(mpfr_t theta, const rope_spec *spec, int i) { spec->rule->theta(theta, spec, i); }

double rope_rule_roundings(const rope_spec *spec, int i) {
    return spec->rule->roundings ? spec->rule->roundings(spec, i) : 0.0;
}

/* Error 2^-63 theta from rope_frequency plus half an ulp: below 2^-52 theta. */
double rope_frequency_double(const rope_spec *spec, int i) {
    mpfr_t theta;
    mpfr_init2(theta, 64);
    rope_frequency(theta, spec, i);
    const double value = mpfr_get_d(theta, MPFR_RNDN);
    mpfr_clear(theta);
    return value;
}

void rope_magnitude(mpfr_t A, const rope_spec *spec) {
    if (spec->has_magnitude)
        mpfr_set_d(A, spec->magnitude, MPFR_RNDN);
    else if (spec->rule->magnitude)
        spec->rule->magnitude(A, spec);
    else
        mpfr_set_ui(A, 1, MPFR_RNDN);
}

double rope_magnitude_double(const rope_spec *spec) {
    mpfr_t A;
    mpfr_init2(A, 64);
    rope_magnitude(A, spec);
    const double value = mpfr_get_d(A, MPFR_RNDN);
    mpfr_clear(A);
    return value;
}
