/* Rotary position embedding, in both channel layouts. [Su et al. 2021, equations 14, 16, 34] */
#include "shared.h"

static const encoding_term_text terms[] = {
    {"cosine", "sum_i (q_i . k_i) cos(r theta_i)",
     "Each pair's product of query and key, times the cosine of the angle between m and n; at r = 0 this is q . k.",
     true, true},
    {"sine", "sum_i (k_i x q_i) sin(r theta_i)",
     "How far each pair turns from key to query, times the sine: it changes sign with r and so tells before from "
     "after.",
     true, true},
    {0},
};

static rope_status build_interleaved(encoding_run *run, rope_error *error) {
    (void)error;
    encoding_rotate(run, ROPE_INTERLEAVED, run->data->q, run->data->k, NULL, NULL);
    return ROPE_OK;
}

static rope_status build_half(encoding_run *run, rope_error *error) {
    (void)error;
    encoding_rotate(run, ROPE_HALF, run->data->q, run->data->k, NULL, NULL);
    return ROPE_OK;
}

#define SAME_IN_BOTH_LAYOUTS                                                                                           \
    .formula = "(R_m q) . (R_n k) = q . R_(n-m) k", .term = terms, .relative = true, .keeps_norm = true,               \
    .rank_reason = "Rotated queries and keys still have d numbers each.", .extrapolates = true,                        \
    .extrapolates_reason = "Defined at every position; what a model makes of angles that it was not trained on is "    \
                           "another question.",                                                                        \
    ENCODING_ROTATED, ENCODING_FACTORED

const encoding encoding_rope = {
    .name = "rope",
    .title = "RoPE",
    .source = "Su et al. 2021, arXiv 2104.09864, equations 14, 16 and 34",
    .idea = "Rotate the query by its position and the key by its own, channel pair by channel pair. The product of two "
            "rotated vectors keeps only the angle between them, and that is (n - m) theta_i.",
    .next = "rope-compare --schemes rope,sinusoidal --shift 7: the terms of rope move by rounding alone, three of "
            "sinusoidal in earnest",
    .build = build_interleaved,
    SAME_IN_BOTH_LAYOUTS,
};

const encoding encoding_rope_half = {
    .name = "rope-half",
    .title = "RoPE, half layout",
    .source = "Su et al. 2021, arXiv 2104.09864, with the channel pairs (i, i + d/2) of GPT-NeoX",
    .idea =
        "The same rotation, but pair i is channels i and i + d/2 instead of 2i and 2i + 1. With other weights (rows of "
        "W_q and W_k reordered) the scores are those of rope; with the same weights they are others.",
    .next = "rope-compare --schemes rope,rope-half: every test gives the same answer, every score another number",
    .build = build_half,
    SAME_IN_BOTH_LAYOUTS,
};
