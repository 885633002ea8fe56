#include "decay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "decay_tables.h"
#include "number/dd.h"

enum { LANES = ROPE_DECAY_LANES, BLOCK = ROPE_DECAY_BLOCK };

/* ---- tables ------------------------------------------------------------------------------------------ */

static rope_status refuse(const rope_distances *distances, long bits, rope_error *error) {
    const char *const place = "distances";
    if (distances->count < 1 || distances->count > INT64_C(1) << 31)
        return rope_fail(error, ROPE_BAD_INPUT, place, "split the range",
                         "%lld distances: 1 to 2147483648 are possible", (long long)distances->count);
    if (!isfinite(distances->first) || !isfinite(distances->step))
        return rope_fail(error, ROPE_BAD_INPUT, place, NULL, "%g and step %g are not finite", distances->first,
                         distances->step);
    if (bits < ROPE_DECAY_DOUBLE || bits > ROPE_DECAY_MOST_BITS)
        return rope_fail(error, ROPE_BAD_INPUT, "bits", NULL, "%ld bits: %d to %d are possible", bits,
                         ROPE_DECAY_DOUBLE, ROPE_DECAY_MOST_BITS);
    return ROPE_OK;
}

/* hi + lo = x within 2^-106 |x|: hi = RN(x), x - hi is exact with the bits of x, lo its RN. */
static rope_dd nearest_dd(const mpfr_t x) {
    const double hi = mpfr_get_d(x, MPFR_RNDN);
    mpfr_t rest;
    mpfr_init2(rest, mpfr_get_prec(x));
    mpfr_sub_d(rest, x, hi, MPFR_RNDN);
    const double lo = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return (rope_dd){hi, lo};
}

static void put_doubles(void *tables, rope_decay_level level, int64_t row, int j, const mpfr_t cosine,
                        const mpfr_t sine) {
    const rope_decay *const decay = tables;
    const rope_dd c = nearest_dd(cosine), s = nearest_dd(sine);
    if (level == ROPE_DECAY_BABY) {
        rope_decay_baby *const baby = &decay->baby[row / LANES * decay->pairs + j];
        const int lane = (int)(row % LANES);
        baby->c[lane] = c.hi, baby->cl[lane] = c.lo, baby->s[lane] = s.hi, baby->sl[lane] = s.lo;
    } else {
        rope_decay_giant *const giant = level == ROPE_DECAY_MID ? decay->mid : decay->top;
        giant[row * decay->pairs + j] = (rope_decay_giant){c.hi, c.lo, s.hi, s.lo};
    }
}

/* 2^(14-160) of the recurrences is nothing beside the 2^-106 of a double-double. */
static rope_status fill_doubles(rope_decay *decay, rope_error *error) {
    const size_t h = (size_t)decay->pairs;
    decay->baby = aligned_alloc(64, ROPE_DECAY_BABIES / LANES * h * sizeof *decay->baby);
    decay->mid = malloc((size_t)decay->mids * h * sizeof *decay->mid);
    decay->top = malloc((size_t)decay->tops * h * sizeof *decay->top);
    decay->ones = malloc(h * sizeof *decay->ones);
    if (!decay->baby || !decay->mid || !decay->top || !decay->ones)
        return rope_fail(error, ROPE_NO_MEMORY, NULL, NULL, "no memory for the decay tables");
    for (size_t j = 0; j < h; j++) decay->ones[j] = (rope_decay_term){1.0, 1.0, 0.0};
    rope_decay_fill(decay, 160, put_doubles, decay);
    return ROPE_OK;
}

rope_status rope_decay_new(rope_decay **decay, const rope_spec *spec, rope_distances distances, long bits,
                           rope_error *error) {
    *decay = NULL;
    rope_status status = refuse(&distances, bits, error);
    if (status != ROPE_OK) return status;

    rope_decay *const new = calloc(1, sizeof *new);
    if (!new) return rope_fail(error, ROPE_NO_MEMORY, NULL, NULL, "no memory for the decay tables");
    new->spec = *spec;
    new->pairs = rope_spec_pairs(spec);
    new->distances = distances;
    const int64_t blocks = (distances.count + BLOCK - 1) / BLOCK;
    for (new->mids = 1; new->mids * new->mids < blocks;) new->mids *= 2;
    new->tops = (blocks + new->mids - 1) / new->mids;

    status = bits == ROPE_DECAY_DOUBLE ? fill_doubles(new, error) : rope_decay_limbs_new(new, bits, error);
    if (status != ROPE_OK)
        rope_decay_free(new);
    else
        *decay = new;
    return status;
}

void rope_decay_free(rope_decay *decay) {
    if (!decay) return;
    free(decay->baby);
    free(decay->mid);
    free(decay->top);
    free(decay->ones);
    rope_decay_limbs_free(decay->limbs);
    free(decay);
}

int rope_decay_pairs(const rope_decay *decay) { return decay->pairs; }
rope_distances rope_decay_distances(const rope_decay *decay) { return decay->distances; }

static void giants_of(const rope_decay *decay, int64_t block, rope_decay_giant *giant) {
    const int h = decay->pairs;
    rope_decay_giants(h, giant, decay->mid + block % decay->mids * h, decay->top + block / decay->mids * h);
}

static const rope_decay_baby *babies_of(const rope_decay *decay, int group) {
    return decay->baby + group * decay->pairs;
}

/* ---- correctly rounded ------------------------------------------------------------------------------- */

/* Is RN the same for all numbers within error of hi + lo? x.lo -+ error rounds by 2^-53 of at most 2^-53 |x.hi| +
 * error: the last term widens the interval by more. */
static bool round_dd(double *rounded, double hi, double lo, double error) {
    const rope_dd x = rope_two_sum(hi, lo);
    const double width = error * (1 + 0x1p-40) + 0x1p-105 * fabs(x.hi);
    *rounded = x.hi;
    return x.hi + (x.lo - width) == x.hi && x.hi + (x.lo + width) == x.hi;
}

/* The rows of one call: errors that hold for all of them, and where they go. */
typedef struct rounding {
    const rope_decay *decay;
    int64_t from, n;
    double *B, *C;
    unsigned char *undecided;
    long most_bits;
    double total_error, re_error, least;
} rounding;

/* total / h: q = RN(hi / h), the remainder hi - q h is exact [one fma] and at most 2^-53 q h, as lo is. Their sum and
 * its quotient round by 2^-53 of 2^-52 q: 2^-104 q together. */
static bool round_mean(double *rounded, double hi, double lo, double error, int h) {
    const rope_dd total = rope_two_sum(hi, lo);
    const double q = total.hi / h, rest = (fma(-q, (double)h, total.hi) + total.lo) / h;
    return round_dd(rounded, q, rest, error / h + 0x1p-104 * q);
}

static bool round_value(double *rounded, const mpfr_t value, const mpfr_t error) {
    mpfr_t low, high;
    mpfr_inits2(mpfr_get_prec(value), low, high, (mpfr_ptr)0);
    mpfr_sub(low, value, error, MPFR_RNDD);
    mpfr_add(high, value, error, MPFR_RNDU);
    *rounded = mpfr_get_d(value, MPFR_RNDN);
    const bool same = mpfr_get_d(low, MPFR_RNDN) == mpfr_get_d(high, MPFR_RNDN);
    mpfr_clears(low, high, (mpfr_ptr)0);
    return same;
}

/* MPFR with rising precision; returns the bits of what stays undecided. */
static unsigned refer(const rounding *r, int64_t k) {
    mpfr_t distance;
    rope_decay_value value;
    mpfr_init(distance);
    rope_decay_value_init(&value);
    rope_decay_distance(distance, r->decay, r->from + k);
    unsigned undecided;
    for (long bits = 128;; bits *= 2) {
        if (bits > r->most_bits) bits = r->most_bits;
        rope_decay_at(&value, &r->decay->spec, distance, bits);
        undecided = round_value(&r->B[k], value.B, value.B_error) ? 0 : ROPE_DECAY_UNDECIDED_B;
        undecided |= round_value(&r->C[k], value.C, value.C_error) ? 0 : ROPE_DECAY_UNDECIDED_C;
        if (!undecided || bits == r->most_bits) break;
    }
    rope_decay_value_clear(&value);
    mpfr_clear(distance);
    return undecided;
}

static void round_row(const rounding *r, const rope_decay_rows *rows, int side, int lane, int64_t k,
                      rope_decay_tally *tally) {
    const int h = r->decay->pairs;
    const double total = rows->total[side][lane], low = rows->total_low[side][lane];
    const bool B = rows->least[side][lane] >= r->least && round_mean(&r->B[k], total, low, r->total_error, h);
    const bool C = round_dd(&r->C[k], rows->re[side][lane], rows->re_low[side][lane], r->re_error);
    unsigned undecided = 0;
    if (!B || !C) {
        undecided = refer(r, k);
        tally->referred++;
        tally->undecided += !!(undecided & ROPE_DECAY_UNDECIDED_B) + !!(undecided & ROPE_DECAY_UNDECIDED_C);
    }
    if (r->undecided) r->undecided[k] = (unsigned char)undecided;
}

static rope_decay_tally round_block(const rounding *r, int64_t block, rope_decay_giant *giant) {
    rope_decay_tally tally = {0};
    giants_of(r->decay, block, giant);
    for (int group = 0; group < ROPE_DECAY_BABIES / LANES; group++) {
        const rope_decay_rows rows = rope_decay_grid(r->decay->pairs, giant, babies_of(r->decay, group));
        for (int side = 0; side < 2; side++)
            for (int lane = 0; lane < LANES; lane++) {
                const int64_t k = block * BLOCK + rope_decay_row(side, group * LANES + lane) - r->from;
                if (0 <= k && k < r->n) round_row(r, &rows, side, lane, k, &tally);
            }
    }
    return tally;
}

rope_decay_tally rope_decay_round(const rope_decay *decay, int64_t from, int64_t n, double *B, double *C,
                                  unsigned char *undecided, long most_bits) {
    assert(decay->baby && 0 <= from && 0 <= n && from + n <= decay->distances.count);
    const int h = decay->pairs;
    const rounding r = {decay, from, n, B, C, undecided, most_bits, rope_decay_grid_total(h), rope_decay_grid_re(h),
                        rope_decay_grid_least(h)};
    int64_t referred = 0, open = 0;
#pragma omp parallel if (n > BLOCK) reduction(+ : referred, open)
    {
        rope_decay_giant giant[ROPE_MAX_DIM / 2];
#pragma omp for schedule(dynamic)
        for (int64_t block = from / BLOCK; block < (from + n + BLOCK - 1) / BLOCK; block++) {
            const rope_decay_tally part = round_block(&r, block, giant);
            referred += part.referred, open += part.undecided;
        }
        mpfr_free_cache();
    }
    return (rope_decay_tally){referred, open};
}

/* ---- plain double ------------------------------------------------------------------------------------ */

void rope_decay_sweep(const rope_decay *decay, const rope_decay_term *term, int64_t from, int64_t n, double *total,
                      double *re) {
    assert(decay->baby && 0 <= from && 0 <= n && from + n <= decay->distances.count);
#pragma omp parallel if (n > BLOCK)
    {
        rope_decay_giant giant[ROPE_MAX_DIM / 2];
#pragma omp for schedule(dynamic)
        for (int64_t block = from / BLOCK; block < (from + n + BLOCK - 1) / BLOCK; block++) {
            giants_of(decay, block, giant);
            for (int group = 0; group < ROPE_DECAY_BABIES / LANES; group++) {
                const rope_decay_rows rows = rope_decay_narrow(decay->pairs, giant, babies_of(decay, group), term);
                for (int side = 0; side < 2; side++)
                    for (int lane = 0; lane < LANES; lane++) {
                        const int64_t k = block * BLOCK + rope_decay_row(side, group * LANES + lane) - from;
                        if (k < 0 || k >= n) continue;
                        if (total) total[k] = rows.total[side][lane];
                        if (re) re[k] = rows.re[side][lane];
                    }
            }
        }
    }
}

void rope_decay_pick(const rope_decay *decay, const rope_decay_term *term, const int64_t *at, int64_t n, double *total,
                     double *re) {
    assert(decay->baby);
    rope_decay_giant giant[ROPE_MAX_DIM / 2];
    for (int64_t k = 0, block = -1; k < n; k++) {
        assert(0 <= at[k] && at[k] < decay->distances.count);
        if (at[k] / BLOCK != block) giants_of(decay, block = at[k] / BLOCK, giant);
        const int row = (int)(at[k] % BLOCK), side = row < ROPE_DECAY_BABIES,
                  s = side ? ROPE_DECAY_BABIES - 1 - row : row - ROPE_DECAY_BABIES;
        const rope_decay_rows rows = rope_decay_narrow(decay->pairs, giant, babies_of(decay, s / LANES), term);
        if (total) total[k] = rows.total[side][s % LANES];
        if (re) re[k] = rows.re[side][s % LANES];
    }
}

/* The kernel's errors; the division rounds by 2^-53 of at most (h+1)/2 and a little: below 2^-52 h. */
rope_decay_bound rope_decay_enclose(const rope_decay *decay, int64_t from, int64_t n, double *B, double *C) {
    const int h = decay->pairs;
    const rope_decay_error error = rope_decay_narrow_error(h, decay->ones);
    rope_decay_sweep(decay, decay->ones, from, n, B, C);
    for (int64_t k = 0; k < n; k++) B[k] /= h;
    return (rope_decay_bound){error.total / h + 0x1p-52 * h, error.re};
}
