/* --grade exact: tables rounded once from the true value hold, tables rounded twice do not, to the last entry.
 *
 * The true values are made here: e^(i m theta_j) = e^(i 256 g theta_j) e^(i k theta_j), both factors by MPFR, the product in
 * double; where that cannot decide a rounding, MPFR does. */
#include "check.h"

#include <float.h>
#include <stdlib.h>

#include "twins/judge.h"

enum { D = 128, H = D / 2, BASE = 10000, STEP = 256, BITS = 192 };
enum { FEW = 2048, MANY = 131072 }; /* rows */

/* ---- the true values --------------------------------------------------------------------------------- */

typedef struct turn {
    double re, im;
} turn;

/* theta^D = BASE^(-2j). */
static void frequency(mpfr_t theta, int j) {
    mpfr_set_ui(theta, BASE, MPFR_RNDN);
    mpfr_pow_si(theta, theta, -2L * j, MPFR_RNDN);
    mpfr_rootn_ui(theta, theta, D, MPFR_RNDN);
}

/* turns[k][j] = e^(i k step theta_j), k < count: a recurrence, off by count roundings of 2^-BITS. */
static turn *make_turns(int count, unsigned long step) {
    turn *turns = malloc((size_t)count * H * sizeof *turns);
    assert_non_null(turns);
    mpfr_t c, s, re, im, next;
    mpfr_inits2(BITS, c, s, re, im, next, (mpfr_ptr)0);
    for (int j = 0; j < H; j++) {
        frequency(next, j);
        mpfr_mul_ui(next, next, step, MPFR_RNDN);
        mpfr_sin_cos(s, c, next, MPFR_RNDN);
        mpfr_set_ui(re, 1, MPFR_RNDN);
        mpfr_set_ui(im, 0, MPFR_RNDN);
        for (int k = 0; k < count; k++) {
            turns[k * H + j] = (turn){mpfr_get_d(re, MPFR_RNDN), mpfr_get_d(im, MPFR_RNDN)};
            mpfr_fmms(next, re, c, im, s, MPFR_RNDN);
            mpfr_fmma(im, re, s, im, c, MPFR_RNDN);
            mpfr_swap(re, next);
        }
    }
    mpfr_clears(c, s, re, im, next, (mpfr_ptr)0);
    return turns;
}

/* cos (part 0) or sin (part 1) of m theta_j, rounded by MPFR alone to a format of so many bits; least: its smallest step. */
static double by_mpfr(int64_t m, int j, int part, int bits, mpfr_exp_t least) {
    mpfr_t value;
    mpfr_init2(value, BITS);
    frequency(value, j);
    mpfr_mul_si(value, value, (long)m, MPFR_RNDN);
    (part ? mpfr_sin : mpfr_cos)(value, value, MPFR_RNDN);
    if (!mpfr_zero_p(value) && mpfr_get_exp(value) - bits < least) bits = (int)(mpfr_get_exp(value) - least); /* subnormal */
    mpfr_prec_round(value, bits, MPFR_RNDN);
    const double rounded = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return rounded;
}

/* The value rounded once to binary32. x is a sum of two products: four factors and two products off by half an epsilon of at
 * most 1 each, the sum by half an epsilon: 3.5 epsilon, on both sides of which the float must be the same. */
static double single(double x, int64_t m, int j, int part) {
    const float low = (float)(x - 4 * DBL_EPSILON), high = (float)(x + 4 * DBL_EPSILON);
    return low == high ? (double)low : by_mpfr(m, j, part, 24, -149);
}

static double rounded_once(rope_dtype dtype, double x, int64_t m, int j, int part) {
    static const int bits[] = {[ROPE_F64] = 53, [ROPE_F16] = 11, [ROPE_BF16] = 8};
    static const mpfr_exp_t least[] = {[ROPE_F64] = -1074, [ROPE_F16] = -24, [ROPE_BF16] = -133};
    return dtype == ROPE_F32 ? single(x, m, j, part) : by_mpfr(m, j, part, bits[dtype], least[dtype]);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void store(rope_dtype dtype, void *array, size_t at, double value) {
    if (dtype == ROPE_F64) ((double *)array)[at] = value;
    if (dtype == ROPE_F32) ((float *)array)[at] = (float)value;
    if (dtype == ROPE_F16 || dtype == ROPE_BF16) ((uint16_t *)array)[at] = twin_bits(dtype, value);
}

/* Both arrays, rounded once to the format, or to binary32 first. */
static void make_tables(rope_dtype dtype, bool twice, size_t rows, void *const array[2]) {
    turn *giants = make_turns((int)((rows + STEP - 1) / STEP), STEP), *babies = make_turns(STEP, 1);
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < rows; row++)
        for (int j = 0; j < H; j++) {
            const turn a = giants[row / STEP * H + (size_t)j], b = babies[row % STEP * H + (size_t)j];
            const double parts[] = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
            for (int part = 0; part < 2; part++) {
                const double value = twice ? twin_round(dtype, single(parts[part], (int64_t)row, j, part))
                                           : rounded_once(dtype, parts[part], (int64_t)row, j, part);
                store(dtype, array[part], row * H + (size_t)j, value);
            }
        }
    free(giants);
    free(babies);
}

static report *judge_tables(rope_dtype dtype, size_t rows, void *const array[2], const char *folder) {
    static const rope_npy_type types[] = {[ROPE_F64] = ROPE_NPY_F8, [ROPE_F32] = ROPE_NPY_F4, [ROPE_F16] = ROPE_NPY_F2, [ROPE_BF16] = ROPE_NPY_U2};
    const size_t shape[] = {rows, H};
    twin_dump dump = {.request = {.name = "table", .kind = SUBJECT_TABLE, .spec = rope_spec_default(), .exact = true}};
    for (int part = 0; part < 2; part++) {
        snprintf(dump.path[part], sizeof dump.path[part], "%s/%s.npy", folder, part ? "sin" : "cos");
        assert_int_equal(rope_npy_write(dump.path[part], types[dtype], 2, shape, array[part], NULL), ROPE_OK);
    }
    dump.request.cos = dump.path[0], dump.request.sin = dump.path[1];
    dump.request.has_dtype = dtype == ROPE_BF16, dump.request.dtype = ROPE_BF16;
    return twin_judge(&dump);
}

static void allocate(void *array[2], size_t rows, size_t bytes) {
    for (int part = 0; part < 2; part++) assert_non_null(array[part] = malloc(rows * H * bytes));
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void rounded_once_holds(void **state) {
    static const rope_dtype dtypes[] = {ROPE_F64, ROPE_F32, ROPE_F16, ROPE_BF16};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        const size_t rows = dtypes[k] == ROPE_F32 ? FEW : FEW / 16; /* the others are MPFR's alone */
        void *array[2];
        allocate(array, rows, sizeof(double));
        make_tables(dtypes[k], false, rows, array);
        report *found = judge_tables(dtypes[k], rows, array, *state);
        twin_expect_holds(found, rope_format_of(dtypes[k])->name);
        assert_int_equal(twin_claim(found, "table")->checked, 2 * rows * H);
        assert_string_equal(found->required_grade, "exact");
        report_free(found);
        free(array[0]), free(array[1]);
    }
}

/* The entries of 2^17 rows that the detour through binary32 rounds the wrong way: 132 in bf16, 1026 in f16. */
static void rounded_twice_is_counted(void **state) {
    static const struct {
        rope_dtype dtype;
        uint64_t wrong;
    } counts[] = {{ROPE_BF16, 132}, {ROPE_F16, 1026}};
    for (size_t k = 0; k < 2; k++) {
        void *array[2];
        allocate(array, MANY, sizeof(uint16_t));
        make_tables(counts[k].dtype, true, MANY, array);
        report *found = judge_tables(counts[k].dtype, MANY, array, *state);
        const report_claim *table = twin_claim(found, "table");
        assert_int_equal(table->verdict, REPORT_BROKEN);
        assert_int_equal(table->broken, counts[k].wrong);
        assert_int_equal(table->checked, 2 * MANY * H);
        report_free(found);
        free(array[0]), free(array[1]);
    }
}

static void one_ulp_is_refused(void **state) {
    void *array[2];
    allocate(array, FEW, sizeof(float));
    make_tables(ROPE_F32, false, FEW, array);
    float *entry = (float *)array[1] + 1234 * H + 56;
    *entry = nextafterf(*entry, 2.0f);
    report *found = judge_tables(ROPE_F32, FEW, array, *state);
    const report_claim *table = twin_claim(found, "table");
    assert_int_equal(table->broken, 1);
    assert_int_equal(table->witness.m, 1234);
    assert_int_equal(table->witness.pair, 56);
    assert_string_equal(table->witness.array, "sin");
    report_free(found);
    free(array[0]), free(array[1]);
}

/* Frequencies, too: rounded once, and one of them a float away. */
static void frequencies(void **state) {
    double values[H];
    const size_t h = H;
    mpfr_t theta;
    mpfr_init2(theta, BITS);
    for (int moved = 0; moved < 2; moved++) {
        twin_dump dump = {.request = {.name = "freqs", .kind = SUBJECT_FREQS, .spec = rope_spec_default(), .exact = true}};
        for (int j = 0; j < H; j++) {
            frequency(theta, j);
            values[j] = (double)mpfr_get_flt(theta, MPFR_RNDN);
        }
        if (moved) values[40] = (double)nextafterf((float)values[40], 0.0f);
        snprintf(dump.path[0], sizeof dump.path[0], "%s/freqs.npy", (const char *)*state);
        twin_write(dump.path[0], ROPE_F32, 1, &h, values);
        dump.request.freqs = dump.path[0];
        report *found = twin_judge(&dump);
        if (!moved) twin_expect_holds(found, "frequencies rounded once");
        assert_int_equal(twin_claim(found, "frequency")->broken, moved);
        if (moved) assert_int_equal(twin_claim(found, "frequency")->witness.pair, 40);
        report_free(found);
    }
    mpfr_clear(theta);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounded_once_holds), cmocka_unit_test(rounded_twice_is_counted),
                                       cmocka_unit_test(one_ulp_is_refused), cmocka_unit_test(frequencies)};
    return cmocka_run_group_tests(tests, twin_make_folder, twin_remove_folder);
}
