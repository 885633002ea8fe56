/* The comparison as one page: HTML that reads without a network and without a script.
 *
 * It holds the table of schemes, every formula, and a heat map of each term and of each score. A script of its own
 * shifts all positions and marks the terms that change; the values for each shift are computed and compared here, so
 * that the script only swaps them. Two values are called different when they differ by more than both their bounds.
 */
#ifndef ROPE_COMPARE_PAGE_H
#define ROPE_COMPARE_PAGE_H

#include "measure.h"

/* measured: [count], of list[k] at this shift K; the control goes from 0 to K. path is written whole or not at all. The
 * same input gives the same bytes. */
rope_status compare_page(const compare_data *data, const encoding *const *list, int count, int64_t shift,
                         const measurement *measured, const char *path, rope_error *error);

#endif
