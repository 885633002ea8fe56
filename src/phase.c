#include "phase.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "frequency/frequency.h"
#include "phase_angle.h"
#include "phase_tables.h"

/* ---- reference -------------------------------------------------------------------------------------- */

/* cos and sin of m theta_i, each within 2^-p. The angle is below 2^e. theta at q bits is off by 2^(1-q) relatively and
 * the product rounds once more: below 2^(e+2-q) = 2^(-p-2) absolutely. The last rounding adds 2^(-p-1). */
static void unit_phase(mpfr_t c, mpfr_t s, const rope_spec *spec, int64_t m, int i) {
    const mpfr_prec_t p = mpfr_get_prec(c);
    mpfr_t angle;
    mpfr_init2(angle, 64);
    rope_frequency(angle, spec, i);
    long e = (long)mpfr_get_exp(angle);
    for (uint64_t a = (uint64_t)(m < 0 ? -m : m); a; a >>= 1) e++;

    mpfr_set_prec(angle, p + 4 + (e > 0 ? e : 0));
    rope_frequency(angle, spec, i);
    mpfr_mul_si(angle, angle, (long)m, MPFR_RNDN);
    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
    mpfr_clear(angle);
}

/* In units of A 2^-p: the phase 2^-3, A 2^-2, the product 1: below 2. */
void rope_phase_reference(mpfr_t c, mpfr_t s, const rope_spec *spec, int64_t m, int i) {
    assert(mpfr_get_prec(c) == mpfr_get_prec(s));
    mpfr_t A, unit_c, unit_s;
    mpfr_inits2(mpfr_get_prec(c) + 3, A, unit_c, unit_s, (mpfr_ptr)0);
    rope_magnitude(A, spec);
    unit_phase(unit_c, unit_s, spec, m, i);
    mpfr_mul(c, unit_c, A, MPFR_RNDN);
    mpfr_mul(s, unit_s, A, MPFR_RNDN);
    mpfr_clears(A, unit_c, unit_s, (mpfr_ptr)0);
}

void rope_phase_angle(double a, double *c, double *s) {
    if (fabs(a) < ROPE_PHASE_ANGLE_LARGEST) {
        rope_phase_angle_reduced(a, c, s);
        return;
    }
    mpfr_t angle, cosine, sine;
    mpfr_inits2(53, angle, cosine, sine, (mpfr_ptr)0);
    mpfr_set_d(angle, a, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    *c = mpfr_get_d(cosine, MPFR_RNDN);
    *s = mpfr_get_d(sine, MPFR_RNDN);
    mpfr_clears(angle, cosine, sine, (mpfr_ptr)0);
}

/* ---- tables ----------------------------------------------------------------------------------------- */

enum { PRECISION = 192 };

/* x goes through e^{i m theta}, step by step; a level's last product is the next level's step.
 *
 * Both factors of a product have modulus 1, so their errors add up, and each component is rounded once: sqrt2 2^-193.
 * e^{i theta} itself is off by sqrt2 2^-192. By induction over sums of positions e^{i m theta} is off by less than
 * m (2^-191 + 2^-192) < 2^-159 for m < 2^31: nothing beside the rounding to double-doubles. */
typedef struct recurrence {
    mpfr_t c, s, step_c, step_s, A, t, y;
} recurrence;

static void recurrence_init(recurrence *x, const rope_spec *spec, int i) {
    mpfr_inits2(PRECISION, x->c, x->s, x->step_c, x->step_s, x->A, x->t, x->y, (mpfr_ptr)0);
    unit_phase(x->step_c, x->step_s, spec, 1, i);
    rope_magnitude(x->A, spec);
}

static void recurrence_clear(recurrence *x) {
    mpfr_clears(x->c, x->s, x->step_c, x->step_s, x->A, x->t, x->y, (mpfr_ptr)0);
}

static void recurrence_step(recurrence *x) {
    mpfr_fmms(x->t, x->c, x->step_c, x->s, x->step_s, MPFR_RNDN);
    mpfr_fmma(x->s, x->s, x->step_c, x->c, x->step_s, MPFR_RNDN);
    mpfr_swap(x->c, x->t);
}

/* hi + lo within 2^-106 |y|: hi = RN(y), y - hi is exact, and lo = RN(y - hi). */
static void put(double *hi, double *lo, const mpfr_t y, mpfr_t t) {
    *hi = mpfr_get_d(y, MPFR_RNDN);
    mpfr_sub_d(t, y, *hi, MPFR_RNDN);
    *lo = mpfr_get_d(t, MPFR_RNDN);
}

/* Fills column j of a level. The baby rows, level 0, take A in. */
static void fill_column(rope_phase *phase, int level, size_t j, recurrence *x) {
    const rope_rows rows = phase->level[level];
    mpfr_set_ui(x->c, 1, MPFR_RNDN);
    mpfr_set_ui(x->s, 0, MPFR_RNDN);
    if (level > 0) mpfr_set_ui(x->A, 1, MPFR_RNDN);
    for (int row = 0; row < phase->rows[level]; row++) {
        const size_t at = (size_t)row * phase->stride + j;
        mpfr_mul(x->y, x->c, x->A, MPFR_RNDN);
        put(&rows.ch[at], &rows.cl[at], x->y, x->t);
        mpfr_mul(x->y, x->s, x->A, MPFR_RNDN);
        put(&rows.sh[at], &rows.sl[at], x->y, x->t);
        recurrence_step(x);
    }
    mpfr_swap(x->step_c, x->c);
    mpfr_swap(x->step_s, x->s);
}

static void fill_levels(rope_phase *phase, const rope_spec *spec) {
#pragma omp parallel if (phase->levels > 2 || phase->rows[1] > 16)
    {
#pragma omp for
        for (int i = 0; i < phase->pairs; i++) {
            recurrence x;
            recurrence_init(&x, spec, i);
            for (int level = 0; level < phase->levels; level++) fill_column(phase, level, (size_t)i, &x);
            recurrence_clear(&x);
        }
        mpfr_free_cache();
    }
}

/* hi + lo as a multiple of 2^-26 grid and the rest: |hi| <= grid, so the multiple has 27 bits, and the rest is at most
 * 2^-27 grid and rounded by at most 2^-80 grid. Doubles of the size of the shift have that spacing. */
static inline rope_dd split(double hi, double lo, double grid) {
    const double shift = 0x1.8p26 * grid, part = (hi + shift) - shift;
    return (rope_dd){part, (hi - part) + lo};
}

static void split_baby_rows(rope_phase *phase) {
    const rope_rows from = phase->level[0], to = phase->split;
    for (size_t k = 0; k < ROPE_PHASE_BLOCK * phase->stride; k++) {
        const rope_dd c = split(from.ch[k], from.cl[k], phase->grid), s = split(from.sh[k], from.sl[k], phase->grid);
        to.ch[k] = c.hi, to.cl[k] = c.lo, to.sh[k] = s.hi, to.sl[k] = s.lo;
    }
}

static rope_rows rows_at(double **next, size_t doubles) {
    double *const p = *next;
    *next += 4 * doubles;
    return (rope_rows){p, p + doubles, p + 2 * doubles, p + 3 * doubles};
}

static double power_of_two_above(double x) {
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

/* How many levels with how many rows, and their memory. Position -largest needs giant -(largest / 64) - 1. */
static bool allocate(rope_phase *phase) {
    phase->rows[phase->levels++] = ROPE_PHASE_BLOCK;
    size_t doubles = 2 * 4 * ROPE_PHASE_BLOCK * phase->stride;
    for (int64_t giant = phase->largest / ROPE_PHASE_BLOCK + 1; giant; giant >>= 8) {
        phase->rows[phase->levels] = giant < 256 ? (int)giant + 1 : 256;
        doubles += 4 * (size_t)phase->rows[phase->levels++] * phase->stride;
    }
    phase->memory = aligned_alloc(64, doubles * sizeof(double));
    if (!phase->memory) return false;
    memset(phase->memory, 0, doubles * sizeof(double)); /* columns that only fill up the stride are split, too */

    double *next = phase->memory;
    for (int level = 0; level < phase->levels; level++)
        phase->level[level] = rows_at(&next, (size_t)phase->rows[level] * phase->stride);
    phase->split = rows_at(&next, ROPE_PHASE_BLOCK * phase->stride);
    return true;
}

static rope_status refuse(rope_error *error, double A, int64_t largest) {
    if (!(A >= 0x1p-500 && A <= 0x1p500))
        return rope_fail(error, ROPE_UNSUPPORTED, "--magnitude", NULL, "magnitude %g is out of range", A);
    if (largest < 0 || largest >= INT64_C(1) << 31)
        return rope_fail(error, ROPE_UNSUPPORTED, "position", "positions up to 2147483647 are read",
                         "position %lld is too large", (long long)largest);
    return ROPE_OK;
}

rope_status rope_phase_new(rope_phase **phase, const rope_spec *spec, int64_t largest, rope_error *error) {
    *phase = NULL;
    const double A = rope_magnitude_double(spec);
    const rope_status status = refuse(error, A, largest);
    if (status != ROPE_OK) return status;

    rope_phase *const tables = calloc(1, sizeof *tables);
    if (tables) {
        tables->pairs = rope_spec_pairs(spec);
        tables->stride = ((size_t)tables->pairs + 7) / 8 * 8;
        tables->largest = largest;
        tables->A = A;
        tables->grid = power_of_two_above(A);
    }
    if (!tables || !allocate(tables)) {
        free(tables);
        return rope_fail(error, ROPE_NO_MEMORY, NULL, NULL, "no memory for the phase tables");
    }
    fill_levels(tables, spec);
    split_baby_rows(tables);
    *phase = tables;
    return ROPE_OK;
}

void rope_phase_free(rope_phase *phase) {
    if (!phase) return;
    free(phase->memory);
    free(phase);
}

int rope_phase_pairs(const rope_phase *phase) {
    return phase->pairs;
}

/* ---- products --------------------------------------------------------------------------------------- */

/* p u - q w (sign -1) or p u + q w (sign 1) of double-doubles, where |p u| + |q w| <= 1.
 *
 * Let v = 2^-53. x and y are the products of the high parts, exactly: x.lo and y.lo are at most v |p u| and v |q w|,
 * the sum's low part v. In units of v^2: left out are the products of low parts, 1; rounded are p.lo u.hi and q.lo
 * w.hi, 1 together, the two fma, 2, their sum, 2, x.lo + y.lo, 1, that and cross, 3, and the sum with sum.lo, 4. The
 * last two_sum is exact. Error at most 14 v^2, up to a factor 1 + 2^-40. For numbers up to 1, sizes of parts bounded one by
 * one, Gappa proves 7.5 v^2; 14 is used. [derivation 15.1] [proofs/numeric/product.gappa] */
ROPE_INLINE rope_dd combine(rope_dd p, rope_dd u, rope_dd q, rope_dd w, double sign) {
    const rope_dd x = rope_two_prod(p.hi, u.hi), y = rope_two_prod(sign * q.hi, w.hi);
    const rope_dd sum = rope_two_sum(x.hi, y.hi);
    const double cross = fma(p.hi, u.lo, p.lo * u.hi) + fma(sign * q.hi, w.lo, sign * q.lo * w.hi);
    return rope_two_sum(sum.hi, sum.lo + ((x.lo + y.lo) + cross));
}

typedef struct columns {
    _Alignas(64) double ch[ROPE_TILE];
    double cl[ROPE_TILE], sh[ROPE_TILE], sl[ROPE_TILE];
} columns;

/* Complex products of n columns, in out, which may be a's; returned as rows. */
ROPE_INLINE rope_rows multiply_body(int n, rope_rows a, rope_rows b, columns *out) {
#pragma omp simd
    for (int j = 0; j < n; j++) {
        const rope_dd ac = {a.ch[j], a.cl[j]}, as = {a.sh[j], a.sl[j]};
        const rope_dd bc = {b.ch[j], b.cl[j]}, bs = {b.sh[j], b.sl[j]};
        const rope_dd c = combine(ac, bc, as, bs, -1.0), s = combine(as, bc, ac, bs, 1.0);
        out->ch[j] = c.hi, out->cl[j] = c.lo, out->sh[j] = s.hi, out->sl[j] = s.lo;
    }
    return (rope_rows){out->ch, out->cl, out->sh, out->sl};
}

ROPE_KERNEL(rope_rows, multiply, (int n, rope_rows a, rope_rows b, columns *out), (n, a, b, out))

static rope_rows row_of(const rope_phase *phase, int level, uint64_t row, int from) {
    const rope_rows t = phase->level[level];
    const size_t at = row * phase->stride + (size_t)from;
    return (rope_rows){t.ch + at, t.cl + at, t.sh + at, t.sl + at};
}

/* e^{i 64 g theta_j}, g >= 0: a table row, or the product of several in out. */
static rope_rows giant_rows(const rope_phase *phase, uint64_t g, int from, int n, columns *out) {
    rope_rows product = row_of(phase, 1, g & 255, from);
    for (int level = 2; level < phase->levels; level++) {
        const uint64_t digit = g >> (8 * (level - 1)) & 255;
        if (digit) product = multiply(n, product, row_of(phase, level, digit, from), out);
    }
    return product;
}

void rope_phase_giant(const rope_phase *phase, int64_t g, int from, int n, rope_giant *giant) {
    columns product;
    const rope_rows rows = giant_rows(phase, (uint64_t)(g < 0 ? -g : g), from, n, &product);
    const double sign = g < 0 ? -1.0 : 1.0; /* the conjugate */
    for (int j = 0; j < n; j++) {
        const rope_dd c = split(rows.ch[j], rows.cl[j], 1.0), s = split(sign * rows.sh[j], sign * rows.sl[j], 1.0);
        giant->c[j] = rows.ch[j], giant->s[j] = sign * rows.sh[j];
        giant->c1[j] = c.hi, giant->c2[j] = c.lo, giant->s1[j] = s.hi, giant->s2[j] = s.lo;
    }
}

/* Up to five table rows and four products. Let v = 2^-53. A table row is off by v^2 as a complex number, relatively
 * (see put), a product by sqrt2 14 v^2 < 19.9 v^2 (see combine: |p u| + |q w| <= 1 by Cauchy and Schwarz), and moduli
 * of 1 amplify neither: 5 + 4 19.9 < 85 v^2 < 2^-99, times A, because one factor, the baby row, has modulus A. That
 * proves ROPE_PHASE_ROW_ERROR. */
void rope_phase_columns(const rope_phase *phase, int64_t m, int from, int n, rope_dd *c, rope_dd *s) {
    assert(-phase->largest <= m && m <= phase->largest);
    const uint64_t a = (uint64_t)(m < 0 ? -m : m);
    columns giant, product;
    multiply(n, giant_rows(phase, a / ROPE_PHASE_BLOCK, from, n, &giant), row_of(phase, 0, a % ROPE_PHASE_BLOCK, from),
             &product);
    const double sign = m < 0 ? -1.0 : 1.0;
    for (int j = 0; j < n; j++) {
        c[j] = (rope_dd){product.ch[j], product.cl[j]};
        s[j] = (rope_dd){sign * product.sh[j], sign * product.sl[j]};
    }
}

void rope_phase_row(const rope_phase *phase, int64_t m, rope_dd *c, rope_dd *s) {
    for (int from = 0; from < phase->pairs; from += ROPE_TILE) {
        const int n = phase->pairs - from < ROPE_TILE ? phase->pairs - from : ROPE_TILE;
        rope_phase_columns(phase, m, from, n, c + from, s + from);
    }
}
