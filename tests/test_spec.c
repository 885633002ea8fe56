/* The spec: options in, validation, channels, the canonical line. */
#include "check.h"

#include "../src/frequency/frequency.h"
#include "../src/spec.h"

/* What the user is told: the status, the option, words of the reason, and a hint. */
static void assert_refused(rope_status status, const rope_error *error, rope_status want, const char *place,
                           const char *reason) {
    assert_int_equal(status, want);
    assert_int_equal(error->status, want);
    assert_string_equal(error->place, place);
    check_contains(error->reason, reason);
    assert_true(error->hint[0] != 0);
}

/* ---- defaults ---------------------------------------------------------------------------------------- */

static void defaults(void **state) {
    (void)state;
    rope_spec spec = rope_spec_default();
    assert_int_equal(spec.dim, 128);
    assert_int_equal(spec.rotary_dim, 0);
    assert_int_equal(spec.rotary_at, ROPE_LEADING);
    check_same(spec.base, 10000.0);
    assert_int_equal(spec.layout_in, ROPE_LAYOUT_UNSET);
    assert_int_equal(spec.layout_out, ROPE_LAYOUT_UNSET);
    assert_string_equal(spec.rule->name, "default");
    assert_false(spec.has_magnitude);

    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    assert_int_equal(spec.rotary_dim, 128);
    check_same(spec.magnitude, 1.0);
    assert_int_equal(spec.layout_in, ROPE_LAYOUT_UNSET); /* the verdict depends on it: check does not guess */
}

/* ---- layout ------------------------------------------------------------------------------------------ */

static void layout_names(void **state) {
    (void)state;
    static const struct {
        const char *text;
        rope_layout in, out;
    } rows[] = {
        {"interleaved", ROPE_INTERLEAVED, ROPE_INTERLEAVED},
        {"gptj", ROPE_INTERLEAVED, ROPE_INTERLEAVED},
        {"normal", ROPE_INTERLEAVED, ROPE_INTERLEAVED},
        {"half", ROPE_HALF, ROPE_HALF},
        {"neox", ROPE_HALF, ROPE_HALF},
        {"rotate_half", ROPE_HALF, ROPE_HALF},
        {"interleaved:half", ROPE_INTERLEAVED, ROPE_HALF},
        {"half:interleaved", ROPE_HALF, ROPE_INTERLEAVED},
        {"neox:gptj", ROPE_HALF, ROPE_INTERLEAVED},
        {"normal:rotate_half", ROPE_INTERLEAVED, ROPE_HALF},
        {"half:neox", ROPE_HALF, ROPE_HALF},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rope_spec spec = rope_spec_default();
        assert_int_equal(rope_spec_set_layout(&spec, rows[k].text, NULL), ROPE_OK);
        assert_int_equal(spec.layout_in, rows[k].in);
        assert_int_equal(spec.layout_out, rows[k].out);
    }
    assert_string_equal(rope_layout_name(ROPE_INTERLEAVED), "interleaved");
    assert_string_equal(rope_layout_name(ROPE_HALF), "half");
    assert_string_equal(rope_layout_name(ROPE_LAYOUT_UNSET), "unset");
}

static void layout_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "halves",
                                        "hal",
                                        "Half",
                                        "half ",
                                        " half",
                                        "half:",
                                        ":half",
                                        ":",
                                        "unset",
                                        "half:x",
                                        "x:half",
                                        "half,interleaved",
                                        "half:half:half",
                                        "interleaved:halfx"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        rope_spec spec = rope_spec_default();
        spec.layout_in = ROPE_INTERLEAVED, spec.layout_out = ROPE_HALF;
        rope_error error = {0};
        char reason[64];
        snprintf(reason, sizeof reason, "'%s' is no layout", texts[k]);
        assert_refused(rope_spec_set_layout(&spec, texts[k], &error), &error, ROPE_BAD_INPUT, "--layout", reason);
        check_contains(error.hint, "interleaved");
        check_contains(error.hint, "rotate_half");
        assert_int_equal(spec.layout_in, ROPE_INTERLEAVED); /* untouched */
        assert_int_equal(spec.layout_out, ROPE_HALF);
        assert_int_equal(rope_spec_set_layout(&spec, texts[k], NULL), ROPE_BAD_INPUT); /* error may be NULL */
    }
}

/* ---- scaling ----------------------------------------------------------------------------------------- */

static void scaling_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text, *rule;
        double value;
    } rows[] = {
        {"default", "default", 0.0},          {"linear:factor=4", "linear", 4.0},
        {"linear:factor=0.5", "linear", 0.5}, {"linear:factor=1e3", "linear", 1000.0},
        {"ntk:factor=2.5", "ntk", 2.5},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rope_spec spec = rope_spec_default();
        assert_int_equal(rope_spec_set_scaling(&spec, rows[k].text, NULL), ROPE_OK);
        assert_string_equal(spec.rule->name, rows[k].rule);
        if (spec.rule->key[0].name) check_same(spec.rule_value[0], rows[k].value);
        assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
        check_same(spec.magnitude, 1.0); /* no rule here implies another one */
    }
}

static void scaling_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        rope_status status;
        const char *reason, *hint;
    } rows[] = {
        {"", ROPE_BAD_INPUT, "'' is no scaling rule", "known rules: default linear ntk"},
        {"liner:factor=4", ROPE_BAD_INPUT, "'liner' is no scaling rule", "known rules: default linear ntk"},
        {"Linear:factor=4", ROPE_BAD_INPUT, "'Linear' is no scaling rule", "known rules"},
        {"linearfactor", ROPE_BAD_INPUT, "'linearfactor' is no scaling rule", "known rules"},
        {"lin", ROPE_BAD_INPUT, "'lin' is no scaling rule", "known rules"},
        {"yar:factor=4", ROPE_BAD_INPUT, "'yar' is no scaling rule", "known rules"},
        {"yarn", ROPE_UNSUPPORTED, "rule 'yarn' is not supported", "known rules: default linear ntk"},
        {"yarn:factor=4,beta_fast=32", ROPE_UNSUPPORTED, "rule 'yarn' is not supported", "known rules"},
        {"dynamic:factor=2", ROPE_UNSUPPORTED, "rule 'dynamic' is not supported", "known rules"},
        {"longrope", ROPE_UNSUPPORTED, "rule 'longrope' is not supported", "known rules"},
        {"llama3:factor=8", ROPE_UNSUPPORTED, "rule 'llama3' is not supported", "known rules"},
        {"proportional", ROPE_UNSUPPORTED, "rule 'proportional' is not supported", "known rules"},
        {"su", ROPE_UNSUPPORTED, "rule 'su' is not supported", "known rules"},
        {"linear", ROPE_BAD_INPUT, "rule linear needs key 'factor'", "key=number"},
        {"ntk", ROPE_BAD_INPUT, "rule ntk needs key 'factor'", "key=number"},
        {"linear:", ROPE_BAD_INPUT, "rule linear has no key ''", "keys of linear: factor"},
        {"linear:factor=4,", ROPE_BAD_INPUT, "rule linear has no key ''", "keys of linear: factor"},
        {"linear:facto=4", ROPE_BAD_INPUT, "rule linear has no key 'facto'", "keys of linear: factor"},
        {"linear:factors=4", ROPE_BAD_INPUT, "rule linear has no key 'factors'", "keys of linear: factor"},
        {"linear:=4", ROPE_BAD_INPUT, "rule linear has no key ''", "keys of linear: factor"},
        {"ntk:factor=4,alpha=1", ROPE_BAD_INPUT, "rule ntk has no key 'alpha'", "keys of ntk: factor"},
        {"default:factor=4", ROPE_BAD_INPUT, "rule default has no key 'factor'", "keys of default: none"},
        {"linear:factor=4,factor=4", ROPE_BAD_INPUT, "key 'factor' is given twice", "once"},
        {"linear:factor", ROPE_BAD_INPUT, "key 'factor' has no number", "key=number"},
        {"linear:factor=", ROPE_BAD_INPUT, "key 'factor' has no number", "key=number"},
        {"linear:factor=4x", ROPE_BAD_INPUT, "'4x' is no number for key 'factor'", "key=number"},
        {"linear:factor=4 ", ROPE_BAD_INPUT, "'4 ' is no number for key 'factor'", "key=number"},
        {"linear:factor=4:8", ROPE_BAD_INPUT, "'4:8' is no number for key 'factor'", "key=number"},
        {"linear:factor=four", ROPE_BAD_INPUT, "'four' is no number for key 'factor'", "key=number"},
        {"linear:factor=nan", ROPE_BAD_INPUT, "'nan' is no number for key 'factor'", "key=number"},
        {"linear:factor=inf", ROPE_BAD_INPUT, "'inf' is no number for key 'factor'", "key=number"},
        {"linear:factor=1e999", ROPE_BAD_INPUT, "'1e999' is no number for key 'factor'", "key=number"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rope_spec spec = rope_spec_default();
        rope_error error = {0};
        assert_refused(rope_spec_set_scaling(&spec, rows[k].text, &error), &error, rows[k].status, "--scaling",
                       rows[k].reason);
        check_contains(error.hint, rows[k].hint);
        assert_ptr_equal(spec.rule, &rope_rule_default); /* untouched */
        assert_int_equal(rope_spec_set_scaling(&spec, rows[k].text, NULL), rows[k].status);
    }
}

/* ---- validation -------------------------------------------------------------------------------------- */

static rope_spec scaled(const char *text) {
    rope_spec spec = rope_spec_default();
    assert_int_equal(rope_spec_set_scaling(&spec, text, NULL), ROPE_OK);
    return spec;
}

static void assert_check_refuses(rope_spec spec, const char *place, const char *reason) {
    rope_error error = {0};
    rope_spec again = spec;
    assert_refused(rope_spec_check(&spec, &error), &error, ROPE_BAD_INPUT, place, reason);
    assert_int_equal(rope_spec_check(&again, NULL), ROPE_BAD_INPUT);
}

static void assert_width_refused(int dim, int rotary_dim, const char *place, const char *reason) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim, spec.rotary_dim = rotary_dim;
    assert_check_refuses(spec, place, reason);
}

static void widths_refused(void **state) {
    (void)state;
    assert_width_refused(0, 0, "--dim", "head size 0 is not in [2, ");
    assert_width_refused(-2, 0, "--dim", "head size -2 is not in [2, ");
    assert_width_refused(1, 0, "--dim", "head size 1 is not in [2, ");
    assert_width_refused(ROPE_MAX_DIM + 2, 0, "--dim", " is not in [2, ");
    assert_width_refused(ROPE_MAX_DIM + 2, 64, "--dim", " is not in [2, ");
    assert_width_refused(5, 0, "--dim", "head size 5 is odd");
    assert_width_refused(128, 5, "--rotary-dim", "rotary width 5 is odd");
    assert_width_refused(128, 1, "--rotary-dim", "rotary width 1 is odd");
    assert_width_refused(128, -1, "--rotary-dim", "rotary width -1 is odd");
    assert_width_refused(128, -2, "--rotary-dim", "rotary width -2 is too small");
    assert_width_refused(128, 130, "--rotary-dim", "rotary width 130 exceeds the head size 128");
    assert_width_refused(5, 6, "--rotary-dim", "rotary width 6 exceeds the head size 5");
}

static void widths_accepted(void **state) {
    (void)state;
    static const int rows[][2] = {{2, 2}, {5, 4}, {128, 2}, {128, 128}, {80, 32}, {ROPE_MAX_DIM, ROPE_MAX_DIM}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rope_spec spec = rope_spec_default();
        spec.dim = rows[k][0], spec.rotary_dim = rows[k][1];
        assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
        assert_int_equal(spec.rotary_dim, rows[k][1]); /* a given width is kept */
        assert_int_equal(rope_spec_pairs(&spec), rows[k][1] / 2);
    }
}

static void bases(void **state) {
    (void)state;
    static const double bad[] = {1.0, 0.0, -0.0, -10000.0, 0.5, NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        rope_spec spec = rope_spec_default();
        spec.base = bad[k];
        assert_check_refuses(spec, "--base", "base ");
    }
    static const double good[] = {0x1.0000000000001p0, 2.0, 10000.0, 5e5, 0x1.fffffffffffffp1023};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        rope_spec spec = rope_spec_default();
        spec.base = good[k];
        assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
        check_same(spec.base, good[k]);
    }
}

static void magnitudes(void **state) {
    (void)state;
    static const double bad[] = {0.0, -0.0, -1.0, NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        rope_spec spec = rope_spec_default();
        spec.has_magnitude = true, spec.magnitude = bad[k];
        assert_check_refuses(spec, "--magnitude", "is no magnitude");
        spec.has_magnitude = false; /* an implied magnitude overwrites what stands there */
        assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
        check_same(spec.magnitude, 1.0);
    }
    rope_spec spec = rope_spec_default();
    spec.has_magnitude = true, spec.magnitude = 1.1386294361119891;
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    check_same(spec.magnitude, 1.1386294361119891);
}

static void parameters_out_of_range(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"linear:factor=0", "linear: factor=0 is not in ["},
        {"linear:factor=-4", "linear: factor=-4 is not in ["},
        {"linear:factor=1e-7", "linear: factor=1e-07 is not in ["},
        {"linear:factor=1048577", "is not in ["},
        {"linear:factor=10000000000000000000000000000000000000000000000000000000000000000", "factor=1e+64 is not in ["},
        {"ntk:factor=0.999", "ntk: factor=0.999 is not in [1, "},
        {"ntk:factor=1048577", "is not in [1, "},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_check_refuses(scaled(rows[k].text), "--scaling", rows[k].reason);

    rope_spec spec = scaled("linear:factor=4");
    spec.rule_value[0] = NAN; /* set by a program, not by an option */
    assert_check_refuses(spec, "--scaling", "is not in [");

    static const char *const edges[] = {"linear:factor=9.5367431640625e-07", "linear:factor=1048576", "ntk:factor=1",
                                        "ntk:factor=1048576"};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        spec = scaled(edges[k]);
        assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    }
}

/* r/(r-2) divides by zero; the rule's own condition must reach the caller. */
static void ntk_needs_two_pairs(void **state) {
    (void)state;
    rope_spec spec = scaled("ntk:factor=4");
    spec.dim = 2;
    assert_check_refuses(spec, "--scaling", "r = 2");
    spec.dim = 4;
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static void channels(void **state) {
    (void)state;
    static const struct {
        int dim, rotary_dim;
        rope_end at;
        int first;
    } rows[] = {
        {2, 2, ROPE_LEADING, 0},  {4, 4, ROPE_LEADING, 0},    {4, 4, ROPE_TRAILING, 0},
        {16, 4, ROPE_LEADING, 0}, {16, 4, ROPE_TRAILING, 12}, {7, 6, ROPE_TRAILING, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rope_spec spec = rope_spec_default();
        spec.dim = rows[k].dim, spec.rotary_dim = rows[k].rotary_dim, spec.rotary_at = rows[k].at;
        assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
        assert_int_equal(rope_spec_first(&spec), rows[k].first);
        const int h = rows[k].rotary_dim / 2;
        for (int i = 0; i < h; i++) {
            int a, b;
            rope_spec_channels(&spec, ROPE_INTERLEAVED, i, &a, &b);
            assert_int_equal(a, rows[k].first + 2 * i);
            assert_int_equal(b, rows[k].first + 2 * i + 1);
            rope_spec_channels(&spec, ROPE_HALF, i, &a, &b);
            assert_int_equal(a, rows[k].first + i);
            assert_int_equal(b, rows[k].first + i + h);
        }
    }
}

static void description(void **state) {
    (void)state;
    char text[256];
    rope_spec spec = rope_spec_default();
    rope_spec_describe(&spec, text, sizeof text); /* before check */
    assert_string_equal(text, "dim 128 base 10000");
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    rope_spec_describe(&spec, text, sizeof text);
    assert_string_equal(text, "dim 128 base 10000");

    spec = scaled("linear:factor=4");
    assert_int_equal(rope_spec_set_layout(&spec, "neox", NULL), ROPE_OK);
    rope_spec_describe(&spec, text, sizeof text);
    assert_string_equal(text, "dim 128 base 10000 half linear:factor=4");

    spec = scaled("ntk:factor=2.5");
    spec.dim = 80, spec.rotary_dim = 32, spec.base = 5e5, spec.has_magnitude = true, spec.magnitude = 1.25;
    assert_int_equal(rope_spec_set_layout(&spec, "gptj:neox", NULL), ROPE_OK);
    rope_spec_describe(&spec, text, sizeof text);
    assert_string_equal(text, "dim 80 rotary 32 base 500000 interleaved:half ntk:factor=2.5 magnitude 1.25");
    spec.rotary_at = ROPE_TRAILING;
    rope_spec_describe(&spec, text, sizeof text);
    assert_string_equal(text, "dim 80 rotary 32 trailing base 500000 interleaved:half ntk:factor=2.5 magnitude 1.25");

    spec = rope_spec_default(); /* numbers survive: 15 digits give 0.1 back, the others need 17 */
    spec.base = 10000.1, spec.has_magnitude = true, spec.magnitude = 1.1386294361119891;
    rope_spec_describe(&spec, text, sizeof text);
    assert_string_equal(text, "dim 128 base 10000.1 magnitude 1.1386294361119891");
}

/* Every size: a prefix, terminated, and nothing written beyond. */
static void description_is_cut(void **state) {
    (void)state;
    const char *whole = "dim 80 rotary 32 trailing base 10000 interleaved:half linear:factor=4 magnitude 1.25";
    rope_spec spec = scaled("linear:factor=4");
    spec.dim = 80, spec.rotary_dim = 32, spec.rotary_at = ROPE_TRAILING;
    spec.has_magnitude = true, spec.magnitude = 1.25;
    assert_int_equal(rope_spec_set_layout(&spec, "interleaved:half", NULL), ROPE_OK);
    for (size_t size = 1; size <= strlen(whole) + 2; size++) {
        char text[128];
        memset(text, '#', sizeof text);
        rope_spec_describe(&spec, text, size);
        const size_t length = size <= strlen(whole) ? size - 1 : strlen(whole);
        assert_int_equal(strlen(text), length);
        assert_memory_equal(text, whole, length);
        for (size_t k = size; k < sizeof text; k++) assert_true(text[k] == '#');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(layout_names),
        cmocka_unit_test(layout_refused),
        cmocka_unit_test(scaling_accepted),
        cmocka_unit_test(scaling_refused),
        cmocka_unit_test(widths_refused),
        cmocka_unit_test(widths_accepted),
        cmocka_unit_test(bases),
        cmocka_unit_test(magnitudes),
        cmocka_unit_test(parameters_out_of_range),
        cmocka_unit_test(ntk_needs_two_pairs),
        cmocka_unit_test(channels),
        cmocka_unit_test(description),
        cmocka_unit_test(description_is_cut),
    };
    return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
