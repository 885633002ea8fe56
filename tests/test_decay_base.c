/* C as a function of the base, and the islands of bases that serve a context. Expected values are sums in MPFR written
 * out here, and published bases. */
#include "check.h"

#include <stdlib.h>

#include "../analysis/decay/decay.h"

enum { BITS = 240 };

static rope_spec spec_of(int dim, double base) {
    rope_spec spec = rope_spec_default();
    rope_error error;
    spec.dim = dim;
    spec.base = base;
    assert_int_equal(rope_spec_check(&spec, &error), ROPE_OK);
    return spec;
}

/* With x = m b^(-e), e = 2j/dim: sums of cos x, e x sin x, and -e^2 x (sin x + x cos x): C and two derivatives by
 * ln b. Off by far less than 2^-150. */
static void naive(mpfr_t sum[3], int dim, const mpfr_t base, int64_t m) {
    mpfr_t x, s, c, e;
    mpfr_inits2(BITS, x, s, c, e, (mpfr_ptr)0);
    for (int k = 0; k < 3; k++) mpfr_set_zero(sum[k], 1);
    for (int j = 0; j < dim / 2; j++) {
        mpfr_set_si(e, 2 * j, MPFR_RNDN);
        mpfr_div_si(e, e, dim, MPFR_RNDN);
        mpfr_pow(x, base, e, MPFR_RNDN);
        mpfr_si_div(x, m, x, MPFR_RNDN);
        mpfr_sin_cos(s, c, x, MPFR_RNDN);
        mpfr_add(sum[0], sum[0], c, MPFR_RNDN);
        mpfr_mul(c, c, x, MPFR_RNDN);
        mpfr_add(c, c, s, MPFR_RNDN);
        mpfr_mul(x, x, e, MPFR_RNDN);
        mpfr_mul(s, s, x, MPFR_RNDN);
        mpfr_add(sum[1], sum[1], s, MPFR_RNDN);
        mpfr_mul(c, c, x, MPFR_RNDN);
        mpfr_mul(c, c, e, MPFR_RNDN);
        mpfr_sub(sum[2], sum[2], c, MPFR_RNDN);
    }
    mpfr_clears(x, s, c, e, (mpfr_ptr)0);
}

typedef struct trend_case {
    int dim;
    double base;
    int64_t m;
} trend_case;

/* Value and slope within their errors; a double's own rounding of them is a part of it. The bounds hold there and at
 * larger bases. */
static void check_trend(const trend_case *t) {
    const rope_spec spec = spec_of(t->dim, t->base);
    rope_decay_base at;
    rope_decay_trend trend;
    mpfr_t base, sum[3];
    mpfr_init2(base, BITS);
    for (int k = 0; k < 3; k++) mpfr_init2(sum[k], BITS);
    rope_decay_base_set(&at, &spec);
    rope_decay_trends(&at, &t->m, 1, &trend);
    mpfr_set_d(base, t->base, MPFR_RNDN);
    naive(sum, t->dim, base, t->m);
    check_near_double(sum[0], trend.C, trend.C_error);
    check_near_double(sum[1], trend.slope, trend.slope_error);
    for (int k = 0; k < 8; k++) {
        assert_true(mpfr_cmp_d(sum[1], (double)t->m * at.steepness) <= 0);
        assert_true(mpfr_cmp_d(sum[1], -(double)t->m * at.steepness) >= 0);
        assert_true(mpfr_cmp_d(sum[2], trend.bend) <= 0 && mpfr_cmp_d(sum[2], -trend.bend) >= 0);
        mpfr_mul_d(base, base, 1.3, MPFR_RNDN);
        naive(sum, t->dim, base, t->m);
    }
    mpfr_clear(base);
    for (int k = 0; k < 3; k++) mpfr_clear(sum[k]);
}

static void test_trends(void **state) {
    (void)state;
    static const trend_case fixed[] = {{128, 1e4, 1706},      {128, 1e4, 1707},   {2, 1e4, 3},
                                       {4, 1.5, 1},           {64, 5e5, 9937},    {10, 1e15, 16777215},
                                       {256, 1 + 0x1p-20, 2}, {128, 2.1e6, 65535}};
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) check_trend(&fixed[k]);
    uint64_t random = 7;
    for (int k = 0; k < 60; k++) {
        const int dim = 2 * (int)check_uniform(&random, 1, 80);
        const double base = exp(check_uniform(&random, 0.01, 34)), m = exp(check_uniform(&random, 0, 16.6));
        check_trend(&(trend_case){dim, base, (int64_t)m});
    }
}

/* A batch is its members: no lane reads its neighbour. */
static void test_batches(void **state) {
    (void)state;
    const rope_spec spec = spec_of(128, 1e4);
    rope_decay_base base;
    int64_t m[21];
    rope_decay_trend all[21], one;
    rope_decay_base_set(&base, &spec);
    for (int k = 0; k < 21; k++) m[k] = 1 + 97 * k;
    rope_decay_trends(&base, m, 21, all);
    for (int k = 0; k < 21; k++) {
        rope_decay_trends(&base, &m[k], 1, &one);
        check_same(all[k].C, one.C);
        check_same(all[k].slope, one.slope);
        check_same(all[k].C_error, one.C_error);
    }
}

/* ---- islands ------------------------------------------------------------------------------------------- */

static int find(decay_island *island, int most, const rope_spec *spec, int64_t length) {
    rope_error error = {0};
    option_bar bar = {.on = false};
    decay_search search;
    int count = most;
    assert_int_equal(decay_islands(island, &count, &search, spec, length, &bar, &error), ROPE_OK);
    assert_true(search.steps > 0);
    return count;
}

/* By plain double sums: the least C of 1 <= r < length, off by less than 2^-30. */
static double least_sum(int dim, double base, int length) {
    double theta[64], least = INFINITY;
    for (int j = 0; j < dim / 2; j++) theta[j] = pow(base, -2.0 * j / dim);
    for (int r = 1; r < length; r++) {
        double C = 0.0;
        for (int j = 0; j < dim / 2; j++) C += cos(r * theta[j]);
        least = fmin(least, C);
    }
    return least;
}

/* Bases close together, looked at one by one: each serves exactly when an island holds it. */
static void check_grid(int dim, int length, double from, double to, int points) {
    enum { MOST = 64 };
    decay_island island[MOST];
    const rope_spec spec = spec_of(dim, 1e4);
    const int count = find(island, MOST, &spec, length);
    int served = 0, failed = 0;
    for (int k = 0; k < points; k++) {
        const double base = from * pow(to / from, (k + 0.5) / points), least = least_sum(dim, base, length);
        if (fabs(least) < 0x1p-20) continue; /* an edge: a relative 2^-26 may decide */
        bool inside = false;
        for (int i = 0; i < count; i++) inside = inside || (island[i].first <= base && base <= island[i].last);
        if (inside != (least > 0) && count < MOST)
            fail_msg("dim %d, L %d, base %.17g: C >= %g", dim, length, base, least);
        served += inside, failed += !inside;
    }
    assert_true(served > 0 && failed > 0);
}

static void test_grid(void **state) {
    (void)state;
    check_grid(16, 64, 1.5, 1e5, 2000);
    check_grid(32, 200, 50, 1e5, 1000);
    check_grid(128, 300, 300, 2000, 500);
}

/* Left edges of J. Su's table (kexue.fm 10122), whose digits are those of independent scans in 80-bit arithmetic:
 * 4293.44, 11587.24, 26952.34 with d = 128. A walk that skips an island, or that stops at a bad base, ends elsewhere.
 */
static void test_published(void **state) {
    (void)state;
    static const struct {
        int64_t length;
        double edge;
    } row[] = {{1000, 4206.02}, {1024, 4293.44}, {2048, 11587.24}, {4096, 26952.34}};
    const rope_spec spec = spec_of(128, 1e4);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        decay_island island;
        assert_int_equal(find(&island, 1, &spec, row[k].length), 1);
        check_near(island.first, row[k].edge, 0.005 + 0x1p-26 * row[k].edge); /* half a unit of the last digit */
        int64_t first;
        rope_error error;
        rope_spec edge = spec;
        edge.base = island.first;
        assert_int_equal(decay_first_negative(&first, &edge, row[k].length, NULL, &error), ROPE_OK);
        assert_int_equal(first, 0);
        edge.base = island.first * (1 - 0x1p-24);
        assert_int_equal(decay_first_negative(&first, &edge, row[k].length, NULL, &error), ROPE_OK);
        assert_true(first > 0);
    }
}

/* With d = 24, r = 18 and L = 3000 a distance outside the candidates ends the first island: 57609.3448, and 58000 is
 * bad by C(1329) + 3 = -0.09309 in 80-bit sums. A walk that trusts the candidates alone (safe is infinite) finds one
 * island to beyond 10^15. Edges to half a unit of the last digit and what the walk may jump by. */
static void test_safe(void **state) {
    (void)state;
    enum { MOST = 3 };
    decay_island island[MOST];
    rope_spec spec = spec_of(24, 1e4);
    spec.rotary_dim = 18;
    const int count = find(island, MOST, &spec, 3000);
    assert_int_equal(count, MOST);
    check_near(island[0].first, 36715.0685, 0.5e-4 + 0x1p-26 * 36715.0685);
    check_near(island[0].last, 57609.3448, 0.5e-4 + 0x1p-26 * 57609.3448);
    double C = 3.0; /* 9 cosines of angles below 2^11, each off by less than 2^-40 */
    for (int j = 0; j < 9; j++) C += cos(1329 * pow(58000, -j / 9.0));
    check_near(C, -0.09309, 0.5e-5 + 0x1p-36);
    for (int i = 0; i < count; i++) assert_true(island[i].last < 58000 || island[i].first > 58000);
}

/* What the first 2^-20 above base 1 hold. C(1) >= 64 cos 1 at every base; C(2), C(3) are near 64 cos 2, 64 cos 3 < 0;
 * and with half of the pairs at rest C(355) + 32 is 32 (1 + cos 355) = 1.5e-8 at base 1, too near 0 to tell. */
static void test_below(void **state) {
    (void)state;
    static const struct {
        int rotary_dim;
        int64_t length;
        int below;
        double first;
    } row[] = {{128, 2, 1, 1.0}, {128, 4, -1, 0.0}, {64, 500, 0, 1 + 0x1p-20}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        rope_error error = {0};
        option_bar bar = {.on = false};
        decay_search search;
        decay_island island;
        int count = 1;
        rope_spec spec = spec_of(128, 1e4);
        spec.rotary_dim = row[k].rotary_dim;
        assert_int_equal(decay_islands(&island, &count, &search, &spec, row[k].length, &bar, &error), ROPE_OK);
        assert_int_equal(search.below, row[k].below);
        if (row[k].below >= 0) check_same(island.first, row[k].first);
    }
}

/* Nothing to find, and everything good. */
static void test_ends(void **state) {
    (void)state;
    rope_error error = {0};
    option_bar bar = {.on = false};
    decay_search search;
    decay_island island;
    int count = 1;
    rope_spec spec = spec_of(2, 1e4); /* C(2) = cos 2 at every base */
    assert_int_equal(decay_islands(&island, &count, &search, &spec, 100, &bar, &error), ROPE_UNSUPPORTED);
    assert_int_equal(count, 0);
    spec = spec_of(128, 1e4);
    assert_int_equal(find(&island, 1, &spec, 2), 1); /* C(1) >= 64 cos 1 */
    assert_true(island.first < 1.001 && island.last == INFINITY);
    spec.rotary_dim = 64; /* half of the pairs stay: C(r) + 32 >= 0 */
    assert_int_equal(find(&island, 1, &spec, 500), 1);
    assert_true(island.first < 1.001 && island.last == INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trends), cmocka_unit_test(test_batches),
                                       cmocka_unit_test(test_grid),   cmocka_unit_test(test_published),
                                       cmocka_unit_test(test_safe),   cmocka_unit_test(test_below),
                                       cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
