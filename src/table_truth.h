/* The last word on one table entry: MPFR with rising precision.
 *
 * Why it ends: A is a rational number or, m or the angle being 0, the value is exact; cos and sin of a non-zero
 * algebraic number are transcendental [Lindemann], so A cos is never a rounding midpoint nor at a distance that is a
 * binary64 number. For an A that is no rational number (a rule's) nobody has met a coincidence; at 2^14 bits one would
 * be believed.
 */
#ifndef ROPE_TABLE_TRUTH_H
#define ROPE_TABLE_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "number/dtype.h"
#include "spec.h"
#include "table.h"

/* v = A cos or A sin of m theta_pair, or of the float angle. */
typedef struct rope_truth {
    const rope_spec *spec;
    int64_t m;
    int pair;
    rope_array array;
    bool replayed; /* angle counts, m and pair do not */
    float angle;
} rope_truth;

/* Is v exactly A or 0? */
bool rope_truth_is_zero(const rope_truth *truth);

/* v rounded once to the format. NaN when the angle is no number. */
double rope_truth_nearest(const rope_truth *truth, rope_dtype dtype);

/* |x - v| rounded once to binary64, x finite. */
double rope_truth_distance(const rope_truth *truth, double x);

/* |x - v| <= allowed, x finite. */
bool rope_truth_within(const rope_truth *truth, double x, double allowed);

#endif
