#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rope_status refused(const char *path, const char *act, rope_error *error) {
    return rope_fail(error, ROPE_IO, path, "is the folder there and writable, and is there space?", "cannot %s: %s",
                     act, strerror(errno));
}

static void release(outfile *file) {
    free(file->path);
    free(file->target);
    free(file->temporary);
    *file = (outfile){.stream = NULL};
}

/* A new file beside the target, so that the rename stays within one file system. What a process of the same number has
 * left there is not touched. */
static int create_beside(outfile *file) {
    int descriptor = -1;
    for (int attempt = 0; descriptor < 0 && attempt < 1000; attempt++) {
        free(file->temporary);
        if (asprintf(&file->temporary, "%s.%ld-%d.tmp", file->target, (long)getpid(), attempt) < 0) {
            file->temporary = NULL;
            errno = ENOMEM;
            break;
        }
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    return descriptor;
}

rope_status outfile_open(outfile *file, const char *path, rope_error *error) {
    struct stat entry;
    const bool exists = stat(path, &entry) == 0;
    const bool direct = exists && !S_ISREG(entry.st_mode);
    *file = (outfile){.path = strdup(path), .target = exists ? realpath(path, NULL) : NULL};
    if (!file->target) file->target = strdup(path);
    if (!file->path || !file->target) {
        release(file);
        return rope_fail(error, ROPE_NO_MEMORY, path, NULL, "no memory");
    }

    const int descriptor = direct ? open(path, O_WRONLY | O_CLOEXEC) : create_beside(file);
    file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file->stream) return ROPE_OK;
    const rope_status status = refused(path, "open it for writing", error);
    if (descriptor >= 0) {
        close(descriptor);
        if (file->temporary) unlink(file->temporary);
    }
    release(file);
    return status;
}

/* errno is that of the first failure; a full disk may show only in fclose. */
static bool finish(FILE *stream) {
    const bool flushed = fflush(stream) == 0;
    const int reason = errno;
    const bool written = flushed && !ferror(stream);
    const bool closed = fclose(stream) == 0;
    if (!flushed) errno = reason;
    return written && closed;
}

rope_status outfile_close(outfile *file, rope_error *error) {
    const bool placed = finish(file->stream) && (!file->temporary || rename(file->temporary, file->target) == 0);
    const rope_status status = placed ? ROPE_OK : refused(file->path, "write it", error);
    if (!placed && file->temporary) unlink(file->temporary);
    release(file);
    return status;
}

void outfile_abandon(outfile *file) {
    fclose(file->stream);
    if (file->temporary) unlink(file->temporary);
    release(file);
}
