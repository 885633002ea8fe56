/* The function under test, and what rope-verify run needs around it: read x.npy and positions.npy from $ROPE_DIR, rotate, write
 * y.npy. The reader takes just what rope-verify writes: version 1.0, C order, <f4 and <i8. `--faulty` rounds positions to bfloat16. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the function under test: rotate_half layout, d channels ---- */
static void rope(const float *x, float *y, int d, float position) {
    for (int i = 0; i < d / 2; i++) {
        const float angle = position / powf(10000.0f, (float)(2 * i) / (float)d), c = cosf(angle), s = sinf(angle);
        y[i] = x[i] * c - x[i + d / 2] * s;
        y[i + d / 2] = x[i + d / 2] * c + x[i] * s;
    }
}

/* ---- the adapter ---- */
static void *load(const char *name, char *header, size_t size, int *rows, int *columns) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("ROPE_DIR"), name);
    FILE *file = fopen(path, "rb");
    unsigned char start[10];
    if (!file || fread(start, 1, 10, file) != 10) exit(2);
    const size_t length = (size_t)start[8] | (size_t)start[9] << 8;
    if (length >= size || fread(header, 1, length, file) != length) exit(2);
    header[length] = 0;
    *columns = 1;
    sscanf(strstr(header, "'shape': (") + 10, "%d, %d", rows, columns);
    const size_t bytes = (size_t)*rows * (size_t)*columns * (strstr(header, "<i8") ? 8 : 4);
    void *data = malloc(bytes);
    if (!data || fread(data, 1, bytes, file) != bytes) exit(2);
    fclose(file);
    return data;
}

int main(int argc, char **argv) {
    char header[1024], unused[1024], path[4096];
    int rows, d, count, one;
    float *x = load("x.npy", header, sizeof header, &rows, &d);
    int64_t *positions = load("positions.npy", unused, sizeof unused, &count, &one);
    float *y = malloc((size_t)rows * (size_t)d * sizeof *y);
    for (int t = 0; y && t < rows; t++) {
        float position = (float)positions[t];
        uint32_t bits;
        memcpy(&bits, &position, sizeof bits);
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u; /* bfloat16, ties to even */
        if (argc > 1 && !strcmp(argv[1], "--faulty")) memcpy(&position, &bits, sizeof position);
        rope(x + (size_t)t * (size_t)d, y + (size_t)t * (size_t)d, d, position);
    }
    snprintf(path, sizeof path, "%s/y.npy", getenv("ROPE_DIR"));
    FILE *file = fopen(path, "wb");
    const uint16_t length = (uint16_t)strlen(header);
    if (!file || !y) return 2;
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fwrite(&length, 2, 1, file);
    fwrite(header, 1, length, file); /* the same shape and type as x */
    fwrite(y, sizeof *y, (size_t)rows * (size_t)d, file);
    free(x);
    free(y);
    free(positions);
    return fclose(file) ? 2 : 0;
}
