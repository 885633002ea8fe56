/* Storage of rows, and the operations that act on each of them alone. Products are in rows_product.c, positions in
 * rows_position.c.
 *
 * Errors are derived for the standard model fl(x op y) = (x op y)(1 + e), |e| <= u = 2^-bits [Higham 2002, 2.2], once
 * for doubles and for MPFR. What falls below the normal doubles adds at most LEAST per operation. */
#include "rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define LEAST 0x1p-1074

double rows_unit(long bits) {
    return ldexp(1.0, (int)-bits);
}

/* ---- storage ----------------------------------------------------------------------------------------- */

rows *rows_new(size_t count, size_t dim, long bits) {
    rows *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (rows){.count = count, .dim = dim, .bits = bits, .value = gsl_matrix_calloc(count, dim)};
    a->norm = calloc(count, sizeof *a->norm);
    a->error = calloc(count, sizeof *a->error);
    a->exact = bits > ROWS_DOUBLE ? malloc(count * dim * sizeof *a->exact) : NULL;
    for (size_t k = 0; a->exact && k < count * dim; k++) {
        mpfr_init2(a->exact[k], bits);
        mpfr_set_zero(a->exact[k], 1);
    }
    if (a->value && a->norm && a->error && (a->exact || bits == ROWS_DOUBLE)) return a;
    rows_free(a);
    return NULL;
}

void rows_free(rows *a) {
    if (!a) return;
    for (size_t k = 0; a->exact && k < a->count * a->dim; k++) mpfr_clear(a->exact[k]);
    if (a->value) gsl_matrix_free(a->value);
    free(a->exact);
    free(a->norm);
    free(a->error);
    free(a);
}

void rows_set(rows *a, size_t t, const double *x) {
    for (size_t j = 0; j < a->dim; j++) {
        rows_row(a, t)[j] = x[j];
        if (a->exact) mpfr_set_d(rows_exact_row(a, t)[j], x[j], MPFR_RNDN);
    }
}

/* hypot is off by less than an ulp, 2 u, each time; the zero that it starts from adds nothing. */
double rows_length(const double *x, size_t count) {
    double length = 0.0;
    for (size_t k = 0; k < count; k++) length = hypot(length, x[k]);
    return length * (1.0 + (double)(2 * count + 8) * 0x1p-53);
}

/* Scaled by the largest component L, so that squares neither overflow nor vanish: L sqrt(sum (x_j / L)^2). Quotients
 * and squares are off by 1 + u three times, the sum dim times, then root and product: less than (dim + 8) u in all, for
 * the root halves. The doubles of MPFR numbers are off by another u and LEAST. */
static double norm_of(const rows *a, size_t t) {
    const double *x = rows_row(a, t);
    double largest = 0.0, sum = 0.0;
    for (size_t j = 0; j < a->dim; j++) largest = fmax(largest, fabs(x[j]));
    const double unseen = a->exact ? (double)a->dim * LEAST : 0.0;
    if (largest == 0.0) return unseen;
    for (size_t j = 0; j < a->dim; j++) sum += (x[j] / largest) * (x[j] / largest);
    return largest * sqrt(sum) * (1.0 + (double)(a->dim + 16) * 0x1p-53) + unseen;
}

void rows_settle(rows *a) {
    for (size_t t = 0; t < a->count; t++) {
        for (size_t j = 0; a->exact && j < a->dim; j++)
            rows_row(a, t)[j] = mpfr_get_d(rows_exact_row(a, t)[j], MPFR_RNDN);
        a->norm[t] = norm_of(a, t);
    }
}

/* Error of row t whose numbers are each off by `units` roundings, and whose operands leave `operands`. */
static void set_error(rows *a, size_t t, double operands, double units) {
    a->error[t] = (operands + units * rows_unit(a->bits) * a->norm[t] + (double)a->dim * LEAST) * ROWS_SLACK;
}

rows *rows_by_formula(size_t count, size_t dim, long bits, rows_formula *formula, const void *context) {
    rows *a = rows_new(count, dim, bits);
    if (!a) return NULL;
    mpfr_t x;
    mpfr_init2(x, bits + 48);
    for (size_t t = 0; t < count; t++)
        for (size_t j = 0; j < dim; j++) {
            formula(x, t, j, context);
            if (a->exact)
                mpfr_set(rows_exact_row(a, t)[j], x, MPFR_RNDN);
            else
                rows_row(a, t)[j] = mpfr_get_d(x, MPFR_RNDN);
        }
    mpfr_clear(x);
    rows_settle(a);
    for (size_t t = 0; t < count; t++) set_error(a, t, 0.0, 1.0 + 0x1p-30); /* rounding, and 2^(16 - 48) of before */
    return a;
}

/* ---- number by number -------------------------------------------------------------------------------- */

/* An operation on the numbers x of a and y of b, for doubles and for MPFR alike. */
typedef struct operation {
    double (*value)(double x, double y);
    int (*exact)(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding);
} operation;

/* z = x op y without its errors; b of one row serves every row. */
static rows *operate(operation op, const rows *a, const rows *b) {
    if (!a || !b) return NULL;
    assert(a->dim == b->dim && a->bits == b->bits && (b->count == 1 || b->count == a->count));
    rows *z = rows_new(a->count, a->dim, a->bits);
    if (!z) return NULL;
    for (size_t t = 0; t < a->count; t++)
        for (size_t j = 0; j < a->dim; j++) {
            const size_t s = b->count == 1 ? 0 : t;
            if (z->exact)
                op.exact(rows_exact_row(z, t)[j], rows_exact_row(a, t)[j], rows_exact_row(b, s)[j], MPFR_RNDN);
            else
                rows_row(z, t)[j] = op.value(rows_row(a, t)[j], rows_row(b, s)[j]);
        }
    rows_settle(z);
    return z;
}

static double plus(double x, double y) {
    return x + y;
}
static double minus(double x, double y) {
    return x - y;
}
static double times(double x, double y) {
    return x * y;
}

/* |fl(a +- b) - exact| <= u |fl(a +- b)| + e_a + e_b: the rounding is relative to the result. */
static rows *add(operation op, const rows *a, const rows *b) {
    rows *z = operate(op, a, b);
    for (size_t t = 0; z && t < z->count; t++) set_error(z, t, a->error[t] + b->error[b->count == 1 ? 0 : t], 1.0);
    return z;
}

rows *rows_sum(const rows *a, const rows *b) {
    return add((operation){plus, mpfr_add}, a, b);
}
rows *rows_difference(const rows *a, const rows *b) {
    return add((operation){minus, mpfr_sub}, a, b);
}

/* No channel of row t exceeds this. */
static double largest_of(const rows *a, size_t t) {
    double largest = 0.0;
    for (size_t j = 0; j < a->dim; j++) largest = fmax(largest, fabs(rows_row(a, t)[j]));
    return largest * (1.0 + 0x1p-52) + LEAST; /* the double of an MPFR number may be below it */
}

/* With exact channels a_j + x_j and b_j + y_j: |a_j y_j + x_j b_j + x_j y_j| <= max |a| |y_j| + max |b| |x_j| + |x_j
 * y_j|, and the 2-norms of x, y are at most e_a, e_b. */
rows *rows_times(const rows *a, const rows *b) {
    rows *z = operate((operation){times, mpfr_mul}, a, b);
    for (size_t t = 0; z && t < z->count; t++) {
        const size_t s = b->count == 1 ? 0 : t;
        const double e_a = a->error[t], e_b = b->error[s];
        set_error(z, t, largest_of(a, t) * e_b + largest_of(b, s) * e_a + e_a * e_b, 1.0);
    }
    return z;
}

/* ---- of one operand ---------------------------------------------------------------------------------- */

rows *rows_constant(double x, size_t dim, long bits) {
    rows *a = rows_new(1, dim, bits);
    for (size_t j = 0; a && j < dim; j++) {
        rows_row(a, 0)[j] = x;
        if (a->exact) mpfr_set_d(a->exact[j], x, MPFR_RNDN);
    }
    if (a) rows_settle(a);
    return a;
}

rows *rows_scaled(const rows *a, double factor) {
    rows *f = a ? rows_constant(factor, a->dim, a->bits) : NULL, *z = rows_times(a, f);
    rows_free(f);
    return z;
}

static double over_root(double x, double n) {
    return x / sqrt(n);
}

static int over_root_exact(mpfr_t z, const mpfr_t x, const mpfr_t n, mpfr_rnd_t rounding) {
    mpfr_sqrt(z, n, rounding);
    return mpfr_div(z, x, z, rounding);
}

/* Root and quotient are rounded: (1 + u) / (1 - u) - 1 < 3 u. The operand's error shrinks with it. */
rows *rows_over_root(const rows *a, size_t n) {
    rows *f = a ? rows_constant((double)n, a->dim, a->bits) : NULL;
    rows *z = operate((operation){over_root, over_root_exact}, a, f);
    for (size_t t = 0; z && t < z->count; t++) set_error(z, t, a->error[t] / sqrt((double)n), 3.0);
    rows_free(f);
    return z;
}

static int elu_exact(mpfr_t z, const mpfr_t x, const mpfr_t one, mpfr_rnd_t rounding) {
    return mpfr_sgn(x) > 0 ? mpfr_add(z, x, one, rounding) : mpfr_exp(z, x, rounding);
}

/* e^x by MPFR, for the rounding of a C library's exp is not known. */
static double elu(double x, double one) {
    if (x > 0.0) return x + one;
    mpfr_t e;
    mpfr_init2(e, ROWS_DOUBLE);
    mpfr_set_d(e, x, MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDN);
    const double y = mpfr_get_d(e, MPFR_RNDN);
    mpfr_clear(e);
    return y;
}

/* The slope of x + 1 and of e^x below 0 is at most 1: errors do not grow. One rounding; a tiny e^x two. */
rows *rows_elu_plus_one(const rows *a) {
    rows *one = a ? rows_constant(1.0, a->dim, a->bits) : NULL;
    rows *z = operate((operation){elu, elu_exact}, a, one);
    for (size_t t = 0; z && t < z->count; t++) set_error(z, t, a->error[t], 2.0);
    rows_free(one);
    return z;
}

/* ---- moved about, without rounding ------------------------------------------------------------------- */

static void copy(rows *to, size_t t, size_t j, const rows *from, size_t s, size_t k) {
    rows_row(to, t)[j] = rows_row(from, s)[k];
    if (to->exact) mpfr_set(rows_exact_row(to, t)[j], rows_exact_row(from, s)[k], MPFR_RNDN);
}

/* A column of W is off by no more than all of W is, in the Frobenius norm. */
rows *rows_transpose(const rows *W) {
    rows *z = W ? rows_new(W->dim, W->count, W->bits) : NULL;
    if (!z) return NULL;
    const double error = rows_length(W->error, W->count);
    for (size_t t = 0; t < z->count; t++) {
        for (size_t j = 0; j < z->dim; j++) copy(z, t, j, W, j, t);
        z->error[t] = error;
    }
    rows_settle(z);
    return z;
}

rows *rows_join(const rows *a, const rows *b) {
    if (!a || !b) return NULL;
    assert(a->count == b->count && a->bits == b->bits);
    rows *z = rows_new(a->count, a->dim + b->dim, a->bits);
    if (!z) return NULL;
    for (size_t t = 0; t < z->count; t++) {
        for (size_t j = 0; j < z->dim; j++) {
            if (j < a->dim)
                copy(z, t, j, a, t, j);
            else
                copy(z, t, j, b, t, j - a->dim);
        }
        z->error[t] = hypot(a->error[t], b->error[t]) * ROWS_SLACK;
    }
    rows_settle(z);
    return z;
}

rows *rows_repeated(const rows *a, size_t count) {
    rows *z = a ? rows_new(count, a->dim, a->bits) : NULL;
    if (!z) return NULL;
    for (size_t t = 0; t < count; t++) {
        for (size_t j = 0; j < z->dim; j++) copy(z, t, j, a, 0, j);
        z->error[t] = a->error[0];
    }
    rows_settle(z);
    return z;
}
