/* The inputs of the command line's tests: tiny arrays, honest, faulty and hostile, written without the library.
 *
 *     make_inputs FOLDER               every input, into an existing folder
 *     make_inputs rotate FOLDER [-1]   a program under test: y.npy from the folder's x.npy and positions.npy
 *                                      (half layout, base 10000); -1 turns the wrong way
 *
 * Honest means: frequency, angle and products are each rounded once to float, cos and sin are those of the rounded
 * angle in double, rounded to float. That leaves the C library no room to differ. Tables have 16 rows for positions
 * 0 .. 15 and 4 columns (d = 8), vectors 8 channels, where a name does not say otherwise.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 16, D = 8, H = D / 2, MOST = 1024 };

/* ---- numbers --------------------------------------------------------------------------------------- */

static uint32_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* To nearest, ties to even; finite numbers below 2^15. A carry out of the significand lands in the exponent. */
static uint16_t half_bits(double x) {
    const int e = x != 0.0 && ilogb(x) > -14 ? ilogb(x) : -14;
    const uint16_t magnitude = (uint16_t)(((unsigned)(e + 14) << 10) + (unsigned)rint(ldexp(fabs(x), 10 - e)));
    return (uint16_t)(magnitude | (signbit(x) ? 0x8000u : 0u));
}

static uint16_t bfloat_bits(float x) {
    const uint32_t bits = float_bits(x);
    return (uint16_t)(isnan(x) ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static float bfloat(float x) {
    const uint32_t bits = (uint32_t)bfloat_bits(x) << 16;
    float rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static FILE *open_in(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void finish(FILE *file) {
    if (ferror(file) | fclose(file)) {
        perror("make_inputs");
        exit(1);
    }
}

static void put_bytes(const char *folder, const char *name, const void *bytes, size_t size) {
    FILE *file = open_in(folder, name);
    fwrite(bytes, 1, size, file);
    finish(file);
}

/* One component, little endian unless big; u2, i2 and V2 hold bfloat16 bits. */
static void put_number(FILE *file, const char *type, bool big, double x) {
    uint64_t bits;
    size_t bytes = (size_t)(type[1] - '0');
    if (!strcmp(type, "f8") || !strcmp(type, "c16")) {
        memcpy(&bits, &x, sizeof bits);
        bytes = 8;
    } else if (!strcmp(type, "f4") || !strcmp(type, "c8")) {
        bits = float_bits((float)x);
        bytes = 4;
    } else if (!strcmp(type, "f2")) {
        bits = half_bits((float)x);
    } else if (bytes == 2) {
        bits = bfloat_bits((float)x);
    } else {
        bits = (uint64_t)(int64_t)x;
    }
    for (size_t k = 0; k < bytes; k++) putc((int)(bits >> 8 * (big ? bytes - 1 - k : k) & 0xff), file);
}

/* shape is Python's: "16, 4" or "16,". descr is a type of put_number after its byte order; Fortran order is for rank 2.
 * values are in C order, two for each complex element. */
static void put_header(FILE *file, const char *descr, bool fortran, const char *shape) {
    char header[128];
    const int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr,
                                fortran ? "True" : "False", shape);
    fprintf(file, "\x93NUMPY%c%c%c%c%-*s\n", 1, 0, 118, 0, 117, length > 0 ? header : "");
}

static void put(const char *folder, const char *name, const char *descr, const char *shape, size_t count,
                const double *values) {
    FILE *file = open_in(folder, name);
    put_header(file, descr, false, shape);
    for (size_t k = 0; k < count; k++) put_number(file, descr + 1, descr[0] == '>', values[k]);
    finish(file);
}

static void put_fortran(const char *folder, const char *name, const char *shape, size_t rows, size_t columns,
                        const double *values) {
    FILE *file = open_in(folder, name);
    put_header(file, "<f4", true, shape);
    for (size_t j = 0; j < columns; j++)
        for (size_t t = 0; t < rows; t++) put_number(file, "f4", false, values[t * columns + j]);
    finish(file);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

static float frequency(double base, int r, int i) { return (float)pow(base, -2.0 * i / r); }

typedef struct table {
    double cos[T * H], sin[T * H];
} table;

static table honest_table(double base, double first) {
    table made;
    for (int t = 0; t < T; t++)
        for (int i = 0; i < H; i++) {
            const float angle = (float)(first + t) * frequency(base, D, i);
            made.cos[t * H + i] = (float)cos((double)angle);
            made.sin[t * H + i] = (float)sin((double)angle);
        }
    return made;
}

static table double_table(void) {
    table made;
    for (int t = 0; t < T; t++)
        for (int i = 0; i < H; i++) {
            made.cos[t * H + i] = cos(t * pow(10000.0, -2.0 * i / D));
            made.sin[t * H + i] = sin(t * pow(10000.0, -2.0 * i / D));
        }
    return made;
}

/* Honest radius, phases off by up to 1e-4 rad without pattern: no model replays them, and far out they may be honest. */
static table restless_table(double first) {
    table made;
    unsigned state = 1;
    for (int t = 0; t < T; t++)
        for (int i = 0; i < H; i++) {
            state = state * 1664525u + 1013904223u;
            const double off = 1e-4 * ((double)(state >> 8) / 8388608.0 - 1.0);
            const double angle = (first + t) * pow(10000.0, -2.0 * i / D) + off;
            made.cos[t * H + i] = (float)cos(angle);
            made.sin[t * H + i] = (float)sin(angle);
        }
    return made;
}

static void put_pair(const char *folder, const char *kind, const char *type, const table *values) {
    char name[64], descr[8];
    snprintf(descr, sizeof descr, "%s%s", !strcmp(type, "V2") ? "|" : "<", type);
    snprintf(name, sizeof name, "cos%s.npy", kind);
    put(folder, name, descr, "16, 4", T * H, values->cos);
    snprintf(name, sizeof name, "sin%s.npy", kind);
    put(folder, name, descr, "16, 4", T * H, values->sin);
}

/* Full width, packed, complex: from each row of the honest table, count values by column. */
typedef double column_value(const table *values, int t, int j);
static double cos_block(const table *v, int t, int j) { return v->cos[t * H + j % H]; }
static double sin_block(const table *v, int t, int j) { return v->sin[t * H + j % H]; }
static double cos_pair(const table *v, int t, int j) { return v->cos[t * H + j / 2]; }
static double sin_pair(const table *v, int t, int j) { return v->sin[t * H + j / 2]; }
static double cos_sin(const table *v, int t, int j) { return j < H ? v->cos[t * H + j] : v->sin[t * H + j - H]; }
static double sin_cos(const table *v, int t, int j) { return j < H ? v->sin[t * H + j] : v->cos[t * H + j - H]; }
static double cis(const table *v, int t, int j) { return j % 2 ? v->sin[t * H + j / 2] : v->cos[t * H + j / 2]; }

static void put_wide(const char *folder, const char *name, const char *descr, const char *shape, const table *values,
                     column_value *value) {
    double wide[T * D];
    for (int t = 0; t < T; t++)
        for (int j = 0; j < D; j++) wide[t * D + j] = value(values, t, j);
    put(folder, name, descr, shape, T * D, wide);
}

static void put_honest_tables(const char *folder) {
    const table single = honest_table(10000.0, 0.0), precise = double_table();
    put_pair(folder, "", "f4", &single);
    put_pair(folder, "-f8", "f8", &precise);
    put_pair(folder, "-f2", "f2", &single);
    put_pair(folder, "-u2", "u2", &single);
    put_pair(folder, "-i2", "i2", &single);
    put_pair(folder, "-V2", "V2", &single);
    put(folder, "cos-big.npy", ">f4", "16, 4", T * H, single.cos);
    put(folder, "sin-big.npy", ">f4", "16, 4", T * H, single.sin);
    put_fortran(folder, "cos-fortran.npy", "16, 4", T, H, single.cos);
    put_fortran(folder, "sin-fortran.npy", "16, 4", T, H, single.sin);
    put(folder, "cos-rank4.npy", "<f4", "1, 1, 16, 4", T * H, single.cos);
    put(folder, "sin-rank4.npy", "<f4", "1, 1, 16, 4", T * H, single.sin);
    put(folder, "cos-one-row.npy", "<f4", "1, 4", H, single.cos);
    put(folder, "sin-one-row.npy", "<f4", "1, 4", H, single.sin);
    put_wide(folder, "cos-block.npy", "<f4", "16, 8", &single, cos_block);
    put_wide(folder, "sin-block.npy", "<f4", "16, 8", &single, sin_block);
    put_wide(folder, "cos-pair.npy", "<f4", "16, 8", &single, cos_pair);
    put_wide(folder, "sin-pair.npy", "<f4", "16, 8", &single, sin_pair);
    put_wide(folder, "cos-sin.npy", "<f4", "16, 8", &single, cos_sin);
    put_wide(folder, "sin-cos.npy", "<f4", "16, 8", &single, sin_cos);
    put_wide(folder, "cis-c8.npy", "<c8", "16, 4", &single, cis);
    put_wide(folder, "cis-c16.npy", "<c16", "16, 4", &precise, cis);
    const table negative = honest_table(10000.0, -8.0), far = honest_table(10000.0, 2147483632.0);
    put_pair(folder, "-from-8", "f4", &negative);
    put_pair(folder, "-far", "f4", &far);
    /* d = 2: the first column alone. */
    double c[T], s[T];
    for (int t = 0; t < T; t++) c[t] = single.cos[t * H], s[t] = single.sin[t * H];
    put(folder, "cos-d2.npy", "<f4", "16, 1", T, c);
    put(folder, "sin-d2.npy", "<f4", "16, 1", T, s);
}

static void put_faulty_tables(const char *folder) {
    const table honest = honest_table(10000.0, 0.0), other_base = honest_table(500000.0, 0.0);
    const table late = honest_table(10000.0, 1.0), restless = restless_table(2147483632.0);
    table changed = honest;
    changed.cos[5 * H + 2] = NAN;
    changed.sin[7 * H] = INFINITY;
    put_pair(folder, "-nan", "f4", &changed);
    changed = honest;
    memset(changed.cos + 12 * H, 0, 4 * H * sizeof *changed.cos);
    memset(changed.sin + 12 * H, 0, 4 * H * sizeof *changed.sin);
    put_pair(folder, "-zero-tail", "f4", &changed);
    changed = honest;
    for (int k = 0; k < T * H; k++) changed.sin[k] = -changed.sin[k];
    put_pair(folder, "-negated", "f4", &changed);
    for (int k = 0; k < T * H; k++) {
        changed.cos[k] = bfloat((float)honest.cos[k]);
        changed.sin[k] = bfloat((float)honest.sin[k]);
    }
    put_pair(folder, "-upcast", "f4", &changed);
    put_pair(folder, "-500000", "f4", &other_base);
    put_pair(folder, "-from-1", "f4", &late);
    put_pair(folder, "-restless", "f4", &restless);
    put(folder, "cos-3-columns.npy", "<f4", "16, 3", 3 * T, honest.cos);
    put(folder, "sin-3-columns.npy", "<f4", "16, 3", 3 * T, honest.sin);
    put(folder, "sin-15-rows.npy", "<f4", "15, 4", 15 * H, honest.sin);
}

/* ---- frequencies ----------------------------------------------------------------------------------- */

static void put_frequencies(const char *folder) {
    double honest[H], precise[H], other[H], four[H], broken[H];
    for (int i = 0; i < H; i++) {
        honest[i] = broken[i] = frequency(10000.0, D, i);
        precise[i] = pow(10000.0, -2.0 * i / D);
        other[i] = frequency(500000.0, D, i);
        four[i] = 4.0;
    }
    broken[1] = NAN;
    put(folder, "freqs.npy", "<f4", "4,", H, honest);
    put(folder, "freqs-f8.npy", "<f8", "4,", H, precise);
    put(folder, "freqs-u2.npy", "<u2", "4,", H, honest);
    put(folder, "freqs-500000.npy", "<f4", "4,", H, other);
    put(folder, "freqs-3.npy", "<f4", "3,", 3, honest);
    put(folder, "freqs-nan.npy", "<f4", "4,", H, broken);
    put(folder, "freqs-i8.npy", "<i8", "4,", H, four);
    put(folder, "divisors-4.npy", "<f4", "4,", H, four);
}

/* ---- vectors --------------------------------------------------------------------------------------- */

static void make_vectors(double *x, size_t count) {
    unsigned state = 2;
    for (size_t k = 0; k < count; k++) {
        state = state * 1664525u + 1013904223u;
        x[k] = (double)(state >> 8) / 4194304.0 - 2.0;
    }
}

typedef enum layout { HALF, INTERLEAVED } layout;

static int channel(layout l, int h, int i, int second) { return l == HALF ? i + second * h : 2 * i + second; }

/* One head: the r channels from `first` on turn, the others pass. */
static void rotate(const double *x, double *y, double m, int first, int r, layout in, layout out, double direction) {
    const int h = r / 2;
    memcpy(y, x, D * sizeof *y);
    for (int i = 0; i < h; i++) {
        const float angle = (float)m * frequency(10000.0, r, i);
        const float c = (float)cos((double)angle), s = (float)(direction * sin((double)angle));
        const float a = (float)x[first + channel(in, h, i, 0)], b = (float)x[first + channel(in, h, i, 1)];
        const float ac = a * c, bs = b * s, bc = b * c, as = a * s;
        y[first + channel(out, h, i, 0)] = ac - bs;
        y[first + channel(out, h, i, 1)] = bc + as;
    }
}

static void put_rotated(const char *folder, const char *name, const double *x, const double *m, int first, int r,
                        layout in, layout out, double direction) {
    double y[T * D];
    for (int t = 0; t < T; t++) rotate(x + t * D, y + t * D, m[t], first, r, in, out, direction);
    put(folder, name, "<f4", "16, 8", T * D, y);
}

/* Two heads or two batches: outer x inner rows of vectors, the position's index found by `time`. */
static void put_axes(const char *folder, const char *kind, const char *shape, size_t rows, size_t each, size_t times) {
    double x[MOST], y[MOST];
    char name[64];
    make_vectors(x, rows * D);
    for (size_t k = 0; k < rows; k++)
        rotate(x + k * D, y + k * D, (double)(k / each % times), 0, D, HALF, HALF, 1.0);
    snprintf(name, sizeof name, "q-%s.npy", kind);
    put(folder, name, "<f4", shape, rows * D, x);
    snprintf(name, sizeof name, "r-%s.npy", kind);
    put(folder, name, "<f4", shape, rows * D, y);
}

/* B = 2, H = 2, T = 8: the second batch is padded on the left by three. */
static void put_padded(const char *folder) {
    enum { TIMES = 8, ROWS = 2 * 2 * TIMES };
    double x[ROWS * D], y[ROWS * D], m[2 * TIMES];
    make_vectors(x, ROWS * D);
    for (int b = 0; b < 2; b++)
        for (int t = 0; t < TIMES; t++) m[b * TIMES + t] = b && t < 3 ? 0.0 : t - 3.0 * b;
    for (int k = 0; k < ROWS; k++)
        rotate(x + k * D, y + k * D, m[k / (2 * TIMES) * TIMES + k % TIMES], 0, D, HALF, HALF, 1.0);
    put(folder, "q-padded.npy", "<f4", "2, 2, 8, 8", ROWS * D, x);
    put(folder, "r-padded.npy", "<f4", "2, 2, 8, 8", ROWS * D, y);
    put(folder, "positions-bt.npy", "<i8", "2, 8", 2 * TIMES, m);
}

static void put_positions(const char *folder, const char *kind, const double *m, int changed, double value) {
    char name[64];
    double copy[T];
    memcpy(copy, m, sizeof copy);
    if (changed >= 0) copy[changed] = value;
    snprintf(name, sizeof name, "positions%s.npy", kind);
    put(folder, name, changed < 0 || value > 2e9 ? "<i8" : "<f8", "16,", T, copy);
}

static void put_vectors(const char *folder) {
    double x[T * D], bad[T * D], m[T], far[T], negative[T];
    make_vectors(x, T * D);
    for (int t = 0; t < T; t++) {
        m[t] = t;
        negative[t] = t - 8.0;
        far[t] = 2147483647.0 - 7.0 * t;
    }
    put(folder, "q.npy", "<f4", "16, 8", T * D, x);
    put_rotated(folder, "r-half.npy", x, m, 0, D, HALF, HALF, 1.0);
    put_rotated(folder, "r-interleaved.npy", x, m, 0, D, INTERLEAVED, INTERLEAVED, 1.0);
    put_rotated(folder, "r-half-to-interleaved.npy", x, m, 0, D, HALF, INTERLEAVED, 1.0);
    put_rotated(folder, "r-negated.npy", x, m, 0, D, HALF, HALF, -1.0);
    put_rotated(folder, "r-leading-4.npy", x, m, 0, 4, HALF, HALF, 1.0);
    put_rotated(folder, "r-trailing-4.npy", x, m, 4, 4, HALF, HALF, 1.0);
    put_rotated(folder, "r-negative.npy", x, negative, 0, D, HALF, HALF, 1.0);
    put_rotated(folder, "r-far.npy", x, far, 0, D, HALF, HALF, 1.0);
    put_axes(folder, "thd", "16, 2, 8", 2 * T, 2, T);
    put_axes(folder, "bhtd", "2, 2, 8, 8", 4 * 8, 1, 8);
    put_axes(folder, "bthd", "2, 8, 2, 8", 4 * 8, 2, 8);
    put_padded(folder);

    memcpy(bad, x, sizeof bad);
    bad[9] = NAN;
    put(folder, "q-nan.npy", "<f4", "16, 8", T * D, bad);
    for (int t = 0; t < T; t++) rotate(x + t * D, bad + t * D, t, 0, D, HALF, HALF, 1.0);
    bad[3 * D + 1] = NAN;
    bad[8 * D + 6] = -INFINITY;
    put(folder, "r-nan.npy", "<f4", "16, 8", T * D, bad);
    put(folder, "r-15-rows.npy", "<f4", "15, 8", 15 * D, bad);

    put_positions(folder, "", m, -1, 0.0);
    put_positions(folder, "-f8", m, 0, 0.0);
    put(folder, "positions-i4.npy", "<i4", "16,", T, m);
    put_positions(folder, "-negative", negative, -1, 0.0);
    put_positions(folder, "-far", far, -1, 0.0);
    put_positions(folder, "-too-far", m, 4, 2147483648.0);
    put_positions(folder, "-fraction", m, 4, 4.5);
    put_positions(folder, "-nan", m, 4, NAN);
    put(folder, "positions-15.npy", "<i8", "15,", 15, m);
}

/* ---- files that are no arrays, or no array that can be used ---------------------------------------- */

static void put_hostile(const char *folder) {
    static const char zip[] = "PK\x03\x04\x14 and so on", pickle[] = "\x80\x04\x95 and so on", gguf[] = "GGUF\x03 and so on";
    double zeros[T * H] = {0};
    put_bytes(folder, "text.npy", "1.0 0.54 -0.42\n", 15);
    put_bytes(folder, "zip.npy", zip, sizeof zip);
    put_bytes(folder, "pickle.npy", pickle, sizeof pickle);
    put_bytes(folder, "gguf.npy", gguf, sizeof gguf);
    put_bytes(folder, "nothing.npy", "", 0);
    put(folder, "empty.npy", "<f4", "0, 4", 0, zeros);
    put(folder, "rank1.npy", "<f4", "16,", T, zeros);
    put(folder, "i8.npy", "<i8", "16, 4", T * H, zeros);
    put(folder, "objects.npy", "|O8", "16, 4", 0, zeros);
    put(folder, "truncated.npy", "<f4", "16, 4", T * H - 1, zeros);
    put(folder, "trailing.npy", "<f4", "15, 4", T * H, zeros);
}

/* ---- a program under test -------------------------------------------------------------------------- */

/* Reads what this program's own kind of header (128 bytes, as rope-verify writes it) is followed by. */
static void *read_after_header(const char *folder, const char *name, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    *size = (size_t)ftell(file) - 128;
    void *bytes = malloc(*size);
    if (!bytes || fseek(file, 128, SEEK_SET) != 0 || fread(bytes, 1, *size, file) != *size) exit(1);
    fclose(file);
    return bytes;
}

static int be_the_program(const char *folder, double direction) {
    size_t bytes, rows;
    float *x = read_after_header(folder, "x.npy", &bytes);
    int64_t *m = read_after_header(folder, "positions.npy", &rows);
    rows /= sizeof *m;
    if (bytes != rows * D * sizeof *x) {
        fprintf(stderr, "make_inputs: x.npy does not hold heads of %d floats\n", D);
        return 1;
    }
    double *y = malloc(rows * D * sizeof *y), head[D];
    if (!y) return 1;
    for (size_t t = 0; t < rows; t++) {
        for (int j = 0; j < D; j++) head[j] = (double)x[t * D + (size_t)j];
        rotate(head, y + t * D, (double)m[t], 0, D, HALF, HALF, direction);
    }
    char shape[64];
    snprintf(shape, sizeof shape, "%zu, %d", rows, D);
    put(folder, "y.npy", "<f4", shape, rows * D, y);
    free(y);
    free(m);
    free(x);
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 3 && !strcmp(argv[1], "rotate")) return be_the_program(argv[2], argc > 3 ? atof(argv[3]) : 1.0);
    if (argc != 2) {
        fprintf(stderr, "usage: make_inputs FOLDER\n       make_inputs rotate FOLDER [-1]\n");
        return 2;
    }
    put_honest_tables(argv[1]);
    put_faulty_tables(argv[1]);
    put_frequencies(argv[1]);
    put_vectors(argv[1]);
    put_hostile(argv[1]);
    return 0;
}
