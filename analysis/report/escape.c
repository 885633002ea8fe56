#include "escape.h"

uint32_t escape_next(const char **text) {
    const unsigned char *byte = (const unsigned char *)*text;
    if (byte[0] == 0) return 0;
    *text += 1;
    if (byte[0] < 0x80) return byte[0];
    const int more = byte[0] >= 0xf0 ? 3 : byte[0] >= 0xe0 ? 2 : 1;
    if (byte[0] < 0xc2 || byte[0] > 0xf4) return ESCAPE_REPLACEMENT;
    uint32_t rune = byte[0] & (0x3fu >> more);
    for (int k = 1; k <= more; k++) { /* the final NUL is no continuation byte, so this stays inside */
        if ((byte[k] & 0xc0) != 0x80) return ESCAPE_REPLACEMENT;
        rune = rune << 6 | (byte[k] & 0x3f);
    }
    const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (rune < least[more] || rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) return ESCAPE_REPLACEMENT;
    *text += more;
    return rune;
}

static void put_utf8(FILE *out, uint32_t rune) {
    if (rune < 0x80) {
        putc((int)rune, out);
        return;
    }
    const int more = rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    putc((int)((0xff00u >> (more + 1) & 0xff) | rune >> 6 * more), out);
    for (int k = more - 1; k >= 0; k--) putc((int)(0x80 | (rune >> 6 * k & 0x3f)), out);
}

void escape_json(FILE *out, const char *text) {
    if (!text) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    for (uint32_t rune; (rune = escape_next(&text)) != 0;) {
        if (rune == '"' || rune == '\\')
            fprintf(out, "\\%c", (int)rune);
        else if (rune == '\n')
            fputs("\\n", out);
        else if (rune == '\t')
            fputs("\\t", out);
        else if (rune < 0x20 || (rune >= 0x7f && rune < 0xa0))
            fprintf(out, "\\u%04x", (unsigned)rune);
        else
            put_utf8(out, rune);
    }
    putc('"', out);
}

void escape_xml(FILE *out, const char *text) {
    for (uint32_t rune; (rune = escape_next(&text)) != 0;) {
        if (rune == '<')
            fputs("&lt;", out);
        else if (rune == '>')
            fputs("&gt;", out);
        else if (rune == '&')
            fputs("&amp;", out);
        else if (rune == '"')
            fputs("&quot;", out);
        else if (rune == '\n' || rune == '\t' || rune == '\r') /* attributes would turn them into spaces */
            fprintf(out, "&#%u;", (unsigned)rune);
        else
            put_utf8(out, rune < 0x20 || rune == 0xfffe || rune == 0xffff ? ESCAPE_REPLACEMENT : rune);
    }
}

void escape_plain(FILE *out, const char *text) {
    for (uint32_t rune; (rune = escape_next(&text)) != 0;)
        put_utf8(out, rune == '\n' || rune == '\t' ? ' ' : rune < 0x20 || (rune >= 0x7f && rune < 0xa0) ? '?' : rune);
}

int escape_width(const char *text) {
    int width = 0;
    while (escape_next(&text)) width++;
    return width;
}
