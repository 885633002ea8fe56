/* Places meet places through projections of their own, apart from content. [Ke et al. 2021; Su et al. 2021, eq. 9] */
#include "shared.h"

static int64_t parameters(const compare_data *data) {
    return (int64_t)(2 * data->dim * data->dim + 2 * data->length - 1);
}

static int64_t pair_parameters(const compare_data *data) {
    return (int64_t)(2 * data->dim * data->dim + data->length * data->length);
}

static int64_t cost(const compare_data *data) {
    const int64_t N = (int64_t)data->length, d = (int64_t)data->dim;
    return 2 * N * d * d + N * N * d;
}

/* U_q p_m and U_k p_n. */
static const rows *places(encoding_run *run, const rows *U) {
    return encoding_project(run, U, encoding_positions(run));
}

static const rows *halved(encoding_run *run, const rows *x) {
    return encoding_keep(run, rows_over_root(x, 2 * run->data->dim));
}

/* The scale is put on the queries' side of terms, and on the joined queries of the direct route. */
static rope_status build_original(encoding_run *run, rope_error *error) {
    (void)error;
    const compare_data *data = run->data;
    const rows *p_q = places(run, data->U_q), *p_k = places(run, data->U_k), *one = encoding_one(run);
    encoding_term_add(run, TERM_PRODUCT, halved(run, data->q), data->k, NULL);
    encoding_term_add(run, TERM_PRODUCT, halved(run, p_q), p_k, NULL);
    encoding_term_add(run, TERM_OFFSET, data->bias, one, encoding_row_of_offset);

    const rows *query = encoding_keep(run, rows_join(data->q, p_q)), *key = encoding_keep(run, rows_join(data->k, p_k));
    encoding_direct_add(run, TERM_PRODUCT, halved(run, query), key, NULL);
    encoding_direct_add(run, TERM_OFFSET, data->bias, one, encoding_row_of_offset);
    return ROPE_OK;
}

static rope_status build_roformer(encoding_run *run, rope_error *error) {
    const compare_data *data = run->data;
    const rows *b, *p_q = places(run, data->U_q), *p_k = places(run, data->U_k);
    const rope_status status = encoding_pairs(run, &b, error);
    if (status != ROPE_OK) return status;
    encoding_content(run);
    encoding_term_add(run, TERM_PRODUCT, p_q, p_k, NULL);
    encoding_term_add(run, TERM_PAIR, b, b, NULL);

    const rows *query = encoding_keep(run, rows_join(data->q, p_q)), *key = encoding_keep(run, rows_join(data->k, p_k));
    encoding_direct_add(run, TERM_PRODUCT, query, key, NULL);
    encoding_direct_add(run, TERM_PAIR, b, b, NULL);
    return ROPE_OK;
}

#define SAME_IN_BOTH_FORMS                                                                                             \
    .relative = false, .keeps_norm = true, .cost_formula = "2 N d^2 + N^2 d", .cost = cost, .rank_formula = "N",       \
    .rank = encoding_rank_full, .rank_reason = "The bias is a full matrix; the two products add 2d at most.",          \
    .linear_attention = false, .linear_reason = "The two products factor, the bias does not."

static const encoding_term_text original_terms[] = {
    {"content", "q_m . k_n / sqrt(2d)", "Content meets content, with the scale 1/sqrt(2d) that two terms share.", true,
     true},
    {"position", "U_q p_m . U_k p_n / sqrt(2d)",
     "Place meets place through weights of its own. They stand between p_m and p_n, so m and n themselves enter.",
     false, false},
    {"bias", "b(n-m)", "A learned number for the offset.", true, false},
    {0},
};

const encoding encoding_tupe = {
    .name = "tupe",
    .title = "TUPE",
    .source = "Ke, He and Liu 2021, arXiv 2006.15595, equation 11 (their p is learned; here sinusoids)",
    .formula = "(q_m . k_n + U_q p_m . U_k p_n) / sqrt(2d) + b(n-m)",
    .idea =
        "Of the four terms of added positions drop the mixed ones: content meets content, place meets place, each with "
        "its own weights. Then add a number for the offset.",
    .term = original_terms,
    .parameters_formula = "2 d^2 + 2N - 1",
    .parameters = parameters,
    .extrapolates = false,
    .extrapolates_reason = "The bias has numbers for the trained offsets only.",
    .differs = "RoFormer's equation 9 drops the sqrt(2), prints b_(i,j) for b_(j-i), and credits T5's authors. See "
               "tupe-roformer.",
    .next = "rope-compare --schemes tupe,sinusoidal --shift 7: one absolute term instead of three",
    .build = build_original,
    SAME_IN_BOTH_FORMS,
};

static const encoding_term_text roformer_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"position", "U_q p_m . U_k p_n",
     "Place meets place through weights of its own. They stand between p_m and p_n, so m and n themselves enter.",
     false, false},
    {"bias", "b_(m,n)", "A learned number for the pair of places m and n.", false, false},
    {0},
};

const encoding encoding_tupe_roformer = {
    .name = "tupe-roformer",
    .title = "TUPE, as RoFormer has it",
    .source = "Su et al. 2021, arXiv 2104.09864, equation 9",
    .formula = "q_m . k_n + U_q p_m . U_k p_n + b_(m,n)",
    .idea = "The same split into content and place, without a scale and with a free number for each pair of places.",
    .term = roformer_terms,
    .parameters_formula = "2 d^2 + N^2",
    .parameters = pair_parameters,
    .extrapolates = false,
    .extrapolates_reason = "The table of pairs ends at the longest trained position.",
    .differs = "Ke et al. divide both products by sqrt(2d), and their bias depends on the offset alone.",
    .next = "rope-compare --schemes tupe,tupe-roformer --shift 7: now two terms move",
    .build = build_roformer,
    SAME_IN_BOTH_FORMS,
};
