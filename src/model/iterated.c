/* angle_0 = RN32(m), angle_i = RN32(angle_(i-1) s) with s = RN32(b^(-2/r)), then the scaling. (ggml, llama.cpp)
 *
 * s is off by u for its power and by (2/r) ln b u for its exponent, i times in angle_i: i + e_i ln b. Each of i
 * products rounds by u: g_i = 2i + e_i ln b, and what the spec declares. g_0 = 0.
 *
 * Window: 1 + (2/r) ln b floats, two more for a power within 1.5 ulps, and (2/r) times what is declared.
 * [derivation 7.3, 9, 11] [proofs/numeric/iterated.gappa]
 *
 * A linear factor multiplies the angle (RN32(freq_scale angle_i), freq_scale = RN32(1/factor)); other rules change theta_i in ways
 * an iteration does not follow: they are approximated by scaling each angle with theta_i over b^(-2i/r). */
#include <math.h>

#include "../frequency/frequency.h"
#include "model.h"

static double center(const rope_spec *spec, int i) {
    (void)i;
    if (rope_spec_pairs(spec) < 2) return 1.0; /* one pair: the ratio is never used */
    return (double)(float)(rope_frequency_double(spec, 1) / rope_frequency_double(spec, 0));
}

static int window(const rope_spec *spec, int i) {
    (void)i;
    return (int)ceil(ROPE_POWER_SEARCHED + 2.0 / spec->rotary_dim * (log(spec->base) + rope_model_declared(spec, 1)));
}

static void angles(const rope_spec *spec, const double *parameter, double position, double *angle) {
    const int h = rope_spec_pairs(spec);
    const float scale = (float)rope_frequency_double(spec, 0); /* 1, or 1/factor: theta_0 of every geometric rule */
    const float ratio = (float)*parameter;
    float unscaled = (float)position;
    for (int i = 0; i < h; i++) {
        angle[i] = (double)(scale * unscaled);
        unscaled *= ratio;
    }
}

static double growth(const rope_spec *spec, int i) { return (ROPE_POWER_ASSUMED + 1.0) * i + rope_model_exponent(spec, i) + rope_model_declared(spec, i); }

/* i products, and one with a scale that is no power of two. */
static int steps(const rope_spec *spec, int i) { return i + (rope_rule_roundings(spec, 0) > 0.0); }

const rope_model rope_model_iterated = {
    .name = "iterated-f32",
    .statement = "angle_0 = RN32(m), angle_i = RN32(angle_(i-1) s), s = RN32(b^(-2/r))",
    .position = ROPE_F32,
    .frequency = ROPE_F32,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .iterated = true,
    .center = center,
    .window = window,
    .angles = angles,
    .growth = growth,
    .steps = steps,
};
