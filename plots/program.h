/* Other programs: where they are, and running one with text on its standard input. */
#ifndef ROPE_PLOTS_PROGRAM_H
#define ROPE_PLOTS_PROGRAM_H

#include "../src/status.h"

/* The folder of the running program; NULL when the system does not say. Memory the caller frees. */
char *program_folder(void);

/* Is it in PATH? The hint says how to install it. */
rope_status program_check(const char *name, rope_error *error);

/* Runs NAME OPTION in the folder with input (at most 512 bytes, so that the pipe holds it) on its standard input.
 * *said is what it wrote, in one line, to be freed also after a failure; *exit_status is 128 + the signal when one
 * killed it. No shell is between, and no signal reaches the caller when the program ends before it has read. */
rope_status program_run(int *exit_status, char **said, const char *name, const char *option, const char *folder,
                        const char *input, rope_error *error);

#endif
