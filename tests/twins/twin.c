#include "twin.h"

#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/frequency/frequency.h" /* the rule's name */

/* ---- numbers ----------------------------------------------------------------------------------------- */

double twin_round(rope_dtype dtype, double x) {
    static const struct {
        int bits, least; /* significant bits; exponent of the smallest step */
        double largest;
    } formats[] = {[ROPE_F64] = {53, -1074, INFINITY},
                   [ROPE_F32] = {24, -149, 0x1.fffffep127},
                   [ROPE_F16] = {11, -24, 65504.0},
                   [ROPE_BF16] = {8, -133, 0x1.fep127},
                   [ROPE_TF32] = {11, -136, 0x1.ffcp127}};
    int exponent;
    if (dtype == ROPE_F64 || !isfinite(x) || x == 0.0) return x;
    frexp(x, &exponent);
    const int last = exponent - formats[dtype].bits > formats[dtype].least ? exponent - formats[dtype].bits : formats[dtype].least;
    const double rounded = ldexp(rint(ldexp(x, -last)), last);
    return fabs(rounded) > formats[dtype].largest ? copysign(INFINITY, x) : rounded;
}

static uint16_t half_bits(double x) {
    const unsigned sign = signbit(x) ? 0x8000u : 0u;
    int exponent;
    if (isnan(x)) return 0x7e00;
    if (isinf(x)) return (uint16_t)(sign | 0x7c00u);
    if (fabs(x) < 0x1p-14) return (uint16_t)(sign | (unsigned)(fabs(x) * 0x1p24));
    const double fraction = frexp(fabs(x), &exponent); /* in [1/2, 1) */
    return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048.0) & 0x3ffu));
}

static uint16_t bfloat_bits(double x) {
    const float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

uint16_t twin_bits(rope_dtype dtype, double x) { return dtype == ROPE_F16 ? half_bits(x) : bfloat_bits(x); }

/* The same numbers for every run; a multiple of 2^-6 has few bits, a random fraction has all. */
static double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth, TAOCP 3.3.4 */
    return (double)(*state >> 11) * 0x1p-51 - 2.0;
}

/* ---- what the program computes ----------------------------------------------------------------------- */

static int width_of(const twin *t) { return t->fault.width ? t->fault.width : t->spec.rotary_dim; }

static double factor_of(const twin *t, const char *rule) {
    return strcmp(t->spec.rule->name, rule) ? 1.0 : t->spec.rule_value[0];
}

/* NTK-aware programs change the base once, in double. */
static double base_of(const twin *t) {
    const double base = t->fault.base > 0.0 ? t->fault.base : t->spec.base, r = width_of(t);
    const double factor = factor_of(t, "ntk");
    return factor == 1.0 ? base : base * pow(factor, r / (r - 2.0));
}

static double frequency(const twin *t, int i) {
    const double base = base_of(t), factor = t->style.scaled_position ? 1.0 : factor_of(t, "linear");
    const int r = width_of(t);
    if (t->recipe == TWIN_DOUBLE || t->recipe == TWIN_NARROW)
        return twin_round(t->fault.frequency, pow(base, -2.0 * i / r) / factor);
    if (t->recipe == TWIN_ACCUMULATED) {
        const float ratio = powf((float)base, -2.0f / (float)r);
        float product = 1.0f;
        for (int k = 0; k < i; k++) product *= ratio;
        return twin_round(t->fault.frequency, (double)(product / (float)factor));
    }
    const float exponent = (float)(2 * i) / (float)r;
    const float f = t->recipe == TWIN_EXP2 ? exp2f(-exponent * log2f((float)base)) : 1.0f / powf((float)base, exponent);
    return twin_round(t->fault.frequency, (double)(f / (float)factor));
}

static double position_of(const twin *t, int64_t m) {
    const double position = twin_round(t->fault.position, (double)(m + t->fault.lag));
    const double factor = t->style.scaled_position ? factor_of(t, "linear") : 1.0;
    if (t->recipe >= TWIN_DOUBLE && !t->style.float_position) return position / factor;
    if (t->recipe == TWIN_EXP2) return (double)((float)position * (1.0f / (float)factor));
    return (double)((float)position / (float)factor);
}

/* Is the angle a double, and are cos and sin? */
static bool is_wide(const twin *t) { return t->recipe == TWIN_DOUBLE || t->recipe == TWIN_WIDE || t->recipe == TWIN_RATIO; }

static void angles(const twin *t, int64_t m, double *angle) {
    const int h = width_of(t) / 2;
    const double position = position_of(t, m);
    if (t->recipe == TWIN_ITERATED) {
        const float ratio = powf((float)base_of(t), -2.0f / (float)width_of(t)), scale = t->style.scaled_position ? 1.0f : 1.0f / (float)factor_of(t, "linear");
        float next = (float)position;
        for (int i = 0; i < h; i++, next *= ratio) angle[i] = (double)(scale * next);
    } else if (t->recipe == TWIN_RATIO) {
        const double ratio = (double)powf((float)base_of(t), -2.0f / (float)width_of(t));
        double next = position;
        for (int i = 0; i < h; i++, next *= ratio) angle[i] = next;
    } else {
        for (int i = 0; i < h; i++) {
            const double f = frequency(t, i);
            angle[i] = is_wide(t)                 ? position * f
                       : t->recipe == TWIN_NARROW ? (double)(float)(position * f)
                                                  : (double)((float)position * (float)f);
        }
    }
    for (int i = 0; i < h; i++) angle[i] = twin_round(t->fault.angle, angle[i]);
}

/* A double so many ulps away, up for even k and down for odd, rounded; 0 and 1 stay, and no library goes beyond 1. */
static double moved(double x, double ulps, int64_t k) {
    int exponent;
    if (x == 0.0 || fabs(x) == 1.0) return x;
    frexp(x, &exponent);
    return fmax(-1.0, fmin(x + (k % 2 ? -ulps : ulps) * ldexp(1.0, exponent - 53), 1.0));
}

void twin_turns(const twin *t, int64_t m, double *c, double *s) {
    const int h = width_of(t) / 2;
    const double A = (t->fault.factor > 0.0 ? t->fault.factor : 1.0) * t->spec.magnitude;
    double angle[ROPE_MAX_DIM / 2];
    angles(t, m, angle);
    for (int i = 0; i < h; i++) {
        c[i] = is_wide(t) ? A * cos(angle[i]) : (double)((float)A * cosf((float)angle[i]));
        s[i] = is_wide(t) ? A * sin(angle[i]) : (double)((float)A * sinf((float)angle[i]));
        if (t->style.libm > 0.0) c[i] = moved(c[i], t->style.libm, m + i), s[i] = moved(s[i], t->style.libm, m + i / 2);
        if (i >= h - t->fault.still) c[i] = 1.0, s[i] = 0.0;
        if (t->fault.backwards) s[i] = -s[i];
        c[i] = twin_round(t->fault.table, c[i]);
        s[i] = twin_round(t->fault.table, s[i]);
    }
    if (t->fault.other_sine)
        for (int i = 0; i + 1 < h; i++) s[i] = s[i + 1];
}

/* ---- rotation ---------------------------------------------------------------------------------------- */

static void channels(const twin *t, rope_layout layout, int i, int *a, int *b) {
    const int r = width_of(t), first = t->spec.rotary_at == ROPE_TRAILING ? t->spec.dim - r : 0;
    *a = first + (layout == ROPE_INTERLEAVED ? 2 * i : i);
    *b = first + (layout == ROPE_INTERLEAVED ? 2 * i + 1 : i + r / 2);
}

/* x c - z s in the arithmetic of the program. */
static double combine(const twin *t, double x, double c, double z, double s) {
    if (t->style.short_products)
        return twin_round(t->grade, twin_round(t->grade, x * c) - twin_round(t->grade, z * s));
    if (is_wide(t) && t->grade == ROPE_F64) return x * c - z * s;
    const float product = (float)z * (float)s;
    return twin_round(t->grade, t->style.fused ? (double)fmaf((float)x, (float)c, -product)
                                               : (double)((float)x * (float)c - product));
}

void twin_rotate(const twin *t, int64_t m, int head, const double *x, double *y) {
    const int h = width_of(t) / 2, d = t->spec.dim;
    const rope_layout in = t->fault.in ? t->fault.in : t->spec.layout_in, out = t->fault.out ? t->fault.out : t->spec.layout_out;
    double c[ROPE_MAX_DIM / 2], s[ROPE_MAX_DIM / 2];
    twin_turns(t, m + (t->fault.head_as_position ? head : 0), c, s);
    for (int j = 0; j < d; j++) y[j] = t->fault.round_passed ? twin_round(ROPE_BF16, x[j]) : x[j];
    if (t->fault.head_still && head == TWIN_HEADS - 1) return;
    for (int i = 0; i < h; i++) {
        int a, b, ya, yb;
        channels(t, in, i, &a, &b);
        channels(t, out, i, &ya, &yb);
        int ia = i, ib = i;
        if (t->fault.other_tiling) { /* [c0 c0 c1 c1 ...] for half, [c0 c1 ... c0 c1 ...] for interleaved */
            const bool half = out == ROPE_HALF;
            ia = half ? i / 2 : 2 * i % h;
            ib = half ? (i + h) / 2 : (2 * i + 1) % h;
        }
        double turn[2][2] = {{c[ia], s[ia]}, {c[ib], s[ib]}};
        for (int k = 0; k < 4; k++) {
            double *const value = &turn[k / 2][k % 2];
            if (t->style.short_cache || t->style.short_products) *value = twin_round(t->grade, *value);
            else if (t->grade != ROPE_F64) *value = (double)(float)*value;
        }
        const double mirror = t->fault.reflected && i == 0 ? -1.0 : 1.0;
        y[ya] = combine(t, x[a], turn[0][0], x[b], mirror * turn[0][1]);
        y[yb] = combine(t, x[b], mirror * turn[1][0], x[a], -turn[1][1]);
        if (t->fault.poked && head == 0 && i == t->fault.poke_pair && m == t->fault.poke_m) y[ya] += t->fault.poke;
    }
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* The specification of NumPy's format: magic, version, header length, a Python literal, then the elements. */
void twin_write(const char *path, rope_dtype dtype, int rank, const size_t *shape, const double *values) {
    static const char *const names[] = {[ROPE_F64] = "<f8", [ROPE_F32] = "<f4", [ROPE_F16] = "<f2", [ROPE_BF16] = "<u2"};
    char header[128], dims[64] = "";
    size_t count = 1;
    for (int axis = 0; axis < rank; axis++) {
        snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%zu,", shape[axis]);
        count *= shape[axis];
    }
    FILE *file = fopen(path, "wb");
    assert(file);
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", names[dtype], dims);
    fprintf(file, "\x93NUMPY\x01%c\x76%c%-117s\n", 0, 0, header); /* 118 = 0x76 bytes follow: data start at 128 */
    for (size_t k = 0; k < count; k++) {
        const float single = (float)values[k];
        const uint16_t bits = twin_bits(dtype, values[k]);
        if (dtype == ROPE_F64) fwrite(&values[k], sizeof values[k], 1, file);
        else if (dtype == ROPE_F32) fwrite(&single, sizeof single, 1, file);
        else fwrite(&bits, sizeof bits, 1, file);
    }
    assert(!ferror(file));
    fclose(file);
}

static char *name_file(twin_dump *dump, int slot, const char *folder, const char *name) {
    snprintf(dump->path[slot], sizeof dump->path[slot], "%s/%s.npy", folder, name);
    return dump->path[slot];
}

static void begin(twin_dump *dump, const twin *t, subject_kind kind) {
    *dump = (twin_dump){.request = {.name = "twin", .kind = kind, .spec = t->spec}};
    dump->request.has_dtype = t->grade == ROPE_BF16;
    dump->request.dtype = t->grade;
}

void twin_dump_table(twin_dump *dump, const twin *t, const char *folder, int64_t first, size_t rows, table_tiling tiling) {
    const size_t h = (size_t)width_of(t) / 2, columns = tiling == TILING_NONE ? h : 2 * h, shape[] = {rows, columns};
    double *values = malloc(2 * rows * columns * sizeof *values), c[ROPE_MAX_DIM / 2], s[ROPE_MAX_DIM / 2];
    assert(values);
    for (size_t row = 0; row < rows; row++) {
        const int64_t m = first + (int64_t)row;
        twin_turns(t, m, c, s);
        if (t->fault.poked && m == t->fault.poke_m) c[t->fault.poke_pair] += t->fault.poke;
        for (size_t j = 0; j < columns; j++) {
            const size_t i = (t->fault.tiling ? t->fault.tiling : tiling) == TILING_PAIR ? j / 2 : j % h;
            values[row * columns + j] = twin_round(t->grade, c[i]);
            values[(rows + row) * columns + j] = twin_round(t->grade, s[i]);
        }
    }
    begin(dump, t, SUBJECT_TABLE);
    dump->request.first_position = first;
    twin_write(dump->request.cos = name_file(dump, 0, folder, "cos"), t->grade, 2, shape, values);
    twin_write(dump->request.sin = name_file(dump, 1, folder, "sin"), t->grade, 2, shape, values + rows * columns);
    free(values);
}

void twin_dump_rotated(twin_dump *dump, const twin *t, const char *folder, const int64_t *m, size_t rows) {
    const size_t d = (size_t)t->spec.dim, shape[] = {rows, TWIN_HEADS, d}, count = rows * TWIN_HEADS * d;
    double *x = malloc(2 * count * sizeof *x), *y = x + count, *positions = malloc(rows * sizeof *positions);
    uint64_t state = 1;
    assert(x && positions);
    for (size_t k = 0; k < count; k++) x[k] = twin_round(t->grade, ldexp(noise(&state), t->style.inputs));
    for (size_t k = 0; k < rows * TWIN_HEADS; k++)
        twin_rotate(t, m[k / TWIN_HEADS], (int)(k % TWIN_HEADS), x + k * d, y + k * d);
    for (size_t k = 0; k < rows; k++) positions[k] = (double)m[k];
    begin(dump, t, SUBJECT_ROTATED);
    twin_write(dump->request.before = name_file(dump, 0, folder, "before"), t->grade, 3, shape, x);
    twin_write(dump->request.after = name_file(dump, 1, folder, "after"), t->grade, 3, shape, y);
    twin_write(dump->request.positions = name_file(dump, 2, folder, "positions"), ROPE_F64, 1, shape, positions);
    free(x);
    free(positions);
}

void twin_dump_freqs(twin_dump *dump, const twin *t, const char *folder) {
    const size_t h = (size_t)width_of(t) / 2;
    double values[ROPE_MAX_DIM / 2];
    for (size_t i = 0; i < h; i++) values[i] = twin_round(t->grade, frequency(t, (int)i));
    if (t->fault.poked) values[t->fault.poke_pair] += t->fault.poke;
    begin(dump, t, SUBJECT_FREQS);
    twin_write(dump->request.freqs = name_file(dump, 0, folder, "freqs"), t->grade, 1, &h, values);
}

int twin_make_folder(void **state) {
    const char *parent = getenv("TMPDIR");
    char *folder = malloc(512);
    assert(folder);
    snprintf(folder, 512, "%s/rope-twin-XXXXXX", parent && *parent ? parent : "/tmp");
    const char *made = mkdtemp(folder);
    assert(made);
    (void)made;
    *state = folder;
    return 0;
}

int twin_remove_folder(void **state) {
    char *const folder = *state;
    DIR *directory = opendir(folder);
    assert(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path); /* "." and ".." stay */
    }
    closedir(directory);
    const int failed = rmdir(folder);
    free(folder);
    return failed;
}
