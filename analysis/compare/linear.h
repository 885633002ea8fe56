/* Linear attention with rotated features. [RoFormer eq. 19; Katharopoulos et al., arXiv 2006.16236]
 *
 * The query at the last of N positions, features phi(q) = phi(k) = 1 in every component, h = d/2 pairs. The key at
 * distance r then has the similarity C(r)/h with rotation and 1 without (both times d), and the weight
 *
 *     eq. 19, rotation in the numerator alone:   C(r) / (N h)
 *     rotation in the denominator, too:          C(r) / sum_(r < N) C(r)
 *     1 + cos(q, R k) [J. Su, kexue.fm 8265]:    (1 + C(r)/h) / sum of these
 */
#ifndef ROPE_COMPARE_LINEAR_H
#define ROPE_COMPARE_LINEAR_H

#include <stdint.h>

#include "../../src/status.h"

typedef struct linear_row {
    int64_t length;            /* N */
    int64_t negative;          /* keys with C(r) < 0, r < N: the sign is certified */
    double sum, sum_bound;     /* sum of the weights of eq. 19; 1 would be a mean */
    double least, least_bound; /* min over r < N of 1 + C(r)/h */
    int64_t least_at;
} linear_row;

/* Rows for rising lengths, each in 1 .. 2^24. */
rope_status linear_rows(linear_row *row, const int64_t *length, int count, int dim, double base, rope_error *error);

/* The first N with sum_(r < N) C(r) <= 0, where weights with the rotation in the denominator change their sign; 0: none
 * up to limit. The sign is certified. */
rope_status linear_first_turn(int64_t *first, int dim, double base, int64_t limit, rope_error *error);

/* The first whole r >= 1 with C(r) < 0, certified; 0: none below limit. [Men et al., arXiv 2405.14591] */
rope_status linear_first_negative(int64_t *first, int dim, double base, int64_t limit, rope_error *error);

#endif
