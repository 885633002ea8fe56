/* Inside rope_phase, for the row loops of table.c: tables as planes of doubles, and giants.
 *
 * m = 64 g + r, 0 <= r < 64: A e^{i m theta_j} = baby row r times giant g, where a baby row is A e^{i r theta_j} and
 * a giant e^{i 64 g theta_j}. Columns j are handled in tiles of up to ROPE_TILE.
 */
#ifndef ROPE_PHASE_TABLES_H
#define ROPE_PHASE_TABLES_H

#include "phase.h"

enum { ROPE_TILE = 64, ROPE_PHASE_LEVELS = 5 }; /* 6 + 8 + 8 + 8 + 1 bits of a position */

/* Rows of complex double-doubles, cosine and sine, high and low parts apart; element (row, j) at row * stride + j. */
typedef struct rope_rows {
    double *ch, *cl, *sh, *sl;
} rope_rows;

struct rope_phase {
    int pairs;
    int64_t largest;
    size_t stride;  /* doubles from one row to the next */
    double A, grid; /* A to binary64; the least power of two >= A */
    int levels, rows[ROPE_PHASE_LEVELS];
    rope_rows level[ROPE_PHASE_LEVELS]; /* level 0: the 64 baby rows; level l: e^{i k 64 256^(l-1) theta_j}, k < 256 */
    rope_rows split; /* the baby rows once more: ch and sh on the grid's multiples of 2^-26, cl and sl the rest */
    double *memory;
};

/* A giant of one tile: rounded to binary64 (error 2^-53 per component), and split as the baby rows are (grid 1). */
typedef struct rope_giant {
    _Alignas(64) double c[ROPE_TILE]; /* a vector never lies across two cache lines */
    double s[ROPE_TILE];
    double c1[ROPE_TILE], c2[ROPE_TILE], s1[ROPE_TILE], s2[ROPE_TILE];
} rope_giant;

/* Columns from .. from + n - 1 of giant g, for any g that a position |m| <= largest asks for. */
void rope_phase_giant(const rope_phase *phase, int64_t g, int from, int n, rope_giant *giant);

/* The same columns of rope_phase_row. */
void rope_phase_columns(const rope_phase *phase, int64_t m, int from, int n, rope_dd *c, rope_dd *s);

#endif
