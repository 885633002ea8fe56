/* Bases and contexts: Men et al. tables 1, 2, figures 1, 4; Su's table. */
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#include "reproduce.h"

/* L = 1024 * 2^k. good: a base just above the left edge of the first island that a scan found (`context --length L`
 * proves, for small L, that no smaller base will do). */
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
enum { BASE_ROWS = sizeof base_rows / sizeof *base_rows };

/* Distances below the limit are all certified: 0 says that none is negative. */
static rope_status first_negative(int64_t *first, double base, int64_t limit, rope_error *error) {
    const rope_spec spec = reproduce_spec(128, base);
    return decay_first_negative(first, &spec, limit, NULL, error);
}

static rope_status compare_base(reproduce_tally *tally, const struct base_row *row, const char *published,
                                rope_error *error) {
    int64_t of_good, of_printed;
    rope_status status = first_negative(&of_good, row->good, row->length, error);
    if (status == ROPE_OK) status = first_negative(&of_printed, atof(published), 2 * row->length, error);
    if (status != ROPE_OK) return status;
    char ours[64], why[160];
    const double unit = pow(10.0, floor(log10(row->good)) - 1); /* of the second digit */
    const bool same = fabs(rint(row->good / unit) * unit - atof(published)) < unit / 2;
    snprintf(ours, sizeof ours, of_good ? "%.9g fails at %lld" : "%.9g serves", row->good, (long long)of_good);
    if (of_printed && of_printed < row->length)
        snprintf(why, sizeof why,
                 "%s taken literally turns negative at r = %lld, before %lld: two digits do not name a good base.",
                 published, (long long)of_printed, (long long)row->length);
    else
        snprintf(why, sizeof why,
                 same ? "%s itself serves, too." : "%s serves, but is not the least base, as the table says.",
                 published);
    reproduce_exact(tally, row->name, published, ours, same && !of_good ? REPRODUCED : DIFFERS, why);
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
    reproduce_number(tally, "factor of y = a x^c", "0.0424", exp(intercept), NAN,
                     "Least squares on logarithms of table 2.");
    reproduce_number(tally, "exponent", "1.628", slope, NAN, "");
    for (int k = 0; k < BASE_ROWS; k++) y[k] = log(base_rows[k].good);
    gsl_fit_linear(x, 1, y, 1, BASE_ROWS, &intercept, &slope, &cov[0], &cov[1], &cov[2], &residual);
    reproduce_finding(tally, "exponent of the tighter bases", "1.628", slope, NAN, COMPARED,
                      "The power law depends on entries that are not the infimum.");
    return ROPE_OK;
}

/* The curves start at the mean of their first 50 values. */
rope_status reproduce_men_figures(reproduce_tally *tally, rope_error *error) {
    enum { WINDOW = 50 };
    static const struct {
        double base;
        const char *start;
    } curve[] = {{1e4, "15.906"}, {1e2, "9.832"}, {1e3, "13.061"}};
    rope_status status = ROPE_OK;
    for (int k = 0; status == ROPE_OK && k < 3; k++) {
        const rope_spec spec = reproduce_spec(128, curve[k].base);
        double B[WINDOW], C[WINDOW], mean = 0.0;
        char what[64];
        status = reproduce_curve(&spec, WINDOW, B, C, error);
        if (status != ROPE_OK) break;
        for (int r = 0; r < WINDOW; r++) mean += B[r] / WINDOW;
        snprintf(what, sizeof what, "left end of the curve of base %g", curve[k].base);
        reproduce_number(
            tally, what, curve[k].start, mean, 0x1p-43, /* 50 additions below 32 and half ulps */
            k ? "" : "Only after a moving average over 50 distances, which the paper does not mention: B(0) = 32.5.");
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
            reproduce_exact(tally, what, published, ours, serves ? REPRODUCED : DIFFERS,
                            serves ? "" : "C < 0 does not stop a model: the test is a model of it, not a law.");
    }
    return status;
}
