/* A section for each scheme: formula, idea, maps, properties. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../report/escape.h"
#include "../../report/number.h"
#include "formula.h"
#include "map.h"
#include "parts.h"

/* ---- maps ------------------------------------------------------------------------------------------- */

/* What one figure shows: a term, or the score. */
typedef struct map_figure {
    const scheme_view *view;
    const view_map *map;
    const char *name, *formula, *words;
    bool relative, is_score, first;
    const shift_defect *defect;
} map_figure;

static void put_caption(FILE *out, const map_figure *figure) {
    fprintf(out, "<figcaption><h3><span class=\"sign\">%s</span> <span>",
            figure->is_score ? "="
            : figure->first  ? ""
                             : "+");
    escape_xml(out, figure->name);
    fputs("</span></h3>\n<p class=\"term\"><span>", out);
    put_math(out, figure->formula);
    fputs("</span> <span class=\"mark\"></span></p>\n", out);
    fputs("<p class=\"quiet\">", out);
    put_math(out, figure->words);
    fputs("</p></figcaption>\n", out);
}

/* "content, m and n from 0 to 15: values from -2.1 to 3.4"; memory the caller frees. */
static char *label_of(const map_figure *figure) {
    double least = INFINITY, largest = -INFINITY;
    for (int64_t k = 0; k < figure->view->size * figure->view->size; k++) {
        least = fmin(least, figure->map->value[k]);
        largest = fmax(largest, figure->map->value[k]);
    }
    char *label = NULL;
    if (asprintf(&label, "%s, m and n from 0 to %d: values from %s to %s", figure->name, (int)figure->view->size - 1,
                 number_short(least, MAP_DIGITS).text, number_short(largest, MAP_DIGITS).text) < 0)
        abort();
    return label;
}

static void put_legend(FILE *out, double scale) {
    fputs("<div class=\"legend\" aria-hidden=\"true\"><span>", out);
    put_number(out, -scale, 2);
    fputs("</span><svg width=\"105\" height=\"10\" viewBox=\"0 0 21 1\" preserveAspectRatio=\"none\"><use "
          "href=\"#scale\"/></svg><span>",
          out);
    put_number(out, scale, 2);
    fputs("</span></div>\n", out);
}

static void put_figure(FILE *out, const map_figure *figure) {
    char *label = label_of(figure);
    fprintf(out, "<figure id=\"map-%s-%s\" data-name=\"%s\"%s>\n", figure->view->encoding->name, figure->name,
            figure->name, figure->is_score ? " data-score" : "");
    put_caption(out, figure);
    fputs("<div class=\"drawing\">\n", out);
    map_svg(out, figure->map, figure->view->size, label);
    put_legend(out, figure->map->scale);
    fputs("<output class=\"readout\"></output>\n</div>\n</figure>\n", out);
    free(label);
}

static void put_maps(FILE *out, const scheme_view *view, const measurement *measured) {
    const encoding *const scheme = view->encoding;
    fputs("<div class=\"maps\">\n", out);
    for (int k = 0; k < view->maps; k++) {
        const bool is_score = k + 1 == view->maps;
        const encoding_term_text *const term = &scheme->term[k];
        const map_figure figure = {.view = view,
                                   .map = &view->map[k],
                                   .name = is_score ? "score" : term->id,
                                   .formula = is_score ? "s_mn" : term->formula,
                                   .words = is_score ? "The sum of the terms." : term->words,
                                   .relative = is_score ? scheme->relative : term->relative,
                                   .is_score = is_score,
                                   .first = k == 0,
                                   .defect = is_score ? &measured->score : &measured->term[k]};
        put_figure(out, &figure);
    }
    fputs("</div>\n", out);
}

/* ---- properties ------------------------------------------------------------------------------------- */

static void begin_property(FILE *out, const char *name) {
    fprintf(out, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void end_property(FILE *out, const char *reason) {
    if (reason && *reason) {
        fputs("<small>", out);
        put_math(out, reason);
        fputs("</small>", out);
    }
    fputs("</td></tr>\n", out);
}

static void put_decision(FILE *out, const char *name, bool yes, const char *reason) {
    begin_property(out, name);
    fputs(yes_or_no(yes), out);
    end_property(out, reason);
}

static void put_amount(FILE *out, const char *name, const char *formula, int64_t amount) {
    begin_property(out, name);
    put_math(out, formula);
    if (!says_number(formula, amount)) fprintf(out, " = %lld", (long long)amount);
    end_property(out, NULL);
}

static void put_rank(FILE *out, const measurement *measured, const compare_data *data) {
    const encoding *const scheme = measured->encoding;
    const int64_t rank = scheme->rank(data);
    begin_property(out, "Rank of the scores");
    put_math(out, scheme->rank_formula);
    fprintf(out, " = %lld", (long long)(rank < 0 ? (int64_t)data->length : rank));
    if (measured->rank >= 0) fprintf(out, "; in this run %d", measured->rank);
    end_property(out, scheme->rank_reason);
}

static void put_decay(FILE *out, const measurement *measured) {
    begin_property(out, "Score by distance");
    fputs("<table class=\"decay\"><thead><tr><th scope=\"col\"><i>m</i> − <i>n</i></th>", out);
    for (int k = 0; k < DECAY_DISTANCES; k++) {
        fputs("<th scope=\"col\">", out);
        put_number(out, decay_distances[k], 6);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>", out);
    for (int kind = 0; kind < DECAY_KINDS; kind++) {
        fputs("<tr><th scope=\"row\">", out);
        put_math(out, decay_kinds[kind]);
        fputs("</th>", out);
        for (int k = 0; k < DECAY_DISTANCES; k++) {
            fputs("<td class=\"number\">", out);
            put_number(out, measured->decay[kind][k], 4);
            fputs("</td>", out);
        }
        fputs("</tr>", out);
    }
    fputs("</tbody></table>", out);
    end_property(out, NULL);
}

static void put_properties(FILE *out, const measurement *measured, const compare_data *data) {
    const encoding *const scheme = measured->encoding;
    fputs("<table class=\"properties\"><tbody>\n", out);
    begin_property(out, "Relative");
    fprintf(out, "%s, by its formula; shift defect of the score: ", yes_or_no(scheme->relative));
    put_defect(out, &measured->score);
    end_property(out, NULL);
    begin_property(out, "Keeps the length of queries");
    fprintf(out, "%s, by its formula; change of |<i>q</i>|: ", yes_or_no(scheme->keeps_norm));
    put_norm(out, measured);
    end_property(out, NULL);
    put_amount(out, "Parameters", scheme->parameters_formula, measured->parameters);
    put_amount(out, "Multiplications a head", scheme->cost_formula, measured->cost);
    put_rank(out, measured, data);
    put_decision(out, "Linear attention", scheme->linear_attention, scheme->linear_reason);
    put_decision(out, "Beyond the trained length", scheme->extrapolates, scheme->extrapolates_reason);
    put_decision(out, "Adds position to the values", scheme->needs_value, NULL);
    put_decay(out, measured);
    if (scheme->differs) {
        begin_property(out, "Where RoFormer differs");
        put_math(out, scheme->differs);
        end_property(out, NULL);
    }
    fputs("</tbody></table>\n", out);
}

/* ---- a section -------------------------------------------------------------------------------------- */

/* "COMMAND: what to look for" */
static void put_next(FILE *out, const char *next) {
    const char *const colon = strstr(next, ": ");
    char *const command = strndup(next, colon ? (size_t)(colon - next) : strlen(next));
    if (!command) abort();
    fputs("<p>Next: <code>", out);
    escape_xml(out, command);
    fputs("</code>", out);
    if (colon) put_math(out, colon);
    fputs("</p>\n", out);
    free(command);
}

void put_schemes(FILE *out, const page_content *page) {
    for (int k = 0; k < page->count; k++) {
        const encoding *const scheme = page->list[k];
        fprintf(out, "<section class=\"scheme\" aria-labelledby=\"%s\">\n<h2 id=\"%s\">", scheme->name, scheme->name);
        escape_xml(out, scheme->title);
        fputs("</h2>\n<p class=\"source\">", out);
        escape_xml(out, scheme->source);
        fputs("</p>\n<p class=\"formula\">", out);
        put_math(out, scheme->formula);
        fputs("</p>\n<p>", out);
        put_math(out, scheme->idea);
        fputs("</p>\n<p class=\"verdict\"></p>\n", out);
        put_maps(out, &page->views[k], &page->measured[k]);
        put_properties(out, &page->measured[k], page->data);
        if (scheme->next) put_next(out, scheme->next);
        fputs("</section>\n", out);
    }
}
