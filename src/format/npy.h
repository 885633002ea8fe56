/* NumPy .npy arrays, versions 1 to 3. Source: numpy.lib.format (NEP 1).
 *
 * A file is mapped, not loaded: memory does not grow with the array. "-" and pipes are spooled to an
 * unlinked temporary file first. Elements are always addressed in C (row-major) order, whatever the
 * order and byte order on disk.
 *
 *     rope_npy *npy;
 *     rope_status status = rope_npy_open(&npy, "cos.npy", &error);
 *     rope_npy_read(npy, 0, 64, row);        first 64 elements as doubles
 *     rope_npy_close(npy);
 *
 * Input is hostile: object and structured arrays, truncated files, trailing bytes, and shapes whose size
 * overflows are refused with the file, the byte offset and the reason.
 */
#ifndef ROPE_NPY_H
#define ROPE_NPY_H

#include "../number/dtype.h"
#include "../status.h"

enum { ROPE_NPY_RANK = 8 }; /* the largest rank read; NumPy allows 64, tensors here have at most 4 */

typedef enum rope_npy_type {
    ROPE_NPY_F2, ROPE_NPY_F4, ROPE_NPY_F8,
    ROPE_NPY_C8, ROPE_NPY_C16,
    ROPE_NPY_I2, ROPE_NPY_U2, ROPE_NPY_V2, /* V2: two raw bytes, what ml_dtypes writes for bfloat16 */
    ROPE_NPY_I4, ROPE_NPY_I8,
    ROPE_NPY_TYPES
} rope_npy_type;

typedef struct rope_npy rope_npy;

/* Opens path ("-": standard input). On failure *npy is NULL and *error says where and why. */
rope_status rope_npy_open(rope_npy **npy, const char *path, rope_error *error);

/* Parses size bytes at memory, which must outlive *npy; name stands for the file in errors. */
rope_status rope_npy_parse(rope_npy **npy, const void *memory, size_t size, const char *name, rope_error *error);

void rope_npy_close(rope_npy *npy); /* NULL is fine */

const char *rope_npy_name(const rope_npy *npy);
rope_npy_type rope_npy_type_of(const rope_npy *npy);
const char *rope_npy_type_name(rope_npy_type type); /* "f2" ... "i8" */
int rope_npy_rank(const rope_npy *npy);
size_t rope_npy_extent(const rope_npy *npy, int axis); /* 0 <= axis < rank */
size_t rope_npy_count(const rope_npy *npy);            /* number of elements; 1 for rank 0 */

/* The floating format of the elements (of the components of a complex one); false for integers and V2. */
bool rope_npy_dtype(const rope_npy *npy, rope_dtype *dtype);

/* Declares that a u2, i2 or V2 array holds the bits of another 2-byte format (bf16, f16); false if the type forbids it. */
bool rope_npy_reinterpret(rope_npy *npy, rope_dtype dtype);

/* Elements [first, first + count) in C order as doubles; a complex element gives two (re, im).
 * Integers are converted (exactly below 2^53). V2 must be reinterpreted first. */
void rope_npy_read(const rope_npy *npy, size_t first, size_t count, double *out);

/* The same for integer arrays, exactly. */
void rope_npy_read_integers(const rope_npy *npy, size_t first, size_t count, int64_t *out);

/* The elements as they lie in memory, when that is native byte order, C order and aligned to the
 * element's size; else NULL. */
const void *rope_npy_elements(const rope_npy *npy);

/* The whole file as bytes (for a digest). */
const void *rope_npy_file(const rope_npy *npy, size_t *size);

/* Writes a version 1.0 array, C order, little endian, data 64-byte aligned: first under a
 * temporary name, then renamed, so that no half-written file is left (outfile.h). shape has rank entries; data
 * holds the elements in native byte order. */
rope_status rope_npy_write(const char *path, rope_npy_type type, int rank, const size_t *shape,
                           const void *data, rope_error *error);

#endif
