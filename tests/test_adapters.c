/* rope-verify run on the adapters that README shows: an honest function holds, a faulty one is broken and named. */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_c), cmocka_unit_test(test_numpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
