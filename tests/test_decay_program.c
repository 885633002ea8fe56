/* What rope-decay makes of the core's numbers: distances, digits, shards, statistics, the closed form, first negative
 * sums. Expected values are sums and integrals written out here. */
#include "check.h"

#include <stdlib.h>

#include "../analysis/decay/decay.h"

/* ---- naive sums -------------------------------------------------------------------------------------- */

enum { BITS = 200 };

/* B and C of the default rule, term by term from b^(-2j/d); off by far less than 2^-100. */
static void naive(mpfr_t B, mpfr_t C, int dim, double base, const mpfr_t r) {
    mpfr_t re, im, angle, s, c;
    mpfr_inits2(BITS, re, im, angle, s, c, (mpfr_ptr)0);
    mpfr_set_zero(re, 1), mpfr_set_zero(im, 1), mpfr_set_zero(B, 1);
    for (int j = 0; j < dim / 2; j++) {
        mpfr_set_d(angle, base, MPFR_RNDN);
        mpfr_set_si(s, -2 * j, MPFR_RNDN);
        mpfr_div_si(s, s, dim, MPFR_RNDN);
        mpfr_pow(angle, angle, s, MPFR_RNDN);
        mpfr_mul(angle, angle, r, MPFR_RNDN);
        mpfr_sin_cos(s, c, angle, MPFR_RNDN);
        mpfr_add(re, re, c, MPFR_RNDN);
        mpfr_add(im, im, s, MPFR_RNDN);
        mpfr_hypot(c, re, im, MPFR_RNDN);
        mpfr_add(B, B, c, MPFR_RNDN);
    }
    mpfr_div_si(B, B, dim / 2, MPFR_RNDN);
    mpfr_set(C, re, MPFR_RNDN);
    mpfr_clears(re, im, angle, s, c, (mpfr_ptr)0);
}

static decay_request small_request(rope_spec *spec, const char *distance) {
    decay_request request = {
        .spec = spec, .specs = 1, .bits = ROPE_DECAY_DOUBLE, .digits = 17, .shard = 1, .shards = 1};
    rope_error error;
    *spec = rope_spec_default();
    spec->dim = 8;
    assert_int_equal(rope_spec_check(spec, &error), ROPE_OK);
    assert_int_equal(decay_parse_distance(&request.points, distance, "--distance", &error), ROPE_OK);
    request.vectors.kind = &decay_vector_kinds[0];
    return request;
}

static int sweep(decay_curve **curves, const decay_request *request) {
    rope_error error = {0};
    option_bar bar = {.on = false};
    int count;
    assert_int_equal(decay_curves(curves, &count, request, &bar, &error), ROPE_OK);
    return count;
}

/* ---- distances --------------------------------------------------------------------------------------- */

static void check_points(const char *text, int64_t count, double first, double last) {
    decay_points points;
    rope_error error;
    assert_int_equal(decay_parse_distance(&points, text, "--distance", &error), ROPE_OK);
    assert_int_equal(points.count, count);
    check_same(decay_point(&points, 0), first);
    check_same(decay_point(&points, count - 1), last);
}

static void test_distances(void **state) {
    (void)state;
    check_points("7", 1, 7, 7);
    check_points("0:257", 257, 0, 256);
    check_points("-3:3:2", 3, -3, 1);
    check_points("0:1:0.25", 4, 0, 0.75);
    check_points("0:1:0.1", 10, 0, 0.9);  /* 0.1 as a double is above 1/10: ten times it are past 1 */
    check_points("0:0.3:0.1", 3, 0, 0.2); /* and 0.3 as a double is below three times it */
    check_points("9007199254740990:9007199254740992", 2, 9007199254740990.0, 9007199254740991.0);
    decay_points points;
    rope_error error;
    static const char *const bad[] = {"",       "5:1", "1:1", "0:9:0",   "0:9:-1", "0:1:2:3",
                                      "0:1e15", "a:b", "nan", "0:1e400", NULL};
    for (int k = 0; bad[k]; k++)
        assert_int_equal(decay_parse_distance(&points, bad[k], "--distance", &error), ROPE_BAD_INPUT);
    assert_int_equal(decay_parse_log_distance(&points, "1:1000:4", "--log-distance", &error), ROPE_OK);
    assert_int_equal(points.count, 4);
    for (int k = 0; k < 4; k++) check_near(points.list[k], pow(10, k), 0.0);
    free(points.list);
    assert_int_equal(decay_parse_log_distance(&points, "1:4:100", "--log-distance", &error), ROPE_OK);
    assert_int_equal(points.count, 4); /* 1 2 3 4, each once */
    free(points.list);
}

/* ---- numbers as text ----------------------------------------------------------------------------------- */

static void test_digits(void **state) {
    (void)state;
    mpfr_t pi, error;
    double off;
    mpfr_inits2(200, pi, error, (mpfr_ptr)0);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_set_ui_2exp(error, 1, -190, MPFR_RNDN);
    char *text = decay_digits(pi, error, 20, &off);
    assert_string_equal(text, "3.1415926535897932385");
    check_near(off, 3.7357e-20,
               0.0001e-20); /* pi ends in ..3846264: the last digit is rounded up by 0.374 of its unit */
    mpfr_free_str(text);
    mpfr_set_d(error, 1e-5, MPFR_RNDN);
    assert_null(decay_digits(pi, error, 20, &off));
    text = decay_digits(pi, error, 4, &off);
    assert_string_equal(text, "3.142");
    mpfr_free_str(text);
    mpfr_clears(pi, error, (mpfr_ptr)0);
}

/* ---- curves -------------------------------------------------------------------------------------------- */

static void check_curve(const decay_curve *curve, const decay_points *points) {
    mpfr_t B, C, r;
    mpfr_inits2(BITS, B, C, r, (mpfr_ptr)0);
    for (int64_t k = 0; k < curve->count; k++) {
        decay_point_exact(r, points, curve->from + k);
        naive(B, C, 8, 10000, r);
        check_near_double(curve->kind->quantity == QUANTITY_SUM ? C : B, curve->value[k], curve->error[k]);
        assert_true(curve->error[k] <= 0x1p-53 * fabs(curve->value[k])); /* half an ulp at most */
    }
    mpfr_clears(B, C, r, (mpfr_ptr)0);
}

static void test_curves(void **state) {
    (void)state;
    rope_spec spec;
    decay_curve *curves;
    decay_request request = small_request(&spec, "-2:40:0.7");
    request.wants[QUANTITY_BOUND] = request.wants[QUANTITY_SUM] = true;
    const int count = sweep(&curves, &request);
    assert_int_equal(count, 2);
    for (int c = 0; c < count; c++) check_curve(&curves[c], &request.points);
    decay_curves_free(curves, count);
}

/* A list of distances: the values of the same distances in a line, for every kind of curve; beyond 2^31, by single
 * sums, doubles that are within their errors of the exact value. */
static void test_list(void **state) {
    (void)state;
    rope_spec spec;
    decay_curve *line, *list;
    decay_request request = small_request(&spec, "0:301");
    for (int q = 0; q < QUANTITIES; q++) request.wants[q] = true;
    const int count = sweep(&line, &request);
    double some[] = {1, 2, 3, 100, 127, 128, 300};
    decay_request other = request;
    other.points = (decay_points){.list = some, .count = 7};
    assert_int_equal(sweep(&list, &other), count);
    for (int c = 0; c < count; c++)
        for (int k = 0; k < 7; k++) {
            check_same(list[c].value[k], line[c].value[(int)some[k]]);
            check_same(list[c].error[k], line[c].error[(int)some[k]]);
        }
    decay_curves_free(line, count);
    decay_curves_free(list, count);
    double far[] = {7, 0x1p40};
    other.points = (decay_points){.list = far, .count = 2};
    memset(other.wants, 0, sizeof other.wants);
    other.wants[QUANTITY_SUM] = true;
    assert_int_equal(sweep(&list, &other), 1);
    check_curve(list, &other.points);
    decay_curves_free(list, 1);
}

/* Parts in a row hold the values of the whole, wherever they are cut. */
static void test_shards(void **state) {
    (void)state;
    rope_spec spec;
    decay_curve *whole, *part;
    decay_request request = small_request(&spec, "0:100");
    request.wants[QUANTITY_BOUND] = request.wants[QUANTITY_SCORE] = true;
    const int curves = sweep(&whole, &request);
    static const int shards[] = {2, 3, 7, 40, 300};
    for (int s = 0; s < 5; s++) {
        int64_t row = 0;
        request.shards = shards[s];
        for (request.shard = 1; request.shard <= request.shards; request.shard++) {
            const int count = sweep(&part, &request);
            for (int c = 0; c < count; c++)
                for (int64_t k = 0; k < part[c].count; k++, row++) {
                    const decay_curve *const from = &whole[row / 100];
                    assert_int_equal(part[c].from + k, row % 100);
                    assert_ptr_equal(part[c].kind, from->kind);
                    check_same(part[c].value[k], from->value[row % 100]);
                    check_same(part[c].error[k], from->error[row % 100]);
                }
            decay_curves_free(part, count);
        }
        assert_int_equal(row, 100 * curves);
    }
    decay_curves_free(whole, curves);
}

/* Statistics against sums over the same samples, written out. */
static void test_statistics(void **state) {
    (void)state;
    enum { SAMPLES = 5 };
    rope_spec spec;
    decay_curve *curves;
    decay_vectors vectors;
    rope_error error;
    decay_request request = small_request(&spec, "3:4");
    request.wants[QUANTITY_SCORE] = true;
    request.vectors =
        (decay_vector_request){.kind = decay_vector_kind_named("gaussian"), .samples = SAMPLES, .seed = 7};
    const int count = sweep(&curves, &request);
    const rope_spec paired = decay_paired(&spec);
    assert_int_equal(decay_vectors_new(&vectors, &request.vectors, &paired, &error), ROPE_OK);
    double score[SAMPLES], mean = 0, square = 0;
    for (int s = 0; s < SAMPLES; s++) {
        score[s] = 0;
        for (int j = 0; j < 4; j++) { /* Re q conj(k) e^(i r theta), interleaved pairs */
            const double *const q = decay_query(&vectors, s) + 2 * j, *const k = decay_key(&vectors, s) + 2 * j;
            const double angle = 3 * pow(10000, -j / 4.0);
            score[s] += (q[0] * k[0] + q[1] * k[1]) * cos(angle) - (q[1] * k[0] - q[0] * k[1]) * sin(angle);
        }
        mean += score[s] / SAMPLES;
        square += score[s] * score[s] / SAMPLES;
    }
    int above = 0;
    assert_int_equal(count, 5);
    for (int s = 0; s < SAMPLES; s++) above += score[s] >= curves[3].value[0] - 0x1p-40;
    /* four terms below 2^6, sums in doubles: some 20 roundings of 2^-47 */
    check_near(curves[0].value[0], mean, 0x1p-42);
    check_near(curves[1].value[0], sqrt(square), 0x1p-42);
    assert_int_equal(above, 3); /* the median of five: itself and two above */
    assert_true(curves[2].value[0] <= curves[3].value[0] && curves[3].value[0] <= curves[4].value[0]);
    decay_vectors_free(&vectors);
    decay_curves_free(curves, count);
}

/* A seed's upper half counts; scores that would overflow are refused, whatever they are computed with. */
static void test_vectors(void **state) {
    (void)state;
    static const uint64_t seeds[] = {1, UINT64_C(1) << 32 | 1, UINT64_C(2) << 32 | 1, 2};
    enum { SEEDS = sizeof seeds / sizeof *seeds };
    double first[SEEDS];
    rope_error error;
    rope_spec spec = rope_spec_default();
    spec.dim = 8;
    assert_int_equal(rope_spec_check(&spec, &error), ROPE_OK);
    spec = decay_paired(&spec);
    for (int k = 0; k < SEEDS; k++) {
        decay_vectors vectors;
        const decay_vector_request request = {
            .kind = decay_vector_kind_named("gaussian"), .samples = 1, .seed = seeds[k]};
        assert_int_equal(decay_vectors_new(&vectors, &request, &spec, &error), ROPE_OK);
        first[k] = decay_query(&vectors, 0)[0];
        for (int i = 0; i < k; i++) assert_true(first[i] != first[k]);
        decay_vectors_free(&vectors);
    }
    static const struct {
        double magnitude;
        rope_status status;
    } row[] = {{1e60, ROPE_OK}, {1e-60, ROPE_OK}, {1.1e60, ROPE_BAD_INPUT}, {0.9e-60, ROPE_BAD_INPUT}};
    const decay_vector_request ones = {.kind = &decay_vector_kinds[0]};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        decay_vectors vectors;
        spec.magnitude = row[k].magnitude, spec.has_magnitude = true;
        assert_int_equal(decay_vectors_new(&vectors, &ones, &spec, &error), row[k].status);
        if (row[k].status == ROPE_OK) decay_vectors_free(&vectors);
    }
}

/* ---- the closed form ----------------------------------------------------------------------------------- */

/* int cos(x) dx/x from r/b to r by Simpson's rule in s = ln x: with n intervals of width w the error is below w^4 / 180
 * times the length times the fourth derivative of cos(e^s), which is below x^4 + 6 x^3 + 7 x^2 + x. */
static double integral(double r, double b, double *bound) {
    enum { N = 200000 };
    const double low = log(r / b), w = log(b) / N;
    double sum = 0.0;
    for (int k = 0; k <= N; k++) sum += (k == 0 || k == N ? 1 : k % 2 ? 4 : 2) * cos(exp(low + k * w));
    *bound = pow(w, 4) / 180 * log(b) * (pow(r, 4) + 6 * pow(r, 3) + 7 * r * r + r) + 0x1p-35;
    return sum * w / 3;
}

static void test_law(void **state) {
    (void)state;
    rope_spec spec = rope_spec_default();
    decay_law law;
    rope_error error;
    assert_int_equal(rope_spec_check(&spec, &error), ROPE_OK);
    assert_int_equal(decay_law_new(&law, &spec, &error), ROPE_OK);
    for (int k = 0; k < 3; k++) {
        const double r = (double[]){1, 10, 50}[k];
        double bound;
        const double want = 64 * integral(r, 1e4, &bound) / log(1e4);
        check_near(decay_law_sum(&law, r), want, 64 * bound / log(1e4));
    }
    check_near(decay_law_sum(&law, 0), 64, 0x1p-40);
    check_near(decay_law_bound(&law, 0), 32.5, 0x1p-40); /* the mean of i, i = 1 .. 64 */
    /* a scaling rule that divides all frequencies by 4 moves the curve by 4 */
    rope_spec slow = rope_spec_default();
    decay_law slow_law;
    assert_int_equal(rope_spec_set_scaling(&slow, "linear:factor=4", &error), ROPE_OK);
    assert_int_equal(rope_spec_check(&slow, &error), ROPE_OK);
    assert_int_equal(decay_law_new(&slow_law, &slow, &error), ROPE_OK);
    check_near(decay_law_sum(&slow_law, 40), decay_law_sum(&law, 10), 0x1p-38);
    check_near(decay_law_bound(&slow_law, 40), decay_law_bound(&law, 10), 0x1p-38);
}

/* Random phases by a seeded walk: 4 standard errors of the mean of N values whose deviation is below that of the
 * longest, sqrt(h). */
static void test_floor(void **state) {
    (void)state;
    enum { N = 4000, H = 16 };
    uint64_t seed = 11;
    double B = 0.0, square = 0.0;
    for (int n = 0; n < N; n++) {
        double re = 0.0, im = 0.0;
        for (int i = 0; i < H; i++) {
            const double angle = check_uniform(&seed, 0, 2 * M_PI);
            re += cos(angle), im += sin(angle);
            B += hypot(re, im) / H / N;
        }
        square += re * re / N;
    }
    check_near(decay_floor_bound(H), B, 4 * sqrt(H * (1 - M_PI / 4) / N));
    check_near(decay_floor_sum(H) * decay_floor_sum(H), square, 4 * H / 2.0 * sqrt(2.0 / N));
    check_near(decay_floor_bound(1), 1.0, 0.0);
    check_near(decay_floor_bound(2), 0.5 + 2 / M_PI, 0x1p-52);
}

/* ---- first negative sums ------------------------------------------------------------------------------- */

static void check_first(int dim, int rotary_dim, double base, int64_t limit) {
    rope_spec spec = rope_spec_default();
    rope_error error;
    int64_t first, want = 0;
    spec.dim = dim, spec.rotary_dim = rotary_dim, spec.base = base;
    assert_int_equal(rope_spec_check(&spec, &error), ROPE_OK);
    assert_int_equal(decay_first_negative(&first, &spec, limit, NULL, &error), ROPE_OK);
    mpfr_t B, C, r;
    mpfr_inits2(BITS, B, C, r, (mpfr_ptr)0);
    for (int64_t m = 1; m < limit && !want; m++) {
        mpfr_set_si(r, (long)m, MPFR_RNDN);
        naive(B, C, rotary_dim, base, r);
        if (mpfr_cmp_d(C, -(dim - rotary_dim) / 2.0) < 0) want = m;
    }
    assert_int_equal(first, want);
    mpfr_clears(B, C, r, (mpfr_ptr)0);
}

static void test_first_negative(void **state) {
    (void)state;
    check_first(8, 8, 100, 1000);
    check_first(16, 16, 10000, 1000);
    check_first(32, 32, 500, 1000);
    check_first(10, 8, 1.5, 1000); /* one pair is not turned */
    check_first(16, 8, 100, 1000); /* half of them: never */
    check_first(8, 8, 100, 2);     /* not within the limit */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distances), cmocka_unit_test(test_digits),
                                       cmocka_unit_test(test_curves),    cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_shards),    cmocka_unit_test(test_statistics),
                                       cmocka_unit_test(test_vectors),   cmocka_unit_test(test_law),
                                       cmocka_unit_test(test_floor),     cmocka_unit_test(test_first_negative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
