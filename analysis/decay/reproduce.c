/* reproduce: what was published, what comes out, and what to make of it. */
#include "reproduce/reproduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const reproduce_item reproduce_items[] = {
    {"roformer-figure-2", "the long-term decay bound", "Su et al., arXiv 2104.09864, figure 2",
     reproduce_roformer_figure},
    {"reference", "B and C to 40 digits at 256 bits", "two independent programs, mpmath and MPFR", reproduce_reference},
    {"men-table-2", "least base of a context", "Men et al., arXiv 2405.14591, table 2", reproduce_men_table},
    {"su-table", "least base of a context", "J. Su, kexue.fm 10122", reproduce_su_table},
    {"men-figure-1", "power law fitted to table 2", "Men et al., figure 1", reproduce_men_fit},
    {"men-figure-4", "B(r) for three bases", "Men et al., figure 4", reproduce_men_figures},
    {"men-table-1", "do models stay within the context of their base?", "Men et al., table 1", reproduce_men_settings},
    {"pi-figure-5", "the extrapolation bound, divided by d", "Chen et al., arXiv 2306.15595, figure 5 and section 2.2",
     reproduce_pi_figure},
    {"pi-theorem-2.1", "the interpolation bound", "Chen et al., theorem 2.1", reproduce_pi_theorem},
    {"xpos-figure-2", "decay with the xPos factors", "Sun et al., arXiv 2212.10554, figure 2", reproduce_xpos_figure},
    {"t5-buckets", "first offset of each bucket", "Raffel et al., arXiv 1910.10683, 32 buckets to 128", reproduce_t5},
    {"alibi-slopes", "slopes of 8 and 16 heads", "Press et al., arXiv 2108.12409, section 3", reproduce_alibi},
    {"yarn-factors", "NTK base and YaRN temperature", "Peng et al., arXiv 2309.00071, equations 16, 22",
     reproduce_yarn},
    {"barbero-3.1-3.2", "any distance can score highest; no decay for Gaussian vectors",
     "Barbero et al., arXiv 2410.06205, propositions 3.1, 3.2", reproduce_barbero},
    {"returns", "near returns of pair 0", "continued fraction of 2 pi", reproduce_returns},
    {"critical-dimension", "dimensions with a full turn in training", "Liu et al., arXiv 2310.05209",
     reproduce_critical_dimension},
    {NULL, NULL, NULL, NULL}};

/* ---- findings -------------------------------------------------------------------------------------- */

void reproduce_exact(reproduce_tally *tally, const char *what, const char *published, const char *ours,
                     reproduce_verdict verdict, const char *why) {
    static const char *const words[] = {"reproduced", "differs", "false as printed", "for comparison"};
    tally->count[verdict]++;
    printf("  %-16s %s: published %s, ours %s\n", words[verdict], what, published, ours);
    if (*why) printf("  %-16s   %s\n", "", why);
}

void reproduce_finding(reproduce_tally *tally, const char *what, const char *published, double ours, double error,
                       reproduce_verdict verdict, const char *why) {
    char text[96], bound[32];
    decay_bound_text(bound, decay_printed_error(ours, error, 17));
    if (isnan(error))
        snprintf(text, sizeof text, "%.6g (no bound)", ours);
    else
        snprintf(text, sizeof text, "%.17g (error <= %s)", ours, bound);
    reproduce_exact(tally, what, published, text, verdict, why);
}

/* Value of the last digit of "6.39", "4.3e3". */
static double last_unit(const char *number) {
    const char *const point = strchr(number, '.'), *const exponent = strpbrk(number, "eE");
    const int end = (int)(exponent ? exponent - number : (long)strlen(number)),
              decimals = point ? end - (int)(point - number) - 1 : 0;
    return pow(10.0, (exponent ? atoi(exponent + 1) : 0) - decimals);
}

void reproduce_number(reproduce_tally *tally, const char *what, const char *published, double ours, double error,
                      const char *why) {
    const bool same = fabs(ours - atof(published)) <= last_unit(published) + (isnan(error) ? 0.0 : error);
    reproduce_finding(tally, what, published, ours, error, same ? REPRODUCED : DIFFERS, why);
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

int decay_reproduce(decay_session *session, rope_error *error) {
    if (session->operand_count == 0) {
        list_items();
        return EXIT_DONE;
    }
    const char *const name = session->operands[0];
    reproduce_tally tally = {{0}};
    rope_status status = ROPE_OK;
    int items = 0;
    for (const reproduce_item *item = reproduce_items; status == ROPE_OK && item->name; item++) {
        if (strcmp(name, "all") && strcmp(name, item->name)) continue;
        printf("%s%s: %s\n  %s\n", items++ ? "\n" : "", item->name, item->title, item->source);
        status = item->run(&tally, error);
    }
    if (status == ROPE_OK && items == 0) status = unknown(name, error);
    if (status != ROPE_OK) return EXIT_MISUSE;
    printf("\n%d numbers reproduced, %d differ, %d false as printed\n", tally.count[REPRODUCED], tally.count[DIFFERS],
           tally.count[FALSE_AS_PRINTED]);
    return EXIT_DONE;
}
