/* Writing an .npy file. */
#include <assert.h>
#include <string.h>

#include "npy_file.h"
#include "outfile.h"

enum { HEADER = 4 * NPY_ALIGNMENT }; /* holds 8 extents of 20 digits with commas, and 70 bytes of words */

/* The header of version 1.0, padded with spaces to a multiple of NPY_ALIGNMENT; returns its length. */
static size_t format_header(char header[HEADER], rope_npy_type type, int rank, const size_t *shape) {
    char extents[HEADER] = "", *end = extents;
    for (int axis = 0; axis < rank; axis++)
        end += snprintf(end, (size_t)(extents + HEADER - end), axis ? ", %zu" : "%zu", shape[axis]);
    if (rank == 1) memcpy(end, ",", 2);

    const size_t start = NPY_MAGIC + 4;
    const int words =
        snprintf(header + start, HEADER - start, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
                 type == ROPE_NPY_V2 ? '|' : '<', npy_types[type].name, extents);
    const size_t used = start + (size_t)words + 1, total = (used + NPY_ALIGNMENT - 1) / NPY_ALIGNMENT * NPY_ALIGNMENT;
    assert(words > 0 && total <= HEADER);
    memset(header + used - 1, ' ', total - used);
    header[total - 1] = '\n';
    memcpy(header, npy_magic, NPY_MAGIC);
    header[NPY_MAGIC] = 1;
    header[NPY_MAGIC + 1] = 0;
    header[NPY_MAGIC + 2] = (char)((total - start) & 0xff);
    header[NPY_MAGIC + 3] = (char)((total - start) >> 8);
    return total;
}

static void write_little_endian(FILE *out, rope_npy_type type, const unsigned char *data, size_t count) {
    const npy_type *const facts = &npy_types[type];
    if (!npy_big_endian_host) {
        fwrite(data, facts->bytes, count, out);
        return;
    }
    unsigned char block[NPY_BLOCK * NPY_WIDEST];
    for (size_t n; count > 0; count -= n, data += n * facts->bytes) {
        n = npy_block_length(count);
        memcpy(block, data, n * facts->bytes);
        npy_reverse_bytes(block, facts->bytes / facts->components, n * facts->components);
        fwrite(block, facts->bytes, n, out);
    }
}

rope_status rope_npy_write(const char *path, rope_npy_type type, int rank, const size_t *shape, const void *data,
                           rope_error *error) {
    assert(type >= 0 && type < ROPE_NPY_TYPES && rank >= 0 && rank <= ROPE_NPY_RANK);
    outfile file;
    const rope_status status = outfile_open(&file, path, error);
    if (status != ROPE_OK) return status;
    char header[HEADER];
    size_t count = 1;
    for (int axis = 0; axis < rank; axis++) count *= shape[axis]; /* fits: data holds them */
    fwrite(header, 1, format_header(header, type, rank, shape), file.stream);
    write_little_endian(file.stream, type, data, count);
    return outfile_close(&file, error);
}
