/* Rotation and a fading per pair, made of growth on one side and decay on the other. [Sun et al. 2022] */
#include "shared.h"

#include <stdlib.h>

enum {
    SCALE = 512,       /* B: positions to one power of zeta */
    LARGEST = 1 << 17, /* position: zeta^(n/B) stays above 10^-140 */
};

/* log zeta_j of each pair, and the last power, which both channels of a pair share. */
typedef struct powers {
    int64_t first;
    int sign; /* of the exponent: + for queries, - for keys */
    size_t pairs;
    mpfr_t *log;
    mpfr_ptr last;
} powers;

/* Called row by row and channel by channel. Exponents are below 400 and off by 2^-p of that and of m/B, a few times
 * over: 2^(16 - p) of the power covers it. */
static void power(mpfr_t x, size_t t, size_t j, const void *context) {
    const powers *p = context;
    if (j % 2 == 0) {
        mpfr_mul_si(x, p->log[j / 2], (long)(p->sign * (p->first + (int64_t)t)), MPFR_RNDN);
        mpfr_div_si(x, x, SCALE, MPFR_RNDN);
        mpfr_exp(p->last, x, MPFR_RNDN);
    }
    mpfr_set(x, p->last, MPFR_RNDN);
}

/* zeta_j = (2j/d + 0.4) / 1.4 = (10 j + 2 d) / (7 d). */
static mpfr_t *logarithms(size_t dim, mpfr_prec_t precision) {
    mpfr_t *log = malloc(dim / 2 * sizeof *log);
    for (size_t j = 0; log && j < dim / 2; j++) {
        mpfr_init2(log[j], precision);
        mpfr_set_ui(log[j], (unsigned long)(10 * j + 2 * dim), MPFR_RNDN);
        mpfr_div_ui(log[j], log[j], (unsigned long)(7 * dim), MPFR_RNDN);
        mpfr_log(log[j], log[j], MPFR_RNDN);
    }
    return log;
}

static const rows *scales(encoding_run *run, int sign) {
    const compare_data *data = run->data;
    const mpfr_prec_t precision = data->bits + 48;
    mpfr_t last;
    mpfr_t *log = logarithms(data->dim, precision);
    if (!log) return NULL;
    mpfr_init2(last, precision);
    const powers p = {run->first, sign, data->dim / 2, log, last};
    const rows *made = encoding_keep(run, rows_by_formula(data->length, data->dim, data->bits, power, &p));
    for (size_t j = 0; j < p.pairs; j++) mpfr_clear(log[j]);
    mpfr_clear(last);
    free(log);
    return made;
}

static rope_status build(encoding_run *run, rope_error *error) {
    const int64_t last = run->first + (int64_t)run->data->length - 1;
    if (llabs(run->first) > LARGEST || llabs(last) > LARGEST)
        return rope_fail(error, ROPE_BAD_INPUT, "xpos", "positions up to 131072; or leave xpos out of --schemes",
                         "at position %lld the keys' growth leaves the range of double", (long long)last);
    const rows *up = scales(run, 1), *down = scales(run, -1);
    if (up && down) encoding_rotate(run, ROPE_INTERLEAVED, run->data->q, run->data->k, up, down);
    return up && down ? ROPE_OK : rope_fail(error, ROPE_NO_MEMORY, "xpos", "try fewer tokens", "memory is out");
}

static const encoding_term_text terms[] = {
    {"cosine", "sum_i (q_i . k_i) zeta_i^((m-n)/512) cos(r theta_i)",
     "RoPE's cosine part; the further back the key, the smaller, and the faster a pair turns the faster it fades.",
     true, true},
    {"sine", "sum_i (k_i x q_i) zeta_i^((m-n)/512) sin(r theta_i)", "RoPE's sine part, fading alike.", true, true},
    {0},
};

const encoding encoding_xpos = {
    .name = "xpos",
    .title = "xPos",
    .source = "Sun et al. 2022, arXiv 2212.10554; zeta_i = (2i/d + 0.4)/1.4 and 512 as in their code",
    .formula = "(zeta^(m/512) R_m q) . (zeta^(-n/512) R_n k)",
    .idea =
        "RoPE, with each pair's product multiplied by zeta_i^((m-n)/512) < 1 for keys before the query. Queries shrink "
        "and keys grow with their own positions; only the quotient enters. Keys after the query would grow: causal "
        "only.",
    .term = terms,
    .relative = true,
    .keeps_norm = false,
    ENCODING_ROTATED,
    .rank_reason = "Scaled and rotated queries and keys still have d numbers each.",
    ENCODING_FACTORED,
    .extrapolates = true,
    .extrapolates_reason = "Defined at every position, and far keys fade; the factors themselves overflow one day.",
    .next = "rope-compare --schemes rope,xpos --length 1024 --html page.html: the same waves, with and without fading",
    .build = build,
};
