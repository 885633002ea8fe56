/* Tables against naive MPFR: every entry of small tables, decided one by one by code of this file, for every question,
 * format and kind of damage; and published counts of entries that double rounding gets wrong. */
#include "check.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../src/frequency/frequency.h"
#include "../src/table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { BITS = 256, MAX_H = 128 };

static const rope_dtype dtypes[] = {ROPE_F64, ROPE_F32, ROPE_F16, ROPE_BF16};

/* A spec, its tables and, from this file, its frequencies: base^(-2i/dim) as the dim-th root of base^(-2i). */
typedef struct subject {
    rope_spec spec;
    rope_phase *phase;
    int h;
    mpfr_t theta[MAX_H];
} subject;

static void subject_init(subject *u, int dim, double base, double A, const rope_rule *rule, int64_t largest) {
    rope_error error;
    u->spec = rope_spec_default();
    u->spec.dim = dim, u->spec.base = base, u->spec.has_magnitude = A != 1.0, u->spec.magnitude = A;
    u->h = dim / 2;
    if (rule) u->spec.rule = rule;
    if (rope_spec_check(&u->spec, &error) != ROPE_OK || rope_phase_new(&u->phase, &u->spec, largest, &error) != ROPE_OK)
        fail_msg("%s: %s", error.place, error.reason);
    for (int i = 0; i < u->h; i++) {
        mpfr_init2(u->theta[i], BITS);
        mpfr_set_d(u->theta[i], base, MPFR_RNDN);
        mpfr_pow_si(u->theta[i], u->theta[i], -2L * i, MPFR_RNDN);
        mpfr_rootn_ui(u->theta[i], u->theta[i], (unsigned long)dim, MPFR_RNDN);
    }
}

static void subject_clear(subject *u) {
    rope_phase_free(u->phase);
    for (int i = 0; i < u->h; i++) mpfr_clear(u->theta[i]);
}

static void set_threads(int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

/* ---- tables in memory -------------------------------------------------------------------------------- */

/* Values as doubles, value[(array * rows + row) * h + j], and the stored table made from them. */
typedef struct sample {
    rope_table table;
    int h;
    double *value;
    char *memory;
} sample;

static sample sample_new(rope_dtype dtype, int h, int64_t first, size_t rows, size_t stride) {
    const size_t bytes = (size_t)rope_format_of(dtype)->bytes;
    sample s = {
        .h = h, .value = calloc(2 * rows * (size_t)h, sizeof(double)), .memory = malloc(2 * rows * stride * bytes)};
    assert_true(s.value && s.memory);
    memset(s.memory, 0xff, 2 * rows * stride * bytes); /* NaN between the rows: must not be looked at */
    s.table = (rope_table){dtype, s.memory, s.memory + rows * stride * bytes, stride, rows, first};
    return s;
}

static void sample_free(sample *s) {
    free(s->value);
    free(s->memory);
}

static double *at(const sample *s, int array, size_t row, int j) {
    return &s->value[((size_t)array * s->table.rows + row) * (size_t)s->h + (size_t)j];
}

static char *row_in_memory(const sample *s, int array, size_t row) {
    const size_t bytes = (size_t)rope_format_of(s->table.dtype)->bytes;
    return s->memory + ((size_t)array * s->table.rows + row) * s->table.stride * bytes;
}

static void store_row(sample *s, int array, size_t row) {
    rope_narrow(s->table.dtype, row_in_memory(s, array, row), at(s, array, row, 0), (size_t)s->h);
}

static void store(sample *s) {
    for (int array = 0; array < 2; array++)
        for (size_t row = 0; row < s->table.rows; row++) store_row(s, array, row);
}

/* Reads back what is in memory. */
static void load(sample *s) {
    for (int array = 0; array < 2; array++)
        for (size_t row = 0; row < s->table.rows; row++)
            rope_widen(s->table.dtype, at(s, array, row, 0), row_in_memory(s, array, row), (size_t)s->h);
}

static void fill(sample *s, const subject *u) {
    rope_table_fill(u->phase, &u->spec, s->table.dtype, s->table.first, s->table.rows, s->table.stride,
                    row_in_memory(s, 0, 0), row_in_memory(s, 1, 0));
    load(s);
}

/* ---- naive answers ----------------------------------------------------------------------------------- */

/* Replayed: a = RN32(RN32(m) f_j), but where `wild` says something else. */
typedef struct angle_maker {
    int h;
    float frequency[MAX_H];
    bool wild;
} angle_maker;

static void make_angles(const void *context, int64_t m, double *angle, double *spread) {
    const angle_maker *maker = context;
    for (int j = 0; j < maker->h; j++) angle[j] = (double)((float)m * maker->frequency[j]);
    for (int j = 0; spread && j < maker->h; j++) spread[j] = 0.0;
    if (!maker->wild) return;
    if (m % 5 == 0) angle[1] = 0.0;
    if (m % 7 == 1) angle[0] = 0x1p30 + (double)m;
    if (m % 7 == 2) angle[1] = -0x1.8p100;
    if (m % 11 == 3) angle[2] = NAN;
    if (m % 11 == 4) angle[2] = INFINITY;
}

enum { EXACT, BOUND, REPLAY };

typedef struct asked {
    int kind;
    const subject *subject;
    const double *offset, *slope;
    const angle_maker *maker;
} asked;

static void ask(rope_tally *tally, const asked *q, const rope_table *table) {
    const subject *u = q->subject;
    if (q->kind == EXACT)
        rope_table_exact(tally, u->phase, &u->spec, table);
    else if (q->kind == BOUND)
        rope_table_bound(tally, u->phase, &u->spec, table, q->offset, q->slope);
    else
        rope_table_replay(tally, &u->spec, table, make_angles, q->maker, q->offset);
}

/* A cos and A sin of one entry's angle; NaN when a replay's angle is none. */
static void truth(mpfr_t c, mpfr_t s, const asked *q, int64_t m, int j) {
    mpfr_t angle;
    mpfr_init2(angle, BITS);
    if (q->kind == REPLAY) {
        double angles[MAX_H], spread[MAX_H];
        make_angles(q->maker, m, angles, spread);
        mpfr_set_d(angle, angles[j], MPFR_RNDN);
    } else {
        mpfr_mul_si(angle, q->subject->theta[j], (long)m, MPFR_RNDN);
    }
    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
    rope_magnitude(angle, &q->subject->spec);
    mpfr_mul(c, c, angle, MPFR_RNDN);
    mpfr_mul(s, s, angle, MPFR_RNDN);
    mpfr_clear(angle);
}

static bool before(const rope_entry *a, const rope_entry *b) {
    return a->m != b->m ? a->m < b->m : a->pair != b->pair ? a->pair < b->pair : a->array < b->array;
}

static void count_entry(rope_tally *t, const asked *q, rope_dtype dtype, rope_entry e, const mpfr_t v) {
    const double A = rope_magnitude_double(&q->subject->spec);
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_d_sub(d, e.got, v, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    e.expected = mpfr_get_d(v, MPFR_RNDN);
    e.error = mpfr_get_d(d, MPFR_RNDN);
    bool broken;
    if (q->kind == EXACT) {
        e.allowed = 0.5 * rope_ulp(dtype, e.expected);
        broken = check_round(dtype, v, false) != e.got;
    } else {
        e.allowed = q->offset[e.pair];
        if (q->kind == BOUND) e.allowed += fabs((double)e.m) * q->slope[e.pair];
        broken = mpfr_nan_p(d) || mpfr_cmp_d(d, e.allowed) > 0;
    }
    mpfr_clear(d);
    t->checked++;
    if (q->kind == BOUND && e.allowed >= A) {
        t->untestable++;
        return;
    }
    if (!isfinite(e.got)) broken = true;
    const bool larger = isnan(e.error) ? !isnan(t->largest_error) : e.error > t->largest_error;
    if (larger && (broken || q->kind != EXACT)) t->largest_error = e.error;
    if (!broken) return;
    const bool worse = isnan(e.error) ? !isnan(t->worst.error) : e.error > t->worst.error;
    const bool tie = isnan(e.error) ? isnan(t->worst.error) : e.error == t->worst.error;
    if (!t->has_broken || before(&e, &t->first)) t->first = e;
    if (!t->has_broken || worse || (tie && before(&e, &t->worst))) t->worst = e;
    t->has_broken = true;
    t->broken++;
}

static rope_tally naive(const asked *q, const sample *s) {
    rope_tally t = {0};
    mpfr_t v[2];
    mpfr_inits2(BITS, v[0], v[1], (mpfr_ptr)0);
    for (size_t row = 0; row < s->table.rows; row++)
        for (int j = 0; j < s->h; j++) {
            const int64_t m = s->table.first + (int64_t)row;
            truth(v[0], v[1], q, m, j);
            for (int array = 0; array < 2; array++) {
                if (!(array ? s->table.sin : s->table.cos)) continue;
                const rope_entry e = {.m = m, .pair = j, .array = (rope_array)array, .got = *at(s, array, row, j)};
                count_entry(&t, q, s->table.dtype, e, v[array]);
            }
        }
    mpfr_clears(v[0], v[1], (mpfr_ptr)0);
    return t;
}

static void check_entry(const rope_entry *got, const rope_entry *want) {
    assert_int_equal(got->m, want->m);
    assert_int_equal(got->pair, want->pair);
    assert_int_equal(got->array, want->array);
    check_same(got->got, want->got);
    check_same(got->error, want->error);
    check_same(got->allowed, want->allowed);
    if (want->expected != 0.0 || got->expected != 0.0) check_same(got->expected, want->expected);
}

/* Everything the same but referred; largest_error up to what the kernels know. */
static void check_tally(const rope_tally *got, const rope_tally *want, double doubt) {
    assert_int_equal(got->checked, want->checked);
    assert_int_equal(got->untestable, want->untestable);
    assert_int_equal(got->broken, want->broken);
    assert_int_equal(got->has_broken, want->has_broken);
    if (isnan(want->largest_error) || isinf(want->largest_error))
        check_same(got->largest_error, want->largest_error);
    else
        check_near(got->largest_error, want->largest_error, doubt * (1 + want->largest_error));
    if (!want->has_broken) return;
    check_entry(&got->first, &want->first);
    check_entry(&got->worst, &want->worst);
}

static void check_against_naive(const asked *q, const sample *s) {
    const double doubt = 0x1p-50 * rope_magnitude_double(&q->subject->spec);
    sample part = *s;
    const int choices = s->table.dtype == ROPE_F32 ? 3 : 1;
    for (int shown = 0; shown < choices; shown++) { /* both arrays, cos alone, sin alone */
        part.table.cos = shown == 2 ? NULL : s->table.cos;
        part.table.sin = shown == 1 ? NULL : s->table.sin;
        const rope_tally want = naive(q, &part);
        for (int threads = 1; threads <= 3; threads++) {
            rope_tally got;
            set_threads(threads);
            ask(&got, q, &part.table);
            check_tally(&got, &want, doubt);
        }
    }
}

/* ---- damage ------------------------------------------------------------------------------------------ */

static void damage(sample *s, uint64_t *seed, int entries) {
    static const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.0, 2.0, 30000.0};
    const rope_dtype dtype = s->table.dtype;
    for (int k = 0; k < entries; k++) {
        double *const x = at(s, (int)(check_random(seed) % 2), check_random(seed) % s->table.rows,
                             (int)(check_random(seed) % (uint64_t)s->h));
        switch (k % 4) {
        case 0:
            *x = rope_step(dtype, *x, 1);
            break;
        case 1:
            *x = rope_step(dtype, *x, -1);
            break;
        case 2:
            *x = rope_round(dtype, *x + check_uniform(seed, -1.0, 1.0));
            break;
        default:
            *x = rope_round(dtype, odd[check_random(seed) % (k % 16 == 3 ? 8 : 2)]);
            break;
        }
    }
    store(s);
}

/* ---- exact ------------------------------------------------------------------------------------------- */

static const struct {
    int dim;
    double base, A;
    int64_t first;
    size_t rows;
} shapes[] = {{128, 1e4, 1.0, -37, 75},
              {10, 5e5, 1.3465735902799727, 4090, 140},
              {132, 1e6, 1.0, INT32_MAX - 20, 21},
              {2, 1e4, 0.7, -130, 70}};

/* Every entry of the filled tables is the true value rounded once, and exact says so. */
static void filled_tables_are_correctly_rounded(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++) {
        subject u;
        subject_init(&u, shapes[k].dim, shapes[k].base, shapes[k].A, NULL, INT32_MAX);
        for (size_t d = 0; d < COUNT(dtypes); d++) {
            sample s = sample_new(dtypes[d], u.h, shapes[k].first, shapes[k].rows, (size_t)u.h + 3 * (k % 2));
            fill(&s, &u);
            const asked q = {.kind = EXACT, .subject = &u};
            const rope_tally want = naive(&q, &s);
            assert_int_equal(want.broken, 0);
            rope_tally got;
            ask(&got, &q, &s.table);
            check_tally(&got, &want, 0.0);
            sample_free(&s);
        }
        subject_clear(&u);
    }
}

static void exact_agrees_with_mpfr_on_damaged_tables(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (size_t k = 0; k < COUNT(shapes); k++) {
        subject u;
        subject_init(&u, shapes[k].dim, shapes[k].base, shapes[k].A, NULL, INT32_MAX);
        for (size_t d = 0; d < COUNT(dtypes); d++) {
            sample s = sample_new(dtypes[d], u.h, shapes[k].first, shapes[k].rows / 2, (size_t)u.h + d % 2);
            fill(&s, &u);
            damage(&s, &seed, k == 0 ? 40 : 11);
            const asked q = {.kind = EXACT, .subject = &u};
            check_against_naive(&q, &s);
            sample_free(&s);
        }
        subject_clear(&u);
    }
}

/* One entry per row is moved to a neighbour, to a power of two where there is one, as the spacing changes there: no
 * other entry of the row makes the kernel hand it on. Base 1e12 has sines that are subnormal in f16 and cosines next to
 * 1 in f64. */
static void each_neighbour_is_told_apart(void **state) {
    (void)state;
    uint64_t seed = 9;
    subject u;
    subject_init(&u, 48, 1e12, 1.0, NULL, 200);
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        sample s = sample_new(dtypes[d], u.h, 1, 200, (size_t)u.h);
        fill(&s, &u);
        for (size_t row = 0; row < s.table.rows; row++) {
            double *x = at(&s, (int)(row % 2), row, (int)(check_random(&seed) % (uint64_t)u.h));
            double moved = rope_step(dtypes[d], *x, row % 4 < 2 ? 1 : -1);
            for (int j = 0; j < u.h && row % 3; j++)
                for (int step = -1; step <= 1; step += 2) {
                    double *const y = at(&s, (int)(row % 2), row, j), there = rope_step(dtypes[d], *y, step);
                    int exponent;
                    if (fabs(frexp(there, &exponent)) == 0.5) x = y, moved = there;
                }
            *x = moved;
        }
        store(&s);
        const asked q = {.kind = EXACT, .subject = &u};
        const rope_tally want = naive(&q, &s);
        assert_int_equal(want.broken, 200);
        rope_tally got;
        ask(&got, &q, &s.table);
        check_tally(&got, &want, 0.0);
        sample_free(&s);
    }
    subject_clear(&u);
}

/* 64 columns take a kernel of their own; one unit in the last place in one of 128000 entries is found. */
static void one_wrong_entry_is_found(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    subject u;
    subject_init(&u, 128, 1e4, 1.0, NULL, ROWS);
    uint64_t seed = 4;
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        sample s = sample_new(dtypes[d], 64, 1, ROWS, 64);
        fill(&s, &u);
        for (int k = 0; k < 6; k++) {
            const int array = k % 2, j = (int)(check_random(&seed) % 64);
            const size_t row = check_random(&seed) % ROWS;
            double *const x = at(&s, array, row, j), saved = *x;
            *x = rope_step(dtypes[d], saved, k % 4 < 2 ? 1 : -1);
            store_row(&s, array, row);
            rope_tally tally;
            rope_table_exact(&tally, u.phase, &u.spec, &s.table);
            assert_int_equal(tally.checked, 2 * ROWS * 64);
            assert_int_equal(tally.broken, 1);
            assert_int_equal(tally.first.m, 1 + (int64_t)row);
            assert_int_equal(tally.first.pair, j);
            assert_int_equal(tally.first.array, array);
            check_same(tally.first.got, *x);
            check_same(rope_round(dtypes[d], tally.first.expected), saved);
            check_entry(&tally.worst, &tally.first);
            check_same(tally.largest_error, tally.worst.error);
            *x = saved;
            store_row(&s, array, row);
        }
        sample_free(&s);
    }
    subject_clear(&u);
}

/* A is chosen so that A cos(m theta_j) lies within 2^-53 of its size from the middle between two numbers of the format:
 * closer than the kernel's error, so that double arithmetic often ends on the wrong side. Only one of the two numbers
 * is right. */
static void values_next_to_a_midpoint_are_decided(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int k = 0; k < 60; k++) {
        const rope_dtype dtype = dtypes[1 + k % 3];
        const int64_t m = 1 + (int64_t)(check_random(&seed) % 999);
        const int j = (int)(check_random(&seed) % 8);
        subject u;
        subject_init(&u, 16, 1e4, 1.0, NULL, 1);
        mpfr_t c, s;
        mpfr_inits2(BITS, c, s, (mpfr_ptr)0);
        const asked q = {.kind = EXACT, .subject = &u};
        truth(c, s, &q, m, j);
        const double x = check_round(dtype, c, false), middle = x + 0.5 * rope_ulp(dtype, x);
        mpfr_d_div(c, middle, c, MPFR_RNDN);
        const double A = mpfr_get_d(c, MPFR_RNDN);
        mpfr_clears(c, s, (mpfr_ptr)0);
        subject_clear(&u);

        subject_init(&u, 16, 1e4, A, NULL, 1000);
        sample row = sample_new(dtype, 8, m, 1, 8);
        fill(&row, &u);
        rope_tally got, want = naive(&q, &row);
        assert_int_equal(want.broken, 0);
        ask(&got, &q, &row.table);
        check_tally(&got, &want, 0.0);
        double *const entry = at(&row, 0, 0, j);
        *entry = *entry < middle ? rope_step(dtype, *entry, 1) : rope_step(dtype, *entry, -1);
        store(&row);
        want = naive(&q, &row);
        ask(&got, &q, &row.table);
        assert_int_equal(want.broken, 1);
        check_tally(&got, &want, 0.0);
        sample_free(&row);
        subject_clear(&u);
    }
}

/* v = A is half way between two numbers of the format: only the even one is right. */
static void ties_at_position_zero_go_to_even(void **state) {
    (void)state;
    for (size_t d = 1; d < COUNT(dtypes); d++)
        for (int odd = 0; odd < 2; odd++) {
            const double unit = rope_unit(dtypes[d]), low = 1.0 + 2 * unit * odd, high = low + 2 * unit, A = low + unit;
            subject u;
            subject_init(&u, 8, 1e4, A, NULL, 8);
            sample s = sample_new(dtypes[d], 4, 0, 1, 4);
            fill(&s, &u);
            check_same(*at(&s, 0, 0, 2), odd ? high : low);
            *at(&s, 0, 0, 1) = odd ? low : high;
            *at(&s, 1, 0, 3) = -0.0;
            *at(&s, 1, 0, 2) = rope_step(dtypes[d], 0.0, 1);
            store(&s);
            rope_tally tally;
            rope_table_exact(&tally, u.phase, &u.spec, &s.table);
            assert_int_equal(tally.broken, 2);
            assert_int_equal(tally.first.pair, 1);
            check_same(tally.worst.error, unit);
            sample_free(&s);
            subject_clear(&u);
        }
}

/* Tables made in float32 and then converted: counts known from elsewhere, and a checker that misses the entries is
 * wrong. */
static void double_rounding_is_found(void **state) {
    (void)state;
    enum { ROWS = 131072, H = 64 };
    static const struct {
        rope_dtype dtype;
        size_t rows;
        uint64_t broken;
        int64_t m;
        int pair;
        rope_array array;
    } known[] = {{ROPE_BF16, ROWS, 132, 799, 31, ROPE_SIN},
                 {ROPE_BF16, 4096, 3, 799, 31, ROPE_SIN},
                 {ROPE_F16, ROWS, 1026, 42, 9, ROPE_COS},
                 {ROPE_F16, 4096, 36, 42, 9, ROPE_COS}};
    subject u;
    subject_init(&u, 2 * H, 1e4, 1.0, NULL, ROWS);
    float *f32 = malloc(2 * ROWS * H * sizeof *f32);
    uint16_t *half = malloc(2 * ROWS * H * sizeof *half);
    assert_true(f32 && half);
    rope_table_fill(u.phase, &u.spec, ROPE_F32, 0, ROWS, H, f32, f32 + ROWS * H);
    for (size_t k = 0; k < COUNT(known); k++) {
        double wide[H];
        for (size_t row = 0; row < 2 * ROWS && known[k].rows == ROWS; row++) {
            rope_widen(ROPE_F32, wide, f32 + row * H, H);
            rope_narrow(known[k].dtype, half + row * H, wide, H);
        }
        const rope_table table = {known[k].dtype, half, half + ROWS * H, H, known[k].rows, 0};
        rope_tally tally;
        rope_table_exact(&tally, u.phase, &u.spec, &table);
        assert_int_equal(tally.broken, known[k].broken);
        assert_int_equal(tally.first.m, known[k].m);
        assert_int_equal(tally.first.pair, known[k].pair);
        assert_int_equal(tally.first.array, known[k].array);
    }
    free(f32);
    free(half);
    subject_clear(&u);
}

/* ---- bound ------------------------------------------------------------------------------------------- */

/* Entries off by about what is allowed, so that half of them are broken; some columns become untestable on the way. */
static void bound_agrees_with_mpfr(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (size_t k = 0; k < COUNT(shapes); k++) {
        subject u;
        subject_init(&u, shapes[k].dim, shapes[k].base, shapes[k].A, NULL, INT32_MAX);
        const int h = u.h;
        for (size_t d = 0; d < COUNT(dtypes); d++) {
            const double unit = rope_unit(dtypes[d]);
            double offset[MAX_H], slope[MAX_H];
            for (int j = 0; j < h; j++) {
                offset[j] = check_uniform(&seed, 0.0, 4 * unit);
                slope[j] = ldexp(unit, (int)(check_random(&seed) % 5) - 5 - (k == 1 ? 10 : k == 2 ? 26 : 0));
                if (j == 1) slope[j] = 1.9 * u.spec.magnitude / (double)(llabs(shapes[k].first) + 20);
            }
            sample s = sample_new(dtypes[d], h, shapes[k].first, shapes[k].rows / 2, (size_t)h + d % 2);
            fill(&s, &u);
            for (size_t n = 0; n < 2 * s.table.rows * (size_t)h; n++) {
                const int j = (int)(n % (size_t)h);
                const double m = (double)(s.table.first + (int64_t)(n / (size_t)h % s.table.rows));
                s.value[n] =
                    rope_round(dtypes[d], s.value[n] + check_uniform(&seed, -2, 2) * (offset[j] + fabs(m) * slope[j]));
            }
            damage(&s, &seed, 4 * (int)d);
            const asked q = {BOUND, &u, offset, slope, NULL};
            check_against_naive(&q, &s);
            sample_free(&s);
        }
        subject_clear(&u);
    }
}

/* Good tables hold, and the largest error is known to within the kernels' errors, 2^-50 and in f64 2^-74. */
static void bound_holds_on_good_tables(void **state) {
    (void)state;
    subject u;
    subject_init(&u, 128, 1e4, 1.25, NULL, 2000);
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        double offset[64], slope[64] = {0};
        for (int j = 0; j < 64; j++) offset[j] = 1.0001 * rope_unit(dtypes[d]); /* half an ulp of [1, 2) and a little */
        sample s = sample_new(dtypes[d], 64, 1900, 100, 64);
        fill(&s, &u);
        const asked q = {BOUND, &u, offset, slope, NULL};
        const rope_tally want = naive(&q, &s);
        assert_int_equal(want.broken, 0);
        assert_true(want.largest_error > 0.4 * rope_unit(dtypes[d]));
        rope_tally got;
        ask(&got, &q, &s.table);
        check_tally(&got, &want, dtypes[d] == ROPE_F64 ? 0x1p-73 : 0x1p-50);
        assert_int_equal(got.referred, 0);
        sample_free(&s);
    }
    subject_clear(&u);
}

/* Allowed: the entry's own error rounded up or down to binary64. In f64 the two are apart by less than the
 * double-double's error, in a replay by less than the evaluator's, so only MPFR can tell. */
static void undecided_entries_go_to_mpfr(void **state) {
    (void)state;
    subject u;
    subject_init(&u, 128, 1e4, 1.25, NULL, 5000);
    angle_maker maker = {.h = 64};
    for (int j = 0; j < 64; j++) maker.frequency[j] = (float)rope_frequency_double(&u.spec, j);
    sample s = sample_new(ROPE_F64, 64, 4999, 1, 64);
    fill(&s, &u);
    mpfr_t v[2];
    mpfr_inits2(BITS, v[0], v[1], (mpfr_ptr)0);
    for (int kind = BOUND; kind <= REPLAY; kind++)
        for (int up = 0; up < 2; up++) {
            double offset[64], slope[64] = {0};
            asked q = {kind, &u, offset, slope, &maker};
            for (int j = 0; j < 64; j++) {
                truth(v[0], v[1], &q, 4999, j);
                mpfr_d_sub(v[0], *at(&s, 0, 0, j), v[0], MPFR_RNDN);
                mpfr_abs(v[0], v[0], MPFR_RNDN);
                offset[j] = mpfr_get_d(v[0], up ? MPFR_RNDU : MPFR_RNDD);
            }
            s.table.sin = NULL;
            rope_tally tally;
            ask(&tally, &q, &s.table);
            assert_int_equal(tally.broken, up ? 0 : 64);
            assert_in_range(tally.referred, 50, 64);
            s.table.sin = row_in_memory(&s, 1, 0);
            const rope_tally want = naive(&q, &s);
            ask(&tally, &q, &s.table);
            check_tally(&tally, &want, 0x1p-50);
        }
    mpfr_clears(v[0], v[1], (mpfr_ptr)0);
    sample_free(&s);
    subject_clear(&u);
}

/* At m = 0 the value is A itself: a bound that the error meets exactly holds. */
static void a_bound_met_exactly_holds(void **state) {
    (void)state;
    subject u;
    subject_init(&u, 8, 1e4, 1.25, NULL, 8);
    const double slope[4] = {0}, offset[4] = {0.0, 0x1p-30, 0x1p-30, 0x1.fffffffffffffp-31};
    angle_maker maker = {.h = 4, .frequency = {1, 0.1f, 0.01f, 0.001f}};
    for (size_t d = 0; d < 2; d++) {
        sample s = sample_new(dtypes[d], 4, 0, 1, 4);
        fill(&s, &u);
        for (int j = 1; j < 4; j++) *at(&s, 1, 0, j) = j % 2 ? 0x1p-30 : -0x1p-30;
        store(&s);
        for (int kind = BOUND; kind <= REPLAY; kind++) {
            const asked q = {kind, &u, offset, slope, &maker};
            rope_tally tally;
            ask(&tally, &q, &s.table);
            assert_int_equal(tally.broken, 1);
            assert_int_equal(tally.first.pair, 3);
            assert_int_equal(tally.referred, 0);
        }
        sample_free(&s);
    }
    subject_clear(&u);
}

/* ---- replay ------------------------------------------------------------------------------------------ */

static void replay_agrees_with_mpfr(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (size_t k = 0; k < 6; k++) {
        subject u;
        subject_init(&u, k % 3 ? 12 : 128, 1e4, k % 2 ? 1.0 : 0.8408964152537145, NULL, 1);
        const int h = u.h;
        angle_maker maker = {.h = h, .wild = k >= 3};
        for (int j = 0; j < h; j++) maker.frequency[j] = (float)rope_frequency_double(&u.spec, j);
        for (size_t d = 0; d < COUNT(dtypes); d++) {
            double offset[MAX_H];
            for (int j = 0; j < h; j++) offset[j] = check_uniform(&seed, 0.0, 3 * rope_unit(dtypes[d]));
            const asked q = {.kind = REPLAY, .subject = &u, .offset = offset, .maker = &maker};
            sample s = sample_new(dtypes[d], h, k % 2 ? 100000 : -31, k % 3 ? 150 : 33, (size_t)h + d % 2);
            mpfr_t c, sine;
            mpfr_inits2(BITS, c, sine, (mpfr_ptr)0);
            for (size_t row = 0; row < s.table.rows; row++)
                for (int j = 0; j < h; j++) {
                    truth(c, sine, &q, s.table.first + (int64_t)row, j);
                    *at(&s, 0, row, j) =
                        mpfr_nan_p(c) ? 0.0
                                      : rope_step(dtypes[d], check_round(dtypes[d], c, false), (int)(check_random(&seed) % 3) - 1);
                    *at(&s, 1, row, j) =
                        mpfr_nan_p(c) ? 0.0
                                      : rope_step(dtypes[d], check_round(dtypes[d], sine, false), (int)(check_random(&seed) % 3) - 1);
                }
            mpfr_clears(c, sine, (mpfr_ptr)0);
            damage(&s, &seed, 8 * (int)(k % 2));
            check_against_naive(&q, &s);
            sample_free(&s);
        }
        subject_clear(&u);
    }
}

/* ---- tallies ----------------------------------------------------------------------------------------- */

static void check_same_tally(const rope_tally *a, const rope_tally *b) {
    assert_int_equal(a->referred, b->referred);
    check_tally(a, b, 0.0);
}

/* Everything wrong, errors of m and -m equal, more rows than a thread takes at once: one answer for any number of
 * threads, and for any cut into parts. */
static void answers_do_not_depend_on_threads_or_parts(void **state) {
    (void)state;
    enum { ROWS = 3001, FIRST = -1500 };
    subject u;
    subject_init(&u, 12, 1e4, 1.0, NULL, 1501);
    double offset[6], slope[6];
    for (int j = 0; j < 6; j++) offset[j] = 0x1p-20, slope[j] = j == 5 ? 0.001 : 0x1p-40;
    angle_maker maker = {.h = 6};
    for (int j = 0; j < 6; j++) maker.frequency[j] = (float)rope_frequency_double(&u.spec, j);
    sample s = sample_new(ROPE_F32, 6, FIRST, ROWS, 6);
    for (size_t row = 0; row < ROWS; row++)
        for (int j = 0; j < 6; j++) *at(&s, 1, row, j) = 0.25, *at(&s, 0, row, j) = j == 2 ? 0.5 : 0.0;
    store(&s);
    for (int kind = EXACT; kind <= REPLAY; kind++) {
        const asked q = {kind, &u, offset, slope, &maker};
        rope_tally whole;
        set_threads(1);
        ask(&whole, &q, &s.table);
        assert_true(whole.broken > ROWS);
        for (int threads = 2; threads <= 4; threads++) {
            rope_tally other;
            set_threads(threads);
            ask(&other, &q, &s.table);
            check_same_tally(&other, &whole);
        }
        for (size_t step = 100; step < 1000; step += 333) {
            rope_tally total = {0};
            for (size_t row = 0; row < ROWS; row += step) {
                rope_table part = s.table;
                part.cos = (const float *)s.table.cos + row * 6, part.sin = (const float *)s.table.sin + row * 6;
                part.first += (int64_t)row, part.rows = ROWS - row < step ? ROWS - row : step;
                rope_tally tally;
                ask(&tally, &q, &part);
                rope_tally_add(&total, &tally);
            }
            check_same_tally(&total, &whole);
        }
    }
    sample_free(&s);
    subject_clear(&u);
}

/* Equal errors: the first entry is the worst one. Zeros, but for row m = 0: the largest error is that of the m with the
 * largest cosine or sine, once at m and once at -m. */
static void equal_errors_go_to_the_first(void **state) {
    (void)state;
    subject u;
    subject_init(&u, 8, 1e4, 1.0, NULL, 400);
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        sample s = sample_new(dtypes[d], 4, -400, 801, 4);
        for (int j = 0; j < 4; j++) *at(&s, 0, 400, j) = 1.0;
        store(&s);
        const asked q = {.kind = EXACT, .subject = &u};
        const rope_tally want = naive(&q, &s);
        assert_true(want.worst.m < 0);
        rope_tally got;
        ask(&got, &q, &s.table);
        check_tally(&got, &want, 0.0);
        sample_free(&s);
    }
    subject_clear(&u);
}

/* NaN is the worst error, then Inf; the first of several counts. */
static void what_is_no_number_is_broken(void **state) {
    (void)state;
    subject u;
    subject_init(&u, 128, 1e4, 1.0, NULL, 200);
    double offset[64], slope[64] = {0};
    for (int j = 0; j < 64; j++) offset[j] = 0.01;
    angle_maker maker = {.h = 64};
    for (int j = 0; j < 64; j++) maker.frequency[j] = (float)rope_frequency_double(&u.spec, j);
    for (size_t d = 0; d < COUNT(dtypes); d++)
        for (int kind = EXACT; kind <= REPLAY; kind++) {
            const asked q = {kind, &u, offset, slope, &maker};
            sample s = sample_new(dtypes[d], 64, 0, 200, 64);
            fill(&s, &u);
            *at(&s, 1, 70, 5) = -INFINITY;
            *at(&s, 0, 71, 6) = INFINITY;
            store(&s);
            rope_tally tally;
            ask(&tally, &q, &s.table);
            const uint64_t others = tally.broken - 2; /* of a replay in f64: the float angles are not the true ones */
            assert_int_equal(tally.worst.m, 70);
            check_same(tally.worst.error, INFINITY);
            check_same(tally.largest_error, INFINITY);
            *at(&s, 1, 150, 7) = NAN;
            *at(&s, 0, 160, 7) = NAN;
            store(&s);
            ask(&tally, &q, &s.table);
            assert_int_equal(tally.broken, others + 4);
            assert_int_equal(tally.worst.m, 150);
            assert_int_equal(tally.worst.pair, 7);
            assert_int_equal(tally.worst.array, ROPE_SIN);
            assert_true(isnan(tally.worst.error) && isnan(tally.worst.got) && isnan(tally.largest_error));
            sample_free(&s);
        }
    subject_clear(&u);
}

/* More pairs than a tile has columns: what comes first in the table is not what is looked at first. */
static void the_first_entry_is_first_across_tiles(void **state) {
    (void)state;
    subject u;
    subject_init(&u, 132, 1e4, 1.0, NULL, 64);
    const asked q = {.kind = EXACT, .subject = &u};
    for (int odd = 0; odd < 2; odd++) {
        sample s = sample_new(ROPE_F32, 66, 0, 64, 66);
        fill(&s, &u);
        *at(&s, 0, 20, 1) = 9.0;               /* the worst of numbers, in the first tile */
        *at(&s, 0, 30, 1) = odd ? NAN : 2.0;   /* looked at before ... */
        *at(&s, 0, 10, 65) = odd ? NAN : -2.0; /* ... the first */
        store(&s);
        const rope_tally want = naive(&q, &s);
        assert_int_equal(want.first.pair, 65);
        assert_int_equal(want.worst.m, odd ? 10 : 20);
        rope_tally got;
        ask(&got, &q, &s.table);
        check_tally(&got, &want, 0.0);
        sample_free(&s);
    }
    subject_clear(&u);
}

/* ---- a magnitude that is no double ------------------------------------------------------------------- */

static void yarn_magnitude(mpfr_t A, const rope_spec *spec) { /* 1 + ln(4) / 10 */
    (void)spec;
    mpfr_t x;
    mpfr_init2(x, mpfr_get_prec(A) + 8);
    mpfr_log_ui(x, 4, MPFR_RNDN);
    mpfr_div_ui(x, x, 10, MPFR_RNDN);
    mpfr_add_ui(A, x, 1, MPFR_RNDN);
    mpfr_clear(x);
}

static void plain_theta(mpfr_t theta, const rope_spec *spec, int i) {
    rope_rule_default.theta(theta, spec, i);
}

static void a_rules_magnitude_is_not_rounded_first(void **state) {
    (void)state;
    const rope_rule rule = {.name = "test", .theta = plain_theta, .magnitude = yarn_magnitude};
    subject u;
    subject_init(&u, 128, 1e4, 1.0, &rule, 100);
    uint64_t seed = 7;
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        double offset[64], slope[64];
        for (int j = 0; j < 64; j++) offset[j] = rope_unit(dtypes[d]), slope[j] = 0.0;
        sample s = sample_new(dtypes[d], 64, -20, 40, 64);
        fill(&s, &u);
        asked q = {EXACT, &u, offset, slope, NULL};
        assert_int_equal(naive(&q, &s).broken, 0);
        damage(&s, &seed, 9);
        check_against_naive(&q, &s);
        for (int j = 0; j < 2 && dtypes[d] == ROPE_F64; j++) { /* met exactly by A rounded, by A on one side only */
            offset[j] = 0x1p-20;
            *at(&s, 0, 20, j) = u.spec.magnitude + (j ? 0x1p-20 : -0x1p-20);
        }
        store(&s);
        q.kind = BOUND;
        check_against_naive(&q, &s);
        sample_free(&s);
    }
    subject_clear(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filled_tables_are_correctly_rounded),
        cmocka_unit_test(exact_agrees_with_mpfr_on_damaged_tables),
        cmocka_unit_test(each_neighbour_is_told_apart),
        cmocka_unit_test(one_wrong_entry_is_found),
        cmocka_unit_test(values_next_to_a_midpoint_are_decided),
        cmocka_unit_test(ties_at_position_zero_go_to_even),
        cmocka_unit_test(double_rounding_is_found),
        cmocka_unit_test(bound_agrees_with_mpfr),
        cmocka_unit_test(bound_holds_on_good_tables),
        cmocka_unit_test(undecided_entries_go_to_mpfr),
        cmocka_unit_test(a_bound_met_exactly_holds),
        cmocka_unit_test(replay_agrees_with_mpfr),
        cmocka_unit_test(answers_do_not_depend_on_threads_or_parts),
        cmocka_unit_test(equal_errors_go_to_the_first),
        cmocka_unit_test(what_is_no_number_is_broken),
        cmocka_unit_test(the_first_entry_is_first_across_tiles),
        cmocka_unit_test(a_rules_magnitude_is_not_rounded_first),
    };
    const int failed = cmocka_run_group_tests_name("table", tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
