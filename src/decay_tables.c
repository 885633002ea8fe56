#include "decay_tables.h"

#include "frequency/frequency.h"

/* Binary64 numbers and their small multiples add exactly in this precision: 2^1024 down to 2^-1074, and some bits of
 * carry. */
enum { EXACT = 1024 + 1074 + 64 };

/* The angle is below 2^e. theta at q bits is off by 2^(1-q) of itself and the product by 2^-q: below 3 2^(e-q) <=
 * 2^(-p-2) absolutely, with q >= p + 4 + e. The last rounding adds 2^(-p-1). */
void rope_decay_phase(mpfr_t c, mpfr_t s, const rope_spec *spec, int j, const mpfr_t x) {
    if (mpfr_zero_p(x)) {
        mpfr_set_ui(c, 1, MPFR_RNDN);
        mpfr_set_ui(s, 0, MPFR_RNDN);
        return;
    }
    const mpfr_prec_t p = mpfr_get_prec(c) + 4;
    long e = (long)mpfr_get_exp(x) + 1;
    mpfr_t angle;
    mpfr_init2(angle, p + (e > 0 ? e : 0));
    rope_frequency(angle, spec, j);
    if (mpfr_get_exp(angle) > 1) { /* theta is 2 or more: once again with its own bits */
        e = (long)mpfr_get_exp(angle) + (long)mpfr_get_exp(x) + 1;
        mpfr_set_prec(angle, p + (e > 0 ? e : 0));
        rope_frequency(angle, spec, j);
    }
    mpfr_mul(angle, angle, x, MPFR_RNDN);
    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
    mpfr_clear(angle);
}

/* halves half steps, plus first when asked: exact. */
static void distance_at(mpfr_t x, const rope_distances *distances, bool from_first, int64_t halves) {
    mpfr_set_prec(x, EXACT);
    mpfr_set_d(x, distances->step, MPFR_RNDN);
    mpfr_mul_si(x, x, (long)halves, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    if (from_first) mpfr_add_d(x, x, distances->first, MPFR_RNDN);
}

void rope_decay_distance(mpfr_t r, const rope_decay *decay, int64_t k) {
    distance_at(r, &decay->distances, true, 2 * k);
}

typedef struct series {
    rope_decay_level level;
    bool from_first;
    int64_t start, step, rows; /* row k at (start + k step) half steps, plus first */
} series;

/* One column: z w^k, k = 0, 1, ... With precision p the start and w are off by sqrt2 2^-p, a product by sqrt2
 * 2^(-p-1) more than its factors together [moduli of 1 amplify nothing]: after k < 2^12 steps by (k + 1) sqrt2 1.5
 * 2^-p < 2^(14-p). [derivation 16.2] */
static void fill_column(const rope_decay *decay, const series *rows, int j, mpfr_prec_t precision, rope_decay_put *put,
                        void *tables) {
    mpfr_t x, c, s, wc, ws, t;
    mpfr_init2(x, EXACT);
    mpfr_inits2(precision, c, s, wc, ws, t, (mpfr_ptr)0);
    distance_at(x, &decay->distances, rows->from_first, rows->start);
    rope_decay_phase(c, s, &decay->spec, j, x);
    distance_at(x, &decay->distances, false, rows->step);
    rope_decay_phase(wc, ws, &decay->spec, j, x);
    for (int64_t row = 0; row < rows->rows; row++) {
        put(tables, rows->level, row, j, c, s);
        mpfr_fmms(t, c, wc, s, ws, MPFR_RNDN);
        mpfr_fmma(s, s, wc, c, ws, MPFR_RNDN);
        mpfr_swap(c, t);
    }
    mpfr_clears(x, c, s, wc, ws, t, (mpfr_ptr)0);
}

/* For one block the columns are so short that threads take longer to wake than to fill them. */
void rope_decay_fill(const rope_decay *decay, mpfr_prec_t precision, rope_decay_put *put, void *tables) {
    const int64_t block = 2 * ROPE_DECAY_BLOCK;
    const series all[] = {{ROPE_DECAY_BABY, false, 1, 2, ROPE_DECAY_BABIES},
                          {ROPE_DECAY_MID, false, 0, block, decay->mids},
                          {ROPE_DECAY_TOP, true, ROPE_DECAY_BLOCK - 1, block * decay->mids, decay->tops}};
#pragma omp parallel if (decay->mids * decay->tops > 1)
    {
#pragma omp for schedule(dynamic)
        for (int j = 0; j < decay->pairs; j++)
            for (size_t k = 0; k < sizeof all / sizeof *all; k++)
                fill_column(decay, &all[k], j, precision, put, tables);
        mpfr_free_cache();
    }
}
