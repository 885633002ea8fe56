/* A learned vector for every clipped offset, on the keys and on the values. [Shaw et al. 2018; Su et al. 2021, eq. 5]
 */
#include "shared.h"

static int64_t clipped(int64_t offset, const compare_data *data) {
    return encoding_clip(offset, data->request.clip);
}

static int64_t parameters(const compare_data *data) {
    return 2 * (2 * data->request.clip + 1) * (int64_t)data->dim; /* keys' and values' */
}

/* q_m . a_r for every row of the table, then looked up; and for the values the weights of an offset, times its row. */
static int64_t cost(const compare_data *data) {
    return 2 * (int64_t)data->length * (2 * data->request.clip + 1) * (int64_t)data->dim;
}

static int64_t roformer_cost(const compare_data *data) {
    const int64_t N = (int64_t)data->length, d = (int64_t)data->dim;
    return 2 * (2 * data->request.clip + 1) * d * (N + d);
}

static void add_offsets(encoding_run *run, const rows *a) {
    const rows *back = encoding_keep(run, rows_transpose(run->data->W_q));
    encoding_content(run);
    encoding_term_add(run, TERM_QUERY, run->data->q, a, clipped);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_QUERY, run->data->x_query, encoding_project(run, back, a), clipped);
}

static rope_status build_original(encoding_run *run, rope_error *error) {
    (void)error;
    add_offsets(run, run->data->shaw_key);
    return ROPE_OK;
}

static rope_status build_roformer(encoding_run *run, rope_error *error) {
    (void)error;
    add_offsets(run, encoding_project(run, run->data->W_k, run->data->shaw_key));
    return ROPE_OK;
}

#define SAME_IN_BOTH_FORMS                                                                                             \
    .relative = true, .keeps_norm = true, .parameters_formula = "2 (2k + 1) d", .parameters = parameters,              \
    .rank_formula = "N", .rank = encoding_rank_full,                                                                   \
    .rank_reason =                                                                                                     \
        "Row m meets the table along its own diagonal. A clip is no product of something at m and something "          \
        "at n, so no fixed number of features is enough.",                                                             \
    .linear_attention = false, .linear_reason = "The table's row depends on m and n together.", .extrapolates = true,  \
    .extrapolates_reason = "Every offset beyond k uses the last row: defined, but far is then all one distance.",      \
    .needs_value = true

static const encoding_term_text original_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"query-offset", "q_m . a_clip(n-m)",
     "The query asks for an offset: one learned vector for each, the same beyond k.", true, true},
    {0},
};

const encoding encoding_shaw = {
    .name = "shaw",
    .title = "Shaw",
    .source = "Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155, equations 3 and 4",
    .formula = "q_m . (k_n + a_clip(n-m, -k, k))",
    .idea =
        "Add to the key a learned vector that belongs to the offset. Offsets beyond k share the last one. The values "
        "get such vectors, too.",
    .term = original_terms,
    .cost_formula = "2 N (2k + 1) d",
    .cost = cost,
    .differs =
        "RoFormer's equation 5 puts the vector inside the projection, W_k(x_n + p_r), so it lives among tokens and "
        "not among keys; it counts offsets as m - n and clips at r_min and r_max. See shaw-roformer.",
    .next = "rope-compare --schemes shaw --length 64: along a row, nothing but content changes beyond offset k = 16",
    .build = build_original,
    SAME_IN_BOTH_FORMS,
};

static const encoding_term_text roformer_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"query-offset", "q_m . W_k a_clip(n-m)",
     "The query asks for an offset, whose vector went through W_k like a token.", true, true},
    {0},
};

const encoding encoding_shaw_roformer = {
    .name = "shaw-roformer",
    .title = "Shaw, as RoFormer has it",
    .source = "Su et al. 2021, arXiv 2104.09864, equation 5",
    .formula = "q_m . W_k(x_n + a_clip(n-m, -k, k))",
    .idea =
        "The vector of the offset is added to the token, before W_k. Where W_k is invertible both forms can say the "
        "same, with other tables; with one table their numbers differ.",
    .term = roformer_terms,
    .cost_formula = "2 (2k + 1) d (N + d)",
    .cost = roformer_cost,
    .differs =
        "Shaw et al. add the vector to the key after the projection: q . (k + a). RoFormer writes the offset as m - "
        "n; that only renumbers the table.",
    .next = "rope-compare --schemes shaw,shaw-roformer: same tests, same answers, other numbers in the second term",
    .build = build_roformer,
    SAME_IN_BOTH_FORMS,
};
