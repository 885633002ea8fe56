/* A position encoding: how a score is made of terms, and what each term depends on.
 *
 * A scheme is one file in encoding/ and one row in encoding.c. It describes itself in words (for the table, `explain`
 * and the page) and builds its terms from data: rows of features and, for what depends on the offset n - m alone, an
 * index. Everything else (blocks, shift defects, rank, pictures, exact digits) is computed from the terms by code that
 * knows no scheme.
 *
 * Symbols: query at position m, key at position n, both from 0; N tokens; d the head dimension; x_m the token; q = W_q
 * x_m, k = W_k x_n; r = n - m the offset. Scores are without 1/sqrt(d) unless the scheme's text says so.
 */
#ifndef ROPE_COMPARE_ENCODING_H
#define ROPE_COMPARE_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#include "../../src/status.h"
#include "data.h"
#include "rows.h"

/* What a term is, so that blocks of it are computed without knowing the scheme. a, b: rows; f: index of an offset. */
typedef enum term_shape {
    TERM_PRODUCT, /* a_m . b_n                                    content, additive, RoPE, xPos */
    TERM_QUERY,   /* a_m . b_(f(n - m))                           Shaw, Transformer-XL b, DeBERTa c2p */
    TERM_KEY,     /* a_(f(n - m)) . b_n                           DeBERTa p2c */
    TERM_OFFSET,  /* a_(f(n - m)) . b_0                           biases (b_0 = 1), Transformer-XL d */
    TERM_PAIR     /* a_m,n                                        a number for each pair: RoFormer eq. 8 */
} term_shape;

typedef struct encoding_term_text {
    const char *id;      /* "content-position"; NULL ends the list */
    const char *formula; /* "q_m . W_k p_n" */
    const char *words;   /* one sentence for a student */
    bool relative;       /* depends on m and n through n - m alone: what theory says; runs measure it */
    bool content;        /* depends on what the tokens are */
} encoding_term_text;

enum { ENCODING_TERMS = 4, ENCODING_KEPT = 32 };

/* A built term. Query t of the run is row t of a for TERM_PRODUCT and TERM_QUERY; index[r + N - 1] = f(r), |r| < N. The
 * rows belong to the data or are kept by the run; index is the run's. */
typedef struct encoding_term {
    term_shape shape;
    const rows *a, *b;
    int64_t *index; /* NULL for TERM_PRODUCT and TERM_PAIR; TERM_PAIR's b is a, and not looked at */
} encoding_term;

/* A scheme built for positions first .. first + N - 1. */
typedef struct encoding_run {
    const struct encoding *encoding;
    const compare_data *data;
    int64_t first;
    int terms;
    encoding_term term[ENCODING_TERMS]; /* their sum is the score */
    /* The score by another route than the terms': one to three products summed, such as W_q(x + p_m) . W_k(x + p_n),
     * R_m q . R_n k, (q + u) . k + (q + v) . W_r p, or x_m . W_q^T (k_n). */
    int parts;
    encoding_term direct[ENCODING_TERMS];
    const rows *query, *key; /* f_q(x_m, m) and f_k(x_n, n), for norms and linear attention */
    int kept;
    rows *keep[ENCODING_KEPT]; /* what build made */
} encoding_run;

typedef struct encoding {
    const char *name;    /* "transformer-xl", as in --schemes */
    const char *title;   /* "Transformer-XL" */
    const char *source;  /* "Dai et al. 2019, arXiv 1901.02860, section 3.3" */
    const char *formula; /* the whole score */
    const char *idea;    /* one or two sentences */
    const encoding_term_text *term;
    bool relative;   /* theory: the score depends on n - m and content alone */
    bool keeps_norm; /* theory: |f_q(x, m)| = |q| */

    const char *parameters_formula, *cost_formula; /* "2 (2k+1) d"; per head, beyond the projections of none */
    int64_t (*parameters)(const compare_data *data);
    int64_t (*cost)(
        const compare_data *data); /* multiplications per head beyond q.k and a.v: a table's rows are met once */

    const char *rank_formula, *rank_reason;    /* structural rank of the score matrix: "min(N, d)" and why */
    int64_t (*rank)(const compare_data *data); /* -1: full, N */
    bool linear_attention;                     /* factors into features of m times features of n */
    const char *linear_reason;
    bool extrapolates; /* defined beyond the trained length */
    const char *extrapolates_reason;
    bool needs_value;    /* adds position to the values, too */
    const char *differs; /* where RoFormer's summary differs from the original; NULL: it does not */
    const char *next;    /* what to try next: a command line and what to look for */

    /* Makes terms and direct for positions first .. first + N - 1. encoding_build frees what was made when it fails. */
    rope_status (*build)(encoding_run *run, rope_error *error);
} encoding;

extern const encoding *const encodings[];         /* in the order of a class; ends with NULL */
const encoding *encoding_named(const char *name); /* NULL when unknown; aliases: txl, sinusoidal, ... */

rope_status encoding_build(encoding_run *run, const encoding *scheme, const compare_data *data, int64_t first,
                           rope_error *error);
void encoding_free(encoding_run *run);

/* Which number of a run: a term, their sum, or the score by the direct route. */
enum { ENCODING_SUM = -1, ENCODING_DIRECT = -2 };

/* Values for queries from .. from + count - 1 (counted from 0, whatever `first`) against all N keys, [count][N], and
 * how far each may be from its exact value (NULL: not asked). Any number of threads may ask for different blocks. */
void encoding_block(const encoding_run *run, int which, int64_t from, int64_t count, double *value, double *bound);

/* One value in value's precision; query m and key n count from 0, whatever `first`. |value - exact| <= *bound. */
void encoding_exact(mpfr_t value, const encoding_run *run, int which, int64_t m, int64_t n, double *bound);

/* ---- for the files in encoding/: what a build says ---------------------------------------------------- */

/* The run frees the rows in the end. Returns them; NULL stays NULL, and encoding_build then reports it. */
const rows *encoding_keep(encoding_run *run, rows *made);

/* Index f of an offset n - m; NULL for the shapes without one. */
typedef int64_t encoding_index(int64_t offset, const compare_data *data);

void encoding_term_add(encoding_run *run, term_shape shape, const rows *a, const rows *b, encoding_index *index);
void encoding_direct_add(encoding_run *run, term_shape shape, const rows *a, const rows *b, encoding_index *index);

/* q_m . k_n, and the same as x_m . W_q^T k_n. */
void encoding_content(encoding_run *run);
void encoding_content_direct(encoding_run *run);

const rows *encoding_project(encoding_run *run, const rows *W, const rows *x); /* W x, kept */
const rows *encoding_one(encoding_run *run);       /* [1][1] 1, what a bias is multiplied with */
const rows *encoding_positions(encoding_run *run); /* [N][d] sinusoids of the run's positions */
const rows *encoding_distances(encoding_run *run); /* [2N - 1][d] sinusoids p(m - n), row r + N - 1 for r = n - m */
int64_t encoding_row_of_offset(int64_t offset, const compare_data *data); /* r + N - 1 */

/* The width, the base and the layout of the data's rotation. */
rope_spec encoding_rotation(const compare_data *data, rope_layout layout);

/* ---- offsets to rows, in integers alone --------------------------------------------------------------- */

int64_t encoding_clip(int64_t offset, int64_t clip); /* Shaw's row r + k of 2k + 1, r clipped to -k .. k */
/* T5's bucket of the offset r = n - m; both directions: keys after the query have the upper half. */
int64_t encoding_bucket(int64_t offset, bool both, int buckets, int64_t max_distance);
/* DeBERTa v2's logarithmic distance of m - n: itself up to buckets / 2, then at most buckets - 1. */
int64_t encoding_log_distance(int64_t distance, int buckets, int64_t max_distance);

/* ALiBi's slope is 2^-e; e of head 1 .. heads, exact. */
double encoding_alibi_exponent(int heads, int head);

#endif
