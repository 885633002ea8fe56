#include "myths.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../report/number.h"
#include "compare.h"

#define ROFORMER "Su et al. 2021, arXiv 2104.09864"
#define TUTORIALS "tutorials and study notes"

const char *const myth_verdicts[] = {"true", "true only in part", "false"};

const myth myths[] = {
    {"orthogonal",
     "R_m is orthogonal and keeps norms",
     ROFORMER ", section 3.4.2",
     MYTH_TRUE,
     {"max |R_m^T R_m - I|, d = 128, m = 1, 4095, 131071, 10^9"},
     "cos^2 + sin^2 = 1 in every pair, and pairs do not mix.",
     find_orthogonal},
    {"group",
     "R_m^T R_n = R_(n-m)",
     ROFORMER ", eq. 16",
     MYTH_TRUE,
     {"max |R_m^T R_n - R_(n-m)|, d = 128, three pairs m, n up to 10^9"},
     "Angles of one plane add, so transposing subtracts them.",
     find_group},
    {"relative",
     "the score depends on m and n only through m - n",
     ROFORMER ", eq. 11",
     MYTH_TRUE,
     {"RoPE: largest change of a score when all positions move by 1000, N = 64, d = 64", "additive sinusoid: the same"},
     "R_m^T R_n = R_(n-m); it is exact in real numbers, and rounding alone is left.",
     find_relative},
    {"outputs",
     "so the output of attention is relative, too",
     TUTORIALS,
     MYTH_PART,
     {"values not rotated: largest change of an output when all positions move by 1000", "values rotated",
      "values rotated, output turned back"},
     "True only if v is left alone: a rotated v carries its absolute position along, unless it is turned back.",
     find_outputs},
    {"decays",
     "the inner product decays with the distance",
     ROFORMER ", section 3.3",
     MYTH_FALSE,
     {"score at distance 100 for q = 1, k = R_100 q, d = 128", "its score at distance 0"},
     "For every distance there are vectors that score highest there (Barbero et al. 2024, arXiv 2410.06205, prop. "
     "3.1).",
     find_decays},
    {"bound-falls",
     "the upper bound decreases with the distance",
     ROFORMER ", figure 2; " TUTORIALS,
     MYTH_PART,
     {"B(18), d = 128", "B(19)"},
     "It falls as a trend up to distances of about the base, not from one distance to the next.",
     find_bound_decreases},
    {"bound-useful",
     "the bound limits the score",
     ROFORMER ", eq. 37",
     MYTH_PART,
     {"(bound of eq. 37) / sum |h_i| for q = k = 1, d = 128, distance 1000",
      "at 1672026, the minimum that a sweep to 10^7 found"},
     "It is a bound, but for equal components it exceeds the trivial one, sum |h_i|, at every distance of that sweep.",
     find_bound_useful},
    {"bound-vanishes",
     "the bound goes to 0 as the distance grows",
     TUTORIALS,
     MYTH_FALSE,
     {"B(733995), d = 128", "B(20)"},
     "Past distances of about the base the phases are as good as random: B stays near 4.79 and comes back in spikes.",
     find_bound_vanishes},
    {"rate",
     "the decay is O(1/distance)",
     "notes added to copies of J. Su, kexue.fm 8231",
     MYTH_FALSE,
     {"C(100)/64, d = 128", "100 C(100) / C(1)"},
     "C(r)/(d/2) is about 1 - (0.577 + ln r)/ln b up to r = b: the fall is logarithmic.",
     find_rate},
    {"schedule",
     "theta_i = 10000^(-2i/d) is what makes it decay",
     TUTORIALS,
     MYTH_FALSE,
     {"B(100)/B(0) for theta_j = 1 - j/64 instead, d = 128", "B(100)/B(0) for 10000^(-2j/d)"},
     "Almost any smooth monotone schedule does it (J. Su, kexue.fm 8265); a linear one even faster.",
     find_schedule},
    {"last-frequency",
     "the last frequency is 1/10000",
     TUTORIALS,
     MYTH_PART,
     {"theta_63, d = 128", "theta_31, d = 64"},
     "It is b^(-(d-2)/d), which tends to 1/b as d grows.",
     find_last_frequency},
    {"wavelengths",
     "wavelengths run from 2 pi to 10000 2 pi",
     "Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
     MYTH_PART,
     {"longest, d = 128", "longest, d = 512", "10000 2 pi"},
     "The last wavelength is 2 pi b^((d-2)/d); 2 pi b is its limit.",
     find_wavelengths},
    {"larger-base",
     "a larger base always reaches farther",
     TUTORIALS,
     MYTH_FALSE,
     {"first distance with C < 0, d = 64, base 5e5", "base 1e6"},
     "Good bases form islands; by the test C >= 0 (Men et al. 2024, arXiv 2405.14591) a larger one can do worse.",
     find_larger_base},
    {"base-500",
     "a base of 500 extends the context",
     TUTORIALS,
     MYTH_FALSE,
     {"first distance with C < 0, d = 128, base 500", "base 10000"},
     "By the test C >= 0 it serves 171 positions.",
     find_base_500},
    {"pi-range",
     "the extrapolation bound is at least d everywhere",
     "Chen et al. 2023, arXiv 2306.15595, section 2.2",
     MYTH_FALSE,
     {"sum |S_i| / d at 940249, d = 128", "at 4861, where a sweep first found it below 1",
      "at 3643, the minimum that a sweep of 0 to 4095, the plotted range, found"},
     "By the sweep it holds on the plotted range and first fails at 4861; one distance below 1 is enough.",
     find_interpolation_range},
    {"pi-600",
     "interpolation is 600 times tighter than extrapolation",
     "Chen et al. 2023, theorem 2.1",
     MYTH_FALSE,
     {"interpolation error for h_j = 1 at s = 1/2, d = 128", "the printed bound for it",
      "the factor with the right constant"},
     "The proof uses c^x <= 1 + x ln c, the wrong way round; the theorem is broken by its simplest example.",
     find_interpolation_theorem},
    {"least-base",
     "table 2 lists the least base of each context",
     "Men et al. 2024, arXiv 2405.14591, table 2",
     MYTH_FALSE,
     {"first distance with C < 0, d = 128, the base 2.7e4 of L = 4096",
      "base 11600, where the table has 1.6e4 for L = 2048"},
     "One printed base fails its own test, and a smaller one serves 2048: good bases are islands, bisection misses "
     "them.",
     find_least_base},
    {"extrapolates",
     "RoPE works at any length",
     TUTORIALS,
     MYTH_FALSE,
     {"pairs of 64 that have not made a full turn after 1024 positions"},
     "It is defined for any m, but beyond the trained length these pairs meet angles never seen; of a model trained at "
     "1024, Sun et al. 2022 (arXiv 2212.10554, table 2) publish a perplexity of 26.68 at 1024 and 458.83 at 8192.",
     find_extrapolates},
    {"linear-time",
     "RoPE has linear time",
     TUTORIALS,
     MYTH_PART,
     {"multiplications of the rotation of q and k, N = 4096, d = 128", "of the scores and the weighted values"},
     "The rotation costs 4 N d; softmax attention around it stays at 2 N^2 d.",
     find_linear_time},
    {"consistent",
     "RoPE is consistent across lengths, the sinusoid is not",
     TUTORIALS,
     MYTH_FALSE,
     {"largest change of the sinusoid's first 64 rows when N doubles", "of the rotated ones"},
     "Row m of both depends on m alone; neither knows N.",
     find_consistent},
    {"sinusoid-relative",
     "the sinusoid encodes relative positions",
     "Vaswani et al. 2017, arXiv 1706.03762, section 3.5",
     MYTH_PART,
     {"change of p_m . p_n from (5, 2) to (15, 12), d = 4", "change of W_q p_m . W_k p_n, reference weights"},
     "p_m . p_n = C(m - n), but with weights between them the product moves.",
     find_sinusoid_relative},
    {"sinusoid-turns",
     "RoPE is the sinusoid, multiplied instead of added",
     "J. Su, kexue.fm 8265",
     MYTH_TRUE,
     {"max |R_k p_m - p_(m+k)|, d = 128"},
     "Shifting a sinusoidal vector is a rotation, and it is the rotation that RoPE applies to contents.",
     find_sinusoid_turns},
    {"only-rope",
     "only RoPE suits linear attention",
     "J. Su, kexue.fm 8265; " TUTORIALS,
     MYTH_FALSE,
     {"rank of Transformer-XL's scores, N = 64, d = 4", "of RoPE's"},
     "Transformer-XL with sinusoids factors into 2d features, xPos and signed ALiBi factor, too.",
     find_only_rope},
    {"equation-19",
     "linear attention with rotated features is still attention",
     ROFORMER ", eq. 19",
     MYTH_PART,
     {"sum of the weights, features 1, d = 128, N = 4096", "N = 131072"},
     "Weights turn negative and do not sum to 1, as the paper says; their sum vanishes with N.",
     find_equation_19},
    {"parameters",
     "RoPE adds no parameters",
     ROFORMER ", section 3.2",
     MYTH_TRUE,
     {"parameters of RoPE, d = 64", "of Shaw et al., k = 16"},
     "The frequencies are fixed by d and b.",
     find_parameters},
    {"unique",
     "the derivation shows that RoPE is the only solution",
     TUTORIALS,
     MYTH_FALSE,
     {"xPos: largest change of a score when all positions move by 1000", "xPos: largest change of a norm"},
     "The requirement fixes the real part alone; xPos, theta = 0 and powers of any orthogonal matrix satisfy it.",
     find_unique},
    {"coincide",
     "orthogonality keeps two positions from coinciding",
     TUTORIALS,
     MYTH_FALSE,
     {"|R_710 - R_0| of pair 0 (2-norm): near, never 0", "|R_4 - R_0| for theta = pi/2, as orthogonal"},
     "The conclusion holds, the reason does not: pi is transcendental and theta algebraic, so m theta is never 2 pi k.",
     find_coincide},
    {"order",
     "rotating before or after the projection is the same",
     TUTORIALS,
     MYTH_FALSE,
     {"rotated before W: change of the score from (5, 2) to (15, 12), reference weights, d = 4",
      "rotated after W: the same"},
     "W does not commute with R_m; rotated first, the score is absolute.",
     find_order},
    {"layouts",
     "interleaved and half layouts are the same",
     TUTORIALS,
     MYTH_PART,
     {"q and k permuted alike: change of the score, d = 4, (15, 12)",
      "q interleaved, k half: change of the score from (5, 2) to (15, 12)"},
     "They agree up to one fixed permutation of the rows of W_q and W_k; mixing them is an error.",
     find_layouts},
    {"absolute",
     "RoPE is relative, so absolute positions are not available",
     TUTORIALS,
     MYTH_PART,
     {"change of the score with a key fixed at position 0 when the query moves from 0 to 100, q = k = 1, d = 128"},
     "True of a single score; a first token, or the causal mask (Kazemnejad et al. 2023, arXiv 2305.19466, theorem 1), "
     "brings absolute positions back.",
     find_absolute},
    {"bf16-scores",
     "bfloat16 errors grow with the distance",
     TUTORIALS "; Wang et al. 2024, arXiv 2411.13476",
     MYTH_FALSE,
     {"rms error of a score when rotated q and k are cast to bf16, d = 128, (m, n) = (17, 16)", "(4016, 16)",
      "(100001, 100000)"},
     "Per score it is as large far away as near; what grows in the paper is a sum over tokens and layers.",
     find_bf16_scores},
    {"bf16-positions",
     "positions in bfloat16 are harmless to 4096",
     TUTORIALS,
     MYTH_FALSE,
     {"different values that the positions 0 .. 4095 have in bf16", "the first position that bf16 cannot hold"},
     "bf16 has 8 significant bits; neighbouring positions coincide from 257 on.",
     find_bf16_positions},
    {"gaussian",
     "for Gaussian q and k nothing decays in the mean",
     "Barbero et al. 2024, arXiv 2410.06205, proposition 3.2",
     MYTH_TRUE,
     {"rms of the score at distance 1, q, k ~ N(0, I), d = 128", "at distance 100000"},
     "The mean is 0 and the variance |R|_F^2 = d at every distance: the spread does not decay, either.",
     find_gaussian},
    {NULL, NULL, NULL, MYTH_TRUE, {NULL}, NULL, NULL}};

/* ---- printing ---------------------------------------------------------------------------------------- */

enum { DIGITS = 6, WIDTH = 96 };

static rope_status unknown(const char *id, rope_error *error) {
    const myth *near = NULL;
    int least = INT_MAX;
    char hint[96];
    for (const myth *m = myths; m->id; m++) {
        const int slips = option_slips(id, m->id);
        if (slips < least) least = slips, near = m;
    }
    snprintf(hint, sizeof hint, near ? "did you mean %s?" : "rope-compare myths lists them", near ? near->id : "");
    return rope_fail(error, ROPE_BAD_INPUT, id, hint, "is no claim known here");
}

/* Words wrapped at WIDTH, every line indented. */
static void print_wrapped(int indent, const char *text) {
    int column = 0;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + length > WIDTH) printf("\n"), column = 0;
        printf("%*s%.*s", column ? 1 : indent, "", length, text);
        column = (column ? column + 1 : indent) + length;
        text += length + (text[length] == ' ');
    }
    printf("\n");
}

static void number_text_of(char text[96], const myth_number *n) {
    char value[32];
    const bool exact = n->bound == 0.0; /* a count: all its digits */
    compare_value_text(value, n->value, n->bound, exact ? 17 : DIGITS);
    snprintf(text, 96, fabs(n->value) <= n->bound && !exact ? "%s (within %s)" : "%s", value,
             number_bound(n->bound).text);
}

static void print_myth(const myth *m, const myth_finding *found, bool colour) {
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
    printf("%s%s%s: %s\n", colour ? colours[m->verdict] : "", m->id, colour ? "\033[0m" : "", m->claim);
    char *line = NULL;
    if (asprintf(&line, "%s. (%s)", myth_verdicts[m->verdict], m->source) < 0) abort();
    print_wrapped(4, line);
    free(line);
    for (int k = 0; k < MYTH_NUMBERS && m->meaning[k]; k++) {
        char number[96];
        number_text_of(number, &found->number[k]);
        if (asprintf(&line, "%s: %s", number, m->meaning[k]) < 0) abort();
        print_wrapped(8, line);
        free(line);
    }
    print_wrapped(4, m->why);
    if (!found->settled) printf("    FAIL: the numbers do not bear the verdict out\n");
}

static void put_myth(sheet *s, const myth *m, const myth_finding *found) {
    char *numbers = strdup("");
    for (int k = 0; numbers && k < MYTH_NUMBERS && m->meaning[k]; k++) {
        char number[96], *longer = NULL;
        number_text_of(number, &found->number[k]);
        if (asprintf(&longer, "%s%s%s: %s", numbers, k ? "; " : "", number, m->meaning[k]) < 0) abort();
        free(numbers);
        numbers = longer;
    }
    if (!numbers) abort();
    sheet_row(s);
    const char *const cells[] = {m->id, m->claim, m->source, myth_verdicts[m->verdict], numbers, m->why};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) sheet_text(s, cells[k]);
    free(numbers);
}

/* The claim, or every claim for NULL; counts what they are, and those whose numbers settle nothing. */
static rope_status go_through(const compare_session *session, const char *id, sheet *s, int count[3], int *unsettled,
                              rope_error *error) {
    const bool colour = option_colour(&session->line.common), quiet = session->line.common.verbosity < 0;
    bool first = true;
    for (const myth *m = myths; m->id; m++) {
        if (id && strcmp(id, m->id)) continue;
        myth_finding found = {.settled = false};
        const rope_status status = m->find(&found, error);
        if (status != ROPE_OK) return status;
        put_myth(s, m, &found);
        count[m->verdict]++;
        *unsettled += !found.settled;
        if (quiet && found.settled) continue;
        if (!first) printf("\n");
        print_myth(m, &found, colour);
        first = false;
    }
    return ROPE_OK;
}

int compare_myths(compare_session *session, rope_error *error) {
    static const char *const names[] = {"id", "claim", "source", "verdict", "numbers", "why"};
    const char *const id = session->line.operand_count ? session->line.operands[0] : NULL;
    int count[3] = {0}, unsettled = 0;
    sheet *const s = compare_sheet(session);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) sheet_column(s, names[k], SHEET_TEXT);
    rope_status status = go_through(session, id, s, count, &unsettled, error);
    if (status == ROPE_OK && sheet_rows(s) == 0) status = unknown(id, error);
    if (status == ROPE_OK) status = compare_write_table(session, s, error);
    sheet_free(s);
    if (status != ROPE_OK) return EXIT_MISUSE;
    if (!id)
        printf("%s%d claims: %d true, %d true only in part, %d false. Every number is computed on the spot; where a "
               "sweep\n"
               "found the place that it is computed at, it says so.\n"
               "Claims about trained models (GLUE scores and the like) no calculation here can decide.\n",
               session->line.common.verbosity < 0 ? "" : "\n", count[0] + count[1] + count[2], count[0], count[1],
               count[2]);
    return unsettled ? EXIT_FAILED : EXIT_DONE;
}
