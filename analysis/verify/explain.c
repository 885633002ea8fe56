/* What a claim or a fault kind means, how it usually comes about, how to mend it. */
#include <string.h>

#include "../report/paragraph.h"
#include "fault/fault.h"
#include "verify.h"

enum { LABEL = 11 }; /* columns before the text */

static void wrap(const char *label, const char *text) {
    text_wrap(stdout, 0, label, LABEL, text);
}

static void explain_kind(const fault_kind *kind) {
    printf("fault %s\n\n", kind->name);
    wrap("means", kind->meaning);
    wrap("usually", kind->cause);
    wrap("PyTorch", kind->pytorch);
    wrap("JAX", kind->jax);
    wrap("C", kind->c);
    wrap("twin", kind->twin);
}

/* The claim, and every fault kind that usually breaks it. */
static void explain_claim(const claim_row *row) {
    printf("claim %s\n\n", row->id);
    wrap("states", row->statement);
    wrap("source", row->source);
    if (strcmp(row->theorem, "-") != 0) wrap("theorem", row->theorem);
    wrap("unit", row->unit);
    wrap("broken by", row->twin);
    if (row->skipped) wrap("skipped", row->skipped);
    printf("\nA broken claim says where it first breaks and where worst. A line \"looks like\" names the fault\n"
           "that explains the data at rounding level.%s\n",
           *row->kinds ? " What usually breaks this claim:" : "");
    for (const char *name = row->kinds; *name; name += strcspn(name, " "), name += strspn(name, " ")) {
        char kind[64];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(name, " "), name);
        printf("\n");
        explain_kind(fault_named(kind));
    }
}

int verify_explain(const char *name, rope_error *error) {
    const claim_row *row = claim_named(name);
    const fault_kind *kind = fault_named(name);
    if (row) explain_claim(row); /* layout and magnitude, sign and others are both: the claim's text has the fault's */
    if (kind && !row) explain_kind(kind);
    if (row || kind) return EXIT_HOLDS;
    char hint[512];
    verify_name_all(true, true, hint, sizeof hint);
    rope_fail(error, ROPE_BAD_INPUT, "explain", hint, "'%s' is neither a claim nor a fault kind", name);
    return EXIT_MISUSE;
}

void verify_list_claims(void) {
    for (const claim_row *row = claim_rows; row->id; row++) {
        printf("%s%s\n", row == claim_rows ? "" : "\n", row->id);
        wrap("  states", row->statement);
        wrap("  source", row->source);
        wrap("  theorem", row->theorem);
        wrap("  twin", row->twin);
    }
}
