/* Findings about schemes: what moves, what is kept, what it costs. */
#include <math.h>
#include <stdlib.h>

#include "../../../src/frequency/frequency.h"
#include "../linear.h"
#include "../values.h"
#include "finding.h"

/* ---- schemes ----------------------------------------------------------------------------------------- */

static rope_status data_of(compare_data *data, const char *kind, int dim, int64_t length, long bits,
                           rope_error *error) {
    compare_request request = compare_request_default();
    request.data = kind;
    request.dim = dim;
    request.length = length;
    request.bits = bits;
    return compare_data_new(data, &request, error);
}

enum { SHIFT = 1000 };

/* measure of two schemes on 64 Gaussian tokens. */
static rope_status measure_two(measurement found[2], const char *first, const char *second, int dim,
                               rope_error *error) {
    compare_data data;
    rope_status status = data_of(&data, "gaussian", dim, 64, ROWS_DOUBLE, error);
    if (status != ROPE_OK) return status;
    status = measure(&found[0], encoding_named(first), &data, SHIFT, NULL, NULL, error);
    if (status == ROPE_OK) status = measure(&found[1], encoding_named(second), &data, SHIFT, NULL, NULL, error);
    compare_data_free(&data);
    return status;
}

rope_status find_relative(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "rope", "sinusoidal", 64, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = (myth_number){m[k].score.defect, m[k].score.bound};
    found->settled = m[0].score.stays == MEASURE_YES && m[1].score.stays == MEASURE_NO;
    return ROPE_OK;
}

rope_status find_only_rope(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "transformer-xl", "rope", 4, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = finding_whole(m[k].rank);
    found->settled = m[0].rank < 64;
    return ROPE_OK;
}

rope_status find_unique(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "xpos", "rope", 64, error);
    if (status != ROPE_OK) return status;
    found->number[0] = (myth_number){m[0].score.defect, m[0].score.bound};
    found->number[1] = (myth_number){m[0].norm_change, m[0].norm_bound};
    found->settled = m[0].score.stays == MEASURE_YES && m[0].norm_kept == MEASURE_NO;
    return ROPE_OK;
}

rope_status find_parameters(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "rope", "shaw", 64, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = finding_whole(m[k].parameters);
    found->settled = m[0].parameters == 0;
    return ROPE_OK;
}

rope_status find_outputs(myth_finding *found, rope_error *error) {
    compare_data data;
    row_defect moved[VALUES_KINDS];
    rope_status status = data_of(&data, "gaussian", 64, 64, ROWS_DOUBLE, error);
    if (status != ROPE_OK) return status;
    status = values_measure(moved, &data, SHIFT, error);
    compare_data_free(&data);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < VALUES_KINDS; k++) found->number[k] = (myth_number){moved[k].defect, moved[k].bound};
    found->settled = moved[VALUES_NONE].stays == MEASURE_YES && moved[VALUES_TURNED].stays == MEASURE_NO &&
                     moved[VALUES_BACK].stays == MEASURE_YES;
    return ROPE_OK;
}

rope_status find_equation_19(myth_finding *found, rope_error *error) {
    static const int64_t length[] = {4096, 131072};
    linear_row row[2];
    const rope_status status = linear_rows(row, length, 2, 128, 1e4, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = (myth_number){row[k].sum, row[k].sum_bound};
    found->settled = row[0].negative > 0 && finding_above((myth_number){1.0, 0.0}, found->number[0]);
    return ROPE_OK;
}

rope_status find_linear_time(myth_finding *found, rope_error *error) {
    const int64_t N = 4096, d = 128;
    (void)error;
    found->number[0] = finding_whole(2 * 2 * N * d); /* q and k, two products a channel [RoFormer eq. 34] */
    found->number[1] = finding_whole(2 * N * N * d);
    found->settled = finding_above(found->number[1], found->number[0]);
    return ROPE_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The largest difference of the rows that both have, of entries as they are stored. */
static double rows_apart(const rows *a, const rows *b) {
    const size_t count = a->count < b->count ? a->count : b->count;
    double most = 0.0;
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < a->dim; c++)
            most = fmax(most, fabs(gsl_matrix_get(a->value, t, c) - gsl_matrix_get(b->value, t, c)));
    return most;
}

static void set_one(mpfr_t x, size_t t, size_t j, const void *context) {
    (void)t, (void)j, (void)context;
    mpfr_set_ui(x, 1, MPFR_RNDN);
}

rope_status find_consistent(myth_finding *found, rope_error *error) {
    enum { DIM = 64 };
    const rope_spec spec = finding_spec(DIM, 1e4);
    rows *one[2], *sinusoid[2], *turned[2];
    for (size_t k = 0; k < 2; k++) {
        one[k] = rows_by_formula((size_t)64 << k, DIM, ROWS_DOUBLE, set_one, NULL);
        sinusoid[k] = rows_sinusoid(0, 1, (size_t)64 << k, DIM, 1e4, ROWS_DOUBLE);
        turned[k] = rows_rotate(one[k], &spec, 0, false);
    }
    const bool made = sinusoid[0] && sinusoid[1] && turned[0] && turned[1];
    if (made) {
        found->number[0] = (myth_number){rows_apart(sinusoid[0], sinusoid[1]), 0.0};
        found->number[1] = (myth_number){rows_apart(turned[0], turned[1]), 0.0};
        found->settled = finding_is_zero(found->number[0]) && finding_is_zero(found->number[1]);
    }
    for (int k = 0; k < 2; k++) rows_free(one[k]), rows_free(sinusoid[k]), rows_free(turned[k]);
    return made ? ROPE_OK : finding_no_memory(error);
}

/* a_15 . b_12 - a_5 . b_2; NULL rows mean that memory was out. */
static rope_status moved_product(myth_number *found, const rows *a, const rows *b, rope_error *error) {
    double bound[2];
    if (!a || !b) return finding_no_memory(error);
    const double far = rows_product(a, 15, b, 12, &bound[0]), near = rows_product(a, 5, b, 2, &bound[1]);
    *found = finding_difference((myth_number){far, bound[0]}, (myth_number){near, bound[1]});
    return ROPE_OK;
}

rope_status find_sinusoid_relative(myth_finding *found, rope_error *error) {
    compare_data data;
    rope_status status = data_of(&data, "reference", 4, COMPARE_REFERENCE_LENGTH, FINDING_BITS, error);
    if (status != ROPE_OK) return status;
    rows *const p = rows_sinusoid(0, 1, COMPARE_REFERENCE_LENGTH, 4, 1e4, FINDING_BITS),
                *const a = rows_project(data.W_q, p), *const b = rows_project(data.W_k, p);
    status = moved_product(&found->number[0], p, p, error);
    if (status == ROPE_OK) status = moved_product(&found->number[1], a, b, error);
    found->settled = status == ROPE_OK && finding_is_zero(found->number[0]) && !finding_is_zero(found->number[1]);
    rows_free(p);
    rows_free(a);
    rows_free(b);
    compare_data_free(&data);
    return status;
}

rope_status find_order(myth_finding *found, rope_error *error) {
    compare_data data;
    const rope_spec spec = finding_spec(4, 1e4);
    rope_status status = data_of(&data, "reference", 4, COMPARE_REFERENCE_LENGTH, FINDING_BITS, error);
    if (status != ROPE_OK) return status;
    rows *const x = rows_rotate(data.x_query, &spec, 0, false), *const y = rows_rotate(data.x_key, &spec, 0, false),
                *const a = rows_project(data.W_q, x), *const b = rows_project(data.W_k, y),
                *const q = rows_rotate(data.q, &spec, 0, false), *const k = rows_rotate(data.k, &spec, 0, false);
    status = moved_product(&found->number[0], a, b, error);
    if (status == ROPE_OK) status = moved_product(&found->number[1], q, k, error);
    found->settled = status == ROPE_OK && !finding_is_zero(found->number[0]) && finding_is_zero(found->number[1]);
    rows *const all[] = {x, y, a, b, q, k};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) rows_free(all[i]);
    compare_data_free(&data);
    return status;
}
