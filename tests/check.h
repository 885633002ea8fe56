/* Asserts, random numbers and vectors shared by the test programs; include it instead of cmocka.h.
 *
 * Every comparison has a bound that its caller derives, and none passes on NaN (cmocka's assert_float_equal does). A
 * failure prints both values in decimal and hex, the error and what was allowed.
 */
#ifndef ROPE_TESTS_CHECK_H
#define ROPE_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h> /* after stdio.h, for mpfr_fprintf */

#include "../src/number/dtype.h"

/* |got - want| <= bound; infinities are near only themselves. */
#define check_near(got, want, bound) check_near_at(#got, got, want, bound, __FILE__, __LINE__)

/* The same number with the same sign, also of zero. Two NaNs are the same. */
#define check_same(got, want) check_same_at(#got, got, want, __FILE__, __LINE__)

/* |got - want| <= ulps * (ulp of the format at want). */
#define check_ulps(dtype, got, want, ulps)                                                                             \
    check_near_at(#got, got, want, (ulps)*rope_ulp(dtype, want), __FILE__, __LINE__)

/* |got - want| <= bound for MPFR numbers, the error rounded away from zero; in check_near_double want and bound are
 * doubles. */
#define check_near_mpfr(got, want, bound) check_near_mpfr_at(#got, got, want, bound, __FILE__, __LINE__)
#define check_near_double(got, want, bound) check_near_double_at(#got, got, want, bound, __FILE__, __LINE__)

/* text contains part. */
#define check_contains(text, part) check_contains_at(text, part, __FILE__, __LINE__)

/* MPFR's own way to IEEE formats: P bits, then the exponent range, then subnormals with the ternary value, which spares
 * them the second rounding. */
static inline double check_round(rope_dtype dtype, const mpfr_t v, bool forget_ternary) {
    const rope_format *format = rope_format_of(dtype);
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t t;
    mpfr_init2(t, format->precision);
    int ternary = mpfr_set(t, v, MPFR_RNDN);
    if (forget_ternary) ternary = 0;
    mpfr_set_emin(format->emin - format->precision + 2);
    mpfr_set_emax(format->emax + 1);
    ternary = mpfr_check_range(t, ternary, MPFR_RNDN);
    mpfr_subnormalize(t, ternary, MPFR_RNDN);
    const double value = mpfr_get_d(t, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(t);
    return value;
}

static inline void check_near_at(const char *what, double got, double want, double bound, const char *file, int line) {
    const double error = got == want ? 0.0 : fabs(got - want);
    if (error <= bound) return;
    print_error("%s: got %.17g (%a), want %.17g (%a), error %.3g, allowed %.3g\n", what, got, got, want, want, error,
                bound);
    _fail(file, line);
}

static inline void check_same_at(const char *what, double got, double want, const char *file, int line) {
    if (isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want)) return;
    print_error("%s: got %.17g (%a), want %.17g (%a)\n", what, got, got, want, want);
    _fail(file, line);
}

static inline void check_near_mpfr_at(const char *what, const mpfr_t got, const mpfr_t want, const mpfr_t bound,
                                      const char *file, int line) {
    mpfr_t error;
    mpfr_init2(error, 64);
    mpfr_sub(error, got, want, MPFR_RNDA);
    if (mpfr_equal_p(got, want)) mpfr_set_zero(error, 1);
    const bool near = !mpfr_nan_p(error) && !mpfr_nan_p(bound) && mpfr_cmpabs(error, bound) <= 0;
    if (!near)
        mpfr_fprintf(stderr, "%s: got %.20Re, want %.20Re, error %.3Re, allowed %.3Re\n", what, got, want, error,
                     bound);
    mpfr_clear(error);
    if (!near) _fail(file, line);
}

static inline void check_near_double_at(const char *what, const mpfr_t got, double want, double bound, const char *file,
                                        int line) {
    mpfr_t w, b;
    mpfr_inits2(53, w, b, (mpfr_ptr)0);
    mpfr_set_d(w, want, MPFR_RNDN);
    mpfr_set_d(b, bound, MPFR_RNDN);
    check_near_mpfr_at(what, got, w, b, file, line);
    mpfr_clears(w, b, (mpfr_ptr)0);
}

static inline void check_contains_at(const char *text, const char *part, const char *file, int line) {
    if (strstr(text, part)) return;
    print_error("'%s' is not in '%s'\n", part, text);
    _fail(file, line);
}

/* ---- random numbers: the same on every machine ------------------------------------------------------- */

/* Steele, Lea, Flood 2014 (SplitMix64): any seed will do. */
static inline uint64_t check_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [low, high), a multiple of 2^-53 of the width. */
static inline double check_uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(check_random(state) >> 11) * 0x1p-53);
}

/* ---- vectors ------------------------------------------------------------------------------------------ */

/* Opens tests/vectors/NAME; tests run in the project's root. */
static inline FILE *check_open_vectors(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "tests/vectors/%s", name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s: cannot be opened; run the tests in the project's root", path);
    return file;
}

/* The next line that is neither empty nor a # comment, without its newline; false at the end. */
static inline bool check_read_vector(FILE *file, char *line, int size) {
    while (fgets(line, size, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#') return true;
    }
    return false;
}

#endif
