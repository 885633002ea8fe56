/* Floating-point storage formats: rounding, encoding, ulps.
 *
 * A value of any format is held as a double, which represents all of them exactly.
 *
 *     double x = rope_round(ROPE_BF16, 0.540302);     RN to bfloat16, ties to even
 *     uint64_t bits = rope_encode(ROPE_BF16, x);      0x3f0a
 *
 * Source: IEEE 754-2019, 3.4 (binary16, 32, 64); bfloat16 and TF32 as used by GPU vendors.
 */
#ifndef ROPE_DTYPE_H
#define ROPE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rope_dtype {
    ROPE_F64,
    ROPE_F32,
    ROPE_F16,
    ROPE_BF16,
    ROPE_TF32, /* an arithmetic format of matrix units (11 significant bits, f32 range); never stored */
    ROPE_DTYPES
} rope_dtype;

typedef struct rope_format {
    const char *name; /* "f64" "f32" "f16" "bf16" "tf32" */
    int precision;    /* significant bits with the hidden one: 53 24 11 8 11 */
    int emin, emax;   /* exponents of the least and the largest normal number: 2^emin, < 2^(emax+1) */
    int bytes;        /* in memory; 0 when never stored */
} rope_format;

/* The format's constants; never NULL. */
const rope_format *rope_format_of(rope_dtype dtype);

/* Finds a format by name; false when there is none. */
bool rope_dtype_named(rope_dtype *dtype, const char *name);

/* Unit roundoff 2^-precision: 2^-53 2^-24 2^-11 2^-8. */
double rope_unit(rope_dtype dtype);

/* x rounded once to the format, to nearest, ties to even; overflow gives Inf, NaN stays NaN, -0 stays -0. */
double rope_round(rope_dtype dtype, double x);

/* Spacing of the format's numbers at |x| (x != 0 finite): 2^(max(floor(log2|x|), emin) - precision + 1). At x = 0 the least subnormal. */
double rope_ulp(rope_dtype dtype, double x);

/* Encoding of a value of the format (x must be one), in the low bits; and back. Not for TF32. */
uint64_t rope_encode(rope_dtype dtype, double x);
double rope_decode(rope_dtype dtype, uint64_t bits);

/* The k-th neighbour of x (a value of the format) towards +Inf (k > 0) or -Inf (k < 0). */
double rope_step(rope_dtype dtype, double x, int k);

/* Widens n stored values (native byte order) to double; and stores n values of the format. Not for TF32. */
void rope_widen(rope_dtype dtype, double *out, const void *in, size_t n);
void rope_narrow(rope_dtype dtype, void *out, const double *in, size_t n);

#endif
