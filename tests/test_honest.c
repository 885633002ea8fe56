/* Honest programs hold, and the model named is the one they follow.
 *
 * The product: every width and base of the probe set, seven recipes, stored as f32, f16 and bf16, as tables of three windows up
 * to position 131071 and as rotated vectors. A quick run takes a sample that meets every value of every factor, and the last
 * rows of each window; with ROPE_SLOW=1 all of it. */
#include "check.h"

#include <stdlib.h>

#include "twins/judge.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const int widths[] = {2, 4, 6, 8, 10, 64, 80, 96, 112, 128, 256};
static const double bases[] = {1e4, 5e5, 1e6, 150000, 12345};
static const twin_recipe recipes[] = {TWIN_DIRECT, TWIN_ITERATED, TWIN_EXP2, TWIN_ACCUMULATED, TWIN_DOUBLE, TWIN_WIDE, TWIN_NARROW};
static const char *const recipe_names[] = {"direct", "iterated", "exp2", "accumulated", "double", "wide", "narrow", "ratio"};
static const rope_dtype grades[] = {ROPE_F32, ROPE_F16, ROPE_BF16};
static const int64_t window_ends[] = {64, 4128, 131072};
enum { WINDOW = 64, DUMPS = 5 }; /* tables of the three windows, vectors rotated in two styles */

static bool is_slow(void) { return getenv("ROPE_SLOW") != NULL; }
static int rows_of_window(void) { return is_slow() ? WINDOW : 20; }

static rope_spec spec_of(int dim, int rotary_dim, double base, const char *layout, const char *scaling) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim, spec.rotary_dim = rotary_dim, spec.base = base;
    assert_int_equal(rope_spec_set_layout(&spec, layout, NULL), ROPE_OK);
    if (scaling) assert_int_equal(rope_spec_set_scaling(&spec, scaling, NULL), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

static report *judge_table(const twin *t, const char *folder, int64_t end) {
    twin_dump dump;
    twin_dump_table(&dump, t, folder, end - rows_of_window(), (size_t)rows_of_window(), TILING_NONE);
    return twin_judge(&dump);
}

static report *judge_rotated(const twin *t, const char *folder) {
    int64_t m[3 * WINDOW];
    twin_dump dump;
    const int rows = rows_of_window();
    for (int k = 0; k < 3 * rows; k++) m[k] = window_ends[k / rows] - rows + k % rows;
    twin_dump_rotated(&dump, t, folder, m, 3 * (size_t)rows);
    return twin_judge(&dump);
}

static const char *describe(const twin *t, const char *what) {
    static char text[256];
    char spec[160];
    rope_spec_describe(&t->spec, spec, sizeof spec);
    snprintf(text, sizeof text, "%s: %s, %s, %s", spec, recipe_names[t->recipe], rope_format_of(t->grade)->name, what);
    return text;
}

/* ---- the product ------------------------------------------------------------------------------------- */

/* The frequencies of exp2 and of a product may be ones that the direct recipe may form, too, and then nothing tells them apart;
 * where powers of the base are floats, m / p_i and m theta_i in double round to the same angle. */
static bool model_fits(const report *found, twin_recipe recipe) {
    static const char *const names[] = {"direct-f32", "iterated-f32", "exp2-f32", "accumulated-f32", "f64", "direct-f32-f64", "direct-f64-f32"};
    return !strcmp(found->model, names[recipe]) || ((recipe == TWIN_EXP2 || recipe == TWIN_ACCUMULATED) && !strcmp(found->model, "direct-f32")) ||
           (recipe == TWIN_ACCUMULATED && !strcmp(found->model, "exp2-f32")) || (recipe == TWIN_NARROW && !strcmp(found->model, "quotient-f32"));
}

static void check_one(size_t w, size_t b, size_t r, size_t g, size_t dump, const char *folder) {
    const char *const layout = (w + b + dump) % 2 ? "half" : "interleaved";
    twin t = {.spec = spec_of(widths[w], widths[w], bases[b], layout, NULL), .recipe = recipes[r], .grade = grades[g]};
    t.style.fused = dump == 4 && t.grade == ROPE_F32;
    t.style.short_cache = dump == 4 && t.grade != ROPE_F32;
    report *found = dump < 3 ? judge_table(&t, folder, window_ends[dump]) : judge_rotated(&t, folder);
    const char *what = describe(&t, dump < 3 ? "table" : "rotated");
    twin_expect_holds(found, what);
    /* In binary32, at large angles, from four pairs on the models differ by more than their tolerances. */
    if (t.grade == ROPE_F32 && dump >= 2 && widths[w] >= 8 && !model_fits(found, t.recipe)) fail_msg("%s: called %s", what, found->model);
    report_free(found);
}

static void every_width_base_and_recipe(void **state) {
    /* 5775 = 3 5^2 7 11 cases: steps of 131 meet every value of every factor. */
    const size_t cases = COUNT(widths) * COUNT(bases) * COUNT(recipes) * COUNT(grades) * DUMPS, step = is_slow() ? 1 : 131;
    for (size_t k = 0; k < cases; k += step) {
        const size_t dump = k % DUMPS, g = k / DUMPS % 3, r = k / DUMPS / 3 % COUNT(recipes), rest = k / DUMPS / 3 / COUNT(recipes);
        const size_t b = rest % COUNT(bases);
        check_one(rest / COUNT(bases), b, r, g, dump, *state);
    }
}

/* ---- what the product leaves out --------------------------------------------------------------------- */

typedef struct honest_case {
    int dim, rotary_dim;
    double base;
    const char *layout, *scaling;
    rope_end at;
    twin_recipe recipe;
    rope_dtype grade;
    twin_style style;
} honest_case;

static const honest_case cases[] = {
    /* where simpler bounds fail: r no power of two, large bases */
    {96, 96, 5e5, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {0}},
    {112, 112, 25000, "interleaved", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {0}},
    {96, 96, 5e5, "half", NULL, ROPE_LEADING, TWIN_EXP2, ROPE_F32, {0}},
    {112, 112, 25000, "half", NULL, ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {0}},
    {64, 64, 1e6, "half", NULL, ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {0}}, /* roundings of different binades add up */
    {10, 10, 12345, "half", NULL, ROPE_LEADING, TWIN_EXP2, ROPE_F32, {0}},   /* as direct, at the window's edge */
    {256, 256, 12345, "half", NULL, ROPE_LEADING, TWIN_EXP2, ROPE_F32, {0}},
    /* partial widths, at either end, and mixed layouts */
    {80, 32, 1e4, "half", NULL, ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {.fused = true}},
    {80, 32, 5e5, "interleaved:half", NULL, ROPE_TRAILING, TWIN_DIRECT, ROPE_F16, {0}},
    {64, 10, 1e6, "half:interleaved", NULL, ROPE_TRAILING, TWIN_EXP2, ROPE_F32, {0}},
    {4, 2, 1e4, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_BF16, {.short_cache = true}},
    /* scaled frequencies and scaled positions */
    {64, 64, 1e4, "half", "linear:factor=4", ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {0}},
    {64, 64, 1e4, "half", "linear:factor=4", ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {.scaled_position = true}},
    {64, 64, 1e6, "half", "linear:factor=4", ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {0}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {0}}, /* pair 0 rounds */
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {0}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {.scaled_position = true}},
    {80, 80, 5e5, "half", "linear:factor=3", ROPE_LEADING, TWIN_EXP2, ROPE_F32, {.scaled_position = true}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_DIRECT, ROPE_BF16, {.scaled_position = true}},
    {2, 2, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_DIRECT, ROPE_F16, {0}},
    {64, 64, 1e4, "half", "ntk:factor=3", ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {0}},
    {80, 80, 1e6, "interleaved", "ntk:factor=4", ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {0}},
    {64, 64, 1e4, "half", "ntk:factor=4", ROPE_LEADING, TWIN_EXP2, ROPE_F16, {.short_cache = true}},
    /* floats and doubles mixed */
    {64, 64, 1e4, "half", "linear:factor=4", ROPE_LEADING, TWIN_WIDE, ROPE_F32, {0}},
    {96, 96, 5e5, "half", "linear:factor=3", ROPE_LEADING, TWIN_WIDE, ROPE_F32, {0}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_WIDE, ROPE_F32, {.scaled_position = true}},
    {64, 64, 1e6, "interleaved", "linear:factor=3", ROPE_LEADING, TWIN_WIDE, ROPE_BF16, {.scaled_position = true}},
    {128, 128, 1e4, "half", "ntk:factor=3", ROPE_LEADING, TWIN_WIDE, ROPE_F32, {0}},
    {96, 96, 1e6, "half", "ntk:factor=3", ROPE_LEADING, TWIN_WIDE, ROPE_F16, {.short_cache = true}},
    {64, 64, 5e5, "half", NULL, ROPE_LEADING, TWIN_WIDE, ROPE_BF16, {.short_products = true}},
    {64, 64, 1e4, "half", "linear:factor=4", ROPE_LEADING, TWIN_NARROW, ROPE_F32, {0}},
    {96, 96, 5e5, "half", "linear:factor=3", ROPE_LEADING, TWIN_NARROW, ROPE_F32, {0}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_NARROW, ROPE_F32, {.scaled_position = true}},
    {128, 128, 1e4, "half", "ntk:factor=3", ROPE_LEADING, TWIN_NARROW, ROPE_F32, {0}},
    {96, 96, 1e6, "half", "ntk:factor=3", ROPE_LEADING, TWIN_NARROW, ROPE_BF16, {.short_cache = true}},
    {64, 64, 5e5, "interleaved", NULL, ROPE_LEADING, TWIN_NARROW, ROPE_F16, {.short_products = true}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_DOUBLE, ROPE_F32, {.scaled_position = true, .float_position = true}},
    {64, 64, 1e4, "half", "linear:factor=3", ROPE_LEADING, TWIN_NARROW, ROPE_F32, {.scaled_position = true, .float_position = true}},
    {96, 96, 5e5, "half", "linear:factor=3", ROPE_LEADING, TWIN_NARROW, ROPE_F16, {.scaled_position = true, .float_position = true}},
    /* what is declared is no float */
    {64, 64, 12345.678, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_F32, {0}},
    {64, 64, 12345.678, "half", "linear:factor=3.3", ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {0}},
    {64, 64, 12345.678, "half", "linear:factor=3.3", ROPE_LEADING, TWIN_WIDE, ROPE_F32, {0}},
    {64, 64, 12345.678, "half", "linear:factor=3.3", ROPE_LEADING, TWIN_EXP2, ROPE_F32, {.scaled_position = true}},
    /* PyTorch's eager mode in the model's type */
    {64, 64, 1e4, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_BF16, {.short_products = true}},
    {96, 96, 5e5, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_F16, {.short_products = true}},
    {128, 128, 1e6, "half", NULL, ROPE_LEADING, TWIN_ITERATED, ROPE_BF16, {.short_products = true}},
    /* inputs near the format's least numbers: products and sums round by half a step */
    {64, 64, 1e4, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_F16, {.short_products = true, .inputs = -14}},
    {64, 64, 1e4, "half", NULL, ROPE_LEADING, TWIN_DIRECT, ROPE_F16, {.inputs = -16}},
    {64, 64, 1e4, "half", NULL, ROPE_LEADING, TWIN_ITERATED, ROPE_F32, {.inputs = -135}},
    /* binary64 throughout */
    {64, 64, 1e4, "half", NULL, ROPE_LEADING, TWIN_DOUBLE, ROPE_F64, {0}},
    {112, 112, 25000, "interleaved", "linear:factor=3", ROPE_LEADING, TWIN_DOUBLE, ROPE_F64, {0}},
};

static twin program_of(const honest_case *c) {
    twin t = {.spec = spec_of(c->dim, c->rotary_dim, c->base, c->layout, c->scaling), .recipe = c->recipe, .grade = c->grade, .style = c->style};
    t.spec.rotary_at = c->at;
    return t;
}

static void special_cases(void **state) {
    for (size_t k = 0; k < COUNT(cases); k++) {
        const twin t = program_of(&cases[k]);
        report *found = judge_rotated(&t, *state);
        twin_expect_holds(found, describe(&t, "rotated"));
        report_free(found);
        if (t.style.short_products || t.spec.rotary_at == ROPE_TRAILING || t.spec.layout_in != t.spec.layout_out) continue;
        found = judge_table(&t, *state, 131072);
        twin_expect_holds(found, describe(&t, "table"));
        report_free(found);
    }
}

/* Over windows far from 0 no model replays a float ratio multiplied in double, and the a-priori bounds decide. */
static void unmodelled_programs_hold(void **state) {
    for (size_t k = 0; k < 4; k++) {
        const twin t = {.spec = spec_of(k < 2 ? 64 : 112, 0, bases[k], "half", NULL), .recipe = TWIN_RATIO, .grade = ROPE_F32};
        report *found = judge_rotated(&t, *state);
        twin_expect_holds(found, describe(&t, "rotated"));
        assert_string_equal(found->model, "unidentified");
        report_free(found);
    }
}

/* Whole tables of programs that mix float and double: few frequencies are determined by the sample alone. */
static void mixed_tables(void **state) {
    static const struct {
        int width;
        double base;
        const char *scaling;
        size_t rows;
        bool slow;
    } tables[] = {{64, 1e4, NULL, 1024, false},           {96, 5e5, "linear:factor=3", 1024, false}, {128, 1e6, NULL, 1024, true},
                  {128, 1e4, "ntk:factor=3", 4096, true}, {64, 5e5, NULL, 131072, true},             {96, 1e6, "linear:factor=4", 131072, true}};
    for (size_t k = 0; k < COUNT(tables) * 2 * COUNT(grades); k++) {
        const size_t n = k / 2 / COUNT(grades);
        if (tables[n].slow && !is_slow()) continue;
        const twin t = {.spec = spec_of(tables[n].width, 0, tables[n].base, "half", tables[n].scaling),
                        .recipe = k % 2 ? TWIN_WIDE : TWIN_NARROW,
                        .grade = grades[k / 2 % COUNT(grades)]};
        twin_dump dump;
        twin_dump_table(&dump, &t, *state, 0, tables[n].rows, TILING_NONE);
        report *found = twin_judge(&dump);
        twin_expect_holds(found, describe(&t, "whole table"));
        report_free(found);
    }
}

/* The entry's angle replaced by the float on its other side. */
static report *judge_neighbour(twin *t, const char *folder, int64_t m, double frequency) {
    const float angle = (float)((double)m * frequency), other = nextafterf(angle, (double)m * frequency > (double)angle ? INFINITY : 0.0f);
    twin_dump dump;
    t->fault = (twin_fault){.poked = true, .poke_m = m, .poke_pair = 1, .poke = (double)cosf(other) - (double)cosf(angle)};
    twin_dump_table(&dump, t, folder, 131072 - WINDOW, WINDOW, TILING_NONE);
    return twin_judge(&dump);
}

/* 131071 theta_1 = 16384 + 2^-10, a tie between two floats, to within a few 2^-53: either may be an honest program's angle. At
 * the other positions only one may. */
static void ties_go_either_way(void **state) {
    const double frequency = (16384.0 + 0x1p-10) / 131071.0;
    twin t = {.spec = spec_of(4, 4, 1.0 / (frequency * frequency), "half", NULL), .recipe = TWIN_NARROW, .grade = ROPE_F32};
    for (int64_t m = 131072 - WINDOW; m < 131072; m += 21) {
        report *found = judge_neighbour(&t, *state, m, frequency);
        assert_int_equal(twin_verdict(found, "table"), m == 131071 ? REPORT_HOLDS : REPORT_BROKEN);
        const report_claim *table = twin_claim(found, "table");
        if (m == 131071) assert_true(table->defect <= table->bound);
        else assert_int_equal(table->first.m, m);
        report_free(found);
    }
}

/* As f64 a float frequency is a fault, and named. */
static void float_frequencies_are_no_doubles(void **state) {
    for (int scaled = 0; scaled < 2; scaled++) {
        const twin t = {.spec = spec_of(64, 64, 1e4, "half", scaled ? "linear:factor=3" : NULL), .recipe = TWIN_WIDE, .grade = ROPE_F64};
        report *found[] = {judge_table(&t, *state, 4128), judge_rotated(&t, *state)};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(found[k]->verdict, REPORT_BROKEN);
            twin_expect_named(found[k], "frequency-precision format=f32", 0.0, describe(&t, k ? "rotated" : "table"));
            report_free(found[k]);
        }
    }
}

/* The earlier roundings of an iterated angle were made in other binades than the last: they add up to more than i times
 * its half ulp. Only some rows show it. */
static void iterated_angles(void **state) {
    static const struct {
        int width;
        double base;
    } specs[] = {{64, 1e6}, {80, 12345}, {96, 150000}};
    for (size_t k = 0; k < COUNT(specs); k++) {
        const twin t = {.spec = spec_of(specs[k].width, 0, specs[k].base, "half", NULL), .recipe = TWIN_ITERATED, .grade = ROPE_F32};
        int64_t m[3 * WINDOW];
        twin_dump dump;
        for (int row = 0; row < 3 * WINDOW; row++) m[row] = window_ends[row / WINDOW] - WINDOW + row % WINDOW;
        twin_dump_rotated(&dump, &t, *state, m, 3 * WINDOW);
        report *found = twin_judge(&dump);
        twin_expect_holds(found, describe(&t, "rotated"));
        report_free(found);
    }
}

/* Where products of frequencies leave the windows of direct and exp2, at three quarters of the pairs they have not yet. */
static void accumulated_frequencies(void **state) {
    for (size_t g = 0; g < COUNT(grades); g++) {
        const twin t = {.spec = spec_of(128, 0, 1e4, "half", NULL), .recipe = TWIN_ACCUMULATED, .grade = grades[g]};
        twin_dump dump;
        twin_dump_table(&dump, &t, *state, 0, 2048, TILING_NONE);
        report *found = twin_judge(&dump);
        twin_expect_holds(found, describe(&t, "whole table"));
        if (grades[g] == ROPE_F32) assert_string_equal(found->model, "accumulated-f32");
        report_free(found);
    }
}

/* cos and sin of vectorised libraries: 3.5 ulps off everywhere, half of another for rounding, beside the 4 that are assumed. */
static void vectorised_cosines(void **state) {
    static const char *const scalings[] = {NULL, "linear:factor=3"};
    for (size_t k = 0; k < 4; k++) {
        twin t = {.spec = spec_of(64, 64, bases[k], "half", scalings[k % 2]), .recipe = TWIN_DOUBLE, .grade = ROPE_F64, .style.libm = 3.5};
        report *found[] = {judge_table(&t, *state, window_ends[k % 3]), judge_rotated(&t, *state)};
        for (int j = 0; j < 2; j++) {
            twin_expect_holds(found[j], describe(&t, j ? "rotated" : "table"));
            report_free(found[j]);
        }
    }
}

/* Both columns of a pair, in either tiling. */
static void full_width(void **state) {
    for (int k = 0; k < 4; k++) {
        const bool half = k % 2;
        const twin t = {.spec = spec_of(64, 64, 5e5, half ? "half" : "interleaved", NULL), .grade = k < 2 ? ROPE_F32 : ROPE_BF16};
        twin_dump dump;
        twin_dump_table(&dump, &t, *state, 4064, 24, half ? TILING_BLOCK : TILING_PAIR);
        report *found = twin_judge(&dump);
        twin_expect_holds(found, describe(&t, "table of full width"));
        assert_int_equal(twin_verdict(found, "elementwise"), REPORT_HOLDS);
        report_free(found);
    }
}

/* Before 0; and beyond 2^24, where positions themselves round, and scores are tested on the pairs whose phase is known. */
static void far_positions(void **state) {
    static const int64_t ends[] = {1, -131051, 16777220, 100000001};
    for (size_t k = 0; k < COUNT(ends); k++)
        for (size_t r = 0; r < COUNT(recipes); r++) {
            const twin t = {.spec = spec_of(64, 64, 1e4, "half", NULL), .recipe = recipes[r], .grade = ROPE_F32};
            report *found = judge_table(&t, *state, ends[k]);
            twin_expect_holds(found, describe(&t, "table far away"));
            report_free(found);
        }
}

/* ---- and the least fault does not -------------------------------------------------------------------- */

/* One entry moved by twice what the honest table's claim allows is refused, with that very entry as witness; in f64, too. */
static void twice_the_bound_is_refused(void **state) {
    for (size_t r = 0; r < COUNT(recipes); r++)
        for (size_t g = 0; g <= COUNT(grades); g++) {
            const bool wide = g == COUNT(grades);
            if (wide && recipes[r] != TWIN_DOUBLE) continue;
            twin t = {.spec = spec_of(64, 64, 1e4, "half", NULL), .recipe = recipes[r], .grade = wide ? ROPE_F64 : grades[g]};
            report *honest = judge_table(&t, *state, 131072);
            const double bound = twin_claim(honest, "table")->bound;
            report_free(honest);
            assert_true(bound > 0.0);
            double c[32], unused[32];
            const int pair = (int)(3 * r + g);
            twin_turns(&t, 131060, c, unused);
            /* towards 0: beyond 1 the format's steps double, and storing would take half of the move back */
            t.fault = (twin_fault){.poked = true, .poke_m = 131060, .poke_pair = pair, .poke = c[pair] > 0.0 ? -2.0 * bound : 2.0 * bound};
            report *found = judge_table(&t, *state, 131072);
            const report_claim *table = twin_claim(found, "table");
            if (table->broken != 1) {
                twin_print(found);
                fail_msg("%s: %d entries broken", describe(&t, "table"), (int)table->broken);
            }
            assert_int_equal(table->witness.m, 131060);
            assert_int_equal(table->first.m, 131060);
            assert_int_equal(table->witness.pair, pair);
            assert_string_equal(table->witness.array, "cos");
            report_free(found);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_width_base_and_recipe), cmocka_unit_test(special_cases),
                                       cmocka_unit_test(unmodelled_programs_hold), cmocka_unit_test(iterated_angles),
                                       cmocka_unit_test(vectorised_cosines), cmocka_unit_test(accumulated_frequencies), cmocka_unit_test(full_width), cmocka_unit_test(far_positions), cmocka_unit_test(mixed_tables),
                                       cmocka_unit_test(ties_go_either_way), cmocka_unit_test(float_frequencies_are_no_doubles),
                                       cmocka_unit_test(twice_the_bound_is_refused)};
    return cmocka_run_group_tests(tests, twin_make_folder, twin_remove_folder);
}
