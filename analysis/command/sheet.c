#include "sheet.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../report/escape.h"
#include "../report/number.h"
#include "../../src/format/outfile.h"

typedef struct column {
    char *name;
    sheet_kind kind;
} column;

struct sheet {
    char **comment;
    column *column;
    char **cell; /* row after row, each of `columns` cells; NULL where a row is short */
    size_t comments, columns, rows;
    size_t room_comments, room_columns, room_cells;
    size_t filled; /* cells of the last row */
};

/* ---- filling --------------------------------------------------------------------------------------- */

static char *copy(const char *text) {
    char *duplicate = strdup(text);
    if (!duplicate) abort();
    return duplicate;
}

/* Room for one block of `more` elements behind `used`, doubled when it runs out. */
static void *grow(void *array, size_t used, size_t more, size_t *room, size_t size) {
    if (used + more <= *room) return array;
    *room = 2 * *room + more + 8;
    void *larger = realloc(array, *room * size);
    if (!larger) abort();
    return larger;
}

sheet *sheet_new(void) {
    sheet *new = calloc(1, sizeof *new);
    if (!new) abort();
    return new;
}

void sheet_drop_rows(sheet *s) {
    for (size_t k = 0; k < s->rows * s->columns; k++) free(s->cell[k]);
    s->rows = s->filled = 0;
}

void sheet_free(sheet *s) {
    if (!s) return;
    for (size_t k = 0; k < s->comments; k++) free(s->comment[k]);
    sheet_drop_rows(s);
    for (size_t k = 0; k < s->columns; k++) free(s->column[k].name);
    free(s->comment);
    free(s->column);
    free(s->cell);
    free(s);
}

void sheet_comment(sheet *s, const char *line) {
    s->comment = grow(s->comment, s->comments, 1, &s->room_comments, sizeof *s->comment);
    s->comment[s->comments++] = copy(line);
}

void sheet_column(sheet *s, const char *name, sheet_kind kind) {
    assert(s->rows == 0);
    s->column = grow(s->column, s->columns, 1, &s->room_columns, sizeof *s->column);
    s->column[s->columns++] = (column){copy(name), kind};
}

void sheet_row(sheet *s) {
    const size_t used = s->rows * s->columns;
    s->cell = grow(s->cell, used, s->columns, &s->room_cells, sizeof *s->cell);
    for (size_t k = 0; k < s->columns; k++) s->cell[used + k] = NULL;
    s->rows++;
    s->filled = 0;
}

void sheet_text(sheet *s, const char *text) {
    assert(s->rows > 0 && s->filled < s->columns);
    s->cell[(s->rows - 1) * s->columns + s->filled++] = copy(text);
}

void sheet_number(sheet *s, double value, int digits) {
    sheet_text(s, (digits == 0 ? number_exact(value) : number_short(value, digits)).text);
}

size_t sheet_rows(const sheet *s) {
    return s->rows;
}

static const size_t NAMES = (size_t)-1; /* the row of column names */

static const char *cell_at(const sheet *s, size_t row, size_t k) {
    if (row == NAMES) return s->column[k].name;
    const char *cell = s->cell[row * s->columns + k];
    return cell ? cell : "";
}

/* ---- escaping -------------------------------------------------------------------------------------- */

/* Steps over one code point and writes it: `instead` when that is not NULL, a space for a control character, U+FFFD for
 * what is no UTF-8, else its own bytes. */
static void put_rune(FILE *out, const char **text, const char *instead) {
    const char *start = *text;
    const uint32_t rune = escape_next(text);
    if (instead)
        fputs(instead, out);
    else if (rune < 0x20 || (rune >= 0x7f && rune < 0xa0))
        putc(' ', out);
    else if (rune == ESCAPE_REPLACEMENT || rune == 0xfffe || rune == 0xffff) /* the last two are no characters */
        fputs("\xef\xbf\xbd", out);
    else
        fwrite(start, 1, (size_t)(*text - start), out);
}

static void put_tsv(FILE *out, const char *text, bool begins_line) {
    if (begins_line && *text == '#') putc('\\', out);
    while (*text) {
        const char c = *text;
        put_rune(out, &text, c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : NULL);
    }
}

/* A comment is one line, whatever is in it. */
static void put_line(FILE *out, const char *mark, const char *text) {
    fprintf(out, "%s ", mark);
    while (*text) put_rune(out, &text, NULL);
    putc('\n', out);
}

static void put_csv(FILE *out, const char *text) {
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    if (quoted) putc('"', out);
    while (*text) {
        const char c = *text;
        put_rune(out, &text, c == '"' ? "\"\"" : c == '\n' ? "\n" : c == '\r' ? "\r" : c == '\t' ? "\t" : NULL);
    }
    if (quoted) putc('"', out);
}

static void put_markdown(FILE *out, const char *text) {
    while (*text) {
        if (strchr("\\`*_[]<>|~&$", *text)) putc('\\', out);
        put_rune(out, &text, NULL);
    }
}

static void put_latex(FILE *out, const char *text) {
    static const struct {
        char c;
        const char *instead;
    } special[] = {{'#', "\\#"},
                   {'$', "\\$"},
                   {'%', "\\%"},
                   {'&', "\\&"},
                   {'_', "\\_"},
                   {'{', "\\{"},
                   {'}', "\\}"},
                   {'\\', "\\textbackslash{}"},
                   {'^', "\\textasciicircum{}"},
                   {'~', "\\textasciitilde{}"},
                   {'<', "\\textless{}"},
                   {'>', "\\textgreater{}"},
                   {'|', "\\textbar{}"},
                   {'`', "{`}"},
                   {'\'', "{'}"}, /* "''" would be a closing quote */
                   {'[', "{[}"},  /* "\\[" and "\\*" would belong to the line before */
                   {'*', "{*}"},
                   {'"', "{''}"}};
    for (char before = 0; *text;) {
        const char *instead = NULL;
        for (size_t k = 0; k < sizeof special / sizeof *special; k++)
            if (special[k].c == *text) instead = special[k].instead;
        if (*text == '-' && before == '-') instead = "{}-"; /* not a dash */
        before = *text;
        put_rune(out, &text, instead);
    }
}

/* Length of a number [-]digits[.digits] at the start of text; 0 when there is none. */
static size_t decimal_length(const char *text) {
    static const char digits[] = "0123456789";
    const size_t sign = *text == '-', whole = strspn(text + sign, digits);
    const size_t length = sign + whole;
    if (!whole) return 0;
    return text[length] == '.' ? length + 1 + strspn(text + length + 1, digits) : length;
}

/* -1.5e-7 as $-1.5\times 10^{-7}$; false when the text is no number. */
static bool put_latex_number(FILE *out, const char *text) {
    if (!strcmp(text, "inf") || !strcmp(text, "-inf")) {
        fprintf(out, "$%s\\infty$", *text == '-' ? "-" : "");
        return true;
    }
    const size_t mantissa = decimal_length(text);
    const char *exponent = text[mantissa] == 'e' ? text + mantissa + 1 : NULL;
    if (exponent && *exponent == '+') exponent++;
    const char *end = exponent ? exponent + decimal_length(exponent) : text + mantissa;
    if (!mantissa || end == exponent || *end) return false;
    fprintf(out, "$%.*s", (int)mantissa, text);
    if (exponent) fprintf(out, "\\times 10^{%ld}", strtol(exponent, NULL, 10));
    putc('$', out);
    return true;
}

/* ---- the formats ----------------------------------------------------------------------------------- */

typedef struct row_style {
    const char *begin, *between, *end;
    void (*put)(FILE *out, const sheet *s, size_t row, size_t k);
} row_style;

static void print_row(FILE *out, const sheet *s, size_t row, const row_style *style) {
    fputs(style->begin, out);
    for (size_t k = 0; k < s->columns; k++) {
        if (k) fputs(style->between, out);
        style->put(out, s, row, k);
    }
    fputs(style->end, out);
}

static void print_rows(FILE *out, const sheet *s, const row_style *style) {
    for (size_t row = 0; row < s->rows; row++) print_row(out, s, row, style);
}

static void tsv_cell(FILE *out, const sheet *s, size_t row, size_t k) {
    put_tsv(out, cell_at(s, row, k), k == 0);
}
static void csv_cell(FILE *out, const sheet *s, size_t row, size_t k) {
    put_csv(out, cell_at(s, row, k));
}
static void markdown_cell(FILE *out, const sheet *s, size_t row, size_t k) {
    put_markdown(out, cell_at(s, row, k));
}
static void latex_cell(FILE *out, const sheet *s, size_t row, size_t k) {
    const bool number = s->column[k].kind == SHEET_NUMBER && row != NAMES;
    if (!number || !put_latex_number(out, cell_at(s, row, k))) put_latex(out, cell_at(s, row, k));
}

static void print_tsv(FILE *out, const sheet *s, bool header) {
    static const row_style style = {"", "\t", "\n", tsv_cell};
    for (size_t k = 0; header && k < s->comments; k++) put_line(out, "#", s->comment[k]);
    if (header) print_row(out, s, NAMES, &style);
    print_rows(out, s, &style);
}

static void print_csv(FILE *out, const sheet *s, bool header) {
    static const row_style style = {"", ",", "\r\n", csv_cell};
    if (header) print_row(out, s, NAMES, &style);
    print_rows(out, s, &style);
}

static void print_markdown(FILE *out, const sheet *s, bool header) {
    static const row_style style = {"| ", " | ", " |\n", markdown_cell};
    if (header) {
        print_row(out, s, NAMES, &style);
        for (size_t k = 0; k < s->columns; k++) fputs(s->column[k].kind == SHEET_NUMBER ? "| ---: " : "| --- ", out);
        fputs("|\n", out);
    }
    print_rows(out, s, &style);
}

static void print_latex(FILE *out, const sheet *s, bool header) {
    static const row_style style = {"", " & ", " \\\\\n", latex_cell};
    if (header) {
        for (size_t k = 0; k < s->comments; k++) put_line(out, "%", s->comment[k]);
        fputs("% needs \\usepackage{booktabs}\n\\begin{tabular}{", out);
        for (size_t k = 0; k < s->columns; k++) putc(s->column[k].kind == SHEET_NUMBER ? 'r' : 'l', out);
        fputs("}\n\\toprule\n", out);
        print_row(out, s, NAMES, &style);
        fputs("\\midrule\n", out);
    }
    print_rows(out, s, &style);
    if (header) fputs("\\bottomrule\n\\end{tabular}\n", out);
}

static const sheet_format tsv = {".tsv", print_tsv}, markdown = {".md", print_markdown}, csv = {".csv", print_csv},
                          latex = {".tex", print_latex};
const sheet_format *const sheet_formats[] = {&tsv, &markdown, &csv, &latex, NULL};

const sheet_format *sheet_format_for_file(const char *path) {
    const size_t length = strlen(path);
    for (const sheet_format *const *format = sheet_formats; *format; format++) {
        const size_t ending = strlen((*format)->extension);
        if (length > ending && !strcasecmp(path + length - ending, (*format)->extension)) return *format;
    }
    return NULL;
}

/* ---- writing --------------------------------------------------------------------------------------- */

rope_status sheet_check_path(const char *path, rope_error *error) {
    if (!strcmp(path, "-") || sheet_format_for_file(path)) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, path, "end it in .tsv, .md, .csv or .tex",
                     "the ending says no format of a table");
}

rope_status sheet_write(const sheet *s, const char *path, bool header, rope_error *error) {
    const rope_status status = sheet_check_path(path, error);
    if (status != ROPE_OK) return status;
    return sheet_write_as(s, strcmp(path, "-") ? sheet_format_for_file(path) : &tsv, path, header, error);
}

rope_status sheet_write_as(const sheet *s, const sheet_format *format, const char *path, bool header,
                           rope_error *error) {
    if (!strcmp(path, "-")) {
        errno = 0;
        format->print(stdout, s, header);
        if (fflush(stdout) == 0 && !ferror(stdout)) return ROPE_OK;
        return rope_fail(error, ROPE_IO, "standard output", "is there space?", "cannot be written%s%s", errno ? ": " : "",
                         errno ? strerror(errno) : "");
    }
    outfile file;
    const rope_status status = outfile_open(&file, path, error);
    if (status != ROPE_OK) return status;
    format->print(file.stream, s, header);
    return outfile_close(&file, error);
}

/* ---- a terminal ------------------------------------------------------------------------------------ */

static void print_padded(FILE *out, const sheet *s, size_t row, const int *width) {
    for (size_t k = 0; k < s->columns; k++) {
        const char *text = cell_at(s, row, k);
        const bool last = k + 1 == s->columns;
        const int pad = width[k] - escape_width(text);
        if (s->column[k].kind == SHEET_NUMBER) fprintf(out, "%*s", pad, "");
        escape_plain(out, text);
        if (s->column[k].kind == SHEET_TEXT && !last) fprintf(out, "%*s", pad, "");
        fputs(last ? "\n" : "  ", out);
    }
}

void sheet_print(FILE *out, const sheet *s) {
    int *width = calloc(s->columns + 1, sizeof *width);
    if (!width) abort();
    for (size_t k = 0; k < s->columns; k++) {
        width[k] = escape_width(cell_at(s, NAMES, k));
        for (size_t row = 0; row < s->rows; row++) {
            const int needed = escape_width(cell_at(s, row, k));
            if (needed > width[k]) width[k] = needed;
        }
    }
    print_padded(out, s, NAMES, width);
    for (size_t row = 0; row < s->rows; row++) print_padded(out, s, row, width);
    free(width);
}
