/* Fixed-point limbs against MPZ and MPFR. */
#include "check.h"

#include <gmp.h>

#include "../src/number/limb.h"

enum { MOST = 17 };

/* A signed number of n limbs as an integer. */
static void get_z(mpz_t z, const mp_limb_t *x, int n) {
    mpz_import(z, (size_t)n, -1, sizeof *x, 0, 0, x);
    if (x[n - 1] >> 63) {
        mpz_t modulus;
        mpz_init(modulus);
        mpz_setbit(modulus, 64 * (mp_bitcnt_t)n);
        mpz_sub(z, z, modulus);
        mpz_clear(modulus);
    }
}

/* Random limbs, with runs of zeros and ones now and then; the highest shift bits are 0. */
static void randomise(mp_limb_t *x, int n, int shift, uint64_t *random) {
    for (int k = 0; k < n; k++) {
        const uint64_t kind = check_random(random) % 5;
        x[k] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : check_random(random);
    }
    x[n - 1] >>= shift;
}

static void test_put_get(void **state) {
    (void)state;
    uint64_t random = 1;
    mpfr_t x, y, bound;
    mpfr_inits2(1200, x, y, bound, (mpfr_ptr)0);
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < 200; k++) {
            mp_limb_t limb[MOST];
            const long scale = 64 * n - 3;
            mpfr_set_d(x, check_uniform(&random, -1, 1), MPFR_RNDN);
            mpfr_div_ui(x, x, 3, MPFR_RNDN);
            assert_int_equal(rope_limb_put(limb, n, x, scale), mpfr_sgn(x) < 0);
            mpfr_set_ui_2exp(bound, 1, -scale - 1, MPFR_RNDN); /* half a unit */
            rope_limb_get(y, limb, n, scale);
            mpfr_abs(x, x, MPFR_RNDN);
            check_near_mpfr(y, x, bound);
            mpn_neg(limb, limb, n);
            rope_limb_get(y, limb, n, scale);
            mpfr_neg(x, x, MPFR_RNDN);
            check_near_mpfr(y, x, bound);
        }
    mpfr_clears(x, y, bound, (mpfr_ptr)0);
}

/* 1 at scale 64 n becomes the largest number below. */
static void test_saturation(void **state) {
    (void)state;
    mpfr_t one;
    mpfr_init2(one, 64);
    mpfr_set_si(one, -1, MPFR_RNDN);
    mp_limb_t limb[3] = {0};
    assert_true(rope_limb_put(limb, 3, one, 192));
    for (int k = 0; k < 3; k++) assert_true(limb[k] == UINT64_MAX);
    mpfr_set_zero(one, 1);
    assert_false(rope_limb_put(limb, 3, one, 192));
    for (int k = 0; k < 3; k++) assert_true(limb[k] == 0);
    mpfr_clear(one);
}

static void test_products(void **state) {
    (void)state;
    uint64_t random = 2;
    mpz_t a, b, before, got;
    mpz_inits(a, b, before, got, NULL);
    for (int n = 1; n <= MOST; n++) {
        mp_limb_t x[MOST], y[MOST], total[MOST] = {0}, work[2 * MOST];
        for (int k = 0; k < 60; k++) { /* 60 products below 2^(64n - 7) */
            const bool negative = check_random(&random) % 2;
            randomise(x, n, 7, &random);
            randomise(y, n, 0, &random);
            get_z(before, total, n);
            rope_limb_add_product(total, x, y, n, negative, work);
            mpz_import(a, (size_t)n, -1, sizeof *x, 0, 0, x);
            mpz_import(b, (size_t)n, -1, sizeof *y, 0, 0, y);
            mpz_mul(a, a, b);
            mpz_fdiv_q_2exp(a, a, 64 * (mp_bitcnt_t)n);
            if (negative) mpz_neg(a, a);
            get_z(got, total, n);
            mpz_sub(got, got, before);
            mpz_sub(got, got, a);
            assert_true(fabs(mpz_get_d(got)) <= rope_limb_product_error(n) - 1); /* a is rounded down */
        }
    }
    mpz_clears(a, b, before, got, NULL);
}

static double check_modulus(const mp_limb_t *re, const mp_limb_t *im, int n) {
    mp_limb_t root[MOST], work[5 * MOST];
    mpz_t a, b, got;
    mpz_inits(a, b, got, NULL);
    rope_limb_modulus(root, re, im, n, work);
    get_z(a, re, n);
    get_z(b, im, n);
    mpz_mul(a, a, a);
    mpz_addmul(a, b, b);
    mpz_sqrt(a, a);
    mpz_import(got, (size_t)n, -1, sizeof *root, 0, 0, root);
    mpz_sub(got, got, a);
    const double error = fabs(mpz_get_d(got));
    assert_true(error <= rope_limb_modulus_error(n) - 1); /* a is rounded down */
    mpz_clears(a, b, got, NULL);
    return error;
}

/* Random numbers of either sign, tiny ones, and 0. The bound of 4 limbs is not idle. */
static void test_modulus(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int n = 1; n <= MOST; n++) {
        double worst = 0.0;
        for (int k = 0; k < (n == 4 ? 20000 : 100); k++) {
            mp_limb_t re[MOST], im[MOST];
            const int shift = 2 + (int)(check_random(&random) % 30);
            randomise(re, n, shift, &random);
            randomise(im, n, shift, &random);
            if (k % 10 == 0) mpn_zero(re, n);
            if (k % 20 == 0) mpn_zero(im, n);
            if (k % 7 == 0 && n > 1) mpn_zero(re + 1, n - 1), mpn_zero(im + 1, n - 1);
            if (k & 1) mpn_neg(re, re, n);
            if (k & 2) mpn_neg(im, im, n);
            worst = fmax(worst, check_modulus(re, im, n));
        }
        const double bound = rope_limb_modulus_error(n);
        if (bound > 1 && !(worst > 0.2 * bound)) fail_msg("n %d: largest error %g", n, worst);
    }
}

/* Roots whose bits are nearly all ones or zeros: where a carry would be lost. */
static void test_modulus_edges(void **state) {
    (void)state;
    for (int n = 1; n <= 6; n++)
        for (int bit = 64 * n - 2; bit > 64 * n - 40 && bit > 2; bit--)
            for (int less = 0; less < 3; less++) {
                mp_limb_t re[MOST] = {0}, im[MOST] = {0};
                re[bit / 64] = (mp_limb_t)1 << (bit % 64);
                mpn_sub_1(re, re, n, (mp_limb_t)less);
                im[0] = (mp_limb_t)less;
                check_modulus(re, im, n);
                check_modulus(im, re, n);
                check_modulus(re, re, n);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_put_get), cmocka_unit_test(test_saturation),
                                       cmocka_unit_test(test_products), cmocka_unit_test(test_modulus),
                                       cmocka_unit_test(test_modulus_edges)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
