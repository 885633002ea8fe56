/* xPos, T5, ALiBi, YaRN, Barbero et al., near returns, critical dimension. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/frequency/frequency.h"
#include "reproduce.h"

/* g(n)/32 = (1/32) sum_i cos(n theta_i) zeta_i^(n/512), zeta_i = (i/32 + gamma) / (1 + gamma), d = 64 [xPos, equations
 * 8 to 12]. Sums of 32 terms at 128 bits: nothing beside the double's own rounding. */
static double xpos(double gamma, long n) {
    const rope_spec spec = reproduce_spec(64, 1e4);
    mpfr_t sum, term, zeta;
    mpfr_inits2(128, sum, term, zeta, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < 32; i++) {
        rope_frequency(term, &spec, i);
        mpfr_mul_si(term, term, n, MPFR_RNDN);
        mpfr_cos(term, term, MPFR_RNDN);
        mpfr_set_d(zeta, gamma, MPFR_RNDN);
        mpfr_add_d(zeta, zeta, i / 32.0, MPFR_RNDN);
        mpfr_div_d(zeta, zeta, 1 + gamma, MPFR_RNDN);
        mpfr_log(zeta, zeta, MPFR_RNDN);
        mpfr_mul_d(zeta, zeta, (double)n / 512, MPFR_RNDN);
        mpfr_exp(zeta, zeta, MPFR_RNDN);
        mpfr_mul(term, term, zeta, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, 32, MPFR_RNDN);
    const double g = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(sum, term, zeta, (mpfr_ptr)0);
    return g;
}

/* The figure has no numbers to read: its path, compared with curves of nine gammas and ten bases at all 4096 distances,
 * is that of gamma = 0.35 and base 10000. 1 + gamma rounds by 2^-53, and the exponent n/512 multiplies it. */
rope_status reproduce_xpos_figure(reproduce_tally *tally, rope_error *error) {
    (void)error;
    static const struct {
        const char *what, *why;
        double gamma;
        long n;
    } row[] = {
        {"g(100), gamma = 0.4 as the text says", "The figure's path is off this curve by 1.2e-2 of its spread.", 0.4,
         100},
        {"g(100), gamma = 0.35", "The path fits this one to 9e-5: it was not drawn with the text's 0.4.", 0.35, 100},
        {"g(1000), gamma = 0.4", "", 0.4, 1000},
        {"g(1000), gamma = 0.35", "", 0.35, 1000}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        reproduce_finding(tally, UNMATCHED, row[k].what, "", xpos(row[k].gamma, row[k].n), 0x1p-48, COMPARED,
                          row[k].why);
    return ROPE_OK;
}

/* Causal bucket of distance n: n below 16, else 16 + floor(16 log(n/16) / log(8)), at most 31. In whole numbers: the
 * largest k with (n/16)^16 >= 8^k, that is n^16 >= 2^(64 + 3k). */
static int t5_bucket(long n) {
    if (n < 16) return (int)n;
    mpz_t power;
    mpz_init_set_si(power, n);
    mpz_pow_ui(power, power, 16);
    const int k = ((int)mpz_sizeinbase(power, 2) - 1 - 64) / 3;
    mpz_clear(power);
    return k < 15 ? 16 + k : 31;
}

/* Bidirectional, one side: n below 8, else 8 + floor(8 log(n/8) / log(16)), at most 15. The largest k with (n/8)^8 >=
 * 16^k, that is n^8 >= 2^(24 + 4k): n = 16, 32, 64 are on an edge. */
static int t5_bucket_of_two_sides(long n) {
    if (n < 8) return (int)n;
    mpz_t power;
    mpz_init_set_si(power, n);
    mpz_pow_ui(power, power, 8);
    const int k = ((int)mpz_sizeinbase(power, 2) - 1 - 24) / 4;
    mpz_clear(power);
    return k < 7 ? 8 + k : 15;
}

/* The first offset of each bucket, from n = first on, with a blank between. */
static void t5_edges(char *text, size_t size, int (*bucket)(long n), long first) {
    *text = 0;
    for (long n = first, before = first - 1; n <= 128; n++) {
        if (bucket(n) == before) continue;
        before = bucket(n);
        snprintf(text + strlen(text), size - strlen(text), "%s%ld", *text ? " " : "", n);
    }
}

rope_status reproduce_t5(reproduce_tally *tally, rope_error *error) {
    (void)error;
    static const char causal[] = "16 19 21 24 27 31 35 40 46 52 59 67 77 87 99 113", sides[] = "8 12 16 23 32 46 64 91";
    char ours[128];
    t5_edges(ours, sizeof ours, t5_bucket, 16);
    reproduce_exact(tally, INDEPENDENT, "first offset of buckets 16 .. 31, causal", causal, ours,
                    strcmp(ours, causal) ? DIFFERS : REPRODUCED,
                    "By whole-number arithmetic: no logarithm is rounded.");
    t5_edges(ours, sizeof ours, t5_bucket_of_two_sides, 8);
    reproduce_exact(tally, INDEPENDENT, "of buckets 8 .. 15 of one side, bidirectional", sides, ours,
                    strcmp(ours, sides) ? DIFFERS : REPRODUCED, "");
    return ROPE_OK;
}

/* 2^(-8 h / n): exact for n = 8, and off by one rounding for 16. */
rope_status reproduce_alibi(reproduce_tally *tally, rope_error *error) {
    (void)error;
    for (int head = 1; head <= 8; head++) {
        char what[48], published[24];
        snprintf(what, sizeof what, "slope of head %d of 8", head);
        snprintf(published, sizeof published, "%.9g", ldexp(1.0, -head));
        reproduce_number(tally, PRINTED, what, published, exp2(-8.0 * head / 8), 0.0, "");
    }
    reproduce_number(tally, PRINTED, "first slope of 16 heads, 2^-0.5", "0.7071", exp2(-0.5), 0x1p-52, "");
    return ROPE_OK;
}

rope_status reproduce_yarn(reproduce_tally *tally, rope_error *error) {
    rope_spec spec = reproduce_spec(128, 1e4);
    const rope_status status = rope_spec_set_scaling(&spec, "ntk:factor=8", error);
    if (status != ROPE_OK) return status;
    const double last = rope_frequency_double(&spec, 63), plain = pow(1e4, -126.0 / 128);
    reproduce_number(tally, PRINTED, "sqrt(1/t) = 0.1 ln s + 1, s = 8", "1.208", 0.1 * log(8.0) + 1, 0x1p-50, "");
    reproduce_number(tally, INDEPENDENT, "NTK slows the last pair by s = 8", "8", plain / last, 0x1p-45,
                     "b' = b s^(d/(d-2)), d = 128, b = 10000.");
    reproduce_number(tally, INDEPENDENT, "b' = b s^(d/(d-2))", "82684.6", 1e4 * pow(8.0, 128.0 / 126), 0x1p-32, "");
    return ROPE_OK;
}

/* ---- Barbero et al. ------------------------------------------------------------------------------------ */

enum { TARGET = 8000, DISTANCES = 16384, SAMPLES = 2000 };

/* k = R_p q: the score at p is |q|^2, and no other distance reaches it. */
static rope_status find_peak(const rope_spec *spec, int64_t *peak, double *margin, rope_error *error) {
    const decay_vector_request request = {.kind = decay_vector_kind_named("adversarial"), .peak = TARGET, .seed = 1};
    decay_vectors vectors = {0};
    rope_decay *decay = NULL;
    rope_abel_bound bound;
    double *const score = malloc(DISTANCES * sizeof *score);
    rope_status status = score ? decay_vectors_new(&vectors, &request, spec, error)
                               : rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for scores");
    if (status == ROPE_OK)
        status = rope_decay_new(&decay, spec, (rope_distances){0.0, 1.0, DISTANCES}, ROPE_DECAY_DOUBLE, error);
    if (status == ROPE_OK)
        status = rope_abel_enclose(&bound, decay, decay_query(&vectors, 0), decay_key(&vectors, 0), 0, DISTANCES, score,
                                   NULL, NULL, error);
    if (status == ROPE_OK) {
        double second = -INFINITY;
        *peak = 0;
        for (int64_t k = 1; k < DISTANCES; k++)
            if (score[k] > score[*peak]) *peak = k;
        for (int64_t k = 0; k < DISTANCES; k++)
            if (k != *peak) second = fmax(second, score[k]);
        *margin = score[*peak] - second - 2 * bound.score;
    }
    rope_decay_free(decay);
    decay_vectors_free(&vectors);
    free(score);
    return status;
}

/* Mean and root mean square of scores of seeded Gaussian pairs at one distance. */
static rope_status gaussian_moments(const rope_spec *spec, double r, double *mean, double *rms, rope_error *error) {
    const decay_vector_request request = {.kind = decay_vector_kind_named("gaussian"), .samples = SAMPLES, .seed = 1};
    decay_vectors vectors = {0};
    rope_decay *decay = NULL;
    rope_status status = decay_vectors_new(&vectors, &request, spec, error);
    if (status == ROPE_OK) status = rope_decay_new(&decay, spec, (rope_distances){r, 1.0, 1}, ROPE_DECAY_DOUBLE, error);
    *mean = *rms = 0.0;
    for (int s = 0; status == ROPE_OK && s < SAMPLES; s++) {
        rope_abel_bound bound;
        double score;
        status = rope_abel_enclose(&bound, decay, decay_query(&vectors, s), decay_key(&vectors, s), 0, 1, &score, NULL,
                                   NULL, error);
        *mean += score / SAMPLES;
        *rms += score * score / SAMPLES;
    }
    *rms = sqrt(*rms);
    rope_decay_free(decay);
    decay_vectors_free(&vectors);
    return status;
}

rope_status reproduce_barbero(reproduce_tally *tally, rope_error *error) {
    const rope_spec spec = reproduce_spec(128, 1e4);
    int64_t peak = 0;
    double margin = 0.0;
    char ours[96];
    rope_status status = find_peak(&spec, &peak, &margin, error);
    if (status != ROPE_OK) return status;
    snprintf(ours, sizeof ours, "r = %lld of %d, ahead by %.4g", (long long)peak, DISTANCES, margin);
    reproduce_exact(tally, PRINTED, "largest score of k = R_8000 q", "r = 8000", ours,
                    peak == TARGET && margin > 0 ? REPRODUCED : DIFFERS,
                    "Decay is no property of the score: any distance can be the best.");
    static const double distance[] = {0, 10, 1000, 100000};
    for (size_t k = 0; status == ROPE_OK && k < sizeof distance / sizeof *distance; k++) {
        double mean, rms;
        char what[64];
        status = gaussian_moments(&spec, distance[k], &mean, &rms, error);
        /* 4 standard errors of a mean of N draws with variance d; of a root mean square, whose fourth moment is below 4
         * d^2: sqrt(3 d / 4N) < sqrt(d/N) */
        const double four = 4 * sqrt(128.0 / SAMPLES);
        snprintf(what, sizeof what, "mean of %d Gaussian scores at r = %g", SAMPLES, distance[k]);
        reproduce_sampled(tally, PRINTED, what, "0", 0.0, mean, four, "");
        snprintf(what, sizeof what, "root mean square at r = %g", distance[k]);
        reproduce_sampled(tally, INDEPENDENT, what, "sqrt d = 11.31", sqrt(128.0), rms, four,
                          k ? "" : "The spread does not fall with the distance either.");
    }
    return status;
}

/* ---- the rest ------------------------------------------------------------------------------------------- */

/* Chord 2 |sin(r/2)| of pair 0. */
rope_status reproduce_returns(reproduce_tally *tally, rope_error *error) {
    (void)error;
    static const struct {
        long r;
        const char *chord;
    } row[] = {{44, "0.0177026185808"}, {710, "6.0288706719e-5"}, {103993, "1.91293357793e-5"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char what[64];
        mpfr_t x;
        mpfr_init2(x, 128);
        mpfr_set_si(x, row[k].r, MPFR_RNDN);
        mpfr_div_2ui(x, x, 1, MPFR_RNDN);
        mpfr_sin(x, x, MPFR_RNDN);
        snprintf(what, sizeof what, "chord of pair 0 after %ld positions", row[k].r);
        reproduce_number(tally, INDEPENDENT, what, row[k].chord, 2 * fabs(mpfr_get_d(x, MPFR_RNDN)), 0x1p-58,
                         k ? "" : "44/7, 710/113: convergents of 2 pi.");
        mpfr_clear(x);
    }
    return ROPE_OK;
}

/* 2 ceil((d/2) log_b(T / 2 pi)): the dimensions that turn once in T positions. */
rope_status reproduce_critical_dimension(reproduce_tally *tally, rope_error *error) {
    (void)error;
    const double pairs = 64 * log(4096 / (2 * M_PI)) / log(1e4);
    char ours[32];
    snprintf(ours, sizeof ours, "%d", 2 * (int)ceil(pairs));
    reproduce_exact(tally, UNVERIFIED, "d = 128, b = 10000, T = 4096", "92", ours,
                    strcmp(ours, "92") ? DIFFERS : REPRODUCED, "46 of 64 pairs turn at least once in 4096 positions.");
    return ROPE_OK;
}
