/* For teachers and students: what a scheme does, a walk through all of them, exercises with their key.
 *
 * Everything is printed in plain text of at most 80 columns. What is said of a scheme comes from its row in the table
 * of encodings and from its terms, computed.
 */
#ifndef ROPE_COMPARE_TEACH_H
#define ROPE_COMPARE_TEACH_H

#include <stdbool.h>
#include <stdio.h>

#include "../../src/status.h"

/* The scheme in words and formulas, and its terms on the reference example (d = 4) at (m, n) = (5, 2) and (15, 12).
 * scheme NULL: the list of schemes. An unknown name is bad input; the hint names them. */
rope_status teach_explain(FILE *out, const char *scheme, rope_error *error);

/* The schemes one after the other: a question, then what the numbers say. ask: before each answer a line is read from
 * `in`; one that begins with q ends the tour, as the end of `in` does. Without ask, everything is printed at once. */
rope_status teach_tour(FILE *in, FILE *out, bool ask, rope_error *error);

/* One exercise by number (from 1) or name, or "all"; NULL: the list. student: any text; the numbers are drawn from its
 * bytes, so that the same text gives the same sheet on every machine. answer: the key follows each exercise, numbers
 * rounded correctly to 6 significant digits. student is needed unless the list is asked for. */
rope_status teach_exercise(FILE *out, const char *which, const char *student, bool answer, rope_error *error);

#endif
