#include "shared.h"

int64_t encoding_nothing(const compare_data *data) {
    return (void)data, 0;
}
int64_t encoding_rank_full(const compare_data *data) {
    return (void)data, -1;
}

static int64_t rank_of(const compare_data *data, size_t features) {
    return (int64_t)(data->length < features ? data->length : features);
}

int64_t encoding_rank_dim(const compare_data *data) {
    return rank_of(data, data->dim);
}
int64_t encoding_rank_twice(const compare_data *data) {
    return rank_of(data, 2 * data->dim);
}

enum { MOST_PAIRS = 8192 }; /* tokens: the table has their number squared */

rope_status encoding_pairs(encoding_run *run, const rows **b, rope_error *error) {
    if (run->data->length > MOST_PAIRS || run->first < 0)
        return rope_fail(error, ROPE_BAD_INPUT, run->encoding->name,
                         "at most 8192 tokens, at positions from 0 on; or leave it out of --schemes",
                         "a number for each pair of %zu places from %lld on does not fit", run->data->length,
                         (long long)run->first);
    *b = encoding_keep(run, compare_data_pairs(run->data, run->first));
    return ROPE_OK;
}

/* ---- rotations --------------------------------------------------------------------------------------- */

int64_t encoding_rotation_cost(const compare_data *data) {
    return 4 * (int64_t)(data->length * data->dim);
}

/* C_m x, S_m x and R_m x of one side. */
typedef struct shares {
    const rows *cosine, *sine, *rotated;
} shares;

static const rows *scaled(encoding_run *run, const rows *x, const rows *scale) {
    return scale ? encoding_keep(run, rows_times(x, scale)) : x;
}

/* C = (R_m + R_(-m)) / 2, S = (R_m - R_(-m)) / 2. */
static shares share(encoding_run *run, const rope_spec *spec, const rows *x, const rows *scale) {
    const rows *forth = encoding_keep(run, rows_rotate(x, spec, run->first, false));
    const rows *back = encoding_keep(run, rows_rotate(x, spec, run->first, true));
    const rows *twice_c = encoding_keep(run, rows_sum(forth, back));
    const rows *twice_s = encoding_keep(run, rows_difference(forth, back));
    const rows *c = encoding_keep(run, rows_scaled(twice_c, 0.5)), *s = encoding_keep(run, rows_scaled(twice_s, 0.5));
    return (shares){scaled(run, c, scale), scaled(run, s, scale), scaled(run, forth, scale)};
}

void encoding_rotate(encoding_run *run, rope_layout layout, const rows *x, const rows *y, const rows *up,
                     const rows *down) {
    const rope_spec spec = encoding_rotation(run->data, layout);
    const shares q = share(run, &spec, x, up), k = share(run, &spec, y, down);
    const rows *queries = encoding_keep(run, rows_join(q.cosine, q.sine));
    const rows *like = encoding_keep(run, rows_join(k.cosine, k.sine));
    const rows *unlike = encoding_keep(run, rows_join(k.sine, k.cosine));
    encoding_term_add(run, TERM_PRODUCT, queries, like, NULL);
    encoding_term_add(run, TERM_PRODUCT, queries, unlike, NULL);
    encoding_direct_add(run, TERM_PRODUCT, q.rotated, k.rotated, NULL);
    run->query = q.rotated, run->key = k.rotated;
}
