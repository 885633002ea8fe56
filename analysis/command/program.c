#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <limits.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A standard stream that is closed must not become the number of the next file opened. It is opened so that using it
 * fails. */
static void occupy_standard_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
}

static bool output_lost(rope_error *error) {
    const bool failed = ferror(stdout);
    errno = 0;
    if (fclose(stdout) == 0 && !failed) return false;
    rope_fail(error, ROPE_IO, "standard output", NULL, "cannot be written%s%s", errno ? ": " : "",
              errno ? strerror(errno) : "");
    return true;
}

/* ---- help ------------------------------------------------------------------------------------------ */

static void print_help(const struct program *self, const option_row *rows) {
    printf("%s: %s\n\nUsage: %s %s\n       %s CALL [OPTION]...\n\nCalls:\n", self->name, self->purpose, self->name,
           self->usage, self->name);
    for (const program_call *call = self->calls; call->name; call++)
        option_help_text(stdout, printf("  %s%s", call->name, call->arguments), call->help);
    printf("\n");
    option_help(stdout, rows);
    printf("\n%s", self->closing);
}

/* ---- reading --------------------------------------------------------------------------------------- */

static rope_status unknown_call(const struct program *self, const char *word, const program_call *near, rope_error *error) {
    char hint[256];
    size_t used = (size_t)snprintf(hint, sizeof hint, near ? "did you mean %s %s?" : "calls:", self->name, near ? near->name : "");
    for (const program_call *call = self->calls; !near && call->name && used < sizeof hint; call++)
        used += (size_t)snprintf(hint + used, sizeof hint - used, " %s", call->name);
    return rope_fail(error, ROPE_BAD_INPUT, word, hint, "is no call of %s", self->name);
}

static rope_status find_call(const program_call **found, const struct program *self, const char *word, rope_error *error) {
    const program_call *near = NULL;
    int least = INT_MAX;
    for (const program_call *call = self->calls; call->name; call++) {
        const int slips = option_slips(word, call->name);
        if (slips < least) near = call;
        least = slips < least ? slips : least;
    }
    if (!near || least > 0) return unknown_call(self, word, near, error);
    *found = near;
    return ROPE_OK;
}

/* Where an option belongs: the calls of its row, or of the row it is an alias of. */
static unsigned calls_of(const option_row *rows, int key) {
    unsigned calls = 0;
    for (; rows->name; rows++)
        if (rows->key == key) calls |= rows->calls;
    return calls;
}

/* The hint names the calls that take the option. */
static rope_status misplaced(const program_line *line, const struct program *self, unsigned calls, const option_scan *scan,
                             rope_error *error) {
    char hint[256] = "it belongs to";
    size_t used = strlen(hint);
    const size_t start = used;
    for (const program_call *call = self->calls; call->name && used < sizeof hint; call++)
        if (calls & call->bit)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", used > start ? "," : "", call->name);
    if (calls & self->alone && used < sizeof hint)
        snprintf(hint + used, sizeof hint - used, "%s %s without a call", used > start ? ", and" : "", self->name);
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, hint, line->call ? "does not apply to %s %s" : "does not apply to %s without a call",
                     self->name, line->call ? line->call->name : "");
}

static rope_status read_option(program_line *line, const struct program *self, int key, const option_scan *scan, void *session,
                               rope_error *error) {
    if (key >= OPTION_COMMON && key < OPTION_COMMON_END) return option_apply_common(&line->common, key, scan, error);
    const bool spec = key >= OPTION_SPEC && key < OPTION_SPEC_END;
    const unsigned calls = spec ? self->with_spec : calls_of(self->rows, key);
    if (!(calls & line->bit)) return misplaced(line, self, calls, scan, error);
    return spec ? option_apply_spec(&line->spec, key, scan, error) : self->apply(session, key, scan, line->bit, error);
}

static rope_status read_words(program_line *line, const struct program *self, void *session, rope_error *error) {
    option_scan scan = line->words;
    scan.stop_at_operand = (self->stops & line->bit) != 0;
    for (int key; (key = option_next(&scan)) != OPTION_END;) {
        rope_status status = ROPE_OK;
        if (key == OPTION_ERROR) {
            *error = scan.error;
            return ROPE_BAD_INPUT;
        }
        if (key == OPTION_OPERAND)
            line->operands[line->operand_count++] = (char *)scan.value;
        else
            status = read_option(line, self, key, &scan, session, error);
        if (status != ROPE_OK) return status;
    }
    if (scan.stop_at_operand && scan.next < scan.argc) line->rest = scan.argv + scan.next;
    return ROPE_OK;
}

bool program_read(program_line *line, const struct program *self, int argc, char **argv, void *session, rope_error *error) {
    occupy_standard_streams();
    gsl_set_error_handler_off();
    *line = (program_line){.bit = self->alone, .common = option_common_default(), .spec = rope_spec_default()};
    line->rows = option_join(self->with_spec ? option_spec_rows : self->rows, self->with_spec ? self->rows : option_common_rows,
                             self->with_spec ? option_common_rows : NULL, (const option_row *)NULL);
    line->operands = calloc((size_t)argc + 1, sizeof *line->operands);
    if (!line->operands) abort();
    if (argc > 1 && argv[1][0] != '-' && find_call(&line->call, self, argv[1], error) != ROPE_OK) return false;
    const int named = line->call != NULL;
    if (named) line->bit = line->call->bit;
    line->words = option_begin(line->rows, argc - named, argv + named);
    if (read_words(line, self, session, error) != ROPE_OK) return false;
    if (line->common.help)
        print_help(self, line->rows);
    else if (line->common.version)
        option_print_version(self->name);
    return !line->common.help && !line->common.version;
}

rope_status program_misused(const program_line *line, const struct program *self, const char *place, const char *what,
                            rope_error *error) {
    char usage[128];
    snprintf(usage, sizeof usage, "%s %s%s", self->name, line->call->name, line->call->arguments);
    return rope_fail(error, ROPE_BAD_INPUT, place, usage, "%s", what);
}

/* ---- ending ---------------------------------------------------------------------------------------- */

int program_end(program_line *line, const struct program *self, int result, rope_error *error) {
    if (error->reason[0] || output_lost(error)) result = option_misuse(self->name, error);
    free(line->operands);
    free(line->rows);
    mpfr_free_cache();
    return result;
}
