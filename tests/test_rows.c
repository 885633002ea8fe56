/* Rows: values by definition, errors of every operation against 300 bits, products bit for bit; and the data made of
 * them. */
#include "check.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../analysis/compare/data.h"
#include "../analysis/compare/rows.h"
#include "../src/format/npy.h"

enum { BITS = 300 };

static const double u = 0x1p-53;

/* Numbers of size 2^scale, the same at any number of bits. */
static rows *random_rows(size_t count, size_t dim, long bits, uint64_t seed, int scale) {
    rows *a = rows_new(count, dim, bits);
    double *x = malloc(dim * sizeof *x);
    assert_true(a && x);
    for (size_t t = 0; t < count; t++) {
        for (size_t j = 0; j < dim; j++) x[j] = ldexp(check_uniform(&seed, -1.0, 1.0), scale);
        rows_set(a, t, x);
    }
    rows_settle(a);
    free(x);
    return a;
}

/* ---- errors ------------------------------------------------------------------------------------------ */

/* 2-norm of row t of a minus the same row of fine, rounded up. */
static double distance(const rows *a, const rows *fine, size_t t) {
    double sum = 0.0;
    mpfr_t error;
    mpfr_init2(error, BITS);
    for (size_t j = 0; j < a->dim; j++) {
        mpfr_sub_d(error, rows_exact_row(fine, t)[j], rows_row(a, t)[j], MPFR_RNDA);
        sum = hypot(sum, mpfr_get_d(error, MPFR_RNDA));
    }
    mpfr_clear(error);
    return sum * (1.0 + (double)(2 * a->dim + 4) * u);
}

/* No row is off by more than it says, and none says more than `sharp` times the largest error that there is. Both free.
 */
static void check_errors(const char *what, rows *a, rows *fine, double sharp) {
    double largest = 0.0, said = 0.0;
    assert_true(a && fine && a->count == fine->count && a->dim == fine->dim);
    for (size_t t = 0; t < a->count; t++) {
        const double error = distance(a, fine, t);
        if (!(error <= a->error[t] + fine->error[t]))
            fail_msg("%s: row %zu is off by %g, says %g", what, t, error, a->error[t]);
        largest = fmax(largest, error);
        said = fmax(said, a->error[t]);
    }
    if (!(said <= sharp * largest)) fail_msg("%s: says %g, is off by %g", what, said, largest);
    rows_free(a);
    rows_free(fine);
}

/* The operands of both runs, with errors of their own: projections of random rows. */
typedef struct operands {
    rows *W, *x, *a, *b, *one;
} operands;

static operands operands_of(long bits) {
    operands o = {.W = random_rows(12, 12, bits, 1, 0), .x = random_rows(20, 12, bits, 2, 0)};
    rows *y = random_rows(20, 12, bits, 3, 2);
    o.a = rows_project(o.W, o.x);
    o.b = rows_project(o.W, y);
    o.one = rows_repeated(o.b, 1);
    rows_free(y);
    return o;
}

static void free_operands(operands *o) {
    rows_free(o->W);
    rows_free(o->x);
    rows_free(o->a);
    rows_free(o->b);
    rows_free(o->one);
}

static rope_spec spec_of(int dim, rope_layout layout) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim, spec.layout_in = spec.layout_out = layout;
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

static void test_errors(void **state) {
    (void)state;
    operands o = operands_of(ROWS_DOUBLE), f = operands_of(BITS);
    const rope_spec spec = spec_of(12, ROPE_INTERLEAVED), half = spec_of(12, ROPE_HALF);
    rows *V = rows_project(o.W, o.W), *V_fine = rows_project(f.W, f.W); /* a matrix with errors */
    check_errors("project", rows_project(o.W, o.x), rows_project(f.W, f.x), 50);
    check_errors("project twice", rows_project(o.W, o.a), rows_project(f.W, f.a), 200);
    check_errors("project by a product", rows_project(V, o.a), rows_project(V_fine, f.a), 500);
    check_errors("transpose", rows_transpose(V), rows_transpose(V_fine), 200);
    check_errors("sum", rows_sum(o.a, o.b), rows_sum(f.a, f.b), 50);
    check_errors("sum with one row", rows_sum(o.a, o.one), rows_sum(f.a, f.one), 50);
    check_errors("difference", rows_difference(o.a, o.b), rows_difference(f.a, f.b), 50);
    check_errors("times", rows_times(o.a, o.b), rows_times(f.a, f.b), 100);
    check_errors("join", rows_join(o.a, o.b), rows_join(f.a, f.b), 50);
    check_errors("scaled", rows_scaled(o.a, 0.3), rows_scaled(f.a, 0.3), 50);
    check_errors("over root", rows_over_root(o.a, 24), rows_over_root(f.a, 24), 50);
    check_errors("elu", rows_elu_plus_one(o.a), rows_elu_plus_one(f.a), 50);
    check_errors("repeated", rows_repeated(o.a, 3), rows_repeated(f.a, 3), 50);
    check_errors("rotate", rows_rotate(o.a, &spec, 100, false), rows_rotate(f.a, &spec, 100, false), 50);
    check_errors("rotate back", rows_rotate(o.x, &half, 70000, true), rows_rotate(f.x, &half, 70000, true), 20);
    check_errors("sinusoid", rows_sinusoid(-9, 1, 40, 12, 1e4, ROWS_DOUBLE), rows_sinusoid(-9, 1, 40, 12, 1e4, BITS),
                 10);
    check_errors("sinusoid, far", rows_sinusoid(1 << 20, -3, 40, 12, 500.0, ROWS_DOUBLE),
                 rows_sinusoid(1 << 20, -3, 40, 12, 500.0, BITS), 10);
    rows_free(V);
    rows_free(V_fine);
    free_operands(&o);
    free_operands(&f);
}

static void sine(mpfr_t x, size_t t, size_t j, const void *context) {
    (void)context;
    mpfr_set_ui(x, (unsigned long)(3 * t + j), MPFR_RNDN);
    mpfr_sin(x, x, MPFR_RNDN);
}

static void test_formula(void **state) {
    (void)state;
    check_errors("formula", rows_by_formula(9, 5, ROWS_DOUBLE, sine, NULL), rows_by_formula(9, 5, BITS, sine, NULL),
                 10);
    rows *a = rows_by_formula(2, 3, ROWS_DOUBLE, sine, NULL);
    check_near(rows_row(a, 1)[2], -0.95892427466313846889, 0.5 * u); /* sin 5 */
    rows_free(a);
}

/* ---- values by definition ---------------------------------------------------------------------------- */

/* Small integers leave no rounding. */
static void test_values(void **state) {
    (void)state;
    rows *W = rows_new(2, 3, ROWS_DOUBLE), *x = rows_new(1, 3, ROWS_DOUBLE);
    rows_set(W, 0, (double[]){1, 2, 3});
    rows_set(W, 1, (double[]){4, 5, 6});
    rows_set(x, 0, (double[]){7, 8, -9});
    rows_settle(W);
    rows_settle(x);
    rows *y = rows_project(W, x), *T = rows_transpose(W), *j = rows_join(x, y), *e = rows_elu_plus_one(x);
    assert_true(rows_row(y, 0)[0] == -4 && rows_row(y, 0)[1] == 14);
    assert_true(T->count == 3 && T->dim == 2 && rows_row(T, 2)[0] == 3 && rows_row(T, 2)[1] == 6);
    assert_true(j->dim == 5 && rows_row(j, 0)[2] == -9 && rows_row(j, 0)[4] == 14);
    assert_true(rows_row(e, 0)[0] == 8);
    check_near(rows_row(e, 0)[2], 1.2340980408667954950e-4, 0x1p-66); /* e^-9, half an ulp */
    rows *all[] = {W, x, y, T, j, e};
    for (size_t k = 0; k < 6; k++) rows_free(all[k]);
    assert_null(rows_project(NULL, NULL));
    assert_null(rows_sum(NULL, NULL));
    assert_null(rows_scaled(NULL, 1.0));
}

/* (sin, cos) alternate, and the second pair of four turns a hundredth as fast. sin 3, cos 0.03. */
static void test_sinusoid(void **state) {
    (void)state;
    rows *p = rows_sinusoid(5, -2, 4, 4, 10000.0, ROWS_DOUBLE); /* 5, 3, 1, -1 */
    check_near(rows_row(p, 1)[0], 0.14112000805986722210, 0x1p-55);
    check_near(rows_row(p, 1)[3], 0.99955003374898751627, 0x1p-54);
    check_same(rows_row(p, 3)[0], -rows_row(p, 2)[0]);
    check_same(rows_row(p, 3)[1], rows_row(p, 2)[1]);
    rows_free(p);
}

/* The 2-norm to the nearest double but for 2^-120. */
static double norm_of(const rows *a, size_t t) {
    mpfr_t sum, x;
    mpfr_inits2(128, sum, x, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (size_t j = 0; j < a->dim; j++) {
        mpfr_set_d(x, rows_row(a, t)[j], MPFR_RNDN);
        mpfr_fma(sum, x, x, sum, MPFR_RNDN);
    }
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    const double norm = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(sum, x, (mpfr_ptr)0);
    return norm;
}

static void test_norms(void **state) {
    (void)state;
    static const int scales[] = {0, 900, -900, -1060};
    for (int k = 0; k < 4; k++)
        for (int fine = 0; fine < 2; fine++) {
            rows *a = random_rows(5, 33, fine ? 90 : ROWS_DOUBLE, 7, scales[k]);
            for (size_t t = 0; t < a->count; t++) {
                const double norm = norm_of(a, t);
                assert_true(a->norm[t] >= norm && a->norm[t] <= norm * (1 + 200 * u) + 40 * 0x1p-1074);
                check_same(a->error[t], 0.0);
            }
            rows_free(a);
        }
}

/* ---- products ---------------------------------------------------------------------------------------- */

/* Sums from the first channel to the last, whatever the block: widths beside the tiles, rows in any order, 2 x 256
 * channels and more. */
static void test_products_bit_for_bit(void **state) {
    (void)state;
    static const size_t dims[] = {1, 2, 7, 256, 257, 600};
    static const int64_t list[] = {3, 0, 10, 10, 2, 9, 1, 5, 4, 7, 6};
    for (int d = 0; d < 6; d++) {
        rows *a = random_rows(11, dims[d], ROWS_DOUBLE, 4, 0), *b = random_rows(11, dims[d], ROWS_DOUBLE, 5, 0);
        for (size_t count = 1; count <= 11; count++)
            for (size_t width = 1; width <= 11; width += 3) {
                double value[11 * 11], bound[11 * 11];
                rows_products(a, list, count, b, NULL, width, value, bound);
                for (size_t k = 0; k < count * width; k++) {
                    const double *x = rows_row(a, (size_t)list[k / width]), *y = rows_row(b, k % width);
                    double sum = 0.0, alone;
                    for (size_t j = 0; j < dims[d]; j++) sum += x[j] * y[j];
                    check_same(value[k], sum);
                    check_same(rows_product(a, (size_t)list[k / width], b, k % width, &alone), sum);
                    check_same(alone, bound[k]);
                }
            }
        rows_free(a);
        rows_free(b);
    }
}

/* Of numbers of any size, down to where products leave no bit; 90 bits, which round products, too. */
static void test_product_bounds(void **state) {
    (void)state;
    static const int scales[] = {0, 400, -400, -537, -560};
    for (int k = 0; k < 5; k++)
        for (int wide = 0; wide < 2; wide++) {
            const long bits = wide ? 90 : ROWS_DOUBLE;
            rows *a = random_rows(8, 40, bits, 8, scales[k]), *b = random_rows(8, 40, bits, 9, scales[k]);
            rows *x = random_rows(8, 40, BITS, 8, scales[k]), *y = random_rows(8, 40, BITS, 9, scales[k]);
            double largest = 0.0, said = 0.0, bound, rest;
            mpfr_t got, truth;
            mpfr_init2(got, bits);
            mpfr_init2(truth, BITS);
            for (size_t t = 0; t < 64; t++) {
                if (wide)
                    rows_product_exact(got, a, t / 8, b, t % 8, &bound);
                else
                    mpfr_set_d(got, rows_product(a, t / 8, b, t % 8, &bound), MPFR_RNDN);
                rows_product_exact(truth, x, t / 8, y, t % 8, &rest);
                mpfr_sub(truth, truth, got, MPFR_RNDA);
                const double error = fabs(mpfr_get_d(truth, MPFR_RNDA));
                assert_true(error <= bound + rest + 0x1p-1074); /* the error itself is rounded up to a double */
                largest = fmax(largest, error);
                said = fmax(said, bound);
            }
            if (!(said <= 1000 * largest))
                fail_msg("scale %d, %ld bits: says %g, is off by %g", scales[k], bits, said, largest);
            mpfr_clears(got, truth, (mpfr_ptr)0);
            rows_free(a);
            rows_free(b);
            rows_free(x);
            rows_free(y);
        }
}

/* ---- data -------------------------------------------------------------------------------------------- */

static compare_data data_of(compare_request request) {
    compare_data data;
    rope_error error;
    if (compare_data_new(&data, &request, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return data;
}

static bool same_rows(const rows *a, const rows *b, size_t count) {
    for (size_t t = 0; t < count; t++)
        if (memcmp(rows_row(a, t), rows_row(b, t), a->dim * sizeof(double)) != 0) return false;
    return true;
}

/* A longer text begins like the shorter one, and no weight changes; another seed changes everything. */
static void test_streams(void **state) {
    (void)state;
    compare_request request = compare_request_default();
    request.dim = 10, request.length = 20;
    compare_data data = data_of(request);
    request.length = 33, request.bits = 90;
    compare_data longer = data_of(request);
    request.seed = UINT64_C(1) << 32 | 1;
    compare_data other = data_of(request);
    assert_true(same_rows(data.x_key, longer.x_key, 20) && same_rows(data.W_q, longer.W_q, 10));
    assert_true(same_rows(data.shaw_value, longer.shaw_value, 33) &&
                same_rows(data.bucket_bias, longer.bucket_bias, 32));
    assert_true(same_rows(data.x_query, data.x_key, 20));
    const rows *parts[] = {longer.x_query, longer.W_q, longer.W_k, longer.W_v,      longer.W_r,       longer.U_q,
                           longer.U_k,     longer.u,   longer.v,   longer.shaw_key, longer.shaw_value};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (size_t l = 0; l < k; l++) assert_false(same_rows(parts[k], parts[l], 1));
    assert_false(same_rows(other.x_query, longer.x_query, 1));
    assert_false(same_rows(other.W_k, longer.W_k, 1));
    compare_data_free(&data);
    compare_data_free(&longer);
    compare_data_free(&other);
}

/* Rows of positions and pairs do not depend on where a run begins. */
static void test_tables_of_positions(void **state) {
    (void)state;
    compare_request request = compare_request_default();
    request.dim = 6, request.length = 150;
    compare_data data = data_of(request);
    rows *p = compare_data_learned(&data, 0), *later = compare_data_learned(&data, 100);
    rows *b = compare_data_pairs(&data, 0), *moved = compare_data_pairs(&data, 77);
    assert_memory_equal(rows_row(p, 100), rows_row(later, 0), 6 * sizeof(double));
    assert_memory_equal(rows_row(b, 80) + 77, rows_row(moved, 3), 73 * sizeof(double));
    assert_true(rows_row(b, 3)[80] != rows_row(b, 80)[3]);
    rows_free(p);
    rows_free(later);
    rows_free(b);
    rows_free(moved);
    compare_data_free(&data);
}

/* Mean 0 and variance v of n Gaussian numbers: within five standard deviations, sqrt(v/n) and v sqrt(2/n). */
static void check_gaussian(const rows *a, double variance) {
    const double n = (double)(a->count * a->dim);
    double sum = 0.0, squares = 0.0;
    for (size_t t = 0; t < a->count; t++)
        for (size_t j = 0; j < a->dim; j++) sum += rows_row(a, t)[j], squares += rows_row(a, t)[j] * rows_row(a, t)[j];
    check_near(sum / n, 0.0, 5 * sqrt(variance / n));
    check_near(squares / n, variance, 5 * variance * sqrt(2 / n));
}

static void test_gaussian(void **state) {
    (void)state;
    compare_request request = compare_request_default();
    request.length = 200;
    compare_data data = data_of(request);
    check_gaussian(data.x_query, 1.0);
    check_gaussian(data.W_q, 1.0 / 64);
    check_gaussian(data.U_k, 1.0 / 64);
    check_gaussian(data.shaw_key, 1.0);
    compare_data_free(&data);
}

static void test_kinds(void **state) {
    (void)state;
    compare_request request = compare_request_default();
    request.dim = 6, request.length = 20, request.data = "constant";
    compare_data data = data_of(request);
    for (size_t t = 1; t < 20; t++) assert_memory_equal(rows_row(data.x_query, t), rows_row(data.x_query, 0), 48);
    compare_data_free(&data);
    request.data = "repeated";
    data = data_of(request);
    for (size_t t = 4; t < 20; t++) assert_memory_equal(rows_row(data.x_key, t), rows_row(data.x_key, t - 4), 48);
    assert_memory_not_equal(rows_row(data.x_key, 0), rows_row(data.x_key, 1), 48);
    compare_data_free(&data);
    request.data = "one-hot";
    data = data_of(request);
    for (size_t t = 0; t < 20; t++)
        for (size_t j = 0; j < 6; j++) assert_true(rows_row(data.x_key, t)[j] == (t % 6 == j));
    compare_data_free(&data);
    request.data = "reference";
    data = data_of(request);
    assert_true(data.dim == 4 && data.length == COMPARE_REFERENCE_LENGTH && data.request.clip == 4);
    check_near(rows_row(data.W_q, 1)[2], 0.14183109273161312, 0.5 * u);        /* cos(1 + 4)/2 */
    check_near(rows_row(data.bias, 31 - 3)[0], -0.32999749886681515, 0.5 * u); /* cos(-3)/3 */
    compare_data_free(&data);
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* Writes shape [rank] of doubles to a new file; its name goes to path. */
static void write_tokens(char *path, rope_npy_type type, int rank, const size_t *shape, const void *numbers) {
    strcpy(path, "/tmp/rope-rows-XXXXXX.npy");
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(rope_npy_write(path, type, rank, shape, numbers, NULL), ROPE_OK);
}

static void test_file(void **state) {
    (void)state;
    static const double numbers[6][2] = {{1, 2}, {3, -4}, {0.5, 0}, {1e-300, 1e59}, {-0.0, 7}, {8, 9}};
    char path[64];
    write_tokens(path, ROPE_NPY_F8, 2, (size_t[]){6, 2}, numbers);
    compare_request request = compare_request_default();
    request.data = path;
    compare_data data = data_of(request);
    assert_true(data.length == 6 && data.dim == 2 && data.request.clip == 6);
    for (size_t t = 0; t < 6; t++) assert_memory_equal(rows_row(data.x_query, t), numbers[t], sizeof numbers[t]);
    assert_true(isfinite(data.q->norm[3]) && isfinite(data.q->error[3]));
    compare_data_free(&data);
    unlink(path);
}

/* ---- what is refused --------------------------------------------------------------------------------- */

static void refused(const compare_request *request, const char *place, const char *reason) {
    compare_data data;
    rope_error error;
    assert_int_equal(compare_data_new(&data, request, &error), ROPE_BAD_INPUT);
    check_contains(error.place, place);
    check_contains(error.reason, reason);
    assert_true(error.hint[0]);
    assert_null(data.x_query);
}

static void refused_file(rope_npy_type type, int rank, const size_t *shape, const void *numbers, const char *reason) {
    char path[64];
    compare_request request = compare_request_default();
    write_tokens(path, type, rank, shape, numbers);
    request.data = path;
    refused(&request, path, reason);
    unlink(path);
}

static void test_refused_files(void **state) {
    (void)state;
    const double bad[8] = {1, 2, 3, 4, 5, NAN, 7, INFINITY}, big[4] = {1, 2, 3, -1e61}, none[1] = {0};
    refused_file(ROPE_NPY_F8, 2, (size_t[]){4, 2}, bad, "element [2, 1] is nan");
    refused_file(ROPE_NPY_F8, 2, (size_t[]){1, 2}, bad + 6, "element [0, 1] is inf");
    refused_file(ROPE_NPY_F8, 2, (size_t[]){2, 2}, big, "element [1, 1] is -1e+61");
    refused_file(ROPE_NPY_F8, 1, (size_t[]){4}, big, "1 axes");
    refused_file(ROPE_NPY_F8, 2, (size_t[]){2, 1}, big, "shape [2][1]");
    refused_file(ROPE_NPY_F8, 2, (size_t[]){0, 2}, none, "shape [0][2]");
    refused_file(ROPE_NPY_C16, 2, (size_t[]){1, 2}, big, "c16");
    compare_request request = compare_request_default();
    compare_data data;
    rope_error error;
    request.data = "/nowhere/tokens.npy";
    assert_true(compare_data_new(&data, &request, &error) != ROPE_OK);
    check_contains(error.place, "/nowhere/tokens.npy");
}

static void test_refused_requests(void **state) {
    (void)state;
    const compare_request fine = compare_request_default();
    compare_request request = fine;
#define REFUSED(place, reason, ...) (request = fine, __VA_ARGS__, refused(&request, place, reason))
    REFUSED("--dim", "7", request.dim = 7);
    REFUSED("--dim", "1026", request.dim = 1026);
    REFUSED("--length", "0", request.length = 0);
    REFUSED("--length", "65537", request.length = 65537);
    REFUSED("--bits", "52", request.bits = 52);
    REFUSED("--bits", "1001", request.bits = 1001);
    REFUSED("--base", "1", request.base = 1.0);
    REFUSED("--base", "nan", request.base = NAN);
    REFUSED("--data", "'gaussan'", request.data = "gaussan");
    REFUSED("--clip", "65", request.clip = 65);
    REFUSED("--clip", "-1", request.clip = -1);
    REFUSED("--buckets", "6", request.buckets = 6);
    REFUSED("--max-distance", "17", request.max_distance = 17);
    REFUSED("--max-distance", "to 16777216", request.max_distance = 99999999);
    REFUSED("--heads", "2000", request.heads = 2000);
    REFUSED("--head", "1 to 8", request.head = 9);
    request = fine, request.length = 5;
    compare_data data = data_of(request);
    assert_int_equal(data.request.clip, 5);
    compare_data_free(&data);
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_sinusoid),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_products_bit_for_bit),
        cmocka_unit_test(test_product_bounds),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_tables_of_positions),
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_refused_requests),
    };
    const int failed = cmocka_run_group_tests_name("rows", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
