/* Inside limb.c: the two hot operations for n = 4, twice as fast as GMP's functions and a little less exact.
 *
 * Only where the compiler has 128-bit integers; elsewhere n = 4 is like any other n.
 */
#ifndef ROPE_LIMB4_H
#define ROPE_LIMB4_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __SIZEOF_INT128__
#define ROPE_LIMB4 1
__extension__ typedef unsigned __int128 rope_u128;
__extension__ typedef __int128 rope_i128;

/* GCC at -O2 leaves loops of four steps rolled up; clang does not, and has no such pragma. */
#ifdef __clang__
#define ROPE_UNROLL
#else
#define ROPE_UNROLL _Pragma("GCC unroll 8")
#endif

/* high = a b 2^-256, off by less than 4.1: the columns of weight 1, 2^64 and 2^128 are left out (at most 1, 2 and 3
 * products below 2^128 each, together below (3 + 2^-62) 2^256), and the result is rounded down. */
static inline void rope_limb4_multiply(uint64_t high[4], const uint64_t *a, const uint64_t *b) {
    uint64_t w[8] = {0};
    ROPE_UNROLL
    for (int i = 0; i < 4; i++) {
        uint64_t carry = 0;
        ROPE_UNROLL
        for (int j = 3 - i; j < 4; j++) {
            const rope_u128 t = (rope_u128)a[i] * b[j] + w[i + j] + carry;
            w[i + j] = (uint64_t)t, carry = (uint64_t)(t >> 64);
        }
        w[i + 4] = carry;
    }
    ROPE_UNROLL
    for (int k = 0; k < 4; k++) high[k] = w[k + 4];
}

/* w[2..7] += x^2 for |x| < 2^255, without the columns of weight 1 and 2^64: below 2^194 is lost. x is signed. */
static inline void rope_limb4_add_square(uint64_t w[8], const uint64_t *x) {
    uint64_t m[4], carry = x[3] >> 63, mask = (uint64_t)0 - carry;
    ROPE_UNROLL
    for (int k = 0; k < 4; k++) {
        const rope_u128 t = (rope_u128)(x[k] ^ mask) + carry;
        m[k] = (uint64_t)t, carry = (uint64_t)(t >> 64);
    }
    /* Products of different limbs, once: columns 2 to 5 and their carry; doubled when added. */
    const rope_u128 p02 = (rope_u128)m[0] * m[2], p03 = (rope_u128)m[0] * m[3], p12 = (rope_u128)m[1] * m[2],
                    p13 = (rope_u128)m[1] * m[3], p23 = (rope_u128)m[2] * m[3];
    const rope_u128 c3 = (p02 >> 64) + (uint64_t)p03 + (uint64_t)p12;
    const rope_u128 c4 = (c3 >> 64) + (p03 >> 64) + (p12 >> 64) + (uint64_t)p13;
    const rope_u128 c5 = (c4 >> 64) + (p13 >> 64) + (uint64_t)p23;
    const uint64_t c6 = (uint64_t)((c5 >> 64) + (p23 >> 64));
    const uint64_t cross[6] = {(uint64_t)p02, (uint64_t)c3, (uint64_t)c4, (uint64_t)c5, c6, 0};
    const rope_u128 d1 = (rope_u128)m[1] * m[1], d2 = (rope_u128)m[2] * m[2], d3 = (rope_u128)m[3] * m[3];
    const uint64_t diagonal[6] = {(uint64_t)d1,         (uint64_t)(d1 >> 64), (uint64_t)d2,
                                  (uint64_t)(d2 >> 64), (uint64_t)d3,         (uint64_t)(d3 >> 64)};
    rope_u128 sum = 0;
    ROPE_UNROLL
    for (int k = 0; k < 6; k++) {
        const uint64_t twice = cross[k] << 1 | (k > 0 ? cross[k - 1] >> 63 : 0);
        sum += (rope_u128)w[k + 2] + diagonal[k] + twice;
        w[k + 2] = (uint64_t)sum, sum >>= 64;
    }
}

/* a b = high 2^128 + low. */
static inline rope_u128 rope_limb4_product(rope_u128 a, rope_u128 b, rope_u128 *low) {
    const uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    const rope_u128 p00 = (rope_u128)a0 * b0, p01 = (rope_u128)a0 * b1;
    const rope_u128 p10 = (rope_u128)a1 * b0, p11 = (rope_u128)a1 * b1;
    const rope_u128 middle = (p00 >> 64) + (uint64_t)p01 + (uint64_t)p10;
    *low = middle << 64 | (uint64_t)p00;
    return p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64);
}

/* Y = y 2^126 with |y - 1/sqrt(v)| < 2^-125.8, for the number v = V 2^-128, 1/4 <= v < 1.
 *
 * y0 = 1/sqrt of v in binary64: the conversion (2^-53 of v, and 2^-62 for the low half), the root and the quotient
 * each round by 2^-53: off by less than 2^-51 of itself, 1 <= y0 <= 2. Y0 = y0 2^62 is an integer. e = 1 - v y0^2 is
 * below 2^-49.9; 1/sqrt(v) = y0 (1 - e)^(-1/2) = y0 (1 + e/2 + 3/8 e^2 + ...), the rest below 0.32 e^3 < 2^-151. e is
 * rounded to units of 2^-132, by one; its half by one, and its square (2^30 units, from the first 50 bits of e in
 * binary64) by two. So the factor is off by 4 units, y by 8, 2^-129, and the last rounding of Y is below (1 + 2^-32)
 * 2^-126. */
static inline rope_u128 rope_limb4_inverse_root(rope_u128 V) {
    const double y0 = 1.0 / sqrt((double)(uint64_t)(V >> 64) * 0x1p-64);
    const uint64_t Y0 = (uint64_t)(y0 * 0x1p62);
    rope_u128 low;
    const rope_u128 high = rope_limb4_product(V, (rope_u128)Y0 * Y0, &low); /* v y0^2 2^252 */
    const rope_i128 e = -(rope_i128)((high - ((rope_u128)1 << 124)) << 8 | low >> 120);
    const double first = (double)(int64_t)(e / ((rope_i128)1 << 32)) * 0x1p-100;
    const rope_i128 g = e / 2 + (int64_t)(0.375 * first * first * 0x1p132);
    const rope_u128 size = (rope_u128)(g < 0 ? -g : g); /* below 2^82; y0 g, in units of 2^-194, to 2^-126 */
    const uint64_t last = (uint64_t)size & ((UINT64_C(1) << 36) - 1);
    const rope_u128 step = (Y0 * (size >> 36) + ((rope_u128)Y0 * last >> 36)) >> 32;
    const rope_u128 Y = (rope_u128)Y0 << 64;
    return g < 0 ? Y - step : Y + step;
}

/* x = sqrt(re^2 + im^2), off by at most 128, for signed numbers with |re|, |im|, x < 2^255; false where
 * that does not hold: x below 2^232, and one case in 2^64.
 *
 * W = re^2 + im^2 loses less than 2^195 (see above): in x, less than 2^195 / (2 x) < 1. Shifted left by an even
 * number s >= 2 of bits, v = W 2^(s-512) is in [1/4, 1), and x 2^(s/2-256) = sqrt(v). With V, its first 128 bits, and
 * y from above, X = floor(V y) has |X 2^-128 - sqrt(v)| < 2^-125.8 + 2^-128 + 2^-128 < 2^-125.2. Newton's step from
 * there is D y / 2 with D = v - X^2, |D| < 2^-124.1. In units of 2^-256: Newton's own error, (2^-125.2)^2 / (2 X), is
 * 49; the bits of v past 256 are 1; y is 1/X but for 2^-124 of itself: 1; D is cut by 6 bits: 64; the product by 7:
 * 128. Together below 250, shifted back by s/2 >= 1 bits: 125, and 1 for that rounding, and 1 for W. */
static inline bool rope_limb4_modulus(uint64_t x[4], const uint64_t *re, const uint64_t *im) {
    uint64_t w[8] = {0}, v[4];
    rope_limb4_add_square(w, re);
    rope_limb4_add_square(w, im);
    if (w[7] < 0x10000) return false;
    const int s = __builtin_clzll(w[7]) & ~1;
    ROPE_UNROLL
    for (int k = 0; k < 4; k++) v[k] = w[7 - k] << s | w[6 - k] >> (64 - s);
    if (v[0] == UINT64_MAX) return false; /* X could be 2^128 */
    const rope_u128 V = (rope_u128)v[0] << 64 | v[1], v_low = (rope_u128)v[2] << 64 | v[3];
    const rope_u128 Y = rope_limb4_inverse_root(V);
    rope_u128 low, square_low;
    const rope_u128 high = rope_limb4_product(V, Y, &low); /* v y 2^254 */
    const rope_u128 X = high << 2 | low >> 126;

    const rope_u128 square_high = rope_limb4_product(X, X, &square_low);
    rope_u128 D_low = v_low - square_low, D_high = V - square_high - (v_low < square_low);
    const bool negative = D_high >> 127;
    if (negative) D_low = -D_low, D_high = ~D_high + (D_low == 0);
    const rope_u128 step = rope_limb4_product(D_high << 122 | D_low >> 6, Y, &low); /* D y / 2, in units of 2^-249 */

    const rope_u128 step_low = step << 7, step_high = step >> 121;
    rope_u128 root_low = negative ? -step_low : step_low;
    rope_u128 root = negative ? X - step_high - (step_low != 0) : X + step_high;
    root_low = root_low >> s / 2 | root << (128 - s / 2);
    root >>= s / 2;
    x[0] = (uint64_t)root_low, x[1] = (uint64_t)(root_low >> 64);
    x[2] = (uint64_t)root, x[3] = (uint64_t)(root >> 64);
    return true;
}
#else
#define ROPE_LIMB4 0
#endif

#endif
