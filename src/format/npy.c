#include "npy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "npy_file.h"

const char npy_magic[NPY_MAGIC + 1] = "\x93NUMPY";
const bool npy_big_endian_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
const char npy_copy_again[] = "copy the file again, or write it again with numpy.save";
const char npy_save_again[] = "write the array again with numpy.save";

const npy_type npy_types[ROPE_NPY_TYPES] = {
    [ROPE_NPY_F2] = {"f2", 2, 1, false, ROPE_F16},    [ROPE_NPY_F4] = {"f4", 4, 1, false, ROPE_F32},
    [ROPE_NPY_F8] = {"f8", 8, 1, false, ROPE_F64},    [ROPE_NPY_C8] = {"c8", 8, 2, false, ROPE_F32},
    [ROPE_NPY_C16] = {"c16", 16, 2, false, ROPE_F64}, [ROPE_NPY_I2] = {"i2", 2, 1, true, -1},
    [ROPE_NPY_U2] = {"u2", 2, 1, true, -1},           [ROPE_NPY_V2] = {"V2", 2, 1, false, -1},
    [ROPE_NPY_I4] = {"i4", 4, 1, true, -1},           [ROPE_NPY_I8] = {"i8", 8, 1, true, -1},
};

npy_place npy_place_of(const char *name, size_t offset) {
    npy_place where;
    snprintf(where.text, sizeof where.text, "%.450s, byte %zu", name, offset);
    return where;
}

/* ---- the file --------------------------------------------------------------------------------------*/

typedef struct likeness {
    size_t offset;
    const char *bytes;
    size_t length;
    const char *what, *hint;
} likeness;

static bool looks_like(const likeness *l, const unsigned char *file, size_t size) {
    return size >= l->offset + l->length && memcmp(file + l->offset, l->bytes, l->length) == 0;
}

static bool contains(const unsigned char *file, size_t size, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(file + i, word, length) == 0) return true;
    return false;
}

/* Refuses what does not begin like a .npy file, and says what it looks like. */
static rope_status check_magic(const unsigned char *file, size_t size, const char *name, rope_error *error) {
    static const char torch_hint[] =
        "in Python: np.save('x.npy', torch.load('x.pt', weights_only=True).float().numpy())";
    static const likeness likenesses[] = {
        {0, "PK\x03\x04", 4, "an .npz or another zip archive",
         "save each array on its own: np.save('x.npy', np.load('x.npz')['x'])"},
        {0, "\x80", 1, "a Python pickle or an old PyTorch .pt file", torch_hint},
        {0, "GGUF", 4, "a GGUF model", "save the tensor as .npy, for example with the gguf package of Python"},
        {8, "{\"", 2, "a safetensors file",
         "save the tensor as .npy: np.save('x.npy', safetensors.numpy.load_file('x.safetensors')['x'])"},
    };
    if (size >= NPY_MAGIC && memcmp(file, npy_magic, NPY_MAGIC) == 0) return ROPE_OK;

    const npy_place where = npy_place_of(name, 0);
    if (size == 0) return rope_fail(error, ROPE_BAD_INPUT, where.text, npy_save_again, "the file is empty");
    for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++) {
        const likeness *like = &likenesses[i];
        if (!looks_like(like, file, size)) continue;
        const bool torch = i == 0 && contains(file, size < 512 ? size : 512, "data.pkl");
        return rope_fail(error, ROPE_UNSUPPORTED, where.text, torch ? torch_hint : like->hint,
                         "not a .npy file: it looks like %s", torch ? "a PyTorch .pt archive" : like->what);
    }
    return rope_fail(error, ROPE_BAD_INPUT, where.text, npy_save_again,
                     "not a .npy file: it does not begin with \"\\x93NUMPY\"");
}

/* Finds the header: npy_magic, version, then its length in 2 bytes (version 1) or 4, little endian. */
static rope_status find_header(const rope_npy *npy, npy_text *header, rope_error *error) {
    const unsigned char *const file = npy->bytes;
    const rope_status status = check_magic(file, npy->size, npy->name, error);
    if (status != ROPE_OK) return status;

    const size_t version = NPY_MAGIC, length_at = NPY_MAGIC + 2;
    const npy_place end = npy_place_of(npy->name, npy->size);
    if (npy->size < length_at)
        return rope_fail(error, ROPE_BAD_INPUT, end.text, npy_copy_again, "the file ends in its header");
    const int major = file[version], minor = file[version + 1];
    if (major < 1 || major > 3 || minor != 0)
        return rope_fail(error, ROPE_UNSUPPORTED, npy_place_of(npy->name, version).text, npy_save_again,
                         "version %d.%d; versions 1.0, 2.0 and 3.0 are read", major, minor);

    const size_t width = major == 1 ? 2 : 4, start = length_at + width;
    if (npy->size < start) return rope_fail(error, ROPE_BAD_INPUT, end.text, npy_copy_again, "the file ends in its header");
    size_t length = 0;
    for (size_t i = 0; i < width; i++) length |= (size_t)file[length_at + i] << (8 * i);
    if (length > npy->size - start)
        return rope_fail(error, ROPE_BAD_INPUT, npy_place_of(npy->name, length_at).text, npy_copy_again,
                         "the header is %zu bytes long, but only %zu follow", length, npy->size - start);
    *header = (npy_text){npy->name, file, start, start + length, error};
    return ROPE_OK;
}

/* Compares the data with the shape. Empty axes are left out of the product, so that strides cannot overflow either. */
static rope_status measure(rope_npy *npy, rope_error *error) {
    const size_t element = npy_types[npy->type].bytes, offset = (size_t)(npy->data - npy->bytes);
    size_t bytes = element;
    bool empty = false;
    int axes = 0; /* that can be ordered */
    for (int axis = 0; axis < npy->rank; axis++) {
        const size_t extent = npy->shape[axis];
        empty |= extent == 0;
        axes += extent != 1;
        if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
            return rope_fail(error, ROPE_BAD_INPUT, npy_place_of(npy->name, offset).text, npy_save_again,
                             "the shape's size in bytes overflows");
    }
    if (empty) bytes = 0;
    npy->count = bytes / element;
    npy->fortran = npy->fortran && axes > 1;

    const size_t present = npy->size - offset;
    if (bytes > present)
        return rope_fail(error, ROPE_BAD_INPUT, npy_place_of(npy->name, npy->size).text, npy_copy_again,
                         "the file is truncated: the shape needs %zu bytes of data, %zu are there", bytes, present);
    if (bytes < present)
        return rope_fail(error, ROPE_BAD_INPUT, npy_place_of(npy->name, offset + bytes).text,
                         "write one array per file with numpy.save", "%zu bytes follow the array", present - bytes);
    return ROPE_OK;
}

/* Makes *out of a file in memory. On failure *out is NULL. */
static rope_status adopt(rope_npy **out, const unsigned char *bytes, size_t size, const char *name, rope_error *error) {
    rope_status status = ROPE_NO_MEMORY;
    *out = NULL;
    rope_npy *npy = calloc(1, sizeof *npy);
    char *copy = strdup(name);
    if (!npy || !copy) {
        rope_fail(error, status, name, NULL, "no memory");
        goto done;
    }
    npy->name = copy;
    npy->bytes = bytes;
    npy->size = size;

    npy_text header;
    status = find_header(npy, &header, error);
    if (status != ROPE_OK) goto done;
    npy->data = bytes + header.end;
    status = npy_parse_dictionary(&header, npy);
    if (status != ROPE_OK) goto done;
    status = measure(npy, error);
done:
    if (status == ROPE_OK) {
        *out = npy;
    } else {
        free(npy);
        free(copy);
    }
    return status;
}

rope_status rope_npy_parse(rope_npy **npy, const void *memory, size_t size, const char *name, rope_error *error) {
    return adopt(npy, memory, size, name, error);
}

rope_status rope_npy_open(rope_npy **npy, const char *path, rope_error *error) {
    infile file;
    *npy = NULL;
    rope_status status = infile_open(&file, path, check_magic, error);
    if (status != ROPE_OK) return status;
    status = adopt(npy, file.bytes, file.size, infile_name(path), error);
    if (status == ROPE_OK)
        (*npy)->file = file;
    else
        infile_close(&file);
    return status;
}

void rope_npy_close(rope_npy *npy) {
    if (!npy) return;
    infile_close(&npy->file);
    free(npy->name);
    free(npy);
}

/* ---- what it holds ---------------------------------------------------------------------------------*/

const char *rope_npy_name(const rope_npy *npy) {
    return npy->name;
}

rope_npy_type rope_npy_type_of(const rope_npy *npy) {
    return npy->type;
}

const char *rope_npy_type_name(rope_npy_type type) {
    assert(type >= 0 && type < ROPE_NPY_TYPES);
    return npy_types[type].name;
}

int rope_npy_rank(const rope_npy *npy) {
    return npy->rank;
}

size_t rope_npy_extent(const rope_npy *npy, int axis) {
    assert(axis >= 0 && axis < npy->rank);
    return npy->shape[axis];
}

size_t rope_npy_count(const rope_npy *npy) {
    return npy->count;
}

bool rope_npy_dtype(const rope_npy *npy, rope_dtype *dtype) {
    if (npy->dtype < 0) return false;
    *dtype = (rope_dtype)npy->dtype;
    return true;
}

bool rope_npy_reinterpret(rope_npy *npy, rope_dtype dtype) {
    const npy_type *const type = &npy_types[npy->type];
    if (type->dtype >= 0 || type->bytes != 2 || rope_format_of(dtype)->bytes != 2) return false;
    npy->dtype = (int)dtype;
    return true;
}

const void *rope_npy_elements(const rope_npy *npy) {
    const bool aligned = (uintptr_t)npy->data % npy_types[npy->type].bytes == 0;
    return aligned && !npy->swapped && !npy->fortran ? npy->data : NULL;
}

const void *rope_npy_file(const rope_npy *npy, size_t *size) {
    *size = npy->size;
    return npy->bytes;
}

/* ---- reading ---------------------------------------------------------------------------------------*/

void npy_reverse_bytes(unsigned char *numbers, size_t width, size_t n) {
    for (; n > 0; n--, numbers += width)
        for (size_t a = 0, b = width - 1; a < b; a++, b--) {
            const unsigned char byte = numbers[a];
            numbers[a] = numbers[b];
            numbers[b] = byte;
        }
}

/* Walks the indices in C order, last axis fastest, through data whose first axis is contiguous. */
static void gather_fortran(const rope_npy *npy, size_t first, size_t n, unsigned char *out) {
    const size_t bytes = npy_types[npy->type].bytes;
    size_t stride[ROPE_NPY_RANK], index[ROPE_NPY_RANK], offset = 0;
    for (int axis = 0; axis < npy->rank; axis++) stride[axis] = axis == 0 ? 1 : stride[axis - 1] * npy->shape[axis - 1];
    for (int axis = npy->rank - 1; axis >= 0; axis--) {
        index[axis] = first % npy->shape[axis];
        first /= npy->shape[axis];
        offset += index[axis] * stride[axis];
    }
    for (; n > 0; n--, out += bytes) {
        memcpy(out, npy->data + offset * bytes, bytes);
        for (int axis = npy->rank - 1; axis >= 0; axis--) {
            offset += stride[axis];
            if (++index[axis] < npy->shape[axis]) break;
            offset -= stride[axis] * npy->shape[axis];
            index[axis] = 0;
        }
    }
}

/* n <= NPY_BLOCK elements in C order and native byte order: in the file itself, or put into buffer. */
static const unsigned char *gather(const rope_npy *npy, size_t first, size_t n, unsigned char buffer[NPY_BLOCK * NPY_WIDEST]) {
    const npy_type *const type = &npy_types[npy->type];
    if (!npy->fortran && !npy->swapped) return npy->data + first * type->bytes;
    if (npy->fortran)
        gather_fortran(npy, first, n, buffer);
    else
        memcpy(buffer, npy->data + first * type->bytes, n * type->bytes);
    if (npy->swapped) npy_reverse_bytes(buffer, type->bytes / type->components, n * type->components);
    return buffer;
}

static int64_t integer_at(rope_npy_type type, const unsigned char *numbers, size_t i) {
    int16_t i2;
    uint16_t u2;
    int32_t i4;
    int64_t i8;
    switch (type) {
    case ROPE_NPY_I2:
        return memcpy(&i2, numbers + i * sizeof i2, sizeof i2), i2;
    case ROPE_NPY_U2:
        return memcpy(&u2, numbers + i * sizeof u2, sizeof u2), u2;
    case ROPE_NPY_I4:
        return memcpy(&i4, numbers + i * sizeof i4, sizeof i4), i4;
    default:
        return memcpy(&i8, numbers + i * sizeof i8, sizeof i8), i8;
    }
}

void rope_npy_read(const rope_npy *npy, size_t first, size_t count, double *out) {
    const npy_type *const type = &npy_types[npy->type];
    assert(first <= npy->count && count <= npy->count - first);
    assert(type->integer || npy->dtype >= 0);
    unsigned char buffer[NPY_BLOCK * NPY_WIDEST];
    for (size_t n; count > 0; first += n, count -= n, out += n * type->components) {
        n = npy_block_length(count);
        const unsigned char *const numbers = gather(npy, first, n, buffer);
        if (npy->dtype >= 0)
            rope_widen((rope_dtype)npy->dtype, out, numbers, n * type->components);
        else
            for (size_t i = 0; i < n; i++) out[i] = (double)integer_at(npy->type, numbers, i);
    }
}

void rope_npy_read_integers(const rope_npy *npy, size_t first, size_t count, int64_t *out) {
    assert(first <= npy->count && count <= npy->count - first);
    assert(npy_types[npy->type].integer);
    unsigned char buffer[NPY_BLOCK * NPY_WIDEST];
    for (size_t n; count > 0; first += n, count -= n, out += n) {
        n = npy_block_length(count);
        const unsigned char *const numbers = gather(npy, first, n, buffer);
        for (size_t i = 0; i < n; i++) out[i] = integer_at(npy->type, numbers, i);
    }
}
