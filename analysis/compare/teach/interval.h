/* Real numbers known to lie between two doubles. Every operation rounds its ends outwards, so the exact result of exact
 * operands is inside; an operation that is exact in doubles stays exact.
 *
 * The rounding errors of sums and products are doubles themselves (two_sum, two_prod), and their signs say which end
 * must move: [Dekker 1971]. For numbers of moderate size: no overflow, no underflow.
 */
#ifndef ROPE_COMPARE_INTERVAL_H
#define ROPE_COMPARE_INTERVAL_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../src/spec.h"

typedef struct interval {
    double low, high;
} interval;

static inline interval interval_exact(double x) {
    return (interval){x, x};
}

interval interval_negative(interval x);
interval interval_sum(interval x, interval y);
interval interval_difference(interval x, interval y);
interval interval_product(interval x, interval y);
interval interval_over(interval x, double divisor);   /* divisor > 0 */
interval interval_root(interval x);                   /* x >= 0 */
interval interval_near(const mpfr_t x, double error); /* |exact - x| <= error */

/* What the core certifies, at 80 bits: theta_i; cos and sin of m theta_i. */
interval interval_frequency(const rope_spec *spec, int i);
typedef struct turn {
    interval c, s;
} turn;
turn turn_by(const rope_spec *spec, int64_t m, int i);

/* 6 significant digits, correctly rounded; a whole or short number that is exact is printed without trailing zeros.
 * false: the interval does not decide them. */
enum { INTERVAL_DIGITS = 6 };
bool interval_digits(char text[32], interval x);

#endif
