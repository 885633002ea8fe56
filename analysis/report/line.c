#include "line.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* ---- outcomes -------------------------------------------------------------------------------------- */

line_outcome line_outcome_of(const report_run *run, const report *subject, const report_claim *claim) {
    if (claim->verdict == REPORT_SKIPPED) return LINE_SKIP;
    const bool as_xfail_says = claim->expected_failure && claim->verdict == REPORT_BROKEN;
    const bool passes = claim->verdict == REPORT_HOLDS && !claim->expected_failure;
    if (passes) return LINE_PASS;
    return as_xfail_says || (run->is_suite && subject->counts_as_passed) ? LINE_EXPECTED : LINE_FAIL;
}

report_verdict line_report_counts(const report_run *run, const report *subject) {
    if (subject->waiting) return REPORT_SKIPPED;
    if (subject->counts_as_passed) return REPORT_HOLDS;
    return run->is_suite ? REPORT_BROKEN : subject->verdict;
}

report_verdict line_strongest(const bool seen[REPORT_SKIPPED + 1]) {
    const report_verdict order[] = {REPORT_BROKEN, REPORT_UNDECIDED, REPORT_HOLDS};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (seen[order[k]]) return order[k];
    return REPORT_SKIPPED;
}

report_verdict line_run_verdict(const report_run *run) {
    bool seen[REPORT_SKIPPED + 1] = {false};
    for (int k = 0; k < run->count; k++) seen[line_report_counts(run, run->reports[k])] = true;
    return line_strongest(seen);
}

/* ---- labels ---------------------------------------------------------------------------------------- */

static char *numbered(const char *name, int earlier) {
    return earlier ? report_text("%s (%d)", name, earlier + 1) : report_text("%s", name);
}

char *line_report_label(const report_run *run, int index) {
    int earlier = 0;
    for (int k = 0; k < index; k++) earlier += !strcmp(run->reports[k]->name, run->reports[index]->name);
    return numbered(run->reports[index]->name, earlier);
}

char *line_claim_label(const report *subject, int index) {
    int earlier = 0;
    for (int k = 0; k < index; k++) earlier += !strcmp(subject->claim[k].id, subject->claim[index].id);
    return numbered(subject->claim[index].id, earlier);
}

/* ---- sentences ------------------------------------------------------------------------------------- */

/* A sentence grows in memory as a stream. */
typedef struct sentence {
    FILE *out;
    char *text;
    size_t size;
} sentence;

static void sentence_begin(sentence *s) {
    s->out = open_memstream(&s->text, &s->size);
    if (!s->out) abort();
}

static char *sentence_end(sentence *s) {
    if (fclose(s->out) != 0) abort();
    return s->text;
}

static void put_coordinate(FILE *out, const char **space, const char *name, bool known, int64_t value) {
    if (!known) return;
    fprintf(out, "%s%s=%" PRId64, *space, name, value);
    *space = " ";
}

static void put_place(FILE *out, const report_witness *w) {
    const char *space = "";
    put_coordinate(out, &space, "batch", w->batch >= 0, w->batch);
    put_coordinate(out, &space, "head", w->head >= 0, w->head);
    put_coordinate(out, &space, "m", w->has_m, w->m);
    put_coordinate(out, &space, "n", w->has_n, w->n);
    put_coordinate(out, &space, "pair", w->pair >= 0, w->pair);
    put_coordinate(out, &space, "row", w->row >= 0 && !w->has_m, w->row);
    put_coordinate(out, &space, "column", w->column >= 0 && w->pair < 0, w->column);
}

char *line_place(const report_witness *witness) {
    sentence s;
    sentence_begin(&s);
    put_place(s.out, witness);
    return sentence_end(&s);
}

/* Absolute and relative errors are counted in u = 2^-24; the scaling is exact. */
static bool in_units(const char *unit) {
    return !strcmp(unit, "absolute") || !strcmp(unit, "relative");
}

static void put_error(FILE *out, const char *unit, double error, int digits) {
    if (in_units(unit))
        fprintf(out, "%s u", number_short(error * 0x1p24, digits).text);
    else if (!strcmp(unit, "radians"))
        fprintf(out, "%s rad", number_short(error, digits).text);
    else
        fprintf(out, "%s", number_short(error, digits).text);
}

/* "error 2.1 u", joined by `join` and "3 u": enough digits to see which is larger. */
static void put_error_against(FILE *out, const report_claim *claim, double error, double allowed, const char *join) {
    const double scale = in_units(claim->unit) ? 0x1p24 : 1.0;
    const int digits = number_digits_apart(error * scale, allowed * scale, 2);
    fprintf(out, "%serror ", strcmp(claim->unit, "relative") ? "" : "relative ");
    put_error(out, claim->unit, error, digits);
    if (isnan(allowed)) return;
    fputs(join, out);
    put_error(out, claim->unit, allowed, digits);
}

char *line_error(const report_claim *claim) {
    sentence s;
    sentence_begin(&s);
    put_error(s.out, claim->unit, claim->defect, 2);
    return sentence_end(&s);
}

char *line_measure(const report_claim *claim) {
    sentence s;
    sentence_begin(&s);
    if (!isnan(claim->defect)) {
        put_error_against(s.out, claim, claim->defect, claim->bound, " of ");
        if (!isnan(claim->bound)) fputs(" allowed", s.out);
    }
    return sentence_end(&s);
}

/* "cos got 0.123 [0x3dfbe76d] want 0.456 (error 5.6e6 u, allowed 3 u)"; before the error what the model makes, where that
 * looks otherwise than the true value. */
static void put_values(FILE *out, const report_claim *claim, const report_witness *w) {
    int digits = number_digits_apart(w->got, w->expected, 3);
    if (w->has_predicted) digits = number_digits_apart(w->got, w->predicted, digits);
    if (w->array) fprintf(out, "%s ", w->array);
    fprintf(out, "got %s", number_short(w->got, digits).text);
    if (w->has_bits) fprintf(out, " [0x%0*" PRIx64 "]", 2 * w->bits_bytes, w->got_bits);
    if (!isnan(w->expected)) fprintf(out, " want %s", number_short(w->expected, digits).text);
    if (w->has_predicted && number_digits_apart(w->expected, w->predicted, digits) == digits && w->expected != w->predicted)
        fprintf(out, ", model %s", number_short(w->predicted, digits).text);
    if (isnan(w->error)) return;
    fputs(" (", out);
    put_error_against(out, claim, w->error, w->allowed, ", allowed ");
    putc(')', out);
}

static bool same_place(const report_witness *a, const report_witness *b) {
    return a->has_m == b->has_m && (!a->has_m || a->m == b->m) && a->has_n == b->has_n && (!a->has_n || a->n == b->n) &&
           a->pair == b->pair && a->row == b->row && a->column == b->column && a->batch == b->batch &&
           a->head == b->head;
}

bool line_reason_apart(const report_claim *claim) {
    return claim->reason && claim->verdict == REPORT_BROKEN && (claim->has_first || claim->has_witness);
}

/* "4031 of 262144 entries", or the reason where nothing was counted; nothing when there is neither. */
static const char *put_extent(FILE *out, const report_claim *claim) {
    const char *reason = line_reason_apart(claim) ? NULL : claim->reason;
    const bool counted = claim->verdict != REPORT_UNDECIDED && claim->checked > 1;
    if (counted) fprintf(out, "%" PRIu64 " of %" PRIu64 " entries", claim->broken, claim->checked);
    if (reason) fprintf(out, "%s%s", counted ? ": " : "", reason);
    return counted || reason ? "; " : "";
}

static void put_witnesses(FILE *out, const report_claim *claim) {
    const report_witness *worst = claim->has_witness ? &claim->witness : &claim->first;
    if (claim->has_first && claim->has_witness && !same_place(&claim->first, worst)) {
        fputs("first ", out);
        put_place(out, &claim->first);
        fputs(", worst ", out);
    } else {
        fputs("at ", out);
    }
    put_place(out, worst);
    if (worst->has_values) {
        fputs(": ", out);
        put_values(out, claim, worst);
    } else if (!isnan(claim->defect)) {
        fputs(": ", out);
        put_error_against(out, claim, claim->defect, claim->bound, ", allowed ");
    }
}

char *line_failure(const report_claim *claim) {
    if (claim->verdict == REPORT_HOLDS) return report_text("holds, but was expected to break");
    sentence s;
    sentence_begin(&s);
    const char *join = put_extent(s.out, claim);
    char *measure = line_measure(claim);
    if (claim->has_first || claim->has_witness) {
        fputs(join, s.out);
        put_witnesses(s.out, claim);
    } else if (*measure) {
        fprintf(s.out, "%s%s", join, measure);
    } else if (!*join) {
        fputs(report_verdict_name(claim->verdict), s.out);
    }
    free(measure);
    return sentence_end(&s);
}

char *line_diagnosis(const report_diagnosis *diagnosis) {
    sentence s;
    sentence_begin(&s);
    fputs(diagnosis->kind, s.out);
    for (int k = 0; k < diagnosis->parameters; k++) {
        const report_parameter *parameter = &diagnosis->parameter[k];
        fputs(k ? ", " : " (", s.out);
        if (!parameter->is_text || diagnosis->parameters > 1) fprintf(s.out, "%s ", parameter->name);
        fputs(parameter->is_text ? parameter->text : number_short(parameter->number, 9).text, s.out);
    }
    if (diagnosis->parameters) putc(')', s.out);
    if (!isnan(diagnosis->residual_u)) fprintf(s.out, ", residual %s u", number_short(diagnosis->residual_u, 2).text);
    return sentence_end(&s);
}

char *line_subject(const report *subject) {
    sentence s;
    sentence_begin(&s);
    fputs(subject->subject_kind, s.out);
    if (subject->dtype) fprintf(s.out, ", %s", subject->dtype);
    if (subject->has_positions && subject->position_count == 1)
        fprintf(s.out, ", position %" PRId64, subject->first_position);
    else if (subject->has_positions)
        fprintf(s.out, ", %" PRIu64 " positions from %" PRId64 " to %" PRId64, subject->position_count,
                subject->first_position, subject->last_position);
    return sentence_end(&s);
}

char *line_model(const report *subject) {
    if (!subject->model) return NULL;
    sentence s;
    sentence_begin(&s);
    fputs(subject->model, s.out);
    if (!isnan(subject->error_u)) fprintf(s.out, ", error %s u", number_short(subject->error_u, 2).text);
    if (subject->max_angle > 0) fprintf(s.out, ", angles to %s rad", number_short(subject->max_angle, 6).text);
    if (subject->required_grade) fprintf(s.out, "; required grade %s", subject->required_grade);
    return sentence_end(&s);
}
