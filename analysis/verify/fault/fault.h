/* Fault kinds: hypotheses about what a wrong program did, believed only when they explain the data at rounding level.
 *
 * A kind proposes hypotheses: a program (altered spec, sign, lag, rounding of a step) and a wiring. The same replay that
 * judges honest programs then tests each on the sample; one that leaves every pair within rounding is a diagnosis. A
 * new kind is one file and one row in fault.c.
 */
#ifndef ROPE_VERIFY_FAULT_H
#define ROPE_VERIFY_FAULT_H

#include "../judge.h"

typedef struct fault_hypothesis {
    rope_program program;
    rope_wiring wiring;
    report_diagnosis said; /* kind, parameters and text, were it true; owned */
} fault_hypothesis;

typedef struct fault_list {
    fault_hypothesis *row;
    int count;
} fault_list;

typedef struct fault_context {
    const rope_subject *subject;
    rope_evidence *evidence; /* NULL for freqs */
    const rope_judge *judge; /* NULL for freqs */
    const double *freqs;     /* freqs: the vector; else NULL */
} fault_context;

typedef struct fault_kind {
    const char *name;
    const char *meaning; /* what the program did */
    const char *cause;   /* how that usually happens */
    const char *pytorch, *jax, *c; /* how to fix it there */
    void (*propose)(const fault_context *context, fault_list *list);
    const char *twin;
} fault_kind;

extern const fault_kind fault_layout, fault_sign, fault_base, fault_offset, fault_magnitude, fault_frequency_precision,
    fault_position_precision, fault_table_precision;
extern const fault_kind *const fault_kinds[]; /* in the order they are tried: the simplest first; ends with NULL */
const fault_kind *fault_named(const char *name);

/* A new hypothesis that differs from the honest program in nothing yet; text is printf-like. */
fault_hypothesis *fault_propose(const fault_context *context, fault_list *list, const fault_kind *kind, const char *text, ...)
    __attribute__((format(printf, 4, 5)));

/* value rounded to so many significant decimal digits: what a person may have written. */
double fault_decimal(double value, int digits);

/* Adds to the report what explains the data, best first; nothing when nothing does. */
void fault_diagnose(const fault_context *context, report *found);

#endif
