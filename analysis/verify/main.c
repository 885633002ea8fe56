/* rope-verify: is this RoPE right, how right, and if not, what is the mistake? */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gsl/gsl_errno.h>
#include <limits.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/frequency/frequency.h"
#include "verify.h"

/* ---- options --------------------------------------------------------------------------------------- */

enum {
    BUILT_IN = 1, TABLE = 2, FREQS = 4, ROTATED = 8, PROBES = 16, RUN = 32, SUITE = 64, EXPLAIN = 128, CLAIMS = 256,
    JUDGING = BUILT_IN | TABLE | FREQS | ROTATED | RUN | SUITE, ARRAYS = TABLE | FREQS | ROTATED | RUN
};

enum {
    OPTION_COS = 1, OPTION_SIN, OPTION_COS_SIN, OPTION_ORDER, OPTION_CIS, OPTION_FIRST, OPTION_TILING, OPTION_DTYPE, OPTION_BEFORE,
    OPTION_AFTER, OPTION_POSITIONS, OPTION_AXES, OPTION_DIVISORS, OPTION_OUTPUT, OPTION_MAX_POSITION, OPTION_CONTIGUOUS, OPTION_TIMEOUT,
    OPTION_GRADE, OPTION_CLAIM, OPTION_SKIP, OPTION_XFAIL, OPTION_UNDECIDED, OPTION_EFFORT, OPTION_FORMAT, OPTION_REPORT
};

static const option_row verify_rows[] = {
    {"cos", OPTION_COS, "FILE", "cosines, [positions][r/2 or r]", "Arrays (.npy; - is standard input)", TABLE},
    {"sin", OPTION_SIN, "FILE", "sines, same shape", NULL, TABLE},
    {"cos-sin", OPTION_COS_SIN, "FILE", "both in one array, [positions][cos | sin]", NULL, TABLE},
    {"order", OPTION_ORDER, "ORDER", "of --cos-sin: cos-sin (default) or sin-cos", NULL, TABLE},
    {"cis", OPTION_CIS, "FILE", "complex table cos + i sin", NULL, TABLE},
    {"first-position", OPTION_FIRST, "P", "position of the first row (default 0)", NULL, TABLE | ROTATED},
    {"tiling", OPTION_TILING, "TILING", "of a table of full width: none, block [c, c] or pair (each column twice); default: found", NULL, TABLE},
    {"before", OPTION_BEFORE, "FILE", "vectors before rotation", NULL, ROTATED},
    {"after", OPTION_AFTER, "FILE", "the same vectors after it", NULL, ROTATED},
    {"positions", OPTION_POSITIONS, "FILE", "their positions, [T] or [B, T] (default: from --first-position); for table A:B or M: judge these rows only", NULL, ROTATED | TABLE},
    {"axes", OPTION_AXES, "AXES", "what the axes are: B batch, H heads, T time, D dim (default TD, THD, BHTD by rank)", NULL, ROTATED},
    {"divisors", OPTION_DIVISORS, NULL, "freqs: the array divides the unscaled frequencies (GGUF rope_freqs)", NULL, FREQS},
    {"dtype", OPTION_DTYPE, "TYPE", "bf16 or f16: what 2-byte arrays (u2, i2, V2) hold; probes, run: type of x.npy", NULL, ARRAYS | PROBES},
    {"output", OPTION_OUTPUT, "DIR", "probes: the folder to write", "Probes and run", PROBES},
    {"o", OPTION_OUTPUT, "DIR", NULL, NULL, PROBES},
    {"max-position", OPTION_MAX_POSITION, "M", "largest probe position (default 4095)", NULL, PROBES | RUN | BUILT_IN},
    {"contiguous", OPTION_CONTIGUOUS, NULL, "positions 0 .. M, each once, instead of the probe set", NULL, PROBES | RUN},
    {"timeout", OPTION_TIMEOUT, "SECONDS", "run: how long COMMAND may take (default 60)", NULL, RUN},
    {"grade", OPTION_GRADE, "GRADE", "least acceptable: exact, f64, f32, f16 or bf16 (default: the array's type)", "Verdict", ARRAYS},
    {"claim", OPTION_CLAIM, "ID", "test this claim only; may be repeated", NULL, JUDGING},
    {"skip", OPTION_SKIP, "ID", "do not test this claim; may be repeated", NULL, JUDGING},
    {"xfail", OPTION_XFAIL, "ID[:KIND]", "expect this claim to be broken (with that diagnosis); an unexpected pass fails", NULL, JUDGING},
    {"allow-undecided", OPTION_UNDECIDED, NULL, "status 0 instead of 3 when something is undecided", NULL, JUDGING},
    {"effort", OPTION_EFFORT, "LEVEL", "quick, normal or full: how much of the built-in kernels is tested", NULL, BUILT_IN},
    {"format", OPTION_FORMAT, "FORMAT", "text (default), json, tap or junit, on standard output", "Report", JUDGING},
    {"report", OPTION_REPORT, "FILE", "also write the report; its ending (.txt .json .tap .xml) says how", NULL, JUDGING},
    {NULL, 0, NULL, NULL, NULL, 0}};

static const program_call calls[] = {
    {"table", TABLE, " --cos FILE --sin FILE [SPEC]", "judge a cos/sin table; also --cos-sin FILE or --cis FILE"},
    {"freqs", FREQS, " FILE [SPEC]", "judge inverse frequencies"},
    {"rotated", ROTATED, " --before FILE --after FILE [--positions FILE] [SPEC]", "judge rotated vectors; rotated DIR: a probe folder with its y.npy"},
    {"probes", PROBES, " -o DIR [SPEC]", "write x.npy, positions.npy and spec.json; your code adds y.npy, then: rotated DIR"},
    {"run", RUN, " [SPEC] -- COMMAND...", "probes, COMMAND with $ROPE_DIR set to their folder, rotated, in one go"},
    {"suite", SUITE, " FILE.json", "judge many subjects, compare with what is expected"},
    {"explain", EXPLAIN, " CLAIM|KIND", "what a claim or fault means, its usual cause, how to mend it"},
    {"claims", CLAIMS, "", "every claim: statement, source, theorem, twin"},
    {NULL, 0, NULL, NULL}};

static const char closing[] =
    "Exit status:\n"
    "  0  every claim that applies holds\n"
    "  1  a claim is broken\n"
    "  2  wrong use, unusable input, or every claim was skipped\n"
    "  3  nothing broken, something undecided\n\n"
    "Examples:\n"
    "  rope-verify table --cos cos.npy --sin sin.npy --layout half --base 500000\n"
    "  rope-verify run --layout half --dim 64 -- python3 my_rope.py\n"
    "  rope-verify rotated --before q.npy --after q_rot.npy --layout interleaved\n";

/* ---- parsing --------------------------------------------------------------------------------------- */

static rope_status choose(int *into, const option_scan *scan, const char *const *words, const char *hint, rope_error *error) {
    for (int k = 0; words[k]; k++)
        if (!strcmp(words[k], scan->value)) {
            *into = k;
            return ROPE_OK;
        }
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, hint, "'%s' is none of its values", scan->value);
}

static rope_status add_name(const char **names, int *count, const option_scan *scan, rope_error *error) {
    if (*count == VERIFY_NAMES) return rope_fail(error, ROPE_BAD_INPUT, scan->name, NULL, "is repeated more than %d times", VERIFY_NAMES);
    names[(*count)++] = scan->value;
    return ROPE_OK;
}

static rope_status set_grade(subject_request *request, const option_scan *scan, rope_error *error) {
    request->exact = !strcmp(scan->value, "exact");
    request->has_grade = !request->exact;
    if (request->exact || (rope_dtype_named(&request->grade, scan->value) && request->grade != ROPE_TF32)) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, "exact, f64, f32, f16 or bf16", "'%s' is no grade", scan->value);
}

static rope_status set_dtype(subject_request *request, const option_scan *scan, unsigned call, rope_error *error) {
    request->has_dtype = true;
    const bool known = rope_dtype_named(&request->dtype, scan->value) && request->dtype != ROPE_TF32;
    if (known && (call & (PROBES | RUN) || request->dtype == ROPE_BF16 || request->dtype == ROPE_F16)) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, "bf16 or f16 for 2-byte arrays; other arrays say their type themselves",
                     "'%s' is no type to declare", scan->value);
}

static rope_status set_rows(subject_request *request, const option_scan *scan, rope_error *error) {
    option_range range;
    const rope_status status = option_parse_range(&range, scan->value, scan->name, error);
    if (status != ROPE_OK) return status;
    if (range.step != 1) return rope_fail(error, ROPE_BAD_INPUT, scan->name, "A:B, or one number", "rows are judged without a step");
    request->has_rows = true;
    request->rows_first = range.first;
    request->rows_end = range.end;
    return ROPE_OK;
}

/* Options whose value is one of a few words. */
static rope_status apply_choice(verify_session *session, int key, const option_scan *scan, rope_error *error) {
    static const char *const orders[] = {"cos-sin", "sin-cos", NULL}, *const tilings[] = {"found", "none", "block", "pair", NULL},
                            *const efforts[] = {"quick", "normal", "full", NULL};
    int chosen = 0;
    const rope_status status = key == OPTION_ORDER    ? choose(&chosen, scan, orders, "cos-sin or sin-cos", error)
                               : key == OPTION_TILING ? choose(&chosen, scan, tilings, "none, block or pair", error)
                                                      : choose(&chosen, scan, efforts, "quick, normal or full", error);
    if (status != ROPE_OK) return status;
    if (key == OPTION_ORDER) session->request.sin_first = chosen == 1;
    if (key == OPTION_TILING) session->request.tiling = (table_tiling)chosen;
    if (key == OPTION_EFFORT) session->options.effort = (rope_effort)chosen;
    return ROPE_OK;
}

static rope_status apply_option(void *context, int key, const option_scan *scan, unsigned call, rope_error *error) {
    verify_session *const session = context;
    subject_request *const request = &session->request;
    verify_options *const options = &session->options;
    switch (key) {
    case OPTION_COS: request->cos = scan->value; break;
    case OPTION_SIN: request->sin = scan->value; break;
    case OPTION_COS_SIN: request->cos_sin = scan->value; break;
    case OPTION_CIS: request->cis = scan->value; break;
    case OPTION_BEFORE: request->before = scan->value; break;
    case OPTION_AFTER: request->after = scan->value; break;
    case OPTION_POSITIONS:
        if (call & TABLE) return set_rows(request, scan, error);
        request->positions = scan->value;
        break;
    case OPTION_AXES: request->axes = scan->value; break;
    case OPTION_DIVISORS: request->divisors = true; break;
    case OPTION_OUTPUT: session->output = scan->value; break;
    case OPTION_CONTIGUOUS: session->contiguous = true; break;
    case OPTION_UNDECIDED: session->allow_undecided = true; break;
    case OPTION_FORMAT: session->format = scan->value; break;
    case OPTION_REPORT: session->report_file = scan->value; break;
    case OPTION_GRADE: return set_grade(request, scan, error);
    case OPTION_DTYPE: return set_dtype(request, scan, call, error);
    case OPTION_CLAIM: return add_name(options->claim, &options->claims, scan, error);
    case OPTION_SKIP: return add_name(options->skip, &options->skips, scan, error);
    case OPTION_XFAIL: return add_name(options->xfail, &options->xfails, scan, error);
    case OPTION_TIMEOUT: return option_real(&session->timeout, scan->value, 0.001, 86400.0 * 365.0, scan->name, error);
    case OPTION_MAX_POSITION: return option_integer(&options->max_position, scan->value, 0, INT32_MAX, scan->name, error);
    case OPTION_FIRST: return option_integer(&request->first_position, scan->value, -INT32_MAX, INT32_MAX, scan->name, error);
    case OPTION_ORDER:
    case OPTION_TILING:
    case OPTION_EFFORT: return apply_choice(session, key, scan, error);
    default: break;
    }
    return ROPE_OK;
}

static const struct program self = {
    .name = "rope-verify",
    .purpose = "is this RoPE right, how right, and if not, what is the mistake?",
    .calls = calls,
    .usage = "[SPEC]            check the built-in kernels, every claim",
    .alone = BUILT_IN,
    .with_spec = BUILT_IN | ARRAYS | PROBES,
    .stops = RUN,
    .rows = verify_rows,
    .closing = closing,
    .apply = apply_option,
};

/* The SPEC options once more, over what a probe folder declares. */
static rope_status override_spec(verify_session *session, rope_error *error) {
    option_scan *const scan = &session->line.words;
    rope_status status = ROPE_OK;
    for (int key; status == ROPE_OK && (key = option_next(scan)) != OPTION_END;)
        if (key >= OPTION_SPEC && key < OPTION_SPEC_END) status = option_apply_spec(&session->request.spec, key, scan, error);
    return status;
}

/* ---- what a call needs ----------------------------------------------------------------------------- */

/* What is read from standard input is gone for a second array. */
static rope_status check_standard_input(const subject_request *request, char **operands, int count, rope_error *error) {
    const char *const paths[] = {request->cos, request->sin, request->cos_sin, request->cis, request->before, request->after, request->positions,
                                 count ? operands[0] : NULL};
    int readers = 0;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) readers += paths[k] && !strcmp(paths[k], "-");
    if (readers < 2) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, "-", "name a file, or a pipe such as <(command)", "standard input can be read once only, and %d arrays are to come from it", readers);
}

static rope_status check_call(const verify_session *session, rope_error *error) {
    const program_line *const line = &session->line;
    const subject_request *request = &session->request;
    const unsigned bit = line->bit;
    const int tables = (request->cos || request->sin) + (request->cos_sin != NULL) + (request->cis != NULL);
    const int operands = session->line.operand_count;
    if (bit == BUILT_IN && operands)
        return rope_fail(error, ROPE_BAD_INPUT, session->line.operands[0], "rope-verify CALL [OPTION]...", "stands after options; a call comes first");
    if (bit == TABLE && tables != 1) return program_misused(line, &self, line->call->name, "needs one table: --cos and --sin, or --cos-sin, or --cis", error);
    if (bit == TABLE && tables == 1 && !request->cos_sin && !request->cis && !(request->cos && request->sin))
        return program_misused(line, &self, line->call->name, "needs both --cos and --sin", error);
    if (bit == FREQS && operands != 1) return program_misused(line, &self, line->call->name, "needs one array", error);
    if (bit == ROTATED && operands == 0 && !(request->before && request->after))
        return program_misused(line, &self, line->call->name, "needs --before and --after, or a probe folder", error);
    if (bit == ROTATED && operands == 1 && (request->before || request->after || request->positions))
        return program_misused(line, &self, line->call->name, "takes a probe folder or --before and --after, not both", error);
    if (bit == PROBES && !session->output) return program_misused(line, &self, line->call->name, "needs -o DIR", error);
    if (bit == RUN && !session->line.rest) return program_misused(line, &self, line->call->name, "needs a command", error);
    if (bit == SUITE && operands != 1) return program_misused(line, &self, line->call->name, "needs one JSON file", error);
    if (bit == EXPLAIN && operands != 1) return program_misused(line, &self, line->call->name, "needs one claim or fault kind", error);
    if ((bit & (TABLE | PROBES | CLAIMS) && operands) || (bit == ROTATED && operands > 1))
        return program_misused(line, &self, line->operands[0], "is one word too many", error);
    if (session->format && !report_format_named(session->format))
        return rope_fail(error, ROPE_BAD_INPUT, "--format", "text, json, tap or junit", "'%s' is no format", session->format);
    if (session->report_file && !report_format_for_file(session->report_file))
        return rope_fail(error, ROPE_BAD_INPUT, "--report", "end it in .txt, .json, .tap or .xml", "the ending of '%s' names no format",
                         session->report_file);
    const rope_status status = check_standard_input(request, session->line.operands, operands, error);
    return status == ROPE_OK ? verify_options_check(&session->options, error) : status;
}

/* ---- calls ----------------------------------------------------------------------------------------- */

int verify_print(verify_session *session, rope_error *error) {
    const report_style style = {.colour = option_colour(&session->line.common), .verbosity = session->line.common.verbosity};
    const report_format *format = report_format_named(session->format ? session->format : "text");
    format->print(stdout, &session->run, &style);
    if (session->report_file &&
        report_write(session->report_file, report_format_for_file(session->report_file), &session->run, error) != ROPE_OK)
        return EXIT_MISUSE;
    return report_status(&session->run, session->allow_undecided);
}

/* The words of the command line but for --report FILE: whoever runs them again wants no file written. */
static char *without_report(const verify_session *session, char *program) {
    option_scan scan = session->line.words;
    char *words[scan.argc + 1];
    int count = 0, from = session->line.call ? 0 : 1; /* the call's name is the first word of its line */
    words[count++] = program;
    for (int key = 0; key != OPTION_END; from = scan.next) {
        key = option_next(&scan);
        const int end = key == OPTION_END ? scan.argc : scan.next;
        for (int k = from; k < end && key != OPTION_REPORT; k++) words[count++] = scan.argv[k];
    }
    return option_quote(count, words);
}

static int judge_request(verify_session *session, rope_error *error) {
    report *found = verify_request(&session->request, &session->options, session->again, error);
    if (!found) return EXIT_MISUSE;
    report_run_add(&session->run, found);
    return verify_print(session, error);
}

/* Every kernel in both layouts, or in the one asked for. */
static int judge_built_in(verify_session *session, rope_error *error) {
    rope_spec spec = session->request.spec;
    static const rope_layout both[] = {ROPE_HALF, ROPE_INTERLEAVED};
    const int layouts = spec.layout_in == ROPE_LAYOUT_UNSET ? 2 : 1;
    if (rope_spec_check(&spec, error) != ROPE_OK) return EXIT_MISUSE;
    session->run.preface = report_text("Built-in kernels only: no implementation of yours was tested.\n"
                                       "To test one: rope-verify run --layout half -- COMMAND, or table, freqs, rotated (see --help).");
    session->run.closing = report_text("Built-in kernels only: no implementation of yours was tested. To test one: rope-verify --help.");
    for (int k = 0; k < layouts; k++)
        for (const subject_kernel *kernel = subject_kernels; kernel->name; kernel++) {
            if (layouts == 2) spec.layout_in = spec.layout_out = both[k];
            report *found = verify_kernel(kernel, &spec, &session->options, session->again, error);
            if (!found) return EXIT_MISUSE;
            free(found->name);
            found->name = report_text("%s %s", kernel->name, rope_layout_name(spec.layout_in));
            report_run_add(&session->run, found);
        }
    return verify_print(session, error);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* What the program made of the probes in the folder; NULL when it made nothing that can be judged. */
static rope_subject *run_on_probes(verify_session *session, const char *directory, rope_error *error) {
    subject_request *request = &session->request;
    rope_subject *subject = NULL;
    if (verify_probes(session, directory, error) != ROPE_OK ||
        verify_run_program(session->line.rest, directory, session->timeout, error) != ROPE_OK)
        return NULL;
    if (request->dtype != ROPE_BF16 && request->dtype != ROPE_F16) request->has_dtype = false;
    request->name = session->line.rest[0];
    if (verify_probe_request(session, directory, error) == ROPE_OK) subject_open(&subject, request, error);
    return subject;
}

static int judge_program(verify_session *session, rope_error *error) {
    const char *parent = getenv("TMPDIR");
    char *directory = report_text("%s/rope-verify-XXXXXX", parent && *parent ? parent : "/tmp");
    rope_subject *subject = NULL;
    verify_hold_signals();
    if (mkdtemp(directory)) {
        subject = run_on_probes(session, directory, error);
        nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS); /* the arrays are mapped: they stay */
    } else {
        rope_fail(error, ROPE_IO, directory, "set TMPDIR to a folder that can be written", "cannot be made: %s", strerror(errno));
    }
    verify_release_signals();
    report *found = subject ? verify_subject(subject, &session->options, session->again, error) : NULL;
    for (int k = 0; found && k < found->files; k++) { /* the folder's name says nothing any more */
        char *name = report_text("%s", strrchr(found->file[k].name, '/') + 1);
        free(found->file[k].name);
        found->file[k].name = name;
    }
    free(directory);
    if (!found) return EXIT_MISUSE;
    report_run_add(&session->run, found);
    return verify_print(session, error);
}

static int dispatch(verify_session *session, rope_error *error) {
    subject_request *request = &session->request;
    const program_call *const call = session->line.call;
    const unsigned bit = session->line.bit;
    request->name = call ? call->name : "";
    rope_status status = ROPE_OK;
    switch (bit) {
    case TABLE:
        request->kind = SUBJECT_TABLE;
        return judge_request(session, error);
    case FREQS:
        request->kind = SUBJECT_FREQS;
        request->freqs = session->line.operands[0];
        return judge_request(session, error);
    case ROTATED:
        request->kind = SUBJECT_ROTATED;
        if (session->line.operand_count) {
            status = verify_probe_request(session, session->line.operands[0], error);
            if (status == ROPE_OK) status = verify_probe_spec(&request->spec, session->line.operands[0], error);
            if (status == ROPE_OK) status = override_spec(session, error);
        }
        return status == ROPE_OK ? judge_request(session, error) : EXIT_MISUSE;
    case PROBES:
    case RUN:
        if (subject_need_layout(&request->spec, error) != ROPE_OK || rope_spec_check(&request->spec, error) != ROPE_OK) return EXIT_MISUSE;
        if (bit == RUN) return judge_program(session, error);
        if (verify_probes(session, session->output, error) != ROPE_OK) return EXIT_MISUSE;
        if (session->line.common.verbosity >= 0)
            printf("%s: x.npy, positions.npy and spec.json are written.\nRotate x.npy into y.npy there, then: rope-verify rotated %s\n",
                   session->output, session->output);
        return EXIT_HOLDS;
    case SUITE:
        return verify_suite(session, error);
    case EXPLAIN:
        return verify_explain(session->line.operands[0], error);
    case CLAIMS:
        verify_list_claims();
        return EXIT_HOLDS;
    default:
        return judge_built_in(session, error);
    }
}

int main(int argc, char **argv) {
    rope_error error = {0};
    verify_session session = {.options = verify_options_default(), .timeout = 60.0};
    session.run = (report_run){.program = self.name, .version = ROPE_VERSION, .command = option_quote(argc, argv)};
    int result = EXIT_HOLDS;
    if (program_read(&session.line, &self, argc, argv, &session, &error)) {
        session.request.spec = session.line.spec;
        session.run.seed = session.options.seed = session.line.common.seed;
        session.again = without_report(&session, argv[0]);
        if (check_call(&session, &error) == ROPE_OK) result = dispatch(&session, &error);
    }
    result = program_end(&session.line, &self, result, &error);
    report_run_clear(&session.run);
    free(session.again);
    for (size_t k = 0; k < sizeof session.probe_path / sizeof *session.probe_path; k++) free(session.probe_path[k]);
    return result;
}
