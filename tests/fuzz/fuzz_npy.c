/* Fuzz target: no bytes, given as a .npy file, make the reader crash, read out of bounds or contradict itself.
 *
 *     clang -g -O1 -DFUZZ -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_npy.c \
 *         src/format/npy.c src/number/dtype.c src/status.c -lm -o fuzz_npy && ./fuzz_npy tests/fuzz/corpus/npy
 *
 * Without -DFUZZ it is a program that replays the files it is given, with any compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/format/npy.h"

enum { PIECE = 300 }; /* elements read at a time: more than a block of the reader, and no multiple of one */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

static bool same(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return false;
    return true;
}

/* Reads everything in pieces, and the ends of each piece once more by themselves. */
static void read_values(const rope_npy *npy) {
    const rope_npy_type type = rope_npy_type_of(npy);
    const size_t count = rope_npy_count(npy), components = type == ROPE_NPY_C8 || type == ROPE_NPY_C16 ? 2 : 1;
    double piece[2 * PIECE], one[2];
    for (size_t first = 0, n; first < count; first += n) {
        n = count - first < PIECE ? count - first : PIECE;
        rope_npy_read(npy, first, n, piece);
        rope_npy_read(npy, first, 1, one);
        require(same(one, piece, components));
        rope_npy_read(npy, first + n - 1, 1, one);
        require(same(one, piece + (n - 1) * components, components));
    }
}

static void read_integers(const rope_npy *npy) {
    const size_t count = rope_npy_count(npy);
    int64_t piece[PIECE];
    double values[PIECE];
    for (size_t first = 0, n; first < count; first += n) {
        n = count - first < PIECE ? count - first : PIECE;
        rope_npy_read_integers(npy, first, n, piece);
        rope_npy_read(npy, first, n, values);
        for (size_t i = 0; i < n; i++) require((double)piece[i] == values[i]);
    }
}

static void read_everything(rope_npy *npy) {
    const rope_npy_type type = rope_npy_type_of(npy);
    rope_dtype dtype;
    if (rope_npy_dtype(npy, &dtype)) {
        read_values(npy);
        return;
    }
    if (type != ROPE_NPY_V2) read_integers(npy);
    for (int i = 0; i < ROPE_DTYPES; i++)
        if (rope_npy_reinterpret(npy, (rope_dtype)i)) read_values(npy);
}

/* A file is as long as its header says, so that the count is bounded by size and reading takes linear time. */
static void check_sizes(const rope_npy *npy, const uint8_t *data, size_t size) {
    const size_t count = rope_npy_count(npy);
    size_t product = 1, held;
    for (int axis = 0; axis < rope_npy_rank(npy); axis++) product *= rope_npy_extent(npy, axis);
    require(product == count && count <= size / 2);
    require(rope_npy_file(npy, &held) == data && held == size);
    const uint8_t *const elements = rope_npy_elements(npy);
    require(!elements || (elements >= data && elements <= data + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rope_npy *npy;
    rope_error error;
    memset(&error, 0, sizeof error);
    const rope_status status = rope_npy_parse(&npy, data, size, "fuzz.npy", &error);
    if (status != ROPE_OK) {
        require(!npy && error.status == status && error.place[0] && error.reason[0] && error.hint[0]);
        return 0;
    }
    check_sizes(npy, data, size);
    read_everything(npy);
    rope_npy_close(npy);
    return 0;
}

#ifndef FUZZ
static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    uint8_t *bytes = NULL;
    size_t size = 0, got;
    do {
        bytes = realloc(bytes, size + 4096);
        require(bytes);
        got = fread(bytes + size, 1, 4096, file);
        size += got;
    } while (got > 0);
    fclose(file);
    /* A copy of the exact size, so that sanitizers see a byte read beyond it. */
    uint8_t *exact = malloc(size + (size == 0));
    require(exact);
    memcpy(exact, bytes, size);
    free(bytes);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int count, char **paths) {
    int failed = 0;
    for (int i = 1; i < count; i++) failed |= replay(paths[i]);
    printf("%d files replayed\n", count - 1);
    return failed;
}
#endif
