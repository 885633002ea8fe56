/* The longest context of a base, and the least bases of a context, by the sign of C(r) = sum_j cos(r theta_j) [Men et
 * al., arXiv 2405.14591, theorem 1 and equations 10, 11]. Every sign is certified.
 *
 * Bases that serve a context are a union of intervals, islands, with bad bases between them: "good for b, so good for
 * more than b" is false, and bisection finds any edge but the least. The search walks upward from base 1 and proves on
 * its way that what it passes is bad. Let t = ln b, c = |C(m)| at b, s how fast it shrinks there, and bend the bound
 * of the second derivative [decay.h]. The sign of C(m) lasts from b to b e^w where
 *
 *     c - s w - bend w^2 / 2 > 0,
 *
 * which is Newton's step to the next zero, kept on the safe side. One m with C(m) < 0 rules out every base that it
 * reaches; a base is followed by good ones as far as all its m reach. Where the step falls below GAP the walk jumps by
 * GAP: an island, or a hole in one, that is relatively narrower than GAP can be missed, nothing else. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../../src/frequency/frequency.h"

#define GAP 0x1p-26

static const double largest_base = DECAY_LARGEST_BASE;

enum { CANDIDATES = 256, FIRST_CHUNK = 1 << 13, LARGEST_CHUNK = 1 << 20 };

/* ---- certified signs --------------------------------------------------------------------------------- */

double decay_passed_pairs(const rope_spec *spec) {
    return 0.5 * (spec->dim - spec->rotary_dim);
}

int decay_sign_of_sum(const rope_spec *spec, int64_t m, double *value, double *error) {
    enum { MOST = 1024 };
    rope_decay_value at;
    mpfr_t r;
    int sign = 0;
    rope_decay_value_init(&at);
    mpfr_init2(r, 64);
    mpfr_set_si(r, (long)m, MPFR_RNDN);
    for (long bits = 96; sign == 0 && bits <= MOST; bits *= 2) {
        rope_decay_at(&at, spec, r, bits);
        mpfr_prec_round(at.C, bits + 16, MPFR_RNDN); /* room for the exact sum with a small whole number */
        mpfr_add_d(at.C, at.C, decay_passed_pairs(spec), MPFR_RNDN);
        if (mpfr_cmpabs(at.C, at.C_error) > 0) sign = mpfr_sgn(at.C);
    }
    decay_to_doubles(value, error, at.C, at.C_error);
    mpfr_clear(r);
    rope_decay_value_clear(&at);
    return sign;
}

/* What a scan of the distances of one base finds. */
typedef struct candidate {
    int64_t m;
    double ratio; /* (C + passed) / m is at least that */
} candidate;

typedef struct scan {
    candidate found[2 * CANDIDATES]; /* those with the least ratios */
    int count;
    double limit;  /* a ratio of that much is not among them */
    double safe;   /* the least ratio of the others */
    int64_t first; /* the least m with C + passed < 0, certified; 0: none so far */
    int negative;  /* how many of those */
} scan;

static int by_ratio(const void *a, const void *b) {
    const double x = ((const candidate *)a)->ratio, y = ((const candidate *)b)->ratio;
    return (x > y) - (x < y);
}

static void drop_upper_half(scan *s) {
    if (s->count <= CANDIDATES) return;
    qsort(s->found, (size_t)s->count, sizeof *s->found, by_ratio);
    s->count = CANDIDATES;
    s->safe = fmin(s->safe, s->found[CANDIDATES].ratio);
    s->limit = s->found[CANDIDATES - 1].ratio;
}

static void keep(scan *s, int64_t m, double ratio) {
    if (ratio >= s->limit) {
        s->safe = fmin(s->safe, ratio);
        return;
    }
    s->found[s->count++] = (candidate){m, ratio};
    if (s->count == 2 * CANDIDATES) drop_upper_half(s);
}

/* from .. from + n - 1. C + passed rounds by 2^-53 of its size, which is near passed where it matters. */
static rope_status scan_chunk(scan *s, const rope_spec *spec, int64_t from, int64_t n, double *C, rope_error *error) {
    const double passed = decay_passed_pairs(spec);
    rope_decay *decay;
    const rope_status status =
        rope_decay_new(&decay, spec, (rope_distances){(double)from, 1.0, n}, ROPE_DECAY_DOUBLE, error);
    if (status != ROPE_OK) return status;
    const double doubt = 2 * rope_decay_enclose(decay, 0, n, C + n, C).C + 0x1p-50 * passed;
    rope_decay_free(decay);
    for (int64_t k = 0; k < n; k++) {
        double value = C[k] + passed, off = doubt;
        int sign = value > doubt ? 1 : value < -doubt ? -1 : 0;
        if (!sign && !(sign = decay_sign_of_sum(spec, from + k, &value, &off)))
            return rope_fail(error, ROPE_UNSUPPORTED, "", NULL, "a sign is undecided at 1024 bits");
        if (sign < 0 && !s->negative++) s->first = from + k;
        keep(s, from + k, (value - off) / (double)(from + k));
    }
    return ROPE_OK;
}

/* Looks at 1 <= r < limit in chunks that grow, until `enough` are negative. */
static rope_status scan_base(scan *s, const rope_spec *spec, int64_t limit, int enough, option_bar *bar,
                             rope_error *error) {
    const int64_t largest = limit < LARGEST_CHUNK ? limit : LARGEST_CHUNK;
    double *const C = malloc(2 * (size_t)largest * sizeof *C);
    rope_status status = C ? ROPE_OK : rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for a scan");
    s->count = s->negative = 0, s->first = 0, s->safe = s->limit = INFINITY;
    int64_t from = 1;
    for (int64_t chunk = FIRST_CHUNK; status == ROPE_OK && from < limit && s->negative < enough; chunk *= 8) {
        if (chunk > largest) chunk = largest;
        const int64_t n = limit - from < chunk ? limit - from : chunk;
        status = scan_chunk(s, spec, from, n, C, error);
        from += n;
        if (bar) option_bar_step(bar, (uint64_t)from);
    }
    drop_upper_half(s);
    free(C);
    return status;
}

rope_status decay_first_negative(int64_t *first, const rope_spec *spec, int64_t limit, option_bar *bar,
                                 rope_error *error) {
    scan s;
    const rope_status status = scan_base(&s, spec, limit, 1, bar, error);
    *first = status == ROPE_OK ? s.first : 0;
    return status;
}

/* ---- least bases ------------------------------------------------------------------------------------- */

typedef struct walk {
    rope_spec spec; /* its base moves */
    int64_t length;
    rope_decay_base base; /* of it */
    uint64_t steps;       /* each proved */
    int jumps;            /* places where it went on by GAP, once or more, without a proof */
    option_bar *bar;
} walk;

/* The w up to which the sign of C + passed lasts; 0: it has another, or none for certain. Of twice the errors one half
 * is for the roundings here: c and s round by 3 times 2^-53 of their parts, which are below h and m steepness. The
 * rest, sums, products and a root of positive numbers, rounds by less than 2^-49 of itself. */
static double reach(const rope_decay_trend *trend, double passed, int sign) {
    const double c = sign * (trend->C + passed) - (2 * trend->C_error + 0x1p-50 * passed);
    const double s = 2 * trend->slope_error - sign * trend->slope;
    if (!(c > 0.0)) return 0.0;
    if (trend->bend == 0.0) return INFINITY; /* one pair: nothing depends on the base */
    const double root = sqrt(s * s + 2 * trend->bend * c);
    return (s > 0.0 ? 2 * c / (s + root) : (root - s) / trend->bend) * (1 - 0x1p-40);
}

/* From where the walk is: the farthest reach of a negative candidate, or the least reach of all as positive ones. */
static double proved_step(walk *w, const scan *s, int sign) {
    int64_t m[CANDIDATES];
    rope_decay_trend trend[CANDIDATES];
    double step = sign < 0 ? 0.0 : INFINITY;
    rope_decay_base_set(&w->base, &w->spec);
    for (int c = 0; c < s->count; c++) m[c] = s->found[c].m;
    rope_decay_trends(&w->base, m, s->count, trend);
    for (int c = 0; c < s->count; c++) {
        const double far = reach(&trend[c], decay_passed_pairs(&w->spec), sign);
        if (sign < 0 ? far > step : far < step) step = far;
    }
    return step;
}

/* By w in ln b, at most: e^w >= 1 + w. */
static void step_on(walk *w, double step) {
    w->spec.base *= (1 + step) * (1 - 0x1p-50);
    option_bar_step(w->bar, ++w->steps);
}

static void jump_on(walk *w, bool again) {
    w->spec.base *= 1 + GAP;
    w->jumps += !again;
}

/* Moves the base up to the least good one from there on, but for GAP, or past largest_base. */
static rope_status walk_to_good(walk *w, rope_error *error) {
    scan s = {.count = 0};
    for (bool jumped = false; w->spec.base < largest_base;) {
        const double step = proved_step(w, &s, -1);
        if (step > GAP) {
            step_on(w, step);
            jumped = false;
            continue;
        }
        const rope_status status = scan_base(&s, &w->spec, w->length, CANDIDATES, NULL, error);
        if (status != ROPE_OK || !s.negative) return status;
        if (proved_step(w, &s, -1) > GAP) continue;
        jump_on(w, jumped);
        jumped = true;
    }
    return ROPE_OK;
}

/* As far as every distance proves itself good: the candidates one by one, the others by their least ratio. Returns
 * whether that was farther than GAP. */
static bool walk_on_good(walk *w, const scan *s) {
    bool moved = false;
    rope_decay_base_set(&w->base, &w->spec);
    for (double left = s->safe / w->base.steepness * (1 - 0x1p-40); left > GAP && w->spec.base < largest_base;) {
        const double step = fmin(fmin(proved_step(w, s, 1), left), 1.0);
        if (step <= GAP) break;
        step_on(w, step);
        left -= step;
        moved = true;
    }
    return moved;
}

/* From a good base to the last one of its island; INFINITY when it goes on past largest_base. */
static rope_status walk_to_bad(walk *w, double *last_good, rope_error *error) {
    for (bool jumped = false;;) {
        scan s;
        const rope_status status = scan_base(&s, &w->spec, w->length, 1, NULL, error);
        if (status != ROPE_OK || s.negative) return status;
        *last_good = w->spec.base < largest_base ? w->spec.base : INFINITY;
        if (*last_good == INFINITY) return ROPE_OK;
        const bool moved = walk_on_good(w, &s);
        *last_good = w->spec.base;
        if (!moved) jump_on(w, jumped);
        jumped = !moved;
    }
}

/* A walk is thousands of small scans one after the other: to wake threads for them takes longer than they do. Returns
 * how many there were. */
static int set_threads(int threads) {
#ifdef _OPENMP
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    return before;
#else
    return threads;
#endif
}

static rope_status check_rule(const rope_spec *spec, rope_error *error) {
    if (spec->rule == &rope_rule_default || spec->rule == &rope_rule_linear || spec->rule == &rope_rule_ntk)
        return ROPE_OK;
    return rope_fail(error, ROPE_UNSUPPORTED, "--scaling", "default, linear or ntk",
                     "the search over bases is proved for frequencies in geometric progression");
}

/* What holds from base 1 to the walk's first base, see decay_search.below. With t = ln b, theta_j at 1 is at most b
 * times that at b, so steepness there is at most b times that here, and C(m) moves by less than m steepness b ln b;
 * errors are doubled as in reach, and 1 - 2^-40 for the roundings. */
static rope_status look_back(walk *w, int *below, rope_error *error) {
    int64_t m[CANDIDATES];
    rope_decay_trend trend[CANDIDATES];
    scan s;
    const rope_status status = scan_base(&s, &w->spec, w->length, CANDIDATES, NULL, error);
    *below = 0;
    if (status != ROPE_OK) return status;
    rope_decay_base_set(&w->base, &w->spec);
    const double moves = w->base.steepness * w->spec.base * log(w->spec.base) * (1 + 0x1p-40);
    double least = s.safe;
    for (int c = 0; c < s.count; c++) least = fmin(least, s.found[c].ratio), m[c] = s.found[c].m;
    rope_decay_trends(&w->base, m, s.count, trend);
    for (int c = 0; c < s.count; c++) {
        const double passed = decay_passed_pairs(&w->spec);
        const double highest = trend[c].C + passed + 2 * trend[c].C_error + 0x1p-50 * passed;
        if (highest * (1 - 0x1p-40) < -moves * (double)m[c]) *below = -1;
    }
    if (!s.negative && least > moves) *below = 1;
    return status;
}

rope_status decay_islands(decay_island *island, int *count, decay_search *search, const rope_spec *spec, int64_t length,
                          option_bar *bar, rope_error *error) {
    const int most = *count;
    walk w = {.spec = *spec, .length = length, .bar = bar};
    rope_status status = check_rule(spec, error);
    int below = 0;
    w.spec.base = 1 + 0x1p-20;
    *count = 0;
    const int threads = set_threads(1);
    if (status == ROPE_OK) status = look_back(&w, &below, error);
    for (double last = 0.0; status == ROPE_OK && last < INFINITY && *count < most;) {
        decay_island *const next = &island[*count];
        status = walk_to_good(&w, error);
        if (status != ROPE_OK || w.spec.base >= largest_base) break;
        next->first =
            below > 0 && *count == 0 ? 1.0 : w.spec.base; /* then all bases above 1 up to the first are in it */
        status = walk_to_bad(&w, &next->last, error);
        if (status == ROPE_OK) last = next->last, (*count)++;
    }
    if (status == ROPE_OK && *count == 0)
        status = rope_fail(error, ROPE_UNSUPPORTED, "--length", "a shorter one, or more pairs",
                           "no base up to %g serves it", largest_base);
    set_threads(threads);
    *search = (decay_search){w.steps, w.jumps, below};
    return status;
}
