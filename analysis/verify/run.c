/* The user's program, run on a probe folder: own process group, a time limit, nothing left behind. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verify.h"

/* ---- signals --------------------------------------------------------------------------------------- */

/* Signals that end rope-verify must end the program first, and its folder. Handlers can reach nothing but this. */
static volatile sig_atomic_t running_group, interrupted;

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { HELD = sizeof held / sizeof *held };
static struct sigaction before[HELD];

static void pass_on(int signal) {
    interrupted = signal;
    if (running_group > 0) kill(-(pid_t)running_group, SIGTERM);
}

void verify_hold_signals(void) {
    const struct sigaction action = {.sa_handler = pass_on};
    for (int k = 0; k < HELD; k++) {
        sigaction(held[k], NULL, &before[k]);
        if (before[k].sa_handler != SIG_IGN) sigaction(held[k], &action, NULL); /* nohup stays in force */
    }
}

void verify_release_signals(void) {
    for (int k = 0; k < HELD; k++) sigaction(held[k], &before[k], NULL);
    if (interrupted) raise(interrupted);
}

/* ---- the program ----------------------------------------------------------------------------------- */

static void start(char **program, const char *directory) {
    setpgid(0, 0);
    setenv("ROPE_DIR", directory, 1);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* results are rope-verify's own */
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    execvp(program[0], program);
    _exit(errno == ENOENT ? 127 : 126);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for the process until the limit; false when it had to be killed. */
static bool wait_until(pid_t process, double limit, int *status) {
    const struct timespec pause = {.tv_nsec = 5000000};
    const double start_time = seconds();
    while (waitpid(process, status, WNOHANG) == 0) {
        if (interrupted || seconds() - start_time > limit) {
            kill(-process, SIGTERM);
            for (int k = 0; k < 100 && waitpid(process, status, WNOHANG) == 0; k++) nanosleep(&pause, NULL);
            kill(-process, SIGKILL);
            waitpid(process, status, 0);
            return false;
        }
        nanosleep(&pause, NULL);
    }
    kill(-process, SIGKILL); /* children it left behind */
    return true;
}

rope_status verify_run_program(char **program, const char *directory, double timeout, rope_error *error) {
    fflush(NULL);
    const pid_t process = fork();
    int status = 0;
    if (process == 0) start(program, directory);
    bool ended = false;
    if (process > 0) {
        setpgid(process, process);
        running_group = (sig_atomic_t)process;
        ended = wait_until(process, timeout, &status);
        running_group = 0;
    }
    if (process < 0) return rope_fail(error, ROPE_IO, program[0], NULL, "cannot be started: %s", strerror(errno));
    if (interrupted) return rope_fail(error, ROPE_IO, program[0], NULL, "was stopped by signal %d", (int)interrupted);
    if (!ended)
        return rope_fail(error, ROPE_BAD_INPUT, program[0], "give it more with --timeout SECONDS, or fewer positions with --max-position",
                         "did not end within %g seconds", timeout);
    if (WIFSIGNALED(status))
        return rope_fail(error, ROPE_BAD_INPUT, program[0], "its own messages stand above", "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 127)
        return rope_fail(error, ROPE_BAD_INPUT, program[0], "give a path, or a program on PATH, after --", "was not found, or itself found no program (status 127)");
    if (WEXITSTATUS(status) == 126)
        return rope_fail(error, ROPE_BAD_INPUT, program[0], "chmod +x, or name the interpreter: -- python3 FILE", "cannot be executed, or itself found no program that can (status 126)");
    if (WEXITSTATUS(status) != 0)
        return rope_fail(error, ROPE_BAD_INPUT, program[0], "its own messages stand above", "ended with status %d", WEXITSTATUS(status));
    return ROPE_OK;
}
