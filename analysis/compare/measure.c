#include "measure.h"

#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/clones.h"
#include "encoding/shared.h"

const char *const measure_answers[] = {"no", "yes", "undecided"};

/* Queries of one task; queries that are not worth a second thread. */
enum { BLOCK = 32, FEW = 128 };

static const double u = 0x1p-53;
static const double slack = 1.0 + 0x1p-50; /* over the roundings of a bound's own arithmetic */

static rope_status no_memory(rope_error *error) {
    return rope_fail(error, ROPE_NO_MEMORY, "", "a smaller --length or --dim", "memory is out");
}

/* ---- peaks ------------------------------------------------------------------------------------------- */

/* Differences that ought to be zero: the largest one, and the one farthest beyond (or nearest to) its bound. */
typedef struct peak {
    double largest, largest_bound, worst, worst_bound, ratio;
    int64_t largest_m, largest_n, m, n; /* of both */
    bool within;                        /* every difference is at most its bound; false for NaN, too */
    int64_t undecided;                  /* rows whose bounds are no small ones */
} peak;

static peak no_peak(void) {
    return (peak){.ratio = -1.0, .within = true};
}

/* Of equal differences, such as zeros, the one that is known least well. */
static bool exceeds(double difference, double bound, double largest, double largest_bound) {
    return difference > largest || (difference == largest && bound > largest_bound);
}

static measure_answer answer_of(const peak *p) {
    return !p->within ? MEASURE_NO : p->undecided ? MEASURE_UNDECIDED : MEASURE_YES;
}

/* Is a row whose largest bound this is known too badly? Below the least normal double all is zero. */
static bool is_undecided(double bound, double scale) {
    return !(bound <= fmax(MEASURE_SHARE * scale, DBL_MIN));
}

/* a and b are off by a_bound and b_bound, their difference rounds by u of itself; returns its bound. */
static double peak_add(peak *p, double a, double a_bound, double b, double b_bound, int64_t m, int64_t n) {
    const double difference = fabs(a - b), bound = (a_bound + b_bound + u * difference) * slack;
    const double ratio = difference > 0.0 ? difference / bound : 0.0;
    p->within = p->within && difference <= bound;
    if (exceeds(difference, bound, p->largest, p->largest_bound) || p->ratio < 0.0)
        p->largest = difference, p->largest_bound = bound, p->largest_m = m, p->largest_n = n;
    if (ratio > p->ratio) p->ratio = ratio, p->worst = difference, p->worst_bound = bound, p->m = m, p->n = n;
    return bound;
}

/* later comes after p in the order of pairs: ties stay with the first. */
static void peak_merge(peak *p, const peak *later) {
    if (later->ratio < 0.0) return;
    p->within = p->within && later->within;
    p->undecided += later->undecided;
    if (exceeds(later->largest, later->largest_bound, p->largest, p->largest_bound) || p->ratio < 0.0)
        p->largest = later->largest, p->largest_bound = later->largest_bound, p->largest_m = later->largest_m,
        p->largest_n = later->largest_n;
    if (later->ratio > p->ratio)
        p->ratio = later->ratio, p->worst = later->worst, p->worst_bound = later->worst_bound, p->m = later->m,
        p->n = later->n;
}

/* ---- outputs ----------------------------------------------------------------------------------------- */

/* The largest norm and the largest error of rows as doubles (MPFR rows are rounded once more). */
typedef struct reach {
    double norm, error;
} reach;

static reach reach_of(const rows *a) {
    reach most = {0.0, 0.0};
    for (size_t t = 0; t < a->count; t++) {
        most.norm = fmax(most.norm, a->norm[t]);
        most.error = fmax(most.error, a->error[t] + u * a->norm[t]);
    }
    return most;
}

/* o_m = sum_n w_n v_n / sum_n w_n, w_n = exp(x_n), x_n = (s_n - max) / sqrt d; score becomes the weights.
 *
 * Subtracting the computed max changes nothing. x_n is off by bound_n / sqrt d and three roundings, exp by at most 2
 * ulp (4 u): w_n by a factor within exp(+-e), e = bound_n / sqrt d + 3 u |x_n| + 4 u. Weights off by the factor 1 +- t,
 * t = expm1(max e), move a convex combination of vectors by at most 2 t / (1 - t) times the largest norm. Sums of N
 * products and of N weights, and the quotient, round by (2 N + 4) u of the same; one more u covers weights that
 * underflow. */
static double weigh(double *score, const double *bound, size_t N, double scale, double *sum) {
    double largest = -INFINITY, e = 0.0;
    for (size_t n = 0; n < N; n++) largest = fmax(largest, score[n]);
    *sum = 0.0;
    for (size_t n = 0; n < N; n++) {
        const double x = (score[n] - largest) * scale;
        e = fmax(e, bound[n] * scale - 3.0 * u * x);
        score[n] = exp(x);
        *sum += score[n];
    }
    return expm1(e * slack + 4.0 * u);
}

/* o += sum over keys of w_n v_n, in the order of keys. Returns o. */
ROPE_INLINE double *mix_body(size_t keys, size_t d, const double *w, const double *v, double *o) {
    for (size_t n = 0; n < keys; n++) {
#pragma omp simd
        for (size_t c = 0; c < d; c++) o[c] += w[n] * v[n * d + c];
    }
    return o;
}

ROPE_KERNEL(double *, mix, (size_t keys, size_t d, const double *w, const double *v, double *o), (keys, d, w, v, o))

/* Queries from .. from + count - 1, count <= BLOCK; keys in chunks that stay in the cache. */
static void attend(rows *out, size_t from, size_t count, double *score, const double *bound, const rows *value,
                   reach most) {
    enum { KEYS = 64 };
    const size_t N = value->count, d = value->dim;
    double sum[BLOCK], t[BLOCK];
    for (size_t m = 0; m < count; m++) t[m] = weigh(score + m * N, bound + m * N, N, 1.0 / sqrt((double)d), &sum[m]);
    for (size_t n = 0; n < N; n += KEYS)
        for (size_t m = 0; m < count; m++)
            mix(N - n < KEYS ? N - n : KEYS, d, score + m * N + n, rows_row(value, n),
                gsl_matrix_ptr(out->value, from + m, 0));
    for (size_t m = 0; m < count; m++) {
        double *const o = gsl_matrix_ptr(out->value, from + m, 0), square = 0.0;
        for (size_t c = 0; c < d; c++) o[c] /= sum[m], square += o[c] * o[c];
        const double moved = t[m] < 0.5 ? 2.0 * t[m] / (1.0 - t[m]) : 2.0;
        out->error[from + m] = (most.norm * (moved + (2.0 * (double)N + 5.0) * u) + most.error) * slack;
        out->norm[from + m] = sqrt(square) * (1.0 + ((double)d + 4.0) * u);
    }
}

rows *measure_output(const encoding_run *run, const rows *value) {
    const int64_t N = (int64_t)value->count;
    rows *out = rows_new(value->count, value->dim, ROWS_DOUBLE);
    if (!out) return NULL;
    const reach most = reach_of(value);
    bool lost = false;
#pragma omp parallel if (N > FEW)
    {
        double *const score = malloc(sizeof *score * (size_t)(2 * N));
        if (!score) {
#pragma omp atomic write
            lost = true;
        }
#pragma omp for schedule(dynamic, 8)
        for (int64_t m = 0; m < N; m++) {
            if (!score) continue;
            encoding_block(run, ENCODING_SUM, m, 1, score, score + N);
            attend(out, (size_t)m, 1, score, score + N, value, most);
        }
        free(score);
    }
    if (!lost) return out;
    rows_free(out);
    return NULL;
}

row_defect measure_rows(const rows *a, const rows *b) {
    peak p = no_peak();
    const double scale = reach_of(a).norm;
    for (size_t m = 0; m < a->count; m++) {
        double square = 0.0;
        for (size_t c = 0; c < a->dim; c++) {
            const double difference = gsl_matrix_get(a->value, m, c) - gsl_matrix_get(b->value, m, c);
            square += difference * difference;
        }
        /* d differences and squares, their sum and the root: (d + 4) u of the result */
        const double norm = sqrt(square), rounding = ((double)a->dim + 4.0) * u;
        const double bound = peak_add(&p, norm, a->error[m] + u * a->norm[m] + rounding * norm, 0.0,
                                      b->error[m] + u * b->norm[m], (int64_t)m, 0);
        p.undecided += is_undecided(bound, scale);
    }
    return (row_defect){p.largest, p.largest_bound, answer_of(&p)};
}

/* ---- the pass over all pairs ------------------------------------------------------------------------- */

/* The scheme at positions from 0 and from K, compared pair by pair in blocks of queries: no N x N array but for the
 * rank. */
typedef struct pass {
    const encoding_run *at, *moved;
    rows *output, *moved_output;
    double *matrix, *matrix_bound; /* [N][N] scores; NULL where there is no rank */
    reach value;
    int64_t N;
    bool lost; /* memory was out */
} pass;

typedef struct tally {
    peak term[ENCODING_TERMS], score, sums;
} tally;

static tally no_tally(void) {
    tally empty = {.score = no_peak(), .sums = no_peak()};
    for (int t = 0; t < ENCODING_TERMS; t++) empty.term[t] = no_peak();
    return empty;
}

static void tally_merge(tally *into, const tally *later) {
    for (int t = 0; t < ENCODING_TERMS; t++) peak_merge(&into->term[t], &later->term[t]);
    peak_merge(&into->score, &later->score);
    peak_merge(&into->sums, &later->sums);
}

/* One thread's arrays, [BLOCK][N] each: values and bounds of a term, and of the sum of terms, of both runs. */
typedef struct room {
    double *value[2], *bound[2], *sum[2], *sum_bound[2];
} room;

/* widest: [count] the largest bound of each query. */
static void compare_block(peak *p, double *widest, const pass *w, int64_t from, int64_t count, double *const value[2],
                          double *const bound[2]) {
    for (int64_t m = 0, k = 0; m < count; m++) {
        widest[m] = 0.0;
        for (int64_t n = 0; n < w->N; n++, k++)
            widest[m] = fmax(widest[m], peak_add(p, value[0][k], bound[0][k], value[1][k], bound[1][k], from + m, n));
    }
}

/* Counts the queries whose bounds in a block are large beside their largest |score|. */
static void count_undecided(peak *p, const double *widest, const double *score, int64_t count, int64_t N) {
    for (int64_t m = 0; m < count; m++) {
        double scale = 0.0;
        for (int64_t n = 0; n < N; n++) scale = fmax(scale, fabs(score[m * N + n]));
        p->undecided += is_undecided(widest[m], scale);
    }
}

/* T terms are added one by one: (T - 1) u of the sum of their moduli, shared out as T u of each. */
static void add_term(double *sum, double *sum_bound, const double *value, const double *bound, int64_t n, int terms) {
    const double rounding = terms > 1 ? terms * u : 0.0;
    for (int64_t k = 0; k < n; k++) {
        sum[k] += value[k];
        sum_bound[k] += bound[k] + rounding * fabs(value[k]);
    }
}

static void scan_block(tally *found, const pass *w, const room *r, int64_t from, int64_t count) {
    const encoding_run *const run[2] = {w->at, w->moved};
    rows *const output[2] = {w->output, w->moved_output};
    const int64_t n = count * w->N;
    double widest[ENCODING_TERMS + 2][BLOCK]; /* of the terms, the score, the sums */
    for (int k = 0; k < 2; k++) {
        memset(r->sum[k], 0, sizeof *r->sum[k] * (size_t)n);
        memset(r->sum_bound[k], 0, sizeof *r->sum_bound[k] * (size_t)n);
    }
    for (int t = 0; t < w->at->terms; t++) {
        for (int k = 0; k < 2; k++) {
            encoding_block(run[k], t, from, count, r->value[k], r->bound[k]);
            add_term(r->sum[k], r->sum_bound[k], r->value[k], r->bound[k], n, w->at->terms);
        }
        compare_block(&found->term[t], widest[t], w, from, count, r->value, r->bound);
    }
    compare_block(&found->score, widest[ENCODING_TERMS], w, from, count, r->sum, r->sum_bound);
    encoding_block(w->at, ENCODING_DIRECT, from, count, r->value[0], r->bound[0]);
    compare_block(&found->sums, widest[ENCODING_TERMS + 1], w, from, count, (double *[2]){r->value[0], r->sum[0]},
                  (double *[2]){r->bound[0], r->sum_bound[0]});
    for (int t = 0; t < w->at->terms; t++) count_undecided(&found->term[t], widest[t], r->sum[0], count, w->N);
    count_undecided(&found->score, widest[ENCODING_TERMS], r->sum[0], count, w->N);
    count_undecided(&found->sums, widest[ENCODING_TERMS + 1], r->sum[0], count, w->N);
    if (w->matrix) {
        memcpy(w->matrix + from * w->N, r->sum[0], sizeof *w->matrix * (size_t)n);
        memcpy(w->matrix_bound + from * w->N, r->sum_bound[0], sizeof *w->matrix * (size_t)n);
    }
    for (int k = 0; k < 2; k++)
        attend(output[k], (size_t)from, (size_t)count, r->sum[k], r->sum_bound[k], w->at->data->value, w->value);
}

static bool room_new(room *r, int64_t N) {
    double *const all = malloc(sizeof *all * (size_t)(8 * BLOCK * N));
    if (!all) return false;
    double **const part[8] = {&r->value[0], &r->value[1], &r->bound[0],     &r->bound[1],
                              &r->sum[0],   &r->sum[1],   &r->sum_bound[0], &r->sum_bound[1]};
    for (int k = 0; k < 8; k++) *part[k] = all + k * BLOCK * N;
    return true;
}

/* Every block has a tally of its own; they are merged in order, whichever thread filled them. */
static bool scan(tally *found, pass *w, void (*progress)(void *context, uint64_t rows), void *context) {
    const int64_t blocks = (w->N + BLOCK - 1) / BLOCK;
    tally *const part = malloc(sizeof *part * (size_t)blocks);
    uint64_t done = 0;
    if (!part) return false;
#pragma omp parallel if (w->N > FEW)
    {
        room r = {{NULL}, {NULL}, {NULL}, {NULL}};
        const bool ready = room_new(&r, w->N);
#pragma omp for schedule(dynamic, 1)
        for (int64_t k = 0; k < blocks; k++) {
            const int64_t from = k * BLOCK, count = from + BLOCK < w->N ? BLOCK : w->N - from;
            part[k] = no_tally();
            if (ready) scan_block(&part[k], w, &r, from, count);
#pragma omp critical(compare_progress)
            {
                done += (uint64_t)count;
                w->lost = w->lost || !ready;
                if (progress) progress(context, done);
            }
        }
        free(r.value[0]);
    }
    *found = no_tally();
    for (int64_t k = 0; k < blocks; k++) tally_merge(found, &part[k]);
    free(part);
    return !w->lost;
}

/* ---- norms ------------------------------------------------------------------------------------------- */

/* ||f| / |q| - 1| from the squares a +- a_bound and b +- b_bound: the ratio of the ends encloses it, and quotient and
 * root round by 2 u. A query that may be zero is passed over. */
static void measure_norms(measurement *result, const encoding_run *run) {
    peak p = no_peak();
    result->norm_kept = MEASURE_YES;
    if (!run->query) return;
    for (size_t m = 0; m < run->query->count; m++) {
        double a_bound, b_bound;
        const double a = rows_product(run->query, m, run->query, m, &a_bound),
                     b = rows_product(run->data->q, m, run->data->q, m, &b_bound);
        if (!(b > b_bound)) continue;
        const double ratio = sqrt(a / b), low = sqrt(fmax(a - a_bound, 0.0) / (b + b_bound)),
                     high = sqrt((a + a_bound) / (b - b_bound));
        p.undecided += is_undecided(
            peak_add(&p, ratio, fmax(high - ratio, ratio - low) + 4.0 * u * high, 1.0, 0.0, (int64_t)m, 0), 1.0);
    }
    result->norm_change = p.largest;
    result->norm_bound = p.largest_bound;
    result->norm_kept = answer_of(&p);
}

/* ---- rank -------------------------------------------------------------------------------------------- */

static void scale_to_one(double *matrix, double *bound, size_t count) {
    double largest = 0.0;
    int exponent;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(matrix[k]));
    frexp(largest, &exponent);
    for (size_t k = 0; k < count; k++) {
        matrix[k] = ldexp(matrix[k], -exponent);
        bound[k] = ldexp(bound[k], -exponent) + 0x1p-1074;
    }
}

/* A singular value moves by at most the 2-norm of the matrix' error [Weyl 1912], which is at most its Frobenius norm;
 * the decomposition itself is backward stable, taken as N 2^-52 sigma_1 [Golub, Van Loan 2013, 5.4.1; 8.6]. What lies
 * above both is not zero. Matrix and bounds are scaled by a power of two near the largest entry, which is exact and
 * keeps squares in range; numbers below the normal ones lose half the least double each, so bounds grow by one. */
static bool measure_rank(measurement *result, double *matrix, double *bound, size_t N) {
    scale_to_one(matrix, bound, N * N);
    gsl_matrix_view A = gsl_matrix_view_array(matrix, N, N);
    gsl_matrix *const V = gsl_matrix_alloc(N, N);
    gsl_vector *const sigma = gsl_vector_alloc(N), *const work = gsl_vector_alloc(N);
    const bool done = V && sigma && work && gsl_linalg_SV_decomp(&A.matrix, V, sigma, work) == 0;
    if (done) {
        double square = 0.0;
        for (size_t k = 0; k < N * N; k++) square += bound[k] * bound[k];
        const double first = gsl_vector_get(sigma, 0),
                     threshold = ((double)N * 0x1p-52 * first + sqrt(square) * (1.0 + (double)(N * N) * u)) * slack;
        size_t rank = 0;
        while (rank < N && gsl_vector_get(sigma, rank) > threshold) rank++;
        result->rank = (int)rank;
        result->rank_threshold = first > 0.0 ? threshold / first : 0.0;
        result->rank_gap =
            rank > 0 && rank < N ? gsl_vector_get(sigma, rank - 1) / gsl_vector_get(sigma, rank) : INFINITY;
    }
    gsl_matrix_free(V);
    gsl_vector_free(sigma);
    gsl_vector_free(work);
    return done;
}

/* ---- everything -------------------------------------------------------------------------------------- */

/* At more bits than a double's, the pair that changes most is computed once more with them; the difference is rounded
 * twice on its way into a double. */
static shift_defect as_shift(const peak *p, const pass *w, int which) {
    shift_defect found = {p->largest, p->largest_bound, answer_of(p), p->m, p->n, p->undecided};
    const long bits = w->at->data->bits;
    if (bits == ROWS_DOUBLE) return found;
    double at_bound, moved_bound;
    mpfr_t at, moved;
    mpfr_inits2(bits, at, moved, (mpfr_ptr)0);
    encoding_exact(at, w->at, which, p->largest_m, p->largest_n, &at_bound);
    encoding_exact(moved, w->moved, which, p->largest_m, p->largest_n, &moved_bound);
    mpfr_sub(at, at, moved, MPFR_RNDN);
    found.defect = fabs(mpfr_get_d(at, MPFR_RNDN));
    found.bound = (at_bound + moved_bound + 2.0 * u * found.defect) * slack;
    if (!(found.defect <= found.bound)) found.stays = MEASURE_NO;
    mpfr_clears(at, moved, (mpfr_ptr)0);
    return found;
}

static void keep(measurement *result, const tally *found, const pass *w) {
    for (int t = 0; t < result->terms; t++) result->term[t] = as_shift(&found->term[t], w, t);
    result->score = as_shift(&found->score, w, ENCODING_SUM);
    result->sum_defect = found->sums.worst;
    result->sum_bound = found->sums.worst_bound;
    result->sums = answer_of(&found->sums);
    const row_defect output = measure_rows(w->output, w->moved_output);
    result->output_defect = output.defect;
    result->output_bound = output.bound;
    result->output_relative = output.stays;
}

rope_status measure(measurement *result, const encoding *scheme, const compare_data *data, int64_t shift,
                    void (*progress)(void *context, uint64_t rows), void *context, rope_error *error) {
    encoding_run at = {0}, moved = {0};
    const bool ranked = data->length <= RANK_LARGEST;
    const size_t N = data->length;
    pass w = {.at = &at, .moved = &moved, .N = (int64_t)N, .value = reach_of(data->value)};
    tally found;
    *result = (measurement){.encoding = scheme, .length = (int64_t)N, .rank = -1};
    rope_status status = encoding_build(&at, scheme, data, 0, error);
    if (status == ROPE_OK) status = encoding_build(&moved, scheme, data, shift, error);
    if (status != ROPE_OK) goto done;
    w.output = rows_new(N, data->dim, ROWS_DOUBLE);
    w.moved_output = rows_new(N, data->dim, ROWS_DOUBLE);
    w.matrix = ranked ? malloc(sizeof *w.matrix * 2 * N * N) : NULL;
    w.matrix_bound = w.matrix ? w.matrix + N * N : NULL;
    if (!w.output || !w.moved_output || (ranked && !w.matrix) || !scan(&found, &w, progress, context)) {
        status = no_memory(error);
        goto done;
    }
    result->terms = at.terms;
    keep(result, &found, &w);
    measure_norms(result, &at);
    if (ranked && !measure_rank(result, w.matrix, w.matrix_bound, N)) status = no_memory(error);
    if (status == ROPE_OK) status = measure_decays(result, &at, error);
    result->parameters = scheme->parameters(data);
    result->cost = scheme->cost(data);
done:
    free(w.matrix);
    rows_free(w.output);
    rows_free(w.moved_output);
    encoding_free(&at);
    encoding_free(&moved);
    return status;
}
