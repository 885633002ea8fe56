/* The closed form of the decay: an approximation that explains it. Nothing here is certified.
 *
 * For frequencies in geometric progression, theta_j = theta_0 q^-(j/h) with q = theta_0 / theta_h (b for the default
 * rule), write the phase of pair j at distance r as x = r theta_j. Replace the sum over pairs by an integral over j and
 * substitute, dj = -(h / ln q) dx / x:
 *
 *     S_i(r) = sum_{j<i} e^{i r theta_j}  ~  (h / ln q) int_{x_i}^{x_0} e^{i x} dx / x
 *            = (h / ln q) { Ci(x_0) - Ci(x_i)  +  i [Si(x_0) - Si(x_i)] },      x_i = r theta_0 q^-(i/h)
 *
 * C(r) / h is the real part at i = h over h:  [Ci(r) - Ci(r/b)] / ln b for the default rule. With Ci(x) ~ gamma + ln x
 * below x = 1 and Ci ~ 0 above: 1 - (gamma + ln r) / ln b while 1 << r << b, the share of pairs that have not turned
 * yet; it is used up at r ~ b. B(r) is the mean of the moduli. At r -> 0 the limits are those of the exact sums but for
 * the left end of the integral (half a pair).
 *
 * The integral says nothing where the phase jumps by more than half a turn from pair to pair, r theta_j ln(q) / h > pi:
 * there the pairs act as random phases. Their mean modulus is the floor below which B does not stay. */
#include "decay.h"

#include <gsl/gsl_sf_expint.h>
#include <math.h>

#include "../../src/frequency/frequency.h"

/* theta_j as doubles are off by 2^-52 of themselves [rope_frequency_double], so ratio^j by j 2^-51, and with the
 * products: within (2j + 4) 2^-51. */
rope_status decay_law_new(decay_law *law, const rope_spec *spec, rope_error *error) {
    const int h = rope_spec_pairs(spec);
    const double first = rope_frequency_double(spec, 0),
                 ratio = h > 1 ? rope_frequency_double(spec, 1) / first : 1.0 / spec->base;
    for (int j = 0; j < h; j++) {
        const double want = rope_frequency_double(spec, j);
        if (fabs(first * pow(ratio, j) - want) > (2 * j + 4) * 0x1p-51 * want)
            return rope_fail(error, ROPE_UNSUPPORTED, "--law", "leave --law away",
                             "the rule %s does not keep the frequencies in geometric progression", spec->rule->name);
    }
    *law = (decay_law){h, first, -h * log(ratio)};
    return ROPE_OK;
}

/* Ci(y) - Ci(x) and Si(y) - Si(x); both tend to their limits at 0, where Ci(y) - Ci(x) = ln(y/x). */
static void between(double *re, double *im, double x, double y, double log_ratio) {
    *re = x > 0.0 ? gsl_sf_Ci(y) - gsl_sf_Ci(x) : log_ratio;
    *im = gsl_sf_Si(y) - gsl_sf_Si(x);
}

double decay_law_sum(const decay_law *law, double r) {
    const double y = fabs(r) * law->first;
    double re, im;
    between(&re, &im, y * exp(-law->log_ratio), y, law->log_ratio);
    return law->pairs * re / law->log_ratio;
}

double decay_law_bound(const decay_law *law, double r) {
    const double y = fabs(r) * law->first;
    double total = 0.0;
    for (int i = 1; i <= law->pairs; i++) {
        const double part = law->log_ratio * i / law->pairs;
        double re, im;
        between(&re, &im, y * exp(-part), y, part);
        total += hypot(re, im);
    }
    return total / law->log_ratio; /* (1/h) sum (h / ln q) |..| */
}

/* C^2 is a sum of h independent cos^2, each 1/2 in the mean. */
double decay_floor_sum(int pairs) {
    return sqrt(pairs / 2.0);
}

/* E|S_1| = 1, E|S_2| = 4/pi. For more, t = |S_i|^2 / i is nearly exponential; E t^2 = 2 - 1/i for unit steps against 2:
 * the first term of the expansion in Laguerre polynomials is -L_2(t) / (2i), and E sqrt t = (sqrt pi / 2)(1 + 1/(16
 * i)). */
double decay_floor_bound(int pairs) {
    double total = pairs > 1 ? 1.0 + 4.0 / M_PI : 1.0;
    for (int i = 3; i <= pairs; i++) total += 0.5 * sqrt(M_PI * i) * (1.0 + 1.0 / (16.0 * i));
    return total / pairs;
}
