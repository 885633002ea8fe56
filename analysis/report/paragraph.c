#include "paragraph.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* Formulas stay whole: words between which a lone operator stands, and what a bracket encloses, up to some length. */
enum { UNIT = 40 };

static bool is_operator(const char *word, size_t length) {
    static const char *const operators[] = {"=", ".", "*", "+", "-", "/", "<", ">", "<=", ">="};
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (strlen(operators[k]) == length && strncmp(word, operators[k], length) == 0) return true;
    return false;
}

static int brackets(const char *word, size_t length) {
    int open = 0;
    for (size_t k = 0; k < length; k++) open += (word[k] == '(' || word[k] == '[') - (word[k] == ')' || word[k] == ']');
    return open;
}

/* Length of the next piece that is not to be broken. */
static size_t unit(const char *text) {
    size_t length = strcspn(text, " ");
    bool operator= is_operator(text, length);
    for (int open = brackets(text, length); text[length];) {
        const char *const next = text + length + 1;
        const size_t word = strcspn(next, " ");
        if (!operator&& open <= 0 && !is_operator(next, word)) break;
        if (length + 1 + word > UNIT) break;
        operator= is_operator(next, word);
        open += brackets(next, word);
        length += 1 + word;
    }
    return length;
}

void text_wrap(FILE *out, int indent, const char *label, int width, const char *text) {
    const int left = indent + width;
    int column = fprintf(out, "%*s%-*s", indent, "", width, label);
    if (column > left) column = fprintf(out, "\n%*s", left, "") - 1;
    for (size_t piece; *text; text += piece + strspn(text + piece, " ")) {
        piece = unit(text);
        if (column > left && column + 1 + (int)piece > TEXT_COLUMNS) column = fprintf(out, "\n%*s", left, "") - 1;
        if (column > left) column += fprintf(out, " ");
        column += fprintf(out, "%.*s", (int)piece, text);
    }
    fprintf(out, "\n");
}

void text_say(FILE *out, int indent, const char *label, int width, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_wrap(out, indent, label, width, text);
}
