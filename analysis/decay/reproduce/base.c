/* Bases and contexts: Men et al. tables 1, 2, figures 1, 4; Su's table. */
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#include "reproduce.h"

/* L = 1024 * 2^k. good: a base just above the left edge of the first island. For L <= PROVED the walk of decay_islands
 * proves here that no smaller base will do; beyond it takes longer (`context --length L`), and only that this one does
 * is shown. */
static const struct base_row {
    int64_t length;
    const char *name, *men, *su;
    double good;
} base_rows[] = {{1024, "1k", "4.3e3", "4.3e3", 4293.4377},      {2048, "2k", "1.6e4", "1.2e4", 11587.245},
                 {4096, "4k", "2.7e4", "2.7e4", 26952.35},       {8192, "8k", "8.4e4", "8.4e4", 83763.9},
                 {16384, "16k", "3.1e5", "2.3e5", 231643.7},     {32768, "32k", "6.4e5", "6.3e5", 629978.4},
                 {65536, "64k", "2.1e6", "2.1e6", 2090180.0},    {131072, "128k", "7.8e6", "4.9e6", 4869106.0},
                 {262144, "256k", "3.6e7", "2.4e7", 23662420.0}, {524288, "512k", "6.4e7", "5.8e7", 58496240.0},
                 {1048576, "1M", "5.1e8", "6.5e7", 65375020.0}};
enum { BASE_ROWS = sizeof base_rows / sizeof *base_rows, PROVED = 16384 };

/* Distances below the limit are all certified: 0 says that none is negative. */
static rope_status first_negative(int64_t *first, double base, int64_t limit, rope_error *error) {
    const rope_spec spec = reproduce_spec(128, base);
    return decay_first_negative(first, &spec, limit, NULL, error);
}

/* The least base, or one near it that serves, as text. */
static rope_status least_base(double *base, char ours[64], const struct base_row *row, rope_error *error) {
    const rope_spec spec = reproduce_spec(128, row->good);
    decay_island island = {row->good, row->good};
    decay_search search;
    option_bar bar = {.on = false};
    int64_t first = 0;
    int count = 1;
    const bool proved = row->length <= PROVED;
    const rope_status status = proved ? decay_islands(&island, &count, &search, &spec, row->length, &bar, error)
                                      : first_negative(&first, row->good, row->length, error);
    *base = first ? NAN : island.first;
    snprintf(ours, 64, first ? "%.9g fails" : proved ? "%.9g, least, edge to 2^-26" : "%.9g serves", island.first);
    return status;
}

static rope_status compare_base(reproduce_tally *tally, const struct base_row *row, const char *published,
                                rope_error *error) {
    int64_t of_printed;
    double base;
    char ours[64], why[160];
    rope_status status = least_base(&base, ours, row, error);
    if (status == ROPE_OK) status = first_negative(&of_printed, atof(published), 2 * row->length, error);
    if (status != ROPE_OK) return status;
    const double unit = pow(10.0, floor(log10(base)) - 1); /* of the second digit */
    const bool same = fabs(rint(base / unit) * unit - atof(published)) < unit / 2;
    if (of_printed && of_printed < row->length)
        snprintf(why, sizeof why,
                 "%s taken literally turns negative at r = %lld, before %lld: two digits do not name a good base.",
                 published, (long long)of_printed, (long long)row->length);
    else
        snprintf(why, sizeof why,
                 same ? "%s itself serves, too."
                      : "%s serves, but is not the least base, though the table lists it as such.",
                 published);
    reproduce_exact(tally, PRINTED, row->name, published, ours, same ? REPRODUCED : DIFFERS, why);
    return status;
}

rope_status reproduce_men_table(reproduce_tally *tally, rope_error *error) {
    rope_status status = ROPE_OK;
    for (int k = 0; status == ROPE_OK && k < BASE_ROWS; k++)
        status = compare_base(tally, &base_rows[k], base_rows[k].men, error);
    return status;
}

rope_status reproduce_su_table(reproduce_tally *tally, rope_error *error) {
    rope_status status = ROPE_OK;
    for (int k = 0; status == ROPE_OK && k < BASE_ROWS; k++)
        status = compare_base(tally, &base_rows[k], base_rows[k].su, error);
    return status;
}

/* Least squares on logarithms, x = L in tokens, k = 1024. */
rope_status reproduce_men_fit(reproduce_tally *tally, rope_error *error) {
    (void)error;
    double x[BASE_ROWS], y[BASE_ROWS], intercept, slope, cov[3], residual;
    for (int k = 0; k < BASE_ROWS; k++) x[k] = log((double)base_rows[k].length), y[k] = log(atof(base_rows[k].men));
    gsl_fit_linear(x, 1, y, 1, BASE_ROWS, &intercept, &slope, &cov[0], &cov[1], &cov[2], &residual);
    reproduce_number(tally, PRINTED, "factor of y = a x^c", "0.0424", exp(intercept), NAN,
                     "Least squares on logarithms of table 2.");
    reproduce_number(tally, PRINTED, "exponent", "1.628", slope, NAN, "");
    for (int k = 0; k < BASE_ROWS; k++) y[k] = log(base_rows[k].good);
    gsl_fit_linear(x, 1, y, 1, BASE_ROWS, &intercept, &slope, &cov[0], &cov[1], &cov[2], &residual);
    reproduce_finding(tally, PRINTED, "exponent of the tighter bases", "1.628", slope, NAN, COMPARED,
                      "The power law depends on entries that are not the infimum.");
    return ROPE_OK;
}

/* ---- figures 4 and 5 ----------------------------------------------------------------------------------- */

/* Both figures: bases, the last distance, and over how many distances in a row the curves are averaged, which the paper
 * does not say. */
static const struct panel {
    double base;
    int distances, window;
    const char *start; /* of B, read from the paper's vector paths; NULL: not read */
} panels[] = {{1e4, 4096, 50, "15.906"}, {1e2, 4096, 50, "9.832"}, {1e3, 4096, 50, "13.061"},
              {1e4, 32768, 100, NULL},   {1e5, 32768, 100, NULL},  {1e6, 32768, 100, NULL}};
enum { PANELS = sizeof panels / sizeof *panels, FARTHEST = 32768 };

/* average[k]: mean of value[k .. k + window - 1]. Sums of `window` numbers below 32 or 64, from scratch: with half an
 * ulp each, (window + 1) 2^-53 of at most 64. */
static int moving_average(double *average, const double *value, int n, int window) {
    for (int k = 0; k + window <= n; k++) {
        double sum = 0.0;
        for (int i = 0; i < window; i++) sum += value[k + i];
        average[k] = sum / window;
    }
    return n - window + 1;
}

static double average_error(int window) {
    return (window + 2) * 0x1p-53 * 64;
}

static void say_curve(reproduce_tally *tally, const struct panel *panel, const char *start, const double *curve, int n,
                      double error, const char *why) {
    char what[96];
    int least = 0;
    for (int k = 1; k < n; k++)
        if (curve[k] < curve[least]) least = k;
    snprintf(what, sizeof what, "base %g to %d: left end, mean of %d", panel->base, panel->distances, panel->window);
    if (start)
        reproduce_number(tally, DRAWN, what, start, curve[0], error, why);
    else
        reproduce_finding(tally, UNMATCHED, what, "", curve[0], error, COMPARED, why);
    snprintf(what, sizeof what, "base %g to %d: least mean, from r = %d", panel->base, panel->distances, least);
    reproduce_finding(tally, UNMATCHED, what, "", curve[least], error, COMPARED, "");
    snprintf(what, sizeof what, "base %g to %d: right end", panel->base, panel->distances);
    reproduce_finding(tally, UNMATCHED, what, "", curve[n - 1], error, COMPARED, "");
}

static rope_status men_figure(reproduce_tally *tally, bool sum, rope_error *error) {
    double *const B = malloc(3 * FARTHEST * sizeof *B);
    if (!B) return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for a curve");
    double *const C = B + FARTHEST, *const average = C + FARTHEST;
    rope_status status = ROPE_OK;
    for (int k = 0; status == ROPE_OK && k < PANELS; k++) {
        const rope_spec spec = reproduce_spec(128, panels[k].base);
        status = reproduce_curve(&spec, panels[k].distances, B, C, error);
        if (status != ROPE_OK) break;
        const int n = moving_average(average, sum ? C : B, panels[k].distances, panels[k].window);
        for (int r = 0; sum && r < n; r++) average[r] /= 64; /* exact */
        say_curve(tally, &panels[k], sum ? NULL : panels[k].start, average, n, average_error(panels[k].window),
                  k || sum ? "" : "Only after a moving average, which the paper does not mention: B(0) = 32.5.");
    }
    free(B);
    return status;
}

rope_status reproduce_men_figure_4(reproduce_tally *tally, rope_error *error) {
    return men_figure(tally, false, error);
}

rope_status reproduce_men_figure_5(reproduce_tally *tally, rope_error *error) {
    return men_figure(tally, true, error);
}

/* ---- first negative sums ------------------------------------------------------------------------------- */

/* Independent scans of every distance in 80-bit arithmetic, with the neighbours at 50 digits. */
rope_status reproduce_first_negative(reproduce_tally *tally, rope_error *error) {
    static const struct {
        int dim;
        double base;
        int64_t first;
    } row[] = {{128, 500, 171},   {128, 1e4, 1707}, {128, 5e5, 18438},
               {128, 1e6, 27115}, {64, 5e5, 9937},  {64, 1e6, 6235}};
    rope_status status = ROPE_OK;
    for (size_t k = 0; status == ROPE_OK && k < sizeof row / sizeof *row; k++) {
        const rope_spec spec = reproduce_spec(row[k].dim, row[k].base);
        int64_t first;
        char published[32], ours[32], what[64];
        status = decay_first_negative(&first, &spec, 1 << 17, NULL, error);
        snprintf(what, sizeof what, "d = %d, base %g", row[k].dim, row[k].base);
        snprintf(published, sizeof published, "r = %lld", (long long)row[k].first);
        snprintf(ours, sizeof ours, "r = %lld", (long long)first);
        if (status == ROPE_OK)
            reproduce_exact(tally, INDEPENDENT, what, published, ours, first == row[k].first ? REPRODUCED : DIFFERS,
                            k == 5 ? "The larger base turns negative earlier: reach does not grow with the base." : "");
    }
    return status;
}

rope_status reproduce_men_settings(reproduce_tally *tally, rope_error *error) {
    static const struct {
        const char *model;
        double base;
        int64_t context;
    } model[] = {{"Llama-7B", 1e4, 2048},
                 {"Llama2-7B", 1e4, 4096},
                 {"Llama3-8B", 5e5, 8192},
                 {"Mistral-7B-v0.2", 1e6, 32768},
                 {"Baichuan2-7B", 1e4, 4096}};
    rope_status status = ROPE_OK;
    for (size_t k = 0; status == ROPE_OK && k < sizeof model / sizeof *model; k++) {
        int64_t first;
        char published[64], ours[64], what[64];
        status = first_negative(&first, model[k].base, 1 << 17, error);
        snprintf(what, sizeof what, "%s, base %g", model[k].model, model[k].base);
        snprintf(published, sizeof published, "context %lld", (long long)model[k].context);
        snprintf(ours, sizeof ours, "C >= 0 below %lld", (long long)first);
        const bool serves = first >= model[k].context;
        if (status == ROPE_OK)
            reproduce_exact(tally, PRINTED, what, published, ours, serves ? REPRODUCED : DIFFERS,
                            serves ? "" : "C < 0 does not stop a model: the test is a model of it, not a law.");
    }
    return status;
}
