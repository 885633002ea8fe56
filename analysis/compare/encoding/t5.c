/* A number for each offset, or bucket of offsets, added to the score. [Raffel et al. 2020, 2.1; Su et al. 2021, eq. 8]
 */
#include "shared.h"

static int64_t buckets(const compare_data *data) {
    return data->request.buckets;
}

static int64_t both(int64_t offset, const compare_data *data) {
    return encoding_bucket(offset, true, data->request.buckets, data->request.max_distance);
}

static int64_t causal(int64_t offset, const compare_data *data) {
    return encoding_bucket(offset, false, data->request.buckets, data->request.max_distance);
}

static void add_buckets(encoding_run *run, encoding_index *bucket) {
    encoding_content(run);
    encoding_term_add(run, TERM_OFFSET, run->data->bucket_bias, encoding_one(run), bucket);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_OFFSET, run->data->bucket_bias, encoding_one(run), bucket);
}

static rope_status build_both(encoding_run *run, rope_error *error) {
    (void)error;
    add_buckets(run, both);
    return ROPE_OK;
}

static rope_status build_causal(encoding_run *run, rope_error *error) {
    (void)error;
    add_buckets(run, causal);
    return ROPE_OK;
}

#define SAME_IN_BOTH_DIRECTIONS                                                                                        \
    .relative = true, .keeps_norm = true, .parameters_formula = "B (buckets)", .parameters = buckets,                  \
    .cost_formula = "0 (N^2 additions)", .cost = encoding_nothing, .rank_formula = "N", .rank = encoding_rank_full,    \
    .rank_reason =                                                                                                     \
        "A matrix that is constant along its diagonals, with steps at the buckets' edges, has full rank in "           \
        "general.",                                                                                                    \
    .linear_attention = false, .linear_reason = "The bias is looked up by m and n together.", .extrapolates = true,    \
    .extrapolates_reason = "All far offsets share the last bucket: defined, but far is then all one distance.",        \
    .differs =                                                                                                         \
        "RoFormer's equation 8 prints b_(i,j), a number for each pair of places; T5's depends on the bucket of n - "   \
        "m alone. T5 does not divide scores by sqrt(d)."

static const encoding_term_text bucket_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"bias", "b[bucket(n-m)]",
     "A learned number for the offset, whatever the tokens are: near offsets have one each, far "
     "ones share.",
     true, false},
    {0},
};

const encoding encoding_t5 = {
    .name = "t5",
    .title = "T5 bias",
    .source = "Raffel et al. 2020, arXiv 1910.10683, section 2.1; both directions, as in the encoder",
    .formula = "q_m . k_n + b[bucket(n-m)]",
    .idea =
        "Sort the offsets into 32 buckets, fine nearby and coarse far away, half of them for each direction. Add one "
        "learned number per bucket.",
    .term = bucket_terms,
    .next = "rope-compare --schemes t5,alibi --data constant --html page.html: stairs against a straight slope",
    .build = build_both,
    SAME_IN_BOTH_DIRECTIONS,
};

const encoding encoding_t5_causal = {
    .name = "t5-causal",
    .title = "T5 bias, causal",
    .source = "Raffel et al. 2020, arXiv 1910.10683, section 2.1; as in the decoder",
    .formula = "q_m . k_n + b[bucket(n-m)]",
    .idea = "As t5, but all 32 buckets look back. Keys after the query fall into bucket 0 and are masked in practice.",
    .term = bucket_terms,
    .next = "rope-compare --schemes t5,t5-causal --data constant --html page.html: finer stairs on one side, none on "
            "the other",
    .build = build_causal,
    SAME_IN_BOTH_DIRECTIONS,
};

/* ---- RoFormer's equation 8 --------------------------------------------------------------------------- */

static int64_t pairs(const compare_data *data) {
    return (int64_t)(data->length * data->length);
}

static rope_status build_pairs(encoding_run *run, rope_error *error) {
    const rows *b;
    const rope_status status = encoding_pairs(run, &b, error);
    if (status != ROPE_OK) return status;
    encoding_content(run);
    encoding_term_add(run, TERM_PAIR, b, b, NULL);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_PAIR, b, b, NULL);
    return ROPE_OK;
}

static const encoding_term_text pair_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"bias", "b_(m,n)", "A learned number for the pair of places m and n: nothing makes pairs at one offset agree.",
     false, false},
    {0},
};

const encoding encoding_t5_roformer = {
    .name = "t5-roformer",
    .title = "T5 bias, as RoFormer has it",
    .source = "Su et al. 2021, arXiv 2104.09864, equation 8",
    .formula = "q_m . k_n + b_(m,n)",
    .idea = "Read literally, equation 8 has a free number for each pair of places: a table that knows m and n, and is "
            "relative only if training makes it so.",
    .term = pair_terms,
    .relative = false,
    .keeps_norm = true,
    .parameters_formula = "N^2",
    .parameters = pairs,
    .cost_formula = "0 (N^2 additions)",
    .cost = encoding_nothing,
    .rank_formula = "N",
    .rank_reason = "The table is any N x N matrix.",
    .rank = encoding_rank_full,
    .linear_attention = false,
    .linear_reason = "The bias is looked up by m and n together.",
    .extrapolates = false,
    .extrapolates_reason = "The table ends at the longest trained position.",
    .differs = "Raffel et al. look the bias up by the bucket of n - m: 32 numbers instead of N^2, and relative.",
    .next = "rope-compare --schemes t5,t5-roformer --shift 7: one index more, and the bias is absolute",
    .build = build_pairs,
};
