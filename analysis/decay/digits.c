/* Numbers as decimals that say how far they may lie from what they stand for. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>

/* Do low and high have the same digits? Compared as text, so that what is printed is what was decided. */
static char *same_digits(const mpfr_t low, const mpfr_t high, int digits) {
    char *a = NULL, *b = NULL;
    if (mpfr_asprintf(&a, "%#.*RNg", digits, low) < 0 || mpfr_asprintf(&b, "%#.*RNg", digits, high) < 0) abort();
    bool same = true;
    for (int k = 0; same && (a[k] || b[k]); k++) same = a[k] == b[k];
    mpfr_free_str(b);
    if (same) return a;
    mpfr_free_str(a);
    return NULL;
}

/* off <= |printed - value| + error: printed is read back with 64 bits more than it can tell, and every step rounds up.
 */
static double distance_to(const char *printed, const mpfr_t value, const mpfr_t error, int digits) {
    mpfr_t back;
    mpfr_init2(back, mpfr_get_prec(value) + 4 * digits + 64);
    mpfr_set_str(back, printed, 10, MPFR_RNDN);
    mpfr_sub(back, back, value, MPFR_RNDA);
    mpfr_abs(back, back, MPFR_RNDU);
    mpfr_add(back, back, error, MPFR_RNDU);
    const double off = mpfr_get_d(back, MPFR_RNDU);
    mpfr_clear(back);
    return off * (1 + 0x1p-50); /* the reading's own rounding, relative to a number of the same size */
}

char *decay_digits(const mpfr_t value, const mpfr_t error, int digits, double *off) {
    mpfr_t low, high;
    mpfr_inits2(mpfr_get_prec(value) + 64, low, high, (mpfr_ptr)0);
    mpfr_sub(low, value, error, MPFR_RNDD);
    mpfr_add(high, value, error, MPFR_RNDU);
    char *const text = same_digits(low, high, digits);
    *off = text ? distance_to(text, value, error, digits) : INFINITY;
    mpfr_clears(low, high, (mpfr_ptr)0);
    return text;
}

int decay_digits_of(const decay_request *request, const decay_curve *curve) {
    enum { DOUBLE_DIGITS = 17 };
    return curve->text || request->digits < DOUBLE_DIGITS ? request->digits : DOUBLE_DIGITS;
}

/* N digits are off by half a unit of the last: at most 5 10^-N |value|. Halves below 2^49 print exactly with 17. */
double decay_printed_error(double value, double error, int digits) {
    if (isnan(error)) return error;
    if (error == 0.0 && digits >= 17 && fabs(value) < 0x1p49 && 2 * value == rint(2 * value)) return 0.0;
    return (error + 5 * pow(10.0, -digits) * fabs(value)) * (1 + 0x1p-40);
}

void decay_to_doubles(double *value, double *error, const mpfr_t exact, const mpfr_t bound) {
    mpfr_t off;
    mpfr_init2(off, 64);
    *value = mpfr_get_d(exact, MPFR_RNDN);
    mpfr_sub_d(off, exact, *value, MPFR_RNDA);
    mpfr_abs(off, off, MPFR_RNDU);
    mpfr_add(off, off, bound, MPFR_RNDU);
    *error = mpfr_get_d(off, MPFR_RNDU);
    mpfr_clear(off);
}
