/* The parts that are the same on every page. The build turns each file into one string a line. */
#include <string.h>

#include "parts.h"

static const char *const page_frame[] = {
#include "page.html.lines"
    NULL};

const char *const page_style[] = {
#include "page.css.lines"
    NULL};

const char *const page_script[] = {
#include "page.js.lines"
    NULL};

void put_lines(FILE *out, const char *const *line) {
    for (; *line; line++) fputs(*line, out);
}

void put_template(FILE *out, const page_content *page,
                  void (*put)(FILE *out, const char *name, const page_content *page)) {
    for (const char *const *line = page_frame; *line; line++) {
        char name[32];
        int end = 0;
        if (sscanf(*line, "<!--%31[a-z]-->%n", name, &end) == 1 && end)
            put(out, name, page);
        else
            fputs(*line, out);
    }
}
