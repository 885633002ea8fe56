/* reproduce: what was published, what comes out, and what to make of it. */
#include "reproduce/reproduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const reproduce_item reproduce_items[] = {
    {"roformer-figure-2", "the long-term decay bound", "Su et al., arXiv 2104.09864, figure 2", CITE_ROFORMER,
     reproduce_roformer_figure},
    {"reference", "B and C to 40 digits at 256 bits", "two independent programs, mpmath and MPFR",
     CITE_ROFORMER | CITE_MEN, reproduce_reference},
    {"men-table-2", "least base of a context", "Men et al., arXiv 2405.14591, table 2", CITE_MEN, reproduce_men_table},
    {"su-table", "least base of a context", "J. Su, kexue.fm 10122", CITE_SU, reproduce_su_table},
    {"men-figure-1", "power law fitted to table 2", "Men et al., figure 1", CITE_MEN, reproduce_men_fit},
    {"men-figure-4", "B(r), averaged", "Men et al., figure 4", CITE_MEN, reproduce_men_figure_4},
    {"men-figure-5", "C(r) / (d/2), averaged", "Men et al., figure 5", CITE_MEN, reproduce_men_figure_5},
    {"men-table-1", "do models stay within the context of their base?", "Men et al., table 1", CITE_MEN,
     reproduce_men_settings},
    {"first-negative", "first whole r with C(r) < 0", "independent scans in 80-bit arithmetic", CITE_MEN,
     reproduce_first_negative},
    {"pi-figure-5", "the extrapolation bound, divided by d", "Chen et al., arXiv 2306.15595, figure 5 and section 2.2",
     CITE_PI, reproduce_pi_figure},
    {"pi-theorem-2.1", "the interpolation bound", "Chen et al., theorem 2.1", CITE_PI, reproduce_pi_theorem},
    {"xpos-figure-2", "decay with the xPos factors, which gamma was drawn?", "Sun et al., arXiv 2212.10554, figure 2",
     CITE_XPOS, reproduce_xpos_figure},
    {"t5-buckets", "first offset of each bucket", "Raffel et al., arXiv 1910.10683, 32 buckets to 128", CITE_T5,
     reproduce_t5},
    {"alibi-slopes", "slopes of 8 and 16 heads", "Press et al., arXiv 2108.12409, section 3", CITE_ALIBI,
     reproduce_alibi},
    {"yarn-factors", "NTK base and YaRN temperature", "Peng et al., arXiv 2309.00071, equations 16, 22", CITE_YARN,
     reproduce_yarn},
    {"barbero-3.1-3.2", "any distance can score highest; no decay for Gaussian vectors",
     "Barbero et al., arXiv 2410.06205, propositions 3.1, 3.2", CITE_BARBERO, reproduce_barbero},
    {"returns", "near returns of pair 0", "continued fraction of 2 pi", CITE_BARBERO, reproduce_returns},
    {"critical-dimension", "dimensions with a full turn in training", "Liu et al., arXiv 2310.05209", CITE_LIU,
     reproduce_critical_dimension},
    {NULL, NULL, NULL, 0, NULL}};

/* ---- findings -------------------------------------------------------------------------------------- */

static const struct kind_words {
    const char *cell, *text, *counted; /* in the TSV; before the number; in the last line */
} kind_words[REPRODUCE_KINDS] = {
    [PRINTED] = {"printed", "printed ", "printed"},
    [DRAWN] = {"figure", "read from the figure ", "read from figures"},
    [INDEPENDENT] = {"independent", "independent computation ", "independent computations"},
    [UNVERIFIED] = {"unverified", "quoted, not seen in the source: ", "unverified"},
    [UNMATCHED] = {"none", "", NULL}};

static void put(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, const char *ours,
                const char *bound, reproduce_verdict verdict, const char *why) {
    static const char *const words[] = {"reproduced", "differs", "false as printed", "for comparison"};
    const struct kind_words *const of = &kind_words[kind];
    const char *const cells[] = {tally->item, what, of->cell, other, ours, bound, words[verdict], why};
    tally->count[kind][verdict]++;
    decay_say(tally->text, "  %-16s %s: %s%s%sours %s", words[verdict], what, of->text, other, *other ? ", " : "",
              ours);
    if (*bound && strcmp(bound, "nan")) decay_say(tally->text, " (error <= %s)", bound);
    decay_say(tally->text, "\n");
    if (*why) decay_say(tally->text, "  %-16s   %s\n", "", why);
    sheet_row(tally->findings);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) sheet_text(tally->findings, cells[k]);
}

void reproduce_exact(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, const char *ours,
                     reproduce_verdict verdict, const char *why) {
    put(tally, kind, what, other, ours, "", verdict, why);
}

void reproduce_finding(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, double ours,
                       double error, reproduce_verdict verdict, const char *why) {
    char text[32];
    const number_text bound = number_bound(decay_printed_error(ours, error, 17));
    snprintf(text, sizeof text, "%.*g", isnan(error) ? 6 : 17, ours);
    put(tally, kind, what, other, text, bound.text, verdict, why);
}

/* Value of the last digit of "6.39", "4.3e3". */
static double last_unit(const char *number) {
    const char *const point = strchr(number, '.'), *const exponent = strpbrk(number, "eE");
    const int end = (int)(exponent ? exponent - number : (long)strlen(number)),
              decimals = point ? end - (int)(point - number) - 1 : 0;
    return pow(10.0, (exponent ? atoi(exponent + 1) : 0) - decimals);
}

void reproduce_number(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, double ours,
                      double error, const char *why) {
    const bool same = fabs(ours - atof(other)) <= last_unit(other) + (isnan(error) ? 0.0 : error);
    reproduce_finding(tally, kind, what, other, ours, error, same ? REPRODUCED : DIFFERS, why);
}

void reproduce_sampled(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other,
                       double expected, double ours, double window, const char *why) {
    char text[64];
    snprintf(text, sizeof text, "%.6g, 4 standard errors: %.2g", ours, window);
    put(tally, kind, what, other, text, "", fabs(ours - expected) < window ? REPRODUCED : DIFFERS, why);
}

/* "printed: 1 reproduced, 1 differs, 1 false as printed; read from figures: 2 reproduced" */
static void say_counts(const reproduce_tally *tally) {
    static const char *const words[] = {"reproduced", "different", "false as printed"};
    const char *before = "";
    decay_say(tally->text, "\n");
    for (int kind = 0; kind < UNMATCHED; kind++) {
        const int *const count = tally->count[kind];
        if (!count[REPRODUCED] && !count[DIFFERS] && !count[FALSE_AS_PRINTED]) continue;
        decay_say(tally->text, "%s%s: ", before, kind_words[kind].counted);
        for (int verdict = 0, some = 0; verdict < COMPARED; verdict++)
            if (count[verdict]) decay_say(tally->text, "%s%d %s", some++ ? ", " : "", count[verdict], words[verdict]);
        before = "; ";
    }
    decay_say(tally->text, *before ? "\n" : "no number of the source to compare with\n");
}

/* ---- values ---------------------------------------------------------------------------------------- */

rope_spec reproduce_spec(int dim, double base) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim;
    spec.base = base;
    spec.layout_in = spec.layout_out = ROPE_INTERLEAVED;
    rope_spec_check(&spec, NULL);
    return spec;
}

reproduce_value reproduce_at(const rope_spec *spec, double r) {
    rope_decay_value at;
    reproduce_value value;
    mpfr_t distance;
    mpfr_init2(distance, 53);
    mpfr_set_d(distance, r, MPFR_RNDN);
    rope_decay_value_init(&at);
    rope_decay_at(&at, spec, distance, 160);
    decay_to_doubles(&value.B, &value.B_error, at.B, at.B_error);
    decay_to_doubles(&value.C, &value.C_error, at.C, at.C_error);
    rope_decay_value_clear(&at);
    mpfr_clear(distance);
    return value;
}

rope_status reproduce_curve(const rope_spec *spec, int64_t n, double *B, double *C, rope_error *error) {
    rope_decay *decay;
    const rope_status status = rope_decay_new(&decay, spec, (rope_distances){0.0, 1.0, n}, ROPE_DECAY_DOUBLE, error);
    if (status == ROPE_OK) rope_decay_round(decay, 0, n, B, C, NULL, 1024);
    rope_decay_free(decay);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------------- */

static void list_items(void) {
    for (const reproduce_item *item = reproduce_items; item->name; item++)
        printf("%-20s %s (%s)\n", item->name, item->title, item->source);
}

static rope_status unknown(const char *name, rope_error *error) {
    const char *near = "all";
    int least = INT_MAX;
    for (const reproduce_item *item = reproduce_items; item->name; item++) {
        const int slips = option_slips(name, item->name);
        if (slips < least) least = slips, near = item->name;
    }
    char hint[96];
    snprintf(hint, sizeof hint, least < INT_MAX ? "did you mean %s?" : "rope-decay reproduce lists them; %s takes all",
             near);
    return rope_fail(error, ROPE_BAD_INPUT, name, hint, "is no published result known here");
}

static sheet *new_findings(const decay_session *session) {
    static const char *const columns[] = {"item", "what", "kind", "other", "ours", "error_bound", "verdict", "why"};
    sheet *const s = sheet_new();
    char *command = NULL;
    if (asprintf(&command, "command: %s %s", session->request.command, session->line.operands[0]) < 0) abort();
    sheet_comment(s, "rope-decay " ROPE_VERSION);
    sheet_comment(s, command);
    sheet_comment(s, "kind: where the other number comes from: printed in the source, read from its figure, an "
                     "independent computation (published by nobody), unverified (quoted, not seen in the source)");
    sheet_comment(s, "|ours as printed - exact| <= error_bound; nan: no bound; empty: ours is exact, or a text");
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) sheet_column(s, columns[k], SHEET_TEXT);
    free(command);
    return s;
}

static rope_status run_items(reproduce_tally *tally, unsigned *sources, const char *name, rope_error *error) {
    rope_status status = ROPE_OK;
    int items = 0;
    for (const reproduce_item *item = reproduce_items; status == ROPE_OK && item->name; item++) {
        if (strcmp(name, "all") && strcmp(name, item->name)) continue;
        decay_say(tally->text, "%s%s: %s\n  %s\n", items++ ? "\n" : "", item->name, item->title, item->source);
        tally->item = item->name;
        *sources |= item->sources;
        status = item->run(tally, error);
    }
    return status == ROPE_OK && items == 0 ? unknown(name, error) : status;
}

int decay_reproduce(decay_session *session, rope_error *error) {
    if (session->line.operand_count == 0) {
        list_items();
        return EXIT_DONE;
    }
    if (decay_check_output(&session->output, error) != ROPE_OK) return EXIT_MISUSE;
    reproduce_tally tally = {.text = session->text, .findings = new_findings(session)};
    unsigned sources = 0;
    rope_status status = run_items(&tally, &sources, session->line.operands[0], error);
    if (status == ROPE_OK) say_counts(&tally);
    if (status == ROPE_OK) status = decay_write_sheet(&session->output, "", tally.findings, error);
    if (status == ROPE_OK && session->output.cite) decay_cite(session->text ? session->text : stdout, sources);
    sheet_free(tally.findings);
    return status == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
}
