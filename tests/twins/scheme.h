/* Position encodings with one mistake each. */
#ifndef ROPE_TWINS_SCHEME_H
#define ROPE_TWINS_SCHEME_H

#include "../../analysis/compare/encoding.h"

typedef struct scheme_twin {
    const char *mistake;
    const char *of; /* the scheme that it should have been */
    rope_status (*build)(encoding_run *run, rope_error *error);
    const char *is; /* a name of tests/vectors/compare_reference.txt whose scores it has, or NULL */
} scheme_twin;

extern const scheme_twin scheme_twins[]; /* ends with mistake NULL */

/* The scheme with the twin's build. */
encoding scheme_of_twin(const scheme_twin *twin);

#endif
