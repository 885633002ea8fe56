/* One attention head's data: tokens, weights and tables, the same for every scheme.
 *
 * Kinds of tokens (--data): gaussian, constant (every token the same), repeated (a pattern of four tokens), one-hot,
 * reference (the deterministic example with d = 4 whose terms are known to 25 digits), or FILE.npy [N][d]. Matrices are
 * Gaussian of variance 1/d, tokens, vectors and biases of variance 1, by gsl_rng (mt19937). Every matrix has a stream
 * of its own, and every row of it a seed: another scheme, a longer text or a later position changes no number.
 * `reference` has everything by formula. Gaussian numbers are doubles and are taken as exact, at any --bits.
 */
#ifndef ROPE_COMPARE_DATA_H
#define ROPE_COMPARE_DATA_H

#include <stdint.h>

#include "../../src/spec.h"
#include "../../src/status.h"
#include "rows.h"

enum {
    COMPARE_REFERENCE_LENGTH = 32,
    COMPARE_MAX_DIM = 1024,
    COMPARE_MAX_LENGTH = 1 << 16,
    COMPARE_MAX_BUCKETS = 1024,
    COMPARE_MAX_DISTANCE = 1 << 24,
    COMPARE_MAX_HEADS = 1024
};

typedef struct compare_request {
    int dim;              /* d, even, default 64; FILE.npy and reference set their own */
    int64_t length;       /* N >= 1, default 64; likewise */
    uint64_t seed;        /* default 1 */
    const char *data;     /* kind or a path that ends in .npy; default "gaussian" */
    long bits;            /* ROWS_DOUBLE or more */
    double base;          /* of sinusoid, RoPE, xPos: default 10000 */
    int64_t clip;         /* Shaw, DeBERTa: k, 1 .. N; 0, the default: 16, or N when that is less; reference has 4 */
    int buckets;          /* T5, DeBERTa's logarithmic buckets: 32; a multiple of 4 */
    int64_t max_distance; /* the same: 128; at least buckets / 2 + 2 */
    int heads, head;      /* ALiBi's slope: head 1 of 8 */
} compare_request;
compare_request compare_request_default(void);
/* Everything but data and clip, which are refused when the number of tokens is known. */
rope_status compare_request_check(const compare_request *request, rope_error *error);

typedef struct compare_data {
    compare_request request; /* with dim, length and clip as they are in the end */
    size_t length, dim;
    long bits;
    rows *x_query, *x_key;       /* [N][d] tokens in the roles of query and key; the same but for `reference` */
    rows *W_q, *W_k, *W_v;       /* [d][d] */
    rows *W_r;                   /* [d][d] Transformer-XL */
    rows *U_q, *U_k;             /* [d][d] TUPE, DeBERTa */
    rows *u, *v;                 /* [1][d] Transformer-XL */
    rows *shaw_key, *shaw_value; /* [2 clip + 1][d] a_r for r = -clip .. clip */
    rows *bias;                  /* [2N - 1][1] b(r) for r = -(N-1) .. N-1: TUPE */
    rows *bucket_bias;           /* [buckets][1] T5 */
    rows *q, *k, *value;         /* [N][d] W_q x, W_k x, W_v x */
} compare_data;

rope_status compare_data_new(compare_data *data, const compare_request *request, rope_error *error);
void compare_data_free(compare_data *data);

/* Tables that grow with the position; rows are numbered by positions from first on. */
rows *compare_data_learned(const compare_data *data, int64_t first); /* [N][d] learned absolute positions */
rows *compare_data_pairs(const compare_data *data, int64_t first);   /* [N][N] a bias for each pair (m, n) */

extern const char *const compare_data_kinds[]; /* names for --help; ends with NULL */

#endif
