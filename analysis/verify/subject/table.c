/* A cos/sin table: two arrays, one packed array [cos | sin], or one complex array; h or r columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../subject.h"

/* Opens an array of floats (or bits declared to be floats) with rows and columns: rank 2, or more with leading ones. */
static rope_status open_matrix(rope_npy **array, const char *path, const subject_request *request, rope_error *error) {
    const rope_status status = rope_npy_open(array, path, error);
    if (status != ROPE_OK) return status;
    rope_npy *npy = *array;
    if (request->has_dtype && !rope_npy_reinterpret(npy, request->dtype))
        return rope_fail(error, ROPE_BAD_INPUT, path, "--dtype is for 2-byte arrays that hold other bits; the least acceptable grade is --grade",
                         "an array of %s cannot hold %s bits", rope_npy_type_name(rope_npy_type_of(npy)),
                         rope_format_of(request->dtype)->name);
    rope_dtype dtype;
    if (!rope_npy_dtype(npy, &dtype))
        return rope_fail(error, ROPE_BAD_INPUT, path, subject_type_hint(npy),
                         "a table of type %s holds no floating-point numbers", rope_npy_type_name(rope_npy_type_of(npy)));
    const int rank = rope_npy_rank(npy);
    for (int axis = 0; axis + 2 < rank; axis++)
        if (rope_npy_extent(npy, axis) != 1)
            return rope_fail(error, ROPE_BAD_INPUT, path, "a table is [positions][columns]; leading axes must be 1",
                             "axis %d of %d has %zu entries", axis, rank, rope_npy_extent(npy, axis));
    if (rank < 2)
        return rope_fail(error, ROPE_BAD_INPUT, path, "a table is [positions][columns]", "the array has rank %d", rank);
    if (rope_npy_count(npy) == 0)
        return rope_fail(error, ROPE_BAD_INPUT, path, "dump a table with at least one row and one column",
                         "the array is empty");
    return ROPE_OK;
}

static size_t extent_from_end(const rope_npy *npy, int k) { return rope_npy_extent(npy, rope_npy_rank(npy) - k); }

static bool is_complex(const rope_npy *npy) {
    return rope_npy_type_of(npy) == ROPE_NPY_C8 || rope_npy_type_of(npy) == ROPE_NPY_C16;
}

static rope_status open_arrays(rope_subject *subject, const subject_request *request, rope_error *error) {
    const char *const one = request->cos_sin ? request->cos_sin : request->cis;
    const char *const path = one ? one : request->cos;
    rope_status status = open_matrix(&subject->array[ARRAY_COS], path, request, error);
    if (status != ROPE_OK) return status;
    const rope_npy *cos = subject->array[ARRAY_COS];
    if (is_complex(cos) != !!request->cis)
        return rope_fail(error, ROPE_BAD_INPUT, path, "--cis takes a complex array, --cos, --sin and --cos-sin real ones",
                         "the array is of type %s", rope_npy_type_name(rope_npy_type_of(cos)));
    subject->times = extent_from_end(cos, 2);
    subject->columns = extent_from_end(cos, 1);
    subject->row_elements = subject->columns;
    subject->step = 1;
    rope_npy_dtype(cos, &subject->dtype);

    if (request->cis) {
        subject->row_elements *= 2;
        subject->step = 2;
        subject->offset[1] = 1;
        return ROPE_OK;
    }
    if (request->cos_sin) {
        if (subject->columns % 2)
            return rope_fail(error, ROPE_BAD_INPUT, path, "a packed table is [cos | sin], two equal halves",
                             "%zu columns cannot be halved", subject->columns);
        subject->columns /= 2;
        subject->offset[request->sin_first ? 0 : 1] = subject->columns;
        return ROPE_OK;
    }
    status = open_matrix(&subject->array[ARRAY_SIN], request->sin, request, error);
    if (status != ROPE_OK) return status;
    const rope_npy *sin = subject->array[ARRAY_SIN];
    rope_dtype dtype;
    rope_npy_dtype(sin, &dtype);
    if (extent_from_end(sin, 2) != subject->times || extent_from_end(sin, 1) != subject->columns ||
        dtype != subject->dtype || is_complex(sin))
        return rope_fail(error, ROPE_BAD_INPUT, request->sin, "dump both tables in one go", "shape %zu x %zu of %s differs from the cosines' %zu x %zu of %s",
                         extent_from_end(sin, 2), extent_from_end(sin, 1), rope_npy_type_name(rope_npy_type_of(sin)),
                         subject->times, subject->columns, rope_npy_type_name(rope_npy_type_of(cos)));
    return ROPE_OK;
}

/* Which tiling do r columns follow? Counts sampled columns that agree bit for bit with their twin. */
static table_tiling find_tiling(const rope_subject *subject) {
    const size_t h = (size_t)rope_spec_pairs(&subject->spec), columns = subject->columns;
    double *cos = malloc(2 * columns * sizeof *cos), *sin = cos + columns;
    size_t block = 0, pair = 0, samples = 0;
    if (!cos) return TILING_FOUND;
    for (size_t k = 0; k < 16; k++) {
        const size_t row = subject->times <= 16 ? k : k * (subject->times - 1) / 15;
        if (row >= subject->times) break;
        subject_read_table(subject, row, 1, cos, sin);
        for (size_t i = 0; i < h; i++, samples += 2) {
            block += (size_t)((cos[i] == cos[i + h]) + (sin[i] == sin[i + h]));
            pair += (size_t)((cos[2 * i] == cos[2 * i + 1]) + (sin[2 * i] == sin[2 * i + 1]));
        }
    }
    free(cos);
    /* A corrupted entry must not hide the tiling: seven of eight twins decide. Row 0 alone fits both. */
    const bool is_block = 8 * block >= 7 * samples, is_pair = 8 * pair >= 7 * samples;
    if (is_block && is_pair) return subject->spec.layout_in == ROPE_INTERLEAVED ? TILING_PAIR : TILING_BLOCK;
    return is_block ? TILING_BLOCK : is_pair ? TILING_PAIR : TILING_FOUND;
}

rope_status subject_open_table(rope_subject *subject, const subject_request *request, rope_error *error) {
    const rope_status status = open_arrays(subject, request, error);
    if (status != ROPE_OK) return status;
    const int64_t last = subject->first_position + (int64_t)subject->times - 1;
    if (llabs(subject->first_position) > INT32_MAX || llabs(last) > INT32_MAX)
        return rope_fail(error, ROPE_BAD_INPUT, "--first-position", "positions lie in [-(2^31-1), 2^31-1]",
                         "rows stand for positions %lld to %lld", (long long)subject->first_position, (long long)last);
    if (request->has_rows) {
        const int64_t first = request->rows_first > subject->first_position ? request->rows_first : subject->first_position;
        const int64_t end = request->rows_end < last + 1 ? request->rows_end : last + 1;
        if (first >= end)
            return rope_fail(error, ROPE_BAD_INPUT, "--positions", "A:B excludes B; a single number is one position",
                             "no row of the table stands for them: it holds %lld to %lld", (long long)subject->first_position, (long long)last);
        subject->origin = (size_t)(first - subject->first_position);
        subject->times = (size_t)(end - first);
        subject->first_position = first;
    }
    const size_t h = (size_t)rope_spec_pairs(&subject->spec), r = 2 * h;
    subject->declared_tiling = request->tiling;
    if (subject->columns != h && subject->columns != r) {
        snprintf(subject->width_fault, sizeof subject->width_fault,
                 "%zu columns; rotary width %zu (--dim, --rotary-dim) needs %zu, or %zu with every frequency twice", subject->columns, r, h, r);
        return ROPE_OK;
    }
    if (subject->columns == h && (request->tiling == TILING_BLOCK || request->tiling == TILING_PAIR) && h > 1)
        return rope_fail(error, ROPE_BAD_INPUT, "--tiling", "leave --tiling away, or use --tiling none",
                         "the table has %zu columns, one per pair: there is no tiling", h);
    if (subject->columns == r && request->tiling == TILING_NONE) {
        snprintf(subject->width_fault, sizeof subject->width_fault,
                 "%zu columns; rotary width %zu (--dim, --rotary-dim) without tiling has %zu", subject->columns, r, h);
        return ROPE_OK;
    }
    subject->tiling = subject->columns == h ? TILING_NONE : find_tiling(subject);
    if (subject->tiling != TILING_NONE && subject->spec.layout_in == ROPE_LAYOUT_UNSET && request->tiling == TILING_FOUND)
        return rope_fail(error, ROPE_BAD_INPUT, "--layout",
                         "add --layout half (table [c, c]) or --layout interleaved (every column twice)",
                         "a table of full width must match the layout, and none is declared");
    return ROPE_OK;
}

void subject_read_table(const rope_subject *subject, size_t time, size_t count, double *cos, double *sin) {
    const rope_npy *const first = subject->array[ARRAY_COS], *const second = subject->array[ARRAY_SIN];
    const size_t columns = subject->columns;
    time += subject->origin;
    if (second) { /* two arrays */
        rope_npy_read(first, time * columns, count * columns, cos);
        rope_npy_read(second, time * columns, count * columns, sin);
        return;
    }
    const size_t elements = subject->row_elements, per_element = subject->step; /* complex elements give two doubles */
    double row[elements];
    for (size_t t = 0; t < count; t++) {
        rope_npy_read(first, (time + t) * elements / per_element, elements / per_element, row);
        for (size_t j = 0; j < columns; j++) {
            cos[t * columns + j] = row[subject->offset[0] + j * subject->step];
            sin[t * columns + j] = row[subject->offset[1] + j * subject->step];
        }
    }
}
