#include "limb.h"

#include "limb4.h"

static bool is_negative(const mp_limb_t *x, int n) { return x[n - 1] >> (GMP_NUMB_BITS - 1); }

bool rope_limb_put(mp_limb_t *x, int n, const mpfr_t value, long scale) {
    mpfr_t scaled;
    mpz_t integer;
    mpfr_init2(scaled, mpfr_get_prec(value));
    mpz_init(integer);
    mpfr_mul_2si(scaled, value, scale, MPFR_RNDN);
    mpfr_get_z(integer, scaled, MPFR_RNDN);
    const mp_size_t size = (mp_size_t)mpz_size(integer);
    mpn_zero(x, n);
    if (size <= n)
        mpn_copyi(x, mpz_limbs_read(integer), size);
    else
        mpn_com(x, x, n);
    mpz_clear(integer);
    mpfr_clear(scaled);
    return mpfr_sgn(value) < 0;
}

static bool is_four(int n) { return ROPE_LIMB4 && n == 4; }

double rope_limb_product_error(int n) { return is_four(n) ? 4.1 : 1.0; }
double rope_limb_modulus_error(int n) { return is_four(n) ? 128.0 : 1.0; }

/* -x = ~x + 1; by mask and carry, as a branch on a random sign costs more than the whole addition. */
static inline void add_signed(mp_limb_t *sum, const mp_limb_t *x, int n, bool negative) {
    const mp_limb_t mask = negative ? ~(mp_limb_t)0 : 0;
    mp_limb_t carry = negative;
    for (int k = 0; k < n; k++) {
        const mp_limb_t y = x[k] ^ mask, partial = sum[k] + y, total = partial + carry;
        carry = (mp_limb_t)(partial < y) | (mp_limb_t)(total < partial);
        sum[k] = total;
    }
}

void rope_limb_add_product(mp_limb_t *sum, const mp_limb_t *a, const mp_limb_t *b, int n, bool negative,
                           mp_limb_t *work) {
#if ROPE_LIMB4
    if (n == 4) {
        rope_limb4_multiply(work, a, b);
        add_signed(sum, work, 4, negative);
        return;
    }
#endif
    mpn_mul_n(work, a, b, n);
    add_signed(sum, work + n, n, negative);
}

/* The square of a signed number. */
static void square(mp_limb_t *square, const mp_limb_t *x, int n, mp_limb_t *magnitude) {
    if (is_negative(x, n)) {
        mpn_neg(magnitude, x, n);
        x = magnitude;
    }
    mpn_sqr(square, x, n);
}

void rope_limb_modulus(mp_limb_t *x, const mp_limb_t *re, const mp_limb_t *im, int n, mp_limb_t *work) {
#if ROPE_LIMB4
    if (n == 4 && rope_limb4_modulus(x, re, im)) return;
#endif
    mp_limb_t *const sum = work, *const other = work + 2 * n;
    square(sum, re, n, work + 4 * n);
    square(other, im, n, work + 4 * n);
    mpn_add_n(sum, sum, other, 2 * n);
    mp_size_t size = 2 * n;
    while (size > 0 && sum[size - 1] == 0) size--; /* mpn_sqrtrem needs a highest limb */
    mpn_zero(x, n);
    if (size > 0) mpn_sqrtrem(x, NULL, sum, size);
}

void rope_limb_get(mpfr_t value, const mp_limb_t *x, int n, long scale) {
    mpz_t integer;
    mpz_init(integer);
    mp_limb_t *const magnitude = mpz_limbs_write(integer, n);
    const bool negative = is_negative(x, n);
    if (negative)
        mpn_neg(magnitude, x, n);
    else
        mpn_copyi(magnitude, x, n);
    mpz_limbs_finish(integer, negative ? -n : n);
    mpfr_set_z_2exp(value, integer, -scale, MPFR_RNDN);
    mpz_clear(integer);
}
