/* A straight slope instead of an embedding. [Press et al. 2022] */
#include "shared.h"

#include <stdlib.h>

/* s = 2^-e: exact when e is an integer, else within 2^-p of itself. */
static void slope(mpfr_t s, const compare_data *data) {
    mpfr_set_d(s, -encoding_alibi_exponent(data->request.heads, data->request.head), MPFR_RNDN);
    mpfr_exp2(s, s, MPFR_RNDN);
}

static void distance_bias(mpfr_t x, size_t t, size_t j, const void *context) {
    const compare_data *data = context;
    (void)j;
    slope(x, data);
    mpfr_mul_si(x, x, -labs((long)t - (long)data->length + 1), MPFR_RNDN);
}

static void signed_bias(mpfr_t x, size_t t, size_t j, const void *context) {
    const compare_data *data = context;
    (void)j;
    slope(x, data);
    mpfr_mul_si(x, x, (long)t - (long)data->length + 1, MPFR_RNDN);
}

static void add_bias(encoding_run *run, rows_formula *formula) {
    const compare_data *data = run->data;
    const rows *bias = encoding_keep(run, rows_by_formula(2 * data->length - 1, 1, data->bits, formula, data));
    encoding_content(run);
    encoding_term_add(run, TERM_OFFSET, bias, encoding_one(run), encoding_row_of_offset);
}

static rope_status build_absolute(encoding_run *run, rope_error *error) {
    (void)error;
    add_bias(run, distance_bias);
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_OFFSET, run->term[1].a, encoding_one(run), encoding_row_of_offset);
    return ROPE_OK;
}

static void slope_of_position(mpfr_t x, size_t t, size_t j, const void *context) {
    const encoding_run *run = context;
    (void)j;
    slope(x, run->data);
    mpfr_mul_si(x, x, (long)(run->first + (int64_t)t), MPFR_RNDN);
}

/* The signed slope factors: (q, -s m, 1) . (k, 1, s n). In three products, for the two-norm of such rows would hide how
 * small the error of q . k is. */
static rope_status build_signed(encoding_run *run, rope_error *error) {
    (void)error;
    const size_t N = run->data->length;
    add_bias(run, signed_bias);
    const rows *s_n = encoding_keep(run, rows_by_formula(N, 1, run->data->bits, slope_of_position, run));
    const rows *minus_s_m = encoding_keep(run, rows_scaled(s_n, -1.0));
    const rows *one = encoding_keep(run, rows_repeated(encoding_one(run), N));
    encoding_content_direct(run);
    encoding_direct_add(run, TERM_PRODUCT, minus_s_m, one, NULL);
    encoding_direct_add(run, TERM_PRODUCT, one, s_n, NULL);
    return ROPE_OK;
}

static int64_t cost(const compare_data *data) {
    return 2 * (int64_t)data->length - 1;
}

static int64_t signed_rank(const compare_data *data) {
    return (int64_t)(data->length < data->dim + 2 ? data->length : data->dim + 2);
}

#define SAME_WITH_EITHER_SIGN                                                                                          \
    .relative = true, .keeps_norm = true, ENCODING_WITHOUT_PARAMETERS, .cost_formula = "2N - 1", .cost = cost,         \
    .extrapolates = true, .extrapolates_reason = "A straight line goes on; far keys fade whatever they say."

static const encoding_term_text absolute_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"bias", "-s |m-n|",
     "Every step away costs the same s, before and after the query alike. Head h of H = 1, 2, 4, 8 ... "
     "has s = 2^(-8h/H).",
     true, false},
    {0},
};

const encoding encoding_alibi = {
    .name = "alibi",
    .title = "ALiBi",
    .source = "Press, Smith and Lewis 2022, arXiv 2108.12409, section 3; for both directions, with |m - n|",
    .formula = "q_m . k_n - s |m-n|",
    .idea = "Subtract a slope times the distance. Nothing is learned; each head has its own slope.",
    .term = absolute_terms,
    .rank_formula = "N",
    .rank_reason = "The matrix of distances |m - n| is invertible.",
    .rank = encoding_rank_full,
    .linear_attention = false,
    .linear_reason = "The corner at m = n is no product of something at m and something at n.",
    .next = "rope-compare --schemes alibi,alibi-signed --data constant --html page.html: a tent against a ramp",
    .build = build_absolute,
    SAME_WITH_EITHER_SIGN,
};

static const encoding_term_text signed_terms[] = {
    {"content", "q_m . k_n", "Content meets content, as without positions.", true, true},
    {"bias", "-s (m-n)",
     "Every step back costs s; keys after the query would gain and are masked. Head h of H = 1, 2, 4, 8 ... "
     "has s = 2^(-8h/H).",
     true, false},
    {0},
};

const encoding encoding_alibi_signed = {
    .name = "alibi-signed",
    .title = "ALiBi, causal",
    .source = "Press, Smith and Lewis 2022, arXiv 2108.12409, section 3",
    .formula = "q_m . k_n - s (m-n)",
    .idea = "As alibi where keys come before the query; the sign makes it a difference of two numbers, one of m and "
            "one of n.",
    .term = signed_terms,
    .rank_formula = "min(N, d + 2)",
    .rank_reason = "-s m + s n is the product of (-s m, 1) and (1, s n): two features more.",
    .rank = signed_rank,
    .linear_attention = true,
    .linear_reason = "The signed slope factors: (q, -s m, 1) . (k, 1, s n).",
    .next = "rope-compare --schemes alibi,alibi-signed --data constant --html page.html: a tent against a ramp",
    .build = build_signed,
    SAME_WITH_EITHER_SIGN,
};
