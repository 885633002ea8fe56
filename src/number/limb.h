/* Fixed-point numbers of n limbs of 64 bits, least limb first, on GMP's mpn functions.
 *
 * A number is an integer x and a scale f: x 2^-f. Magnitudes are unsigned; sums are signed, in two's complement. Work
 * space comes from the caller, and operands do not overlap.
 */
#ifndef ROPE_LIMB_H
#define ROPE_LIMB_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>

_Static_assert(GMP_NUMB_BITS == 64, "limbs of 64 bits without nails");

/* x = RN(|value| 2^scale), or 2^(64 n) - 1 when that is less: off by 1/2, or by 1 when |value| 2^scale <= 2^(64 n).
 * Returns whether value is negative. */
bool rope_limb_put(mp_limb_t *x, int n, const mpfr_t value, long scale);

/* sum += or -= (negative) a b 2^(-64 n), modulo 2^(64 n), rounded down: off by rope_limb_product_error at most.
 * work: 2n limbs. */
void rope_limb_add_product(mp_limb_t *sum, const mp_limb_t *a, const mp_limb_t *b, int n, bool negative,
                           mp_limb_t *work);
double rope_limb_product_error(int n); /* 1; where n = 4 has a faster way, 4.1 */

/* x = sqrt(re^2 + im^2) of signed numbers, below 2^(64 n - 1) each, as x must be: off by rope_limb_modulus_error at
 * most. work: 5n limbs. */
void rope_limb_modulus(mp_limb_t *x, const mp_limb_t *re, const mp_limb_t *im, int n, mp_limb_t *work);
double rope_limb_modulus_error(int n); /* 1; where n = 4 has a faster way, 128 */

/* value = x 2^-scale, x signed: exact when value has 64 n bits. */
void rope_limb_get(mpfr_t value, const mp_limb_t *x, int n, long scale);

#endif
