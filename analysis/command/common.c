/* The options every program has, and how programs speak of themselves. */
#include "options.h"

#include <gmp.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../report/escape.h"

const option_row option_common_rows[] = {
    {"seed", OPTION_SEED, "N", "seed of everything random (default 1)", "Common", 0},
    {"quiet", OPTION_QUIET, NULL, "print less: of rope-verify, failures and the verdict", NULL, 0},
    {"verbose", OPTION_VERBOSE, NULL, "print more: of rope-verify, what each claim says and where its error is largest", NULL, 0},
    {"color", OPTION_COLOR, "WHEN",
     "colour: auto, always or never (default auto: on a terminal, unless NO_COLOR is set)", NULL, 0},
    {"colour", OPTION_COLOR, "WHEN", NULL, NULL, 0},
    {"progress", OPTION_PROGRESS, "WHEN",
     "progress on standard error: auto, always or never (default auto: on a terminal)", NULL, 0},
    {"help", OPTION_HELP, NULL, "print this help", NULL, 0},
    {"version", OPTION_VERSION, NULL, "print the version, and those of the libraries in use", NULL, 0},
    {NULL, 0, NULL, NULL, NULL, 0}};

option_common option_common_default(void) {
    return (option_common){.seed = 1};
}

static rope_status set_when(option_when *when, const option_scan *scan, rope_error *error) {
    static const char *const names[] = {"auto", "always", "never"};
    for (int k = 0; k < 3; k++)
        if (!strcmp(scan->value, names[k])) {
            *when = (option_when)k;
            return ROPE_OK;
        }
    return rope_fail(error, ROPE_BAD_INPUT, scan->name, "write auto, always or never", "'%s' is none of its values",
                     scan->value);
}

static rope_status set_seed(uint64_t *seed, const option_scan *scan, rope_error *error) {
    int64_t number; /* to 2^63 - 1, so that JSON readers with signed integers can hold it */
    const rope_status status = option_integer(&number, scan->value, 0, INT64_MAX, scan->name, error);
    if (status == ROPE_OK) *seed = (uint64_t)number;
    return status;
}

rope_status option_apply_common(option_common *common, int key, const option_scan *scan, rope_error *error) {
    switch (key) {
    case OPTION_HELP:
        common->help = true;
        return ROPE_OK;
    case OPTION_VERSION:
        common->version = true;
        return ROPE_OK;
    case OPTION_QUIET:
        common->verbosity = -1;
        return ROPE_OK;
    case OPTION_VERBOSE:
        common->verbosity = 1;
        return ROPE_OK;
    case OPTION_SEED:
        return set_seed(&common->seed, scan, error);
    case OPTION_COLOR:
        return set_when(&common->color, scan, error);
    case OPTION_PROGRESS:
        return set_when(&common->progress, scan, error);
    default:
        return rope_fail(error, ROPE_BAD_INPUT, scan->name, NULL, "is no common option");
    }
}

/* https://no-color.org: set and not empty; an explicit option wins. */
bool option_colour(const option_common *common) {
    if (common->color != WHEN_AUTO) return common->color == WHEN_ALWAYS;
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(refused && *refused) && terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

bool option_progress(const option_common *common) {
    return common->progress == WHEN_AUTO ? isatty(STDERR_FILENO) : common->progress == WHEN_ALWAYS;
}

void option_print_version(const char *program) {
    printf("%s %s (MPFR %s, GMP %s, GSL %s, jansson %s)\n", program, ROPE_VERSION, mpfr_get_version(), gmp_version,
           gsl_version, jansson_version_str());
}

int option_misuse(const char *program, const rope_error *error) {
    fprintf(stderr, "%s: ", program);
    escape_plain(stderr, error->place); /* file names may hold what moves a terminal's cursor */
    if (*error->place) fputs(": ", stderr);
    escape_plain(stderr, error->reason);
    if (*error->hint) fputs("\nhint: ", stderr);
    escape_plain(stderr, error->hint);
    putc('\n', stderr);
    return 2;
}
