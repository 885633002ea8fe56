#include "map.h"

#include <math.h>
#include <stdlib.h>

#include "../../report/escape.h"
#include "../../report/number.h"

int map_level(double value, double scale) {
    if (!(scale > 0.0) || !isfinite(value / scale)) return 0;
    const int level = (int)floor(fabs(value) / scale * MAP_LEVELS + 0.5);
    return value < 0.0 ? -level : level;
}

/* A value as it is printed: the script sees no other, and levels of both must agree. */
static double printed(double value) {
    return strtod(number_short(value, MAP_DIGITS).text, NULL);
}

static const char *sign_of(int level) {
    return level < 0 ? "n" : level > 0 ? "p" : "z";
}

static void put_cells(FILE *out, const view_map *map, int64_t size) {
    for (int level = -MAP_LEVELS; level <= MAP_LEVELS; level++) {
        fprintf(out, "<path class=\"%s%d\" d=\"", sign_of(level), abs(level));
        for (int64_t m = 0; m < size; m++)
            for (int64_t n = 0; n < size; n++)
                if (map_level(printed(map->value[m * size + n]), map->scale) == level)
                    fprintf(out, "M%d %dh1v1h-1z", (int)n, (int)m);
        fputs("\"/>", out);
    }
}

static void put_bars(FILE *out, const view_map *map, int64_t size) {
    fputs("<path class=\"bars\" d=\"", out);
    for (int64_t m = 0; m < size; m++)
        for (int64_t n = 0; n < size; n++)
            if (map_level(printed(map->value[m * size + n]), map->scale) < 0)
                fprintf(out, "M%d.3 %d.5h.4", (int)n, (int)m);
    fputs("\"/>", out);
}

void map_svg(FILE *out, const view_map *map, int64_t size, const char *label) {
    enum { LEFT = 26, TOP = 18, EDGE = 4 };
    const int fits = (int)(MAP_SIDE / size), cell = fits > MAP_CELL ? MAP_CELL : fits, side = cell * (int)size;
    fprintf(out, "<svg class=\"map\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-label=\"",
            LEFT + side + EDGE, TOP + side + EDGE, LEFT + side + EDGE, TOP + side + EDGE);
    escape_xml(out, label);
    fprintf(out,
            "\">\n<g class=\"axis\"><text class=\"first\" x=\"%d\" y=\"12\">0</text>"
            "<text class=\"symbol\" x=\"%d\" y=\"12\">n</text>"
            "<text class=\"last\" x=\"%d\" y=\"12\" text-anchor=\"end\">%d</text>",
            LEFT, LEFT + side / 2, LEFT + side, (int)size - 1);
    fprintf(out,
            "<text class=\"first\" x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>"
            "<text class=\"symbol\" x=\"%d\" y=\"%d\" text-anchor=\"end\">m</text>"
            "<text class=\"last\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text></g>\n",
            LEFT - 5, TOP + 10, LEFT - 5, TOP + side / 2 + 4, LEFT - 5, TOP + side - 1, (int)size - 1);
    fprintf(out, "<g class=\"cells\" transform=\"translate(%d %d) scale(%d)\" shape-rendering=\"crispEdges\">\n", LEFT,
            TOP, cell);
    put_cells(out, map, size);
    put_bars(out, map, size);
    fprintf(out, "</g>\n<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></svg>\n", LEFT, TOP, side,
            side);
}

static void put_array(FILE *out, const char *name, const double *value, int count, int digits) {
    fprintf(out, "\"%s\":[", name);
    for (int k = 0; k < count; k++) fprintf(out, "%s%s", k ? "," : "", number_short(value[k], digits).text);
    putc(']', out);
}

void map_json(FILE *out, const view_map *map, int64_t size, int stops) {
    const int64_t cells = size * size;
    fprintf(out, "{\"scale\":%s,\"changed\":[", number_exact(map->scale).text);
    for (int k = 0; k < stops; k++) fprintf(out, "%s%d", k ? "," : "", (int)map->changed[k]);
    fputs("],", out);
    put_array(out, "change", map->change, stops, 2);
    fputs(",\"value\":[", out);
    for (int k = 0; k < (map->moves ? stops : 1); k++) {
        fputs(k ? ",\n[" : "[", out);
        for (int64_t c = 0; c < cells; c++) {
            const double value = map->value[k * cells + c];
            fprintf(out, "%s%s", c ? "," : "", isfinite(value) ? number_short(value, MAP_DIGITS).text : "null");
        }
        putc(']', out);
    }
    fputs("]}", out);
}

void map_scale(FILE *out) {
    fputs("<svg class=\"once\" width=\"0\" height=\"0\" aria-hidden=\"true\"><symbol id=\"scale\" viewBox=\"0 0 21 1\" "
          "preserveAspectRatio=\"none\">",
          out);
    for (int level = -MAP_LEVELS; level <= MAP_LEVELS; level++) {
        const int x = level + MAP_LEVELS;
        fprintf(out, "<path class=\"%s%d\" d=\"M%d 0h1v1h-1z\"/>", sign_of(level), abs(level), x);
        if (level < 0) fprintf(out, "<path class=\"bars\" d=\"M%d.3 .5h.4\"/>", x);
    }
    fputs("</symbol></svg>\n", out);
}
