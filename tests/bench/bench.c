/* How fast are the table kernels?  make bench
 *
 * Every line is one table and one question. Its kernel, a loop that only reads the same arrays, naive MPFR and, when it
 * was there at compile time, Arb run in turn, round after round, in one thread; process CPU time, median of the rounds.
 * Ratios of one line can be compared between machines and runs, nanoseconds cannot. MPFR and Arb get a sample of rows:
 * a sine and a cosine to 128 bits per pair, then rounding and comparison. The last lines use two threads and wall-clock
 * time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef HAVE_ARB
#include <arb.h>
#endif

#include "../../src/clones.h"
#include "../../src/frequency/frequency.h"
#include "../../src/table.h"

enum { H = 64, ROUNDS = 7, SAMPLE_ROWS = 8, BITS = 128 };

typedef enum question { EXACT, REPLAY } question;

typedef struct bench {
    rope_spec spec;
    rope_phase *phase;
    rope_table table;
    question question;
    float frequency[H];
    double offset[H];
    rope_tally tally;
    volatile uint64_t sink; /* keeps results alive */
} bench;

/* ---- what is timed ----------------------------------------------------------------------------------- */

/* Reading alone: an integer sum, which every compiler vectorises. */
ROPE_INLINE uint64_t sum_body(const uint64_t *x, size_t n) {
    uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < n; k++) sum += x[k];
    return sum;
}

ROPE_KERNEL(uint64_t, sum, (const uint64_t *x, size_t n), (x, n))

static size_t words(const bench *b) {
    return b->table.rows * H * (size_t)rope_format_of(b->table.dtype)->bytes / sizeof(uint64_t);
}

static void run_reading(bench *b) {
    const size_t n = words(b), part = n / 64; /* in parts, so that threads can share them */
    const uint64_t *const x[2] = {b->table.cos, b->table.sin};
    uint64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (size_t k = 0; k < 128; k++) total += sum(x[k / 64] + k % 64 * part, part);
    b->sink = total;
}

static void make_angles(const void *context, int64_t m, double *angle, double *spread) {
    const bench *b = context;
    for (int j = 0; j < H; j++) angle[j] = (double)((float)m * b->frequency[j]);
    for (int j = 0; spread && j < H; j++) spread[j] = 0.0;
}

static void run_kernel(bench *b) {
    if (b->question == EXACT)
        rope_table_exact(&b->tally, b->phase, &b->spec, &b->table);
    else
        rope_table_replay(&b->tally, &b->spec, &b->table, make_angles, b, b->offset);
}

/* Row k of the sample. */
static int64_t sample_row(const bench *b, int k) {
    return (int64_t)b->table.rows * (2 * k + 1) / (2 * SAMPLE_ROWS);
}

static uint64_t compare(const bench *b, int64_t m, int j, double c, double s) {
    double x, y;
    const size_t at = ((size_t)m * H + (size_t)j) * (size_t)rope_format_of(b->table.dtype)->bytes;
    rope_widen(b->table.dtype, &x, (const char *)b->table.cos + at, 1);
    rope_widen(b->table.dtype, &y, (const char *)b->table.sin + at, 1);
    return (rope_round(b->table.dtype, c) == x ? 1u : 0u) + (rope_round(b->table.dtype, s) == y ? 1u : 0u);
}

static void run_mpfr(bench *b) {
    mpfr_t theta[H], angle, c, s;
    mpfr_inits2(BITS, angle, c, s, (mpfr_ptr)0);
    for (int j = 0; j < H; j++) {
        mpfr_init2(theta[j], BITS + 32);
        mpfr_set_flt(theta[j], b->frequency[j], MPFR_RNDN);
    }
    uint64_t equal = 0;
    for (int k = 0; k < SAMPLE_ROWS; k++)
        for (int j = 0; j < H; j++) {
            mpfr_mul_si(angle, theta[j], (long)sample_row(b, k), MPFR_RNDN);
            mpfr_sin_cos(s, c, angle, MPFR_RNDN);
            equal += compare(b, sample_row(b, k), j, mpfr_get_d(c, MPFR_RNDN), mpfr_get_d(s, MPFR_RNDN));
        }
    b->sink = equal;
    for (int j = 0; j < H; j++) mpfr_clear(theta[j]);
    mpfr_clears(angle, c, s, (mpfr_ptr)0);
}

static void run_arb(bench *b) {
#ifdef HAVE_ARB
    arb_t theta[H], angle, c, s;
    arb_init(angle), arb_init(c), arb_init(s);
    for (int j = 0; j < H; j++) {
        arb_init(theta[j]);
        arb_set_d(theta[j], (double)b->frequency[j]);
    }
    uint64_t equal = 0;
    for (int k = 0; k < SAMPLE_ROWS; k++)
        for (int j = 0; j < H; j++) {
            arb_mul_si(angle, theta[j], sample_row(b, k), BITS + 32);
            arb_sin_cos(s, c, angle, BITS);
            equal += compare(b, sample_row(b, k), j, arf_get_d(arb_midref(c), ARF_RND_NEAR),
                             arf_get_d(arb_midref(s), ARF_RND_NEAR));
        }
    b->sink = equal;
    for (int j = 0; j < H; j++) arb_clear(theta[j]);
    arb_clear(angle), arb_clear(c), arb_clear(s);
#else
    (void)b;
#endif
}

/* ---- timing ------------------------------------------------------------------------------------------ */

enum { READING, KERNEL, MPFR, ARB, METHODS };

static void (*const run[METHODS])(bench *) = {run_reading, run_kernel, run_mpfr, run_arb};

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void set_threads(int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

/* Nanoseconds per entry of the first `methods` methods, in turn. */
static void measure(bench *b, clockid_t clock, int methods, double ns[METHODS]) {
    double seconds[METHODS][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < methods; k++) {
            const double start = now(clock);
            run[k](b);
            seconds[k][round] = now(clock) - start;
        }
    for (int k = 0; k < methods; k++) {
        qsort(seconds[k], ROUNDS, sizeof(double), ascending);
        const double entries = 2.0 * H * (k < MPFR ? (double)b->table.rows : SAMPLE_ROWS);
        ns[k] = 1e9 * seconds[k][ROUNDS / 2] / entries;
    }
}

static void print_line(bench *b) {
    double ns[METHODS];
    set_threads(1);
    measure(b, CLOCK_PROCESS_CPUTIME_ID, METHODS, ns);
    printf("%-5s%-8s%8zu %8.3f %8.3f %8.2f %9.0f", rope_format_of(b->table.dtype)->name,
           b->question == EXACT ? "exact" : "replay", b->table.rows, ns[KERNEL], ns[READING], ns[READING] / ns[KERNEL],
           ns[MPFR] / ns[KERNEL]);
#ifdef HAVE_ARB
    printf(" %9.0f", ns[ARB] / ns[KERNEL]);
#else
    printf(" %9s", "-");
#endif
    printf("   %llu of %llu%s\n", (unsigned long long)b->tally.referred, (unsigned long long)b->tally.checked,
           b->tally.broken ? "   BROKEN" : "");
    fflush(stdout);
}

static void print_two_threads(bench *b) {
    double one[METHODS], two[METHODS];
    set_threads(1);
    measure(b, CLOCK_MONOTONIC, MPFR, one);
    set_threads(2);
    measure(b, CLOCK_MONOTONIC, MPFR, two);
    printf("%-5s%-8s%8zu %8.3f %8.3f %8.2f   two threads, wall clock: %.2f times as fast as one\n",
           rope_format_of(b->table.dtype)->name, b->question == EXACT ? "exact" : "replay", b->table.rows, two[KERNEL],
           two[READING], two[READING] / two[KERNEL], one[KERNEL] / two[KERNEL]);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

/* What the replayed program would store: cos and sin of its float angle, rounded to float32. */
static void fill_replayed(bench *b, float *cos, float *sin) {
#pragma omp parallel for
    for (size_t row = 0; row < b->table.rows; row++) {
        double angle[H];
        make_angles(b, (int64_t)row, angle, NULL);
        for (int j = 0; j < H; j++) {
            double c, s;
            rope_phase_angle(angle[j], &c, &s);
            cos[row * H + (size_t)j] = (float)c;
            sin[row * H + (size_t)j] = (float)s;
        }
    }
}

static void set_table(bench *b, rope_dtype dtype, question asked, size_t rows, char *memory) {
    char *const half = memory + rows * H * (size_t)rope_format_of(dtype)->bytes;
    b->table = (rope_table){dtype, memory, half, H, rows, 0};
    b->question = asked;
    set_threads(2);
    if (asked == EXACT)
        rope_table_fill(b->phase, &b->spec, dtype, 0, rows, H, memory, half);
    else
        fill_replayed(b, (float *)(void *)memory, (float *)(void *)half);
}

int main(void) {
    static const size_t sizes[] = {131072, 1048576};
    static const struct {
        rope_dtype dtype;
        question question;
    } lines[] = {{ROPE_F32, EXACT}, {ROPE_BF16, EXACT}, {ROPE_F16, EXACT}, {ROPE_F64, EXACT}, {ROPE_F32, REPLAY}};
    static bench b;
    rope_error error;
    b.spec = rope_spec_default();
    char *const memory = aligned_alloc(4096, 2 * sizes[1] * H * sizeof(double));
    if (!memory || rope_spec_check(&b.spec, &error) != ROPE_OK ||
        rope_phase_new(&b.phase, &b.spec, (int64_t)sizes[1], &error) != ROPE_OK) {
        fputs("bench: no memory\n", stderr);
        return 1;
    }
    for (int j = 0; j < H; j++) {
        b.frequency[j] = (float)rope_frequency_double(&b.spec, j);
        b.offset[j] = 3 * rope_unit(ROPE_F32);
    }
    printf("%-13s%8s %8s %8s %8s %9s %9s   %s\n", "table", "rows", "ns/entry", "reading", "of it", "x MPFR", "x Arb",
           "to MPFR");
    for (size_t size = 0; size < 2; size++)
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
            set_table(&b, lines[k].dtype, lines[k].question, sizes[size], memory);
            print_line(&b);
        }
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k += 4) {
        set_table(&b, lines[k].dtype, lines[k].question, sizes[1], memory);
        print_two_threads(&b);
    }
    rope_phase_free(b.phase);
    free(memory);
    mpfr_free_cache();
#ifdef HAVE_ARB
    flint_cleanup();
#endif
    return 0;
}
