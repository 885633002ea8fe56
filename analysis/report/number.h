/* Numbers as text, the same in every locale.
 *
 *     fprintf(out, "%s", number_exact(0.1).text);     0.1, which reads back as the same double
 *     fprintf(out, "%s", number_short(5601234, 2).text);     5.6e6
 */
#ifndef ROPE_REPORT_NUMBER_H
#define ROPE_REPORT_NUMBER_H

typedef struct number_text {
    char text[32];
} number_text;

/* x rounded to the fewest digits that read back as x; "nan", "inf", "-inf"; "-0.0" keeps the sign of zero. */
number_text number_exact(double x);

/* x to the given number of significant digits (1 to 17), trailing zeros dropped. */
number_text number_short(double x, int digits);

/* A bound, rounded up to two significant digits: 1.4e-13. */
number_text number_bound(double bound);

/* How many digits (from least to 17) number_short needs to show x and y as different; least when they are equal. */
int number_digits_apart(double x, double y, int least);

#endif
