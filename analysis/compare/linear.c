#include "linear.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../../src/decay.h"
#include "../../src/number/dd.h"
#include "../report/number.h"
#include "compare.h"
#include "encoding/shared.h"
#include "measure.h"

/* ---- features 1: the sums of cosines ----------------------------------------------------------------- */

enum { CHUNK = 1 << 14, MOST_BITS = 1024 };

/* Called with C at the distances from, from + 1, ...; returns false to stop. */
typedef bool each_chunk(void *context, const double *C, int64_t from, int64_t count);

/* C(r) for 0 <= r < end, each off by half an ulp at most; so signs are those of the exact numbers. */
static rope_status for_sums(int dim, double base, int64_t end, each_chunk *each, void *context, rope_error *error) {
    rope_spec spec = rope_spec_default();
    rope_decay *decay = NULL;
    double *const B = malloc(sizeof *B * CHUNK), *const C = malloc(sizeof *C * CHUNK);
    spec.dim = dim;
    spec.base = base;
    rope_status status =
        B && C ? rope_spec_check(&spec, error) : rope_fail(error, ROPE_NO_MEMORY, "", NULL, "memory is out");
    if (status == ROPE_OK)
        status = rope_decay_new(&decay, &spec, (rope_distances){0.0, 1.0, end}, ROPE_DECAY_DOUBLE, error);
    bool more = status == ROPE_OK;
    for (int64_t from = 0; more && from < end; from += CHUNK) {
        const int64_t count = end - from < CHUNK ? end - from : CHUNK;
        rope_decay_round(decay, from, count, B, C, NULL, MOST_BITS);
        more = each(context, C, from, count);
    }
    rope_decay_free(decay);
    free(B);
    free(C);
    return status;
}

/* A running sum of values of at most h: in double-double the additions lose less than N (N h) 2^-104, N <= 2^24, below
 * u h for all N together; each value is off by at most h u, half an ulp. */
typedef struct running {
    rope_dd sum;
    double h;
} running;

static void running_add(running *r, double x) {
    const rope_dd s = rope_two_sum(r->sum.hi, x);
    r->sum = rope_two_sum(s.hi, s.lo + r->sum.lo);
}

static double running_bound(const running *r, int64_t terms) {
    return ((double)terms + 1.0) * r->h * 0x1p-53;
}

typedef struct rows_context {
    linear_row *row;
    const int64_t *length;
    int count, next;
    running total;
    linear_row so_far;
} rows_context;

static bool add_rows(void *context, const double *C, int64_t from, int64_t count) {
    rows_context *const c = context;
    linear_row *const now = &c->so_far;
    for (int64_t k = 0; k < count && c->next < c->count; k++) {
        const double least = 1.0 + C[k] / c->total.h;
        running_add(&c->total, C[k]);
        now->negative += C[k] < 0.0;
        if (least < now->least) now->least = least, now->least_at = from + k;
        now->length = from + k + 1;
        if (now->length != c->length[c->next]) continue;
        const double whole = (double)now->length * c->total.h;
        now->sum = c->total.sum.hi / whole;
        now->sum_bound = running_bound(&c->total, now->length) / whole + 0x1p-51 * fabs(now->sum);
        now->least_bound = 0x1p-51; /* C/h <= 1 is off by 2 u, the sum rounds by 2 u */
        c->row[c->next++] = *now;
    }
    return c->next < c->count;
}

rope_status linear_rows(linear_row *row, const int64_t *length, int count, int dim, double base, rope_error *error) {
    rows_context context = {.row = row, .length = length, .count = count, .total = {.h = dim / 2.0}};
    context.so_far.least = INFINITY;
    return for_sums(dim, base, length[count - 1], add_rows, &context, error);
}

typedef struct turn_context {
    running total;
    int64_t first;
} turn_context;

static bool find_turn(void *context, const double *C, int64_t from, int64_t count) {
    turn_context *const c = context;
    for (int64_t k = 0; k < count && !c->first; k++) {
        running_add(&c->total, C[k]);
        if (c->total.sum.hi <= running_bound(&c->total, from + k + 1)) c->first = from + k + 1;
    }
    return !c->first;
}

rope_status linear_first_turn(int64_t *first, int dim, double base, int64_t limit, rope_error *error) {
    turn_context context = {.total = {.h = dim / 2.0}};
    const rope_status status = for_sums(dim, base, limit, find_turn, &context, error);
    *first = context.first;
    if (context.first && !(context.total.sum.hi < -running_bound(&context.total, context.first)))
        return rope_fail(error, ROPE_UNSUPPORTED, "", NULL, "the sign of the sum of %" PRId64 " cosines is undecided",
                         context.first);
    return status;
}

static bool find_negative(void *context, const double *C, int64_t from, int64_t count) {
    int64_t *const first = context;
    for (int64_t k = 0; k < count && !*first; k++)
        if (C[k] < 0.0) *first = from + k;
    return !*first;
}

rope_status linear_first_negative(int64_t *first, int dim, double base, int64_t limit, rope_error *error) {
    *first = 0;
    return for_sums(dim, base, limit, find_negative, first, error);
}

/* ---- features of the run's tokens -------------------------------------------------------------------- */

/* The last query's weights: phi(q) . phi(k) with and without rotation. */
typedef struct features {
    double sum, sum_bound;     /* of eq. 19's weights */
    double least, least_bound; /* min of 1 + cos of the rotated features */
    int64_t negative, undecided;
} features;

static rope_status measure_features(features *found, const compare_data *data, rope_error *error) {
    const size_t N = data->length;
    const rope_spec spec = encoding_rotation(data, ROPE_INTERLEAVED);
    rope_status status = ROPE_OK;
    rows *const q = rows_elu_plus_one(data->q), *const k = rows_elu_plus_one(data->k);
    rows *const Rq = rows_rotate(q, &spec, 0, false), *const Rk = rows_rotate(k, &spec, 0, false);
    double over = 0.0, over_bound = 0.0, under = 0.0, under_bound = 0.0;
    *found = (features){.least = INFINITY};
    if (!Rq || !Rk) status = rope_fail(error, ROPE_NO_MEMORY, "", NULL, "memory is out");
    for (size_t n = 0; status == ROPE_OK && n < N; n++) {
        double b[4];
        const double rotated = rows_product(Rq, N - 1, Rk, n, &b[0]), plain = rows_product(q, N - 1, k, n, &b[1]),
                     qq = rows_product(q, N - 1, q, N - 1, &b[2]), kk = rows_product(k, n, k, n, &b[3]);
        const double norms = sqrt(qq * kk), least = 1.0 + rotated / norms;
        over += rotated, over_bound += b[0] + 0x1p-52 * fabs(rotated) * (double)N;
        under += plain, under_bound += b[1] + 0x1p-52 * fabs(plain) * (double)N;
        found->negative += rotated < -b[0];
        found->undecided += fabs(rotated) <= b[0];
        if (least < found->least) {
            found->least = least;
            /* |cos| <= 1; the product of the norms is off by less than b/q.q + b/k.k of itself */
            found->least_bound = b[0] / norms + b[2] / qq + b[3] / kk + 0x1p-50;
        }
    }
    found->sum = over / under;
    found->sum_bound =
        (over_bound + fabs(found->sum) * under_bound) / (under - under_bound) + 0x1p-51 * fabs(found->sum);
    rows_free(q);
    rows_free(k);
    rows_free(Rq);
    rows_free(Rk);
    return status;
}

/* ---- the tables -------------------------------------------------------------------------------------- */

static const char *const columns[] = {"N", "negative weights", "sum of the weights", "least 1 + cos", "at distance"};

static void put_value(sheet *s, double value, double bound) {
    char text[32];
    compare_value_text(text, value, bound, 6);
    sheet_text(s, text);
}

static sheet *sums_sheet(const compare_session *session, const linear_row *row, int count) {
    sheet *const s = compare_sheet(session);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) sheet_column(s, columns[k], SHEET_NUMBER);
    for (; count--; row++) {
        sheet_row(s);
        sheet_number(s, (double)row->length, 17);
        sheet_number(s, (double)row->negative, 17);
        put_value(s, row->sum, row->sum_bound);
        put_value(s, row->least, row->least_bound);
        sheet_number(s, (double)row->least_at, 17);
    }
    return s;
}

/* The lengths of a class, cut at --length, which is the last. */
static int choose_lengths(int64_t *length, const compare_session *session) {
    static const int64_t usual[] = {128, 512, 2048, 4096, 16384, 131072};
    const int64_t last = session->has_length ? session->request.length : 131072;
    int count = 0;
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (usual[k] < last) length[count++] = usual[k];
    length[count++] = last;
    return count;
}

static rope_status print_sums(const compare_session *session, int dim, rope_error *error) {
    enum { FAR = 1 << 20 };
    int64_t length[8], first = 0;
    linear_row row[8];
    const int count = choose_lengths(length, session);
    rope_status status = linear_rows(row, length, count, dim, session->request.base, error);
    if (status == ROPE_OK) status = linear_first_turn(&first, dim, session->request.base, FAR, error);
    if (status != ROPE_OK) return status;
    printf("Equation 19, every feature 1, d = %d, base %s: the last of N queries.\n\n", dim,
           number_short(session->request.base, 17).text);
    sheet *const s = sums_sheet(session, row, count);
    sheet_print(stdout, s);
    printf("\nRotation in the numerator alone (RoFormer, eq. 19): the weight at distance r is C(r) / (N d/2).\n"
           "Weights turn negative and their sum is not 1; C(r) averages to nothing, so the sum falls to 0.\n");
    if (first)
        printf("Rotation in the denominator, too: the weights sum to 1, but the denominator, the sum of C(r) over\n"
               "r < N, is first below 0 at N = %" PRId64
               " (certified): near there weights grow without bound, and all\n"
               "change their sign.\n",
               first);
    else
        printf("Rotation in the denominator, too: the weights sum to 1; the denominator, the sum of C(r) over\n"
               "r < N, stays above 0 for N <= %d (certified).\n",
               FAR);
    printf("Similarity 1 + cos(q, R k) (J. Su, kexue.fm 8265): never negative under any rotation, so rotated\n"
           "weights are weights: no less than 0, with sum 1.\n");
    status = compare_write_table(session, s, error);
    sheet_free(s);
    return status;
}

static rope_status print_features(compare_session *session, rope_error *error) {
    compare_data data;
    features found;
    rope_status status = compare_open_data(&data, session, error);
    if (status != ROPE_OK) return status;
    status = measure_features(&found, &data, error);
    if (status == ROPE_OK) {
        char sum[32], least[32];
        char *const what = compare_statement(session);
        compare_value_text(sum, found.sum, found.sum_bound, 6);
        compare_value_text(least, found.least, found.least_bound, 6);
        printf("\nFeatures elu + 1 of %s; the last query:\n"
               "%" PRId64 " negative weights, sum of all %s, least 1 + cos %s.\n",
               what, found.negative, sum, least);
        if (found.undecided) printf("  %" PRId64 " weights are 0 within their rounding.\n", found.undecided);
        free(what);
    }
    compare_data_free(&data);
    return status;
}

/* How many features of m times features of n the score of each scheme needs. */
static rope_status print_ranks(const compare_session *session, rope_error *error) {
    compare_request request = session->request;
    compare_data data;
    sheet *const s = sheet_new();
    static const char *const names[] = {"scheme", "rank", "by form", "factors"};
    request.dim = 4;
    request.length = 64;
    request.data = "gaussian";
    request.clip = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        sheet_column(s, names[k], k == 1 ? SHEET_NUMBER : SHEET_TEXT);
    rope_status status = compare_data_new(&data, &request, error);
    const bool made = status == ROPE_OK;
    for (const encoding *const *scheme = encodings; status == ROPE_OK && *scheme; scheme++) {
        measurement m;
        status = measure(&m, *scheme, &data, 1, NULL, NULL, error);
        if (status != ROPE_OK) break;
        sheet_row(s);
        sheet_text(s, (*scheme)->name);
        sheet_number(s, m.rank, 17);
        sheet_text(s, (*scheme)->rank_formula);
        sheet_text(s, (*scheme)->linear_attention ? "yes" : "no");
    }
    if (status == ROPE_OK) {
        printf(
            "\nWhich scores factor into features of m times features of n? It takes as many as the score matrix has\n"
            "rank (gaussian tokens, N = 64, d = 4); a rank that grows with N is no factorisation.\n"
            "rope-compare explain SCHEME gives the reason.\n\n");
        sheet_print(stdout, s);
    }
    if (made) compare_data_free(&data);
    sheet_free(s);
    return status;
}

int compare_linear(compare_session *session, rope_error *error) {
    const int dim = session->has_dim ? session->request.dim : 128; /* RoFormer's own curves have d = 128 */
    rope_status status = print_sums(session, dim, error);
    if (status == ROPE_OK) status = print_features(session, error);
    if (status == ROPE_OK) status = print_ranks(session, error);
    return status == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
}
