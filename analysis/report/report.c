#include "report.h"

#include <math.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../src/format/outfile.h"
#include "format.h"
#include "line.h"

/* ---- construction ---------------------------------------------------------------------------------- */

static void *must(void *memory) {
    if (!memory) abort();
    return memory;
}

char *report_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text;
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return must(length < 0 ? NULL : text);
}

/* Room for one more row after count of them: the capacity is the next power of two, 64 at least. */
static void *grow(void *rows, int count, size_t size) {
    if (count == 0) return must(calloc(64, size));
    if (count < 64 || (count & (count - 1)) != 0) return rows;
    return must(realloc(rows, 2 * (size_t)count * size));
}

report *report_new(const char *name, const char *subject_kind) {
    report *subject = must(calloc(1, sizeof *subject));
    subject->name = report_text("%s", name);
    subject->subject_kind = report_text("%s", subject_kind);
    subject->spec = rope_spec_default();
    subject->verdict = REPORT_SKIPPED;
    subject->error_u = NAN;
    return subject;
}

report_claim *report_add_claim(report *subject, const char *id) {
    const report_witness nowhere = {
        .pair = -1, .row = -1, .column = -1, .batch = -1, .head = -1, .error = NAN, .allowed = NAN, .ulps = NAN};
    subject->claim = grow(subject->claim, subject->claims, sizeof *subject->claim);
    report_claim *claim = &subject->claim[subject->claims++];
    *claim = (report_claim){.id = id,
                            .statement = "",
                            .source = "",
                            .verdict = REPORT_SKIPPED,
                            .defect = NAN,
                            .bound = NAN,
                            .unit = "yes/no",
                            .first = nowhere,
                            .witness = nowhere};
    return claim;
}

report_diagnosis *report_add_diagnosis(report *subject, const char *kind) {
    subject->diagnosis = grow(subject->diagnosis, subject->diagnoses, sizeof *subject->diagnosis);
    report_diagnosis *diagnosis = &subject->diagnosis[subject->diagnoses++];
    *diagnosis = (report_diagnosis){.kind = kind, .residual_u = NAN};
    return diagnosis;
}

static report_parameter *add_parameter(report_diagnosis *diagnosis, const char *name) {
    if (diagnosis->parameters == REPORT_PARAMETERS) abort(); /* a fault kind with more needs a larger table */
    report_parameter *parameter = &diagnosis->parameter[diagnosis->parameters++];
    *parameter = (report_parameter){.name = name};
    return parameter;
}

void report_number(report_diagnosis *diagnosis, const char *name, double value) {
    add_parameter(diagnosis, name)->number = value;
}

void report_word(report_diagnosis *diagnosis, const char *name, const char *value) {
    report_parameter *parameter = add_parameter(diagnosis, name);
    parameter->is_text = true;
    parameter->text = report_text("%s", value);
}

void report_add_file(report *subject, const char *role, const char *name, const void *bytes, size_t size) {
    if (subject->files == REPORT_FILES) abort();
    report_file *file = &subject->file[subject->files++];
    file->role = report_text("%s", role);
    file->name = report_text("%s", name);
    if (bytes) report_digest(file, bytes, size);
}

void report_digest(report_file *file, const void *bytes, size_t size) { SHA256Data(bytes, size, file->sha256); }

static void free_diagnosis(report_diagnosis *diagnosis) {
    for (int k = 0; k < diagnosis->parameters; k++) free(diagnosis->parameter[k].text);
    free(diagnosis->text);
}

void report_free(report *subject) {
    if (!subject) return;
    for (int k = 0; k < subject->claims; k++) free(subject->claim[k].reason);
    for (int k = 0; k < subject->diagnoses; k++) free_diagnosis(&subject->diagnosis[k]);
    for (int k = 0; k < subject->files; k++) {
        free(subject->file[k].role);
        free(subject->file[k].name);
    }
    char *const owned[] = {subject->name,           subject->command, subject->subject_kind, subject->dtype,
                           subject->required_grade, subject->model,   subject->note,    subject->hint};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
    free(subject->claim);
    free(subject->diagnosis);
    free(subject);
}

void report_run_add(report_run *run, report *added) {
    run->reports = grow(run->reports, run->count, sizeof *run->reports);
    run->reports[run->count++] = added;
}

void report_run_clear(report_run *run) {
    for (int k = 0; k < run->count; k++) report_free(run->reports[k]);
    free(run->reports);
    free(run->command);
    free(run->preface);
    free(run->closing);
    *run = (report_run){.program = run->program, .version = run->version};
}

/* ---- verdicts -------------------------------------------------------------------------------------- */

const char *report_verdict_name(report_verdict verdict) {
    static const char *const names[] = {"holds", "broken", "undecided", "skipped"};
    return names[verdict];
}

report_verdict report_conclude(report *subject) {
    bool seen[REPORT_SKIPPED + 1] = {false};
    for (int k = 0; k < subject->claims; k++) {
        const report_claim *claim = &subject->claim[k];
        const bool flipped = claim->expected_failure && claim->verdict <= REPORT_BROKEN;
        seen[flipped ? REPORT_BROKEN - claim->verdict : claim->verdict] = true;
    }
    subject->verdict = line_strongest(seen);
    return subject->verdict;
}

int report_status(const report_run *run, bool allow_undecided) {
    for (int k = 0; k < run->count; k++)
        if (run->reports[k]->unusable) return EXIT_MISUSE;
    switch (line_run_verdict(run)) {
    case REPORT_BROKEN:
        return EXIT_BROKEN;
    case REPORT_UNDECIDED:
        return allow_undecided ? EXIT_HOLDS : EXIT_UNDECIDED;
    case REPORT_HOLDS:
        return EXIT_HOLDS;
    default:
        return EXIT_MISUSE;
    }
}

/* ---- formats --------------------------------------------------------------------------------------- */

/* A new format: its file, and its row here. */
static const report_format text = {"text", ".txt", format_text}, json = {"json", ".json", format_json},
                           tap = {"tap", ".tap", format_tap}, junit = {"junit", ".xml", format_junit};

const report_format *const report_formats[] = {&text, &json, &tap, &junit, NULL};

const report_format *report_format_named(const char *name) {
    for (const report_format *const *format = report_formats; *format; format++)
        if (!strcmp((*format)->name, name)) return *format;
    return NULL;
}

const report_format *report_format_for_file(const char *path) {
    const size_t length = strlen(path);
    for (const report_format *const *format = report_formats; *format; format++) {
        const size_t ending = strlen((*format)->extension);
        if (length > ending && !strcasecmp(path + length - ending, (*format)->extension)) return *format;
    }
    return NULL;
}

/* ---- writing --------------------------------------------------------------------------------------- */

rope_status report_write(const char *path, const report_format *format, const report_run *run, rope_error *error) {
    const report_style plain = {.colour = false};
    outfile file;
    const rope_status status = outfile_open(&file, path, error);
    if (status != ROPE_OK) return status;
    format->print(file.stream, run, &plain);
    return outfile_close(&file, error);
}
