/* The built-in kernels as subjects, and the probe positions that they and the user's programs are asked for. */
#include <stdlib.h>
#include <string.h>

#include "../../../src/rotation.h"
#include "../../../src/table.h"
#include "../subject.h"

/* ---- probe positions ------------------------------------------------------------------------------- */

/* Where positions round (bf16 above 256, f16 and TF32 above 2048), indices wrap (2^15, 2^16), f16 overflows (65520) and
 * windows end. */
static const int64_t probe_ranges[][2] = {{0, 3},         {255, 260},     {2047, 2050},     {4095, 4099},    {8191, 8192},
                                          {32767, 32768}, {65519, 65520}, {65535, 65537},   {131071, 131071}, {1048575, 1048575}};

int64_t *subject_probe_positions(int64_t max_position, size_t *count) {
    int64_t *positions = malloc(64 * sizeof *positions);
    *count = 0;
    if (!positions) abort();
    for (size_t k = 0; k < sizeof probe_ranges / sizeof *probe_ranges; k++)
        for (int64_t m = probe_ranges[k][0]; m <= probe_ranges[k][1] && m <= max_position; m++)
            positions[(*count)++] = m;
    if (*count && positions[*count - 1] < max_position) positions[(*count)++] = max_position;
    return positions;
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static void rotate_in(rope_dtype dtype, const rope_spec *spec, int64_t m, size_t count, const double *x, double *y) {
    const int h = rope_spec_pairs(spec);
    const size_t d = (size_t)spec->dim;
    double c[h], s[h];
    rope_rotation_table(dtype, spec, m, c, s);
    for (size_t k = 0; k < count; k++) rope_rotate(dtype, spec, c, s, false, x + k * d, y + k * d);
}

#define KERNEL(name, dtype)                                                                                  \
    static void rotate_##name(const rope_spec *spec, int64_t m, size_t count, const double *x, double *y) { \
        rotate_in(dtype, spec, m, count, x, y);                                                              \
    }
KERNEL(f64, ROPE_F64)
KERNEL(f32, ROPE_F32)
KERNEL(f16, ROPE_F16)
KERNEL(bf16, ROPE_BF16)
#undef KERNEL

static void rotate_mpfr(const rope_spec *spec, int64_t m, size_t count, const double *x, double *y) {
    const size_t values = count * (size_t)spec->dim;
    mpfr_t *in = malloc(2 * values * sizeof *in), *out = in + values;
    if (!in) abort();
    for (size_t j = 0; j < values; j++) {
        mpfr_init2(in[j], 53);
        mpfr_init2(out[j], 128);
        mpfr_set_d(in[j], x[j], MPFR_RNDN);
    }
    rope_rotate_mpfr(spec, m, false, count, (const mpfr_t *)in, out);
    for (size_t j = 0; j < values; j++) y[j] = mpfr_get_d(out[j], MPFR_RNDN);
    for (size_t j = 0; j < 2 * values; j++) mpfr_clear(in[j]);
    free(in);
}

const subject_kernel subject_kernels[] = {
    {"mpfr", ROPE_F64, false, rotate_mpfr},
    {"f64", ROPE_F64, true, rotate_f64},
    {"f32", ROPE_F32, true, rotate_f32},
    {"f16", ROPE_F16, true, rotate_f16},
    {"bf16", ROPE_BF16, true, rotate_bf16},
    {NULL, ROPE_F64, false, NULL},
};

rope_subject *subject_built_in(const subject_kernel *kernel, const rope_spec *spec, uint64_t seed, int64_t max_position) {
    rope_subject *subject = calloc(1, sizeof *subject);
    if (!subject) abort();
    subject->name = kernel->name;
    subject->kind = SUBJECT_BUILT_IN;
    subject->spec = *spec;
    subject->dtype = subject->grade = kernel->dtype;
    subject->batches = subject->heads = subject->position_batches = 1;
    subject->kernel = kernel;
    subject->seed = seed;
    subject->max_position = max_position;
    return subject;
}
