/* Refining a fit with what it does not explain, and choosing among the models that explain the sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { REFINE_ROWS = 1024, REFINEMENTS = 8 };

static rope_place place_of(const rope_subject *subject, size_t k) {
    const size_t time = k % subject->times, head = k / subject->times % subject->heads, batch = k / subject->times / subject->heads;
    return (rope_place){subject_position(subject, batch, time), batch, head, time};
}

/* Rows of one pair that the fit does not explain; SIZE_MAX: it explains all. */
typedef struct rope_unexplained {
    size_t first, last;
} rope_unexplained;

/* In rows [first, first + count), for each pair. */
static void find_unexplained(const rope_judge *judge, size_t first, size_t count, rope_unexplained *unexplained) {
    rope_place places[REFINE_ROWS] = {{0}};
    rope_evidence evidence;
    double c[judge->h], s[judge->h], spread[judge->h];
    const rope_allowance allowance = rope_allowance_of(judge->arithmetic, judge->A, judge->subject->grade, judge->rotation);
    for (size_t k = 0; k < count; k++) places[k] = place_of(judge->subject, first + k);
    if (rope_evidence_read(&evidence, judge->subject, places, count, NULL) != ROPE_OK) return;
    for (size_t k = 0; k < count; k++) {
        rope_fit_predict(judge->used, places[k].m, c, s, spread);
        for (int j = 0; j < evidence.channels; j++) {
            const size_t at = k * (size_t)evidence.channels + (size_t)j;
            const int i = evidence.pair[j];
            const double expected = evidence.alpha[at] * c[i] + evidence.beta[at] * s[i];
            const double allowed = rope_allowed(&allowance, hypot(evidence.alpha[at], evidence.beta[at]), expected, spread[i]);
            if (fabs(evidence.value[at] - expected) <= allowed) continue;
            if (unexplained[i].first == SIZE_MAX) unexplained[i].first = first + k;
            unexplained[i].last = first + k;
        }
    }
    rope_evidence_clear(&evidence);
}

/* The rows that convict the fit over all rows of the subject, the first and the last for each pair: a corrupted row, which
 * no parameter explains, must not hide one that a better parameter would. */
static size_t counterexamples(const rope_judge *judge, rope_place *places) {
    const rope_subject *subject = judge->subject;
    const size_t rows = subject->batches * subject->heads * subject->times, h = (size_t)judge->h;
    const size_t blocks = (rows + REFINE_ROWS - 1) / REFINE_ROWS;
    rope_unexplained *found = malloc(blocks * h * sizeof *found);
    size_t count = 0;
    if (!found) return 0;
    for (size_t k = 0; k < blocks * h; k++) found[k] = (rope_unexplained){SIZE_MAX, SIZE_MAX};
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k < blocks; k++)
        find_unexplained(judge, k * REFINE_ROWS, rows - k * REFINE_ROWS < REFINE_ROWS ? rows - k * REFINE_ROWS : REFINE_ROWS, found + k * h);
    for (size_t i = 0; i < h; i++) {
        rope_unexplained of_pair = {SIZE_MAX, SIZE_MAX};
        for (size_t k = 0; k < blocks; k++) {
            if (found[k * h + i].first == SIZE_MAX) continue;
            if (of_pair.first == SIZE_MAX) of_pair.first = found[k * h + i].first;
            of_pair.last = found[k * h + i].last;
        }
        if (of_pair.first != SIZE_MAX) places[count++] = place_of(subject, of_pair.first);
        if (of_pair.first != of_pair.last) places[count++] = place_of(subject, of_pair.last);
    }
    free(found);
    return count;
}

/* A sample leaves a float frequency undetermined where storage is coarse or angles are small. Rows that the fit does not
 * explain join the sample and the search is repeated, until it explains them or finds nothing better: an honest
 * program's own parameters explain every row. Returns whether the fit changed. */
static bool refine(rope_judge *judge, rope_samples *samples) {
    rope_fit *const fit = &judge->fit[judge->used - judge->fit], better;
    rope_place *places = malloc(2 * (size_t)judge->h * sizeof *places);
    rope_evidence rows;
    bool changed = false;
    const size_t parameters = fit->model->iterated ? 1 : (size_t)judge->h;
    const size_t count = places ? counterexamples(judge, places) : 0;
    if (count && rope_evidence_read(&rows, judge->subject, places, count, NULL) == ROPE_OK) {
        if (rope_samples_extend(samples, &rows, NULL) == ROPE_OK &&
            rope_fit_search(&better, &fit->program, fit->model, samples, NULL) == ROPE_OK) {
            changed = memcmp(better.parameter, fit->parameter, parameters * sizeof *fit->parameter) != 0;
            if (changed) {
                better.residual_u = fmax(better.residual_u, fit->residual_u);
                rope_fit_clear(fit);
                *fit = better;
            } else {
                rope_fit_clear(&better);
            }
        }
        rope_evidence_clear(&rows);
    }
    free(places);
    return changed;
}

static void scan_refined(rope_judge *judge) {
    rope_judge_scan_once(judge);
    if (!judge->used || !judge->model->window || judge->subject->kind == SUBJECT_BUILT_IN) return;
    rope_samples samples = rope_evidence_samples(judge->evidence, 48);
    samples.rotated = judge->rotation;
    for (int k = 0; k < REFINEMENTS && judge->scan.value.broken; k++) {
        if (!refine(judge, &samples)) break;
        rope_judge_scan_once(judge);
    }
    rope_samples_free(&samples);
}

static void scan_models(rope_judge *judge) {
    int best = 0;
    rope_scan least;
    rope_judge_use(judge, judge->fits ? 0 : -1);
    scan_refined(judge);
    least = judge->scan;
    for (int k = 1; k < judge->fits && least.value.broken; k++) {
        rope_judge_use(judge, k);
        scan_refined(judge);
        if (judge->scan.value.broken < least.value.broken) {
            least = judge->scan;
            best = k;
        }
    }
    rope_judge_use(judge, judge->fits ? best : -1);
    judge->scan = least;
}

/* A rotation in f16 or bf16 itself rounds twice more: admitted only when it explains everything and one rounding does not. */
void rope_judge_scan(rope_judge *judge) {
    if (judge->subject->exact && judge->subject->kind == SUBJECT_TABLE) { /* asks the truth, no model */
        rope_judge_scan_once(judge);
        return;
    }
    scan_models(judge);
    const bool is_short = rope_unit(judge->subject->grade) > rope_unit(ROPE_F32);
    if (!judge->scan.value.broken || judge->subject->kind != SUBJECT_ROTATED || !is_short) return;
    const rope_scan strict = judge->scan;
    const int used = judge->used ? (int)(judge->used - judge->fit) : -1;
    judge->rotation = ROPE_ROTATED_SHORT;
    scan_models(judge);
    if (!judge->scan.value.broken) return;
    judge->rotation = ROPE_ROTATED;
    rope_judge_use(judge, used);
    judge->scan = strict;
}
