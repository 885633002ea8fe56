/* Rows that positions make: sinusoids, and rotation. Certified cosines and sines come from src/phase.h. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "../../src/number/dd.h"
#include "../../src/phase.h"
#include "../../src/rotation.h"
#include "rows.h"

rope_spec rows_spec(size_t dim, double base, rope_layout layout) {
    rope_spec spec = rope_spec_default();
    spec.dim = (int)dim, spec.base = base;
    spec.layout_in = spec.layout_out = layout;
    const rope_status status = rope_spec_check(&spec, NULL);
    assert(status == ROPE_OK);
    (void)status;
    return spec;
}

/* Cosines and sines of one position at a time, as doubles: each within half an ulp below 1, and ROPE_PHASE_ROW_ERROR.
 */
#define COSINE_ERROR (0x1p-54 + 0x1p-97)

typedef struct circle {
    rope_phase *phase;
    rope_dd *wide; /* [2h] */
    double *c, *s; /* [h] each */
    size_t pairs;
} circle;

static void circle_free(circle *o) {
    rope_phase_free(o->phase);
    free(o->wide);
    free(o->c);
}

static bool circle_new(circle *o, const rope_spec *spec, int64_t largest) {
    *o = (circle){.pairs = (size_t)rope_spec_pairs(spec)};
    o->wide = malloc(2 * o->pairs * sizeof *o->wide);
    o->c = malloc(2 * o->pairs * sizeof *o->c);
    if (o->wide && o->c && rope_phase_new(&o->phase, spec, largest, NULL) == ROPE_OK) {
        o->s = o->c + o->pairs;
        return true;
    }
    circle_free(o);
    return false;
}

static void circle_at(circle *o, int64_t m) {
    rope_phase_row(o->phase, m, o->wide, o->wide + o->pairs);
    for (size_t i = 0; i < 2 * o->pairs; i++) o->c[i] = o->wide[i].hi + o->wide[i].lo;
}

/* ---- sinusoids --------------------------------------------------------------------------------------- */

static void sinusoid_exact(rows *p, const rope_spec *spec, size_t t, int64_t m) {
    for (size_t i = 0; i < p->dim / 2; i++) {
        mpfr_t *pair = rows_exact_row(p, t) + 2 * i;
        rope_phase_reference(pair[1], pair[0], spec, m, (int)i);
    }
}

static void sinusoid_double(rows *p, circle *o, size_t t, int64_t m) {
    circle_at(o, m);
    for (size_t i = 0; i < o->pairs; i++) {
        rows_row(p, t)[2 * i] = o->s[i];
        rows_row(p, t)[2 * i + 1] = o->c[i];
    }
}

/* dim numbers, each within COSINE_ERROR, or within 2 u for MPFR: sqrt(dim) times that in the 2-norm. */
rows *rows_sinusoid(int64_t first, int64_t step, size_t count, size_t dim, double base, long bits) {
    const rope_spec spec = rows_spec(dim, base, ROPE_INTERLEAVED);
    const int64_t last = first + step * (int64_t)(count - 1);
    circle o = {0};
    rows *p = rows_new(count, dim, bits);
    if (!p) return NULL;
    if (!p->exact && !circle_new(&o, &spec, llabs(first) > llabs(last) ? llabs(first) : llabs(last))) {
        rows_free(p);
        return NULL;
    }
    for (size_t t = 0; t < count; t++) {
        if (p->exact)
            sinusoid_exact(p, &spec, t, first + step * (int64_t)t);
        else
            sinusoid_double(p, &o, t, first + step * (int64_t)t);
        p->error[t] = sqrt((double)dim) * (p->exact ? 2.0 * rows_unit(bits) : COSINE_ERROR) * ROWS_SLACK;
    }
    rows_settle(p);
    circle_free(&o);
    return p;
}

/* ---- rotation ---------------------------------------------------------------------------------------- */

/* Each pair, in units u of its norm: cos and sin off by COSINE_ERROR each turn the pair into one off by sqrt(2)
 * COSINE_ERROR, under 0.77 u. Products and sum are off by u(|x_a c| + |x_b s|) and u |y_a| with their quadratic terms;
 * over both channels that is sqrt(2) u and u. Together under 3.2 u; 4 u is taken. rope_rotate_mpfr promises 4 u
 * (|x_a| + |x_b|) in each channel: 8 u over both. The rotation itself keeps the operand's error as it is. */
static double rotated_error(const rows *x, size_t t) {
    const double units = x->exact ? 8.0 : 4.0;
    return (x->error[t] + units * rows_unit(x->bits) * x->norm[t] + 4.0 * (double)x->dim * 0x1p-1074) * ROWS_SLACK;
}

rows *rows_rotate(const rows *x, const rope_spec *spec, int64_t first, bool inverse) {
    if (!x) return NULL;
    assert((size_t)spec->dim == x->dim && spec->magnitude == 1.0);
    const int64_t last = first + (int64_t)x->count - 1;
    circle o = {0};
    rows *y = rows_new(x->count, x->dim, x->bits);
    if (!y) return NULL;
    if (!y->exact && !circle_new(&o, spec, llabs(first) > llabs(last) ? llabs(first) : llabs(last))) {
        rows_free(y);
        return NULL;
    }
    for (size_t t = 0; t < x->count; t++) {
        if (y->exact) {
            rope_rotate_mpfr(spec, first + (int64_t)t, inverse, 1, (const mpfr_t *)rows_exact_row(x, t),
                             rows_exact_row(y, t));
        } else {
            circle_at(&o, first + (int64_t)t);
            rope_rotate(ROPE_F64, spec, o.c, o.s, inverse, rows_row(x, t), rows_row(y, t));
        }
        y->error[t] = rotated_error(x, t);
    }
    rows_settle(y);
    circle_free(&o);
    return y;
}
