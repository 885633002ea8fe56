/* The suite over dumps of real engines and their faulty twins: every case that this version can read gives the expected
 * verdict and name, and those that wait are exactly the ones listed here. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Scaling rules and containers that come later. */
static const char *const waiting[] = {
    "ggml-neox-llama3-d64", "ggml-neox-yarn-d128", "table-bf16-safetensors-d128", "table-f32-yarn-d64", "freqs-safetensors-d128",
    "freqs-llama3-d64", "freqs-yarn-d128", "gguf-llama3-d64", "gguf-yarn-keys-d128", "bad-scaling-lost-llama3",
    "bad-scaling-lost-llama3-vector", "bad-magnitude-squared", "bad-switch-dynamic", "bad-gguf-factors-all-one", "bad-gguf-base-missing"};

static json_t *suite(int *status) {
    const char *const build = getenv("ROPE_BUILD"), *const tests = getenv("ROPE_TESTS");
    char command[4096];
    snprintf(command, sizeof command, "%s/rope-verify suite %s/cases/cases.json --format json", build ? build : "build", tests ? tests : "tests");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    json_error_t trouble;
    json_t *report = json_loadf(pipe, 0, &trouble);
    if (!report) fail_msg("line %d: %s", trouble.line, trouble.text);
    const int ended = pclose(pipe);
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return report;
}

static bool is_waiting(const char *name) {
    for (size_t k = 0; k < sizeof waiting / sizeof *waiting; k++)
        if (!strcmp(waiting[k], name)) return true;
    return false;
}

static void test_suite(void **state) {
    (void)state;
    int status;
    size_t k, waits = 0;
    json_t *report = suite(&status), *one;
    json_array_foreach(json_object_get(report, "reports"), k, one) {
        const char *name = json_string_value(json_object_get(one, "name")), *note = json_string_value(json_object_get(one, "note"));
        const bool waits_now = json_is_true(json_object_get(one, "waiting"));
        waits += waits_now;
        if (waits_now != is_waiting(name)) fail_msg("%s: %s", name, note);
        if (waits_now) continue;
        if (!json_is_true(json_object_get(one, "as_expected"))) fail_msg("%s: %s", name, note);
    }
    assert_int_equal(k, 61);
    assert_int_equal(waits, sizeof waiting / sizeof *waiting);
    assert_int_equal(status, 0);
    json_decref(report);
}

/* What honest float32 dumps leave after replay: the model's name, and at most the derived 3 u of a table or 5 u of a rotation. */
static void test_honest_residuals(void **state) {
    (void)state;
    static const struct {
        const char *name, *model;
        double most_u;
    } cases[] = {{"ggml-normal-d128", "iterated-f32", 5.0},      {"ggml-neox-d128", "iterated-f32", 5.0},
                 {"ggml-linear-half-d128", "iterated-f32", 5.0}, {"ort-contrib-half-d128", "direct-f32", 5.0},
                 {"ort-contrib-long-d64", "direct-f32", 5.0},    {"table-f32-window-131k-d128", "direct-f32", 3.0},
                 {"table-f32-4096xd128", "direct-f32", 3.0}};
    int status;
    size_t k, j, found = 0;
    json_t *report = suite(&status), *one;
    json_array_foreach(json_object_get(report, "reports"), k, one) for (j = 0; j < sizeof cases / sizeof *cases; j++) {
        if (strcmp(json_string_value(json_object_get(one, "name")), cases[j].name) != 0) continue;
        json_t *grade = json_object_get(one, "grade");
        found++;
        assert_string_equal(json_string_value(json_object_get(grade, "model")), cases[j].model);
        const double error_u = json_number_value(json_object_get(grade, "error_u"));
        if (!(error_u > 0.0 && error_u <= cases[j].most_u)) fail_msg("%s: %g u", cases[j].name, error_u);
    }
    assert_int_equal(found, sizeof cases / sizeof *cases);
    json_decref(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_suite), cmocka_unit_test(test_honest_residuals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
