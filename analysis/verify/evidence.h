/* The sample of a subject that claims and hypotheses are tested on: a few hundred rows, kept in memory.
 *
 * Each row stands for one position of one batch and head. It is held in three forms: the vectors x and y (rotated,
 * built-in), the observations v = alpha cos + beta sin that a replay predicts, and the turns t_i = A e^{i phase} that
 * the subject applied to each pair. Rows are sorted by position.
 */
#ifndef ROPE_VERIFY_EVIDENCE_H
#define ROPE_VERIFY_EVIDENCE_H

#include "../../src/model/replay.h"
#include "subject.h"

/* How output channels arise from input channels: which pair's angle, which partner. */
typedef struct rope_wiring {
    rope_layout layout_in, layout_out;
    bool other_tiling;    /* rotated: the table was tiled as the other layout needs it */
    table_tiling tiling;  /* table: which column is which pair; TILING_FOUND: as the subject found it */
} rope_wiring;

typedef struct rope_evidence {
    const rope_subject *subject;
    size_t rows;
    int64_t *m;                   /* [rows] ascending */
    size_t *batch, *head, *time;  /* [rows] where it lies in the arrays */
    int vector;                   /* channels of x and y: d; 0 for tables */
    double *x, *y;                /* [rows][d] */
    int channels;                 /* observations per row */
    double *alpha, *beta, *value; /* [rows][channels] */
    int *pair;                    /* [channels] */
    int h;
    double *re, *im;              /* [rows][h] turns; NaN where the input pair is zero */
    double *noise;                /* [rows][h] error of a turn's own computation from the values */
} rope_evidence;

/* Where a row lies in the subject's arrays. */
typedef struct rope_place {
    int64_t m;
    size_t batch, head, time;
} rope_place;

/* How much of a turn the format's least steps may hide; infinite for a pair of zeros. */
double rope_evidence_blur(const rope_evidence *evidence, size_t row, int i);

/* The sample: all rows of a small subject, else probe positions, both ends and an even spread. */
rope_status rope_evidence_collect(rope_evidence *evidence, const rope_subject *subject, rope_error *error);
/* Given rows of arrays instead. */
rope_status rope_evidence_read(rope_evidence *evidence, const rope_subject *subject, const rope_place *rows, size_t count,
                               rope_error *error);
void rope_evidence_clear(rope_evidence *evidence);

/* The declared layout, and a table's tiling as it was found. */
rope_wiring rope_wiring_declared(const rope_subject *subject);
/* The same with the tiling that --tiling or the layout asks for. */
rope_wiring rope_wiring_expected(const rope_subject *subject);

/* Fills alpha, beta, value and pair for another wiring (the turns stay). */
void rope_evidence_wire(rope_evidence *evidence, const rope_wiring *wiring);

/* The observations as replay wants them, thinned to at most `most` rows: half of them the farthest positions. The
 * arrays are the evidence's own rows copied; free with rope_samples_free. */
rope_samples rope_evidence_samples(const rope_evidence *evidence, size_t most);
/* Adds every row of more evidence of the same subject. */
rope_status rope_samples_extend(rope_samples *samples, const rope_evidence *more, rope_error *error);
void rope_samples_free(rope_samples *samples);

#endif
