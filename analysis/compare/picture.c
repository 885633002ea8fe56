#include "picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../plots/plot.h"
#include "../command/sheet.h"
#include "again.h"
#include "compare.h"

enum { HEAT_SIZE = 32, DECAY_POINTS = 512 };

/* What all figures show, and where they go. */
typedef struct comparison {
    const compare_data *data;
    const encoding *const *list;
    const measurement *measured;
    int count;
    int64_t shift;
    const char *directory, *command;
} comparison;

/* One figure: its data, and what its script is told. */
typedef struct drawing {
    sheet *data;
    plot *figure;
} drawing;

static void picture_free(drawing *picture) {
    if (picture->data) sheet_free(picture->data);
    plot_free(picture->figure);
}

/* ---- files ------------------------------------------------------------------------------------------- */

static char *path_of(const char *directory, const char *name, const char *ending) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", directory, name, ending) < 0) abort();
    return path;
}

/* The data file stands where plot_keep puts it, so that both formats are drawn from the file the user gets. */
static rope_status draw_picture(drawing *picture, const char *directory, const char *name, rope_error *error) {
    char *const data = path_of(directory, name, ".tsv"), *const png = path_of(directory, name, ".png"),
                *const svg = path_of(directory, name, ".svg");
    rope_status status = sheet_write(picture->data, data, true, error);
    plot_data(picture->figure, data);
    if (status == ROPE_OK) status = plot_draw(picture->figure, png, error);
    plot_keep(picture->figure, directory);
    if (status == ROPE_OK) status = plot_draw(picture->figure, svg, error);
    free(data);
    free(png);
    free(svg);
    return status;
}

/* texts: how many columns are text; they are the first. */
static rope_status begin_picture(drawing *picture, const comparison *all, const char *template, int texts,
                                 const char *const *column, rope_error *error) {
    *picture = (drawing){.data = NULL};
    const rope_status status = plot_new(&picture->figure, template, error);
    if (status != ROPE_OK) return status;
    picture->data = sheet_new();
    sheet_comment(picture->data, "rope-compare " ROPE_VERSION);
    sheet_comment(picture->data, all->command);
    for (int k = 0; column[k]; k++) sheet_column(picture->data, column[k], k < texts ? SHEET_TEXT : SHEET_NUMBER);
    return ROPE_OK;
}

/* The folder is made, and what would stop the last figure stops the first. */
static rope_status check_directory(const char *directory, rope_error *error) {
    const bool made = mkdir(directory, 0777) == 0;
    if (!made && errno != EEXIST)
        return rope_fail(error, ROPE_IO, directory, "is the folder above it there and writable?", "cannot be made: %s",
                         strerror(errno));
    struct stat there;
    if (!made && (stat(directory, &there) != 0 || !S_ISDIR(there.st_mode)))
        return rope_fail(error, ROPE_IO, directory, "name a folder, or one to be made", "is not a folder");
    char *const path = path_of(directory, "defect", ".svg");
    const rope_status status = plot_check(path, error);
    if (made && status != ROPE_OK) rmdir(directory);
    free(path);
    return status;
}

/* ---- heat maps --------------------------------------------------------------------------------------- */

static const char *term_name(const encoding *scheme, int term) {
    return term == ENCODING_SUM ? "score" : scheme->term[term].id;
}

/* room: [2][size][N]. */
static void put_block(sheet *data, const encoding_run *run, int term, int64_t size, double *room) {
    const int64_t length = (int64_t)run->data->length;
    double *const bound = room + size * length;
    encoding_block(run, term, 0, size, room, bound);
    for (int64_t m = 0; m < size; m++)
        for (int64_t n = 0; n < size; n++) {
            sheet_row(data);
            sheet_text(data, term_name(run->encoding, term));
            sheet_number(data, (double)m, 0);
            sheet_number(data, (double)n, 0);
            sheet_number(data, room[m * length + n], 0);
            sheet_number(data, bound[m * length + n], 0);
        }
}

static rope_status put_heat(drawing *picture, const encoding *scheme, const compare_data *data, rope_error *error) {
    const int64_t length = (int64_t)data->length, size = length < HEAT_SIZE ? length : HEAT_SIZE;
    double *const room = calloc((size_t)(2 * size * length), sizeof *room);
    encoding_run run;
    rope_status status = room ? encoding_build(&run, scheme, data, 0, error)
                              : rope_fail(error, ROPE_NO_MEMORY, scheme->name, NULL, "no memory for its heat maps");
    if (status == ROPE_OK) {
        for (int k = 0; k <= run.terms; k++) {
            const int term = k < run.terms ? k : ENCODING_SUM;
            char name[16];
            snprintf(name, sizeof name, "panel%d", k + 1);
            plot_set_text(picture->figure, name, term_name(scheme, term));
            put_block(picture->data, &run, term, size, room);
        }
        plot_set_number(picture->figure, "panels", run.terms + 1);
        encoding_free(&run);
    }
    free(room);
    return status;
}

static rope_status draw_heat(const comparison *all, const encoding *scheme, rope_error *error) {
    static const char *const columns[] = {"term", "m", "n", "value", "error_bound", NULL};
    drawing picture;
    rope_status status = begin_picture(&picture, all, "heat", 1, columns, error);
    if (status == ROPE_OK) status = put_heat(&picture, scheme, all->data, error);
    char name[64];
    snprintf(name, sizeof name, "heat-%s", scheme->name);
    if (status == ROPE_OK) status = draw_picture(&picture, all->directory, name, error);
    picture_free(&picture);
    return status;
}

/* ---- shift defects ----------------------------------------------------------------------------------- */

static void put_defect(sheet *data, const encoding *scheme, int term, const shift_defect *defect) {
    sheet_row(data);
    sheet_text(data, scheme->title);
    sheet_text(data, term_name(scheme, term));
    sheet_number(data, defect->defect, 0);
    sheet_number(data, defect->bound, 0);
    sheet_number(data, defect->stays == MEASURE_NO ? 0.0 : 1.0, 0);
}

static rope_status draw_defects(const comparison *all, rope_error *error) {
    static const char *const columns[] = {"scheme", "term", "defect", "bound", "within_bound", NULL};
    drawing picture;
    rope_status status = begin_picture(&picture, all, "defect", 2, columns, error);
    if (status == ROPE_OK) {
        for (const measurement *m = all->measured; m < all->measured + all->count; m++) {
            for (int k = 0; k < m->terms; k++) put_defect(picture.data, m->encoding, k, &m->term[k]);
            put_defect(picture.data, m->encoding, ENCODING_SUM, &m->score);
        }
        plot_set_number(picture.figure, "shift", (double)all->shift);
        status = draw_picture(&picture, all->directory, "defect", error);
    }
    picture_free(&picture);
    return status;
}

/* ---- decay ------------------------------------------------------------------------------------------- */

typedef struct decay_room {
    int count;
    int64_t distance[DECAY_POINTS];
    double value[DECAY_POINTS], bound[DECAY_POINTS];
} decay_room;

/* All distances of the run, or DECAY_POINTS of them with equal steps. */
static void choose_distances(decay_room *room, int64_t length) {
    const int64_t step = (length + DECAY_POINTS - 1) / DECAY_POINTS;
    for (room->count = 0; room->count * step < length; room->count++) room->distance[room->count] = room->count * step;
}

static rope_status put_decay(sheet *data, decay_room *room, const encoding *scheme, const compare_data *compare,
                             int kind, rope_error *error) {
    const rope_status status =
        measure_decay(room->value, room->bound, scheme, compare, kind, room->distance, room->count, error);
    for (int k = 0; status == ROPE_OK && k < room->count; k++) {
        sheet_row(data);
        sheet_text(data, scheme->name);
        sheet_text(data, decay_kinds[kind]);
        sheet_number(data, (double)room->distance[k], 0);
        sheet_number(data, room->value[k], 0);
        sheet_number(data, room->bound[k], 0);
    }
    return status;
}

static rope_status draw_decay(const comparison *all, int kind, rope_error *error) {
    static const char *const columns[] = {"spec", "quantity", "distance", "value", "error_bound", NULL};
    static const char *const names[DECAY_KINDS] = {"decay-ones", "decay-tokens", "decay-peak"};
    decay_room *const room = calloc(1, sizeof *room);
    if (!room) return rope_fail(error, ROPE_NO_MEMORY, all->directory, NULL, "no memory for the decay curves");
    choose_distances(room, (int64_t)all->data->length);
    drawing picture;
    rope_status status = begin_picture(&picture, all, "compare-decay", 2, columns, error);
    for (int k = 0; status == ROPE_OK && k < all->count; k++)
        status = put_decay(picture.data, room, all->list[k], all->data, kind, error);
    if (status == ROPE_OK) status = draw_picture(&picture, all->directory, names[kind], error);
    picture_free(&picture);
    free(room);
    return status;
}

rope_status compare_figures(const compare_data *data, const encoding *const *list, int count, int64_t shift,
                            const measurement *measured, const char *directory, rope_error *error) {
    char *const command = again_command(data, list, count, shift);
    const comparison all = {data, list, measured, count, shift, directory, command};
    rope_status status = check_directory(directory, error);
    for (int k = 0; status == ROPE_OK && k < count; k++) status = draw_heat(&all, list[k], error);
    if (status == ROPE_OK) status = draw_defects(&all, error);
    for (int kind = 0; status == ROPE_OK && kind < DECAY_KINDS; kind++) status = draw_decay(&all, kind, error);
    free(command);
    return status;
}
