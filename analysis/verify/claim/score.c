/* Claims about attention scores: score-complex, decay-bound, linear-attention. */
#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "../random.h"
#include "claim.h"

/* ---- score-complex --------------------------------------------------------------------------------- */

/* Score of the fixed q at row t against the fixed k at row n from the subject's turns, and exactly: A^2 Re sum w_i
 * e^{i (m - n) theta_i}, w_i = q_i conj(k_i). */
static void test_score(const claim_context *context, size_t t, size_t n, rope_count *count) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    const size_t h = (size_t)judge->h;
    double c[h], s[h], got = 0.0, expected = 0.0, bound = 0.0, moduli = 0.0;
    rope_judge_exact(judge, evidence->m[t] - evidence->m[n], c, s); /* times A */
    rope_random random = rope_random_seeded(context->subject->seed + 3);
    for (size_t i = 0; i < h; i++) {
        const double re = rope_random_grid(&random), im = rope_random_grid(&random), modulus = hypot(re, im);
        const double a = evidence->re[t * h + i], b = evidence->im[t * h + i];
        const double u = evidence->re[n * h + i], v = evidence->im[n * h + i];
        const double turn_re = a * u + b * v, turn_im = b * u - a * v; /* t_m conj(t_n) */
        if (evidence->vector && (isnan(turn_re) || isnan(turn_im))) continue;
        const double x = rope_judge_turn(judge, t, (int)i), y = rope_judge_turn(judge, n, (int)i), off = judge->A * (x + y) + x * y;
        if (off >= judge->A * judge->A) continue; /* far out a fast pair's phase is unknown: q and k have nothing in it */
        got += re * turn_re - im * turn_im;
        expected += judge->A * (re * c[i] - im * s[i]);
        bound += modulus * off;
        moduli += modulus;
    }
    if (!(moduli > 0.0)) return;
    const double A2 = judge->A * judge->A;
    report_witness where = rope_witness_at(judge, t, -1);
    where.has_n = true;
    where.n = evidence->m[n];
    rope_count_test(count, fabs(got - expected) / moduli, bound / moduli + A2 * rope_bound_sum(4 * judge->h, 2.0), A2, &where);
}

void claim_score_complex(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++)
        for (size_t step = 1; step <= 9 && t + step < evidence->rows; step += 4) test_score(context, t, t + step, &count);
    for (size_t t = 0; t + 1 < evidence->rows; t++) test_score(context, t, evidence->rows - 1 - t, &count);
    claim_take(claim, &count, claim_coverage(context));
    claim_keep_testable(claim);
}

/* ---- calling the kernel ---------------------------------------------------------------------------- */

/* Rotates count real vectors (h values, the imaginary parts zero) at position m: one call, since a kernel forms its cos and
 * sin anew in each. out is [count][2][h]: real parts, imaginary parts. Pass-through channels are zero. */
static void rotate(const rope_subject *subject, int64_t m, size_t count, const double *real, double *out) {
    const rope_spec *spec = &subject->spec;
    const size_t d = (size_t)spec->dim, h = (size_t)rope_spec_pairs(spec);
    double *x = calloc(2 * count * d, sizeof *x), *y = x + count * d;
    if (!x) abort();
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < h; i++) {
            int a, b;
            rope_spec_channels(spec, spec->layout_in, (int)i, &a, &b);
            x[k * d + (size_t)a] = real[k * h + i];
        }
    subject->kernel->rotate(spec, m, count, x, y);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < h; i++) {
            int a, b;
            rope_spec_channels(spec, spec->layout_out, (int)i, &a, &b);
            out[2 * k * h + i] = y[k * d + (size_t)a];
            out[(2 * k + 1) * h + i] = y[k * d + (size_t)b];
        }
    free(x);
}

/* Every probe position's rotations of the same vectors: [positions][count][2][h]. */
static double *rotate_everywhere(const claim_context *context, size_t count, const double *real) {
    const rope_evidence *evidence = context->evidence;
    const size_t positions = evidence->rows / 3, h = (size_t)evidence->h; /* kernels: three rows a position */
    double *out = malloc(positions * count * 2 * h * sizeof *out);
    if (!out) abort();
    for (size_t k = 0; k < positions; k++) rotate(context->subject, evidence->m[3 * k], count, real, out + k * count * 2 * h);
    return out;
}

static double score(int h, const double *q, const double *k) {
    double sum = 0.0;
    for (int i = 0; i < 2 * h; i++) sum += q[i] * k[i];
    return sum;
}

/* Error of the product of two turned numbers of modulus 1, at sampled rows t and n. */
static double product_error(const rope_judge *judge, size_t t, size_t n, int i) {
    const double x = rope_judge_turn(judge, t, i), y = rope_judge_turn(judge, n, i);
    return judge->A * (x + y) + x * y;
}

/* ---- decay-bound ----------------------------------------------------------------------------------- */

/* RoFormer eq. 37 with real h_i = q_i k_i and S_(i+1) = sum_(j <= i) e^{i (m - n) theta_j}; h_h = 0. */
static double abel_bound(const rope_judge *judge, int64_t distance, const double *products) {
    double c[judge->h], s[judge->h], re = 0.0, im = 0.0, sums = 0.0, steepest = 0.0;
    rope_judge_exact(judge, distance, c, s);
    for (int i = 0; i < judge->h; i++) {
        re += c[i] / judge->A;
        im += s[i] / judge->A;
        sums += hypot(re, im);
        steepest = fmax(steepest, fabs((i + 1 < judge->h ? products[i + 1] : 0.0) - products[i]));
    }
    return judge->A * judge->A * steepest * sums;
}

typedef struct decay_case {
    size_t q, k;  /* which vectors */
    bool at_zero; /* at distance 0, else at the mirrored position */
} decay_case;

void claim_decay_bound(const claim_context *context, report_claim *claim) {
    enum { ONES, RAMP, RANDOM, OTHER, VECTORS };
    /* A falling ramp with ones at distance 0 reaches the bound: there a factor too much shows. */
    static const decay_case cases[] = {{RAMP, ONES, true}, {ONES, ONES, false}, {RANDOM, OTHER, false}};
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    const int h = judge->h;
    const size_t positions = evidence->rows / 3, stride = 2 * (size_t)h;
    double vectors[VECTORS][h], products[h];
    rope_random source = rope_random_seeded(context->subject->seed + 4);
    for (int i = 0; i < h; i++) {
        vectors[ONES][i] = 1.0;
        vectors[RAMP][i] = rope_round(context->subject->dtype, (double)(h - i) / h); /* what the kernel can be given */
        vectors[RANDOM][i] = rope_random_grid(&source);
        vectors[OTHER][i] = rope_random_grid(&source);
    }
    double *turned = rotate_everywhere(context, VECTORS, vectors[0]);
    rope_count count = {0};
    for (size_t p = 0; p < positions; p++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const size_t n = cases[c].at_zero ? p : positions - 1 - p;
            const double *q = turned + (p * VECTORS + cases[c].q) * stride, *k = turned + (n * VECTORS + cases[c].k) * stride;
            double margin = 0.0, moduli = 0.0;
            for (int i = 0; i < h; i++) {
                products[i] = vectors[cases[c].q][i] * vectors[cases[c].k][i];
                moduli += fabs(products[i]);
                margin += fabs(products[i]) * product_error(judge, 3 * p, 3 * n, i);
            }
            /* How far the score exceeds the bound, relative to what any score can reach, A^2 sum |h_i|. */
            const double bound = abel_bound(judge, evidence->m[3 * n] - evidence->m[3 * p], products);
            const double reach = judge->A * judge->A * moduli, excess = fmax(fabs(score(h, q, k)) - bound, 0.0);
            margin += rope_bound_sum(4 * h, reach) + rope_bound_sum(4 * h, bound);
            report_witness where = rope_witness_at(judge, 3 * p, -1);
            where.has_n = true;
            where.n = evidence->m[3 * n];
            rope_count_test(&count, excess / reach, margin / reach, INFINITY, &where);
        }
    free(turned);
    claim_take(claim, &count, claim_coverage(context));
}

/* ---- linear-attention ------------------------------------------------------------------------------ */

/* Eq. 19 with positive features: numerator weights w_j = <R_m q, R_(n_j) k_j>, denominator free of positions. Each weight
 * must be A^2 Re q conj(k_j) e^{i (m - n_j) theta}, so that the output depends on distances alone. */
void claim_linear_attention(const claim_context *context, report_claim *claim) {
    enum { KEYS = 6, VECTORS = KEYS + 1 };
    const rope_judge *judge = context->judge;
    const rope_evidence *evidence = context->evidence;
    const int h = judge->h;
    const size_t positions = evidence->rows / 3, stride = 2 * (size_t)h;
    double features[VECTORS][h], value[VECTORS], c[h], s[h]; /* vector 0 is the query */
    rope_random random = rope_random_seeded(context->subject->seed + 5);
    for (int j = 0; j < VECTORS; j++) {
        value[j] = rope_random_grid(&random);
        for (int i = 0; i < h; i++) features[j][i] = fabs(rope_random_grid(&random));
    }
    double *turned = rotate_everywhere(context, VECTORS, features[0]);
    rope_count count = {0};
    for (size_t p = 0; p < positions; p++) {
        double numerator = 0.0, expected = 0.0, denominator = 0.0, bound = 0.0;
        for (size_t j = 1; j < VECTORS; j++) {
            const size_t n = p / j; /* keys at earlier positions, the first at the query's own */
            rope_judge_exact(judge, evidence->m[3 * n] - evidence->m[3 * p], c, s); /* times A */
            numerator += value[j] * score(h, turned + p * VECTORS * stride, turned + (n * VECTORS + j) * stride);
            for (int i = 0; i < h; i++) {
                const double product = features[0][i] * features[j][i];
                expected += judge->A * product * c[i] * value[j];
                denominator += product;
                bound += product * fabs(value[j]) * product_error(judge, 3 * p, 3 * n, i);
            }
        }
        const double A2 = judge->A * judge->A; /* |value| < 2: both sums stay below 2 A^2 denominators */
        const report_witness where = rope_witness_at(judge, 3 * p, -1);
        rope_count_test(&count, fabs(numerator - expected) / denominator,
                        bound / denominator + rope_bound_sum(6 * h * KEYS, 4.0 * A2), 2.0 * A2, &where);
    }
    free(turned);
    claim_take(claim, &count, claim_coverage(context));
}
