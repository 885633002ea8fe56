/* RoFormer figure 2, the reference values, PI figure 5 and theorem 2.1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/frequency/frequency.h"
#include "reproduce.h"

/* The curve is drawn for real r up to 256; from the paper's vector paths: x from 8.1, y from 6.39 to 19.75. */
rope_status reproduce_roformer_figure(reproduce_tally *tally, rope_error *error) {
    enum { STEPS = 32, POINTS = 256 * STEPS + 1 };
    const rope_spec spec = reproduce_spec(128, 1e4);
    double *const B = malloc(2 * POINTS * sizeof *B);
    rope_decay *decay = NULL;
    rope_status status = B ? ROPE_OK : rope_fail(error, ROPE_NO_MEMORY, "", NULL, "no memory for a curve");
    if (status == ROPE_OK)
        status = rope_decay_new(&decay, &spec, (rope_distances){0.0, 1.0 / STEPS, POINTS}, ROPE_DECAY_DOUBLE, error);
    if (status == ROPE_OK) {
        rope_decay_round(decay, 0, POINTS, B, B + POINTS, NULL, 1024);
        double least = INFINITY;
        for (int k = 0; k < POINTS; k++) least = fmin(least, B[k]);
        rope_spec shifted = spec;
        rope_spec_set_scaling(&shifted, "linear:factor=1.1547819846894583",
                              NULL); /* b^(2/d): pairs 1 .. h instead of 0 .. h - 1 */
        const reproduce_value left = reproduce_at(&spec, 8.1), other = reproduce_at(&shifted, 8.1),
                              zero = reproduce_at(&spec, 0.0);
        reproduce_number(tally, DRAWN, "least drawn value, r <= 256", "6.39", least, 0x1p-52 * least,
                         "The least of r = 0, 1/32 .. 256.");
        reproduce_number(tally, DRAWN, "drawn at the left end, r = 8.1", "19.75", left.B, left.B_error,
                         "d = 128, b = 10000, i = 0 .. 63, divided by d/2.");
        reproduce_finding(tally, DRAWN, "the same with i = 1 .. 64, as theta_i = 10000^(-2i/d) reads", "19.75", other.B,
                          other.B_error, COMPARED, "So the figure was drawn with i from 0.");
        reproduce_finding(tally, DRAWN, "highest drawn value against B(0)", "19.75", zero.B, zero.B_error, DIFFERS,
                          "Both axes are cut: the curve starts at (d/2 + 1)/2.");
    }
    rope_decay_free(decay);
    free(B);
    return status;
}

/* ---- 40 digits ------------------------------------------------------------------------------------- */

static const struct reference_row {
    int dim;
    long r;
    const char *B, *C;
} reference_rows[] = {
    {128, 1, "3.153816614265808435508674862839058741935e+01", "6.209368380576762465407180815201521749654e+01"},
    {128, 10, "1.795413713708483374732684111282690641973e+01", "4.282002289849709638659162001919840181018e+01"},
    {128, 100, "1.022732994850514337630589778986506895872e+01", "3.054345470149066482292542783636279251594e+01"},
    {128, 250, "6.548179031941599197756180724395525610213e+00", "1.965182115522249321360768537523825762656e+01"},
    {128, 4096, "4.882792191194299674366040511302578664400e+00", "-3.382613924482360451390259058099937668764e+00"},
    {128, 1000000, "8.337782073697844613044382054648052791328e+00", "-1.452181799505838398810863606161199759876e+00"},
    {64, 100, "7.465276599942448214556894169237823652013e+00", "1.787466878506590306875569063562545124382e+01"},
    {64, 4096, "5.287075856121100719010532000735186950643e+00", "1.119141336363392328179047886036043172323e-01"},
    {64, 100000, "4.372608107386273221159568480350873362390e+00", "4.250495787624714592266660959532215269134e+00"}};

static void compare_digits(reproduce_tally *tally, const struct reference_row *row, const char *name, const char *want,
                           const mpfr_t value) {
    char what[64], *got = NULL;
    if (mpfr_asprintf(&got, "%.39Re", value) < 0) abort();
    snprintf(what, sizeof what, "%s(%ld), d = %d", name, row->r, row->dim);
    reproduce_exact(tally, INDEPENDENT, what, want, got, strcmp(got, want) ? DIFFERS : REPRODUCED, "");
    mpfr_free_str(got);
}

rope_status reproduce_reference(reproduce_tally *tally, rope_error *error) {
    (void)error;
    rope_decay_value value;
    mpfr_t r;
    mpfr_init2(r, 64);
    rope_decay_value_init(&value);
    for (size_t k = 0; k < sizeof reference_rows / sizeof *reference_rows; k++) {
        const struct reference_row *const row = &reference_rows[k];
        const rope_spec spec = reproduce_spec(row->dim, 1e4);
        mpfr_set_si(r, row->r, MPFR_RNDN);
        rope_decay_at(&value, &spec, r, 256);
        compare_digits(tally, row, "B", row->B, value.B);
        compare_digits(tally, row, "C", row->C, value.C);
    }
    rope_decay_value_clear(&value);
    mpfr_clear(r);
    return ROPE_OK;
}

/* ---- Position Interpolation -------------------------------------------------------------------------- */

/* Its B(s) is the sum of |A_k|, so h B here; over d it is B/2. */
rope_status reproduce_pi_figure(reproduce_tally *tally, rope_error *error) {
    enum { PLOTTED = 4096, POINTS = 8192 };
    const rope_spec spec = reproduce_spec(128, 1e4);
    double B[POINTS], C[POINTS];
    const rope_status status = reproduce_curve(&spec, POINTS, B, C, error);
    if (status != ROPE_OK) return status;
    int least = 0, first = 0;
    for (int s = 0; s < PLOTTED; s++)
        if (B[s] < B[least]) least = s;
    for (int s = POINTS - 1; s > 0; s--)
        if (B[s] < 2.0) first = s;
    char text[32], place[64];
    snprintf(place, sizeof place, "least B(s)/d of 0 <= s <= 4095, at s = %d", least);
    reproduce_finding(tally, UNMATCHED, "B(0)/d", "", B[0] / 2, 0.0, COMPARED, "");
    reproduce_finding(tally, PRINTED, place, ">= 1", B[least] / 2, 0x1p-53, B[least] >= 2.0 ? REPRODUCED : DIFFERS,
                      "True on the range that is plotted.");
    snprintf(text, sizeof text, "s = %d", first);
    reproduce_exact(tally, PRINTED, "first s with B(s) < d", "none: 'numerically B(s) >= d'", text, FALSE_AS_PRINTED,
                    "The plot ends just before; the sign is certified.");
    const reproduce_value far = reproduce_at(&spec, 940249.0);
    reproduce_finding(tally, PRINTED, "B(s)/d at s = 940249", ">= 1", far.B / 2, far.B_error, FALSE_AS_PRINTED,
                      "The bound comes down to about half of d.");
    return status;
}

/* |a(s) - a_lin(s)| at s = 1/2 between 0 and 1, with h_j = 1: |C(1/2) - (C(0) + C(1)) / 2|. The printed bound is d /
 * (32 ln c); its proof takes c^x <= 1 + x ln c, but c^x is convex. With |e^(i x)''| = x^2 it is sum_j theta_j^2 (s -
 * s1)(s2 - s) / 2 = sum theta_j^2 / 8. */
rope_status reproduce_pi_theorem(reproduce_tally *tally, rope_error *error) {
    (void)error;
    const rope_spec spec = reproduce_spec(128, 1e4);
    const reproduce_value half = reproduce_at(&spec, 0.5), zero = reproduce_at(&spec, 0.0),
                          one = reproduce_at(&spec, 1.0);
    const double left = fabs(half.C - 0.5 * (zero.C + one.C)),
                 off = half.C_error + one.C_error + 0x1p-46; /* sums below 128 */
    const double printed = 128 / (32 * log(1e4));
    double right = 0.0;
    for (int j = 0; j < 64; j++) right += pow(rope_frequency_double(&spec, j), 2) / 8;
    reproduce_number(tally, PRINTED, "32 ln c, c = 10000", "294.73", 32 * log(1e4), 0x1p-44, "");
    reproduce_finding(
        tally, PRINTED, "the left side, h_j = 1, s = 1/2, d = 128", "at most 0.4342944819", left, off,
        left - off > printed ? FALSE_AS_PRINTED : REPRODUCED,
        "Above the printed bound d / (32 ln c): the proof uses c^x <= 1 + x ln c, and convexity says >=.");
    reproduce_finding(tally, UNMATCHED, "sum theta_j^2 / 8, which does bound it", "", right, 0x1p-50, COMPARED,
                      "From the second derivative, pair by pair.");
    reproduce_finding(tally, PRINTED, "'600 times smaller' than the extrapolation bound 2d", "600", 2 * 128 / right,
                      0x1p-40, DIFFERS, "With the constant that is right.");
    return ROPE_OK;
}
