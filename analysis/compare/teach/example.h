/* A worked example of any scheme: its terms in numbers, on data with d = 4 that everyone can compute again.
 *
 * Tokens, weights and tables are the `reference` data (data.h), made by formulas of sines and cosines. The tokens are
 * the same at all positions, so a term that changes when query and key move together depends on where they stand.
 */
#ifndef ROPE_COMPARE_EXAMPLE_H
#define ROPE_COMPARE_EXAMPLE_H

#include <stdio.h>

#include "../encoding.h"

enum { EXAMPLE_BITS = 128, EXAMPLE_M = 5, EXAMPLE_N = 2, EXAMPLE_SHIFT = 10 };

rope_status example_data(compare_data *data, rope_error *error); /* compare_data_free */

/* What the value of a term depends on, as far as one sees by moving m and n, alone over all positions and together. */
typedef enum example_place { PLACE_NONE, PLACE_OFFSET, PLACE_QUERY, PLACE_KEY, PLACE_BOTH } example_place;
extern const char *const example_places[]; /* "no position", "n - m", "m", "n", "m and n" */

typedef struct example_term {
    double before, after, by; /* at (m, n) = (5, 2), at (15, 12), and the difference: 0 when below its bound */
    double bound;             /* of each of them */
    example_place place;
} example_term;

/* which: a term of the run, or ENCODING_SUM. */
example_term example_of(const encoding_run *run, int which);

/* Does |f_q(x, m)| change with m? The tokens are alike. */
bool example_length_moves(const encoding_run *run);

/* The table of all terms and their sum, and the lengths of q and f_q(x, m). */
void example_print(FILE *out, const encoding_run *run);

#endif
