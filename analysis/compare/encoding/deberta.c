/* Content meets content, content meets distance, distance meets content. [He et al. 2021; Su et al. 2021, eq. 10] */
#include "shared.h"

/* The row of a table of 2k rows that has distance D - k in row D, for the distance D - k = m - n cut to -k .. k - 1. */
static int64_t row_of_distance(int64_t distance, int64_t k) {
    return distance < -k ? 0 : distance > k - 1 ? 2 * k - 1 : distance + k;
}

static int64_t forth(int64_t offset, const compare_data *data) {
    return row_of_distance(-offset, data->request.clip);
}
static int64_t back(int64_t offset, const compare_data *data) {
    return row_of_distance(offset, data->request.clip);
}

static int64_t logarithmic(int64_t offset, const compare_data *data) {
    const int B = data->request.buckets;
    return row_of_distance(encoding_log_distance(-offset, B, data->request.max_distance), B);
}

/* Terms q k, q K^r, Q^r k; directly by W_q^T and W_k^T. */
static void add_terms(encoding_run *run, const rows *q_r, const rows *k_r, encoding_index *query_index,
                      encoding_index *key_index) {
    const compare_data *data = run->data;
    encoding_content(run);
    encoding_term_add(run, TERM_QUERY, data->q, k_r, query_index);
    encoding_term_add(run, TERM_KEY, q_r, data->k, key_index);

    const rows *back_q = encoding_keep(run, rows_transpose(data->W_q)),
               *back_k = encoding_keep(run, rows_transpose(data->W_k));
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_QUERY, data->x_query, encoding_project(run, back_q, k_r), query_index);
    encoding_direct_add(run, TERM_KEY, encoding_project(run, back_k, q_r), data->x_key, key_index);
}

/* Sinusoids of the distances -k .. k - 1 stand for the learned table of 2k rows. */
static rope_status add_table(encoding_run *run, int64_t k, encoding_index *query_index, encoding_index *key_index) {
    const compare_data *data = run->data;
    const rows *p = encoding_keep(run, rows_sinusoid(-k, 1, 2 * (size_t)k, data->dim, data->request.base, data->bits));
    const rows *q_r = encoding_project(run, data->U_q, p), *k_r = encoding_project(run, data->U_k, p);
    add_terms(run, q_r, k_r, query_index, key_index);
    return ROPE_OK;
}

static rope_status build_code(encoding_run *run, rope_error *error) {
    (void)error;
    return add_table(run, run->data->request.clip, forth, forth);
}

static rope_status build_paper(encoding_run *run, rope_error *error) {
    (void)error;
    return add_table(run, run->data->request.clip, forth, back);
}

static rope_status build_logarithmic(encoding_run *run, rope_error *error) {
    (void)error;
    return add_table(run, run->data->request.buckets, logarithmic, logarithmic);
}

static rope_status build_roformer(encoding_run *run, rope_error *error) {
    (void)error;
    const rows *p = encoding_distances(run);
    const rows *q_r = encoding_project(run, run->data->W_q, p), *k_r = encoding_project(run, run->data->W_k, p);
    add_terms(run, q_r, k_r, encoding_row_of_offset, encoding_row_of_offset);
    return ROPE_OK;
}

/* ---- counts ------------------------------------------------------------------------------------------ */

static int64_t table_parameters(int64_t d, int64_t rows_of_table) {
    return 2 * d * d + rows_of_table * d;
}
static int64_t table_cost(int64_t N, int64_t d, int64_t rows_of_table) {
    return 2 * rows_of_table * d * (d + N);
}

static int64_t parameters(const compare_data *data) {
    return table_parameters((int64_t)data->dim, 2 * data->request.clip);
}

static int64_t cost(const compare_data *data) {
    return table_cost((int64_t)data->length, (int64_t)data->dim, 2 * data->request.clip);
}

static int64_t log_parameters(const compare_data *data) {
    return table_parameters((int64_t)data->dim, 2 * data->request.buckets);
}

static int64_t log_cost(const compare_data *data) {
    return table_cost((int64_t)data->length, (int64_t)data->dim, 2 * data->request.buckets);
}

static int64_t roformer_cost(const compare_data *data) {
    const int64_t N = (int64_t)data->length, d = (int64_t)data->dim;
    return 2 * (2 * N - 1) * d * d + 2 * N * N * d;
}

static int64_t roformer_rank(const compare_data *data) {
    return (int64_t)(data->length < 3 * data->dim ? data->length : 3 * data->dim);
}

/* ---- words ------------------------------------------------------------------------------------------- */

#define CONTENT                                                                                                        \
    { "content", "q_m . k_n", "Content meets content, as without positions.", true, true }
#define SAME_WITH_A_TABLE                                                                                              \
    .relative = true, .keeps_norm = true, .rank_formula = "N", .rank = encoding_rank_full,                             \
    .rank_reason = "A clipped distance is no product of something at m and something at n.",                           \
    .linear_attention = false, .linear_reason = "The table's row depends on m and n together.", .extrapolates = true,  \
    .extrapolates_reason = "Distances beyond the table use its last row: defined, but far is then all one distance."

static const encoding_term_text code_terms[] = {
    CONTENT,
    {"content-to-position", "q_m . U_k p_d(m-n)", "The query asks for a distance, the same beyond k.", true, true},
    {"position-to-content", "U_q p_d(m-n) . k_n", "The distance asks for a key.", true, true},
    {0},
};

const encoding encoding_deberta = {
    .name = "deberta",
    .title = "DeBERTa",
    .source = "He et al. 2021, arXiv 2006.03654, section 3.1, with the index of the released code",
    .formula = "q_m . k_n + q_m . U_k p_d(m-n) + U_q p_d(m-n) . k_n",
    .idea =
        "Give the distance projections of its own, as query and as key, and let it meet content on both sides. d cuts "
        "m - n to -k .. k-1. The scores are then divided by sqrt(3d).",
    .term = code_terms,
    .parameters_formula = "2 d^2 + 2 k d",
    .parameters = parameters,
    .cost_formula = "4 k d (N + d)",
    .cost = cost,
    .differs =
        "RoFormer's equation 10 uses W_q and W_k for the distance, and one p(m-n) without a clip. The paper's third "
        "term has d(n-m), its code d(m-n). See deberta-roformer and deberta-paper.",
    .next = "rope-compare --schemes deberta,deberta-paper: one term, looked up with m - n or n - m",
    .build = build_code,
    SAME_WITH_A_TABLE,
};

static const encoding_term_text paper_terms[] = {
    CONTENT,
    {"content-to-position", "q_m . U_k p_d(m-n)", "The query asks for a distance, the same beyond k.", true, true},
    {"position-to-content", "U_q p_d(n-m) . k_n", "The distance, seen from the key, asks for the key.", true, true},
    {0},
};

const encoding encoding_deberta_paper = {
    .name = "deberta-paper",
    .title = "DeBERTa, as its paper has it",
    .source = "He et al. 2021, arXiv 2006.03654, equation 4",
    .formula = "q_m . k_n + q_m . U_k p_d(m-n) + U_q p_d(n-m) . k_n",
    .idea =
        "In the paper the distance of the third term is seen from the key: n - m. The released code looks up m - n.",
    .term = paper_terms,
    .parameters_formula = "2 d^2 + 2 k d",
    .parameters = parameters,
    .cost_formula = "4 k d (N + d)",
    .cost = cost,
    .differs = "RoFormer's equation 10 uses W_q and W_k for the distance, and p(m-n) in both terms.",
    .next = "rope-compare --schemes deberta,deberta-paper: the third term differs, no test tells them apart",
    .build = build_paper,
    SAME_WITH_A_TABLE,
};

static const encoding_term_text log_terms[] = {
    CONTENT,
    {"content-to-position", "q_m . U_k p_log(m-n)", "The query asks for a distance, coarser the farther.", true, true},
    {"position-to-content", "U_q p_log(m-n) . k_n", "The distance, coarser the farther, asks for a key.", true, true},
    {0},
};

const encoding encoding_deberta_log = {
    .name = "deberta-log",
    .title = "DeBERTa v2, logarithmic distances",
    .source = "He, Gao and Chen 2021, arXiv 2111.09543; the buckets are those of the released code of DeBERTa v2",
    .formula = "q_m . k_n + q_m . U_k p_log(m-n) + U_q p_log(m-n) . k_n",
    .idea =
        "As deberta, but distances above half the buckets are counted in logarithmic steps, so the table reaches far.",
    .term = log_terms,
    .parameters_formula = "2 d^2 + 2 B d (B buckets)",
    .parameters = log_parameters,
    .cost_formula = "4 B d (N + d)",
    .cost = log_cost,
    .differs = "RoFormer's equation 10 has neither buckets nor a clip.",
    .next =
        "rope-compare --schemes deberta,deberta-log --data constant --html page.html: one table stops, one coarsens",
    .build = build_logarithmic,
    SAME_WITH_A_TABLE,
};

static const encoding_term_text roformer_terms[] = {
    CONTENT,
    {"content-to-position", "q_m . W_k p(m-n)", "The query asks for a distance, projected like a token.", true, true},
    {"position-to-content", "W_q p(m-n) . k_n", "The distance, projected like a token, asks for a key.", true, true},
    {0},
};

const encoding encoding_deberta_roformer = {
    .name = "deberta-roformer",
    .title = "DeBERTa, as RoFormer has it",
    .source = "Su et al. 2021, arXiv 2104.09864, equation 10",
    .formula = "q_m . k_n + q_m . W_k p(m-n) + W_q p(m-n) . k_n",
    .idea = "Added positions once more, with both absolute ones replaced by the distance, and place-place dropped.",
    .term = roformer_terms,
    .relative = true,
    .keeps_norm = true,
    ENCODING_WITHOUT_PARAMETERS,
    .cost_formula = "2 (2N - 1) d^2 + 2 N^2 d",
    .cost = roformer_cost,
    .rank_formula = "min(N, 3d)",
    .rank_reason = "p(m - n) is bilinear in the sines of m and of n: each of the three terms needs d features.",
    .rank = roformer_rank,
    .linear_attention = true,
    .linear_reason = "By the angle sum each term is a product of rows made at m and at n: 3d features.",
    .extrapolates = true,
    .extrapolates_reason = "Sinusoids of any distance are defined, but far ones were never trained on.",
    .differs = "He et al. project distances by U_q and U_k and clip them; RoFormer reuses W_q and W_k, without a clip.",
    .next = "rope-compare --schemes deberta,deberta-roformer --dim 8: with a clip the rank is full, without it 3d",
    .build = build_roformer,
};
