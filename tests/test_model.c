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

/* ---- honest programs, step by step ------------------------------------------------------------------- */

/* Binary32 throughout. */

static void torch_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const int r = spec->rotary_dim;
    for (int i = 0; i < r / 2; i++) {
        const float exponent = (float)(2 * i) / (float)r, power = powf((float)spec->base, exponent);
        const float frequency = 1.0f / power / factor;
        parameter[i] = (double)frequency;
        angle[i] = (double)((float)m * frequency);
    }
}

static void ggml_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const float ratio = powf((float)spec->base, -2.0f / (float)spec->rotary_dim), scale = 1.0f / factor;
    float theta = (float)m;
    *parameter = (double)ratio;
    for (int i = 0; i < spec->rotary_dim / 2; i++) {
        angle[i] = (double)(scale * theta);
        theta *= ratio;
    }
}

static void accumulated_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const float ratio = powf((float)spec->base, -2.0f / (float)spec->rotary_dim);
    float frequency = 1.0f;
    *parameter = (double)ratio;
    for (int i = 0; i < spec->rotary_dim / 2; i++) {
        angle[i] = (double)((float)m * (frequency / factor));
        frequency *= ratio;
    }
}

static void mlx_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const int r = spec->rotary_dim;
    const float logarithm = log2f((float)spec->base);
    for (int i = 0; i < r / 2; i++) {
        const float exponent = (float)i / (float)(r / 2), product = -exponent * logarithm;
        const float frequency = exp2f(product) / factor;
        parameter[i] = (double)frequency;
        angle[i] = (double)((float)m * frequency);
    }
}

static void plain_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const int r = spec->rotary_dim;
    for (int i = 0; i < r / 2; i++) {
        const float exponent = (float)(2 * i) / (float)r, divisor = powf((float)spec->base, exponent) * factor;
        parameter[i] = (double)divisor;
        angle[i] = (double)((float)m / divisor);
    }
}

/* Frequencies in binary64, angles rounded to float. */
static void flax_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const int r = spec->rotary_dim;
    for (int i = 0; i < r / 2; i++) {
        parameter[i] = 1.0 / pow(spec->base, 2.0 * i / r) / (double)factor;
        angle[i] = (double)(float)((double)m * parameter[i]);
    }
}

/* Float frequencies and divisors, angles in binary64. */

static void numpy_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    torch_angles(spec, m, factor, parameter, angle);
    for (int i = 0; i < spec->rotary_dim / 2; i++) angle[i] = (double)m * parameter[i];
}

static void numpy_exp2_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    mlx_angles(spec, m, factor, parameter, angle);
    for (int i = 0; i < spec->rotary_dim / 2; i++) angle[i] = (double)m * parameter[i];
}

static void numpy_quotient_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    plain_angles(spec, m, factor, parameter, angle);
    for (int i = 0; i < spec->rotary_dim / 2; i++) angle[i] = (double)m / parameter[i];
}

static void numpy_accumulated_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    accumulated_angles(spec, 1, factor, parameter, angle); /* 1 f_i is f_i */
    for (int i = 0; i < spec->rotary_dim / 2; i++) angle[i] *= (double)m;
}

/* Binary64 throughout. */
static void double_accumulated_angles(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle) {
    const double ratio = pow(spec->base, -2.0 / spec->rotary_dim);
    double theta = 1.0;
    for (int i = 0; i < spec->rotary_dim / 2; i++, theta *= ratio) angle[i] = (double)m * (parameter[i] = theta / (double)factor);
}

typedef void honest_program(const rope_spec *spec, int64_t m, float factor, double *parameter, double *angle);

static const struct {
    honest_program *run;
    const rope_model *model;
} programs[] = {{torch_angles, &rope_model_direct},       {ggml_angles, &rope_model_iterated},
                {plain_angles, &rope_model_quotient},     {flax_angles, &rope_model_float_angle},
                {numpy_angles, &rope_model_float_frequency}, {numpy_quotient_angles, &rope_model_float_quotient},
                {mlx_angles, &rope_model_exp2},           {numpy_exp2_angles, &rope_model_float_exp2},
                {accumulated_angles, &rope_model_accumulated}, {numpy_accumulated_angles, &rope_model_accumulated_float_frequency},
                {double_accumulated_angles, &rope_model_accumulated_double}};
enum { DIRECT_PROGRAMS = 5 }; /* the last ones have frequencies that direct ones may have, too */

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
static double angle_error(const mpfr_t theta, int64_t m, double angle) {
    mpfr_t exact;
    mpfr_init2(exact, 200);
    mpfr_mul_si(exact, theta, (long)m, MPFR_RNDN);
    mpfr_sub_d(exact, exact, angle, MPFR_RNDN);
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
    double parameter[128], angle[8][128];
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
        if (rope_model_applies(*model, &spec)) assert_true(rope_bound_slope(*model, &spec, 0, 0x1p24) == 0.0);
    assert_true(rope_bound_slope(NULL, &spec, 0, 0x1p24) == 0.0);
    assert_true(rope_bound_slope(&rope_model_direct, &spec, 0, 0x1p24 + 1.0) > 0.0);
}

static int floats_apart(double a, double b) {
    const float single[] = {(float)a, (float)b};
    int32_t x, y;
    memcpy(&x, &single[0], sizeof x);
    memcpy(&y, &single[1], sizeof y);
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
                if (!model->window) continue;
                double parameter[128], angle[128];
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

/* cos and sin of a program's angles by the C library's functions for the format, as floats. */
static void fill_row(dump *d, size_t t, int64_t m, const double *angle, rope_dtype trig) {
    d->m[t] = m;
    for (int i = 0; i < d->h; i++) {
        const bool single = trig == ROPE_F32;
        d->value[t * 2 * (size_t)d->h + (size_t)i] = (double)(single ? cosf((float)angle[i]) : (float)cos(angle[i]));
        d->value[t * 2 * (size_t)d->h + (size_t)(d->h + i)] = (double)(single ? sinf((float)angle[i]) : (float)sin(angle[i]));
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
        for (size_t p = 0; p < sizeof programs / sizeof *programs - DIRECT_PROGRAMS; p++) {
            const rope_spec spec = spec_of(cases[k].width, cases[k].base, NULL);
            const int h = cases[k].width / 2;
            dump d = dump_new(24, h);
            double parameter[128], angle[128];
            for (size_t t = 0; t < d.rows; t++) {
                const int64_t m = 131071 - 1013 * (int64_t)t;
                programs[p].run(&spec, m, 1.0f, parameter, angle);
                fill_row(&d, t, m, angle, programs[p].model->trig);
            }
            const rope_samples samples = samples_of(&d, ROPE_F32);
            const rope_program honest = rope_program_honest(&spec);
            rope_fit fit;
            assert_int_equal(rope_fit_best(&fit, &honest, &samples, NULL), ROPE_OK);
            assert_true(fit.identified);
            assert_int_equal(fit.pairs_explained, h);
            assert_string_equal(fit.model->name, programs[p].model->name);
            assert_true(fit.residual_u <= 3.0);
            for (int i = 0; fit.model->window && i < (fit.model->iterated ? 1 : h); i++)
                if (fabs(angle[i]) > 100.0) assert_true(fit.parameter[i] == parameter[i]);
            rope_fit_clear(&fit);
            dump_free(&d);
        }
}

/* A program that rounds its frequencies to bf16 is not honest, and is explained by the hypothesis that says so. */
static void test_hypothesis(void **state) {
    (void)state;
    const rope_spec spec = spec_of(64, 1e4, NULL);
    dump d = dump_new(24, 32);
    double parameter[128], angle[128];
    for (size_t t = 0; t < d.rows; t++) {
        const int64_t m = 11 + 97 * (int64_t)t;
        torch_angles(&spec, m, 1.0f, parameter, angle);
        for (int i = 0; i < 32; i++) {
            float single = (float)parameter[i];
            uint32_t bits;
            memcpy(&bits, &single, sizeof bits);
            bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u; /* RN to bfloat16 */
            memcpy(&single, &bits, sizeof bits);
            angle[i] = (double)((float)m * single);
        }
        fill_row(&d, t, m, angle, ROPE_F32);
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
    double parameter[128], angle[128];
    for (size_t t = 0; t < d.rows; t++) {
        const int64_t m = 4095 - 13 * (int64_t)t;
        torch_angles(&spec, m, 1.0f, parameter, angle);
        fill_row(&d, t, m, angle, ROPE_F32);
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

/* ---- binary64 angles rounded to float ---------------------------------------------------------------- */

/* A base for which 131071 theta_1 lies on the middle between two floats, to a few 2^-53 of itself: theta_1 = b^(-1/2) at r = 4. */
static const double tie = 16384.0 + 0x1p-10; /* floats below 2^15 are 2^-9 apart */
static rope_spec tied_spec(void) {
    const double root = 131071.0 / tie;
    return spec_of(4, root * root, NULL);
}

/* Both neighbours of a tie are the program's, and nothing beyond them; away from ties there is one angle. */
static void test_ties(void **state) {
    (void)state;
    const rope_spec spec = tied_spec();
    const rope_program honest = rope_program_honest(&spec);
    const int64_t positions[] = {131069, 131070, 131071, 131072};
    double alpha[16], beta[16], norm[16], value[16] = {0}, parameter[2], expected[2];
    const int pair[] = {0, 1, 0, 1};
    for (int k = 0; k < 16; k++) alpha[k] = k % 4 < 2, beta[k] = k % 4 >= 2, norm[k] = 1.0;
    const rope_samples samples = {4, 4, positions, alpha, beta, value, norm, pair, ROPE_F32, ROPE_UNROTATED};
    rope_fit fit;
    assert_int_equal(rope_fit_search(&fit, &honest, &rope_model_float_angle, &samples, NULL), ROPE_OK);
    for (size_t k = 0; k < 4; k++) {
        double angle[2], spread[2], quick[2];
        flax_angles(&spec, positions[k], 1.0f, parameter, expected);
        rope_fit_angles(&fit, positions[k], angle, spread);
        rope_fit_angles(&fit, positions[k], quick, NULL);
        assert_true(angle[0] == (double)positions[k] && spread[0] == 0.0 && quick[0] == angle[0]);
        if (positions[k] == 131071) {
            assert_true(isnan(quick[1]) && angle[1] == tie && spread[1] == 0x1p-10);
            assert_true(fabs(expected[1] - angle[1]) == spread[1]); /* one of the two */
        } else {
            assert_true(quick[1] == angle[1] && spread[1] == 0.0 && angle[1] == expected[1]);
        }
    }
    rope_fit_clear(&fit);
}

/* The binary64 product of any recipe is within the drift of the one that replay forms. */
static void test_drift(void **state) {
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            for (int i = 0; i < widths[w] / 2; i++) {
                const rope_spec spec = spec_of(widths[w], bases[b], NULL);
                const double e = 2.0 * i / widths[w], m = 131071.0, replayed = m * rope_frequency_double(&spec, i);
                const double recipes[] = {pow(bases[b], -e), 1.0 / pow(bases[b], e), exp(-e * log(bases[b])), exp2(-e * log2(bases[b]))};
                for (size_t k = 0; k < 4; k++) {
                    const double off = fabs(m * recipes[k] - replayed), drift = m * rope_bound_drift(&rope_model_float_angle, &spec, i);
                    if (!(off <= drift)) fail_msg("r=%d base=%g i=%d recipe %zu: %g > %g", widths[w], bases[b], i, k, off, drift);
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth),         cmocka_unit_test(test_pair_zero),
                                       cmocka_unit_test(test_windows),        cmocka_unit_test(test_identification),
                                       cmocka_unit_test(test_hypothesis),     cmocka_unit_test(test_f64_grade),
                                       cmocka_unit_test(test_ties),           cmocka_unit_test(test_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
