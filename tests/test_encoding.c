/* Every scheme against values of another program, its own sum against its direct score, its bounds against 200 bits,
 * and tables of offsets edge by edge. Twins: tests/twins/scheme.c. */
#include "check.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>

#include "../analysis/compare/encoding.h"
#include "twins/scheme.h"

static const double u = 0x1p-53;

static compare_data data_of(const char *kind, int dim, int64_t length, long bits) {
    compare_request request = compare_request_default();
    compare_data data;
    rope_error error;
    request.data = kind, request.dim = dim, request.length = length, request.bits = bits;
    if (compare_data_new(&data, &request, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return data;
}

static encoding_run run_of(const encoding *scheme, const compare_data *data, int64_t first) {
    encoding_run run;
    rope_error error;
    if (encoding_build(&run, scheme, data, first, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return run;
}

/* ---- values of another program ----------------------------------------------------------------------- */

typedef struct expected {
    char scheme[40], term[40], value[80];
    int m, n;
} expected;

static bool next_expected(FILE *file, expected *want) {
    char line[256];
    if (!check_read_vector(file, line, sizeof line)) return false;
    assert_int_equal(sscanf(line, "%39s %39s %d %d %79s", want->scheme, want->term, &want->m, &want->n, want->value),
                     5);
    return true;
}

/* Which number of the run the term's name means; -9: none. */
static int which_of(const encoding *scheme, const char *term) {
    if (!strcmp(term, "sum")) return ENCODING_SUM;
    for (int k = 0; scheme->term[k].id; k++)
        if (!strcmp(scheme->term[k].id, term)) return k;
    return -9;
}

/* |got - want| <= bound + 1e-29 |want|, the rounding of thirty printed digits being half of that. */
static bool is_near(const mpfr_t got, const char *want, double bound) {
    mpfr_t error, w;
    mpfr_inits2(256, error, w, (mpfr_ptr)0);
    mpfr_set_str(w, want, 10, MPFR_RNDN);
    mpfr_sub(error, got, w, MPFR_RNDA);
    mpfr_abs(error, error, MPFR_RNDA);
    const bool near = mpfr_get_d(error, MPFR_RNDU) <= bound + 1e-29 * fabs(mpfr_get_d(w, MPFR_RNDN));
    mpfr_clears(error, w, (mpfr_ptr)0);
    return near;
}

/* Values of double are proven to 13 digits, those of 128 bits to 25, of the number or of 1, the size of the data: a
 * wider bound would let mistakes through. */
static bool is_sharp(double bound, const char *want, long bits) {
    return bound <= (bits == ROWS_DOUBLE ? 1e-13 : 1e-25) * fmax(1.0, fabs(strtod(want, NULL)));
}

/* Block, and one value alone, both in the run's arithmetic; a block's number is a double either way. */
static bool value_agrees(const encoding_run *run, int which, const expected *want) {
    const int64_t N = (int64_t)run->data->length;
    const long bits = run->data->bits;
    double *value = malloc((size_t)N * sizeof *value), *bound = malloc((size_t)N * sizeof *bound), exact_bound;
    mpfr_t got, block;
    mpfr_init2(got, bits > ROWS_DOUBLE ? bits : 64);
    mpfr_init2(block, ROWS_DOUBLE);
    encoding_block(run, which, want->m, 1, value, bound);
    encoding_exact(got, run, which, want->m, want->n, &exact_bound);
    mpfr_set_d(block, value[want->n], MPFR_RNDN);
    const bool agrees = is_near(got, want->value, exact_bound) && is_sharp(exact_bound, want->value, bits) &&
                        is_near(block, want->value, bound[want->n]) &&
                        is_sharp(bound[want->n], want->value, ROWS_DOUBLE);
    mpfr_clears(got, block, (mpfr_ptr)0);
    free(value);
    free(bound);
    return agrees;
}

static bool norm_agrees(const encoding_run *run, const expected *want) {
    const double norm = run->query->norm[want->m], bound = run->query->error[want->m] + 40 * u * norm;
    return fabs(norm - strtod(want->value, NULL)) <= bound; /* norm is up by (d + 16) u at most */
}

/* How many of the file's values of `name` the scheme misses; seen: of how many. Both scores are asked for a sum. */
static int missed(const encoding *scheme, const char *name, long bits, int *seen) {
    compare_data data = data_of("reference", 0, 0, bits);
    encoding_run run = run_of(scheme, &data, 0);
    FILE *file = check_open_vectors("compare_reference.txt");
    expected want;
    int wrong = 0;
    for (*seen = 0; next_expected(file, &want);) {
        if (strcmp(want.scheme, name)) continue;
        const int which = which_of(scheme, want.term);
        ++*seen;
        if (!strcmp(want.term, "query-norm"))
            wrong += !norm_agrees(&run, &want);
        else if (which >= run.terms || which < ENCODING_DIRECT)
            wrong++;
        else
            wrong += !value_agrees(&run, which, &want);
        if (which == ENCODING_SUM) wrong += !value_agrees(&run, ENCODING_DIRECT, &want);
    }
    fclose(file);
    encoding_free(&run);
    compare_data_free(&data);
    return wrong;
}

static void test_reference(void **state) {
    (void)state;
    for (int k = 0; encodings[k]; k++) {
        int terms = 0, seen;
        while (encodings[k]->term[terms].id) terms++;
        if (missed(encodings[k], encodings[k]->name, ROWS_DOUBLE, &seen)) fail_msg("%s in double", encodings[k]->name);
        if (missed(encodings[k], encodings[k]->name, 128, &seen)) fail_msg("%s in 128 bits", encodings[k]->name);
        assert_true(seen >= 4 * (terms + 1)); /* four pairs (m, n), each term and their sum */
    }
}

static void test_twins_are_caught(void **state) {
    (void)state;
    for (const scheme_twin *twin = scheme_twins; twin->mistake; twin++) {
        const encoding scheme = scheme_of_twin(twin);
        int seen;
        if (!missed(&scheme, twin->of, ROWS_DOUBLE, &seen)) fail_msg("%s: %s is not caught", twin->of, twin->mistake);
    }
}

/* The twin is what it is said to be: its score is the file's value for that mistake. */
static void test_rotation_before_projection(void **state) {
    (void)state;
    const encoding scheme = scheme_of_twin(&scheme_twins[0]);
    int seen;
    assert_string_equal(scheme_twins[0].is, "rotated-tokens");
    assert_int_equal(missed(&scheme, "rotated-tokens", 128, &seen), 0);
    assert_int_equal(seen, 4);
}

/* ---- every scheme on random tokens ------------------------------------------------------------------- */

typedef struct block {
    double *value, *bound; /* [N][N] */
} block;

static block block_of(const encoding_run *run, int which) {
    const size_t N = run->data->length;
    block b = {malloc(N * N * sizeof *b.value), malloc(N * N * sizeof *b.bound)};
    assert_true(b.value && b.bound);
    encoding_block(run, which, 0, (int64_t)N, b.value, b.bound);
    return b;
}

static void free_block(block *b) {
    free(b->value);
    free(b->bound);
}

/* Largest |a - b| / (bound a + bound b) over all pairs. */
static double worst(const block *a, const block *b, size_t count) {
    double ratio = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double difference = fabs(a->value[k] - b->value[k]), bound = a->bound[k] + b->bound[k];
        if (difference > 0.0) ratio = fmax(ratio, difference / bound);
        if (isnan(difference)) return INFINITY;
    }
    return ratio;
}

static void test_sum_is_direct(void **state) {
    (void)state;
    static const char *const kinds[] = {"gaussian", "constant", "one-hot", "repeated"};
    static const int64_t firsts[] = {0, 1, 1000, 65537};
    for (int kind = 0; kind < 4; kind++) {
        compare_data data = data_of(kinds[kind], 24, 70, ROWS_DOUBLE);
        for (int k = 0; encodings[k]; k++) {
            encoding_run run = run_of(encodings[k], &data, firsts[kind]);
            block sum = block_of(&run, ENCODING_SUM), direct = block_of(&run, ENCODING_DIRECT);
            if (!(worst(&sum, &direct, 70 * 70) <= 1.0)) fail_msg("%s, %s", encodings[k]->name, kinds[kind]);
            free_block(&sum);
            free_block(&direct);
            encoding_free(&run);
        }
        compare_data_free(&data);
    }
}

/* What theory calls relative moves under a shift by no more than the bounds; what it does not moves by far more. */
static void test_theory(void **state) {
    (void)state;
    compare_data data = data_of("gaussian", 24, 70, ROWS_DOUBLE);
    for (int k = 0; encodings[k]; k++) {
        const encoding *scheme = encodings[k];
        encoding_run here = run_of(scheme, &data, 0), there = run_of(scheme, &data, 977);
        bool all = true;
        for (int which = ENCODING_SUM; which < here.terms; which++) {
            const bool relative = which == ENCODING_SUM ? scheme->relative : scheme->term[which].relative;
            block a = block_of(&here, which), b = block_of(&there, which);
            const double ratio = worst(&a, &b, 70 * 70);
            if (relative != (ratio <= 1.0) || (!relative && ratio < 1e6))
                fail_msg("%s, term %d: moved by %g bounds", scheme->name, which, ratio);
            if (which >= 0) all = all && relative;
            free_block(&a);
            free_block(&b);
        }
        assert_true(all == scheme->relative);
        encoding_free(&here);
        encoding_free(&there);
    }
    compare_data_free(&data);
}

/* The twin that rotates before the projection is not relative; the one that rotates the wrong way is. */
static void test_shift_tells_where_rotation_stands(void **state) {
    (void)state;
    compare_data data = data_of("gaussian", 24, 70, ROWS_DOUBLE);
    for (int k = 0; k < 2; k++) {
        const encoding scheme = scheme_of_twin(&scheme_twins[k]);
        encoding_run here = run_of(&scheme, &data, 0), there = run_of(&scheme, &data, 977);
        block a = block_of(&here, ENCODING_SUM), b = block_of(&there, ENCODING_SUM);
        assert_true((worst(&a, &b, 70 * 70) <= 1.0) == (k == 1));
        free_block(&a);
        free_block(&b);
        encoding_free(&here);
        encoding_free(&there);
    }
    compare_data_free(&data);
}

/* ---- bounds ------------------------------------------------------------------------------------------ */

/* Errors of a block in double, found with 200 bits: none above its bound, and no bound above 1e4 times their rms. */
static void check_bounds(const encoding_run *run, const encoding_run *fine, int which, double sharp) {
    const int64_t N = (int64_t)run->data->length;
    block got = block_of(run, which);
    double squares = 0.0, largest = 0.0;
    mpfr_t truth;
    mpfr_init2(truth, 200);
    for (int64_t k = 0; k < N * N; k++) {
        double rest;
        encoding_exact(truth, fine, which, k / N, k % N, &rest);
        mpfr_sub_d(truth, truth, got.value[k], MPFR_RNDA);
        const double error = fabs(mpfr_get_d(truth, MPFR_RNDA));
        if (!(error <= got.bound[k] + rest))
            fail_msg("%s, term %d at (%d, %d): error %g, bound %g", run->encoding->name, which, (int)(k / N),
                     (int)(k % N), error, got.bound[k]);
        squares += error * error / (double)(N * N);
        largest = fmax(largest, got.bound[k]);
    }
    if (!(largest <= sharp * sqrt(squares)) && squares > 0.0)
        fail_msg("%s, term %d: bound %g, rms error %g", run->encoding->name, which, largest, sqrt(squares));
    mpfr_clear(truth);
    free_block(&got);
}

static void check_all_bounds(const char *kind, int64_t first) {
    compare_data data = data_of(kind, 12, 16, ROWS_DOUBLE), exact = data_of(kind, 12, 16, 200);
    for (int k = 0; encodings[k]; k++) {
        encoding_run run = run_of(encodings[k], &data, first), fine = run_of(encodings[k], &exact, first);
        for (int which = ENCODING_DIRECT; which < run.terms; which++) check_bounds(&run, &fine, which, 1e4);
        encoding_free(&run);
        encoding_free(&fine);
    }
    compare_data_free(&data);
    compare_data_free(&exact);
}

static void test_bounds(void **state) {
    (void)state;
    check_all_bounds("gaussian", 0);
    check_all_bounds("gaussian", 1000);
    check_all_bounds("gaussian", 5000000);
    check_all_bounds("reference", 5);
}

/* A bound that is a thousandth of what it should be does not hold: errors come that near. */
static void test_bounds_are_needed(void **state) {
    (void)state;
    compare_data data = data_of("gaussian", 16, 24, ROWS_DOUBLE), exact = data_of("gaussian", 16, 24, 200);
    encoding_run run = run_of(encoding_named("rope"), &data, 0), fine = run_of(encoding_named("rope"), &exact, 0);
    block got = block_of(&run, ENCODING_DIRECT), truth = block_of(&fine, ENCODING_DIRECT);
    bool above = false;
    for (size_t k = 0; k < 24 * 24; k++) above = above || fabs(got.value[k] - truth.value[k]) > got.bound[k] / 1000;
    assert_true(above);
    free_block(&got);
    free_block(&truth);
    encoding_free(&run);
    encoding_free(&fine);
    compare_data_free(&data);
    compare_data_free(&exact);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* Blocks of any height, made by several threads, hold the bits of the whole. */
static void test_blocks(void **state) {
    (void)state;
    enum { N = 131 };
    compare_data data = data_of("gaussian", 10, N, ROWS_DOUBLE);
    for (int k = 0; encodings[k]; k++) {
        encoding_run run = run_of(encodings[k], &data, 3);
        block whole = block_of(&run, ENCODING_SUM);
        int differ = 0;
#pragma omp parallel for reduction(+ : differ)
        for (int count = 1; count < 50; count += 6) {
            double value[50 * N], bound[50 * N];
            const int64_t from = N - count;
            encoding_block(&run, ENCODING_SUM, from, count, value, bound);
            differ += memcmp(value, whole.value + from * N, (size_t)count * N * sizeof *value) != 0;
            differ += memcmp(bound, whole.bound + from * N, (size_t)count * N * sizeof *bound) != 0;
            encoding_block(&run, ENCODING_SUM, from, count, bound, NULL);
            differ += memcmp(bound, value, (size_t)count * N * sizeof *bound) != 0;
        }
        assert_int_equal(differ, 0);
        free_block(&whole);
        encoding_free(&run);
    }
    compare_data_free(&data);
}

static void test_one_token(void **state) {
    (void)state;
    compare_data data = data_of("gaussian", 2, 1, ROWS_DOUBLE);
    for (int k = 0; encodings[k]; k++) {
        encoding_run run = run_of(encodings[k], &data, 0);
        block sum = block_of(&run, ENCODING_SUM), direct = block_of(&run, ENCODING_DIRECT);
        assert_true(worst(&sum, &direct, 1) <= 1.0);
        free_block(&sum);
        free_block(&direct);
        encoding_free(&run);
    }
    compare_data_free(&data);
}

static void test_refused_positions(void **state) {
    (void)state;
    static const struct {
        const char *scheme, *reason;
        int64_t first;
    } refused[] = {{"rope", "too far", INT64_C(1) << 30},
                   {"rope", "too far", INT64_MIN},
                   {"learned", "no row", -1},
                   {"t5-roformer", "does not fit", -1}};
    compare_data data = data_of("gaussian", 4, 8, ROWS_DOUBLE);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        encoding_run run;
        rope_error error;
        assert_int_equal(encoding_build(&run, encoding_named(refused[k].scheme), &data, refused[k].first, &error),
                         ROPE_BAD_INPUT);
        check_contains(error.reason, refused[k].reason);
        assert_int_equal(run.kept, 0);
    }
    compare_data_free(&data);
}

/* ---- tables of offsets ------------------------------------------------------------------------------- */

/* First distance of each bucket, by Python's integers: the largest t with D^t e^s <= n^s e^t (e exact ones, s steps).
 */
static const int causal_edges[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
static const int both_edges[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
static const int
    wide_edges[] = {0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,
                    17,  18,  19,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,  32,  36,
                    40,  45,  50,  55,  62,  68,  76,  85,  94,  105, 117, 130, 145, 161, 179, 200, 222,
                    248, 276, 307, 342, 380, 423, 471, 525, 585, 651, 725, 807, 899}; /* 64 buckets, largest distance
                                                                                         1000 */
static const int log_edges[] = {16, 17, 19, 22, 25, 28, 32, 37,
                                43, 49, 56, 64, 74, 84, 97, 111}; /* of distance 16, 17, ... 31 */

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static int bucket_by_edges(const int *edge, int count, int64_t n) {
    int bucket = 0;
    while (bucket + 1 < count && edge[bucket + 1] <= n) bucket++;
    return bucket;
}

static void test_buckets(void **state) {
    (void)state;
    for (int64_t n = 0; n <= 4000; n++) {
        assert_int_equal(encoding_bucket(-n, false, 32, 128), bucket_by_edges(causal_edges, COUNT(causal_edges), n));
        assert_int_equal(encoding_bucket(n, false, 32, 128), 0);
        assert_int_equal(encoding_bucket(-n, true, 32, 128), bucket_by_edges(both_edges, COUNT(both_edges), n));
        assert_int_equal(encoding_bucket(n, true, 32, 128),
                         (n ? 16 : 0) + bucket_by_edges(both_edges, COUNT(both_edges), n));
        assert_int_equal(encoding_bucket(-n, false, 64, 1000), bucket_by_edges(wide_edges, COUNT(wide_edges), n));
    }
    assert_int_equal(encoding_bucket(-INT64_C(1000000000), true, 32, 128), 15);
}

static void test_log_distances(void **state) {
    (void)state;
    for (int64_t x = 0; x <= 600; x++) {
        const int64_t want = x <= 16 ? x : 16 + bucket_by_edges(log_edges, COUNT(log_edges), x);
        assert_int_equal(encoding_log_distance(x, 32, 128), want);
        assert_int_equal(encoding_log_distance(-x, 32, 128), -want);
    }
    /* the released sizes, at the middle, and where a quotient of logarithms is 1: M - 1, M and beyond */
    static const int at[][2] = {{127, 127}, {128, 128}, {129, 129}, {132, 131},
                                {510, 255}, {511, 255}, {512, 255}, {100000, 255}};
    for (int k = 0; k < COUNT(at); k++) {
        assert_int_equal(encoding_log_distance(at[k][0], 256, 512), at[k][1]);
        assert_int_equal(encoding_log_distance(-at[k][0], 256, 512), -at[k][1]);
    }
}

static void test_clip(void **state) {
    (void)state;
    static const int clips[][3] = {{0, 4, 4},  {3, 4, 7},  {4, 4, 8},  {5, 4, 8}, {9, 4, 8},
                                   {-3, 4, 1}, {-4, 4, 0}, {-5, 4, 0}, {7, 1, 2}};
    for (int k = 0; k < COUNT(clips); k++) assert_int_equal(encoding_clip(clips[k][0], clips[k][1]), clips[k][2]);
}

/* The term of Shaw does not tell k from k + 5, and does tell k from k - 1; DeBERTa's has -k .. k - 1 of m - n. */
static void test_terms_beyond_the_clip(void **state) {
    (void)state;
    enum { N = 40, K = 4, M = 20 };
    compare_data data = data_of("reference", 0, 0, ROWS_DOUBLE);
    assert_int_equal(data.request.clip, K);
    encoding_run shaw = run_of(encoding_named("shaw"), &data, 0), deberta = run_of(encoding_named("deberta"), &data, 0);
    double a[32], c2p[32];
    encoding_block(&shaw, 1, M, 1, a, NULL);
    encoding_block(&deberta, 1, M, 1, c2p, NULL); /* every token is the same: the row shows the table alone */
    assert_true(a[M + K] == a[M + K + 5] && a[M + K] != a[M + K - 1]);
    assert_true(a[M - K] == a[M - K - 5] && a[M - K] != a[M - K + 1]);
    assert_true(c2p[M - K + 1] == c2p[M - K] && c2p[M - K + 1] != c2p[M - K + 2]); /* m - n = k - 1 is the last */
    assert_true(c2p[M + K] == c2p[M + K + 1] && c2p[M + K] != c2p[M + K - 1]);     /* m - n = -k */
    encoding_free(&shaw);
    encoding_free(&deberta);
    compare_data_free(&data);
}

/* Slopes of 8 and 16 heads are the paper's; 12 heads: 8 of them, and the 1st, 3rd, 5th, 7th of 16. */
static void test_slopes(void **state) {
    (void)state;
    static const double twelve[] = {1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5};
    for (int k = 1; k <= 8; k++) check_same(encoding_alibi_exponent(8, k), (double)k);
    for (int k = 1; k <= 16; k++) check_same(encoding_alibi_exponent(16, k), k / 2.0);
    for (int k = 1; k <= 12; k++) check_same(encoding_alibi_exponent(12, k), twelve[k - 1]);
    check_same(encoding_alibi_exponent(1, 1), 8.0);
}

/* Head 9 of 12: s = 2^-(1/2), so -s |r| for r = 3 is -3/sqrt(2) = -2.1213203435596425732... */
static void test_slope_of_other_heads(void **state) {
    (void)state;
    compare_request request = compare_request_default();
    compare_data data;
    request.length = 8, request.heads = 12, request.head = 9, request.bits = 128;
    assert_int_equal(compare_data_new(&data, &request, NULL), ROPE_OK);
    encoding_run run = run_of(encoding_named("alibi"), &data, 0);
    double bound;
    mpfr_t bias;
    mpfr_init2(bias, 128);
    encoding_exact(bias, &run, 1, 2, 5, &bound);
    assert_true(is_near(bias, "-2.12132034355964257320253308631454711785", bound) && bound < 1e-36);
    mpfr_clear(bias);
    encoding_free(&run);
    compare_data_free(&data);
}

/* ---- what is said of a scheme ------------------------------------------------------------------------ */

static void test_words(void **state) {
    (void)state;
    compare_data data = data_of("gaussian", 8, 20, ROWS_DOUBLE);
    for (int k = 0; encodings[k]; k++) {
        const encoding *e = encodings[k];
        const char *words[] = {e->name,
                               e->title,
                               e->source,
                               e->formula,
                               e->idea,
                               e->parameters_formula,
                               e->cost_formula,
                               e->rank_formula,
                               e->rank_reason,
                               e->linear_reason,
                               e->extrapolates_reason,
                               e->next};
        for (int w = 0; w < COUNT(words); w++) assert_true(words[w] && *words[w]);
        check_contains(e->next, "rope-compare ");
        assert_ptr_equal(encoding_named(e->name), e);
        encoding_run run = run_of(e, &data, 0);
        for (int t = 0; t < run.terms; t++) assert_true(e->term[t].id && e->term[t].formula && e->term[t].words);
        assert_null(e->term[run.terms].id);
        assert_true(run.parts >= 1 && e->parameters(&data) >= 0 && e->cost(&data) >= 0);
        assert_true(e->rank(&data) == -1 || (e->rank(&data) >= 1 && e->rank(&data) <= 20));
        encoding_free(&run);
    }
    assert_ptr_equal(encoding_named("txl"), encoding_named("transformer-xl"));
    assert_null(encoding_named("rope-x"));
    compare_data_free(&data);
}

/* Counts for d = 8, N = 20, clip 16, 32 buckets, by hand. */
static void test_counts(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int parameters, cost, rank;
    } counts[] = {{"none", 0, 0, 8},
                  {"sinusoidal", 0, 0, 8},
                  {"learned", 160, 0, 8},
                  {"shaw", 2 * 33 * 8, 2 * 20 * 33 * 8, -1},
                  {"shaw-roformer", 2 * 33 * 8, 2 * 33 * 8 * 28, -1},
                  {"transformer-xl", 80, 39 * 64 + 3200, 16},
                  {"t5", 32, 0, -1},
                  {"t5-roformer", 400, 0, -1},
                  {"tupe", 128 + 39, 2 * 20 * 64 + 3200, -1},
                  {"deberta", 128 + 256, 4 * 16 * 8 * 28, -1},
                  {"deberta-log", 128 + 512, 4 * 32 * 8 * 28, -1},
                  {"deberta-roformer", 0, 2 * 39 * 64 + 2 * 3200, 20},
                  {"alibi", 0, 39, -1},
                  {"alibi-signed", 0, 39, 10},
                  {"rope", 0, 640, 8},
                  {"xpos", 0, 640, 8}};
    compare_data data = data_of("gaussian", 8, 20, ROWS_DOUBLE);
    for (int k = 0; k < COUNT(counts); k++) {
        const encoding *e = encoding_named(counts[k].scheme);
        assert_int_equal(e->parameters(&data), counts[k].parameters);
        assert_int_equal(e->cost(&data), counts[k].cost);
        assert_int_equal(e->rank(&data), counts[k].rank);
    }
    compare_data_free(&data);
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_twins_are_caught),
        cmocka_unit_test(test_rotation_before_projection),
        cmocka_unit_test(test_sum_is_direct),
        cmocka_unit_test(test_theory),
        cmocka_unit_test(test_shift_tells_where_rotation_stands),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bounds_are_needed),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_one_token),
        cmocka_unit_test(test_refused_positions),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_log_distances),
        cmocka_unit_test(test_clip),
        cmocka_unit_test(test_terms_beyond_the_clip),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_slope_of_other_heads),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_counts),
    };
    const int failed = cmocka_run_group_tests_name("encoding", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
