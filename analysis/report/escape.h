/* Text from outside (file names, commands) made safe for a format. Invalid UTF-8 becomes U+FFFD, byte by byte. */
#ifndef ROPE_REPORT_ESCAPE_H
#define ROPE_REPORT_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

enum { ESCAPE_REPLACEMENT = 0xfffd };

/* Reads the code point at *text and steps over it; 0 at the end. Overlong forms, surrogates and stray bytes are invalid
 * [RFC 3629]. */
uint32_t escape_next(const char **text);

void escape_json(FILE *out, const char *text); /* with the quotes; "null" for NULL [RFC 8259, 7] */
void escape_xml(FILE *out, const char *text); /* for content and attributes; what XML 1.0 cannot hold is U+FFFD [2.2] */
void escape_plain(FILE *out, const char *text); /* one line for a terminal: no control characters */
int escape_width(const char *text);             /* code points, for aligning columns */

#endif
