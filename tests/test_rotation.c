/* The kernels and their tables against MPFR code of this file: frequencies by roots, channels by their definition. */
#include "check.h"

#include <stdlib.h>

#include "../src/rotation.h"
#include "../src/spec.h"

enum { BITS = 256 }; /* of the expected values: angles up to 2^31 leave 220 bits of cos and sin */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const rope_dtype dtypes[] = {ROPE_F64, ROPE_F32, ROPE_F16, ROPE_BF16};

/* Every reading, writing and place of a rotary width; tests loop over all of them. */
static const char *const layouts[] = {"interleaved", "half", "interleaved:half", "half:interleaved"};

static rope_spec spec_of(int dim, int rotary_dim, rope_end at, const char *layout, double base, double A) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim, spec.rotary_dim = rotary_dim, spec.rotary_at = at, spec.base = base;
    spec.has_magnitude = A != 1.0, spec.magnitude = A;
    assert_int_equal(rope_spec_set_layout(&spec, layout, NULL), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

/* ---- the expected values ----------------------------------------------------------------------------- */

/* A cos(m theta_i) and A sin(m theta_i) of a whole row, to BITS. */
typedef struct exact_row {
    int h;
    mpfr_t *c, *s;
} exact_row;

static mpfr_t *numbers(int n, mpfr_prec_t p) {
    mpfr_t *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int j = 0; j < n; j++) mpfr_init2(x[j], p);
    return x;
}

static void free_numbers(mpfr_t *x, int n) {
    for (int j = 0; j < n; j++) mpfr_clear(x[j]);
    free(x);
}

static exact_row row_of(const rope_spec *spec, int64_t m) {
    const int h = spec->rotary_dim / 2;
    exact_row row = {h, numbers(h, BITS), numbers(h, BITS)};
    mpfr_t theta;
    mpfr_init2(theta, BITS);
    for (int i = 0; i < h; i++) { /* theta^r = b^(-2i) */
        mpfr_set_d(theta, spec->base, MPFR_RNDN);
        mpfr_pow_si(theta, theta, -2L * i, MPFR_RNDN);
        mpfr_rootn_ui(theta, theta, (unsigned long)spec->rotary_dim, MPFR_RNDN);
        mpfr_mul_si(theta, theta, (long)m, MPFR_RNDN);
        mpfr_cos(row.c[i], theta, MPFR_RNDN);
        mpfr_sin(row.s[i], theta, MPFR_RNDN);
        mpfr_mul_d(row.c[i], row.c[i], spec->magnitude, MPFR_RNDN);
        mpfr_mul_d(row.s[i], row.s[i], spec->magnitude, MPFR_RNDN);
    }
    mpfr_clear(theta);
    return row;
}

static void free_row(exact_row row) {
    free_numbers(row.c, row.h);
    free_numbers(row.s, row.h);
}

/* Channel of member k (0: a, 1: b) of pair i. */
static int channel(const rope_spec *spec, rope_layout layout, int i, int k) {
    const int first = spec->rotary_at == ROPE_TRAILING ? spec->dim - spec->rotary_dim : 0;
    return first + (layout == ROPE_HALF ? i + k * spec->rotary_dim / 2 : 2 * i + k);
}

/* Member k of pair i of R_m x, or of its transpose. */
static void exact_member(mpfr_t y, const exact_row *row, bool inverse, int i, int k, const mpfr_t a, const mpfr_t b) {
    mpfr_t product;
    mpfr_init2(product, BITS);
    mpfr_mul(y, k ? b : a, row->c[i], MPFR_RNDN);
    mpfr_mul(product, k ? a : b, row->s[i], MPFR_RNDN);
    if ((k == 0) != inverse)
        mpfr_sub(y, y, product, MPFR_RNDN);
    else
        mpfr_add(y, y, product, MPFR_RNDN);
    mpfr_clear(product);
}

static bool is_rotary(const rope_spec *spec, int j) {
    const int first = spec->rotary_at == ROPE_TRAILING ? spec->dim - spec->rotary_dim : 0;
    return j >= first && j < first + spec->rotary_dim;
}

/* The largest |y_j - exact| over the rotary channels; NaN counts as infinite. */
static double largest_error(const rope_spec *spec, const exact_row *row, bool inverse, const double *x,
                            const double *y) {
    mpfr_t a, b, want;
    mpfr_inits2(53, a, b, (mpfr_ptr)0);
    mpfr_init2(want, BITS);
    double largest = 0.0;
    for (int i = 0; i < row->h; i++)
        for (int k = 0; k < 2; k++) {
            mpfr_set_d(a, x[channel(spec, spec->layout_in, i, 0)], MPFR_RNDN);
            mpfr_set_d(b, x[channel(spec, spec->layout_in, i, 1)], MPFR_RNDN);
            exact_member(want, row, inverse, i, k, a, b);
            mpfr_sub_d(want, want, y[channel(spec, spec->layout_out, i, k)], MPFR_RNDN);
            const double error = fabs(mpfr_get_d(want, MPFR_RNDA));
            largest = error >= 0.0 ? fmax(largest, error) : INFINITY;
        }
    mpfr_clears(a, b, want, (mpfr_ptr)0);
    return largest;
}

/* The derived bounds for |x| <= 1, A = 1 (rotation.c): 3u; in f16 and bf16 2(u + v), u = 2^-24. */
static double unit_bound(rope_dtype dtype) {
    switch (dtype) {
    case ROPE_F64:
        return 3 * 0x1p-53;
    case ROPE_F32:
        return 3 * 0x1p-24;
    case ROPE_F16:
        return 2 * (0x1p-24 + 0x1p-11);
    default:
        return 2 * (0x1p-24 + 0x1p-8);
    }
}

/* The least power of two that is not below x. */
static double power_above(double x) {
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

static void random_vector(rope_dtype dtype, double *x, int n, double low, double high, uint64_t *seed) {
    for (int j = 0; j < n; j++) {
        const double value = check_uniform(seed, low, high);
        x[j] = rope_round(dtype, check_random(seed) % 2 ? -value : value);
    }
}

/* ---- tables ------------------------------------------------------------------------------------------ */

/* Entries on which a program that rounds twice is wrong: through f32, or to P bits and then to a subnormal. */
typedef struct traps {
    int through_f32, subnormal;
} traps;

static void check_entry(rope_dtype dtype, double got, const mpfr_t v, traps *met) {
    const double want = check_round(dtype, v, false);
    check_same(got, want);
    met->through_f32 += rope_round(dtype, (double)mpfr_get_flt(v, MPFR_RNDN)) != want;
    met->subnormal += check_round(dtype, v, true) != want;
}

static void check_table(const rope_spec *spec, int64_t m, traps met[ROPE_DTYPES]) {
    const exact_row row = row_of(spec, m);
    double c[128], s[128];
    for (size_t k = 0; k < COUNT(dtypes); k++) {
        rope_rotation_table(dtypes[k], spec, m, c, s);
        for (int i = 0; i < row.h; i++) {
            check_entry(dtypes[k], c[i], row.c[i], &met[dtypes[k]]);
            check_entry(dtypes[k], s[i], row.s[i], &met[dtypes[k]]);
        }
    }
    free_row(row);
}

/* m = 42 and 799 at base 1e4 hold the first entries that rounding through f32 gets wrong in f16 and bf16. */
static void table_is_correctly_rounded(void **state) {
    (void)state;
    static const double bases[] = {1e4, 5e5, 12345};
    static const int64_t positions[] = {0, 1, 3, 42, 799, 4095, 131071, 1048575, INT32_MAX, -1, -799, -INT32_MAX};
    traps met[ROPE_DTYPES] = {{0}};
    for (size_t b = 0; b < COUNT(bases); b++)
        for (size_t k = 0; k < COUNT(positions); k++) {
            const rope_spec spec = spec_of(128, 128, ROPE_LEADING, "half", bases[b], 1.0);
            check_table(&spec, positions[k], met);
        }
    assert_true(met[ROPE_F16].through_f32 > 0 && met[ROPE_BF16].through_f32 > 0);
}

/* Sines below the least normal number: of f16 in real heads, of the others in made-up ones. */
static void table_with_subnormals(void **state) {
    (void)state;
    static const double heads[][2] = {/* base, A */
                                      {1e8, 1.0},      {1e20, 1.0},      {1e8, 0x1.8p-20},
                                      {1e8, 0x1p-120}, {1e20, 0x1p-120}, {1e308, 0x1.9p-36}};
    traps met[ROPE_DTYPES] = {{0}};
    for (size_t k = 0; k < COUNT(heads); k++)
        for (int64_t m = -3; m <= 12; m++) {
            const rope_spec spec = spec_of(64, 64, ROPE_LEADING, "half", heads[k][0], heads[k][1]);
            check_table(&spec, m, met);
        }
    for (size_t k = 0; k < COUNT(dtypes); k++) assert_true(met[dtypes[k]].subnormal > 0);
}

/* A of the user: beyond a format's range, at its edge (65520 is the tie between 65504 and 65536), and a tie at m = 0.
 */
static void table_with_magnitudes(void **state) {
    (void)state;
    static const double magnitudes[] = {1.1386294361119891,
                                        0x1p-1074,
                                        0x1p-25,
                                        0x1.8p-25,
                                        0x1.002p0,
                                        0x1.006p0,
                                        0x1.01p0,
                                        0x1.03p0,
                                        0x1.000001p0,
                                        0x1.000003p0,
                                        65519.0,
                                        65520.0,
                                        0x1.fffffefffffffp127,
                                        0x1.ffffffp127,
                                        0x1.fffffffffffffp1023};
    traps met[ROPE_DTYPES] = {{0}};
    for (size_t a = 0; a < COUNT(magnitudes); a++)
        for (int64_t m = 0; m < 3; m++) {
            const rope_spec spec = spec_of(16, 16, ROPE_LEADING, "half", 1e4, magnitudes[a]);
            check_table(&spec, m, met);
        }
}

/* A = RN(tie / cos m) brings A cos m within 2^-53 of a tie, relatively, on either side: the first precision tried in
 * f16 and bf16 cannot tell which. */
static void table_near_ties(void **state) {
    (void)state;
    traps met[ROPE_DTYPES] = {{0}};
    static const double ties[] = {1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-24};
    for (int64_t m = 1; m < 20; m++)
        for (size_t k = 0; k < COUNT(ties); k++) {
            const rope_spec spec = spec_of(2, 2, ROPE_LEADING, "half", 1e4, fabs(ties[k] / cos((double)m)));
            check_table(&spec, m, met);
        }
    assert_true(met[ROPE_F16].through_f32 > 5 && met[ROPE_BF16].through_f32 > 5);
}

static void table_at_zero_and_of_opposites(void **state) {
    (void)state;
    const rope_spec spec = spec_of(128, 128, ROPE_LEADING, "half", 1e4, 1.0);
    double c[64], s[64], opposite_c[64], opposite_s[64];
    for (size_t k = 0; k < COUNT(dtypes); k++) {
        rope_rotation_table(dtypes[k], &spec, 0, c, s);
        for (int i = 0; i < 64; i++) check_same(c[i], 1.0), check_same(s[i], 0.0);
        rope_rotation_table(dtypes[k], &spec, INT32_MAX, c, s);
        rope_rotation_table(dtypes[k], &spec, -(int64_t)INT32_MAX, opposite_c, opposite_s);
        for (int i = 0; i < 64; i++) check_same(opposite_c[i], c[i]), check_same(opposite_s[i], -s[i]);
    }
}

/* ---- known results ----------------------------------------------------------------------------------- */

static void rotate(rope_dtype dtype, const rope_spec *spec, int64_t m, const double *x, double *y) {
    double c[128], s[128];
    rope_rotation_table(dtype, spec, m, c, s);
    rope_rotate(dtype, spec, c, s, false, x, y);
}

/* Results as printed in public reports, to half a unit of their last digit. */
static void reports(void **state) {
    (void)state;
    double y[64];
    const double x[4] = {1, 2, 3, 4}; /* the two layouts agree on norms and on relative positions, only values tell */
    static const struct {
        const char *layout;
        double y[4];
    } rows[] = {
        /* ikawrakow/ik_llama.cpp#2290 */
        {"half", {-1.98411, 1.95990, 2.46238, 4.01980}},
        {"interleaved", {-1.14264, 1.92208, 2.95985, 4.02980}},
        {"half:interleaved", {-1.98411, 2.46238, 1.95990, 4.01980}},
        {"interleaved:half", {-1.14264, 2.95985, 1.92208, 4.02980}},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        const rope_spec spec = spec_of(4, 4, ROPE_LEADING, rows[k].layout, 1e4, 1.0);
        rotate(ROPE_F64, &spec, 1, x, y);
        for (int j = 0; j < 4; j++) check_near(y[j], rows[k].y[j], 0.5e-5);
    }

    /* NVIDIA/TransformerEngine#1245: in bf16 (cos, sin) is (0.5390625, 0.83984375) and the result as below */
    rope_spec spec = spec_of(2, 2, ROPE_LEADING, "half", 1e4, 1.0);
    rotate(ROPE_F64, &spec, 1, x, y);
    check_near(y[0], -1.142640, 0.5e-6);
    check_near(y[1], 1.922076, 0.5e-6);
    rotate(ROPE_BF16, &spec, 1, x, y);
    check_same(y[0], -1.140625);
    check_same(y[1], 1.921875);

    /* kekzl/imp#1316: far out, where argument reduction is put to the test */
    const double e0[64] = {1.0};
    rotate(ROPE_F64, &spec, 131071, e0, y);
    check_near(y[0], -0.817983, 0.5e-6);
    check_near(y[1], -0.575242, 0.5e-6);

    /* deepspeedai/DeepSpeed#2448: the partner of channel 0 is 32 places away */
    spec = spec_of(64, 64, ROPE_LEADING, "half", 1e4, 1.0);
    rotate(ROPE_F64, &spec, 1, e0, y);
    check_near(y[0], 0.540302, 0.5e-6);
    check_near(y[32], 0.841471, 0.5e-6);
    for (int j = 0; j < 64; j++)
        if (j % 32) check_same(fabs(y[j]), 0.0);
}

/* ---- the kernels against MPFR ------------------------------------------------------------------------ */

/* One random head: the bound holds, other channels pass unchanged, and in place gives the same bits. */
static void check_kernel(rope_dtype dtype, const rope_spec *spec, int64_t m, bool inverse, double M, uint64_t *seed) {
    double x[80], y[80], c[40], s[40];
    random_vector(dtype, x, spec->dim, 0.0, M, seed);
    memset(y, 0x55, sizeof y);
    rope_rotation_table(dtype, spec, m, c, s);
    rope_rotate(dtype, spec, c, s, inverse, x, y);

    const exact_row row = row_of(spec, m);
    check_near(largest_error(spec, &row, inverse, x, y), 0.0, unit_bound(dtype) * power_above(spec->magnitude) * M);
    free_row(row);
    for (int j = 0; j < spec->dim; j++) {
        if (!is_rotary(spec, j)) assert_memory_equal(&y[j], &x[j], sizeof *x);
        check_same(y[j], rope_round(dtype, y[j]));
    }
    rope_rotate(dtype, spec, c, s, inverse, x, x);
    assert_memory_equal(x, y, (size_t)spec->dim * sizeof *x);
}

static void kernels_within_their_bounds(void **state) {
    (void)state;
    static const int widths[][2] = {{2, 2}, {4, 4}, {5, 2}, {16, 4}, {12, 10}, {80, 32}, {66, 66}};
    static const int64_t positions[] = {1, 4095, INT32_MAX, -1000003};
    static const double magnitudes[] = {1.0, 1.1386294361119891, 0.25};
    static const double sizes[] = {1.0, 0x1p10, 0x1p-3};
    uint64_t seed = 1;
    int round = 0;
    for (size_t k = 0; k < COUNT(dtypes); k++)
        for (size_t l = 0; l < COUNT(layouts); l++)
            for (size_t w = 0; w < COUNT(widths); w++)
                for (size_t p = 0; p < COUNT(positions); p++, round++) {
                    const rope_spec spec = spec_of(widths[w][0], widths[w][1], round % 2 ? ROPE_TRAILING : ROPE_LEADING,
                                                   layouts[l], 1e4, magnitudes[round % 3]);
                    check_kernel(dtypes[k], &spec, positions[p], round % 4 < 2, sizes[(round / 3) % 3], &seed);
                }
}

/* The derived bound is not a loose one: with components near 1 the kernels come close, and never exceed it. */
static void bounds_are_sharp(void **state) {
    (void)state;
    const rope_spec spec = spec_of(128, 128, ROPE_LEADING, "interleaved", 1e4, 1.0);
    uint64_t seed = 2;
    double x[128], y[128], c[64], s[64], reached[ROPE_DTYPES] = {0};
    for (int n = 0; n < 60; n++) {
        const int64_t m = (int64_t)(check_random(&seed) % 1000000);
        const exact_row row = row_of(&spec, m);
        for (size_t k = 0; k < COUNT(dtypes); k++) {
            rope_rotation_table(dtypes[k], &spec, m, c, s);
            for (int repeat = 0; repeat < 8; repeat++) {
                random_vector(dtypes[k], x, 128, 0.9, 1.0, &seed);
                rope_rotate(dtypes[k], &spec, c, s, repeat % 2, x, y);
                const double error = largest_error(&spec, &row, repeat % 2, x, y);
                check_near(error, 0.0, unit_bound(dtypes[k]));
                reached[dtypes[k]] = fmax(reached[dtypes[k]], error / unit_bound(dtypes[k]));
            }
        }
        free_row(row);
    }
    for (size_t k = 0; k < COUNT(dtypes); k++) check_near(reached[dtypes[k]], 1.0, 0.2);
}

/* (1 + 2^(1-p)) (1 - 2^(1-p)) rounds to 1, and 1 - 1 = 0; an FMA would keep the product's tail, whichever product it
 * takes. */
static void no_fused_multiply_add(void **state) {
    (void)state;
    const rope_spec spec = spec_of(2, 2, ROPE_LEADING, "half", 1e4, 1.0);
    for (size_t k = 0; k < 2; k++) {
        const double tail = dtypes[k] == ROPE_F64 ? 0x1p-52 : 0x1p-23;
        const double over[2] = {1 + tail, 1.0}, under = 1 - tail, one = 1.0, minus = -1.0, minus_under = -under;
        double y[2];
        rope_rotate(dtypes[k], &spec, &under, &one, false, over, y); /* y_a = x_a c - x_b s */
        check_same(y[0], 0.0);
        rope_rotate(dtypes[k], &spec, &minus, &under, false, over, y); /* y_b = x_b c + x_a s */
        check_same(y[1], 0.0);
        const double swapped[2] = {1.0, 1 + tail};
        rope_rotate(dtypes[k], &spec, &one, &under, false, swapped, y);
        check_same(y[0], 0.0);
        rope_rotate(dtypes[k], &spec, &minus_under, &one, false, swapped, y);
        check_same(y[1], 0.0);
    }
}

/* One pair, y_a = x_a c + 1. */
static double plus_one(rope_dtype dtype, double x_a, double c) {
    const rope_spec spec = spec_of(2, 2, ROPE_LEADING, "half", 1e4, 1.0);
    const double s = -1.0, x[2] = {x_a, 1.0};
    double y[2];
    rope_rotate(dtype, &spec, &c, &s, false, x, y);
    return y[0];
}

static void arithmetic_of_each_format(void **state) {
    (void)state;
    check_same(plus_one(ROPE_F64, 1.0, 0x1p-52), 1 + 0x1p-52);
    check_same(plus_one(ROPE_F64, 1.0, 0x1p-53), 1.0);
    check_same(plus_one(ROPE_F32, 1.0, 0x1p-23), 1 + 0x1p-23);
    check_same(plus_one(ROPE_F32, 1.0, 0x1p-24), 1.0);
    /* Half formats keep the product in f32. Rounded to the format, it would be 2^-11 (2^-8) and the sum a tie, to 1. */
    check_same(plus_one(ROPE_F16, 1 + 0x1p-10, 0x1p-11 - 0x1p-22), 1 + 0x1p-10);
    check_same(plus_one(ROPE_BF16, 1 + 0x1p-7, 0x1p-8 - 0x1p-16), 1 + 0x1p-7);
    /* They keep the sum in f32, too, no wider: 1 + 2^-11 + 2^-25 becomes a tie. (113 * 145 = 2^14 + 1) */
    check_same(plus_one(ROPE_F16, 0x71p-7, 0x91p-18), 1.0);
    check_same(plus_one(ROPE_F16, 60000.0, 2.0), INFINITY); /* a float, but no f16 */
    check_same(plus_one(ROPE_BF16, 0x1p127, 1.0), 0x1p127);
}

/* Channels outside the rotary width keep every bit, whatever they hold, at both ends, also in place. */
static void other_channels_pass(void **state) {
    (void)state;
    static const double odd[] = {-0.0, INFINITY, -INFINITY, NAN, 0x1p-24, 65504};
    static const rope_end ends[] = {ROPE_LEADING, ROPE_TRAILING};
    for (size_t k = 0; k < COUNT(dtypes); k++)
        for (size_t l = 0; l < COUNT(layouts); l++)
            for (size_t e = 0; e < COUNT(ends); e++) {
                const rope_spec spec = spec_of(12, 6, ends[e], layouts[l], 1e4, 2.0);
                double x[12], y[12];
                for (int j = 0; j < 12; j++) x[j] = is_rotary(&spec, j) ? 1.0 : odd[j % 6];
                rotate(dtypes[k], &spec, 5, x, y);
                const size_t first = ends[e] == ROPE_LEADING ? 6 : 0;
                assert_memory_equal(y + first, x + first, 6 * sizeof *x);
                rotate(dtypes[k], &spec, 5, x, x);
                assert_memory_equal(x + first, y + first, 6 * sizeof *x);
                for (int j = 0; j < 12; j++)
                    if (is_rotary(&spec, j)) assert_true(y[j] != 1.0);
            }
}

/* Every width from 2 on: the in-place change of layout follows cycles, whose lengths depend on the width. */
static void in_place_at_every_width(void **state) {
    (void)state;
    enum { WIDEST = 260 };
    static double x[WIDEST + 3], y[WIDEST + 3], c[WIDEST / 2], s[WIDEST / 2];
    uint64_t seed = 3;
    for (int r = 2; r <= WIDEST; r += 2)
        for (size_t l = 0; l < COUNT(layouts); l++) {
            const rope_spec spec = spec_of(r + 3, r, r % 4 ? ROPE_TRAILING : ROPE_LEADING, layouts[l], 1e4, 1.0);
            random_vector(ROPE_F64, x, r + 3, 0.0, 1.0, &seed);
            random_vector(ROPE_F64, c, r / 2, 0.0, 1.0, &seed);
            random_vector(ROPE_F64, s, r / 2, 0.0, 1.0, &seed);
            rope_rotate(ROPE_F64, &spec, c, s, false, x, y);
            for (int i = 0; i < r / 2; i++) { /* the definition, in the same arithmetic */
                const double a = x[channel(&spec, spec.layout_in, i, 0)], b = x[channel(&spec, spec.layout_in, i, 1)];
                check_same(y[channel(&spec, spec.layout_out, i, 0)], a * c[i] - b * s[i]);
                check_same(y[channel(&spec, spec.layout_out, i, 1)], b * c[i] + a * s[i]);
            }
            rope_rotate(ROPE_F64, &spec, c, s, false, x, x);
            assert_memory_equal(x, y, (size_t)(r + 3) * sizeof *x);
        }
}

/* Position 0 multiplies by A and nothing else. */
static void position_zero(void **state) {
    (void)state;
    static const double magnitudes[] = {1.0, 2.0};
    uint64_t seed = 4;
    double x[10], y[10];
    for (size_t k = 0; k < COUNT(dtypes); k++)
        for (size_t a = 0; a < COUNT(magnitudes); a++) {
            const rope_spec spec = spec_of(10, 10, ROPE_LEADING, "half", 1e4, magnitudes[a]);
            random_vector(dtypes[k], x, 10, 0.5, 1.0, &seed);
            rotate(dtypes[k], &spec, 0, x, y);
            for (int j = 0; j < 10; j++) check_same(y[j], magnitudes[a] * x[j]);
        }
}

/* R^T R x = A^2 x. With E the derived bound for |x| <= 1: y = R x is off by A E, which R^T turns into sqrt(2) A^2 E at
 * most, and as |y| <= sqrt(2) A < 2 A the second rotation is off by 2 A^2 E: (2 + sqrt 2) A^2 E, A a power of two. */
static void inverse_undoes(void **state) {
    (void)state;
    static const char *const undoing[] = {"interleaved", "half", "half:interleaved", "interleaved:half"};
    static const double magnitudes[] = {1.0, 0.5};
    uint64_t seed = 5;
    double x[24], y[24], c[12], s[12];
    for (size_t k = 0; k < COUNT(dtypes); k++)
        for (size_t l = 0; l < COUNT(layouts); l++)
            for (int n = 0; n < 50; n++) {
                const double A = magnitudes[n % 2];
                const int r = n % 3 ? 24 : 8;
                const rope_spec there = spec_of(24, r, ROPE_TRAILING, layouts[l], 5e5, A);
                const rope_spec back = spec_of(24, r, ROPE_TRAILING, undoing[l], 5e5, A);
                const int64_t m = (int64_t)(check_random(&seed) % 100000) + 1;
                random_vector(dtypes[k], x, 24, 0.0, 1.0, &seed);
                rope_rotation_table(dtypes[k], &there, m, c, s);
                rope_rotate(dtypes[k], &there, c, s, false, x, y);
                rope_rotate(dtypes[k], &back, c, s, true, y, y);
                for (int j = 0; j < 24; j++)
                    if (is_rotary(&there, j))
                        check_near(y[j], A * A * x[j], (2 + sqrt(2.0)) * A * A * unit_bound(dtypes[k]));
                    else
                        check_same(y[j], x[j]);
            }
}

/* ---- the MPFR kernel --------------------------------------------------------------------------------- */

/* |y_j - exact| <= A (|x_a| + |x_b|) 2^(3-p), p the precision of y_j, and the neighbours may have another one. */
static void mpfr_kernel(void **state) {
    (void)state;
    static const mpfr_prec_t precisions[] = {2, 24, 53, 113, 200};
    static const int64_t positions[] = {0, 1, 131071, INT32_MAX, -1000003};
    static const double magnitudes[] = {1.0, 1.1386294361119891, 0x1p-40};
    uint64_t seed = 6;
    int round = 0;
    mpfr_t want, bound, sum;
    mpfr_init2(want, BITS);
    mpfr_inits2(64, bound, sum, (mpfr_ptr)0);
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t p = 0; p < COUNT(positions); p++)
            for (int k = 0; k < 6; k++, round++) {
                const rope_spec spec = spec_of(20, k % 2 ? 20 : 12, k % 4 < 2 ? ROPE_LEADING : ROPE_TRAILING,
                                               layouts[l], 12345, magnitudes[round % 3]);
                const bool inverse = round % 5 < 2;
                const exact_row row = row_of(&spec, positions[p]);
                mpfr_t *x = numbers(20, 70), *y = numbers(20, 53);
                for (int j = 0; j < 20; j++) {
                    mpfr_set_d(x[j], check_uniform(&seed, -1000, 1000), MPFR_RNDN);
                    mpfr_div_ui(x[j], x[j], 3, MPFR_RNDN); /* 70 bits, no double */
                    mpfr_set_prec(y[j], precisions[(size_t)(round + j) % COUNT(precisions)]);
                }
                rope_rotate_mpfr(&spec, positions[p], inverse, 1, (const mpfr_t *)x, y);
                for (int i = 0; i < row.h; i++)
                    for (int member = 0; member < 2; member++) {
                        mpfr_srcptr a = x[channel(&spec, spec.layout_in, i, 0)],
                                    b = x[channel(&spec, spec.layout_in, i, 1)];
                        mpfr_srcptr got = y[channel(&spec, spec.layout_out, i, member)];
                        exact_member(want, &row, inverse, i, member, a, b);
                        mpfr_abs(bound, a, MPFR_RNDD);
                        mpfr_abs(sum, b, MPFR_RNDD);
                        mpfr_add(sum, sum, bound, MPFR_RNDD);
                        mpfr_mul_d(bound, sum, spec.magnitude, MPFR_RNDD);
                        mpfr_mul_2si(bound, bound, 3 - (long)mpfr_get_prec(got), MPFR_RNDD);
                        check_near_mpfr(got, want, bound);
                    }
                for (int j = 0; j < 20; j++)
                    if (!is_rotary(&spec, j)) {
                        mpfr_set_prec(want, mpfr_get_prec(y[j]));
                        mpfr_set(want, x[j], MPFR_RNDN);
                        assert_true(mpfr_equal_p(y[j], want));
                        mpfr_set_prec(want, BITS);
                    }
                free_numbers(x, 20);
                free_numbers(y, 20);
                free_row(row);
            }
    mpfr_clears(want, bound, sum, (mpfr_ptr)0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_correctly_rounded),
        cmocka_unit_test(table_with_subnormals),
        cmocka_unit_test(table_with_magnitudes),
        cmocka_unit_test(table_near_ties),
        cmocka_unit_test(table_at_zero_and_of_opposites),
        cmocka_unit_test(reports),
        cmocka_unit_test(kernels_within_their_bounds),
        cmocka_unit_test(bounds_are_sharp),
        cmocka_unit_test(no_fused_multiply_add),
        cmocka_unit_test(arithmetic_of_each_format),
        cmocka_unit_test(other_channels_pass),
        cmocka_unit_test(in_place_at_every_width),
        cmocka_unit_test(position_zero),
        cmocka_unit_test(inverse_undoes),
        cmocka_unit_test(mpfr_kernel),
    };
    const int failed = cmocka_run_group_tests_name("rotation", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
