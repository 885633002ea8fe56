/* Another base than declared. [bugs of kind BASE] */
#include <math.h>
#include <stdlib.h>

#include "../../../src/frequency/frequency.h"
#include "fault.h"

enum { UNWRAPPED = 3 }; /* positions apart: theta_0 <= 1, so no pair turns by pi or more */

/* Where positions lie farther apart no phase step says how often it wrapped: the bases that published models use are tried. */
static const double usual[] = {1e4, 5e4, 1e5, 1.5e5, 1.6e5, 2.5e5, 5e5, 1e6, 5e6, 8e6, 1e7};

/* The least step from a sampled position to the next. */
static int64_t least_step(const rope_evidence *evidence) {
    int64_t least = INT64_MAX;
    for (size_t t = 0; t + 1 < evidence->rows; t++) {
        const int64_t step = evidence->m[t + 1] - evidence->m[t];
        if (step > 0 && step < least) least = step;
    }
    return least;
}

/* theta_i as the subject turns, and what the noise of a turn lets it be off by: the phase steps between positions that lie
 * `least` apart, divided by that. NaN where nothing shows. */
static void measure(const fault_context *context, int64_t least, double *theta, double *noise) {
    const rope_evidence *evidence = context->evidence;
    const size_t h = (size_t)evidence->h;
    for (size_t i = 0; i < h; i++) {
        double re = 0.0, im = 0.0;
        noise[i] = 0.0;
        for (size_t t = 0; t + 1 < evidence->rows; t++) {
            if (evidence->m[t + 1] - evidence->m[t] != least) continue;
            const double a = evidence->re[t * h + i], b = evidence->im[t * h + i];
            const double c = evidence->re[(t + 1) * h + i], d = evidence->im[(t + 1) * h + i];
            if (!isfinite(a * c) || !isfinite(b * d)) continue;
            re += c * a + d * b;
            im += d * a - c * b;
            noise[i] = fmax(noise[i], rope_judge_steady(context->judge, t, (int)i) + rope_judge_difference(context->judge, t, (int)i));
        }
        const double step = atan2(im, re);
        theta[i] = step > 0.0 ? step / (double)least : NAN;
    }
}

/* ln b from theta_i/theta_0 = b^(-2i/r): each pair's estimate, weighted by what its noise allows: d ln b = (r / 2i) noise /
 * theta_i. It is that of the frequencies themselves: a rule that changes the base changes it, too. */
static double estimate(const rope_spec *spec, const double *theta, const double *noise) {
    double sum = 0.0, weights = 0.0;
    for (int i = 1; i < rope_spec_pairs(spec); i++) {
        const double logarithm = log(theta[0] / theta[i]) * spec->rotary_dim / (2.0 * i);
        const double weight = pow(2.0 * i / spec->rotary_dim * theta[i] / noise[i], 2.0);
        if (!isfinite(logarithm) || !isfinite(weight)) continue;
        sum += weight * logarithm;
        weights += weight;
    }
    return weights > 0.0 ? exp(sum / weights) : NAN;
}

/* The base that the spec's rule must be given to make frequencies from which `scaled` is estimated. */
static double declared_for(const rope_spec *spec, double scaled) {
    const int h = rope_spec_pairs(spec);
    double theta[h];
    for (int i = 0; i < h; i++) theta[i] = rope_frequency_double(spec, i);
    return scaled * (spec->base / estimate(spec, theta, theta)); /* no rule of today makes the ratio depend on the base */
}

/* The row from which a pair's turn is counted: the one nearest to position 0 that shows it; rows when none does. */
static size_t origin_of(const rope_evidence *evidence, size_t i) {
    const size_t h = (size_t)evidence->h;
    size_t origin = evidence->rows;
    for (size_t t = 0; t < evidence->rows; t++) {
        if (!isfinite(evidence->re[t * h + i]) || !isfinite(evidence->im[t * h + i])) continue;
        if (origin == evidence->rows || llabs(evidence->m[t]) < llabs(evidence->m[origin])) origin = t;
    }
    return origin;
}

/* Sharpens a base that is off by at most a factor e^error: theta_i of the true one is theta_i e^(-e_i delta), so that a turn
 * over m - o positions is off by -w delta, w = (m - o) theta_i e_i, which does not wrap while w error stays below 1. Least
 * squares for delta; the noise of each turn moves it by |w| noise / sum w^2. Each round reaches farther positions. With
 * absolute, o is 0 and its turn 1: a longer way, for windows far out. */
static double sharpen(const fault_context *context, double base, double *error, bool absolute) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    const size_t h = (size_t)evidence->h;
    for (int round = 0; round < 8; round++) {
        double products = 0.0, squares = 0.0, noise = 0.0;
        for (size_t i = 1; i < h; i++) {
            const double exponent = 2.0 * (double)i / judge->subject->spec.rotary_dim;
            const double theta = judge->theta[i] * pow(base / judge->subject->spec.base, -exponent);
            const size_t origin = origin_of(evidence, i);
            for (size_t t = 0; origin < evidence->rows && t < evidence->rows; t++) {
                const double a = evidence->re[t * h + i], b = evidence->im[t * h + i];
                const double u = absolute ? 1.0 : evidence->re[origin * h + i], v = absolute ? 0.0 : evidence->im[origin * h + i];
                const double angle = (double)(evidence->m[t] - (absolute ? 0 : evidence->m[origin])) * theta, w = angle * exponent;
                if (!(fabs(w) * *error < 1.0) || !isfinite(a) || !isfinite(b)) continue;
                const double re = a * u + b * v, im = b * u - a * v, c = cos(angle), s = sin(angle);
                products += w * atan2(im * c - re * s, re * c + im * s);
                squares += w * w;
                noise += fabs(w) * ((rope_judge_steady(judge, t, (int)i) + rope_judge_steady(judge, origin, (int)i)) / judge->A +
                                    rope_judge_difference(judge, t, (int)i) + rope_judge_difference(judge, origin, (int)i));
            }
        }
        if (!(squares > 0.0) || !(noise / squares < *error)) break;
        base *= exp(-products / squares);
        *error = noise / squares;
    }
    return base;
}

/* b^(-2i/N) = (b^(R/N))^(-2i/R): a wrong width in the exponent cannot be told from a base. The likely ones: the head size,
 * and i / r for 2i / r. 0: neither makes this base. */
static int exponent_width(const rope_spec *spec, double base) {
    const int widths[] = {spec->dim, 2 * spec->rotary_dim};
    for (int k = 0; k < 2; k++) {
        const double power = pow(spec->base, (double)spec->rotary_dim / widths[k]);
        if (widths[k] != spec->rotary_dim && fault_decimal(power, 6) == fault_decimal(base, 6)) return widths[k]; /* as suites compare */
    }
    return 0;
}

/* Do the search windows about its frequencies meet those about the declared ones, at every pair? Then nothing says that another
 * base was used: some frequency is nearly right. */
static bool is_nearly_declared(const fault_context *context, double base) {
    const rope_spec *const spec = &context->subject->spec;
    const rope_model *const widest = context->subject->grade == ROPE_F64 ? &rope_model_f64 : &rope_model_exp2;
    rope_spec other = *spec;
    other.base = base;
    for (int i = 1; i < rope_spec_pairs(spec); i++) {
        const double apart = fabs(rope_frequency_double(&other, i) / rope_frequency_double(spec, i) - 1.0);
        if (apart > 2.0 * rope_bound_frequency(widest, spec, i)) return false;
    }
    return true;
}

static void propose_base(const fault_context *context, fault_list *list, double base) {
    const rope_spec *const spec = &context->subject->spec;
    if (is_nearly_declared(context, base)) return;
    const int width = exponent_width(spec, base);
    char also[80] = "";
    if (width) snprintf(also, sizeof also, ", or the exponent is divided by %d where %d is declared", width, spec->rotary_dim);
    fault_hypothesis *row = fault_propose(context, list, &fault_base, "base %.9g is used, declared %.15g%s", base, spec->base, also);
    row->program.spec.base = base;
    report_number(&row->said, "found", base);
}

/* Bases are round numbers: the shortest decimal that explains the data is the one meant. Those of a wrong exponent are not. */
static void propose_near(const fault_context *context, fault_list *list, double found, double error) {
    const rope_spec *const spec = &context->subject->spec;
    const int widths[] = {spec->dim, 2 * spec->rotary_dim};
    double last = spec->base;
    for (int digits = 1; digits <= 9; digits++) {
        const double base = fault_decimal(found, digits);
        if (digits == 4) /* coarser decimals are likelier, finer ones are not */
            for (int k = 0; k < 2; k++) {
                const double power = pow(spec->base, (double)spec->rotary_dim / widths[k]);
                if (power != spec->base && fabs(power / found - 1.0) <= 2.0 * error) propose_base(context, list, power);
            }
        if (base == last || base == spec->base || !(base > 1.0) || fabs(base / found - 1.0) > 2.0 * error) continue;
        propose_base(context, list, last = base);
    }
}

static void propose(const fault_context *context, fault_list *list) {
    const rope_spec *spec = &context->subject->spec;
    const int h = rope_spec_pairs(spec);
    double theta[h], noise[h], error = 0.05;
    const int64_t least = context->freqs ? 0 : least_step(context->evidence);
    if (context->freqs) {
        rope_spec unscaled = *spec;
        unscaled.rule = &rope_rule_default;
        for (int i = 0; i < h; i++)
            noise[i] = theta[i] = context->subject->divisors ? rope_frequency_double(&unscaled, i) / context->freqs[i] : context->freqs[i];
    } else if (least <= UNWRAPPED) {
        measure(context, least, theta, noise);
    } else {
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (usual[k] != spec->base) propose_base(context, list, usual[k]);
        return;
    }
    double found = declared_for(spec, estimate(spec, theta, noise));
    if (!(found > 1.0) || !(found < 1e15)) return;
    if (!context->freqs) {
        found = sharpen(context, found, &error, false);
        found = sharpen(context, found, &error, true);
    }
    propose_near(context, list, found, error);
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
