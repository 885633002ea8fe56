#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/frequency/frequency.h"
#include "../../src/table.h"

enum { SEARCH_ROWS = 48 };

/* ---- opening --------------------------------------------------------------------------------------- */

/* Turns whose modulus a rotation of this kind does not explain: a question that needs no phase. */
static size_t moduli_beyond(rope_judge *judge, rope_rotation rotation) {
    const rope_evidence *evidence = judge->evidence;
    const size_t turns = evidence->rows * (size_t)judge->h;
    size_t count = 0;
    judge->rotation = rotation;
    rope_judge_use(judge, -1);
    for (size_t k = 0; k < turns; k++) count += fabs(hypot(evidence->re[k], evidence->im[k]) - judge->A) > judge->steady[k];
    return count;
}

/* Vectors of a short format may have been rotated in that format, which rounds twice more: so they were when one rounding leaves
 * moduli unexplained and three leave less than half of these. What shows nothing here is asked again after the scan. */
static rope_rotation rotation_of(rope_judge *judge) {
    if (!judge->evidence->vector) return ROPE_UNROTATED;
    if (!rope_judge_may_be_short(judge)) return ROPE_ROTATED;
    const size_t strict = moduli_beyond(judge, ROPE_ROTATED), by_one = moduli_beyond(judge, ROPE_ROTATED_SHORT);
    return 2 * by_one < strict ? ROPE_ROTATED_SHORT : ROPE_ROTATED;
}

bool rope_judge_may_be_short(const rope_judge *judge) {
    return judge->subject->kind == SUBJECT_ROTATED && rope_unit(judge->subject->grade) > rope_unit(ROPE_F32);
}

rope_status rope_judge_fit(rope_judge *judge, rope_rotation rotation, rope_error *error) {
    rope_samples samples = rope_evidence_samples(judge->evidence, SEARCH_ROWS);
    const rope_program honest = rope_program_honest(&judge->subject->spec);
    judge->rotation = samples.rotated = rotation;
    const rope_status status = rope_fit_all(judge->fit, &judge->fits, &honest, &samples, error);
    rope_samples_free(&samples);
    rope_judge_use(judge, judge->fits ? 0 : -1);
    return status;
}

rope_status rope_judge_open(rope_judge *judge, const rope_subject *subject, const rope_evidence *evidence, rope_error *error) {
    const rope_spec *spec = &subject->spec;
    *judge = (rope_judge){.subject = subject, .evidence = evidence, .A = spec->magnitude, .h = rope_spec_pairs(spec),
                          .arithmetic = ROPE_F64};
    for (size_t t = 0; t < evidence->rows; t++) judge->largest = fmax(judge->largest, fabs((double)evidence->m[t]));
    judge->largest = fmax(judge->largest, (double)subject_largest_position(subject));
    const size_t turns = evidence->rows * (size_t)judge->h;
    judge->theta = malloc((2 * (size_t)judge->h + 2 * turns) * sizeof *judge->theta);
    if (!judge->theta) return rope_fail(error, ROPE_NO_MEMORY, subject->name, NULL, "no memory");
    judge->slope = judge->theta + judge->h;
    judge->steady = judge->slope + judge->h;
    judge->difference = judge->steady + turns;

    for (int i = 0; i < judge->h; i++) judge->theta[i] = rope_frequency_double(spec, i);
    const int64_t reach = judge->largest > 0x1p30 ? INT32_MAX : 2 * (int64_t)judge->largest + 2;
    rope_status status = rope_phase_new(&judge->phase, spec, reach, error);
    if (status == ROPE_OK) status = rope_judge_fit(judge, rotation_of(judge), error);
    if (status != ROPE_OK) rope_judge_close(judge);
    return status;
}

/* What a sampled turn may be off by beyond its phase, but for the noise of its own computation. */
static double steady_error(const rope_judge *judge) {
    const rope_dtype grade = judge->subject->grade;
    const rope_dtype rotation = grade == ROPE_F64 ? ROPE_F64 : ROPE_F32;
    double steady = rope_bound_trig(judge->arithmetic, judge->A) + rope_bound_cache(grade, judge->arithmetic, judge->A);
    /* A rotation rounds each of two components, and storing rounds each to the grade, relative to its modulus. */
    if (judge->evidence->vector) {
        steady += sqrt(2.0) * rope_bound_rotation(rotation);
        if (judge->rotation == ROPE_ROTATED_SHORT) steady += sqrt(2.0) * rope_bound_products(grade);
        if (rope_unit(grade) > rope_unit(rotation)) steady += rope_unit(grade) * (1.0 + steady);
    }
    return judge->A * steady;
}

/* The claims ask for these once per pair of rows. */
static void tabulate_errors(rope_judge *judge) {
    const rope_evidence *evidence = judge->evidence;
    const size_t h = (size_t)judge->h;
    const double steady = steady_error(judge);
    for (size_t t = 0; t < evidence->rows; t++) {
        const double m = fabs((double)evidence->m[t]);
        for (size_t i = 0; i < h; i++) {
            const double noise = evidence->noise[t * h + i]; /* NaN: the turn itself is unknown, not how far the output may be off */
            judge->steady[t * h + i] = steady + (isnan(noise) ? rope_evidence_blur(evidence, t, (int)i) : noise);
            judge->difference[t * h + i] =
                rope_bound_difference(judge->model, &judge->subject->spec, (int)i, m * (judge->theta[i] + judge->slope[i]), m);
        }
    }
}

void rope_judge_use(rope_judge *judge, int k) {
    const rope_fit *fit = k < 0 ? NULL : &judge->fit[k];
    judge->used = fit;
    /* A grade above f32 asks for a binary64 phase whether one replays or not. */
    judge->model = fit ? fit->model : judge->subject->grade == ROPE_F64 ? &rope_model_f64 : NULL;
    judge->arithmetic = judge->model ? judge->model->trig : ROPE_F32;
    double found[judge->h];
    const rope_spec *spec = &judge->subject->spec;
    const bool fitted = fit && judge->model->window;
    if (fitted) judge->model->angles(spec, fit->parameter, 1.0, found);
    for (int i = 0; i < judge->h; i++) {
        judge->slope[i] = rope_bound_slope(judge->model, spec, i, judge->largest);
        if (fitted) judge->slope[i] = fmax(judge->slope[i], rope_bound_fitted(judge->model, spec, found[i], i, judge->largest));
    }
    tabulate_errors(judge);
}

void rope_judge_close(rope_judge *judge) {
    while (judge->fits) rope_fit_clear(&judge->fit[--judge->fits]);
    rope_phase_free(judge->phase);
    free(judge->theta);
    *judge = (rope_judge){0};
}

/* ---- errors of turns ------------------------------------------------------------------------------- */

double rope_judge_steady(const rope_judge *judge, size_t row, int i) { return judge->steady[row * (size_t)judge->h + (size_t)i]; }

double rope_judge_operator(const rope_judge *judge) {
    return judge->A * (rope_bound_trig(judge->arithmetic, judge->A) + rope_bound_cache(judge->subject->grade, judge->arithmetic, judge->A));
}

double rope_judge_turn(const rope_judge *judge, size_t row, int i) {
    return rope_judge_steady(judge, row, i) + judge->A * judge->slope[i] * fabs((double)judge->evidence->m[row]);
}

double rope_judge_difference(const rope_judge *judge, size_t row, int i) {
    return judge->difference[row * (size_t)judge->h + (size_t)i];
}

void rope_judge_exact(const rope_judge *judge, int64_t m, double *c, double *s) {
    rope_dd exact[2][judge->h];
    rope_phase_row(judge->phase, m, exact[0], exact[1]);
    for (int i = 0; i < judge->h; i++) {
        c[i] = exact[0][i].hi;
        s[i] = exact[1][i].hi;
    }
}

/* ---- counting -------------------------------------------------------------------------------------- */

report_witness rope_witness_nowhere(void) {
    return (report_witness){.pair = -1, .row = -1, .column = -1, .batch = -1, .head = -1, .error = NAN, .allowed = NAN, .ulps = NAN};
}

report_witness rope_witness_at(const rope_judge *judge, size_t row, int pair) {
    const rope_evidence *evidence = judge->evidence;
    report_witness witness = rope_witness_nowhere();
    witness.has_m = true;
    witness.m = evidence->m[row];
    witness.pair = pair;
    witness.row = (int64_t)evidence->time[row];
    if (judge->subject->batches > 1) witness.batch = (int64_t)evidence->batch[row];
    if (judge->subject->heads > 1) witness.head = (int64_t)evidence->head[row];
    return witness;
}

void rope_witness_values(report_witness *witness, const rope_subject *subject, double expected, double got, double error, double allowed) {
    const rope_dtype dtype = subject->dtype;
    witness->has_values = true;
    witness->expected = expected;
    witness->got = got;
    witness->error = error;
    witness->allowed = allowed;
    witness->has_bits = rope_round(dtype, got) == got || isnan(got);
    if (!witness->has_bits) return;
    witness->got_bits = rope_encode(dtype, got);
    witness->bits_bytes = rope_format_of(dtype)->bytes;
    witness->ulps = isfinite(got) ? fabs(got - expected) / rope_ulp(dtype, expected) : NAN;
}

void rope_count_test(rope_count *count, double defect, double bound, double useless, const report_witness *where) {
    count->checked++;
    if (bound >= useless) {
        count->untestable++;
        return;
    }
    const bool within = defect <= bound;
    if (!within) {
        if (count->broken++ == 0) {
            count->defect = -1.0; /* from here on only broken ones are compared */
            if (where) count->first = *where;
            count->has_first = where != NULL;
        }
    } else if (count->broken) {
        return;
    }
    if (isnan(defect) ? !isnan(count->defect) : defect > count->defect || count->checked - count->untestable == 1) {
        count->defect = defect;
        count->bound = bound;
        count->has_witness = where != NULL;
        if (where) count->witness = *where;
    }
}

void rope_count_add(rope_count *total, const rope_count *part) {
    const rope_count before = *total;
    total->checked += part->checked;
    total->broken += part->broken;
    total->untestable += part->untestable;
    if (!before.has_first && part->has_first) {
        total->has_first = true;
        total->first = part->first;
    }
    const bool first_broken = !before.broken && part->broken;
    const bool comparable = !before.broken == !part->broken;
    if (part->checked == 0) return;
    if (before.checked == 0 || first_broken ||
        (comparable && (part->defect > before.defect || (isnan(part->defect) && !isnan(before.defect))))) {
        total->defect = part->defect;
        total->bound = part->bound;
        total->has_witness = part->has_witness;
        total->witness = part->witness;
    }
}
