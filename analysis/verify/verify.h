/* One subject, one report: open, sample, judge, test every claim, name the fault. */
#ifndef ROPE_VERIFY_VERIFY_H
#define ROPE_VERIFY_VERIFY_H

#include "../command/program.h"
#include "../report/report.h"
#include "claim/claim.h"

enum { VERIFY_NAMES = 64 };

typedef struct verify_options {
    const char *claim[VERIFY_NAMES]; /* only these; none: all */
    int claims;
    const char *skip[VERIFY_NAMES];
    int skips;
    const char *xfail[VERIFY_NAMES]; /* "ID" or "ID:KIND" */
    int xfails;
    rope_effort effort;
    uint64_t seed;
    int64_t max_position; /* of probes; 4095 */
} verify_options;

verify_options verify_options_default(void);

/* Refuses names that are no claims or kinds, with the list. */
rope_status verify_options_check(const verify_options *options, rope_error *error);

/* The report of a subject; NULL when it cannot be opened, and *error says why. command reproduces it. */
report *verify_request(const subject_request *request, const verify_options *options, const char *command, rope_error *error);
/* The same for a subject that is open, which it closes. */
report *verify_subject(rope_subject *subject, const verify_options *options, const char *command, rope_error *error);
report *verify_kernel(const subject_kernel *kernel, const rope_spec *spec, const verify_options *options, const char *command,
                      rope_error *error);

/* ---- the calls of the command line, one file each ---- */
typedef struct verify_session {
    report_run run;
    verify_options options;
    program_line line;
    bool allow_undecided;
    const char *format, *report_file; /* --format, --report */
    char *again;             /* the command line without --report: what reproduces the report */
    subject_request request;
    const char *output;      /* -o */
    char *probe_path[3];     /* of a probe folder's arrays; the session's own */
    double timeout;
    bool contiguous;
} verify_session;

/* What to declare otherwise, in one sentence, when that explains rows that no fault does; NULL: nothing known. */
char *verify_hint(const rope_subject *subject);

int verify_suite(verify_session *session, rope_error *error);
rope_status verify_probes(const verify_session *session, const char *directory, rope_error *error);
/* Fills the session's request from a probe folder, but for the spec. */
rope_status verify_probe_request(verify_session *session, const char *directory, rope_error *error);
rope_status verify_probe_spec(rope_spec *spec, const char *directory, rope_error *error);
/* From the first to the second, signals that end this program are passed on to COMMAND and noted; then they act. */
void verify_hold_signals(void);
void verify_release_signals(void);
rope_status verify_run_program(char **program, const char *directory, double timeout, rope_error *error);
/* "claims: finite layout ..." and "kinds: layout ..." of those that are asked for, "; " between them. */
void verify_name_all(bool claims, bool kinds, char *text, size_t size);
int verify_explain(const char *name, rope_error *error);
void verify_list_claims(void);

/* Prints the run in the session's formats; returns the exit status. */
int verify_print(verify_session *session, rope_error *error);

/* JSON files (suite, spec.json) and the spec in them. *json is NULL on failure; the caller drops it. */
struct json_t;
rope_status verify_load_json(struct json_t **json, const char *path, const char *hint, rope_error *error);
rope_status verify_spec_from_json(rope_spec *spec, const void *json, const char *place, rope_error *error);
void verify_spec_to_json(FILE *out, const rope_spec *spec);

#endif
