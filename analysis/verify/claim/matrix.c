/* Claims about R_m as a matrix, by GSL: determinant (LU) and spectrum (QR algorithm). */
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "claim.h"

/* Columns of R_m: the kernel applied to the basis vectors. */
static gsl_matrix *matrix_of(const rope_subject *subject, int64_t m) {
    const size_t d = (size_t)subject->spec.dim;
    gsl_matrix *matrix = gsl_matrix_alloc(d, d);
    double *x = calloc(2 * d * d, sizeof *x), *y = x + d * d;
    if (!matrix || !x) abort();
    for (size_t k = 0; k < d; k++) x[k * d + k] = 1.0;
    subject->kernel->rotate(&subject->spec, m, d, x, y);
    for (size_t column = 0; column < d; column++)
        for (size_t row = 0; row < d; row++) gsl_matrix_set(matrix, row, column, y[column * d + row]);
    free(x);
    return matrix;
}

/* A matrix costs d^3: from d = 512 on fewer of them are looked at, at least one. */
static size_t affordable(size_t most, size_t d) {
    const double share = pow(512.0 / (double)d, 3.0) * (double)most;
    return share >= (double)most ? most : share < 1.0 ? 1 : (size_t)share;
}

/* Positions to test: every distinct one in a full run, else a spread of them. */
static size_t *positions(const claim_context *context, size_t most, size_t *count) {
    most = affordable(most, (size_t)context->subject->spec.dim);
    const size_t distinct = context->evidence->rows / 3; /* kernels: three vectors a position */
    const size_t used = context->effort == EFFORT_FULL || distinct < most ? distinct : most;
    size_t *rows = malloc((used + 1) * sizeof *rows);
    if (!rows) abort();
    for (size_t k = 0; k < used; k++) rows[k] = 3 * (used > 1 ? k * (distinct - 1) / (used - 1) : distinct - 1);
    *count = used;
    return rows;
}

void claim_determinant(const claim_context *context, report_claim *claim) {
    const rope_judge *judge = context->judge;
    const size_t d = (size_t)context->subject->spec.dim;
    if (context->subject->spec.layout_in != context->subject->spec.layout_out) {
        claim_skip(claim, "mixed layouts permute channels: R_m is a rotation times a permutation");
        return;
    }
    size_t count;
    size_t *rows = positions(context, 12, &count);
    const double expected = pow(judge->A, context->subject->spec.rotary_dim);
    gsl_permutation *permutation = gsl_permutation_alloc(d);
    rope_count tested = {0};
    for (size_t k = 0; k < count; k++) {
        int sign;
        gsl_matrix *matrix = matrix_of(context->subject, judge->evidence->m[rows[k]]);
        gsl_linalg_LU_decomp(matrix, permutation, &sign);
        const double determinant = gsl_linalg_LU_det(matrix, sign), e = rope_judge_operator(judge) / judge->A;
        report_witness where = rope_witness_at(judge, rows[k], -1);
        const double off = determinant > 0.0 ? fabs(log(determinant / expected)) : NAN; /* a reflection has no logarithm */
        rope_count_test(&tested, off, rope_bound_determinant(judge->h, 2.0 * e + e * e), INFINITY, &where);
        gsl_matrix_free(matrix);
    }
    gsl_permutation_free(permutation);
    free(rows);
    claim_take(claim, &tested, "probes");
}

/* ---- spectrum --------------------------------------------------------------------------------------- */

typedef struct point {
    double re, im;
} point;

/* A sum of products, and what is needed to bound its rounding; products with 0 do not round. */
typedef struct inner {
    double sum, moduli;
    int terms;
} inner;

/* row_j += x times row k of the matrix, for every column j. */
static void add_row(inner *row, double x, const gsl_matrix *matrix, size_t k) {
    for (size_t j = 0; x != 0.0 && j < matrix->size2; j++) {
        const double product = x * gsl_matrix_get(matrix, k, j);
        if (product == 0.0) continue;
        row[j].sum += product;
        row[j].moduli += fabs(product);
        row[j].terms++;
    }
}

/* At least the length of the exact row. */
static double length(const inner *row, size_t n) {
    double length = 0.0;
    for (size_t j = 0; j < n; j++) length = hypot(length, fabs(row[j].sum) + rope_bound_sum(row[j].terms, row[j].moduli));
    return length;
}

/* M Z = Z T as computed, T quasi-triangular: at least |M Z - Z T| and |Z^T Z - I|, Frobenius norms. */
static void check_schur(const gsl_matrix *M, const gsl_matrix *Z, const gsl_matrix *T, double *residual, double *defect) {
    const size_t n = M->size1;
    *residual = *defect = 0.0;
    for (size_t i = 0; i < n; i++) {
        inner row[n], gram[n];
        for (size_t j = 0; j < n; j++) row[j] = gram[j] = (inner){0.0, 0.0, 0};
        gram[i] = (inner){-1.0, 1.0, 1};
        for (size_t k = 0; k < n; k++) {
            add_row(row, gsl_matrix_get(M, i, k), Z, k);
            add_row(row, -gsl_matrix_get(Z, i, k), T, k);
            add_row(gram, gsl_matrix_get(Z, k, i), Z, k);
        }
        *residual = hypot(*residual, length(row, n));
        *defect = hypot(*defect, length(gram, n));
    }
}

/* Eigenvalues of a real Schur form: its diagonal, and a +- i sqrt(-b c) of each block (a b; c a). False for another form. What
 * GSL leaves below the subdiagonal is cleared. */
static bool read_schur(gsl_matrix *T, point *z) {
    const size_t n = T->size1;
    for (size_t i = 2; i < n; i++)
        for (size_t j = 0; j + 1 < i; j++) gsl_matrix_set(T, i, j, 0.0);
    for (size_t k = 0; k < n; k++) {
        const double a = gsl_matrix_get(T, k, k), c = k + 1 < n ? gsl_matrix_get(T, k + 1, k) : 0.0;
        z[k] = (point){a, 0.0};
        if (c == 0.0) continue;
        const double b = gsl_matrix_get(T, k, k + 1);
        if (gsl_matrix_get(T, k + 1, k + 1) != a || !(b * c < 0.0) || (k + 2 < n && gsl_matrix_get(T, k + 2, k + 1) != 0.0)) return false;
        z[k].im = sqrt(fabs(b)) * sqrt(fabs(c));
        z[k + 1] = (point){a, -z[k].im};
        k++;
    }
    return true;
}

/* The eigenvalues of M, and how far they may be off; norm is at least |M|. INFINITY when the QR algorithm fails. */
static double eigenvalues(const gsl_matrix *M, double norm, point *z) {
    const size_t n = M->size1;
    gsl_eigen_nonsymm_workspace *workspace = gsl_eigen_nonsymm_alloc(n);
    gsl_vector_complex *found = gsl_vector_complex_alloc(n);
    gsl_matrix *T = gsl_matrix_alloc(n, n), *Z = gsl_matrix_alloc(n, n);
    if (!workspace || !found || !T || !Z) abort();
    double bound = INFINITY, residual, defect;
    gsl_matrix_memcpy(T, M);
    gsl_eigen_nonsymm_params(1, 0, workspace); /* the whole of T, no balancing */
    if (!gsl_eigen_nonsymm_Z(T, found, Z, workspace) && read_schur(T, z)) {
        check_schur(M, Z, T, &residual, &defect);
        bound = rope_bound_spectrum((int)n, norm, residual, defect);
    }
    gsl_matrix_free(Z);
    gsl_matrix_free(T);
    gsl_vector_complex_free(found);
    gsl_eigen_nonsymm_free(workspace);
    return bound;
}

/* How far the two sets are apart: each expected point from the nearest found one, and each found one from the nearest expected one,
 * where bound[k] is allowed at expected point k. Returns the distance that exceeds its bound most. */
static double set_distance(size_t n, const point *expected, const point *found, const double *bound, double *allowed) {
    double excess = -INFINITY, worst = 0.0;
    for (int back = 0; back < 2; back++)
        for (size_t k = 0; k < n; k++) {
            double least = INFINITY, distance = NAN, limit = bound[k];
            for (size_t j = 0; j < n; j++) {
                const size_t e = back ? j : k, f = back ? k : j;
                const double off = hypot(found[f].re - expected[e].re, found[f].im - expected[e].im);
                if (!(off - bound[e] < least)) continue;
                least = off - bound[e];
                distance = off;
                limit = bound[e];
            }
            if (!(least > excess)) continue;
            excess = least;
            worst = distance;
            *allowed = limit;
        }
    return worst;
}

void claim_spectrum(const claim_context *context, report_claim *claim) {
    const rope_judge *judge = context->judge;
    const size_t d = (size_t)context->subject->spec.dim, h = (size_t)judge->h;
    if (context->subject->spec.layout_in != context->subject->spec.layout_out) {
        claim_skip(claim, "mixed layouts permute channels: R_m is a rotation times a permutation");
        return;
    }
    size_t count;
    size_t *rows = positions(context, 3, &count);
    double c[h], s[h], bound[d], allowed = 0.0;
    point expected[d], found[d];
    const double norm = fmax(judge->A + rope_judge_operator(judge), 1.0);
    rope_count tested = {0};
    for (size_t k = 0; k < count; k++) {
        gsl_matrix *matrix = matrix_of(context->subject, judge->evidence->m[rows[k]]);
        const double algebra = eigenvalues(matrix, norm, found);
        rope_judge_exact(judge, judge->evidence->m[rows[k]], c, s);
        for (size_t j = 0; j < d; j++) {
            const size_t i = j / 2;
            expected[j] = i < h ? (point){c[i], j % 2 ? -s[i] : s[i]} : (point){1.0, 0.0};
            bound[j] = algebra + (i < h ? rope_judge_turn(judge, rows[k], (int)i) : 0.0);
        }
        report_witness where = rope_witness_at(judge, rows[k], -1);
        const double defect = isinf(algebra) ? NAN : set_distance(d, expected, found, bound, &allowed);
        rope_count_test(&tested, defect, isinf(algebra) ? algebra : allowed, judge->A, &where);
        gsl_matrix_free(matrix);
    }
    free(rows);
    claim_take(claim, &tested, "probes");
}
