/* A sheet: rows of cells under named columns, written as TSV, Markdown, CSV or LaTeX (booktabs). One sheet serves a
 * program's terminal table, its --table file and the data file behind a figure.
 *
 *     sheet *s = sheet_new();
 *     sheet_comment(s, "rope-decay 0.1.0");
 *     sheet_column(s, "distance", SHEET_NUMBER);
 *     sheet_row(s); sheet_number(s, 1.0, 17); ...
 *     sheet_write(s, "decay.tex", true, &error);      by its ending: .tsv .md .csv .tex
 *
 * Numbers do not depend on the locale. A number of more digits than a double holds is given as text, in a column of
 * numbers. TSV: \t \n \r \\ stand for what a cell cannot hold, and \# for a # that would begin a comment. CSV: quoted
 * where RFC 4180 asks for it, lines end in CR LF. Markdown: a GitHub table. LaTeX: a tabular for the package booktabs,
 * numbers in mathematics ($-1.5\times 10^{-7}$).
 */
#ifndef ROPE_SHEET_H
#define ROPE_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "../../src/status.h"

typedef struct sheet sheet;
typedef enum sheet_kind { SHEET_TEXT, SHEET_NUMBER } sheet_kind; /* text is aligned left, numbers right */

sheet *sheet_new(void);
void sheet_free(sheet *sheet);
void sheet_comment(sheet *sheet, const char *line); /* '#' lines of a TSV; '%' in LaTeX; left out elsewhere */
void sheet_column(sheet *sheet, const char *name, sheet_kind kind);
void sheet_row(sheet *sheet);                              /* begins a row */
void sheet_text(sheet *sheet, const char *text);           /* the next cell; escaped for each format when written */
void sheet_number(sheet *sheet, double value, int digits); /* significant digits; 0: shortest that reads back */
size_t sheet_rows(const sheet *sheet);
void sheet_drop_rows(sheet *sheet); /* after they were printed: a long sheet is written in blocks */

typedef struct sheet_format {
    const char *extension; /* ".tsv" */
    void (*print)(FILE *out, const sheet *sheet, bool header);
} sheet_format;
extern const sheet_format *const sheet_formats[]; /* ends with NULL */
const sheet_format *sheet_format_for_file(const char *path);

/* To a file through a temporary name; "-" is standard output (as .tsv). header: comments and column names, too; without
 * them the parts of a split sheet are concatenated. sheet_write takes the format from the path's ending. */
rope_status sheet_write(const sheet *sheet, const char *path, bool header, rope_error *error);
rope_status sheet_write_as(const sheet *sheet, const sheet_format *format, const char *path, bool header,
                           rope_error *error);

/* Refuses a path that sheet_write would refuse by its ending: to be asked before a long computation. */
rope_status sheet_check_path(const char *path, rope_error *error);

/* Aligned columns for a terminal. */
void sheet_print(FILE *out, const sheet *sheet);

#endif
