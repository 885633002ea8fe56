/* Near returns: distances after which a rotation nearly stands where it stood.
 *
 * Pair 0 turns by theta_0 per position (1 rad by default). r theta_0 is near 2 pi k exactly when r/k is near x = 2 pi /
 * theta_0, and the best r are the numerators of the convergents of x's continued fraction [Khinchin 1964, theorem 16].
 * No whole r > 0 returns exactly: pi is irrational.
 *
 * The whole vector is as far from its start as its worst pair: max_j 2 |sin(r theta_j / 2)|, 2 sin(pi d) for the
 * largest distance d of the turns r theta_j / 2 pi from whole numbers. In the mean over pairs the chord is sqrt(2 (1 -
 * C(r)/h)). */
#include "decay.h"

#include <math.h>
#include <stdlib.h>

#include "../../src/frequency/frequency.h"

enum { BITS = 256 };

/* ---- pair 0 ------------------------------------------------------------------------------------------ */

/* r theta - 2 pi k and the chord 2 |sin of half of it|, printed; 256 bits leave far more than the digits shown for r <
 * 2^31. */
static void print_return(int64_t r, int64_t turns, const mpfr_t theta, const mpfr_t two_pi) {
    mpfr_t rest, chord;
    mpfr_inits2(BITS, rest, chord, (mpfr_ptr)0);
    mpfr_mul_si(rest, theta, (long)r, MPFR_RNDN);
    mpfr_mul_si(chord, two_pi, (long)turns, MPFR_RNDN);
    mpfr_sub(rest, rest, chord, MPFR_RNDN);
    mpfr_div_2ui(chord, rest, 1, MPFR_RNDN);
    mpfr_sin(chord, chord, MPFR_RNDN);
    mpfr_mul_2ui(chord, chord, 1, MPFR_RNDN);
    mpfr_abs(chord, chord, MPFR_RNDN);
    mpfr_printf("  %12lld %12lld  %20.12Rg  %18.12Rg\n", (long long)r, (long long)turns, rest, chord);
    mpfr_clears(rest, chord, (mpfr_ptr)0);
}

/* Convergents p/q of x with p < limit. A term is taken only while floor of both ends of an enclosure of the remainder
 * agree: 256 bits are enough for some 70 terms of a typical number, and p passes 2^31 after about 20. */
static rope_status print_convergents(const rope_spec *spec, int64_t limit, rope_error *error) {
    mpfr_t theta, two_pi, low, high, term, other;
    mpfr_inits2(BITS, theta, two_pi, low, high, term, other, (mpfr_ptr)0);
    rope_frequency(theta, spec, 0);
    mpfr_const_pi(two_pi, MPFR_RNDN);
    mpfr_mul_2ui(two_pi, two_pi, 1, MPFR_RNDN);
    mpfr_div(low, two_pi, theta, MPFR_RNDN); /* three roundings, of the frequency, pi and the quotient: 2^-253 of it */
    mpfr_set(high, low, MPFR_RNDN);
    for (int k = 0; k < 8; k++) mpfr_nextbelow(low), mpfr_nextabove(high);
    rope_status status = ROPE_OK;
    int64_t p[2] = {0, 1}, q[2] = {1, 0};
    for (;;) {
        mpfr_floor(term, low);
        mpfr_floor(other, high);
        if (!mpfr_equal_p(term, other)) {
            status =
                rope_fail(error, ROPE_UNSUPPORTED, "", NULL, "the continued fraction is undecided at %d bits", BITS);
            break;
        }
        const double a = mpfr_get_d(term, MPFR_RNDU);
        if (a * (double)p[1] + (double)p[0] >= (double)limit) break;
        const int64_t next_p = (int64_t)a * p[1] + p[0], next_q = (int64_t)a * q[1] + q[0];
        p[0] = p[1], p[1] = next_p, q[0] = q[1], q[1] = next_q;
        if (next_p > 0) print_return(next_p, next_q, theta, two_pi);
        mpfr_sub(low, low, term, MPFR_RNDD);
        mpfr_sub(high, high, term, MPFR_RNDU);
        if (mpfr_sgn(low) <= 0) break; /* whole: the return is exact */
        mpfr_ui_div(other, 1, low, MPFR_RNDU);
        mpfr_ui_div(low, 1, high, MPFR_RNDD);
        mpfr_swap(high, other);
    }
    mpfr_clears(theta, two_pi, low, high, term, other, (mpfr_ptr)0);
    return status;
}

/* ---- the whole vector ---------------------------------------------------------------------------------- */

/* Turns r f_j, f_j = RN(theta_j / 2 pi). f is off by 2^-53 of itself and the product rounds by 2^-53: r f is off by
 * less than r f 2^-52, r f < 2^31 / 6. The remainder to the nearest whole number is exact. */
typedef struct best {
    int64_t r;
    double distance; /* largest distance of a pair's turns from a whole number, for this r; off by at most `off` */
    double off;
} best;

static void turns_per_position(double *f, const rope_spec *spec) {
    mpfr_t theta, two_pi;
    mpfr_inits2(128, theta, two_pi, (mpfr_ptr)0);
    mpfr_const_pi(two_pi, MPFR_RNDN);
    mpfr_mul_2ui(two_pi, two_pi, 1, MPFR_RNDN);
    for (int j = 0; j < rope_spec_pairs(spec); j++) {
        rope_frequency(theta, spec, j);
        mpfr_div(theta, theta, two_pi, MPFR_RNDN);
        f[j] = mpfr_get_d(theta, MPFR_RNDN);
    }
    mpfr_clears(theta, two_pi, (mpfr_ptr)0);
}

static best closest(const double *f, int h, int64_t from, int64_t end, option_bar *bar) {
    best found = {0, 1.0, 0.0};
    for (int64_t r = from; r < end; r++) {
        double worst = 0.0;
        for (int j = 0; j < h && worst < found.distance; j++) {
            const double turns = (double)r * f[j];
            worst = fmax(worst, fabs(turns - rint(turns)));
        }
        if (worst < found.distance) found = (best){r, worst, 0.0};
        if (!(r & 0xffff)) option_bar_step(bar, (uint64_t)r);
    }
    found.off = (double)end * f[0] * 0x1p-52; /* of this r and of those it beat */
    return found;
}

static void print_closest(const rope_spec *spec, const char *where, best found) {
    const double pi = 3.14159265358979323846;
    char label[160];
    rope_spec_describe(spec, label, sizeof label);
    printf("  %-24s max chord %.6g at r = %lld (error <= %.1e)\n", where, 2 * sin(pi * found.distance),
           (long long)found.r, 2 * pi * found.off + 0x1p-50);
}

/* The largest C, so the least root mean square chord, of from .. end - 1: of doubles within a bound of the exact ones.
 */
static rope_status print_mean_chord(const rope_spec *spec, const char *where, int64_t from, int64_t end,
                                    rope_error *error) {
    enum { CHUNK = 1 << 16 };
    rope_decay *decay;
    rope_status status =
        rope_decay_new(&decay, spec, (rope_distances){(double)from, 1.0, end - from}, ROPE_DECAY_DOUBLE, error);
    if (status != ROPE_OK) return status;
    double *const value = malloc(2 * CHUNK * sizeof *value), largest = -INFINITY, bound = 0.0;
    int64_t at = from;
    for (int64_t done = 0; value && done < end - from; done += CHUNK) {
        const int64_t n = end - from - done < CHUNK ? end - from - done : CHUNK;
        bound = rope_decay_enclose(decay, done, n, value + CHUNK, value).C;
        for (int64_t k = 0; k < n; k++)
            if (value[k] > largest) largest = value[k], at = from + done + k;
    }
    const int h = rope_spec_pairs(spec);
    const double square = 2 * (1 - largest / h);
    if (!value) status = rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for a scan");
    /* the root's slope is 1 / (2 chord), the square is off by 2 bound / h and four roundings */
    if (value && square > 0)
        printf("  %-24s rms chord %.6g at r = %lld (error <= %.1e)\n", where, sqrt(square), (long long)at,
               (2 * bound / h + 0x1p-50) / sqrt(square));
    free(value);
    rope_decay_free(decay);
    return status;
}

int decay_returns(decay_session *session, rope_error *error) {
    enum { NEAR = 4097 };
    const rope_spec *const spec = &session->spec;
    const int64_t limit = session->limit ? session->limit : 1000000, near = limit < NEAR ? limit : NEAR;
    double f[ROPE_MAX_DIM / 2];
    char label[160], close[32], far[32];
    option_bar bar;
    rope_spec_describe(spec, label, sizeof label);
    if (session->request.inexact) printf("inputs: %s\n", session->request.inexact);
    printf("%s\n\nPair 0: the best whole distances are the convergents of 2 pi / theta_0\n  %12s %12s  %20s  %18s\n",
           label, "r", "turns", "r theta - 2 pi k", "chord");
    rope_status status = print_convergents(spec, limit, error);
    turns_per_position(f, spec);
    snprintf(close, sizeof close, "1 <= r < %lld:", (long long)near);
    snprintf(far, sizeof far, "%lld <= r < %lld:", (long long)near, (long long)limit);
    if (status == ROPE_OK) printf("\nThe whole vector, unit radius in every pair (2 is the opposite point)\n");
    option_bar_begin(&bar, option_progress(&session->line.common), "distances", (uint64_t)limit);
    if (status == ROPE_OK) print_closest(spec, close, closest(f, rope_spec_pairs(spec), 1, near, &bar));
    if (status == ROPE_OK) status = print_mean_chord(spec, close, 1, near, error);
    if (status == ROPE_OK && limit > near) {
        const best found = closest(f, rope_spec_pairs(spec), near, limit, &bar);
        option_bar_end(&bar);
        print_closest(spec, far, found);
        status = print_mean_chord(spec, far, near, limit, error);
    }
    option_bar_end(&bar);
    if (status == ROPE_OK && session->output.cite) decay_cite(stdout, CITE_ROFORMER | CITE_BARBERO);
    return status == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
}
