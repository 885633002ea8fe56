/* Replay: which model of computation, with which parameters, explains observed values at rounding level?
 *
 * An observation is a value v = alpha cos + beta sin of one pair at one position: a table entry (alpha, beta) =
 * (1, 0) or (0, 1), or an output channel x_a cos - x_b sin of a rotation. Search: for each pair the float frequency
 * (or for all pairs the ratio) in the model's window that leaves the smallest residual over the sampled rows.
 *
 * A rope_program is what computes: the declared spec and honest steps, or a hypothesis about a fault.
 */
#ifndef ROPE_REPLAY_H
#define ROPE_REPLAY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "../phase.h"
#include "model.h"

typedef struct rope_program {
    rope_spec spec;
    int sign;          /* +1; -1 turns the other way */
    int64_t lag;       /* position used minus position declared */
    rope_dtype position, frequency, angle; /* rounded to this after what the model does; ROPE_F64: nothing more */
    rope_dtype table;  /* cos and sin rounded to this before use; ROPE_F64: not rounded */
} rope_program;

rope_program rope_program_honest(const rope_spec *spec);

/* What was done to cos and sin before the values were seen. */
typedef enum rope_rotation {
    ROPE_UNROTATED,    /* nothing: they are a table */
    ROPE_ROTATED,      /* a rotation in binary32 (binary64 for that grade), rounded once (ggml, ONNX Runtime, fused kernels) */
    ROPE_ROTATED_SHORT /* a rotation in the grade itself, products and sum rounded one by one (PyTorch eager in bf16) */
} rope_rotation;

typedef struct rope_samples {
    size_t rows;
    int channels;
    const int64_t *m;           /* [rows] declared positions */
    const double *alpha, *beta; /* [rows][channels] */
    const double *value;        /* [rows][channels] */
    const double *norm;         /* [rows][channels] hypot(alpha, beta) */
    const int *pair;            /* [channels] */
    rope_dtype grade;           /* least acceptable storage */
    rope_rotation rotated;      /* values come out of a rotation: its roundings count */
} rope_samples;

typedef struct rope_fit {
    rope_program program;
    const rope_model *model;
    rope_phase *phase;   /* f64: the exact phase, owned; else NULL */
    double *parameter;   /* [h]; an iterated model uses the first */
    double *drift;       /* [h] how far the program's binary64 angle may be from the one replayed, per unit position */
    bool *explained;     /* [h]: this pair's sampled rows lie within tolerance, but for one in 16 */
    int pairs_explained;
    size_t rows_explained; /* over all pairs; rows * h when nothing is left unexplained */
    bool identified;     /* every pair but one in four is explained */
    double residual_u;   /* largest residual of the explained observations, per unit norm and A, in 2^-24 */
} rope_fit;

/* Fits one model of the program to the samples. */
rope_status rope_fit_search(rope_fit *fit, const rope_program *program, const rope_model *model,
                            const rope_samples *samples, rope_error *error);

/* Tries the models whose arithmetic the grade accepts, in order: the first that explains every row of every pair is taken,
 * else the one that explains most rows (identified says whether that is enough). */
rope_status rope_fit_best(rope_fit *fit, const rope_program *program, const rope_samples *samples, rope_error *error);

/* Every identified model, best first (most rows explained, then the models' order); fits has room for ROPE_MODELS. When none
 * is identified *count is 0. Short grades and short tables are often explained by several: the whole data decide. */
enum { ROPE_MODELS = 24 };
rope_status rope_fit_all(rope_fit *fits, int *count, const rope_program *program, const rope_samples *samples, rope_error *error);

void rope_fit_clear(rope_fit *fit);

/* The h angles that the fitted program forms at declared position m. A binary64 angle that is rounded to float may lie so near a
 * tie that drift decides: then the program's angle is one of two neighbours, the angle given is their middle, and spread half
 * their distance; else spread is 0. Without spread (NULL) such an angle is NaN. */
void rope_fit_angles(const rope_fit *fit, int64_t m, double *angle, double *spread);

/* A cos and A sin that the fitted program forms at declared position m, h each, and how far its angles may be from those used
 * here: spread and drift. */
void rope_fit_predict(const rope_fit *fit, int64_t m, double *c, double *s, double *spread);

/* What an observation of norm N = hypot(alpha, beta) may be off by when the angle is known to within a spread:
 * per_norm N + per_spread spread N + relative |predicted| + absolute; made of trig, cache, rotation and output bounds. trig is the
 * arithmetic of cos and sin, A included. */
typedef struct rope_allowance {
    double per_norm, per_spread, relative, absolute;
} rope_allowance;
rope_allowance rope_allowance_of(rope_dtype trig, double A, rope_dtype grade, rope_rotation rotated);

static inline double rope_allowed(const rope_allowance *allowance, double norm, double predicted, double spread) {
    return (allowance->per_norm + allowance->per_spread * spread) * norm + allowance->relative * fabs(predicted) + allowance->absolute;
}

#endif
