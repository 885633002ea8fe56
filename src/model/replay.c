#include "replay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../frequency/frequency.h"
#include "../table_kernel.h"

rope_program rope_program_honest(const rope_spec *spec) {
    return (rope_program){*spec, 1, 0, ROPE_F64, ROPE_F64, ROPE_F64, ROPE_F64};
}

/* ---- prediction ------------------------------------------------------------------------------------ */

/* A program that is binary64 throughout has the exact phase, to within its bound. */
static bool uses_exact_phase(const rope_program *program, const rope_model *model) {
    return rope_model_unit(model) == rope_unit(ROPE_F64) && program->frequency == ROPE_F64 && program->angle == ROPE_F64;
}

/* Positions are rounded to short formats from floats. */
static double position_used(const rope_program *program, int64_t m) {
    m += program->lag;
    return program->position == ROPE_F64 ? (double)m : rope_round(program->position, (double)(float)m);
}

/* RN32 of an angle a that is known to within delta: both ends round alike, or a tie lies between them. delta counts the rounding
 * of a +- delta itself [rope_model_slack]. */
static void round_angles(const rope_fit *fit, double reach, double *angle, double *spread) {
    const int h = rope_spec_pairs(&fit->program.spec);
    for (int i = 0; i < h; i++) {
        const double delta = reach * fit->drift[i];
        const float low = (float)(angle[i] - delta), high = (float)(angle[i] + delta);
        angle[i] = (double)low;
        if (low == high) continue;
        angle[i] = spread ? 0.5 * ((double)low + (double)high) : (double)NAN;
        if (spread) spread[i] = 0.5 * ((double)high - (double)low);
    }
}

void rope_fit_angles(const rope_fit *fit, int64_t m, double *angle, double *spread) {
    const rope_program *program = &fit->program;
    const int h = rope_spec_pairs(&program->spec);
    const double position = position_used(program, m);
    fit->model->angles(&program->spec, fit->parameter, position, angle);
    for (int i = 0; spread && i < h; i++) spread[i] = 0.0;
    if (fit->model->angle == ROPE_F32 && fit->model->slack) round_angles(fit, fabs(position), angle, spread);
    for (int i = 0; program->angle != ROPE_F64 && i < h; i++) angle[i] = rope_round(program->angle, angle[i]);
}

static void predict_exactly(const rope_fit *fit, int64_t position, double *c, double *s) {
    const int h = rope_spec_pairs(&fit->program.spec);
    rope_dd exact[2][h];
    rope_phase_row(fit->phase, position, exact[0], exact[1]);
    for (int i = 0; i < h; i++) {
        c[i] = exact[0][i].hi;
        s[i] = exact[1][i].hi;
    }
}

static void predict_replayed(const rope_fit *fit, int64_t m, double *c, double *s, double *spread) {
    const int h = rope_spec_pairs(&fit->program.spec);
    const double A = fit->program.spec.magnitude;
    double angle[h];
    rope_fit_angles(fit, m, angle, spread);
    if (rope_row_angles(h, angle, A, c, s)) return;
    for (int i = 0; i < h; i++) { /* an angle of 2^30 or more, or none at all */
        rope_phase_angle(angle[i], &c[i], &s[i]);
        c[i] *= A;
        s[i] *= A;
    }
}

void rope_fit_predict(const rope_fit *fit, int64_t m, double *c, double *s, double *spread) {
    const rope_program *program = &fit->program;
    const int h = rope_spec_pairs(&program->spec);
    const double position = position_used(program, m);
    for (int i = 0; i < h; i++) spread[i] = 0.0;
    if (fit->phase && fabs(position) < 0x1p31)
        predict_exactly(fit, (int64_t)position, c, s);
    else
        predict_replayed(fit, m, c, s, spread);
    for (int i = 0; i < h; i++) {
        if (fit->model->angle == ROPE_F64) spread[i] += fabs(position) * fit->drift[i];
        s[i] *= program->sign;
        if (program->table != ROPE_F64) {
            c[i] = rope_round(program->table, c[i]);
            s[i] = rope_round(program->table, s[i]);
        }
    }
}

/* The output rounds by u_g |y|, y off by per_norm N already: hence 1 + u_g. [derivation 6] */
rope_allowance rope_allowance_of(rope_dtype trig, double A, rope_dtype grade, rope_rotation rotated) {
    const rope_dtype rotation = grade == ROPE_F64 ? ROPE_F64 : ROPE_F32;
    const double own = rope_bound_trig(trig, A) + rope_bound_judge(grade);
    if (rotated == ROPE_UNROTATED) return (rope_allowance){.per_norm = A * (own + rope_bound_entry(grade, trig, A)), .per_spread = A};
    const double output = rope_unit(grade) > rope_unit(rotation) ? rope_unit(grade) : 0.0; /* once more */
    const bool by_one = rotated == ROPE_ROTATED_SHORT && output > 0.0;
    const double steps = rope_bound_rotation(rotation) + (by_one ? rope_bound_products(grade) : 0.0);
    return (rope_allowance){
        .per_norm = A * (own + rope_bound_cache(grade, trig, A) + steps) * (1.0 + output),
        .per_spread = A * (1.0 + output),
        .relative = output,
        .absolute = (by_one ? 3.0 : output > 0.0 ? 1.0 : 0.0) * rope_bound_output(grade, 0.0) + 4.0 * rope_bound_output(rotation, 0.0),
    };
}

/* ---- search ---------------------------------------------------------------------------------------- */

typedef struct score {
    int explained;   /* rows whose every channel of the pair is within tolerance */
    double residual; /* the largest of these rows, per unit norm */
} score;

/* Scores every pair with the fit's present parameters. */
static void score_pairs(const rope_fit *fit, const rope_samples *samples, score *scores) {
    const int h = rope_spec_pairs(&fit->program.spec);
    const double A = fit->program.spec.magnitude;
    const rope_allowance allowance = rope_allowance_of(fit->model->trig, A, samples->grade, samples->rotated);
    double c[h], s[h], spread[h], residual[h];
    bool within[h];
    memset(scores, 0, (size_t)h * sizeof *scores);
    for (size_t t = 0; t < samples->rows; t++) {
        rope_fit_predict(fit, samples->m[t], c, s, spread);
        for (int i = 0; i < h; i++) {
            within[i] = true;
            residual[i] = 0.0;
        }
        for (int j = 0; j < samples->channels; j++) {
            const size_t at = t * (size_t)samples->channels + (size_t)j;
            const double alpha = samples->alpha[at], beta = samples->beta[at];
            const int i = samples->pair[j];
            const double predicted = alpha * c[i] + beta * s[i];
            const double off = fabs(samples->value[at] - predicted);
            const double norm = samples->norm[at];
            if (!(off <= rope_allowed(&allowance, norm, predicted, spread[i]))) within[i] = false; /* NaN, too */
            if (norm > 0.0 && off > residual[i] * A * norm) residual[i] = off / (A * norm);
        }
        for (int i = 0; i < h; i++)
            if (within[i]) {
                scores[i].explained++;
                if (residual[i] > scores[i].residual) scores[i].residual = residual[i];
            }
    }
}

static bool better(const score *a, const score *b) {
    return a->explained > b->explained || (a->explained == b->explained && a->residual < b->residual);
}

/* Where the search starts and how far it goes, for each parameter. */
typedef struct search_range {
    double centre;
    int window;
} search_range;

static void find_ranges(const rope_fit *fit, int parameters, search_range *range) {
    const rope_spec *spec = &fit->program.spec;
    for (int i = 0; i < parameters; i++) {
        range[i].centre = fit->model->center(spec, i);
        range[i].window = fit->model->window ? fit->model->window(spec, i) : 0;
    }
}

/* k floats from the centre (no farther than the window), rounded as the program rounds frequencies. */
static double parameter_at(const rope_fit *fit, const search_range *range, int k) {
    const int moves = abs(k) <= range->window ? k : 0;
    const double moved = moves ? rope_step(ROPE_F32, range->centre, moves) : range->centre;
    return rope_round(fit->program.frequency, moved);
}

/* One frequency per pair: all pairs move k floats at once, each keeps its best. */
static void search_pairs(rope_fit *fit, const rope_samples *samples, score *best) {
    const int h = rope_spec_pairs(&fit->program.spec);
    double found[h];
    score now[h];
    search_range range[h];
    int widest = 0;
    find_ranges(fit, h, range);
    for (int i = 0; i < h; i++) widest = range[i].window > widest ? range[i].window : widest;
    for (int step = 0; step <= 2 * widest; step++) {
        const int k = step % 2 ? -(step + 1) / 2 : step / 2; /* 0, -1, 1, -2, 2, ...: ties go to the nearest */
        for (int i = 0; i < h; i++) fit->parameter[i] = parameter_at(fit, &range[i], k);
        score_pairs(fit, samples, now);
        for (int i = 0; i < h; i++)
            if (step == 0 || better(&now[i], &best[i])) {
                best[i] = now[i];
                found[i] = fit->parameter[i];
            }
    }
    memcpy(fit->parameter, found, (size_t)h * sizeof *found);
}

/* One ratio for all pairs: the best by rows explained over all pairs, then by the largest residual. */
static void search_ratio(rope_fit *fit, const rope_samples *samples, score *best) {
    const int h = rope_spec_pairs(&fit->program.spec);
    score now[h], most = {-1, 0.0};
    search_range range;
    find_ranges(fit, 1, &range);
    double found = range.centre;
    for (int step = 0; step <= 2 * range.window; step++) {
        const int k = step % 2 ? -(step + 1) / 2 : step / 2;
        fit->parameter[0] = parameter_at(fit, &range, k);
        score_pairs(fit, samples, now);
        score total = {0, 0.0};
        for (int i = 0; i < h; i++) {
            total.explained += now[i].explained;
            total.residual = fmax(total.residual, now[i].residual);
        }
        if (better(&total, &most)) {
            most = total;
            found = fit->parameter[0];
            memcpy(best, now, (size_t)h * sizeof *now);
        }
    }
    fit->parameter[0] = found;
}

/* The largest position the program uses: phase tables reach so far. */
static int64_t largest_position(const rope_program *program, const rope_samples *samples) {
    int64_t largest = 0;
    for (size_t t = 0; t < samples->rows; t++) {
        const int64_t m = llabs(samples->m[t] + program->lag);
        if (m > largest) largest = m;
    }
    return largest + largest / 128 + 1; /* rounding a position to bf16 moves it by at most 2^-8 of itself */
}

rope_status rope_fit_search(rope_fit *fit, const rope_program *program, const rope_model *model,
                            const rope_samples *samples, rope_error *error) {
    const int h = rope_spec_pairs(&program->spec);
    score best[h];
    *fit = (rope_fit){.program = *program, .model = model};
    fit->parameter = malloc(2 * (size_t)h * sizeof *fit->parameter);
    fit->explained = calloc((size_t)h, sizeof *fit->explained);
    if (!fit->parameter || !fit->explained) {
        rope_fit_clear(fit);
        return rope_fail(error, ROPE_NO_MEMORY, "replay", NULL, "no memory for %d pairs", h);
    }
    fit->drift = fit->parameter + h;
    if (uses_exact_phase(program, model)) {
        int64_t largest = largest_position(program, samples);
        if (largest > INT32_MAX) largest = INT32_MAX;
        const rope_status status = rope_phase_new(&fit->phase, &program->spec, largest, error);
        if (status != ROPE_OK) {
            rope_fit_clear(fit);
            return status;
        }
    }
    for (int i = 0; i < h; i++)
        fit->drift[i] = fit->phase ? rope_bound_slope(model, &program->spec, i, 0.0) : rope_bound_drift(model, &program->spec, i);
    (model->iterated ? search_ratio : search_pairs)(fit, samples, best);

    for (int i = 0; i < h; i++) {
        fit->rows_explained += (size_t)best[i].explained;
        fit->explained[i] = 16 * (samples->rows - (size_t)best[i].explained) <= samples->rows;
        if (!fit->explained[i]) continue;
        fit->pairs_explained++;
        fit->residual_u = fmax(fit->residual_u, best[i].residual / 0x1p-24);
    }
    fit->identified = samples->rows > 0 && 4 * (h - fit->pairs_explained) <= h && fit->pairs_explained > 0;
    return ROPE_OK;
}

/* A grade finer than binary32 is not reached by binary32 phases, unless a float frequency is what the hypothesis says. */
static bool reaches(const rope_model *model, const rope_program *program, rope_dtype grade) {
    if (!rope_model_applies(model, &program->spec)) return false;
    const double unit = program->frequency == ROPE_F64 ? rope_model_unit(model) : rope_model_step_unit(model);
    return grade != ROPE_F64 || unit <= rope_unit(grade);
}

rope_status rope_fit_all(rope_fit *fits, int *count, const rope_program *program, const rope_samples *samples, rope_error *error) {
    *count = 0;
    for (const rope_model *const *model = rope_models; *model; model++) {
        rope_fit now;
        if (!reaches(*model, program, samples->grade)) continue;
        const rope_status status = rope_fit_search(&now, program, *model, samples, error);
        if (status != ROPE_OK) {
            while (*count) rope_fit_clear(&fits[--*count]);
            return status;
        }
        if (!now.identified) {
            rope_fit_clear(&now);
            continue;
        }
        int k = (*count)++;
        for (; k > 0 && fits[k - 1].rows_explained < now.rows_explained; k--) fits[k] = fits[k - 1];
        fits[k] = now;
    }
    return ROPE_OK;
}

rope_status rope_fit_best(rope_fit *fit, const rope_program *program, const rope_samples *samples, rope_error *error) {
    rope_fit most = {0};
    for (const rope_model *const *model = rope_models; *model; model++) {
        rope_fit now;
        if (!reaches(*model, program, samples->grade)) continue;
        const rope_status status = rope_fit_search(&now, program, *model, samples, error);
        if (status != ROPE_OK) {
            rope_fit_clear(&most);
            return status;
        }
        if (most.model && now.rows_explained <= most.rows_explained) {
            rope_fit_clear(&now);
            continue;
        }
        rope_fit_clear(&most);
        most = now;
        if (most.rows_explained == samples->rows * (size_t)rope_spec_pairs(&program->spec)) break;
    }
    *fit = most;
    return ROPE_OK;
}

void rope_fit_clear(rope_fit *fit) {
    rope_phase_free(fit->phase);
    free(fit->parameter);
    free(fit->explained);
    *fit = (rope_fit){0};
}
