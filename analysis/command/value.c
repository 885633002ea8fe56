/* Numbers and ranges from text. The whole text must be read; what is left over is an error that shows it. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

static rope_status refuse(const char *name, const char *text, const char *kind, const char *end, rope_error *error) {
    if (!*text) return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "is empty, but needs %s", kind);
    if (end == text || !*end) return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "'%s' is not %s", text, kind);
    return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "'%s' is not %s: '%s' is left over", text, kind, end);
}

rope_status option_integer(int64_t *value, const char *text, int64_t least, int64_t largest, const char *name,
                           rope_error *error) {
    char *end = (char *)text;
    errno = 0;
    const intmax_t number = isspace((unsigned char)*text) ? 0 : strtoimax(text, &end, 10);
    if (end == text || *end) return refuse(name, text, "a whole number", end, error);
    if (number < least && largest == INT64_MAX)
        return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "%s is too small: at least %" PRId64, text, least);
    if (errno == ERANGE || number < least || number > largest)
        return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "%s is out of range: %" PRId64 " to %" PRId64, text, least,
                         largest);
    *value = number;
    return ROPE_OK;
}

/* strtod in the C locale: a decimal comma set by a library that this program uses must not change what "0.5" means. */
static double real(const char *text, char **end) {
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    const double number = strtod(text, end);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return number;
}

rope_status option_real(double *value, const char *text, double least, double largest, const char *name,
                        rope_error *error) {
    char *end = (char *)text;
    const double number = isspace((unsigned char)*text) ? 0 : real(text, &end);
    if (end == text || *end) return refuse(name, text, "a number", end, error);
    if (!isfinite(number)) return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "'%s' is not a finite number", text);
    if (!(number >= least && number <= largest))
        return rope_fail(error, ROPE_BAD_INPUT, name, NULL, "%s is out of range: %.15g to %.15g", text, least, largest);
    *value = number;
    return ROPE_OK;
}

/* Bounds below 2^62 keep first + step, end + step and end - first inside 64 bits for every caller. */
#define RANGE_LIMIT ((INT64_C(1) << 62) - 1)

rope_status option_parse_range(option_range *range, const char *text, const char *name, rope_error *error) {
    static const char *const hint = "write one number, or A:B, or A:B:STEP; B itself is excluded";
    int64_t number[3] = {0, 0, 1};
    int count = 0;
    for (const char *part = text;; part += strcspn(part, ":") + 1) {
        char digits[32];
        const size_t length = strcspn(part, ":");
        if (count == 3 || length >= sizeof digits)
            return rope_fail(error, ROPE_BAD_INPUT, name, hint, "'%s' is not a range", text);
        snprintf(digits, sizeof digits, "%.*s", (int)length, part);
        const int64_t smallest = count == 2 ? 1 : -RANGE_LIMIT;
        const rope_status status = option_integer(&number[count++], digits, smallest, RANGE_LIMIT - 1, name, error);
        if (status != ROPE_OK) {
            if (error) snprintf(error->hint, sizeof error->hint, "%s", hint);
            return status;
        }
        if (!part[length]) break;
    }
    if (count == 1) number[1] = number[0] + 1;
    if (number[0] >= number[1]) return rope_fail(error, ROPE_BAD_INPUT, name, hint, "'%s' is an empty range", text);
    *range = (option_range){number[0], number[1], number[2]};
    return ROPE_OK;
}
