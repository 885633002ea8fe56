/* The two tables: schemes side by side, and the shift defect of every term. */
#include <string.h>

#include "../../report/escape.h"
#include "../../report/number.h"
#include "../compare.h"
#include "formula.h"
#include "parts.h"

const char *yes_or_no(bool yes) {
    return yes ? "yes" : "no";
}

void put_defect(FILE *out, const shift_defect *defect) {
    if (defect->stays != MEASURE_NO) {
        fprintf(out, "%s<small>rounding allows ", defect->stays == MEASURE_YES ? "0" : "undecided");
        put_decimal(out, number_bound(defect->bound).text);
        fputs("</small>", out);
    } else {
        put_number(out, defect->defect, 3);
        fprintf(out, "<small>at <i>m</i> = %lld, <i>n</i> = %lld</small>", (long long)defect->m, (long long)defect->n);
    }
}

void put_norm(FILE *out, const measurement *measured) {
    if (measured->norm_kept != MEASURE_NO) {
        fputs(measured->norm_kept == MEASURE_YES ? "kept" : "undecided", out);
    } else {
        fputs("up to ", out);
        put_number(out, 100.0 * measured->norm_change, 2);
        fputs(" %", out);
    }
}

bool says_number(const char *formula, int64_t number) {
    char text[32];
    const size_t digits = (size_t)snprintf(text, sizeof text, "%lld", (long long)number);
    return !strncmp(formula, text, digits) && (!formula[digits] || !strncmp(formula + digits, " (", 2));
}

static void put_count(FILE *out, int64_t number, const char *formula) {
    fputs("<td>", out);
    if (!says_number(formula, number)) fprintf(out, "%lld<small>", (long long)number);
    put_math(out, formula);
    fputs(says_number(formula, number) ? "</td>" : "</small></td>", out);
}

static void put_rank(FILE *out, const measurement *measured) {
    if (measured->rank >= 0)
        fprintf(out, "<td class=\"number\">%d<small>", measured->rank);
    else
        fputs("<td class=\"number\">not computed<small>", out);
    put_math(out, measured->encoding->rank_formula);
    fputs("</small></td>", out);
}

static void put_overview_row(FILE *out, const measurement *measured) {
    const encoding *const scheme = measured->encoding;
    fprintf(out, "<tr><th scope=\"row\"><a href=\"#%s\">", scheme->name);
    escape_xml(out, scheme->title);
    fprintf(out, "</a></th><td>%s</td><td class=\"number\">", yes_or_no(scheme->relative));
    put_defect(out, &measured->score);
    fputs("</td><td class=\"number\">", out);
    put_norm(out, measured);
    fputs("</td>", out);
    put_rank(out, measured);
    put_count(out, measured->parameters, scheme->parameters_formula);
    put_count(out, measured->cost, scheme->cost_formula);
    fprintf(out, "<td>%s</td><td>%s</td></tr>\n", yes_or_no(scheme->linear_attention), yes_or_no(scheme->extrapolates));
}

static void begin_table(FILE *out, const char *label) {
    fprintf(out, "<div class=\"wide\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">\n<table>\n", label);
}

void put_overview(FILE *out, const page_content *page) {
    begin_table(out, "The schemes side by side");
    fprintf(out,
            "<caption><span>The shift defect is the largest |<i>s</i>(<i>m</i> + <i>K</i>, <i>n</i> + <i>K</i>) − "
            "<i>s</i>(<i>m</i>, <i>n</i>)| over all <i>m</i> and <i>n</i>, here for <i>K</i> = %lld. Rank is that of "
            "the score matrix, as computed, with its formula.</span></caption>\n<thead><tr>",
            (long long)page->shift);
    static const char *const columns[] = {
        "Scheme",     "Relative",        "Shift defect",     "Change of |<i>q</i>|", "Rank",
        "Parameters", "Multiplications", "Linear attention", "Beyond trained length"};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) fprintf(out, "<th scope=\"col\">%s</th>", columns[k]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int k = 0; k < page->count; k++) put_overview_row(out, &page->measured[k]);
    fputs("</tbody>\n</table>\n</div>\n", out);
}

static void put_defect_row(FILE *out, const char *name, const char *formula, bool relative,
                           const shift_defect *defect) {
    fputs("<td>", out);
    escape_xml(out, name);
    fputs("</td><td>", out);
    put_math(out, formula);
    fprintf(out, "</td><td>%s</td><td class=\"number\">", yes_or_no(relative));
    put_defect(out, defect);
    static const char *const words[] = {"changed", "same", "undecided"};
    fprintf(out, "</td><td>%s</td></tr>\n", words[defect->stays]);
}

static void put_defect_group(FILE *out, const measurement *measured) {
    const encoding *const scheme = measured->encoding;
    fprintf(out, "<tbody class=\"group\"><tr><th scope=\"rowgroup\" rowspan=\"%d\"><a href=\"#%s\">",
            measured->terms + 1, scheme->name);
    escape_xml(out, scheme->title);
    fputs("</a></th>", out);
    for (int k = 0; k < measured->terms; k++) {
        if (k) fputs("<tr>", out);
        put_defect_row(out, scheme->term[k].id, scheme->term[k].formula, scheme->term[k].relative, &measured->term[k]);
    }
    fputs("<tr class=\"total\">", out);
    put_defect_row(out, "score", "", scheme->relative, &measured->score);
    fputs("</tbody>\n", out);
}

void put_defects(FILE *out, const page_content *page) {
    begin_table(out, "The shift defect of every term");
    fprintf(
        out,
        "<caption><span>All tokens moved by %lld positions. A term is the same when at every <i>m</i> and <i>n</i> the "
        "difference is within what rounding can do there; undecided when rounding can do more than 2<sup>−20</sup> of "
        "the "
        "largest |score| in the row.</span></caption>\n<thead><tr>",
        (long long)page->shift);
    static const char *const columns[] = {"Scheme",       "Term", "Formula", "Relative by its formula",
                                          "Shift defect", "Found"};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) fprintf(out, "<th scope=\"col\">%s</th>", columns[k]);
    fputs("</tr></thead>\n", out);
    for (int k = 0; k < page->count; k++) put_defect_group(out, &page->measured[k]);
    fputs("</table>\n</div>\n", out);
}
