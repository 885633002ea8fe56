/* The longest context of a base, and the least bases of a context, by the sign of C(r) = sum_j cos(r theta_j) [Men et
 * al., arXiv 2405.14591, theorem 1 and equations 10, 11]. Every sign is certified.
 *
 * Bases that serve a context are a union of intervals, islands, with bad bases between them: "good for b, so good for
 * more than b" is false, and bisection finds any edge but the least. The search walks upward from base 1 and proves on
 * its way that what it passes is bad. With t = ln b, theta_j = theta_0 e^(-e_j t) up to factors that do not depend on b
 * (rules default, linear, ntk), so
 *
 *     |dC(m) / dt| = |sum_j m e_j theta_j sin(m theta_j)| <= m K(b),     K(b) = sum_j e_j theta_j,   falling in b.
 *
 * A distance m with C(m) = -c < 0 at base b therefore rules out every base from b to b e^(c / (m K)), and a base b that
 * is good with C(m) >= m K w for all m is followed by good ones up to b e^w. Where the step falls below GAP the walk
 * jumps by GAP: an island, or a hole in one, that is relatively narrower than GAP can be missed, nothing else. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "../../src/frequency/frequency.h"

#define GAP 0x1p-26

static const double first_zero_of_Ci = 0.616505485620716, largest_base = 1e15;

enum { CANDIDATES = 256, FIRST_CHUNK = 1 << 10, LARGEST_CHUNK = 1 << 20 };

/* ---- certified signs --------------------------------------------------------------------------------- */

static double passed_pairs(const rope_spec *spec) {
    return 0.5 * (spec->dim - spec->rotary_dim);
}

/* Sign of C(m) + passed by MPFR; 0 when `most` bits do not tell. *value: an enclosure. */
static int sign_at(const rope_spec *spec, int64_t m, double *value, double *error) {
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
        mpfr_add_d(at.C, at.C, passed_pairs(spec), MPFR_RNDN);
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
    double C; /* + passed */
} candidate;

typedef struct scan {
    candidate found[CANDIDATES]; /* distances with C + passed < 0, certified */
    int count;
    double safe;   /* the least (C + passed) / m of the others: at least that */
    bool complete; /* all distances below the limit were looked at */
    bool undecided;
} scan;

/* Looks at 1 <= r < limit in chunks that double, until `enough` are negative. */
static rope_status scan_base(scan *s, const rope_spec *spec, int64_t limit, int enough, option_bar *bar,
                             rope_error *error) {
    const double passed = passed_pairs(spec);
    double *const C = malloc(2 * LARGEST_CHUNK * sizeof *C);
    rope_status status = C ? ROPE_OK : rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for a scan");
    s->count = 0, s->safe = INFINITY, s->undecided = false;
    int64_t from = 1;
    for (int64_t chunk = FIRST_CHUNK; status == ROPE_OK && from < limit && s->count < enough;
         chunk = chunk < LARGEST_CHUNK ? 2 * chunk : chunk) {
        const int64_t n = limit - from < chunk ? limit - from : chunk;
        rope_decay *decay;
        status = rope_decay_new(&decay, spec, (rope_distances){(double)from, 1.0, n}, ROPE_DECAY_DOUBLE, error);
        if (status != ROPE_OK) break;
        const double bound = rope_decay_enclose(decay, 0, n, C + LARGEST_CHUNK, C).C;
        const double doubt =
            2 * bound + 0x1p-50 * passed; /* C + passed rounds by 2^-53 of its size, which is near passed there */
        rope_decay_free(decay);
        for (int64_t k = 0; k < n && s->count < enough; k++) {
            double value = C[k] + passed, off = doubt;
            int sign = value > doubt ? 1 : value < -doubt ? -1 : 0;
            if (!sign) sign = sign_at(spec, from + k, &value, &off);
            s->undecided = s->undecided || !sign;
            if (sign > 0) s->safe = fmin(s->safe, (value - off) / (double)(from + k));
            if (sign < 0) s->found[s->count++] = (candidate){from + k, value};
        }
        from += n;
        if (bar) option_bar_step(bar, (uint64_t)from);
    }
    s->complete = from >= limit && s->count < enough;
    free(C);
    if (status == ROPE_OK && s->undecided)
        status = rope_fail(error, ROPE_UNSUPPORTED, "", NULL, "a sign is undecided at 1024 bits");
    return status;
}

rope_status decay_first_negative(int64_t *first, const rope_spec *spec, int64_t limit, option_bar *bar,
                                 rope_error *error) {
    scan s;
    const rope_status status = scan_base(&s, spec, limit, 1, bar, error);
    *first = status == ROPE_OK && s.count ? s.found[0].m : 0;
    return status;
}

/* ---- least bases ------------------------------------------------------------------------------------- */

/* Where the walk is. K falls in b, so that of a smaller base will do: it is renewed when b has grown by an eighth. */
typedef struct walk {
    rope_spec spec; /* its base moves */
    int64_t length;
    double K, K_base; /* K(K_base) */
    uint64_t steps;   /* each proved */
    int jumps;        /* places where it went on by GAP, once or more, without a proof */
    option_bar bar;
} walk;

/* K(b): frequencies are off by 2^-52, products and sums by less than (h + 4) 2^-53, all upward. */
static double slope(walk *w) {
    if (w->K_base > 0.0 && w->spec.base <= 1.125 * w->K_base) return w->K;
    const int h = rope_spec_pairs(&w->spec);
    w->K = 0.0;
    w->K_base = w->spec.base;
    for (int j = 0; j < h; j++) w->K += (double)j / h * rope_frequency_double(&w->spec, j);
    return w->K *= 1 + (h + 8) * 0x1p-52;
}

/* Plain doubles: only to choose a witness, whose sign is then certified. */
static void rough_frequencies(double *theta, const rope_spec *spec) {
    const int h = rope_spec_pairs(spec);
    const double first = rope_frequency_double(spec, 0), ratio = h > 1 ? rope_frequency_double(spec, 1) / first : 1.0;
    for (int j = 0; j < h; j++) theta[j] = j ? theta[j - 1] * ratio : first;
}

static double rough_sum(const double *theta, int h, int64_t m) {
    double C = 0.0;
    for (int j = 0; j < h; j++) C += cos((double)m * theta[j]);
    return C;
}

/* The step, relative, that the best of the candidates proves from this base on; 0: none. b e^w >= b (1 + w). */
static double proved_step(walk *w, const scan *s) {
    const int h = rope_spec_pairs(&w->spec);
    double theta[ROPE_MAX_DIM / 2], best = 0.0, value, error;
    int64_t witness = 0;
    rough_frequencies(theta, &w->spec);
    for (int c = 0; c < s->count; c++) {
        const double step = -(rough_sum(theta, h, s->found[c].m) + passed_pairs(&w->spec)) / (double)s->found[c].m;
        if (step > best) best = step, witness = s->found[c].m;
    }
    if (!witness || sign_at(&w->spec, witness, &value, &error) >= 0) return 0.0;
    return -(value + error) / ((double)witness * slope(w)) * (1 - 0x1p-40);
}

static void step_on(walk *w, double step) {
    w->spec.base *= (1 + step) * (1 - 0x1p-50);
    option_bar_step(&w->bar, ++w->steps);
}

/* Moves the base up to the least good one from there on, but for GAP; past `largest_base` it gives up. */
static rope_status walk_to_good(walk *w, rope_error *error) {
    scan s = {.count = 0};
    for (bool jumped = false; w->spec.base < largest_base;) {
        const double step = proved_step(w, &s);
        if (step > GAP) {
            step_on(w, step);
            jumped = false;
            continue;
        }
        const rope_status status = scan_base(&s, &w->spec, w->length, CANDIDATES, NULL, error);
        if (status != ROPE_OK || (s.count == 0 && s.complete)) return status;
        if (proved_step(w, &s) > GAP) continue;
        w->spec.base *= 1 + GAP;
        w->jumps += !jumped;
        jumped = true;
    }
    return rope_fail(error, ROPE_UNSUPPORTED, "--length", NULL, "no more bases up to %g serve it", largest_base);
}

/* From a good base to the last one of its island; INFINITY when it goes on past largest_base. */
static rope_status walk_to_bad(walk *w, double *last_good, rope_error *error) {
    for (bool jumped = false;;) {
        scan s;
        const rope_status status = scan_base(&s, &w->spec, w->length, 1, NULL, error);
        if (status != ROPE_OK || s.count) return status;
        *last_good = w->spec.base < largest_base ? w->spec.base : INFINITY;
        if (*last_good == INFINITY) return ROPE_OK;
        const double step = s.safe / slope(w) * (1 - 0x1p-40);
        w->jumps += step <= GAP && !jumped;
        jumped = step <= GAP;
        step_on(w, jumped ? GAP : fmin(step, 1.0));
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

/* A row of the TSV: base .. base_to serves `context` positions. */
static void put_row(sheet *s, const rope_spec *spec, const char *quantity, double base, double base_to,
                    int64_t context) {
    char label[160], width[32];
    rope_spec_describe(spec, label, sizeof label);
    snprintf(width, sizeof width, "dim %d", spec->dim);
    sheet_row(s);
    sheet_text(s, base < base_to ? width : label);
    sheet_text(s, quantity);
    sheet_number(s, base, 12);
    sheet_number(s, base_to, 12);
    sheet_number(s, (double)context, 0);
}

static rope_status print_islands(decay_session *session, int64_t length, sheet *s, rope_error *error) {
    walk w = {.spec = session->spec, .length = length};
    rope_status status = check_rule(&w.spec, error);
    w.spec.base = 1 + 0x1p-20; /* C(2) or C(3) is far below 0 there: the proved step reaches back to 1, too */
    printf("dim %d: bases with C(r) >= 0 at every distance r < %lld\n", w.spec.dim, (long long)length);
    option_bar_begin(&w.bar, option_progress(&session->common), "steps", 0);
    const int threads = set_threads(1);
    double last = 0.0;
    for (int k = 0; status == ROPE_OK && k < session->islands && last < INFINITY; k++) {
        status = walk_to_good(&w, error);
        const double first = w.spec.base;
        if (status == ROPE_OK) status = walk_to_bad(&w, &last, error);
        if (status != ROPE_OK) break;
        printf(last < INFINITY ? "  island %d: %.9g .. %.9g\n" : "  island %d: %.9g .. beyond %g\n", k + 1, first,
               fmin(last, largest_base));
        put_row(s, &w.spec, "island", first, fmin(last, largest_base), length);
    }
    set_threads(threads);
    option_bar_end(&w.bar);
    if (status != ROPE_OK) return status;
    printf("  Every base below the first island, and between two, is proved bad; every base in an island is proved "
           "good: %llu steps.\n"
           "  Edges are within a relative 2^-26 of the true ones; at %d places, edges most of them, the walk jumped by "
           "so much without a proof.\n"
           "  Estimate for many pairs: L / 0.6165 = %.6g, with 0.6165 the first zero of Ci.\n",
           (unsigned long long)w.steps, w.jumps, (double)length / first_zero_of_Ci);
    return status;
}

/* ---- longest context ----------------------------------------------------------------------------------- */

static void print_neighbour(const rope_spec *spec, int64_t r) {
    double value, error;
    char bound[32];
    sign_at(spec, r, &value, &error);
    decay_bound_text(bound, decay_printed_error(value, error, 15));
    printf("    r = %lld: %.15g (error <= %s)\n", (long long)r, value, bound);
}

static rope_status print_longest(decay_session *session, const rope_spec *spec, bool alone, sheet *s,
                                 rope_error *error) {
    const int64_t limit = session->limit ? session->limit : INT64_C(1) << 27;
    char label[160];
    int64_t first;
    option_bar bar;
    rope_spec_describe(spec, label, sizeof label);
    option_bar_begin(&bar, option_progress(&session->common), "distances", (uint64_t)limit);
    const rope_status status = decay_first_negative(&first, spec, limit, &bar, error);
    option_bar_end(&bar);
    if (status != ROPE_OK) return status;
    if (!first) {
        printf("%s: C(r) >= 0 at every distance r < %lld (certified signs)\n", label, (long long)limit);
        return status;
    }
    put_row(s, spec, "context", spec->base, spec->base, first);
    printf("%s: %lld positions: C(r) >= 0 for r < %lld, C(%lld) < 0 (certified signs)\n", label, (long long)first,
           (long long)first, (long long)first);
    if (!alone) return status;
    for (int64_t r = first - 1; r <= first + 1; r++) print_neighbour(spec, r);
    if (spec->rotary_dim < spec->dim)
        printf("    with the %g pairs of channels that are not turned, cos 0 = 1 each\n", passed_pairs(spec));
    printf("    estimate for many pairs: 0.6165 b = %.6g\n", first_zero_of_Ci * spec->base);
    return status;
}

/* ---- the call ------------------------------------------------------------------------------------------ */

static sheet *new_sheet(const decay_session *session) {
    sheet *const s = sheet_new();
    sheet_comment(s, "rope-decay " ROPE_VERSION);
    char *command = NULL;
    if (asprintf(&command, "command: %s", session->request.command) < 0) abort();
    sheet_comment(s, command);
    free(command);
    sheet_comment(
        s, "context: positions that a base serves; island: an interval of bases, base .. base_to, that serve so many");
    static const char *const names[] = {"base", "base_to", "context"};
    sheet_column(s, "spec", SHEET_TEXT);
    sheet_column(s, "quantity", SHEET_TEXT);
    for (int k = 0; k < 3; k++) sheet_column(s, names[k], SHEET_NUMBER);
    return s;
}

int decay_context(decay_session *session, rope_error *error) {
    const decay_request *const request = &session->request;
    const bool bases = session->has_base || (!session->lengths && !session->bases.count);
    rope_status status = decay_check_output(&session->output, error);
    if (status == ROPE_OK && session->bases.count && session->bases.list[0] <= 1)
        status = rope_fail(error, ROPE_BAD_INPUT, "--bases", "A above 1", "base 1 would not give falling frequencies");
    if (status != ROPE_OK) return EXIT_MISUSE;
    sheet *const s = new_sheet(session);
    for (int k = 0; status == ROPE_OK && bases && k < request->specs; k++)
        status = print_longest(session, &request->spec[k], request->specs == 1, s, error);
    for (int64_t k = 0; status == ROPE_OK && k < session->bases.count; k++) {
        rope_spec spec = session->spec;
        spec.base = session->bases.list[k];
        status = print_longest(session, &spec, false, s, error);
    }
    for (int k = 0; status == ROPE_OK && k < session->lengths; k++)
        status = print_islands(session, session->length[k], s, error);
    if (status == ROPE_OK)
        printf("C(r) >= 0 is Men et al.'s model of a context (arXiv 2405.14591), not a law: trained models exceed it "
               "and fall short of it.\n");
    if (status == ROPE_OK) status = decay_write_sheet(&session->output, "context", s, error);
    sheet_free(s);
    return status == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
}
