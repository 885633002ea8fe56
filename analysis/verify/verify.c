#include "verify.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/frequency/frequency.h"
#include "fault/fault.h"

verify_options verify_options_default(void) {
    return (verify_options){.effort = EFFORT_NORMAL, .seed = 1, .max_position = 4095};
}

/* ---- names on the command line --------------------------------------------------------------------- */

void verify_name_all(bool claims, bool kinds, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (const claim_row *row = claim_rows; claims && row->id && used < size; row++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "claims: ", row->id);
    for (const fault_kind *const *row = fault_kinds; kinds && *row && used < size; row++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", row > fault_kinds ? " " : claims ? "; kinds: " : "kinds: ", (*row)->name);
}

static rope_status unknown_name(const char *option, const char *name, bool kind, rope_error *error) {
    char hint[512];
    verify_name_all(!kind, kind, hint, sizeof hint);
    return rope_fail(error, ROPE_BAD_INPUT, option, hint, "'%s' is no %s", name, kind ? "fault kind" : "claim");
}

rope_status verify_options_check(const verify_options *options, rope_error *error) {
    for (int k = 0; k < options->claims; k++)
        if (!claim_named(options->claim[k])) return unknown_name("--claim", options->claim[k], false, error);
    for (int k = 0; k < options->skips; k++)
        if (!claim_named(options->skip[k])) return unknown_name("--skip", options->skip[k], false, error);
    for (int k = 0; k < options->xfails; k++) {
        char id[64];
        const char *colon = strchr(options->xfail[k], ':');
        snprintf(id, sizeof id, "%.*s", colon ? (int)(colon - options->xfail[k]) : 63, options->xfail[k]);
        if (!claim_named(id)) return unknown_name("--xfail", id, false, error);
        if (colon && !fault_named(colon + 1)) return unknown_name("--xfail", colon + 1, true, error);
    }
    return ROPE_OK;
}

static bool listed(const char *const *names, int count, const char *id) {
    for (int k = 0; k < count; k++)
        if (!strcmp(names[k], id)) return true;
    return false;
}

/* An expected failure, by id; with a kind, only if the diagnosis names it. */
static bool expected_failure(const verify_options *options, const char *id, const report *found) {
    for (int k = 0; k < options->xfails; k++) {
        const char *colon = strchr(options->xfail[k], ':');
        const size_t length = colon ? (size_t)(colon - options->xfail[k]) : strlen(options->xfail[k]);
        if (strlen(id) != length || strncmp(id, options->xfail[k], length) != 0) continue;
        if (!colon) return true;
        for (int j = 0; j < found->diagnoses; j++)
            if (!strcmp(found->diagnosis[j].kind, colon + 1)) return true;
    }
    return false;
}

/* ---- claims ---------------------------------------------------------------------------------------- */

static void test_claims(const claim_context *context, const verify_options *options, report *found) {
    for (const claim_row *row = claim_rows; row->id; row++) {
        if (options->claims && !listed(options->claim, options->claims, row->id)) continue;
        report_claim *claim = report_add_claim(found, row->id);
        if (listed(options->skip, options->skips, row->id)) {
            claim->statement = row->statement;
            claim->source = row->source;
            claim->unit = row->unit;
            claim->coverage = "none";
            claim_skip(claim, "--skip names it");
            continue;
        }
        claim_run(row, context, claim);
    }
}

static bool any_broken(const report *found) {
    for (int k = 0; k < found->claims; k++)
        if (found->claim[k].verdict == REPORT_BROKEN) return true;
    return false;
}

static void conclude(report *found, const verify_options *options) {
    for (int k = 0; k < found->claims; k++)
        found->claim[k].expected_failure = expected_failure(options, found->claim[k].id, found);
    report_conclude(found);
}

/* ---- budget ---------------------------------------------------------------------------------------- */

/* The phase error of each pair, split into a part linear in m, a constant and the rest by least squares; worst pair of each.
 * Rows beyond half a turn of error would wrap: the budget is left unknown then. */
static void measure_budget(const rope_judge *judge, report *found) {
    const rope_evidence *evidence = judge->evidence;
    const size_t h = (size_t)judge->h;
    double c[h], s[h], sums[h][5], modulus = 0.0;
    size_t known = 0;
    memset(sums, 0, sizeof sums);
    double *phase = malloc((evidence->rows * h + 1) * sizeof *phase);
    if (!phase) return;
    bool wraps = false;
    /* In a window far from position 0 a slope and a constant cannot be told apart by extrapolation: they are measured about
     * its middle instead. */
    const double low = evidence->rows ? (double)evidence->m[0] : 0.0, high = evidence->rows ? (double)evidence->m[evidence->rows - 1] : 0.0;
    const double middle = high - low < 0.5 * fmax(fabs(low), fabs(high)) ? 0.5 * (low + high) : 0.0;
    const double reach = fmax(fabs(low - middle), fabs(high - middle));
    for (size_t t = 0; t < evidence->rows; t++) {
        rope_judge_exact(judge, evidence->m[t], c, s);
        for (size_t i = 0; i < h; i++) {
            const double a = evidence->re[t * h + i], b = evidence->im[t * h + i], m = (double)evidence->m[t] - middle;
            const double off = atan2(b * c[i] - a * s[i], a * c[i] + b * s[i]);
            phase[t * h + i] = off;
            if (!isfinite(off)) continue;
            wraps |= fabs(off) > 1.5;
            modulus += hypot(a, b);
            known++;
            sums[i][0] += 1.0;
            sums[i][1] += m;
            sums[i][2] += m * m;
            sums[i][3] += off;
            sums[i][4] += m * off;
        }
    }
    if (known && !wraps) {
        found->budget = (report_budget){.known = true, .magnitude = modulus / (double)known};
        for (size_t i = 0; i < h; i++) {
            const double *w = sums[i], determinant = w[0] * w[2] - w[1] * w[1];
            const double slope = determinant > 0.0 ? (w[0] * w[4] - w[1] * w[3]) / determinant : 0.0;
            const double lag = w[0] > 0.0 ? (w[3] - slope * w[1]) / w[0] : 0.0;
            found->budget.frequency = fmax(found->budget.frequency, fabs(slope) * reach);
            found->budget.offset = fmax(found->budget.offset, fabs(lag));
            for (size_t t = 0; t < evidence->rows; t++) {
                const double rest = fabs(phase[t * h + i] - lag - slope * ((double)evidence->m[t] - middle));
                if (isfinite(rest)) found->budget.angle = fmax(found->budget.angle, rest);
            }
        }
        /* what an honest trig and storage may add, derived, not measured: they cannot be told apart in the data */
        found->budget.trig = judge->A * rope_bound_trig(judge->arithmetic, judge->A);
        found->budget.storage = judge->A * rope_bound_cache(judge->subject->grade, judge->arithmetic, judge->A);
    }
    free(phase);
}

/* ---- one report ------------------------------------------------------------------------------------ */

static const char *kind_name(subject_kind kind) {
    return kind == SUBJECT_TABLE ? "table" : kind == SUBJECT_FREQS ? "freqs" : kind == SUBJECT_ROTATED ? "rotated" : "built-in";
}

/* Names first, then the digests of all files at once: hashing is what takes longest on a large table. */
static void add_files(const rope_subject *subject, report *found) {
    static const char *const roles[] = {"cos", "sin", "before", "after", "freqs", "positions"};
    const rope_npy *file[SUBJECT_ARRAYS];
    for (int k = 0; k < SUBJECT_ARRAYS; k++) {
        if (!subject->array[k]) continue;
        const char *role = k == ARRAY_COS && !subject->array[ARRAY_SIN] ? (subject->step == 2 ? "cis" : "cos_sin") : roles[k];
        file[found->files] = subject->array[k];
        report_add_file(found, role, rope_npy_name(subject->array[k]), NULL, 0);
    }
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < found->files; k++) {
        size_t size;
        const void *bytes = rope_npy_file(file[k], &size);
        report_digest(&found->file[k], bytes, size);
    }
}

static void describe(const rope_subject *subject, const char *command, report *found) {
    found->command = report_text("%s", command);
    found->spec = subject->spec;
    found->dtype = report_text("%s", rope_format_of(subject->dtype)->name);
    found->required_grade = report_text("%s", subject->exact ? "exact" : rope_format_of(subject->grade)->name);
    add_files(subject, found);
}

static void describe_judge(const rope_judge *judge, report *found) {
    const rope_evidence *evidence = judge->evidence;
    found->has_positions = evidence->rows > 0;
    if (found->has_positions) {
        found->first_position = evidence->m[0];
        found->last_position = evidence->m[evidence->rows - 1];
    }
    found->position_count = judge->subject->kind == SUBJECT_BUILT_IN ? evidence->rows / 3
                                                                     : judge->subject->position_batches * judge->subject->times;
    found->model = report_text("%s", judge->subject->exact ? "exact" : judge->used ? judge->model->name : "unidentified");
    if (judge->rotation == ROPE_ROTATED_SHORT) {
        char *phase = found->model;
        found->model = report_text("%s, %s products", phase, rope_format_of(judge->subject->grade)->name);
        free(phase);
    }
    if (judge->used) found->error_u = judge->used->residual_u;
    for (int i = 0; i < judge->h; i++) found->max_angle = fmax(found->max_angle, judge->theta[i] * judge->largest);
}

static rope_status report_frequencies(const rope_subject *subject, const verify_options *options, report *found, rope_error *error) {
    const claim_context context = {.subject = subject, .effort = options->effort};
    test_claims(&context, options, found);
    if (any_broken(found) && !subject->width_fault[0]) {
        double *freqs = malloc(subject->columns * sizeof *freqs);
        if (!freqs) return rope_fail(error, ROPE_NO_MEMORY, subject->name, NULL, "no memory");
        rope_npy_read(subject->array[ARRAY_FREQS], 0, subject->columns, freqs);
        const fault_context faults = {.subject = subject, .freqs = freqs};
        fault_diagnose(&faults, found);
        free(freqs);
    }
    return ROPE_OK;
}

static rope_status report_rows(const rope_subject *subject, const verify_options *options, report *found, rope_error *error) {
    rope_evidence evidence = {0};
    rope_judge judge = {0};
    rope_status status = rope_evidence_collect(&evidence, subject, error);
    if (status == ROPE_OK) status = rope_judge_open(&judge, subject, &evidence, error);
    if (status != ROPE_OK) goto done;
    rope_judge_scan(&judge);
    describe_judge(&judge, found);
    const claim_context context = {subject, &evidence, &judge, options->effort};
    test_claims(&context, options, found);
    measure_budget(&judge, found);
    if (any_broken(found)) {
        const fault_context faults = {.subject = subject, .evidence = &evidence, .judge = &judge};
        fault_diagnose(&faults, found);
        if (!found->diagnoses) found->hint = verify_hint(subject);
    }
done:
    rope_judge_close(&judge);
    rope_evidence_clear(&evidence);
    return status;
}

/* Columns that contradict the spec: the width claim says so, nothing else can be read. */
static void report_misfit(const rope_subject *subject, const verify_options *options, report *found) {
    const rope_evidence none = {.subject = subject};
    const rope_judge judge = {.subject = subject, .evidence = &none, .A = 1.0};
    const claim_context context = {subject, &none, &judge, options->effort};
    test_claims(&context, options, found);
}

static report *report_subject(const rope_subject *subject, const verify_options *options, const char *command, rope_error *error) {
    report *found = report_new(subject->name, kind_name(subject->kind));
    rope_status status = ROPE_OK;
    describe(subject, command, found);
    if (subject->kind == SUBJECT_FREQS)
        status = report_frequencies(subject, options, found, error);
    else if (subject->width_fault[0])
        report_misfit(subject, options, found);
    else
        status = report_rows(subject, options, found, error);
    if (status != ROPE_OK) {
        report_free(found);
        return NULL;
    }
    conclude(found, options);
    return found;
}

report *verify_request(const subject_request *request, const verify_options *options, const char *command, rope_error *error) {
    rope_subject *subject;
    if (subject_open(&subject, request, error) != ROPE_OK) return NULL;
    return verify_subject(subject, options, command, error);
}

report *verify_subject(rope_subject *subject, const verify_options *options, const char *command, rope_error *error) {
    subject->seed = options->seed;
    report *found = report_subject(subject, options, command, error);
    subject_close(subject);
    return found;
}

report *verify_kernel(const subject_kernel *kernel, const rope_spec *spec, const verify_options *options, const char *command,
                      rope_error *error) {
    return verify_subject(subject_built_in(kernel, spec, options->seed, options->max_position), options, command, error);
}
