/* Text for a terminal of 80 columns. */
#ifndef ROPE_REPORT_PARAGRAPH_H
#define ROPE_REPORT_PARAGRAPH_H

#include <stdio.h>

enum { TEXT_COLUMNS = 80 };

/* Prints a label at column `indent` and the text behind it, wrapped between column indent + width and the 80th; a label
 * that is wider than its field gets a line of its own. Words are kept whole, and so are
 * short formulas: "q . k", "(1, 2, 3)". */
void text_wrap(FILE *out, int indent, const char *label, int width, const char *text);

/* The same with a printf-like text. */
void text_say(FILE *out, int indent, const char *label, int width, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
