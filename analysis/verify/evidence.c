#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* ---- which rows ------------------------------------------------------------------------------------ */

/* Per-row memory is about d * 80 bytes: 20 MB at d = 128. */
enum { SAMPLE_TIMES = 320, SAMPLE_COPIES = 3, SAMPLE_ROWS = 2048 };

static int by_position(const void *left, const void *right) {
    const rope_place *a = left, *b = right;
    if (a->m != b->m) return a->m < b->m ? -1 : 1;
    if (a->batch != b->batch) return a->batch < b->batch ? -1 : 1;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    return a->time < b->time ? -1 : a->time > b->time;
}

/* Marks the times of a sample: all when they fit, else the first and last 32, those at probe positions with their
 * successor, and an even spread. */
static void choose_times(const rope_subject *subject, bool *chosen) {
    const size_t times = subject->times;
    if (times <= SAMPLE_TIMES) {
        memset(chosen, true, times);
        return;
    }
    memset(chosen, false, times);
    for (size_t t = 0; t < 32; t++) chosen[t] = chosen[times - 1 - t] = true;
    for (size_t k = 0; k < SAMPLE_TIMES / 2; k++) chosen[k * (times - 1) / (SAMPLE_TIMES / 2 - 1)] = true;
    size_t probes;
    int64_t *probe = subject_probe_positions(INT32_MAX, &probes);
    for (size_t k = 0; k < probes; k++) {
        const int64_t t = probe[k] - subject->first_position; /* explicit positions of long dumps: times as if from 0 */
        if (t >= 0 && (size_t)t < times) chosen[t] = true;
    }
    free(probe);
}

static size_t choose_rows(const rope_subject *subject, rope_place **chosen_rows) {
    const size_t times = subject->times;
    bool *chosen = malloc(times);
    rope_place *rows = malloc(SAMPLE_ROWS * sizeof *rows);
    size_t count = 0, copies = 0;
    *chosen_rows = rows;
    if (!chosen || !rows) {
        free(chosen);
        return 0;
    }
    choose_times(subject, chosen);
    for (size_t b = 0; b < subject->batches && copies < SAMPLE_COPIES; b++)
        for (size_t head = 0; head < subject->heads && copies < SAMPLE_COPIES; head++, copies++)
            for (size_t t = 0; t < times && count < SAMPLE_ROWS; t++)
                if (chosen[t]) rows[count++] = (rope_place){subject_position(subject, b, t), b, head, t};
    /* The last batch and head, too: strides go wrong there. */
    if (copies < subject->batches * subject->heads)
        for (size_t t = 0; t < times && count < SAMPLE_ROWS; t++)
            if (chosen[t])
                rows[count++] = (rope_place){subject_position(subject, subject->batches - 1, t), subject->batches - 1,
                                        subject->heads - 1, t};
    free(chosen);
    qsort(rows, count, sizeof *rows, by_position);
    return count;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static rope_status allocate(rope_evidence *evidence, size_t rows, int vector, int channels, int h, rope_error *error) {
    evidence->rows = rows;
    evidence->vector = vector;
    evidence->channels = channels;
    evidence->h = h;
    const size_t vectors = rows * (size_t)vector + 1, observations = rows * (size_t)channels + 1, turns = rows * (size_t)h + 1;
    evidence->m = malloc((rows + 1) * sizeof *evidence->m);
    evidence->batch = malloc(3 * (rows + 1) * sizeof *evidence->batch);
    evidence->pair = malloc(((size_t)channels + 1) * sizeof *evidence->pair);
    evidence->x = malloc((2 * vectors + 3 * observations + 3 * turns) * sizeof(double));
    if (!evidence->m || !evidence->batch || !evidence->pair || !evidence->x) {
        rope_evidence_clear(evidence);
        return rope_fail(error, ROPE_NO_MEMORY, evidence->subject->name, NULL, "no memory for %zu rows", rows);
    }
    evidence->head = evidence->batch + rows;
    evidence->time = evidence->head + rows;
    evidence->y = evidence->x + vectors;
    evidence->alpha = evidence->y + vectors;
    evidence->beta = evidence->alpha + observations;
    evidence->value = evidence->beta + observations;
    evidence->re = evidence->value + observations;
    evidence->im = evidence->re + turns;
    evidence->noise = evidence->im + turns;
    return ROPE_OK;
}

void rope_evidence_clear(rope_evidence *evidence) {
    free(evidence->m);
    free(evidence->batch);
    free(evidence->pair);
    free(evidence->x);
    *evidence = (rope_evidence){0};
}

/* ---- observations ---------------------------------------------------------------------------------- */

rope_wiring rope_wiring_declared(const rope_subject *subject) {
    return (rope_wiring){subject->spec.layout_in, subject->spec.layout_out, false, subject->tiling};
}

rope_wiring rope_wiring_expected(const rope_subject *subject) {
    rope_wiring wiring = rope_wiring_declared(subject);
    if (subject->kind == SUBJECT_TABLE && subject->tiling != TILING_NONE)
        wiring.tiling = subject->declared_tiling != TILING_FOUND ? subject->declared_tiling
                        : subject->spec.layout_in == ROPE_HALF   ? TILING_BLOCK
                                                                 : TILING_PAIR;
    return wiring;
}

static void wire_table(rope_evidence *evidence, const rope_wiring *wiring) {
    const size_t columns = evidence->subject->columns;
    for (size_t j = 0; j < columns; j++)
        evidence->pair[j] = evidence->pair[columns + j] = subject_column_pair(evidence->subject, wiring->tiling, j);
    for (size_t t = 0; t < evidence->rows; t++)
        for (size_t j = 0; j < 2 * columns; j++) {
            evidence->alpha[t * 2 * columns + j] = j < columns ? 1.0 : 0.0;
            evidence->beta[t * 2 * columns + j] = j < columns ? 0.0 : 1.0;
        }
}

/* Whose angle channel j of a rotation takes from a table that is tiled as the other layout needs it. */
static int other_pair(const rope_spec *spec, rope_layout layout, int channel) {
    const int j = channel - rope_spec_first(spec);
    return layout == ROPE_HALF ? j / 2 : j % rope_spec_pairs(spec);
}

/* y_a = x_a cos - x_b sin, y_b = x_b cos + x_a sin. */
static void wire_vectors(rope_evidence *evidence, const rope_wiring *wiring) {
    const rope_spec *spec = &evidence->subject->spec;
    const size_t d = (size_t)evidence->vector;
    for (int i = 0; i < evidence->h; i++) {
        int a, b, ya, yb;
        rope_spec_channels(spec, wiring->layout_in, i, &a, &b);
        rope_spec_channels(spec, wiring->layout_out, i, &ya, &yb);
        evidence->pair[2 * i] = wiring->other_tiling ? other_pair(spec, wiring->layout_out, ya) : i;
        evidence->pair[2 * i + 1] = wiring->other_tiling ? other_pair(spec, wiring->layout_out, yb) : i;
        for (size_t t = 0; t < evidence->rows; t++) {
            const double *x = evidence->x + t * d, *y = evidence->y + t * d;
            const size_t at = t * (size_t)evidence->channels + 2 * (size_t)i;
            evidence->alpha[at] = x[a];
            evidence->beta[at] = -x[b];
            evidence->value[at] = y[ya];
            evidence->alpha[at + 1] = x[b];
            evidence->beta[at + 1] = x[a];
            evidence->value[at + 1] = y[yb];
        }
    }
}

void rope_evidence_wire(rope_evidence *evidence, const rope_wiring *wiring) {
    (evidence->vector ? wire_vectors : wire_table)(evidence, wiring);
}

/* ---- turns ----------------------------------------------------------------------------------------- */

static void turns_of_table(rope_evidence *evidence) {
    const size_t columns = evidence->subject->columns, h = (size_t)evidence->h;
    for (size_t t = 0; t < evidence->rows; t++)
        for (size_t j = columns; j-- > 0;) { /* the first column of a pair stands last */
            const size_t at = t * h + (size_t)evidence->pair[j];
            evidence->re[at] = evidence->value[t * 2 * columns + j];
            evidence->im[at] = evidence->value[t * 2 * columns + columns + j];
            evidence->noise[at] = 0.0;
        }
}

/* Products and sum that are subnormal in the format are off by half a step each, three in each of two components. */
double rope_evidence_blur(const rope_evidence *evidence, size_t t, int i) {
    const size_t first = t * (size_t)evidence->channels + 2 * (size_t)i;
    return sqrt(2.0) * 3.0 * 0.5 * rope_ulp(evidence->subject->dtype, 0.0) / hypot(evidence->alpha[first], evidence->alpha[first + 1]);
}

/* t = (y_a + i y_b) / (x_a + i x_b). The quotient in double costs 8 * 2^-53 |t| (four products, two sums, the norm and
 * the division, each 2^-53 of at most |t|). A pair so small that the format's steps hide an eighth of its turn shows nothing,
 * like a pair of zeros: claims compare up to eight turns, and their bounds would reach A. */
static void turns_of_vectors(rope_evidence *evidence) {
    for (size_t t = 0; t < evidence->rows; t++)
        for (int i = 0; i < evidence->h; i++) {
            const size_t at = t * (size_t)evidence->h + (size_t)i, first = t * (size_t)evidence->channels + 2 * (size_t)i;
            const double xa = evidence->alpha[first], xb = evidence->alpha[first + 1];
            const double ya = evidence->value[first], yb = evidence->value[first + 1];
            const double square = xa * xa + xb * xb, blur = rope_evidence_blur(evidence, t, i);
            if (!(blur < 0.125)) {
                evidence->re[at] = evidence->im[at] = evidence->noise[at] = NAN;
                continue;
            }
            evidence->re[at] = (xa * ya + xb * yb) / square;
            evidence->im[at] = (xa * yb - xb * ya) / square;
            const double modulus = hypot(evidence->re[at], evidence->im[at]);
            evidence->noise[at] = isfinite(modulus) ? 8.0 * 0x1p-53 * modulus + blur : 0.0;
        }
}

/* ---- collecting ------------------------------------------------------------------------------------ */

/* Every probe position three times: q, k and q + k, the sum exact in the kernel's format. */
static void collect_kernel(rope_evidence *evidence, const int64_t *probe, size_t probes) {
    const rope_subject *subject = evidence->subject;
    const size_t d = (size_t)subject->spec.dim;
    rope_random random = rope_random_seeded(subject->seed);
    for (size_t k = 0; k < probes; k++) {
        double *const x = evidence->x + 3 * k * d;
        for (size_t copy = 0; copy < 3; copy++) {
            const size_t t = 3 * k + copy;
            evidence->m[t] = probe[k];
            evidence->batch[t] = 0;
            evidence->head[t] = copy;
            evidence->time[t] = k;
        }
        for (size_t j = 0; j < 2 * d; j++) x[j] = rope_random_value(&random, subject->dtype);
        for (size_t j = 0; j < d; j++) x[2 * d + j] = x[j] + x[d + j];
        subject->kernel->rotate(&subject->spec, probe[k], 3, x, evidence->y + 3 * k * d);
    }
}

static void collect_rows(rope_evidence *evidence, const rope_place *rows) {
    const rope_subject *subject = evidence->subject;
    const size_t d = (size_t)evidence->vector, columns = subject->columns;
    for (size_t t = 0; t < evidence->rows; t++) {
        evidence->m[t] = rows[t].m;
        evidence->batch[t] = rows[t].batch;
        evidence->head[t] = rows[t].head;
        evidence->time[t] = rows[t].time;
        if (evidence->vector)
            subject_read_vectors(subject, rows[t].batch, rows[t].head, rows[t].time, evidence->x + t * d, evidence->y + t * d);
        else
            subject_read_table(subject, rows[t].time, 1, evidence->value + t * 2 * columns,
                               evidence->value + t * 2 * columns + columns);
    }
}

/* The forms that claims and replays read, from values (tables) or x and y. */
static void finish(rope_evidence *evidence) {
    const rope_wiring declared = rope_wiring_declared(evidence->subject);
    rope_evidence_wire(evidence, &declared);
    (evidence->vector ? turns_of_vectors : turns_of_table)(evidence);
}

static rope_status begin(rope_evidence *evidence, const rope_subject *subject, size_t rows, rope_error *error) {
    const int h = rope_spec_pairs(&subject->spec);
    const bool table = subject->kind == SUBJECT_TABLE;
    *evidence = (rope_evidence){.subject = subject};
    return allocate(evidence, rows, table ? 0 : subject->spec.dim, table ? 2 * (int)subject->columns : 2 * h, h, error);
}

rope_status rope_evidence_read(rope_evidence *evidence, const rope_subject *subject, const rope_place *rows, size_t count,
                               rope_error *error) {
    const rope_status status = begin(evidence, subject, count, error);
    if (status != ROPE_OK) return status;
    collect_rows(evidence, rows);
    finish(evidence);
    return ROPE_OK;
}

static rope_status collect_probes(rope_evidence *evidence, const rope_subject *subject, rope_error *error) {
    size_t count;
    int64_t *probe = subject_probe_positions(subject->max_position, &count);
    const rope_status status = begin(evidence, subject, 3 * count, error);
    if (status == ROPE_OK) {
        collect_kernel(evidence, probe, count);
        finish(evidence);
    }
    free(probe);
    return status;
}

rope_status rope_evidence_collect(rope_evidence *evidence, const rope_subject *subject, rope_error *error) {
    if (subject->kind == SUBJECT_BUILT_IN) return collect_probes(evidence, subject, error);
    rope_place *rows;
    const size_t count = choose_rows(subject, &rows);
    const rope_status status = rope_evidence_read(evidence, subject, rows, count, error);
    free(rows);
    return status;
}

/* ---- samples for replay ---------------------------------------------------------------------------- */

/* Room for rows; alpha, beta, value and norm lie behind one another. */
static bool room_for(rope_samples *samples, size_t rows) {
    const size_t values = rows * (size_t)samples->channels;
    int64_t *m = malloc((rows + 1) * sizeof *m);
    double *memory = malloc((4 * values + 1) * sizeof *memory);
    if (!m || !memory) {
        free(m);
        free(memory);
        return false;
    }
    samples->m = m;
    samples->alpha = memory;
    samples->beta = memory + values;
    samples->value = memory + 2 * values;
    samples->norm = memory + 3 * values;
    return true;
}

static void copy_row(rope_samples *samples, size_t to, const rope_evidence *evidence, size_t from) {
    const size_t channels = (size_t)samples->channels, at = to * channels, origin = from * channels;
    ((int64_t *)samples->m)[to] = evidence->m[from];
    memcpy((double *)samples->alpha + at, evidence->alpha + origin, channels * sizeof(double));
    memcpy((double *)samples->beta + at, evidence->beta + origin, channels * sizeof(double));
    memcpy((double *)samples->value + at, evidence->value + origin, channels * sizeof(double));
    for (size_t j = 0; j < channels; j++)
        ((double *)samples->norm)[at + j] = hypot(evidence->alpha[origin + j], evidence->beta[origin + j]);
}

rope_samples rope_evidence_samples(const rope_evidence *evidence, size_t most) {
    const size_t rows = evidence->rows < most ? evidence->rows : most;
    rope_samples samples = {.channels = evidence->channels, .pair = evidence->pair, .grade = evidence->subject->grade,
                            .rotated = evidence->vector > 0};
    if (!room_for(&samples, rows)) return samples;
    samples.rows = rows;
    /* rows are sorted by position: the last ones are the farthest (negative ones come with the spread) */
    const size_t far = rows == evidence->rows ? 0 : rows / 2, spread = rows - far;
    for (size_t k = 0; k < spread; k++) copy_row(&samples, k, evidence, spread > 1 ? k * (evidence->rows - far - 1) / (spread - 1) : 0);
    for (size_t k = spread; k < rows; k++) copy_row(&samples, k, evidence, evidence->rows - far + (k - spread));
    return samples;
}

rope_status rope_samples_extend(rope_samples *samples, const rope_evidence *more, rope_error *error) {
    rope_samples longer = *samples;
    const size_t before = samples->rows, values = before * (size_t)samples->channels * sizeof(double);
    if (!room_for(&longer, before + more->rows))
        return rope_fail(error, ROPE_NO_MEMORY, more->subject->name, NULL, "no memory for %zu rows", before + more->rows);
    longer.rows = before + more->rows;
    memcpy((int64_t *)longer.m, samples->m, before * sizeof *samples->m);
    memcpy((double *)longer.alpha, samples->alpha, values);
    memcpy((double *)longer.beta, samples->beta, values);
    memcpy((double *)longer.value, samples->value, values);
    memcpy((double *)longer.norm, samples->norm, values);
    for (size_t k = 0; k < more->rows; k++) copy_row(&longer, before + k, more, k);
    rope_samples_free(samples);
    *samples = longer;
    return ROPE_OK;
}

void rope_samples_free(rope_samples *samples) {
    free((void *)samples->m);
    free((void *)samples->alpha);
    *samples = (rope_samples){0};
}
