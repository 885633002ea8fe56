/* The score against the distance: of equal vectors, of the run's tokens, and of vectors that RoPE scores highest far off. */
#include <math.h>
#include <stdlib.h>

#include "encoding/shared.h"
#include "measure.h"

const double decay_distances[DECAY_DISTANCES] = {0.0, 1.0, 4.0, 16.0, 32.0};
const char *const decay_kinds[DECAY_KINDS] = {"q = k = 1", "the run's tokens, rms", "q = 1, k = R_16 q"};

enum { DECAY_QUERIES = 256 }; /* of an rms */

static const double u = 0x1p-53;
static const double slack = 1.0 + 0x1p-50; /* over the roundings of a bound's own arithmetic */

static rope_status no_memory(rope_error *error) {
    return rope_fail(error, ROPE_NO_MEMORY, "", "a smaller --length or --dim", "memory is out");
}

/* Ones, or the identity. */
static rows *by_entry(size_t count, size_t dim, long bits, bool diagonal) {
    rows *a = rows_new(count, dim, bits);
    double *const row = malloc(sizeof *row * dim);
    if (a && row) {
        for (size_t t = 0; t < count; t++) {
            for (size_t c = 0; c < dim; c++) row[c] = !diagonal || c == t ? 1.0 : 0.0;
            rows_set(a, t, row);
        }
        rows_settle(a);
    } else {
        rows_free(a);
        a = NULL;
    }
    free(row);
    return a;
}

static rows *ones(size_t count, size_t dim, long bits) {
    return by_entry(count, dim, bits, false);
}

static rows *identity(size_t dim, long bits) {
    return by_entry(dim, dim, bits, true);
}

static rows *slice(const rows *a, size_t from, size_t count) {
    rows *const part = rows_new(count, a->dim, a->bits);
    for (size_t t = 0; part && t < count; t++) {
        for (size_t c = 0; c < a->dim; c++) {
            gsl_matrix_set(part->value, t, c, gsl_matrix_get(a->value, from + t, c));
            if (part->exact) mpfr_set(part->exact[t * a->dim + c], a->exact[(from + t) * a->dim + c], MPFR_RNDN);
        }
        part->norm[t] = a->norm[from + t];
        part->error[t] = a->error[from + t];
    }
    return part;
}

/* R_distance 1, in one row. */
static rows *turned(const compare_data *data, int64_t distance) {
    const rope_spec spec = encoding_rotation(data, ROPE_INTERLEAVED);
    rows *const row = ones(1, data->dim, data->bits), *const made = rows_rotate(row, &spec, distance, false);
    rows_free(row);
    return made;
}

static rows *repeated(const rows *row, size_t count) {
    rows *const zeros = row ? rows_new(count, row->dim, row->bits) : NULL, *const all = rows_sum(zeros, row);
    rows_free(zeros);
    return all;
}

/* Contents by formula in the place of the run's tokens: n positions, the projections are the identity, every query is 1
 * and every key R_turn 1. What depends on positions alone stays. */
static bool content_new(compare_data *made, const compare_data *data, int64_t turn, size_t n) {
    rows *const key = turn ? turned(data, turn) : ones(1, data->dim, data->bits);
    *made = *data;
    made->length = n;
    made->request.length = (int64_t)n;
    made->x_query = ones(n, data->dim, data->bits);
    made->q = ones(n, data->dim, data->bits);
    made->x_key = repeated(key, n);
    made->k = repeated(key, n);
    made->W_q = identity(data->dim, data->bits);
    made->W_k = identity(data->dim, data->bits);
    made->bias = slice(data->bias, data->length - n, 2 * n - 1);
    rows_free(key);
    return made->x_query && made->q && made->x_key && made->k && made->W_q && made->W_k && made->bias;
}

static void content_free(compare_data *made) {
    rows *const own[] = {made->x_query, made->q, made->x_key, made->k, made->W_q, made->W_k, made->bias};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) rows_free(own[k]);
}

/* The scores of the last query. */
static rope_status decay_of_content(double *value, double *bound, const encoding *scheme, const compare_data *data,
                                    int64_t turn, const int64_t *distance, int count, rope_error *error) {
    int64_t farthest = 0;
    for (int k = 0; k < count; k++)
        if (distance[k] < (int64_t)data->length && distance[k] > farthest) farthest = distance[k];
    const size_t n = (size_t)farthest + 1;
    compare_data content;
    encoding_run run = {0};
    double *const score = malloc(sizeof *score * 2 * n);
    rope_status status = content_new(&content, data, turn, n) && score ? ROPE_OK : no_memory(error);
    if (status == ROPE_OK) status = encoding_build(&run, scheme, &content, (int64_t)(data->length - n), error);
    if (status == ROPE_OK) {
        encoding_block(&run, ENCODING_SUM, farthest, 1, score, score + n);
        for (int k = 0; k < count; k++) {
            const bool there = distance[k] >= 0 && distance[k] <= farthest;
            value[k] = there ? score[farthest - distance[k]] : NAN;
            bound[k] = there ? score[(int64_t)n + farthest - distance[k]] : NAN;
        }
    }
    encoding_free(&run);
    content_free(&content);
    free(score);
    return status;
}

/* The root of the mean square over the pairs at that distance whose query is among the last DECAY_QUERIES. An rms moves
 * by no more than its largest entry does; squares, their sum of c, quotient and root round by (c + 4) u. */
static rope_status decay_of_tokens(double *value, double *bound, const encoding_run *run, const int64_t *distance,
                                   int count, rope_error *error) {
    const int64_t N = (int64_t)run->data->length, first = N > DECAY_QUERIES ? N - DECAY_QUERIES : 0;
    double *const score = malloc(sizeof *score * (size_t)(2 * N));
    if (!score) return no_memory(error);
    for (int k = 0; k < count; k++) value[k] = bound[k] = 0.0;
    for (int64_t m = first; m < N; m++) {
        encoding_block(run, ENCODING_SUM, m, 1, score, score + N);
        for (int k = 0; k < count; k++) {
            const int64_t n = m - distance[k];
            if (n < 0 || n >= N) continue;
            value[k] += score[n] * score[n];
            bound[k] = fmax(bound[k], score[N + n]);
        }
    }
    for (int k = 0; k < count; k++) {
        const int64_t pairs = distance[k] < 0 ? 0 : N - (distance[k] > first ? distance[k] : first);
        value[k] = pairs > 0 ? sqrt(value[k] / (double)pairs) : NAN;
        bound[k] = pairs > 0 ? bound[k] * slack + ((double)pairs + 4.0) * u * value[k] : NAN;
    }
    free(score);
    return ROPE_OK;
}

rope_status measure_decay(double *value, double *bound, const encoding *scheme, const compare_data *data, int kind,
                          const int64_t *distance, int count, rope_error *error) {
    double *const spare = bound ? NULL : malloc(sizeof *spare * (size_t)(count + 1));
    if (!bound && !spare) return no_memory(error);
    rope_status status;
    if (kind == DECAY_TOKENS) {
        encoding_run run = {0};
        status = encoding_build(&run, scheme, data, 0, error);
        if (status == ROPE_OK) status = decay_of_tokens(value, bound ? bound : spare, &run, distance, count, error);
        encoding_free(&run);
    } else {
        status = decay_of_content(value, bound ? bound : spare, scheme, data,
                                  kind == DECAY_PEAK ? DECAY_PEAK_DISTANCE : 0, distance, count, error);
    }
    free(spare);
    return status;
}

rope_status measure_decays(measurement *result, const encoding_run *run, rope_error *error) {
    int64_t distance[DECAY_DISTANCES];
    for (int k = 0; k < DECAY_DISTANCES; k++) distance[k] = (int64_t)decay_distances[k];
    rope_status status = decay_of_tokens(result->decay[DECAY_TOKENS], result->decay_bound[DECAY_TOKENS], run, distance,
                                         DECAY_DISTANCES, error);
    for (int kind = 0; status == ROPE_OK && kind < DECAY_KINDS; kind++)
        if (kind != DECAY_TOKENS)
            status = measure_decay(result->decay[kind], result->decay_bound[kind], run->encoding, run->data, kind,
                                   distance, DECAY_DISTANCES, error);
    return status;
}
