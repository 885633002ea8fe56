/* Another base than declared. [bugs of kind BASE] */
#include <math.h>
#include <stdlib.h>

#include "../../../src/frequency/frequency.h"
#include "fault.h"

/* theta_i as the subject turns: the phase step between the closest two positions, divided by their distance. Steps of
 * more than half a turn would wrap: only pairs that stay below are used (NaN for the others). */
static void measure(const fault_context *context, double *theta) {
    const rope_evidence *evidence = context->evidence;
    const size_t h = (size_t)evidence->h;
    int64_t least = INT64_MAX;
    for (size_t t = 0; t + 1 < evidence->rows; t++) {
        const int64_t step = evidence->m[t + 1] - evidence->m[t];
        if (step > 0 && step < least) least = step;
    }
    for (size_t i = 0; i < h; i++) {
        double re = 0.0, im = 0.0;
        for (size_t t = 0; t + 1 < evidence->rows; t++) {
            if (evidence->m[t + 1] - evidence->m[t] != least || llabs(evidence->m[t]) > 0x10000) continue;
            const double a = evidence->re[t * h + i], b = evidence->im[t * h + i];
            const double c = evidence->re[(t + 1) * h + i], d = evidence->im[(t + 1) * h + i];
            if (!isfinite(a * c) || !isfinite(b * d)) continue;
            re += c * a + d * b;
            im += d * a - c * b;
        }
        const double step = atan2(im, re);
        theta[i] = least == 1 && step > 0.0 ? step : NAN;
    }
}

/* ln b from theta_i/theta_0 = b^(-2i/r): each pair's estimate, weighted by what its phase noise (the same for all, in
 * radians) allows: d ln b = (r / 2i) noise / theta_i. */
static double estimate(const rope_spec *spec, const double *theta) {
    double sum = 0.0, weights = 0.0;
    for (int i = 1; i < rope_spec_pairs(spec); i++) {
        const double logarithm = log(theta[0] / theta[i]) * spec->rotary_dim / (2.0 * i);
        const double weight = pow(2.0 * i / spec->rotary_dim * theta[i], 2.0);
        if (!isfinite(logarithm) || !(theta[i] > 0.0)) continue;
        sum += weight * logarithm;
        weights += weight;
    }
    return weights > 0.0 ? exp(sum / weights) : NAN;
}

static void propose(const fault_context *context, fault_list *list) {
    const rope_spec *spec = &context->subject->spec;
    const int h = rope_spec_pairs(spec);
    double theta[h], last = 0.0;
    if (context->freqs) {
        rope_spec unscaled = *spec;
        unscaled.rule = &rope_rule_default;
        for (int i = 0; i < h; i++)
            theta[i] = context->subject->divisors ? rope_frequency_double(&unscaled, i) / context->freqs[i] : context->freqs[i];
    } else {
        measure(context, theta);
    }
    const double found = estimate(spec, theta);
    if (!(found > 1.0) || !(found < 1e15)) return;
    /* Bases are round numbers: the shortest decimal that explains the data is the one meant. */
    for (int digits = 1; digits <= 9; digits++) {
        const double base = fault_decimal(found, digits);
        if (base == last || base == spec->base || !(base > 1.0) || fabs(base / found - 1.0) > 0.05) continue;
        fault_hypothesis *row = fault_propose(context, list, &fault_base, "base %.9g is used, declared %.15g", base, spec->base);
        row->program.spec.base = last = base;
        report_number(&row->said, "found", base);
    }
}

const fault_kind fault_base = {
    .name = "base",
    .meaning = "another base than declared makes the frequencies",
    .cause = "the config key has another name than the loader expects (rope_theta, rotary_emb_base, rope_parameters), so the default 10000 is "
             "used, or a converter did not write it",
    .pytorch = "inv_freq = 1.0 / (config.rope_theta ** (torch.arange(0, r, 2).float() / r))",
    .jax = "theta = base ** (-jnp.arange(0, r, 2) / r) with the config's base",
    .c = "pass rope_freq_base from the model file instead of the default",
    .propose = propose,
    .twin = "base 500000 declared 10000",
};
