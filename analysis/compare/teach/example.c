#include "example.h"

#include <math.h>
#include <string.h>

#include "../../report/paragraph.h"

const char *const example_places[] = {"no position", "n - m", "m", "n", "m and n"};

rope_status example_data(compare_data *data, rope_error *error) {
    compare_request request = compare_request_default();
    request.data = "reference";
    request.bits = EXAMPLE_BITS;
    return compare_data_new(data, &request, error);
}

/* ---- one term ---------------------------------------------------------------------------------------- */

typedef struct place_value {
    mpfr_t value;
    double bound;
} place_value;

static void value_at(place_value *x, const encoding_run *run, int which, int64_t m, int64_t n) {
    mpfr_init2(x->value, EXAMPLE_BITS);
    encoding_exact(x->value, run, which, m, n, &x->bound);
}

/* y - x as a double, or 0 when it may be all error. Rounded towards zero: what is not 0 has really moved. */
static double difference(const place_value *x, const place_value *y) {
    mpfr_t off;
    mpfr_init2(off, EXAMPLE_BITS);
    mpfr_sub(off, y->value, x->value, MPFR_RNDZ);
    const double by = mpfr_get_d(off, MPFR_RNDZ);
    mpfr_clear(off);
    return fabs(by) > x->bound + y->bound ? by : 0.0;
}

/* Does the value at (5, 2) change when one of the positions goes through all N? */
static bool changes_along(const encoding_run *run, int which, const place_value *here, bool query) {
    bool changed = false;
    for (int64_t t = 0; !changed && t < (int64_t)run->data->length; t++) {
        place_value there;
        value_at(&there, run, which, query ? t : EXAMPLE_M, query ? EXAMPLE_N : t);
        changed = difference(here, &there) != 0;
        mpfr_clear(there.value);
    }
    return changed;
}

example_term example_of(const encoding_run *run, int which) {
    place_value before, after;
    value_at(&before, run, which, EXAMPLE_M, EXAMPLE_N);
    value_at(&after, run, which, EXAMPLE_M + EXAMPLE_SHIFT, EXAMPLE_N + EXAMPLE_SHIFT);
    example_term term = {.before = mpfr_get_d(before.value, MPFR_RNDN),
                         .after = mpfr_get_d(after.value, MPFR_RNDN),
                         .by = difference(&before, &after)};
    /* Both errors, one rounding to double of each of the three numbers (2^-52 of it), and as much for a sum with it. */
    term.bound = before.bound + after.bound + 0x1p-51 * (fabs(term.before) + fabs(term.after));
    const bool query = changes_along(run, which, &before, true), key = changes_along(run, which, &before, false);
    term.place = query && key ? (term.by != 0 ? PLACE_BOTH : PLACE_OFFSET)
                 : query      ? PLACE_QUERY
                 : key        ? PLACE_KEY
                              : PLACE_NONE;
    mpfr_clears(before.value, after.value, (mpfr_ptr)0);
    return term;
}

/* ---- the table --------------------------------------------------------------------------------------- */

enum { DECIMALS = 10 };

/* The number to as many decimals as its bound allows, at most DECIMALS. */
static void decimals(char text[32], double value, double bound) {
    char other[32];
    int digits = DECIMALS;
    do {
        snprintf(text, 32, "%.*f", digits, value - bound);
        snprintf(other, 32, "%.*f", digits, value + bound);
    } while (strcmp(text, other) != 0 && digits-- > 0);
}

static void print_row(FILE *out, const char *name, const example_term *term) {
    char before[32], after[32], by[32] = "0";
    decimals(before, term->before, term->bound);
    decimals(after, term->after, term->bound);
    if (term->by != 0) decimals(by, term->by, term->bound);
    fprintf(out, "   %-20s%14s%14s%14s  %s\n", name, before, after, by, example_places[term->place]);
}

static double length_at(const rows *a, size_t m, double *bound) {
    double square_bound;
    const double square = rows_product(a, m, a, m, &square_bound), length = sqrt(square);
    *bound = square_bound / length + 0x1p-52 * length; /* sqrt(s + e) - sqrt(s) <= e / sqrt(s) for |e| <= s/2 */
    return length;
}

bool example_length_moves(const encoding_run *run) {
    double here, there;
    const double off =
        length_at(run->query, EXAMPLE_M, &here) - length_at(run->query, EXAMPLE_M + EXAMPLE_SHIFT, &there);
    return fabs(off) > here + there; /* the subtraction of nearby lengths is exact */
}

static void print_lengths(FILE *out, const encoding_run *run) {
    char before[32], after[32];
    double bound;
    const double length = length_at(run->data->q, EXAMPLE_M, &bound);
    decimals(before, length, bound);
    if (run->query == run->data->q) {
        text_say(out, 3, "", 0, "The query enters as it is: f_q(x, m) = q, |q| = %s.", before);
        return;
    }
    const double other = length_at(run->query, EXAMPLE_M, &bound);
    decimals(after, other, bound);
    text_say(out, 3, "", 0, "Lengths at m = %d: |q| = %s, |f_q(x, m)| = %s.", EXAMPLE_M, before, after);
}

void example_print(FILE *out, const encoding_run *run) {
    char before[32], after[32];
    snprintf(before, sizeof before, "(%d, %d)", EXAMPLE_M, EXAMPLE_N);
    snprintf(after, sizeof after, "(%d, %d)", EXAMPLE_M + EXAMPLE_SHIFT, EXAMPLE_N + EXAMPLE_SHIFT);
    fprintf(out, "   %-20s%14s%14s%14s  %s\n", "(m, n) =", before, after, "moved by", "depends on");
    for (int k = 0; k < run->terms; k++) {
        const example_term term = example_of(run, k);
        print_row(out, run->encoding->term[k].id, &term);
    }
    if (run->terms > 1) {
        const example_term sum = example_of(run, ENCODING_SUM);
        print_row(out, "score", &sum);
    }
    print_lengths(out, run);
}
