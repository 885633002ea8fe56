/* The scan: every row of the subject's arrays, in blocks, on all threads; the same counts for any number of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/rotation.h"
#include "../../src/table.h"
#include "judge.h"

enum { BLOCK_ROWS = 4096 };

/* ---- tables ---------------------------------------------------------------------------------------- */

/* h of a table's columns that stand for pairs 0 .. h-1: column of pair j is first + j * step. */
typedef struct table_part {
    size_t first, step;
} table_part;

static int table_parts(const rope_subject *subject, table_part *parts) {
    const size_t h = (size_t)rope_spec_pairs(&subject->spec);
    parts[0] = (table_part){0, subject->tiling == TILING_PAIR ? 2 : 1};
    parts[1] = (table_part){subject->tiling == TILING_PAIR ? 1 : h, parts[0].step};
    return subject->columns == h ? 1 : 2;
}

static void replayed_angles(const void *context, int64_t m, double *angle, double *spread) {
    rope_fit_angles(context, m, angle, spread);
}

/* Is the table compared with the angles that a program forms, or with the exact phase? */
static bool is_replayed(const rope_judge *judge) { return judge->used && !judge->used->phase; }

/* What an entry may be off by when its angle is known: trig, storage, and how far a replayed binary64 angle may be from the
 * program's at the largest position. (That of one that is rounded to float shows near ties only.) */
static double entry_allowed(const rope_judge *judge, int i) {
    const double entry = rope_bound_trig(judge->arithmetic, judge->A) + rope_bound_entry(judge->subject->grade, judge->arithmetic, judge->A);
    const double drift = is_replayed(judge) && judge->model->angle == ROPE_F64 ? judge->used->drift[i] * judge->largest : 0.0;
    return judge->A * (entry + drift);
}

/* One question for the whole table: exact, replay, or the a-priori bound. */
static void decide(const rope_judge *judge, const rope_table *table, rope_tally *tally) {
    const rope_spec *spec = &judge->subject->spec;
    double offset[judge->h], slope[judge->h];
    for (int i = 0; i < judge->h; i++) {
        offset[i] = entry_allowed(judge, i);
        slope[i] = judge->A * judge->slope[i];
    }
    if (judge->subject->exact)
        rope_table_exact(tally, judge->phase, spec, table);
    else if (is_replayed(judge))
        rope_table_replay(tally, spec, table, replayed_angles, judge->used, offset);
    else
        rope_table_bound(tally, judge->phase, spec, table, offset, slope);
}

/* The true value of a replayed entry, rounded to binary64; the entry holds the model's. */
static double true_entry(const rope_judge *judge, const rope_entry *entry) {
    double c[judge->h], s[judge->h];
    rope_rotation_table(ROPE_F64, &judge->subject->spec, entry->m, c, s);
    return (entry->array == ROPE_COS ? c : s)[entry->pair];
}

static report_witness entry_witness(const rope_judge *judge, const rope_entry *entry, const table_part *part) {
    const rope_subject *subject = judge->subject;
    report_witness witness = rope_witness_nowhere();
    witness.has_m = true;
    witness.m = entry->m;
    witness.pair = entry->pair;
    witness.array = entry->array == ROPE_COS ? "cos" : "sin";
    witness.row = entry->m - subject->first_position;
    witness.column = (int64_t)(part->first + (size_t)entry->pair * part->step);
    const double expected = is_replayed(judge) ? true_entry(judge, entry) : entry->expected;
    rope_witness_values(&witness, subject, expected, entry->got, entry->error, entry->allowed);
    witness.has_predicted = is_replayed(judge);
    witness.predicted = entry->expected;
    return witness;
}

/* The largest error any entry of an unbroken table was allowed; NaN for the exact question, where it is half an ulp. */
static double largest_allowed(const rope_judge *judge) {
    if (judge->subject->exact) return NAN;
    double allowed = 0.0;
    for (int i = 0; i < judge->h; i++) {
        const double phase = is_replayed(judge) ? 0.0 : judge->A * judge->slope[i] * judge->largest;
        allowed = fmax(allowed, entry_allowed(judge, i) + phase);
    }
    return allowed;
}

static void add_tally(const rope_judge *judge, const rope_tally *tally, const table_part *part, rope_scan *scan) {
    rope_count count = {.checked = tally->checked, .broken = tally->broken, .untestable = tally->untestable,
                        .defect = tally->largest_error};
    scan->referred += tally->referred;
    if (tally->has_broken) {
        count.has_first = count.has_witness = true;
        count.first = entry_witness(judge, &tally->first, part);
        count.witness = entry_witness(judge, &tally->worst, part);
        count.defect = tally->worst.error;
        count.bound = tally->worst.allowed;
    } else {
        count.bound = largest_allowed(judge);
    }
    if (scan->value.has_first && count.has_first && count.first.m < scan->value.first.m) scan->value.first = count.first;
    rope_count_add(&scan->value, &count);
}

/* The part as it lies in memory; false when it has to be gathered first. */
static bool view_part(const rope_subject *subject, const table_part *part, rope_table *table) {
    const rope_npy *cos = subject->array[ARRAY_COS], *sin = subject->array[ARRAY_SIN] ? subject->array[ARRAY_SIN] : cos;
    const char *const first = rope_npy_elements(cos), *const second = rope_npy_elements(sin);
    if (!first || !second || part->step != 1 || subject->step != 1) return false;
    const size_t bytes = (size_t)rope_format_of(subject->dtype)->bytes;
    const size_t origin = subject->origin * subject->row_elements + part->first;
    table->cos = first + (subject->offset[0] + origin) * bytes;
    table->sin = second + (subject->offset[1] + origin) * bytes;
    table->stride = subject->row_elements;
    return true;
}

/* Gathers rows of a part in blocks and decides each. */
static void scan_gathered(const rope_judge *judge, const table_part *part, rope_table table, rope_tally *total) {
    const rope_subject *subject = judge->subject;
    const size_t h = (size_t)judge->h, columns = subject->columns, rows = table.rows;
    const size_t block = rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
    double *values = malloc(2 * block * columns * sizeof *values), *gathered = malloc(2 * block * h * sizeof *gathered);
    char *stored = malloc(2 * block * h * sizeof(double));
    if (!values || !gathered || !stored) abort(); /* a few megabytes */
    const size_t half = block * h * (size_t)rope_format_of(table.dtype)->bytes;
    for (size_t t = 0; t < rows; t += block) {
        const size_t some = rows - t < block ? rows - t : block;
        subject_read_table(subject, t, some, values, values + some * columns);
        for (size_t k = 0; k < 2 * some; k++)
            for (size_t j = 0; j < h; j++) gathered[k * h + j] = values[k * columns + part->first + j * part->step];
        rope_narrow(table.dtype, stored, gathered, some * h);
        rope_narrow(table.dtype, stored + half, gathered + some * h, some * h);
        const rope_table piece = {table.dtype, stored, stored + half, h, some, table.first + (int64_t)t};
        rope_tally tally = {0};
        decide(judge, &piece, &tally);
        rope_tally_add(total, &tally);
    }
    free(values);
    free(gathered);
    free(stored);
}

static void scan_table(rope_judge *judge) {
    const rope_subject *subject = judge->subject;
    table_part parts[2];
    const int count = table_parts(subject, parts);
    for (int k = 0; k < count; k++) {
        rope_table table = {.dtype = subject->dtype, .rows = subject->times, .first = subject->first_position};
        rope_tally tally = {0};
        if (view_part(subject, &parts[k], &table))
            decide(judge, &table, &tally);
        else
            scan_gathered(judge, &parts[k], table, &tally);
        add_tally(judge, &tally, &parts[k], &judge->scan);
    }
}

static void test_finite(rope_count *count, const rope_subject *subject, const char *array, double value, int64_t m,
                        size_t row, size_t column) {
    if (isfinite(value)) {
        count->checked++;
        return;
    }
    report_witness where = rope_witness_nowhere();
    where.has_m = subject->kind != SUBJECT_FREQS;
    where.m = m;
    where.array = array;
    where.row = (int64_t)row;
    where.column = (int64_t)column;
    rope_witness_values(&where, subject, NAN, value, NAN, NAN);
    where.has_values = true;
    rope_count_test(count, NAN, 0.0, INFINITY, &where);
}

/* Sums of a block's values times 0 are 0 unless one of them is NaN or infinite: most blocks need no second look. */
static bool all_finite(const double *values, size_t count) {
    double sums[8] = {0.0};
    size_t k = 0;
    for (; k + 8 <= count; k += 8)
        for (size_t lane = 0; lane < 8; lane++) sums[lane] += values[k + lane] * 0.0;
    for (; k < count; k++) sums[0] += values[k] * 0.0;
    for (size_t lane = 1; lane < 8; lane++) sums[0] += sums[lane];
    return sums[0] == 0.0;
}

static void find_infinite(const rope_subject *subject, size_t first, size_t rows, const double *values, rope_count *count) {
    const size_t columns = subject->columns;
    for (size_t t = 0; t < rows; t++)
        for (size_t j = 0; j < 2 * columns; j++)
            test_finite(count, subject, j < columns ? "cos" : "sin", values[(j < columns ? t : rows + t) * columns + j % columns],
                        subject->first_position + (int64_t)(first + t), first + t, j % columns);
}

static void scan_table_finite(rope_judge *judge) {
    const rope_subject *subject = judge->subject;
    enum { ROWS = 256 }; /* stays in the cache between reading and testing */
    const size_t columns = subject->columns, blocks = (subject->times + ROWS - 1) / ROWS;
    rope_count *counts = calloc(blocks, sizeof *counts);
    if (!counts) abort();
#pragma omp parallel
    {
        double *values = malloc(2 * ROWS * columns * sizeof *values);
        if (!values) abort();
#pragma omp for schedule(static)
        for (size_t k = 0; k < blocks; k++) {
            const size_t first = k * ROWS, some = subject->times - first < ROWS ? subject->times - first : ROWS;
            subject_read_table(subject, first, some, values, values + some * columns);
            if (all_finite(values, 2 * some * columns))
                counts[k].checked = 2 * some * columns;
            else
                find_infinite(subject, first, some, values, &counts[k]);
        }
        free(values);
    }
    for (size_t k = 0; k < blocks; k++) rope_count_add(&judge->scan.finite, &counts[k]);
    free(counts);
}

/* ---- vectors --------------------------------------------------------------------------------------- */

static report_witness channel_witness(const rope_judge *judge, const rope_place *place, int channel, int pair) {
    report_witness where = rope_witness_nowhere();
    where.has_m = true;
    where.m = place->m;
    where.pair = pair;
    where.array = "after";
    where.row = (int64_t)place->time;
    where.column = channel;
    if (judge->subject->batches > 1) where.batch = (int64_t)place->batch;
    if (judge->subject->heads > 1) where.head = (int64_t)place->head;
    return where;
}

/* A cos and A sin of one pair as expected, and how far the program's angle may be from theirs. */
typedef struct turn {
    double c, s, spread;
} turn;

/* alpha A cos(m theta_i) + beta A sin(m theta_i) from double-doubles, rounded to binary64 once. */
static double true_channel(const rope_judge *judge, int64_t m, int i, double alpha, double beta) {
    rope_dd c[judge->h], s[judge->h];
    rope_phase_row(judge->phase, m, c, s);
    const rope_dd p = rope_two_prod(alpha, c[i].hi), q = rope_two_prod(beta, s[i].hi), sum = rope_two_sum(p.hi, q.hi);
    return sum.hi + (sum.lo + (p.lo + q.lo + alpha * c[i].lo + beta * s[i].lo));
}

/* One output channel against alpha cos + beta sin, relative to the pair's norm. A pair of zeros shows no turn: only what it
 * should not have become counts. */
static void test_channel(const rope_judge *judge, const rope_allowance *allowance, rope_scan *scan,
                         const rope_place *place, int channel, int i, double alpha, double beta, const turn *expect, double got) {
    const double expected = alpha * expect->c + beta * expect->s, size = hypot(alpha, beta), norm = judge->A * size;
    const double allowed = rope_allowed(allowance, size, expected, expect->spread);
    const double off = fabs(got - expected), unit = norm > 0.0 ? norm : 1.0;
    if (size == 0.0 && got == 0.0) return;
    const bool within = off <= allowed, farthest = !(off / unit <= scan->value.defect);
    if (within || (scan->value.broken && !farthest)) { /* the usual case, without a witness */
        rope_count_test(&scan->value, off / unit, allowed / unit, rope_bound_useless(), NULL);
        return;
    }
    report_witness where = channel_witness(judge, place, channel, i);
    rope_witness_values(&where, judge->subject, true_channel(judge, place->m, i, alpha, beta), got, off / unit, allowed / unit);
    where.has_predicted = judge->used != NULL;
    where.predicted = expected;
    rope_count_test(&scan->value, off / unit, allowed / unit, rope_bound_useless(), &where);
}

static void test_vector(const rope_judge *judge, rope_scan *scan, const rope_place *place, const double *x,
                        const double *y, const turn *expected) {
    const rope_spec *spec = &judge->subject->spec;
    const int first = rope_spec_first(spec);
    for (int j = 0; j < spec->dim; j++) {
        test_finite(&scan->finite, judge->subject, "after", y[j], place->m, place->time, (size_t)j);
        if (j >= first && j < first + spec->rotary_dim) continue;
        report_witness where = channel_witness(judge, place, j, -1);
        const double passed = rope_round(judge->subject->dtype, x[j]); /* inputs may be of a finer type than outputs */
        const bool same = y[j] == passed && signbit(y[j]) == signbit(passed);
        if (same && x[j] == 0.0) continue; /* shows as little as a pair of zeros */
        if (!same) rope_witness_values(&where, judge->subject, x[j], y[j], fabs(y[j] - x[j]), 0.0);
        rope_count_test(&scan->width, same ? 0.0 : fabs(y[j] - x[j]) + 0x1p-1074, 0.0, INFINITY, same ? NULL : &where);
    }
    const rope_allowance allowance = rope_allowance_of(judge->arithmetic, judge->A, judge->subject->grade, judge->rotation);
    for (int i = 0; i < judge->h; i++) {
        int a, b, ya, yb;
        rope_spec_channels(spec, spec->layout_in, i, &a, &b);
        rope_spec_channels(spec, spec->layout_out, i, &ya, &yb);
        test_channel(judge, &allowance, scan, place, ya, i, x[a], -x[b], &expected[i], y[ya]);
        test_channel(judge, &allowance, scan, place, yb, i, x[b], x[a], &expected[i], y[yb]);
    }
}

static void expected_row(const rope_judge *judge, int64_t m, turn *expected) {
    double c[judge->h], s[judge->h], spread[judge->h];
    if (judge->used)
        rope_fit_predict(judge->used, m, c, s, spread);
    else
        rope_judge_exact(judge, m, c, s);
    for (int i = 0; i < judge->h; i++)
        expected[i] = (turn){c[i], s[i], judge->used ? spread[i] : judge->slope[i] * fabs((double)m)};
}

static void scan_vectors(rope_judge *judge) {
    const rope_subject *subject = judge->subject;
    const size_t d = (size_t)subject->spec.dim, steps = subject->batches * subject->times, block = 64;
    const size_t blocks = (steps + block - 1) / block;
    rope_scan *scans = calloc(blocks, sizeof *scans);
    if (!scans) abort();
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k < blocks; k++) {
        double x[d], y[d];
        turn expected[judge->h];
        for (size_t step = k * block; step < (k + 1) * block && step < steps; step++) {
            rope_place place = {.batch = step / subject->times, .time = step % subject->times};
            place.m = subject_position(subject, place.batch, place.time);
            expected_row(judge, place.m, expected);
            for (place.head = 0; place.head < subject->heads; place.head++) {
                subject_read_vectors(subject, place.batch, place.head, place.time, x, y);
                test_vector(judge, &scans[k], &place, x, y, expected);
            }
        }
    }
    for (size_t k = 0; k < blocks; k++) {
        rope_count_add(&judge->scan.finite, &scans[k].finite);
        rope_count_add(&judge->scan.width, &scans[k].width);
        rope_count_add(&judge->scan.value, &scans[k].value);
    }
    free(scans);
}

/* A kernel is called, not read: its sample is all there is. */
static void scan_kernel(rope_judge *judge) {
    const rope_evidence *evidence = judge->evidence;
    turn expected[judge->h];
    for (size_t t = 0; t < evidence->rows; t++) {
        const rope_place place = {evidence->m[t], 0, evidence->head[t], evidence->time[t]};
        const size_t at = t * (size_t)evidence->vector;
        expected_row(judge, place.m, expected);
        test_vector(judge, &judge->scan, &place, evidence->x + at, evidence->y + at, expected);
    }
}

void rope_judge_scan_once(rope_judge *judge) {
    judge->scan = (rope_scan){0};
    if (judge->subject->kind == SUBJECT_TABLE) {
        scan_table_finite(judge);
        scan_table(judge);
    } else if (judge->subject->kind == SUBJECT_ROTATED) {
        scan_vectors(judge);
    } else {
        scan_kernel(judge);
    }
}
