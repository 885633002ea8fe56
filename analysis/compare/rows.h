/* Vectors with a bound on their error: what queries, keys and positions become before they are multiplied.
 *
 * rows holds `count` vectors of `dim` numbers. They are doubles; at --bits P beside them MPFR numbers of P bits. The
 * exact vector lies within error[t] of row t in the 2-norm (of the MPFR row when there is one), and norm[t] is no less
 * than the 2-norm of row t itself. Every operation derives the error of what it returns, in the comment beside it; so a
 * product of two rows is known with a bound that costs two multiplications:
 * |a.b - exact| <= |a| e_b + |b| e_a + e_a e_b + rounding.
 *
 * Every operation makes new rows; NULL when memory is out. NULL operands give NULL, so calls can be nested and checked
 * once.
 *
 *     rows *q = rows_project(W_q, x);                               q_t = W_q x_t
 *     rows_products(q, NULL, 16, k, NULL, N, value, bound);         the first 16 queries against every key
 */
#ifndef ROPE_COMPARE_ROWS_H
#define ROPE_COMPARE_ROWS_H

#include <gsl/gsl_matrix.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../src/spec.h"
#include "../../src/status.h"

enum { ROWS_DOUBLE = 53, ROWS_MOST_BITS = 1000 }; /* bits of a run without MPFR rows; 2^-1000 is still a double */

typedef struct rows {
    size_t count, dim;
    long bits;            /* ROWS_DOUBLE, or the precision of exact */
    gsl_matrix *value;    /* [count][dim] */
    mpfr_t *exact;        /* [count][dim], or NULL */
    double *norm, *error; /* [count] */
} rows;

rows *rows_new(size_t count, size_t dim, long bits); /* zeros */
void rows_free(rows *a);

static inline double *rows_row(const rows *a, size_t t) {
    return a->value->data + t * a->value->tda;
} /* [dim] */
static inline mpfr_t *rows_exact_row(const rows *a, size_t t) {
    return a->exact + t * a->dim;
}

/* Fills row t with dim numbers known exactly; rows_settle then measures the norms. */
void rows_set(rows *a, size_t t, const double *x);
void rows_settle(rows *a); /* value from exact (when there is one), and norm from value; errors stay */

/* Rows by a formula: number (t, j) is set in x to within 2^(16 - p) of itself, p the precision of x. */
typedef void rows_formula(mpfr_t x, size_t t, size_t j, const void *context);
rows *rows_by_formula(size_t count, size_t dim, long bits, rows_formula *formula, const void *context);

rows *rows_constant(double x, size_t dim, long bits); /* one row of equal numbers */
rows *rows_project(const rows *W, const rows *x);     /* y_t = W x_t for W of [W.count] rows: W_q x and the like */
rows *rows_transpose(const rows *W);
rows *rows_sum(const rows *a, const rows *b);        /* b of one row is added to every row */
rows *rows_difference(const rows *a, const rows *b); /* a - b */
rows *rows_times(const rows *a, const rows *b);      /* channel by channel */
rows *rows_join(const rows *a, const rows *b);       /* [count][a.dim + b.dim] */
rows *rows_repeated(const rows *a, size_t count);    /* row 0 of a, count times */
rows *rows_scaled(const rows *a, double factor);     /* factor exact */
rows *rows_over_root(const rows *a, size_t n);       /* a / sqrt(n) */
rows *rows_elu_plus_one(const rows *a);              /* x + 1 above 0, e^x below: features of linear attention */

/* Frequencies base^(-2i/dim) in all dim channels; checked values only. */
rope_spec rows_spec(size_t dim, double base, rope_layout layout);

/* p(first + step t) for t < count: (sin, cos) alternating, frequencies base^(-2i/dim). [Vaswani et al. 2017, 3.5] */
rows *rows_sinusoid(int64_t first, int64_t step, size_t count, size_t dim, double base, long bits);
/* R_(first + t) x_t, or its transpose's product. A = 1 in spec. [RoFormer eq. 34] */
rows *rows_rotate(const rows *x, const rope_spec *spec, int64_t first, bool inverse);

/* a_s . b_t, and what it may be off by. With MPFR rows the value is the rounding of rows_product_exact's. */
double rows_product(const rows *a, size_t s, const rows *b, size_t t, double *bound);
/* The same in value's precision; the rows' error and the rounding are in *bound. NULL: not asked. */
void rows_product_exact(mpfr_t value, const rows *a, size_t s, const rows *b, size_t t, double *bound);
/* All products of count rows of a with width rows of b, value [count][width]; bound likewise, or NULL. The lists say
 * which rows, in any order and also twice; NULL: 0, 1, 2, ... */
void rows_products(const rows *a, const int64_t *s, size_t count, const rows *b, const int64_t *t, size_t width,
                   double *value, double *bound);

/* For those who add and multiply bounds of their own: at most a hundred roundings of non-negative doubles, each up by
 * u = 2^-53 at most, are made good by this factor. */
#define ROWS_SLACK (1.0 + 0x1p-46)

double rows_unit(long bits);                       /* u = 2^-bits: RN(x) = x (1 + e), |e| <= u */
double rows_length(const double *x, size_t count); /* sqrt(sum x_k^2), or a little more */

#endif
