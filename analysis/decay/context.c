/* context: the longest context of a base, and the least bases of a context. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/frequency/frequency.h"

static const double first_zero_of_Ci = 0.616505485620716;

/* ---- least bases ------------------------------------------------------------------------------------- */

/* The spec in words without its base. */
static void describe_but_base(const rope_spec *spec, char *label, size_t size) {
    rope_spec_describe(spec, label, size);
    char *const base = strstr(label, " base ");
    if (!base) return;
    const char *const rest = base + strlen(" base ") + strcspn(base + strlen(" base "), " ");
    memmove(base, rest, strlen(rest) + 1);
}

/* A row of the TSV: base .. base_to serves `context` positions. */
static void put_row(sheet *s, const char *label, const char *quantity, double base, double base_to, int64_t context) {
    sheet_row(s);
    sheet_text(s, label);
    sheet_text(s, quantity);
    sheet_number(s, base, 12);
    sheet_number(s, base_to, 12);
    sheet_number(s, (double)context, 0);
}

/* all: one island, which holds every base above 1. */
static void print_search(FILE *out, const decay_search *search, bool all, const rope_spec *spec, int64_t length) {
    static const char *const outside[] = {"every base below the first island, and between two, fails",
                                          "every base between two islands, from 1 + 2^-20 on, fails",
                                          "every base between two islands fails"};
    if (all)
        decay_say(out, "  Certified, in %llu steps.\n", (unsigned long long)search->steps);
    else
        decay_say(out, "  Certified, in %llu steps: %s; every base in an island serves.\n",
                  (unsigned long long)search->steps, outside[search->below + 1]);
    if (search->jumps == 1) decay_say(out, "  At 1 place, most likely an edge,");
    if (search->jumps > 1) decay_say(out, "  At %d places, most of them edges,", search->jumps);
    if (search->jumps)
        decay_say(out, " the walk jumped by a relative 2^-26: edges are within that of the true ones,\n  and an island "
                       "or a hole narrower than that may be missed.\n");
    if (spec->rule == &rope_rule_default)
        decay_say(out, "  Estimate for many pairs: L / 0.6165 = %.6g, with 0.6165 the first zero of Ci.\n",
                  (double)length / first_zero_of_Ci);
}

static rope_status print_islands(decay_session *session, int64_t length, sheet *s, rope_error *error) {
    FILE *const out = session->text;
    const rope_spec spec = session->spec;
    char label[160];
    int count = session->islands;
    decay_search search;
    option_bar bar;
    decay_island *const island = calloc((size_t)count, sizeof *island);
    if (!island) abort();
    describe_but_base(&spec, label, sizeof label);
    option_bar_begin(&bar, option_progress(&session->line.common), "steps", 0);
    const rope_status status = decay_islands(island, &count, &search, &spec, length, &bar, error);
    option_bar_end(&bar);
    const bool all = status == ROPE_OK && search.below > 0 && island[0].last == INFINITY;
    if (status == ROPE_OK)
        decay_say(out, "%s: bases with C(r) >= 0 at every distance r < %lld\n", label, (long long)length);
    for (int k = 0; status == ROPE_OK && k < count; k++) {
        const double first = island[k].first, last = fmin(island[k].last, DECAY_LARGEST_BASE);
        if (all)
            decay_say(out, "  every base above 1 (looked at up to %g)\n", last);
        else
            decay_say(out,
                      island[k].last < INFINITY ? "  island %d: %.9g .. %.9g\n" : "  island %d: %.9g .. beyond %g\n",
                      k + 1, first, last);
        put_row(s, label, "island", first, last, length);
    }
    if (status == ROPE_OK) print_search(out, &search, all, &spec, length);
    free(island);
    return status;
}

/* ---- longest context ----------------------------------------------------------------------------------- */

static void print_neighbour(FILE *out, const rope_spec *spec, int64_t r) {
    double value, error;
    decay_sign_of_sum(spec, r, &value, &error);
    decay_say(out, "    r = %lld: %.15g (error <= %s)\n", (long long)r, value,
              number_bound(decay_printed_error(value, error, 15)).text);
}

static rope_status print_longest(decay_session *session, const rope_spec *spec, bool alone, sheet *s,
                                 rope_error *error) {
    FILE *const out = session->text;
    const int64_t limit = session->limit ? session->limit : INT64_C(1) << 27;
    char label[160];
    int64_t first;
    option_bar bar;
    rope_spec_describe(spec, label, sizeof label);
    option_bar_begin(&bar, option_progress(&session->line.common), "distances", (uint64_t)limit);
    const rope_status status = decay_first_negative(&first, spec, limit, &bar, error);
    option_bar_end(&bar);
    if (status != ROPE_OK) return status;
    if (!first) {
        decay_say(out, "%s: C(r) >= 0 at every distance r < %lld (certified signs)\n", label, (long long)limit);
        return status;
    }
    put_row(s, label, "context", spec->base, spec->base, first);
    decay_say(out, "%s: %lld positions: C(r) >= 0 for r < %lld, C(%lld) < 0 (certified signs)\n", label,
              (long long)first, (long long)first, (long long)first);
    if (!alone) return status;
    for (int64_t r = first - 1; r <= first + 1; r++) print_neighbour(out, spec, r);
    if (spec->rotary_dim < spec->dim)
        decay_say(out, "    with the %g pairs of channels that are not turned, cos 0 = 1 each\n",
                  decay_passed_pairs(spec));
    decay_say(out, "    estimate for many pairs: 0.6165 b = %.6g\n", first_zero_of_Ci * spec->base);
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
    if (session->request.inexact) {
        if (asprintf(&command, "inputs: %s", session->request.inexact) < 0) abort();
        sheet_comment(s, command);
        free(command);
    }
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
    FILE *const out = session->text;
    const bool bases = session->has_base || (!session->lengths && !session->bases.count);
    rope_status status = decay_check_output(&session->output, error);
    if (status == ROPE_OK && session->bases.count && session->bases.list[0] <= 1)
        status = rope_fail(error, ROPE_BAD_INPUT, "--bases", "A above 1", "base 1 would not give falling frequencies");
    if (status != ROPE_OK) return EXIT_MISUSE;
    sheet *const s = new_sheet(session);
    if (request->inexact) decay_say(out, "inputs: %s\n", request->inexact);
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
        decay_say(
            out, "C(r) >= 0 is Men et al.'s model of a context (arXiv 2405.14591), not a law: trained models exceed it "
                 "and fall short of it.\n");
    if (status == ROPE_OK) status = decay_write_sheet(&session->output, "context", s, error);
    if (status == ROPE_OK && session->output.cite) decay_cite(out ? out : stdout, CITE_MEN | CITE_SU);
    sheet_free(s);
    return status == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
}
