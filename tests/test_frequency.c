/* Frequencies and magnitude of every scaling rule, against roots of exact powers: another formula at higher precision
 * than src, which goes through ln and exp. */
#include "check.h"

#include <stdlib.h>

#include "../src/frequency/frequency.h"

enum { REFERENCE = 448 }; /* bits of the expected values; each is off by a few roundings of 2^-448 */

static const int widths[] = {2, 4, 6, 8, 10, 64, 80, 96, 112, 128, 256};
static const double bases[] = {1e4, 5e5, 1e6, 150000, 12345};
static const mpfr_prec_t precisions[] = {24, 53, 64, 113, 160, 300};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static rope_spec spec_of(const char *scaling, double base, int width) {
    rope_spec spec = rope_spec_default();
    spec.dim = width, spec.base = base;
    assert_int_equal(rope_spec_set_scaling(&spec, scaling, NULL), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

/* x^(-a/b) as 1 / (x^(a'))^(1/b'), a'/b' in lowest terms. */
static void root(mpfr_t result, double x, int a, int b) {
    int g = a, rest = b;
    while (rest) {
        const int remainder = g % rest;
        g = rest, rest = remainder;
    }
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_pow_ui(result, result, (unsigned long)(a / g), MPFR_RNDN);
    mpfr_rootn_ui(result, result, (unsigned long)(b / g), MPFR_RNDN);
    mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

/* rope_frequency at precision p is within want 2^(1-p). */
static void check_frequency(const rope_spec *spec, int i, mpfr_prec_t p, const mpfr_t want) {
    mpfr_t theta, bound;
    mpfr_init2(theta, p);
    mpfr_init2(bound, 53);
    mpfr_mul_2si(bound, want, 1 - p, MPFR_RNDD);
    rope_frequency(theta, spec, i);
    check_near_mpfr(theta, want, bound);
    mpfr_clears(theta, bound, (mpfr_ptr)0);
}

/* ---- the rules --------------------------------------------------------------------------------------- */

static void default_rule(void **state) {
    (void)state;
    mpfr_t want;
    mpfr_init2(want, REFERENCE);
    for (size_t w = 0; w < COUNT(widths); w++)
        for (size_t b = 0; b < COUNT(bases); b++) {
            const rope_spec spec = spec_of("default", bases[b], widths[w]);
            for (int i = 0; i < widths[w] / 2; i++) {
                root(want, bases[b], 2 * i, widths[w]);
                for (size_t p = 0; p < COUNT(precisions); p++) check_frequency(&spec, i, precisions[p], want);
                const double nearest = mpfr_get_d(want, MPFR_RNDN);
                check_near(rope_frequency_double(&spec, i), nearest, 0x1p-53 * nearest); /* with nearest's: 2^-52 */
            }
        }
    mpfr_clear(want);
}

/* Bases at the ends of the range, where ln b is tiny or largest, and the widest head. */
static void extreme_bases(void **state) {
    (void)state;
    static const double ends[] = {0x1.0000000000001p0, 1.5, 2.0, 0x1.fffffffffffffp1023};
    static const int pairs[] = {0, 1, 2, 63, 126, 127};
    mpfr_t want;
    mpfr_init2(want, REFERENCE);
    for (size_t b = 0; b < COUNT(ends); b++)
        for (size_t k = 0; k < COUNT(pairs); k++) {
            const rope_spec spec = spec_of("default", ends[b], 256);
            root(want, ends[b], 2 * pairs[k], 256);
            for (size_t p = 0; p < COUNT(precisions); p++) check_frequency(&spec, pairs[k], precisions[p], want);
        }
    mpfr_clear(want);
}

/* theta_i / factor. */
static void linear_rule(void **state) {
    (void)state;
    static const char *const rules[] = {"linear:factor=4", "linear:factor=3", "linear:factor=0.1"};
    mpfr_t want;
    mpfr_init2(want, REFERENCE);
    for (size_t k = 0; k < COUNT(rules); k++)
        for (size_t w = 0; w < COUNT(widths); w++) {
            const rope_spec spec = spec_of(rules[k], bases[w % COUNT(bases)], widths[w]);
            for (int i = 0; i < widths[w] / 2; i++) {
                root(want, spec.base, 2 * i, widths[w]);
                mpfr_div_d(want, want, strtod(strchr(rules[k], '=') + 1, NULL), MPFR_RNDN);
                for (size_t p = 0; p < COUNT(precisions); p++) check_frequency(&spec, i, precisions[p], want);
            }
        }
    mpfr_clear(want);
}

/* (b factor^(r/(r-2)))^(-2i/r) = b^(-2i/r) factor^(-2i/(r-2)). */
static void ntk_rule(void **state) {
    (void)state;
    static const char *const rules[] = {"ntk:factor=1", "ntk:factor=4", "ntk:factor=5", "ntk:factor=1048576"};
    mpfr_t want, scale;
    mpfr_inits2(REFERENCE, want, scale, (mpfr_ptr)0);
    for (size_t k = 0; k < COUNT(rules); k++)
        for (size_t w = 1; w < COUNT(widths); w++) { /* r = 2 is refused */
            const int r = widths[w];
            const double factor = strtod(strchr(rules[k], '=') + 1, NULL);
            const rope_spec spec = spec_of(rules[k], bases[w % COUNT(bases)], r);
            for (int i = 0; i < r / 2; i++) {
                root(want, spec.base, 2 * i, r);
                root(scale, factor, 2 * i, r - 2);
                mpfr_mul(want, want, scale, MPFR_RNDN);
                for (size_t p = 0; p < COUNT(precisions); p++) check_frequency(&spec, i, precisions[p], want);
            }
            /* What it is made for: the first pair untouched, the last one divided by factor. */
            mpfr_set_ui(want, 1, MPFR_RNDN);
            check_frequency(&spec, 0, 300, want);
            root(want, spec.base, r - 2, r);
            mpfr_div_d(want, want, factor, MPFR_RNDN);
            check_frequency(&spec, r / 2 - 1, 300, want);
        }
    mpfr_clears(want, scale, (mpfr_ptr)0);
}

/* Published effective bases b' of dynamic scaling, b' = b (f n/L - (f - 1))^(r/(r-2)) [transformers, type dynamic],
 * which at a fixed length n is ntk by the bracket. theta_1 = b'^(-2/r) gives b' back. */
static void effective_base(void **state) {
    (void)state;
    static const struct {
        const char *rule;
        double base, effective, digit; /* half a unit of the last digit printed */
    } rows[] = {
        {"ntk:factor=5", 10000, 51293.7873, 0.5e-4},  /* f = 4, n = 2L */
        {"ntk:factor=3", 1e6, 3052773.67488, 0.5e-5}, /* InternLM2.5: f = 2, L = 32768, n = 65536 */
    };
    mpfr_t theta;
    mpfr_init2(theta, 128);
    for (size_t k = 0; k < COUNT(rows); k++) {
        const rope_spec spec = spec_of(rows[k].rule, rows[k].base, 128);
        rope_frequency(theta, &spec, 1);
        mpfr_pow_si(theta, theta, -64, MPFR_RNDN);
        check_near_double(theta, rows[k].effective, rows[k].digit);
    }
    mpfr_clear(theta);
}

/* ---- known values ------------------------------------------------------------------------------------ */

static void vectors(void **state) {
    (void)state;
    FILE *file = check_open_vectors("frequency.txt");
    mpfr_t want, got, bound;
    mpfr_inits2(128, want, got, bound, (mpfr_ptr)0);
    char line[512], rule[16], factor[16], digits[64];
    int rows = 0, r, i;
    double base;
    while (check_read_vector(file, line, sizeof line)) {
        assert_int_equal(sscanf(line, "%15s %15s %lf %d %d %63s", rule, factor, &base, &r, &i, digits), 6);
        char scaling[64];
        snprintf(scaling, sizeof scaling, "%s%s%s", rule, strcmp(rule, "default") ? ":factor=" : "",
                 strcmp(rule, "default") ? factor : "");
        const rope_spec spec = spec_of(scaling, base, r);
        rope_frequency(got, &spec, i);
        mpfr_set_str(want, digits, 10, MPFR_RNDN);
        /* Half a unit of the 20th digit is at most 5e-20 of the number; 2^-126 of it for got and want's rounding. */
        mpfr_mul_d(bound, want, 5e-20 + 0x1p-126, MPFR_RNDU);
        check_near_mpfr(got, want, bound);
        rows++;
    }
    fclose(file);
    mpfr_clears(want, got, bound, (mpfr_ptr)0);
    assert_int_equal(rows, 28);
}

/* ---- the table of rules ------------------------------------------------------------------------------ */

static void rules_by_name(void **state) {
    (void)state;
    assert_ptr_equal(rope_rule_named("default"), &rope_rule_default);
    assert_ptr_equal(rope_rule_named("linear"), &rope_rule_linear);
    assert_ptr_equal(rope_rule_named("ntk"), &rope_rule_ntk);
    assert_null(rope_rule_named("nt"));
    assert_null(rope_rule_named("ntks"));
    assert_null(rope_rule_named(""));
    int count = 0;
    for (; rope_rules[count]; count++) {
        assert_ptr_equal(rope_rule_named(rope_rules[count]->name), rope_rules[count]);
        assert_non_null(rope_rules[count]->theta);
        check_contains(rope_rules[count]->statement, "theta_i = ");
    }
    assert_true(count >= 3);
}

/* Dividing by a power of two is exact in binary arithmetic; else 1/factor and its product are rounded. ntk: a power
 * within 1.5 ulps (2), a product (1), the power's exponent (ln factor r/(r-2)), and nothing at pair 0. */
static void roundings(void **state) {
    (void)state;
    static const struct {
        const char *rule;
        int width, i;
        double want;
    } rows[] = {
        {"default", 128, 0, 0},
        {"default", 128, 63, 0},
        {"linear:factor=1", 128, 1, 0},
        {"linear:factor=4", 128, 63, 0},
        {"linear:factor=0.5", 128, 1, 0},
        {"linear:factor=1048576", 128, 1, 0},
        {"linear:factor=3", 128, 0, 2},
        {"linear:factor=0.1", 128, 63, 2},
        {"linear:factor=6", 128, 1, 2},
        {"ntk:factor=4", 128, 0, 0},
        {"ntk:factor=4", 128, 1, 9.633196134074476},
        {"ntk:factor=4", 128, 63, 9.633196134074476},
        {"ntk:factor=1048576", 4, 1, 114.90354888959125},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        const rope_spec spec = spec_of(rows[k].rule, 10000, rows[k].width);
        check_ulps(ROPE_F64, rope_rule_roundings(&spec, rows[k].i), rows[k].want, 4); /* five operations and log */
    }
}

static void magnitude(void **state) {
    (void)state;
    static const char *const rules[] = {"default", "linear:factor=4", "ntk:factor=4"};
    mpfr_t A;
    mpfr_init2(A, 128);
    for (size_t k = 0; k < COUNT(rules); k++) {
        rope_spec spec = spec_of(rules[k], 10000, 128);
        rope_magnitude(A, &spec);
        assert_int_equal(mpfr_cmp_ui(A, 1), 0);
        check_same(rope_magnitude_double(&spec), 1.0);

        spec.has_magnitude = true, spec.magnitude = 1.1386294361119891;
        rope_magnitude(A, &spec);
        assert_int_equal(mpfr_cmp_d(A, 1.1386294361119891), 0); /* the user's number, not near it */
        check_same(rope_magnitude_double(&spec), 1.1386294361119891);
    }
    mpfr_clear(A);
}

/* The kernel of the rules takes any base, also one that is no double: (2^100 + 1)^(-1/2). */
static void power_of_a_long_base(void **state) {
    (void)state;
    mpfr_t base, theta, want, bound;
    mpfr_init2(base, 101);
    mpfr_inits2(200, theta, bound, (mpfr_ptr)0);
    mpfr_init2(want, REFERENCE);
    mpfr_set_ui_2exp(base, 1, 100, MPFR_RNDN);
    mpfr_add_ui(base, base, 1, MPFR_RNDN);
    mpfr_rec_sqrt(want, base, MPFR_RNDN);
    mpfr_mul_2si(bound, want, 1 - 200, MPFR_RNDD);
    rope_power(theta, base, 2, 8);
    check_near_mpfr(theta, want, bound);
    mpfr_clears(base, theta, want, bound, (mpfr_ptr)0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_rule),   cmocka_unit_test(extreme_bases),
        cmocka_unit_test(linear_rule),    cmocka_unit_test(ntk_rule),
        cmocka_unit_test(effective_base), cmocka_unit_test(vectors),
        cmocka_unit_test(rules_by_name),  cmocka_unit_test(roundings),
        cmocka_unit_test(magnitude),      cmocka_unit_test(power_of_a_long_base),
    };
    const int failed = cmocka_run_group_tests_name("frequency", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
