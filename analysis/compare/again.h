/* A comparison in words, for the files that it writes. */
#ifndef ROPE_COMPARE_AGAIN_H
#define ROPE_COMPARE_AGAIN_H

#include "encoding.h"

/* The call that compares these schemes again, and what was run; memory the caller frees. */
char *again_command(const compare_data *data, const encoding *const *list, int count, int64_t shift);
char *again_statement(const compare_data *data);

#endif
