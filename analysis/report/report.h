/* What a run found, and how it is printed: one file per format, one row in report.c.
 *
 * A report is about one subject under one spec; a run has one or more. Reports own their strings (made with
 * report_text). Numbers are printed with "%.17g" style round-trip digits, independent of the locale; NaN
 * and infinities are the strings "nan", "inf", "-inf".
 */
#ifndef ROPE_REPORT_H
#define ROPE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../src/spec.h"
#include "../../src/number/dtype.h"

/* In order of what a report does with them. */
typedef enum report_verdict { REPORT_HOLDS, REPORT_BROKEN, REPORT_UNDECIDED, REPORT_SKIPPED } report_verdict;

/* Exit status of a program: 0 holds, 1 broken, 2 misuse or nothing tested, 3 undecided. */
enum { EXIT_HOLDS = 0, EXIT_BROKEN = 1, EXIT_MISUSE = 2, EXIT_UNDECIDED = 3 };

enum { REPORT_PARAMETERS = 6, REPORT_FILES = 4 };

/* Where a defect shows. Fields that do not apply: has_* false, pair/row/column/batch/head -1, array NULL. */
typedef struct report_witness {
    bool has_m, has_n;
    int64_t m, n;
    bool more_rows;         /* other rows than m and n take part in it */
    int pair;
    const char *array;      /* "cos", "sin", "after", "freqs", ...: static text */
    int64_t row, column, batch, head;
    bool has_values;        /* expected, got and what follows are set */
    double expected, got;   /* the true value, rounded to binary64; what the subject has */
    bool has_predicted;     /* the value was compared with what the model makes, not with the true one */
    double predicted;
    double error;           /* |got - expected|, or |got - predicted|, in the claim's unit */
    double allowed;         /* bound at this place; NaN when the claim is yes/no */
    bool has_bits;
    uint64_t got_bits;      /* encoding of got in the subject's format */
    int bits_bytes;         /* 2, 4 or 8 */
    double ulps;            /* distance in ulps of the subject's format; NaN when unknown */
} report_witness;

typedef struct report_claim {
    const char *id;        /* "table" */
    const char *statement; /* one sentence; static text */
    const char *source;    /* "RoFormer eq. 14" */
    report_verdict verdict;
    bool expected_failure; /* --xfail named it */
    double defect;         /* largest; NaN when the claim is yes/no or nothing was measured */
    double bound;          /* derived bound where the defect is largest; NaN for yes/no claims */
    const char *unit;      /* "absolute", "relative", "radians", "yes/no" */
    uint64_t checked, broken, untestable;
    const char *coverage;  /* "exhaustive", "sampled", "probes" */
    char *reason;          /* why skipped, undecided or broken, in words; NULL when there is nothing to add */
    bool has_first, has_witness;
    report_witness first, witness;
} report_claim;

typedef struct report_parameter {
    const char *name;    /* "found" */
    bool is_text;
    double number;
    char *text;
} report_parameter;

typedef struct report_diagnosis {
    const char *kind; /* "base" */
    report_parameter parameter[REPORT_PARAMETERS];
    int parameters;
    double residual_u; /* what is left after the explanation, in u = 2^-24 */
    char *text;        /* one sentence, and how to fix it */
} report_diagnosis;

typedef struct report_budget { /* a measured error split by source, in radians (magnitude: the measured A) */
    bool known;
    double frequency, offset, angle, trig, storage, magnitude;
} report_budget;

typedef struct report_file {
    char *role; /* "cos" */
    char *name;
    char sha256[65]; /* hex; empty when unknown */
} report_file;

typedef struct report {
    char *name;         /* the case's name in a suite, else the subject's */
    char *command;      /* a command that reproduces this report */
    rope_spec spec;
    char *subject_kind; /* "table" */
    report_file file[REPORT_FILES];
    int files;
    char *dtype;        /* "f32" */
    bool has_positions;
    int64_t first_position, last_position;
    uint64_t position_count;
    report_verdict verdict;
    char *required_grade; /* "f32" */
    char *model;          /* "direct-f32"; "unidentified" */
    double error_u;       /* largest residual under that model, in u; NaN when unknown */
    double max_angle;     /* radians */
    report_claim *claim;
    int claims;
    report_budget budget;
    report_diagnosis *diagnosis; /* best first */
    int diagnoses;
    char *hint;            /* what to declare otherwise, when that explains what no diagnosis does; or NULL */
    char *note;            /* "as expected: broken, sign" in a suite; NULL otherwise */
    bool counts_as_passed; /* in a suite: the outcome is the expected one, whatever the verdict */
    bool unusable;         /* in a suite: its files cannot be judged, and the note says why; verdict is skipped */
    bool waiting;          /* in a suite: needs a later version; verdict is skipped */
} report;

typedef struct report_run {
    const char *program; /* "rope-verify" */
    const char *version;
    char *command; /* the whole command line, quoted for a shell */
    uint64_t seed;
    bool is_suite; /* print as {"reports": [...]} even when there is one */
    report **reports;
    int count;
    char *preface, *closing; /* text printed first and last by the text format (built-in kernels); or NULL */
} report_run;

/* printf into fresh memory; aborts only when memory is out. */
char *report_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

report *report_new(const char *name, const char *subject_kind);
report_claim *report_add_claim(report *report, const char *id); /* zeroed; NaN defect and bound; verdict skipped */
report_diagnosis *report_add_diagnosis(report *report, const char *kind);
void report_number(report_diagnosis *diagnosis, const char *name, double value);
void report_word(report_diagnosis *diagnosis, const char *name, const char *value);
/* A file that was judged; bytes NULL: without its digest, which report_digest adds. */
void report_add_file(report *report, const char *role, const char *name, const void *bytes, size_t size);
void report_digest(report_file *file, const void *bytes, size_t size);
void report_free(report *report);
void report_run_add(report_run *run, report *report); /* takes ownership */
void report_run_clear(report_run *run);

const char *report_verdict_name(report_verdict verdict); /* "holds" "broken" "undecided" "skipped" */

/* Verdict over the claims: broken before undecided before holds; skipped when every claim is. An expected failure that
 * is broken counts as holding, one that holds is broken ("unexpected pass"). */
report_verdict report_conclude(report *report);

/* Exit status of a run; 2 when a report is unusable. A report that counts_as_passed counts as holding; one that does not, in a suite, as
 * broken. allow_undecided turns 3 into 0. */
int report_status(const report_run *run, bool allow_undecided);

typedef struct report_style {
    bool colour;
    int verbosity; /* -1 quiet: failures and the verdict line only; 0; 1: passing claims with their bounds, too */
} report_style;

typedef struct report_format {
    const char *name;      /* "text" "json" "tap" "junit" */
    const char *extension; /* ".txt" ".json" ".tap" ".xml" */
    void (*print)(FILE *out, const report_run *run, const report_style *style);
} report_format;

extern const report_format *const report_formats[]; /* ends with NULL */
const report_format *report_format_named(const char *name);
const report_format *report_format_for_file(const char *path); /* by its ending; NULL when unknown */

/* Writes to path through a temporary name, so that no half-written file is left. */
rope_status report_write(const char *path, const report_format *format, const report_run *run, rope_error *error);

#endif
