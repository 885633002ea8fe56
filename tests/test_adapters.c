/* rope-verify run on the adapters that README shows: an honest function holds, a faulty one is broken and named. */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/* Runs a shell command; its standard output in text. */
static int run(const char *command, char *text, size_t size) {
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t length = fread(text, 1, size - 1, pipe);
    text[length] = 0;
    while (fgetc(pipe) != EOF) continue;
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int verify(const char *spec, const char *program, char *text, size_t size) {
    const char *const build = getenv("ROPE_BUILD");
    char command[4096];
    snprintf(command, sizeof command, "%s/rope-verify run %s --max-position 131071 -- %s 2>&1", build ? build : "build", spec, program);
    return run(command, text, size);
}

static void test_c(void **state) {
    (void)state;
    const char *const build = getenv("ROPE_BUILD");
    char program[1024], text[16384];
    snprintf(program, sizeof program, "%s/tests/adapters/rope_c", build ? build : "build");
    assert_int_equal(verify("--layout half --dim 64", program, text, sizeof text), 0);
    check_contains(text, "quotient-f32");
    assert_int_equal(verify("--layout interleaved --dim 64", program, text, sizeof text), 1);
    check_contains(text, "looks like: layout (half)");
    strcat(program, " --faulty");
    assert_int_equal(verify("--layout half --dim 64", program, text, sizeof text), 1);
    check_contains(text, "looks like: position-precision (bf16)");
}

static void test_numpy(void **state) {
    (void)state;
    const char *const tests = getenv("ROPE_TESTS");
    char program[1024], text[16384];
    if (run("/usr/bin/python3 -c 'import numpy' 2>/dev/null", text, sizeof text) != 0) {
        print_message("skipped: python3-numpy is not installed\n");
        skip();
    }
    const struct {
        const char *fault;
        int status;
        const char *says;
    } cases[] = {{"none", 0, "direct-f32"}, {"base", 1, "looks like: base (found 500000)"}, {"sign", 1, "looks like: sign"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(program, sizeof program, "env FAULT=%s /usr/bin/python3 %s/adapters/rope_numpy.py", cases[k].fault, tests ? tests : "tests");
        assert_int_equal(verify("--layout half --dim 64", program, text, sizeof text), cases[k].status);
        check_contains(text, cases[k].says);
    }
}

/* ---- programs that misbehave ------------------------------------------------------------------------- */

#define X "\"$ROPE_DIR/x.npy\""
#define Y "\"$ROPE_DIR/y.npy\""

/* x.npy is 45 vectors of 64 floats behind 128 bytes of header. */
static const struct {
    const char *what, *script;
    int status;
    const char *says;
} misbehaving[] = {
    {"hangs", "sleep 60", 2, "did not end within 0.3 seconds"},
    {"hangs and ignores SIGTERM", "trap '' TERM; sleep 60; sleep 60", 2, "did not end within 0.3 seconds"},
    {"dies by a signal", "kill -SEGV $$", 2, "was ended by signal 11"},
    {"exits 3", "echo its own words >&2; exit 3", 2, "ended with status 3"},
    {"is not found", "no-such-program-anywhere", 2, "was not found"},
    {"writes nothing", "true", 2, "y.npy: is not there"},
    {"writes a short file", "head -c 1000 " X " >" Y, 2, "the file is truncated"},
    {"writes int32", "sed 's/<f4/<i4/' " X " >" Y, 2, "vectors of type i4"},
    {"writes another shape", "sed 's/(45, 64)/(64, 45)/' " X " >" Y, 2, "shape 64 x 45 differs"},
    {"writes a NaN", "cp " X " " Y "; printf '\\377\\377\\377\\377' | dd of=" Y " bs=1 seek=1128 conv=notrunc 2>/dev/null", 1,
     "FAIL finite: 1 of 2880 entries"},
    {"does not rotate", "cp " X " " Y, 1, "FAIL width: 32 of 32 entries"},
    {"leaves a child behind", "sleep 60 & cp " X " " Y, 1, "FAIL width: 32 of 32 entries"},
};

/* The output is read to its end, which comes when no process holds it: a child left alive would hang the test for a minute. */
static void test_misbehaving(void **state) {
    (void)state;
    const char *const build = getenv("ROPE_BUILD");
    char folder[] = "/tmp/rope-adapters-XXXXXX", script[256], text[16384], command[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/script", folder);
    for (size_t k = 0; k < sizeof misbehaving / sizeof *misbehaving; k++) {
        FILE *file = fopen(script, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", misbehaving[k].script);
        assert_int_equal(fclose(file), 0);
        snprintf(command, sizeof command, "mkdir %s/tmp && TMPDIR=%s/tmp LC_ALL=C %s/rope-verify run --layout half --dim 64 --timeout %s -- sh %s 2>&1",
                 folder, folder, build ? build : "build", strstr(misbehaving[k].what, "hangs") ? "0.3" : "60", script);
        const time_t start = time(NULL);
        const int status = run(command, text, sizeof text);
        if (status != misbehaving[k].status || !strstr(text, misbehaving[k].says) || time(NULL) - start > 50)
            fail_msg("a program that %s: status %d, and\n%s", misbehaving[k].what, status, text);
        snprintf(command, sizeof command, "rmdir %s/tmp", folder); /* fails when something was left in it */
        assert_int_equal(run(command, text, sizeof text), 0);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(run(command, text, sizeof text), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_c), cmocka_unit_test(test_numpy), cmocka_unit_test(test_misbehaving)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
