/* Positions added to the tokens: sinusoids, or a learned table. [Vaswani et al. 2017, 3.5; Su et al. 2021, eq. 3, 4, 6]
 */
#include "shared.h"

static const encoding_term_text terms[] = {
    {"content-content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"content-position", "q_m . W_k p_n", "The query's content meets the key's absolute place n.", false, true},
    {"position-content", "W_q p_m . k_n", "The query's absolute place m meets the key's content.", false, true},
    {"position-position", "W_q p_m . W_k p_n",
     "Place meets place. Without weights p_m . p_n depends on n - m alone; with W_q and W_k between them it no longer "
     "does.",
     false, false},
    {0},
};

static void add_positions(encoding_run *run, const rows *p) {
    const compare_data *data = run->data;
    const rows *q_p = encoding_project(run, data->W_q, p), *k_p = encoding_project(run, data->W_k, p);
    encoding_content(run);
    encoding_term_add(run, TERM_PRODUCT, data->q, k_p, NULL);
    encoding_term_add(run, TERM_PRODUCT, q_p, data->k, NULL);
    encoding_term_add(run, TERM_PRODUCT, q_p, k_p, NULL);

    run->query = encoding_project(run, data->W_q, encoding_keep(run, rows_sum(data->x_query, p)));
    run->key = encoding_project(run, data->W_k, encoding_keep(run, rows_sum(data->x_key, p)));
    encoding_direct_add(run, TERM_PRODUCT, run->query, run->key, NULL);
}

static rope_status build_sinusoidal(encoding_run *run, rope_error *error) {
    (void)error;
    add_positions(run, encoding_positions(run));
    return ROPE_OK;
}

#define SAME_FOR_ANY_TABLE                                                                                             \
    .formula = "W_q(x_m + p_m) . W_k(x_n + p_n)", .relative = false, .keeps_norm = false,                              \
    .cost_formula = "0 (N d additions)", .cost = encoding_nothing,                                                     \
    .rank_reason = "Position is added before the projection, so queries and keys still have d numbers each.",          \
    ENCODING_OF_RANK_DIM, ENCODING_FACTORED

const encoding encoding_sinusoidal = {
    .name = "sinusoidal",
    .title = "Sinusoidal, added",
    .source = "Vaswani et al. 2017, arXiv 1706.03762, section 3.5; taken apart in Su et al. 2021, equation 6",
    .idea =
        "Add to each token a vector of sines and cosines of its position. The product then has four terms, and three "
        "of them see m or n itself.",
    .term = terms,
    ENCODING_WITHOUT_PARAMETERS,
    SAME_FOR_ANY_TABLE,
    .extrapolates = true,
    .extrapolates_reason = "Sines are defined everywhere, but the three position terms take values never trained on.",
    .next = "rope-compare --schemes sinusoidal --data constant: with equal tokens, whatever still varies is position",
    .build = build_sinusoidal,
};

static const encoding_term_text learned_terms[] = {
    {"content-content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"content-position", "q_m . W_k p_n", "The query's content meets the learned vector of place n.", false, true},
    {"position-content", "W_q p_m . k_n", "The learned vector of place m meets the key's content.", false, true},
    {"position-position", "W_q p_m . W_k p_n", "Two learned vectors meet: nothing ties p_(m+1) to p_m.", false, false},
    {0},
};

static int64_t learned_parameters(const compare_data *data) {
    return (int64_t)(data->length * data->dim);
}

static rope_status build_learned(encoding_run *run, rope_error *error) {
    if (run->first < 0)
        return rope_fail(error, ROPE_BAD_INPUT, "learned", "positions count from 0", "position %lld has no row",
                         (long long)run->first);
    add_positions(run, encoding_keep(run, compare_data_learned(run->data, run->first)));
    return ROPE_OK;
}

const encoding encoding_learned = {
    .name = "learned",
    .title = "Learned, added",
    .source = "Gehring et al. 2017, arXiv 1705.03122, section 3.1; BERT (Devlin et al. 2018, arXiv 1810.04805)",
    .idea = "As sinusoidal, but p_m is a row of a trained table. Nothing relates neighbouring rows but training.",
    .term = learned_terms,
    .parameters_formula = "N d",
    .parameters = learned_parameters,
    SAME_FOR_ANY_TABLE,
    .extrapolates = false,
    .extrapolates_reason =
        "The table ends at the longest trained position; here later rows are fresh random numbers, as "
        "untrained as they would be.",
    .next = "rope-compare --schemes learned,sinusoidal --data constant --html page.html: noise against waves",
    .build = build_learned,
};
