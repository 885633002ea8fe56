/* Queries and keys for scores: one kind is one row. */
#include "decay.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/format/npy.h"
#include "../../src/frequency/frequency.h"

/* ---- kinds ----------------------------------------------------------------------------------------- */

/* q = k = 1: h_j = 2 for every pair, so that the score is 2 C(r), the kernel of the sinusoids. */
static rope_status fill_ones(decay_vectors *v, const decay_vector_request *request, const rope_spec *spec,
                             rope_error *error) {
    (void)request, (void)spec, (void)error;
    for (int c = 0; c < v->dim; c++) v->q[c] = v->k[c] = 1.0;
    return ROPE_OK;
}

/* h_j = h - j, real: all differences are 1, so that the outer bound is B(r) h, the least it can be for this h_0. */
static rope_status fill_ramp(decay_vectors *v, const decay_vector_request *request, const rope_spec *spec,
                             rope_error *error) {
    (void)request, (void)error;
    const int h = rope_spec_pairs(spec);
    for (int j = 0; j < h; j++) {
        int a, b;
        rope_spec_channels(spec, spec->layout_in, j, &a, &b);
        v->q[a] = h - j;
        v->k[a] = 1.0;
    }
    return ROPE_OK;
}

static rope_status fill_gaussian(decay_vectors *v, const decay_vector_request *request, const rope_spec *spec,
                                 rope_error *error) {
    (void)spec;
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng) return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for random numbers");
    /* mt19937 takes 32 bits: the upper half of a seed is mixed into the lower one, those below 2^32 are as they are */
    const uint64_t mixed = request->seed ^ (request->seed >> 32) * UINT64_C(2654435761);
    gsl_rng_set(rng, (unsigned long)(mixed & 0xffffffffu));
    for (size_t c = 0; c < (size_t)v->samples * (size_t)v->dim; c++) {
        v->q[c] = gsl_ran_gaussian(rng, 1.0);
        v->k[c] = gsl_ran_gaussian(rng, 1.0);
    }
    gsl_rng_free(rng);
    return ROPE_OK;
}

/* k = R_p q for Gaussian q: h_j = |q_j|^2 e^{-i p theta_j}, and the score |q|^2 is reached at r = p [Barbero et al.,
 * arXiv 2410.06205, proposition 3.1]. k is rounded to doubles: the curve is that of the rounded vectors. */
static rope_status fill_adversarial(decay_vectors *v, const decay_vector_request *request, const rope_spec *spec,
                                    rope_error *error) {
    const rope_status status = fill_gaussian(v, request, spec, error);
    const int h = rope_spec_pairs(spec);
    mpfr_t angle, s, c;
    mpfr_inits2(192, angle, s, c, (mpfr_ptr)0);
    memcpy(v->k, v->q, (size_t)v->dim * sizeof *v->k);
    for (int j = 0; status == ROPE_OK && j < h; j++) {
        int a, b;
        rope_spec_channels(spec, spec->layout_in, j, &a, &b);
        rope_frequency(angle, spec, j);
        mpfr_mul_d(angle, angle, request->peak, MPFR_RNDN);
        mpfr_sin_cos(s, c, angle, MPFR_RNDN);
        const double sine = mpfr_get_d(s, MPFR_RNDN), cosine = mpfr_get_d(c, MPFR_RNDN);
        v->k[a] = v->q[a] * cosine - v->q[b] * sine;
        v->k[b] = v->q[b] * cosine + v->q[a] * sine;
    }
    mpfr_clears(angle, s, c, (mpfr_ptr)0);
    return status;
}

static rope_status read_vector(double *into, int dim, const char *path, const char *option, rope_error *error) {
    rope_npy *npy;
    const rope_status status = rope_npy_open(&npy, path, error);
    if (status != ROPE_OK) return status;
    rope_dtype dtype;
    if (!rope_npy_dtype(npy, &dtype) || rope_npy_type_of(npy) == ROPE_NPY_C8 || rope_npy_type_of(npy) == ROPE_NPY_C16 ||
        rope_npy_count(npy) != (size_t)dim) {
        rope_fail(error, ROPE_BAD_INPUT, path, "one real vector of --dim channels is wanted",
                  "%s: %zu elements of type %s, not %d floating-point numbers", option, rope_npy_count(npy),
                  rope_npy_type_name(rope_npy_type_of(npy)), dim);
        rope_npy_close(npy);
        return ROPE_BAD_INPUT;
    }
    rope_npy_read(npy, 0, (size_t)dim, into);
    rope_npy_close(npy);
    return ROPE_OK;
}

static rope_status fill_files(decay_vectors *v, const decay_vector_request *request, const rope_spec *spec,
                              rope_error *error) {
    (void)spec;
    const rope_status status = read_vector(v->q, v->dim, request->query, "--query", error);
    return status == ROPE_OK ? read_vector(v->k, v->dim, request->key, "--key", error) : status;
}

const decay_vector_kind decay_vector_kinds[] = {
    {"ones", "q = k = 1", false, fill_ones},
    {"gaussian", "q, k independent N(0, 1) channels", true, fill_gaussian},
    {"adversarial", "k = R_p q, q Gaussian: the score is largest at distance p", false, fill_adversarial},
    {"ramp", "h_j = h - j, falling by 1 from pair to pair", false, fill_ramp},
    {NULL, NULL, false, NULL}};

const decay_vector_kind decay_vector_files = {"files", "q and k from files", false, fill_files};

const decay_vector_kind *decay_vector_kind_named(const char *name) {
    for (const decay_vector_kind *kind = decay_vector_kinds; kind->name; kind++)
        if (!strcmp(kind->name, name)) return kind;
    return NULL;
}

/* ---- making them ----------------------------------------------------------------------------------- */

rope_spec decay_paired(const rope_spec *spec) {
    rope_spec paired = *spec;
    if (paired.layout_in == ROPE_LAYOUT_UNSET) paired.layout_in = paired.layout_out = ROPE_INTERLEAVED;
    return paired;
}

/* A score is A^2 times a sum of products of two channels: with each of the four at most 1e60 nothing overflows, and
 * with A at least 1e-60 its square does not underflow. */
static rope_status check_sizes(const decay_vectors *v, const rope_spec *spec, size_t numbers, rope_error *error) {
    static const double largest = 1e60, least = 1e-60;
    const double A = rope_magnitude_double(spec);
    if (!(A <= largest && A >= least))
        return rope_fail(error, ROPE_BAD_INPUT, "--magnitude", "1e-60 to 1e60",
                         "magnitude %g: scores carry its square, which could overflow or underflow", A);
    for (size_t c = 0; c < numbers; c++) {
        const bool query = !(fabs(v->q[c]) <= largest);
        if (query || !(fabs(v->k[c]) <= largest))
            return rope_fail(error, ROPE_BAD_INPUT, query ? "query" : "key", "finite numbers of at most 1e60",
                             "channel %zu is %g: scores could overflow", c, query ? v->q[c] : v->k[c]);
    }
    return ROPE_OK;
}

rope_status decay_vectors_new(decay_vectors *vectors, const decay_vector_request *request, const rope_spec *spec,
                              rope_error *error) {
    const int samples = request->kind->sampled ? request->samples : 1;
    const size_t numbers = (size_t)samples * (size_t)spec->dim;
    *vectors = (decay_vectors){samples, spec->dim, calloc(numbers, sizeof(double)), calloc(numbers, sizeof(double))};
    rope_status status = vectors->q && vectors->k
                             ? ROPE_OK
                             : rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for %d vectors", samples);
    if (status == ROPE_OK) status = request->kind->fill(vectors, request, spec, error);
    if (status == ROPE_OK) status = check_sizes(vectors, spec, numbers, error);
    if (status != ROPE_OK) decay_vectors_free(vectors);
    return status;
}

void decay_vectors_free(decay_vectors *vectors) {
    free(vectors->q);
    free(vectors->k);
    *vectors = (decay_vectors){0, 0, NULL, NULL};
}
