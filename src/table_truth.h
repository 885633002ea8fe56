/* The last word on one table entry: MPFR with rising precision.
 *
 * Why it ends: A is rational. For m or an angle of 0 the value is A or 0. The cosine and sine of another algebraic
 * number are transcendental [Lindemann], so A cos is no middle between two numbers of a format, and its distance from a
 * number is no binary64 number. For an A that is not rational (a rule's) no coincidence is known; at 2^14 bits one
 * would be believed.
 */
#ifndef ROPE_TABLE_TRUTH_H
#define ROPE_TABLE_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "number/dtype.h"
#include "spec.h"
#include "table.h"

/* v = A cos or A sin of m theta_pair, or of the angle. */
typedef struct rope_truth {
    const rope_spec *spec;
    int64_t m;
    int pair;
    rope_array array;
    bool replayed; /* angle counts, m and pair do not */
    double angle;
} rope_truth;

/* v rounded once to the format. NaN when the angle is no number. */
double rope_truth_nearest(const rope_truth *truth, rope_dtype dtype);

/* |x - v| rounded once to binary64, x finite. */
double rope_truth_distance(const rope_truth *truth, double x);

/* |x - v| <= allowed, x finite. */
bool rope_truth_within(const rope_truth *truth, double x, double allowed);

#endif
