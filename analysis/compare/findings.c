/* The numbers behind the claims of myths.c. Each comes with a bound; `settled` compares them across their bounds. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "../../src/decay.h"
#include "../../src/frequency/frequency.h"
#include "../../src/phase.h"
#include "../../src/rotation.h"
#include "linear.h"
#include "myths.h"
#include "values.h"

enum { BITS = 200 };

static const double u = 0x1p-53;

static rope_status no_memory(rope_error *error) {
    return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "memory is out");
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* x +- off, rounded to a double. */
static myth_number number_of(const mpfr_t x, double off) {
    const double value = mpfr_get_d(x, MPFR_RNDN);
    return (myth_number){value, off + u * fabs(value)};
}

static myth_number whole(int64_t n) {
    return (myth_number){(double)n, 0.0};
} /* |n| < 2^53 */

/* A few operations on numbers with bounds; the result rounds by u of itself. */
static myth_number difference(myth_number a, myth_number b) {
    const double value = a.value - b.value;
    return (myth_number){value, (a.bound + b.bound + u * fabs(value)) * (1.0 + 4.0 * u)};
}
static myth_number times(double factor, myth_number a) { /* factor exact */
    const double value = factor * a.value;
    return (myth_number){value, (fabs(factor) * a.bound + u * fabs(value)) * (1.0 + 4.0 * u)};
}
static myth_number quotient(myth_number a, myth_number b) {
    const double value = a.value / b.value;
    return (myth_number){value, ((a.bound + fabs(value) * b.bound) / (fabs(b.value) - b.bound) + u * fabs(value)) *
                                    (1.0 + 8.0 * u)};
}

static bool above(myth_number a, myth_number b) {
    return a.value - a.bound > b.value + b.bound;
}
static bool above_number(myth_number a, double b) {
    return above(a, (myth_number){b, 0.0});
}
static bool is_zero(myth_number a) {
    return fabs(a.value) <= a.bound;
}

static rope_spec spec_of(int dim, double base) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim;
    spec.base = base;
    spec.layout_in = spec.layout_out = ROPE_INTERLEAVED;
    rope_spec_check(&spec, NULL);
    return spec;
}

typedef struct decay_pair {
    myth_number B, C;
} decay_pair;

static decay_pair decay_at(int dim, double base, double r) {
    const rope_spec spec = spec_of(dim, base);
    rope_decay_value at;
    mpfr_t distance;
    mpfr_init2(distance, 53);
    mpfr_set_d(distance, r, MPFR_RNDN);
    rope_decay_value_init(&at);
    rope_decay_at(&at, &spec, distance, BITS);
    const decay_pair found = {number_of(at.B, mpfr_get_d(at.B_error, MPFR_RNDU)),
                              number_of(at.C, mpfr_get_d(at.C_error, MPFR_RNDU))};
    rope_decay_value_clear(&at);
    mpfr_clear(distance);
    return found;
}

static myth_number B(double r) {
    return decay_at(128, 1e4, r).B;
}
static myth_number C(double r) {
    return decay_at(128, 1e4, r).C;
}

/* ---- rotations --------------------------------------------------------------------------------------- */

typedef struct turn {
    mpfr_t c, s;
} turn;

static void turn_init(turn *t) {
    mpfr_inits2(BITS, t->c, t->s, (mpfr_ptr)0);
}
static void turn_clear(turn *t) {
    mpfr_clears(t->c, t->s, (mpfr_ptr)0);
}

/* |e^(i m theta_j) e^(i n theta_j) - e^(i (m + n) theta_j)| in the larger part, over all pairs. Components are off by
 * 2^(1 - BITS): the product by 2 sqrt(2) of that and two roundings of 2^-BITS each, the difference by once more of
 * both; together below 2^(3 - BITS). conjugate: e^(-i m theta_j), so n - m in the place of m + n. */
static myth_number composition(int64_t m, int64_t n, bool conjugate) {
    const rope_spec spec = spec_of(128, 1e4);
    turn a, b, both;
    mpfr_t x;
    double worst = 0.0;
    turn_init(&a), turn_init(&b), turn_init(&both);
    mpfr_init2(x, BITS);
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
    return (myth_number){worst, ldexp(1.0, 3 - BITS)};
}

/* max_j |c^2 + s^2 - 1| and sqrt(2 sum_j (c^2 + s^2)), the Frobenius norm of R_m. Squares are off by 2 sqrt(2) of a
 * component's 2^(1 - BITS) and a rounding: below 2^(3 - BITS) each. */
static void squares(myth_number *worst, myth_number *frobenius, int64_t m) {
    const rope_spec spec = spec_of(128, 1e4);
    turn t;
    mpfr_t x, sum;
    turn_init(&t);
    mpfr_inits2(BITS, x, sum, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    *worst = (myth_number){0.0, ldexp(1.0, 3 - BITS)};
    for (int j = 0; j < rope_spec_pairs(&spec); j++) {
        rope_phase_reference(t.c, t.s, &spec, m, j);
        mpfr_fmma(x, t.c, t.c, t.s, t.s, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
        mpfr_sub_ui(x, x, 1, MPFR_RNDN);
        worst->value = fmax(worst->value, fabs(mpfr_get_d(x, MPFR_RNDN)));
    }
    mpfr_mul_2ui(sum, sum, 1, MPFR_RNDN);
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    *frobenius = number_of(sum, ldexp(1.0, 16 - BITS)); /* 64 of them, some more roundings, under a root */
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
    found->settled = is_zero(found->number[0]);
    return ROPE_OK;
}

static rope_status compose(myth_finding *found, bool conjugate) {
    static const int64_t at[][2] = {{5, 2}, {4095, 131071}, {1000000000, 17}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        const myth_number worst = composition(at[k][0], at[k][1], conjugate);
        if (worst.value >= found->number[0].value) found->number[0] = worst;
    }
    found->settled = is_zero(found->number[0]);
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
    found->settled = is_zero(difference(found->number[0], found->number[1]));
    return ROPE_OK;
}

/* 2 |sin(710/2)|, and four quarter turns in whole numbers. */
rope_status find_coincide(myth_finding *found, rope_error *error) {
    mpfr_t x;
    int c = 1, s = 0;
    (void)error;
    mpfr_init2(x, BITS);
    mpfr_set_ui(x, 355, MPFR_RNDN);
    mpfr_sin(x, x, MPFR_RNDN);
    mpfr_mul_si(x, x, 2, MPFR_RNDN);
    mpfr_abs(x, x, MPFR_RNDN);
    found->number[0] = number_of(x, ldexp(1.0, 1 - BITS));
    mpfr_clear(x);
    for (int k = 0; k < 4; k++) {
        const int turned = c;
        c = -s, s = turned;
    }
    found->number[1] = whole(abs(c - 1) + abs(s));
    found->settled = above_number(found->number[0], 0.0) && found->number[1].value == 0.0;
    return ROPE_OK;
}

/* q and k of four channels, rotated in the layouts given: R_m q . R_n k. Channels are below 5: a rotated one is off by
 * 9 2^(2 - BITS) and below 8, so each of four products by less than 2^(10 - BITS), their sum by 2^(13 - BITS). */
static myth_number layout_score(const double q[4], rope_layout q_layout, const double k[4], rope_layout k_layout,
                                int64_t m, int64_t n) {
    mpfr_t x[4], a[4], b[4], sum;
    rope_spec spec = spec_of(4, 1e4);
    mpfr_init2(sum, BITS);
    for (int c = 0; c < 4; c++) mpfr_inits2(BITS, x[c], a[c], b[c], (mpfr_ptr)0);
    for (int c = 0; c < 4; c++) mpfr_set_d(x[c], q[c], MPFR_RNDN);
    spec.layout_in = spec.layout_out = q_layout;
    rope_rotate_mpfr(&spec, m, false, 1, (const mpfr_t *)x, a);
    for (int c = 0; c < 4; c++) mpfr_set_d(x[c], k[c], MPFR_RNDN);
    spec.layout_in = spec.layout_out = k_layout;
    rope_rotate_mpfr(&spec, n, false, 1, (const mpfr_t *)x, b);
    mpfr_set_zero(sum, 1);
    for (int c = 0; c < 4; c++) mpfr_fma(sum, a[c], b[c], sum, MPFR_RNDN);
    const myth_number score = number_of(sum, ldexp(1.0, 13 - BITS));
    mpfr_clear(sum);
    for (int c = 0; c < 4; c++) mpfr_clears(x[c], a[c], b[c], (mpfr_ptr)0);
    return score;
}

rope_status find_layouts(myth_finding *found, rope_error *error) {
    static const double q[] = {1, 2, 3, 4}, k[] = {2, -1, 1, 3}, q_halves[] = {1, 3, 2, 4}, k_halves[] = {2, 1, -1, 3};
    (void)error;
    found->number[0] = difference(layout_score(q, ROPE_INTERLEAVED, k, ROPE_INTERLEAVED, 15, 12),
                                  layout_score(q_halves, ROPE_HALF, k_halves, ROPE_HALF, 15, 12));
    found->number[1] = difference(layout_score(q, ROPE_INTERLEAVED, k, ROPE_HALF, 15, 12),
                                  layout_score(q, ROPE_INTERLEAVED, k, ROPE_HALF, 5, 2));
    found->settled = is_zero(found->number[0]) && !is_zero(found->number[1]);
    return ROPE_OK;
}

/* ---- decay ------------------------------------------------------------------------------------------- */

/* k = R_100 q turns the curve of q = k = 1 by 100: 2 C(r - 100). */
rope_status find_decays(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = times(2.0, C(0.0));
    found->number[1] = times(2.0, C(-100.0));
    found->settled = above(found->number[0], found->number[1]);
    return ROPE_OK;
}

rope_status find_bound_decreases(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = B(18.0);
    found->number[1] = B(19.0);
    found->settled = above(found->number[1], found->number[0]);
    return ROPE_OK;
}

/* h_j = 2 for all j < h, h_h = 0: max |dh| sum |S_i| = 2 h B and sum |h_j| = 2 h. */
rope_status find_bound_useful(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = B(1000.0);
    found->number[1] = B(1672026.0);
    found->settled = above_number(found->number[0], 1.0) && above_number(found->number[1], 1.0);
    return ROPE_OK;
}

rope_status find_bound_vanishes(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = B(733995.0);
    found->number[1] = B(20.0);
    found->settled = above(found->number[0], found->number[1]);
    return ROPE_OK;
}

rope_status find_rate(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = times(1.0 / 64.0, C(100.0));
    found->number[1] = quotient(times(100.0, C(100.0)), C(1.0));
    found->settled = above_number(found->number[1], 2.0); /* 1 if C fell like 1/r */
    return ROPE_OK;
}

/* B for theta_j = 1 - j/64. An angle below 128 is off by 2^(8 - BITS), a partial sum of 64 by 2^(15 - BITS), their
 * moduli's mean no more. */
static myth_number linear_schedule(int64_t r) {
    enum { PAIRS = 64 };
    mpfr_t re, im, x, s, sum;
    mpfr_inits2(BITS, re, im, x, s, sum, (mpfr_ptr)0);
    mpfr_set_zero(re, 1), mpfr_set_zero(im, 1), mpfr_set_zero(sum, 1);
    for (int j = 0; j < PAIRS; j++) {
        mpfr_set_si(x, (long)(r * (PAIRS - j)), MPFR_RNDN);
        mpfr_div_ui(x, x, PAIRS, MPFR_RNDN);
        mpfr_sin_cos(s, x, x, MPFR_RNDN);
        mpfr_add(re, re, x, MPFR_RNDN);
        mpfr_add(im, im, s, MPFR_RNDN);
        mpfr_hypot(x, re, im, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, PAIRS, MPFR_RNDN);
    const myth_number mean = number_of(sum, ldexp(1.0, 20 - BITS));
    mpfr_clears(re, im, x, s, sum, (mpfr_ptr)0);
    return mean;
}

rope_status find_schedule(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = quotient(linear_schedule(100), linear_schedule(0));
    found->number[1] = quotient(B(100.0), B(0.0));
    found->settled = above(found->number[1], found->number[0]);
    return ROPE_OK;
}

rope_status find_absolute(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = times(2.0, difference(C(0.0), C(100.0)));
    found->settled = above_number(found->number[0], 0.0);
    return ROPE_OK;
}

/* ---- frequencies and bases --------------------------------------------------------------------------- */

/* theta_i, or 2 pi / theta_i; the frequency is off by 2^(8 - BITS) of itself at most, its quotient by twice that. */
static myth_number frequency_number(int dim, int i, bool wavelength) {
    const rope_spec spec = spec_of(dim, 1e4);
    mpfr_t x, pi;
    mpfr_inits2(BITS, x, pi, (mpfr_ptr)0);
    rope_frequency(x, &spec, i);
    if (wavelength) {
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
        mpfr_div(x, pi, x, MPFR_RNDN);
    }
    const myth_number found = number_of(x, ldexp(fabs(mpfr_get_d(x, MPFR_RNDN)), 9 - BITS));
    mpfr_clears(x, pi, (mpfr_ptr)0);
    return found;
}

rope_status find_last_frequency(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = frequency_number(128, 63, false);
    found->number[1] = frequency_number(64, 31, false);
    found->settled = above_number(found->number[0], 1e-4) && above(found->number[1], found->number[0]);
    return ROPE_OK;
}

rope_status find_wavelengths(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = frequency_number(128, 63, true);
    found->number[1] = frequency_number(512, 255, true);
    found->number[2] = times(1e4, frequency_number(128, 0, true));
    found->settled = above(found->number[1], found->number[0]) && above(found->number[2], found->number[1]);
    return ROPE_OK;
}

/* Pairs with 1024 theta_j < 2 pi, that is a wavelength above 1024. */
rope_status find_extrapolates(myth_finding *found, rope_error *error) {
    int64_t pairs = 0;
    (void)error;
    for (int j = 0; j < 64; j++) pairs += above_number(frequency_number(128, j, true), 1024.0);
    found->number[0] = whole(pairs);
    found->settled = pairs > 0;
    return ROPE_OK;
}

static rope_status first_negative(myth_number *found, int dim, double base, rope_error *error) {
    int64_t first;
    const rope_status status = linear_first_negative(&first, dim, base, 1 << 16, error);
    *found = whole(status == ROPE_OK ? first : 0);
    return status;
}

rope_status find_larger_base(myth_finding *found, rope_error *error) {
    rope_status status = first_negative(&found->number[0], 64, 5e5, error);
    if (status == ROPE_OK) status = first_negative(&found->number[1], 64, 1e6, error);
    found->settled = above(found->number[0], found->number[1]);
    return status;
}

rope_status find_base_500(myth_finding *found, rope_error *error) {
    rope_status status = first_negative(&found->number[0], 128, 500.0, error);
    if (status == ROPE_OK) status = first_negative(&found->number[1], 128, 1e4, error);
    found->settled = above(found->number[1], found->number[0]);
    return status;
}

rope_status find_least_base(myth_finding *found, rope_error *error) {
    rope_status status = first_negative(&found->number[0], 128, 2.7e4, error);
    if (status == ROPE_OK) status = first_negative(&found->number[1], 128, 11600.0, error);
    found->settled = found->number[0].value < 4096.0 && found->number[1].value >= 2048.0;
    return status;
}

/* ---- interpolation ----------------------------------------------------------------------------------- */

/* sum_i |S_i| / d = B / 2. */
rope_status find_interpolation_range(myth_finding *found, rope_error *error) {
    (void)error;
    found->number[0] = times(0.5, B(940249.0));
    found->number[1] = times(0.5, B(4861.0));
    found->number[2] = times(0.5, B(3643.0));
    found->settled = above((myth_number){1.0, 0.0}, found->number[0]) &&
                     above((myth_number){1.0, 0.0}, found->number[1]) && above_number(found->number[2], 1.0);
    return ROPE_OK;
}

/* |a(s) - a_linear(s)| for a = C between 0 and 1, at s = 1/2, against d max|h| / (32 ln c). Right: sum theta_j^2 / 8 =
 * 1/8 sum c^(-4j/d) (the second derivative's bound); 2 d over it is the factor that was printed as 600. */
rope_status find_interpolation_theorem(myth_finding *found, rope_error *error) {
    mpfr_t x, sum;
    (void)error;
    found->number[0] =
        difference(C(0.5), times(0.5, (myth_number){C(0.0).value + C(1.0).value, C(1.0).bound + 128.0 * u}));
    mpfr_inits2(BITS, x, sum, (mpfr_ptr)0);
    mpfr_set_ui(x, 10000, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_ui_div(x, 4, x, MPFR_RNDN); /* 128 / 32 */
    found->number[1] = number_of(x, ldexp(1.0, 2 - BITS));
    mpfr_set_zero(sum, 1);
    for (int j = 0; j < 64; j++) {
        mpfr_set_ui(x, 10000, MPFR_RNDN);
        mpfr_rootn_ui(x, x, 32, MPFR_RNDN);
        mpfr_pow_si(x, x, -j, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    mpfr_ui_div(x, 2048, sum, MPFR_RNDN); /* 2 d 8 */
    found->number[2] =
        number_of(x, ldexp(1.0, 20 - BITS)); /* powers are off by 64 units each, the sum of 4 by no more */
    mpfr_clears(x, sum, (mpfr_ptr)0);
    found->settled = above(found->number[0], found->number[1]) && above((myth_number){600.0, 0.0}, found->number[2]);
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
    const rope_spec spec = spec_of(128, 1e4);
    rope_phase *phase;
    const rope_status status = rope_phase_new(&phase, &spec, 131071, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < MYTH_NUMBERS; k++) found->number[k] = bf16_error(phase, &spec, at[k][0], at[k][1]);
    rope_phase_free(phase);
    /* an rms of 2000 draws is off by about 2 in 100; 15 are five times what two of them differ by */
    found->settled = above(times(1.15, found->number[0]), found->number[1]) &&
                     above(times(1.15, found->number[0]), found->number[2]);
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
    found->number[0] = whole(different);
    found->number[1] = whole(first);
    found->settled = different < 4096;
    return ROPE_OK;
}

/* ---- schemes ----------------------------------------------------------------------------------------- */

static rope_status data_of(compare_data *data, const char *kind, int dim, int64_t length, long bits,
                           rope_error *error) {
    compare_request request = compare_request_default();
    request.data = kind;
    request.dim = dim;
    request.length = length;
    request.bits = bits;
    return compare_data_new(data, &request, error);
}

enum { SHIFT = 1000 };

/* measure of two schemes on 64 Gaussian tokens. */
static rope_status measure_two(measurement found[2], const char *first, const char *second, int dim,
                               rope_error *error) {
    compare_data data;
    rope_status status = data_of(&data, "gaussian", dim, 64, ROWS_DOUBLE, error);
    if (status != ROPE_OK) return status;
    status = measure(&found[0], encoding_named(first), &data, SHIFT, NULL, NULL, error);
    if (status == ROPE_OK) status = measure(&found[1], encoding_named(second), &data, SHIFT, NULL, NULL, error);
    compare_data_free(&data);
    return status;
}

rope_status find_relative(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "rope", "sinusoidal", 64, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = (myth_number){m[k].score.defect, m[k].score.bound};
    found->settled = m[0].score.stays == MEASURE_YES && m[1].score.stays == MEASURE_NO;
    return ROPE_OK;
}

rope_status find_only_rope(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "transformer-xl", "rope", 4, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = whole(m[k].rank);
    found->settled = m[0].rank < 64;
    return ROPE_OK;
}

rope_status find_unique(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "xpos", "rope", 64, error);
    if (status != ROPE_OK) return status;
    found->number[0] = (myth_number){m[0].score.defect, m[0].score.bound};
    found->number[1] = (myth_number){m[0].norm_change, m[0].norm_bound};
    found->settled = m[0].score.stays == MEASURE_YES && m[0].norm_kept == MEASURE_NO;
    return ROPE_OK;
}

rope_status find_parameters(myth_finding *found, rope_error *error) {
    measurement m[2];
    const rope_status status = measure_two(m, "rope", "shaw", 64, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = whole(m[k].parameters);
    found->settled = m[0].parameters == 0;
    return ROPE_OK;
}

rope_status find_outputs(myth_finding *found, rope_error *error) {
    compare_data data;
    row_defect moved[VALUES_KINDS];
    rope_status status = data_of(&data, "gaussian", 64, 64, ROWS_DOUBLE, error);
    if (status != ROPE_OK) return status;
    status = values_measure(moved, &data, SHIFT, error);
    compare_data_free(&data);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < VALUES_KINDS; k++) found->number[k] = (myth_number){moved[k].defect, moved[k].bound};
    found->settled = moved[VALUES_NONE].stays == MEASURE_YES && moved[VALUES_TURNED].stays == MEASURE_NO &&
                     moved[VALUES_BACK].stays == MEASURE_YES;
    return ROPE_OK;
}

rope_status find_equation_19(myth_finding *found, rope_error *error) {
    static const int64_t length[] = {4096, 131072};
    linear_row row[2];
    const rope_status status = linear_rows(row, length, 2, 128, 1e4, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < 2; k++) found->number[k] = (myth_number){row[k].sum, row[k].sum_bound};
    found->settled = row[0].negative > 0 && above((myth_number){1.0, 0.0}, found->number[0]);
    return ROPE_OK;
}

rope_status find_linear_time(myth_finding *found, rope_error *error) {
    const int64_t N = 4096, d = 128;
    (void)error;
    found->number[0] = whole(2 * 2 * N * d); /* q and k, two products a channel [RoFormer eq. 34] */
    found->number[1] = whole(2 * N * N * d);
    found->settled = above(found->number[1], found->number[0]);
    return ROPE_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The largest difference of the rows that both have, of entries as they are stored. */
static double rows_apart(const rows *a, const rows *b) {
    const size_t count = a->count < b->count ? a->count : b->count;
    double most = 0.0;
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < a->dim; c++)
            most = fmax(most, fabs(gsl_matrix_get(a->value, t, c) - gsl_matrix_get(b->value, t, c)));
    return most;
}

static void set_one(mpfr_t x, size_t t, size_t j, const void *context) {
    (void)t, (void)j, (void)context;
    mpfr_set_ui(x, 1, MPFR_RNDN);
}

rope_status find_consistent(myth_finding *found, rope_error *error) {
    enum { DIM = 64 };
    const rope_spec spec = spec_of(DIM, 1e4);
    rows *one[2], *sinusoid[2], *turned[2];
    for (size_t k = 0; k < 2; k++) {
        one[k] = rows_by_formula((size_t)64 << k, DIM, ROWS_DOUBLE, set_one, NULL);
        sinusoid[k] = rows_sinusoid(0, 1, (size_t)64 << k, DIM, 1e4, ROWS_DOUBLE);
        turned[k] = rows_rotate(one[k], &spec, 0, false);
    }
    const bool made = sinusoid[0] && sinusoid[1] && turned[0] && turned[1];
    if (made) {
        found->number[0] = (myth_number){rows_apart(sinusoid[0], sinusoid[1]), 0.0};
        found->number[1] = (myth_number){rows_apart(turned[0], turned[1]), 0.0};
        found->settled = is_zero(found->number[0]) && is_zero(found->number[1]);
    }
    for (int k = 0; k < 2; k++) rows_free(one[k]), rows_free(sinusoid[k]), rows_free(turned[k]);
    return made ? ROPE_OK : no_memory(error);
}

/* a_15 . b_12 - a_5 . b_2; NULL rows mean that memory was out. */
static rope_status moved_product(myth_number *found, const rows *a, const rows *b, rope_error *error) {
    double bound[2];
    if (!a || !b) return no_memory(error);
    const double far = rows_product(a, 15, b, 12, &bound[0]), near = rows_product(a, 5, b, 2, &bound[1]);
    *found = difference((myth_number){far, bound[0]}, (myth_number){near, bound[1]});
    return ROPE_OK;
}

rope_status find_sinusoid_relative(myth_finding *found, rope_error *error) {
    compare_data data;
    rope_status status = data_of(&data, "reference", 4, COMPARE_REFERENCE_LENGTH, BITS, error);
    if (status != ROPE_OK) return status;
    rows *const p = rows_sinusoid(0, 1, COMPARE_REFERENCE_LENGTH, 4, 1e4, BITS), *const a = rows_project(data.W_q, p),
                *const b = rows_project(data.W_k, p);
    status = moved_product(&found->number[0], p, p, error);
    if (status == ROPE_OK) status = moved_product(&found->number[1], a, b, error);
    found->settled = status == ROPE_OK && is_zero(found->number[0]) && !is_zero(found->number[1]);
    rows_free(p);
    rows_free(a);
    rows_free(b);
    compare_data_free(&data);
    return status;
}

rope_status find_order(myth_finding *found, rope_error *error) {
    compare_data data;
    const rope_spec spec = spec_of(4, 1e4);
    rope_status status = data_of(&data, "reference", 4, COMPARE_REFERENCE_LENGTH, BITS, error);
    if (status != ROPE_OK) return status;
    rows *const x = rows_rotate(data.x_query, &spec, 0, false), *const y = rows_rotate(data.x_key, &spec, 0, false),
                *const a = rows_project(data.W_q, x), *const b = rows_project(data.W_k, y),
                *const q = rows_rotate(data.q, &spec, 0, false), *const k = rows_rotate(data.k, &spec, 0, false);
    status = moved_product(&found->number[0], a, b, error);
    if (status == ROPE_OK) status = moved_product(&found->number[1], q, k, error);
    found->settled = status == ROPE_OK && !is_zero(found->number[0]) && is_zero(found->number[1]);
    rows *const all[] = {x, y, a, b, q, k};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) rows_free(all[i]);
    compare_data_free(&data);
    return status;
}
