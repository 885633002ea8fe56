/* R_m x: the built-in kernels, in every dtype and layout. [RoFormer eq. 34]
 *
 *   y_a = x_a cos - x_b sin,  y_b = x_b cos + x_a sin   for the pair's channels (a, b),
 *
 * channels outside the rotary width are copied. cos and sin come in as correctly rounded values of the
 * kernel's arithmetic; products and the sum are rounded one by one (no FMA). In f16 and bf16 the table is rounded to the
 * format, arithmetic is f32, and the result is rounded once to the format (what engines do).
 */
#ifndef ROPE_ROTATION_H
#define ROPE_ROTATION_H

#include <mpfr.h>
#include <stdint.h>

#include "number/dtype.h"
#include "spec.h"

/* x and y hold d values of the format, as doubles; y may be x. c and s hold h values: A cos, A sin of m theta_i.
 * inverse: rotates by -m (the transpose, divided by nothing: A stays). */
void rope_rotate(rope_dtype dtype, const rope_spec *spec, const double *c, const double *s, bool inverse,
                 const double *x, double *y);

/* Correctly rounded A cos(m theta_i), A sin(m theta_i) in the format, as doubles; MPFR with rising precision. */
void rope_rotation_table(rope_dtype dtype, const rope_spec *spec, int64_t m, double *c, double *s);

/* The MPFR kernel: y_k = R_m x_k for count vectors of d elements each, cos and sin formed once. To the precision p of y's
 * elements (all vectors alike): |y_j - exact| <= A (|x_a| + |x_b|) 2^(2-p). x may be of any precision; y != x. */
void rope_rotate_mpfr(const rope_spec *spec, int64_t m, bool inverse, size_t count, const mpfr_t *x, mpfr_t *y);

#endif
