/* What is around every program's work: its calls, reading the command line, --help and --version, and how it ends.
 *
 *     static const program_call calls[] = {{"table", TABLE, " --cos FILE --sin FILE [SPEC]", "judge a cos/sin table"}, ...};
 *     static const struct program self = {.name = "rope-verify", .calls = calls, .rows = verify_rows, .apply = apply_option, ...};
 *
 *     int main(int argc, char **argv) {
 *         rope_error error = {0};
 *         program_line line;
 *         int result = 0;
 *         if (program_read(&line, &self, argc, argv, &session, &error)) result = dispatch(&line, &session, &error);
 *         result = program_end(&line, &self, result, &error);
 *         ... free the session ...
 *         return result;
 *     }
 */
#ifndef ROPE_PROGRAM_H
#define ROPE_PROGRAM_H

#include "options.h"

typedef struct program_call {
    const char *name; /* the first word; NULL ends the table */
    unsigned bit;     /* as in option_row.calls */
    const char *arguments, *help;
} program_call;

struct program {
    const char *name, *purpose;       /* "rope-verify", "is this RoPE right?": together the first line of --help */
    const program_call *calls;
    const char *usage;                /* what follows the name when no call does, and what it does */
    unsigned alone;                   /* the bit of that */
    unsigned with_spec;               /* calls to which the SPEC options apply */
    unsigned stops;                   /* calls whose first operand ends the options (COMMAND...) */
    const option_row *rows;           /* the program's own options */
    const char *closing;              /* of --help: exit status, examples */
    /* One option that is neither SPEC nor common. call: the bit. */
    rope_status (*apply)(void *session, int key, const option_scan *scan, unsigned call, rope_error *error);
};

/* A command line that was read. */
typedef struct program_line {
    const program_call *call; /* NULL: none */
    unsigned bit;             /* the call's, or `alone` */
    option_row *rows;         /* every option: SPEC, own, common */
    option_scan words;        /* the options once more from the start */
    option_common common;
    rope_spec spec;
    char **operands;          /* ends with NULL */
    int operand_count;
    char **rest;              /* where `stops` ended the options; NULL: nothing is left */
} program_line;

/* True when there is work to do; false after an error, --help or --version. Fills line in any case. */
bool program_read(program_line *line, const struct program *self, int argc, char **argv, void *session, rope_error *error);

/* Prints the error, if there is one, or says that standard output could not be written; frees the line. Returns the exit
 * status: 2 after an error, else result. */
int program_end(program_line *line, const struct program *self, int result, rope_error *error);

/* How to call it: an error whose place is given and whose hint is the call's usage. */
rope_status program_misused(const program_line *line, const struct program *self, const char *place, const char *what,
                            rope_error *error);

#endif
