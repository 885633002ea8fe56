/* Rotation in linear attention: the features of the numerator. [Su et al. 2021, equation 19] */
#include "shared.h"

static rope_status build(encoding_run *run, rope_error *error) {
    (void)error;
    const rows *q = encoding_keep(run, rows_elu_plus_one(run->data->q));
    const rows *k = encoding_keep(run, rows_elu_plus_one(run->data->k));
    encoding_rotate(run, ROPE_INTERLEAVED, q, k, NULL, NULL);
    return ROPE_OK;
}

static const encoding_term_text terms[] = {
    {"cosine", "sum_i (f(q)_i . f(k)_i) cos(r theta_i)",
     "RoPE's cosine part of the features: negative once pairs have turned.", true, true},
    {"sine", "sum_i (f(k)_i x f(q)_i) sin(r theta_i)", "RoPE's sine part of the features.", true, true},
    {0},
};

const encoding encoding_rope_linear = {
    .name = "rope-linear",
    .title = "RoPE, linear attention",
    .source = "Su et al. 2021, arXiv 2104.09864, equation 19, with f(x) = elu(x) + 1 of Katharopoulos et al. 2020",
    .formula = "(R_m f(q)) . (R_n f(k))",
    .idea = "Positive features f take the place of the softmax, then are rotated. Weights can turn negative, so the "
            "denominator is taken without rotation, and the weights of a row no longer sum to one.",
    .term = terms,
    .relative = true,
    .keeps_norm = false,
    ENCODING_ROTATED,
    .rank_reason = "Rotated features still have d numbers each.",
    .linear_attention = true,
    .linear_reason = "It is linear attention: sums over keys are made once and serve every query.",
    .extrapolates = true,
    .extrapolates_reason = "Defined at every position; far keys cancel rather than fade.",
    .next = "rope-compare linear: how many weights are negative, and what becomes of their sum",
    .build = build,
};
