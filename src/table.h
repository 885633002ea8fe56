/* Decides every entry of a cos/sin table: one test, one row loop per format, MPFR when undecided.
 *
 * A table is [rows][h] values of cos and of sin (either may be NULL), row t standing for position
 * first + t; strides are in elements. Three questions can be asked of an entry x with true value v:
 *
 *   exact    is x = RN(v), rounded once, v = A cos(m theta_j) or A sin(m theta_j)?
 *   bound    is |x - v| <= offset_j + |m| slope_j?
 *   replay   is |x - A cos(a)| <= offset_j + A t, a the angle that angles() forms for (m, j), t its spread?
 *
 * The answer is the one MPFR alone would give: what the fast path cannot decide within its proved error is
 * decided by MPFR with rising precision (why that ends: A cos of a non-zero algebraic angle is
 * transcendental, Lindemann; m = 0 is exact).
 */
#ifndef ROPE_TABLE_H
#define ROPE_TABLE_H

#include <stdint.h>

#include "number/dtype.h"
#include "phase.h"

typedef struct rope_table {
    rope_dtype dtype;      /* f64, f32, f16, bf16: how entries are stored (native byte order) */
    const void *cos, *sin; /* [rows][stride]; one of them may be NULL */
    size_t stride;         /* elements from one row to the next, >= h */
    size_t rows;
    int64_t first;         /* position of row 0 */
} rope_table;

typedef enum rope_array { ROPE_COS, ROPE_SIN } rope_array;

typedef struct rope_entry {
    int64_t m;
    int pair;
    rope_array array;
    double got, expected; /* expected: v rounded to binary64 */
    double error;         /* |got - v|, to binary64 accuracy; NaN when got is */
    double allowed;       /* the bound at this entry; for exact half an ulp */
} rope_entry;

typedef struct rope_tally {
    uint64_t checked, broken, referred; /* referred: entries that went to MPFR */
    uint64_t untestable;                /* bound, replay: entries whose allowed error reaches A: never broken, never holding */
    bool has_broken;
    rope_entry first, worst;            /* of the broken ones: least (m, pair, cos before sin), largest error */
    double largest_error;               /* of the testable entries, less A times an angle's spread; exact: of the broken ones */
} rope_tally;

/* Forms the h angles of one position, and how far each is uncertain; called from several threads. Spreads are seldom anything but
 * 0, and only asked for where they may be: when spread is NULL, an angle that has one must be NaN. */
typedef void rope_angles(const void *context, int64_t m, double *angle, double *spread);

void rope_table_exact(rope_tally *tally, const rope_phase *phase, const rope_spec *spec, const rope_table *table);
void rope_table_bound(rope_tally *tally, const rope_phase *phase, const rope_spec *spec, const rope_table *table,
                      const double *offset, const double *slope);
void rope_table_replay(rope_tally *tally, const rope_spec *spec, const rope_table *table,
                       rope_angles *angles, const void *context, const double *offset);

/* Adds part to total; parts must come in row order. */
void rope_tally_add(rope_tally *total, const rope_tally *part);

/* Fills rows of a table with correctly rounded entries (the built-in kernels' tables). cos and sin are
 * written, so they are passed apart. */
void rope_table_fill(const rope_phase *phase, const rope_spec *spec, rope_dtype dtype, int64_t first, size_t rows,
                     size_t stride, void *cos, void *sin);

#endif
