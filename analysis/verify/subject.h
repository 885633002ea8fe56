/* An implementation under test: arrays that it wrote, or a kernel that can be called.
 *
 * A request says what the user declares (command line, suite entry, probe folder alike); subject_open turns it into a
 * subject or refuses it with file, place, reason and hint. Kinds: one file each in subject/.
 */
#ifndef ROPE_VERIFY_SUBJECT_H
#define ROPE_VERIFY_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../src/format/npy.h"
#include "../../src/spec.h"

typedef enum subject_kind {
    SUBJECT_TABLE = 1,
    SUBJECT_FREQS = 2,
    SUBJECT_ROTATED = 4,
    SUBJECT_BUILT_IN = 8
} subject_kind;

typedef enum table_tiling {
    TILING_FOUND, /* not declared: found in the data */
    TILING_NONE,  /* h columns */
    TILING_BLOCK, /* r columns, [c, c] */
    TILING_PAIR   /* r columns, each twice */
} table_tiling;

typedef struct subject_request {
    const char *name;
    subject_kind kind;
    rope_spec spec;
    /* Paths; NULL where the kind has none. */
    const char *cos, *sin, *cos_sin, *cis, *freqs, *before, *after, *positions;
    bool sin_first;           /* order of a packed cos_sin array */
    table_tiling tiling;
    int64_t first_position;
    bool has_rows;            /* table: only the rows of positions [rows_first, rows_end) */
    int64_t rows_first, rows_end;
    const char *axes;         /* "BHTD" in array order; NULL: by rank */
    bool divisors;            /* freqs holds divisors of the unscaled frequencies */
    bool has_dtype;           /* dtype of 2-byte arrays that hold other bits */
    rope_dtype dtype;
    bool has_grade, exact;    /* exact: correctly rounded once */
    rope_dtype grade;
} subject_request;

/* A callable kernel: y_k = R_m x_k for count vectors of d values of its format. */
typedef struct subject_kernel {
    const char *name;
    rope_dtype dtype;
    bool has_table; /* it keeps correctly rounded tables: the table claim applies */
    void (*rotate)(const rope_spec *spec, int64_t m, size_t count, const double *x, double *y);
} subject_kernel;

enum { ARRAY_COS, ARRAY_SIN, ARRAY_BEFORE, ARRAY_AFTER, ARRAY_FREQS, ARRAY_POSITIONS, SUBJECT_ARRAYS };

typedef struct rope_subject {
    const char *name;
    subject_kind kind;
    rope_spec spec;
    rope_dtype dtype; /* how values are stored */
    rope_dtype grade; /* least acceptable */
    bool exact;
    bool divisors;

    rope_npy *array[SUBJECT_ARRAYS]; /* a packed or complex table is array[ARRAY_COS] alone */

    /* table */
    size_t origin;               /* rows of the arrays before the first one judged */
    size_t columns;              /* h or r */
    size_t row_elements;         /* elements (of components) from one row to the next */
    size_t offset[2], step;      /* of cos and of sin within a row; 2 for complex */
    table_tiling tiling;         /* as found; TILING_FOUND when r columns fit neither */
    table_tiling declared_tiling;
    char width_fault[200];       /* not empty: the number of columns contradicts the spec, nothing else can be read */

    /* rows: table and rotated */
    size_t batches, heads, times;
    int64_t *position;           /* [position_batches][times], NULL: first_position + t */
    size_t position_batches;
    int64_t first_position;
    char axes[5];                /* rotated: what they are, in the array's order */
    size_t stride[4];            /* rotated: elements from one batch, head, time, channel to the next */

    const subject_kernel *kernel; /* built-in */
    uint64_t seed;
    int64_t max_position;
} rope_subject;

rope_status subject_open(rope_subject **subject, const subject_request *request, rope_error *error);
void subject_close(rope_subject *subject);

/* Refuses a spec that declares no layout. */
rope_status subject_need_layout(const rope_spec *spec, rope_error *error);

/* The position of a row. */
int64_t subject_position(const rope_subject *subject, size_t batch, size_t time);
int64_t subject_largest_position(const rope_subject *subject); /* largest |m| */

/* table: h or r cosines and sines of judged rows [time, time + count), each [count][columns], as doubles. */
void subject_read_table(const rope_subject *subject, size_t time, size_t count, double *cos, double *sin);

/* rotated: the d channels before and after. */
void subject_read_vectors(const rope_subject *subject, size_t batch, size_t head, size_t time, double *x, double *y);

/* Pair of column j of a full or half table under a tiling. */
int subject_column_pair(const rope_subject *subject, table_tiling tiling, size_t column);

const char *subject_tiling_name(table_tiling tiling);

/* What to do about an array whose elements are no floating-point numbers. */
const char *subject_type_hint(const rope_npy *npy);

/* Kinds, one file each. */
rope_status subject_open_table(rope_subject *subject, const subject_request *request, rope_error *error);
rope_status subject_open_freqs(rope_subject *subject, const subject_request *request, rope_error *error);
rope_status subject_open_rotated(rope_subject *subject, const subject_request *request, rope_error *error);

/* The built-in kernels, ends with a NULL name. */
extern const subject_kernel subject_kernels[];
rope_subject *subject_built_in(const subject_kernel *kernel, const rope_spec *spec, uint64_t seed, int64_t max_position);

/* The probe positions, ascending, all <= max_position; in memory the caller frees. */
int64_t *subject_probe_positions(int64_t max_position, size_t *count);

#endif
