#include "table_truth.h"

#include <math.h>
#include <mpfr.h>

#include "frequency/frequency.h"
#include "phase.h"

enum { FIRST_PRECISION = 96, LAST_PRECISION = 1 << 14 };

typedef struct enclosure {
    mpfr_t low, high;       /* low <= v <= high; low = high when v is known exactly */
    mpfr_t nearer, farther; /* |x - v| lies between */
    bool last;
} enclosure;

static void enclosure_init(enclosure *e, int precision) {
    mpfr_inits2(precision, e->low, e->high, e->nearer, e->farther, (mpfr_ptr)0);
    e->last = precision >= LAST_PRECISION;
}

static void enclosure_clear(enclosure *e) {
    mpfr_clears(e->low, e->high, e->nearer, e->farther, (mpfr_ptr)0);
}

static bool is_zero(const rope_truth *truth) {
    return truth->replayed ? truth->angle == 0.0 : truth->m == 0;
}

/* A cos a and A sin a within A 2^(1-p): cos, A and the product round by 2^-p each at p + 2 bits. */
static void replayed_phase(mpfr_t c, mpfr_t s, const rope_truth *truth) {
    mpfr_t A, angle;
    mpfr_init2(A, mpfr_get_prec(c) + 2);
    mpfr_init2(angle, 53);
    rope_magnitude(A, truth->spec);
    mpfr_set_d(angle, truth->angle, MPFR_RNDN);
    mpfr_sin_cos(s, c, angle, MPFR_RNDN);
    mpfr_mul(c, c, A, MPFR_RNDN);
    mpfr_mul(s, s, A, MPFR_RNDN);
    mpfr_clears(A, angle, (mpfr_ptr)0);
}

static void enclose(enclosure *e, const rope_truth *truth) {
    const mpfr_prec_t p = mpfr_get_prec(e->low);
    const bool zero = is_zero(truth);
    const bool rational = truth->spec->has_magnitude || !truth->spec->rule->magnitude;
    mpfr_ptr v = truth->array == ROPE_COS ? e->low : e->high, other = truth->array == ROPE_COS ? e->high : e->low;
    mpfr_t radius; /* A 2^(2-p), A rounded to 32 bits: above the errors below */
    mpfr_init2(radius, 32);
    rope_magnitude(radius, truth->spec);
    mpfr_mul_2si(radius, radius, 2 - (long)p, MPFR_RNDN);

    if (zero && truth->array == ROPE_COS)
        rope_magnitude(v, truth->spec);
    else if (zero)
        mpfr_set_zero(v, 1);
    else if (truth->replayed)
        replayed_phase(e->low, e->high, truth);
    else
        rope_phase_reference(e->low, e->high, truth->spec, truth->m, truth->pair);

    if (e->last || (zero && (rational || truth->array == ROPE_SIN))) mpfr_set_zero(radius, 1);
    mpfr_set(other, v, MPFR_RNDN);
    mpfr_sub(e->low, e->low, radius, MPFR_RNDD);
    mpfr_add(e->high, e->high, radius, MPFR_RNDU);
    mpfr_clear(radius);
}

/* nearer and farther from low and high. */
static void measure(enclosure *e, double x) {
    if (mpfr_cmp_d(e->low, x) > 0) {
        mpfr_sub_d(e->nearer, e->low, x, MPFR_RNDD);
        mpfr_sub_d(e->farther, e->high, x, MPFR_RNDU);
    } else if (mpfr_cmp_d(e->high, x) < 0) {
        mpfr_d_sub(e->nearer, x, e->high, MPFR_RNDD);
        mpfr_d_sub(e->farther, x, e->low, MPFR_RNDU);
    } else {
        mpfr_set_zero(e->nearer, 1);
        mpfr_sub(e->farther, e->high, e->low, MPFR_RNDU);
    }
}

/* v rounded to the format: to a multiple of its spacing at v, ties to even; beyond its range to Inf. */
static double rounded(const mpfr_t v, rope_dtype dtype) {
    if (mpfr_zero_p(v)) return 0.0;
    const rope_format *format = rope_format_of(dtype);
    long e = (long)mpfr_get_exp(v) - 1; /* 2^e <= |v| < 2^(e+1) */
    if (e < format->emin) e = format->emin;
    const long spacing = e - format->precision + 1;
    mpfr_t units;
    mpfr_init2(units, mpfr_get_prec(v));
    mpfr_mul_2si(units, v, -spacing, MPFR_RNDN);
    mpfr_rint(units, units, MPFR_RNDN);
    const double x = ldexp(mpfr_get_d(units, MPFR_RNDN), (int)spacing); /* exact */
    mpfr_clear(units);
    return fabs(x) < ldexp(2.0, format->emax) ? x : copysign((double)INFINITY, x);
}

double rope_truth_nearest(const rope_truth *truth, rope_dtype dtype) {
    if (truth->replayed && !isfinite(truth->angle)) return (double)NAN;
    double low = 0.0, high = 1.0;
    for (int precision = FIRST_PRECISION; low != high; precision *= 2) {
        enclosure e;
        enclosure_init(&e, precision);
        enclose(&e, truth);
        low = rounded(e.low, dtype);
        high = rounded(e.high, dtype);
        enclosure_clear(&e);
    }
    return low;
}

double rope_truth_distance(const rope_truth *truth, double x) {
    if (truth->replayed && !isfinite(truth->angle)) return (double)NAN;
    double nearer = 0.0, farther = 1.0;
    for (int precision = FIRST_PRECISION; nearer != farther; precision *= 2) {
        enclosure e;
        enclosure_init(&e, precision);
        enclose(&e, truth);
        measure(&e, x);
        nearer = mpfr_get_d(e.nearer, MPFR_RNDN);
        farther = mpfr_get_d(e.farther, MPFR_RNDN);
        enclosure_clear(&e);
    }
    return nearer;
}

bool rope_truth_within(const rope_truth *truth, double x, double allowed) {
    if (truth->replayed && !isfinite(truth->angle)) return false;
    bool within = false, beyond = false;
    for (int precision = FIRST_PRECISION; !within && !beyond; precision *= 2) {
        enclosure e;
        enclosure_init(&e, precision);
        enclose(&e, truth);
        measure(&e, x);
        within = mpfr_cmp_d(e.farther, allowed) <= 0;
        beyond = mpfr_cmp_d(e.nearer, allowed) > 0;
        enclosure_clear(&e);
    }
    return within;
}
