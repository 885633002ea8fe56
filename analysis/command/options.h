/* Options of the programs: one table drives parsing, --help and the man page.
 *
 *     static const option_row rows[] = {
 *         {"dim", 'D', "D", "head size d (default 128)", "SPEC", 0},
 *         {"head-dim", 'D', NULL, NULL, NULL, 0},             an alias: same key, no help
 *         {NULL, 0, NULL, NULL, NULL, 0}};
 *     option_scan scan = option_begin(rows, argc, argv);
 *     int key;
 *     while ((key = option_next(&scan)) != OPTION_END) ...  scan.value is the argument
 *
 * GNU long options: --name VALUE, --name=VALUE, unambiguous prefixes; "--" ends them; other words are operands.
 */
#ifndef ROPE_OPTIONS_H
#define ROPE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../src/spec.h"

typedef struct option_row {
    const char *name;     /* without dashes; NULL ends the table */
    int key;              /* > 0; rows with the same key are aliases */
    const char *argument; /* "FILE"; NULL: takes none. An alias repeats it. */
    const char *help;     /* one line or more; NULL: not shown (an alias) */
    const char *group;    /* heading in --help, printed when it changes; NULL: the same as before */
    unsigned calls;       /* where it applies (program.h); SPEC and common options: 0 */
} option_row;

enum { OPTION_END = -1, OPTION_OPERAND = 0, OPTION_ERROR = -2 };

typedef struct option_scan {
    const option_row *rows;
    int argc, next;
    char **argv;
    const char *value; /* the option's argument, or the operand */
    const char *name;  /* the option as the user wrote it, "--dim"; points into spelling: do not copy a scan in use */
    char spelling[64];
    bool only_operands;
    bool stop_at_operand; /* set it to end at the first operand (COMMAND...) */
    rope_error error;  /* after OPTION_ERROR */
} option_scan;

option_scan option_begin(const option_row *rows, int argc, char **argv);
int option_next(option_scan *scan);

/* Slips of the pen (letters inserted, left out, replaced, swapped) from a word to a name that it may be meant for;
 * INT_MAX when they are too many for that. */
int option_slips(const char *word, const char *name);

/* Prints the rows with help, aligned, wrapped at 80 columns. */
void option_help(FILE *out, const option_row *rows);
/* Ends a line of help of which `used` columns are written: the text, in the column of the options' help. */
void option_help_text(FILE *out, int used, const char *text);

/* Numbers from text, whole text or an error whose place is the option's name. */
rope_status option_integer(int64_t *value, const char *text, int64_t least, int64_t largest, const char *name, rope_error *error);
rope_status option_real(double *value, const char *text, double least, double largest, const char *name, rope_error *error);

/* A:B[:STEP] excludes B as numpy does; a single number is one value. */
typedef struct option_range { int64_t first, end, step; } option_range;
rope_status option_parse_range(option_range *range, const char *text, const char *name, rope_error *error);

/* SPEC options, shared by every program. Their keys lie in [OPTION_SPEC, OPTION_SPEC_END). Put option_spec_rows first in a
 * program's table with option_join. */
enum { OPTION_SPEC = 1000, OPTION_SPEC_END = 1100 };
extern const option_row option_spec_rows[];
/* Common options: help version seed quiet verbose color progress. Keys in [OPTION_COMMON, OPTION_COMMON_END). */
enum { OPTION_COMMON = 1100, OPTION_HELP = 1100, OPTION_VERSION, OPTION_SEED, OPTION_QUIET, OPTION_VERBOSE, OPTION_COLOR, OPTION_PROGRESS, OPTION_COMMON_END = 1120 };
extern const option_row option_common_rows[];

/* Joins tables into memory the caller frees. ends with a NULL pointer. */
option_row *option_join(const option_row *first, ...);

/* Applies one SPEC option (scan->key in the SPEC range). Repeated options: the last one wins. */
rope_status option_apply_spec(rope_spec *spec, int key, const option_scan *scan, rope_error *error);

typedef enum option_when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER } option_when;
typedef struct option_common {
    bool help, version;
    uint64_t seed; /* default 1 */
    int verbosity; /* -1 quiet, 0, 1 verbose */
    option_when color, progress;
} option_common;
option_common option_common_default(void);
rope_status option_apply_common(option_common *common, int key, const option_scan *scan, rope_error *error);

/* Colour on stdout? auto: a terminal, TERM not dumb, NO_COLOR unset or empty. */
bool option_colour(const option_common *common);
/* Progress on stderr? auto: stderr is a terminal. */
bool option_progress(const option_common *common);

/* "rope-verify 0.1.0 (MPFR 4.2.0, GMP 6.2.1, GSL 2.7.1, ...)" to stdout. */
void option_print_version(const char *program);
#define ROPE_VERSION "0.1.0"

/* "program: place: reason" and "hint: ..." on stderr, returns 2. */
int option_misuse(const char *program, const rope_error *error);

/* argv joined into one line quoted for a POSIX shell, in memory the caller frees. */
char *option_quote(int argc, char **argv);

/* A progress bar on stderr, redrawn at most ten times a second; silent when progress is off. */
typedef struct option_bar { bool on; const char *label; uint64_t total; double last; } option_bar;
void option_bar_begin(option_bar *bar, bool on, const char *label, uint64_t total);
void option_bar_step(option_bar *bar, uint64_t done);
void option_bar_end(option_bar *bar);

#endif
