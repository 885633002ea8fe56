/* Every tier of the decay engine against known values, against naive sums written here, and against each other. */
#include "check.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../src/decay.h"
#include "../src/decay_kernel.h"
#include "../src/decay_tables.h"
#include "../src/spec.h"

static rope_spec make_spec(int dim, double base, const char *scaling) {
    rope_spec spec = rope_spec_default();
    rope_error error;
    spec.dim = dim;
    spec.base = base;
    spec.layout_in = spec.layout_out = ROPE_HALF;
    if (scaling && rope_spec_set_scaling(&spec, scaling, &error) != ROPE_OK) fail_msg("%s: %s", scaling, error.reason);
    if (rope_spec_check(&spec, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return spec;
}

static rope_decay *make_decay(const rope_spec *spec, double first, double step, int64_t count, long bits) {
    rope_decay *decay;
    rope_error error;
    if (rope_decay_new(&decay, spec, (rope_distances){first, step, count}, bits, &error) != ROPE_OK)
        fail_msg("%s: %s", error.place, error.reason);
    return decay;
}

/* ---- naive sums -------------------------------------------------------------------------------------- */

/* A spec as these tests write it: theta_i = base^(-2i/dim) / divisor. */
typedef struct plain {
    int dim;
    double base, divisor;
} plain;

enum { NAIVE = 400, MOST = 128 }; /* angles below 2^70: sums are right to 2^-300 */

/* The truth at r: all |S_i| summed, the least of them, B and C. */
typedef struct truth {
    int h;
    mpfr_t theta[MOST], total, least, B, C, r;
} truth;

static void truth_init(truth *t, plain p) {
    t->h = p.dim / 2;
    mpfr_inits2(NAIVE, t->total, t->least, t->B, t->C, t->r, (mpfr_ptr)0);
    mpfr_t x;
    mpfr_init2(x, NAIVE);
    for (int i = 0; i < t->h; i++) {
        mpfr_init2(t->theta[i], NAIVE);
        mpfr_set_d(t->theta[i], p.base, MPFR_RNDN);
        mpfr_set_si(x, -2 * i, MPFR_RNDN);
        mpfr_div_si(x, x, p.dim, MPFR_RNDN);
        mpfr_pow(t->theta[i], t->theta[i], x, MPFR_RNDN);
        mpfr_div_d(t->theta[i], t->theta[i], p.divisor, MPFR_RNDN);
    }
    mpfr_clear(x);
}

static void truth_clear(truth *t) {
    mpfr_clears(t->total, t->least, t->B, t->C, t->r, (mpfr_ptr)0);
    for (int i = 0; i < t->h; i++) mpfr_clear(t->theta[i]);
}

static void truth_at_r(truth *t) {
    mpfr_t c, s, im, x;
    mpfr_inits2(NAIVE, c, s, im, x, (mpfr_ptr)0);
    mpfr_set_zero(t->total, 1);
    mpfr_set_zero(t->C, 1);
    mpfr_set_zero(im, 1);
    mpfr_set_inf(t->least, 1);
    for (int i = 0; i < t->h; i++) {
        mpfr_mul(x, t->theta[i], t->r, MPFR_RNDN);
        mpfr_cos(c, x, MPFR_RNDN);
        mpfr_sin(s, x, MPFR_RNDN);
        mpfr_add(t->C, t->C, c, MPFR_RNDN);
        mpfr_add(im, im, s, MPFR_RNDN);
        mpfr_sqr(c, t->C, MPFR_RNDN);
        mpfr_sqr(s, im, MPFR_RNDN);
        mpfr_add(x, c, s, MPFR_RNDN);
        mpfr_sqrt(x, x, MPFR_RNDN);
        mpfr_add(t->total, t->total, x, MPFR_RNDN);
        mpfr_min(t->least, t->least, x, MPFR_RNDN);
    }
    mpfr_div_ui(t->B, t->total, (unsigned long)t->h, MPFR_RNDN);
    mpfr_clears(c, s, im, x, (mpfr_ptr)0);
}

static const struct {
    plain p;
    const char *scaling;
} specs[] = {{{2, 1e4, 1}, NULL},   {{4, 1e4, 1}, NULL},   {{6, 5e5, 1}, NULL},   {{10, 1e4, 1}, NULL},
             {{80, 12345, 1}, NULL}, {{128, 1e4, 1}, NULL}, {{256, 1e6, 1}, NULL}, {{128, 1e4, 4}, "linear:factor=4"},
             {{96, 5e5, 3}, "linear:factor=3"}};
enum { SPECS = sizeof specs / sizeof *specs };

static const rope_distances ranges[] = {
    {0, 1, 300},    {-150, 1, 280},    {1e12 - 70, 1, 140}, {0, 0.0625, 300},
    {3.7, 0.1, 140}, {65536, -17, 200}, {1e18, 1e15, 130}};
enum { RANGES = sizeof ranges / sizeof *ranges };

/* ---- known values ------------------------------------------------------------------------------------ */

static bool same_digits(const mpfr_t value, const char *printed) {
    mpfr_t want;
    mpfr_init2(want, 400);
    assert_int_equal(mpfr_set_str(want, printed, 10, MPFR_RNDN), 0);
    mpfr_exp_t e, f;
    char *const got = mpfr_get_str(NULL, &e, 10, 40, value, MPFR_RNDN);
    char *const wanted = mpfr_get_str(NULL, &f, 10, 40, want, MPFR_RNDN);
    const bool same = e == f && !strcmp(got, wanted);
    if (!same) print_error("got %s e%ld, want %s e%ld\n", got, (long)e, wanted, (long)f);
    mpfr_free_str(got);
    mpfr_free_str(wanted);
    mpfr_clear(want);
    return same;
}

static void check_vector(const rope_spec *spec, const char *r_text, const char *B_text, const char *C_text) {
    mpfr_t r;
    rope_decay_value value;
    rope_decay_value_init(&value);
    mpfr_init2(r, 400);
    mpfr_set_str(r, r_text, 10, MPFR_RNDN);
    rope_decay_at(&value, spec, r, 256);
    assert_true(same_digits(value.B, B_text) && same_digits(value.C, C_text));

    const double first = mpfr_get_d(r, MPFR_RNDN);
    if (mpfr_cmp_d(r, first) == 0) { /* the tables' distances are doubles */
        rope_decay *decay = make_decay(spec, first, 1.0, 1, 256);
        assert_int_equal(rope_decay_numbers(decay, 0, 1, &value, NULL), ROPE_OK);
        assert_true(same_digits(value.B, B_text) && same_digits(value.C, C_text));
        rope_decay_free(decay);

        double B, C;
        const int row = fabs(first) < 0x1p50 ? 200 : 0; /* first - 100 is exact */
        decay = make_decay(spec, first - row * 0.5, 0.5, row + 1, ROPE_DECAY_DOUBLE);
        assert_int_equal(rope_decay_round(decay, row, 1, &B, &C, NULL, 1024).undecided, 0);
        check_same(B, strtod(B_text, NULL));
        check_same(C, strtod(C_text, NULL));
        rope_decay_free(decay);
    }
    mpfr_clear(r);
    rope_decay_value_clear(&value);
}

static void test_vectors(void **state) {
    (void)state;
    char line[512];
    int count = 0;
    FILE *const file = check_open_vectors("decay.txt");
    while (check_read_vector(file, line, sizeof line)) {
        int dim;
        double base, factor;
        char rule[32], r[32], B[64], C[64], scaling[64];
        assert_int_equal(sscanf(line, "%d %lf %31s %lf %31s %63s %63s", &dim, &base, rule, &factor, r, B, C), 7);
        snprintf(scaling, sizeof scaling, "%s:factor=%g", rule, factor);
        const rope_spec spec = make_spec(dim, base, strcmp(rule, "default") ? scaling : NULL);
        check_vector(&spec, r, B, C);
        count++;
    }
    fclose(file);
    assert_true(count >= 60);
}

/* r = 0: sums of ones, with nothing lost. */
static void test_zero(void **state) {
    (void)state;
    for (int n = 0; n < SPECS; n++) {
        const rope_spec spec = make_spec(specs[n].p.dim, specs[n].p.base, specs[n].scaling);
        const double h = specs[n].p.dim / 2;
        rope_decay_value value;
        rope_decay_value_init(&value);
        mpfr_t zero;
        mpfr_init2(zero, 64);
        mpfr_set_zero(zero, 1);
        rope_decay_at(&value, &spec, zero, 100);
        assert_true(mpfr_cmp_d(value.B, (h + 1) / 2) == 0 && mpfr_cmp_d(value.C, h) == 0);
        assert_true(mpfr_zero_p(value.B_error) && mpfr_zero_p(value.C_error));

        double B, C;
        rope_decay *const decay = make_decay(&spec, -64.0, 1.0, 129, ROPE_DECAY_DOUBLE);
        rope_decay_round(decay, 64, 1, &B, &C, NULL, 1024);
        check_same(B, (h + 1) / 2);
        check_same(C, h);
        rope_decay_free(decay);
        rope_decay_value_clear(&value);
        mpfr_clear(zero);
    }
}

static void test_first_negative(void **state) {
    (void)state;
    static const struct {
        double base;
        int first;
    } known[] = {{500, 171}, {1e4, 1707}, {5e5, 18438}, {1e6, 27115}};
    enum { COUNT = 27200 };
    double *const B = malloc(COUNT * sizeof *B), *const C = malloc(COUNT * sizeof *C);
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        const rope_spec spec = make_spec(128, known[n].base, NULL);
        rope_decay *const decay = make_decay(&spec, 0.0, 1.0, COUNT, ROPE_DECAY_DOUBLE);
        assert_int_equal(rope_decay_round(decay, 0, COUNT, B, C, NULL, 1024).undecided, 0);
        int first = 0;
        while (first < COUNT && C[first] >= 0.0) first++;
        assert_int_equal(first, known[n].first);
        rope_decay_free(decay);
    }
    free(B);
    free(C);
}

/* ---- every tier against naive sums ------------------------------------------------------------------- */

static void check_number(const mpfr_t got, const mpfr_t want, const mpfr_t error, int h, long bits) {
    assert_true(mpfr_cmp_d(error, ldexp((h + 1.0) * (h + 1.0), 8 - (int)bits)) < 0);
    check_near_mpfr(got, want, error);
}

static void check_range(const rope_spec *spec, plain p, rope_distances range, long bits) {
    const int n = (int)range.count;
    double *const x = malloc(4 * (size_t)n * sizeof *x);
    double *const B = x, *const C = x + n, *const near_B = x + 2 * n, *const near_C = x + 3 * n;
    rope_decay_value *const value = malloc((size_t)n * sizeof *value), at;
    rope_decay *const decay = make_decay(spec, range.first, range.step, n, ROPE_DECAY_DOUBLE);
    rope_decay *const limbs = make_decay(spec, range.first, range.step, n, bits);
    truth t;
    truth_init(&t, p);
    rope_decay_value_init(&at);
    for (int k = 0; k < n; k++) rope_decay_value_init(&value[k]);

    assert_int_equal(rope_decay_round(decay, 0, n, B, C, NULL, 1024).undecided, 0);
    const rope_decay_bound bound = rope_decay_enclose(decay, 0, n, near_B, near_C);
    assert_true(bound.B < 0x1p-36 && bound.C < 0x1p-36);
    assert_int_equal(rope_decay_numbers(limbs, 0, n, value, NULL), ROPE_OK);
    for (int k = 0; k < n; k += 3 + k % 7) {
        mpfr_set_d(t.r, range.step, MPFR_RNDN);
        mpfr_mul_si(t.r, t.r, k, MPFR_RNDN);
        mpfr_add_d(t.r, t.r, range.first, MPFR_RNDN);
        truth_at_r(&t);
        check_same(B[k], mpfr_get_d(t.B, MPFR_RNDN));
        check_same(C[k], mpfr_get_d(t.C, MPFR_RNDN));
        check_near_double(t.B, near_B[k], bound.B);
        check_near_double(t.C, near_C[k], bound.C);
        check_number(value[k].B, t.B, value[k].B_error, p.dim / 2, bits);
        check_number(value[k].C, t.C, value[k].C_error, p.dim / 2, bits);
        if (k % 4) continue;
        rope_decay_at(&at, spec, t.r, 100);
        check_near_mpfr(at.B, t.B, at.B_error);
        check_near_mpfr(at.C, t.C, at.C_error);
    }
    for (int k = 0; k < n; k++) assert_true(B[k] >= 0.5 && B[k] <= (p.dim / 2 + 1) / 2.0);

    for (int k = 0; k < n; k++) rope_decay_value_clear(&value[k]);
    rope_decay_value_clear(&at);
    truth_clear(&t);
    rope_decay_free(decay);
    rope_decay_free(limbs);
    free(value);
    free(x);
}

static void test_tiers(void **state) {
    (void)state;
    for (int n = 0; n < SPECS; n++) {
        const rope_spec spec = make_spec(specs[n].p.dim, specs[n].p.base, specs[n].scaling);
        for (int k = n % 4; k < RANGES; k += 4) check_range(&spec, specs[n].p, ranges[k], (n + k / 4) % 2 ? 256 : 128);
    }
}

/* Any number of limbs: the errors shrink as promised, and contain the difference to MPFR sums with more bits. */
static void test_bits(void **state) {
    (void)state;
    static const long all[] = {54, 64, 65, 192, 256, 257, 1024, 2000};
    const rope_spec spec = make_spec(20, 1e4, NULL);
    rope_decay_value value, want;
    rope_decay_value_init(&value);
    rope_decay_value_init(&want);
    mpfr_t r;
    mpfr_init2(r, 64);
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        rope_decay *const decay = make_decay(&spec, 0.25, 1.0, 130, all[n]);
        for (int64_t k = 0; k < 130; k += 43) {
            rope_decay_distance(r, decay, k);
            rope_decay_at(&want, &spec, r, all[n] + 80);
            assert_int_equal(rope_decay_numbers(decay, k, 1, &value, NULL), ROPE_OK);
            assert_true(mpfr_cmp_si_2exp(value.B_error, 121, 8 - all[n]) < 0);
            mpfr_add(value.B_error, value.B_error, want.B_error, MPFR_RNDU);
            mpfr_add(value.C_error, value.C_error, want.C_error, MPFR_RNDU);
            check_near_mpfr(value.B, want.B, value.B_error);
            check_near_mpfr(value.C, want.C, value.C_error);
        }
        rope_decay_free(decay);
    }
    mpfr_clear(r);
    rope_decay_value_clear(&value);
    rope_decay_value_clear(&want);
}

/* r where |S_2| = 2 |cos(r (1 - theta_1) / divisor / 2)| is 0, up to rounding, and the step that moves |S_2| by 0.4
 * grid_least. */
static void near_zero(plain p, double *zero, double *step) {
    const double rate = (1 - pow(p.base, -2.0 / p.dim)) / p.divisor;
    *zero = M_PI / rate;
    *step = 0.4 * rope_decay_grid_least(p.dim / 2) / rate;
}

/* What the kernels return, before anything is rounded away, is within the bounds. Returns the largest error as a
 * share of its bound. */
static double check_kernels(const rope_spec *spec, plain p, double first, double step) {
    const int h = p.dim / 2;
    rope_decay *const decay = make_decay(spec, first, step, 128, ROPE_DECAY_DOUBLE);
    rope_decay_giant *const giant = malloc((size_t)h * sizeof *giant);
    rope_decay_giants(h, giant, decay->mid, decay->top);
    const rope_decay_error narrow_error = rope_decay_narrow_error(h, decay->ones);
    double worst = 0.0;
    truth t;
    truth_init(&t, p);
    for (int s = 0; s < ROPE_DECAY_BABIES; s += 1 + s / 5) {
        const int group = s / ROPE_DECAY_LANES, lane = s % ROPE_DECAY_LANES;
        const rope_decay_rows grid = rope_decay_grid(h, giant, decay->baby + group * h);
        const rope_decay_rows narrow = rope_decay_narrow(h, giant, decay->baby + group * h, decay->ones);
        for (int side = 0; side < 2; side++) {
            rope_decay_distance(t.r, decay, rope_decay_row(side, s));
            truth_at_r(&t);
            check_near_double(t.total, narrow.total[side][lane], narrow_error.total);
            check_near_double(t.C, narrow.re[side][lane], narrow_error.re);
            mpfr_sub_d(t.C, t.C, grid.re[side][lane], MPFR_RNDN);
            check_near_double(t.C, grid.re_low[side][lane], rope_decay_grid_re(h));
            if (grid.least[side][lane] < rope_decay_grid_least(h)) continue;
            mpfr_sub_d(t.total, t.total, grid.total[side][lane], MPFR_RNDN);
            check_near_double(t.total, grid.total_low[side][lane], rope_decay_grid_total(h));
            mpfr_sub_d(t.total, t.total, grid.total_low[side][lane], MPFR_RNDN);
            worst = fmax(worst, fabs(mpfr_get_d(t.total, MPFR_RNDN)) / rope_decay_grid_total(h));
        }
    }
    truth_clear(&t);
    free(giant);
    rope_decay_free(decay);
    return worst;
}

static void test_kernel_bounds(void **state) {
    (void)state;
    for (int n = 0; n < SPECS; n++) {
        const plain p = specs[n].p;
        const rope_spec spec = make_spec(p.dim, p.base, specs[n].scaling);
        double zero, step;
        near_zero(p, &zero, &step);
        const double usual = check_kernels(&spec, p, 1000.0, 1.0);
        const double close = p.dim > 2 ? check_kernels(&spec, p, zero - 60 * step, step) : usual;
        if (!(usual > 0x1p-12 && close > 0x1p-12))
            fail_msg("h %d: largest errors are %g and %g of their bound", p.dim / 2, usual, close);
    }
}

/* Two tiers that share no arithmetic agree on every double. */
static void test_every_distance(void **state) {
    (void)state;
    const int64_t all = getenv("ROPE_SLOW") ? INT64_C(1) << 20 : INT64_C(1) << 16, part = 4096;
    const rope_spec spec = make_spec(128, 1e4, NULL);
    rope_decay *const decay = make_decay(&spec, 0.0, 1.0, all, ROPE_DECAY_DOUBLE);
    rope_decay *const limbs = make_decay(&spec, 0.0, 1.0, all, 128);
    double *const B = malloc((size_t)all * sizeof *B), *const C = malloc((size_t)all * sizeof *C);
    rope_decay_value *const value = malloc((size_t)part * sizeof *value);
    for (int64_t k = 0; k < part; k++) rope_decay_value_init(&value[k]);
    const rope_decay_tally tally = rope_decay_round(decay, 0, all, B, C, NULL, 1024);
    assert_int_equal(tally.undecided, 0);
    assert_true(tally.referred < all / 10000);
    int64_t differ = 0, open = 0;
    for (int64_t from = 0; from < all; from += part) {
        assert_int_equal(rope_decay_numbers(limbs, from, part, value, NULL), ROPE_OK);
        for (int64_t k = 0; k < part; k++) {
            mpfr_ptr const pair[] = {value[k].B, value[k].C}, error[] = {value[k].B_error, value[k].C_error};
            const double got[] = {B[from + k], C[from + k]};
            for (int x = 0; x < 2; x++) {
                mpfr_sub(pair[x], pair[x], error[x], MPFR_RNDD);
                const double low = mpfr_get_d(pair[x], MPFR_RNDN);
                mpfr_mul_2ui(error[x], error[x], 1, MPFR_RNDU);
                mpfr_add(pair[x], pair[x], error[x], MPFR_RNDU);
                open += low != mpfr_get_d(pair[x], MPFR_RNDN);
                differ += low != got[x];
            }
        }
    }
    assert_int_equal(open, 0); /* 128 bits decide them all here, also C(0) and B(0), which are doubles */
    assert_int_equal(differ, 0);
    for (int64_t k = 0; k < part; k++) rope_decay_value_clear(&value[k]);
    free(value);
    free(B);
    free(C);
    rope_decay_free(decay);
    rope_decay_free(limbs);
}

static void test_almost_zero(void **state) {
    (void)state;
    for (int n = 1; n < SPECS; n++) {
        const plain p = specs[n].p;
        const rope_spec spec = make_spec(p.dim, p.base, specs[n].scaling);
        double zero, step;
        near_zero(p, &zero, &step);
        rope_decay *const decay = make_decay(&spec, zero - 9 * step, step, 19, ROPE_DECAY_DOUBLE);
        rope_decay *const limbs = make_decay(&spec, zero - 9 * step, step, 19, 256);
        double B[19], C[19];
        rope_decay_value value;
        rope_decay_value_init(&value);
        truth t;
        truth_init(&t, p);
        const rope_decay_tally tally = rope_decay_round(decay, 0, 19, B, C, NULL, 1024);
        assert_int_equal(tally.undecided, 0);
        assert_true(tally.referred >= 3 && tally.referred <= 7);
        for (int k = 0; k < 19; k++) {
            rope_decay_distance(t.r, decay, k);
            truth_at_r(&t);
            check_same(B[k], mpfr_get_d(t.B, MPFR_RNDN));
            check_same(C[k], mpfr_get_d(t.C, MPFR_RNDN));
            assert_int_equal(rope_decay_numbers(limbs, k, 1, &value, NULL), ROPE_OK);
            check_number(value.B, t.B, value.B_error, p.dim / 2, 256);
            rope_decay_at(&value, &spec, t.r, 100);
            check_near_mpfr(value.B, t.B, value.B_error);
        }
        assert_true(mpfr_cmp_d(t.least, 0x1p-4) < 0);
        truth_clear(&t);
        rope_decay_value_clear(&value);
        rope_decay_free(decay);
        rope_decay_free(limbs);
    }
}

/* Values that lie almost on a midpoint between two doubles go to MPFR, and are reported when it may not use enough
 * bits. For h = 2 and small r, B = 3/2 - r^2 (1 - theta_1)^2 / 8 + ...: r can be chosen so that B is within 2^-100 of
 * 3/2 - (2k+1) 2^-53. */
static void test_hard_rounding(void **state) {
    (void)state;
    const plain p = {4, 1e4, 1};
    const rope_spec spec = make_spec(p.dim, p.base, NULL);
    truth t;
    truth_init(&t, p);
    for (int k = 0; k < 20; k++) {
        const double r = sqrt((2 * k + 1) * 0x1p-50) / 0.99;
        rope_decay *const decay = make_decay(&spec, r, 1.0, 2, ROPE_DECAY_DOUBLE);
        double B[2], C[2];
        unsigned char undecided[2];
        rope_decay_tally tally = rope_decay_round(decay, 0, 2, B, C, undecided, 70);
        assert_true(tally.referred == 1 && tally.undecided == 1);
        assert_true(undecided[0] == ROPE_DECAY_UNDECIDED_B && undecided[1] == 0);
        tally = rope_decay_round(decay, 0, 2, B, C, undecided, 1024);
        assert_true(tally.referred == 1 && tally.undecided == 0 && undecided[0] == 0);
        mpfr_set_d(t.r, r, MPFR_RNDN);
        truth_at_r(&t);
        check_same(B[0], mpfr_get_d(t.B, MPFR_RNDN));
        rope_decay_free(decay);
    }
    truth_clear(&t);
}

/* Where C is nearly 0 the double-doubles are right absolutely, not relatively: MPFR again. */
static void test_tiny_sum(void **state) {
    (void)state;
    const plain p = {128, 1e4, 1};
    const rope_spec spec = make_spec(p.dim, p.base, NULL);
    double low = 1706.0, high = 1707.0, B, C;
    truth t;
    truth_init(&t, p);
    for (;;) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        mpfr_set_d(t.r, middle, MPFR_RNDN);
        truth_at_r(&t);
        *(mpfr_sgn(t.C) > 0 ? &low : &high) = middle;
    }
    rope_decay *const decay = make_decay(&spec, low, 1.0, 1, ROPE_DECAY_DOUBLE);
    const rope_decay_tally tally = rope_decay_round(decay, 0, 1, &B, &C, NULL, 1024);
    assert_true(tally.referred == 1 && tally.undecided == 0);
    rope_decay_distance(t.r, decay, 0);
    truth_at_r(&t);
    check_same(C, mpfr_get_d(t.C, MPFR_RNDN));
    assert_true(0.0 < C && C < 0x1p-40);
    rope_decay_free(decay);
    truth_clear(&t);
}

/* ---- threads and cuts -------------------------------------------------------------------------------- */

static void set_threads(int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

static void test_threads(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static double B[2][COUNT], C[2][COUNT];
    const rope_spec spec = make_spec(80, 1e4, NULL);
    for (int tier = 0; tier < 2; tier++)
        for (int run = 0; run < 4; run++) {
            const int cut = run < 2 ? COUNT : 700 + run, into = run > 0;
            set_threads(1 + run);
            rope_decay *const decay = make_decay(&spec, 5.0, 1.5, COUNT, ROPE_DECAY_DOUBLE);
            for (int from = 0; from < COUNT; from += cut) {
                const int n = COUNT - from < cut ? COUNT - from : cut;
                if (tier == 0)
                    rope_decay_round(decay, from, n, B[into] + from, C[into] + from, NULL, 1024);
                else
                    rope_decay_enclose(decay, from, n, B[into] + from, C[into] + from);
            }
            rope_decay_free(decay);
            if (run == 0) continue;
            assert_memory_equal(B[0], B[1], sizeof B[0]);
            assert_memory_equal(C[0], C[1], sizeof C[0]);
        }
    set_threads(2);
}

/* ---- scores ------------------------------------------------------------------------------------------ */

/* Rotates q by r and leaves k where it is: the score of m = r, n = 0. */
static void naive_score(mpfr_t score, mpfr_t trivial, const truth *t, rope_layout layout, double A, const double *q,
                        const double *k) {
    mpfr_t c, s, x, y;
    mpfr_inits2(NAIVE, c, s, x, y, (mpfr_ptr)0);
    mpfr_set_zero(score, 1);
    mpfr_set_zero(trivial, 1);
    for (int i = 0; i < t->h; i++) {
        const int a = layout == ROPE_HALF ? i : 2 * i, b = layout == ROPE_HALF ? i + t->h : 2 * i + 1;
        mpfr_mul(x, t->theta[i], t->r, MPFR_RNDN);
        mpfr_sin_cos(s, c, x, MPFR_RNDN);
        mpfr_mul_d(x, c, q[a], MPFR_RNDN); /* q_a cos - q_b sin, times k_a */
        mpfr_mul_d(y, s, q[b], MPFR_RNDN);
        mpfr_sub(x, x, y, MPFR_RNDN);
        mpfr_mul_d(x, x, k[a], MPFR_RNDN);
        mpfr_add(score, score, x, MPFR_RNDN);
        mpfr_mul_d(x, c, q[b], MPFR_RNDN); /* q_b cos + q_a sin, times k_b */
        mpfr_mul_d(y, s, q[a], MPFR_RNDN);
        mpfr_add(x, x, y, MPFR_RNDN);
        mpfr_mul_d(x, x, k[b], MPFR_RNDN);
        mpfr_add(score, score, x, MPFR_RNDN);
        mpfr_set_d(x, q[a], MPFR_RNDN);
        mpfr_set_d(y, q[b], MPFR_RNDN);
        mpfr_hypot(c, x, y, MPFR_RNDN);
        mpfr_set_d(x, k[a], MPFR_RNDN);
        mpfr_set_d(y, k[b], MPFR_RNDN);
        mpfr_hypot(s, x, y, MPFR_RNDN);
        mpfr_mul(c, c, s, MPFR_RNDN);
        mpfr_add(trivial, trivial, c, MPFR_RNDN);
    }
    mpfr_mul_d(score, score, A, MPFR_RNDN);
    mpfr_mul_d(score, score, A, MPFR_RNDN);
    mpfr_mul_d(trivial, trivial, A, MPFR_RNDN);
    mpfr_mul_d(trivial, trivial, A, MPFR_RNDN);
    mpfr_clears(c, s, x, y, (mpfr_ptr)0);
}

/* |score| <= inner <= outer and |score| <= trivial, as far as the errors allow. */
static void check_order(const rope_abel_value *value) {
    mpfr_t x;
    mpfr_init2(x, 200);
    mpfr_abs(x, value->score, MPFR_RNDN);
    mpfr_sub(x, x, value->error, MPFR_RNDD);
    mpfr_sub(x, x, value->error, MPFR_RNDD);
    assert_true(mpfr_lessequal_p(x, value->inner) && mpfr_lessequal_p(x, value->trivial));
    mpfr_sub(x, value->inner, value->error, MPFR_RNDD);
    mpfr_sub(x, x, value->error, MPFR_RNDD);
    assert_true(mpfr_lessequal_p(x, value->outer));
    mpfr_clear(x);
}

enum { ROWS = 100 }; /* on both sides of a centre */

static void check_scores(int n, rope_layout layout, double A, const double *q, const double *k, bool constant) {
    const plain p = specs[n].p;
    rope_spec spec = make_spec(p.dim, p.base, specs[n].scaling);
    spec.layout_in = spec.layout_out = layout;
    spec.has_magnitude = true;
    spec.magnitude = A;
    rope_decay *const decay = make_decay(&spec, -3.0, 7.5, ROWS, ROPE_DECAY_DOUBLE);
    double score[ROWS], inner[ROWS], outer[ROWS];
    rope_abel_bound bound;
    rope_abel_value value;
    rope_error error;
    truth t;
    truth_init(&t, p);
    rope_abel_value_init(&value);
    assert_int_equal(rope_abel_enclose(&bound, decay, q, k, 0, ROWS, score, inner, outer, &error), ROPE_OK);
    for (int x = 0; x < ROWS; x += 13) {
        rope_decay_distance(t.r, decay, x);
        rope_abel_at(&value, &spec, q, k, t.r, 128);
        check_order(&value);
        naive_score(t.C, t.B, &t, layout, A, q, k);
        check_near_mpfr(value.score, t.C, value.error);
        check_near_mpfr(value.trivial, t.B, value.error);
        check_near_double(t.C, score[x], bound.score);
        check_near_double(value.inner, inner[x], bound.inner * 1.0001);
        check_near_double(value.outer, outer[x], bound.outer * 1.0001);
        assert_true(mpfr_cmp_d(t.B, bound.outer * 1e8) > 0); /* the bounds say something */
        if (!constant) continue;
        /* q = k = const: outer = B times trivial, inner = |S_h| per unit of |h_j| [one difference is not 0]. */
        truth_at_r(&t);
        mpfr_mul(t.B, t.B, value.trivial, MPFR_RNDN);
        mpfr_mul_d(value.error, value.error, p.dim, MPFR_RNDU);
        check_near_mpfr(value.outer, t.B, value.error);
    }
    truth_clear(&t);
    rope_abel_value_clear(&value);
    rope_decay_free(decay);
}

static void test_scores(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int n = 0; n < SPECS; n++) {
        double q[256], k[256], ones[256];
        for (int c = 0; c < 256; c++) {
            q[c] = check_uniform(&random, -1, 1);
            k[c] = check_uniform(&random, -3, 3);
            ones[c] = 1.0;
        }
        check_scores(n, ROPE_HALF, 1.0, q, k, false);
        check_scores(n, ROPE_INTERLEAVED, 1.25, q, k, false);
        check_scores(n, ROPE_HALF, 0.75, ones, ones, true);
    }
}

/* Distances picked one by one have the bits they have in a row, on both sides of a centre and in any order. */
static void test_picked(void **state) {
    (void)state;
    enum { ALL = 1000, PICKED = 60 };
    rope_spec spec = make_spec(20, 1e4, NULL);
    spec.layout_in = spec.layout_out = ROPE_HALF;
    rope_decay *const decay = make_decay(&spec, 0.25, 1.5, ALL, ROPE_DECAY_DOUBLE);
    double q[20], k[20], all[3][ALL], some[3][PICKED];
    int64_t at[PICKED] = {0, 63, 64, 127, 128, ALL - 1, 5};
    uint64_t random = 11;
    rope_abel_bound bound[2];
    rope_error error;
    for (int c = 0; c < 20; c++) q[c] = check_uniform(&random, -1, 1), k[c] = check_uniform(&random, -1, 1);
    for (int n = 7; n < PICKED; n++) at[n] = (int64_t)(check_random(&random) % ALL);
    assert_int_equal(rope_abel_enclose(&bound[0], decay, q, k, 0, ALL, all[0], all[1], all[2], &error), ROPE_OK);
    assert_int_equal(rope_abel_enclose_at(&bound[1], decay, q, k, at, PICKED, some[0], some[1], some[2], &error),
                     ROPE_OK);
    assert_memory_equal(&bound[0], &bound[1], sizeof bound[0]);
    for (int n = 0; n < PICKED; n++)
        for (int which = 0; which < 3; which++) check_same(some[which][n], all[which][at[n]]);
    rope_decay_free(decay);
}

/* ---- bad input --------------------------------------------------------------------------------------- */

static void test_bad_input(void **state) {
    (void)state;
    const rope_spec spec = make_spec(8, 1e4, NULL);
    rope_decay *decay;
    rope_error error;
    const struct {
        rope_distances distances;
        long bits;
        const char *reason;
    } bad[] = {{{0, 1, 0}, 53, "0 distances"},
               {{0, 1, (INT64_C(1) << 31) + 1}, 53, "2147483649 distances"},
               {{NAN, 1, 5}, 53, "not finite"},
               {{0, INFINITY, 5}, 53, "not finite"},
               {{0, 1, 5}, 1, "1 bits"},
               {{0, 1, 5}, 1 << 21, "2097152 bits"}};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        assert_int_equal(rope_decay_new(&decay, &spec, bad[n].distances, bad[n].bits, &error), ROPE_BAD_INPUT);
        assert_null(decay);
        check_contains(error.reason, bad[n].reason);
    }
    double q[8] = {0}, score[1];
    rope_abel_bound bound;
    rope_spec unset = spec;
    unset.layout_in = ROPE_LAYOUT_UNSET;
    decay = make_decay(&unset, 0, 1, 1, 53);
    assert_int_equal(rope_abel_enclose(&bound, decay, q, q, 0, 1, score, NULL, NULL, &error), ROPE_BAD_INPUT);
    check_contains(error.reason, "pairs");
    rope_decay_free(decay);
    decay = make_decay(&spec, 0, 1, 1, 53);
    q[5] = NAN;
    assert_int_equal(rope_abel_enclose(&bound, decay, q, q, 0, 1, score, NULL, NULL, &error), ROPE_BAD_INPUT);
    check_contains(error.reason, "channel 5");
    rope_decay_free(decay);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_first_negative),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_kernel_bounds),
        cmocka_unit_test(test_every_distance),
        cmocka_unit_test(test_almost_zero),
        cmocka_unit_test(test_hard_rounding),
        cmocka_unit_test(test_tiny_sum),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_picked),
        cmocka_unit_test(test_bad_input),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
