/* A heat map as inline SVG, and its values as JSON for the script.
 *
 * Colours are those of page.css: class p1 .. p10 for positive values, n1 .. n10 for negative ones, by the modulus
 * against the largest, so that a print in grey shows the size; negative cells carry a bar, the minus sign. A cell is a
 * square of a path; page.js draws the same paths for the other shifts. */
#ifndef ROPE_COMPARE_PAGE_MAP_H
#define ROPE_COMPARE_PAGE_MAP_H

#include <stdio.h>

#include "view.h"

enum {
    MAP_LEVELS = 10,
    MAP_SIDE = 192 /* of the largest map */,
    MAP_CELL = 24 /* of the largest cell */,
    MAP_DIGITS = 4
};

/* value / scale in steps, -MAP_LEVELS .. MAP_LEVELS. */
int map_level(double value, double scale);

/* The map at stop 0. label: what a reader who does not see it is told. */
void map_svg(FILE *out, const view_map *map, int64_t size, const char *label);

/* {"scale":...,"changed":[...],"change":[...],"value":[[...],...]}: a map that does not move has its values once. */
void map_json(FILE *out, const view_map *map, int64_t size, int stops);

/* The scale of colours as <svg> with a <symbol id="scale">, to be used by every legend. */
void map_scale(FILE *out);

#endif
