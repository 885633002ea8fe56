#include "judge.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>

#include "../check.h"

report *twin_judge(const twin_dump *dump) {
    const verify_options options = verify_options_default();
    rope_error error = {0};
    report *found = verify_request(&dump->request, &options, "", &error);
    if (!found) fail_msg("%s: %s", error.place, error.reason);
    return found;
}

static const twin *rotating; /* what the kernel under test computes */

static void rotate(const rope_spec *spec, int64_t m, size_t count, const double *x, double *y) {
    const size_t d = (size_t)spec->dim;
    for (size_t k = 0; k < count; k++) twin_rotate(rotating, m, (int)k, x + k * d, y + k * d);
}

report *twin_judge_kernel(const twin *t) {
    const subject_kernel kernel = {"twin", t->grade, false, rotate};
    const verify_options options = verify_options_default();
    rope_error error = {0};
    gsl_set_error_handler_off();
    rotating = t;
    report *found = verify_kernel(&kernel, &t->spec, &options, "", &error);
    if (!found) fail_msg("%s: %s", error.place, error.reason);
    return found;
}

const report_claim *twin_claim(const report *found, const char *claim) {
    for (int k = 0; k < found->claims; k++)
        if (!strcmp(found->claim[k].id, claim)) return &found->claim[k];
    return NULL;
}

report_verdict twin_verdict(const report *found, const char *claim) {
    const report_claim *row = twin_claim(found, claim);
    return row ? row->verdict : REPORT_SKIPPED;
}

void twin_print(const report *found) {
    const report_style style = {false, 1};
    const report_format *text = report_format_named("text");
    report *row = (report *)found;
    const report_run run = {.program = "rope-verify", .version = "", .command = "", .reports = &row, .count = 1};
    text->print(stdout, &run, &style);
}

void twin_expect_holds(const report *found, const char *what) {
    if (found->verdict == REPORT_HOLDS) return;
    twin_print(found);
    fail_msg("%s: %s, and should hold", what, report_verdict_name(found->verdict));
}

static bool parameter_is(const report_parameter *parameter, const char *value, double bound) {
    if (parameter->is_text) return !strcmp(parameter->text, value);
    const double number = strtod(value, NULL);
    return fabs(parameter->number - number) <= bound * fabs(number);
}

static bool has_parameter(const report_diagnosis *diagnosis, char *assignment, double bound) {
    char *equals = strchr(assignment, '=');
    assert_non_null(equals);
    *equals = 0;
    for (int k = 0; k < diagnosis->parameters; k++)
        if (!strcmp(diagnosis->parameter[k].name, assignment)) return parameter_is(&diagnosis->parameter[k], equals + 1, bound);
    return false;
}

bool twin_is_named(const report *found, const char *expected, double bound) {
    char text[256], *rest = text;
    if (!expected) return found->diagnoses == 0;
    if (found->diagnoses == 0) return false;
    snprintf(text, sizeof text, "%s", expected);
    const report_diagnosis *diagnosis = &found->diagnosis[0];
    if (strcmp(diagnosis->kind, strtok_r(rest, " ", &rest)) != 0) return false;
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        if (!has_parameter(diagnosis, word, bound)) return false;
    return true;
}

void twin_expect_named(const report *found, const char *expected, double bound, const char *what) {
    if (twin_is_named(found, expected, bound)) return;
    twin_print(found);
    fail_msg("%s: named %s, and should be %s", what, found->diagnoses ? found->diagnosis[0].kind : "nothing", expected ? expected : "nothing");
}

bool twin_listed(const char *list, const char *word) {
    const size_t length = word ? strlen(word) : 0;
    while (list && word && *list) {
        const size_t next = strcspn(list, " ");
        if (next == length && !strncmp(list, word, length)) return true;
        list += next + strspn(list + next, " ");
    }
    return false;
}
