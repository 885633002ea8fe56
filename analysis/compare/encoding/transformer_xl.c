/* Sinusoids of the distance, and two learned vectors in place of the query's position. [Dai et al. 2019; Su et al.
 * 2021, eq. 7] */
#include "shared.h"

static int64_t parameters(const compare_data *data) {
    return (int64_t)(data->dim * data->dim + 2 * data->dim);
}

static int64_t cost(const compare_data *data) {
    const int64_t N = (int64_t)data->length, d = (int64_t)data->dim;
    return (2 * N - 1) * d * d + N * N * d;
}

/* q k + q W_r p + u k + v W_r p, and (q + u) k + (q + v) W_r p. */
static void add_terms(encoding_run *run, const rows *u, const rows *v) {
    const compare_data *data = run->data;
    const rows *far = encoding_project(run, data->W_r, encoding_distances(run));
    encoding_content(run);
    encoding_term_add(run, TERM_QUERY, data->q, far, encoding_row_of_offset);
    encoding_term_add(run, TERM_PRODUCT, encoding_keep(run, rows_repeated(u, data->length)), data->k, NULL);
    encoding_term_add(run, TERM_OFFSET, far, v, encoding_row_of_offset);

    encoding_direct_add(run, TERM_PRODUCT, encoding_keep(run, rows_sum(data->q, u)), data->k, NULL);
    encoding_direct_add(run, TERM_QUERY, encoding_keep(run, rows_sum(data->q, v)), far, encoding_row_of_offset);
}

static rope_status build_original(encoding_run *run, rope_error *error) {
    (void)error;
    add_terms(run, run->data->u, run->data->v);
    return ROPE_OK;
}

static rope_status build_roformer(encoding_run *run, rope_error *error) {
    (void)error;
    const rows *W_q = run->data->W_q;
    add_terms(run, encoding_project(run, W_q, run->data->u), encoding_project(run, W_q, run->data->v));
    return ROPE_OK;
}

#define SAME_IN_BOTH_FORMS                                                                                             \
    .relative = true, .keeps_norm = true, .parameters_formula = "d^2 + 2 d", .parameters = parameters,                 \
    .cost_formula = "(2N - 1) d^2 + N^2 d", .cost = cost, .rank_formula = "min(N, 2d)", .rank = encoding_rank_twice,   \
    .rank_reason =                                                                                                     \
        "(q + u) . k needs d features; p(m - n) is bilinear in the sines of m and of n, which adds another d.",        \
    .linear_attention = true,                                                                                          \
    .linear_reason = "By the angle sum p(m - n) is made of sines at m times sines at n: 2d features, though nobody "   \
                     "computes it so.",                                                                                \
    .extrapolates = true,                                                                                              \
    .extrapolates_reason = "Sinusoids of any distance are defined; W_r has met the trained ones only."

static const encoding_term_text original_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"query-distance", "q_m . W_r p(m-n)", "The query asks for a distance.", true, true},
    {"key-bias", "u . k_n", "A learned vector in place of a query: some keys matter to everybody, wherever they are.",
     true, true},
    {"distance-bias", "v . W_r p(m-n)", "A learned vector asks for a distance: the same for every query.", true, false},
    {0},
};

const encoding encoding_transformer_xl = {
    .name = "transformer-xl",
    .title = "Transformer-XL",
    .source = "Dai et al. 2019, arXiv 1901.02860, section 3.3, terms (a) to (d)",
    .formula = "(q_m + u) . k_n + (q_m + v) . W_r p(m-n)",
    .idea = "Take the four terms of added sinusoids. Replace the key's place by its distance m - n, and the query's "
            "place by "
            "learned vectors u and v: every term becomes relative.",
    .term = original_terms,
    .differs =
        "RoFormer's equation 7 leaves W_q in front of u and v: (W_q u) . k and (W_q v) . W_r p. Transformer-XL absorbs "
        "it. See transformer-xl-roformer.",
    .next = "rope-compare --schemes sinusoidal,transformer-xl --shift 7: four terms each; three move in one, none in "
            "the other",
    .build = build_original,
    SAME_IN_BOTH_FORMS,
};

static const encoding_term_text roformer_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"query-distance", "q_m . W_r p(m-n)", "The query asks for a distance.", true, true},
    {"key-bias", "W_q u . k_n", "A learned token in place of the query's: some keys matter to everybody.", true, true},
    {"distance-bias", "W_q v . W_r p(m-n)", "A learned token asks for a distance: the same for every query.", true,
     false},
    {0},
};

const encoding encoding_transformer_xl_roformer = {
    .name = "transformer-xl-roformer",
    .title = "Transformer-XL, as RoFormer has it",
    .source = "Su et al. 2021, arXiv 2104.09864, equation 7",
    .formula = "(q_m + W_q u) . k_n + (q_m + W_q v) . W_r p(m-n)",
    .idea =
        "u and v are learned tokens and pass through W_q. Where W_q is invertible both forms can say the same, with "
        "other u and v; with the same ones their numbers differ.",
    .term = roformer_terms,
    .differs = "Dai et al. add u and v to the query after the projection; RoFormer's equation 7 projects them.",
    .next =
        "rope-compare --schemes transformer-xl,transformer-xl-roformer: the last two terms differ, the tests do not",
    .build = build_roformer,
    SAME_IN_BOTH_FORMS,
};
