#include "table_kernel.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "phase_angle.h"

/* ---- loading an entry ------------------------------------------------------------------------------- */

ROPE_INLINE double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ROPE_INLINE uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ROPE_INLINE float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ROPE_INLINE double load_f64(double x) {
    return x;
}
ROPE_INLINE double load_f32(float x) {
    return (double)x;
}
ROPE_INLINE double load_bf16(uint16_t x) {
    return (double)float_of((uint32_t)x << 16);
}

/* The fraction moves into a float, the exponent's bias from 15 to 127 (112 more, twice for Inf and NaN). A subnormal
 * lacks the hidden bit: it gets one, worth 2^-14, which is then subtracted. Both steps are exact. */
ROPE_INLINE double load_f16(uint16_t x) {
    const uint32_t magnitude = (uint32_t)(x & 0x7fff) << 13, one = UINT32_C(1) << 23;
    const uint32_t bias = magnitude < one ? 113 * one : magnitude >= 31 * one ? 224 * one : 112 * one;
    const float value = float_of(magnitude + bias) - (magnitude < one ? 0x1p-14f : 0.0f);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (double)float_of(bits | (uint32_t)(x & 0x8000) << 16);
}

/* ---- the true value --------------------------------------------------------------------------------- */

/* Rows of one giant and one baby row: g stands for the giant's columns, b for the baby row's. */
typedef struct factors {
    const rope_giant *g;
    const double *ch, *sh;           /* baby, rounded to binary64 */
    const double *c1, *c2, *s1, *s2; /* baby, split */
} factors;

ROPE_INLINE factors factors_of(const rope_tile *tile, int row) {
    const size_t at = (size_t)(tile->row + row) * tile->phase->stride + (size_t)tile->column;
    const rope_rows baby = tile->phase->level[0], split = tile->phase->split;
    return (factors){tile->giant,   baby.ch + at,  baby.sh + at, split.ch + at,
                     split.cl + at, split.sh + at, split.sl + at};
}

/* An entry x beside its true value v: |x - v|, and a number in the binade whose spacing decides how v rounds. */
typedef struct compared {
    double distance, size;
} compared;

/* In plain double. With v = 2^-53, per unit of A: each of the four factors is off by v relatively, and the products and
 * their sum round by v: 4 v (|p u| + |q w|) + O(v^2), below (4 + 2^-7) v. The difference is exact when it is below
 * |x| / 2 [Sterbenz], else it adds v relatively. [derivation 15.3] [proofs/numeric/grid.gappa] */
ROPE_INLINE double narrow_error(const rope_tile *tile) {
    return tile->A * ((4 + 0x1p-6) * 0x1p-53);
}

typedef struct narrow {
    double gc, gs, bc, bs;
} narrow;

ROPE_INLINE narrow narrow_at(const factors *f, int j) {
    return (narrow){f->g->c[j], f->g->s[j], f->ch[j], f->sh[j]};
}

ROPE_INLINE compared narrow_cos(double x, narrow k) {
    const double v = k.gc * k.bc - k.gs * k.bs;
    return (compared){fabs(x - v), v};
}

ROPE_INLINE compared narrow_sin(double x, narrow k) {
    const double v = k.gs * k.bc + k.gc * k.bs;
    return (compared){fabs(x - v), v};
}

/* x - (p u + q w) to about 2^-76, without double-double sums. p = p1 + p2 and u = u1 + u2 are split at multiples of
 * 2^-26 and of 2^-26 K, K the power of two not below A. Products of first parts are multiples of 2^-52 K, both together
 * at most (1 + 2^-25) K: three exact operations. What is left, p u - p1 u1 = p u2 + p2 u1, is at most 2^-27 (K |p| +
 * |u|), both together 2^-25.5 K. When the result is small, as it is for a good entry, so is every difference on the
 * way: 2^-25 K.
 *
 * In units of 2^-79 K: five differences round by 1 each; four products, at most 2^-27 K, by 1/4 each; the splitting
 * rounded p2 and u2 by 2^-80 K each, times the other factor, both together: at most 2; p instead of p1 + p2 is off by
 * 2^-53 p, times u2, both together: at most 1/2. Sum 8.5; the tables add 2^-98 K: below 2^-75 K. In the unit box Gappa
 * proves 10.5 [derivation 15.3] [proofs/numeric/split.gappa].
 *
 * v has no exponent of its own here, so the spacing is that below x, also where x is a power of two, which is rare. */
ROPE_INLINE double split_error(const rope_tile *tile) {
    return tile->phase->grid * 0x1p-75;
}

typedef struct split {
    double gc, gc1, gc2, gs, gs1, gs2, bc1, bc2, bs1, bs2;
} split;

ROPE_INLINE split split_at(const factors *f, int j) {
    const rope_giant *const g = f->g;
    return (split){g->c[j], g->c1[j], g->c2[j], g->s[j], g->s1[j], g->s2[j], f->c1[j], f->c2[j], f->s1[j], f->s2[j]};
}

ROPE_INLINE compared split_cos(double x, split k) {
    const double d = x - (k.gc1 * k.bc1 - k.gs1 * k.bs1);
    return (compared){fabs((((d - k.gc * k.bc2) + k.gs * k.bs2) - k.gc2 * k.bc1) + k.gs2 * k.bs1), x * (1 - 0x1p-53)};
}

ROPE_INLINE compared split_sin(double x, split k) {
    const double d = x - (k.gs1 * k.bc1 + k.gc1 * k.bs1);
    return (compared){fabs((((d - k.gs * k.bc2) - k.gc * k.bs2) - k.gs2 * k.bc1) - k.gc2 * k.bs1), x * (1 - 0x1p-53)};
}

/* ---- rows ------------------------------------------------------------------------------------------- */

/* About 4 KB ahead: the processor's own prefetching stops at every page and is distracted by the tables. */
ROPE_INLINE void prefetch_row(const void *row, size_t stride, int columns, size_t size) {
#if defined(__GNUC__)
    const uintptr_t ahead = (uintptr_t)row + 4096 / (ROPE_TILE * size) * stride * size;
#pragma GCC unroll 8
    for (size_t byte = 0; byte < (size_t)columns * size; byte += 64) __builtin_prefetch((const void *)(ahead + byte));
#else
    (void)row, (void)stride, (void)columns, (void)size;
#endif
}

/* Half the spacing at x of a format with half_unit 2^-p: 2^(e-p) for 2^e <= |x| < 2^(e+1), but not less than least,
 * half the least subnormal; least is 0 where that is below every error here. */
ROPE_INLINE double half_gap(double x, double half_unit, double least) {
    const double half = double_of(bits_of(x) & UINT64_C(0x7ff0000000000000)) * half_unit;
    return least == 0.0 || half > least ? half : least;
}

/* Bit row of doubtful[j] for an entry of column j that is not proved good. Bits and maxima are kept per column, so that
 * no lane waits for another and no row ends with a sum over lanes. */
typedef struct columns {
    _Alignas(64) uint64_t doubtful[ROPE_TILE];
    _Alignas(64) double largest[ROPE_TILE];
} columns;

static void raise_largest(rope_limits *limits, const columns *seen, int n) {
    for (int j = 0; j < n; j++)
        if (seen->largest[j] > limits->largest_error) limits->largest_error = seen->largest[j];
}

static uint64_t doubtful_rows(const columns *seen) {
    uint64_t rows = 0;
    for (int j = 0; j < ROPE_TILE; j++) rows |= seen->doubtful[j];
    return rows;
}

/* Good: |x - v| + 2 error < half the spacing, for then x = RN(v). In split form the spacing is the smaller one at x. In
 * narrow form it is that of the computed v; were the true v below a power of two 2^e and the computed one not, only
 * x = 2^e can pass, the true v is within error of it, and error is less than a quarter of the spacing. The sum rounds
 * by 2^-53 of at most 2^-8 A (narrow) or 2^-53 K (split); error has room for it. NaN and Inf compare false. */
#define EXACT(format, type, compare, half_unit, least)                                                                 \
    ROPE_INLINE void exact_rows_##format(const rope_tile *tile, int n, double error, columns *seen) {                  \
        for (int row = 0; row < tile->rows; row++) {                                                                   \
            const type *const xc = (const type *)tile->cos + (size_t)row * tile->stride;                               \
            const type *const xs = (const type *)tile->sin + (size_t)row * tile->stride;                               \
            const factors f = factors_of(tile, row);                                                                   \
            prefetch_row(xc, tile->stride, n, sizeof *xc);                                                             \
            prefetch_row(xs, tile->stride, n, sizeof *xs);                                                             \
            _Pragma("omp simd") for (int j = 0; j < n; j++) {                                                          \
                const compare k = compare##_at(&f, j);                                                                 \
                const compared c = compare##_cos(load_##format(xc[j]), k), s = compare##_sin(load_##format(xs[j]), k); \
                const uint64_t bad_c = c.distance + 2 * error < half_gap(c.size, half_unit, least) ? 0u : 1u;          \
                const uint64_t bad_s = s.distance + 2 * error < half_gap(s.size, half_unit, least) ? 0u : 1u;          \
                seen->doubtful[j] |= (bad_c | bad_s) << row;                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    ROPE_INLINE uint64_t exact_##format##_body(const rope_tile *tile, double error) {                                  \
        columns seen = {0};                                                                                            \
        if (tile->columns == ROPE_TILE)                                                                                \
            exact_rows_##format(tile, ROPE_TILE, error, &seen); /* no loop tails */                                    \
        else                                                                                                           \
            exact_rows_##format(tile, tile->columns, error, &seen);                                                    \
        return doubtful_rows(&seen);                                                                                   \
    }                                                                                                                  \
    ROPE_KERNEL(uint64_t, exact_##format, (const rope_tile *tile, double error), (tile, error))

EXACT(f64, double, split, 0x1p-53, 0.0)
EXACT(f32, float, narrow, 0x1p-24, 0.0)
EXACT(f16, uint16_t, narrow, 0x1p-11, 0x1p-25)
EXACT(bf16, uint16_t, narrow, 0x1p-8, 0.0)

uint64_t rope_tile_exact(const rope_tile *tile) {
    const double error = tile->dtype == ROPE_F64 ? split_error(tile) : narrow_error(tile);
    switch (tile->dtype) {
    case ROPE_F64:
        return exact_f64(tile, error);
    case ROPE_F32:
        return exact_f32(tile, error);
    case ROPE_F16:
        return exact_f16(tile, error);
    case ROPE_BF16:
        return exact_bf16(tile, error);
    default:
        return UINT64_MAX;
    }
}

/* Good: |x - v| + error < allowed (1 - 2^-49), or allowed reaches A. error covers what |x - v| is off by when it is
 * small; for any |x - v| up to allowed the at most five differences, the two operations here and the product round by
 * 8 2^-53 allowed together. NaN and Inf compare false. */
#define BOUND(format, type, compare)                                                                                   \
    ROPE_INLINE uint64_t bound_##format##_body(const rope_tile *tile, rope_limits *limits, double error) {             \
        const double A = tile->A;                                                                                      \
        columns seen = {0};                                                                                            \
        for (int row = 0; row < tile->rows; row++) {                                                                   \
            const type *const xc = (const type *)tile->cos + (size_t)row * tile->stride;                               \
            const type *const xs = (const type *)tile->sin + (size_t)row * tile->stride;                               \
            const factors f = factors_of(tile, row);                                                                   \
            const int64_t m = limits->m + row;                                                                         \
            prefetch_row(xc, tile->stride, tile->columns, sizeof *xc);                                                 \
            prefetch_row(xs, tile->stride, tile->columns, sizeof *xs);                                                 \
            _Pragma("omp simd") for (int j = 0; j < tile->columns; j++) {                                              \
                const double allowed = rope_table_allowed(limits->offset[j], limits->slope[j], m);                     \
                const double limit = allowed < A ? allowed * (1 - 0x1p-49) : (double)INFINITY;                         \
                const compare k = compare##_at(&f, j);                                                                 \
                const double c = compare##_cos(load_##format(xc[j]), k).distance;                                      \
                const double s = compare##_sin(load_##format(xs[j]), k).distance;                                      \
                const double larger = c > s ? c : s;                                                                   \
                const uint64_t bad_c = c + error < limit ? 0u : 1u, bad_s = s + error < limit ? 0u : 1u;               \
                const double testable = allowed < A ? larger : 0.0;                                                    \
                seen.doubtful[j] |= (bad_c | bad_s) << row;                                                            \
                seen.largest[j] = testable > seen.largest[j] ? testable : seen.largest[j];                             \
            }                                                                                                          \
        }                                                                                                              \
        raise_largest(limits, &seen, tile->columns);                                                                   \
        return doubtful_rows(&seen);                                                                                   \
    }                                                                                                                  \
    ROPE_KERNEL(uint64_t, bound_##format, (const rope_tile *tile, rope_limits *limits, double error),                  \
                (tile, limits, error))

BOUND(f64, double, split)
BOUND(f32, float, narrow)
BOUND(f16, uint16_t, narrow)
BOUND(bf16, uint16_t, narrow)

uint64_t rope_tile_bound(const rope_tile *tile, rope_limits *limits) {
    const double error = tile->dtype == ROPE_F64 ? split_error(tile) : narrow_error(tile);
    switch (tile->dtype) {
    case ROPE_F64:
        return bound_f64(tile, limits, error);
    case ROPE_F32:
        return bound_f32(tile, limits, error);
    case ROPE_F16:
        return bound_f16(tile, limits, error);
    case ROPE_BF16:
        return bound_bf16(tile, limits, error);
    default:
        return UINT64_MAX;
    }
}

ROPE_INLINE uint64_t untestable_body(int n, const double *offset, const double *slope, int64_t m, double A) {
    uint64_t count = 0;
#pragma omp simd reduction(+ : count)
    for (int j = 0; j < n; j++) count += rope_table_allowed(offset[j], slope[j], m) < A ? 0u : 1u;
    return count;
}

ROPE_KERNEL(uint64_t, untestable, (int n, const double *offset, const double *slope, int64_t m, double A),
            (n, offset, slope, m, A))

uint64_t rope_row_untestable(int n, const double *offset, const double *slope, int64_t m, double A) {
    return untestable(n, offset, slope, m, A);
}

/* ---- replay ----------------------------------------------------------------------------------------- */

/* Good: as in BOUND. In units of 2^-53 A cos and sin are off by 2, A as a double by 1, the product by 1: error 4. An
 * angle that is too large for the evaluator, or no number, is doubtful. */
#define REPLAYED(format, type)                                                                                         \
    ROPE_INLINE uint64_t replayed_##format##_body(const rope_tile *tile, rope_limits *limits, double error) {          \
        columns seen = {0};                                                                                            \
        for (int row = 0; row < tile->rows; row++) {                                                                   \
            const type *const xc = (const type *)tile->cos + (size_t)row * tile->stride;                               \
            const type *const xs = (const type *)tile->sin + (size_t)row * tile->stride;                               \
            const double *const angle = tile->angle + (size_t)row * tile->angles;                                      \
            prefetch_row(xc, tile->stride, tile->columns, sizeof *xc);                                                 \
            prefetch_row(xs, tile->stride, tile->columns, sizeof *xs);                                                 \
            _Pragma("omp simd") for (int j = 0; j < tile->columns; j++) {                                              \
                const double a = angle[j], limit = limits->offset[j] * (1 - 0x1p-49);                                  \
                double cosine, sine;                                                                                   \
                rope_phase_angle_reduced(a, &cosine, &sine);                                                           \
                const double c = fabs(load_##format(xc[j]) - tile->A * cosine);                                        \
                const double s = fabs(load_##format(xs[j]) - tile->A * sine), larger = c > s ? c : s;                  \
                const uint64_t bad_a = fabs(a) < ROPE_PHASE_ANGLE_LARGEST ? 0u : 1u;                                   \
                const uint64_t bad_c = c + error < limit ? 0u : 1u, bad_s = s + error < limit ? 0u : 1u;               \
                const double known = fabs(a) < ROPE_PHASE_ANGLE_LARGEST ? larger : 0.0;                                \
                seen.doubtful[j] |= (bad_a | bad_c | bad_s) << row;                                                    \
                seen.largest[j] = known > seen.largest[j] ? known : seen.largest[j];                                   \
            }                                                                                                          \
        }                                                                                                              \
        raise_largest(limits, &seen, tile->columns);                                                                   \
        return doubtful_rows(&seen);                                                                                   \
    }                                                                                                                  \
    ROPE_KERNEL(uint64_t, replayed_##format, (const rope_tile *tile, rope_limits *limits, double error),               \
                (tile, limits, error))

REPLAYED(f64, double)
REPLAYED(f32, float)
REPLAYED(f16, uint16_t)
REPLAYED(bf16, uint16_t)

uint64_t rope_tile_replayed(const rope_tile *tile, rope_limits *limits) {
    const double error = tile->A * 0x1p-51;
    switch (tile->dtype) {
    case ROPE_F64:
        return replayed_f64(tile, limits, error);
    case ROPE_F32:
        return replayed_f32(tile, limits, error);
    case ROPE_F16:
        return replayed_f16(tile, limits, error);
    case ROPE_BF16:
        return replayed_bf16(tile, limits, error);
    default:
        return UINT64_MAX;
    }
}

/* A single row of angles, with the same errors. */
ROPE_INLINE bool angles_body(int n, const double *angle, double A, double *c, double *s) {
    uint64_t large = 0;
#pragma omp simd reduction(| : large)
    for (int j = 0; j < n; j++) large |= fabs(angle[j]) < ROPE_PHASE_ANGLE_LARGEST ? 0u : 1u;
    if (large) return false;
#pragma omp simd
    for (int j = 0; j < n; j++) {
        rope_phase_angle_reduced(angle[j], &c[j], &s[j]);
        c[j] *= A;
        s[j] *= A;
    }
    return true;
}

ROPE_KERNEL(bool, angles, (int n, const double *angle, double A, double *c, double *s), (n, angle, A, c, s))

bool rope_row_angles(int n, const double *angle, double A, double *c, double *s) {
    return angles(n, angle, A, c, s);
}
