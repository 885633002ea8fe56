/* Findings about what depends on the distance: sums, bounds, wavelengths, contexts. */
#include <math.h>

#include "../../../src/decay.h"
#include "../../../src/frequency/frequency.h"
#include "../linear.h"
#include "finding.h"

static const double u = 0x1p-53;

/* ---- decay ------------------------------------------------------------------------------------------- */

/* k = R_100 q turns the curve of q = k = 1 by 100: 2 C(r - 100). */
rope_status find_decays(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_times(2.0, finding_C(0.0));
    found->number[1] = finding_times(2.0, finding_C(-100.0));
    found->settled = finding_above(found->number[0], found->number[1]);
    return ROPE_OK;
}

rope_status find_bound_decreases(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_B(18.0);
    found->number[1] = finding_B(19.0);
    found->settled = finding_above(found->number[1], found->number[0]);
    return ROPE_OK;
}

/* h_j = 2 for all j < h, h_h = 0: max |dh| sum |S_i| = 2 h B and sum |h_j| = 2 h. */
rope_status find_bound_useful(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_B(1000.0);
    found->number[1] = finding_B(1672026.0);
    found->settled = finding_above_number(found->number[0], 1.0) && finding_above_number(found->number[1], 1.0);
    return ROPE_OK;
}

rope_status find_bound_vanishes(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_B(733995.0);
    found->number[1] = finding_B(20.0);
    found->settled = finding_above(found->number[0], found->number[1]);
    return ROPE_OK;
}

rope_status find_rate(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_times(1.0 / 64.0, finding_C(100.0));
    found->number[1] = finding_quotient(finding_times(100.0, finding_C(100.0)), finding_C(1.0));
    found->settled = finding_above_number(found->number[1], 2.0); /* 1 if C fell like 1/r */
    return ROPE_OK;
}

/* B for theta_j = 1 - j/64. An angle below 128 is off by 2^(8 - FINDING_BITS), a partial sum of 64 by 2^(15 -
 * FINDING_BITS), their moduli's mean no more. */
static myth_number linear_schedule(int64_t r) {
    enum { PAIRS = 64 };
    mpfr_t re, im, x, s, sum;
    mpfr_inits2(FINDING_BITS, re, im, x, s, sum, (mpfr_ptr)0);
    mpfr_set_zero(re, 1), mpfr_set_zero(im, 1), mpfr_set_zero(sum, 1);
    for (int j = 0; j < PAIRS; j++) {
        mpfr_set_si(x, (long)(r * (PAIRS - j)), MPFR_RNDN);
        mpfr_div_ui(x, x, PAIRS, MPFR_RNDN);
        mpfr_sin_cos(s, x, x, MPFR_RNDN);
        mpfr_add(re, re, x, MPFR_RNDN);
        mpfr_add(im, im, s, MPFR_RNDN);
        mpfr_hypot(x, re, im, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, PAIRS, MPFR_RNDN);
    const myth_number mean = finding_number(sum, ldexp(1.0, 20 - FINDING_BITS));
    mpfr_clears(re, im, x, s, sum, (mpfr_ptr)0);
    return mean;
}

rope_status find_schedule(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_quotient(linear_schedule(100), linear_schedule(0));
    found->number[1] = finding_quotient(finding_B(100.0), finding_B(0.0));
    found->settled = finding_above(found->number[1], found->number[0]);
    return ROPE_OK;
}

rope_status find_absolute(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_times(2.0, finding_difference(finding_C(0.0), finding_C(100.0)));
    found->settled = finding_above_number(found->number[0], 0.0);
    return ROPE_OK;
}

/* ---- frequencies and bases --------------------------------------------------------------------------- */

/* theta_i, or 2 pi / theta_i; the frequency is off by 2^(8 - FINDING_BITS) of itself at most, its quotient by twice
 * that. */
static myth_number frequency_number(int dim, int i, bool wavelength) {
    const rope_spec spec = finding_spec(dim, 1e4);
    mpfr_t x, pi;
    mpfr_inits2(FINDING_BITS, x, pi, (mpfr_ptr)0);
    rope_frequency(x, &spec, i);
    if (wavelength) {
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
        mpfr_div(x, pi, x, MPFR_RNDN);
    }
    const myth_number found = finding_number(x, ldexp(fabs(mpfr_get_d(x, MPFR_RNDN)), 9 - FINDING_BITS));
    mpfr_clears(x, pi, (mpfr_ptr)0);
    return found;
}

rope_status find_last_frequency(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = frequency_number(128, 63, false);
    found->number[1] = frequency_number(64, 31, false);
    found->settled = finding_above_number(found->number[0], 1e-4) && finding_above(found->number[1], found->number[0]);
    return ROPE_OK;
}

rope_status find_wavelengths(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = frequency_number(128, 63, true);
    found->number[1] = frequency_number(512, 255, true);
    found->number[2] = finding_times(1e4, frequency_number(128, 0, true));
    found->settled =
        finding_above(found->number[1], found->number[0]) && finding_above(found->number[2], found->number[1]);
    return ROPE_OK;
}

/* Pairs with 1024 theta_j < 2 pi, that is a wavelength above 1024. */
rope_status find_extrapolates(myth_finding *found, rope_error *error) {
    int64_t pairs = 0;
    (void)error;
    for (int j = 0; j < 64; j++) pairs += finding_above_number(frequency_number(128, j, true), 1024.0);
    found->number[0] = finding_whole(pairs);
    found->settled = pairs > 0;
    return ROPE_OK;
}

static rope_status first_negative(myth_number *found, int dim, double base, rope_error *error) {
    int64_t first;
    const rope_status status = linear_first_negative(&first, dim, base, 1 << 16, error);
    *found = finding_whole(status == ROPE_OK ? first : 0);
    return status;
}

rope_status find_larger_base(myth_finding *found, rope_error *error) {
    rope_status status = first_negative(&found->number[0], 64, 5e5, error);
    if (status == ROPE_OK) status = first_negative(&found->number[1], 64, 1e6, error);
    found->settled = finding_above(found->number[0], found->number[1]);
    return status;
}

rope_status find_base_500(myth_finding *found, rope_error *error) {
    rope_status status = first_negative(&found->number[0], 128, 500.0, error);
    if (status == ROPE_OK) status = first_negative(&found->number[1], 128, 1e4, error);
    found->settled = finding_above(found->number[1], found->number[0]);
    return status;
}

rope_status find_least_base(myth_finding *found, rope_error *error) {
    rope_status status = first_negative(&found->number[0], 128, 2.7e4, error);
    if (status == ROPE_OK) status = first_negative(&found->number[1], 128, 11600.0, error);
    found->settled = found->number[0].value < 4096.0 && found->number[1].value >= 2048.0;
    return status;
}

/* ---- interpolation ----------------------------------------------------------------------------------- */

/* sum_i |S_i| / d = B / 2. */
rope_status find_interpolation_range(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = finding_times(0.5, finding_B(940249.0));
    found->number[1] = finding_times(0.5, finding_B(4861.0));
    found->number[2] = finding_times(0.5, finding_B(3643.0));
    found->settled = finding_above((myth_number){1.0, 0.0}, found->number[0]) &&
                     finding_above((myth_number){1.0, 0.0}, found->number[1]) &&
                     finding_above_number(found->number[2], 1.0);
    return ROPE_OK;
}

/* |a(s) - a_linear(s)| for a = C between 0 and 1, at s = 1/2, against d max|h| / (32 ln c). Right: sum theta_j^2 / 8 =
 * 1/8 sum c^(-4j/d) (the second derivative's bound); 2 d over it is the factor that was printed as 600. */
rope_status find_interpolation_theorem(myth_finding *found, rope_error *error) {
    mpfr_t x, sum;
    (void)error;
    found->number[0] =
        finding_difference(finding_C(0.5), finding_times(0.5, (myth_number){finding_C(0.0).value + finding_C(1.0).value,
                                                                            finding_C(1.0).bound + 128.0 * u}));
    mpfr_inits2(FINDING_BITS, x, sum, (mpfr_ptr)0);
    mpfr_set_ui(x, 10000, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_ui_div(x, 4, x, MPFR_RNDN); /* 128 / 32 */
    found->number[1] = finding_number(x, ldexp(1.0, 2 - FINDING_BITS));
    mpfr_set_zero(sum, 1);
    for (int j = 0; j < 64; j++) {
        mpfr_set_ui(x, 10000, MPFR_RNDN);
        mpfr_rootn_ui(x, x, 32, MPFR_RNDN);
        mpfr_pow_si(x, x, -j, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    mpfr_ui_div(x, 2048, sum, MPFR_RNDN); /* 2 d 8 */
    found->number[2] =
        finding_number(x, ldexp(1.0, 20 - FINDING_BITS)); /* powers are off by 64 units each, the sum of 4 by no more */
    mpfr_clears(x, sum, (mpfr_ptr)0);
    found->settled =
        finding_above(found->number[0], found->number[1]) && finding_above((myth_number){600.0, 0.0}, found->number[2]);
    return ROPE_OK;
}
