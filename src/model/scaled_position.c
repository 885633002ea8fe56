/* Linear scaling applied to the position: angle RN32(p f_i) with the unscaled f_i and p = RN32(RN32(m) / factor) (vLLM,
 * older Hugging Face), or p = RN32(RN32(m) RN32(1/factor)) (MLX). For a power of two p is exact, and both are what
 * direct and exp2 do.
 *
 * Roundings beyond the unscaled program's: p by u, and 1/factor by u: the two that the rule counts. They stand in the growth
 * through what is declared; the window is that of the unscaled frequency. Pair 0: f_0 = 1, and p alone rounds.
 * [derivation 7.5, 8.2, 9, 11] [proofs/numeric/scaled.gappa] */
#include "../frequency/frequency.h"
#include "model.h"

static rope_spec unscaled(const rope_spec *spec) {
    rope_spec plain = *spec;
    plain.rule = &rope_rule_default;
    return plain;
}

static bool applies(const rope_spec *spec) {
    return spec->rule == &rope_rule_linear && rope_rule_roundings(spec, 0) > 0.0;
}

static double center(const rope_spec *spec, int i) {
    const rope_spec plain = unscaled(spec);
    return rope_model_direct.center(&plain, i);
}

static int direct_window(const rope_spec *spec, int i) {
    const rope_spec plain = unscaled(spec);
    return rope_model_direct.window(&plain, i);
}

static int exp2_window(const rope_spec *spec, int i) {
    const rope_spec plain = unscaled(spec);
    return rope_model_exp2.window(&plain, i);
}

static void divided(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_direct.angles(spec, parameter, (double)((float)position / (float)spec->rule_value[0]), angle);
}

static void multiplied(const rope_spec *spec, const double *parameter, double position, double *angle) {
    rope_model_direct.angles(spec, parameter, (double)((float)position * (1.0f / (float)spec->rule_value[0])), angle);
}

static double direct_growth(const rope_spec *spec, int i) { return rope_model_direct.growth(spec, i); }
static double exp2_growth(const rope_spec *spec, int i) { return rope_model_exp2.growth(spec, i); }

static int steps(const rope_spec *spec, int i) {
    (void)spec;
    return i > 0 ? 2 : 1;
}

const rope_model rope_model_divided_position = {
    .name = "divided-position-f32",
    .statement = "f = RN32(b^(-2i/r)) within some floats, angle = RN32(RN32(RN32(m) / factor) f)",
    .position = ROPE_F32,
    .frequency = ROPE_F32,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .applies = applies,
    .center = center,
    .window = direct_window,
    .angles = divided,
    .growth = direct_growth,
    .steps = steps,
};

const rope_model rope_model_multiplied_position = {
    .name = "multiplied-position-f32",
    .statement = "f = exp2(-e log2 b) within some floats, angle = RN32(RN32(RN32(m) RN32(1/factor)) f)",
    .position = ROPE_F32,
    .frequency = ROPE_F32,
    .angle = ROPE_F32,
    .trig = ROPE_F32,
    .applies = applies,
    .center = center,
    .window = exp2_window,
    .angles = multiplied,
    .growth = exp2_growth,
    .steps = steps,
};
