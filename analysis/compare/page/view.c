#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int view_stops(int64_t stop[VIEW_STOPS], int64_t last) {
    const int64_t sign = last < 0 ? -1 : 1, size = sign * last;
    int stops = 0;
    stop[stops++] = 0;
    for (int64_t k = 1; k < size && stops < VIEW_STOPS - 1; k = size <= VIEW_EACH ? k + 1 : 2 * k)
        stop[stops++] = sign * k;
    if (size) stop[stops++] = last;
    return stops;
}

/* Counts what changed since stop 0, whose bounds are `first`; two certified numbers differ when their bounds are apart.
 */
static void compare_to_first(view_map *map, int stop, int64_t cells, const double *first, const double *bound) {
    const double *const value = map->value + stop * cells;
    for (int64_t k = 0; k < cells; k++) {
        const double change = fabs(value[k] - map->value[k]);
        map->scale = fmax(map->scale, fabs(value[k]));
        map->change[stop] = fmax(map->change[stop], change);
        map->changed[stop] += change > first[k] + bound[k];
    }
    map->moves = map->moves || map->changed[stop] > 0;
}

/* room: [2][size][N] for a block and its bounds. bound: [size][size]. */
static void read_block(double *value, double *bound, double *room, const encoding_run *run, int which, int64_t size) {
    const int64_t length = (int64_t)run->data->length;
    double *const block_bound = room + size * length;
    encoding_block(run, which, 0, size, room, block_bound);
    for (int64_t m = 0; m < size; m++) {
        memcpy(value + m * size, room + m * length, (size_t)size * sizeof *value);
        memcpy(bound + m * size, block_bound + m * length, (size_t)size * sizeof *bound);
    }
}

static bool make_room(scheme_view *view) {
    const size_t cells = (size_t)(view->size * view->size);
    bool made = true;
    for (int k = 0; k < view->maps; k++) {
        view->map[k].value = calloc((size_t)view->stops * cells, sizeof(double));
        made = made && view->map[k].value;
    }
    return made;
}

/* first: [VIEW_MAPS][size][size], the bounds at stop 0; then one more for the bounds of this stop; then the room. */
static rope_status fill_stop(scheme_view *view, const compare_data *data, int64_t shift, int stop, double *first,
                             rope_error *error) {
    const int64_t cells = view->size * view->size;
    double *const bound = first + VIEW_MAPS * cells, *const room = bound + cells;
    encoding_run run;
    const rope_status status = encoding_build(&run, view->encoding, data, shift, error);
    if (status != ROPE_OK) return status;
    for (int k = 0; k < view->maps; k++) {
        view_map *const map = &view->map[k];
        double *const mine = first + k * cells;
        read_block(map->value + stop * cells, stop ? bound : mine, room, &run, k < run.terms ? k : ENCODING_SUM,
                   view->size);
        compare_to_first(map, stop, cells, mine, stop ? bound : mine);
    }
    encoding_free(&run);
    return ROPE_OK;
}

rope_status view_new(scheme_view *view, const encoding *scheme, const compare_data *data, const int64_t *stop,
                     int stops, rope_error *error) {
    const int64_t length = (int64_t)data->length, size = length < VIEW_SIZE ? length : VIEW_SIZE;
    int terms = 0;
    while (scheme->term[terms].id) terms++;
    *view = (scheme_view){.encoding = scheme, .stops = stops, .maps = terms + 1, .size = size};
    double *const work = calloc((size_t)(size * size * (VIEW_MAPS + 1) + 2 * size * length), sizeof *work);
    rope_status status = work && make_room(view)
                             ? ROPE_OK
                             : rope_fail(error, ROPE_NO_MEMORY, scheme->name, NULL, "no memory for its maps");
    for (int k = 0; k < stops && status == ROPE_OK; k++) status = fill_stop(view, data, stop[k], k, work, error);
    free(work);
    if (status != ROPE_OK) view_free(view);
    return status;
}

void view_free(scheme_view *view) {
    for (int k = 0; k < view->maps; k++) free(view->map[k].value);
    *view = (scheme_view){.maps = 0};
}
