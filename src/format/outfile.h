/* A file that is there whole or not at all: written under a temporary name beside it, then renamed.
 *
 *     outfile file;
 *     if (outfile_open(&file, path, &error) == ROPE_OK) {
 *         fprintf(file.stream, ...);
 *         status = outfile_close(&file, &error);       or outfile_abandon(&file)
 *     }
 */
#ifndef ROPE_OUTFILE_H
#define ROPE_OUTFILE_H

#include <stdio.h>

#include "../status.h"

typedef struct outfile {
    FILE *stream;
    char *path, *target, *temporary; /* as the user wrote it; behind symbolic links; NULL for a pipe or a device */
} outfile;

/* A pipe or a device is written directly; a symbolic link stays and its file is replaced. */
rope_status outfile_open(outfile *file, const char *path, rope_error *error);

/* Puts the file in its place, if every write succeeded; otherwise removes what was written. */
rope_status outfile_close(outfile *file, rope_error *error);
void outfile_abandon(outfile *file);

#endif
