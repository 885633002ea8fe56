/* Claims: identified statements with a source, a domain and a test. A new claim is a row in claim.c and a function
 * in the file of its family.
 */
#ifndef ROPE_VERIFY_CLAIM_H
#define ROPE_VERIFY_CLAIM_H

#include "../judge.h"

typedef enum rope_effort { EFFORT_QUICK, EFFORT_NORMAL, EFFORT_FULL } rope_effort;

typedef struct claim_context {
    const rope_subject *subject;
    const rope_evidence *evidence; /* NULL for freqs */
    const rope_judge *judge;       /* NULL for freqs */
    rope_effort effort;
} claim_context;

typedef struct claim_row {
    const char *id;
    const char *statement;
    const char *source;  /* paper and equation, or what it is derived from */
    const char *theorem; /* name in proofs/theory, or "-" */
    const char *unit;
    unsigned domain;     /* subject kinds that can test it */
    const char *skipped; /* why other kinds cannot */
    void (*test)(const claim_context *context, report_claim *claim);
    const char *twin;    /* what breaks it, in tests/twins */
    const char *kinds;   /* fault kinds that usually break it, space separated */
} claim_row;

extern const claim_row claim_rows[]; /* ends with a NULL id */
const claim_row *claim_named(const char *id);

/* Tests one claim and concludes its verdict. */
void claim_run(const claim_row *row, const claim_context *context, report_claim *claim);

/* Copies a count into a claim; coverage is "exhaustive", "sampled" or "probes". */
void claim_take(report_claim *claim, const rope_count *count, const char *coverage);
/* Drops what is untestable when something else is not: far and fast pairs have useless bounds, the near ones decide. */
void claim_keep_testable(report_claim *claim);
/* Says why nothing was tested; printf-like. */
void claim_skip(report_claim *claim, const char *reason, ...) __attribute__((format(printf, 2, 3)));
/* How much of the subject the sample covers. */
const char *claim_coverage(const claim_context *context);

/* ---- families ---- */
void claim_finite(const claim_context *, report_claim *);     /* values.c */
void claim_table(const claim_context *, report_claim *);
void claim_elementwise(const claim_context *, report_claim *);
void claim_layout(const claim_context *, report_claim *);     /* structure.c */
void claim_sign(const claim_context *, report_claim *);
void claim_width(const claim_context *, report_claim *);
void claim_frequency(const claim_context *, report_claim *);
void claim_magnitude(const claim_context *, report_claim *);
void claim_identity(const claim_context *, report_claim *);   /* operator.c */
void claim_orthogonal(const claim_context *, report_claim *);
void claim_norm(const claim_context *, report_claim *);
void claim_relative(const claim_context *, report_claim *);
void claim_group(const claim_context *, report_claim *);
void claim_linear(const claim_context *, report_claim *);
void claim_distinct(const claim_context *, report_claim *);
void claim_score_shift(const claim_context *, report_claim *);   /* score.c */
void claim_score_complex(const claim_context *, report_claim *);
void claim_decay_bound(const claim_context *, report_claim *);
void claim_linear_attention(const claim_context *, report_claim *);
void claim_determinant(const claim_context *, report_claim *); /* matrix.c */
void claim_spectrum(const claim_context *, report_claim *);

#endif
