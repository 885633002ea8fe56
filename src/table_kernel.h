/* Inside rope_table: the fast tests, one row loop per format and question. They prove entries good, never one wrong.
 *
 * A tile is up to 64 rows of one giant by up to ROPE_TILE columns. Bit r of a result is set when row r holds an entry
 * that is not proved good; table.c looks at each entry of such a row.
 */
#ifndef ROPE_TABLE_KERNEL_H
#define ROPE_TABLE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number/dtype.h"
#include "phase_tables.h"

typedef struct rope_tile {
    rope_dtype dtype;
    const void *cos, *sin; /* the tile's first elements */
    size_t stride;         /* elements from one row to the next */
    int rows, columns;
    int row, column; /* baby row of the first row; pair of the first column */
    const rope_phase *phase;
    const rope_giant *giant;
    double A;
    const double *angle; /* replay, instead of phase and giant: the first row's first angle */
    size_t angles;      /* from one row's angles to the next */
} rope_tile;

/* What the bound is, and how far a tile's testable entries were off, known to within the kernel's error. */
typedef struct rope_limits {
    const double *offset, *slope; /* of the first column; a replay has no slope */
    int64_t m;                    /* position of the first row */
    double largest_error;         /* only ever raised; NaN is passed over */
} rope_limits;

/* The allowed error at m: this formula, with two roundings, defines it. */
static inline double rope_table_allowed(double offset, double slope, int64_t m) {
    const double position = (double)(m < 0 ? -m : m);
    return offset + position * slope;
}

/* Is every entry the true value, rounded once? */
uint64_t rope_tile_exact(const rope_tile *tile);

/* Is every entry within its bound, or untestable? */
uint64_t rope_tile_bound(const rope_tile *tile, rope_limits *limits);

/* Is every entry within offset of A cos and A sin of its angle? A within 2^-900 .. 2^900. */
uint64_t rope_tile_replayed(const rope_tile *tile, rope_limits *limits);

/* How many of a row's n pairs have an allowed error that reaches A? */
uint64_t rope_row_untestable(int n, const double *offset, const double *slope, int64_t m, double A);

/* A cos and A sin of n angles, within A 2^-51. False, nothing done, when one is 2^30 or more or no number. */
bool rope_row_angles(int n, const double *angle, double A, double *c, double *s);

#endif
