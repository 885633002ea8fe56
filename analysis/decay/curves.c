/* Curves: quantities of a spec at many distances, each value with its bound. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/frequency/frequency.h"
#include "../../src/number/dtype.h"

const char *const decay_quantity_names[QUANTITIES + 1] = {"bound", "sum", "abel", "score", "envelope", NULL};

/* Values per call of the core: memory and the progress bar's step. */
enum { CHUNK = 4096, LIMB_CHUNK = 256, LIST_BITS = 160 };

static const double u = 0x1p-53;

static bool doubles_asked(const decay_sweep *sweep) {
    return sweep->request->bits == ROPE_DECAY_DOUBLE;
}
static long working_bits(const decay_sweep *sweep) {
    return doubles_asked(sweep) ? LIST_BITS : sweep->request->bits;
}

static void put_mpfr(const decay_sweep *sweep, decay_curve *curve, int64_t k, const mpfr_t value, const mpfr_t error) {
    decay_to_doubles(&curve->value[k], &curve->error[k], value, error);
    if (doubles_asked(sweep)) return;
    curve->text[k] = decay_digits(value, error, sweep->request->digits, &curve->text_error[k]);
    curve->undecided += !curve->text[k];
}

/* ---- B and C --------------------------------------------------------------------------------------- */

/* Both curves at n distances: those of a line in a row, those of a list one by one. */
static void round_doubles(decay_sweep *sweep, int64_t from, int64_t n, double *B, double *C, unsigned char *undecided) {
    if (!sweep->place) rope_decay_round(sweep->doubles, from, n, B, C, undecided, DECAY_MOST_BITS);
    for (int64_t k = 0; sweep->place && k < n; k++)
        rope_decay_round(sweep->doubles, sweep->place[from + k], 1, B + k, C + k, undecided + k, DECAY_MOST_BITS);
}

/* A double that rounds the exact value is off by half an ulp, and one that is not known to by a whole one; r = 0 is
 * exact. */
static rope_status fill_rounded(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    double *const other = malloc((size_t)n * sizeof *other);
    unsigned char *const undecided = calloc((size_t)n, 1);
    rope_status status = ROPE_OK;
    if (!other || !undecided) {
        status = rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for %lld distances", (long long)n);
    } else {
        const bool sum = curve->kind->quantity == QUANTITY_SUM;
        double *const value = curve->value + at;
        round_doubles(sweep, curve->from + at, n, sum ? other : value, sum ? value : other, undecided);
        for (int64_t k = 0; k < n; k++) {
            const bool open = undecided[k] & (sum ? ROPE_DECAY_UNDECIDED_C : ROPE_DECAY_UNDECIDED_B);
            const bool exact = decay_point(&sweep->request->points, curve->from + at + k) == 0.0;
            curve->error[at + k] = exact ? 0.0 : rope_ulp(ROPE_F64, value[k]) * (open ? 1.0 : 0.5);
            curve->undecided += open;
        }
    }
    free(other);
    free(undecided);
    return status;
}

static rope_status fill_listed(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n) {
    mpfr_t r;
    rope_decay_value value;
    mpfr_init2(r, 64);
    rope_decay_value_init(&value);
    for (int64_t k = at; k < at + n; k++) {
        decay_point_exact(r, &sweep->request->points, curve->from + k);
        rope_decay_at(&value, &sweep->spec, r, working_bits(sweep));
        if (curve->kind->quantity == QUANTITY_SUM)
            put_mpfr(sweep, curve, k, value.C, value.C_error);
        else
            put_mpfr(sweep, curve, k, value.B, value.B_error);
    }
    rope_decay_value_clear(&value);
    mpfr_clear(r);
    return ROPE_OK;
}

static rope_status fill_numbers(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    rope_decay_value *const value = malloc(LIMB_CHUNK * sizeof *value);
    if (!value) return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for %d numbers", LIMB_CHUNK);
    for (int k = 0; k < LIMB_CHUNK; k++) rope_decay_value_init(&value[k]);
    rope_status status = ROPE_OK;
    for (int64_t done = 0; status == ROPE_OK && done < n; done += LIMB_CHUNK) {
        const int64_t part = n - done < LIMB_CHUNK ? n - done : LIMB_CHUNK;
        status = rope_decay_numbers(sweep->limbs, curve->from + at + done, part, value, error);
        for (int64_t k = 0; status == ROPE_OK && k < part; k++)
            if (curve->kind->quantity == QUANTITY_SUM)
                put_mpfr(sweep, curve, at + done + k, value[k].C, value[k].C_error);
            else
                put_mpfr(sweep, curve, at + done + k, value[k].B, value[k].B_error);
    }
    for (int k = 0; k < LIMB_CHUNK; k++) rope_decay_value_clear(&value[k]);
    free(value);
    return status;
}

static rope_status fill_decay(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    if (sweep->limbs) return fill_numbers(sweep, curve, at, n, error);
    const bool rounded = doubles_asked(sweep) && sweep->doubles;
    return rounded ? fill_rounded(sweep, curve, at, n, error) : fill_listed(sweep, curve, at, n);
}

/* ---- scores and Abel's bounds, one pair of vectors ------------------------------------------------- */

enum { SCORE, INNER, OUTER };

/* Plain sums in MPFR, as numbers or as doubles. */
static void fill_scores_mpfr(decay_sweep *sweep, decay_curve *curve, int sample, int which, int64_t at, int64_t n) {
    mpfr_t r;
    rope_abel_value value;
    mpfr_init2(r, 64);
    rope_abel_value_init(&value);
    for (int64_t k = at; k < at + n; k++) {
        decay_point_exact(r, &sweep->request->points, curve->from + k);
        rope_abel_at(&value, &sweep->spec, decay_query(&sweep->vectors, sample), decay_key(&sweep->vectors, sample), r,
                     working_bits(sweep));
        put_mpfr(sweep, curve, k,
                 which == SCORE   ? value.score
                 : which == INNER ? value.inner
                                  : value.outer,
                 value.error);
    }
    rope_abel_value_clear(&value);
    mpfr_clear(r);
}

/* One sample's n numbers at curve index `at` as doubles, and an error that none exceeds. */
static rope_status sample_doubles(decay_sweep *sweep, decay_curve *curve, int sample, int which, int64_t at, int64_t n,
                                  double *value, double *bound, rope_error *error) {
    rope_abel_bound bounds;
    if (sweep->doubles) {
        const double *const q = decay_query(&sweep->vectors, sample), *const k = decay_key(&sweep->vectors, sample);
        double *const into[] = {which == SCORE ? value : NULL, which == INNER ? value : NULL,
                                which == OUTER ? value : NULL};
        const rope_status status =
            sweep->place ? rope_abel_enclose_at(&bounds, sweep->doubles, q, k, sweep->place + curve->from + at, n,
                                                into[SCORE], into[INNER], into[OUTER], error)
                         : rope_abel_enclose(&bounds, sweep->doubles, q, k, curve->from + at, n, into[SCORE],
                                             into[INNER], into[OUTER], error);
        *bound = which == SCORE ? bounds.score : which == INNER ? bounds.inner : bounds.outer;
        return status;
    }
    decay_curve one = *curve;
    double *const off = malloc((size_t)n * sizeof *off);
    if (!off) return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for scores");
    one.from += at;
    one.value = value, one.error = off;
    fill_scores_mpfr(sweep, &one, sample, which, 0, n);
    *bound = 0.0;
    for (int64_t k = 0; k < n; k++) *bound = fmax(*bound, off[k]);
    free(off);
    return ROPE_OK;
}

static rope_status fill_score(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    const int which = (int)curve->kind->parameter;
    if (!doubles_asked(sweep) || !sweep->doubles) {
        fill_scores_mpfr(sweep, curve, 0, which, at, n);
        return ROPE_OK;
    }
    double bound;
    const rope_status status = sample_doubles(sweep, curve, 0, which, at, n, curve->value + at, &bound, error);
    for (int64_t k = 0; k < n; k++) curve->error[at + k] = bound;
    return status;
}

/* ---- many pairs of vectors: statistics of the exact scores ------------------------------------------ */

/* A statistic of samples that are each off by e moves by at most e (mean, root mean square, order statistics and what
 * lies between two of them are 1-Lipschitz in the largest error); *rounding: what its own arithmetic adds. */
typedef double statistic(double *sample, int n, double parameter, double *rounding);

/* n - 1 additions and a division, each u of at most the sum of moduli. */
static double mean_of(double *sample, int n, double parameter, double *rounding) {
    (void)parameter;
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < n; k++) sum += sample[k], size += fabs(sample[k]);
    *rounding = (n + 2) * u * size / n;
    return sum / n;
}

/* Squares of the same sign: relative errors of n u and of the root, twice over for second-order parts. */
static double rms_of(double *sample, int n, double parameter, double *rounding) {
    (void)parameter;
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += sample[k] * sample[k];
    const double rms = sqrt(sum / n);
    *rounding = (n + 4) * u * rms;
    return rms;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between the order statistics at (n - 1) p [Hyndman and Fan 1996, definition 7]. */
static double quantile_of(double *sample, int n, double parameter, double *rounding) {
    qsort(sample, (size_t)n, sizeof *sample, by_size);
    const double place = (n - 1) * parameter;
    const int k = (int)place < n - 1 ? (int)place : n - 1, next = k + 1 < n ? k + 1 : k;
    const double part = place - k;
    *rounding = 8 * u * fmax(fabs(sample[k]), fabs(sample[next]));
    return sample[k] * (1 - part) + sample[next] * part;
}

static rope_status fill_statistic(decay_sweep *sweep, decay_curve *curve, int which, statistic *of, double parameter,
                                  int64_t at, int64_t n, rope_error *error) {
    const int samples = sweep->vectors.samples;
    double *const all = malloc((size_t)samples * (size_t)n * sizeof *all), *const column =
                                                                               malloc((size_t)samples * sizeof *column);
    rope_status status = all && column ? ROPE_OK
                                       : rope_fail(error, ROPE_NO_MEMORY, "", "ask for fewer --samples",
                                                   "no memory for %d samples", samples);
    double largest = 0.0;
    for (int s = 0; status == ROPE_OK && s < samples; s++) {
        double bound = 0.0;
        status = sample_doubles(sweep, curve, s, which, at, n, all + (size_t)s * (size_t)n, &bound, error);
        largest = fmax(largest, bound);
    }
    for (int64_t k = 0; status == ROPE_OK && k < n; k++) {
        double rounding;
        for (int s = 0; s < samples; s++) column[s] = all[(size_t)s * (size_t)n + (size_t)k];
        curve->value[at + k] = of(column, samples, parameter, &rounding);
        curve->error[at + k] = largest + 2 * rounding;
    }
    free(all);
    free(column);
    return status;
}

static rope_status fill_mean(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    return fill_statistic(sweep, curve, (int)curve->kind->parameter, mean_of, 0.0, at, n, error);
}

static rope_status fill_rms(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    return fill_statistic(sweep, curve, SCORE, rms_of, 0.0, at, n, error);
}

static rope_status fill_quantile(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    return fill_statistic(sweep, curve, SCORE, quantile_of, curve->kind->parameter, at, n, error);
}

/* ---- envelope -------------------------------------------------------------------------------------- */

/* A^2 |q| |k| over the rotary channels, the mean over samples: by Cauchy-Schwarz no score exceeds it, and for k = R_r
 * q, which has the norm of q, it is reached at r. Sums of at most d squares, roots and products: (2d + 20) u of it, A^2
 * included. Squares that underflow, 2^13 of them at most and 2^-1075 each, move a norm by less than 2^-530. */
static rope_status fill_envelope(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    (void)error;
    const rope_spec *const spec = &sweep->spec;
    const int first = rope_spec_first(spec), end = first + 2 * rope_spec_pairs(spec), samples = sweep->vectors.samples;
    const double A = rope_magnitude_double(spec);
    double total = 0.0, lost = 0.0;
    for (int s = 0; s < samples; s++) {
        const double *const q = decay_query(&sweep->vectors, s), *const k = decay_key(&sweep->vectors, s);
        double qq = 0.0, kk = 0.0;
        for (int c = first; c < end; c++) qq += q[c] * q[c], kk += k[c] * k[c];
        total += sqrt(qq) * sqrt(kk);
        lost += 0x1p-530 * (sqrt(qq) + sqrt(kk) + 0x1p-500);
    }
    const double envelope = A * A * total / samples, underflow = 2 * A * A * lost / samples;
    for (int64_t k = at; k < at + n; k++) {
        curve->value[k] = envelope;
        curve->error[k] = (2.0 * spec->dim + 20 + samples) * u * envelope + underflow;
    }
    return ROPE_OK;
}

/* ---- approximations -------------------------------------------------------------------------------- */

static rope_status fill_law(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    decay_law law;
    const rope_status status = decay_law_new(&law, &sweep->spec, error);
    for (int64_t k = at; status == ROPE_OK && k < at + n; k++) {
        const double r = decay_point(&sweep->request->points, curve->from + k);
        curve->value[k] = curve->kind->quantity == QUANTITY_SUM ? decay_law_sum(&law, r) : decay_law_bound(&law, r);
        curve->error[k] = NAN;
    }
    return status;
}

static rope_status fill_floor(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error) {
    (void)error;
    const int h = rope_spec_pairs(&sweep->spec);
    for (int64_t k = at; k < at + n; k++) {
        curve->value[k] = curve->kind->quantity == QUANTITY_SUM ? decay_floor_sum(h) : decay_floor_bound(h);
        curve->error[k] = NAN;
    }
    return ROPE_OK;
}

/* ---- the table ------------------------------------------------------------------------------------- */

const decay_curve_kind decay_curve_kinds[] = {
    {"bound", QUANTITY_BOUND, ANY_VECTORS, false, "B(r), mean modulus of the partial sums", fill_decay, 0},
    {"bound-law", QUANTITY_BOUND, ANY_VECTORS, true, "closed form of B(r), an approximation", fill_law, 0},
    {"bound-floor", QUANTITY_BOUND, ANY_VECTORS, true, "mean of B for random phases, an approximation", fill_floor, 0},
    {"sum", QUANTITY_SUM, ANY_VECTORS, false, "C(r), sum of cosines", fill_decay, 0},
    {"sum-law", QUANTITY_SUM, ANY_VECTORS, true, "closed form of C(r), an approximation", fill_law, 0},
    {"sum-floor", QUANTITY_SUM, ANY_VECTORS, true, "root mean square of C for random phases, an approximation",
     fill_floor, 0},
    {"abel", QUANTITY_ABEL, ONE_PAIR, false, "A^2 max|h_i - h_(i-1)| sum|S_i|", fill_score, OUTER},
    {"abel-inner", QUANTITY_ABEL, ONE_PAIR, false, "A^2 sum |h_i - h_(i-1)| |S_i|", fill_score, INNER},
    {"abel-mean", QUANTITY_ABEL, MANY_PAIRS, false, "mean over samples of A^2 max|h_i - h_(i-1)| sum|S_i|", fill_mean,
     OUTER},
    {"abel-inner-mean", QUANTITY_ABEL, MANY_PAIRS, false, "mean over samples of A^2 sum |h_i - h_(i-1)| |S_i|",
     fill_mean, INNER},
    {"score", QUANTITY_SCORE, ONE_PAIR, false, "A^2 Re sum h_j e^(i r theta_j)", fill_score, SCORE},
    {"score-mean", QUANTITY_SCORE, MANY_PAIRS, false, "mean score of the samples", fill_mean, SCORE},
    {"score-rms", QUANTITY_SCORE, MANY_PAIRS, false, "root mean square of the samples' scores", fill_rms, 0},
    {"score-q05", QUANTITY_SCORE, MANY_PAIRS, false, "5 % quantile of the samples' scores", fill_quantile, 0.05},
    {"score-median", QUANTITY_SCORE, MANY_PAIRS, false, "median of the samples' scores", fill_quantile, 0.5},
    {"score-q95", QUANTITY_SCORE, MANY_PAIRS, false, "95 % quantile of the samples' scores", fill_quantile, 0.95},
    {"envelope", QUANTITY_ENVELOPE, ANY_VECTORS, false,
     "A^2 |q| |k|, the largest score that vectors of these norms reach", fill_envelope, 0},
    {NULL, QUANTITY_BOUND, ANY_VECTORS, false, NULL, NULL, 0}};

bool decay_wants(const decay_request *request, const decay_curve_kind *kind) {
    if (kind->law && !request->law) return false;
    if (kind->vectors != ANY_VECTORS && (kind->vectors == MANY_PAIRS) != request->vectors.kind->sampled) return false;
    return request->wants[kind->quantity];
}

/* ---- sweeps ---------------------------------------------------------------------------------------- */

static bool curve_new(decay_curve *curve, int64_t from, int64_t count, bool text) {
    const size_t n = (size_t)count;
    curve->from = from;
    curve->count = count;
    curve->value = calloc(n, sizeof *curve->value);
    curve->error = calloc(n, sizeof *curve->error);
    curve->text = text ? calloc(n, sizeof *curve->text) : NULL;
    curve->text_error = text ? calloc(n, sizeof *curve->text_error) : NULL;
    return curve->value && curve->error && (!text || (curve->text && curve->text_error));
}

void decay_curves_free(decay_curve *curves, int count) {
    for (int c = 0; c < count; c++) {
        for (int64_t k = 0; curves[c].text && k < curves[c].count; k++)
            if (curves[c].text[k]) mpfr_free_str(curves[c].text[k]);
        free(curves[c].text);
        free(curves[c].text_error);
        free(curves[c].value);
        free(curves[c].error);
    }
    free(curves);
}

/* Tables for all whole distances up to the last of a list grow as its root: they cost less than single sums for more
 * than a few distances. Beyond 2^31 sums are taken one by one. */
static rope_status tables_of_list(decay_sweep *sweep, rope_error *error) {
    const decay_points *const points = &sweep->request->points;
    if (points->list[points->count - 1] >= 0x1p31) return ROPE_OK;
    sweep->place = malloc((size_t)points->count * sizeof *sweep->place);
    if (!sweep->place) return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for a list of distances");
    for (int64_t k = 0; k < points->count; k++) sweep->place[k] = (int64_t)points->list[k];
    const rope_distances all = {0.0, 1.0, sweep->place[points->count - 1] + 1};
    return rope_decay_new(&sweep->doubles, &sweep->spec, all, ROPE_DECAY_DOUBLE, error);
}

static rope_status sweep_begin(decay_sweep *sweep, const decay_request *request, const rope_spec *spec,
                               rope_error *error) {
    sweep->request = request;
    sweep->spec = decay_paired(spec);
    rope_status status = decay_vectors_new(&sweep->vectors, &request->vectors, &sweep->spec, error);
    const bool numbers = request->bits != ROPE_DECAY_DOUBLE,
               doubles = !numbers || request->wants[QUANTITY_ABEL] || request->wants[QUANTITY_SCORE];
    if (status == ROPE_OK && request->points.list && doubles) return tables_of_list(sweep, error);
    if (status != ROPE_OK || request->points.list) return status;
    if (doubles) status = rope_decay_new(&sweep->doubles, &sweep->spec, request->points.line, ROPE_DECAY_DOUBLE, error);
    if (numbers && status == ROPE_OK)
        status = rope_decay_new(&sweep->limbs, &sweep->spec, request->points.line, request->bits, error);
    return status;
}

static void sweep_end(decay_sweep *sweep) {
    rope_decay_free(sweep->doubles);
    rope_decay_free(sweep->limbs);
    decay_vectors_free(&sweep->vectors);
    free(sweep->place);
    sweep->doubles = sweep->limbs = NULL;
    sweep->place = NULL;
}

/* Values at more than 53 bits exist for what MPFR computes: single scores, B and C. */
static bool has_text(const decay_request *request, const decay_curve_kind *kind) {
    return request->bits != ROPE_DECAY_DOUBLE && (kind->fill == fill_decay || kind->fill == fill_score);
}

static rope_status fill_curve(decay_sweep *sweep, decay_curve *curve, rope_error *error) {
    rope_status status = ROPE_OK;
    for (int64_t at = 0; status == ROPE_OK && at < curve->count; at += CHUNK) {
        const int64_t n = curve->count - at < CHUNK ? curve->count - at : CHUNK;
        status = curve->kind->fill(sweep, curve, at, n, error);
        sweep->done += (uint64_t)n;
        option_bar_step(sweep->bar, sweep->done);
    }
    return status;
}

static int wanted_kinds(const decay_request *request) {
    int kinds = 0;
    for (const decay_curve_kind *kind = decay_curve_kinds; kind->name; kind++) kinds += decay_wants(request, kind);
    return kinds;
}

/* Rows of the whole file are numbered spec by spec, curve by curve, distance by distance; shard K of N has the rows
 * from floor(R (K-1) / N) to floor(R K / N). */
typedef struct decay_rows {
    int64_t from, end;
} decay_rows;

static decay_rows shard_rows(const decay_request *request) {
    const int64_t rows = request->points.count * wanted_kinds(request) * request->specs, N = request->shards,
                  K = request->shard;
    const int64_t whole = rows / N, rest = rows % N; /* R x / N = whole x + rest x / N, without overflow */
    return (decay_rows){whole * (K - 1) + rest * (K - 1) / N, whole * K + rest * K / N};
}

static rope_status append_curve(decay_curve *curve, decay_sweep *sweep, const rope_spec *spec,
                                const decay_curve_kind *kind, int64_t from, int64_t end, rope_error *error) {
    *curve = (decay_curve){.kind = kind, .spec = spec};
    rope_spec_describe(spec, curve->label, sizeof curve->label);
    if (!curve_new(curve, from, end - from, has_text(sweep->request, kind)))
        return rope_fail(error, ROPE_NO_MEMORY, "", "split the sweep with --shard K/N", "no memory for %lld values",
                         (long long)(end - from));
    return fill_curve(sweep, curve, error);
}

rope_status decay_curves(decay_curve **curves, int *count, const decay_request *request, option_bar *bar,
                         rope_error *error) {
    const int64_t points = request->points.count;
    const decay_rows rows = shard_rows(request);
    decay_sweep sweep = {.bar = bar};
    rope_status status = ROPE_OK;
    int64_t row = 0; /* of the curve's first distance */
    *count = 0;
    *curves = calloc((size_t)(wanted_kinds(request) * request->specs) + 1, sizeof **curves);
    if (!*curves) return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for curves");
    option_bar_begin(bar, bar->on, "sweep", (uint64_t)(rows.end - rows.from));
    for (int s = 0; status == ROPE_OK && s < request->specs; s++) {
        const int64_t spec_rows = points * wanted_kinds(request);
        if (row + spec_rows <= rows.from || row >= rows.end) {
            row += spec_rows;
            continue;
        }
        status = sweep_begin(&sweep, request, &request->spec[s], error);
        for (const decay_curve_kind *kind = decay_curve_kinds; status == ROPE_OK && kind->name; kind++) {
            if (!decay_wants(request, kind)) continue;
            const int64_t from = rows.from > row ? rows.from - row : 0,
                          end = rows.end - row < points ? rows.end - row : points;
            if (from < end)
                status = append_curve(&(*curves)[(*count)++], &sweep, &request->spec[s], kind, from, end, error);
            row += points;
        }
        sweep_end(&sweep);
    }
    option_bar_end(bar);
    return status;
}
