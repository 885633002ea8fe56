#include "table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "frequency/frequency.h"
#include "phase_tables.h"
#include "table_kernel.h"
#include "table_truth.h"

/* Three stages. Tiles: a kernel proves rows good (table_kernel.h). Entries: those of the other rows one by one against
 * a double-double, or in a replay a double. Truth: MPFR for the entries that this leaves open (table_truth.h). */

enum { MAX_PAIRS = ROPE_MAX_DIM / 2 };

typedef enum kind { EXACT, BOUND, REPLAY } kind;

typedef struct question {
    kind kind;
    const rope_phase *phase; /* NULL for REPLAY */
    const rope_spec *spec;
    const rope_table *table;
    const double *offset, *slope; /* slope: BOUND only */
    rope_angles *angles;
    const void *context;
    int pairs;
    double A;           /* to binary64 */
    double unit, least; /* of the table's format: 2^-p, half the least subnormal */
} question;

/* |hi + lo - v| <= error; error 0: v = hi exactly. */
typedef struct value {
    double hi, lo, error;
} value;

/* One entry, and its error as far as it is known: distance within doubt of |x - v|; settled: rounded once from it. */
typedef struct entry {
    rope_truth truth;
    double x, spread;
    value v;
    double distance, doubt;
    bool settled;
} entry;

/* What one thread has found. */
typedef struct progress {
    rope_tally tally; /* but for first and worst */
    entry first, worst;
} progress;

/* ---- entries ---------------------------------------------------------------------------------------- */

static bool precedes(const rope_truth *a, const rope_truth *b) {
    if (a->m != b->m) return a->m < b->m;
    if (a->pair != b->pair) return a->pair < b->pair;
    return a->array < b->array;
}

/* NaN is the largest error. */
static bool exceeds(double a, double b) {
    return isnan(a) ? !isnan(b) : a > b;
}

/* Half the gap between x and its neighbour on the side of the true value. */
static double half_gap(rope_dtype dtype, double x, bool away_from_zero) {
    return 0.5 * rope_ulp(dtype, away_from_zero ? x : x * (1 - 0x1p-53));
}

/* Sign of |x - v| - allowed, 0 when error hides it.
 *
 * x - hi is exact as a double-double, and so is the difference to allowed. In units of 2^-106 A, with |x| <= 8 A:
 * taking lo in rounds by 10, the sums of low parts by 20; error = 2^-98 A = 256 has room for it beside the 85 that
 * rope_phase_row uses (in a replay it is nothing beside 2^-51 A). For larger x the sign is clear: allowed is below A or
 * at most 2^-8 |x|. With error 0, lo is 0 and the sign is exact: the parts of a double-double do not overlap. */
static int compare(double x, value v, double allowed) {
    const rope_dd exact = rope_two_sum(x, -v.hi), d = rope_two_sum(exact.hi, exact.lo - v.lo);
    const double sign = d.hi < 0.0 ? -1.0 : 1.0;
    const rope_dd excess = rope_two_sum(sign * d.hi, -allowed);
    const double total = excess.hi + (excess.lo + sign * d.lo);
    if (total > v.error) return 1;
    return total < -v.error || (v.error == 0.0 && total == 0.0) ? -1 : 0;
}

/* |x - v| in double: two roundings beside v's error. */
static void estimate(entry *e) {
    e->distance = fabs((e->x - e->v.hi) - e->v.lo);
    e->settled = !isfinite(e->distance);
    e->doubt = e->settled ? 0.0 : e->v.error + e->distance * 0x1p-50;
}

/* The low part of x - v rounds by 2^-105 (|x - v| + A) at most. Both ends rounding to one double is the proof. */
static void settle(entry *e) {
    if (e->settled) return;
    const rope_dd d = rope_two_sum(e->x, -e->v.hi);
    const double low = d.lo - e->v.lo, error = 2 * e->v.error + fabs(d.hi) * 0x1p-104;
    const double below = d.hi + (low - error), above = d.hi + (low + error);
    e->distance = below == above ? fabs(below) : rope_truth_distance(&e->truth, e->x);
    e->doubt = e->distance * 0x1p-50;
    e->settled = true;
}

/* Is a the worse one? By the error rounded once to binary64, then by place. Estimates that are apart by more than both
 * doubts, each of which has 2^-51 of the distance to spare, belong to errors that differ after rounding, too. */
static bool worse(entry *a, entry *b) {
    if (isfinite(a->distance) && isfinite(b->distance) && fabs(a->distance - b->distance) <= a->doubt + b->doubt) {
        settle(a);
        settle(b);
    }
    if (exceeds(a->distance, b->distance)) return true;
    return !exceeds(b->distance, a->distance) && precedes(&a->truth, &b->truth);
}

static void note_broken(progress *p, entry *e) {
    if (!p->tally.has_broken || precedes(&e->truth, &p->first.truth)) p->first = *e;
    if (!p->tally.has_broken || worse(e, &p->worst)) p->worst = *e;
    p->tally.has_broken = true;
    p->tally.broken++;
}

static double allowed_of(const question *q, const entry *e) {
    const int pair = e->truth.pair;
    return q->kind == BOUND ? rope_table_allowed(q->offset[pair], q->slope[pair], e->truth.m) : q->offset[pair] + q->A * e->spread;
}

static bool refer(const question *q, progress *p, const entry *e, double allowed) {
    p->tally.referred++;
    if (q->kind == EXACT) return rope_truth_nearest(&e->truth, q->table->dtype) == e->x;
    return rope_truth_within(&e->truth, e->x, allowed);
}

static bool holds(const question *q, progress *p, const entry *e, double allowed) {
    if (!isfinite(e->x)) return false;
    if (q->kind == EXACT) {
        if (e->v.error == 0.0) return e->x == rope_round(q->table->dtype, e->v.hi);
        const bool above = (e->v.hi - e->x) + e->v.lo > 0.0;
        allowed = half_gap(q->table->dtype, e->x, above == (e->x > 0.0) || e->x == 0.0);
    }
    const int sign = compare(e->x, e->v, allowed);
    return sign ? sign < 0 : refer(q, p, e, allowed);
}

/* Broken beyond doubt, and neither first nor worst: so are nearly all entries of a table that is wrong throughout. */
static bool is_one_more(const progress *p, const entry *e, double allowed) {
    return e->distance - e->doubt > allowed && e->distance + e->doubt < p->worst.distance - p->worst.doubt &&
           !precedes(&e->truth, &p->first.truth);
}

/* Half an ulp at x is at most 2^-p |x|, or half the least subnormal. */
static double largest_half_gap(const question *q, double x) {
    return fabs(x) * q->unit + q->least;
}

static void look_at(const question *q, progress *p, entry *e) {
    const double allowed = q->kind == EXACT ? largest_half_gap(q, e->x) : allowed_of(q, e);
    if (q->kind != EXACT && !(allowed < q->A)) { /* untestable; of a bound they are counted by the row */
        if (q->kind == REPLAY) p->tally.untestable++;
        return;
    }
    estimate(e);
    const double error = e->spread > 0.0 ? fdim(e->distance, q->A * e->spread) : e->distance; /* beyond what its angle explains */
    if (q->kind != EXACT && exceeds(error, p->tally.largest_error)) p->tally.largest_error = error;
    if (is_one_more(p, e, allowed))
        p->tally.broken++;
    else if (!holds(q, p, e, allowed))
        note_broken(p, e);
}

/* The row's columns from .. from + n - 1 in both arrays; angle and spread are NULL unless replayed. */
static void look_at_row(const question *q, progress *p, size_t row, int from, int n, const value *c, const value *s,
                        const double *angle, const double *spread) {
    const rope_table *table = q->table;
    const size_t at = (row * table->stride + (size_t)from) * (size_t)rope_format_of(table->dtype)->bytes;
    double x[2][ROPE_TILE];
    if (table->cos) rope_widen(table->dtype, x[ROPE_COS], (const char *)table->cos + at, (size_t)n);
    if (table->sin) rope_widen(table->dtype, x[ROPE_SIN], (const char *)table->sin + at, (size_t)n);
    for (int j = 0; j < n; j++) {
        entry e = {.truth = {.spec = q->spec, .m = table->first + (int64_t)row, .pair = from + j}};
        e.truth.replayed = angle;
        e.truth.angle = angle ? angle[j] : 0.0;
        e.spread = spread ? spread[j] : 0.0;
        for (int array = ROPE_COS; array <= ROPE_SIN; array++) {
            if (!(array == ROPE_COS ? table->cos : table->sin)) continue;
            e.truth.array = (rope_array)array;
            e.x = x[array][j];
            e.v = array == ROPE_COS ? c[j] : s[j];
            look_at(q, p, &e);
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------------- */

/* v at m = 0, or at angle 0: exactly A and 0. A rule's A may be no double. */
static void values_at_zero(const question *q, value *c, value *s) {
    const bool rational = q->spec->has_magnitude || !q->spec->rule->magnitude;
    *c = (value){q->A, 0.0, rational ? 0.0 : q->A * 0x1p-52};
    *s = (value){0.0, 0.0, 0.0};
}

static void look_at_phase_row(const question *q, progress *p, size_t row, int from, int n) {
    const int64_t m = q->table->first + (int64_t)row;
    const double error = q->A * ROPE_PHASE_ROW_ERROR;
    rope_dd exact_c[ROPE_TILE], exact_s[ROPE_TILE];
    value c[ROPE_TILE], s[ROPE_TILE];
    rope_phase_columns(q->phase, m, from, n, exact_c, exact_s);
    for (int j = 0; j < n; j++) {
        c[j] = (value){exact_c[j].hi, exact_c[j].lo, error};
        s[j] = (value){exact_s[j].hi, exact_s[j].lo, error};
        if (m == 0) values_at_zero(q, &c[j], &s[j]);
    }
    look_at_row(q, p, row, from, n, c, s, NULL, NULL);
}

/* Beyond this nothing is proved about products with A, and every replayed entry goes to MPFR. */
static bool moderate(double A) {
    return A > 0x1p-900 && A < 0x1p900;
}

/* Rows of a tile that the kernel does not prove good: bit r for row r. Raises the largest error. */
static uint64_t doubtful_rows(const question *q, progress *p, const rope_tile *tile, int64_t m) {
    if (!tile->cos || !tile->sin || !moderate(q->A)) return UINT64_MAX;
    if (q->kind == EXACT) return rope_tile_exact(tile);
    rope_limits limits = {q->offset + tile->column, q->kind == BOUND ? q->slope + tile->column : NULL, m, 0.0};
    const uint64_t rows = q->kind == BOUND ? rope_tile_bound(tile, &limits) : rope_tile_replayed(tile, &limits);
    if (exceeds(limits.largest_error, p->tally.largest_error)) p->tally.largest_error = limits.largest_error;
    return rows;
}

/* The tile of some rows and n columns, without what its values are made from. */
static rope_tile tile_of(const question *q, size_t row, int rows, int from, int n) {
    const rope_table *table = q->table;
    const size_t at = (row * table->stride + (size_t)from) * (size_t)rope_format_of(table->dtype)->bytes;
    return (rope_tile){.dtype = table->dtype,
                       .cos = table->cos ? (const char *)table->cos + at : NULL,
                       .sin = table->sin ? (const char *)table->sin + at : NULL,
                       .stride = table->stride,
                       .rows = rows,
                       .columns = n,
                       .column = from,
                       .A = q->A};
}

/* Rows of one giant. */
static void decide_tile(const question *q, progress *p, size_t row, int rows, int from, int n) {
    const int64_t m = q->table->first + (int64_t)row;
    const int64_t g = m >= 0 ? m / ROPE_PHASE_BLOCK : -((-m + ROPE_PHASE_BLOCK - 1) / ROPE_PHASE_BLOCK);
    rope_giant giant;
    rope_phase_giant(q->phase, g, from, n, &giant);
    rope_tile tile = tile_of(q, row, rows, from, n);
    tile.row = (int)(m - g * ROPE_PHASE_BLOCK);
    tile.phase = q->phase;
    tile.giant = &giant;
    const uint64_t doubtful = doubtful_rows(q, p, &tile, m);
    for (int r = 0; r < rows; r++)
        if (doubtful >> r & 1) look_at_phase_row(q, p, row + (size_t)r, from, n);
}

/* One row: at most 4 2^-53 A off, as in the kernel. */
static void replayed_values(const question *q, const double *angle, int n, value *c, value *s) {
    const double error = moderate(q->A) ? q->A * 0x1p-50 : (double)INFINITY;
    double cosine[ROPE_TILE], sine[ROPE_TILE];
    const bool together = rope_row_angles(n, angle, q->A, cosine, sine);
    for (int j = 0; j < n; j++) {
        if (!together) {
            rope_phase_angle(angle[j], &cosine[j], &sine[j]);
            cosine[j] *= q->A;
            sine[j] *= q->A;
        }
        c[j] = (value){cosine[j], 0.0, error};
        s[j] = (value){sine[j], 0.0, error};
        if (angle[j] == 0.0) values_at_zero(q, &c[j], &s[j]);
    }
}

static int tile_columns(const question *q, int from) {
    return q->pairs - from < ROPE_TILE ? q->pairs - from : ROPE_TILE;
}

static unsigned arrays(const rope_table *table) {
    return (table->cos ? 1u : 0u) + (table->sin ? 1u : 0u);
}

static void decide_phase_rows(const question *q, progress *p, size_t row, int rows) {
    for (int from = 0; from < q->pairs; from += ROPE_TILE) decide_tile(q, p, row, rows, from, tile_columns(q, from));
}

/* A row that is not proved good: its angles once more, with their spreads. */
static void look_at_replayed_row(const question *q, progress *p, size_t row, int from, int n) {
    double angle[MAX_PAIRS], spread[MAX_PAIRS];
    value c[ROPE_TILE], s[ROPE_TILE];
    q->angles(q->context, q->table->first + (int64_t)row, angle, spread);
    replayed_values(q, angle + from, n, c, s);
    look_at_row(q, p, row, from, n, c, s, angle + from, spread + from);
}

/* Angles of as many rows as fit are made before they are used, and all columns of them. */
static void decide_replayed_rows(const question *q, progress *p, size_t row, int rows) {
    double angle[MAX_PAIRS];
    for (int r = 0; r < rows; r++)
        q->angles(q->context, q->table->first + (int64_t)row + r, angle + (size_t)r * (size_t)q->pairs, NULL);
    for (int from = 0; from < q->pairs; from += ROPE_TILE) {
        const int n = tile_columns(q, from);
        rope_tile tile = tile_of(q, row, rows, from, n);
        tile.angle = angle + from;
        tile.angles = (size_t)q->pairs;
        const uint64_t doubtful = doubtful_rows(q, p, &tile, 0);
        for (int r = 0; r < rows; r++)
            if (doubtful >> r & 1) look_at_replayed_row(q, p, row + (size_t)r, from, n);
    }
}

static void decide_rows(const question *q, progress *p, size_t row, int rows) {
    p->tally.checked += arrays(q->table) * (uint64_t)rows * (uint64_t)q->pairs;
    for (int r = 0; r < rows && q->kind == BOUND; r++)
        p->tally.untestable += arrays(q->table) * rope_row_untestable(q->pairs, q->offset, q->slope,
                                                                      q->table->first + (int64_t)row + r, q->A);
    if (q->kind != REPLAY) {
        decide_phase_rows(q, p, row, rows);
        return;
    }
    const int most = MAX_PAIRS / q->pairs;
    for (int done = 0; done < rows; done += most)
        decide_replayed_rows(q, p, row + (size_t)done, rows - done < most ? rows - done : most);
}

/* ---- tables ----------------------------------------------------------------------------------------- */

static rope_entry report(const question *q, entry *e) {
    const rope_truth *truth = &e->truth;
    settle(e);
    const double expected = rope_truth_nearest(truth, ROPE_F64);
    const double allowed =
        q->kind == EXACT ? 0.5 * rope_ulp(q->table->dtype, expected) : allowed_of(q, e);
    return (rope_entry){truth->m, truth->pair, truth->array, e->x, expected, e->distance, allowed};
}

static void finish(const question *q, progress *p, rope_tally *total) {
    if (p->tally.has_broken) {
        p->tally.first = report(q, &p->first);
        p->tally.worst = report(q, &p->worst);
        if (q->kind == EXACT) p->tally.largest_error = p->tally.worst.error;
    }
    rope_tally_add(total, &p->tally);
}

/* Rows of block k: those that share a giant. */
static void block_rows(const rope_table *table, size_t k, size_t *row, int *rows) {
    const size_t lead = (size_t)(((table->first % ROPE_PHASE_BLOCK) + ROPE_PHASE_BLOCK) % ROPE_PHASE_BLOCK);
    const size_t begin = k * ROPE_PHASE_BLOCK, end = begin + ROPE_PHASE_BLOCK;
    *row = begin > lead ? begin - lead : 0;
    *rows = (int)((end - lead < table->rows ? end - lead : table->rows) - *row);
}

/* Which thread takes which block does not matter: counts add up, and first and worst are the least of a total order. */
static void decide(rope_tally *tally, const question *q) {
    const size_t blocks = (q->table->rows + 2 * ROPE_PHASE_BLOCK - 2) / ROPE_PHASE_BLOCK;
    *tally = (rope_tally){0};
    if (q->table->rows == 0) return;
#pragma omp parallel if (blocks > 8)
    {
        progress p = {0};
#pragma omp for schedule(dynamic, 8)
        for (size_t k = 0; k < blocks; k++) {
            size_t row;
            int rows;
            block_rows(q->table, k, &row, &rows);
            if (rows > 0) decide_rows(q, &p, row, rows);
        }
#pragma omp critical(rope_table_decide)
        finish(q, &p, tally);
        mpfr_free_cache();
    }
}

static question question_of(kind asked, const rope_spec *spec, const rope_table *table) {
    question q = {.kind = asked, .spec = spec, .table = table, .pairs = rope_spec_pairs(spec)};
    q.A = rope_magnitude_double(spec);
    q.unit = rope_unit(table->dtype);
    q.least = 0.5 * rope_ulp(table->dtype, 0.0);
    assert(q.pairs <= MAX_PAIRS && table->stride >= (size_t)q.pairs);
    return q;
}

void rope_table_exact(rope_tally *tally, const rope_phase *phase, const rope_spec *spec, const rope_table *table) {
    question q = question_of(EXACT, spec, table);
    q.phase = phase;
    decide(tally, &q);
}

void rope_table_bound(rope_tally *tally, const rope_phase *phase, const rope_spec *spec, const rope_table *table,
                      const double *offset, const double *slope) {
    question q = question_of(BOUND, spec, table);
    q.phase = phase;
    q.offset = offset;
    q.slope = slope;
    decide(tally, &q);
}

void rope_table_replay(rope_tally *tally, const rope_spec *spec, const rope_table *table, rope_angles *angles,
                       const void *context, const double *offset) {
    question q = question_of(REPLAY, spec, table);
    q.angles = angles;
    q.context = context;
    q.offset = offset;
    decide(tally, &q);
}

static bool entry_precedes(const rope_entry *a, const rope_entry *b) {
    if (a->m != b->m) return a->m < b->m;
    if (a->pair != b->pair) return a->pair < b->pair;
    return a->array < b->array;
}

void rope_tally_add(rope_tally *total, const rope_tally *part) {
    total->checked += part->checked;
    total->broken += part->broken;
    total->referred += part->referred;
    total->untestable += part->untestable;
    if (exceeds(part->largest_error, total->largest_error)) total->largest_error = part->largest_error;
    if (!part->has_broken) return;

    const rope_entry *const worst = &part->worst;
    const bool worse_error = exceeds(worst->error, total->worst.error);
    const bool same_error = !worse_error && !exceeds(total->worst.error, worst->error);
    if (!total->has_broken || worse_error || (same_error && entry_precedes(worst, &total->worst)))
        total->worst = *worst;
    if (!total->has_broken || entry_precedes(&part->first, &total->first)) total->first = part->first;
    total->has_broken = true;
}

/* ---- filling ---------------------------------------------------------------------------------------- */

/* RN(v): the same for both ends of an interval around v, else by MPFR. Below binary64 the ends are doubles: hi less and
 * plus 2^-51 |hi| + 2 error covers lo, error and the roundings here. In binary64 hi + (lo -+ 2 error) is rounded once,
 * and 2 error covers the rounding of the low part. */
static double nearest(rope_dtype dtype, value v, const rope_truth *truth) {
    if (v.error == 0.0) return rope_round(dtype, v.hi);
    double low, high;
    if (dtype == ROPE_F64) {
        low = v.hi + (v.lo - 2 * v.error);
        high = v.hi + (v.lo + 2 * v.error);
    } else {
        const double margin = fabs(v.hi) * 0x1p-51 + 2 * v.error;
        low = rope_round(dtype, v.hi - margin);
        high = rope_round(dtype, v.hi + margin);
    }
    return low == high ? low : rope_truth_nearest(truth, dtype);
}

/* Both ends of every entry's interval, as in nearest. */
static void fill_ends(rope_dtype dtype, int n, const rope_dd *v, double error, double *low, double *high) {
    for (int j = 0; j < n; j++) {
        const double margin = dtype == ROPE_F64 ? 2 * error : fabs(v[j].hi) * 0x1p-51 + 2 * error;
        const double part = dtype == ROPE_F64 ? v[j].lo : 0.0;
        low[j] = v[j].hi + (part - margin);
        high[j] = v[j].hi + (part + margin);
    }
}

/* One row, columns from .. from + n - 1: stored at once where both ends round alike, which is nearly every row. */
static void fill_columns(const question *q, rope_dtype dtype, int64_t m, int from, int n, char *cos, char *sin) {
    const double error = q->A * ROPE_PHASE_ROW_ERROR;
    rope_dd exact[2][ROPE_TILE];
    double low[ROPE_TILE], high[ROPE_TILE], stored[ROPE_TILE];
    char *const out[] = {cos, sin};
    const size_t size = (size_t)n * (size_t)rope_format_of(dtype)->bytes;
    rope_phase_columns(q->phase, m, from, n, exact[ROPE_COS], exact[ROPE_SIN]);
    for (int array = ROPE_COS; array <= ROPE_SIN; array++) {
        fill_ends(dtype, n, exact[array], error, low, high);
        rope_narrow(dtype, out[array], low, (size_t)n);
        rope_narrow(dtype, stored, high, (size_t)n);
        if (m != 0 && memcmp(out[array], stored, size) == 0) continue;
        for (int j = 0; j < n; j++) {
            const rope_truth truth = {.spec = q->spec, .m = m, .pair = from + j, .array = (rope_array)array};
            value v[2] = {{exact[ROPE_COS][j].hi, exact[ROPE_COS][j].lo, error}, {exact[ROPE_SIN][j].hi, exact[ROPE_SIN][j].lo, error}};
            if (m == 0) values_at_zero(q, &v[ROPE_COS], &v[ROPE_SIN]);
            stored[j] = nearest(dtype, v[array], &truth);
        }
        rope_narrow(dtype, out[array], stored, (size_t)n);
    }
}

void rope_table_fill(const rope_phase *phase, const rope_spec *spec, rope_dtype dtype, int64_t first, size_t rows,
                     size_t stride, void *cos, void *sin) {
    const question q = {.phase = phase, .spec = spec, .pairs = rope_spec_pairs(spec), .A = rope_magnitude_double(spec)};
    const size_t bytes = (size_t)rope_format_of(dtype)->bytes;
#pragma omp parallel if (rows > 8 * ROPE_PHASE_BLOCK)
    {
#pragma omp for schedule(dynamic, 64)
        for (size_t row = 0; row < rows; row++)
            for (int from = 0; from < q.pairs; from += ROPE_TILE) {
                const size_t at = (row * stride + (size_t)from) * bytes;
                fill_columns(&q, dtype, first + (int64_t)row, from, tile_columns(&q, from), (char *)cos + at,
                             (char *)sin + at);
            }
        mpfr_free_cache();
    }
}
