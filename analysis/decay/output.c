/* Curves as files: TSV, tables, figures, references. */
#include "decay.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../plots/plot.h"
#include "../../src/format/outfile.h"

enum { TABLE_DIGITS = 6 };

/* ---- TSV ------------------------------------------------------------------------------------------- */

static void comment(sheet *s, const char *text, const char *more) {
    char *line = NULL;
    if (asprintf(&line, "%s%s", text, more) < 0) abort();
    sheet_comment(s, line);
    free(line);
}

static void put_comments(sheet *s, const decay_request *request) {
    sheet_comment(s, "rope-decay " ROPE_VERSION);
    comment(s, "command: ", request->command);
    if (request->inexact) comment(s, "inputs: ", request->inexact);
    sheet_comment(s, "distance r = m - n in positions: the key stands r positions before the query; values are pure "
                     "numbers; |value as printed - exact| <= error_bound; nan: an approximation, no bound");
    for (const decay_curve_kind *kind = decay_curve_kinds; kind->name; kind++) {
        if (!decay_wants(request, kind)) continue;
        char name[64];
        snprintf(name, sizeof name, "%s: ", kind->name);
        comment(s, name, kind->unit);
    }
    if (request->wants[QUANTITY_ABEL] || request->wants[QUANTITY_SCORE] || request->wants[QUANTITY_ENVELOPE])
        comment(s, "h_j = q_j conj(k_j), pair by pair; vectors: ", request->vectors.kind->statement);
}

static void put_value(sheet *s, const decay_request *request, const decay_curve *curve, int64_t k) {
    char undecided[48];
    const int digits = decay_digits_of(request, curve);
    double error = NAN;
    if (!curve->text) {
        sheet_number(s, curve->value[k], digits);
        error = decay_printed_error(curve->value[k], curve->error[k], digits);
    } else if (curve->text[k]) {
        sheet_text(s, curve->text[k]);
        error = curve->text_error[k];
    } else {
        snprintf(undecided, sizeof undecided, "undecided at %ld bits", request->bits);
        sheet_text(s, undecided);
    }
    sheet_text(s, number_bound(error).text);
}

/* The curves of a call, and what they answer. */
typedef struct tidy {
    const decay_request *request;
    const decay_curve *curves;
    int count;
} tidy;

/* Prints the rows so far, the first time with the header if there is to be one, and forgets them. */
static void flush_rows(FILE *out, sheet *s, bool *header) {
    sheet_format_for_file("curves.tsv")->print(out, s, *header);
    sheet_drop_rows(s);
    *header = false;
}

static void print_tidy(FILE *out, const tidy *t, bool header) {
    enum { ROWS = 1 << 14 };
    static const char *const numbers[] = {"distance", "value", "error_bound"};
    sheet *const s = sheet_new();
    put_comments(s, t->request);
    sheet_column(s, "spec", SHEET_TEXT);
    sheet_column(s, "quantity", SHEET_TEXT);
    for (int k = 0; k < 3; k++) sheet_column(s, numbers[k], SHEET_NUMBER);
    for (const decay_curve *curve = t->curves; curve < t->curves + t->count; curve++)
        for (int64_t k = 0; k < curve->count; k++) {
            sheet_row(s);
            sheet_text(s, curve->label);
            sheet_text(s, curve->kind->name);
            sheet_number(s, decay_point(&t->request->points, curve->from + k), 0);
            put_value(s, t->request, curve, k);
            if (sheet_rows(s) == ROWS) flush_rows(out, s, &header);
        }
    flush_rows(out, s, &header);
    sheet_free(s);
}

/* A long sweep is never in memory as text. */
static rope_status write_tidy(const void *what, const char *path, bool header, rope_error *error) {
    outfile file;
    if (!strcmp(path, "-")) {
        errno = 0;
        print_tidy(stdout, what, header);
        if (fflush(stdout) == 0 && !ferror(stdout)) return ROPE_OK;
        return rope_fail(error, ROPE_IO, "standard output", NULL, "cannot be written: %s",
                         errno ? strerror(errno) : "the end is lost");
    }
    const rope_status status = outfile_open(&file, path, error);
    if (status != ROPE_OK) return status;
    print_tidy(file.stream, what, header);
    return outfile_close(&file, error);
}

/* ---- tables: one row per distance, one column per curve ---------------------------------------------- */

static sheet *wide(const decay_request *request, const decay_curve *curves, int count) {
    sheet *const s = sheet_new();
    put_comments(s, request);
    sheet_column(s, "distance", SHEET_NUMBER);
    for (int c = 0; c < count; c++) {
        char name[256];
        snprintf(name, sizeof name, request->specs > 1 ? "%s, %s" : "%s", curves[c].kind->name, curves[c].label);
        sheet_column(s, name, SHEET_NUMBER);
    }
    for (int64_t k = 0; k < request->points.count; k++) {
        sheet_row(s);
        sheet_number(s, decay_point(&request->points, k), 0);
        for (int c = 0; c < count; c++)
            if (curves[c].text)
                sheet_text(s, curves[c].text[k] ? curves[c].text[k] : "undecided");
            else
                sheet_number(s, curves[c].value[k],
                             request->digits_given ? decay_digits_of(request, &curves[c]) : TABLE_DIGITS);
    }
    return s;
}

void decay_print_table(const decay_request *request, const decay_curve *curves, int count) {
    sheet *const s = wide(request, curves, count);
    sheet_print(stdout, s);
    sheet_free(s);
}

/* ---- files ----------------------------------------------------------------------------------------- */

typedef rope_status write_data(const void *what, const char *path, bool header, rope_error *error);

static rope_status write_sheet(const void *what, const char *path, bool header, rope_error *error) {
    return sheet_write_as(what, sheet_format_for_file("curves.tsv"), path, header, error);
}

static rope_status draw(const decay_output *output, const char *figure_name, const char *data, rope_error *error) {
    plot *figure = NULL;
    rope_status status = plot_new(&figure, figure_name, error);
    if (status != ROPE_OK) return status;
    plot_data(figure, data);
    if (output->log_x) plot_set_number(figure, "logx", 1.0);
    plot_size(figure, output->width);
    if (output->keep) plot_keep(figure, output->keep);
    status = plot_draw(figure, output->plot, error);
    plot_free(figure);
    return status;
}

/* A figure reads a data file: the TSV, if there is one, else one that is dropped afterwards. */
static rope_status draw_data(const decay_output *output, const char *figure_name, write_data *write, const void *what,
                             rope_error *error) {
    if (output->tsv && strcmp(output->tsv, "-")) return draw(output, figure_name, output->tsv, error);
    const char *const parent = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/rope-decay-XXXXXX.tsv", parent && *parent ? parent : "/tmp") < 0) abort();
    const int file = mkstemps(path, 4);
    rope_status status = ROPE_OK;
    if (file < 0) {
        status = rope_fail(error, ROPE_IO, path, "set TMPDIR to a folder that can be written", "cannot be made: %s",
                           strerror(errno));
    } else {
        close(file);
        status = write(what, path, true, error);
        if (status == ROPE_OK) status = draw(output, figure_name, path, error);
        unlink(path);
    }
    free(path);
    return status;
}

static rope_status write_and_draw(const decay_output *output, const char *figure_name, write_data *write,
                                  const void *what, bool header, rope_error *error) {
    const rope_status status = output->tsv ? write(what, output->tsv, header, error) : ROPE_OK;
    return status == ROPE_OK && output->plot ? draw_data(output, figure_name, write, what, error) : status;
}

/* Can a file be made there? Nothing is left behind. */
static rope_status check_writable(const char *path, rope_error *error) {
    outfile file;
    if (!path || !strcmp(path, "-")) return ROPE_OK;
    const rope_status status = outfile_open(&file, path, error);
    if (status == ROPE_OK) outfile_abandon(&file);
    return status;
}

/* One may not be there yet: names are compared, without the ./ before them. */
static bool same_file(const char *a, const char *b) {
    if (!a || !b) return false;
    while (!strncmp(a, "./", 2)) a += 2;
    while (!strncmp(b, "./", 2)) b += 2;
    return !strcmp(a, b);
}

rope_status decay_check_output(const decay_output *output, rope_error *error) {
    if (output->keep && !output->plot)
        return rope_fail(error, ROPE_BAD_INPUT, "--keep", "add --plot FILE", "there is no figure to keep");
    if (output->table && !strcmp(output->table, "-"))
        return rope_fail(error, ROPE_BAD_INPUT, "--table", "--tsv - writes to standard output",
                         "needs a file, whose ending says the format");
    if (same_file(output->tsv, output->table) || same_file(output->tsv, output->plot) ||
        same_file(output->table, output->plot))
        return rope_fail(error, ROPE_BAD_INPUT, same_file(output->tsv, output->plot) ? output->tsv : output->table,
                         "give each a file of its own", "would be written twice");
    rope_status status = output->table ? sheet_check_path(output->table, error) : ROPE_OK;
    if (status == ROPE_OK) status = check_writable(output->tsv, error);
    if (status == ROPE_OK) status = check_writable(output->table, error);
    return status == ROPE_OK && output->plot ? plot_check(output->plot, error) : status;
}

rope_status decay_write_sheet(const decay_output *output, const char *figure_name, const sheet *s, rope_error *error) {
    return write_and_draw(output, figure_name, write_sheet, s, true, error);
}

rope_status decay_write(const decay_output *output, const decay_request *request, const decay_curve *curves, int count,
                        rope_error *error) {
    const tidy data = {request, curves, count};
    rope_status status = write_and_draw(output, output->figure ? output->figure : "decay", write_tidy, &data,
                                        request->shard == 1, error);
    if (status == ROPE_OK && output->table) {
        sheet *const s = wide(request, curves, count);
        status = sheet_write(s, output->table, true, error);
        sheet_free(s);
    }
    return status;
}

/* ---- text ------------------------------------------------------------------------------------------ */

void decay_say(FILE *out, const char *form, ...) {
    if (!out) return;
    va_list arguments;
    va_start(arguments, form);
    vfprintf(out, form, arguments);
    va_end(arguments);
}
