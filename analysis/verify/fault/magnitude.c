/* cos and sin carry another factor than A. [bugs of kind MSCALE] */
#include <math.h>

#include "fault.h"

/* Mean of the turns' moduli about a centre: near the mean the sum itself hardly rounds. */
static double mean_about(const rope_evidence *evidence, double centre) {
    double sum = 0.0;
    size_t known = 0;
    for (size_t k = 0; k < evidence->rows * (size_t)evidence->h; k++) {
        const double modulus = hypot(evidence->re[k], evidence->im[k]);
        if (!isfinite(modulus)) continue;
        sum += modulus - centre;
        known++;
    }
    return known ? centre + sum / (double)known : NAN;
}

static void propose_factor(const fault_context *context, fault_list *list, double found) {
    const double A = context->judge->A;
    fault_hypothesis *row = fault_propose(context, list, &fault_magnitude, "cos and sin carry the factor %.9g, declared %.9g", found, A);
    row->program.spec.has_magnitude = true;
    row->program.spec.magnitude = found;
    report_number(&row->said, "found", found);
    report_number(&row->said, "expected", A);
    if (A != 1.0 && fabs(found / (A * A) - 1.0) <= rope_bound_trig(ROPE_F32, A)) report_word(&row->said, "fault", "squared");
}

/* A factor written into a program is a short decimal, one that was computed is not: the mean itself comes last. Rounding to a
 * short format shifts the mean by less than one turn may be off. */
static void propose(const fault_context *context, fault_list *list) {
    if (!context->evidence) return;
    const double A = context->judge->A, steady = rope_judge_steady(context->judge, 0, 0);
    const double found = mean_about(context->evidence, mean_about(context->evidence, A));
    double last = A;
    if (!(found > 0.0) || fabs(found - A) <= steady) return;
    for (int digits = 1; digits <= 6; digits++) {
        const double decimal = fault_decimal(found, digits);
        if (decimal == last || fabs(decimal - found) > steady) continue;
        propose_factor(context, list, last = decimal);
    }
    if (last != found) propose_factor(context, list, found);
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
