/* Certified decay curves: how the phases of a RoPE cancel with the distance. Every value comes with a proved error.
 *
 *     S_i(r) = sum_{j<i} e^{i r theta_j}           partial sums, 1 <= i <= h    [RoFormer, arXiv 2104.09864, eq. 36]
 *     B(r)   = (1/h) sum_{i=1..h} |S_i(r)|         RoFormer's figure 2; 1/2 <= B <= (h+1)/2
 *     C(r)   = Re S_h(r) = sum_j cos(r theta_j)    [Men et al., arXiv 2405.14591, theorem 1]
 *
 * r is any real number (radians per unit of theta), h and theta_j are the spec's, and its magnitude A does not enter;
 * scores (below) carry A^2. Which function to take:
 *
 *     one distance, any precision         rope_decay_at        MPFR sums; the reference of the others; 1 ms at h = 64
 *     many, as correctly rounded doubles  rope_decay_round     about 1 ns per (r, j)
 *     many, within 2^-41, for plots       rope_decay_enclose   about 0.5 ns per (r, j)
 *     many, at p bits                     rope_decay_numbers   limbs; less than a tenth of the time of MPFR sums
 *
 * The last three work on tables for the distances r_k = first + k step, k < count, real numbers that are never rounded:
 *
 *     rope_decay *decay;
 *     rope_decay_new(&decay, &spec, (rope_distances){0.0, 1.0, 4096}, ROPE_DECAY_DOUBLE, &error);
 *     rope_decay_round(decay, 0, 4096, B, C, NULL, 1024);       B[k], C[k] at r_k
 *     rope_decay_free(decay);
 *
 * Several threads may read one rope_decay. The calls use OpenMP's threads; results depend neither on their number nor
 * on how a range is cut into calls.
 */
#ifndef ROPE_DECAY_H
#define ROPE_DECAY_H

#include <mpfr.h>
#include <stdint.h>

#include "spec.h"

/* ---- one distance ------------------------------------------------------------------------------------ */

typedef struct rope_decay_value {
    mpfr_t B, C;
    mpfr_t B_error, C_error; /* |B - exact| <= B_error, |C - exact| <= C_error */
} rope_decay_value;

void rope_decay_value_init(rope_decay_value *value);
void rope_decay_value_clear(rope_decay_value *value);

/* Plain sums in MPFR with arithmetic of at least `bits` bits; sets the precisions of *value. The errors are below
 * h^2 2^(5-bits), and 0 at r = 0, where B = (h+1)/2 and C = h. r is taken as it is, however large. */
void rope_decay_at(rope_decay_value *value, const rope_spec *spec, const mpfr_t r, long bits);

/* ---- many distances ---------------------------------------------------------------------------------- */

typedef struct rope_decay rope_decay;

typedef struct rope_distances {
    double first, step; /* finite, any sign */
    int64_t count;      /* 1 .. 2^31 */
} rope_distances;

enum { ROPE_DECAY_DOUBLE = 53, ROPE_DECAY_MOST_BITS = 1 << 20 };

/* Tables of double-doubles when bits is ROPE_DECAY_DOUBLE, else of numbers with bits rounded up to limbs of 64. */
rope_status rope_decay_new(rope_decay **decay, const rope_spec *spec, rope_distances distances, long bits,
                           rope_error *error);
void rope_decay_free(rope_decay *decay);

int rope_decay_pairs(const rope_decay *decay);
rope_distances rope_decay_distances(const rope_decay *decay);
void rope_decay_distance(mpfr_t r, const rope_decay *decay, int64_t k); /* r_k exactly; sets the precision of r */

/* What happened to the 2n values of a call of rope_decay_round. */
typedef struct rope_decay_tally {
    int64_t referred;  /* distances that MPFR decided: some |S_i| nearly 0, or a value nearly between two doubles */
    int64_t undecided; /* values that most_bits did not decide */
} rope_decay_tally;

enum { ROPE_DECAY_UNDECIDED_B = 1, ROPE_DECAY_UNDECIDED_C = 2 };

/* B[k] and C[k], k < n, are RN of the exact values at r_(from + k): off by half an ulp at most, signs included. A
 * value that rope_decay_at with most_bits cannot round has its bit set in undecided[k] and is RN of what that
 * returned. undecided may be NULL; most_bits is at least ROPE_DECAY_DOUBLE. Needs tables of doubles. */
rope_decay_tally rope_decay_round(const rope_decay *decay, int64_t from, int64_t n, double *B, double *C,
                                  unsigned char *undecided, long most_bits);

typedef struct rope_decay_bound {
    double B, C;
} rope_decay_bound;

/* The same in plain double arithmetic; returns the errors that no value exceeds. Needs tables of doubles. */
rope_decay_bound rope_decay_enclose(const rope_decay *decay, int64_t from, int64_t n, double *B, double *C);

/* The same as numbers of the tables' bits; values as rope_decay_value_init leaves them. Needs tables of limbs. The
 * errors are below (h+1)^2 2^(8-bits), the same for all distances. */
rope_status rope_decay_numbers(const rope_decay *decay, int64_t from, int64_t n, rope_decay_value *value,
                               rope_error *error);

/* ---- the base ---------------------------------------------------------------------------------------- */

/* C at a whole distance m as a function of the base b, t = ln b, for the rules that keep frequencies in geometric
 * progression with a first one that does not depend on b: default, linear, ntk. With e_j = j/h, d theta_j / dt = -e_j
 * theta_j, so
 *
 *     dC/dt     = m sum_j e_j theta_j sin(m theta_j)                                     slope
 *     |dC/dt|  <= m sum_j e_j theta_j                                                    m steepness
 *     |d2C/dt2| <= m sum_j e_j^2 theta_j + m^2 sum_j e_j^2 theta_j^2                     bend
 *
 * The two bounds fall in t: they hold for every larger base, too. */
typedef struct rope_decay_base {
    int pairs;
    double steepness;
    double theta[ROPE_MAX_DIM / 2], weight[ROPE_MAX_DIM / 2];
    double bend[2], C_error[2], slope_error[2]; /* coefficients of powers of m */
} rope_decay_base;

void rope_decay_base_set(rope_decay_base *base, const rope_spec *spec);

typedef struct rope_decay_trend {
    double C, slope, C_error, slope_error; /* |C - exact| <= C_error, |slope - exact| <= slope_error */
    double bend;
} rope_decay_trend;

/* Of n whole distances m > 0, m theta_0 < 2^30, in plain double. */
void rope_decay_trends(const rope_decay_base *base, const int64_t *m, int n, rope_decay_trend *trend);

/* ---- scores ------------------------------------------------------------------------------------------ */

/* For a query q at m and a key k at n, r = m - n, over the rotary channels and with h_j = q_pair conj(k_pair), h_h = 0:
 *
 *     score(r) = A^2 Re sum_j h_j e^{i r theta_j}                                    [RoFormer eq. 35]
 *     |score| <= A^2 sum_i |h_i - h_(i-1)| |S_i|  =  inner                           [eq. 37, first step; i = 1 .. h]
 *             <= A^2 max|h_i - h_(i-1)| sum_i |S_i|  =  outer                        [eq. 37, second step]
 *     |score| <= A^2 sum_j |h_j|  =  trivial
 *
 * outer is what B is drawn for; where it exceeds trivial it says nothing. */
typedef struct rope_abel_value {
    mpfr_t score, inner, outer, trivial;
    mpfr_t error; /* of each of the four */
} rope_abel_value;

void rope_abel_value_init(rope_abel_value *value);
void rope_abel_value_clear(rope_abel_value *value);

/* q and k: d channels as the spec's layout_in pairs them (it must be set). Plain sums in MPFR; sets the precisions of
 * *value. */
void rope_abel_at(rope_abel_value *value, const rope_spec *spec, const double *q, const double *k, const mpfr_t r,
                  long bits);

typedef struct rope_abel_bound {
    double score, inner, outer; /* errors that no value of the call exceeds */
} rope_abel_bound;

/* The first three at many distances, in plain double; each of the arrays may be NULL. Needs tables of doubles. */
rope_status rope_abel_enclose(rope_abel_bound *bound, const rope_decay *decay, const double *q, const double *k,
                              int64_t from, int64_t n, double *score, double *inner, double *outer, rope_error *error);

/* The same at r_(at[k]), k < n: the same bits; best in rising order. */
rope_status rope_abel_enclose_at(rope_abel_bound *bound, const rope_decay *decay, const double *q, const double *k,
                                 const int64_t *at, int64_t n, double *score, double *inner, double *outer,
                                 rope_error *error);

#endif
