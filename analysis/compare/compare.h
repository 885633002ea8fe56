/* rope-compare: what is asked, and the calls that answer it. */
#ifndef ROPE_COMPARE_COMPARE_H
#define ROPE_COMPARE_COMPARE_H

#include "../command/program.h"
#include "../command/sheet.h"
#include "encoding.h"

enum {
    CALL_SCHEMES = 1,
    CALL_LINEAR = 2,
    CALL_VALUES = 4,
    CALL_EXPLAIN = 8,
    CALL_TOUR = 16,
    CALL_EXERCISE = 32,
    CALL_MYTHS = 64,
    CALL_RUNS = CALL_SCHEMES | CALL_LINEAR | CALL_VALUES /* on tokens */
};

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2 };

typedef struct compare_session {
    program_line line;
    compare_request request;
    bool has_dim, has_length; /* the user said so; linear has defaults of its own */
    int64_t shift;            /* K of the shift defects */
    const char *schemes;      /* --schemes: names with commas, or all */
    const char *tsv, *table, *plot, *html;
    const char *student; /* exercise: --seed as it was written; any text */
    bool answer;
} compare_session;

/* Each prints its tables and returns the exit status; with an error in *error it is EXIT_MISUSE. */
int compare_linear(compare_session *session, rope_error *error);
int compare_values(compare_session *session, rope_error *error);
int compare_myths(compare_session *session, rope_error *error);

/* The data that are asked for; the session's request then says what they are. A --dim or --length that they do not have
 * is refused. */
rope_status compare_open_data(compare_data *data, compare_session *session, rope_error *error);

/* The run in one line, in the order of --help, without paths: "rope-compare values --dim 64 ..."; memory the caller
 * frees. */
char *compare_command(const compare_session *session);
/* What was run, in words: "gaussian tokens (seed 1), d = 64, N = 64, ..."; memory the caller frees. */
char *compare_statement(const compare_session *session);

/* Comments: the program's version and the command. */
void compare_sign(sheet *s, const compare_session *session);
/* A sheet that begins with the program's version and the command. */
sheet *compare_sheet(const compare_session *session);
/* Writes --table, when it is asked for. */
rope_status compare_write_table(const compare_session *session, const sheet *s, rope_error *error);

/* ---- numbers as text --------------------------------------------------------------------------------- */

/* The value with as many digits, at most `most`, as its bound vouches for: an error of one unit of the last at most;
 * "0" when the value is within its bound. */
void compare_value_text(char text[32], double value, double bound, int most);

#endif
