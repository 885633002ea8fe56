/* Status of a call, and what to tell the user when it is not ROPE_OK.
 *
 * The library prints nothing and never exits. A function that can meet bad input returns a rope_status
 * and fills a rope_error (which may be NULL). Wrong use by a programmer is an assert.
 *
 *     rope_error error;
 *     if (rope_npy_open(&npy, path, &error) != ROPE_OK)
 *         fprintf(stderr, "%s: %s\n", error.place, error.reason);
 */
#ifndef ROPE_STATUS_H
#define ROPE_STATUS_H

typedef enum rope_status {
    ROPE_OK = 0,
    ROPE_BAD_INPUT,   /* the user's file, option or number cannot be used */
    ROPE_UNSUPPORTED, /* well formed, but not read or judged by this version */
    ROPE_IO,          /* the system refused: open, read, write, fork */
    ROPE_NO_MEMORY
} rope_status;

typedef struct rope_error {
    rope_status status;
    char place[512];  /* file and offset, or option and position in it */
    char reason[512]; /* what is wrong there */
    char hint[512];   /* what to do about it; may be empty */
} rope_error;

/* Fills *error and returns status. place and hint are plain text (hint may be NULL); reason is printf-like. */
rope_status rope_fail(rope_error *error, rope_status status, const char *place, const char *hint,
                      const char *reason, ...) __attribute__((format(printf, 5, 6)));

#endif
