/* What is measured of a scheme: for the table, the pictures and the page. Each number that is called zero is below a
 * bound that is derived from the run's own rounding. */
#ifndef ROPE_COMPARE_MEASURE_H
#define ROPE_COMPARE_MEASURE_H

#include "encoding.h"

/* Is a difference zero? NO: somewhere it exceeds its bound. YES: it does nowhere, and every bound is small beside what
 * is measured. UNDECIDED: it does nowhere, but a bound is so large that this says little. */
typedef enum measure_answer { MEASURE_NO, MEASURE_YES, MEASURE_UNDECIDED } measure_answer;
extern const char *const measure_answers[]; /* "no", "yes", "undecided" */

/* A bound is small up to this share: of the largest |score| of the pair's query, the largest output, a norm. */
#define MEASURE_SHARE 0x1p-20

/* max over m, n of |s(m + K, n + K) - s(m, n)|, all pairs; the contents move along. */
typedef struct shift_defect {
    double defect;        /* the largest */
    double bound;         /* what rounding alone may make of it, there */
    measure_answer stays; /* is it zero at every pair? */
    int64_t m, n;         /* where |defect| / bound is largest */
    int64_t undecided;    /* queries with a bound above MEASURE_SHARE of their largest |score| */
} shift_defect;

/* A distance r is m - n >= 0 with the query at m. Kinds: q = k = 1 (every component); the rms over the last queries of
 * the run's own tokens; q = 1 and k = R_16 q, for which RoPE's score is largest at distance 16 [Barbero et al.,
 * arXiv 2410.06205, proposition 3.1]. In the first and third kind the projections are the identity and the query stands
 * at the last position. */
enum { DECAY_ONES, DECAY_TOKENS, DECAY_PEAK, DECAY_KINDS };
enum { DECAY_DISTANCES = 5, DECAY_PEAK_DISTANCE = 16, RANK_LARGEST = 256 };

typedef struct measurement {
    const encoding *encoding;
    int64_t length;
    int terms;
    shift_defect term[ENCODING_TERMS], score;
    double sum_defect, sum_bound;   /* |sum of terms - direct score|, at its worst pair against the bound there */
    measure_answer sums;            /* at every pair within that pair's bound? NO: the run fails */
    double norm_change, norm_bound; /* max over m of ||f_q(x, m)| / |q| - 1| */
    measure_answer norm_kept;       /* at every m within the bound there? */
    int rank;                       /* numerical, N <= RANK_LARGEST; -1: not computed */
    double rank_threshold,
        rank_gap; /* singular values below threshold sigma_1 count as zero; sigma_rank / sigma_(rank+1) */
    double decay[DECAY_KINDS][DECAY_DISTANCES], decay_bound[DECAY_KINDS][DECAY_DISTANCES]; /* nan beyond N */
    double output_defect,
        output_bound;               /* shift defect of the output sum_n softmax(score / sqrt d) v_n, in the 2-norm */
    measure_answer output_relative; /* at every m within the bound there? */
    int64_t parameters, cost;
} measurement;

extern const double decay_distances[DECAY_DISTANCES];
extern const char *const decay_kinds[DECAY_KINDS]; /* "q = k = 1", ... */

/* shift: K of the shift defect. Uses OpenMP's threads; results do not depend on their number. progress: called with the
 * rows done, of `length` per scheme, one call at a time; may be NULL. */
rope_status measure(measurement *result, const encoding *scheme, const compare_data *data, int64_t shift,
                    void (*progress)(void *context, uint64_t rows), void *context, rope_error *error);

/* value[k] is the score at distance[k], off by at most bound[k] (NULL: not asked); nan where the run has no such
 * distance. */
rope_status measure_decay(double *value, double *bound, const encoding *scheme, const compare_data *data, int kind,
                          const int64_t *distance, int count, rope_error *error);
/* decay and decay_bound of the result, at decay_distances. */
rope_status measure_decays(measurement *result, const encoding_run *run, rope_error *error);

/* o_m = sum_n softmax_n(s_mn / sqrt d) v_n for every query, [N][d], with its error; NULL when memory is out. */
rows *measure_output(const encoding_run *run, const rows *value);

/* max over m of |a_m - b_m| in the 2-norm. */
typedef struct row_defect {
    double defect, bound; /* the largest, and what rounding may make of it there */
    measure_answer stays; /* at every m within the bound there? */
} row_defect;
row_defect measure_rows(const rows *a, const rows *b);

#endif
