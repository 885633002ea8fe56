/* The report a person reads, in a terminal or in a CI log. Colour repeats what the words say. */
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "line.h"
#include "number.h"

enum { LABEL = 9, WIDTH = 100 }; /* columns: labels with the space after them; where prose wraps */

#define GREEN "\033[32m"
#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define DIM "\033[2m"
#define BOLD "\033[1m"

typedef struct text_page {
    FILE *out;
    const report_run *run;
    const report_style *style;
    int indent; /* of failures: under a case of a suite */
} text_page;

/* ---- lines ----------------------------------------------------------------------------------------- */

static void put_word(const text_page *page, const char *colour, const char *word, int width) {
    if (page->style->colour) fputs(colour, page->out);
    escape_plain(page->out, word);
    if (page->style->colour) fputs("\033[0m", page->out);
    fprintf(page->out, "%*s", width > escape_width(word) ? width - escape_width(word) : 0, "");
}

/* Prose from the given column on, wrapped between words and indented there. */
static void put_prose(const text_page *page, int column, const char *text) {
    int used = column;
    while (*text) {
        const size_t length = strcspn(text, " \n");
        char *word = report_text("%.*s", (int)length, text);
        const int width = escape_width(word);
        if (used > column && used + 1 + width > WIDTH) {
            fprintf(page->out, "\n%*s", column, "");
            used = column;
        } else if (used > column) {
            putc(' ', page->out);
            used++;
        }
        escape_plain(page->out, word);
        used += width;
        free(word);
        text += length;
        text += strspn(text, " \n");
    }
    putc('\n', page->out);
}

static void put_line(const text_page *page, const char *colour, const char *label, const char *text) {
    put_word(page, colour, label, LABEL);
    put_prose(page, LABEL, text);
}

/* Takes the text. */
static void put_owned(const text_page *page, const char *colour, const char *label, char *text) {
    if (text && *text) put_line(page, colour, label, text);
    free(text);
}

/* ---- the parts of a report ------------------------------------------------------------------------- */

static void put_header(const text_page *page, const report *subject) {
    char spec[512];
    rope_spec_describe(&subject->spec, spec, sizeof spec);
    char *what = line_subject(subject);
    put_word(page, BOLD, "subject", LABEL);
    if (strcmp(subject->name, subject->subject_kind) != 0) {
        escape_plain(page->out, subject->name);
        fputs(": ", page->out);
    }
    escape_plain(page->out, what);
    free(what);
    putc('\n', page->out);
    put_line(page, BOLD, "spec", spec);
    for (int k = 0; k < subject->files; k++) {
        const report_file *file = &subject->file[k];
        const char *hash = *file->sha256 ? ", sha256 " : "";
        put_owned(page, BOLD, k ? "" : "files",
                  report_text("%s from %s%s%.*s", file->role, file->name, hash, page->style->verbosity > 0 ? 64 : 12,
                              file->sha256));
    }
    putc('\n', page->out);
}

static void put_details(const text_page *page, const report_claim *claim) {
    const char *join = *claim->source ? " [" : "";
    put_owned(page, "", "", report_text("%s%s%s%s", claim->statement, join, claim->source, *join ? "]" : ""));
    if (claim->has_witness) {
        char *place = line_place(&claim->witness);
        put_owned(page, "", "", report_text("largest error %s at %s", number_exact(claim->defect).text, place));
        free(place);
    }
}

static int widest(const report *subject, int (*width)(const report_claim *claim)) {
    int most = 0;
    for (int k = 0; k < subject->claims; k++)
        if (width(&subject->claim[k]) > most) most = width(&subject->claim[k]);
    return most;
}

static int id_width(const report_claim *claim) {
    return claim->verdict == REPORT_HOLDS ? escape_width(claim->id) : 0;
}
static int count_width(const report_claim *claim) {
    return claim->verdict == REPORT_HOLDS && claim->checked > 1 ? snprintf(NULL, 0, "%" PRIu64, claim->checked) : 0;
}

/* "(sampled, 12 untestable)": what weakens a claim that holds. */
static void put_limits(const text_page *page, const report_claim *claim) {
    const bool sampled = claim->coverage && strcmp(claim->coverage, "exhaustive") != 0 && claim->checked > 1;
    if (sampled) fprintf(page->out, "  (%s", claim->coverage);
    if (claim->untestable) fprintf(page->out, "%s%" PRIu64 " untestable", sampled ? ", " : "  (", claim->untestable);
    if (sampled || claim->untestable) putc(')', page->out);
}

/* "holds    table   262144 entries  error 2.1 u of 3 u allowed" */
static void put_passing(const text_page *page, const report *subject) {
    const int ids = widest(subject, id_width), counts = widest(subject, count_width);
    for (int k = 0; k < subject->claims; k++) {
        const report_claim *claim = &subject->claim[k];
        if (line_outcome_of(page->run, subject, claim) != LINE_PASS) continue;
        char *measure = line_measure(claim);
        put_word(page, GREEN, "holds", LABEL);
        fprintf(page->out, "%-*s", claim->checked > 1 || *measure ? ids : 0, claim->id);
        if (claim->checked > 1)
            fprintf(page->out, "  %*" PRIu64 " entries", counts, claim->checked);
        else if (*measure && counts)
            fprintf(page->out, "  %*s        ", counts, "");
        if (*measure) fprintf(page->out, "  %s", measure);
        put_limits(page, claim);
        putc('\n', page->out);
        free(measure);
        if (page->style->verbosity > 0) put_details(page, claim);
    }
}

static const char *reason_of(const report_claim *claim) {
    return claim->reason ? claim->reason : "";
}

static bool skipped(const report_claim *claim, const char *reason) {
    return claim->verdict == REPORT_SKIPPED && !strcmp(reason_of(claim), reason);
}

/* "norm, relative (needs vectors); spectrum (built-in kernels only)": claims of one reason together, in order. */
static void put_skipped(const text_page *page, const report *subject) {
    char *line = report_text("%s", "");
    for (int k = 0; k < subject->claims; k++) {
        const char *reason = reason_of(&subject->claim[k]);
        if (!skipped(&subject->claim[k], reason)) continue;
        bool first_of_reason = true;
        for (int j = 0; j < k; j++) first_of_reason = first_of_reason && !skipped(&subject->claim[j], reason);
        if (!first_of_reason) continue;
        for (int j = k; j < subject->claims; j++) {
            if (!skipped(&subject->claim[j], reason)) continue;
            char *longer = report_text("%s%s%s", line, j > k ? ", " : *line ? "; " : "", subject->claim[j].id);
            free(line);
            line = longer;
        }
        char *longer = *reason ? report_text("%s (%s)", line, reason) : report_text("%s", line);
        free(line);
        line = longer;
    }
    put_owned(page, DIM, "skipped", line);
}

static void put_indent(const text_page *page, int more) {
    fprintf(page->out, "%*s", page->indent + more, "");
}

static void put_under(const text_page *page, const char *text) {
    if (!text) return;
    put_indent(page, 5);
    put_prose(page, page->indent + 5, text);
}

/* "FAIL table: 4031 of 262144 entries; ..." */
static void put_loud(const text_page *page, const report_claim *claim, const char *label, const char *colour) {
    char *failure = line_failure(claim);
    put_indent(page, 0);
    put_word(page, colour, label, 0);
    fprintf(page->out, " %s: ", claim->id);
    escape_plain(page->out, failure);
    putc('\n', page->out);
    free(failure);
    put_under(page, line_reason_apart(claim) ? claim->reason : NULL);
}

/* The first claim printed as FAIL; NULL: there is none. */
static const report_claim *first_failure(const text_page *page, const report *subject) {
    for (int k = 0; k < subject->claims; k++) {
        const report_claim *claim = &subject->claim[k];
        if (claim->verdict == REPORT_BROKEN && line_outcome_of(page->run, subject, claim) == LINE_FAIL) return claim;
    }
    return NULL;
}

/* The command, and for a table the rows where the first failure is worst, when they alone show it. */
static char *reproduction(const text_page *page, const report *subject) {
    if (!subject->command || !*subject->command) return report_text("%s", "");
    const report_claim *const claim = first_failure(page, subject);
    const report_witness *const at = claim ? &claim->witness : NULL;
    const bool rows = claim && claim->has_witness && at->has_m && !at->more_rows && !strcmp(subject->subject_kind, "table");
    if (!rows || strstr(subject->command, "--positions")) return report_text("reproduce: %s", subject->command);
    const int64_t n = at->has_n ? at->n : at->m, least = n < at->m ? n : at->m, largest = n < at->m ? at->m : n;
    if (least == largest) return report_text("reproduce: %s --positions %" PRId64, subject->command, least);
    return report_text("reproduce: %s --positions %" PRId64 ":%" PRId64, subject->command, least, largest + 1);
}

/* "     looks like: position-precision (bf16), residual 1.9 u        reproduce: rope-verify table ..." and what that means;
 * where one line would be longer than 120 columns, the meaning stands between the two. */
static void put_first_cause(const text_page *page, const report *subject) {
    char *cause = subject->diagnoses ? line_diagnosis(&subject->diagnosis[0]) : NULL;
    char *looks = cause ? report_text("looks like: %s", cause) : report_text("%s", "");
    char *again = reproduction(page, subject);
    const bool two_lines = *looks && *again && page->indent + 5 + escape_width(looks) + 8 + escape_width(again) > 120;
    if (*looks || *again) put_indent(page, 5);
    escape_plain(page->out, looks);
    if (two_lines) {
        putc('\n', page->out);
        put_under(page, subject->diagnosis[0].text);
        put_indent(page, 5);
    } else if (*looks && *again) {
        fprintf(page->out, "%8s", "");
    }
    escape_plain(page->out, again);
    if (*looks || *again) putc('\n', page->out);
    if (*looks && !two_lines) put_under(page, subject->diagnosis[0].text);
    free(again);
    free(looks);
    free(cause);
}

static void put_causes(const text_page *page, const report *subject) {
    if (subject->hint) {
        char *const hint = report_text("hint: %s", subject->hint);
        put_under(page, hint);
        free(hint);
    }
    put_first_cause(page, subject);
    for (int k = 1; k < subject->diagnoses && page->style->verbosity > 0; k++) {
        char *other = line_diagnosis(&subject->diagnosis[k]);
        put_indent(page, 5);
        fputs("or: ", page->out);
        escape_plain(page->out, other);
        putc('\n', page->out);
        put_under(page, subject->diagnosis[k].text);
        free(other);
    }
}

static int count_outcome(const text_page *page, const report *subject, line_outcome outcome) {
    int count = 0;
    for (int k = 0; k < subject->claims; k++)
        count += line_outcome_of(page->run, subject, &subject->claim[k]) == outcome;
    return count;
}

static void put_loud_ones(const text_page *page, const report *subject, line_outcome outcome, bool undecided,
                          const char *label, const char *colour) {
    for (int k = 0; k < subject->claims; k++) {
        const report_claim *claim = &subject->claim[k];
        if (line_outcome_of(page->run, subject, claim) != outcome) continue;
        if ((claim->verdict == REPORT_UNDECIDED) == undecided) put_loud(page, claim, label, colour);
    }
}

/* What is broken comes last, next to its cause. */
static void put_failures(const text_page *page, const report *subject) {
    if (page->style->verbosity >= 0) {
        put_loud_ones(page, subject, LINE_EXPECTED, false, "xfail", DIM);
        put_loud_ones(page, subject, LINE_EXPECTED, true, "xfail", DIM);
    }
    put_loud_ones(page, subject, LINE_FAIL, true, "undecided", YELLOW);
    put_loud_ones(page, subject, LINE_FAIL, false, "FAIL", RED);
    if (count_outcome(page, subject, LINE_FAIL)) put_causes(page, subject);
}

static void put_budget(const text_page *page, const report *subject) {
    const report_budget *budget = &subject->budget;
    if (!budget->known) return;
    put_owned(page, BOLD, "budget",
              report_text("frequency %s, offset %s, angle %s, cos/sin %s, storage %s rad; magnitude %s",
                          number_short(budget->frequency, 2).text, number_short(budget->offset, 2).text,
                          number_short(budget->angle, 2).text, number_short(budget->trig, 2).text,
                          number_short(budget->storage, 2).text, number_short(budget->magnitude, 9).text));
}

/* Takes the text. The last line of a run says what made it. */
static void put_verdict(const text_page *page, report_verdict verdict, char *text, bool last) {
    const char *const colours[] = {GREEN, RED, YELLOW, DIM};
    put_word(page, BOLD, "verdict", LABEL);
    put_word(page, colours[verdict], report_verdict_name(verdict), 0);
    fprintf(page->out, ": %s", text);
    if (last)
        fprintf(page->out, "  (%s %s, seed %" PRIu64 ")", page->run->program, page->run->version, page->run->seed);
    putc('\n', page->out);
    free(text);
}

/* "2 broken, 7 hold, 12 skipped" */
static char *tally(const text_page *page, const report *subject) {
    int undecided = 0;
    for (int k = 0; k < subject->claims; k++)
        undecided += subject->claim[k].verdict == REPORT_UNDECIDED &&
                     line_outcome_of(page->run, subject, &subject->claim[k]) == LINE_FAIL;
    const int hold = count_outcome(page, subject, LINE_PASS);
    const struct {
        int count;
        const char *words;
    } parts[] = {{count_outcome(page, subject, LINE_FAIL) - undecided, "broken"},
                 {undecided, "undecided"},
                 {count_outcome(page, subject, LINE_EXPECTED), "broken as expected"},
                 {hold, hold == 1 ? "holds" : "hold"},
                 {count_outcome(page, subject, LINE_SKIP), "skipped"}};
    char *text = report_text("%s", subject->verdict == REPORT_SKIPPED ? "nothing was tested" : "");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!parts[k].count) continue;
        char *longer = report_text("%s%s%d %s", text, *text ? ", " : "", parts[k].count, parts[k].words);
        free(text);
        text = longer;
    }
    return text;
}

static void put_report(const text_page *page, const report *subject, bool last) {
    const bool quiet = page->style->verbosity < 0;
    const int calm = count_outcome(page, subject, LINE_PASS) + count_outcome(page, subject, LINE_SKIP);
    if (!quiet) {
        put_header(page, subject);
        put_passing(page, subject);
        put_skipped(page, subject);
        if (calm && calm < subject->claims) putc('\n', page->out);
    }
    put_failures(page, subject);
    if (!quiet) {
        putc('\n', page->out);
        put_owned(page, BOLD, "model", line_model(subject));
        if (count_outcome(page, subject, LINE_FAIL) || page->style->verbosity > 0) put_budget(page, subject);
    }
    put_verdict(page, subject->verdict, tally(page, subject), last);
}

/* ---- several subjects: claims down, subjects across ------------------------------------------------ */

/* "2.1 u" where something was measured, else a word. */
static char *cell(const text_page *page, const report *subject, const char *id) {
    for (int k = 0; k < subject->claims; k++) {
        const report_claim *claim = &subject->claim[k];
        if (strcmp(claim->id, id) != 0) continue;
        const line_outcome outcome = line_outcome_of(page->run, subject, claim);
        if (outcome == LINE_SKIP) break;
        if (outcome == LINE_EXPECTED) return report_text("xfail");
        if (outcome == LINE_FAIL) return report_text(claim->verdict == REPORT_UNDECIDED ? "undecided" : "FAIL");
        return isnan(claim->defect) ? report_text("holds") : line_error(claim);
    }
    return report_text("-");
}

static const char *cell_colour(const char *cell) {
    return !strcmp(cell, "FAIL") ? RED : !strcmp(cell, "undecided") ? YELLOW : !strcmp(cell, "-") ? DIM : GREEN;
}

/* The claims of all reports, each once, in the order met; the caller frees the array. */
static const char **all_claims(const report_run *run, int *count) {
    int most = 1;
    for (int k = 0; k < run->count; k++) most += run->reports[k]->claims;
    const char **ids = calloc((size_t)most, sizeof *ids);
    if (!ids) abort();
    *count = 0;
    for (int k = 0; k < run->count; k++)
        for (int j = 0; j < run->reports[k]->claims; j++) {
            const char *id = run->reports[k]->claim[j].id;
            int known = 0;
            while (known < *count && strcmp(ids[known], id) != 0) known++;
            if (known == *count) ids[(*count)++] = id;
        }
    return ids;
}

enum { CELL = 11 }; /* the widest: "9.9e-10 rad" */

/* A name's first word, or what follows it: the two lines of a heading. */
static char *heading(const char *name, int line) {
    const size_t first = strcspn(name, " ");
    return line == 0 ? report_text("%.*s", (int)first, name) : report_text("%s", name[first] ? name + first + 1 : "");
}

static void put_matrix_row(const text_page *page, const char *label, int id_column, int from, int to, const char *id, int line) {
    put_word(page, id ? "" : BOLD, label, id_column);
    for (int k = from; k < to; k++) {
        char *text = id ? cell(page, page->run->reports[k], id) : heading(page->run->reports[k]->name, line);
        fputs("  ", page->out);
        put_word(page, id ? cell_colour(text) : BOLD, text, k + 1 < to ? CELL : 0);
        free(text);
    }
    putc('\n', page->out);
}

/* Columns per table: what fits beside the claims' names, the same in each. */
static int matrix_columns(int id_column, int count) {
    const int most = (WIDTH - id_column) / (CELL + 2), tables = (count + most - 1) / most;
    return tables ? (count + tables - 1) / tables : most;
}

static void put_matrix(const text_page *page) {
    const report_run *run = page->run;
    int count, id_column = 5;
    const char **ids = all_claims(run, &count);
    bool two_lines = false;
    for (int k = 0; k < count; k++)
        if (escape_width(ids[k]) > id_column) id_column = escape_width(ids[k]);
    for (int k = 0; k < run->count; k++) two_lines |= strchr(run->reports[k]->name, ' ') != NULL;
    const int columns = matrix_columns(id_column, run->count);
    for (int from = 0; from < run->count; from += columns) {
        const int to = from + columns < run->count ? from + columns : run->count;
        put_matrix_row(page, "claim", id_column, from, to, NULL, 0);
        if (two_lines) put_matrix_row(page, "", id_column, from, to, NULL, 1);
        for (int j = 0; j < count; j++) put_matrix_row(page, ids[j], id_column, from, to, ids[j], 0);
        putc('\n', page->out);
    }
    fputs("Numbers are the largest error, u = 2^-24; '-' was skipped.\n\n", page->out);
    free(ids);
}

/* Every word of a heading must fit its column, and a run of very many subjects is no table. */
static bool matrix_fits(const report_run *run) {
    bool fits = run->count <= 4 * matrix_columns(20, 0);
    for (int k = 0; k < run->count; k++)
        for (int line = 0; line < 2; line++) {
            char *word = heading(run->reports[k]->name, line);
            fits &= escape_width(word) <= CELL;
            free(word);
        }
    return fits;
}

static char *count_reports(const report_run *run) {
    int unsound = 0;
    for (int k = 0; k < run->count; k++) unsound += line_report_counts(run, run->reports[k]) != REPORT_HOLDS;
    const char *what = run->preface ? "built-in kernels" : "subjects"; /* what --quiet leaves must not pass for a test of the user's code */
    return unsound ? report_text("%d of %d %s", unsound, run->count, what) : report_text("%d %s", run->count, what);
}

/* Each in full, or a matrix and what fails (quiet: only that). */
static void put_subjects(const text_page *page) {
    const report_run *run = page->run;
    const int verbosity = page->style->verbosity;
    const bool in_full = verbosity > 0 || (verbosity == 0 && !matrix_fits(run));
    if (verbosity == 0 && !in_full) put_matrix(page);
    for (int k = 0; k < run->count; k++) {
        if (in_full) {
            put_report(page, run->reports[k], false);
            putc('\n', page->out);
        } else if (count_outcome(page, run->reports[k], LINE_FAIL)) {
            put_header(page, run->reports[k]);
            put_failures(page, run->reports[k]);
            putc('\n', page->out);
        }
    }
    put_verdict(page, line_run_verdict(run), count_reports(run), true);
}

/* ---- a suite: one line per case ---------------------------------------------------------------------- */

static void put_case(const text_page *page, int index, int names) {
    const report *subject = page->run->reports[index];
    const char *note = subject->note ? subject->note : report_verdict_name(subject->verdict);
    const report_verdict counts = line_report_counts(page->run, subject);
    if (counts == REPORT_BROKEN) {
        put_word(page, RED, subject->unusable ? "error" : "FAIL", 0);
        putc(' ', page->out);
        put_word(page, "", subject->name, 0);
        fputs(": ", page->out);
        put_prose(page, 5, note);
        const text_page under = {page->out, page->run, page->style, 5};
        if (page->style->verbosity <= 0) put_failures(&under, subject);
    } else if (page->style->verbosity >= 0) {
        const bool waiting = counts == REPORT_SKIPPED;
        put_word(page, waiting ? DIM : GREEN, waiting ? "waiting" : "ok", LABEL);
        put_word(page, "", subject->name, names);
        fputs("  ", page->out);
        put_prose(page, LABEL + names + 2, note);
    }
    if (page->style->verbosity > 0) {
        putc('\n', page->out);
        put_report(page, subject, false);
        putc('\n', page->out);
    }
}

static void put_suite(const text_page *page) {
    const report_run *run = page->run;
    int names = 0, surprises = 0, waiting = 0, unusable = 0;
    for (int k = 0; k < run->count; k++) {
        const report_verdict counts = line_report_counts(run, run->reports[k]);
        if (escape_width(run->reports[k]->name) > names) names = escape_width(run->reports[k]->name);
        surprises += counts == REPORT_BROKEN;
        waiting += counts == REPORT_SKIPPED;
        unusable += run->reports[k]->unusable;
    }
    for (int k = 0; k < run->count; k++) put_case(page, k, names);
    char *lost = unusable ? report_text("; %d cannot be judged", unusable) : report_text("%s", "");
    char *wait = waiting ? report_text("%s; %d wait%s for a later version", lost, waiting, waiting == 1 ? "s" : "")
                         : report_text("%s", lost);
    const int judged = run->count - waiting;
    if (page->style->verbosity >= 0) putc('\n', page->out);
    put_verdict(page, line_run_verdict(run),
                report_text("%d of %d cases as expected%s", judged - surprises, judged, wait), true);
    free(wait);
    free(lost);
}

void format_text(FILE *out, const report_run *run, const report_style *style) {
    const text_page page = {out, run, style, 0};
    const bool quiet = style->verbosity < 0;
    if (run->preface && !quiet) fprintf(out, "%s\n\n", run->preface);
    if (run->is_suite)
        put_suite(&page);
    else if (run->count == 1)
        put_report(&page, run->reports[0], true);
    else
        put_subjects(&page);
    if (run->closing && !quiet) fprintf(out, "\n%s\n", run->closing);
}
