/* The only place where bounds are made: how far an honest program of a given kind can be from the truth.
 *
 * Bounds are absolute, for a pair of unit norm and magnitude A: multiply by A times the pair's norm. u is the
 * unit roundoff of the program's arithmetic, 2^-24 or 2^-53. Symbols as in spec.h. bound.c and each model's file cite the
 * section of proofs/derivation.md that derives them line by line: [derivation 7.2].
 */
#ifndef ROPE_BOUND_H
#define ROPE_BOUND_H

#include <stdint.h>

#include "number/dtype.h"
#include "spec.h"

typedef struct rope_model rope_model; /* model/model.h */

/* cos and sin of the program's own angle, as a vector: 3u in binary32, 6u in binary64, 2u more when A != 1. */
double rope_bound_trig(rope_dtype arithmetic, double A);

/* A table stored in grade: the vector (cos, sin) off by sqrt(2) half ulps at magnitude A; nothing when the
 * arithmetic's own rounding already counts it (grade f32 with f32 arithmetic). Relative to A. */
double rope_bound_cache(rope_dtype grade, rope_dtype arithmetic, double A);

/* One entry of such a table: half an ulp at magnitude A, relative to A. */
double rope_bound_entry(rope_dtype grade, rope_dtype arithmetic, double A);

/* y_a = x_a c - x_b s in binary32 or binary64 with given c, s, per component: 2u. */
double rope_bound_rotation(rope_dtype arithmetic);

/* The two products of y_a in a short format, before the sum, per component: u of that format. */
double rope_bound_products(rope_dtype grade);

/* One rounding of the output y (absolute): |y| 2^-p, and half a subnormal step. */
double rope_bound_output(rope_dtype grade, double y);

/* Phase error per unit position: theta_i g_i u of the model; the largest of all float32 models when model is
 * NULL ("unidentified"). largest: the largest |m| that occurs (above 2^24 the position itself rounds). */
double rope_bound_slope(const rope_model *model, const rope_spec *spec, int i, double largest);

/* Relative error of theta_i in a program's frequency vector. model: one with a frequency per pair. */
double rope_bound_frequency(const rope_model *model, const rope_spec *spec, int i);

/* The same for a float32 program whose parameters a replay has found: they may be as far off as the search window admits, more
 * than an a-priori count allows. found: the angle it forms at position 1. */
double rope_bound_fitted(const rope_model *model, const rope_spec *spec, double found, int i, double largest);

/* One row's share in the error of a phase difference in which frequency errors cancel: the roundings of its angle. model NULL:
 * the most that a model makes. angle: the largest that may have been formed, |m| (theta_i + slope). */
double rope_bound_difference(const rope_model *model, const rope_spec *spec, int i, double angle, double position);

/* Phase error per unit position that a replay leaves open: what a binary64 angle depends on beside the parameters. */
double rope_bound_drift(const rope_model *model, const rope_spec *spec, int i);

/* What the judge's own evaluation of alpha cos + beta sin in double may be off by, relative to A N. */
double rope_bound_judge(rope_dtype grade);

/* From here a bound says nothing: an entry whose bound reaches A is untestable. */
double rope_bound_useless(void);

/* |sum of n products| in double arithmetic, sum |terms| given: n 2^-53 (sum of |terms|), each term itself rounded. */
double rope_bound_sum(int n, double sum_of_moduli);

/* |ln(det / A^r)| of h 2x2 blocks, each off by block relative to A^2, multiplied out in double by LU with pivoting. */
double rope_bound_determinant(int h, double block);

/* Eigenvalues of a normal matrix M of order n, |M| <= norm, read from its computed Schur form M Z = Z T: residual >= |M Z - Z T| and
 * defect >= |Z^T Z - I|, Frobenius norms. INFINITY when Z is far from orthogonal. */
double rope_bound_spectrum(int n, double norm, double residual, double defect);

#endif
