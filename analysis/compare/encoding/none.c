/* No position at all: what the others are compared with. [Vaswani et al. 2017; NoPE: Kazemnejad et al. 2023] */
#include "shared.h"

static const encoding_term_text terms[] = {
    {"content", "q_m . k_n", "What the query token and the key token say to each other; their places do not enter.",
     true, true},
    {0},
};

static rope_status build(encoding_run *run, rope_error *error) {
    (void)error;
    encoding_content(run);
    encoding_content_direct(run);
    return ROPE_OK;
}

const encoding encoding_none = {
    .name = "none",
    .title = "No position",
    .source = "Vaswani et al. 2017, arXiv 1706.03762, equation 1; as NoPE in Kazemnejad et al. 2023, arXiv 2305.19466",
    .formula = "q_m . k_n",
    .idea =
        "Queries meet keys by content alone. Shuffle the keys and each keeps its score: order is invisible, unless a "
        "causal mask reveals it.",
    .term = terms,
    .relative = true,
    .keeps_norm = true,
    ENCODING_WITHOUT_PARAMETERS,
    .cost_formula = "0",
    .cost = encoding_nothing,
    ENCODING_OF_RANK_DIM,
    .rank_reason = "Queries and keys have d numbers each, so the N x N scores are a product of N x d and d x N.",
    ENCODING_FACTORED,
    .extrapolates = true,
    .extrapolates_reason = "There is nothing that a longer text could exceed.",
    .next = "rope-compare --schemes none,rope --data repeated: without position the score cannot tell the four copies "
            "apart",
    .build = build,
};
