/* Claims about R_m as a matrix, by GSL: determinant (LU) and spectrum (QR algorithm). */
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
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

/* Positions to test: every distinct one in a full run, else a spread of them. */
static size_t *positions(const claim_context *context, size_t most, size_t *count) {
    const size_t distinct = context->evidence->rows / 3; /* kernels: three vectors a position */
    const size_t used = context->effort == EFFORT_FULL || distinct < most ? distinct : most;
    size_t *rows = malloc((used + 1) * sizeof *rows);
    if (!rows) abort();
    for (size_t k = 0; k < used; k++) rows[k] = 3 * (used > 1 ? k * (distinct - 1) / (used - 1) : 0);
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

/* Distance of each expected eigenvalue to the nearest computed one not yet taken; the largest. */
static double match(const gsl_vector_complex *found, size_t d, const double *re, const double *im, const double *bound,
                    double *allowed) {
    bool taken[d];
    double excess = -INFINITY, worst = 0.0;
    for (size_t k = 0; k < d; k++) taken[k] = false;
    for (size_t k = 0; k < d; k++) {
        size_t best = d;
        double least = INFINITY;
        for (size_t j = 0; j < d; j++) {
            const gsl_complex z = gsl_vector_complex_get(found, j);
            const double distance = hypot(GSL_REAL(z) - re[k], GSL_IMAG(z) - im[k]);
            if (!taken[j] && distance < least) {
                least = distance;
                best = j;
            }
        }
        if (best < d) taken[best] = true;
        if (least - bound[k] > excess) {
            excess = least - bound[k];
            worst = least;
            *allowed = bound[k];
        }
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
    gsl_eigen_nonsymm_workspace *workspace = gsl_eigen_nonsymm_alloc(d);
    gsl_vector_complex *found = gsl_vector_complex_alloc(d);
    double c[h], s[h], re[d], im[d], bound[d], allowed = 0.0;
    rope_count tested = {0};
    for (size_t k = 0; k < count; k++) {
        gsl_matrix *matrix = matrix_of(context->subject, judge->evidence->m[rows[k]]);
        const int status = gsl_eigen_nonsymm(matrix, found, workspace);
        rope_judge_exact(judge, judge->evidence->m[rows[k]], c, s);
        for (size_t j = 0; j < d; j++) {
            const size_t i = j / 2;
            re[j] = i < h ? c[i] : 1.0;
            im[j] = i < h ? (j % 2 ? -s[i] : s[i]) : 0.0;
            bound[j] = rope_bound_spectrum((int)d, fmax(judge->A, 1.0)) + (i < h ? rope_judge_turn(judge, rows[k], (int)i) : 0.0);
        }
        report_witness where = rope_witness_at(judge, rows[k], -1);
        const double defect = status ? NAN : match(found, d, re, im, bound, &allowed);
        rope_count_test(&tested, defect, allowed, judge->A, &where);
        gsl_matrix_free(matrix);
    }
    gsl_vector_complex_free(found);
    gsl_eigen_nonsymm_free(workspace);
    free(rows);
    claim_take(claim, &tested, "probes");
}
