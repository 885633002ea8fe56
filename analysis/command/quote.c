#include "options.h"

#include <stdlib.h>
#include <string.h>

/* Words of these characters mean themselves to a POSIX shell; '=' would make an assignment of the first. */
static bool safe(const char *word, bool first) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-=";
    return *word && !word[strspn(word, plain)] && !(first && strchr(word, '='));
}

/* 'word', with each ' in it as '\'' [POSIX.1-2017, XCU 2.2.2]. */
static char *append_quoted(char *end, const char *word) {
    *end++ = '\'';
    for (; *word; word++) {
        if (*word != '\'') {
            *end++ = *word;
            continue;
        }
        memcpy(end, "'\\''", 4);
        end += 4;
    }
    *end++ = '\'';
    return end;
}

char *option_quote(int argc, char **argv) {
    size_t room = 1;
    for (int k = 0; k < argc; k++) room += 4 * strlen(argv[k]) + 3; /* every character a quote, two around, a space */
    char *line = malloc(room), *end = line;
    if (!line) abort();
    for (int k = 0; k < argc; k++) {
        if (k) *end++ = ' ';
        end = safe(argv[k], k == 0) ? stpcpy(end, argv[k]) : append_quoted(end, argv[k]);
    }
    *end = 0;
    return line;
}
