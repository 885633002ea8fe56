#include "scheme.h"

#include "../../analysis/compare/encoding/shared.h"

/* Rotates tokens, then projects them: R_m stands between W_q and x. */
static rope_status rotate_first(encoding_run *run, rope_error *error) {
    (void)error;
    const compare_data *data = run->data;
    const rope_spec spec = encoding_rotation(data, ROPE_INTERLEAVED);
    const rows *x = encoding_keep(run, rows_rotate(data->x_query, &spec, run->first, false));
    const rows *y = encoding_keep(run, rows_rotate(data->x_key, &spec, run->first, false));
    const rows *q = encoding_project(run, data->W_q, x), *k = encoding_project(run, data->W_k, y);
    encoding_term_add(run, TERM_PRODUCT, q, k, NULL);
    encoding_direct_add(run, TERM_PRODUCT, q, k, NULL);
    return ROPE_OK;
}

/* Rotates by -m and -n: q . R_(m-n) k. */
static rope_status rotate_back(encoding_run *run, rope_error *error) {
    (void)error;
    const compare_data *data = run->data;
    const rope_spec spec = encoding_rotation(data, ROPE_INTERLEAVED);
    const rows *q = encoding_keep(run, rows_rotate(data->q, &spec, run->first, true));
    const rows *k = encoding_keep(run, rows_rotate(data->k, &spec, run->first, true));
    encoding_term_add(run, TERM_PRODUCT, q, k, NULL);
    encoding_direct_add(run, TERM_PRODUCT, q, k, NULL);
    return ROPE_OK;
}

/* ---- Transformer-XL ---------------------------------------------------------------------------------- */

static rope_status transformer_xl(encoding_run *run, const rows *u, const rows *v, encoding_index *index) {
    const compare_data *data = run->data;
    const rows *far = encoding_project(run, data->W_r, encoding_distances(run));
    const rows *q_u = encoding_keep(run, rows_sum(data->q, u)), *q_v = encoding_keep(run, rows_sum(data->q, v));
    encoding_term_add(run, TERM_PRODUCT, q_u, data->k, NULL);
    encoding_term_add(run, TERM_QUERY, q_v, far, index);
    encoding_direct_add(run, TERM_PRODUCT, q_u, data->k, NULL);
    encoding_direct_add(run, TERM_QUERY, q_v, far, index);
    return ROPE_OK;
}

static rope_status swap_vectors(encoding_run *run, rope_error *error) {
    (void)error;
    return transformer_xl(run, run->data->v, run->data->u, encoding_row_of_offset);
}

static int64_t mirrored(int64_t offset, const compare_data *data) {
    return encoding_row_of_offset(-offset, data);
}

static rope_status mirror_distance(encoding_run *run, rope_error *error) {
    (void)error;
    return transformer_xl(run, run->data->u, run->data->v, mirrored);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

/* Both routes have the mistake: only the expected values can tell. */
static void look_up(encoding_run *run, term_shape shape, const rows *a, const rows *b, encoding_index *index) {
    encoding_content(run);
    encoding_content_direct(run);
    encoding_term_add(run, shape, a, b, index);
    encoding_direct_add(run, shape, a, b, index);
}

/* -k .. k - 1, as DeBERTa clips. */
static int64_t clipped_short(int64_t offset, const compare_data *data) {
    const int64_t row = encoding_clip(offset, data->request.clip);
    return row < 2 * data->request.clip ? row : row - 1;
}

/* Row r + k of offsets already clipped by k - 1 on the left. */
static int64_t clipped_left(int64_t offset, const compare_data *data) {
    const int64_t row = encoding_clip(offset, data->request.clip);
    return row > 0 ? row : 1;
}

static rope_status shaw_short(encoding_run *run, rope_error *error) {
    (void)error;
    look_up(run, TERM_QUERY, run->data->q, run->data->shaw_key, clipped_short);
    return ROPE_OK;
}

static rope_status shaw_left(encoding_run *run, rope_error *error) {
    (void)error;
    look_up(run, TERM_QUERY, run->data->q, run->data->shaw_key, clipped_left);
    return ROPE_OK;
}

/* Every edge one offset early. */
static int64_t early(int64_t offset, const compare_data *data) {
    const int64_t farther = offset + (offset > 0) - (offset < 0);
    return encoding_bucket(farther, true, data->request.buckets, data->request.max_distance);
}

static int64_t other_side(int64_t offset, const compare_data *data) {
    return encoding_bucket(-offset, true, data->request.buckets, data->request.max_distance);
}

static int64_t causal_other_side(int64_t offset, const compare_data *data) {
    return encoding_bucket(-offset, false, data->request.buckets, data->request.max_distance);
}

static void biased(encoding_run *run, encoding_index *index) {
    look_up(run, TERM_OFFSET, run->data->bucket_bias, encoding_one(run), index);
}

static rope_status bucket_early(encoding_run *run, rope_error *error) {
    (void)error;
    biased(run, early);
    return ROPE_OK;
}

static rope_status bucket_other_side(encoding_run *run, rope_error *error) {
    (void)error;
    biased(run, other_side);
    return ROPE_OK;
}

static rope_status bucket_causal_other_side(encoding_run *run, rope_error *error) {
    (void)error;
    biased(run, causal_other_side);
    return ROPE_OK;
}

const scheme_twin scheme_twins[] = {
    {"rotates before the projection", "rope", rotate_first, "rotated-tokens"},
    {"rotates the wrong way", "rope", rotate_back, NULL},
    {"pairs channels i and i + d/2", "rope", NULL, "rope-half"},
    {"u and v swapped", "transformer-xl", swap_vectors, NULL},
    {"p(n - m) for p(m - n)", "transformer-xl", mirror_distance, NULL},
    {"clips to -k .. k - 1", "shaw", shaw_short, NULL},
    {"clips to -k + 1 .. k", "shaw", shaw_left, NULL},
    {"bucket edges one offset early", "t5", bucket_early, NULL},
    {"buckets of m - n", "t5", bucket_other_side, NULL},
    {"buckets of m - n", "t5-causal", bucket_causal_other_side, NULL},
    {"the paper's index for the code's", "deberta", NULL, "deberta-paper"},
    {"ramp for tent", "alibi", NULL, "alibi-signed"},
    {"RoFormer's b_(m,n) for T5's", "t5", NULL, "t5-roformer"},
    {0},
};

encoding scheme_of_twin(const scheme_twin *twin) {
    encoding scheme = *encoding_named(twin->of);
    scheme.build = twin->build ? twin->build : encoding_named(twin->is)->build;
    return scheme;
}
