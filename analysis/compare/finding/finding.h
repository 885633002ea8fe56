/* What the findings behind the claims of myths.c are made of: numbers with bounds, compared across their bounds. The
 * find_ functions of myths.h stand in of_operators.c, of_curves.c and of_schemes.c, by what they compute with. */
#ifndef ROPE_COMPARE_FINDING_H
#define ROPE_COMPARE_FINDING_H

#include <mpfr.h>
#include <stdint.h>

#include "../../../src/spec.h"
#include "../myths.h"

enum { FINDING_BITS = 200 };

rope_status finding_no_memory(rope_error *error);

myth_number finding_number(const mpfr_t x, double off); /* x +- off, rounded to a double */
myth_number finding_whole(int64_t n);                   /* |n| < 2^53 */

/* A few operations; the result rounds by 2^-53 of itself. */
myth_number finding_difference(myth_number a, myth_number b);
myth_number finding_times(double factor, myth_number a); /* factor exact */
myth_number finding_quotient(myth_number a, myth_number b);

/* Whatever the exact numbers are within the bounds. */
bool finding_above(myth_number a, myth_number b);
bool finding_above_number(myth_number a, double b);
bool finding_is_zero(myth_number a);

rope_spec finding_spec(int dim, double base); /* interleaved */

/* Mean modulus of partial sums and sum of cosines, d = 128, base 10000, at distance r (src/decay.h). */
myth_number finding_B(double r);
myth_number finding_C(double r);

#endif
