/* Figures of a comparison: a heat map of each term and of the score, shift defects, decay. */
#ifndef ROPE_COMPARE_PICTURE_H
#define ROPE_COMPARE_PICTURE_H

#include "measure.h"

/* Into the directory, which is made when it is missing, for each figure NAME: NAME.svg, NAME.png, and NAME.tsv with
 * NAME.gp, from which gnuplot draws NAME.svg again. The figures:
 *
 *     heat-SCHEME             m against n, one panel for each term and for the score, up to 32 positions
 *     defect                  the shift defect of every term beside what rounding allows
 *     decay-ones -tokens -peak  the score over the distance m - n, one curve for each scheme (see measure.h)
 *
 * measured: [count], of list[k] at this shift. Each file is whole or not there; the same input gives the same bytes. */
rope_status compare_figures(const compare_data *data, const encoding *const *list, int count, int64_t shift,
                            const measurement *measured, const char *directory, rope_error *error);

#endif
