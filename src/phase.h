/* Certified cos and sin of m * theta_i, by angle addition from small tables, with the proved error.
 *
 * The tables hold A e^{i k 64 256^l theta_j} style rows (k < 64 on the lowest level, k < 256 above) as
 * double-doubles, made by an MPFR recurrence. A position is split into digits; a row is the product of one
 * table row per digit. Several threads may read one rope_phase.
 *
 *     rope_phase *phase;
 *     rope_phase_new(&phase, &spec, 131071, &error);
 *     rope_phase_row(phase, 4095, c, s);           h cosines and sines, times A
 *     rope_phase_free(phase);
 */
#ifndef ROPE_PHASE_H
#define ROPE_PHASE_H

#include <mpfr.h>
#include <stdint.h>

#include "number/dd.h"
#include "spec.h"

typedef struct rope_phase rope_phase;

enum { ROPE_PHASE_BLOCK = 64 }; /* rows per giant step; positions of one block share m >> 6 */

/* Error of every component of rope_phase_row, per unit of A. */
#define ROPE_PHASE_ROW_ERROR 0x1p-98

/* Tables for |m| <= largest (largest < 2^31). */
rope_status rope_phase_new(rope_phase **phase, const rope_spec *spec, int64_t largest, rope_error *error);
void rope_phase_free(rope_phase *phase);

int rope_phase_pairs(const rope_phase *phase);

/* c[j] + i s[j] = A e^{i m theta_j}, j < h, each component within A * ROPE_PHASE_ROW_ERROR. Any |m| <= largest. */
void rope_phase_row(const rope_phase *phase, int64_t m, rope_dd *c, rope_dd *s);

/* The slow reference that everything is tested against: A cos(m theta_i), A sin(m theta_i), each within
 * A 2^(1-p) absolutely, p the precision of c and s (equal). MPFR only; the tables are not used. */
void rope_phase_reference(mpfr_t c, mpfr_t s, const rope_spec *spec, int64_t m, int i);

/* cos and sin of an angle given as a double, |a| < 2^30: each within ROPE_PHASE_ANGLE_ERROR absolutely.
 * Larger |a| go to MPFR (same error). */
#define ROPE_PHASE_ANGLE_ERROR 0x1p-51
void rope_phase_angle(double a, double *c, double *s);

#endif
