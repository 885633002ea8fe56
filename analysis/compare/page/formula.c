#include "formula.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "../../report/escape.h"
#include "../../report/number.h"

static const char minus[] = "\xe2\x88\x92";

/* Words that are signs. In prose "sum" and "max" are words, so those are signs only before _. */
static const struct {
    const char *word, *sign;
    bool before_index;
} signs[] = {{"alpha", "\xce\xb1", false},    {"beta", "\xce\xb2", false}, {"gamma", "\xce\xb3", false},
             {"theta", "\xce\xb8", false},    {"zeta", "\xce\xb6", false}, {"phi", "\xcf\x86", false},
             {"sqrt", "\xe2\x88\x9a", false}, {"pi", "\xcf\x80", false},   {"sigma", "\xcf\x83", false},
             {"sum", "\xe2\x88\x91", true}};

static size_t word_length(const char *text) {
    size_t length = 0;
    while (isalpha((unsigned char)text[length])) length++;
    return length;
}

/* before: the character in front of the word. */
static void put_word(FILE *out, const char *word, size_t length, char before, bool in_index) {
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strlen(signs[k].word) == length && !memcmp(signs[k].word, word, length) &&
            (!signs[k].before_index || word[length] == '_')) {
            fputs(signs[k].sign, out);
            return;
        }
    const bool article = !in_index && (*word == 'a' || *word == 'A' || *word == 'I') && word[1] != '_';
    /* T5 and K2 are names */
    const bool name = isupper((unsigned char)*word) && isdigit((unsigned char)word[1]);
    const bool joined =
        name || before == '\'' || word[1] == '\'' ||
        (word[1] == '-' && !in_index && isalpha((unsigned char)word[2]) && isalpha((unsigned char)word[3]));
    fprintf(out, (length == 1 && !article && !joined) || (in_index && length == 2) ? "<i>%.*s</i>" : "%.*s",
            (int)length, word);
}

/* How much of the text behind _ or ^ belongs to it, 0 when that is no index: a group in brackets; else letters or
 * digits behind an optional sign, and the argument when they are a function: a_clip(n-m). */
static size_t index_length(const char *text) {
    if (*text == '(' || *text == '{') {
        int depth = 0;
        for (size_t k = 0; text[k]; k++) {
            depth += (text[k] == '(' || text[k] == '{') - (text[k] == ')' || text[k] == '}');
            if (depth == 0) return k + 1;
        }
        return 0;
    }
    size_t length = *text == '-';
    while (isalnum((unsigned char)text[length])) length++;
    return length > 1 && text[length] == '(' ? length + index_length(text + length) : length;
}

static void put_part(FILE *out, const char *text, size_t length, bool in_index);

static size_t put_index(FILE *out, const char *text) {
    const char *const element = *text == '_' ? "sub" : "sup";
    const size_t length = index_length(text + 1);
    const bool group = text[1] == '(' || text[1] == '{';
    fprintf(out, "<%s>", element);
    put_part(out, text + 1 + group, length - 2 * (size_t)group, true);
    fprintf(out, "</%s>", element);
    return 1 + length;
}

/* A hyphen stands between words; a minus sign behind a space or a bracket, before a digit, and between letters that
 * stand alone. */
static bool is_minus(const char *start, const char *text, bool in_index) {
    const unsigned char before = text > start ? (unsigned char)text[-1] : ' ', after = (unsigned char)text[1];
    if (in_index || isdigit(after)) return true;
    if (isalpha(before) && isalpha(after))
        return (text - 1 == start || !isalpha((unsigned char)text[-2])) && !isalpha((unsigned char)text[2]);
    return !isalnum(before) && !strchr(")-", before) && after != '-';
}

static void put_rune(FILE *out, const char **text) {
    char bytes[8] = "";
    const char *const start = *text;
    escape_next(text);
    memcpy(bytes, start, (size_t)(*text - start));
    escape_xml(out, bytes);
}

static void put_part(FILE *out, const char *text, size_t length, bool in_index) {
    const char *const start = text, *const end = text + length;
    while (text < end) {
        const size_t word = word_length(text);
        if (word) {
            const size_t inside = word < (size_t)(end - text) ? word : (size_t)(end - text);
            put_word(out, text, inside, text > start ? text[-1] : ' ', in_index);
            text += inside;
        } else if ((*text == '_' || *text == '^') && index_length(text + 1) > 0) {
            text += put_index(out, text);
        } else if (*text == '-' && is_minus(start, text, in_index)) {
            fputs(minus, out);
            text++;
        } else if (!strncmp(text, " . ", 3) || !strncmp(text, " x ", 3)) {
            fputs(text[1] == '.' ? "\xc2\xa0\xc2\xb7 " : "\xc2\xa0\xc3\x97 ", out);
            text += 3;
        } else if (!strncmp(text, "<=", 2) || !strncmp(text, ">=", 2)) {
            fputs(*text == '<' ? "\xe2\x89\xa4" : "\xe2\x89\xa5", out);
            text += 2;
        } else {
            put_rune(out, &text);
        }
    }
}

void put_math(FILE *out, const char *text) {
    put_part(out, text, strlen(text), false);
}

void put_number(FILE *out, double x, int digits) {
    put_decimal(out, isnan(x) ? "\xe2\x80\x93" : number_short(x, digits).text);
}

void put_decimal(FILE *out, const char *text) {
    const char *const exponent = strchr(text, 'e');
    for (const char *c = text; *c && c != exponent; c++)
        if (*c == '-')
            fputs(minus, out);
        else
            putc(*c, out);
    const char *const digits = exponent ? exponent + 1 + strspn(exponent + 1, "+-0") : "";
    if (*digits)
        fprintf(out,
                "\xc2\xb7"
                "10<sup>%s%s</sup>",
                exponent[1] == '-' ? minus : "", digits);
}
