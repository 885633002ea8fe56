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

/* Puts a search over the extended sample in the fit's place. Returns whether its parameters changed. */
static bool replace_fit(rope_fit *fit, const rope_fit *found, int h) {
    const size_t parameters = fit->model->iterated ? 1 : (size_t)h;
    const bool changed = memcmp(found->parameter, fit->parameter, parameters * sizeof *fit->parameter) != 0;
    const double residual_u = changed ? fmax(found->residual_u, fit->residual_u) : fit->residual_u;
    rope_fit_clear(fit);
    *fit = *found;
    fit->residual_u = residual_u;
    return changed;
}

/* A sample leaves a float frequency undetermined where storage is coarse or angles are small. Rows that the fit does not
 * explain join the sample and the search is repeated, until it explains them or finds nothing better: an honest
 * program's own parameters explain every row. Returns whether the fit changed. */
static bool refine(rope_judge *judge, rope_samples *samples) {
    rope_fit *const fit = &judge->fit[judge->used - judge->fit], found;
    rope_place *places = malloc(2 * (size_t)judge->h * sizeof *places);
    rope_evidence rows;
    bool changed = false;
    const size_t count = places ? counterexamples(judge, places) : 0;
    if (count && rope_evidence_read(&rows, judge->subject, places, count, NULL) == ROPE_OK) {
        if (rope_samples_extend(samples, &rows, NULL) == ROPE_OK &&
            rope_fit_search(&found, &fit->program, fit->model, samples, NULL) == ROPE_OK)
            changed = replace_fit(fit, &found, judge->h);
        rope_evidence_clear(&rows);
    }
    free(places);
    return changed;
}

/* Returns whether the search has settled: then rows that convict the fit are in the sample. */
static bool scan_refined(rope_judge *judge, rope_samples *samples) {
    rope_judge_scan_once(judge);
    if (!judge->used || judge->subject->kind == SUBJECT_BUILT_IN) return false;
    for (int k = 0; k < REFINEMENTS && judge->scan.value.broken; k++) {
        if (!refine(judge, samples)) return true;
        rope_judge_scan_once(judge);
    }
    return false;
}

/* Does fit k, searched again, explain more of the rows that convicted the models before it? If not, a scan is spared: where its
 * window has nothing that explains these rows it cannot explain all. */
static bool explains_more(rope_judge *judge, int k, const rope_samples *samples, size_t most) {
    rope_fit *const fit = &judge->fit[k], found;
    if (rope_fit_search(&found, &fit->program, fit->model, samples, NULL) != ROPE_OK) return false;
    replace_fit(fit, &found, judge->h);
    return fit->rows_explained > most;
}

static void scan_models(rope_judge *judge) {
    rope_samples samples = rope_evidence_samples(judge->evidence, 48);
    samples.rotated = judge->rotation;
    int best = judge->fits ? 0 : -1;
    rope_judge_use(judge, best);
    bool settled = scan_refined(judge, &samples);
    rope_scan least = judge->scan;
    for (int k = 1; k < judge->fits && least.value.broken; k++) {
        if (settled && !explains_more(judge, k, &samples, judge->fit[best].rows_explained)) continue;
        rope_judge_use(judge, k);
        settled = scan_refined(judge, &samples);
        if (judge->scan.value.broken >= least.value.broken) continue;
        least = judge->scan;
        best = k;
    }
    rope_samples_free(&samples);
    rope_judge_use(judge, best);
    judge->scan = least;
}

/* A rotation in f16 or bf16 itself, which the moduli of the sample did not show: admitted when it explains every row, or a model
 * of it more rows than one rounding does. */
static void scan_short(rope_judge *judge) {
    rope_judge strict = *judge;
    const int used = judge->used ? (int)(judge->used - judge->fit) : -1;
    judge->fits = 0;
    const bool fitted = rope_judge_fit(judge, ROPE_ROTATED_SHORT, NULL) == ROPE_OK;
    if (fitted) scan_models(judge);
    const uint64_t broken = judge->scan.value.broken;
    if (fitted && (!broken || (judge->fits && broken < strict.scan.value.broken))) {
        while (strict.fits) rope_fit_clear(&strict.fit[--strict.fits]);
        return;
    }
    while (judge->fits) rope_fit_clear(&judge->fit[--judge->fits]);
    *judge = strict;
    rope_judge_use(judge, used);
}

void rope_judge_scan(rope_judge *judge) {
    if (judge->subject->exact && judge->subject->kind == SUBJECT_TABLE) { /* asks the truth, no model */
        rope_judge_scan_once(judge);
        return;
    }
    scan_models(judge);
    if (judge->scan.value.broken && judge->rotation == ROPE_ROTATED && rope_judge_may_be_short(judge)) scan_short(judge);
}
