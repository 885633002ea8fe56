/* Distances: A:B[:STEP], real numbers, B excluded; or whole numbers in geometric progression. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const line_hint = "write one distance, or A:B, or A:B:STEP; B itself is excluded";
static const char *const log_hint = "write A:B:COUNT with 1 <= A < B; both ends are drawn";

/* Beyond it doubles are not all the whole numbers any more. */
#define FARTHEST 0x1p53

/* The parts of "a:b:c" as numbers; returns how many, 0 on an error. */
static int parse_parts(double part[3], const char *text, const char *name, const char *hint, rope_error *error) {
    int count = 0;
    for (const char *at = text;; at += strcspn(at, ":") + 1) {
        char number[64];
        const size_t length = strcspn(at, ":");
        if (count == 3 || length >= sizeof number) {
            rope_fail(error, ROPE_BAD_INPUT, name, hint, "'%s' is not a range", text);
            return 0;
        }
        snprintf(number, sizeof number, "%.*s", (int)length, at);
        if (option_real(&part[count++], number, -FARTHEST, FARTHEST, name, error) != ROPE_OK) {
            if (error) snprintf(error->hint, sizeof error->hint, "%s", hint);
            return 0;
        }
        if (!at[length]) return count;
    }
}

/* How many k >= 0 have first + k step < end: exact, as the quotient is rounded up from exact numbers with bits enough
 * for the difference of any two doubles below 2^53. */
static double count_below(double first, double end, double step) {
    mpfr_t quotient;
    mpfr_init2(quotient, 1200);
    mpfr_set_d(quotient, end, MPFR_RNDN);
    mpfr_sub_d(quotient, quotient, first, MPFR_RNDU);
    mpfr_div_d(quotient, quotient, step, MPFR_RNDU);
    mpfr_ceil(quotient, quotient);
    const double count = mpfr_get_d(quotient, MPFR_RNDU);
    mpfr_clear(quotient);
    return count;
}

rope_status decay_parse_distance(decay_points *points, const char *text, const char *name, rope_error *error) {
    double part[3] = {0.0, 0.0, 1.0};
    const int parts = parse_parts(part, text, name, line_hint, error);
    if (!parts) return ROPE_BAD_INPUT;
    if (parts == 1) part[1] = nextafter(part[0], INFINITY);
    if (!(part[0] < part[1])) return rope_fail(error, ROPE_BAD_INPUT, name, line_hint, "'%s' is an empty range", text);
    if (!(part[2] > 0.0)) return rope_fail(error, ROPE_BAD_INPUT, name, line_hint, "'%s' has no step above 0", text);
    const double count = parts == 1 ? 1.0 : count_below(part[0], part[1], part[2]);
    if (!(count <= 0x1p31))
        return rope_fail(error, ROPE_BAD_INPUT, name, "take a larger step, or several ranges",
                         "'%s' is more than 2^31 distances", text);
    *points = (decay_points){.line = {part[0], part[2], (int64_t)count}, .count = (int64_t)count};
    return ROPE_OK;
}

/* A (B/A)^(k/(n-1)) to the nearest whole number, by MPFR: the same on every machine. */
static double log_point(double first, double last, int64_t k, int64_t n) {
    mpfr_t x, y;
    mpfr_inits2(128, x, y, (mpfr_ptr)0);
    mpfr_set_d(x, last, MPFR_RNDN);
    mpfr_div_d(x, x, first, MPFR_RNDN);
    mpfr_set_si(y, (long)k, MPFR_RNDN);
    mpfr_div_si(y, y, (long)(n - 1), MPFR_RNDN);
    mpfr_pow(x, x, y, MPFR_RNDN);
    mpfr_mul_d(x, x, first, MPFR_RNDN);
    mpfr_rint(x, x, MPFR_RNDN);
    const double point = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return point;
}

rope_status decay_parse_log_distance(decay_points *points, const char *text, const char *name, rope_error *error) {
    double part[3];
    const int parts = parse_parts(part, text, name, log_hint, error);
    if (!parts) return ROPE_BAD_INPUT;
    if (parts != 3 || part[0] != rint(part[0]) || part[1] != rint(part[1]) || part[2] != rint(part[2]))
        return rope_fail(error, ROPE_BAD_INPUT, name, log_hint, "'%s' is not three whole numbers", text);
    if (!(part[0] >= 1.0 && part[0] < part[1]))
        return rope_fail(error, ROPE_BAD_INPUT, name, log_hint, "'%s' is an empty range", text);
    if (!(part[2] >= 2.0 && part[2] <= 1e6))
        return rope_fail(error, ROPE_BAD_INPUT, name, log_hint, "%g points: 2 to 1000000 are possible", part[2]);
    const int64_t n = (int64_t)part[2];
    *points = (decay_points){.list = malloc((size_t)n * sizeof *points->list)};
    if (!points->list) abort();
    for (int64_t k = 0; k < n; k++) {
        const double point = log_point(part[0], part[1], k, n);
        if (points->count == 0 || point > points->list[points->count - 1]) points->list[points->count++] = point;
    }
    return ROPE_OK;
}

double decay_point(const decay_points *points, int64_t k) {
    return points->list ? points->list[k] : fma((double)k, points->line.step, points->line.first);
}

/* k step has at most 31 + 53 bits, its sum with first at most 1100 in all. */
void decay_point_exact(mpfr_t r, const decay_points *points, int64_t k) {
    mpfr_set_prec(r, 1200);
    mpfr_set_d(r, points->list ? 0.0 : points->line.step, MPFR_RNDN);
    mpfr_mul_si(r, r, (long)k, MPFR_RNDN);
    mpfr_add_d(r, r, points->list ? points->list[k] : points->line.first, MPFR_RNDN);
}
