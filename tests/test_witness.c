/* Where a defect shows: one wrong value at a known place in the arrays is reported with that place, whatever the axes, tiling
 * or packing; and nothing else breaks. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "../analysis/verify/verify.h"
#include "../src/format/npy.h"

static char folder[] = "/tmp/rope-test-witness-XXXXXX";

static char *path_of(const char *name) { return report_text("%s/%s", folder, name); }

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"x.npy", "y.npy", "p.npy", "cos.npy", "sin.npy"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char *path = path_of(names[k]);
        unlink(path);
        free(path);
    }
    return rmdir(folder);
}

static void write_array(const char *name, rope_npy_type type, int rank, const size_t *shape, const void *data) {
    char *path = path_of(name);
    rope_error error;
    if (rope_npy_write(path, type, rank, shape, data, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    free(path);
}

static rope_spec half_spec(int dim) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim;
    spec.layout_in = spec.layout_out = ROPE_HALF;
    return spec;
}

static report *judge(const subject_request *request) {
    rope_error error;
    const verify_options options = verify_options_default();
    report *found = verify_request(request, &options, "test", &error);
    if (!found) fail_msg("%s: %s", error.place, error.reason);
    return found;
}

static const report_claim *claim_of(const report *found, const char *id) {
    for (int k = 0; k < found->claims; k++)
        if (!strcmp(found->claim[k].id, id)) return &found->claim[k];
    fail_msg("no claim %s", id);
    return NULL;
}

/* A cos or A sin of the true angle m 10000^(-2i/d): long doubles are off by 2^-63 (m + 4) radians or so. */
static long double true_angle(int64_t m, int i, int d) { return (long double)m * powl(10000.0L, -2.0L * (long double)i / (long double)d); }

/* Rounded to binary64 once, or next to it: no float program comes so near by itself. */
static void expect_true(const report_witness *w, long double value) {
    assert_true(w->has_values);
    if (!(fabsl((long double)w->expected - value) <= 0x1p-52L * fabsl(value))) fail_msg("want is %.17g, and should be %.17Lg", w->expected, value);
}

/* ---- vectors --------------------------------------------------------------------------------------- */

enum { B = 2, H = 3, T = 9, D = 16 };

/* Element of (batch, head, time, channel) under the named axes. */
static size_t element(const char *axes, size_t b, size_t h, size_t t, size_t j) {
    size_t at = 0;
    for (const char *axis = axes; *axis; axis++) {
        const size_t extent = *axis == 'B' ? B : *axis == 'H' ? H : *axis == 'T' ? T : D;
        at = at * extent + (*axis == 'B' ? b : *axis == 'H' ? h : *axis == 'T' ? t : j);
    }
    return at;
}

static void write_vectors(const char *axes, size_t wrong_b, size_t wrong_h, size_t wrong_t, size_t wrong_j) {
    float x[B * H * T * D], y[B * H * T * D];
    int64_t positions[B * T];
    size_t shape[4];
    for (int k = 0; axes[k]; k++) shape[k] = axes[k] == 'B' ? B : axes[k] == 'H' ? H : axes[k] == 'T' ? T : D;
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++) positions[b * T + t] = (int64_t)(t + 7 * b);
    for (size_t b = 0; b < B; b++)
        for (size_t h = 0; h < H; h++)
            for (size_t t = 0; t < T; t++)
                for (size_t i = 0; i < D / 2; i++) {
                    const size_t lo = element(axes, b, h, t, i), hi = element(axes, b, h, t, i + D / 2);
                    const float frequency = 1.0f / powf(10000.0f, (float)(2 * i) / (float)D);
                    const float angle = (float)positions[b * T + t] * frequency, c = cosf(angle), s = sinf(angle);
                    x[lo] = (float)((double)(i + 1) * 0.25 + (double)t * 0.125 - (double)h);
                    x[hi] = (float)((double)i * 0.5 - (double)b + 0.75);
                    y[lo] = x[lo] * c - x[hi] * s;
                    y[hi] = x[hi] * c + x[lo] * s;
                }
    if (wrong_j < D) y[element(axes, wrong_b, wrong_h, wrong_t, wrong_j)] += 0.01f;
    write_array("x.npy", ROPE_NPY_F4, (int)strlen(axes), shape, x);
    write_array("y.npy", ROPE_NPY_F4, (int)strlen(axes), shape, y);
    write_array("p.npy", ROPE_NPY_I8, 2, (const size_t[]){B, T}, positions);
}

static report *judge_vectors(const char *axes) {
    subject_request request = {.name = "witness", .kind = SUBJECT_ROTATED, .spec = half_spec(D), .axes = axes};
    char *const x = path_of("x.npy"), *const y = path_of("y.npy"), *const p = path_of("p.npy");
    request.before = x;
    request.after = y;
    request.positions = p;
    report *found = judge(&request);
    free(x);
    free(y);
    free(p);
    return found;
}

static void test_axes(void **state) {
    (void)state;
    static const char *const orders[] = {"BHTD", "BTHD", "THBD", "DTBH", "HBDT"};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        write_vectors(orders[k], 0, 0, 0, D);
        report *found = judge_vectors(orders[k]);
        if (found->verdict != REPORT_HOLDS) fail_msg("%s: honest vectors do not hold", orders[k]);
        report_free(found);

        write_vectors(orders[k], 1, 2, 4, 11);
        found = judge_vectors(orders[k]);
        const report_claim *claim = claim_of(found, "elementwise");
        assert_int_equal(claim->verdict, REPORT_BROKEN);
        assert_int_equal(claim->broken, 1);
        const report_witness *w = &claim->witness;
        assert_int_equal(w->batch, 1);
        assert_int_equal(w->head, 2);
        assert_int_equal(w->row, 4);
        assert_int_equal(w->column, 11);
        assert_int_equal(w->pair, 3);
        assert_int_equal(w->m, 11);
        assert_string_equal(w->array, "after");
        assert_int_equal(claim->checked, B * H * T * D);
        const long double angle = true_angle(11, 3, D), lo = 4 * 0.25L + 4 * 0.125L - 2, hi = 3 * 0.5L - 1 + 0.75L;
        expect_true(w, hi * cosl(angle) + lo * sinl(angle));
        report_free(found);
    }
}

/* Zeros that stay zeros say nothing; what becomes of them otherwise is broken. */
static void test_zeros(void **state) {
    (void)state;
    static const char *const silent[] = {"finite", "layout", "width", "identity", "magnitude", "elementwise", "norm"};
    float x[T * D] = {0}, y[T * D] = {0};
    const size_t shape[] = {T, D};
    char *const before = path_of("x.npy"), *const after = path_of("y.npy");
    const subject_request request = {.name = "zeros", .kind = SUBJECT_ROTATED, .spec = half_spec(D), .before = before, .after = after};
    for (int step = 0; step < 3; step++) {
        if (step == 1) x[0] = y[0] = 1.0f; /* pair 0 at position 0 */
        if (step == 2) y[3 * D + 5] = 0.5f;
        write_array("x.npy", ROPE_NPY_F4, 2, shape, x);
        write_array("y.npy", ROPE_NPY_F4, 2, shape, y);
        report *found = judge(&request);
        const report_claim *claim = claim_of(found, "elementwise");
        if (step == 0) {
            assert_int_equal(found->verdict, REPORT_SKIPPED);
            for (size_t k = 0; k < sizeof silent / sizeof *silent; k++)
                assert_string_equal(claim_of(found, silent[k])->reason, "every pair of the input is zero");
        } else {
            assert_int_equal(found->verdict, step == 1 ? REPORT_HOLDS : REPORT_BROKEN);
            assert_int_equal(claim->checked, step == 1 ? 2 : 3);
            assert_int_equal(claim->broken, step - 1);
        }
        report_free(found);
    }
    free(before);
    free(after);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

/* A table of 40 rows from position 100, d = 8; columns as tiled; one sine wrong at row 13, column `wrong`. */
static void write_table(table_tiling tiling, size_t wrong) {
    enum { ROWS = 40, PAIRS = 4 };
    const size_t columns = tiling == TILING_NONE ? PAIRS : 2 * PAIRS;
    float c[ROWS * 2 * PAIRS], s[ROWS * 2 * PAIRS];
    for (size_t t = 0; t < ROWS; t++)
        for (size_t j = 0; j < columns; j++) {
            const size_t i = tiling == TILING_PAIR ? j / 2 : j % PAIRS;
            const float angle = (float)(100 + t) * (1.0f / powf(10000.0f, (float)(2 * i) / 8.0f));
            c[t * columns + j] = cosf(angle);
            s[t * columns + j] = sinf(angle);
        }
    if (wrong < columns) s[13 * columns + wrong] += 0.01f;
    write_array("cos.npy", ROPE_NPY_F4, 2, (const size_t[]){ROWS, columns}, c);
    write_array("sin.npy", ROPE_NPY_F4, 2, (const size_t[]){ROWS, columns}, s);
}

static report *judge_table(rope_layout layout) {
    subject_request request = {.name = "witness", .kind = SUBJECT_TABLE, .spec = half_spec(8), .first_position = 100};
    char *const c = path_of("cos.npy"), *const s = path_of("sin.npy");
    request.spec.layout_in = request.spec.layout_out = layout;
    request.cos = c;
    request.sin = s;
    report *found = judge(&request);
    free(c);
    free(s);
    return found;
}

static void test_tilings(void **state) {
    (void)state;
    static const struct {
        table_tiling tiling;
        rope_layout layout;
        size_t wrong;
        int pair;
    } cases[] = {{TILING_NONE, ROPE_HALF, 2, 2}, {TILING_BLOCK, ROPE_HALF, 2, 2}, {TILING_BLOCK, ROPE_HALF, 7, 3},
                 {TILING_PAIR, ROPE_INTERLEAVED, 4, 2}, {TILING_PAIR, ROPE_INTERLEAVED, 7, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_table(cases[k].tiling, SIZE_MAX);
        report *found = judge_table(cases[k].layout);
        assert_int_equal(found->verdict, REPORT_HOLDS);
        report_free(found);
        write_table(cases[k].tiling, cases[k].wrong);
        found = judge_table(cases[k].layout);
        const report_claim *claim = claim_of(found, "table");
        assert_int_equal(claim->verdict, REPORT_BROKEN);
        assert_int_equal(claim->broken, 1);
        assert_int_equal(claim->witness.row, 13);
        assert_int_equal(claim->witness.m, 113);
        assert_int_equal(claim->witness.column, (int64_t)cases[k].wrong);
        assert_int_equal(claim->witness.pair, cases[k].pair);
        assert_string_equal(claim->witness.array, "sin");
        assert_int_equal(claim->first.row, 13);
        expect_true(&claim->witness, sinl(true_angle(113, cases[k].pair, 8)));
        assert_true(claim->witness.has_predicted && claim->witness.predicted != claim->witness.expected);
        report_free(found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_axes), cmocka_unit_test(test_zeros), cmocka_unit_test(test_tilings)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
