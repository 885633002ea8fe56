/* What the formats share: the outcome of a claim, and the sentences about it. Every char * is the caller's to free. */
#ifndef ROPE_REPORT_LINE_H
#define ROPE_REPORT_LINE_H

#include "report.h"

/* How a claim counts in a list of tests. EXPECTED: it fails, as --xfail or the suite says it should. */
typedef enum line_outcome { LINE_PASS, LINE_FAIL, LINE_SKIP, LINE_EXPECTED } line_outcome;
line_outcome line_outcome_of(const report_run *run, const report *subject, const report_claim *claim);

/* The verdict over a set of them: broken before undecided before holds; skipped when there is nothing else. */
report_verdict line_strongest(const bool seen[REPORT_SKIPPED + 1]);

/* How a report counts in report_status, and the verdict over all of them. */
report_verdict line_report_counts(const report_run *run, const report *subject);
report_verdict line_run_verdict(const report_run *run);

/* Names made unique: "table", and "table (2)" for the second of that name. */
char *line_report_label(const report_run *run, int index);
char *line_claim_label(const report *subject, int index);

/* "m=257 pair=0"; row and column where there is no position or pair. */
char *line_place(const report_witness *witness);

/* The largest error: "2.1 u", "1.2e-7 rad". */
char *line_error(const report_claim *claim);

/* "error 2.1 u of 3 u allowed"; "" for a yes/no claim or nothing measured. */
char *line_measure(const report_claim *claim);

/* Why a claim is broken or undecided: "4031 of 262144 entries; first m=257 pair=0, worst m=4095 pair=3: cos got 0.123
 * [0x3dfbe76d] want 0.456 (error 5.6e6 u, allowed 3 u)". The reason is in it unless line_reason_apart. */
char *line_failure(const report_claim *claim);
bool line_reason_apart(const report_claim *claim);

/* "position-precision (bf16), residual 1.9 u" */
char *line_diagnosis(const report_diagnosis *diagnosis);

/* "table, f32, 4096 positions from 0 to 4095" */
char *line_subject(const report *subject);

/* "direct-f32, error 2.1 u, angles to 4095 rad; required grade f32"; NULL when there is no model. */
char *line_model(const report *subject);

#endif
