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

/* Sharpens a base that is off by at most a factor e^error: theta_i of the true one is theta_i e^(-e_i delta), so that a turn at m
 * is off by -w delta, w = m theta_i e_i, which does not wrap while w error stays below 1. Least squares for delta; the noise
 * of each turn moves it by |w| noise / sum w^2. Each round reaches farther positions. */
static double sharpen(const fault_context *context, double base, double *error) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    const size_t h = (size_t)evidence->h;
    for (int round = 0; round < 8; round++) {
        double products = 0.0, squares = 0.0, noise = 0.0;
        for (size_t t = 0; t < evidence->rows; t++)
            for (size_t i = 1; i < h; i++) {
                const double a = evidence->re[t * h + i], b = evidence->im[t * h + i], m = (double)evidence->m[t];
                const double exponent = 2.0 * (double)i / judge->subject->spec.rotary_dim;
                const double angle = m * judge->theta[i] * pow(base / judge->subject->spec.base, -exponent), w = angle * exponent;
                if (!(fabs(w) * *error < 1.0) || !isfinite(a) || !isfinite(b)) continue;
                const double c = cos(angle), s = sin(angle);
                products += w * atan2(b * c - a * s, a * c + b * s);
                squares += w * w;
                noise += fabs(w) * (rope_judge_steady(judge, t, (int)i) / judge->A + rope_judge_difference(judge, t, (int)i));
            }
        if (!(squares > 0.0) || !(noise / squares < *error)) break;
        base *= exp(-products / squares);
        *error = noise / squares;
    }
    return base;
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
    double found = estimate(spec, theta), error = 0.05;
    if (!(found > 1.0) || !(found < 1e15)) return;
    if (!context->freqs) found = sharpen(context, found, &error);
    /* Bases are round numbers: the shortest decimal that explains the data is the one meant. */
    for (int digits = 1; digits <= 9; digits++) {
        const double base = fault_decimal(found, digits);
        if (base == last || base == spec->base || !(base > 1.0) || fabs(base / found - 1.0) > 2.0 * error) continue;
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
