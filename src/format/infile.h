/* A file to read as bytes in memory: mapped, or, from a pipe or standard input, spooled to an unlinked temporary file
 * and mapped. Memory does not grow with the file.
 *
 *     infile file;
 *     if (infile_open(&file, "cos.npy", check, &error) == ROPE_OK) ... file.bytes, file.size ...
 *     infile_close(&file);
 */
#ifndef ROPE_INFILE_H
#define ROPE_INFILE_H

#include <stddef.h>

#include "../status.h"

typedef struct infile {
    void *bytes; /* NULL when the file is empty */
    size_t size;
} infile;

/* Refuses what does not begin as it should; size bytes are there, all of the file or 65536. A stream may be endless:
 * it is asked before more is read. */
typedef rope_status infile_check(const unsigned char *bytes, size_t size, const char *name, rope_error *error);

/* path "-" is standard input. check is asked about streams only (NULL: nothing to ask). On failure file is empty. */
rope_status infile_open(infile *file, const char *path, infile_check *check, rope_error *error);
void infile_close(infile *file);

const char *infile_name(const char *path); /* for messages */

#endif
