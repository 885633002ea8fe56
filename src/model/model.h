/* Models of computation: how an honest program forms an angle, replayed in its own arithmetic, and bounded.
 *
 * A model has parameters that a program may form a little differently (its float frequencies, its float
 * ratio); replay searches them in a derived window, then predicts cos and sin of m theta_i almost exactly. A
 * new model is one file and one row in model.c.
 *
 *   f64            theta_i and the angle in binary64                              (reference programs)
 *   direct-f32     f_i = RN32(theta_i) within some floats, angle RN32(RN32(m) f_i)  (PyTorch, JAX, vLLM)
 *   iterated-f32   angle_0 = RN32(m), angle_i = RN32(angle_(i-1) s), s near b^(-2/r)  (ggml)
 *   exp2-f32       as direct, f_i = exp2(-e_i log2 b): a wider window                (MLX)
 *   quotient-f32   p_i = b^(2i/r), angle RN32(RN32(m) / p_i)                      (plain C)
 *   divided-position-f32, multiplied-position-f32    linear scaling of the position  (vLLM, MLX)
 */
#ifndef ROPE_MODEL_H
#define ROPE_MODEL_H

#include <stdint.h>

#include "../bound.h"
#include "../spec.h"

struct rope_model {
    const char *name;
    const char *statement;
    rope_dtype arithmetic; /* ROPE_F32: replayed; ROPE_F64: compared with the exact phase */
    bool iterated;         /* one parameter, the ratio, for all pairs; else one frequency for each */

    bool (*applies)(const rope_spec *spec); /* NULL: to every spec */

    /* The parameter of pair i is a float within window() floats of center(); of the ratio, i = 0. */
    float (*center)(const rope_spec *spec, int i);
    int (*window)(const rope_spec *spec, int i);

    /* h float angles at a float position. */
    void (*angles)(const rope_spec *spec, const float *parameter, float position, float *angle);

    /* g_i: phase error <= |m| theta_i g_i u, without the scaling rule's roundings. g_0 = 0. */
    double (*growth)(const rope_spec *spec, int i);

    /* Roundings of an angle that differ from position to position; 0 when it is exact. */
    int (*steps)(const rope_spec *spec, int i);
};

extern const rope_model rope_model_f64, rope_model_direct, rope_model_iterated, rope_model_exp2, rope_model_quotient,
    rope_model_divided_position, rope_model_multiplied_position;
extern const rope_model *const rope_models[]; /* in the order they are tried; ends with NULL */

bool rope_model_applies(const rope_model *model, const rope_spec *spec);

/* e_i ln b = ln(1/theta_i) of the unscaled frequency. */
double rope_model_exponent(const rope_spec *spec, int i);

#endif
