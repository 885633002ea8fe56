/* Claims about what the operator is: layout, sign, width, frequency, magnitude. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/frequency/frequency.h"
#include "claim.h"

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* ---- layout ---------------------------------------------------------------------------------------- */

/* A table of full width shows its tiling: both columns of a pair must hold the same bits. */
static void layout_of_table(const claim_context *context, report_claim *claim) {
    const rope_subject *subject = context->subject;
    const rope_evidence *evidence = context->evidence;
    const size_t columns = subject->columns, h = (size_t)evidence->h;
    if (columns == h) {
        claim_skip(claim, "a table with one column per pair shows no layout");
        return;
    }
    const table_tiling expected = rope_wiring_expected(subject).tiling;
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++)
        for (size_t i = 0; i < 2 * h; i++) {
            const size_t array = i / h, pair = i % h, at = (2 * t + array) * columns;
            const size_t a = expected == TILING_BLOCK ? pair : 2 * pair, b = expected == TILING_BLOCK ? pair + h : 2 * pair + 1;
            const double left = evidence->value[at + a], right = evidence->value[at + b];
            report_witness where = rope_witness_at(context->judge, t, (int)pair);
            where.array = array ? "sin" : "cos";
            where.column = (int64_t)b;
            const double off = fabs(right - left);
            if (off != 0.0) rope_witness_values(&where, subject, left, right, off, 0.0);
            if (!isnan(left) || !isnan(right)) rope_count_test(&count, off, 0.0, INFINITY, &where);
        }
    claim_take(claim, &count, claim_coverage(context));
    if (count.broken)
        claim->reason = report_text("the table is tiled %s; the layout needs %s", subject_tiling_name(subject->tiling), subject_tiling_name(expected));
}

/* |y_pair| / |x_pair| is one number for all pairs and rows: their median. A wrong pairing mixes norms. */
static void layout_of_vectors(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    const size_t turns = evidence->rows * (size_t)evidence->h;
    double *moduli = malloc(turns * sizeof *moduli);
    size_t known = 0;
    if (!moduli) return;
    for (size_t k = 0; k < turns; k++)
        if (isfinite(evidence->re[k]) && isfinite(evidence->im[k])) moduli[known++] = hypot(evidence->re[k], evidence->im[k]);
    qsort(moduli, known, sizeof *moduli, by_value);
    const double common = known ? moduli[known / 2] : 0.0;
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++)
        for (int i = 0; i < evidence->h; i++) {
            const size_t at = t * (size_t)evidence->h + (size_t)i;
            if (!isfinite(evidence->re[at]) || !isfinite(evidence->im[at])) continue;
            /* the steady error scales with the factor; the median has it, too */
            const double bound = 2.0 * rope_judge_steady(context->judge, t, i) * fmax(1.0, common / context->judge->A);
            const report_witness where = rope_witness_at(context->judge, t, i);
            rope_count_test(&count, fabs(hypot(evidence->re[at], evidence->im[at]) - common), bound, rope_bound_useless(), &where);
        }
    free(moduli);
    if (evidence->h < 2 && evidence->subject->spec.layout_in == evidence->subject->spec.layout_out) {
        claim_skip(claim, "one pair: both layouts are the same");
        return;
    }
    claim_take(claim, &count, claim_coverage(context));
}

void claim_layout(const claim_context *context, report_claim *claim) {
    (context->evidence->vector ? layout_of_vectors : layout_of_table)(context, claim);
}

/* ---- phase steps: sign and frequency --------------------------------------------------------------- */

/* Visits pairs of rows (t, n), m_t < m_n: the first row of each position, whatever its head. */
typedef void visit_step(const claim_context *context, size_t t, size_t n, void *into);

/* Neighbouring positions; and, with far, the first position and each other one: a small fault in a frequency shows over a
 * long way only. */
static void visit_steps(const claim_context *context, bool far, visit_step *visit, void *into) {
    const rope_evidence *evidence = context->evidence;
    for (size_t t = 0, n; t < evidence->rows; t = n) {
        for (n = t + 1; n < evidence->rows && evidence->m[n] == evidence->m[t];) n++;
        if (n == evidence->rows) break;
        visit(context, t, n, into);
        if (far && t > 0) visit(context, 0, n, into);
    }
}

/* t_n conj(t_t) = A^2 e^{i (m_n - m_t) theta_i}; false when it is not known. */
static bool step_turn(const rope_evidence *evidence, size_t t, size_t n, int i, double *re, double *im) {
    const size_t h = (size_t)evidence->h, j = (size_t)i;
    const double a = evidence->re[t * h + j], b = evidence->im[t * h + j], c = evidence->re[n * h + j], d = evidence->im[n * h + j];
    *re = c * a + d * b;
    *im = d * a - c * b;
    return isfinite(*re) && isfinite(*im);
}

/* Error of t_n conj(t_m) against A^2 e^{i (n-m) theta_i}: both turns' steady errors, the angles' own roundings, and the
 * frequency's error over the step. */
static double step_bound(const claim_context *context, size_t t, size_t n, int i) {
    const rope_judge *judge = context->judge;
    const double A = judge->A, step = (double)(context->evidence->m[n] - context->evidence->m[t]);
    const double steady = rope_judge_steady(judge, t, i) + rope_judge_steady(judge, n, i);
    const double phase = rope_judge_difference(judge, t, i) + rope_judge_difference(judge, n, i) + step * judge->slope[i];
    return A * steady + steady * steady + A * A * phase;
}

typedef struct votes {
    uint64_t for_, against;
    report_witness where;
} votes;

static void vote(const claim_context *context, size_t t, size_t n, void *into) {
    const rope_judge *judge = context->judge;
    const double A = judge->A, step = (double)(context->evidence->m[n] - context->evidence->m[t]);
    for (int i = 0; i < judge->h; i++) {
        votes *pair = (votes *)into + i;
        const double angle = step * judge->theta[i];
        double re, im;
        if (!step_turn(context->evidence, t, n, i, &re, &im)) continue;
        if (angle > 1.5 || A * A * sin(angle) <= 2.0 * step_bound(context, t, n, i)) continue;
        if (im > 0.0) pair->for_++;
        if (im < 0.0 && pair->against++ == 0) {
            pair->where = rope_witness_at(judge, n, i);
            pair->where.has_n = true;
            pair->where.n = context->evidence->m[t];
        }
    }
}

void claim_sign(const claim_context *context, report_claim *claim) {
    const int h = context->judge->h;
    votes *pairs = calloc((size_t)h, sizeof *pairs);
    rope_count count = {0};
    if (!pairs) return;
    visit_steps(context, false, vote, pairs);
    for (int i = 0; i < h; i++)
        if (pairs[i].for_ + pairs[i].against > 0)
            rope_count_test(&count, pairs[i].against > pairs[i].for_ ? 1.0 : 0.0, 0.0, INFINITY, &pairs[i].where);
    free(pairs);
    if (!count.checked) claim_skip(claim, "no two positions lie so close that the sense of a turn shows");
    claim_take(claim, &count, claim_coverage(context));
}

static void compare_step(const claim_context *context, size_t t, size_t n, void *into) {
    const rope_judge *judge = context->judge;
    double c[judge->h], s[judge->h], re, im;
    rope_judge_exact(judge, context->evidence->m[n] - context->evidence->m[t], c, s); /* times A */
    for (int i = 0; i < judge->h; i++) {
        if (!step_turn(context->evidence, t, n, i, &re, &im)) continue;
        report_witness where = rope_witness_at(judge, n, i);
        where.has_n = true;
        where.n = context->evidence->m[t];
        const double defect = hypot(re - judge->A * c[i], im - judge->A * s[i]);
        rope_count_test(into, defect, step_bound(context, t, n, i), judge->A * judge->A, &where);
    }
}

/* ---- frequency ------------------------------------------------------------------------------------- */

/* Each entry against theta_i (or theta_i of the unscaled rule over the divisor), relatively. */
static void frequency_of_vector(const claim_context *context, report_claim *claim) {
    const rope_subject *subject = context->subject;
    const rope_spec *spec = &subject->spec;
    rope_spec unscaled = *spec;
    unscaled.rule = &rope_rule_default;
    rope_count count = {0};
    const rope_model *const model = subject->grade == ROPE_F64 ? &rope_model_f64 : &rope_model_exp2;
    for (int i = 0; i < rope_spec_pairs(spec); i++) {
        double got;
        rope_npy_read(subject->array[ARRAY_FREQS], (size_t)i, 1, &got);
        const double theta = rope_frequency_double(spec, i);
        const double expected = subject->divisors ? rope_frequency_double(&unscaled, i) / theta : theta;
        const double wider = fmax(rope_bound_frequency(model, spec, i),
                                  model == &rope_model_exp2 ? rope_bound_frequency(&rope_model_direct, spec, i) : 0.0);
        const double bound = subject->exact ? 0.5 * rope_ulp(subject->dtype, expected) / expected
                                            : wider + 0x1p-52; /* the reference itself, rounded to double */
        report_witness where = rope_witness_nowhere();
        where.pair = i;
        where.array = "freqs";
        where.column = i;
        rope_witness_values(&where, subject, expected, got, fabs(got - expected) / expected, bound);
        rope_count_test(&count, fabs(got - expected) / expected, bound, rope_bound_useless(), &where);
    }
    claim->unit = "relative";
    claim_take(claim, &count, "exhaustive");
}

void claim_frequency(const claim_context *context, report_claim *claim) {
    if (context->subject->kind == SUBJECT_FREQS) {
        frequency_of_vector(context, claim);
        return;
    }
    rope_count count = {0};
    visit_steps(context, true, compare_step, &count);
    if (!count.checked) claim_skip(claim, "needs two positions");
    claim_take(claim, &count, claim_coverage(context));
    claim_keep_testable(claim);
}

/* ---- magnitude ------------------------------------------------------------------------------------- */

void claim_magnitude(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++)
        for (int i = 0; i < evidence->h; i++) {
            const size_t at = t * (size_t)evidence->h + (size_t)i;
            if (evidence->vector && isnan(evidence->noise[at])) continue; /* a zero input shows nothing */
            const report_witness where = rope_witness_at(context->judge, t, i);
            rope_count_test(&count, fabs(hypot(evidence->re[at], evidence->im[at]) - context->judge->A),
                            rope_judge_steady(context->judge, t, i), context->judge->A, &where);
        }
    claim_take(claim, &count, claim_coverage(context));
}

/* ---- width ----------------------------------------------------------------------------------------- */

/* Pairs that come out as they went in wherever the exact turn is far from A; returns how many. */
static int width_of_pairs(const claim_context *context, rope_count *count) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    const size_t h = (size_t)evidence->h;
    double c[judge->h], s[judge->h];
    uint64_t still[judge->h], asked[judge->h];
    memset(still, 0, sizeof still);
    memset(asked, 0, sizeof asked);
    for (size_t t = 0; t < evidence->rows; t++) {
        rope_judge_exact(judge, evidence->m[t], c, s);
        for (size_t i = 0; i < h; i++) {
            const double far = hypot(c[i] - judge->A, s[i]);
            if (isnan(evidence->noise[t * h + i]) || !(far > 4.0 * rope_judge_turn(judge, t, (int)i))) continue;
            asked[i]++;
            still[i] += evidence->re[t * h + i] == 1.0 && evidence->im[t * h + i] == 0.0;
        }
    }
    int unturned = 0;
    for (size_t i = 0; i < h; i++) {
        report_witness where = rope_witness_nowhere();
        where.pair = (int)i;
        if (!asked[i]) continue;
        rope_count_test(count, still[i] == asked[i] ? 1.0 : 0.0, 0.0, INFINITY, &where);
        unturned += still[i] == asked[i];
    }
    return unturned;
}

void claim_width(const claim_context *context, report_claim *claim) {
    const rope_subject *subject = context->subject;
    rope_count count = {0};
    if (subject->width_fault[0]) {
        rope_count_test(&count, 1.0, 0.0, INFINITY, NULL);
        claim->reason = report_text("%s", subject->width_fault);
    } else if (subject->kind == SUBJECT_FREQS) {
        rope_count_test(&count, 0.0, 0.0, INFINITY, NULL);
    } else {
        rope_count_add(&count, &context->judge->scan.width);
        const int unturned = width_of_pairs(context, &count);
        if (unturned) claim->reason = report_text("%d of %d pairs come out as they went in", unturned, context->evidence->h);
    }
    const bool passes_channels = subject->kind != SUBJECT_FREQS && !subject->width_fault[0] && context->judge->scan.width.checked;
    if (!passes_channels) claim->unit = "yes/no"; /* nothing was measured, only counted */
    claim_take(claim, &count, subject->kind == SUBJECT_BUILT_IN ? "probes" : "exhaustive");
}
