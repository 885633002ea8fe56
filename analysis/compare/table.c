#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/format/outfile.h"
#include "../report/number.h"

enum { DIGITS = 4 };

/* ---- numbers as text --------------------------------------------------------------------------------- */

void compare_value_text(char text[32], double value, double bound, int most) {
    int digits = most;
    if (bound > 0.0 && fabs(value) <= bound) value = 0.0;
    while (digits > 1 && value != 0.0 && bound > 0.5 * fabs(value) * pow(10.0, -digits)) digits--;
    snprintf(text, 32, "%s", number_short(value, digits).text);
}

static void put_value(sheet *s, double value, double bound, int digits) {
    char text[32];
    compare_value_text(text, value, bound, digits);
    sheet_text(s, isnan(value) ? "-" : text);
}

static void put_bound(sheet *s, double bound) {
    sheet_text(s, number_bound(bound).text);
}

static void put_formula(sheet *s, const char *formula, int64_t counted) {
    char *text = NULL;
    if (asprintf(&text, "%s = %" PRId64, formula, counted) < 0) abort();
    sheet_text(s, formula[0] >= '0' && formula[0] <= '9' && atoll(formula) == counted ? formula : text);
    free(text);
}

static const char *yes(bool it_is) {
    return it_is ? "yes" : "no";
}

static void add_columns(sheet *s, const char *const *names, int count, unsigned numbers) {
    for (int k = 0; k < count; k++) sheet_column(s, names[k], numbers >> k & 1 ? SHEET_NUMBER : SHEET_TEXT);
}

static sheet *columns_of(const char *const *names, int count, unsigned numbers) {
    sheet *const s = sheet_new();
    add_columns(s, names, count, numbers);
    return s;
}

/* ---- the four tables --------------------------------------------------------------------------------- */

/* A number that ought to be zero. It is when it is nowhere beyond its bound, whatever rounding made of it. */
static void put_answer(sheet *s, measure_answer stays, double value, double bound) {
    if (stays == MEASURE_UNDECIDED)
        sheet_text(s, measure_answers[stays]);
    else
        put_value(s, stays == MEASURE_YES ? 0.0 : value, bound, DIGITS);
}

static void put_defect(sheet *s, const shift_defect *found) {
    sheet_text(s, measure_answers[found->stays]);
    put_answer(s, found->stays, found->defect, found->bound);
    put_bound(s, found->bound);
}

static sheet *terms_table(const measurement *measured, int count) {
    static const char *const names[] = {"scheme and its terms", "only n - m?", "shift defect", "bound", "formula"};
    sheet *const s = columns_of(names, 5, 0xc);
    for (const measurement *m = measured; m < measured + count; m++) {
        sheet_row(s);
        sheet_text(s, m->encoding->name);
        put_defect(s, &m->score);
        sheet_text(s, m->terms > 1 ? "the sum of" : m->encoding->term[0].formula);
        for (int t = 0; m->terms > 1 && t < m->terms; t++) {
            char name[64];
            snprintf(name, sizeof name, "  %s", m->encoding->term[t].id);
            sheet_row(s);
            sheet_text(s, name);
            put_defect(s, &m->term[t]);
            sheet_text(s, m->encoding->term[t].formula);
        }
    }
    return s;
}

static void put_rank(sheet *s, const measurement *m) {
    if (m->rank < 0)
        sheet_text(s, "-");
    else
        sheet_number(s, m->rank, 17);
}

static sheet *properties_table(const measurement *measured, int count) {
    static const char *const names[] = {"scheme",   "norm",   "rank", "by form", "factors",
                                        "beyond N", "values", "sum",  "output"};
    static const char *const sums[] = {"FAIL", "ok", "undecided"};
    sheet *const s = columns_of(names, 9, 0x106);
    for (const measurement *m = measured; m < measured + count; m++) {
        sheet_row(s);
        sheet_text(s, m->encoding->name);
        put_answer(s, m->norm_kept, m->norm_change, m->norm_bound);
        put_rank(s, m);
        sheet_text(s, m->encoding->rank_formula);
        sheet_text(s, yes(m->encoding->linear_attention));
        sheet_text(s, yes(m->encoding->extrapolates));
        sheet_text(s, yes(m->encoding->needs_value));
        sheet_text(s, sums[m->sums]);
        put_answer(s, m->output_relative, m->output_defect, m->output_bound);
    }
    return s;
}

static sheet *costs_table(const measurement *measured, int count) {
    static const char *const names[] = {"scheme", "parameters per head", "multiplications per head beyond q . k"};
    sheet *const s = columns_of(names, 3, 0);
    for (const measurement *m = measured; m < measured + count; m++) {
        sheet_row(s);
        sheet_text(s, m->encoding->name);
        put_formula(s, m->encoding->parameters_formula, m->parameters);
        put_formula(s, m->encoding->cost_formula, m->cost);
    }
    return s;
}

static const char *const decay_marks[DECAY_KINDS] = {"ones ", "rms ", "peak "};

static void add_distance(sheet *s, const char *mark, double distance) {
    char name[32];
    snprintf(name, sizeof name, "%s%.9g", mark, distance);
    sheet_column(s, name, SHEET_NUMBER);
}

static const int shown_distances[] = {0, 3, 4}; /* of decay_distances: 0, 16, 32 */
enum { SHOWN = sizeof shown_distances / sizeof *shown_distances };

static sheet *decay_table(const measurement *measured, int count) {
    sheet *const s = sheet_new();
    sheet_column(s, "scheme", SHEET_TEXT);
    for (int kind = 0; kind < DECAY_KINDS; kind++)
        for (int k = 0; k < SHOWN; k++)
            add_distance(s, k ? "" : decay_marks[kind], decay_distances[shown_distances[k]]);
    for (const measurement *m = measured; m < measured + count; m++) {
        sheet_row(s);
        sheet_text(s, m->encoding->name);
        for (int kind = 0; kind < DECAY_KINDS; kind++)
            for (int k = 0; k < SHOWN; k++)
                put_value(s, m->decay[kind][shown_distances[k]], m->decay_bound[kind][shown_distances[k]], DIGITS - 1);
    }
    return s;
}

static void print_table(FILE *out, const char *heading, const char *note, sheet *s, bool colour) {
    fprintf(out, "\n%s%s%s\n", colour ? "\033[1m" : "", heading, colour ? "\033[0m" : "");
    sheet_print(out, s);
    fputs(note, out);
    sheet_free(s);
}

void table_print(FILE *out, const measurement *measured, int count, bool colour) {
    print_table(out, "Does the score depend on n - m alone?",
                "Shift defect: the largest change of a score when all positions move. 0: at every pair it is\n"
                "within what rounding may do (bound: at the pair that changes most). undecided: so it is, but\n"
                "rounding may do more than 2^-20 of the query's largest |score|.\n",
                terms_table(measured, count), colour);
    print_table(out, "What else holds?",
                "norm: largest change of a query's norm by its position. rank: of the N x N score matrix,\n"
                "computed (N <= 256) and by its form. factors: into features of m times features of n, as linear\n"
                "attention needs. beyond N: is defined past the trained length. values: position is added to v,\n"
                "too. sum: of the terms is the score, formed another way. output: shift defect of the output,\n"
                "softmax(score / sqrt d) v, with this one scale for all schemes.\n",
                properties_table(measured, count), colour);
    print_table(out, "What does it cost?",
                "A product with an offset's vector is counted once per query or key and row of a table of offsets\n"
                "(Shaw, DeBERTa), for it is then looked up. Shaw's numbers include the table for the values.\n",
                costs_table(measured, count), colour);
    print_table(out, "The score at the distances m - n = 0, 16, 32",
                "ones: q = k = 1. rms: over the run's own tokens. peak: q = 1, k = R_16 q, which RoPE (interleaved)\n"
                "scores highest at distance 16. For ones and peak W_q = W_k = I, and the query is the last one, which\n"
                "matters where the scheme is absolute.\n",
                decay_table(measured, count), colour);
}

/* ---- one wide table ---------------------------------------------------------------------------------- */

static void put_wide_scheme(sheet *s, const measurement *m) {
    const encoding *const e = m->encoding;
    sheet_row(s);
    sheet_text(s, e->title);
    sheet_text(s, "score");
    put_defect(s, &m->score);
    put_answer(s, m->norm_kept, m->norm_change, m->norm_bound);
    for (int kind = 0; kind < DECAY_KINDS; kind++)
        for (int k = 0; k < DECAY_DISTANCES; k++) put_value(s, m->decay[kind][k], m->decay_bound[kind][k], DIGITS);
    put_formula(s, e->parameters_formula, m->parameters);
    put_formula(s, e->cost_formula, m->cost);
    put_rank(s, m);
    sheet_text(s, e->rank_formula);
    sheet_text(s, yes(e->linear_attention));
    sheet_text(s, yes(e->extrapolates));
    sheet_text(s, yes(e->needs_value));
}

sheet *table_wide(const compare_session *session, const measurement *measured, int count) {
    static const char *const before[] = {"scheme", "term", "only n - m", "shift defect", "bound", "norm change"},
                             *const after[] = {"parameters", "multiplications", "rank",  "rank by form",
                                               "factors",    "beyond N",        "values"};
    sheet *const s = compare_sheet(session);
    add_columns(s, before, 6, 0x38);
    for (int kind = 0; kind < DECAY_KINDS; kind++)
        for (int k = 0; k < DECAY_DISTANCES; k++) add_distance(s, decay_marks[kind], decay_distances[k]);
    add_columns(s, after, 7, 0x4);
    for (const measurement *m = measured; m < measured + count; m++) {
        put_wide_scheme(s, m);
        for (int t = 0; t < m->terms; t++) {
            sheet_row(s);
            sheet_text(s, m->encoding->title);
            sheet_text(s, m->encoding->term[t].id);
            put_defect(s, &m->term[t]);
        }
    }
    return s;
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* Four tables that fit a page where one is printed from the file, one wide table where it is read by a program. */
static bool is_printed(const sheet_format *format) {
    return format && (!strcmp(format->extension, ".tex") || !strcmp(format->extension, ".md"));
}

rope_status table_write(const compare_session *session, const measurement *measured, int count, rope_error *error) {
    static sheet *(*const tables[])(const measurement *measured, int count) = {terms_table, properties_table,
                                                                               costs_table, decay_table};
    const sheet_format *const format = sheet_format_for_file(session->table);
    if (!is_printed(format)) {
        sheet *const wide = table_wide(session, measured, count);
        const rope_status status = compare_write_table(session, wide, error);
        sheet_free(wide);
        return status;
    }
    outfile file;
    const rope_status status = outfile_open(&file, session->table, error);
    if (status != ROPE_OK) return status;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        sheet *const s = tables[k](measured, count);
        if (k == 0) compare_sign(s, session);
        if (k > 0) putc('\n', file.stream);
        format->print(file.stream, s, true);
        sheet_free(s);
    }
    return outfile_close(&file, error);
}

/* ---- tidy data --------------------------------------------------------------------------------------- */

static void put_tidy(sheet *s, const measurement *m, const char *term, const char *quantity, double value,
                     double bound) {
    sheet_row(s);
    sheet_text(s, m->encoding->name);
    sheet_text(s, term);
    sheet_text(s, quantity);
    sheet_number(s, value, 17);
    sheet_text(s, number_bound(bound).text);
}

static void put_tidy_shift(sheet *s, const measurement *m, const char *term, const shift_defect *found) {
    put_tidy(s, m, term, "shift-defect", found->defect, found->bound);
    put_tidy(s, m, term, "relative", found->stays == MEASURE_UNDECIDED ? (double)NAN : (double)found->stays, NAN);
    put_tidy(s, m, term, "undecided", (double)found->undecided, NAN);
    put_tidy(s, m, term, "worst-m", (double)found->m, 0.0);
    put_tidy(s, m, term, "worst-n", (double)found->n, 0.0);
}

static void put_tidy_scheme(sheet *s, const measurement *m) {
    static const char marks[DECAY_KINDS][8] = {"ones", "tokens", "peak"};
    for (int t = 0; t < m->terms; t++) put_tidy_shift(s, m, m->encoding->term[t].id, &m->term[t]);
    put_tidy_shift(s, m, "score", &m->score);
    put_tidy(s, m, "score", "sum-defect", m->sum_defect, m->sum_bound);
    put_tidy(s, m, "query", "norm-change", m->norm_change, m->norm_bound);
    put_tidy(s, m, "output", "shift-defect", m->output_defect, m->output_bound);
    for (int kind = 0; kind < DECAY_KINDS; kind++)
        for (int k = 0; k < DECAY_DISTANCES; k++) {
            char name[32];
            if (isnan(m->decay[kind][k])) continue;
            snprintf(name, sizeof name, "decay-%s-%.0f", marks[kind], decay_distances[k]);
            put_tidy(s, m, "score", name, m->decay[kind][k], m->decay_bound[kind][k]);
        }
    if (m->rank >= 0) {
        put_tidy(s, m, "score", "rank", m->rank, NAN);
        put_tidy(s, m, "score", "rank-threshold", m->rank_threshold, NAN);
        put_tidy(s, m, "score", "rank-gap", m->rank_gap, NAN);
    }
    put_tidy(s, m, "scheme", "parameters", (double)m->parameters, 0.0);
    put_tidy(s, m, "scheme", "multiplications", (double)m->cost, 0.0);
    put_tidy(s, m, "scheme", "linear-attention", m->encoding->linear_attention, 0.0);
    put_tidy(s, m, "scheme", "beyond-trained-length", m->encoding->extrapolates, 0.0);
    put_tidy(s, m, "scheme", "values", m->encoding->needs_value, 0.0);
}

sheet *table_tidy(const compare_session *session, const measurement *measured, int count) {
    static const char *const names[] = {"scheme", "term", "quantity", "value", "bound"};
    sheet *const s = compare_sheet(session);
    sheet_comment(s, "value: 17 digits of a double; bound: how far it may be from the exact number; nan: decided, not "
                     "measured");
    sheet_comment(s,
                  "relative: 1 yes, 0 no, nan undecided; undecided: queries with a bound above 2^-20 of their largest "
                  "|score|");
    for (int k = 0; k < 5; k++) sheet_column(s, names[k], k < 3 ? SHEET_TEXT : SHEET_NUMBER);
    for (const measurement *m = measured; m < measured + count; m++) put_tidy_scheme(s, m);
    return s;
}

/* ---- failures ---------------------------------------------------------------------------------------- */

static int report_shift(FILE *out, const measurement *m, const char *what, const shift_defect *found, bool relative) {
    if (!relative || found->stays != MEASURE_NO) return 0;
    fprintf(out,
            "FAIL %s: %s depends on n - m alone, but moved by %.3g at (m, n) = (%" PRId64 ", %" PRId64 ") or farther\n",
            m->encoding->name, what, found->defect, found->m, found->n);
    return 1;
}

int table_failures(FILE *out, const measurement *measured, int count, int64_t shift) {
    int failures = 0;
    for (const measurement *m = measured; m < measured + count; m++) {
        if (m->sums == MEASURE_NO) {
            failures++;
            fprintf(out, "FAIL %s: the sum of the terms and the direct score differ by %.3g, rounding explains %.3g\n",
                    m->encoding->name, m->sum_defect, m->sum_bound);
        }
        for (int t = 0; t < m->terms; t++)
            failures += report_shift(out, m, m->encoding->term[t].id, &m->term[t], m->encoding->term[t].relative);
        failures += report_shift(out, m, "the score", &m->score, m->encoding->relative || shift == 0);
        if (m->encoding->keeps_norm && m->norm_kept == MEASURE_NO) {
            failures++;
            fprintf(out, "FAIL %s: the norm is kept, but changed by %.3g\n", m->encoding->name, m->norm_change);
        }
    }
    return failures;
}

/* Names behind a comma each. */
static void list(FILE *out, int *listed, const char *name, measure_answer answer) {
    if (answer != MEASURE_UNDECIDED) return;
    fprintf(out, "%s%s", *listed ? ", " : "", name);
    ++*listed;
}

int table_undecided(FILE *out, const measurement *measured, int count) {
    int undecided = 0;
    for (const measurement *m = measured; m < measured + count; m++) {
        char *names = NULL;
        size_t room = 0;
        int listed = 0;
        FILE *const line = open_memstream(&names, &room);
        if (!line) abort();
        for (int t = 0; t < m->terms; t++) list(line, &listed, m->encoding->term[t].id, m->term[t].stays);
        list(line, &listed, "the score", m->score.stays);
        list(line, &listed, "its sum", m->sums);
        list(line, &listed, "the norm", m->norm_kept);
        list(line, &listed, "the output", m->output_relative);
        if (fclose(line) != 0) abort();
        if (listed) fprintf(out, "undecided %s: %s\n", m->encoding->name, names);
        undecided += listed;
        free(names);
    }
    return undecided;
}
