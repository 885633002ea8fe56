/* Every bound contains what it bounds, and is not needlessly wide: random and extreme cases against MPFR, long double or exact
 * arithmetic written here. */
#include "check.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <stdlib.h>

#include "../src/bound.h"
#include "../src/frequency/frequency.h"
#include "../src/model/model.h"
#include "../src/number/dd.h"

static uint64_t state_of_random = 88172645463325252u;

static double uniform(void) { /* [0, 1) */
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return (double)(state_of_random >> 11) * 0x1p-53;
}

/* The largest seen lies within the bound, and not below a share of it. */
static void check_sharp(const char *what, double largest, double bound, double share) {
    if (!(largest <= bound && largest >= share * bound)) fail_msg("%s: largest %g, bound %g, wanted share %g", what, largest, bound, share);
}

/* cosf and sinf of this libm, as a vector, against long double: within 3 u. glibc reaches 0.56 ulps per component. */
static void test_trig(void **state) {
    (void)state;
    double largest = 0.0;
    for (int k = 0; k < 200000; k++) {
        const float angle = (float)(uniform() * 131072.0);
        const double c = (double)cosf(angle) - (double)cosl((long double)angle), s = (double)sinf(angle) - (double)sinl((long double)angle);
        largest = fmax(largest, hypot(c, s));
    }
    check_sharp("trig", largest, rope_bound_trig(ROPE_F32, 1.0), 0.2);
    assert_true(rope_bound_trig(ROPE_F64, 1.0) == 6.0 * 0x1p-53 && rope_bound_trig(ROPE_F64, 0.7) == 8.0 * 0x1p-53);
    assert_true(rope_bound_trig(ROPE_F32, 1.5) > rope_bound_trig(ROPE_F32, 1.0));
}

/* The worst that is assumed in binary64: |cos| and |sin| just above 1/2 and below 1, off by 4 ulps each, and a factor twice
 * rounded. The vector stays within 8 u A, and is not far below. */
static void test_double_trig(void **state) {
    (void)state;
    double least = INFINITY, largest = 0.0;
    for (int k = 0; k < 200000; k++) {
        const double A = 1.0 + uniform(), angle = 0.5236 + 0.5235 * uniform(), p = uniform() < 0.5 ? -4.0 : 4.0, q = uniform() < 0.5 ? -4.0 : 4.0;
        const long double c = cosl((long double)angle), s = sinl((long double)angle), factor = (long double)A * (1.0L + 0x1p-54L); /* A' is A */
        const double x = A * (double)(c + (long double)p * 0x1p-53L), y = A * (double)(s + (long double)q * 0x1p-53L);
        const double off = (double)hypotl((long double)x - factor * c, (long double)y - factor * s) / A;
        largest = fmax(largest, off);
        least = fmin(least, off);
    }
    check_sharp("trig f64", largest, rope_bound_trig(ROPE_F64, 1.5), 0.7);
    assert_true(least > rope_bound_trig(ROPE_F32, 1.0) * 0x1p-29); /* as wide as 3 u would not do */
}

/* A factor A in binary32: A rounded, the product rounded. */
static void test_magnitude(void **state) {
    (void)state;
    const double A = 1.138629436111989;
    double largest = 0.0;
    for (int k = 0; k < 200000; k++) {
        const float angle = (float)(uniform() * 4096.0), factor = (float)A;
        const double c = (double)(factor * cosf(angle)) - A * (double)cosl((long double)angle);
        const double s = (double)(factor * sinf(angle)) - A * (double)sinl((long double)angle);
        largest = fmax(largest, hypot(c, s));
    }
    check_sharp("magnitude", largest, A * rope_bound_trig(ROPE_F32, A), 0.15);
}

static void test_storage(void **state) {
    (void)state;
    const rope_dtype grades[] = {ROPE_F32, ROPE_F16, ROPE_BF16};
    const double magnitudes[] = {1.0, 1.138629436111989, 0.7};
    for (size_t g = 0; g < 3; g++)
        for (size_t n = 0; n < 3; n++) {
            const double A = magnitudes[n];
            double entry = 0.0, twice = 0.0, vector = 0.0;
            for (int k = 0; k < 200000; k++) {
                const double angle = uniform() * 6.283185307179586, c = A * cos(angle), s = A * sin(angle);
                const double a = rope_round(grades[g], c) - c, b = rope_round(grades[g], s) - s;
                entry = fmax(entry, fmax(fabs(a), fabs(b)));
                twice = fmax(twice, fabs(rope_round(grades[g], (double)(float)c) - c)); /* by way of binary32 */
                vector = fmax(vector, hypot(a, b));
            }
            if (A == 1.0) assert_true(twice <= rope_bound_entry(grades[g], ROPE_F64, A));
            check_sharp("entry", entry, A * rope_bound_entry(grades[g], ROPE_F64, A), 0.95);
            check_sharp("cache", vector, A * rope_bound_cache(grades[g], ROPE_F64, A), 0.7);
            assert_true(rope_bound_entry(ROPE_F32, ROPE_F32, A) == 0.0); /* counted by trig */
        }
}

static void test_rotation(void **state) {
    (void)state;
    double single = 0.0, with_double = 0.0;
    for (int k = 0; k < 1000000; k++) {
        const float a = (float)(uniform() * 2.0 - 1.0), b = (float)(uniform() * 2.0 - 1.0), angle = (float)(uniform() * 6.3);
        const float c = cosf(angle), s = sinf(angle), y = a * c - b * s;
        const double exact = (double)a * (double)c - (double)b * (double)s; /* products exact, the sum off by 2^-53 */
        const double norm = hypot((double)a, (double)b) * hypot((double)c, (double)s);
        if (norm > 0.0) single = fmax(single, fabs((double)y - exact) / norm);
        const double p = uniform() - 0.5, q = uniform() - 0.5, z = p * (double)c - q * (double)s;
        const rope_dd left = rope_two_prod(p, (double)c), right = rope_two_prod(q, (double)s); /* exact */
        const rope_dd difference = rope_two_sum(left.hi, -right.hi);
        with_double = fmax(with_double, fabs((difference.hi - z) + (difference.lo + (left.lo - right.lo))) / hypot(p, q));
    }
    check_sharp("rotation f32", single, rope_bound_rotation(ROPE_F32), 0.6);
    check_sharp("rotation f64", with_double, rope_bound_rotation(ROPE_F64), 0.5);
}

static void test_output(void **state) {
    (void)state;
    const rope_dtype grades[] = {ROPE_F16, ROPE_BF16, ROPE_F32};
    for (size_t g = 0; g < 3; g++) {
        double share = 0.0;
        for (int k = 0; k < 200000; k++) {
            const double y = ldexp(uniform() * 2.0 - 1.0, (int)(uniform() * 40.0) - 25);
            const double error = fabs(rope_round(grades[g], y) - y), bound = rope_bound_output(grades[g], y);
            if (!(error <= bound)) fail_msg("%s: y %g error %g bound %g", rope_format_of(grades[g])->name, y, error, bound);
            share = fmax(share, error / bound);
        }
        assert_true(share > 0.9);
    }
}

/* Angles of a direct program with parameter f: RN32(RN32(m) f), m f in binary64, and that rounded to float. */
static double float_product(double m, double f) { return (double)((float)m * (float)f); }
static double double_product(double m, double f) { return m * f; }
static double rounded_product(double m, double f) { return (double)(float)(m * f); }

/* Phase differences at equal distance: frequency errors cancel, the angles' own roundings remain. */
static void check_difference(const rope_model *model, double (*product)(double, double), double least) {
    rope_spec spec = rope_spec_default();
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    double share = 0.0;
    for (int k = 0; k < 200000; k++) {
        const int i = (int)(uniform() * 64.0);
        const double f = model->center(&spec, i);
        const int64_t m = (int64_t)(uniform() * 131072.0), n = (int64_t)(uniform() * 131072.0), shift = (int64_t)(uniform() * 4096.0);
        const int64_t position[] = {m, n, m + shift, n + shift};
        double angle[4];
        for (int j = 0; j < 4; j++) angle[j] = product((double)position[j], f);
        const double error = fabs((angle[0] - angle[1]) - (angle[2] - angle[3]));
        double bound = 0.0;
        for (int j = 0; j < 4; j++)
            bound += rope_bound_difference(model, &spec, i, (double)position[j] * f * (1.0 + 0x1p-20), (double)position[j]);
        if (!(error <= bound)) fail_msg("i=%d m=%lld n=%lld s=%lld: %g > %g", i, (long long)m, (long long)n, (long long)shift, error, bound);
        if (bound > 0.0) share = fmax(share, error / bound);
    }
    if (!(share >= least)) fail_msg("%s: largest share of the bound %g", model->name, share);
    assert_true(rope_bound_difference(NULL, &spec, 5, 100.0, 100.0) >= rope_bound_difference(model, &spec, 5, 100.0, 100.0));
}

/* Products of a float and a position below 2^29 are exact: nothing is seen of that bound. */
static void test_difference(void **state) {
    (void)state;
    check_difference(&rope_model_direct, float_product, 0.5);
    check_difference(&rope_model_float_angle, rounded_product, 0.5);
    check_difference(&rope_model_float_frequency, double_product, 0.0);
}

static void test_sum(void **state) {
    (void)state;
    double share = 0.0;
    for (int k = 0; k < 2000; k++) {
        enum { N = 256 };
        double sum = 0.0, moduli = 0.0;
        rope_dd truth = {0.0, 0.0}; /* to 2^-100 or so, however long double is computed */
        for (int j = 0; j < N; j++) {
            const double a = uniform() - 0.5, b = uniform() - 0.5;
            sum += a * b;
            const rope_dd product = rope_two_prod(a, b), high = rope_two_sum(truth.hi, product.hi);
            truth = rope_two_sum(high.hi, high.lo + (truth.lo + product.lo));
            moduli += fabs(a * b);
        }
        const double error = fabs((sum - truth.hi) - truth.lo), bound = rope_bound_sum(N, moduli);
        assert_true(error <= bound);
        share = fmax(share, error / bound);
    }
    assert_true(share > 1e-4); /* a worst-case count: random signs stay far below it */
}

/* Entry (i, j) of A B - C D, to 2^-100 or so, whatever long double is; sizes D. */
enum { H = 16, D = 2 * H };
static double entry_of(const gsl_matrix *a, const gsl_matrix *b, const gsl_matrix *c, const gsl_matrix *d, size_t i, size_t j) {
    rope_dd sum = {0.0, 0.0};
    for (size_t k = 0; k < D; k++) {
        const rope_dd left = rope_two_prod(gsl_matrix_get(a, i, k), gsl_matrix_get(b, k, j));
        const rope_dd right = rope_two_prod(-gsl_matrix_get(c, i, k), gsl_matrix_get(d, k, j));
        const rope_dd both = rope_two_sum(left.hi, right.hi), high = rope_two_sum(sum.hi, both.hi);
        sum = rope_two_sum(high.hi, high.lo + (sum.lo + (both.lo + (left.lo + right.lo))));
    }
    return sum.hi + sum.lo;
}

static double frobenius(const gsl_matrix *a, const gsl_matrix *b, const gsl_matrix *c, const gsl_matrix *d) {
    double squares = 0.0;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) squares += entry_of(a, b, c, d, i, j) * entry_of(a, b, c, d, i, j);
    return sqrt(squares);
}

/* h blocks c -s; s c of modulus 1 + off, c + i s in z. */
static gsl_matrix *rotations(double off, double (*z)[2]) {
    gsl_matrix *matrix = gsl_matrix_calloc(D, D);
    for (size_t i = 0; i < H; i++) {
        const double angle = uniform() * 6.283185307179586, c = cos(angle) * (1.0 + off), s = sin(angle) * (1.0 + off);
        gsl_matrix_set(matrix, i, i, c);
        gsl_matrix_set(matrix, i, i + H, -s);
        gsl_matrix_set(matrix, i + H, i, s);
        gsl_matrix_set(matrix, i + H, i + H, c);
        z[i][0] = c;
        z[i][1] = s;
    }
    return matrix;
}

static void test_determinant(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        const double off = k % 2 ? 1e-7 : 0.0;
        double z[H][2], block = 0.0;
        gsl_matrix *matrix = rotations(off, z);
        for (size_t i = 0; i < H; i++) block = fmax(block, fabs(fma(z[i][0], z[i][0], z[i][1] * z[i][1]) - 1.0) + 0x1p-52);
        gsl_permutation *permutation = gsl_permutation_alloc(D);
        int sign;
        gsl_linalg_LU_decomp(matrix, permutation, &sign);
        const double defect = fabs(log(gsl_linalg_LU_det(matrix, sign)));
        assert_true(defect <= rope_bound_determinant(H, block));
        if (off > 0.0) assert_true(defect > rope_bound_determinant(H, 0.0)); /* and the bound without the blocks' share refuses it */
        gsl_permutation_free(permutation);
        gsl_matrix_free(matrix);
    }
}

/* The eigenvalues that GSL's Schur form gives, against those known by construction; then one that is spoilt on purpose, which its
 * residual must admit. */
static void test_spectrum(void **state) {
    (void)state;
    gsl_matrix *one = gsl_matrix_alloc(D, D), *gram = gsl_matrix_alloc(D, D), *T = gsl_matrix_alloc(D, D), *Z = gsl_matrix_alloc(D, D);
    gsl_eigen_nonsymm_workspace *workspace = gsl_eigen_nonsymm_alloc(D);
    gsl_vector_complex *found = gsl_vector_complex_alloc(D);
    gsl_matrix_set_identity(one);
    for (int k = 0; k < 50; k++) {
        const double spoilt = k % 2 ? ldexp(1.0, -10 - k / 2) : 0.0;
        double z[H][2];
        gsl_matrix *matrix = rotations(k % 3 ? 0.0 : 0.3, z);
        gsl_matrix_memcpy(T, matrix);
        gsl_eigen_nonsymm_params(1, 0, workspace);
        assert_int_equal(gsl_eigen_nonsymm_Z(T, found, Z, workspace), 0);
        for (size_t i = 2; i < D; i++)
            for (size_t j = 0; j + 1 < i; j++) gsl_matrix_set(T, i, j, 0.0);
        for (size_t i = 0; i < D; i++) gsl_matrix_set(T, i, i, gsl_matrix_get(T, i, i) + spoilt); /* all eigenvalues move */
        gsl_matrix_transpose_memcpy(gram, Z);
        const double residual = frobenius(matrix, Z, Z, T), defect = frobenius(gram, Z, one, one);
        const double bound = rope_bound_spectrum(D, k % 3 ? 1.0 + 0x1p-50 : 1.3 + 0x1p-50, residual, defect);
        for (size_t i = 0; i < H; i++) {
            double nearest = INFINITY;
            for (size_t j = 0; j < D; j++) {
                const gsl_complex w = gsl_vector_complex_get(found, j);
                nearest = fmin(nearest, hypot(GSL_REAL(w) + spoilt - z[i][0], GSL_IMAG(w) - z[i][1]));
            }
            assert_true(nearest <= bound);
        }
        assert_true(spoilt > 0.0 ? bound >= spoilt && bound <= 16.0 * D * D * spoilt : bound < 1e-12);
        gsl_matrix_free(matrix);
    }
    assert_true(isinf(rope_bound_spectrum(D, 1.0, 0.0, 0.25)) && isinf(rope_bound_spectrum(D, 1.0, 0.0, NAN)));
    gsl_vector_complex_free(found);
    gsl_eigen_nonsymm_free(workspace);
    gsl_matrix_free(Z);
    gsl_matrix_free(T);
    gsl_matrix_free(gram);
    gsl_matrix_free(one);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trig),   cmocka_unit_test(test_double_trig), cmocka_unit_test(test_magnitude),  cmocka_unit_test(test_storage),
                                       cmocka_unit_test(test_rotation), cmocka_unit_test(test_output),   cmocka_unit_test(test_difference),
                                       cmocka_unit_test(test_sum),    cmocka_unit_test(test_determinant), cmocka_unit_test(test_spectrum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
