/* What the tables of several schemes have in common: counts, ranks, and pairs of rows for rotations. */
#ifndef ROPE_COMPARE_ENCODING_SHARED_H
#define ROPE_COMPARE_ENCODING_SHARED_H

#include "../encoding.h"

int64_t encoding_nothing(const compare_data *data);    /* 0 */
int64_t encoding_rank_full(const compare_data *data);  /* -1: N */
int64_t encoding_rank_dim(const compare_data *data);   /* min(N, d) */
int64_t encoding_rank_twice(const compare_data *data); /* min(N, 2d) */

/* Fields of schemes that are equal in: parameters; rank; factors; all that a rotation of q and k costs. */
#define ENCODING_WITHOUT_PARAMETERS .parameters_formula = "0", .parameters = encoding_nothing
#define ENCODING_OF_RANK_DIM .rank_formula = "min(N, d)", .rank = encoding_rank_dim
#define ENCODING_FACTORED                                                                                              \
    .linear_attention = true, .linear_reason = "A score is the product of a row made at m and a row made at n."
#define ENCODING_ROTATED                                                                                               \
    ENCODING_WITHOUT_PARAMETERS, ENCODING_OF_RANK_DIM, .cost_formula = "4 N d", .cost = encoding_rotation_cost

/* RoFormer's b_(m,n) for the run's positions; refused when the table does not fit. */
rope_status encoding_pairs(encoding_run *run, const rows **b, rope_error *error);

int64_t encoding_rotation_cost(const compare_data *data); /* 4 N d: four products a pair, N queries and N keys */

/* Query and key rows x and y, rotated by their positions and then scaled by the rows `up` and `down` channel by channel
 * (NULL: not at all), as three products: cosine part, sine part, and both together as the direct route.
 *
 * Let C_m x hold the cosines' share of R_m x, and S_m x the sines', so that R_m x = C_m x + S_m x and R_(-m) x = C_m x
 * - S_m x. In R_m q . R_n k = (C_m q + S_m q) . (C_n k + S_n k) the products of like shares are the sum over pairs of
 * (q_i . k_i) cos(r theta_i), and those of unlike shares the sum of (k_i x q_i) sin(r theta_i), with (a, b) x (c, d) =
 * a d - b c. */
void encoding_rotate(encoding_run *run, rope_layout layout, const rows *x, const rows *y, const rows *up,
                     const rows *down);

#endif
