#include "options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------------- */

enum { NAME = 64 }; /* longer words are no option's misspelling */

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Fewest insertions, deletions, replacements and swaps of neighbours (optimal string alignment) from a to b. */
static int distance(const char *a, const char *b) {
    const int rows = (int)strlen(a), columns = (int)strlen(b);
    if (rows >= NAME || columns >= NAME) return NAME;
    int d[NAME][NAME];
    for (int i = 0; i <= rows; i++) d[i][0] = i;
    for (int j = 0; j <= columns; j++) d[0][j] = j;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++) {
            const int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[rows][columns];
}

/* One slip may happen, and one more for three letters, as long as something of the name is left. */
int option_slips(const char *word, const char *name) {
    const int slips = distance(word, name);
    return slips < 2 + (int)strlen(word) / 3 && slips < (int)strlen(name) ? slips : INT_MAX;
}

/* The row whose name is nearest to the word; NULL when none is near. */
static const option_row *nearest(const option_row *rows, const char *word) {
    const option_row *best = NULL;
    int least_slips = INT_MAX;
    for (const option_row *row = rows; row->name; row++) {
        const int slips = option_slips(word, row->name);
        if (slips >= least_slips) continue;
        best = row;
        least_slips = slips;
    }
    return best;
}

/* The rows that begin with the word; an exact one stands alone. Aliases count once. */
static int find(const option_row *rows, const char *word, size_t length, const option_row **found) {
    int count = 0;
    for (const option_row *row = rows; row->name; row++) {
        if (length == 0 || strncmp(row->name, word, length) != 0) continue;
        if (!row->name[length]) {
            *found = row;
            return 1;
        }
        count += count == 0 || row->key != (*found)->key;
        if (count == 1) *found = row;
    }
    return count;
}

/* An alias may leave its argument out. */
static const char *argument_of(const option_row *rows, const option_row *row) {
    if (row->argument) return row->argument;
    for (const option_row *other = rows; other->name; other++)
        if (other->key == row->key && other->argument) return other->argument;
    return NULL;
}

/* ---- scanning -------------------------------------------------------------------------------------- */

option_scan option_begin(const option_row *rows, int argc, char **argv) {
    return (option_scan){.rows = rows, .argc = argc, .next = 1, .argv = argv};
}

static int unknown(option_scan *scan, const char *word, size_t length) {
    char name[NAME], hint[128] = "--help lists the options";
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const option_row *row = length < sizeof name ? nearest(scan->rows, name) : NULL;
    if (row) snprintf(hint, sizeof hint, "did you mean %s%s?", row->name[1] ? "--" : "-", row->name);
    rope_fail(&scan->error, ROPE_BAD_INPUT, scan->name, hint, "unknown option");
    return OPTION_ERROR;
}

static int ambiguous(option_scan *scan, const char *word, size_t length) {
    char hint[256] = "could be";
    for (const option_row *row = scan->rows; row->name; row++) {
        const size_t used = strlen(hint);
        if (!strncmp(row->name, word, length)) snprintf(hint + used, sizeof hint - used, " --%s", row->name);
    }
    rope_fail(&scan->error, ROPE_BAD_INPUT, scan->name, hint, "ambiguous option");
    return OPTION_ERROR;
}

/* Ends an option: attached is the argument in the same word, or NULL. A word that begins with "--" is never taken as an
 * argument: "--cos --sin s.npy" lacks one. */
static int take_argument(option_scan *scan, const option_row *row, const char *attached) {
    const char *argument = argument_of(scan->rows, row);
    if (!argument && attached) {
        rope_fail(&scan->error, ROPE_BAD_INPUT, scan->name, NULL, "takes no argument, but '%s' was given", attached);
        return OPTION_ERROR;
    }
    if (!argument) return row->key;
    if (!attached && scan->next < scan->argc && strncmp(scan->argv[scan->next], "--", 2) != 0)
        attached = scan->argv[scan->next++];
    scan->value = attached;
    if (attached) return row->key;
    char hint[128];
    snprintf(hint, sizeof hint, "write %s%s%s", scan->name, row->name[1] ? "=" : " ", argument);
    rope_fail(&scan->error, ROPE_BAD_INPUT, scan->name, hint, "needs an argument");
    return OPTION_ERROR;
}

/* word is "name" or "name=argument". */
static int long_option(option_scan *scan, const char *word) {
    const size_t length = strcspn(word, "=");
    snprintf(scan->spelling, sizeof scan->spelling, "--%.*s", (int)length, word);
    const option_row *row = NULL;
    const int found = find(scan->rows, word, length, &row);
    if (found == 0) return unknown(scan, word, length);
    if (found > 1) return ambiguous(scan, word, length);
    return take_argument(scan, row, word[length] ? word + length + 1 : NULL);
}

/* word is the letter of a row with a one-letter name, and its argument may follow at once. */
static int short_option(option_scan *scan, const char *word) {
    for (const option_row *row = scan->rows; row->name; row++) {
        if (row->name[0] != word[0] || row->name[1]) continue;
        snprintf(scan->spelling, sizeof scan->spelling, "-%c", word[0]);
        return take_argument(scan, row, word[1] ? word + 1 : NULL);
    }
    snprintf(scan->spelling, sizeof scan->spelling, "-%s", word);
    return unknown(scan, word, strcspn(word, "="));
}

int option_next(option_scan *scan) {
    scan->value = NULL;
    scan->name = scan->spelling;
    scan->spelling[0] = 0;
    if (!scan->only_operands && scan->next < scan->argc && !strcmp(scan->argv[scan->next], "--")) {
        scan->only_operands = true;
        scan->next++;
        if (scan->stop_at_operand) return OPTION_END;
    }
    if (scan->next >= scan->argc) return OPTION_END;
    const char *word = scan->argv[scan->next];
    if (scan->only_operands || word[0] != '-' || !word[1]) {
        if (scan->stop_at_operand) return OPTION_END;
        scan->value = word;
        scan->next++;
        return OPTION_OPERAND;
    }
    scan->next++;
    return word[1] == '-' ? long_option(scan, word + 2) : short_option(scan, word + 1);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

static size_t count_rows(const option_row *rows) {
    size_t count = 0;
    while (rows[count].name) count++;
    return count;
}

option_row *option_join(const option_row *first, ...) {
    option_row *joined = NULL;
    size_t total = 0;
    va_list tables;
    va_start(tables, first);
    for (const option_row *rows = first; rows; rows = va_arg(tables, const option_row *)) {
        const size_t count = count_rows(rows);
        joined = realloc(joined, (total + count + 1) * sizeof *joined);
        if (!joined) abort();
        memcpy(joined + total, rows, (count + 1) * sizeof *rows);
        total += count;
    }
    va_end(tables);
    return joined;
}

/* ---- help ------------------------------------------------------------------------------------------ */

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* Words wrapped before the 80th column, each line from the 26th; '\n' ends a line. */
void option_help_text(FILE *out, int used, const char *text) {
    const bool room = used <= HELP_COLUMN - 2;
    fprintf(out, "%s%*s", room ? "" : "\n", room ? HELP_COLUMN - used : HELP_COLUMN, "");
    used = HELP_COLUMN;
    while (*text) {
        const size_t length = strcspn(text, " \n");
        const int wide = used + (used > HELP_COLUMN) + (int)length;
        if (wide >= HELP_WIDTH && used > HELP_COLUMN) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            used = HELP_COLUMN;
        }
        used += fprintf(out, "%s%.*s", used > HELP_COLUMN ? " " : "", (int)length, text);
        text += length;
        if (*text == '\n') {
            fprintf(out, "\n%*s", text[1] ? HELP_COLUMN : 0, "");
            used = HELP_COLUMN;
        }
        text += *text != 0;
    }
    putc('\n', out);
}

/* "  -o, --output DIR" */
static int put_option(FILE *out, const option_row *rows, const option_row *row) {
    int used = fprintf(out, "  ");
    for (const option_row *alias = rows; alias->name && row->name[1]; alias++)
        if (alias->key == row->key && !alias->name[1]) used += fprintf(out, "-%s, ", alias->name);
    used += fprintf(out, "%s%s", row->name[1] ? "--" : "-", row->name);
    if (row->argument) used += fprintf(out, " %s", row->argument);
    return used;
}

void option_help(FILE *out, const option_row *rows) {
    const char *group = NULL;
    for (const option_row *row = rows; row->name; row++) {
        if (row->group && (!group || strcmp(group, row->group) != 0)) {
            fprintf(out, "%s%s:\n", group ? "\n" : "", row->group);
            group = row->group;
        }
        if (!row->help) continue;
        option_help_text(out, put_option(out, rows, row), row->help);
    }
}
