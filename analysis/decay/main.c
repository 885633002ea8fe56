/* rope-decay: certified decay curves of RoPE, figures, and what published results are worth. */
#include <stdlib.h>
#include <string.h>

#include "decay.h"

/* ---- options --------------------------------------------------------------------------------------- */

enum { CURVES = 1, CONTEXT = 2, RETURNS = 4, REPRODUCE = 8 };

enum {
    OPTION_SPEC_STRING = 1,
    OPTION_DISTANCE,
    OPTION_LOG_DISTANCE,
    OPTION_QUANTITY,
    OPTION_BITS,
    OPTION_DIGITS,
    OPTION_LAW,
    OPTION_VECTORS,
    OPTION_PEAK,
    OPTION_SAMPLES,
    OPTION_QUERY,
    OPTION_KEY,
    OPTION_SHARD,
    OPTION_TSV,
    OPTION_TABLE,
    OPTION_PLOT,
    OPTION_KEEP,
    OPTION_LOG_X,
    OPTION_WIDTH,
    OPTION_FIGURE,
    OPTION_CITE,
    OPTION_LENGTH,
    OPTION_BASES,
    OPTION_LIMIT,
    OPTION_ISLANDS,
    OPTION_LAST
};

static const option_row decay_rows[] = {
    {"spec", OPTION_SPEC_STRING, "STRING",
     "one more spec, 'dim=64 base=5e5 scaling=linear:factor=4'; may be repeated, as may --base", "Curves", CURVES},
    {"distance", OPTION_DISTANCE, "A:B[:STEP]",
     "distances r = m - n, real numbers, B excluded (default 0:257): the key stands r positions before the query", NULL,
     CURVES},
    {"log-distance", OPTION_LOG_DISTANCE, "A:B:COUNT", "whole distances in geometric progression, B included", NULL,
     CURVES},
    {"quantity", OPTION_QUANTITY, "NAME",
     "may be repeated (default bound):\n"
     "bound: B(r), mean modulus of the partial sums;\n"
     "sum: C(r), sum of cosines;\n"
     "abel: the bounds of the score for given vectors;\n"
     "score: the score itself;\n"
     "envelope: the largest score that vectors of these norms reach.",
     NULL, CURVES},
    {"bits", OPTION_BITS, "P", "bits of the arithmetic (default 53: correctly rounded doubles)", NULL, CURVES},
    {"digits", OPTION_DIGITS, "N", "significant digits printed (default 17, or what P bits decide)", NULL, CURVES},
    {"law", OPTION_LAW, NULL, "also the closed form by Ci and Si, and the floor of random phases: approximations", NULL,
     CURVES},
    {"vectors", OPTION_VECTORS, "KIND",
     "of abel, score, envelope: ones (q = k = 1, default), gaussian (mean, rms, quantiles), adversarial (largest at "
     "--peak) or ramp (h_j = h - j)",
     NULL, CURVES},
    {"peak", OPTION_PEAK, "R", "adversarial: where the score is largest (default 100)", NULL, CURVES},
    {"samples", OPTION_SAMPLES, "N", "gaussian: how many pairs of vectors (default 200)", NULL, CURVES},
    {"query", OPTION_QUERY, "FILE.npy",
     "the query, D numbers; needs --key and --layout; h_j = q_j conj(k_j), pair by pair", NULL, CURVES},
    {"key", OPTION_KEY, "FILE.npy", "the key", NULL, CURVES},
    {"shard", OPTION_SHARD, "K/N",
     "compute the K-th of N parts; only part 1 writes the header, and the parts in a row are the whole TSV", NULL,
     CURVES},
    {"tsv", OPTION_TSV, "FILE",
     "every number, tidy, with its error_bound (reproduce: every finding); - is standard output", "Output",
     CURVES | CONTEXT | REPRODUCE},
    {"table", OPTION_TABLE, "FILE", "one row per distance, one column per curve: .tex (booktabs), .md or .csv", NULL,
     CURVES},
    {"plot", OPTION_PLOT, "FILE", "draw the curves: .pdf, .svg, .png, .tex or .txt; needs gnuplot", NULL,
     CURVES | CONTEXT},
    {"keep", OPTION_KEEP, "DIR", "leave the figure's data and script there", NULL, CURVES | CONTEXT},
    {"log-x", OPTION_LOG_X, NULL, "logarithmic distance axis", NULL, CURVES},
    {"width", OPTION_WIDTH, "INCHES", "of the figure (default 3.3, one column; 6.9 is two)", NULL, CURVES | CONTEXT},
    {"figure", OPTION_FIGURE, "NAME", "how to draw: decay (default), compare, roformer-2, law, scores or envelope",
     NULL, CURVES},
    {"cite", OPTION_CITE, NULL, "print BibTeX entries for what was computed", NULL,
     CURVES | CONTEXT | RETURNS | REPRODUCE},
    {"length", OPTION_LENGTH, "L", "context: the least bases that serve L positions; may be repeated, as may --base",
     "Context and returns", CONTEXT},
    {"bases", OPTION_BASES, "A:B:COUNT", "context: whole bases in geometric progression", NULL, CONTEXT},
    {"limit", OPTION_LIMIT, "R", "how far to look (default: context 2^27, returns 1000000)", NULL, CONTEXT | RETURNS},
    {"islands", OPTION_ISLANDS, "N", "context: how many intervals of good bases to list (default 3)", NULL, CONTEXT},
    {NULL, 0, NULL, NULL, NULL, 0}};

/* Not in the canonical command: where results go, and what leaves them as they are. */
static const bool incidental[OPTION_LAST] = {
    [OPTION_SHARD] = true, [OPTION_TSV] = true,   [OPTION_TABLE] = true,  [OPTION_PLOT] = true, [OPTION_KEEP] = true,
    [OPTION_LOG_X] = true, [OPTION_WIDTH] = true, [OPTION_FIGURE] = true, [OPTION_CITE] = true};

static const program_call calls[] = {
    {"context", CONTEXT, " --base B... --length L...", "longest context of a base, or the least bases of a context"},
    {"returns", RETURNS, " [SPEC]", "distances at which the rotation nearly comes back"},
    {"reproduce", REPRODUCE, " [NAME|all]",
     "published figures, tables and theorems, recomputed; without NAME: their list"},
    {NULL, 0, NULL, NULL}};

static const char closing[] = "Bases, factors and distances are doubles: a decimal that is none, such as 0.1,\n"
                              "stands for its nearest one, and the output says so.\n\n"
                              "Exit status: 0 done, 2 wrong use or unusable input.\n\n"
                              "Examples:\n"
                              "  rope-decay --base 1e4 --base 5e5 --distance 0:4096 --tsv decay.tsv --plot decay.pdf\n"
                              "  rope-decay --distance 100 --bits 256 --digits 40 --tsv -\n"
                              "  rope-decay context --length 4096\n"
                              "  rope-decay reproduce all\n";

/* ---- parsing --------------------------------------------------------------------------------------- */

static const char *key_name(const option_row *rows, int key) {
    for (; rows->name; rows++)
        if (rows->key == key) return rows->name;
    return NULL;
}

static bool is_base(int key) {
    return key >= OPTION_SPEC && key < OPTION_SPEC_END && !strcmp(key_name(option_spec_rows, key), "base");
}

static rope_status set_quantity(decay_request *request, const option_scan *scan, rope_error *error) {
    for (int q = 0; q < QUANTITIES; q++)
        if (!strcmp(scan->value, decay_quantity_names[q])) {
            request->wants[q] = true;
            return ROPE_OK;
        }
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, "bound, sum, abel, score or envelope", "'%s' is no quantity",
                     scan->value);
}

static rope_status set_vectors(decay_request *request, const option_scan *scan, rope_error *error) {
    request->vectors.kind = decay_vector_kind_named(scan->value);
    if (request->vectors.kind) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, scan->name,
                     "ones, gaussian, adversarial or ramp; --query and --key read files", "'%s' is no kind of vectors",
                     scan->value);
}

static rope_status set_figure(decay_output *output, const option_scan *scan, rope_error *error) {
    static const char *const figures[] = {"decay", "compare", "roformer-2", "law", "scores", "envelope"};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        if (!strcmp(scan->value, figures[k])) {
            output->figure = figures[k];
            return ROPE_OK;
        }
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, "decay, compare, roformer-2, law, scores or envelope",
                     "'%s' is no figure", scan->value);
}

static rope_status set_shard(decay_request *request, const option_scan *scan, rope_error *error) {
    char first[16];
    int64_t k, n;
    const size_t length = strcspn(scan->value, "/");
    if (!scan->value[length] || length >= sizeof first)
        return rope_fail(error, ROPE_BAD_INPUT, scan->name, "write K/N, the K-th of N parts, K from 1",
                         "'%s' is no part", scan->value);
    snprintf(first, sizeof first, "%.*s", (int)length, scan->value);
    rope_status status = option_integer(&n, scan->value + length + 1, 1, 65536, scan->name, error);
    if (status == ROPE_OK) status = option_integer(&k, first, 1, n, scan->name, error);
    if (status == ROPE_OK) request->shard = (int)k, request->shards = (int)n;
    return status;
}

static rope_status set_whole(decay_session *session, int key, const option_scan *scan, rope_error *error) {
    static const struct {
        int64_t least, largest;
    } range[OPTION_LAST] = {[OPTION_BITS] = {ROPE_DECAY_DOUBLE, 65536},
                            [OPTION_DIGITS] = {1, 19000},
                            [OPTION_SAMPLES] = {1, 1000000},
                            [OPTION_ISLANDS] = {1, 1000},
                            [OPTION_LENGTH] = {2, INT64_C(1) << 24},
                            [OPTION_LIMIT] = {2, INT64_C(1) << 31}};
    decay_request *const request = &session->request;
    int64_t number = 0;
    const rope_status status =
        option_integer(&number, scan->value, range[key].least, range[key].largest, scan->name, error);
    if (status != ROPE_OK) return status;
    switch (key) {
    case OPTION_BITS:
        request->bits = (long)number;
        break;
    case OPTION_DIGITS:
        request->digits = (int)number, request->digits_given = true;
        break;
    case OPTION_SAMPLES:
        request->vectors.samples = (int)number;
        break;
    case OPTION_ISLANDS:
        session->islands = (int)number;
        break;
    case OPTION_LIMIT:
        session->limit = number;
        break;
    case OPTION_LENGTH:
        session->length = realloc(session->length, (size_t)(session->lengths + 1) * sizeof *session->length);
        if (!session->length) abort();
        session->length[session->lengths++] = number;
        break;
    default:
        break;
    }
    return status;
}

static rope_status set_output(decay_output *output, int key, const option_scan *scan, rope_error *error) {
    switch (key) {
    case OPTION_TSV:
        output->tsv = scan->value;
        break;
    case OPTION_TABLE:
        output->table = scan->value;
        break;
    case OPTION_PLOT:
        output->plot = scan->value;
        break;
    case OPTION_KEEP:
        output->keep = scan->value;
        break;
    case OPTION_FIGURE:
        return set_figure(output, scan, error);
    case OPTION_WIDTH:
        return option_real(&output->width, scan->value, 1.0, 40.0, scan->name, error);
    case OPTION_LOG_X:
        output->log_x = true;
        break;
    case OPTION_CITE:
        output->cite = true;
        break;
    default:
        break;
    }
    return ROPE_OK;
}

static rope_status apply_option(void *context, int key, const option_scan *scan, unsigned call, rope_error *error) {
    decay_session *const session = context;
    decay_request *const request = &session->request;
    (void)call;
    switch (key) {
    case OPTION_BITS:
    case OPTION_DIGITS:
    case OPTION_SAMPLES:
    case OPTION_ISLANDS:
    case OPTION_LENGTH:
    case OPTION_LIMIT:
        return set_whole(session, key, scan, error);
    case OPTION_DISTANCE:
    case OPTION_LOG_DISTANCE:
        free(request->points.list);
        request->points = (decay_points){.count = 0};
        return (key == OPTION_DISTANCE ? decay_parse_distance : decay_parse_log_distance)(&request->points, scan->value,
                                                                                          scan->name, error);
    case OPTION_QUANTITY:
        return set_quantity(request, scan, error);
    case OPTION_VECTORS:
        return set_vectors(request, scan, error);
    case OPTION_SHARD:
        return set_shard(request, scan, error);
    case OPTION_PEAK:
        return option_real(&request->vectors.peak, scan->value, -0x1p53, 0x1p53, scan->name, error);
    case OPTION_BASES:
        free(session->bases.list);
        session->bases = (decay_points){.count = 0};
        return decay_parse_log_distance(&session->bases, scan->value, scan->name, error);
    case OPTION_LAW:
        request->law = true;
        break;
    case OPTION_QUERY:
        request->vectors.query = scan->value;
        break;
    case OPTION_KEY:
        request->vectors.key = scan->value;
        break;
    default:
        return set_output(&session->output, key, scan, error);
    }
    return ROPE_OK;
}

static const struct program self = {
    .name = "rope-decay",
    .purpose = "certified decay curves of rotary position embeddings",
    .calls = calls,
    .usage = "[SPEC] [OPTION]...    curves, with a proved error for each value",
    .alone = CURVES,
    .with_spec = CURVES | CONTEXT | RETURNS,
    .rows = decay_rows,
    .closing = closing,
    .apply = apply_option,
};

/* The canonical command grows by one option, under its full name; of a file only the name. */
static void remember(char **command, const char *name, const char *value, bool file) {
    const char *const slash = file && value ? strrchr(value, '/') : NULL;
    char *words[4] = {*command, NULL, NULL, NULL}, *option = NULL;
    if (asprintf(&option, "--%s", name) < 0) abort();
    words[0] = option;
    words[1] = (char *)(slash ? slash + 1 : value);
    char *const quoted = option_quote(value ? 2 : 1, words);
    char *longer = NULL;
    if (asprintf(&longer, "%s %s", *command, quoted) < 0) abort();
    free(quoted);
    free(option);
    free(*command);
    *command = longer;
}

/* Decimals in an option's value that are no doubles, each with the one that is taken for it. */
static void note_inexact(char **notes, const char *value) {
    static const char begin[] = ".0123456789";
    mpfr_t nearest;
    mpfr_init2(nearest, 53);
    for (const char *at = value + strcspn(value, begin); *at; at += strcspn(at, begin)) {
        char *end = NULL, *longer = NULL;
        const bool exact = mpfr_strtofr(nearest, at, &end, 10, MPFR_RNDN) == 0;
        if (!exact) {
            if (asprintf(&longer, "%s%s%.*s stands for its nearest double, %.20g", *notes ? *notes : "",
                         *notes ? "; " : "", (int)(end - at), at, mpfr_get_d(nearest, MPFR_RNDN)) < 0)
                abort();
            free(*notes);
            *notes = longer;
        }
        at = end > at ? end : at + 1;
    }
    mpfr_clear(nearest);
}

/* Values that are real numbers, or hold some. */
static bool is_real(int key) {
    return (key >= OPTION_SPEC && key < OPTION_SPEC_END) || key == OPTION_SPEC_STRING || key == OPTION_DISTANCE ||
           key == OPTION_PEAK;
}

/* Every option once more, as it stands on the command line. */
static void settle_command(decay_session *session) {
    const program_line *const line = &session->line;
    option_scan scan = line->words;
    if (asprintf(&session->request.command, "%s%s%s", self.name, line->call ? " " : "",
                 line->call ? line->call->name : "") < 0)
        abort();
    for (int key; (key = option_next(&scan)) != OPTION_END;) {
        const bool common = key >= OPTION_COMMON && key < OPTION_COMMON_END;
        const bool kept =
            key != OPTION_OPERAND && (common ? key == OPTION_SEED : key >= OPTION_SPEC || !incidental[key]);
        session->has_base = session->has_base || is_base(key);
        const bool file = key == OPTION_QUERY || key == OPTION_KEY;
        if (kept) remember(&session->request.command, key_name(line->rows, key), scan.value, file);
        if (is_real(key) && scan.value) note_inexact(&session->request.inexact, scan.value);
    }
}

/* ---- specs ----------------------------------------------------------------------------------------- */

/* "dim=64 base=5e5" or "--dim 64 --base 5e5", over what the SPEC options say. */
static rope_status parse_spec_string(rope_spec *spec, const char *text, const char *name, rope_error *error) {
    enum { WORDS = 32 };
    char *words[WORDS] = {"spec"}, *copy = NULL, *rest = NULL;
    int count = 1;
    if (asprintf(&copy, "%s", text) < 0) abort();
    for (char *word = strtok_r(copy, " \t", &rest); word && count < WORDS; word = strtok_r(NULL, " \t", &rest)) {
        const bool bare = word[0] != '-' && strchr(word, '=');
        if (asprintf(&words[count++], "%s%s", bare ? "--" : "", word) < 0) abort();
    }
    option_scan scan = option_begin(option_spec_rows, count, words);
    rope_status status = ROPE_OK;
    for (int key; status == ROPE_OK && (key = option_next(&scan)) != OPTION_END;) {
        if (key == OPTION_ERROR) {
            *error = scan.error;
            status = ROPE_BAD_INPUT;
        } else if (key == OPTION_OPERAND) {
            status = rope_fail(error, ROPE_BAD_INPUT, name, "write SPEC options as name=value: 'dim=64 base=5e5'",
                               "'%s' is no SPEC option", scan.value);
        } else {
            status = option_apply_spec(spec, key, &scan, error);
        }
    }
    for (int k = 1; k < count; k++) free(words[k]);
    free(copy);
    return status;
}

static rope_status add_spec(decay_request *request, rope_spec spec, rope_error *error) {
    /* One layout for both sides: scores are the same under every pairing that q and k share. */
    const rope_status status = rope_spec_check(&spec, error);
    if (status != ROPE_OK) return status;
    request->spec = realloc(request->spec, (size_t)(request->specs + 1) * sizeof *request->spec);
    if (!request->spec) abort();
    request->spec[request->specs++] = spec;
    return ROPE_OK;
}

/* Each --base and each --spec is a curve of its own, in the order of the command line; the other SPEC options hold for
 * all. */
static rope_status collect_specs(decay_session *session, rope_error *error) {
    decay_request *const request = &session->request;
    option_scan scan = session->line.words;
    rope_status status = ROPE_OK;
    for (int key; status == ROPE_OK && (key = option_next(&scan)) != OPTION_END;) {
        rope_spec spec = session->line.spec; /* not yet checked: what was not said follows from --spec */
        if (is_base(key)) {
            status = option_apply_spec(&spec, key, &scan, error);
        } else if (key == OPTION_SPEC_STRING) {
            if (!session->has_base) spec.base = rope_spec_default().base;
            status = parse_spec_string(&spec, scan.value, scan.name, error);
        } else {
            continue;
        }
        if (status == ROPE_OK) status = add_spec(request, spec, error);
    }
    return status == ROPE_OK && request->specs == 0 ? add_spec(request, session->spec, error) : status;
}

/* ---- curves ---------------------------------------------------------------------------------------- */

static bool needs_vectors(const decay_request *request) {
    return request->wants[QUANTITY_ABEL] || request->wants[QUANTITY_SCORE] || request->wants[QUANTITY_ENVELOPE];
}

/* Digits that P bits decide but for one value in 2^20 or so: 40 bits are left for the error bound and for values
 * below 1. */
static void settle_precision(decay_request *request) {
    const double digits_per_bit = 0.30102999;
    if (request->digits_given && request->digits > 17 && request->bits == ROPE_DECAY_DOUBLE)
        request->bits = (long)(request->digits / digits_per_bit) + 64;
    if (request->digits_given) return;
    const int decided = (int)((double)(request->bits - 40) * digits_per_bit);
    request->digits = request->bits == ROPE_DECAY_DOUBLE ? 17 : decided > 6 ? decided : 6;
}

static rope_status settle_vectors(decay_session *session, rope_error *error) {
    decay_request *const request = &session->request;
    if (!request->vectors.query != !request->vectors.key)
        return rope_fail(error, ROPE_BAD_INPUT, request->vectors.query ? "--query" : "--key", "give both", "needs %s",
                         request->vectors.query ? "--key" : "--query");
    const bool files = request->vectors.query != NULL;
    if (files && request->vectors.kind)
        return rope_fail(error, ROPE_BAD_INPUT, "--vectors", "leave --vectors away, or --query and --key",
                         "is said twice: a kind and files");
    if (files && needs_vectors(request) && session->spec.layout_in == ROPE_LAYOUT_UNSET)
        return rope_fail(error, ROPE_BAD_INPUT, "--layout", "add --layout half or --layout interleaved",
                         "the score of vectors from files depends on the layout");
    if (files) request->vectors.kind = &decay_vector_files;
    if (!request->vectors.kind) request->vectors.kind = &decay_vector_kinds[0];
    request->vectors.seed = session->line.common.seed;
    return ROPE_OK;
}

static rope_status check_output(const decay_session *session, rope_error *error) {
    const decay_request *const request = &session->request;
    const decay_output *const output = &session->output;
    if (output->figure && !output->plot)
        return rope_fail(error, ROPE_BAD_INPUT, "--figure", "add --plot FILE", "there is no figure to draw");
    if (request->shards > 1 && (output->table || output->plot))
        return rope_fail(error, ROPE_BAD_INPUT, "--shard", "concatenate the TSV parts first",
                         "a part of a sweep is no table and no figure");
    if (request->shards > 1 && !output->tsv)
        return rope_fail(error, ROPE_BAD_INPUT, "--shard", "add --tsv FILE", "the part has no file to go to");
    if (request->points.count > INT64_C(1) << 24)
        return rope_fail(error, ROPE_BAD_INPUT, "--distance", "take a larger step, or --log-distance",
                         "%lld distances: at most %lld", (long long)request->points.count, 1LL << 24);
    return decay_check_output(output, error);
}

static int curves_call(decay_session *session, rope_error *error) {
    decay_request *const request = &session->request;
    decay_curve *curves = NULL;
    int count = 0;
    bool any = false;
    for (int q = 0; q < QUANTITIES; q++) any = any || request->wants[q];
    request->wants[QUANTITY_BOUND] = request->wants[QUANTITY_BOUND] || !any;
    if (!request->points.count) request->points = (decay_points){.line = {0.0, 1.0, 257}, .count = 257};
    settle_precision(request);
    option_bar bar = {.on = option_progress(&session->line.common)};
    const bool to_stdout = session->output.tsv && !strcmp(session->output.tsv, "-");
    rope_status status = settle_vectors(session, error);
    if (status == ROPE_OK) status = check_output(session, error);
    if (status == ROPE_OK) status = decay_curves(&curves, &count, request, &bar, error);
    if (status == ROPE_OK) status = decay_write(&session->output, request, curves, count, error);
    if (status == ROPE_OK && session->line.common.verbosity >= 0 && request->shards == 1) {
        if (!to_stdout && request->points.count <= 40) decay_print_table(request, curves, count), printf("\n");
        status = decay_summary(to_stdout ? stderr : stdout, request, curves, count, error);
    }
    if (status == ROPE_OK && session->output.cite) decay_cite(to_stdout ? stderr : stdout, decay_sources(request));
    decay_curves_free(curves, count);
    return status == ROPE_OK ? EXIT_DONE : EXIT_MISUSE;
}

/* ---- calls ----------------------------------------------------------------------------------------- */

static rope_status check_operands(const program_line *line, rope_error *error) {
    const int allowed = line->bit == REPRODUCE ? 1 : 0;
    if (line->operand_count <= allowed) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, line->operands[allowed], "rope-decay --help", "is one word too many");
}

static int dispatch(decay_session *session, rope_error *error) {
    const bool to_stdout = session->output.tsv && !strcmp(session->output.tsv, "-");
    const program_line *const line = &session->line;
    session->text = line->common.verbosity < 0 ? NULL : to_stdout ? stderr : stdout;
    session->spec = line->spec;
    settle_command(session);
    if (check_operands(line, error) != ROPE_OK) return EXIT_MISUSE;
    if (line->bit == REPRODUCE) return decay_reproduce(session, error);
    if (rope_spec_check(&session->spec, error) != ROPE_OK || collect_specs(session, error) != ROPE_OK)
        return EXIT_MISUSE;
    if (!line->call) return curves_call(session, error);
    return line->bit == CONTEXT ? decay_context(session, error) : decay_returns(session, error);
}

int main(int argc, char **argv) {
    rope_error error = {0};
    decay_session session = {
        .request = {.bits = ROPE_DECAY_DOUBLE, .shard = 1, .shards = 1, .vectors = {.peak = 100.0, .samples = 200}},
        .output = {.width = 3.3},
        .islands = 3};
    int result = EXIT_DONE;
    if (program_read(&session.line, &self, argc, argv, &session, &error)) result = dispatch(&session, &error);
    result = program_end(&session.line, &self, result, &error);
    free(session.request.spec);
    free(session.request.points.list);
    free(session.bases.list);
    free(session.length);
    free(session.request.command);
    free(session.request.inexact);
    return result;
}
