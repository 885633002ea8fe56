#include "claim.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    TABLE = SUBJECT_TABLE,
    FREQS = SUBJECT_FREQS,
    ROTATED = SUBJECT_ROTATED,
    BUILT_IN = SUBJECT_BUILT_IN,
    VALUES = TABLE | ROTATED | BUILT_IN,
    ANY = VALUES | FREQS
};

static const char not_a_vector[] = "a frequency vector shows frequencies only";
static const char needs_a_kernel[] = "needs a kernel that can be called";

const claim_row claim_rows[] = {
    {"finite", "no value the subject made is NaN or infinite", "definition of R_m: entries lie in [-A, A]", "rope_isometry", "yes/no", ANY,
     NULL, claim_finite, "one NaN in a table",
     ""},
    {"layout", "each declared pair of channels is mapped to itself by a rotation times one common factor",
     "RoFormer eq. 15; half layout: GPT-NeoX", "layouts_conjugate, layouts_differ", "relative", VALUES, not_a_vector, claim_layout,
     "interleaved rotation declared half",
     "layout"},
    {"sign", "every pair turns counter-clockwise: y_b gains + x_a sin(m theta)", "RoFormer eq. 13", "rot_eq_iff", "yes/no",
     VALUES, not_a_vector, claim_sign, "sine negated",
     "sign layout"},
    {"width", "the rotary channels turn, and all others come out bit for bit as they went in", "RoFormer eq. 15; partial rotary: GPT-J",
     "interleaved_is_rope", "absolute", ANY, NULL, claim_width, "pass-through channel rounded; last pairs not rotated; wrong number of columns",
     ""},
    {"frequency", "pair i turns by theta_i per position", "RoFormer eq. 15 and the spec's scaling rule",
     "rope_unique, position_interpolation, ntk_aware", "radians", ANY, NULL, claim_frequency, "base 500000 declared 10000",
     "base frequency-precision position-precision"},
    {"magnitude", "every pair is scaled by A", "RoFormer eq. 13 (A = 1)", "rot_norm", "absolute", VALUES, not_a_vector,
     claim_magnitude, "cos and sin times 1.1",
     "magnitude"},
    {"table", "every entry is A cos(m theta_i) or A sin(m theta_i) within the model's bound", "RoFormer eq. 34", "efficient_form", "absolute",
     TABLE | BUILT_IN, "the subject keeps no table that can be read", claim_table, "one entry off by twice its bound",
     "base offset frequency-precision position-precision table-precision"},
    {"identity", "R_0 x = A x", "RoFormer eq. 14 at m = 0", "rot_0", "absolute", VALUES, not_a_vector, claim_identity,
     "positions counted from 1",
     "offset magnitude"},
    {"orthogonal", "R_m^T R_m = A^2 I", "RoFormer eq. 15, section 3.4.2", "rot_orthogonal", "relative", VALUES, not_a_vector,
     claim_orthogonal, "sine of another pair",
     "layout table-precision"},
    {"norm", "|R_m x| = A |x|", "RoFormer section 3.4.2", "rope_isometry", "relative", VALUES, not_a_vector, claim_norm,
     "cos and sin times 1.1",
     "magnitude layout"},
    {"relative", "R_m^T R_n depends on n - m alone", "RoFormer eq. 16", "rot_transpose_mul", "absolute", VALUES, not_a_vector,
     claim_relative, "positions rounded to bf16",
     "position-precision frequency-precision"},
    {"group", "R_m R_n = A R_(m+n)", "RoFormer eq. 14: powers of one rotation", "rope_compose", "absolute", VALUES, not_a_vector,
     claim_group, "positions counted from 1",
     "offset position-precision"},
    {"score-shift", "the score of q at m and k at n does not change when both move by s", "RoFormer eq. 11 and 16", "score_shift",
     "absolute", VALUES, not_a_vector, claim_score_shift, "positions rounded to bf16",
     "position-precision"},
    {"score-complex", "the score is A^2 Re sum q_i conj(k_i) e^(i(m-n) theta_i)", "RoFormer eq. 35", "score_complex", "absolute", VALUES,
     not_a_vector, claim_score_complex, "base 500000 declared 10000",
     "base sign position-precision"},
    {"elementwise", "R_m x = x cos + rot(x) sin, channel by channel", "RoFormer eq. 34", "efficient_form", "relative", VALUES,
     not_a_vector, claim_elementwise, "positions counted from 1",
     "layout sign base offset frequency-precision position-precision"},
    {"linear", "R_m (x + y) = R_m x + R_m y", "RoFormer eq. 14: R_m is a matrix", "rot_linear", "relative",
     ROTATED | BUILT_IN, "a table has no inputs: the operator it defines is linear by construction", claim_linear,
     "position taken from the head",
     ""},
    {"distinct", "different positions turn differently, wherever the exact rows differ by more than twice the bound",
     "RoFormer section 3.4: theta_0 = 1 is no multiple of 2 pi", "no_alias_1", "yes/no", VALUES, not_a_vector, claim_distinct,
     "positions rounded to bf16",
     "position-precision"},
    {"determinant", "det R_m = A^r", "RoFormer eq. 15", "rot_det", "relative", BUILT_IN, needs_a_kernel, claim_determinant,
     "pair 0 reflected",
     "magnitude"},
    {"spectrum", "the eigenvalues of R_m are A e^(+-i m theta_i), and 1 for each other channel", "RoFormer eq. 15", "rot_characteristic", "absolute",
     BUILT_IN, needs_a_kernel, claim_spectrum, "base 500000 declared 10000",
     "base frequency-precision"},
    {"decay-bound", "|score| <= A^2 max|h_(i+1) - h_i| sum |S_(i+1)(n-m)|", "RoFormer eq. 37", "rope_decay_bound", "relative", BUILT_IN,
     needs_a_kernel, claim_decay_bound, "cos and sin times 1.1",
     "magnitude"},
    {"linear-attention", "linear attention with rotated features depends on distances alone", "RoFormer eq. 19", "linear_attention_shift",
     "relative", BUILT_IN, needs_a_kernel, claim_linear_attention, "positions rounded to bf16",
     "position-precision base"},
    {.id = NULL},
};

const claim_row *claim_named(const char *id) {
    for (const claim_row *row = claim_rows; row->id; row++)
        if (!strcmp(row->id, id)) return row;
    return NULL;
}

void claim_skip(report_claim *claim, const char *reason, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    free(claim->reason);
    claim->reason = report_text("%s", text);
    claim->verdict = REPORT_SKIPPED;
}

const char *claim_coverage(const claim_context *context) {
    const rope_subject *subject = context->subject;
    if (subject->kind == SUBJECT_BUILT_IN) return "probes";
    const size_t rows = subject->batches * subject->heads * subject->times;
    return context->evidence->rows >= rows ? "exhaustive" : "sampled";
}

void claim_take(report_claim *claim, const rope_count *count, const char *coverage) {
    claim->checked = count->checked;
    claim->broken = count->broken;
    claim->untestable = count->untestable;
    claim->coverage = coverage;
    claim->has_first = count->has_first;
    claim->first = count->first;
    claim->has_witness = count->broken > 0 && count->has_witness;
    claim->witness = count->witness;
    if (count->checked > count->untestable && strcmp(claim->unit, "yes/no") != 0) {
        claim->defect = count->defect;
        claim->bound = count->bound;
    }
}

void claim_keep_testable(report_claim *claim) {
    if (claim->checked > claim->untestable) claim->checked -= claim->untestable, claim->untestable = 0;
}

/* Why vectors show no turn; NULL when they do. */
static const char *only_zeros(const claim_context *context) {
    const rope_evidence *evidence = context->evidence;
    if (context->subject->kind != SUBJECT_ROTATED || context->subject->width_fault[0]) return NULL;
    if (!context->judge->scan.value.checked) return "every pair of the input is zero";
    for (size_t k = 0; k < evidence->rows * (size_t)evidence->h; k++)
        if (!isnan(evidence->noise[k])) return NULL;
    return "every sampled pair is zero, or too small to show a turn";
}

void claim_run(const claim_row *row, const claim_context *context, report_claim *claim) {
    claim->statement = row->statement;
    claim->source = row->source;
    claim->unit = row->unit;
    claim->coverage = "none";
    if (!(row->domain & context->subject->kind)) {
        claim_skip(claim, "%s", context->subject->kind == SUBJECT_FREQS ? not_a_vector : row->skipped);
        return;
    }
    const bool readable = row->test == claim_width || (row->test == claim_finite && context->subject->kind == SUBJECT_FREQS);
    if (context->subject->width_fault[0] && !readable) {
        claim_skip(claim, "the number of columns contradicts the spec");
        return;
    }
    row->test(context, claim);
    const char *const zeros = only_zeros(context);
    if (claim->checked == 0) {
        claim->verdict = REPORT_SKIPPED;
        if (zeros) claim_skip(claim, "%s", zeros);
        if (!claim->reason) claim_skip(claim, "the data hold nothing that could test it");
    } else if (claim->broken) {
        claim->verdict = REPORT_BROKEN;
    } else if (claim->untestable) {
        claim->verdict = REPORT_UNDECIDED;
        const bool unidentified = context->judge && !context->judge->model;
        if (!claim->reason)
            claim->reason = report_text("%llu of %llu untestable: %sthe derived bound reaches the value itself", (unsigned long long)claim->untestable,
                                        (unsigned long long)claim->checked, unidentified ? "no model replays, and " : "");
    } else {
        claim->verdict = REPORT_HOLDS;
    }
}
