/* Measurements as tables: on a terminal, as one wide table in a file, and as tidy data. */
#ifndef ROPE_COMPARE_TABLE_H
#define ROPE_COMPARE_TABLE_H

#include "compare.h"
#include "measure.h"

/* Four tables of at most 100 columns: terms, properties, costs, decay; colour: of their headings. */
void table_print(FILE *out, const measurement *measured, int count, bool colour);

/* One row per scheme, one sub-row per term, every column. */
sheet *table_wide(const compare_session *session, const measurement *measured, int count);

/* Writes --table: the four tables as .tex or .md, else the wide one. */
rope_status table_write(const compare_session *session, const measurement *measured, int count, rope_error *error);

/* scheme, term, quantity, value, bound: every number; bound is "nan" where there is none. */
sheet *table_tidy(const compare_session *session, const measurement *measured, int count);

/* What contradicts theory or arithmetic, a line each; returns how many. */
int table_failures(FILE *out, const measurement *measured, int count, int64_t shift);

/* What the bounds are too large to decide, a line for each scheme; returns how many answers. */
int table_undecided(FILE *out, const measurement *measured, int count);

#endif
