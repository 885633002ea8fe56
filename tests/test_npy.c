/* The .npy reader and writer. Every file is built byte by byte here, from the format's description, with known numbers.
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/format/npy.h"

/* ---- files in memory ---------------------------------------------------------------------------------- */

typedef struct file {
    _Alignas(64) unsigned char bytes[1 << 12];
    size_t size;
} file;

static void append(file *f, const void *bytes, size_t size) {
    assert_true(f->size + size <= sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

/* The low width bytes of value, the least significant first, or last when big. */
static void append_number(file *f, uint64_t value, int width, bool big) {
    for (int i = 0; i < width; i++) {
        const unsigned char byte = (unsigned char)(value >> 8 * (big ? width - 1 - i : i));
        append(f, &byte, 1);
    }
}

/* Magic, version, length and text; the data follow at an address aligned to 64 bytes. */
static file headed(int version, const char *text) {
    file f = {{0}, 0};
    const int width = version == 1 ? 2 : 4;
    const size_t used = 8 + (size_t)width + strlen(text) + 1, total = (used + 63) / 64 * 64;
    append(&f, "\x93NUMPY", 6);
    append_number(&f, (uint64_t)version, 1, false);
    append_number(&f, 0, 1, false);
    append_number(&f, total - 8 - (size_t)width, width, false);
    append(&f, text, strlen(text));
    while (f.size < total - 1) append(&f, " ", 1);
    append(&f, "\n", 1);
    return f;
}

static file described(const char *descr, const char *order, const char *shape) {
    char text[256];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
    return headed(1, text);
}

static rope_npy *parsed(const file *f) {
    rope_npy *npy = NULL;
    rope_error error = {ROPE_OK, "", "", ""};
    if (rope_npy_parse(&npy, f->bytes, f->size, "x.npy", &error) != ROPE_OK)
        fail_msg("%s: %s", error.place, error.reason);
    assert_non_null(npy);
    return npy;
}

static void check_refused(const file *f, rope_status status, const char *place, const char *reason, const char *hint) {
    rope_npy *npy = (rope_npy *)1;
    rope_error error = {ROPE_OK, "", "", ""};
    /* A copy of the exact size, so that sanitizers and valgrind see a byte read beyond it. */
    unsigned char *exact = malloc(f->size + (f->size == 0));
    assert_non_null(exact);
    memcpy(exact, f->bytes, f->size);
    assert_int_equal(rope_npy_parse(&npy, exact, f->size, "x.npy", &error), status);
    free(exact);
    assert_null(npy);
    assert_int_equal(error.status, status);
    check_contains(error.place, place);
    check_contains(error.reason, reason);
    check_contains(error.hint, hint);
}

/* ---- files on disk ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/rope-test-npy-XXXXXX";

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN); /* a refused pipe is closed while the test still writes */
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails when a test, or the writer, has left a file behind */
}

static int count_files(void) {
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void save(const char *path, const file *f) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(f->bytes, 1, f->size, stream), f->size);
    assert_int_equal(fclose(stream), 0);
}

/* ---- every type --------------------------------------------------------------------------------------- */

/* Three elements: their values (components of complex ones in turn) and the bits that encode them. */
typedef struct sample {
    rope_npy_type type;
    const char *name;
    int components, width;
    double values[6];
    uint64_t bits[6];
} sample;

/* Encodings by hand from IEEE 754: 1.5 = 1.1b, -2 = -1.0b 2^1, 0.1 rounded to each format. */
static const sample samples[] = {
    {ROPE_NPY_F2, "f2", 1, 2, {1.5, -2, 0x1.998p-4}, {0x3e00, 0xc000, 0x2e66}},
    {ROPE_NPY_F4, "f4", 1, 4, {1.5, -2, 0x1.99999ap-4}, {0x3fc00000, 0xc0000000, 0x3dcccccd}},
    {ROPE_NPY_F8,
     "f8",
     1,
     8,
     {1.5, -2, 0.1},
     {UINT64_C(0x3ff8000000000000), UINT64_C(0xc000000000000000), UINT64_C(0x3fb999999999999a)}},
    {ROPE_NPY_C8,
     "c8",
     2,
     4,
     {1.5, -2, 0, 1, -1, 0.5},
     {0x3fc00000, 0xc0000000, 0, 0x3f800000, 0xbf800000, 0x3f000000}},
    {ROPE_NPY_C16,
     "c16",
     2,
     8,
     {1.5, -2, 0, 1, -1, 0.5},
     {UINT64_C(0x3ff8000000000000), UINT64_C(0xc000000000000000), 0, UINT64_C(0x3ff0000000000000),
      UINT64_C(0xbff0000000000000), UINT64_C(0x3fe0000000000000)}},
    {ROPE_NPY_I2, "i2", 1, 2, {258, -2, -32768}, {0x0102, 0xfffe, 0x8000}},
    {ROPE_NPY_U2, "u2", 1, 2, {258, 65534, 32768}, {0x0102, 0xfffe, 0x8000}},
    {ROPE_NPY_V2, "V2", 1, 2, {1.5, -2, 0x1.9ap-4}, {0x3fc0, 0xc000, 0x3dcd}}, /* as bfloat16 */
    {ROPE_NPY_I4, "i4", 1, 4, {16909060, -2, -2147483648.0}, {0x01020304, 0xfffffffe, 0x80000000}},
    {ROPE_NPY_I8,
     "i8",
     1,
     8,
     {72623859790382856.0, -2, -9223372036854775808.0},
     {UINT64_C(0x0102030405060708), UINT64_C(0xfffffffffffffffe), UINT64_C(0x8000000000000000)}},
};
enum { SAMPLES = sizeof samples / sizeof *samples, ELEMENTS = 3 };

static bool is_integer(const sample *s) {
    return s->name[0] == 'i' || s->name[0] == 'u';
}

static file file_of(const sample *s, char order) {
    char descr[8];
    snprintf(descr, sizeof descr, "%c%s", order, s->name);
    file f = described(order == ' ' ? s->name : descr, "False", "(3,)");
    const uint16_t probe = 1;
    const bool native_big = *(const unsigned char *)&probe == 0;
    const bool native = order == '=' || order == ' ' || (order == '|' && s->type != ROPE_NPY_V2);
    for (int i = 0; i < ELEMENTS * s->components; i++)
        append_number(&f, s->bits[i], s->width, native ? native_big : order == '>');
    return f;
}

static void check_sample(rope_npy *npy, const sample *s) {
    double values[2 * ELEMENTS + 1] = {0};
    values[ELEMENTS * s->components] = 42;
    if (s->type == ROPE_NPY_V2) assert_true(rope_npy_reinterpret(npy, ROPE_BF16));
    assert_int_equal(rope_npy_type_of(npy), s->type);
    assert_int_equal(rope_npy_rank(npy), 1);
    assert_int_equal(rope_npy_extent(npy, 0), ELEMENTS);
    assert_int_equal(rope_npy_count(npy), ELEMENTS);
    rope_npy_read(npy, 0, ELEMENTS, values);
    for (int i = 0; i < ELEMENTS * s->components; i++) check_same(values[i], s->values[i]);
    check_same(values[ELEMENTS * s->components], 42);
    rope_npy_read(npy, 2, 1, values); /* the last element alone */
    for (int i = 0; i < s->components; i++) check_same(values[i], s->values[2 * s->components + i]);
    rope_npy_read(npy, ELEMENTS, 0, NULL);
    if (!is_integer(s)) return;
    int64_t integers[ELEMENTS];
    rope_npy_read_integers(npy, 0, ELEMENTS, integers);
    for (int i = 0; i < ELEMENTS; i++) {
        const int shift = 64 - 8 * s->width; /* sign extension by hand */
        const int64_t want =
            s->name[0] == 'u' ? (int64_t)s->bits[i] : (int64_t)(s->bits[i] << shift) / (INT64_C(1) << shift);
        assert_true(integers[i] == want);
    }
}

static void reads_every_type_in_every_byte_order(void **state) {
    (void)state;
    assert_int_equal(SAMPLES, ROPE_NPY_TYPES);
    for (int i = 0; i < SAMPLES; i++)
        for (const char *order = "<>=| "; *order; order++) {
            const file f = file_of(&samples[i], *order);
            rope_npy *npy = parsed(&f);
            check_sample(npy, &samples[i]);
            assert_string_equal(rope_npy_type_name(samples[i].type), samples[i].name);
            assert_string_equal(rope_npy_name(npy), "x.npy");
            rope_npy_close(npy);
        }
}

static void tells_the_floating_format(void **state) {
    (void)state;
    const int formats[] = {ROPE_F16, ROPE_F32, ROPE_F64, ROPE_F32, ROPE_F64, -1, -1, -1, -1, -1};
    for (int i = 0; i < SAMPLES; i++) {
        const file f = file_of(&samples[i], '<');
        rope_npy *npy = parsed(&f);
        rope_dtype dtype = ROPE_DTYPES;
        assert_int_equal(rope_npy_dtype(npy, &dtype), formats[i] >= 0);
        assert_int_equal(dtype, formats[i] >= 0 ? formats[i] : ROPE_DTYPES);
        rope_npy_close(npy);
    }
}

static void reinterprets_two_byte_integers_only(void **state) {
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        const file f = file_of(&samples[i], '>');
        rope_npy *npy = parsed(&f);
        const bool may = samples[i].width == 2 && samples[i].type != ROPE_NPY_F2;
        assert_false(rope_npy_reinterpret(npy, ROPE_F32));
        assert_false(rope_npy_reinterpret(npy, ROPE_F64));
        assert_false(rope_npy_reinterpret(npy, ROPE_TF32));
        assert_int_equal(rope_npy_reinterpret(npy, ROPE_F16), may);
        assert_int_equal(rope_npy_reinterpret(npy, ROPE_BF16), may);
        rope_dtype dtype = ROPE_DTYPES;
        if (may) {
            double value;
            assert_true(rope_npy_dtype(npy, &dtype));
            assert_int_equal(dtype, ROPE_BF16);
            assert_int_equal(rope_npy_type_of(npy), samples[i].type);
            rope_npy_read(npy, 1, 1, &value); /* 0xc000 and 0xfffe */
            check_same(value, samples[i].bits[1] == 0xc000 ? -2.0 : (double)NAN);
        }
        rope_npy_close(npy);
    }
}

static void gives_elements_in_place_when_it_can(void **state) {
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        for (const char *order = "<>"; *order; order++)
            for (size_t shift = 0; shift < 16; shift++) {
                file f = file_of(&samples[i], *order);
                _Alignas(64) unsigned char memory[sizeof f.bytes + 64];
                memcpy(memory + shift, f.bytes, f.size);
                rope_npy *npy = NULL;
                assert_int_equal(rope_npy_parse(&npy, memory + shift, f.size, "x.npy", NULL), ROPE_OK);
                const size_t bytes = (size_t)(samples[i].width * samples[i].components);
                const bool little = *order == '<', aligned = shift % bytes == 0;
                const unsigned char *want = little && aligned ? memory + shift + f.size - ELEMENTS * bytes : NULL;
                assert_ptr_equal(rope_npy_elements(npy), want);
                check_sample(npy, &samples[i]); /* unaligned data are read all the same */
                size_t size;
                assert_ptr_equal(rope_npy_file(npy, &size), memory + shift);
                assert_int_equal(size, f.size);
                rope_npy_close(npy);
            }
}

static void reads_versions_2_and_3(void **state) {
    (void)state;
    for (int version = 1; version <= 3; version++) {
        file f = headed(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
        append_number(&f, 0x3fc00000, 4, false);
        append_number(&f, 0xc0000000, 4, false);
        rope_npy *npy = parsed(&f);
        double values[2];
        rope_npy_read(npy, 0, 2, values);
        check_same(values[0], 1.5);
        check_same(values[1], -2);
        rope_npy_close(npy);
    }
}

/* ---- shapes and orders -------------------------------------------------------------------------------- */

/* Element (a, b, c) of a Fortran array stands at a + A (b + B c): written in that order, read in C order. Longer than
 * the reader's blocks, and read in pieces of every length. */
static void reads_fortran_order(void **state) {
    (void)state;
    enum { A = 5, B = 7, C = 11, COUNT = A * B * C };
    for (int big = 0; big <= 1; big++) {
        file f = described(big ? ">i4" : "<i4", "True", "(5, 7, 11)");
        for (int c = 0; c < C; c++)
            for (int b = 0; b < B; b++)
                for (int a = 0; a < A; a++) append_number(&f, (uint64_t)(10000 * a + 100 * b + c), 4, big);
        rope_npy *npy = parsed(&f);
        assert_null(rope_npy_elements(npy));
        for (size_t length = 1; length <= COUNT; length += length < 20 ? 1 : 61)
            for (size_t first = 0; first + length <= COUNT; first += length) {
                double values[COUNT];
                int64_t integers[COUNT];
                rope_npy_read(npy, first, length, values);
                rope_npy_read_integers(npy, first, length, integers);
                for (size_t i = 0; i < length; i++) {
                    const size_t at = first + i, a = at / (B * C), b = at / C % B, c = at % C;
                    const int64_t want = (int64_t)(10000 * a + 100 * b + c);
                    assert_true(integers[i] == want);
                    check_same(values[i], (double)want);
                }
            }
        rope_npy_close(npy);
    }
}

static void fortran_order_does_not_matter_to_vectors(void **state) {
    (void)state;
    static const char *const shapes[] = {"(3,)", "(1, 3)", "(3, 1, 1)", "(1, 3, 1)"};
    for (size_t i = 0; i < 4; i++) {
        file f = described("<i8", "True", shapes[i]);
        for (uint64_t k = 0; k < 3; k++) append_number(&f, k, 8, false);
        rope_npy *npy = parsed(&f);
        double values[3];
        rope_npy_read(npy, 0, 3, values);
        for (int k = 0; k < 3; k++) check_same(values[k], k);
        assert_non_null(rope_npy_elements(npy));
        rope_npy_close(npy);
    }
    file f = described("<u2", "True", "(2, 3)"); /* but to matrices it does */
    for (uint64_t k = 0; k < 6; k++) append_number(&f, k, 2, false);
    rope_npy *npy = parsed(&f);
    double values[6];
    rope_npy_read(npy, 0, 6, values);
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 3; column++) check_same(values[3 * row + column], row + 2 * column);
    assert_null(rope_npy_elements(npy));
    rope_npy_close(npy);
}

static void reads_scalars_and_empty_arrays(void **state) {
    (void)state;
    file f = described("<f8", "False", "()");
    append_number(&f, UINT64_C(0x3ff8000000000000), 8, false);
    rope_npy *npy = parsed(&f);
    double value = 0;
    assert_int_equal(rope_npy_rank(npy), 0);
    assert_int_equal(rope_npy_count(npy), 1);
    rope_npy_read(npy, 0, 1, &value);
    check_same(value, 1.5);
    rope_npy_close(npy);

    static const char *const shapes[] = {"(0,)", "(3, 0)", "(0, 3, 0)", "(4611686018427387903, 0)"};
    for (size_t i = 0; i < 4; i++)
        for (int fortran = 0; fortran <= 1; fortran++) {
            f = described("<f4", fortran ? "True" : "False", shapes[i]);
            npy = parsed(&f);
            assert_int_equal(rope_npy_count(npy), 0);
            rope_npy_read(npy, 0, 0, NULL);
            rope_npy_close(npy);
        }
}

/* What other writers put: other quotes, order and spaces, no trailing comma, Python 2's long integers. */
static void reads_headers_of_other_writers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{'shape': (2, 1), 'fortran_order': False, 'descr': '<u2'}",
        "{\"descr\":\"<u2\",\"fortran_order\":False,\"shape\":(2,1)}",
        " {  'descr' : '<u2' , 'fortran_order' : False ,\n 'shape' : ( 2 , 1 , ) , } ",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (2L, 1L), }",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (00002, 1)}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file f = headed(1, texts[i]);
        append_number(&f, 7, 2, false);
        append_number(&f, 8, 2, false);
        rope_npy *npy = parsed(&f);
        assert_int_equal(rope_npy_rank(npy), 2);
        assert_int_equal(rope_npy_extent(npy, 0), 2);
        assert_int_equal(rope_npy_extent(npy, 1), 1);
        int64_t values[2];
        rope_npy_read_integers(npy, 0, 2, values);
        assert_int_equal(values[0], 7);
        assert_int_equal(values[1], 8);
        rope_npy_close(npy);
    }
}

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuses_other_types(void **state) {
    (void)state;
    static const struct {
        const char *descr, *reason, *hint;
    } rows[] = {
        {"|O", "dtype '|O': Python objects", ".astype(np.float32)"},
        {"|b1", "dtype '|b1': booleans", ".astype(np.float32)"},
        {"?", "dtype '?': booleans", ".astype(np.float32)"},
        {"<U5", "dtype '<U5': strings", ".astype(np.float32)"},
        {"|S5", "dtype '|S5': strings", ".astype(np.float32)"},
        {"<M8[ns]", "dtype '<M8[ns]': dates", ".astype(np.float32)"},
        {"<f16", "dtype '<f16': of floats", ".astype(np.float64)"},
        {"float32", "dtype 'float32': of floats", ".astype(np.float64)"},
        {"<c32", "dtype '<c32': of complex", ".astype(np.complex128)"},
        {"|u1", "dtype '|u1': of integers", ".astype(np.int64)"},
        {"<i3", "dtype '<i3': of integers", ".astype(np.int64)"},
        {"<u8", "dtype '<u8': of integers", ".astype(np.int64)"},
        {"|V1", "dtype '|V1': of raw bytes", ".astype(np.float32)"},
        {"<V22", "dtype '<V22': of raw bytes", ".astype(np.float32)"},
        {"<<f4", "dtype '<<f4': this type is not known", ".astype(np.float32)"},
        {"<", "dtype '<': this type is not known", ".astype(np.float32)"},
        {"", "dtype '': this type is not known", ".astype(np.float32)"},
        {"\x1b[31m", "dtype '?[31m'", ".astype(np.float32)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const file f = described(rows[i].descr, "False", "(2,)");
        check_refused(&f, ROPE_UNSUPPORTED, "x.npy, byte 20", rows[i].reason, rows[i].hint);
    }
    file f = headed(1, "{'descr': [('re', '<f4'), ('im', '<f4')], 'fortran_order': False, 'shape': (2,), }");
    check_refused(&f, ROPE_UNSUPPORTED, "byte 20", "dtype [('re', '<f4'), ('im', '<f4')]: structured", "each field");
    f = headed(1, "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (2,), }");
    check_refused(&f, ROPE_UNSUPPORTED, "byte 20", "dtype ('<f4', (2,)): structured", "each field");
    f = headed(1, "{'descr': [('a_field_with_a_name_longer_than_any_message_should_carry_along', '<f4')]");
    check_refused(&f, ROPE_UNSUPPORTED, "byte 20", "...", "each field");
    f = headed(1, "{'descr': [[[[");
    check_refused(&f, ROPE_UNSUPPORTED, "byte 20", "structured", "each field");
}

static void refuses_damaged_headers(void **state) {
    (void)state;
#define REST "'fortran_order': False, 'shape': (2,)"
#define SHAPE(s) "{'descr': '<f4', 'fortran_order': False, 'shape': " s "}"
    static const struct {
        const char *text, *place, *reason;
        rope_status status;
    } rows[] = {
        {"", "byte 64", "not a dictionary", ROPE_BAD_INPUT},
        {"[]", "byte 10", "not a dictionary", ROPE_BAD_INPUT},
        {"{}", "byte 64", "'descr' is missing", ROPE_BAD_INPUT},
        {"{" REST "}", "byte", "'descr' is missing", ROPE_BAD_INPUT},
        {"{'descr': '<f4', 'shape': (2,)}", "byte 64", "'fortran_order' is missing", ROPE_BAD_INPUT},
        {"{'descr': '<f4', 'fortran_order': False}", "byte 64", "'shape' is missing", ROPE_BAD_INPUT},
        {"{'descr': '<f4', 'descr': '<f4', " REST "}", "byte 28", "the key occurs twice", ROPE_BAD_INPUT},
        {"{'dtype': '<f4', " REST "}", "byte 12", "the key is none of", ROPE_BAD_INPUT},
        {"{descr: '<f4', " REST "}", "byte 11", "quoted string", ROPE_BAD_INPUT},
        {"{'descr' '<f4', " REST "}", "byte 19", "colon", ROPE_BAD_INPUT},
        {"{'descr': <f4, " REST "}", "byte 20", "quoted string", ROPE_BAD_INPUT},
        {"{'descr': '<f4, \"", "byte 64", "ends within a string", ROPE_BAD_INPUT},
        {"{'descr': '<f4' " REST "}", "byte 26", "comma or '}'", ROPE_BAD_INPUT},
        {"{'descr': '<f4', " REST, "byte 128", "comma or '}'", ROPE_BAD_INPUT},
        {"{'descr': '<f4', " REST "} 1", "byte 66", "more text", ROPE_BAD_INPUT},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "byte 44", "neither True nor False", ROPE_BAD_INPUT},
        {"{'descr': '<f4', 'fortran_order': Fal", "byte 44", "neither True nor False", ROPE_BAD_INPUT},
        {SHAPE("2"), "byte 60", "not a tuple", ROPE_BAD_INPUT},
        {SHAPE("(2)"), "byte 63", "not a tuple", ROPE_BAD_INPUT},
        {SHAPE("[2]"), "byte 60", "not a tuple", ROPE_BAD_INPUT},
        {SHAPE("(2 3)"), "byte 63", "comma or ')'", ROPE_BAD_INPUT},
        {SHAPE("(2,,)"), "byte 63", "whole number", ROPE_BAD_INPUT},
        {SHAPE("(,)"), "byte 61", "whole number", ROPE_BAD_INPUT},
        {SHAPE("(2.0,)"), "byte 62", "comma or ')'", ROPE_BAD_INPUT},
        {SHAPE("(0x2,)"), "byte 62", "comma or ')'", ROPE_BAD_INPUT},
        {SHAPE("(-2, 3)"), "byte 61", "negative extent", ROPE_BAD_INPUT},
        {SHAPE("(2"), "byte 62", "comma or ')'", ROPE_BAD_INPUT},
        {SHAPE("(18446744073709551616,)"), "byte 61", "extent of the shape overflows", ROPE_BAD_INPUT},
        {SHAPE("(18446744073709551620,)"), "byte 61", "extent of the shape overflows", ROPE_BAD_INPUT},
        {SHAPE("(99999999999999999999999,)"), "byte 61", "extent of the shape overflows", ROPE_BAD_INPUT},
        {SHAPE("(4611686018427387904,)"), "byte 128", "size in bytes overflows", ROPE_BAD_INPUT},
        {SHAPE("(4294967296, 4294967296)"), "byte 128", "size in bytes overflows", ROPE_BAD_INPUT},
        {SHAPE("(0, 4294967296, 4294967296)"), "byte 128", "size in bytes overflows", ROPE_BAD_INPUT},
        {SHAPE("(1,1,1,1,1,1,1,1,1)"), "byte 77", "more than 8 axes", ROPE_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const file f = headed(1, rows[i].text);
        check_refused(&f, rows[i].status, rows[i].place, rows[i].reason,
                      rows[i].status == ROPE_BAD_INPUT ? "numpy.save" : "reshape");
    }
    file f = headed(1, SHAPE("(1,1,1,1,1,1,1,1)")); /* eight axes are not too many */
    append_number(&f, 0, 4, false);
    rope_npy_close(parsed(&f));
}

static void refuses_other_versions(void **state) {
    (void)state;
    file f = described("<f4", "False", "(0,)");
    static const unsigned char versions[][2] = {{0, 0}, {4, 0}, {1, 1}, {255, 255}};
    for (size_t i = 0; i < 4; i++) {
        memcpy(f.bytes + 6, versions[i], 2);
        char reason[32];
        snprintf(reason, sizeof reason, "version %d.%d;", versions[i][0], versions[i][1]);
        check_refused(&f, ROPE_UNSUPPORTED, "byte 6", reason, "numpy.save");
    }
}

static void refuses_wrong_lengths(void **state) {
    (void)state;
    for (int version = 1; version <= 3; version++) {
        file f = headed(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        const size_t data = f.size;
        for (uint64_t i = 0; i < 6; i++) append_number(&f, i, 4, false);
        rope_npy_close(parsed(&f));

        file longer = f;
        append(&longer, "x", 1);
        char place[32];
        snprintf(place, sizeof place, "byte %zu", f.size);
        check_refused(&longer, ROPE_BAD_INPUT, place, "1 bytes follow the array", "one array per file");

        for (file shorter = f; shorter.size-- > 0;) { /* every truncation */
            const size_t n = shorter.size, width = version == 1 ? 2 : 4;
            snprintf(place, sizeof place, "byte %zu", n);
            const char *reason = n >= data        ? "the file is truncated: the shape needs 24 bytes"
                                 : n >= 8 + width ? "bytes long, but only"
                                 : n >= 6         ? "ends in its header"
                                 : n > 0          ? "does not begin with"
                                                  : "the file is empty";
            check_refused(&shorter, ROPE_BAD_INPUT, n >= data || (n >= 6 && n < 8 + width) ? place : "byte", reason,
                          "numpy.save");
        }
    }
    file f = headed(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }");
    memset(f.bytes + 8, 0xff, 4);
    check_refused(&f, ROPE_BAD_INPUT, "byte 8", "the header is 4294967295 bytes long, but only 116 follow", "copy");
}

static void refuses_other_formats_by_name(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *reason, *hint;
    } rows[] = {
        {"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0x.npy", 35, ".npz", "np.load('x.npz')"},
        {"PK\x03\x04\0\0\x08\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\x12\0archive/data.pkl", 46, "PyTorch .pt",
         "torch.load"},
        {"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15, "pickle", "torch.load"},
        {"\x80\x04\x95\x05\0\0\0\0\0\0\0K\x01.", 14, "pickle", "torch.load"},
        {"GGUF\x03\0\0\0", 8, "GGUF", "gguf"},
        {"\x3a\0\0\0\0\0\0\0{\"cos\":{\"dtype\":\"F32\"", 29, "safetensors", "safetensors"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        file f = {{0}, 0};
        append(&f, rows[i].bytes, rows[i].size);
        check_refused(&f, ROPE_UNSUPPORTED, "x.npy, byte 0", rows[i].reason, rows[i].hint);
    }
    file f = {{0}, 0};
    append(&f, "0.5 0.25\n", 9);
    check_refused(&f, ROPE_BAD_INPUT, "x.npy, byte 0", "does not begin with \"\\x93NUMPY\"", "numpy.save");
}

/* ---- opening ------------------------------------------------------------------------------------------ */

/* Whether a file of the test's folder is mapped; false where the system does not tell. */
static bool is_mapped(const char *name) {
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;
    for (char line[512]; maps && fgets(line, sizeof line, maps);) found |= strstr(line, path_of(name)) != NULL;
    if (maps) fclose(maps);
    return found;
}

static void opens_files(void **state) {
    (void)state;
    const char *path = path_of("x.npy");
    const file f = file_of(&samples[ROPE_NPY_F4], '<');
    save(path, &f);
    rope_npy *npy = NULL;
    rope_error error;
    assert_int_equal(rope_npy_open(&npy, path, &error), ROPE_OK);
    assert_true(is_mapped("x.npy") || access("/proc/self/maps", R_OK) != 0);
    unlink(path); /* the mapping stays */
    check_sample(npy, &samples[ROPE_NPY_F4]);
    assert_non_null(rope_npy_elements(npy));
    assert_string_equal(rope_npy_name(npy), path);
    size_t size;
    const void *bytes = rope_npy_file(npy, &size);
    assert_int_equal(size, f.size);
    assert_memory_equal(bytes, f.bytes, f.size);
    rope_npy_close(npy);
    assert_false(is_mapped("x.npy"));
    rope_npy_close(NULL);
}

static void refuses_to_open(const char *path, rope_status status, const char *reason) {
    rope_npy *npy = (rope_npy *)1;
    rope_error error = {ROPE_OK, "", "", ""};
    assert_int_equal(rope_npy_open(&npy, path, &error), status);
    assert_null(npy);
    assert_int_equal(error.status, status);
    check_contains(error.place, path);
    check_contains(error.reason, reason);
}

static void opens_nothing_else(void **state) {
    (void)state;
    refuses_to_open(path_of("absent.npy"), ROPE_IO, "cannot be opened: ");
    refuses_to_open(folder, ROPE_BAD_INPUT, "folder");
    const file empty = {{0}, 0};
    save(path_of("empty.npy"), &empty);
    refuses_to_open(path_of("empty.npy"), ROPE_BAD_INPUT, "the file is empty");
    unlink(path_of("empty.npy"));
    const file damaged = described("<f4", "False", "(2,)");
    save(path_of("damaged.npy"), &damaged);
    refuses_to_open(path_of("damaged.npy"), ROPE_BAD_INPUT, "truncated");
    assert_false(is_mapped("damaged.npy"));
    assert_int_equal(rope_npy_open(&(rope_npy *){NULL}, path_of("damaged.npy"), NULL), ROPE_BAD_INPUT);
    unlink(path_of("damaged.npy"));
    refuses_to_open("/dev/zero", ROPE_BAD_INPUT, "does not begin with"); /* endless: refused by its first block */
}

/* A pipe's other end: writes the bytes in small pieces. */
typedef struct feeder {
    int fd; /* -1: open path */
    const char *path;
    const unsigned char *bytes;
    size_t size, piece;
} feeder;

static void *feed(void *argument) {
    const feeder *f = argument;
    const int fd = f->fd >= 0 ? f->fd : open(f->path, O_WRONLY);
    for (size_t at = 0; at < f->size;) {
        const size_t left = f->size - at;
        const ssize_t n = write(fd, f->bytes + at, left < f->piece ? left : f->piece);
        if (n <= 0) break;
        at += (size_t)n;
    }
    close(fd);
    return NULL;
}

static void reads_a_fifo(void **state) {
    (void)state;
    const file f = file_of(&samples[ROPE_NPY_C16], '>');
    char path[128];
    snprintf(path, sizeof path, "%s", path_of("fifo"));
    assert_int_equal(mkfifo(path, 0600), 0);
    feeder other_end = {-1, path, f.bytes, f.size, 7};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, feed, &other_end), 0);
    rope_npy *npy = NULL;
    rope_error error;
    assert_int_equal(rope_npy_open(&npy, path, &error), ROPE_OK);
    pthread_join(thread, NULL);
    unlink(path);
    check_sample(npy, &samples[ROPE_NPY_C16]);
    rope_npy_close(npy);
}

/* More than a pipe holds and than a block of the spool, through standard input. */
static void reads_standard_input(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    const file head = described("<i4", "False", "(100000,)");
    const size_t size = head.size + 4 * COUNT;
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, head.bytes, head.size);
    for (uint32_t i = 0; i < COUNT; i++)
        for (int k = 0; k < 4; k++) bytes[head.size + 4 * i + (size_t)k] = (unsigned char)(i * 7919 >> 8 * k);

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const int saved = dup(STDIN_FILENO);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);
    feeder other_end = {ends[1], NULL, bytes, size, 10007};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, feed, &other_end), 0);
    rope_npy *npy = NULL;
    rope_error error = {ROPE_OK, "", "", ""};
    const rope_status status = rope_npy_open(&npy, "-", &error);
    pthread_join(thread, NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
    if (status != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    assert_string_equal(rope_npy_name(npy), "standard input");
    size_t got;
    assert_memory_equal(rope_npy_file(npy, &got), bytes, size);
    assert_int_equal(got, size);
    int64_t last;
    rope_npy_read_integers(npy, COUNT - 1, 1, &last);
    assert_int_equal(last, (COUNT - 1) * 7919);
    rope_npy_close(npy);
    free(bytes);
}

static void refuses_a_truncated_pipe(void **state) {
    (void)state;
    file f = file_of(&samples[ROPE_NPY_F8], '<');
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], f.bytes, f.size - 1), (ssize_t)f.size - 1);
    close(ends[1]);
    char path[32];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    refuses_to_open(path, ROPE_BAD_INPUT, "truncated");
    close(ends[0]);
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static void load(const char *path, file *f) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    f->size = fread(f->bytes, 1, sizeof f->bytes, stream);
    fclose(stream);
}

static void writes_every_type(void **state) {
    (void)state;
    const char *path = path_of("x.npy");
    for (int i = 0; i < SAMPLES; i++) {
        const sample *s = &samples[i];
        unsigned char data[ELEMENTS * 16], *end = data;
        for (int k = 0; k < ELEMENTS * s->components; k++, end += s->width) {
            const uint16_t b2 = (uint16_t)s->bits[k];
            const uint32_t b4 = (uint32_t)s->bits[k];
            memcpy(end,
                   s->width == 2   ? (const void *)&b2
                   : s->width == 4 ? (const void *)&b4
                                   : &s->bits[k],
                   (size_t)s->width);
        }
        rope_error error = {ROPE_OK, "", "", ""};
        assert_int_equal(rope_npy_write(path, s->type, 1, (size_t[]){ELEMENTS}, data, &error), ROPE_OK);
        assert_int_equal(count_files(), 1); /* it replaces the file before, and leaves nothing else */
        file got;
        load(path, &got);
        const file want = file_of(s, s->type == ROPE_NPY_V2 ? '|' : '<'); /* byte for byte what numpy.save writes */
        assert_int_equal(got.size, want.size);
        assert_memory_equal(got.bytes, want.bytes, want.size);

        rope_npy *npy = NULL;
        assert_int_equal(rope_npy_open(&npy, path, NULL), ROPE_OK);
        check_sample(npy, s);
        rope_npy_close(npy);
    }
    unlink(path);
}

static void writes_every_shape(void **state) {
    (void)state;
    static const struct {
        int rank;
        size_t shape[8];
        const char *text;
    } rows[] = {
        {0, {0}, "()"},
        {1, {0}, "(0,)"},
        {1, {6}, "(6,)"},
        {2, {2, 3}, "(2, 3)"},
        {3, {1, 6, 1}, "(1, 6, 1)"},
        {8, {1, 1, 1, 1, 1, 1, 2, 3}, "(1, 1, 1, 1, 1, 1, 2, 3)"},
        /* the longest header: 8 extents, 7 of them of 20 digits */
        {8, {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, 0}, NULL},
    };
    const float data[] = {0, 1, 2, 3, 4, 5};
    const char *path = path_of("x.npy");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(rope_npy_write(path, ROPE_NPY_F4, rows[i].rank, rows[i].shape, data, NULL), ROPE_OK);
        file got;
        load(path, &got);
        const size_t data_at = 10 + got.bytes[8] + 256 * (size_t)got.bytes[9];
        assert_int_equal(data_at % 64, 0);
        assert_int_equal(got.bytes[data_at - 1], '\n');
        if (!rows[i].text) continue;
        got.bytes[data_at - 1] = '\0';
        check_contains((const char *)got.bytes + 10, rows[i].text);
        rope_npy *npy = NULL;
        assert_int_equal(rope_npy_open(&npy, path, NULL), ROPE_OK);
        assert_int_equal(rope_npy_rank(npy), rows[i].rank);
        for (int axis = 0; axis < rows[i].rank; axis++)
            assert_int_equal(rope_npy_extent(npy, axis), rows[i].shape[axis]);
        double values[6];
        rope_npy_read(npy, 0, rope_npy_count(npy), values);
        for (size_t k = 0; k < rope_npy_count(npy); k++) check_same(values[k], (double)k);
        rope_npy_close(npy);
    }
    unlink(path);
}

static void check_unwritten(const char *path, size_t count, rope_status status, const char *reason) {
    static const double data[1 << 14];
    rope_error error = {ROPE_OK, "", "", ""};
    assert_int_equal(rope_npy_write(path, ROPE_NPY_F8, 1, &count, data, &error), status);
    assert_int_equal(error.status, status);
    check_contains(error.place, path);
    check_contains(error.reason, reason);
}

static void writes_nowhere_else(void **state) {
    (void)state;
    check_unwritten(path_of("absent/x.npy"), 1, ROPE_IO, "cannot open it for writing: ");
    check_unwritten(folder, 1, ROPE_IO, "directory");
    struct stat facts;
    const float number = 1.0f;
    assert_int_equal(rope_npy_write("/dev/null", ROPE_NPY_F4, 0, NULL, &number, NULL), ROPE_OK); /* and it is still a device */
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
    assert_int_equal(count_files(), 0);
}

/* A limit on the size of files stands for the full disk: the write is cut short, then refused. */
static void leaves_no_half_written_file(void **state) {
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s", path_of("x.npy"));
    const file before = described("<f4", "False", "(0,)");
    save(path, &before);

    struct rlimit saved, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
    limit = saved;
    limit.rlim_cur = 4096;
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    check_unwritten(path, 1 << 14, ROPE_IO, "cannot write it: ");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
    signal(SIGXFSZ, handler);

    assert_int_equal(count_files(), 1);
    file after;
    load(path, &after);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.bytes, before.bytes, before.size);
    unlink(path);
}

/* What a killed process of the same number has left is neither overwritten nor removed. */
static void spares_other_temporary_files(void **state) {
    (void)state;
    char path[128], left[160];
    snprintf(path, sizeof path, "%s", path_of("x.npy"));
    snprintf(left, sizeof left, "%s.%ld-0.tmp", path, (long)getpid());
    const file stranger = described("<f4", "False", "(0,)");
    save(left, &stranger);
    assert_int_equal(rope_npy_write(path, ROPE_NPY_F8, 0, NULL, &(double){1}, NULL), ROPE_OK);
    assert_int_equal(count_files(), 2);
    file after;
    load(left, &after);
    assert_int_equal(after.size, stranger.size);
    assert_memory_equal(after.bytes, stranger.bytes, stranger.size);
    unlink(path);
    unlink(left);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_type_in_every_byte_order),
        cmocka_unit_test(tells_the_floating_format),
        cmocka_unit_test(reinterprets_two_byte_integers_only),
        cmocka_unit_test(gives_elements_in_place_when_it_can),
        cmocka_unit_test(reads_versions_2_and_3),
        cmocka_unit_test(reads_fortran_order),
        cmocka_unit_test(fortran_order_does_not_matter_to_vectors),
        cmocka_unit_test(reads_scalars_and_empty_arrays),
        cmocka_unit_test(reads_headers_of_other_writers),
        cmocka_unit_test(refuses_other_types),
        cmocka_unit_test(refuses_damaged_headers),
        cmocka_unit_test(refuses_other_versions),
        cmocka_unit_test(refuses_wrong_lengths),
        cmocka_unit_test(refuses_other_formats_by_name),
        cmocka_unit_test(opens_files),
        cmocka_unit_test(opens_nothing_else),
        cmocka_unit_test(reads_a_fifo),
        cmocka_unit_test(reads_standard_input),
        cmocka_unit_test(refuses_a_truncated_pipe),
        cmocka_unit_test(writes_every_type),
        cmocka_unit_test(writes_every_shape),
        cmocka_unit_test(writes_nowhere_else),
        cmocka_unit_test(leaves_no_half_written_file),
        cmocka_unit_test(spares_other_temporary_files),
    };
    return cmocka_run_group_tests_name("npy", tests, make_folder, remove_folder);
}
