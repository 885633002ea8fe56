/* Formulas and numbers as HTML.
 *
 * Formulas come as plain text, "q_m . W_k p_(n - m) + b_r^2", alone or within a sentence. Letters that stand alone are
 * set in italics, what follows _ and ^ is set low and high, Greek names, " . ", " x ", "-", "<=" and ">=" become the
 * signs they stand for. Everything is escaped. */
#ifndef ROPE_COMPARE_PAGE_FORMULA_H
#define ROPE_COMPARE_PAGE_FORMULA_H

#include <stdio.h>

void put_math(FILE *out, const char *text);

/* A number as text, -1.5e-07, with its signs; and x to so many significant digits, a dash for nan. */
void put_decimal(FILE *out, const char *text);
void put_number(FILE *out, double x, int digits);

#endif
