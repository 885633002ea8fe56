/* rope-compare's measurements and claims, against sums written out here, published values, and schemes with one mistake
 * in them. */
#include "check.h"

#include <stdlib.h>

#include "../analysis/compare/linear.h"
#include "../analysis/compare/measure.h"
#include "../analysis/compare/myths.h"
#include "../analysis/compare/table.h"
#include "../analysis/compare/values.h"

static const double u = 0x1p-53;

static compare_data make_data(const char *kind, int dim, int64_t length) {
    compare_request request = compare_request_default();
    compare_data data;
    rope_error error;
    request.data = kind;
    request.dim = dim;
    request.length = length;
    if (compare_data_new(&data, &request, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return data;
}

static measurement measure_on(const encoding *scheme, const compare_data *data, int64_t shift) {
    measurement m;
    rope_error error;
    assert_non_null(scheme);
    if (measure(&m, scheme, data, shift, NULL, NULL, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return m;
}

static measurement measure_named(const char *name, const char *kind, int dim, int64_t length, int64_t shift) {
    compare_data data = make_data(kind, dim, length);
    const measurement m = measure_on(encoding_named(name), &data, shift);
    compare_data_free(&data);
    return m;
}

/* ---- scores written out ------------------------------------------------------------------------------ */

static double entry(const rows *a, size_t t, size_t c) {
    return gsl_matrix_get(a->value, t, c);
}

/* cos and sin of the sum's angle r theta_i, straight from the formula [RoFormer eq. 15]. */
static long double theta(size_t dim, size_t i) {
    return powl(10000.0L, -2.0L * (long double)i / (long double)dim);
}

/* sum_i Re q_i conj(k_i) e^(i (m - n) theta_i), pairs interleaved [RoFormer eq. 35]. */
static long double rope_score(const compare_data *data, size_t m, size_t n) {
    long double sum = 0.0L;
    for (size_t i = 0; i < data->dim / 2; i++) {
        const long double a = entry(data->q, m, 2 * i), b = entry(data->q, m, 2 * i + 1), c = entry(data->k, n, 2 * i),
                          d = entry(data->k, n, 2 * i + 1),
                          angle = ((long double)m - (long double)n) * theta(data->dim, i);
        sum += (a * c + b * d) * cosl(angle) - (b * c - a * d) * sinl(angle);
    }
    return sum;
}

/* (W_q (x_m + p)) . (W_k (x_n + p')) with positions m + first, n + first, sinusoids as (sin, cos). */
static long double additive_score(const compare_data *data, size_t m, size_t n, long first) {
    enum { MOST = 64 };
    const size_t d = data->dim;
    long double x[MOST], y[MOST], sum = 0.0L;
    for (size_t c = 0; c < d; c++) {
        const long double a = theta(d, c / 2) * (long double)((long)m + first),
                          b = theta(d, c / 2) * (long double)((long)n + first);
        x[c] = entry(data->x_query, m, c) + (c % 2 ? cosl(a) : sinl(a));
        y[c] = entry(data->x_key, n, c) + (c % 2 ? cosl(b) : sinl(b));
    }
    for (size_t row = 0; row < d; row++) {
        long double query = 0.0L, key = 0.0L;
        for (size_t c = 0; c < d; c++) query += entry(data->W_q, row, c) * x[c], key += entry(data->W_k, row, c) * y[c];
        sum += query * key;
    }
    return sum;
}

/* ---- shift defects ----------------------------------------------------------------------------------- */

/* Moves only where the positions enter on their own. */
static void test_relative(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool relative;
    } want[] = {{"none", true},           {"sinusoidal", false}, {"learned", false}, {"shaw", true},
                {"transformer-xl", true}, {"t5", true},          {"tupe", false},    {"deberta", true},
                {"alibi", true},          {"rope", true},        {"xpos", true}};
    static const char *const kinds[] = {"gaussian", "one-hot", "repeated"};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        compare_data data = make_data(kinds[kind], 16, 40);
        for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
            const measurement m = measure_on(encoding_named(want[k].name), &data, 37);
            if (m.score.stays != (want[k].relative ? MEASURE_YES : MEASURE_NO))
                fail_msg("%s on %s tokens: defect %g, bound %g", want[k].name, kinds[kind], m.score.defect,
                         m.score.bound);
            assert_int_equal(m.sums, MEASURE_YES);
            if (want[k].relative) assert_true(m.score.bound < 1e-9); /* far below what the others move by */
        }
        compare_data_free(&data);
    }
}

/* Every term of every scheme does what its row says, everywhere. */
static void test_terms(void **state) {
    (void)state;
    compare_data data = make_data("gaussian", 8, 33);
    for (const encoding *const *scheme = encodings; *scheme; scheme++) {
        const measurement m = measure_on(*scheme, &data, 1000);
        for (int t = 0; t < m.terms; t++)
            if (m.term[t].stays != ((*scheme)->term[t].relative ? MEASURE_YES : MEASURE_NO))
                fail_msg("%s, %s: defect %g, bound %g", (*scheme)->name, (*scheme)->term[t].id, m.term[t].defect,
                         m.term[t].bound);
        assert_int_equal(m.score.stays, (*scheme)->relative ? MEASURE_YES : MEASURE_NO);
        assert_int_equal(m.norm_kept, (*scheme)->keeps_norm ? MEASURE_YES : MEASURE_NO);
        assert_int_equal(m.output_relative, (*scheme)->relative ? MEASURE_YES : MEASURE_NO);
        assert_int_equal(m.sums, MEASURE_YES);
    }
    compare_data_free(&data);
}

/* The largest defect is that of scores written out. In long double d^2 products of numbers of a few units leave less
 * than 2^-40. */
static void test_defect(void **state) {
    (void)state;
    compare_data data = make_data("gaussian", 8, 12);
    const measurement m = measure_on(encoding_named("sinusoidal"), &data, 25);
    double most = 0.0;
    for (size_t a = 0; a < 12; a++)
        for (size_t b = 0; b < 12; b++)
            most = fmax(most, fabs((double)(additive_score(&data, a, b, 25) - additive_score(&data, a, b, 0))));
    check_near(m.score.defect, most, m.score.bound + 0x1p-40);
    assert_true(most > 1.0);
    compare_data_free(&data);
}

static double cosines(int dim, double r) {
    long double sum = 0.0L;
    for (int i = 0; i < dim / 2; i++) sum += cosl((long double)r * theta((size_t)dim, (size_t)i));
    return (double)sum;
}

/* The bare p_m . p_n is C(m - n), wherever it stands; one position farther it is another number. */
static void test_bare_sinusoid(void **state) {
    (void)state;
    enum { D = 64, N = 24, FIRST = 1000 };
    rows *const p = rows_sinusoid(FIRST, 1, N, D, 1e4, ROWS_DOUBLE);
    for (size_t m = 0; m < N; m++)
        for (size_t n = 0; n < N; n++) {
            double bound;
            const double got = rows_product(p, m, p, n, &bound), r = (double)m - (double)n;
            check_near(got, cosines(D, r), bound + 64 * u);
            assert_true(bound < 1e-11);
            assert_true(fabs(got - cosines(D, r + 1.0)) > bound + 64 * u);
        }
    rows_free(p);
}

/* xPos' factors count from the middle of the text: bounds stay small wherever it stands. Its norms change, for |f_q| =
 * |q| in the middle alone. */
static void test_xpos_far(void **state) {
    (void)state;
    static const int64_t shifts[] = {1000, 20000, 100000, 1 << 29};
    compare_data data = make_data("gaussian", 8, 33);
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
        const measurement m = measure_on(encoding_named("xpos"), &data, shifts[k]);
        assert_int_equal(m.score.stays, MEASURE_YES);
        assert_int_equal(m.norm_kept, MEASURE_NO);
        assert_true(m.score.bound < 1e-11);
    }
    compare_data_free(&data);
}

/* Length 1, shift 0, a negative shift, equal tokens. */
static void test_edges(void **state) {
    (void)state;
    assert_int_equal(measure_named("sinusoidal", "gaussian", 4, 1, 0).score.stays, MEASURE_YES);
    assert_int_equal(measure_named("sinusoidal", "constant", 4, 9, 0).output_relative, MEASURE_YES);
    assert_int_equal(measure_named("rope", "gaussian", 2, 33, -64).score.stays, MEASURE_YES);
    const measurement one = measure_named("rope", "gaussian", 4, 1, 5);
    assert_int_equal(one.rank, 1);
    assert_true(fabs(one.decay[DECAY_ONES][0]) < 1e3);
    assert_true(isnan(one.decay[DECAY_ONES][1]));
    assert_int_equal(measure_named("rope", "gaussian", 4, RANK_LARGEST + 1, 5).rank, -1);
}

/* ---- twins: schemes with one mistake ----------------------------------------------------------------- */

static const encoding_term_text twin_terms[] = {{"content", "", "", true, true}, {"other", "", "", true, false}, {0}};
static int64_t nothing(const compare_data *data) {
    return (void)data, 0;
}

/* One row, 2^-30 m at position m, for an extra term beside the content. */
static const rows *tiny_positions(encoding_run *run, int64_t first) {
    const size_t N = run->data->length;
    rows *const a = rows_new(N, 1, run->data->bits);
    for (size_t t = 0; t < N; t++) {
        const double x = 0x1p-30 * (double)((int64_t)t + first);
        rows_set(a, t, &x);
    }
    rows_settle(a);
    return encoding_keep(run, a);
}

static rope_status build_leak(encoding_run *run, rope_error *error) { /* an absolute position leaks in, 2^-30 m */
    const rows *const a = tiny_positions(run, run->first), *const same = tiny_positions(run, 1);
    (void)error;
    encoding_content(run);
    encoding_term_add(run, TERM_PRODUCT, a, same, NULL);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_PRODUCT, a, same, NULL);
    return ROPE_OK;
}

static rope_status build_more(encoding_run *run, rope_error *error) { /* one more direction, 2^-40 (m + 1) (n + 1) */
    const rows *const a = encoding_keep(run, rows_scaled(tiny_positions(run, 1), 0x1p10));
    (void)error;
    encoding_content(run);
    encoding_term_add(run, TERM_PRODUCT, a, a, NULL);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_PRODUCT, a, a, NULL);
    return ROPE_OK;
}

static rope_status build_longer(encoding_run *run, rope_error *error) { /* queries grow by 2^-40 */
    (void)error;
    run->query = encoding_keep(run, rows_scaled(run->data->q, 1.0 + 0x1p-40));
    encoding_content(run);
    encoding_content_direct(run);
    return ROPE_OK;
}

static encoding twin_of(const char *name, rope_status (*build)(encoding_run *run, rope_error *error)) {
    encoding twin = *encoding_named("none");
    twin.name = name;
    twin.term = twin_terms;
    twin.build = build;
    twin.parameters = twin.cost = nothing;
    return twin;
}

static void test_twins(void **state) {
    (void)state;
    const encoding leak = twin_of("leak", build_leak), longer = twin_of("longer", build_longer);
    compare_data data = make_data("gaussian", 4, 33);
    const measurement right = measure_on(encoding_named("none"), &data, 1000);
    assert_true(right.score.stays == MEASURE_YES && right.sums == MEASURE_YES && right.norm_kept == MEASURE_YES &&
                right.output_relative == MEASURE_YES);
    const measurement leaks = measure_on(&leak, &data, 100000);
    assert_int_equal(leaks.score.stays, MEASURE_NO);
    assert_int_equal(leaks.term[0].stays, MEASURE_YES);
    assert_int_equal(leaks.term[1].stays, MEASURE_NO);
    assert_int_equal(leaks.sums, MEASURE_YES);
    /* 2^-30 100000 (n + 1) 2^-30, the same at every m, largest at the last key */
    check_near(leaks.term[1].defect, 100000.0 * 33.0 * 0x1p-60, leaks.term[1].bound + 0x1p-100);
    const measurement grows = measure_on(&longer, &data, 1000);
    assert_int_equal(grows.norm_kept, MEASURE_NO);
    check_near(grows.norm_change, 0x1p-40, grows.norm_bound);
    compare_data_free(&data);
}

static rope_status build_gap(encoding_run *run, rope_error *error) { /* the terms lack 2^-40 (m + 1) (n + 1) */
    const rows *const a = encoding_keep(run, rows_scaled(tiny_positions(run, 1), 0x1p10));
    (void)error;
    encoding_content(run);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_PRODUCT, a, a, NULL);
    return ROPE_OK;
}

/* q_m . k_n by rows of 2^60 beside it that cancel: 2^60 (q_m . k_n) is off by more than q_m . k_n is. */
static rope_status build_large(encoding_run *run, rope_error *error) {
    const rows *const q = encoding_keep(run, rows_scaled(run->data->q, 0x1p60)), *const back = encoding_keep(
                                                                                     run, rows_scaled(q, -1.0));
    (void)error;
    for (int direct = 0; direct < 2; direct++) {
        void (*const add)(encoding_run *, term_shape, const rows *, const rows *, encoding_index *) =
            direct ? encoding_direct_add : encoding_term_add;
        add(run, TERM_PRODUCT, run->data->q, run->data->k, NULL);
        add(run, TERM_PRODUCT, q, run->data->k, NULL);
        add(run, TERM_PRODUCT, back, run->data->k, NULL);
    }
    return ROPE_OK;
}

/* Within bounds that say nothing: neither zero nor moved. */
static void test_undecided(void **state) {
    (void)state;
    static const encoding_term_text terms[] = {
        {"content", "", "", true, true}, {"up", "", "", true, true}, {"down", "", "", true, true}, {0}};
    encoding large = twin_of("large", build_large);
    compare_data data = make_data("gaussian", 4, 33);
    char text[256] = "";
    FILE *const out = fmemopen(text, sizeof text, "w");
    large.term = terms;
    const measurement m = measure_on(&large, &data, 1000), right = measure_on(encoding_named("rope"), &data, 1000);
    assert_int_equal(m.score.stays, MEASURE_UNDECIDED);
    assert_int_equal(m.score.undecided, 33);
    assert_int_equal(m.sums, MEASURE_UNDECIDED);
    assert_int_equal(m.output_relative, MEASURE_UNDECIDED);
    assert_int_equal(m.norm_kept, MEASURE_YES);
    assert_int_equal(table_failures(out, &m, 1, 1000), 0);
    assert_int_equal(table_undecided(out, &m, 1), 6); /* beside a score of 0, content, too */
    assert_int_equal(table_undecided(out, &right, 1), 0);
    fclose(out);
    assert_string_equal(text, "undecided large: content, up, down, the score, its sum, the output\n");
    compare_data_free(&data);
}

static void test_gap(void **state) {
    (void)state;
    const encoding gap = twin_of("gap", build_gap);
    compare_data data = make_data("gaussian", 4, 33);
    const measurement m = measure_on(&gap, &data, 1000);
    assert_int_equal(m.sums, MEASURE_NO);
    assert_true(m.sum_defect > m.sum_bound && m.sum_defect <= 33.0 * 33.0 * 0x1p-40 + m.sum_bound);
    compare_data_free(&data);
}

/* What contradicts theory is said and counted; the status of the run depends on it. */
static void test_failures(void **state) {
    (void)state;
    const encoding leak = twin_of("leak", build_leak), gap = twin_of("gap", build_gap),
                   longer = twin_of("longer", build_longer);
    compare_data data = make_data("gaussian", 4, 33);
    char text[4096] = "";
    FILE *const out = fmemopen(text, sizeof text, "w");
    const measurement right = measure_on(encoding_named("rope"), &data, 1000);
    assert_int_equal(table_failures(out, &right, 1, 1000), 0);
    const measurement twins[] = {measure_on(&leak, &data, 100000), measure_on(&gap, &data, 1000),
                                 measure_on(&longer, &data, 1000)};
    assert_int_equal(table_failures(out, &twins[0], 1, 100000), 2); /* the term, and with it the score */
    assert_int_equal(table_failures(out, &twins[1], 1, 1000), 1);
    assert_int_equal(table_failures(out, &twins[2], 1, 1000), 1);
    assert_int_equal(table_failures(out, twins, 3, 1000), 4);
    fclose(out);
    check_contains(text, "FAIL leak: other");
    check_contains(text, "FAIL gap: the sum of the terms");
    check_contains(text, "FAIL longer: the norm");
    compare_data_free(&data);
}

/* Digits that the bound vouches for, and bounds rounded up. */
static void test_texts(void **state) {
    (void)state;
    static const struct {
        double value, bound;
        int most;
        const char *text;
    } value[] = {{3.14159265, 1e-9, 4, "3.142"}, {3.14159265, 0.004, 6, "3.1"},   {1e-12, 2e-12, 4, "0"},
                 {-0.5, 0.0, 4, "-0.5"},         {2097152.0, 0.0, 17, "2097152"}, {0.9999951, 1e-9, 4, "1"}};
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        char text[32];
        compare_value_text(text, value[k].value, value[k].bound, value[k].most);
        assert_string_equal(text, value[k].text);
    }
}

/* ---- ranks ------------------------------------------------------------------------------------------- */

/* The numbers of features at N = 64, d = 4; full where the score has a kink or a table. */
static void test_ranks(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int rank;
    } want[] = {{"sinusoidal", 4}, {"learned", 4}, {"transformer-xl", 8}, {"rope", 4}, {"xpos", 4}, {"alibi-signed", 6},
                {"shaw", 64},      {"t5", 64},     {"alibi", 64}};
    compare_data data = make_data("gaussian", 4, 64);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        const measurement m = measure_on(encoding_named(want[k].name), &data, 1);
        if (m.rank != want[k].rank) fail_msg("%s: rank %d, want %d", want[k].name, m.rank, want[k].rank);
        const int64_t form = m.encoding->rank(&data);
        assert_int_equal(m.rank, form < 0 ? 64 : form);
        if (m.rank < 64) assert_true(m.rank_gap > 1e6);
    }
    const encoding more = twin_of("more", build_more);
    assert_int_equal(measure_on(&more, &data, 1).rank, 5);
    compare_data_free(&data);
}

/* ---- decay ------------------------------------------------------------------------------------------- */

static void check_decay(const char *name, const compare_data *data, int kind, const int64_t *distance, int count,
                        const double *want, double slack) {
    double value[8], bound[8];
    rope_error error;
    assert_int_equal(measure_decay(value, bound, encoding_named(name), data, kind, distance, count, &error), ROPE_OK);
    for (int k = 0; k < count; k++) {
        check_near(value[k], want[k], bound[k] + slack);
        assert_true(bound[k] < 1e-10);
    }
}

/* q = k = 1: d without positions, 2 C(r) with RoPE, d - s r with ALiBi's first of 8 slopes, 1/2. */
static void test_decay(void **state) {
    (void)state;
    static const int64_t distance[] = {0, 1, 16, 40};
    double none[4], rope[4], peak[4], alibi[4];
    for (int k = 0; k < 4; k++) {
        const double r = (double)distance[k];
        none[k] = 16.0, rope[k] = 2.0 * cosines(16, r), peak[k] = 2.0 * cosines(16, r - 16.0),
        alibi[k] = 16.0 - 0.5 * r;
    }
    compare_data data = make_data("gaussian", 16, 64);
    check_decay("none", &data, DECAY_ONES, distance, 4, none, 0.0);
    check_decay("rope", &data, DECAY_ONES, distance, 4, rope, 64 * u);
    check_decay("rope", &data, DECAY_PEAK, distance, 4, peak, 64 * u);
    check_decay("alibi", &data, DECAY_ONES, distance, 4, alibi, 0.0);
    assert_true(peak[2] > peak[0]); /* the twin of decay: the score is largest at 16 */
    compare_data_free(&data);
}

/* The rms over all pairs at a distance; fewer than 256 queries, so all of them count. */
static void test_decay_of_tokens(void **state) {
    (void)state;
    static const int64_t distance[] = {0, 5, 39, 40};
    compare_data data = make_data("gaussian", 8, 40);
    double want[3], value[4], bound[4];
    rope_error error;
    for (int k = 0; k < 3; k++) {
        long double square = 0.0L;
        const size_t r = (size_t)distance[k];
        for (size_t m = r; m < 40; m++) square += powl(rope_score(&data, m, m - r), 2.0L);
        want[k] = (double)sqrtl(square / (long double)(40 - r));
    }
    check_decay("rope", &data, DECAY_TOKENS, distance, 3, want, 0x1p-40);
    assert_int_equal(measure_decay(value, bound, encoding_named("rope"), &data, DECAY_TOKENS, distance, 4, &error),
                     ROPE_OK);
    assert_true(isnan(value[3]));
    assert_int_equal(measure_decay(value, NULL, encoding_named("rope"), &data, DECAY_PEAK, distance, 4, &error),
                     ROPE_OK);
    assert_true(isnan(value[3]) && !isnan(value[2]));
    compare_data_free(&data);
}

/* ---- outputs ----------------------------------------------------------------------------------------- */

/* sum_n softmax(s / sqrt d) v_n; turn: v_n is rotated by n, and the output back by m when turn is 2. */
static void naive_output(const compare_data *data, size_t m, long first, int turn, double *output) {
    const size_t N = data->length, d = data->dim;
    long double sum = 0.0L, o[16] = {0.0L};
    for (size_t n = 0; n < N; n++) {
        const long double w = expl(rope_score(data, m, n) / sqrtl((long double)d));
        sum += w;
        for (size_t i = 0; i < d / 2; i++) {
            const long double position = turn == 0
                                             ? 0.0L
                                             : (long double)n - (turn == 2 ? (long double)m : -(long double)first),
                              c = cosl(position * theta(d, i)), s = sinl(position * theta(d, i)),
                              a = entry(data->value, n, 2 * i), b = entry(data->value, n, 2 * i + 1);
            o[2 * i] += w * (a * c - b * s);
            o[2 * i + 1] += w * (b * c + a * s);
        }
    }
    for (size_t c = 0; c < d; c++) output[c] = (double)(o[c] / sum);
}

static double apart(const double *a, const double *b, size_t d) {
    double square = 0.0;
    for (size_t c = 0; c < d; c++) square += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(square);
}

static void test_outputs(void **state) {
    (void)state;
    enum { D = 8, N = 20 };
    compare_data data = make_data("gaussian", D, N);
    encoding_run run = {0};
    rope_error error;
    assert_int_equal(encoding_build(&run, encoding_named("rope"), &data, 0, &error), ROPE_OK);
    rows *const output = measure_output(&run, data.value);
    for (size_t m = 0; m < N; m++) {
        double want[D], got[D];
        naive_output(&data, m, 0, 0, want);
        for (size_t c = 0; c < D; c++) got[c] = entry(output, m, c);
        check_near(apart(got, want, D), 0.0, output->error[m] + 0x1p-48);
        assert_true(output->error[m] < 1e-11);
        naive_output(&data, (m + 1) % N, 0, 0, want); /* the twin: another query's output */
        assert_true(apart(got, want, D) > output->error[m] + 0x1p-48);
    }
    rows_free(output);
    encoding_free(&run);
    compare_data_free(&data);
}

/* {none, v, v and back}: 0, the defect written out, 0. */
static void test_values(void **state) {
    (void)state;
    enum { D = 8, N = 20, SHIFT = 50 };
    compare_data data = make_data("gaussian", D, N);
    row_defect found[VALUES_KINDS];
    rope_error error;
    double most = 0.0;
    assert_int_equal(values_measure(found, &data, SHIFT, &error), ROPE_OK);
    for (size_t m = 0; m < N; m++) {
        double at[D], moved[D];
        naive_output(&data, m, 0, 1, at);
        naive_output(&data, m, SHIFT, 1, moved);
        most = fmax(most, apart(at, moved, D));
    }
    assert_int_equal(found[VALUES_NONE].stays, MEASURE_YES);
    assert_int_equal(found[VALUES_TURNED].stays, MEASURE_NO);
    assert_int_equal(found[VALUES_BACK].stays, MEASURE_YES);
    check_near(found[VALUES_TURNED].defect, most, found[VALUES_TURNED].bound + 0x1p-46);
    assert_true(most > 0.5 && found[VALUES_NONE].bound < 1e-10 && found[VALUES_BACK].bound < 1e-10);
    compare_data_free(&data);
}

/* ---- linear attention -------------------------------------------------------------------------------- */

/* Sums of eq. 19's weights: Python 3, math.fsum of cosines in double, off by less than 1e-12 (64 terms per distance,
 * one rounding of an angle below 2^17 each: 2^-37 in the worst of them, 2^-36 / 64 in the mean). Counts: 80-bit scan.
 */
static void test_linear_sums(void **state) {
    (void)state;
    static const int64_t length[] = {128, 512, 2048, 4096, 16384, 131072};
    static const double sum[] = {0.513895, 0.362142, 0.210102, 0.135874, 0.010991, -0.001084};
    linear_row row[6];
    rope_error error;
    assert_int_equal(linear_rows(row, length, 6, 128, 1e4, &error), ROPE_OK);
    for (int k = 0; k < 6; k++) {
        check_near(row[k].sum, sum[k], 0.5e-6 + row[k].sum_bound); /* half of the last digit published */
        assert_true(row[k].sum_bound < 1e-14);
        assert_int_equal(row[k].length, length[k]);
    }
    check_near(row[3].sum, 0.1358735815693628, 1e-12);
    check_near(row[5].sum, -0.001083861315016949, 1e-11);
    assert_int_equal(row[0].negative, 0);
    assert_int_equal(row[2].negative, 16);
    assert_int_equal(row[3].negative, 419);
    check_near(row[3].least, 1.0 - 8.362928 / 64.0, 0.5e-6 / 64.0 + row[3].least_bound); /* C(4060) */
    assert_int_equal(row[3].least_at, 4060);
    assert_true(row[5].least > 0.0);
}

/* d = 2, theta = 1: weights cos r. */
static void test_linear_small(void **state) {
    (void)state;
    static const int64_t length[] = {3, 6};
    linear_row row[2];
    rope_error error;
    double sum = 0.0;
    for (int r = 0; r < 6; r++) sum += cos(r) / 6.0;
    assert_int_equal(linear_rows(row, length, 2, 2, 1e4, &error), ROPE_OK);
    check_near(row[1].sum, sum, row[1].sum_bound + 16 * u);
    check_near(row[1].sum, -0.03930, 0.5e-5);
    check_near(row[0].least, 1.0 + cos(2.0), row[0].least_bound + 2 * u);
    assert_int_equal(row[0].negative, 1);
    assert_int_equal(row[1].negative, 3); /* cos 2, cos 3, cos 4 */
}

/* sum_(r < N) cos(r t) = sin(N t / 2) cos((N - 1) t / 2) / sin(t / 2): Dirichlet's kernel, another road to the sum. */
static long double kernel(const long double *half, const long double *sine, int pairs, int64_t N) {
    long double sum = 0.0L;
    for (int i = 0; i < pairs; i++)
        sum += sinl((long double)N * half[i]) * cosl((long double)(N - 1) * half[i]) / sine[i];
    return sum;
}

static void test_linear_turn(void **state) {
    (void)state;
    int64_t first;
    rope_error error;
    assert_int_equal(linear_first_turn(&first, 128, 1e4, 1 << 16, &error), ROPE_OK);
    long double half[64], sine[64];
    int64_t want = 1;
    for (size_t i = 0; i < 64; i++) half[i] = theta(128, i) / 2.0L, sine[i] = sinl(half[i]);
    while (kernel(half, sine, 64, want) > 0.0L) want++;
    assert_int_equal(first, want);
    assert_int_equal(first, 19826);
    assert_int_equal(linear_first_turn(&first, 128, 1e4, 19825, &error), ROPE_OK);
    assert_int_equal(first, 0);
}

/* [Men et al.'s test; 80-bit scan of every r] */
static void test_first_negative(void **state) {
    (void)state;
    static const struct {
        int dim;
        double base;
        int64_t first;
    } want[] = {{128, 500, 171},   {128, 1e4, 1707}, {128, 5e5, 18438},
                {128, 1e6, 27115}, {64, 5e5, 9937},  {64, 1e6, 6235}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        int64_t first;
        rope_error error;
        assert_int_equal(linear_first_negative(&first, want[k].dim, want[k].base, 1 << 16, &error), ROPE_OK);
        assert_int_equal(first, want[k].first);
    }
}

/* ---- claims ------------------------------------------------------------------------------------------ */

/* The numbers of each claim, from elsewhere: published tables (RoFormer's B and C to 40 digits by mpmath and MPFR; the
 * reference example to 25 digits; 80-bit scans), or Python 3 with math.fsum in double: sums of 64 cosines at angles
 * below 2^20 are off by less than 64 2^-33 = 1e-8 in the worst case, by 1e-12 at angles below 2^10. off is half of the
 * last digit given, or that. twin: what a likely mistake gives (frequencies counted from 1, the other row, no mistake
 * made by the scheme); it must not pass. */
static const struct expected {
    const char *id;
    int number;
    double want, off, twin;
} expected[] = {
    {"orthogonal", 0, 0.0, 0x1p-190, 0x1p-98}, /* double-double */
    {"group", 0, 0.0, 0x1p-190, 0x1p-98},
    {"sinusoid-turns", 0, 0.0, 0x1p-190, 0x1p-98},
    {"decays", 0, 128.0, 1e-13, 128.000001},
    {"decays", 1, 61.08690940298133, 1e-12, 61.36217165923926}, /* 2 C(100) */
    {"bound-falls", 0, 15.348745664077281, 1e-12, 16.012754949276175},
    {"bound-falls", 1, 15.390799996111225, 1e-12, 15.563625322996131},
    {"bound-useful", 0, 4.470761034248682910840404, 1e-12, 4.671678348688396},
    {"bound-useful", 1, 1.011045, 0.5e-6, 1.06974}, /* the published least; at 940249 */
    {"bound-vanishes", 0, 15.283515, 1e-6, 15.242430},
    {"bound-vanishes", 1, 15.24243010872191129766653, 1e-12, 15.283515},
    {"rate", 0, 0.4772414797107914, 1e-13, 0.2386207398553957},
    {"rate", 1, 49.18931013504081, 1e-11, 100.0},
    {"schedule", 0, 0.027658701955971643, 1e-12, 0.31468707533861945},
    {"schedule", 1, 10.22732994850514337630589 / 32.5, 1e-12, 0.027658701955971643},
    {"last-frequency", 0, 1.1547819846894582e-4, 1e-18, 1e-4},
    {"last-frequency", 1, 1.333521432163324e-4, 1e-18, 1.1547819846894582e-4},
    {"wavelengths", 0, 54410.14, 0.005, 62831.85},
    {"wavelengths", 1, 60611.48, 0.005, 62831.85},
    {"wavelengths", 2, 62831.85307179586, 1e-10, 10000.0},
    {"larger-base", 0, 9937, 0, 10478},
    {"larger-base", 1, 6235, 0, 9601},
    {"base-500", 0, 171, 0, 189},
    {"base-500", 1, 1707, 0, 1971},
    {"pi-range", 0, 0.534870711, 1e-8, 1.069741422},
    {"pi-range", 1, 0.9959805414240536, 1e-10, 1.01782987608707}, /* at 4860 */
    {"pi-range", 2, 1.1159079480172895, 1e-10, 2.231816},
    {"pi-600", 0, 0.45928243223068184912, 1e-15, 0.49978850316247815427},
    {"pi-600", 1, 0.43429448190325182765, 1e-15, 0.45928243223068184912},
    {"pi-600", 2, 512.2166644092971, 1e-9, 589.461782},
    {"least-base", 0, 4079, 0, 4096},
    {"least-base", 1, 2051, 0, 2048},
    {"extrapolates", 0, 28, 0, 23}, /* 23 after 2048 positions */
    {"linear-time", 0, 2097152, 0, 1048576},
    {"linear-time", 1, 4294967296.0, 0, 2147483648.0},
    {"consistent", 0, 0, 0, 1e-16},
    {"consistent", 1, 0, 0, 1e-16},
    {"sinusoid-relative", 0, 0.0, 1e-16, 0.6405475041686424778},
    {"sinusoid-relative", 1, -0.6405475041686424778037, 1e-15, 0.6405475041686424778},
    {"only-rope", 0, 8, 0, 64},
    {"only-rope", 1, 4, 0, 8},
    {"equation-19", 0, 0.1358735815693628, 1e-12, 1.0},
    {"equation-19", 1, -0.001083861315016949, 1e-11, 0.135874},
    {"parameters", 0, 0, 0, 1},
    {"parameters", 1, 2 * 33 * 64, 0, 33 * 64},
    {"unique", 0, 0.0, 1e-9, 1.0},
    {"coincide", 0, 6.0288706719e-5, 0.5e-15, 1.2e-4},
    {"coincide", 1, 0, 0, 2},
    {"order", 0, 0.403939985192110638263737, 1e-15, 0.0},
    {"order", 1, 0.0, 1e-16, 0.403939985192110638},
    {"layouts", 0, 0.0, 1e-16, 4.214714213276922},
    {"layouts", 1, -4.214714213276922, 1e-14, 0.0},
    {"absolute", 0, 66.91309059701871, 1e-12, 33.456545},
    /* cast errors: 0.0264 over 2000 other draws; two samples of 2000 differ by 3 in 100, here 4 times that */
    {"bf16-scores", 0, 0.0264, 0.0032, 0.0157}, /* the twin: the key at 0 is not rounded */
    {"bf16-scores", 1, 0.0264, 0.0032, 4e-7},   /* float32 */
    {"bf16-scores", 2, 0.0264, 0.0032, 0.21},   /* an error that grows like the root of the distance */
    {"bf16-positions", 0, 769, 0, 4096},
    {"bf16-positions", 1, 257, 0, 256},
    {"gaussian", 0, 11.313708498984761, 4e-15, 8.0},
    {"gaussian", 1, 11.313708498984761, 4e-15, 10.32},
};

static const myth *myth_named(const char *id) {
    for (const myth *m = myths; m->id; m++)
        if (!strcmp(m->id, id)) return m;
    fail_msg("no claim %s", id);
    return NULL;
}

static void test_myth_numbers(void **state) {
    (void)state;
    const myth *m = NULL;
    myth_finding found = {{{0.0, 0.0}}, false};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const struct expected *const e = &expected[k];
        rope_error error;
        if (!m || strcmp(m->id, e->id)) {
            m = myth_named(e->id);
            found = (myth_finding){.settled = false};
            assert_int_equal(m->find(&found, &error), ROPE_OK);
        }
        const myth_number *const got = &found.number[e->number];
        assert_non_null(m->meaning[e->number]);
        if (!(fabs(got->value - e->want) <= e->off + got->bound))
            fail_msg("%s, number %d: %.17g (bound %g), want %.17g", e->id, e->number, got->value, got->bound, e->want);
        if (fabs(e->twin - e->want) <= e->off + got->bound)
            fail_msg("%s, number %d: its twin passes", e->id, e->number);
    }
}

/* Every claim settles; every number is in the list above or compared with scores written out. */
static void test_myths_settle(void **state) {
    (void)state;
    static const char *const elsewhere[] = {"relative 0", "relative 1", "outputs 0",
                                            "outputs 1",  "outputs 2",  "unique 1"};
    int count = 0;
    for (const myth *m = myths; m->id; m++, count++) {
        myth_finding found = {.settled = false};
        rope_error error;
        assert_int_equal(m->find(&found, &error), ROPE_OK);
        if (!found.settled) fail_msg("%s is not settled", m->id);
        for (int k = 0; k < MYTH_NUMBERS && m->meaning[k]; k++) {
            char name[64];
            bool there = false;
            snprintf(name, sizeof name, "%s %d", m->id, k);
            for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
                there = there || (!strcmp(expected[e].id, m->id) && expected[e].number == k);
            for (size_t e = 0; e < sizeof elsewhere / sizeof *elsewhere; e++)
                there = there || !strcmp(elsewhere[e], name);
            if (!there) fail_msg("nothing is expected of %s", name);
        }
    }
    assert_int_equal(count, 33);
}

/* The claims on 64 Gaussian tokens, d = 64, moved by 1000: scores and norms written out. A score of d products of a few
 * units each is off by less than 2^-38 in long double. */
static void test_myths_on_tokens(void **state) {
    (void)state;
    compare_data data = make_data("gaussian", 64, 64);
    myth_finding relative = {.settled = false}, outputs = {.settled = false}, unique = {.settled = false};
    rope_error error;
    double most = 0.0;
    assert_int_equal(find_relative(&relative, &error), ROPE_OK);
    assert_int_equal(find_outputs(&outputs, &error), ROPE_OK);
    assert_int_equal(find_unique(&unique, &error), ROPE_OK);
    for (size_t m = 0; m < 64; m += 3) /* every third query bounds the largest from below */
        for (size_t n = 0; n < 64; n += 3)
            most = fmax(most, fabs((double)(additive_score(&data, m, n, 1000) - additive_score(&data, m, n, 0))));
    assert_true(relative.number[1].value >= most - 0x1p-38 && relative.number[1].value < 4.0 * most);
    assert_true(relative.number[0].value <= relative.number[0].bound && relative.number[0].bound < 1e-9);
    assert_true(outputs.number[0].value <= outputs.number[0].bound && outputs.number[0].bound < 1e-8);
    assert_true(outputs.number[1].value > 1.0);
    assert_true(outputs.number[2].value <= outputs.number[2].bound && outputs.number[2].bound < 1e-8);
    /* xPos' scales: zeta_i^((m - 32)/512), zeta_0 = 2/7; at m = 0 the norm cannot grow beyond 1.0815 of itself */
    assert_true(unique.number[1].value > 0.01 && unique.number[1].value <= pow(3.5, 32.0 / 512.0) - 1.0);
    compare_data_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_defect),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_xpos_far),
        cmocka_unit_test(test_bare_sinusoid),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_decay_of_tokens),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_linear_sums),
        cmocka_unit_test(test_linear_small),
        cmocka_unit_test(test_linear_turn),
        cmocka_unit_test(test_first_negative),
        cmocka_unit_test(test_myth_numbers),
        cmocka_unit_test(test_myths_settle),
        cmocka_unit_test(test_myths_on_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
