/* cos and sin carry another factor than A. [bugs of kind MSCALE] */
#include <math.h>

#include "fault.h"

/* Mean modulus of the turns: single errors of a few u average out. */
static double mean_modulus(const rope_evidence *evidence) {
    double sum = 0.0;
    size_t known = 0;
    for (size_t k = 0; k < evidence->rows * (size_t)evidence->h; k++) {
        const double modulus = hypot(evidence->re[k], evidence->im[k]);
        if (!isfinite(modulus)) continue;
        sum += modulus;
        known++;
    }
    return known ? sum / (double)known : 0.0;
}

static void propose(const fault_context *context, fault_list *list) {
    if (!context->evidence) return;
    const double A = context->judge->A, found = mean_modulus(context->evidence);
    if (!(found > 0.0) || fabs(found - A) <= rope_judge_steady(context->judge, 0, 0)) return;
    fault_hypothesis *row = fault_propose(context, list, &fault_magnitude, "cos and sin carry the factor %.9g, declared %.9g", found, A);
    row->program.spec.has_magnitude = true;
    row->program.spec.magnitude = found;
    report_number(&row->said, "found", found);
    report_number(&row->said, "expected", A);
    if (A != 1.0 && fabs(found / (A * A) - 1.0) <= rope_bound_trig(ROPE_F32, A)) report_word(&row->said, "fault", "squared");
}

const fault_kind fault_magnitude = {
    .name = "magnitude",
    .meaning = "cos and sin carry another factor than the spec's A",
    .cause = "an attention factor (mscale) applied twice, not at all, or meant for the softmax scale",
    .pytorch = "cos = freqs.cos() * attention_scaling, once, and not again on q, k or the scores",
    .jax = "multiply cos and sin by the attention factor once",
    .c = "c = A * cos(angle); s = A * sin(angle);",
    .propose = propose,
    .twin = "cos and sin times 1.1",
};
