/* Findings about R_m itself, exact and in bfloat16. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "../../../src/frequency/frequency.h"
#include "../../../src/phase.h"
#include "../../../src/rotation.h"
#include "finding.h"

/* ---- rotations --------------------------------------------------------------------------------------- */

typedef struct turn {
    mpfr_t c, s;
} turn;

static void turn_init(turn *t) {
    mpfr_inits2(FINDING_BITS, t->c, t->s, (mpfr_ptr)0);
}
static void turn_clear(turn *t) {
    mpfr_clears(t->c, t->s, (mpfr_ptr)0);
}

/* |e^(i m theta_j) e^(i n theta_j) - e^(i (m + n) theta_j)| in the larger part, over all pairs. Components are off by
 * 2^(1 - FINDING_BITS): the product by 2 sqrt(2) of that and two roundings of 2^-FINDING_BITS each, the difference by
 * once more of both; together below 2^(3 - FINDING_BITS). conjugate: e^(-i m theta_j), so n - m in the place of m + n.
 */
static myth_number composition(int64_t m, int64_t n, bool conjugate) {
    const rope_spec spec = finding_spec(128, 1e4);
    turn a, b, both;
    mpfr_t x;
    double worst = 0.0;
    turn_init(&a), turn_init(&b), turn_init(&both);
    mpfr_init2(x, FINDING_BITS);
    for (int j = 0; j < rope_spec_pairs(&spec); j++) {
        rope_phase_reference(a.c, a.s, &spec, m, j);
        rope_phase_reference(b.c, b.s, &spec, n, j);
        rope_phase_reference(both.c, both.s, &spec, conjugate ? n - m : m + n, j);
        if (conjugate) mpfr_neg(a.s, a.s, MPFR_RNDN);
        mpfr_fmms(x, a.c, b.c, a.s, b.s, MPFR_RNDN);
        mpfr_sub(x, x, both.c, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(x, MPFR_RNDN)));
        mpfr_fmma(x, a.c, b.s, a.s, b.c, MPFR_RNDN);
        mpfr_sub(x, x, both.s, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(x, MPFR_RNDN)));
    }
    turn_clear(&a), turn_clear(&b), turn_clear(&both);
    mpfr_clear(x);
    return (myth_number){worst, ldexp(1.0, 3 - FINDING_BITS)};
}

/* max_j |c^2 + s^2 - 1| and sqrt(2 sum_j (c^2 + s^2)), the Frobenius norm of R_m. Squares are off by 2 sqrt(2) of a
 * component's 2^(1 - FINDING_BITS) and a rounding: below 2^(3 - FINDING_BITS) each. */
static void squares(myth_number *worst, myth_number *frobenius, int64_t m) {
    const rope_spec spec = finding_spec(128, 1e4);
    turn t;
    mpfr_t x, sum;
    turn_init(&t);
    mpfr_inits2(FINDING_BITS, x, sum, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    *worst = (myth_number){0.0, ldexp(1.0, 3 - FINDING_BITS)};
    for (int j = 0; j < rope_spec_pairs(&spec); j++) {
        rope_phase_reference(t.c, t.s, &spec, m, j);
        mpfr_fmma(x, t.c, t.c, t.s, t.s, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
        mpfr_sub_ui(x, x, 1, MPFR_RNDN);
        worst->value = fmax(worst->value, fabs(mpfr_get_d(x, MPFR_RNDN)));
    }
    mpfr_mul_2ui(sum, sum, 1, MPFR_RNDN);
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    *frobenius = finding_number(sum, ldexp(1.0, 16 - FINDING_BITS)); /* 64 of them, some more roundings, under a root */
    turn_clear(&t);
    mpfr_clears(x, sum, (mpfr_ptr)0);
}

rope_status find_orthogonal(myth_finding *found, rope_error *error) {
    static const int64_t at[] = {1, 4095, 131071, 1000000000};
    (void)error;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        myth_number worst, norm;
        squares(&worst, &norm, at[k]);
        if (worst.value >= found->number[0].value) found->number[0] = worst;
    }
    found->settled = finding_is_zero(found->number[0]);
    return ROPE_OK;
}

static rope_status compose(myth_finding *found, bool conjugate) {
    static const int64_t at[][2] = {{5, 2}, {4095, 131071}, {1000000000, 17}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        const myth_number worst = composition(at[k][0], at[k][1], conjugate);
        if (worst.value >= found->number[0].value) found->number[0] = worst;
    }
    found->settled = finding_is_zero(found->number[0]);
    return ROPE_OK;
}

rope_status find_group(myth_finding *found, rope_error *error) {
    (void)error;
    return compose(found, true);
}

rope_status find_sinusoid_turns(myth_finding *found, rope_error *error) {
    (void)error;
    return compose(found, false);
}

rope_status find_gaussian(myth_finding *found, rope_error *error) {
    myth_number worst;
    (void)error;
    squares(&worst, &found->number[0], 1);
    squares(&worst, &found->number[1], 100000);
    found->settled = finding_is_zero(finding_difference(found->number[0], found->number[1]));
    return ROPE_OK;
}

/* 2 |sin(710/2)|, and four quarter turns in whole numbers. */
rope_status find_coincide(myth_finding *found, rope_error *error) {
    mpfr_t x;
    int c = 1, s = 0;
    (void)error;
    mpfr_init2(x, FINDING_BITS);
    mpfr_set_ui(x, 355, MPFR_RNDN);
    mpfr_sin(x, x, MPFR_RNDN);
    mpfr_mul_si(x, x, 2, MPFR_RNDN);
    mpfr_abs(x, x, MPFR_RNDN);
    found->number[0] = finding_number(x, ldexp(1.0, 1 - FINDING_BITS));
    mpfr_clear(x);
    for (int k = 0; k < 4; k++) {
        const int turned = c;
        c = -s, s = turned;
    }
    found->number[1] = finding_whole(abs(c - 1) + abs(s));
    found->settled = finding_above_number(found->number[0], 0.0) && found->number[1].value == 0.0;
    return ROPE_OK;
}

/* q and k of four channels, rotated in the layouts given: R_m q . R_n k. Channels are below 5: a rotated one is off by
 * 9 2^(2 - FINDING_BITS) and below 8, so each of four products by less than 2^(10 - FINDING_BITS), their sum by 2^(13 -
 * FINDING_BITS). */
static myth_number layout_score(const double q[4], rope_layout q_layout, const double k[4], rope_layout k_layout,
                                int64_t m, int64_t n) {
    mpfr_t x[4], a[4], b[4], sum;
    rope_spec spec = finding_spec(4, 1e4);
    mpfr_init2(sum, FINDING_BITS);
    for (int c = 0; c < 4; c++) mpfr_inits2(FINDING_BITS, x[c], a[c], b[c], (mpfr_ptr)0);
    for (int c = 0; c < 4; c++) mpfr_set_d(x[c], q[c], MPFR_RNDN);
    spec.layout_in = spec.layout_out = q_layout;
    rope_rotate_mpfr(&spec, m, false, 1, (const mpfr_t *)x, a);
    for (int c = 0; c < 4; c++) mpfr_set_d(x[c], k[c], MPFR_RNDN);
    spec.layout_in = spec.layout_out = k_layout;
    rope_rotate_mpfr(&spec, n, false, 1, (const mpfr_t *)x, b);
    mpfr_set_zero(sum, 1);
    for (int c = 0; c < 4; c++) mpfr_fma(sum, a[c], b[c], sum, MPFR_RNDN);
    const myth_number score = finding_number(sum, ldexp(1.0, 13 - FINDING_BITS));
    mpfr_clear(sum);
    for (int c = 0; c < 4; c++) mpfr_clears(x[c], a[c], b[c], (mpfr_ptr)0);
    return score;
}

rope_status find_layouts(myth_finding *found, rope_error *error) {
    static const double q[] = {1, 2, 3, 4}, k[] = {2, -1, 1, 3}, q_halves[] = {1, 3, 2, 4}, k_halves[] = {2, 1, -1, 3};
    (void)error;
    found->number[0] = finding_difference(layout_score(q, ROPE_INTERLEAVED, k, ROPE_INTERLEAVED, 15, 12),
                                          layout_score(q_halves, ROPE_HALF, k_halves, ROPE_HALF, 15, 12));
    found->number[1] = finding_difference(layout_score(q, ROPE_INTERLEAVED, k, ROPE_HALF, 15, 12),
                                          layout_score(q, ROPE_INTERLEAVED, k, ROPE_HALF, 5, 2));
    found->settled = finding_is_zero(found->number[0]) && !finding_is_zero(found->number[1]);
    return ROPE_OK;
}

/* ---- bfloat16 ---------------------------------------------------------------------------------------- */

/* The rms over `pairs` draws of the error that rounding R_m q and R_n k to bf16 makes in their product. q and k are
 * Gaussian, rounded to bf16 themselves. Rotations and sums are in double: each score is off by less than d |q| |k| 4 u
 * < 2^-39 at the norms that occur, and an rms by no more than its entries. */
static myth_number bf16_error(const rope_phase *phase, const rope_spec *spec, int64_t m, int64_t n) {
    enum { DIM = 128, PAIRS = 2000 };
    rope_dd c[2][DIM / 2], s[2][DIM / 2];
    double cosine[2][DIM / 2], sine[2][DIM / 2], square = 0.0;
    rope_phase_row(phase, m, c[0], s[0]);
    rope_phase_row(phase, n, c[1], s[1]);
    for (int e = 0; e < 2; e++)
        for (int j = 0; j < DIM / 2; j++) cosine[e][j] = c[e][j].hi, sine[e][j] = s[e][j].hi;
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng) abort();
    gsl_rng_set(rng, 1);
    for (int k = 0; k < PAIRS; k++) {
        double x[2][DIM], exact = 0.0, cast = 0.0;
        for (int e = 0; e < 2; e++) {
            for (int j = 0; j < DIM; j++) x[e][j] = rope_round(ROPE_BF16, gsl_ran_gaussian_ziggurat(rng, 1.0));
            rope_rotate(ROPE_F64, spec, cosine[e], sine[e], false, x[e], x[e]);
        }
        for (int j = 0; j < DIM; j++) {
            exact += x[0][j] * x[1][j];
            cast += rope_round(ROPE_BF16, x[0][j]) * rope_round(ROPE_BF16, x[1][j]);
        }
        square += (cast - exact) * (cast - exact);
    }
    gsl_rng_free(rng);
    return (myth_number){sqrt(square / PAIRS), 0x1p-39};
}

rope_status find_bf16_scores(myth_finding *found, rope_error *error) {
    static const int64_t at[MYTH_NUMBERS][2] = {{17, 16}, {4016, 16}, {100001, 100000}};
    const rope_spec spec = finding_spec(128, 1e4);
    rope_phase *phase;
    const rope_status status = rope_phase_new(&phase, &spec, 131071, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < MYTH_NUMBERS; k++) found->number[k] = bf16_error(phase, &spec, at[k][0], at[k][1]);
    rope_phase_free(phase);
    /* an rms of 2000 draws is off by about 2 in 100; 15 are five times what two of them differ by */
    found->settled = finding_above(finding_times(1.15, found->number[0]), found->number[1]) &&
                     finding_above(finding_times(1.15, found->number[0]), found->number[2]);
    return ROPE_OK;
}

rope_status find_bf16_positions(myth_finding *found, rope_error *error) {
    int64_t different = 0, first = 0;
    double last = -1.0;
    (void)error;
    for (int64_t m = 0; m < 4096; m++) { /* rounding keeps the order: equal values are neighbours */
        const double rounded = rope_round(ROPE_BF16, (double)m);
        different += rounded != last;
        if (rounded != (double)m && !first) first = m;
        last = rounded;
    }
    found->number[0] = finding_whole(different);
    found->number[1] = finding_whole(first);
    found->settled = different < 4096;
    return ROPE_OK;
}
