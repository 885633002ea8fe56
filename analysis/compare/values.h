/* Rotated values: why RoFormer's equations 5 to 7 drop f_v. */
#ifndef ROPE_COMPARE_VALUES_H
#define ROPE_COMPARE_VALUES_H

#include "measure.h"

/* What is done to the values under RoPE scores: nothing; v_n becomes R_n v_n; and the output is turned back by R_m^T.
 */
enum { VALUES_NONE, VALUES_TURNED, VALUES_BACK, VALUES_KINDS };

/* Shift defects of the output o_m when all positions move by shift. */
rope_status values_measure(row_defect found[VALUES_KINDS], const compare_data *data, int64_t shift, rope_error *error);

#endif
