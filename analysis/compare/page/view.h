/* What the page shows of one scheme: every term and the score over the first positions, at each stop of the control
 * that shifts all positions. The contents stay with their tokens; position m becomes m + shift. */
#ifndef ROPE_COMPARE_PAGE_VIEW_H
#define ROPE_COMPARE_PAGE_VIEW_H

#include "../encoding.h"

enum { VIEW_SIZE = 24, VIEW_EACH = 16, VIEW_STOPS = 33, VIEW_MAPS = ENCODING_TERMS + 1 };

/* Shifts from 0 to `last`: each up to VIEW_EACH, else 0, the powers of two and `last`. Returns how many. */
int view_stops(int64_t stop[VIEW_STOPS], int64_t last);

/* One term, or the score. */
typedef struct view_map {
    double *value;               /* [stops][size][size], query m and key n counted from the shift; owned */
    double scale;                /* the largest modulus at any stop */
    int64_t changed[VIEW_STOPS]; /* cells that differ from those at shift 0 by more than both bounds */
    double change[VIEW_STOPS];   /* the largest difference to shift 0 */
    bool moves;                  /* some cell has changed at some stop */
} view_map;

typedef struct scheme_view {
    const encoding *encoding;
    int stops, maps; /* maps: the terms, then their sum */
    int64_t size;    /* positions shown: min(N, VIEW_SIZE) */
    view_map map[VIEW_MAPS];
} scheme_view;

/* On failure nothing is left to free. */
rope_status view_new(scheme_view *view, const encoding *scheme, const compare_data *data, const int64_t *stop,
                     int stops, rope_error *error);
void view_free(scheme_view *view);

#endif
