/* Double-double numbers: an unevaluated sum hi + lo, |lo| <= ulp(hi)/2.
 *
 * Source: Dekker 1971; Joldes, Muller, Popescu 2017 for the error bounds. Needs round-to-nearest, no
 * contraction and FLT_EVAL_METHOD 0.
 */
#ifndef ROPE_DD_H
#define ROPE_DD_H

#include <float.h>
#include <math.h>

#ifdef __FAST_MATH__
#error "double-double arithmetic is wrong under -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "double-double arithmetic needs FLT_EVAL_METHOD 0");

typedef struct rope_dd {
    double hi, lo;
} rope_dd;

/* a + b exactly, for any a and b (6 operations). */
static inline rope_dd rope_two_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return (rope_dd){s, (a - (s - t)) + (b - t)};
}

/* a * b exactly, unless the low part underflows. */
static inline rope_dd rope_two_prod(double a, double b) {
    const double p = a * b;
    return (rope_dd){p, fma(a, b, -p)};
}

#endif
