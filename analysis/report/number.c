#include "number.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h> /* after stdio.h: mpfr_snprintf */

enum { DIGITS = 17 }; /* tell every two doubles apart [IEEE 754-2019, 5.12.2] */

typedef struct decimal {
    char digit[DIGITS + 1]; /* without trailing zeros */
    int count, exponent;    /* digit[0].digit[1]... 10^exponent */
} decimal;

/* Only digits are taken from what printf wrote: its decimal point belongs to the locale. */
static decimal decimal_from(const char *printed) {
    decimal number = {.count = 0};
    for (; *printed != 'e'; printed++)
        if (*printed >= '0' && *printed <= '9') number.digit[number.count++] = *printed;
    number.exponent = (int)strtol(printed + 1, NULL, 10);
    while (number.count > 1 && number.digit[number.count - 1] == '0') number.count--;
    return number;
}

/* Fixed notation from 10^-4 to below 10^largest, else d.ddde7. At most 1 + 2 + 4 + 17 characters. */
static number_text lay_out(const decimal *number, bool negative, int largest) {
    number_text out;
    char *end = out.text;
    const int exponent = number->exponent;
    const bool fixed = exponent >= -4 && exponent < largest;
    const int whole = fixed ? exponent + 1 : 1; /* digits before the point; none when <= 0 */
    if (negative) *end++ = '-';
    if (whole <= 0) {
        *end++ = '0';
        *end++ = '.';
        for (int k = whole; k < 0; k++) *end++ = '0';
    }
    for (int k = 0; k < number->count || k < whole; k++) {
        if (k > 0 && k == whole) *end++ = '.';
        *end++ = k < number->count ? number->digit[k] : '0';
    }
    *end = 0;
    if (!fixed) snprintf(end, sizeof out.text - (size_t)(end - out.text), "e%d", exponent);
    return out;
}

static bool special(double x, number_text *out) {
    const char *word = isnan(x)   ? "nan"
                       : isinf(x) ? (x > 0 ? "inf" : "-inf")
                       : x == 0   ? (signbit(x) ? "-0.0" : "0")
                                  : NULL;
    if (word) snprintf(out->text, sizeof out->text, "%s", word);
    return word != NULL;
}

number_text number_exact(double x) {
    number_text out;
    if (special(x, &out)) return out;
    char printed[48];
    for (int digits = 1; digits <= DIGITS; digits++) {
        snprintf(printed, sizeof printed, "%.*e", digits - 1, fabs(x));
        if (strtod(printed, NULL) == fabs(x)) break;
    }
    const decimal number = decimal_from(printed);
    return lay_out(&number, x < 0, DIGITS);
}

number_text number_short(double x, int digits) {
    assert(digits >= 1 && digits <= DIGITS);
    number_text out;
    if (special(x, &out)) return out;
    char printed[48];
    snprintf(printed, sizeof printed, "%.*e", digits - 1, fabs(x));
    const decimal number = decimal_from(printed);
    return lay_out(&number, x<0, digits> 4 ? digits : 4);
}

number_text number_bound(double bound) {
    number_text out;
    if (special(bound, &out)) return out;
    mpfr_t x;
    mpfr_init2(x, 53);
    mpfr_set_d(x, bound, MPFR_RNDN);
    mpfr_snprintf(out.text, sizeof out.text, "%.1RUe", x);
    mpfr_clear(x);
    return out;
}

int number_digits_apart(double x, double y, int least) {
    int digits = least;
    if (x == y) return digits;
    while (digits < DIGITS && !strcmp(number_short(x, digits).text, number_short(y, digits).text)) digits++;
    return digits;
}
