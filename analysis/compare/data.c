#include "data.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/format/npy.h"

const char *const compare_data_kinds[] = {"gaussian", "constant", "repeated", "one-hot", "reference", "FILE.npy", NULL};

compare_request compare_request_default(void) {
    return (compare_request){.dim = 64,
                             .length = 64,
                             .seed = 1,
                             .data = "gaussian",
                             .bits = ROWS_DOUBLE,
                             .base = 10000.0,
                             .buckets = 32,
                             .max_distance = 128,
                             .heads = 8,
                             .head = 1};
}

static bool is_reference(const compare_request *request) {
    return !strcmp(request->data, "reference");
}

/* ---- what there is ----------------------------------------------------------------------------------- */

typedef enum extent { ONE, DIM, LENGTH, OFFSETS, CLIPPED, BUCKETS } extent;

/* A matrix: its shape, how wide its Gaussian is, and the reference's numbers f(angle) / divisor, with f sine or cosine
 * and angle = from + t row + j column + cross t j. */
typedef struct part {
    size_t member; /* in compare_data */
    extent count, dim;
    bool weight; /* variance 1/d instead of 1 */
    bool sine;
    int from, row, column, cross, divisor;
} part;

#define MEMBER(name) offsetof(compare_data, name)

/* A part's place in this list is its stream: new ones go to the end. The rows r = -clip .. clip of Shaw and -(N-1) ..
 * N-1 of the bias count from 0, so their reference angles start at -clip and -(N-1). */
static const part parts[] = {
    {MEMBER(x_query), LENGTH, DIM, false, false, 1, 0, 1, 0, 1},
    {MEMBER(W_q), DIM, DIM, true, false, 0, 1, 2, 0, 2},
    {MEMBER(W_k), DIM, DIM, true, true, 1, 2, 1, 0, 2},
    {MEMBER(W_v), DIM, DIM, true, true, 2, 1, 1, 0, 2},
    {MEMBER(W_r), DIM, DIM, true, false, 1, 0, 0, 1, 2},
    {MEMBER(U_q), DIM, DIM, true, true, 2, 1, 3, 0, 2},
    {MEMBER(U_k), DIM, DIM, true, false, 3, 3, 1, 0, 2},
    {MEMBER(u), ONE, DIM, false, false, 1, 0, 2, 0, 1},
    {MEMBER(v), ONE, DIM, false, true, 1, 0, 3, 0, 1},
    {MEMBER(shaw_key), CLIPPED, DIM, false, false, 0, 1, 1, 0, 2},
    {MEMBER(shaw_value), CLIPPED, DIM, false, true, 0, 1, 1, 0, 2},
    {MEMBER(bias), OFFSETS, ONE, false, false, 0, 1, 0, 0, 3},
    {MEMBER(bucket_bias), BUCKETS, ONE, false, false, 0, 1, 0, 0, 3},
};
static const part reference_key = {MEMBER(x_key), LENGTH, DIM, false, true, 1, 0, 1, 0, 1};

enum { PARTS = sizeof parts / sizeof *parts, STREAM_LEARNED = 100, STREAM_PAIRS };
static const part learned = {0, LENGTH, DIM, false, true, 1, 1, 2, 0, 2};
static const part pairs = {0, LENGTH, LENGTH, false, false, 0, 1, 2, 0, 3};

static rows **place(compare_data *data, const part *p) {
    return (rows **)(void *)((char *)data + p->member);
}

static size_t extent_of(extent e, const compare_data *data) {
    switch (e) {
    case DIM:
        return data->dim;
    case LENGTH:
        return data->length;
    case OFFSETS:
        return 2 * data->length - 1;
    case CLIPPED:
        return 2 * (size_t)data->request.clip + 1;
    case BUCKETS:
        return (size_t)data->request.buckets;
    case ONE:
        break;
    }
    return 1;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

typedef struct formula {
    const part *part;
    int64_t from; /* angle of row 0, column 0 */
} formula;

static void evaluate(mpfr_t x, size_t t, size_t j, const void *context) {
    const formula *f = context;
    const int64_t i = (int64_t)t, k = (int64_t)j;
    mpfr_set_sj(x, f->from + f->part->row * i + f->part->column * k + f->part->cross * i * k, MPFR_RNDN);
    if (f->part->sine)
        mpfr_sin(x, x, MPFR_RNDN);
    else
        mpfr_cos(x, x, MPFR_RNDN);
    mpfr_div_si(x, x, f->part->divisor, MPFR_RNDN);
}

/* mt19937 takes seeds of 32 bits. A stream starts at the (stream + 1)th number of the generator that the run's seed
 * starts. From there row t and the k-th SEEDED numbers of it have the seed t + 2^20 k of their own. */
enum { SEEDED = 64, SEED_ROWS = 1 << 20 };

static uint64_t start_of(gsl_rng *random, uint64_t seed, int stream) {
    uint64_t start = 0;
    gsl_rng_set(random, (unsigned long)(seed & 0xffffffffu));
    for (int k = 0; k <= stream; k++) start = gsl_rng_get(random);
    return start + (seed >> 32) * UINT64_C(2654435761);
}

/* Numbers `from` .. from + count - 1 of the row whose seeds begin at row. */
static void draw_row(gsl_rng *random, uint64_t row, int64_t from, size_t count, double deviation, double *x) {
    for (int64_t k = from - from % SEEDED, j; (j = k - from) < (int64_t)count; k++) {
        if (k % SEEDED == 0)
            gsl_rng_set(random, (unsigned long)((row + (uint64_t)(k / SEEDED) * SEED_ROWS) & 0xffffffffu));
        const double number = deviation * gsl_ran_gaussian_ziggurat(random, 1.0);
        if (j >= 0) x[j] = number;
    }
}

/* Rows first_row .. of a stream, numbers first_column .. of each. */
static rows *draw(const compare_data *data, int stream, size_t count, size_t dim, double deviation, int64_t first_row,
                  int64_t first_column) {
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    double *x = malloc(dim * sizeof *x);
    rows *a = random && x ? rows_new(count, dim, data->bits) : NULL;
    const uint64_t start = a ? start_of(random, data->request.seed, stream) + (uint64_t)first_row : 0;
    for (size_t t = 0; a && t < count; t++) {
        draw_row(random, start + t, first_column, dim, deviation, x);
        rows_set(a, t, x);
    }
    if (a) rows_settle(a);
    if (random) gsl_rng_free(random);
    free(x);
    return a;
}

static rows *by_formula(const compare_data *data, const part *p, int64_t from) {
    const formula f = {p, from};
    return rows_by_formula(extent_of(p->count, data), extent_of(p->dim, data), data->bits, evaluate, &f);
}

static rows *make(const compare_data *data, const part *p, int stream) {
    const int64_t below = p->count == CLIPPED   ? data->request.clip
                          : p->count == OFFSETS ? (int64_t)data->length - 1
                                                : 0;
    if (is_reference(&data->request)) return by_formula(data, p, p->from - below * p->row);
    const double deviation = p->weight ? 1.0 / sqrt((double)data->dim) : 1.0;
    return draw(data, stream, extent_of(p->count, data), extent_of(p->dim, data), deviation, 0, 0);
}

rows *compare_data_learned(const compare_data *data, int64_t first) {
    if (is_reference(&data->request)) return by_formula(data, &learned, learned.from + first * learned.row);
    return draw(data, STREAM_LEARNED, data->length, data->dim, 1.0, first, 0);
}

rows *compare_data_pairs(const compare_data *data, int64_t first) {
    if (is_reference(&data->request)) return by_formula(data, &pairs, pairs.from + first * (pairs.row + pairs.column));
    return draw(data, STREAM_PAIRS, data->length, data->length, 1.0, first, first);
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

enum { PATTERN = 4 }; /* tokens of `repeated` */

/* Which Gaussian token stands at t. */
static size_t token_at(const char *kind, size_t t) {
    return !strcmp(kind, "constant") ? 0 : !strcmp(kind, "repeated") ? t % PATTERN : t;
}

static rows *patterned(const compare_data *data) {
    rows *drawn = draw(data, 0, data->length, data->dim, 1.0, 0, 0), *x = rows_new(data->length, data->dim, data->bits);
    for (size_t t = 0; drawn && x && t < data->length; t++)
        rows_set(x, t, rows_row(drawn, token_at(data->request.data, t)));
    if (x) rows_settle(x);
    if (!drawn) rows_free(x), x = NULL;
    rows_free(drawn);
    return x;
}

static rows *one_hot(const compare_data *data) {
    rows *x = rows_new(data->length, data->dim, data->bits);
    double *token = calloc(data->dim, sizeof *token);
    for (size_t t = 0; x && token && t < data->length; t++) {
        token[t % data->dim] = 1.0;
        rows_set(x, t, token);
        token[t % data->dim] = 0.0;
    }
    if (x) rows_settle(x);
    if (!token) rows_free(x), x = NULL;
    free(token);
    return x;
}

/* Scores are products of four numbers of the tokens' and weights' size: beyond 1e60 and its square they could overflow.
 */
static const double largest_token = 1e60;

static rows *from_file(const compare_data *data, const rope_npy *npy, rope_error *error) {
    rows *x = rows_new(data->length, data->dim, data->bits);
    double *token = malloc(data->dim * sizeof *token);
    for (size_t t = 0; x && token && t < data->length; t++) {
        rope_npy_read(npy, t * data->dim, data->dim, token);
        for (size_t j = 0; j < data->dim; j++)
            if (!(fabs(token[j]) <= largest_token)) {
                rope_fail(error, ROPE_BAD_INPUT, rope_npy_name(npy), "tokens are finite numbers below 1e60",
                          "element [%zu, %zu] is %g", t, j, token[j]);
                rows_free(x), x = NULL;
                break;
            }
        if (x) rows_set(x, t, token);
    }
    if (x) rows_settle(x);
    if (!token) rows_free(x), x = NULL;
    free(token);
    return x;
}

static bool is_file(const char *data) {
    const size_t n = strlen(data);
    return n >= 4 && !strcmp(data + n - 4, ".npy");
}

static rows *tokens(const compare_data *data, const rope_npy *npy, rope_error *error) {
    if (npy) return from_file(data, npy, error);
    if (is_reference(&data->request)) return make(data, &parts[0], 0);
    return strcmp(data->request.data, "one-hot") ? patterned(data) : one_hot(data);
}

/* ---- the request ------------------------------------------------------------------------------------- */

static bool is_known(const char *data) {
    for (int k = 0; compare_data_kinds[k]; k++)
        if (!strcmp(data, compare_data_kinds[k])) return true;
    return false;
}

/* Sets length and dim from the file. */
static rope_status open_file(rope_npy **npy, compare_request *request, rope_error *error) {
    const rope_status status = rope_npy_open(npy, request->data, error);
    if (status != ROPE_OK) return status;
    const rope_npy_type type = rope_npy_type_of(*npy);
    const char *hint = "tokens are a real array of shape [N][d], one token a row";
    if (type == ROPE_NPY_C8 || type == ROPE_NPY_C16 || type == ROPE_NPY_V2)
        return rope_fail(error, ROPE_BAD_INPUT, request->data, hint, "elements of type %s are no real numbers",
                         rope_npy_type_name(type));
    if (rope_npy_rank(*npy) != 2)
        return rope_fail(error, ROPE_BAD_INPUT, request->data, hint, "the array has %d axes, not 2",
                         rope_npy_rank(*npy));
    const size_t length = rope_npy_extent(*npy, 0), dim = rope_npy_extent(*npy, 1);
    if (!length || length > COMPARE_MAX_LENGTH || dim < 2 || dim % 2 || dim > COMPARE_MAX_DIM)
        return rope_fail(error, ROPE_BAD_INPUT, request->data, "N is 1 to 65536; d is even, 2 to 1024",
                         "the array has shape [%zu][%zu]", length, dim);
    request->length = (int64_t)length, request->dim = (int)dim;
    return ROPE_OK;
}

static rope_status check_sizes(const compare_request *request, rope_error *error) {
    if (request->dim < 2 || request->dim % 2 || request->dim > COMPARE_MAX_DIM)
        return rope_fail(error, ROPE_BAD_INPUT, "--dim", "sines and cosines come in pairs",
                         "%d is no even number from 2 to %d", request->dim, COMPARE_MAX_DIM);
    if (request->length < 1 || request->length > COMPARE_MAX_LENGTH)
        return rope_fail(error, ROPE_BAD_INPUT, "--length", "1 to 65536 tokens", "%lld is no length here",
                         (long long)request->length);
    if (request->bits < ROWS_DOUBLE || request->bits > ROWS_MOST_BITS)
        return rope_fail(error, ROPE_BAD_INPUT, "--bits", "53 (double) to 1000", "%ld is no precision here",
                         request->bits);
    if (!(request->base > 1.0) || isinf(request->base))
        return rope_fail(error, ROPE_BAD_INPUT, "--base", "a number above 1, such as 10000", "%g is no base",
                         request->base);
    return ROPE_OK;
}

/* T5's and DeBERTa's logarithms need two distances above half of the buckets. */
static rope_status check_tables(const compare_request *request, rope_error *error) {
    const int nearest = request->buckets / 2 + 2;
    if (request->buckets < 4 || request->buckets % 4 || request->buckets > COMPARE_MAX_BUCKETS)
        return rope_fail(error, ROPE_BAD_INPUT, "--buckets", "T5 has 32", "%d is no multiple of 4 from 4 to %d",
                         request->buckets, COMPARE_MAX_BUCKETS);
    if (request->max_distance < nearest || request->max_distance > COMPARE_MAX_DISTANCE)
        return rope_fail(error, ROPE_BAD_INPUT, "--max-distance", "T5 has 128 for 32 buckets",
                         "%lld is out of range: %d to %d for %d buckets", (long long)request->max_distance, nearest,
                         COMPARE_MAX_DISTANCE, request->buckets);
    if (request->heads < 1 || request->heads > COMPARE_MAX_HEADS)
        return rope_fail(error, ROPE_BAD_INPUT, "--heads", "ALiBi's paper has 8 and 16", "%d is out of range: 1 to %d",
                         request->heads, COMPARE_MAX_HEADS);
    if (request->head < 1 || request->head > request->heads)
        return rope_fail(error, ROPE_BAD_INPUT, "--head", "heads are counted from 1 to --heads",
                         "%d is out of range: 1 to %d", request->head, request->heads);
    return ROPE_OK;
}

rope_status compare_request_check(const compare_request *request, rope_error *error) {
    const rope_status status = check_sizes(request, error);
    return status == ROPE_OK ? check_tables(request, error) : status;
}

static rope_status check_clip(const compare_request *request, rope_error *error) {
    if (request->clip >= 1 && request->clip <= request->length) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, "--clip", "1 to the number of tokens",
                     "%lld is no distance between %lld tokens", (long long)request->clip, (long long)request->length);
}

static rope_status settle_request(compare_request *request, rope_npy **npy, rope_error *error) {
    if (is_file(request->data)) {
        const rope_status status = open_file(npy, request, error);
        if (status != ROPE_OK) return status;
    } else if (!is_known(request->data)) {
        return rope_fail(error, ROPE_BAD_INPUT, "--data",
                         "gaussian, constant, repeated, one-hot, reference, or a FILE.npy",
                         "'%.64s' is no kind of data", request->data);
    }
    if (is_reference(request)) request->dim = 4, request->length = COMPARE_REFERENCE_LENGTH;
    if (!request->clip) request->clip = is_reference(request) ? 4 : request->length < 16 ? request->length : 16;
    const rope_status status = compare_request_check(request, error);
    return status == ROPE_OK ? check_clip(request, error) : status;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

rope_status compare_data_new(compare_data *data, const compare_request *request, rope_error *error) {
    rope_npy *npy = NULL;
    *data = (compare_data){.request = *request};
    rope_status status = settle_request(&data->request, &npy, error);
    if (status != ROPE_OK) goto done;
    data->length = (size_t)data->request.length, data->dim = (size_t)data->request.dim, data->bits = data->request.bits;

    status = ROPE_BAD_INPUT; /* from_file says why */
    data->x_query = tokens(data, npy, error);
    if (npy && !data->x_query) goto done;
    data->x_key = is_reference(request) ? make(data, &reference_key, 0) : tokens(data, npy, error);
    bool complete = data->x_query && data->x_key;
    for (int stream = 1; stream < PARTS && complete; stream++)
        complete = (*place(data, &parts[stream]) = make(data, &parts[stream], stream)) != NULL;
    data->q = rows_project(data->W_q, data->x_query);
    data->k = rows_project(data->W_k, data->x_key);
    data->value = rows_project(data->W_v, data->x_key);
    complete = complete && data->q && data->k && data->value;
    status = complete ? ROPE_OK
                      : rope_fail(error, ROPE_NO_MEMORY, "--length", "try fewer tokens or a smaller --dim",
                                  "%zu tokens of %zu numbers do not fit in memory", data->length, data->dim);
done:
    rope_npy_close(npy);
    if (status != ROPE_OK) compare_data_free(data);
    return status;
}

void compare_data_free(compare_data *data) {
    for (int stream = 0; stream < PARTS; stream++) rows_free(*place(data, &parts[stream]));
    rows_free(data->x_key);
    rows_free(data->q);
    rows_free(data->k);
    rows_free(data->value);
    *data = (compare_data){0};
}
