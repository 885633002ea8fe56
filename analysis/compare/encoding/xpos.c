/* Rotation and a fading per pair, made of growth on one side and decay on the other. [Sun et al. 2022] */
#include "shared.h"

#include <stdlib.h>

enum { SCALE = 512 }; /* positions to one power of zeta */

/* log zeta_j of each pair, and the last power, which both channels of a pair share. Exponents count from the run's
 * centre: (m - c)/512 and -(n - c)/512 with c = first + N/2 have the same sum for any c, and rows stay near 1. */
typedef struct powers {
    int64_t half; /* the centre's row, N/2 */
    int sign;     /* of the exponent: + for queries, - for keys */
    size_t pairs;
    mpfr_t *log;
    mpfr_ptr last;
} powers;

/* Called row by row and channel by channel. At most 2^15 positions from the centre, exponents are below 81 and
 * off by 2^-p of that, a few times over: 2^(16 - p) of the power covers it. */
static void power(mpfr_t x, size_t t, size_t j, const void *context) {
    const powers *p = context;
    if (j % 2 == 0) {
        mpfr_mul_si(x, p->log[j / 2], (long)(p->sign * ((int64_t)t - p->half)), MPFR_RNDN);
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
    const powers p = {(int64_t)(data->length / 2), sign, data->dim / 2, log, last};
    const rows *made = encoding_keep(run, rows_by_formula(data->length, data->dim, data->bits, power, &p));
    for (size_t j = 0; j < p.pairs; j++) mpfr_clear(log[j]);
    mpfr_clear(last);
    free(log);
    return made;
}

static rope_status build(encoding_run *run, rope_error *error) {
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
    .source = "Sun et al. 2022, arXiv 2212.10554; zeta_i = (2i/d + 0.4)/1.4, 512 and c as in their code",
    .formula = "(zeta^((m-c)/512) R_m q) . (zeta^((c-n)/512) R_n k)",
    .idea =
        "RoPE, with each pair's product multiplied by zeta_i^((m-n)/512) < 1 for keys before the query. Queries shrink "
        "and keys grow with their positions, counted from the middle c of the text: c cancels in the product and keeps "
        "the factors near 1. When all positions move, c moves along, so the factors stay the same numbers and the "
        "rotations alone change. Keys after the query would grow: causal only.",
    .term = terms,
    .relative = true,
    .keeps_norm = false,
    ENCODING_ROTATED,
    .rank_reason = "Scaled and rotated queries and keys still have d numbers each.",
    ENCODING_FACTORED,
    .extrapolates = true,
    .extrapolates_reason = "Defined at every position, and far keys fade; in a very long text the factors overflow.",
    .next = "rope-compare --schemes rope,xpos --length 1024 --html page.html: the same waves, with and without fading",
    .build = build,
};
