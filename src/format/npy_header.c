/* The header of an .npy file: a Python dictionary of three entries, written by hand or by a hostile one. */
#include <stdlib.h>
#include <string.h>

#include "npy_file.h"

typedef struct span {
    const char *start;
    size_t length, offset;
} span;

static bool is_space(int c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static int peek(npy_text *t) {
    while (t->at < t->end && is_space(t->bytes[t->at])) t->at++;
    return t->at < t->end ? t->bytes[t->at] : -1;
}

static bool take(npy_text *t, int c) {
    if (peek(t) != c) return false;
    t->at++;
    return true;
}

static bool equals(span s, const char *word) {
    return s.length == strlen(word) && memcmp(s.start, word, s.length) == 0;
}

/* A copy for messages, cut and without control characters: the file is hostile, the reader a terminal. */
typedef struct excerpt {
    char text[64];
} excerpt;

static excerpt excerpt_of(span s) {
    excerpt e = {""};
    const size_t room = sizeof e.text - 4;
    const size_t length = s.length < room ? s.length : room;
    for (size_t i = 0; i < length; i++) e.text[i] = s.start[i] >= 0x20 && s.start[i] < 0x7f ? s.start[i] : '?';
    if (s.length > room) memcpy(e.text + room, "...", 4);
    return e;
}

static const char as_float[] = "save with .astype(np.float32)";

static rope_status malformed_at(npy_text *t, size_t offset, const char *reason) {
    return rope_fail(t->error, ROPE_BAD_INPUT, npy_place_of(t->name, offset).text, npy_save_again, "%s", reason);
}

static rope_status malformed(npy_text *t, const char *reason) {
    return malformed_at(t, t->at, reason);
}

static rope_status parse_string(npy_text *t, span *s) {
    const int quote = peek(t);
    if (quote != '\'' && quote != '"') return malformed(t, "a quoted string is expected here");
    t->at++;
    *s = (span){(const char *)t->bytes + t->at, 0, t->at};
    while (t->at < t->end && t->bytes[t->at] != quote) t->at++;
    if (t->at == t->end) return malformed(t, "the header ends within a string");
    s->length = t->at - s->offset;
    t->at++;
    return ROPE_OK;
}

/* The rest of a list or tuple, for a message. */
static span nested(const npy_text *t) {
    span s = {(const char *)t->bytes + t->at, 0, t->at};
    int depth = 0;
    do {
        const int c = t->bytes[s.offset + s.length++];
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    } while (depth > 0 && s.offset + s.length < t->end);
    return s;
}

/* Says why a dtype outside the table of types is not read, by its kind: the letter after the byte order. */
static rope_status refuse_type(npy_text *t, span found, char kind) {
    static const struct {
        const char *kinds, *why, *hint;
    } rows[] = {
        {"O", "Python objects are not numbers, and unpickling them would run code", as_float},
        {"[(", "structured and sub-array types are not read", "save each field by itself with .astype(np.float32)"},
        {"?b", "booleans are not read", as_float},
        {"SaU", "strings are not numbers", as_float},
        {"Mm", "dates and durations are not read", as_float},
        {"V", "of raw bytes, V2 (bfloat16) is read", as_float},
        {"f", "of floats, f2, f4 and f8 are read", "save with .astype(np.float64)"},
        {"c", "of complex numbers, c8 and c16 are read", "save with .astype(np.complex128)"},
        {"iu", "of integers, i2, u2, i4 and i8 are read", "save with .astype(np.int64)"},
    };
    const char *why = "this type is not known", *hint = as_float;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kind != '\0' && strchr(rows[i].kinds, kind)) {
            why = rows[i].why;
            hint = rows[i].hint;
        }
    return rope_fail(t->error, ROPE_UNSUPPORTED, npy_place_of(t->name, found.offset).text, hint, "dtype %s: %s",
                     excerpt_of(found).text, why);
}

/* '<f4': byte order, kind, bytes. Without a byte order, and with '=', numbers are the host's; so they are with '|',
 * which NumPy writes only where order has no meaning: there V2 is taken as little endian, since ml_dtypes hides the
 * order. */
static rope_status parse_descr(npy_text *t, rope_npy *npy) {
    const int first = peek(t);
    if (first == '[' || first == '(') return refuse_type(t, nested(t), (char)first);
    span descr;
    const rope_status status = parse_string(t, &descr);
    if (status != ROPE_OK) return status;

    const bool ordered = descr.length > 0 && memchr("<>|=", descr.start[0], 4);
    const char order = ordered ? descr.start[0] : '=';
    const span type = {descr.start + ordered, descr.length - ordered, descr.offset + ordered};
    for (int i = 0; i < ROPE_NPY_TYPES; i++) {
        if (!equals(type, npy_types[i].name)) continue;
        const bool native = order == '=' || (order == '|' && i != ROPE_NPY_V2);
        npy->type = (rope_npy_type)i;
        npy->dtype = npy_types[i].dtype;
        npy->swapped = !native && (order == '>') != npy_big_endian_host;
        return ROPE_OK;
    }
    const span quoted = {descr.start - 1, descr.length + 2, descr.offset - 1};
    return refuse_type(t, quoted, type.length > 0 ? type.start[0] : '\0');
}

static rope_status parse_order(npy_text *t, rope_npy *npy) {
    static const char *const words[] = {"False", "True"};
    peek(t);
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);
        if (t->end - t->at < length || memcmp(t->bytes + t->at, words[i], length) != 0) continue;
        t->at += length;
        npy->fortran = i == 1;
        return ROPE_OK;
    }
    return malformed(t, "'fortran_order' is neither True nor False");
}

static rope_status parse_extent(npy_text *t, size_t *extent) {
    if (peek(t) == '-') return malformed(t, "the shape has a negative extent");
    if (!is_digit(peek(t))) return malformed(t, "the shape needs a whole number here");
    const size_t start = t->at;
    for (*extent = 0; t->at < t->end && is_digit(t->bytes[t->at]); t->at++)
        if (__builtin_mul_overflow(*extent, (size_t)10, extent) ||
            __builtin_add_overflow(*extent, (size_t)(t->bytes[t->at] - '0'), extent))
            return malformed_at(t, start, "an extent of the shape overflows");
    if (t->at < t->end && t->bytes[t->at] == 'L') t->at++; /* NumPy under Python 2 */
    return ROPE_OK;
}

/* "()", "(3,)", "(3, 4)", "(3, 4,)"; "(3)" is a number in Python, not a tuple. */
static rope_status parse_shape(npy_text *t, rope_npy *npy) {
    if (!take(t, '(')) return malformed(t, "the shape is not a tuple");
    bool comma = true;
    npy->rank = 0;
    while (!take(t, ')')) {
        if (!comma) return malformed(t, "the shape needs a comma or ')' here");
        if (npy->rank == ROPE_NPY_RANK)
            return rope_fail(t->error, ROPE_UNSUPPORTED, npy_place_of(t->name, t->at).text, "save with .reshape",
                             "the array has more than %d axes", ROPE_NPY_RANK);
        const rope_status status = parse_extent(t, &npy->shape[npy->rank]);
        if (status != ROPE_OK) return status;
        npy->rank++;
        comma = take(t, ',');
    }
    if (npy->rank == 1 && !comma) return malformed(t, "the shape is not a tuple: a comma is missing");
    return ROPE_OK;
}

rope_status npy_parse_dictionary(npy_text *t, rope_npy *npy) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    static rope_status (*const values[])(npy_text *, rope_npy *) = {parse_descr, parse_order, parse_shape};
    enum { KEYS = sizeof keys / sizeof *keys };
    bool seen[KEYS] = {false};

    if (!take(t, '{')) return malformed(t, "the header is not a dictionary");
    for (bool comma = true; !take(t, '}'); comma = take(t, ',')) {
        if (!comma) return malformed(t, "the dictionary needs a comma or '}' here");
        span key;
        rope_status status = parse_string(t, &key);
        if (status != ROPE_OK) return status;
        int k = 0;
        while (k < KEYS && !equals(key, keys[k])) k++;
        if (k == KEYS) return malformed_at(t, key.offset, "the key is none of 'descr', 'fortran_order', 'shape'");
        if (seen[k]) return malformed_at(t, key.offset, "the key occurs twice");
        seen[k] = true;
        if (!take(t, ':')) return malformed(t, "a colon is expected here");
        status = values[k](t, npy);
        if (status != ROPE_OK) return status;
    }
    if (peek(t) != -1) return malformed(t, "the dictionary is followed by more text");
    for (int k = 0; k < KEYS; k++)
        if (!seen[k])
            return rope_fail(t->error, ROPE_BAD_INPUT, npy_place_of(t->name, t->at).text, npy_save_again,
                             "the key '%s' is missing", keys[k]);
    return ROPE_OK;
}
