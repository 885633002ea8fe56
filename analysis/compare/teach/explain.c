/* What a scheme does, in words, formulas and numbers: from its row in the table of encodings and its terms. */
#include <inttypes.h>
#include <string.h>

#include "../encoding.h"
#include "../teach.h"
#include "example.h"
#include "../../report/paragraph.h"

enum { LABEL = 12, LIST = 24 }; /* columns before the text */

static void say(FILE *out, const char *label, const char *text) {
    text_wrap(out, 0, label, LABEL, text);
}

static void list_schemes(FILE *out) {
    for (const encoding *const *row = encodings; *row; row++) {
        text_wrap(out, 0, (*row)->name, LIST, (*row)->title);
        text_wrap(out, LIST, "", 0, (*row)->formula);
    }
    fprintf(out, "\n");
    text_wrap(out, 0, "", 0,
              "rope-compare explain SCHEME explains one of them, with numbers; rope-compare tour walks through them.");
}

static void print_terms(FILE *out, const encoding *row, const example_term *seen) {
    say(out, "Symbols",
        "The query stands at position m, the key at n, both counted from 0; r = n - m is the offset. x_m is the "
        "token at m, q = W_q x_m and k = W_k x_n. d is the dimension of a head, N the number of tokens.");
    fprintf(out, "\n%s\n", row->term[1].id ? "Terms: their sum is the score" : "The score has one term");
    for (const encoding_term_text *term = row->term; term->id; term++, seen++) {
        fprintf(out, "\n   %s:  %s\n", term->id, term->formula);
        text_wrap(out, 6, "", 0, term->words);
        text_say(out, 6, "", 0, "Depends on %s%s%s.", term->content ? "the tokens" : "",
                 term->content ? " and on " : "", example_places[seen->place]);
    }
    fprintf(out, "\n");
}

static void print_absolute(FILE *out, const encoding *row, const example_term *seen) {
    char names[512] = "";
    for (const encoding_term_text *term = row->term; term->id; term++, seen++) {
        const size_t used = strlen(names);
        if (!term->relative)
            snprintf(names + used, sizeof names - used, "%s%s (%s)", used ? ", " : "", term->id,
                     example_places[seen->place]);
    }
    if (*names)
        text_say(out, 0, "Absolute", LABEL, "Positions themselves enter through %s.", names);
    else
        say(out, "Absolute", "m or n themselves enter nowhere: move query and key together, and the score stays.");
}

static void print_lengths(FILE *out, const encoding_run *run) {
    say(out, "Lengths",
        run->encoding->keeps_norm   ? "|f_q(x, m)| = |q|: the position changes no length."
        : example_length_moves(run) ? "|f_q(x, m)| differs from |q| and changes with m."
                                    : "|f_q(x, m)| differs from |q|, by the same factor at every m.");
}

/* The formula, and its value here unless the formula is that number already ("0 (N d additions)"). */
static void print_count(FILE *out, const char *label, const char *formula, int64_t number, const char *unit) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%" PRId64, number);
    if (strncmp(text, formula, (size_t)length) == 0 && (formula[length] == 0 || formula[length] == ' '))
        say(out, label, formula);
    else
        text_say(out, 0, label, LABEL, "%s; here %s%s", formula, text, unit);
}

static void print_cost(FILE *out, const encoding *row, const compare_data *data) {
    const int64_t rank = row->rank(data);
    text_say(out, 0, "Cost", LABEL, "For each head, beyond q . k. Here: d = %zu, N = %zu.", data->dim, data->length);
    print_count(out, " parameters", row->parameters_formula, row->parameters(data), "");
    print_count(out, " products", row->cost_formula, row->cost(data), " multiplications for all pairs");
    text_say(out, 0, "Rank", LABEL, "The N x N scores have rank %s; here %" PRId64 ". %s", row->rank_formula,
             rank < 0 ? (int64_t)data->length : rank, row->rank_reason);
    text_say(out, 0, "Linear", LABEL, "%s %s",
             row->linear_attention ? "Linear attention is possible." : "Linear attention is not possible.",
             row->linear_reason);
    text_say(out, 0, "Longer", LABEL, "%s beyond the trained length. %s", row->extrapolates ? "Defined" : "Not defined",
             row->extrapolates_reason);
    if (row->needs_value)
        say(out, "Values", "The scheme adds positions to the values, too; only its scores are shown here.");
}

static rope_status print_scheme(FILE *out, const encoding *row, const compare_data *data, rope_error *error) {
    encoding_run run = {0};
    const rope_status status = encoding_build(&run, row, data, 0, error);
    if (status != ROPE_OK) return status;
    example_term seen[ENCODING_TERMS];
    for (int k = 0; k < run.terms; k++) seen[k] = example_of(&run, k);
    fprintf(out, "%s  (%s)\n", row->title, row->name);
    text_wrap(out, 0, "", 0, row->source);
    fprintf(out, "\n");
    say(out, "Score", row->formula);
    say(out, "Idea", row->idea);
    print_terms(out, row, seen);
    print_absolute(out, row, seen);
    print_lengths(out, &run);
    fprintf(out, "\n");
    say(out, "Example",
        "d = 4, tokens and weights by formula (--data reference), all tokens alike. Then both move by 10.");
    fprintf(out, "\n");
    example_print(out, &run);
    fprintf(out, "\n");
    print_cost(out, row, data);
    if (row->differs) say(out, "RoFormer", row->differs);
    say(out, "Next", row->next);
    encoding_free(&run);
    return ROPE_OK;
}

rope_status teach_explain(FILE *out, const char *scheme, rope_error *error) {
    if (!scheme) {
        list_schemes(out);
        return ROPE_OK;
    }
    const encoding *row = encoding_named(scheme);
    if (!row) {
        char names[512] = "schemes:";
        for (const encoding *const *each = encodings; *each; each++) strcat(strcat(names, " "), (*each)->name);
        return rope_fail(error, ROPE_BAD_INPUT, "explain", names, "there is no scheme '%s'", scheme);
    }
    compare_data data;
    rope_status status = example_data(&data, error);
    if (status != ROPE_OK) return status;
    status = print_scheme(out, row, &data, error);
    compare_data_free(&data);
    return status;
}
