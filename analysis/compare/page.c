#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "../../src/format/outfile.h"
#include "../report/escape.h"
#include "again.h"
#include "compare.h"
#include "page/map.h"
#include "page/parts.h"

/* ---- small parts ------------------------------------------------------------------------------------ */

static void put_style(FILE *out, const page_content *page) {
    (void)page;
    put_lines(out, page_style);
}

static void put_script(FILE *out, const page_content *page) {
    (void)page;
    put_lines(out, page_script);
}

static void put_scale(FILE *out, const page_content *page) {
    (void)page;
    map_scale(out);
}

static void put_generator(FILE *out, const page_content *page) {
    (void)page;
    fputs("<meta name=\"generator\" content=\"rope-compare " ROPE_VERSION "\">\n", out);
}

static void put_run(FILE *out, const page_content *page) {
    char *const statement = again_statement(page->data);
    fputs("<p class=\"quiet\">This run: ", out);
    escape_xml(out, statement);
    fprintf(out, "; all positions moved by up to %lld. Every number is computed with a bound on its error.</p>\n",
            (long long)page->shift);
    free(statement);
}

static void put_shown(FILE *out, const page_content *page) {
    const size_t length = page->data->length;
    if (length > VIEW_SIZE)
        fprintf(out,
                "<p>The run has %zu positions; the maps show the first %d. The tables are about all of them.</p>\n",
                length, VIEW_SIZE);
}

static void put_control(FILE *out, const page_content *page) {
    fprintf(out,
            "<div class=\"row\"><label for=\"shift\">Shift all positions by</label>\n"
            "<input type=\"range\" id=\"shift\" min=\"0\" max=\"%d\" step=\"1\" value=\"0\">\n"
            "<output id=\"now\" for=\"shift\">0</output><a href=\"#overview\">All schemes</a></div>\n"
            "<p id=\"said\" role=\"status\" aria-live=\"polite\"></p>\n",
            page->stops - 1);
}

static void put_values(FILE *out, const page_content *page) {
    fputs("{\"stop\":[", out);
    for (int k = 0; k < page->stops; k++) fprintf(out, "%s%lld", k ? "," : "", (long long)page->stop[k]);
    fprintf(out, "],\"size\":%d,\"map\":{", (int)page->views[0].size);
    for (int s = 0; s < page->count; s++)
        for (int k = 0; k < page->views[s].maps; k++) {
            const encoding_term_text *const term = &page->list[s]->term[k];
            fprintf(out, "%s\n\"map-%s-%s\":", s + k ? "," : "", page->list[s]->name, term->id ? term->id : "score");
            map_json(out, &page->views[s].map[k], page->views[s].size, page->stops);
        }
    fputs("}}\n", out);
}

static void put_footer(FILE *out, const page_content *page) {
    char *const command = again_command(page->data, page->list, page->count, page->shift);
    fputs("<p>A value is said to have changed when it differs by more than the derived bounds on both values, so "
          "rounding alone never counts. Made by rope-compare " ROPE_VERSION ":</p>\n<p><code>",
          out);
    escape_xml(out, command);
    fputs(" --html page.html</code></p>\n", out);
    free(command);
}

/* ---- the page --------------------------------------------------------------------------------------- */

static const struct part {
    const char *name;
    void (*put)(FILE *out, const page_content *page);
} parts[] = {{"generator", put_generator}, {"style", put_style},     {"scale", put_scale},   {"run", put_run},
             {"overview", put_overview},   {"defects", put_defects}, {"shown", put_shown},   {"control", put_control},
             {"schemes", put_schemes},     {"footer", put_footer},   {"values", put_values}, {"script", put_script}};

static void put_named(FILE *out, const char *name, const page_content *page) {
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!strcmp(parts[k].name, name)) parts[k].put(out, page);
}

rope_status compare_page(const compare_data *data, const encoding *const *list, int count, int64_t shift,
                         const measurement *measured, const char *path, rope_error *error) {
    page_content page = {.data = data, .list = list, .measured = measured, .count = count, .shift = shift};
    page.stops = view_stops(page.stop, shift);
    page.views = calloc((size_t)count, sizeof *page.views);
    if (!page.views) return rope_fail(error, ROPE_NO_MEMORY, path, NULL, "no memory for the page");
    rope_status status = ROPE_OK;
    int made = 0;
    while (made < count && status == ROPE_OK) {
        status = view_new(&page.views[made], list[made], data, page.stop, page.stops, error);
        made += status == ROPE_OK;
    }
    outfile file;
    if (status == ROPE_OK) status = outfile_open(&file, path, error);
    if (status == ROPE_OK) {
        put_template(file.stream, &page, put_named);
        status = outfile_close(&file, error);
    }
    while (made > 0) view_free(&page.views[--made]);
    free(page.views);
    return status;
}
