/* How fast is the decay engine?  build/bench_decay
 *
 * Every method computes B(r) at d = 128, base 10000, one thread; all are timed in turns in one run, and the median of
 * the rounds is shown, in nanoseconds of CPU time per entry (r, j). Ratios are what counts: times move with the
 * machine's load, ratios little. Status 1 when a ratio misses its floor.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gmp.h>
#include <mpfr.h>
#ifdef HAVE_ARB
#include <acb.h>
#include <arb.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../../src/clones.h"
#include "../../src/decay.h"
#include "../../src/frequency/frequency.h"

enum { PAIRS = 64, ROUNDS = 7, FIRST = 100000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what is measured -------------------------------------------------------------------------------- */

typedef struct method {
    const char *name;
    int bits, rows;       /* of one round */
    void (*run)(struct method *self);
    rope_decay *decay;
    rope_decay_value *value;
    double *B, *C;
    mpfr_t theta[PAIRS];  /* naive methods */
    double seconds[ROUNDS];
    double result;        /* B(FIRST + 1), so that nothing is optimised away and all can be compared */
} method;

static void run_round(method *self) {
    rope_decay_round(self->decay, 0, self->rows, self->B, self->C, NULL, 1024);
    self->result = self->B[1];
}

static void run_enclose(method *self) {
    rope_decay_enclose(self->decay, 0, self->rows, self->B, self->C);
    self->result = self->B[1];
}

static void run_numbers(method *self) {
    if (rope_decay_numbers(self->decay, 0, self->rows, self->value, NULL) == ROPE_OK)
        self->result = mpfr_get_d(self->value[1].B, MPFR_RNDN);
}

static void run_mpfr(method *self) {
    mpfr_t angle, c, s, re, im, total;
    mpfr_init2(angle, self->bits + 30);
    mpfr_inits2(self->bits, c, s, re, im, total, (mpfr_ptr)0);
    for (int k = 0; k < self->rows; k++) {
        mpfr_set_zero(re, 1);
        mpfr_set_zero(im, 1);
        mpfr_set_zero(total, 1);
        for (int j = 0; j < PAIRS; j++) {
            mpfr_mul_si(angle, self->theta[j], FIRST + k, MPFR_RNDN);
            mpfr_sin_cos(s, c, angle, MPFR_RNDN);
            mpfr_add(re, re, c, MPFR_RNDN);
            mpfr_add(im, im, s, MPFR_RNDN);
            mpfr_hypot(c, re, im, MPFR_RNDN);
            mpfr_add(total, total, c, MPFR_RNDN);
        }
        if (k == 1) self->result = mpfr_get_d(total, MPFR_RNDN) / PAIRS;
    }
    mpfr_clears(angle, c, s, re, im, total, (mpfr_ptr)0);
}

static void run_libm(method *self) {
    double theta[PAIRS];
    for (int j = 0; j < PAIRS; j++) theta[j] = mpfr_get_d(self->theta[j], MPFR_RNDN);
    for (int k = 0; k < self->rows; k++) {
        double re = 0.0, im = 0.0, total = 0.0;
        for (int j = 0; j < PAIRS; j++) {
            const double angle = theta[j] * (FIRST + k);
            re += cos(angle), im += sin(angle); /* one sincos where the compiler knows it */
            total += hypot(re, im);
        }
        self->B[k] = total / PAIRS;
    }
    self->result = self->B[1];
}

#ifdef HAVE_ARB
static void run_arb(method *self) {
    arb_t theta, angle, c, s, re, im, total;
    arb_init(theta), arb_init(angle), arb_init(c), arb_init(s), arb_init(re), arb_init(im), arb_init(total);
    for (int k = 0; k < self->rows; k++) {
        arb_zero(re), arb_zero(im), arb_zero(total);
        for (int j = 0; j < PAIRS; j++) {
            arf_set_mpfr(arb_midref(theta), self->theta[j]);
            arb_mul_si(angle, theta, FIRST + k, self->bits + 30);
            arb_sin_cos(s, c, angle, self->bits);
            arb_add(re, re, c, self->bits);
            arb_add(im, im, s, self->bits);
            arb_hypot(c, re, im, self->bits);
            arb_add(total, total, c, self->bits);
        }
        if (k == 1) self->result = arf_get_d(arb_midref(total), ARF_RND_NEAR) / PAIRS;
    }
    arb_clear(theta), arb_clear(angle), arb_clear(c), arb_clear(s), arb_clear(re), arb_clear(im), arb_clear(total);
}
#endif

/* ---- limits: the divider alone, and GMP's primitives alone -------------------------------------------- */

ROPE_INLINE double roots_body(int rows, double *x, const double *one) {
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < PAIRS; j++) x[j] = sqrt(x[j] + *one);
    return x[1];
}
ROPE_INLINE double quotients_body(int rows, double *x, const double *one) {
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < PAIRS; j++) x[j] = *one / sqrt(x[j] + *one);
    return x[1];
}
ROPE_KERNEL(double, roots, (int rows, double *x, const double *one), (rows, x, one))
ROPE_KERNEL(double, quotients, (int rows, double *x, const double *one), (rows, x, one))

static const double one = 1.0;

static void run_roots(method *self) { self->result = roots(self->rows, self->B, &one); }
static void run_quotients(method *self) { self->result = quotients(self->rows, self->B, &one); }

/* What an entry needs at least: 2 products, 2 squares, 1 root. */
static void run_limbs(method *self) {
    enum { MOST = 16 };
    const int n = self->bits / 64;
    mp_limb_t a[MOST], b[MOST], c[2 * MOST], d[2 * MOST];
    for (int k = 0; k < n; k++) a[k] = 0x9e3779b97f4a7c15u * (mp_limb_t)(k + 1), b[k] = ~a[k];
    b[n - 1] |= (mp_limb_t)1 << 63;
    for (int k = 0; k < self->rows * PAIRS; k++) {
        mpn_mul_n(c, a, b, n);
        mpn_mul_n(d, b, a, n);
        mpn_sqr(c, d, n);
        mpn_sqr(d, b, n);
        d[2 * n - 1] |= (mp_limb_t)1 << 63;
        mpn_sqrtrem(a, NULL, d, 2 * n);
        b[0] += c[0];
    }
    self->result = (double)a[0];
}

/* ---- the table --------------------------------------------------------------------------------------- */

static method methods[] = {
    {.name = "guaranteed double", .bits = 53, .rows = 4096, .run = run_round},
    {.name = "enclosed double", .bits = 53, .rows = 8192, .run = run_enclose},
    {.name = "limbs", .bits = 256, .rows = 128, .run = run_numbers},
    {.name = "limbs", .bits = 1024, .rows = 128, .run = run_numbers},
    {.name = "libm double, no guarantee", .bits = 53, .rows = 512, .run = run_libm},
    {.name = "naive MPFR", .bits = 96, .rows = 8, .run = run_mpfr},
    {.name = "naive MPFR", .bits = 256, .rows = 8, .run = run_mpfr},
    {.name = "naive MPFR", .bits = 1024, .rows = 4, .run = run_mpfr},
#ifdef HAVE_ARB
    {.name = "Arb", .bits = 96, .rows = 16, .run = run_arb},
    {.name = "Arb", .bits = 256, .rows = 16, .run = run_arb},
    {.name = "Arb", .bits = 1024, .rows = 4, .run = run_arb},
#endif
    {.name = "limit: root", .bits = 53, .rows = 4096, .run = run_roots},
    {.name = "limit: root, quotient", .bits = 53, .rows = 4096, .run = run_quotients},
    {.name = "limit: mpn", .bits = 256, .rows = 128, .run = run_limbs},
    {.name = "limit: mpn", .bits = 1024, .rows = 64, .run = run_limbs},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double nanoseconds(const method *m) { return m->seconds[ROUNDS / 2] * 1e9 / ((double)m->rows * PAIRS); }

/* 0 when there is no such method. */
static double time_of(const char *name, int bits) {
    for (int n = 0; n < METHODS; n++)
        if (!strcmp(methods[n].name, name) && methods[n].bits == bits) return nanoseconds(&methods[n]);
    return 0.0;
}

static void set_up(method *m, const rope_spec *spec) {
    rope_error error;
    for (int j = 0; j < PAIRS; j++) {
        mpfr_init2(m->theta[j], m->bits + 30);
        rope_frequency(m->theta[j], spec, j);
    }
    m->B = calloc((size_t)m->rows + PAIRS, sizeof *m->B);
    m->C = calloc((size_t)m->rows + PAIRS, sizeof *m->C);
    m->value = malloc((size_t)m->rows * sizeof *m->value);
    if (!m->B || !m->C || !m->value) exit(2);
    for (int k = 0; k < m->rows; k++) rope_decay_value_init(&m->value[k]);
    if (m->run != run_round && m->run != run_enclose && m->run != run_numbers) return;
    if (rope_decay_new(&m->decay, spec, (rope_distances){FIRST, 1, m->rows}, m->bits, &error) != ROPE_OK) exit(2);
}

static void tear_down(method *m) {
    for (int j = 0; j < PAIRS; j++) mpfr_clear(m->theta[j]);
    for (int k = 0; k < m->rows; k++) rope_decay_value_clear(&m->value[k]);
    free(m->B);
    free(m->C);
    free(m->value);
    rope_decay_free(m->decay);
}

static void measure(void) {
    for (int round = 0; round < ROUNDS; round++)
        for (int n = 0; n < METHODS; n++) {
            const double start = now();
            methods[n].run(&methods[n]);
            methods[n].seconds[round] = now() - start;
        }
    for (int n = 0; n < METHODS; n++) qsort(methods[n].seconds, ROUNDS, sizeof(double), by_value);
}

static void print_table(void) {
    printf("%-28s %6s %10s\n", "method", "bits", "ns/entry");
    for (int n = 0; n < METHODS; n++)
        printf("%-28s %6d %10.2f\n", methods[n].name, methods[n].bits, nanoseconds(&methods[n]));
}

/* One line per promise; false when its floor is missed. A ratio to a method that is not there is not asked for. */
static int ratio(const char *name, int bits, const char *other, int other_bits, double floor, double target) {
    const double x = time_of(name, bits), y = time_of(other, other_bits);
    if (y == 0.0) return 0;
    printf("%-18s %4d bits: %8.1f times as fast as %-26s floor %4.0f, target %5.4g%s\n", name, bits, y / x, other, floor,
           target, y / x < floor ? "   MISSED" : "");
    return y / x < floor;
}

/* All distances below 2^20, tables included. */
static int whole_sweep(const rope_spec *spec) {
    const int64_t all = INT64_C(1) << 20;
    double *const B = calloc((size_t)all, sizeof *B), *const C = calloc((size_t)all, sizeof *C);
    rope_decay *decay;
    rope_error error;
    if (!B || !C) exit(2);
    const double start = now();
    if (rope_decay_new(&decay, spec, (rope_distances){0, 1, all}, ROPE_DECAY_DOUBLE, &error) != ROPE_OK) exit(2);
    const rope_decay_tally tally = rope_decay_round(decay, 0, all, B, C, NULL, 1024);
    const double seconds = now() - start;
    printf("2^20 distances, tables included: %.3f s of CPU (target 0.5); %lld went to MPFR, %lld undecided\n", seconds,
           (long long)tally.referred, (long long)tally.undecided);
    rope_decay_free(decay);
    free(B);
    free(C);
    return tally.undecided != 0;
}

int main(void) {
#ifdef _OPENMP
    omp_set_num_threads(1);
#endif
    rope_spec spec = rope_spec_default();
    rope_error error;
    if (rope_spec_check(&spec, &error) != ROPE_OK) return 2;
    for (int n = 0; n < METHODS; n++) set_up(&methods[n], &spec);
    measure();
    print_table();
    for (int n = 0; n < METHODS; n++) /* the same number from all of them, or nothing was measured */
        if (strncmp(methods[n].name, "limit", 5) && !(fabs(methods[n].result - methods[0].result) < 0x1p-20)) {
            printf("%s, %d bits: B = %.17g, not %.17g\n", methods[n].name, methods[n].bits, methods[n].result,
                   methods[0].result);
            return 2;
        }
    int missed = ratio("guaranteed double", 53, "naive MPFR", 96, 300, 1200);
    missed += ratio("guaranteed double", 53, "Arb", 96, 100, 450);
    missed += ratio("guaranteed double", 53, "libm double, no guarantee", 53, 3, 10);
    missed += ratio("guaranteed double", 53, "limit: root, quotient", 53, 0, 0.5);
    missed += ratio("enclosed double", 53, "limit: root", 53, 0, 0.9);
    missed += ratio("limbs", 256, "naive MPFR", 256, 12, 19);
    missed += ratio("limbs", 256, "Arb", 256, 5, 7.5);
    missed += ratio("limbs", 256, "limit: mpn", 256, 0, 0.67);
    missed += ratio("limbs", 1024, "naive MPFR", 1024, 9, 12);
    missed += ratio("limbs", 1024, "Arb", 1024, 5, 6.4);
    missed += ratio("limbs", 1024, "limit: mpn", 1024, 0, 0.87);
    missed += whole_sweep(&spec);
    for (int n = 0; n < METHODS; n++) tear_down(&methods[n]);
    mpfr_free_cache();
#ifdef HAVE_ARB
    flint_cleanup();
#endif
    return missed != 0;
}
