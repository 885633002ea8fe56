/* angle_0 = RN32(m), angle_i = RN32(angle_(i-1) s) with s = RN32(b^(-2/r)), then the scaling. (ggml, llama.cpp)
 *
 * s is off by u for its power and by (2/r) ln b u for its exponent, i times in angle_i: i + e_i ln b. Each of i
 * products rounds by u: g_i = 2i + e_i ln b. g_0 = 0.
 *
 * Window: 1 + (2/r) ln b floats, two more for a power within 1.5 ulps.
 *
 * A linear factor multiplies the angle (RN32(freq_scale angle_i), freq_scale = RN32(1/factor)); other rules change theta_i in ways
 * an iteration does not follow: they are approximated by scaling each angle with theta_i over b^(-2i/r). */
#include <math.h>

#include "../frequency/frequency.h"
#include "model.h"

static float center(const rope_spec *spec, int i) {
    (void)i;
    if (rope_spec_pairs(spec) < 2) return 1.0f; /* one pair: the ratio is never used */
    return (float)(rope_frequency_double(spec, 1) / rope_frequency_double(spec, 0));
}

static int window(const rope_spec *spec, int i) {
    (void)i;
    return (int)ceil(3.0 + 2.0 / spec->rotary_dim * log(spec->base));
}

static void angles(const rope_spec *spec, const float *parameter, float position, float *angle) {
    const int h = rope_spec_pairs(spec);
    const float scale = (float)rope_frequency_double(spec, 0); /* 1, or 1/factor: theta_0 of every geometric rule */
    float unscaled = position;
    for (int i = 0; i < h; i++) {
        angle[i] = scale * unscaled;
        unscaled *= *parameter;
    }
}

static double growth(const rope_spec *spec, int i) { return 2.0 * i + rope_model_exponent(spec, i); }

/* i products, and one with a scale that is no power of two. */
static int steps(const rope_spec *spec, int i) { return i + (rope_rule_roundings(spec, 0) > 0.0); }

const rope_model rope_model_iterated = {
    .name = "iterated-f32",
    .statement = "angle_0 = RN32(m), angle_i = RN32(angle_(i-1) s), s = RN32(b^(-2/r))",
    .arithmetic = ROPE_F32,
    .iterated = true,
    .center = center,
    .window = window,
    .angles = angles,
    .growth = growth,
    .steps = steps,
};
