/* What the files of the .npy reader and writer share. */
#ifndef ROPE_NPY_FILE_H
#define ROPE_NPY_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "infile.h"
#include "npy.h"

enum {
    NPY_MAGIC = 6,      /* "\x93NUMPY" */
    NPY_ALIGNMENT = 64, /* of the data, as NumPy writes it */
    NPY_BLOCK = 256,    /* elements gathered or written at a time */
    NPY_WIDEST = 16     /* bytes of the largest element, c16 */
};

extern const char npy_magic[NPY_MAGIC + 1];
extern const bool npy_big_endian_host;

typedef struct npy_type {
    const char *name; /* as in 'descr', without the byte order */
    size_t bytes, components;
    bool integer;
    int dtype; /* rope_dtype of a component, -1 when it has none */
} npy_type;

extern const npy_type npy_types[ROPE_NPY_TYPES];

struct rope_npy {
    char *name;
    infile file; /* empty when the caller owns the bytes */
    const unsigned char *bytes;
    size_t size;
    const unsigned char *data;
    rope_npy_type type;
    int dtype;    /* of the components, after a reinterpretation; -1 when none */
    bool swapped; /* the file's byte order is not the host's */
    bool fortran; /* and the order matters: at least two extents differ from 1 */
    int rank;
    size_t shape[ROPE_NPY_RANK];
    size_t count;
};

/* Where in a file something is wrong, and what is nearly always the remedy. */
typedef struct npy_place {
    char text[512];
} npy_place;
npy_place npy_place_of(const char *name, size_t offset);
extern const char npy_copy_again[], npy_save_again[];

/* The header's dictionary: bytes at .. end of the file. */
typedef struct npy_text {
    const char *name; /* of the file */
    const unsigned char *bytes;
    size_t at, end; /* offsets in the file */
    rope_error *error;
} npy_text;

/* Fills type, dtype, swapped, fortran, rank and shape. */
rope_status npy_parse_dictionary(npy_text *t, rope_npy *npy);

/* Reverses each of n numbers of the given width. */
void npy_reverse_bytes(unsigned char *numbers, size_t width, size_t n);

static inline size_t npy_block_length(size_t left) {
    return left < NPY_BLOCK ? left : NPY_BLOCK;
}

#endif
