#include "npy.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAGIC = 6,      /* "\x93NUMPY" */
    ALIGNMENT = 64, /* of the data, as NumPy writes it */
    BLOCK = 256,    /* elements gathered or written at a time */
    WIDEST = 16,    /* bytes of the largest element, c16 */
    SPOOL = 1 << 16 /* bytes read from a pipe at a time */
};

static const char magic[MAGIC + 1] = "\x93NUMPY";
static const bool big_endian_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

typedef struct type_facts {
    const char *name; /* as in 'descr', without the byte order */
    size_t bytes, components;
    bool integer;
    int dtype; /* rope_dtype of a component, -1 when it has none */
} type_facts;

static const type_facts types[ROPE_NPY_TYPES] = {
    [ROPE_NPY_F2] = {"f2", 2, 1, false, ROPE_F16},    [ROPE_NPY_F4] = {"f4", 4, 1, false, ROPE_F32},
    [ROPE_NPY_F8] = {"f8", 8, 1, false, ROPE_F64},    [ROPE_NPY_C8] = {"c8", 8, 2, false, ROPE_F32},
    [ROPE_NPY_C16] = {"c16", 16, 2, false, ROPE_F64}, [ROPE_NPY_I2] = {"i2", 2, 1, true, -1},
    [ROPE_NPY_U2] = {"u2", 2, 1, true, -1},           [ROPE_NPY_V2] = {"V2", 2, 1, false, -1},
    [ROPE_NPY_I4] = {"i4", 4, 1, true, -1},           [ROPE_NPY_I8] = {"i8", 8, 1, true, -1},
};

struct rope_npy {
    char *name;
    const unsigned char *file;
    size_t size;
    void *mapping; /* what to unmap; NULL when the caller owns the file's bytes */
    const unsigned char *data;
    rope_npy_type type;
    int dtype;    /* of the components, after a reinterpretation; -1 when none */
    bool swapped; /* the file's byte order is not the host's */
    bool fortran; /* and the order matters: at least two extents differ from 1 */
    int rank;
    size_t shape[ROPE_NPY_RANK];
    size_t count;
};

typedef struct place {
    char text[512];
} place;

static place place_of(const char *name, size_t offset) {
    place where;
    snprintf(where.text, sizeof where.text, "%.450s, byte %zu", name, offset);
    return where;
}

/* ---- the header: a Python dictionary ---------------------------------------------------------------*/

typedef struct text {
    const char *name; /* of the file */
    const unsigned char *bytes;
    size_t at, end; /* offsets in the file */
    rope_error *error;
} text;

typedef struct span {
    const char *start;
    size_t length, offset;
} span;

static bool is_space(int c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static int peek(text *t) {
    while (t->at < t->end && is_space(t->bytes[t->at])) t->at++;
    return t->at < t->end ? t->bytes[t->at] : -1;
}

static bool take(text *t, int c) {
    if (peek(t) != c) return false;
    t->at++;
    return true;
}

static bool equals(span s, const char *word) {
    return s.length == strlen(word) && memcmp(s.start, word, s.length) == 0;
}

/* A copy for messages, cut and without control characters: the file is hostile, the reader a terminal. */
typedef struct excerpt {
    char text[64];
} excerpt;

static excerpt excerpt_of(span s) {
    excerpt e = {""};
    const size_t room = sizeof e.text - 4;
    const size_t length = s.length < room ? s.length : room;
    for (size_t i = 0; i < length; i++) e.text[i] = s.start[i] >= 0x20 && s.start[i] < 0x7f ? s.start[i] : '?';
    if (s.length > room) memcpy(e.text + room, "...", 4);
    return e;
}

static const char copy_again[] = "copy the file again, or write it again with numpy.save";
static const char save_again[] = "write the array again with numpy.save";
static const char as_float[] = "save with .astype(np.float32)";

static rope_status malformed_at(text *t, size_t offset, const char *reason) {
    return rope_fail(t->error, ROPE_BAD_INPUT, place_of(t->name, offset).text, save_again, "%s", reason);
}

static rope_status malformed(text *t, const char *reason) {
    return malformed_at(t, t->at, reason);
}

static rope_status parse_string(text *t, span *s) {
    const int quote = peek(t);
    if (quote != '\'' && quote != '"') return malformed(t, "a quoted string is expected here");
    t->at++;
    *s = (span){(const char *)t->bytes + t->at, 0, t->at};
    while (t->at < t->end && t->bytes[t->at] != quote) t->at++;
    if (t->at == t->end) return malformed(t, "the header ends within a string");
    s->length = t->at - s->offset;
    t->at++;
    return ROPE_OK;
}

/* The rest of a list or tuple, for a message. */
static span nested(const text *t) {
    span s = {(const char *)t->bytes + t->at, 0, t->at};
    int depth = 0;
    do {
        const int c = t->bytes[s.offset + s.length++];
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    } while (depth > 0 && s.offset + s.length < t->end);
    return s;
}

/* Says why a dtype outside the table of types is not read, by its kind: the letter after the byte order. */
static rope_status refuse_type(text *t, span found, char kind) {
    static const struct {
        const char *kinds, *why, *hint;
    } rows[] = {
        {"O", "Python objects are not numbers, and unpickling them would run code", as_float},
        {"[(", "structured and sub-array types are not read", "save each field by itself with .astype(np.float32)"},
        {"?b", "booleans are not read", as_float},
        {"SaU", "strings are not numbers", as_float},
        {"Mm", "dates and durations are not read", as_float},
        {"V", "of raw bytes, V2 (bfloat16) is read", as_float},
        {"f", "of floats, f2, f4 and f8 are read", "save with .astype(np.float64)"},
        {"c", "of complex numbers, c8 and c16 are read", "save with .astype(np.complex128)"},
        {"iu", "of integers, i2, u2, i4 and i8 are read", "save with .astype(np.int64)"},
    };
    const char *why = "this type is not known", *hint = as_float;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kind != '\0' && strchr(rows[i].kinds, kind)) {
            why = rows[i].why;
            hint = rows[i].hint;
        }
    return rope_fail(t->error, ROPE_UNSUPPORTED, place_of(t->name, found.offset).text, hint, "dtype %s: %s",
                     excerpt_of(found).text, why);
}

/* '<f4': byte order, kind, bytes. Without a byte order, and with '=', numbers are the host's; so they are with '|',
 * which NumPy writes only where order has no meaning: there V2 is taken as little endian, since ml_dtypes hides the
 * order. */
static rope_status parse_descr(text *t, rope_npy *npy) {
    const int first = peek(t);
    if (first == '[' || first == '(') return refuse_type(t, nested(t), (char)first);
    span descr;
    const rope_status status = parse_string(t, &descr);
    if (status != ROPE_OK) return status;

    const bool ordered = descr.length > 0 && memchr("<>|=", descr.start[0], 4);
    const char order = ordered ? descr.start[0] : '=';
    const span type = {descr.start + ordered, descr.length - ordered, descr.offset + ordered};
    for (int i = 0; i < ROPE_NPY_TYPES; i++) {
        if (!equals(type, types[i].name)) continue;
        const bool native = order == '=' || (order == '|' && i != ROPE_NPY_V2);
        npy->type = (rope_npy_type)i;
        npy->dtype = types[i].dtype;
        npy->swapped = !native && (order == '>') != big_endian_host;
        return ROPE_OK;
    }
    const span quoted = {descr.start - 1, descr.length + 2, descr.offset - 1};
    return refuse_type(t, quoted, type.length > 0 ? type.start[0] : '\0');
}

static rope_status parse_order(text *t, rope_npy *npy) {
    static const char *const words[] = {"False", "True"};
    peek(t);
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);
        if (t->end - t->at < length || memcmp(t->bytes + t->at, words[i], length) != 0) continue;
        t->at += length;
        npy->fortran = i == 1;
        return ROPE_OK;
    }
    return malformed(t, "'fortran_order' is neither True nor False");
}

static rope_status parse_extent(text *t, size_t *extent) {
    if (peek(t) == '-') return malformed(t, "the shape has a negative extent");
    if (!is_digit(peek(t))) return malformed(t, "the shape needs a whole number here");
    const size_t start = t->at;
    for (*extent = 0; t->at < t->end && is_digit(t->bytes[t->at]); t->at++)
        if (__builtin_mul_overflow(*extent, (size_t)10, extent) ||
            __builtin_add_overflow(*extent, (size_t)(t->bytes[t->at] - '0'), extent))
            return malformed_at(t, start, "an extent of the shape overflows");
    if (t->at < t->end && t->bytes[t->at] == 'L') t->at++; /* NumPy under Python 2 */
    return ROPE_OK;
}

/* "()", "(3,)", "(3, 4)", "(3, 4,)"; "(3)" is a number in Python, not a tuple. */
static rope_status parse_shape(text *t, rope_npy *npy) {
    if (!take(t, '(')) return malformed(t, "the shape is not a tuple");
    bool comma = true;
    npy->rank = 0;
    while (!take(t, ')')) {
        if (!comma) return malformed(t, "the shape needs a comma or ')' here");
        if (npy->rank == ROPE_NPY_RANK)
            return rope_fail(t->error, ROPE_UNSUPPORTED, place_of(t->name, t->at).text, "save with .reshape",
                             "the array has more than %d axes", ROPE_NPY_RANK);
        const rope_status status = parse_extent(t, &npy->shape[npy->rank]);
        if (status != ROPE_OK) return status;
        npy->rank++;
        comma = take(t, ',');
    }
    if (npy->rank == 1 && !comma) return malformed(t, "the shape is not a tuple: a comma is missing");
    return ROPE_OK;
}

static rope_status parse_dictionary(text *t, rope_npy *npy) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    static rope_status (*const values[])(text *, rope_npy *) = {parse_descr, parse_order, parse_shape};
    enum { KEYS = sizeof keys / sizeof *keys };
    bool seen[KEYS] = {false};

    if (!take(t, '{')) return malformed(t, "the header is not a dictionary");
    for (bool comma = true; !take(t, '}'); comma = take(t, ',')) {
        if (!comma) return malformed(t, "the dictionary needs a comma or '}' here");
        span key;
        rope_status status = parse_string(t, &key);
        if (status != ROPE_OK) return status;
        int k = 0;
        while (k < KEYS && !equals(key, keys[k])) k++;
        if (k == KEYS) return malformed_at(t, key.offset, "the key is none of 'descr', 'fortran_order', 'shape'");
        if (seen[k]) return malformed_at(t, key.offset, "the key occurs twice");
        seen[k] = true;
        if (!take(t, ':')) return malformed(t, "a colon is expected here");
        status = values[k](t, npy);
        if (status != ROPE_OK) return status;
    }
    if (peek(t) != -1) return malformed(t, "the dictionary is followed by more text");
    for (int k = 0; k < KEYS; k++)
        if (!seen[k])
            return rope_fail(t->error, ROPE_BAD_INPUT, place_of(t->name, t->at).text, save_again,
                             "the key '%s' is missing", keys[k]);
    return ROPE_OK;
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
    if (size >= MAGIC && memcmp(file, magic, MAGIC) == 0) return ROPE_OK;

    const place where = place_of(name, 0);
    if (size == 0) return rope_fail(error, ROPE_BAD_INPUT, where.text, save_again, "the file is empty");
    for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++) {
        const likeness *like = &likenesses[i];
        if (!looks_like(like, file, size)) continue;
        const bool torch = i == 0 && contains(file, size < 512 ? size : 512, "data.pkl");
        return rope_fail(error, ROPE_UNSUPPORTED, where.text, torch ? torch_hint : like->hint,
                         "not a .npy file: it looks like %s", torch ? "a PyTorch .pt archive" : like->what);
    }
    return rope_fail(error, ROPE_BAD_INPUT, where.text, save_again,
                     "not a .npy file: it does not begin with \"\\x93NUMPY\"");
}

/* Finds the header: magic, version, then its length in 2 bytes (version 1) or 4, little endian. */
static rope_status find_header(const rope_npy *npy, text *header, rope_error *error) {
    const unsigned char *const file = npy->file;
    const rope_status status = check_magic(file, npy->size, npy->name, error);
    if (status != ROPE_OK) return status;

    const size_t version = MAGIC, length_at = MAGIC + 2;
    const place end = place_of(npy->name, npy->size);
    if (npy->size < length_at)
        return rope_fail(error, ROPE_BAD_INPUT, end.text, copy_again, "the file ends in its header");
    const int major = file[version], minor = file[version + 1];
    if (major < 1 || major > 3 || minor != 0)
        return rope_fail(error, ROPE_UNSUPPORTED, place_of(npy->name, version).text, save_again,
                         "version %d.%d; versions 1.0, 2.0 and 3.0 are read", major, minor);

    const size_t width = major == 1 ? 2 : 4, start = length_at + width;
    if (npy->size < start) return rope_fail(error, ROPE_BAD_INPUT, end.text, copy_again, "the file ends in its header");
    size_t length = 0;
    for (size_t i = 0; i < width; i++) length |= (size_t)file[length_at + i] << (8 * i);
    if (length > npy->size - start)
        return rope_fail(error, ROPE_BAD_INPUT, place_of(npy->name, length_at).text, copy_again,
                         "the header is %zu bytes long, but only %zu follow", length, npy->size - start);
    *header = (text){npy->name, file, start, start + length, error};
    return ROPE_OK;
}

/* Compares the data with the shape. Empty axes are left out of the product, so that strides cannot overflow either. */
static rope_status measure(rope_npy *npy, rope_error *error) {
    const size_t element = types[npy->type].bytes, offset = (size_t)(npy->data - npy->file);
    size_t bytes = element;
    bool empty = false;
    int axes = 0; /* that can be ordered */
    for (int axis = 0; axis < npy->rank; axis++) {
        const size_t extent = npy->shape[axis];
        empty |= extent == 0;
        axes += extent != 1;
        if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
            return rope_fail(error, ROPE_BAD_INPUT, place_of(npy->name, offset).text, save_again,
                             "the shape's size in bytes overflows");
    }
    if (empty) bytes = 0;
    npy->count = bytes / element;
    npy->fortran = npy->fortran && axes > 1;

    const size_t present = npy->size - offset;
    if (bytes > present)
        return rope_fail(error, ROPE_BAD_INPUT, place_of(npy->name, npy->size).text, copy_again,
                         "the file is truncated: the shape needs %zu bytes of data, %zu are there", bytes, present);
    if (bytes < present)
        return rope_fail(error, ROPE_BAD_INPUT, place_of(npy->name, offset + bytes).text,
                         "write one array per file with numpy.save", "%zu bytes follow the array", present - bytes);
    return ROPE_OK;
}

/* Makes *out of a file in memory. On failure *out is NULL and the mapping is still the caller's. */
static rope_status adopt(rope_npy **out, const unsigned char *file, size_t size, void *mapping, const char *name,
                         rope_error *error) {
    rope_status status = ROPE_NO_MEMORY;
    *out = NULL;
    rope_npy *npy = calloc(1, sizeof *npy);
    char *copy = strdup(name);
    if (!npy || !copy) {
        rope_fail(error, status, name, NULL, "no memory");
        goto done;
    }
    npy->name = copy;
    npy->file = file;
    npy->size = size;
    npy->mapping = mapping;

    text header;
    status = find_header(npy, &header, error);
    if (status != ROPE_OK) goto done;
    npy->data = file + header.end;
    status = parse_dictionary(&header, npy);
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
    return adopt(npy, memory, size, NULL, name, error);
}

/* ---- opening ---------------------------------------------------------------------------------------*/

typedef struct mapping {
    void *bytes; /* NULL when the file is empty */
    size_t size;
} mapping;

/* Maps size bytes of a file. (A file that another program cuts short later ends this one with SIGBUS, as mmap does.) */
static rope_status map(int fd, off_t size, const char *name, mapping *m, rope_error *error) {
    *m = (mapping){NULL, (size_t)size};
    if (size == 0) return ROPE_OK;
    if ((off_t)m->size != size) return rope_fail(error, ROPE_IO, name, NULL, "too large for this machine's memory");
    void *const bytes = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return rope_fail(error, ROPE_IO, name, NULL, "cannot be mapped: %s", strerror(errno));
    m->bytes = bytes;
    return ROPE_OK;
}

/* Reads until the block is full or the file ends; -1 with errno when the system refuses. */
static ssize_t read_block(int fd, unsigned char *block, size_t size) {
    size_t got = 0;
    while (got < size) {
        const ssize_t n = read(fd, block + got, size - got);
        if (n == 0) break;
        if (n > 0)
            got += (size_t)n;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)got;
}

/* Copies a stream to an unlinked file and maps that. The magic is checked first: the stream may be endless. */
static rope_status spool(int fd, const char *name, mapping *m, rope_error *error) {
    unsigned char block[SPOOL];
    rope_status status = ROPE_IO;
    off_t size = 0;
    ssize_t got;
    FILE *file = tmpfile();
    if (!file) return rope_fail(error, status, name, NULL, "no temporary file to spool to: %s", strerror(errno));
    while ((got = read_block(fd, block, sizeof block)) > 0) {
        if (size == 0) {
            status = check_magic(block, (size_t)got, name, error);
            if (status != ROPE_OK) goto done;
        }
        if (fwrite(block, 1, (size_t)got, file) != (size_t)got) break;
        size += got;
    }
    if (got < 0)
        status = rope_fail(error, ROPE_IO, name, NULL, "cannot be read: %s", strerror(errno));
    else if (got > 0 || fflush(file) != 0)
        status = rope_fail(error, ROPE_IO, name, "make room in the temporary folder, or name a file",
                           "cannot be spooled: %s", strerror(errno));
    else
        status = map(fileno(file), size, name, m, error);
done:
    fclose(file);
    return status;
}

static rope_status map_or_spool(int fd, bool standard_input, const char *name, mapping *m, rope_error *error) {
    struct stat facts;
    if (fstat(fd, &facts) != 0) return rope_fail(error, ROPE_IO, name, NULL, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(facts.st_mode)) return rope_fail(error, ROPE_BAD_INPUT, name, "name a file in it", "this is a folder");
    if (S_ISREG(facts.st_mode) && !standard_input) return map(fd, facts.st_size, name, m, error);
    return spool(fd, name, m, error); /* standard input may have been read from, so it is never mapped */
}

rope_status rope_npy_open(rope_npy **npy, const char *path, rope_error *error) {
    const bool standard_input = strcmp(path, "-") == 0;
    const char *const name = standard_input ? "standard input" : path;
    mapping m = {NULL, 0};
    *npy = NULL;
    if (!*path) return rope_fail(error, ROPE_BAD_INPUT, "file name", NULL, "is empty");
    const int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return rope_fail(error, ROPE_IO, name, NULL, "cannot be opened: %s", strerror(errno));
    rope_status status = map_or_spool(fd, standard_input, name, &m, error);
    if (status == ROPE_OK) status = adopt(npy, m.bytes, m.size, m.bytes, name, error);
    if (status != ROPE_OK && m.bytes) munmap(m.bytes, m.size);
    if (!standard_input) close(fd);
    return status;
}

void rope_npy_close(rope_npy *npy) {
    if (!npy) return;
    if (npy->mapping) munmap(npy->mapping, npy->size);
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
    return types[type].name;
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
    const type_facts *const type = &types[npy->type];
    if (type->dtype >= 0 || type->bytes != 2 || rope_format_of(dtype)->bytes != 2) return false;
    npy->dtype = (int)dtype;
    return true;
}

const void *rope_npy_elements(const rope_npy *npy) {
    const bool aligned = (uintptr_t)npy->data % types[npy->type].bytes == 0;
    return aligned && !npy->swapped && !npy->fortran ? npy->data : NULL;
}

const void *rope_npy_file(const rope_npy *npy, size_t *size) {
    *size = npy->size;
    return npy->file;
}

/* ---- reading ---------------------------------------------------------------------------------------*/

static void reverse_bytes(unsigned char *numbers, size_t width, size_t n) {
    for (; n > 0; n--, numbers += width)
        for (size_t a = 0, b = width - 1; a < b; a++, b--) {
            const unsigned char byte = numbers[a];
            numbers[a] = numbers[b];
            numbers[b] = byte;
        }
}

/* Walks the indices in C order, last axis fastest, through data whose first axis is contiguous. */
static void gather_fortran(const rope_npy *npy, size_t first, size_t n, unsigned char *out) {
    const size_t bytes = types[npy->type].bytes;
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

/* n <= BLOCK elements in C order and native byte order: in the file itself, or put into buffer. */
static const unsigned char *gather(const rope_npy *npy, size_t first, size_t n, unsigned char buffer[BLOCK * WIDEST]) {
    const type_facts *const type = &types[npy->type];
    if (!npy->fortran && !npy->swapped) return npy->data + first * type->bytes;
    if (npy->fortran)
        gather_fortran(npy, first, n, buffer);
    else
        memcpy(buffer, npy->data + first * type->bytes, n * type->bytes);
    if (npy->swapped) reverse_bytes(buffer, type->bytes / type->components, n * type->components);
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

static size_t block_length(size_t left) {
    return left < BLOCK ? left : BLOCK;
}

void rope_npy_read(const rope_npy *npy, size_t first, size_t count, double *out) {
    const type_facts *const type = &types[npy->type];
    assert(first <= npy->count && count <= npy->count - first);
    assert(type->integer || npy->dtype >= 0);
    unsigned char buffer[BLOCK * WIDEST];
    for (size_t n; count > 0; first += n, count -= n, out += n * type->components) {
        n = block_length(count);
        const unsigned char *const numbers = gather(npy, first, n, buffer);
        if (npy->dtype >= 0)
            rope_widen((rope_dtype)npy->dtype, out, numbers, n * type->components);
        else
            for (size_t i = 0; i < n; i++) out[i] = (double)integer_at(npy->type, numbers, i);
    }
}

void rope_npy_read_integers(const rope_npy *npy, size_t first, size_t count, int64_t *out) {
    assert(first <= npy->count && count <= npy->count - first);
    assert(types[npy->type].integer);
    unsigned char buffer[BLOCK * WIDEST];
    for (size_t n; count > 0; first += n, count -= n, out += n) {
        n = block_length(count);
        const unsigned char *const numbers = gather(npy, first, n, buffer);
        for (size_t i = 0; i < n; i++) out[i] = integer_at(npy->type, numbers, i);
    }
}

/* ---- writing ---------------------------------------------------------------------------------------*/

enum { HEADER = 4 * ALIGNMENT }; /* holds 8 extents of 20 digits with commas, and 70 bytes of words */

/* The header of version 1.0, padded with spaces to a multiple of ALIGNMENT; returns its length. */
static size_t format_header(char header[HEADER], rope_npy_type type, int rank, const size_t *shape) {
    char extents[HEADER] = "", *end = extents;
    for (int axis = 0; axis < rank; axis++)
        end += snprintf(end, (size_t)(extents + HEADER - end), axis ? ", %zu" : "%zu", shape[axis]);
    if (rank == 1) memcpy(end, ",", 2);

    const size_t start = MAGIC + 4;
    const int words =
        snprintf(header + start, HEADER - start, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
                 type == ROPE_NPY_V2 ? '|' : '<', types[type].name, extents);
    const size_t used = start + (size_t)words + 1, total = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    assert(words > 0 && total <= HEADER);
    memset(header + used - 1, ' ', total - used);
    header[total - 1] = '\n';
    memcpy(header, magic, MAGIC);
    header[MAGIC] = 1;
    header[MAGIC + 1] = 0;
    header[MAGIC + 2] = (char)((total - start) & 0xff);
    header[MAGIC + 3] = (char)((total - start) >> 8);
    return total;
}

static bool write_bytes(int fd, const void *bytes, size_t size) {
    for (const char *p = bytes; size > 0;) {
        const ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_little_endian(int fd, rope_npy_type type, const unsigned char *data, size_t count) {
    const type_facts *const facts = &types[type];
    if (!big_endian_host) return write_bytes(fd, data, count * facts->bytes);
    unsigned char block[BLOCK * WIDEST];
    for (size_t n; count > 0; count -= n, data += n * facts->bytes) {
        n = block_length(count);
        memcpy(block, data, n * facts->bytes);
        reverse_bytes(block, facts->bytes / facts->components, n * facts->components);
        if (!write_bytes(fd, block, n * facts->bytes)) return false;
    }
    return true;
}

/* Creates a new file beside path, so that the rename stays within one file system. Its name is to be freed. */
static int create_beside(const char *path, char **temporary) {
    for (int attempt = 0; attempt < 1000; attempt++) {
        if (asprintf(temporary, "%s.%ld-%d.tmp", path, (long)getpid(), attempt) < 0) {
            *temporary = NULL;
            errno = ENOMEM;
            return -1;
        }
        const int fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
        free(*temporary);
        *temporary = NULL;
    }
    return -1;
}

static bool write_array(int fd, rope_npy_type type, int rank, const size_t *shape, const void *data) {
    char header[HEADER];
    const size_t length = format_header(header, type, rank, shape);
    size_t count = 1;
    for (int axis = 0; axis < rank; axis++) count *= shape[axis]; /* fits: data holds them */
    return write_bytes(fd, header, length) && write_little_endian(fd, type, data, count);
}

rope_status rope_npy_write(const char *path, rope_npy_type type, int rank, const size_t *shape, const void *data,
                           rope_error *error) {
    assert(type >= 0 && type < ROPE_NPY_TYPES && rank >= 0 && rank <= ROPE_NPY_RANK);
    struct stat facts; /* a rename would replace a device or a pipe by a file */
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return rope_fail(error, ROPE_BAD_INPUT, path, "name a file", "this is a folder, a pipe or a device");

    char *temporary;
    const int fd = create_beside(path, &temporary);
    bool written = fd >= 0 && write_array(fd, type, rank, shape, data);
    if (fd >= 0 && close(fd) != 0) written = false; /* network file systems report a full disk only here */
    written = written && rename(temporary, path) == 0;

    rope_status status = ROPE_OK;
    if (!written) {
        status = rope_fail(error, ROPE_IO, path, NULL, "cannot be written: %s", strerror(errno));
        if (fd >= 0) unlink(temporary);
    }
    free(temporary);
    return status;
}
