/* rope-compare: what position encodings add to the score, term by term, and what sets them apart. */
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "page.h"
#include "picture.h"
#include "table.h"
#include "teach.h"

/* ---- options --------------------------------------------------------------------------------------- */

enum {
    OPTION_SCHEMES = 1,
    OPTION_DIM,
    OPTION_LENGTH,
    OPTION_SHIFT,
    OPTION_DATA,
    OPTION_BITS,
    OPTION_BASE,
    OPTION_CLIP,
    OPTION_BUCKETS,
    OPTION_MAX_DISTANCE,
    OPTION_HEADS,
    OPTION_HEAD,
    OPTION_TSV,
    OPTION_TABLE,
    OPTION_PLOT,
    OPTION_HTML,
    OPTION_ANSWER,
    OPTION_STUDENT
};

static const option_row compare_rows[] = {
    {"schemes", OPTION_SCHEMES, "LIST", "names with commas, or all (default); rope-compare explain lists them",
     "Comparison", CALL_SCHEMES},
    {"dim", OPTION_DIM, "D", "head size d, even (default 64; of linear's first table 128)", NULL, CALL_RUNS},
    {"length", OPTION_LENGTH, "N", "tokens (default 64)", NULL, CALL_RUNS},
    {"shift", OPTION_SHIFT, "K", "how far all positions are moved (default 1000)", NULL, CALL_SCHEMES | CALL_VALUES},
    {"data", OPTION_DATA, "KIND",
     "tokens: gaussian (default), constant, repeated, one-hot, reference (an example with d = 4 whose terms are "
     "known to 25 digits), or FILE.npy [N][d]; the seed is --seed",
     NULL, CALL_RUNS},
    {"bits", OPTION_BITS, "P",
     "bits of the arithmetic (default 53: doubles); with more, the pair that changes most is computed with them", NULL,
     CALL_RUNS},
    {"base", OPTION_BASE, "B", "base of sinusoid, RoPE and xPos (default 10000)", "Schemes", CALL_RUNS},
    {"clip", OPTION_CLIP, "K", "Shaw, DeBERTa: largest offset told apart (default 16, at most N)", NULL, CALL_RUNS},
    {"buckets", OPTION_BUCKETS, "N", "T5: buckets of offsets (default 32)", NULL, CALL_RUNS},
    {"max-distance", OPTION_MAX_DISTANCE, "R", "T5: from here on, one bucket (default 128)", NULL, CALL_RUNS},
    {"heads", OPTION_HEADS, "N", "ALiBi: heads, which share out the slopes (default 8)", NULL, CALL_RUNS},
    {"head", OPTION_HEAD, "H", "ALiBi: which head, from 1 (default 1)", NULL, CALL_RUNS},
    {"tsv", OPTION_TSV, "FILE", "every number as scheme, term, quantity, value, bound; - is standard output", "Output",
     CALL_SCHEMES},
    {"table", OPTION_TABLE, "FILE", "the tables as .tex (booktabs) or .md, or one wide table as .csv or .tsv", NULL,
     CALL_RUNS | CALL_MYTHS},
    {"plot", OPTION_PLOT, "DIR", "figures: heat maps of terms and scores, defects, decay; needs gnuplot", NULL,
     CALL_SCHEMES},
    {"html", OPTION_HTML, "FILE", "one page with tables, formulas and heat maps that can be shifted", NULL,
     CALL_SCHEMES},
    {"answer", OPTION_ANSWER, NULL, "exercise: print the key, too", "Exercises", CALL_EXERCISE},
    {"seed", OPTION_STUDENT, "ID", NULL, NULL, ~0u}, /* before the common one: an exercise takes any text */
    {NULL, 0, NULL, NULL, NULL, 0}};

static const program_call calls[] = {
    {"explain", CALL_EXPLAIN, " [SCHEME]", "a scheme in words, formulas and numbers; without SCHEME: their list"},
    {"tour", CALL_TOUR, "", "through all schemes, question by question"},
    {"exercise", CALL_EXERCISE, " [N|all] --seed ID [--answer]",
     "an exercise whose numbers are drawn from ID, any text; without N: their list"},
    {"linear", CALL_LINEAR, "",
     "rotated features in linear attention: sign and sum of the weights, and which scores factor"},
    {"values", CALL_VALUES, "", "what rotating the values does to the output"},
    {"myths", CALL_MYTHS, " [ID]", "what is claimed about RoPE, and the numbers that decide it"},
    {NULL, 0, NULL, NULL}};

static const char closing[] =
    "Exit status: 0 done; 1 a sum of terms misses the score, or what theory calls relative moves;\n"
    "2 wrong use or unusable input. An undecided answer (rounding may do more than 2^-20 of what is\n"
    "measured) is printed and counted, and changes no status; more --bits bring less rounding.\n\n"
    "Examples:\n"
    "  rope-compare\n"
    "  rope-compare --schemes sinusoidal,shaw,rope --length 256 --table schemes.tex --html schemes.html\n"
    "  rope-compare --data reference --bits 160 --tsv -\n"
    "  rope-compare explain transformer-xl\n"
    "  rope-compare exercise 3 --seed \"Ada\" --answer\n"
    "  rope-compare myths decays\n";

/* Options that are whole numbers of the request, and what each may be; compare_request_check knows what they may be
 * together. */
static const struct whole {
    int key;
    size_t member;
    bool wide; /* int64_t, not int */
    int64_t least, most;
} wholes[] = {{OPTION_DIM, offsetof(compare_request, dim), false, 2, COMPARE_MAX_DIM},
              {OPTION_LENGTH, offsetof(compare_request, length), true, 1, COMPARE_MAX_LENGTH},
              {OPTION_CLIP, offsetof(compare_request, clip), true, 1, COMPARE_MAX_LENGTH},
              {OPTION_BUCKETS, offsetof(compare_request, buckets), false, 4, COMPARE_MAX_BUCKETS},
              {OPTION_MAX_DISTANCE, offsetof(compare_request, max_distance), true, 4, COMPARE_MAX_DISTANCE},
              {OPTION_HEADS, offsetof(compare_request, heads), false, 1, COMPARE_MAX_HEADS},
              {OPTION_HEAD, offsetof(compare_request, head), false, 1, COMPARE_MAX_HEADS},
              {0, 0, false, 0, 0}};

static rope_status set_whole(compare_request *request, const struct whole *option, const option_scan *scan,
                             rope_error *error) {
    int64_t number;
    const rope_status status = option_integer(&number, scan->value, option->least, option->most, scan->name, error);
    char *const member = (char *)request + option->member;
    if (status != ROPE_OK) return status;
    if (option->wide)
        *(int64_t *)(void *)member = number;
    else
        *(int *)(void *)member = (int)number;
    return ROPE_OK;
}

static rope_status apply_option(void *context, int key, const option_scan *scan, unsigned call, rope_error *error) {
    compare_session *const session = context;
    int64_t number;
    rope_status status = ROPE_OK;
    for (const struct whole *option = wholes; option->key; option++)
        if (option->key == key) {
            session->has_dim = session->has_dim || key == OPTION_DIM;
            session->has_length = session->has_length || key == OPTION_LENGTH;
            return set_whole(&session->request, option, scan, error);
        }
    switch (key) {
    case OPTION_SCHEMES:
        session->schemes = scan->value;
        break;
    case OPTION_DATA:
        session->request.data = scan->value;
        break;
    case OPTION_TSV:
        session->tsv = scan->value;
        break;
    case OPTION_TABLE:
        session->table = scan->value;
        break;
    case OPTION_PLOT:
        session->plot = scan->value;
        break;
    case OPTION_HTML:
        session->html = scan->value;
        break;
    case OPTION_ANSWER:
        session->answer = true;
        break;
    case OPTION_SHIFT:
        return option_integer(&session->shift, scan->value, -(1 << 29), 1 << 29, scan->name, error);
    case OPTION_BASE:
        return option_real(&session->request.base, scan->value, 1.0, 1e300, scan->name, error);
    case OPTION_BITS:
        status = option_integer(&number, scan->value, ROWS_DOUBLE, ROWS_MOST_BITS, scan->name, error);
        if (status == ROPE_OK) session->request.bits = (long)number;
        break;
    case OPTION_STUDENT:
        session->student = scan->value;
        if (call == CALL_EXERCISE) break;
        status = option_integer(&number, scan->value, 0, INT64_MAX, scan->name, error);
        if (status == ROPE_OK) session->request.seed = (uint64_t)number;
        break;
    default:
        break;
    }
    return status;
}

static const struct program self = {
    .name = "rope-compare",
    .purpose = "position encodings side by side: scores term by term, and what sets them apart",
    .calls = calls,
    .usage = "[OPTION]...    compare schemes",
    .alone = CALL_SCHEMES,
    .rows = compare_rows,
    .closing = closing,
    .apply = apply_option};

/* ---- schemes --------------------------------------------------------------------------------------- */

static rope_status unknown_scheme(const char *name, rope_error *error) {
    const char *near = NULL;
    int least = INT_MAX;
    char hint[512] = "";
    for (const encoding *const *scheme = encodings; *scheme; scheme++) {
        const int slips = option_slips(name, (*scheme)->name);
        if (slips < least) least = slips, near = (*scheme)->name;
    }
    size_t used = (size_t)snprintf(hint, sizeof hint, near ? "did you mean %s?" : "schemes: all", near ? near : "");
    for (const encoding *const *scheme = encodings; !near && *scheme && used < sizeof hint; scheme++)
        used += (size_t)snprintf(hint + used, sizeof hint - used, " %s", (*scheme)->name);
    return rope_fail(error, ROPE_BAD_INPUT, "--schemes", hint, "'%s' is no scheme", name);
}

/* Each scheme once, in the order of the list. */
static rope_status choose_schemes(const encoding ***list, int *count, const char *names, rope_error *error) {
    int all = 0;
    while (encodings[all]) all++;
    const encoding **const chosen = calloc((size_t)all + 1, sizeof *chosen);
    char *const copy = strdup(names), *rest = NULL;
    if (!chosen || !copy) abort();
    rope_status status = ROPE_OK;
    *list = chosen;
    *count = 0;
    for (char *name = strtok_r(copy, ",", &rest); status == ROPE_OK && name; name = strtok_r(NULL, ",", &rest)) {
        const bool everything = !strcmp(name, "all");
        const encoding *const wanted = everything ? NULL : encoding_named(name);
        if (!everything && !wanted) status = unknown_scheme(name, error);
        for (int k = 0; status == ROPE_OK && k < all; k++) {
            bool there = !everything && encodings[k] != wanted;
            for (int i = 0; i < *count; i++) there = there || chosen[i] == encodings[k];
            if (!there) chosen[(*count)++] = encodings[k];
        }
    }
    if (status == ROPE_OK && *count == 0)
        status = rope_fail(error, ROPE_BAD_INPUT, "--schemes", "names with commas, or all", "names no scheme");
    free(copy);
    return status;
}

typedef struct progress {
    option_bar bar;
    uint64_t before;
} progress;

static void step(void *context, uint64_t rows_done) {
    progress *const p = context;
    option_bar_step(&p->bar, p->before + rows_done);
}

static rope_status measure_all(measurement *measured, const compare_session *session, const encoding *const *list,
                               int count, const compare_data *data, rope_error *error) {
    progress p = {.before = 0};
    rope_status status = ROPE_OK;
    option_bar_begin(&p.bar, option_progress(&session->line.common), "comparing", (uint64_t)count * data->length);
    for (int k = 0; status == ROPE_OK && k < count; k++) {
        status = measure(&measured[k], list[k], data, session->shift, step, &p, error);
        p.before += data->length;
    }
    option_bar_end(&p.bar);
    return status;
}

static rope_status write_sheets(const compare_session *session, const measurement *measured, int count,
                                rope_error *error) {
    sheet *const tidy = table_tidy(session, measured, count);
    rope_status status = session->table ? table_write(session, measured, count, error) : ROPE_OK;
    if (status == ROPE_OK && session->tsv)
        status = sheet_write_as(tidy, sheet_format_for_file("schemes.tsv"), session->tsv, true, error);
    sheet_free(tidy);
    return status;
}

/* Words go to standard error when the data go to standard output. */
static int print_results(const compare_session *session, const measurement *measured, int count) {
    FILE *const out = session->tsv && !strcmp(session->tsv, "-") ? stderr : stdout;
    char *const what = compare_statement(session);
    if (session->line.common.verbosity >= 0) {
        fprintf(out, "%d scheme%s; %s;\nall positions moved by %" PRId64 "\n", count, count > 1 ? "s" : "", what,
                session->shift);
        if (out == stdout) table_print(out, measured, count, option_colour(&session->line.common));
        fprintf(out, "\n");
    }
    const int failures = table_failures(out, measured, count, session->shift);
    const int undecided = table_undecided(out, measured, count);
    if (undecided)
        fprintf(out,
                "%d answer%s undecided: rounding may do more than 2^-20 of what is measured. More --bits bring less "
                "rounding.\n",
                undecided, undecided > 1 ? "s are" : " is");
    else if (failures == 0)
        fprintf(out, "The terms sum up to the score at every pair, and what theory calls relative does not move.\n");
    free(what);
    return failures ? EXIT_FAILED : EXIT_DONE;
}

static int compare_schemes(compare_session *session, rope_error *error) {
    const encoding **list = NULL;
    compare_data data = {0};
    measurement *measured = NULL;
    int count = 0, result = EXIT_MISUSE;
    rope_status status = choose_schemes(&list, &count, session->schemes, error);
    if (status == ROPE_OK) status = compare_open_data(&data, session, error);
    if (status != ROPE_OK) goto done;
    measured = calloc((size_t)count, sizeof *measured);
    if (!measured) abort();
    status = measure_all(measured, session, list, count, &data, error);
    if (status == ROPE_OK) status = write_sheets(session, measured, count, error);
    if (status == ROPE_OK && session->plot)
        status = compare_figures(&data, list, count, session->shift, measured, session->plot, error);
    if (status == ROPE_OK && session->html)
        status = compare_page(&data, list, count, session->shift, measured, session->html, error);
    if (status == ROPE_OK) result = print_results(session, measured, count);
done:
    compare_data_free(&data);
    free(measured);
    free(list);
    return result;
}

/* ---- calls ----------------------------------------------------------------------------------------- */

static rope_status check(const compare_session *session, rope_error *error) {
    const program_line *const line = &session->line;
    const int allowed = line->bit & (CALL_EXPLAIN | CALL_EXERCISE | CALL_MYTHS) ? 1 : 0;
    if (line->operand_count > allowed)
        return rope_fail(error, ROPE_BAD_INPUT, line->operands[allowed], "rope-compare --help", "is one word too many");
    const rope_status status = compare_request_check(&session->request, error);
    if (status != ROPE_OK) return status;
    if (session->tsv && session->table && !strcmp(session->tsv, session->table))
        return rope_fail(error, ROPE_BAD_INPUT, session->table, "give each a file of its own",
                         "is named by --tsv and by --table");
    return session->table ? sheet_check_path(session->table, error) : ROPE_OK;
}

static int dispatch(compare_session *session, rope_error *error) {
    const char *const word = session->line.operand_count ? session->line.operands[0] : NULL;
    if (check(session, error) != ROPE_OK) return EXIT_MISUSE;
    switch (session->line.bit) {
    case CALL_LINEAR:
        return compare_linear(session, error);
    case CALL_VALUES:
        return compare_values(session, error);
    case CALL_MYTHS:
        return compare_myths(session, error);
    case CALL_EXPLAIN:
        return teach_explain(stdout, word, error) == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
    case CALL_TOUR:
        return teach_tour(stdin, stdout, isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), error) == ROPE_OK ? EXIT_DONE
                                                                                                          : EXIT_MISUSE;
    case CALL_EXERCISE:
        return teach_exercise(stdout, word, session->student, session->answer, error) == ROPE_OK ? EXIT_DONE
                                                                                                 : EXIT_MISUSE;
    default:
        return compare_schemes(session, error);
    }
}

int main(int argc, char **argv) {
    rope_error error = {0};
    compare_session session = {.request = compare_request_default(), .shift = 1000, .schemes = "all"};
    int result = EXIT_DONE;
    if (program_read(&session.line, &self, argc, argv, &session, &error)) result = dispatch(&session, &error);
    return program_end(&session.line, &self, result, &error);
}
