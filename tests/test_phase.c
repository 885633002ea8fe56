/* Certified phases: rows from the tables, the MPFR reference and the double evaluator, against MPFR code of this file,
 * which gets its frequencies by roots and reduces the angle by a precision it adds itself. */
#include "check.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../src/phase.h"
#include "../src/phase_angle.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { BITS = 320 }; /* an angle below 2^51 leaves 269 of them */

static rope_spec spec_of(int dim, double base, const char *scaling, double A) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim, spec.base = base;
    spec.has_magnitude = A != 1.0, spec.magnitude = A;
    assert_int_equal(rope_spec_set_scaling(&spec, scaling, NULL), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

/* base^(-2i/dim) / factor as the dim-th root of base^(-2i). */
static void frequency(mpfr_t theta, double base, double factor, int i, int dim) {
    mpfr_set_d(theta, base, MPFR_RNDN);
    mpfr_pow_si(theta, theta, -2L * i, MPFR_RNDN);
    mpfr_rootn_ui(theta, theta, (unsigned long)dim, MPFR_RNDN);
    mpfr_div_d(theta, theta, factor, MPFR_RNDN);
}

/* A cos(m theta), A sin(m theta). */
static void phase_of(mpfr_t c, mpfr_t s, const mpfr_t theta, int64_t m, double A) {
    mpfr_t angle;
    mpfr_init2(angle, BITS);
    mpfr_mul_si(angle, theta, (long)m, MPFR_RNDN);
    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
    mpfr_mul_d(c, c, A, MPFR_RNDN);
    mpfr_mul_d(s, s, A, MPFR_RNDN);
    mpfr_clear(angle);
}

static rope_phase *phase_new(const rope_spec *spec, int64_t largest) {
    rope_phase *phase;
    rope_error error;
    if (rope_phase_new(&phase, spec, largest, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return phase;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* |x.hi + x.lo - want|, rounded up; x is normalised. */
static double distance(rope_dd x, const mpfr_t want) {
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_sub_d(d, want, x.hi, MPFR_RNDN);
    mpfr_sub_d(d, d, x.lo, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(d, MPFR_RNDA));
    mpfr_clear(d);
    assert_true(x.hi + x.lo == x.hi);
    return error;
}

/* Largest error of a row. */
static double row_error(const rope_phase *phase, double base, double factor, double A, int64_t m) {
    const int h = rope_phase_pairs(phase);
    rope_dd row_c[256], row_s[256];
    mpfr_t theta, c, s;
    mpfr_inits2(BITS, theta, c, s, (mpfr_ptr)0);
    rope_phase_row(phase, m, row_c, row_s);
    double largest = 0.0;
    for (int i = 0; i < h; i++) {
        frequency(theta, base, factor, i, 2 * h);
        phase_of(c, s, theta, m, A);
        largest = fmax(largest, fmax(distance(row_c[i], c), distance(row_s[i], s)));
    }
    mpfr_clears(theta, c, s, (mpfr_ptr)0);
    return largest;
}

static const int64_t hard[] = {
    0,         1,        2,        63,         64,        65,      4095,          16383,
    16384,     16385,    4194303,  4194304,    4194305,   1 << 30, (1 << 30) - 1, (1 << 30) + 1,
    INT32_MAX, 131071,   1048575,  -1,         -63,       -64,     -65,           -16384,
    -16385,    -4194304, -1048575, -(1 << 30), -INT32_MAX};

/* Every digit count, so up to four products, at A = 1 and at two that are no powers of two. */
static void rows_are_within_their_bound(void **state) {
    (void)state;
    static const struct {
        int dim;
        double base, factor, A;
        const char *scaling;
    } cases[] = {{128, 1e4, 1, 1, "default"},
                 {10, 5e5, 1, 1.3465735902799727, "default"},
                 {132, 12345, 1, 0.7, "default"},
                 {6, 1e6, 0.0625, 1, "linear:factor=0.0625"}};
    uint64_t seed = 1;
    double largest = 0.0;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const rope_spec spec = spec_of(cases[k].dim, cases[k].base, cases[k].scaling, cases[k].A);
        rope_phase *phase = phase_new(&spec, INT32_MAX);
        assert_int_equal(rope_phase_pairs(phase), cases[k].dim / 2);
        for (size_t t = 0; t < COUNT(hard) + 20; t++) {
            const int64_t m = t < COUNT(hard) ? hard[t] : (int64_t)(check_random(&seed) >> 33) * (t % 2 ? 1 : -1);
            const double error = row_error(phase, cases[k].base, cases[k].factor, cases[k].A, m) / cases[k].A;
            check_near(error, 0.0, ROPE_PHASE_ROW_ERROR);
            largest = fmax(largest, error);
        }
        rope_phase_free(phase);
    }
    assert_true(largest > 0x1p-108); /* the measurement sees rounding errors */
}

static void check_same_rows(const rope_phase *a, int64_t m, const rope_phase *b, int64_t n, double sign) {
    rope_dd ac[64], as[64], bc[64], bs[64];
    rope_phase_row(a, m, ac, as);
    rope_phase_row(b, n, bc, bs);
    for (int i = 0; i < rope_phase_pairs(a); i++) {
        check_same(ac[i].hi, bc[i].hi);
        check_same(ac[i].lo, bc[i].lo);
        check_near(as[i].hi, sign * bs[i].hi, 0.0); /* 0 and -0 are the same here */
        check_near(as[i].lo, sign * bs[i].lo, 0.0);
    }
}

/* The conjugate, bit by bit; and the same row from tables of any size, made by any number of threads. */
static void rows_do_not_depend_on_the_tables(void **state) {
    (void)state;
    const rope_spec spec = spec_of(128, 1e4, "default", 1.1);
    rope_phase *large = phase_new(&spec, INT32_MAX);
    static const int64_t reach[] = {0, 1, 64, 4095, 16384, 131071};
    for (size_t k = 0; k < COUNT(reach); k++) {
#ifdef _OPENMP
        omp_set_num_threads(1 + (int)k % 3);
#endif
        rope_phase *phase = phase_new(&spec, reach[k]);
        for (int64_t m = 0; m <= reach[k]; m += 1 + m / 3) {
            check_same_rows(phase, m, large, m, 1.0);
            check_same_rows(phase, -m, large, m, -1.0);
        }
        check_same_rows(phase, reach[k], large, -reach[k], -1.0);
        rope_phase_free(phase);
    }
    rope_phase_free(large);
}

static void what_cannot_be_tabled_is_refused(void **state) {
    (void)state;
    const rope_spec spec = spec_of(128, 1e4, "default", 1.0), faint = spec_of(128, 1e4, "default", 0x1p-600);
    rope_phase *phase;
    rope_error error;
    assert_int_equal(rope_phase_new(&phase, &spec, INT64_C(1) << 31, &error), ROPE_UNSUPPORTED);
    assert_null(phase);
    check_contains(error.reason, "2147483648");
    assert_int_equal(rope_phase_new(&phase, &spec, -1, &error), ROPE_UNSUPPORTED);
    assert_int_equal(rope_phase_new(&phase, &faint, 1, &error), ROPE_UNSUPPORTED);
    check_contains(error.place, "magnitude");
    rope_phase_free(NULL);
}

/* ---- the reference ----------------------------------------------------------------------------------- */

/* Within A 2^(1-p) at any precision, also where the angle is a million and most bits of theta are used up. */
static void reference_keeps_its_bound(void **state) {
    (void)state;
    static const mpfr_prec_t precisions[] = {2, 24, 53, 113, 200};
    const rope_spec spec = spec_of(128, 5e5, "linear:factor=0.001", 1.7);
    mpfr_t theta, c, s, got_c, got_s, bound;
    mpfr_inits2(BITS, theta, c, s, (mpfr_ptr)0);
    mpfr_init2(bound, 53);
    for (size_t k = 0; k < COUNT(precisions); k++) {
        mpfr_inits2(precisions[k], got_c, got_s, (mpfr_ptr)0);
        mpfr_set_d(bound, 1.7, MPFR_RNDN);
        mpfr_mul_2si(bound, bound, 1 - precisions[k], MPFR_RNDN);
        for (size_t t = 0; t < COUNT(hard); t++)
            for (int i = 0; i < 64; i += 21) {
                frequency(theta, 5e5, 0.001, i, 128);
                phase_of(c, s, theta, hard[t], 1.7);
                rope_phase_reference(got_c, got_s, &spec, hard[t], i);
                check_near_mpfr(got_c, c, bound);
                check_near_mpfr(got_s, s, bound);
            }
        mpfr_clears(got_c, got_s, (mpfr_ptr)0);
    }
    mpfr_clears(theta, c, s, bound, (mpfr_ptr)0);
}

/* C(r) = sum of the cosines, against 40 digits made by mpmath. */
static void sums_of_cosines_match_known_values(void **state) {
    (void)state;
    FILE *file = check_open_vectors("decay.txt");
    char line[512];
    int lines = 0;
    mpfr_t sum, c, s, want, bound;
    mpfr_inits2(200, sum, c, s, want, (mpfr_ptr)0);
    mpfr_init2(bound, 53);
    while (check_read_vector(file, line, sizeof line)) {
        int dim;
        double base, factor, r;
        char rule[32], B[64], C[64], scaling[80];
        assert_int_equal(sscanf(line, "%d %lf %31s %lf %lf %63s %63s", &dim, &base, rule, &factor, &r, B, C), 7);
        if (r != rint(r) || fabs(r) > INT32_MAX) continue; /* positions are integers */
        snprintf(scaling, sizeof scaling, strcmp(rule, "default") ? "%s:factor=%g" : "%s", rule, factor);
        const rope_spec spec = spec_of(dim, base, scaling, 1.0);
        mpfr_set_zero(sum, 1);
        for (int i = 0; i < dim / 2; i++) {
            rope_phase_reference(c, s, &spec, (int64_t)r, i);
            mpfr_add(sum, sum, c, MPFR_RNDN);
        }
        mpfr_set_str(want, C, 10, MPFR_RNDN);
        mpfr_abs(bound, want, MPFR_RNDU);
        mpfr_mul_d(bound, bound, 1e-39,
                   MPFR_RNDU); /* 40 significant digits, the last one rounded: at most 5e-40 of the value */
        check_near_mpfr(sum, want, bound);
        lines++;
    }
    fclose(file);
    assert_true(lines >= 27);
    mpfr_clears(sum, c, s, want, bound, (mpfr_ptr)0);
}

/* ---- angles ------------------------------------------------------------------------------------------ */

/* Error of rope_phase_angle at a, against MPFR's exact reduction of the same double. */
static double angle_error(double a) {
    double c, s;
    rope_phase_angle(a, &c, &s);
    mpfr_t angle, cosine, sine;
    mpfr_init2(angle, 53);
    mpfr_inits2(120, cosine, sine, (mpfr_ptr)0);
    mpfr_set_d(angle, a, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    mpfr_sub_d(cosine, cosine, c, MPFR_RNDN);
    mpfr_sub_d(sine, sine, s, MPFR_RNDN);
    const double error = fmax(fabs(mpfr_get_d(cosine, MPFR_RNDA)), fabs(mpfr_get_d(sine, MPFR_RNDA)));
    mpfr_clears(angle, cosine, sine, (mpfr_ptr)0);
    return isnan(c) || isnan(s) ? INFINITY : error;
}

static void angles_are_within_their_bound(void **state) {
    (void)state;
    static const double corners[] = {0.0,    -0.0,    0x1p-1074, 0x1p-30, M_PI_4,  M_PI_2, M_PI, 0x1.fffffffffffffp29,
                                     0x1p30, -0x1p30, 0x1p100,   1e300,   -DBL_MAX};
    uint64_t seed = 2;
    double largest = 0.0;
    for (size_t k = 0; k < COUNT(corners); k++) check_near(angle_error(corners[k]), 0.0, ROPE_PHASE_ANGLE_ERROR);
    for (int k = 0; k < 20000; k++) {
        const int exponent = (int)(check_random(&seed) % 42) - 10;
        double a = ldexp(check_uniform(&seed, 0.5, 1.0), exponent);
        if (k % 3 == 1) a = (double)(float)a;
        if (k % 3 == 2) a = (rint(a / M_PI_4) + 0.5 * (k % 2)) * M_PI_4; /* where k changes, and where r is almost 0 */
        if (k % 2) a = -a;
        const double error = angle_error(a);
        check_near(error, 0.0, fabs(a) < ROPE_PHASE_ANGLE_LARGEST ? ROPE_PHASE_ANGLE_REDUCED : ROPE_PHASE_ANGLE_ERROR);
        largest = fmax(largest, error);
    }
    assert_true(largest > 0x1p-54);
    double c, s;
    rope_phase_angle(NAN, &c, &s);
    assert_true(isnan(c) && isnan(s));
    rope_phase_angle(INFINITY, &c, &s);
    assert_true(isnan(c) && isnan(s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_within_their_bound),        cmocka_unit_test(rows_do_not_depend_on_the_tables),
        cmocka_unit_test(what_cannot_be_tabled_is_refused),   cmocka_unit_test(reference_keeps_its_bound),
        cmocka_unit_test(sums_of_cosines_match_known_values), cmocka_unit_test(angles_are_within_their_bound),
    };
    const int failed = cmocka_run_group_tests_name("phase", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
