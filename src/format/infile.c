#include "infile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPOOL = 1 << 16 }; /* bytes read from a pipe at a time */

/* Maps size bytes of a file. (A file that another program cuts short later ends this one with SIGBUS, as mmap does.) */
static rope_status map(int fd, off_t size, const char *name, infile *m, rope_error *error) {
    *m = (infile){NULL, (size_t)size};
    if (size == 0) return ROPE_OK;
    if ((off_t)m->size != size) return rope_fail(error, ROPE_IO, name, NULL, "too large for this machine's memory");
    void *const bytes = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return rope_fail(error, ROPE_IO, name, NULL, "cannot be mapped: %s", strerror(errno));
    m->bytes = bytes;
    return ROPE_OK;
}

/* Reads until the block is full or the file ends; -1 with errno when the system refuses. */
static ssize_t read_block(int fd, unsigned char *block, size_t size) {
    size_t got = 0;
    while (got < size) {
        const ssize_t n = read(fd, block + got, size - got);
        if (n == 0) break;
        if (n > 0)
            got += (size_t)n;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)got;
}

/* Copies a stream to an unlinked file and maps that. */
static rope_status spool(int fd, const char *name, infile *m, infile_check *check, rope_error *error) {
    unsigned char block[SPOOL];
    rope_status status = ROPE_IO;
    off_t size = 0;
    ssize_t got;
    FILE *file = tmpfile();
    if (!file) return rope_fail(error, status, name, NULL, "no temporary file to spool to: %s", strerror(errno));
    while ((got = read_block(fd, block, sizeof block)) > 0) {
        if (size == 0 && check) {
            status = check(block, (size_t)got, name, error);
            if (status != ROPE_OK) goto done;
        }
        if (fwrite(block, 1, (size_t)got, file) != (size_t)got) break;
        size += got;
    }
    if (got < 0)
        status = rope_fail(error, ROPE_IO, name, NULL, "cannot be read: %s", strerror(errno));
    else if (got > 0 || fflush(file) != 0)
        status = rope_fail(error, ROPE_IO, name, "make room in the temporary folder, or name a file",
                           "cannot be spooled: %s", strerror(errno));
    else
        status = map(fileno(file), size, name, m, error);
done:
    fclose(file);
    return status;
}

static rope_status map_or_spool(int fd, bool standard_input, const char *name, infile *m, infile_check *check,
                                rope_error *error) {
    struct stat facts;
    if (fstat(fd, &facts) != 0) return rope_fail(error, ROPE_IO, name, NULL, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(facts.st_mode)) return rope_fail(error, ROPE_BAD_INPUT, name, "name a file in it", "this is a folder");
    if (S_ISREG(facts.st_mode) && !standard_input) return map(fd, facts.st_size, name, m, error);
    return spool(fd, name, m, check, error); /* standard input may have been read from, so it is never mapped */
}

const char *infile_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

rope_status infile_open(infile *file, const char *path, infile_check *check, rope_error *error) {
    const bool standard_input = strcmp(path, "-") == 0;
    const char *const name = infile_name(path);
    *file = (infile){NULL, 0};
    if (!*path) return rope_fail(error, ROPE_BAD_INPUT, "file name", NULL, "is empty");
    const int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return rope_fail(error, ROPE_IO, name, NULL, "cannot be opened: %s", strerror(errno));
    const rope_status status = map_or_spool(fd, standard_input, name, file, check, error);
    if (status != ROPE_OK) *file = (infile){NULL, 0};
    if (!standard_input) close(fd);
    return status;
}

void infile_close(infile *file) {
    if (file->bytes) munmap(file->bytes, file->size);
    *file = (infile){NULL, 0};
}
