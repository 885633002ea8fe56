/* Vectors before and after rotation, with their positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../subject.h"

enum { BATCH, HEAD, TIME, CHANNEL };
static const char axis_letters[] = "BHTD";

/* Extents and strides (in elements, C order) of the roles from the array's shape and the axes' names. */
static rope_status map_axes(rope_subject *subject, const char *axes, size_t *extent, const char *path, rope_error *error) {
    const rope_npy *npy = subject->array[ARRAY_AFTER];
    const int rank = rope_npy_rank(npy);
    static const char *const by_rank[] = {NULL, NULL, "TD", "THD", "BHTD"};
    if (!axes) axes = rank <= 4 ? by_rank[rank] : NULL;
    if (!axes || (int)strlen(axes) != rank)
        return rope_fail(error, ROPE_BAD_INPUT, "--axes", rank < 2 ? "vectors lie along two axes at least: T time and D dim"
                                                                   : "name every axis with B, H, T or D, such as --axes BTHD",
                         "%s has rank %d", path, rank);
    for (int role = 0; role < 4; role++) {
        extent[role] = 1;
        subject->stride[role] = 0;
    }
    size_t stride = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        const char *letter = strchr(axis_letters, axes[axis]);
        if (!letter || !axes[axis] || strchr(axes, axes[axis]) != axes + axis)
            return rope_fail(error, ROPE_BAD_INPUT, "--axes", "a capital letter for each axis, none twice: B batch, H heads, T time, D dim",
                             "'%s' does not name the axes", axes);
        const size_t role = (size_t)(letter - axis_letters);
        extent[role] = rope_npy_extent(npy, axis);
        subject->stride[role] = stride;
        stride *= extent[role];
    }
    snprintf(subject->axes, sizeof subject->axes, "%s", axes);
    if (!strchr(axes, 'D') || !strchr(axes, 'T'))
        return rope_fail(error, ROPE_BAD_INPUT, "--axes", "T is the axis of positions, D the axis of channels",
                         "'%s' names no %c", axes, strchr(axes, 'D') ? 'T' : 'D');
    return ROPE_OK;
}

static rope_status open_vectors(rope_subject *subject, int slot, const char *path, const subject_request *request,
                                rope_error *error) {
    const rope_status status = rope_npy_open(&subject->array[slot], path, error);
    if (status != ROPE_OK) return status;
    rope_npy *npy = subject->array[slot];
    if (request->has_dtype) rope_npy_reinterpret(npy, request->dtype); /* only 2-byte arrays change */
    rope_dtype dtype;
    const rope_npy_type type = rope_npy_type_of(npy);
    if (!rope_npy_dtype(npy, &dtype) || type == ROPE_NPY_C8 || type == ROPE_NPY_C16)
        return rope_fail(error, ROPE_BAD_INPUT, path, subject_type_hint(npy),
                         "vectors of type %s are no real floating-point numbers", rope_npy_type_name(type));
    if (rope_npy_count(npy) == 0)
        return rope_fail(error, ROPE_BAD_INPUT, path, "dump at least one vector", "the array is empty");
    if (slot == ARRAY_AFTER) subject->dtype = dtype;
    return ROPE_OK;
}

/* --dtype must be about one of them at least; the other may have been saved in a wider type. */
static rope_status declared_type(const rope_subject *subject, const subject_request *request, rope_error *error) {
    rope_dtype before, after;
    rope_npy_dtype(subject->array[ARRAY_BEFORE], &before);
    rope_npy_dtype(subject->array[ARRAY_AFTER], &after);
    if (!request->has_dtype || before == request->dtype || after == request->dtype) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, "--dtype", "--dtype is for 2-byte arrays that hold other bits; the least acceptable grade is --grade",
                     "neither %s nor %s can hold %s bits", request->before, request->after, rope_format_of(request->dtype)->name);
}

/* "16 x 8" */
static const char *shape_of(const rope_npy *npy, char text[static 200]) {
    size_t used = 0;
    strcpy(text, "()");
    for (int axis = 0; axis < rope_npy_rank(npy); axis++)
        used += (size_t)snprintf(text + used, 200 - used, axis ? " x %zu" : "%zu", rope_npy_extent(npy, axis));
    return text;
}

static rope_status same_shape(const rope_subject *subject, const subject_request *request, rope_error *error) {
    const rope_npy *a = subject->array[ARRAY_BEFORE], *b = subject->array[ARRAY_AFTER];
    bool same = rope_npy_rank(a) == rope_npy_rank(b);
    for (int axis = 0; same && axis < rope_npy_rank(a); axis++) same = rope_npy_extent(a, axis) == rope_npy_extent(b, axis);
    if (same) return ROPE_OK;
    char wanted[200], found[200];
    return rope_fail(error, ROPE_BAD_INPUT, request->after, "write one output vector for each input vector, same shape",
                     "shape %s differs from %s, shape %s", shape_of(b, found), request->before, shape_of(a, wanted));
}

/* One position from a float: integral and in range, or refused. */
static rope_status read_position(int64_t *position, double value, size_t index, const char *path, rope_error *error) {
    if (!isfinite(value))
        return rope_fail(error, ROPE_BAD_INPUT, path, "positions are integers", "position %zu is %g", index, value);
    if (value != floor(value))
        return rope_fail(error, ROPE_BAD_INPUT, path,
                         "positions are integers; a scaled position belongs into --scaling linear:factor=...",
                         "position %zu is %.17g, not a whole number", index, value);
    if (fabs(value) > INT32_MAX)
        return rope_fail(error, ROPE_BAD_INPUT, path, "positions lie in [-(2^31-1), 2^31-1]", "position %zu is %.17g",
                         index, value);
    *position = (int64_t)value;
    return ROPE_OK;
}

static rope_status open_positions(rope_subject *subject, const char *path, rope_error *error) {
    rope_status status = rope_npy_open(&subject->array[ARRAY_POSITIONS], path, error);
    if (status != ROPE_OK) return status;
    const rope_npy *npy = subject->array[ARRAY_POSITIONS];
    const int rank = rope_npy_rank(npy);
    const size_t times = rank ? rope_npy_extent(npy, rank - 1) : 0, count = rope_npy_count(npy);
    const rope_npy_type type = rope_npy_type_of(npy);
    char shape[200];
    if (type == ROPE_NPY_C8 || type == ROPE_NPY_C16 || type == ROPE_NPY_V2)
        return rope_fail(error, ROPE_BAD_INPUT, path, "positions are integers", "positions of type %s",
                         rope_npy_type_name(type));
    if (times != subject->times || rank > 2 || (rank == 2 && count != times && rope_npy_extent(npy, 0) != subject->batches))
        return rope_fail(error, ROPE_BAD_INPUT, path, "one position for each time step: [T], or [B, T]; --axes says which axis is T",
                         "shape %s does not fit %zu time step%s in %zu batch%s", shape_of(npy, shape), subject->times,
                         subject->times == 1 ? "" : "s", subject->batches, subject->batches == 1 ? "" : "es");
    subject->position = malloc(count * sizeof *subject->position);
    double *values = malloc(count * sizeof *values);
    status = subject->position && values ? ROPE_OK : rope_fail(error, ROPE_NO_MEMORY, path, NULL, "no memory");
    if (status == ROPE_OK) rope_npy_read(npy, 0, count, values);
    for (size_t k = 0; status == ROPE_OK && k < count; k++)
        status = read_position(&subject->position[k], values[k], k, path, error);
    subject->position_batches = count / (times ? times : 1);
    free(values);
    return status;
}

/* Inputs must be finite: the fault would be the dump's. */
static rope_status finite_before(const rope_subject *subject, const char *path, rope_error *error) {
    const rope_npy *npy = subject->array[ARRAY_BEFORE];
    const size_t count = rope_npy_count(npy);
    double block[4096];
    for (size_t first = 0; first < count; first += 4096) {
        const size_t some = count - first < 4096 ? count - first : 4096;
        rope_npy_read(npy, first, some, block);
        for (size_t k = 0; k < some; k++)
            if (!isfinite(block[k]))
                return rope_fail(error, ROPE_BAD_INPUT, path, "feed finite vectors; the output is what is judged",
                                 "element %zu is %g", first + k, block[k]);
    }
    return ROPE_OK;
}

rope_status subject_open_rotated(rope_subject *subject, const subject_request *request, rope_error *error) {
    size_t extent[4];
    rope_status status = open_vectors(subject, ARRAY_BEFORE, request->before, request, error);
    if (status == ROPE_OK) status = open_vectors(subject, ARRAY_AFTER, request->after, request, error);
    if (status == ROPE_OK) status = declared_type(subject, request, error);
    if (status == ROPE_OK) status = same_shape(subject, request, error);
    if (status == ROPE_OK) status = map_axes(subject, request->axes, extent, request->after, error);
    if (status != ROPE_OK) return status;
    subject->batches = extent[BATCH];
    subject->heads = extent[HEAD];
    subject->times = extent[TIME];
    subject->columns = extent[CHANNEL];
    if (extent[CHANNEL] != (size_t)subject->spec.dim)
        return rope_fail(error, ROPE_BAD_INPUT, request->after, "give the head size with --dim, and --axes when D is not the last axis",
                         "vectors have %zu channels, the spec has %d", extent[CHANNEL], subject->spec.dim);
    const int64_t last = subject->first_position + (int64_t)subject->times - 1;
    if (!request->positions && (llabs(subject->first_position) > INT32_MAX || llabs(last) > INT32_MAX))
        return rope_fail(error, ROPE_BAD_INPUT, "--first-position", "positions lie in [-(2^31-1), 2^31-1]",
                         "rows stand for positions %lld to %lld", (long long)subject->first_position, (long long)last);
    if (request->positions) status = open_positions(subject, request->positions, error);
    return status == ROPE_OK ? finite_before(subject, request->before, error) : status;
}

static void read_channels(const rope_subject *subject, const rope_npy *npy, size_t origin, double *out) {
    if (subject->stride[CHANNEL] == 1) {
        rope_npy_read(npy, origin, subject->columns, out);
        return;
    }
    for (size_t j = 0; j < subject->columns; j++) rope_npy_read(npy, origin + j * subject->stride[CHANNEL], 1, &out[j]);
}

void subject_read_vectors(const rope_subject *subject, size_t batch, size_t head, size_t time, double *x, double *y) {
    const size_t origin = batch * subject->stride[BATCH] + head * subject->stride[HEAD] + time * subject->stride[TIME];
    read_channels(subject, subject->array[ARRAY_BEFORE], origin, x);
    read_channels(subject, subject->array[ARRAY_AFTER], origin, y);
}
