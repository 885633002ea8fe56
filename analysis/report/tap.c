/* Test Anything Protocol, version 13: one plan, one line per claim. In a suite each case ends with a line of its own,
 * which says whether the case came out as expected; its expected failures are marked "# TODO", which counts as passed.
 */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "line.h"

/* A '#' would start a directive. */
static void put_description(FILE *out, const char *text) {
    for (const char *mark; (mark = strchr(text, '#')) != NULL; text = mark + 1) {
        char *before = report_text("%.*s", (int)(mark - text), text);
        escape_plain(out, before);
        fputs("\\#", out);
        free(before);
    }
    escape_plain(out, text);
}

static void put_test(FILE *out, bool ok, int number, const char *subject, const char *claim) {
    fprintf(out, "%s %d - ", ok ? "ok" : "not ok", number);
    put_description(out, subject);
    putc(' ', out);
    put_description(out, claim);
}

/* A JSON string is a YAML string. */
static void put_key(FILE *out, const char *key, const char *value) {
    if (!value) return;
    fprintf(out, "  %s: ", key);
    escape_json(out, value);
    putc('\n', out);
}

static void put_block(FILE *out, const report *subject, const report_claim *claim) {
    char *failure = line_failure(claim);
    char *cause = subject->diagnoses ? line_diagnosis(&subject->diagnosis[0]) : NULL;
    fputs("  ---\n", out);
    put_key(out, "message", failure);
    put_key(out, "verdict", report_verdict_name(claim->verdict));
    put_key(out, "reason", line_reason_apart(claim) ? claim->reason : NULL);
    put_key(out, "looks_like", cause);
    put_key(out, "fix", subject->diagnoses ? subject->diagnosis[0].text : NULL);
    put_key(out, "hint", subject->hint);
    put_key(out, "reproduce", subject->command);
    fputs("  ...\n", out);
    free(failure);
    free(cause);
}

static void put_claim(FILE *out, const report_run *run, int number, const report *subject, const char *label,
                      int index) {
    const report_claim *claim = &subject->claim[index];
    const line_outcome outcome = line_outcome_of(run, subject, claim);
    char *id = line_claim_label(subject, index);
    put_test(out, outcome == LINE_PASS || outcome == LINE_SKIP, number, label, id);
    if (outcome == LINE_SKIP) {
        fputs(" # SKIP ", out);
        escape_plain(out, claim->reason ? claim->reason : "");
    }
    if (outcome == LINE_EXPECTED) fputs(" # TODO expected failure", out);
    putc('\n', out);
    if (outcome == LINE_FAIL || outcome == LINE_EXPECTED) put_block(out, subject, claim);
    free(id);
}

static void put_case(FILE *out, const report_run *run, int number, const report *subject, const char *label) {
    const report_verdict counts = line_report_counts(run, subject);
    put_test(out, counts != REPORT_BROKEN, number, label, "outcome");
    if (counts == REPORT_SKIPPED) {
        fputs(" # SKIP ", out);
        escape_plain(out, subject->note ? subject->note : "waits for a later version");
    }
    putc('\n', out);
    if (counts != REPORT_BROKEN) return;
    fputs("  ---\n", out);
    put_key(out, "message", subject->note);
    put_key(out, "verdict", report_verdict_name(subject->verdict));
    put_key(out, "reproduce", subject->command);
    fputs("  ...\n", out);
}

void format_tap(FILE *out, const report_run *run, const report_style *style) {
    (void)style;
    int tests = 0, number = 0;
    for (int k = 0; k < run->count; k++) tests += run->reports[k]->claims + run->is_suite;
    fprintf(out, "TAP version 13\n1..%d%s\n# %s %s, seed %" PRIu64 "\n", tests,
            tests ? "" : " # SKIP nothing was tested", run->program, run->version, run->seed);
    for (int k = 0; k < run->count; k++) {
        char *label = line_report_label(run, k);
        for (int j = 0; j < run->reports[k]->claims; j++) put_claim(out, run, ++number, run->reports[k], label, j);
        if (run->is_suite) put_case(out, run, ++number, run->reports[k], label);
        free(label);
    }
}
