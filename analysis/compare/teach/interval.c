#include "interval.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../../src/frequency/frequency.h"
#include "../../../src/number/dd.h"
#include "../../../src/phase.h"

enum { BITS = 80 };

/* The double next to x on the exact result's side, x + off with off below half an ulp; x itself when off is 0. */
static double down(double x, double off) {
    return off < 0 ? nextafter(x, -INFINITY) : x;
}
static double up(double x, double off) {
    return off > 0 ? nextafter(x, INFINITY) : x;
}

interval interval_negative(interval x) {
    return (interval){-x.high, -x.low};
}

interval interval_sum(interval x, interval y) {
    const rope_dd low = rope_two_sum(x.low, y.low), high = rope_two_sum(x.high, y.high);
    return (interval){down(low.hi, low.lo), up(high.hi, high.lo)};
}

interval interval_difference(interval x, interval y) {
    return interval_sum(x, interval_negative(y));
}

interval interval_product(interval x, interval y) {
    const double a[2] = {x.low, x.high}, b[2] = {y.low, y.high};
    interval all = {INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        const rope_dd p = rope_two_prod(a[k & 1], b[k >> 1]);
        all.low = fmin(all.low, down(p.hi, p.lo));
        all.high = fmax(all.high, up(p.hi, p.lo));
    }
    return all;
}

/* x/y = q + (x - q y)/y, and fma gives the numerator exactly [Markstein 1990]. */
interval interval_over(interval x, double divisor) {
    assert(divisor > 0);
    const double low = x.low / divisor, high = x.high / divisor;
    return (interval){down(low, fma(-low, divisor, x.low)), up(high, fma(-high, divisor, x.high))};
}

/* x - s^2 is exact likewise, and has the sign of sqrt(x) - s. */
interval interval_root(interval x) {
    assert(x.low >= 0);
    const double low = sqrt(x.low), high = sqrt(x.high);
    return (interval){down(low, fma(-low, low, x.low)), up(high, fma(-high, high, x.high))};
}

interval interval_near(const mpfr_t x, double error) {
    mpfr_t end;
    mpfr_init2(end, mpfr_get_prec(x) + 64);
    interval result;
    mpfr_sub_d(end, x, error, MPFR_RNDD);
    result.low = mpfr_get_d(end, MPFR_RNDD);
    mpfr_add_d(end, x, error, MPFR_RNDU);
    result.high = mpfr_get_d(end, MPFR_RNDU);
    mpfr_clear(end);
    return result;
}

interval interval_frequency(const rope_spec *spec, int i) {
    mpfr_t theta;
    mpfr_init2(theta, BITS);
    rope_frequency(theta, spec, i);
    const interval result = interval_near(theta, ldexp(mpfr_get_d(theta, MPFR_RNDU), 1 - BITS));
    mpfr_clear(theta);
    return i == 0 && spec->rule == &rope_rule_default ? interval_exact(1) : result; /* b^0 */
}

turn turn_by(const rope_spec *spec, int64_t m, int i) {
    if (m == 0) return (turn){interval_exact(1), interval_exact(0)};
    mpfr_t c, s;
    mpfr_inits2(BITS, c, s, (mpfr_ptr)0);
    rope_phase_reference(c, s, spec, m, i);
    const double error = ldexp(1, 1 - BITS);
    const turn result = {interval_near(c, error), interval_near(s, error)};
    mpfr_clears(c, s, (mpfr_ptr)0);
    return result;
}

bool interval_digits(char text[32], interval x) {
    char other[32];
    const bool exact = x.low == x.high;
    snprintf(text, 32, exact ? "%.*g" : "%#.*g", INTERVAL_DIGITS, x.low + 0.0); /* no -0 */
    snprintf(other, 32, exact ? "%.*g" : "%#.*g", INTERVAL_DIGITS, x.high + 0.0);
    return strcmp(text, other) == 0;
}
