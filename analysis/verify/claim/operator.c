/* Claims about the operators R_m among themselves: identity, orthogonal, norm, relative, group, linear, distinct.
 *
 * They are tested on the turns t_m = A e^{i m theta_i} that the subject applied; no reference is needed, which is why
 * a wrong base passes here and a rounded position does not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"
#include "claim.h"

typedef struct turn {
    double re, im;
} turn;

static turn turn_at(const rope_evidence *evidence, size_t row, int i) {
    const size_t at = row * (size_t)evidence->h + (size_t)i;
    return (turn){evidence->re[at], evidence->im[at]};
}

static turn times(turn a, turn b) { return (turn){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static turn conjugate(turn a) { return (turn){a.re, -a.im}; }
static double apart(turn a, turn b) { return hypot(a.re - b.re, a.im - b.im); }

/* First row of each distinct position; returns how many. */
static size_t distinct_rows(const rope_evidence *evidence, size_t *rows) {
    size_t count = 0;
    for (size_t t = 0; t < evidence->rows; t++)
        if (count == 0 || evidence->m[t] != evidence->m[rows[count - 1]]) rows[count++] = t;
    return count;
}

static size_t *make_rows(const rope_evidence *evidence, size_t *count) {
    size_t *rows = malloc((evidence->rows + 1) * sizeof *rows);
    if (!rows) abort();
    *count = distinct_rows(evidence, rows);
    return rows;
}

/* more: other rows than these two take part. */
static report_witness pair_witness(const claim_context *context, size_t t, size_t n, int i, bool more) {
    report_witness where = rope_witness_at(context->judge, t, i);
    where.more_rows = more;
    where.has_n = true;
    where.n = context->evidence->m[n];
    return where;
}

/* ---- identity -------------------------------------------------------------------------------------- */

/* Inputs of a finer type than the outputs are rounded once, even at position 0. */
static bool is_stored_exactly(const rope_evidence *evidence, size_t t, int i) {
    const size_t at = t * (size_t)evidence->channels + 2 * (size_t)i;
    const rope_dtype dtype = evidence->subject->dtype;
    return !evidence->vector ||
           (rope_round(dtype, evidence->alpha[at]) == evidence->alpha[at] && rope_round(dtype, evidence->beta[at]) == evidence->beta[at]);
}

void claim_identity(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++)
        for (int i = 0; evidence->m[t] == 0 && i < evidence->h; i++) {
            const size_t at = t * (size_t)evidence->h + (size_t)i;
            if (isnan(evidence->noise[at])) continue;
            /* cos 0 = 1 and sin 0 = 0 are exact, products with them, too: with A = 1 only the quotient rounds. */
            const double bound = judge->A == 1.0 && is_stored_exactly(evidence, t, i) ? evidence->noise[at] : rope_judge_steady(judge, t, i);
            const report_witness where = rope_witness_at(judge, t, i);
            rope_count_test(&count, apart(turn_at(evidence, t, i), (turn){judge->A, 0.0}), bound, judge->A, &where);
        }
    if (!count.checked) claim_skip(claim, "the data hold no position 0");
    claim_take(claim, &count, claim_coverage(context));
}

/* ---- orthogonal, norm: inner products of whole vectors --------------------------------------------- */

/* Applies row t's turns to q (h complex numbers): what the operator makes of a vector. */
static void apply(const rope_evidence *evidence, size_t t, const turn *q, turn *out) {
    for (int i = 0; i < evidence->h; i++) out[i] = times(turn_at(evidence, t, i), q[i]);
}

static double dot(int h, const turn *a, const turn *b) {
    double sum = 0.0;
    for (int i = 0; i < h; i++) sum += a[i].re * b[i].re + a[i].im * b[i].im;
    return sum;
}

static void random_vector(rope_random *random, int h, turn *q) {
    for (int i = 0; i < h; i++) {
        q[i].re = rope_random_grid(random);
        q[i].im = rope_random_grid(random);
    }
}

/* The input and output pairs of a sampled row as complex numbers. */
static void row_vectors(const rope_evidence *evidence, size_t t, turn *x, turn *y) {
    for (int i = 0; i < evidence->h; i++) {
        const size_t at = t * (size_t)evidence->channels + 2 * (size_t)i;
        x[i] = (turn){evidence->alpha[at], evidence->alpha[at + 1]};
        y[i] = (turn){evidence->value[at], evidence->value[at + 1]};
    }
}

/* |<y1, y2> - A^2 <x1, x2>| <= sum_i |x1_i| |x2_i| (2 A e_i + e_i^2) + rounding, e_i the steady error: both vectors went
 * through the same phases. */
static void test_product(const claim_context *context, size_t t, size_t n, const turn *x1, const turn *x2, const turn *y1,
                         const turn *y2, rope_count *count) {
    const rope_judge *judge = context->judge;
    const int h = judge->h;
    double moduli = 0.0, bound = 0.0;
    for (int i = 0; i < h; i++) {
        const double product = hypot(x1[i].re, x1[i].im) * hypot(x2[i].re, x2[i].im);
        const double e = product > 0.0 ? fmax(rope_judge_steady(judge, t, i), rope_judge_steady(judge, n, i)) : 0.0;
        moduli += product;
        bound += product * (2.0 * judge->A * e + e * e);
    }
    if (!(moduli > 0.0)) return;
    const double A2 = judge->A * judge->A;
    bound += 2.0 * A2 * rope_bound_sum(4 * h, moduli);
    const report_witness where = pair_witness(context, t, n, -1, false);
    rope_count_test(count, fabs(dot(h, y1, y2) - A2 * dot(h, x1, x2)) / moduli, bound / moduli, A2, &where);
}

void claim_orthogonal(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    const int h = evidence->h;
    turn x1[h], x2[h], y1[h], y2[h];
    rope_count count = {0};
    rope_random random = rope_random_seeded(context->subject->seed);
    for (size_t t = 0; t < evidence->rows; t++) {
        if (!evidence->vector) { /* two vectors through the operator that the row defines */
            random_vector(&random, h, x1);
            random_vector(&random, h, x2);
            apply(evidence, t, x1, y1);
            apply(evidence, t, x2, y2);
            test_product(context, t, t, x1, x2, y1, y2, &count);
            continue;
        }
        for (size_t n = t + 1; n < evidence->rows && n < t + 4 && evidence->m[n] == evidence->m[t]; n++) {
            row_vectors(evidence, t, x1, y1);
            row_vectors(evidence, n, x2, y2);
            test_product(context, t, n, x1, x2, y1, y2, &count);
        }
    }
    if (!count.checked) claim_skip(claim, "needs two vectors at one position (heads, batches, or a repeated position)");
    claim_take(claim, &count, claim_coverage(context));
}

void claim_norm(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    const int h = evidence->h;
    turn x[h], y[h];
    rope_count count = {0};
    rope_random random = rope_random_seeded(context->subject->seed + 1);
    for (size_t t = 0; t < evidence->rows; t++) {
        if (evidence->vector) {
            row_vectors(evidence, t, x, y);
        } else {
            random_vector(&random, h, x);
            apply(evidence, t, x, y);
        }
        double square = 0.0, bound = 0.0;
        for (int i = 0; i < h; i++) {
            const double norm = hypot(x[i].re, x[i].im), e = norm > 0.0 ? rope_judge_steady(context->judge, t, i) * norm : 0.0;
            square += norm * norm;
            bound += e * e;
        }
        if (!(square > 0.0)) continue;
        /* | |y| - A|x| | <= |y - A R x| <= sqrt(sum e_i^2); the two norms in double add (2h + 2) 2^-53 each */
        const double norm = sqrt(square), A = context->judge->A;
        const double rounding = 2.0 * A * rope_bound_sum(2 * h, 1.0);
        const report_witness where = rope_witness_at(context->judge, t, -1);
        rope_count_test(&count, fabs(sqrt(dot(h, y, y)) - A * norm) / norm, sqrt(bound) / norm + rounding, A, &where);
    }
    claim_take(claim, &count, claim_coverage(context));
}

/* ---- relative -------------------------------------------------------------------------------------- */

typedef struct couple {
    int64_t distance;
    size_t t, n; /* rows, m_t < m_n */
} couple;

static int by_distance(const void *left, const void *right) {
    const couple *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    if (a->t != b->t) return a->t < b->t ? -1 : 1;
    return a->n < b->n ? -1 : a->n > b->n;
}

/* Pairs of distinct positions, sorted by distance; at most `most` of the nearest rows, thinned evenly. */
static couple *make_couples(const rope_evidence *evidence, size_t *count) {
    size_t known;
    size_t *rows = make_rows(evidence, &known);
    const size_t most = 192, used = known < most ? known : most;
    couple *couples = malloc((used * used / 2 + 1) * sizeof *couples);
    if (!couples) abort();
    *count = 0;
    for (size_t a = 0; a < used; a++)
        for (size_t b = a + 1; b < used; b++) {
            const size_t t = rows[a * (known - 1) / (used > 1 ? used - 1 : 1)], n = rows[b * (known - 1) / (used - 1)];
            couples[(*count)++] = (couple){evidence->m[n] - evidence->m[t], t, n};
        }
    qsort(couples, *count, sizeof *couples, by_distance);
    free(rows);
    return couples;
}

/* Visits pairs of couples at equal distance: (first of its distance, another). */
typedef void visit_couples(const claim_context *context, const couple *a, const couple *b, rope_count *count);

static void visit_equal_distances(const claim_context *context, visit_couples *visit, report_claim *claim) {
    size_t count;
    couple *couples = make_couples(context->evidence, &count);
    rope_count tested = {0};
    for (size_t first = 0, k; first < count; first = k)
        for (k = first + 1; k < count && couples[k].distance == couples[first].distance; k++)
            if (k - first <= 16) visit(context, &couples[first], &couples[k], &tested);
    free(couples);
    if (!tested.checked) claim_skip(claim, "no two pairs of positions have the same distance");
    claim_take(claim, &tested, claim_coverage(context));
}

/* Error of t_n conj(t_m) whose frequency error cancels: A (e_m + e_n) + e_m e_n and the angles' own roundings. */
static double relative_bound(const rope_judge *judge, const couple *pair, int i) {
    const double a = rope_judge_steady(judge, pair->t, i), b = rope_judge_steady(judge, pair->n, i);
    const double phase = rope_judge_difference(judge, pair->t, i) + rope_judge_difference(judge, pair->n, i);
    return judge->A * (a + b) + a * b + judge->A * judge->A * phase;
}

static turn relative_turn(const rope_evidence *evidence, const couple *pair, int i) {
    return times(turn_at(evidence, pair->n, i), conjugate(turn_at(evidence, pair->t, i)));
}

static void test_relative(const claim_context *context, const couple *a, const couple *b, rope_count *count) {
    const rope_judge *judge = context->judge;
    for (int i = 0; i < judge->h; i++) {
        const turn p = relative_turn(context->evidence, a, i), q = relative_turn(context->evidence, b, i);
        if (context->evidence->vector && (isnan(p.re) || isnan(q.re))) continue;
        const report_witness where = pair_witness(context, b->t, b->n, i, true);
        rope_count_test(count, apart(p, q), relative_bound(judge, a, i) + relative_bound(judge, b, i), judge->A * judge->A, &where);
    }
}

void claim_relative(const claim_context *context, report_claim *claim) {
    visit_equal_distances(context, test_relative, claim);
    claim_keep_testable(claim);
}

/* ---- score-shift ----------------------------------------------------------------------------------- */

/* Scores of two fixed vectors, q_i conj(k_i) = w_i: Re sum w_i t_m conj(t_n); bound sum |w_i| relative bound. */
static void test_score(const claim_context *context, const couple *a, const couple *b, rope_count *count) {
    const rope_judge *judge = context->judge;
    rope_random random = rope_random_seeded(context->subject->seed + 2);
    double difference = 0.0, bound = 0.0, moduli = 0.0;
    for (int i = 0; i < judge->h; i++) {
        const turn w = {rope_random_grid(&random), rope_random_grid(&random)};
        const turn p = times(w, conjugate(relative_turn(context->evidence, a, i)));
        const turn q = times(w, conjugate(relative_turn(context->evidence, b, i)));
        if (context->evidence->vector && (isnan(p.re) || isnan(q.re))) continue;
        const double modulus = hypot(w.re, w.im), off = relative_bound(judge, a, i) + relative_bound(judge, b, i);
        if (off >= judge->A * judge->A) continue; /* far out a fast pair's phase is unknown: q and k have nothing in it */
        difference += p.re - q.re;
        moduli += modulus;
        bound += modulus * off;
    }
    if (!(moduli > 0.0)) return;
    const double A2 = judge->A * judge->A;
    const report_witness where = pair_witness(context, b->t, b->n, -1, true);
    rope_count_test(count, fabs(difference) / moduli, bound / moduli + A2 * rope_bound_sum(2 * judge->h, 2.0), A2, &where);
}

void claim_score_shift(const claim_context *context, report_claim *claim) {
    visit_equal_distances(context, test_score, claim);
    claim_keep_testable(claim);
}

/* ---- group ----------------------------------------------------------------------------------------- */

void claim_group(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    size_t known;
    size_t *rows = make_rows(evidence, &known);
    rope_count count = {0};
    for (size_t a = 0; a < known && a < 160; a++)
        for (size_t b = a, c = 0; b < known && b < 160; b++) {
            const size_t t = rows[a], n = rows[b];
            const int64_t sum = evidence->m[t] + evidence->m[n];
            while (c < known && evidence->m[rows[c]] < sum) c++;
            if (c == known || evidence->m[rows[c]] != sum) {
                if (evidence->m[t] < 0) c = 0; /* sums fall again when positions are negative */
                continue;
            }
            for (int i = 0; i < evidence->h; i++) {
                const turn p = times(turn_at(evidence, t, i), turn_at(evidence, n, i)), q = turn_at(evidence, rows[c], i);
                if (evidence->vector && (isnan(p.re) || isnan(q.re))) continue;
                const double x = rope_judge_turn(judge, t, i), y = rope_judge_turn(judge, n, i);
                const double bound = judge->A * (x + y) + x * y + judge->A * rope_judge_turn(judge, rows[c], i);
                const report_witness where = pair_witness(context, t, n, i, true);
                rope_count_test(&count, apart(p, (turn){judge->A * q.re, judge->A * q.im}), bound, judge->A * judge->A, &where);
            }
        }
    free(rows);
    if (!count.checked) claim_skip(claim, "no position in the data is the sum of two others");
    claim_take(claim, &count, claim_coverage(context));
    claim_keep_testable(claim);
}

/* ---- linear ---------------------------------------------------------------------------------------- */

enum { LINEAR_WINDOW = 6 }; /* rows of one position among which a sum of two others is looked for */

static bool is_sum(int h, const turn *sum, const turn *a, const turn *b) {
    for (int i = 0; i < h; i++)
        if (sum[i].re != a[i].re + b[i].re || sum[i].im != a[i].im + b[i].im) return false;
    return true;
}

/* sqrt(sum_i (e_i |x_i|)^2) >= |y - A R x|. When a layout fault pairs other channels the e_i, equal for all pairs but for
 * storage, keep the sum nearly the same. */
static double vector_error(const rope_judge *judge, size_t t, const turn *x) {
    double sum = 0.0;
    for (int i = 0; i < judge->h; i++) {
        const double norm = hypot(x[i].re, x[i].im), e = norm > 0.0 ? rope_judge_steady(judge, t, i) * norm : 0.0;
        sum += e * e;
    }
    return sqrt(sum);
}

/* |y_3 - y_1 - y_2| where x_3 = x_1 + x_2, relative to the three inputs' norms; the subtraction itself rounds by 2^-53 of
 * them, h times at most. */
static void test_sum(const claim_context *context, const size_t rows[3], rope_count *count) {
    const int h = context->evidence->h;
    turn x[3][h], y[3][h];
    double off = 0.0, norms = 0.0, bound = 0.0;
    for (int k = 0; k < 3; k++) {
        row_vectors(context->evidence, rows[k], x[k], y[k]);
        norms += sqrt(dot(h, x[k], x[k]));
        bound += vector_error(context->judge, rows[k], x[k]);
    }
    if (!is_sum(h, x[2], x[0], x[1]) || !(norms > 0.0)) return;
    for (int i = 0; i < h; i++) {
        const double re = y[2][i].re - y[0][i].re - y[1][i].re, im = y[2][i].im - y[0][i].im - y[1][i].im;
        off += re * re + im * im;
    }
    const double A = context->judge->A;
    const report_witness where = rope_witness_at(context->judge, rows[2], -1);
    rope_count_test(count, sqrt(off) / norms, bound / norms + A * rope_bound_sum(h, 1.0), A, &where);
}

void claim_linear(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++)
        for (size_t n = t > LINEAR_WINDOW ? t - LINEAR_WINDOW : 0; n < t; n++)
            for (size_t o = n + 1; o < t && evidence->m[n] == evidence->m[t]; o++)
                test_sum(context, (const size_t[3]){n, o, t}, &count);
    if (!count.checked)
        claim_skip(claim, "needs a vector that is the sum of two others at its position, as rope-verify probes writes them");
    claim_take(claim, &count, claim_coverage(context));
}

/* ---- distinct -------------------------------------------------------------------------------------- */

void claim_distinct(const claim_context *context, report_claim *claim) {
    const rope_evidence *evidence = context->evidence;
    const rope_judge *judge = context->judge;
    size_t known;
    size_t *rows = make_rows(evidence, &known);
    double c[2][judge->h], s[2][judge->h];
    rope_count count = {0};
    for (size_t k = 1; k < known; k++) {
        const size_t t = rows[k - 1], n = rows[k];
        rope_judge_exact(judge, evidence->m[t], c[0], s[0]);
        rope_judge_exact(judge, evidence->m[n], c[1], s[1]);
        bool must_differ = false, differ = false;
        for (int i = 0; i < judge->h; i++) {
            const turn p = turn_at(evidence, t, i), q = turn_at(evidence, n, i);
            if (evidence->vector && (isnan(p.re) || isnan(q.re))) continue;
            const double noise = rope_judge_steady(judge, t, i) + rope_judge_steady(judge, n, i);
            const double bound = rope_judge_turn(judge, t, i) + rope_judge_turn(judge, n, i);
            must_differ |= hypot(c[1][i] - c[0][i], s[1][i] - s[0][i]) > 2.0 * bound;
            /* entries of a table are read, not recovered: equal rows are equal to the bit */
            differ |= evidence->vector ? apart(p, q) > noise : apart(p, q) > 0.0;
        }
        const report_witness where = pair_witness(context, n, t, -1, false);
        if (must_differ) rope_count_test(&count, differ ? 0.0 : 1.0, 0.0, INFINITY, &where);
    }
    free(rows);
    if (!count.checked) claim_skip(claim, "no two rows differ by more than twice the bound");
    claim_take(claim, &count, claim_coverage(context));
}
