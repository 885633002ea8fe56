/* The dumps of real engines and of faulty ones under tests/cases, judged by the program itself: every verdict and every name is
 * the expected one, and what waits for a later version is exactly what waits today. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Rules and containers that this version does not read. A case that begins to work leaves this list. */
static const char *const waiting[] = {
    "ggml-neox-llama3-d64",   "ggml-neox-yarn-d128",           "table-bf16-safetensors-d128", "table-f32-yarn-d64",
    "freqs-safetensors-d128", "freqs-llama3-d64",              "freqs-yarn-d128",             "gguf-llama3-d64",
    "gguf-yarn-keys-d128",    "bad-scaling-lost-llama3",       "bad-scaling-lost-llama3-vector", "bad-magnitude-squared",
    "bad-switch-dynamic",     "bad-gguf-factors-all-one",      "bad-gguf-base-missing"};

/* Faults of kinds that this version does not name: broken all the same. */
static const char *const unnamed[] = {
    "bad-width-exponent-d80-r32", "bad-width-exponent-vector-d80-r32", "bad-width-full-d64-r16",    "bad-scaling-lost-linear",
    "bad-last-rows-zero",         "bad-one-nan",                       "bad-rotated-twice",         "bad-cos-sin-swapped-rotated",
    "bad-cos-sin-swapped-table",  "bad-trig-naive",                    "bad-axis-head-as-position", "bad-formula-linear-inside-power"};

enum { WAITING = sizeof waiting / sizeof *waiting, UNNAMED = sizeof unnamed / sizeof *unnamed };

static bool listed(const char *const *list, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++)
        if (!strcmp(list[k], name)) return true;
    return false;
}

static const char *text_of(const json_t *object, const char *key) { return json_string_value(json_object_get(object, key)); }

typedef struct suite {
    json_t *cases; /* tests/cases/cases.json */
    json_t *run;   /* what rope-verify reports on it */
    int status;
} suite;

static json_t *case_named(const json_t *cases, const char *name) {
    size_t k;
    json_t *one;
    json_array_foreach(cases, k, one) if (!strcmp(text_of(one, "name"), name)) return one;
    return NULL;
}

/* Runs the suite once for all tests. */
static int judge_all(void **state) {
    static suite all;
    const char *const build = getenv("ROPE_BUILD"), *const tests = getenv("ROPE_TESTS");
    char command[8192], path[4096];
    snprintf(path, sizeof path, "%s/cases/cases.json", tests ? tests : "tests");
    snprintf(command, sizeof command, "%s/rope-verify suite %s --format json", build ? build : "build", path);
    FILE *pipe = popen(command, "r");
    if (!pipe) return -1;
    all.cases = json_load_file(path, 0, NULL);
    all.run = json_loadf(pipe, 0, NULL);
    const int status = pclose(pipe);
    all.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    *state = &all;
    return all.cases && all.run ? 0 : -1;
}

static int forget_all(void **state) {
    const suite *all = *state;
    json_decref(all->cases);
    json_decref(all->run);
    return 0;
}

static void every_case_is_reported(void **state) {
    const suite *all = *state;
    const json_t *reports = json_object_get(all->run, "reports");
    assert_int_equal(all->status, 0);
    assert_string_equal(text_of(all->run, "verdict"), "holds");
    assert_int_equal(json_array_size(reports), json_array_size(all->cases));
    for (size_t k = 0; k < json_array_size(reports); k++)
        assert_string_equal(text_of(json_array_get(reports, k), "name"), text_of(json_array_get(all->cases, k), "name"));
}

static void what_waits_is_what_waits_today(void **state) {
    const suite *all = *state;
    size_t k, count = 0;
    json_t *one;
    json_array_foreach(json_object_get(all->run, "reports"), k, one) {
        const bool waits = json_is_true(json_object_get(one, "waiting"));
        if (waits) print_message("waiting: %s (%s)\n", text_of(one, "name"), text_of(one, "note"));
        if (waits != listed(waiting, WAITING, text_of(one, "name")))
            fail_msg("%s %s", text_of(one, "name"), waits ? "waits, and did not" : "is judged now: take it off the list");
        count += waits;
    }
    assert_int_equal(count, WAITING);
}

/* Not by the program's own word alone. */
static void verdicts_are_the_expected_ones(void **state) {
    const suite *all = *state;
    size_t k;
    json_t *one;
    json_array_foreach(json_object_get(all->run, "reports"), k, one) {
        const char *name = text_of(one, "name");
        const json_t *expected = json_object_get(case_named(all->cases, name), "expected");
        if (json_is_true(json_object_get(one, "waiting"))) continue;
        assert_true(json_is_true(json_object_get(one, "as_expected"))); /* it compares the parameters, too */
        if (strcmp(text_of(one, "verdict"), text_of(expected, "verdict")) != 0)
            fail_msg("%s: %s, expected %s", name, text_of(one, "verdict"), text_of(expected, "verdict"));
    }
}

static bool accepted(const json_t *expected, const char *kind) {
    size_t k;
    json_t *other;
    json_array_foreach(json_object_get(expected, "accept"), k, other) if (!strcmp(json_string_value(other), kind)) return true;
    return !strcmp(text_of(expected, "diagnosis_kind"), kind);
}

static void faults_have_the_expected_names(void **state) {
    const suite *all = *state;
    size_t k, named = 0;
    json_t *one;
    json_array_foreach(json_object_get(all->run, "reports"), k, one) {
        const char *name = text_of(one, "name");
        const json_t *expected = json_object_get(case_named(all->cases, name), "expected");
        const json_t *diagnosis = json_array_get(json_object_get(one, "diagnosis"), 0);
        if (json_is_true(json_object_get(one, "waiting")) || !text_of(expected, "diagnosis_kind")) continue;
        if (!diagnosis && listed(unnamed, UNNAMED, name)) continue;
        if (!diagnosis || (!listed(unnamed, UNNAMED, name) && !accepted(expected, text_of(diagnosis, "kind"))))
            fail_msg("%s: named %s, expected %s", name, diagnosis ? text_of(diagnosis, "kind") : "nothing", text_of(expected, "diagnosis_kind"));
        named += accepted(expected, text_of(diagnosis, "kind"));
    }
    assert_int_equal(named, 16); /* a kind that stops being found shows here, and one that is found anew */
}

static void honest_engines_have_their_model(void **state) {
    static const char *const models[][2] = {
        {"ggml-normal-d128", "iterated-f32"}, {"ggml-neox-d128", "iterated-f32"},       {"ggml-linear-half-d128", "iterated-f32"},
        {"ort-contrib-half-d128", "direct-f32"}, {"ort-contrib-long-d64", "direct-f32"}, {"table-f32-window-131k-d128", "direct-f32"}};
    const suite *all = *state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        const json_t *one = case_named(json_object_get(all->run, "reports"), models[k][0]);
        assert_non_null(one);
        assert_string_equal(text_of(json_object_get(one, "grade"), "model"), models[k][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case_is_reported), cmocka_unit_test(what_waits_is_what_waits_today),
                                       cmocka_unit_test(verdicts_are_the_expected_ones),
                                       cmocka_unit_test(faults_have_the_expected_names),
                                       cmocka_unit_test(honest_engines_have_their_model)};
    return cmocka_run_group_tests(tests, judge_all, forget_all);
}
