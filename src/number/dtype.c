#include "dtype.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The rounding below adds and subtracts a power of two; excess precision would round twice. */
_Static_assert(FLT_EVAL_METHOD == 0, "double arithmetic must round to double");

#define BIT(n) (UINT64_C(1) << (n))

static const rope_format formats[ROPE_DTYPES] = {
    [ROPE_F64] = {"f64", 53, -1022, 1023, 8}, [ROPE_F32] = {"f32", 24, -126, 127, 4},
    [ROPE_F16] = {"f16", 11, -14, 15, 2},     [ROPE_BF16] = {"bf16", 8, -126, 127, 2},
    [ROPE_TF32] = {"tf32", 11, -126, 127, 0},
};

const rope_format *rope_format_of(rope_dtype dtype) {
    assert(dtype >= 0 && dtype < ROPE_DTYPES);
    return &formats[dtype];
}

bool rope_dtype_named(rope_dtype *dtype, const char *name) {
    for (int i = 0; i < ROPE_DTYPES; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *dtype = (rope_dtype)i;
            return true;
        }
    return false;
}

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t float_bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^e for -1022 <= e <= 1023; Inf for e = 1024. */
static inline double power(int e) {
    return double_of((uint64_t)(e + 1023) << 52);
}

/* 2^max(floor(log2 a), emin); Inf for Inf and NaN. */
static inline double binade(const rope_format *format, double a) {
    const double least = power(format->emin);
    return double_of(bits_of(a < least ? least : a) & (UINT64_C(0x7ff) << 52));
}

double rope_unit(rope_dtype dtype) {
    return power(-rope_format_of(dtype)->precision);
}

double rope_ulp(rope_dtype dtype, double x) {
    const rope_format *format = rope_format_of(dtype);
    return binade(format, fabs(x)) * power(1 - format->precision);
}

/* ---- rounding ---------------------------------------------------------------------------------------
 *
 * Let 2^k be the format's spacing at a = |x|, so a <= 2^(k+p). With c = 2^(k+52) the sum a + c lies in [c, 2c], as p <
 * 52, where doubles are 2^k apart: the one rounding of the addition is the rounding to the format, ties to even because
 * c is an even multiple of 2^k. The subtraction is exact: its result is a multiple of 2^k, and at most 2^(k+p). No
 * step needs a subnormal double, so flush-to-zero modes do no harm; the clamp keeps c finite. NaN passes every step. */
typedef struct rounding {
    double a;      /* |x|, or 2^(emax+1) when that is less: both round to Inf */
    double binade; /* 2^(k+p-1) */
    double c;
} rounding;

static inline rounding rounding_of(const rope_format *format, double x) {
    const double limit = power(format->emax + 1);
    rounding r;
    r.a = fabs(x) > limit ? limit : fabs(x);
    r.binade = binade(format, r.a);
    r.c = r.binade * power(53 - format->precision);
    return r;
}

static inline double round_to(const rope_format *format, double x) {
    const rounding r = rounding_of(format, x);
    const double rounded = (r.a + r.c) - r.c;
    return copysign(rounded >= power(format->emax + 1) ? (double)INFINITY : rounded, x);
}

double rope_round(rope_dtype dtype, double x) {
    if (dtype == ROPE_F64) return x;
    if (dtype == ROPE_F32) return (double)(float)x;
    return round_to(rope_format_of(dtype), x);
}

/* ---- encoding ---------------------------------------------------------------------------------------*/

/* The encodings of |x| count its format's numbers upwards from 0. The low bits of a + c hold a / 2^k, which is the
 * encoding when k is the least, and each binade further up adds 2^(p-1). Overflow arrives at the encoding of Inf by
 * itself: (emax - emin + 2) 2^(p-1). A NaN keeps its sign and the top of its payload and becomes quiet. */
static inline uint64_t encode_in(const rope_format *format, double x) {
    const int fraction = format->precision - 1;
    const uint64_t sign = (bits_of(x) >> 63) << (8 * format->bytes - 1);
    const uint64_t infinite = (uint64_t)(format->emax - format->emin + 2) << fraction;
    const uint64_t payload = (bits_of(x) >> (52 - fraction)) & (BIT(fraction) - 1);

    const rounding r = rounding_of(format, x);
    const uint64_t steps = bits_of(r.a + r.c) - bits_of(r.c);
    const uint64_t binades = (bits_of(r.binade) - bits_of(power(format->emin))) >> 52;
    const uint64_t number = steps + (binades << fraction);
    return sign | (x != x ? infinite | BIT(fraction - 1) | payload : number);
}

/* Moves the fraction into a float and corrects the exponent's bias from 15 to 127. A subnormal has no hidden bit: give
 * it one, which is worth 2^-14, and subtract that; both are exact. Masks, because branches would not vectorise. */
static inline double decode_f16(uint32_t bits) {
    const uint32_t magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    const uint32_t one = UINT32_C(1) << 23, bias = 112 * one; /* in units of the exponent */
    const uint32_t special = magnitude >= 31 * one ? bias : 0, hidden = magnitude < one ? one : 0;
    const uint32_t hidden_value = magnitude < one ? 113 * one : 0; /* 2^-14 or 0 */
    const float value = float_of(magnitude + bias + special + hidden) - float_of(hidden_value);
    return (double)float_of(float_bits_of(value) | sign);
}

uint64_t rope_encode(rope_dtype dtype, double x) {
    assert(rope_format_of(dtype)->bytes > 0);
    if (dtype == ROPE_F64) return bits_of(x);
    if (dtype == ROPE_F32) return float_bits_of((float)x);
    return encode_in(rope_format_of(dtype), x);
}

double rope_decode(rope_dtype dtype, uint64_t bits) {
    assert(rope_format_of(dtype)->bytes > 0);
    if (dtype == ROPE_F64) return double_of(bits);
    if (dtype == ROPE_F16) return decode_f16((uint32_t)bits);
    return (double)float_of((uint32_t)bits << (dtype == ROPE_BF16 ? 16 : 0));
}

/* Steps through the encodings, which count the numbers. TF32's numbers are the f32 numbers whose low bits are zero. */
double rope_step(rope_dtype dtype, double x, int k) {
    const rope_dtype stored = dtype == ROPE_TF32 ? ROPE_F32 : dtype;
    const int spare = formats[stored].precision - rope_format_of(dtype)->precision;
    if (isnan(x)) return x;
    assert(rope_round(dtype, x) == x);

    const int64_t infinite = (int64_t)(rope_encode(stored, (double)INFINITY) >> spare);
    const int64_t magnitude = (int64_t)(rope_encode(stored, fabs(x)) >> spare);
    int64_t index = (signbit(x) ? -magnitude : magnitude) + k;
    index = index > infinite ? infinite : index < -infinite ? -infinite : index;
    const uint64_t bits = (uint64_t)(index < 0 ? -index : index) << spare;
    return copysign(rope_decode(stored, bits), index == 0 ? x : (double)index); /* IEEE 754: nextUp(-least) is -0 */
}

/* ---- arrays -----------------------------------------------------------------------------------------
 *
 * Blocks of a known length through a local array: compilers vectorise them without checks for overlap, and memory needs
 * no alignment. The last block is shorter. */
enum { BLOCK = 32 };

static inline void widen_block(rope_dtype dtype, double *out, const unsigned char *in, size_t n) {
    if (dtype == ROPE_F32) {
        float block[BLOCK] = {0};
        memcpy(block, in, n * sizeof *block);
        for (size_t i = 0; i < n; i++) out[i] = (double)block[i];
    } else {
        uint16_t block[BLOCK] = {0};
        memcpy(block, in, n * sizeof *block);
        for (size_t i = 0; i < n; i++)
            out[i] = dtype == ROPE_F16 ? decode_f16(block[i]) : (double)float_of((uint32_t)block[i] << 16);
    }
}

static inline void narrow_block(rope_dtype dtype, unsigned char *out, const double *in, size_t n) {
    if (dtype == ROPE_F32) {
        float block[BLOCK];
        for (size_t i = 0; i < n; i++) block[i] = (float)in[i];
        memcpy(out, block, n * sizeof *block);
    } else {
        uint16_t block[BLOCK];
        for (size_t i = 0; i < n; i++) block[i] = (uint16_t)encode_in(&formats[dtype], in[i]);
        memcpy(out, block, n * sizeof *block);
    }
}

static inline void widen_as(rope_dtype dtype, double *out, const unsigned char *in, size_t n) {
    const size_t bytes = (size_t)formats[dtype].bytes;
    for (; n >= BLOCK; n -= BLOCK, out += BLOCK, in += BLOCK * bytes) widen_block(dtype, out, in, BLOCK);
    widen_block(dtype, out, in, n);
}

static inline void narrow_as(rope_dtype dtype, unsigned char *out, const double *in, size_t n) {
    const size_t bytes = (size_t)formats[dtype].bytes;
    for (; n >= BLOCK; n -= BLOCK, in += BLOCK, out += BLOCK * bytes) narrow_block(dtype, out, in, BLOCK);
    narrow_block(dtype, out, in, n);
}

void rope_widen(rope_dtype dtype, double *out, const void *in, size_t n) {
    assert(rope_format_of(dtype)->bytes > 0);
    if (n == 0) return; /* then either pointer may be NULL, which memcpy forbids */
    switch (dtype) {
    case ROPE_F32:
        widen_as(ROPE_F32, out, in, n);
        break;
    case ROPE_F16:
        widen_as(ROPE_F16, out, in, n);
        break;
    case ROPE_BF16:
        widen_as(ROPE_BF16, out, in, n);
        break;
    default:
        memcpy(out, in, n * sizeof *out);
    }
}

void rope_narrow(rope_dtype dtype, void *out, const double *in, size_t n) {
    assert(rope_format_of(dtype)->bytes > 0);
    if (n == 0) return;
    switch (dtype) {
    case ROPE_F32:
        narrow_as(ROPE_F32, out, in, n);
        break;
    case ROPE_F16:
        narrow_as(ROPE_F16, out, in, n);
        break;
    case ROPE_BF16:
        narrow_as(ROPE_BF16, out, in, n);
        break;
    default:
        memcpy(out, in, n * sizeof *in);
    }
}
