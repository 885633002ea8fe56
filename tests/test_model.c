/* Models of computation against honest programs written here, and replay against programs whose parameters are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "../src/frequency/frequency.h"
#include "../src/model/replay.h"

static const int widths[] = {2, 4, 6, 8, 10, 64, 80, 96, 112, 128, 256};
static const double bases[] = {1e4, 5e5, 1e6, 150000.0, 12345.0, 25000.0};

static rope_spec spec_of(int width, double base, const char *scaling) {
    rope_spec spec = rope_spec_default();
    rope_error error;
    spec.dim = spec.rotary_dim = width;
    spec.base = base;
    spec.layout_in = spec.layout_out = ROPE_HALF;
    if (scaling) assert_int_equal(rope_spec_set_scaling(&spec, scaling, &error), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, &error), ROPE_OK);
    return spec;
}

/* ---- honest programs, step by step in binary32 ------------------------------------------------------- */

static void torch_angles(const rope_spec *spec, int64_t m, float factor, float *parameter, float *angle) {
    const int r = spec->rotary_dim;
    for (int i = 0; i < r / 2; i++) {
        const float exponent = (float)(2 * i) / (float)r, power = powf((float)spec->base, exponent);
        const float frequency = 1.0f / power;
        parameter[i] = frequency / factor;
        angle[i] = (float)m * parameter[i];
    }
}

static void ggml_angles(const rope_spec *spec, int64_t m, float factor, float *parameter, float *angle) {
    const float ratio = powf((float)spec->base, -2.0f / (float)spec->rotary_dim), scale = 1.0f / factor;
    float theta = (float)m;
    *parameter = ratio;
    for (int i = 0; i < spec->rotary_dim / 2; i++) {
        angle[i] = scale * theta;
        theta *= ratio;
    }
}

static void mlx_angles(const rope_spec *spec, int64_t m, float factor, float *parameter, float *angle) {
    const int r = spec->rotary_dim;
    const float logarithm = log2f((float)spec->base);
    for (int i = 0; i < r / 2; i++) {
        const float exponent = (float)i / (float)(r / 2), product = -exponent * logarithm;
        parameter[i] = exp2f(product) / factor;
        angle[i] = (float)m * parameter[i];
    }
}

static void plain_angles(const rope_spec *spec, int64_t m, float factor, float *parameter, float *angle) {
    const int r = spec->rotary_dim;
    for (int i = 0; i < r / 2; i++) {
        const float exponent = (float)(2 * i) / (float)r;
        parameter[i] = powf((float)spec->base, exponent) * factor;
        angle[i] = (float)m / parameter[i];
    }
}

typedef void honest_program(const rope_spec *spec, int64_t m, float factor, float *parameter, float *angle);

static const struct {
    honest_program *run;
    const rope_model *model;
} programs[] = {{torch_angles, &rope_model_direct}, {ggml_angles, &rope_model_iterated}, {plain_angles, &rope_model_quotient}, {mlx_angles, &rope_model_exp2}};

/* theta_i to 200 bits. */
static void exact_theta(mpfr_t theta, const rope_spec *spec, int i) {
    mpfr_set_d(theta, spec->base, MPFR_RNDN);
    mpfr_log(theta, theta, MPFR_RNDN);
    mpfr_mul_si(theta, theta, -2L * i, MPFR_RNDN);
    mpfr_div_si(theta, theta, spec->rotary_dim, MPFR_RNDN);
    mpfr_exp(theta, theta, MPFR_RNDN);
    if (spec->rule == &rope_rule_linear) mpfr_div_d(theta, theta, spec->rule_value[0], MPFR_RNDN);
}

/* |m theta - angle| */
static double angle_error(const mpfr_t theta, int64_t m, float angle) {
    mpfr_t exact;
    mpfr_init2(exact, 200);
    mpfr_mul_si(exact, theta, (long)m, MPFR_RNDN);
    mpfr_sub_d(exact, exact, (double)angle, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(exact, MPFR_RNDN));
    mpfr_clear(exact);
    return error;
}

/* ---- bounds ---------------------------------------------------------------------------------------- */

/* The phase error of a program at every position stays within theta g u per position; returns the largest share. */
static double check_program(size_t p, const rope_spec *spec, float factor) {
    static const int64_t positions[] = {1, 3, 255, 4095, 65537, 131071, 16777215, 2147483647};
    const rope_model *const model = programs[p].model;
    double sharpest = 0.0;
    float parameter[128], angle[8][128];
    mpfr_t theta;
    mpfr_init2(theta, 200);
    for (size_t n = 0; n < 8; n++) programs[p].run(spec, positions[n], factor, parameter, angle[n]);
    for (int i = 0; i < spec->rotary_dim / 2; i++) {
        exact_theta(theta, spec, i);
        for (size_t n = 0; n < 8; n++) {
            const double error = angle_error(theta, positions[n], angle[n][i]);
            const double bound = (double)positions[n] * rope_bound_slope(model, spec, i, (double)positions[n]);
            if (!(error <= bound))
                fail_msg("%s r=%d base=%g %s m=%lld i=%d: error %g, bound %g", model->name, spec->rotary_dim, spec->base,
                         spec->rule->name, (long long)positions[n], i, error, bound);
            if (bound > 0.0) sharpest = fmax(sharpest, error / bound);
        }
    }
    mpfr_clear(theta);
    return sharpest;
}

/* Containment for every program, width, base and rule, and sharpness: some pair comes within a factor of eight. */
static void test_growth(void **state) {
    (void)state;
    static const struct {
        const char *text;
        float factor;
    } rules[] = {{NULL, 1.0f}, {"linear:factor=4", 4.0f}, {"linear:factor=3", 3.0f}};
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        double sharpest = 0.0;
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
                for (size_t k = 0; k < 3; k++) {
                    const rope_spec spec = spec_of(widths[w], bases[b], rules[k].text);
                    sharpest = fmax(sharpest, check_program(p, &spec, rules[k].factor));
                }
        assert_true(sharpest > 0.125);
    }
}

/* Pair 0 is exact: no growth at all below 2^24 without scaling. */
static void test_pair_zero(void **state) {
    (void)state;
    const rope_spec spec = spec_of(128, 1e4, NULL);
    for (const rope_model *const *model = rope_models; *model; model++)
        assert_true(rope_bound_slope(*model, &spec, 0, 0x1p24) == 0.0);
    assert_true(rope_bound_slope(NULL, &spec, 0, 0x1p24) == 0.0);
    assert_true(rope_bound_slope(&rope_model_direct, &spec, 0, 0x1p24 + 1.0) > 0.0);
}

static int floats_apart(float a, float b) {
    int32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return abs(x - y);
}

/* The parameters that honest programs form lie in the search window. */
static void test_windows(void **state) {
    (void)state;
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
                const rope_spec spec = spec_of(widths[w], bases[b], NULL);
                const rope_model *model = programs[p].model;
                float parameter[128], angle[128];
                programs[p].run(&spec, 1, 1.0f, parameter, angle);
                for (int i = 0; i < (model->iterated ? (widths[w] > 2) : widths[w] / 2); i++) {
                    const int apart = floats_apart(parameter[i], model->center(&spec, i));
                    if (apart > model->window(&spec, i))
                        fail_msg("%s r=%d base=%g i=%d: %d floats from the centre, window %d", model->name, widths[w], bases[b], i, apart,
                                 model->window(&spec, i));
                }
            }
}

/* ---- replay ---------------------------------------------------------------------------------------- */

typedef struct dump {
    size_t rows;
    int h;
    int64_t *m;
    double *alpha, *beta, *value, *norm;
    int *pair;
} dump;

static dump dump_new(size_t rows, int h) {
    const size_t values = rows * 2 * (size_t)h;
    dump d = {.rows = rows, .h = h};
    d.m = calloc(rows, sizeof *d.m);
    d.alpha = calloc(4 * values, sizeof *d.alpha);
    d.pair = calloc(2 * (size_t)h, sizeof *d.pair);
    assert_true(d.m && d.alpha && d.pair);
    d.beta = d.alpha + values;
    d.value = d.beta + values;
    d.norm = d.value + values;
    for (size_t t = 0; t < rows; t++)
        for (int j = 0; j < 2 * h; j++) {
            const size_t at = t * 2 * (size_t)h + (size_t)j;
            (j < h ? d.alpha : d.beta)[at] = 1.0;
            d.norm[at] = 1.0;
        }
    for (int j = 0; j < 2 * h; j++) d.pair[j] = j % h;
    return d;
}

static void dump_free(dump *d) {
    free(d->m);
    free(d->alpha);
    free(d->pair);
}

static rope_samples samples_of(const dump *d, rope_dtype grade) {
    return (rope_samples){.rows = d->rows, .channels = 2 * d->h, .m = d->m, .alpha = d->alpha, .beta = d->beta, .value = d->value,
                          .norm = d->norm, .pair = d->pair, .grade = grade};
}

/* cos and sin of a program's float angles by the C library's float functions. */
static void fill_row(dump *d, size_t t, int64_t m, const float *angle) {
    d->m[t] = m;
    for (int i = 0; i < d->h; i++) {
        d->value[t * 2 * (size_t)d->h + (size_t)i] = (double)cosf(angle[i]);
        d->value[t * 2 * (size_t)d->h + (size_t)(d->h + i)] = (double)sinf(angle[i]);
    }
}

/* Each honest program is identified, by its own model, with its own parameters where the angles determine them. */
static void test_identification(void **state) {
    (void)state;
    const struct {
        int width;
        double base;
    } cases[] = {{128, 1e4}, {96, 5e5}, {112, 25000.0}, {64, 1e6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t p = 0; p < 3; p++) { /* exp2 differs from direct by its window only */
            const rope_spec spec = spec_of(cases[k].width, cases[k].base, NULL);
            const int h = cases[k].width / 2;
            dump d = dump_new(24, h);
            float parameter[128], angle[128];
            for (size_t t = 0; t < d.rows; t++) {
                const int64_t m = 131071 - 1013 * (int64_t)t;
                programs[p].run(&spec, m, 1.0f, parameter, angle);
                fill_row(&d, t, m, angle);
            }
            const rope_samples samples = samples_of(&d, ROPE_F32);
            const rope_program honest = rope_program_honest(&spec);
            rope_fit fit;
            assert_int_equal(rope_fit_best(&fit, &honest, &samples, NULL), ROPE_OK);
            assert_true(fit.identified);
            assert_int_equal(fit.pairs_explained, h);
            assert_string_equal(fit.model->name, programs[p].model->name);
            assert_true(fit.residual_u <= 3.0);
            for (int i = 0; i < (fit.model->iterated ? 1 : h); i++)
                if (131071.0 * (double)parameter[i] > 100.0) assert_true(fit.parameter[i] == parameter[i]);
            rope_fit_clear(&fit);
            dump_free(&d);
        }
}

/* A program that rounds its frequencies to bf16 is not honest, and is explained by the hypothesis that says so. */
static void test_hypothesis(void **state) {
    (void)state;
    const rope_spec spec = spec_of(64, 1e4, NULL);
    dump d = dump_new(24, 32);
    float parameter[128], angle[128];
    for (size_t t = 0; t < d.rows; t++) {
        const int64_t m = 11 + 97 * (int64_t)t;
        torch_angles(&spec, m, 1.0f, parameter, angle);
        for (int i = 0; i < 32; i++) {
            uint32_t bits;
            memcpy(&bits, &parameter[i], sizeof bits);
            bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u; /* RN to bfloat16 */
            memcpy(&parameter[i], &bits, sizeof bits);
            angle[i] = (float)m * parameter[i];
        }
        fill_row(&d, t, m, angle);
    }
    const rope_samples samples = samples_of(&d, ROPE_F32);
    rope_program program = rope_program_honest(&spec);
    rope_fit fit;
    assert_int_equal(rope_fit_best(&fit, &program, &samples, NULL), ROPE_OK);
    assert_false(fit.identified);
    rope_fit_clear(&fit);
    program.frequency = ROPE_BF16;
    assert_int_equal(rope_fit_best(&fit, &program, &samples, NULL), ROPE_OK);
    assert_int_equal(fit.pairs_explained, 32);
    rope_fit_clear(&fit);
    program.frequency = ROPE_F16;
    assert_int_equal(rope_fit_best(&fit, &program, &samples, NULL), ROPE_OK);
    assert_false(fit.identified);
    rope_fit_clear(&fit);
    dump_free(&d);
}

/* A grade of f64 is not reached by float32 angles, and is by doubles. */
static void test_f64_grade(void **state) {
    (void)state;
    const rope_spec spec = spec_of(64, 1e4, NULL);
    dump d = dump_new(16, 32);
    float parameter[128], angle[128];
    for (size_t t = 0; t < d.rows; t++) {
        const int64_t m = 4095 - 13 * (int64_t)t;
        torch_angles(&spec, m, 1.0f, parameter, angle);
        fill_row(&d, t, m, angle);
    }
    rope_samples samples = samples_of(&d, ROPE_F64);
    const rope_program honest = rope_program_honest(&spec);
    rope_fit fit;
    assert_int_equal(rope_fit_best(&fit, &honest, &samples, NULL), ROPE_OK);
    assert_false(fit.identified);
    rope_fit_clear(&fit);
    mpfr_t angle_bits, sine, cosine;
    mpfr_inits2(120, angle_bits, sine, cosine, (mpfr_ptr)0);
    for (size_t t = 0; t < d.rows; t++)
        for (int i = 0; i < 32; i++) {
            mpfr_set_si(angle_bits, -2L * i, MPFR_RNDN); /* 10000^(-2i/64) m to 120 bits */
            mpfr_div_si(angle_bits, angle_bits, 64, MPFR_RNDN);
            mpfr_ui_pow(angle_bits, 10000, angle_bits, MPFR_RNDN);
            mpfr_mul_si(angle_bits, angle_bits, (long)d.m[t], MPFR_RNDN);
            mpfr_sin_cos(sine, cosine, angle_bits, MPFR_RNDN);
            d.value[t * 64 + (size_t)i] = mpfr_get_d(cosine, MPFR_RNDN);
            d.value[t * 64 + 32 + (size_t)i] = mpfr_get_d(sine, MPFR_RNDN);
        }
    mpfr_clears(angle_bits, sine, cosine, (mpfr_ptr)0);
    assert_int_equal(rope_fit_best(&fit, &honest, &samples, NULL), ROPE_OK);
    assert_true(fit.identified);
    assert_string_equal(fit.model->name, "f64");
    rope_fit_clear(&fit);
    dump_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth),         cmocka_unit_test(test_pair_zero),
                                       cmocka_unit_test(test_windows),        cmocka_unit_test(test_identification),
                                       cmocka_unit_test(test_hypothesis),     cmocka_unit_test(test_f64_grade)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
