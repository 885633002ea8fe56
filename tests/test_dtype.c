/* Number formats against MPFR at the same precision and exponent range, and against their numbers one by one. */
#include "check.h"

#include <float.h>

/* The format's constants once more, from IEEE 754-2019 table 3.5 and the vendors' descriptions. */
typedef struct facts {
    rope_dtype dtype;
    int precision, emin, emax;
} facts;

static const facts all[] = {
    {ROPE_F64, 53, -1022, 1023}, {ROPE_F32, 24, -126, 127},  {ROPE_F16, 11, -14, 15},
    {ROPE_BF16, 8, -126, 127},   {ROPE_TF32, 11, -126, 127},
};
enum { FORMATS = sizeof all / sizeof *all };

/* How many finite non-negative numbers the format has: emax - emin + 2 binades, the subnormal one with them. */
static uint64_t finite_numbers(const facts *f) {
    return (uint64_t)(f->emax - f->emin + 2) << (f->precision - 1);
}

/* The index-th non-negative number, counted from 0; the one after the last finite is 2^(emax+1). */
static double number(const facts *f, uint64_t index) {
    const uint64_t hidden = UINT64_C(1) << (f->precision - 1);
    const uint64_t binade = index / hidden, fraction = index % hidden;
    const int least = f->emin - f->precision + 1;
    return binade == 0 ? ldexp((double)fraction, least) : ldexp((double)(hidden + fraction), least + (int)binade - 1);
}

static double number_or_infinity(const facts *f, uint64_t index) {
    return index < finite_numbers(f) ? number(f, index) : (double)INFINITY;
}

/* MPFR's exponents are one more than ours, since its significands lie in [1/2, 1). */
static double oracle(const facts *f, double x) {
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t y;
    mpfr_init2(y, f->precision);
    mpfr_set_emin(f->emin - f->precision + 2);
    mpfr_set_emax(f->emax + 1);
    const int inexact = mpfr_set_d(y, x, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    const double rounded = mpfr_get_d(y, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(y);
    return rounded;
}

/* A random double whose exponent lies within the format's range and a little outside. */
static double random_double(const facts *f, uint64_t *state) {
    const int low = f->emin - f->precision - 3, high = f->emax + 3;
    const int e = low + (int)(check_random(state) % (uint64_t)(high - low + 1));
    const double x = ldexp(1 + (double)(check_random(state) >> 12) * 0x1p-52, e);
    return check_random(state) & 1 ? x : -x;
}

static void constants(void **state) {
    (void)state;
    static const char *const names[] = {"f64", "f32", "f16", "bf16", "tf32"};
    static const int bytes[] = {8, 4, 2, 2, 0};
    assert_int_equal(FORMATS, ROPE_DTYPES);
    for (int i = 0; i < FORMATS; i++) {
        const rope_format *format = rope_format_of(all[i].dtype);
        rope_dtype found = ROPE_DTYPES;
        assert_true(rope_dtype_named(&found, names[i]));
        assert_int_equal(found, all[i].dtype);
        assert_string_equal(format->name, names[i]);
        assert_int_equal(format->precision, all[i].precision);
        assert_int_equal(format->emin, all[i].emin);
        assert_int_equal(format->emax, all[i].emax);
        assert_int_equal(format->bytes, bytes[i]);
        check_same(rope_unit(all[i].dtype), ldexp(1, -all[i].precision));
    }
    rope_dtype found = ROPE_F32;
    assert_false(rope_dtype_named(&found, "float32"));
    assert_false(rope_dtype_named(&found, ""));
    assert_int_equal(found, ROPE_F32);
}

/* ---- rounding ---------------------------------------------------------------------------------------- */

static void rounds_like_mpfr(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < FORMATS; i++)
        for (int n = 0; n < 100000; n++) {
            const double x = random_double(&all[i], &seed);
            check_same(rope_round(all[i].dtype, x), oracle(&all[i], x));
        }
}

static void rounds_special_values(void **state) {
    (void)state;
    const double inf = (double)INFINITY;
    const double xs[] = {0.0, -0.0, inf, -inf, (double)NAN, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN};
    for (int i = 0; i < FORMATS; i++)
        for (size_t n = 0; n < sizeof xs / sizeof *xs; n++)
            check_same(rope_round(all[i].dtype, xs[n]), oracle(&all[i], xs[n]));
}

/* Halfway between two neighbours the even one is right, and next to it the nearer one. Every number of the small
 * formats. */
static void rounds_midpoints(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 1; i < FORMATS; i++) {
        const facts *f = &all[i];
        const uint64_t count = finite_numbers(f), tests = f->dtype == ROPE_F32 ? 100000 : count;
        for (uint64_t n = 0; n < tests; n++) {
            const uint64_t index = tests == count ? n : check_random(&seed) % count;
            const double below = number(f, index), above = number(f, index + 1), middle = (below + above) / 2;
            const double up = number_or_infinity(f, index + 1);
            check_same(rope_round(f->dtype, below), below);
            check_same(rope_round(f->dtype, -below), -below);
            check_same(rope_round(f->dtype, middle), index % 2 == 0 ? below : up);
            check_same(rope_round(f->dtype, nextafter(middle, 0)), below);
            check_same(rope_round(f->dtype, nextafter(middle, above)), up);
            check_same(rope_round(f->dtype, -nextafter(middle, above)), -up);
        }
    }
}

static void overflows_at_the_threshold(void **state) {
    (void)state;
    const double inf = (double)INFINITY;
    const struct {
        rope_dtype dtype;
        double greatest, threshold; /* the greatest number, and halfway to 2^(emax+1) */
    } rows[] = {
        {ROPE_F16, 65504, 65520},
        {ROPE_BF16, 0x1.fep127, 0x1.ffp127},
        {ROPE_TF32, 0x1.ffcp127, 0x1.ffep127},
        {ROPE_F32, 0x1.fffffep127, 0x1.ffffffp127},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_same(rope_round(rows[i].dtype, nextafter(rows[i].threshold, 0)), rows[i].greatest);
        check_same(rope_round(rows[i].dtype, rows[i].threshold), inf);
        check_same(rope_round(rows[i].dtype, -rows[i].threshold), -inf);
    }
    check_same(rope_round(ROPE_F16, 65519), 65504);
}

/* Through f32 these would become ties, or leave one. */
static void rounds_once(void **state) {
    (void)state;
    check_same(rope_round(ROPE_F16, 1 + 0x1p-11 + 0x1p-30), 1 + 0x1p-10);
    check_same(rope_round(ROPE_F16, 1 + 0x1p-10 + 0x1p-11 - 0x1p-30), 1 + 0x1p-10);
    check_same(rope_round(ROPE_BF16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
    check_same(rope_round(ROPE_F16, 0x1p-25 + 0x1p-60), 0x1p-24);
    assert_int_equal(rope_encode(ROPE_F16, rope_round(ROPE_F16, -(0x1p-25 + 0x1p-60))), 0x8001);
}

/* ---- encodings --------------------------------------------------------------------------------------- */

static void encodes_every_16_bit_number(void **state) {
    (void)state;
    for (int i = 2; i <= 3; i++) {
        const facts *f = &all[i];
        const uint64_t count = finite_numbers(f), quiet = UINT64_C(1) << (f->precision - 2);
        for (uint64_t bits = 0; bits < 0x10000; bits++) {
            const uint64_t index = bits & 0x7fff;
            const double x = rope_decode(f->dtype, bits);
            assert_int_equal(!signbit(x), bits < 0x8000);
            if (index <= count) {
                const double magnitude = number_or_infinity(f, index);
                check_same(x, bits < 0x8000 ? magnitude : -magnitude);
                assert_int_equal(rope_encode(f->dtype, x), bits);
            } else {
                assert_true(isnan(x));
                assert_int_equal(rope_encode(f->dtype, x), bits | quiet);
            }
        }
    }
}

static void encodes_wide_numbers(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i <= 1; i++) {
        const facts *f = &all[i];
        const uint64_t count = finite_numbers(f), sign = UINT64_C(1) << (i == 0 ? 63 : 31);
        for (int n = 0; n < 100000; n++) {
            const uint64_t index = n == 0 ? count : check_random(&seed) % count;
            const double x = number_or_infinity(f, index);
            assert_int_equal(rope_encode(f->dtype, x), index);
            assert_int_equal(rope_encode(f->dtype, -x), index | sign);
            check_same(rope_decode(f->dtype, index), x);
            check_same(rope_decode(f->dtype, index | sign), -x);
        }
    }
    assert_true(isnan(rope_decode(ROPE_F32, 0x7fc00000)));
    assert_true(isnan(rope_decode(ROPE_F32, rope_encode(ROPE_F32, (double)NAN))));
}

/* Known encodings: those of half precision and bfloat16 that every description prints. */
static void encodes_known_values(void **state) {
    (void)state;
    static const struct {
        rope_dtype dtype;
        double x;
        uint64_t bits;
    } rows[] = {
        {ROPE_F16, 1.0 / 3, 0x3555},     {ROPE_F16, 1, 0x3c00},
        {ROPE_F16, -2, 0xc000},          {ROPE_F16, 65504, 0x7bff},
        {ROPE_F16, 0x1p-14, 0x0400},     {ROPE_F16, 0x1p-24, 0x0001},
        {ROPE_F16, -0.0, 0x8000},        {ROPE_BF16, 1, 0x3f80},
        {ROPE_BF16, 0.540302, 0x3f0a},   {ROPE_BF16, 3.14159, 0x4049},
        {ROPE_BF16, 1.0 / 3, 0x3eab},    {ROPE_BF16, -2, 0xc000},
        {ROPE_F32, 1.0 / 3, 0x3eaaaaab}, {ROPE_F64, 1, UINT64_C(0x3ff0000000000000)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rope_encode(rows[i].dtype, rope_round(rows[i].dtype, rows[i].x)), rows[i].bits);
}

/* ---- spacing and neighbours -------------------------------------------------------------------------- */

static void ulp_is_the_spacing(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < FORMATS; i++) {
        const facts *f = &all[i];
        const uint64_t count = finite_numbers(f), tests = i < 2 ? 50000 : count;
        check_same(rope_ulp(f->dtype, 0), number(f, 1));
        check_same(rope_ulp(f->dtype, -0.0), number(f, 1));
        for (uint64_t n = 0; n + 1 < tests; n++) {
            const uint64_t index = tests == count ? n : check_random(&seed) % (count - 1);
            const double below = number(f, index), above = number(f, index + 1);
            check_same(rope_ulp(f->dtype, below), above - below);
            check_same(rope_ulp(f->dtype, -below), above - below);
            check_same(rope_ulp(f->dtype, nextafter(above, 0)), above - below);
        }
        for (int e = f->emin + 1; e <= f->emax; e++) {
            check_same(rope_ulp(f->dtype, ldexp(1, e)), ldexp(1, e - f->precision + 1));
            check_same(rope_ulp(f->dtype, nextafter(ldexp(1, e), 0)), ldexp(1, e - f->precision));
        }
    }
    check_same(rope_ulp(ROPE_F16, 1e6), ldexp(1, 19 - 10)); /* 2^19 <= 1e6: also beyond the greatest number */
}

/* The index of the number k steps away, as a signed count from 0. */
static double stepped(const facts *f, int64_t index, int k) {
    const int64_t limit = (int64_t)finite_numbers(f);
    int64_t to = index + k;
    if (to > limit) to = limit;
    if (to < -limit) to = -limit;
    return to < 0 ? -number_or_infinity(f, (uint64_t)-to) : number_or_infinity(f, (uint64_t)to);
}

static void steps_through_the_numbers(void **state) {
    (void)state;
    static const int ks[] = {1, -1, 2, -2, 0, 7, -1000, 1 << 20, -(1 << 30)};
    uint64_t seed = 5;
    for (int i = 0; i < FORMATS; i++) {
        const facts *f = &all[i];
        const int64_t limit = (int64_t)finite_numbers(f);
        const bool small = f->dtype == ROPE_F16 || f->dtype == ROPE_BF16;
        for (int64_t n = small ? -limit : -20000; n <= (small ? limit : 20000); n++) {
            /* around zero first, then anywhere: there are 2^63 f64 numbers */
            const int64_t index = small || n < 0 ? n : (int64_t)(check_random(&seed) % (uint64_t)limit);
            const double x = stepped(f, index, 0);
            for (size_t k = 0; k < sizeof ks / sizeof *ks; k++) {
                const double got = rope_step(f->dtype, x, ks[k]), want = stepped(f, index, ks[k]);
                check_near(got, want, 0);
            }
        }
        check_same(rope_step(f->dtype, number(f, 1), -1), 0.0);
        check_same(rope_step(f->dtype, -number(f, 1), 1), -0.0);
        check_same(rope_step(f->dtype, -0.0, 1), number(f, 1));
        check_same(rope_step(f->dtype, 0.0, -1), -number(f, 1));
        check_same(rope_step(f->dtype, (double)INFINITY, -1), number(f, (uint64_t)limit - 1));
        check_same(rope_step(f->dtype, (double)NAN, 1), (double)NAN);
        for (int e = f->emin + 1; e < f->emax; e++) {
            check_same(rope_step(f->dtype, ldexp(1, e), 1), ldexp(1, e) + ldexp(1, e - f->precision + 1));
            check_same(rope_step(f->dtype, ldexp(1, e), -1), ldexp(1, e) - ldexp(1, e - f->precision));
        }
    }
    check_same(rope_step(ROPE_F32, 1, 1), (double)nextafterf(1, 2));
    check_same(rope_step(ROPE_F64, DBL_MAX, 1), (double)INFINITY);
}

/* ---- arrays ------------------------------------------------------------------------------------------ */

enum { LONGEST = 100, SLACK = 16 };

/* Every length up to some blocks, unaligned, in native byte order: widths are copied from integers of that width. */
static void store(unsigned char *out, int bytes, uint64_t bits) {
    const uint16_t b2 = (uint16_t)bits;
    const uint32_t b4 = (uint32_t)bits;
    if (bytes == 2)
        memcpy(out, &b2, 2);
    else if (bytes == 4)
        memcpy(out, &b4, 4);
    else
        memcpy(out, &bits, 8);
}

static void widens_and_narrows_arrays(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 4; i++) {
        const facts *f = &all[i];
        const int bytes = i == 0 ? 8 : i == 1 ? 4 : 2;
        for (size_t n = 0; n <= LONGEST; n++) {
            unsigned char stored[8 * LONGEST + SLACK], got[sizeof stored];
            double values[LONGEST + 1], wide[LONGEST + 1];
            memset(stored, 0x5a, sizeof stored);
            memset(got, 0x5a, sizeof got);
            for (size_t k = 0; k < n; k++) {
                const uint64_t sign = check_random(&seed) & 1;
                const uint64_t index = check_random(&seed) % (finite_numbers(f) + 1);
                const double magnitude = number_or_infinity(f, index);
                values[k] = sign ? -magnitude : magnitude;
                store(stored + 1 + k * (size_t)bytes, bytes, index | sign << (8 * bytes - 1));
            }
            wide[n] = 42;
            rope_widen(f->dtype, wide, stored + 1, n);
            for (size_t k = 0; k < n; k++) check_same(wide[k], values[k]);
            check_same(wide[n], 42);
            rope_narrow(f->dtype, got + 1, values, n);
            assert_memory_equal(got, stored, sizeof got);
        }
        rope_widen(f->dtype, NULL, NULL, 0);
        rope_narrow(f->dtype, NULL, NULL, 0);
    }
}

static void arrays_keep_nan(void **state) {
    (void)state;
    const double low_payload = rope_decode(ROPE_F64, UINT64_C(0x7ff0000000000001)); /* none of it fits in 16 bits */
    for (int i = 0; i < 4; i++) assert_true(isnan(rope_decode(all[i].dtype, rope_encode(all[i].dtype, low_payload))));
    for (int i = 0; i < 4; i++) {
        double values[40], wide[40];
        unsigned char stored[sizeof values];
        for (int k = 0; k < 40; k++) values[k] = k % 3 ? k : (double)NAN;
        rope_narrow(all[i].dtype, stored, values, 40);
        rope_widen(all[i].dtype, wide, stored, 40);
        for (int k = 0; k < 40; k++) check_same(wide[k], values[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants),
        cmocka_unit_test(rounds_like_mpfr),
        cmocka_unit_test(rounds_special_values),
        cmocka_unit_test(rounds_midpoints),
        cmocka_unit_test(overflows_at_the_threshold),
        cmocka_unit_test(rounds_once),
        cmocka_unit_test(encodes_every_16_bit_number),
        cmocka_unit_test(encodes_wide_numbers),
        cmocka_unit_test(encodes_known_values),
        cmocka_unit_test(ulp_is_the_spacing),
        cmocka_unit_test(steps_through_the_numbers),
        cmocka_unit_test(widens_and_narrows_arrays),
        cmocka_unit_test(arrays_keep_nan),
    };
    const int failed = cmocka_run_group_tests_name("dtype", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
