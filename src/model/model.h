/* Models of computation: how an honest program forms an angle, replayed in its own arithmetic, and bounded.
 *
 * A model has parameters that a program may form a little differently (its float frequencies, its float
 * ratio); replay searches them in a derived window, then predicts cos and sin of m theta_i almost exactly. A
 * new model is one file and one row in model.c.
 *
 *   f64            theta_i and the angle in binary64                              (reference programs)
 *   direct-f32     f_i = RN32(theta_i) within some floats, angle RN32(RN32(m) f_i)  (PyTorch, JAX, vLLM)
 *   iterated-f32   angle_0 = RN32(m), angle_i = RN32(angle_(i-1) s), s near b^(-2/r)  (ggml)
 *   accumulated-f32    f_i = RN32(f_(i-1) s), angle RN32(RN32(m) f_i)            (cumulative products)
 *   quotient-f32   p_i = b^(2i/r), angle RN32(RN32(m) / p_i)                      (plain C)
 *   exp2-f32       as direct, f_i = exp2(-e_i log2 b): a wider window                (MLX)
 *   divided-position-f32, multiplied-position-f32    linear scaling of the position  (vLLM, MLX)
 *
 * A mixed one names the formats of its frequency and its angle, and before them that of a position divided by a factor:
 *
 *   direct-f32-f64, quotient-f32-f64, exp2-f32-f64    a float f_i or p_i, angle m f_i or m / p_i in binary64  (NumPy)
 *   accumulated-f32-f64, accumulated-f64    products of frequencies as above, the angle or all of it in binary64
 *   direct-f64-f32    theta_i and m theta_i in binary64, angle RN32(m theta_i)       (Flax)
 *   divided-f64-f32-f64, divided-f64-f32-f32, divided-f32-f64-f64, divided-f32-f64-f32
 */
#ifndef ROPE_MODEL_H
#define ROPE_MODEL_H

#include <stdint.h>

#include "../bound.h"
#include "../spec.h"

struct rope_model {
    const char *name;
    const char *statement;

    /* What positions (when scaled), frequencies, angles, and cos and sin are rounded to: f32 or f64. */
    rope_dtype position, frequency, angle, trig;
    bool iterated; /* one parameter, the ratio, for all pairs; else one frequency for each */

    bool (*applies)(const rope_spec *spec); /* NULL: to every spec */

    /* The parameter of pair i is a float within window() floats of center(), or center() itself when there is no window; of
     * the ratio, i = 0. */
    double (*center)(const rope_spec *spec, int i);
    int (*window)(const rope_spec *spec, int i);

    /* h angles at a position, rounded as the program does it, but for a last rounding from binary64 to float: with a slack,
     * replay makes that one. */
    void (*angles)(const rope_spec *spec, const double *parameter, double position, double *angle);

    /* How far the program's binary64 angle may be from angles(), in 2^-53 |m| theta_i; NULL: they are equal. */
    double (*slack)(const rope_spec *spec, int i);

    /* g_i: phase error <= |m| theta_i g_i u, u the model's unit. 0 when nothing rounds, as for pair 0 of most. */
    double (*growth)(const rope_spec *spec, int i);

    /* Roundings of an angle that differ from position to position; 0 when it is exact. */
    int (*steps)(const rope_spec *spec, int i);
};

extern const rope_model rope_model_f64, rope_model_direct, rope_model_iterated, rope_model_accumulated, rope_model_exp2,
    rope_model_quotient, rope_model_divided_position, rope_model_multiplied_position;
extern const rope_model rope_model_float_angle, rope_model_float_frequency, rope_model_float_quotient, rope_model_float_exp2;
extern const rope_model rope_model_divided_float_frequency, rope_model_divided_float_product, rope_model_divided_float_position,
    rope_model_divided_float_angle;
extern const rope_model rope_model_accumulated_float_frequency, rope_model_accumulated_double;
extern const rope_model *const rope_models[]; /* in the order they are tried; ends with NULL */

bool rope_model_applies(const rope_model *model, const rope_spec *spec);

/* Roundings of a power in units of u: what the search windows have room for (1.5 ulps), and what a-priori bounds assume (correctly
 * rounded). [derivation 7.2] */
#define ROPE_POWER_SEARCHED 3.0
#define ROPE_POWER_ASSUMED 1.0

/* e_i ln b = ln(1/theta_i) of the unscaled frequency. */
double rope_model_exponent(const rope_spec *spec, int i);

/* Roundings (in u) of a binary32 program that the spec asks for: the scaling rule's, and one each for a base and a
 * parameter of the rule that are no floats. */
double rope_model_declared(const rope_spec *spec, int i);

/* In binary64, from the spec to m theta_i: what a program of any recipe and replay, which starts from RN64(theta_i), may
 * differ by, in 2^-53 m theta_i. */
double rope_model_slack(const rope_spec *spec, int i);

/* Unit roundoffs: the coarsest that a phase meets, and the coarsest in what differs from position to position. */
double rope_model_unit(const rope_model *model);
double rope_model_step_unit(const rope_model *model);

#endif
