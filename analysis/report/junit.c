/* JUnit XML, as CI systems read it: a testsuite per report, a testcase per claim. Undecided is a failure, skipped a
 * skip, an expected failure a skip of its own type. In a suite each case has one more testcase, "outcome": did it come
 * out as expected? Names are unique, because GitLab keeps only the first of equal ones; there is no time, so that equal
 * runs give equal files. */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"
#include "line.h"

static void put_attribute(FILE *out, const char *name, const char *value) {
    fprintf(out, " %s=\"", name);
    escape_xml(out, value ? value : "");
    putc('"', out);
}

static void put_property(FILE *out, const char *name, const char *value) {
    if (!value) return;
    fputs("      <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void put_properties(FILE *out, const report_run *run, const report *subject) {
    char spec[512], seed[24];
    rope_spec_describe(&subject->spec, spec, sizeof spec);
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    fputs("    <properties>\n", out);
    put_property(out, "version", run->version);
    put_property(out, "command", subject->command ? subject->command : run->command);
    put_property(out, "seed", seed);
    put_property(out, "spec", spec);
    put_property(out, "model", subject->model);
    for (int k = 0; k < subject->files; k++) {
        char *name = report_text("sha256 of %s", subject->file[k].name);
        put_property(out, name, *subject->file[k].sha256 ? subject->file[k].sha256 : NULL);
        free(name);
    }
    fputs("    </properties>\n", out);
}

static void put_text_line(FILE *out, const char *label, const char *text) {
    if (!text) return;
    fputs(label, out);
    escape_xml(out, text);
    putc('\n', out);
}

static void put_failure(FILE *out, const report *subject, const report_claim *claim) {
    char *failure = line_failure(claim);
    char *cause = subject->diagnoses ? line_diagnosis(&subject->diagnosis[0]) : NULL;
    fputs("      <failure", out);
    put_attribute(out, "type",
                  claim->verdict == REPORT_HOLDS ? "unexpected pass" : report_verdict_name(claim->verdict));
    put_attribute(out, "message", failure);
    fputs(">", out);
    put_text_line(out, "", failure);
    put_text_line(out, "", line_reason_apart(claim) ? claim->reason : NULL);
    put_text_line(out, "looks like: ", cause);
    put_text_line(out, "", subject->diagnoses ? subject->diagnosis[0].text : NULL);
    put_text_line(out, "hint: ", subject->hint);
    put_text_line(out, "reproduce: ", subject->command);
    fputs("</failure>\n", out);
    free(failure);
    free(cause);
}

static void put_skip(FILE *out, const char *type, const char *message) {
    fputs("      <skipped", out);
    if (type) put_attribute(out, "type", type);
    put_attribute(out, "message", message);
    fputs("/>\n", out);
}

static void begin_case(FILE *out, const char *label, const char *id) {
    fputs("    <testcase", out);
    put_attribute(out, "classname", label);
    char *name = report_text("%s %s", label, id);
    put_attribute(out, "name", name);
    free(name);
}

static void put_claim(FILE *out, const report_run *run, const report *subject, const char *label, int index) {
    const report_claim *claim = &subject->claim[index];
    char *id = line_claim_label(subject, index);
    begin_case(out, label, id);
    free(id);
    const line_outcome outcome = line_outcome_of(run, subject, claim);
    if (outcome == LINE_PASS) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (outcome == LINE_FAIL) put_failure(out, subject, claim);
    if (outcome == LINE_SKIP) put_skip(out, NULL, claim->reason);
    if (outcome == LINE_EXPECTED) {
        char *failure = line_failure(claim);
        put_skip(out, "expected failure", failure);
        free(failure);
    }
    fputs("    </testcase>\n", out);
}

static void put_outcome(FILE *out, const report_run *run, const report *subject, const char *label) {
    const report_verdict counts = line_report_counts(run, subject);
    begin_case(out, label, "outcome");
    if (counts == REPORT_HOLDS) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (counts == REPORT_SKIPPED) put_skip(out, NULL, subject->note ? subject->note : "waits for a later version");
    if (counts == REPORT_BROKEN) {
        fprintf(out, "      <%s", subject->unusable ? "error" : "failure");
        put_attribute(out, "type", subject->unusable ? "unusable input" : "not as expected");
        put_attribute(out, "message", subject->note ? subject->note : report_verdict_name(subject->verdict));
        fputs("/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

typedef struct totals {
    int tests, failures, errors, skipped;
} totals;

static totals count(const report_run *run, const report *subject) {
    totals sum = {0};
    for (int k = 0; k < subject->claims; k++) {
        const line_outcome outcome = line_outcome_of(run, subject, &subject->claim[k]);
        sum.tests++;
        sum.failures += outcome == LINE_FAIL;
        sum.skipped += outcome == LINE_SKIP || outcome == LINE_EXPECTED;
    }
    if (run->is_suite) {
        const report_verdict counts = line_report_counts(run, subject);
        sum.tests++;
        sum.failures += counts == REPORT_BROKEN && !subject->unusable;
        sum.errors += subject->unusable;
        sum.skipped += counts == REPORT_SKIPPED;
    }
    return sum;
}

static void put_totals(FILE *out, const char *element, const char *name, totals sum) {
    fprintf(out, "<%s", element);
    put_attribute(out, "name", name);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", sum.tests, sum.failures, sum.errors, sum.skipped);
}

void format_junit(FILE *out, const report_run *run, const report_style *style) {
    (void)style;
    totals all = {0};
    for (int k = 0; k < run->count; k++) {
        const totals sum = count(run, run->reports[k]);
        all = (totals){all.tests + sum.tests, all.failures + sum.failures, all.errors + sum.errors, all.skipped + sum.skipped};
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    put_totals(out, "testsuites", run->program, all);
    for (int k = 0; k < run->count; k++) {
        const report *subject = run->reports[k];
        char *label = line_report_label(run, k);
        fputs("  ", out);
        put_totals(out, "testsuite", label, count(run, subject));
        put_properties(out, run, subject);
        for (int j = 0; j < subject->claims; j++) put_claim(out, run, subject, label, j);
        if (run->is_suite) put_outcome(out, run, subject, label);
        fputs("  </testsuite>\n", out);
        free(label);
    }
    fputs("</testsuites>\n", out);
}
