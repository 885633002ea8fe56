/* The judge: which model explains the subject, how far an honest one may be off, and every entry decided.
 *
 * Replay first; a-priori bounds when nothing replays. The scan looks at every row of the arrays (not only at
 * the sample) and fills the tallies of the claims finite, width, table and elementwise.
 */
#ifndef ROPE_VERIFY_JUDGE_H
#define ROPE_VERIFY_JUDGE_H

#include "../report/report.h"
#include "evidence.h"

/* What the scan found of one question: counts, first and worst. */
typedef struct rope_count {
    uint64_t checked, broken, untestable;
    double defect, bound;       /* of the worst broken one; else the largest defect and its bound */
    bool has_first, has_witness;
    report_witness first, witness;
} rope_count;

typedef struct rope_scan {
    rope_count finite, width, value;
    uint64_t referred; /* entries that went to MPFR */
} rope_scan;

typedef struct rope_judge {
    const rope_subject *subject;
    const rope_evidence *evidence;
    rope_fit fit[ROPE_MODELS]; /* identified models of the honest program, best first */
    int fits;
    const rope_fit *used;      /* the one that explains the whole data best; NULL: unidentified */
    const rope_model *model;   /* its model; a grade of f64 is judged by the f64 model in any case; NULL: unidentified */
    rope_dtype arithmetic;    /* of cos and sin: f64 or f32 */
    rope_rotation rotation;   /* how vectors were rotated */
    double A;
    int h;
    double *theta, *slope;    /* [h] frequency; phase error per unit position */
    double *steady, *difference; /* [rows][h] of the evidence: rope_judge_steady, rope_judge_difference */
    double largest;           /* largest |m| that occurs */
    rope_phase *phase;        /* exact, up to twice the largest |m| */
    rope_scan scan;
} rope_judge;

rope_status rope_judge_open(rope_judge *judge, const rope_subject *subject, const rope_evidence *evidence, rope_error *error);
/* Fits the models of an honest program to the sample, for vectors rotated in this way, and judges by the best. The caller owns
 * what judge->fit held before. */
rope_status rope_judge_fit(rope_judge *judge, rope_rotation rotation, rope_error *error);
/* Are there vectors that may have been rotated in their own short format? */
bool rope_judge_may_be_short(const rope_judge *judge);
/* Looks at every row under the present model and fills judge->scan. */
void rope_judge_scan_once(rope_judge *judge);
/* Scans under the best model, refining its parameters with the rows that they do not explain, then under those that explain more of
 * these rows, until one leaves nothing broken; keeps the one that breaks least. */
void rope_judge_scan(rope_judge *judge);
/* Judges by fit k from here on (-1: a-priori bounds). */
void rope_judge_use(rope_judge *judge, int k);
void rope_judge_close(rope_judge *judge);

/* Error of one observed turn that is no phase error: trig, cache, rotation, output; absolute. */
double rope_judge_steady(const rope_judge *judge, size_t row, int i);
/* Error of an entry pair of the operator itself, read off basis vectors: products with 1 and 0 are exact, so the vector
 * (cos, sin) is rounded once, in the table or in the output. */
double rope_judge_operator(const rope_judge *judge);
/* rope_judge_steady and the a-priori phase error: |turn - A e^{i m theta_i}|. */
double rope_judge_turn(const rope_judge *judge, size_t row, int i);
/* Error of the phase difference between two rows when frequency errors cancel, in radians. */
double rope_judge_difference(const rope_judge *judge, size_t row, int i);

/* Exact A e^{i m theta_j}, rounded to double. */
void rope_judge_exact(const rope_judge *judge, int64_t m, double *c, double *s);

/* Counts one comparison; defect not <= bound (NaN, too) is broken; bound >= A is untestable. where may be NULL. */
void rope_count_test(rope_count *count, double defect, double bound, double useless, const report_witness *where);
void rope_count_add(rope_count *total, const rope_count *part);

/* A witness at a sampled row. */
report_witness rope_witness_at(const rope_judge *judge, size_t row, int pair);
/* Adds the values and their encoding in the subject's format. */
void rope_witness_values(report_witness *witness, const rope_subject *subject, double expected, double got, double error, double allowed);
report_witness rope_witness_nowhere(void);

#endif
