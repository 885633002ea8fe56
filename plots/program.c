#include "program.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

static const struct package {
    const char *program, *hint;
} packages[] = {{"gnuplot", "install it: make deps, or apt-get install gnuplot-nox"},
                {"rsvg-convert", "install it: make deps, or apt-get install librsvg2-bin; an .svg needs only gnuplot"}};

char *program_folder(void) {
    char path[PATH_MAX];
#ifdef __APPLE__
    uint32_t size = sizeof path;
    if (_NSGetExecutablePath(path, &size) != 0) return NULL;
#else
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return NULL;
    path[length] = 0;
#endif
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    *slash = 0;
    return strdup(path);
}

/* The program's path, memory the caller frees; NULL when it is not in PATH. Relative entries are skipped: the program
 * is started in another folder. */
static char *find(const char *name) {
    const char *entry = getenv("PATH");
    for (; entry && *entry; entry += strcspn(entry, ":"), entry += *entry == ':') {
        char *path;
        if (*entry != '/') continue;
        if (asprintf(&path, "%.*s/%s", (int)strcspn(entry, ":"), entry, name) < 0) abort();
        if (access(path, X_OK) == 0) return path;
        free(path);
    }
    return NULL;
}

rope_status program_check(const char *name, rope_error *error) {
    char *path = find(name);
    if (path) {
        free(path);
        return ROPE_OK;
    }
    const char *hint = NULL;
    for (size_t k = 0; k < sizeof packages / sizeof *packages; k++)
        if (!strcmp(packages[k].program, name)) hint = packages[k].hint;
    return rope_fail(error, ROPE_IO, name, hint, "this program is needed to draw, and it is not there");
}

/* Only what is safe between fork and exec in a program with threads [POSIX.1-2017, fork]. */
static void become(const char *path, const char *name, const char *option, const char *folder, int input, int output) {
    char *const words[] = {(char *)name, (char *)option, NULL};
    if (chdir(folder) == 0 && dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0) execv(path, words);
    _exit(127);
}

static bool close_on_exec(int descriptor) {
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

static int exit_status_of(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The lines of a log in one: without gnuplot's echo of the command and the mark below it, joined with "; ". */
static char *summary(FILE *log) {
    char *line = NULL, *text = NULL;
    size_t room = 0, size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    rewind(log);
    for (int kept = 0; getline(&line, &room, log) >= 0;) {
        char *begin = line + strspn(line, " \t\r\n");
        size_t length = strlen(begin);
        while (length && strchr(" \t\r\n", begin[length - 1])) length--;
        if (!length || (length == 1 && *begin == '^') || !strncmp(begin, "gnuplot>", 8)) continue;
        fprintf(out, "%s%.*s", kept++ ? "; " : "", (int)length, begin);
    }
    free(line);
    if (fclose(out) != 0) abort();
    return text;
}

rope_status program_run(int *exit_status, char **said, const char *name, const char *option, const char *folder,
                        const char *input, rope_error *error) {
    assert(strlen(input) <= _POSIX_PIPE_BUF);
    *said = NULL;
    rope_status status = program_check(name, error);
    if (status != ROPE_OK) return status;
    int pipe_end[2] = {-1, -1};
    char *path = find(name);
    FILE *log = tmpfile();
    pid_t child = -1;
    if (path && log && pipe(pipe_end) == 0 && close_on_exec(pipe_end[0]) && close_on_exec(pipe_end[1])) child = fork();
    if (child == 0) become(path, name, option, folder, pipe_end[0], fileno(log));
    if (child < 0) {
        status = rope_fail(error, ROPE_IO, name, NULL, "cannot be started: %s", strerror(errno));
    } else {
        /* This process still holds the reading end: no SIGPIPE, and the pipe takes so little without a reader. */
        const size_t length = strlen(input);
        const bool sent = write(pipe_end[1], input, length) == (ssize_t)length;
        close(pipe_end[1]);
        pipe_end[1] = -1;
        *exit_status = exit_status_of(child);
        if (!sent && *exit_status == 0) *exit_status = 127;
        *said = summary(log);
    }
    for (int k = 0; k < 2; k++)
        if (pipe_end[k] >= 0) close(pipe_end[k]);
    if (log) fclose(log);
    free(path);
    return status;
}
