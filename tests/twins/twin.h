/* A RoPE program written the plain way, right or with one mistake in it, and the dumps it leaves: what tests judge.
 *
 * Nothing here uses the code under test but its names (rope_spec, rope_dtype): frequencies are powf, exp2f or pow, angles
 * cosf or cos, roundings frexp and rint, files fwrite.
 *
 *     const twin program = {.spec = spec, .recipe = TWIN_DIRECT, .grade = ROPE_F32, .fault = {.position = ROPE_BF16}};
 *     twin_dump dump;
 *     twin_dump_table(&dump, &program, folder, 0, 512, TILING_BLOCK);
 *     report *found = verify_request(&dump.request, &options, "", &error);
 */
#ifndef ROPE_TESTS_TWIN_H
#define ROPE_TESTS_TWIN_H

#include "../../analysis/verify/subject.h"

typedef enum twin_recipe {
    TWIN_DIRECT,   /* f = 1/b^(2i/r), angle = m f, all in float (PyTorch, JAX, vLLM) */
    TWIN_ITERATED, /* angle_i = angle_(i-1) b^(-2/r), in float (ggml) */
    TWIN_EXP2,     /* f = 2^(-(2i/r) log2 b), in float (MLX) */
    TWIN_ACCUMULATED, /* f_i = f_(i-1) b^(-2/r), angle = m f, in float */
    TWIN_DOUBLE,   /* everything in double until it is stored */
    TWIN_WIDE,     /* f in float as direct, the angle in double (NumPy: int64 positions times float32) */
    TWIN_NARROW,   /* f in double, the angle rounded to float (Flax; C: float angle = m * pow(...)) */
    TWIN_RATIO     /* a float ratio b^(-2/r), angles multiplied in double: follows no model of today */
} twin_recipe;

/* Steps that honest programs do differently. */
typedef struct twin_style {
    bool scaled_position; /* linear scaling divides the position, not the frequency */
    bool float_position;  /* programs with doubles: that quotient is a float all the same */
    bool fused;           /* one product of each sum is not rounded (FMA) */
    bool short_cache;     /* cos and sin are stored in the output's format before the rotation */
    bool short_products;  /* products and sum are rounded to the output's format one by one */
    int inputs;           /* vectors of a dump are scaled by 2^inputs */
    double libm;          /* cos and sin in double are off by so many ulps, either way */
} twin_style;

/* One mistake; all zero is none. A format of ROPE_F64 does not round. */
typedef struct twin_fault {
    double base;                                /* used instead of the declared one */
    double factor;                              /* on cos and sin */
    int64_t lag;                                /* position used minus position declared */
    bool backwards;                             /* sine negated */
    rope_dtype position, frequency, angle, table;
    rope_layout in, out;                        /* channels paired otherwise than declared */
    table_tiling tiling;                        /* of a table of full width: the other one */
    bool other_tiling;                          /* rotation by halves with a table tiled by pairs, or of neighbours with blocks */
    int width;                                  /* rotary width used instead of the declared one */
    int still;                                  /* so many of the last pairs do not turn */
    bool round_passed;                          /* channels outside the rotary width go through bf16 */
    bool other_sine;                            /* pair i takes the sine of pair i + 1 */
    bool reflected;                             /* pair 0 is mirrored, not turned */
    bool head_as_position;                      /* the head's index is added to the position */
    bool head_still;                            /* the last head does not turn */
    bool poked;                                 /* one entry is moved: of cos, or of the first head's y_a */
    int64_t poke_m;
    int poke_pair;
    double poke;                                /* by so much */
} twin_fault;

typedef struct twin {
    rope_spec spec; /* what is declared */
    twin_recipe recipe;
    rope_dtype grade; /* how results are stored */
    twin_style style;
    twin_fault fault;
} twin;

/* A cos and A sin of the h pairs at declared position m, as the program has them before they are stored. */
void twin_turns(const twin *t, int64_t m, double *c, double *s);

/* One vector rotated; x and y hold d values. */
void twin_rotate(const twin *t, int64_t m, int head, const double *x, double *y);

/* x rounded to the nearest value of the format, ties to even. */
double twin_round(rope_dtype dtype, double x);

/* The encoding of a value of f16 or bf16. */
uint16_t twin_bits(rope_dtype dtype, double x);

typedef struct twin_dump {
    subject_request request; /* declares t->spec and names the files */
    char path[4][512];
} twin_dump;

enum { TWIN_HEADS = 2 };

/* Tables of rows first .. first + rows - 1 with h columns (TILING_NONE) or r. */
void twin_dump_table(twin_dump *dump, const twin *t, const char *folder, int64_t first, size_t rows, table_tiling tiling);
/* Vectors of TWIN_HEADS heads at the positions, axes THD. */
void twin_dump_rotated(twin_dump *dump, const twin *t, const char *folder, const int64_t *m, size_t rows);
/* The h frequencies. */
void twin_dump_freqs(twin_dump *dump, const twin *t, const char *folder);

/* A .npy file of format version 1.0: values in the grade (bf16 as u2 bits). */
void twin_write(const char *path, rope_dtype dtype, int rank, const size_t *shape, const double *values);

/* A temporary folder, and its end with all files in it: set-up and tear-down of a group; *state is its name. */
int twin_make_folder(void **state);
int twin_remove_folder(void **state);

#endif
