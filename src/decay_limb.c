/* B and C at many distances with n limbs. [derivation 16.4]
 *
 * Phases and their sums have the scale F = 64 n - L - 2, 2^L >= h: a giant is RN(|x| 2^F), a sum stays near or below
 * 2^(64 n - 2). A baby has the scale 64 n, so the high half of a product has the scale F. The unit below is 2^-F;
 * 2^-64n is 2^-(L+2) units.
 *
 * A product: 1/2 for the giant, limb.h's error of a product, and the baby's 2^-64n at most with 2^(-64n-15) of the
 * recurrences: K, with room for the products of errors. Additions are exact. Components of S_i: two sums of i
 * products, 2 K i. |S_i|: 2 sqrt2 K i [Lipschitz, see decay_kernel.c] and limb.h's M for the root. C: 2 K h. h B:
 * sqrt2 K h (h+1) + M h; the quotient in MPFR rounds by 2^-64 units of B at most.
 */
#include "decay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decay_tables.h"
#include "number/limb.h"

enum { BLOCK = ROPE_DECAY_BLOCK, BABIES = ROPE_DECAY_BABIES };

typedef struct phase {
    bool negative_c, negative_s;
} phase;

/* Phase j: magnitudes of c and s at limb[2 n j] and limb[2 n j + n], signs at sign[j]. */
typedef struct phases {
    mp_limb_t *limb;
    phase *sign;
} phases;

struct rope_decay_limbs {
    int n, pairs;
    long scale;        /* F */
    phases baby;       /* [64][h] */
    mpfr_t *mid, *top; /* [mids][h][2], [tops][h][2]: c and s; one array */
    size_t numbers;    /* in that array */
};

static void put_phase(const phases *to, int64_t at, int n, long scale, const mpfr_t c, const mpfr_t s) {
    mp_limb_t *const limb = to->limb + 2 * n * at;
    to->sign[at] = (phase){rope_limb_put(limb, n, c, scale), rope_limb_put(limb + n, n, s, scale)};
}

static void put_limbs(void *tables, rope_decay_level level, int64_t row, int j, const mpfr_t c, const mpfr_t s) {
    const rope_decay_limbs *const limbs = tables;
    const int64_t at = row * limbs->pairs + j;
    if (level == ROPE_DECAY_BABY) {
        put_phase(&limbs->baby, at, limbs->n, 64L * limbs->n, c, s);
    } else {
        mpfr_t *const giant = (level == ROPE_DECAY_MID ? limbs->mid : limbs->top) + 2 * at;
        mpfr_set(giant[0], c, MPFR_RNDN);
        mpfr_set(giant[1], s, MPFR_RNDN);
    }
}

rope_status rope_decay_limbs_new(rope_decay *decay, long bits, rope_error *error) {
    const size_t h = (size_t)decay->pairs;
    rope_decay_limbs *const limbs = decay->limbs = calloc(1, sizeof *limbs);
    if (!limbs) goto no_memory;
    limbs->n = (int)((bits + 63) / 64);
    limbs->pairs = decay->pairs;
    limbs->scale = 64L * limbs->n - 2;
    for (int power = 1; power < decay->pairs; power *= 2) limbs->scale--;
    limbs->baby.limb = malloc(BABIES * h * 2 * (size_t)limbs->n * sizeof *limbs->baby.limb);
    limbs->baby.sign = malloc(BABIES * h * sizeof *limbs->baby.sign);
    const size_t numbers = 2 * h * (size_t)(decay->mids + decay->tops);
    limbs->mid = malloc(numbers * sizeof *limbs->mid);
    if (!limbs->baby.limb || !limbs->baby.sign || !limbs->mid) goto no_memory;
    limbs->top = limbs->mid + 2 * h * (size_t)decay->mids;
    const mpfr_prec_t precision = 64L * limbs->n + 32;
    for (; limbs->numbers < numbers; limbs->numbers++) mpfr_init2(limbs->mid[limbs->numbers], precision);
    rope_decay_fill(decay, precision, put_limbs, limbs);
    return ROPE_OK;

no_memory:
    return rope_fail(error, ROPE_NO_MEMORY, NULL, NULL, "no memory for the decay tables");
}

void rope_decay_limbs_free(rope_decay_limbs *limbs) {
    if (!limbs) return;
    for (size_t k = 0; k < limbs->numbers; k++) mpfr_clear(limbs->mid[k]);
    free(limbs->mid);
    free(limbs->baby.limb);
    free(limbs->baby.sign);
    free(limbs);
}

/* What one thread works with: a giant's phases, and the sums of a row on both sides of it. */
typedef struct workspace {
    phases giant;
    mp_limb_t *cc, *ss, *sc, *cs, *re, *im, *modulus, *work; /* n limbs each, work 5 n */
    mp_limb_t *total[2];                                     /* n + 1 limbs */
    mpfr_t c, s;
} workspace;

static bool workspace_init(workspace *space, const rope_decay_limbs *limbs) {
    const size_t n = (size_t)limbs->n, h = (size_t)limbs->pairs;
    mp_limb_t *p = calloc(2 * n * h + 14 * n + 2, sizeof *p);
    memset(space, 0, sizeof *space);
    space->giant = (phases){p, malloc(h * sizeof *space->giant.sign)};
    mpfr_inits2(64L * limbs->n + 32, space->c, space->s, (mpfr_ptr)0);
    if (!p || !space->giant.sign) return false;
    p += 2 * n * h;
    mp_limb_t **const part[] = {&space->cc, &space->ss, &space->sc,     &space->cs,
                                &space->re, &space->im, &space->modulus};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++, p += n) *part[k] = p;
    space->total[0] = p, space->total[1] = p + n + 1, space->work = p + 2 * (n + 1);
    return true;
}

static void workspace_clear(workspace *space) {
    free(space->giant.limb);
    free(space->giant.sign);
    mpfr_clears(space->c, space->s, (mpfr_ptr)0);
}

/* The giant of a block, mid times top. */
static void set_giant(workspace *space, const rope_decay *decay, int64_t block) {
    const rope_decay_limbs *const limbs = decay->limbs;
    mpfr_t *const mid = limbs->mid + block % decay->mids * 2 * limbs->pairs;
    mpfr_t *const top = limbs->top + block / decay->mids * 2 * limbs->pairs;
    for (int j = 0; j < limbs->pairs; j++) {
        mpfr_t *const x = mid + 2 * j, *const y = top + 2 * j;
        mpfr_fmms(space->c, x[0], y[0], x[1], y[1], MPFR_RNDN);
        mpfr_fmma(space->s, x[1], y[0], x[0], y[1], MPFR_RNDN);
        put_phase(&space->giant, j, limbs->n, limbs->scale, space->c, space->s);
    }
}

/* Adds |S_i| of one side to its total; leaves Re S_i in re. */
static void add_modulus(workspace *space, int side, int n) {
    if (side == 0) {
        mpn_sub_n(space->re, space->cc, space->ss, n);
        mpn_add_n(space->im, space->sc, space->cs, n);
    } else {
        mpn_add_n(space->re, space->cc, space->ss, n);
        mpn_sub_n(space->im, space->sc, space->cs, n);
    }
    rope_limb_modulus(space->modulus, space->re, space->im, n, space->work);
    mpn_add(space->total[side], space->total[side], n + 1, space->modulus, n);
}

static void row_sums(workspace *space, const rope_decay_limbs *limbs, int s, const bool wanted[2]) {
    const int n = limbs->n;
    mpn_zero(space->cc, 4 * n); /* and ss, sc, cs behind it */
    mpn_zero(space->total[0], 2 * (n + 1));
    for (int j = 0; j < limbs->pairs; j++) {
        const size_t at = (size_t)s * (size_t)limbs->pairs + (size_t)j;
        const mp_limb_t *const g = space->giant.limb + 2 * n * j, *const b = limbs->baby.limb + 2 * (size_t)n * at;
        const phase p = space->giant.sign[j], q = limbs->baby.sign[at];
        rope_limb_add_product(space->cc, g, b, n, p.negative_c != q.negative_c, space->work);
        rope_limb_add_product(space->ss, g + n, b + n, n, p.negative_s != q.negative_s, space->work);
        rope_limb_add_product(space->sc, g + n, b, n, p.negative_s != q.negative_c, space->work);
        rope_limb_add_product(space->cs, g, b + n, n, p.negative_c != q.negative_s, space->work);
        for (int side = 0; side < 2; side++)
            if (wanted[side]) add_modulus(space, side, n);
    }
}

static void set_value(rope_decay_value *value, workspace *space, const rope_decay_limbs *limbs, int side) {
    const int n = limbs->n, h = limbs->pairs;
    const double K = 0.5 + rope_limb_product_error(n) + ldexp(2.0, (int)(limbs->scale - 64L * n));
    const double B = sqrt(2.0) * K * (h + 1) + rope_limb_modulus_error(n), C = 2 * K * h;
    const mpfr_prec_t precision = 64L * (n + 1);
    if (side == 0)
        mpn_sub_n(space->re, space->cc, space->ss, n);
    else
        mpn_add_n(space->re, space->cc, space->ss, n);
    mpfr_set_prec(value->B, precision);
    mpfr_set_prec(value->C, precision);
    rope_limb_get(value->C, space->re, n, limbs->scale);
    rope_limb_get(value->B, space->total[side], n + 1, limbs->scale);
    mpfr_div_ui(value->B, value->B, (unsigned long)h, MPFR_RNDN);
    mpfr_set_d(value->B_error, B * (1 + 0x1p-40), MPFR_RNDU);
    mpfr_set_d(value->C_error, C, MPFR_RNDU);
    mpfr_div_2si(value->B_error, value->B_error, limbs->scale, MPFR_RNDU);
    mpfr_div_2si(value->C_error, value->C_error, limbs->scale, MPFR_RNDU);
}

static void block_values(workspace *space, const rope_decay *decay, int64_t block, int64_t from, int64_t n,
                         rope_decay_value *value) {
    set_giant(space, decay, block);
    for (int s = 0; s < BABIES; s++) {
        int64_t k[2];
        bool wanted[2];
        for (int side = 0; side < 2; side++) {
            k[side] = block * BLOCK + rope_decay_row(side, s) - from;
            wanted[side] = 0 <= k[side] && k[side] < n;
        }
        if (!wanted[0] && !wanted[1]) continue;
        row_sums(space, decay->limbs, s, wanted);
        for (int side = 0; side < 2; side++)
            if (wanted[side]) set_value(&value[k[side]], space, decay->limbs, side);
    }
}

rope_status rope_decay_numbers(const rope_decay *decay, int64_t from, int64_t n, rope_decay_value *value,
                               rope_error *error) {
    assert(decay->limbs && 0 <= from && 0 <= n && from + n <= decay->distances.count);
    int without_memory = 0;
#pragma omp parallel if (n > BLOCK) reduction(+ : without_memory)
    {
        workspace space;
        const bool ready = workspace_init(&space, decay->limbs);
        if (!ready) without_memory++;
#pragma omp for schedule(dynamic)
        for (int64_t block = from / BLOCK; block < (from + n + BLOCK - 1) / BLOCK; block++)
            if (ready) block_values(&space, decay, block, from, n, value);
        workspace_clear(&space);
        mpfr_free_cache();
    }
    if (without_memory)
        return rope_fail(error, ROPE_NO_MEMORY, NULL, NULL, "no memory for numbers of %d limbs", decay->limbs->n);
    return ROPE_OK;
}
