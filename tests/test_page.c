/* The page and the figures of rope-compare: formulas as HTML, the values behind the maps against known ones, what
 * counts as changed, hostile names, failures that leave nothing. How the page looks and behaves is tests/browser's
 * matter. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../analysis/compare/page.h"
#include "../analysis/compare/page/formula.h"
#include "../analysis/compare/page/map.h"
#include "../analysis/compare/page/view.h"
#include "../analysis/compare/picture.h"

/* ---- helpers --------------------------------------------------------------------------------------- */

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/rope-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? 0 : -1;
}

static char *in_folder(const char *name) {
    static char path[16][256];
    static int next;
    char *const text = path[next++ % 16];
    snprintf(text, 256, "%s/%s", folder, name);
    return text;
}

static char *content(const char *path) {
    FILE *const in = fopen(path, "r");
    if (!in) fail_msg("%s is not there", path);
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, 0, in) < 0) fail_msg("%s is empty", path);
    fclose(in);
    return text;
}

static compare_data make_data(const char *kind, int64_t length) {
    compare_request request = compare_request_default();
    compare_data data;
    rope_error error;
    request.data = kind;
    request.dim = 8;
    request.length = length;
    if (compare_data_new(&data, &request, &error) != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
    return data;
}

/* measured: of the schemes in list. Returns their number. */
static int measure_all(measurement *measured, const encoding *const *list, const compare_data *data, int64_t shift) {
    int count = 0;
    rope_error error;
    for (; list[count]; count++)
        if (measure(&measured[count], list[count], data, shift, NULL, NULL, &error) != ROPE_OK)
            fail_msg("%s: %s", error.place, error.reason);
    return count;
}

enum { SCHEMES = 64 };

static char *page_of(const encoding *const *list, const compare_data *data, int64_t shift) {
    static measurement measured[SCHEMES];
    const int count = measure_all(measured, list, data, shift);
    char *const path = in_folder("page.html");
    rope_error error;
    if (compare_page(data, list, count, shift, measured, path, &error) != ROPE_OK)
        fail_msg("%s: %s", error.place, error.reason);
    return content(path);
}

static json_t *values_of(const char *page) {
    static const char begin[] = "<script type=\"application/json\" id=\"values\">\n";
    const char *const from = strstr(page, begin);
    assert_non_null(from);
    const char *const text = from + strlen(begin), *const end = strstr(text, "</script>");
    json_error_t error;
    json_t *const values = json_loadb(text, (size_t)(end - text), 0, &error);
    if (!values) fail_msg("JSON, line %d: %s", error.line, error.text);
    return values;
}

static double cell(json_t *values, const char *map, int64_t stop, int64_t m, int64_t n) {
    json_t *const at = json_object_get(json_object_get(json_object_get(values, "map"), map), "value");
    if (!at) fail_msg("there is no %s", map);
    const size_t k = json_array_size(at) > 1 ? (size_t)stop : 0;
    const int64_t size = json_integer_value(json_object_get(values, "size"));
    return json_number_value(json_array_get(json_array_get(at, k), (size_t)(m * size + n)));
}

/* ---- formulas and numbers ---------------------------------------------------------------------------- */

static void check_written(void (*put)(FILE *out, const char *text), const char *text, const char *want) {
    char *got = NULL;
    size_t room = 0;
    FILE *const out = open_memstream(&got, &room);
    assert_non_null(out);
    put(out, text);
    fclose(out);
    assert_string_equal(got, want);
    free(got);
}

static void test_formulas(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"q_m . W_k p_n",
         "<i>q</i><sub><i>m</i></sub>\xc2\xa0\xc2\xb7 <i>W</i><sub><i>k</i></sub> <i>p</i><sub><i>n</i></sub>"},
        {"R_(n-m) k", "<i>R</i><sub><i>n</i>\xe2\x88\x92<i>m</i></sub> <i>k</i>"},
        {"b[bucket(n-m)]", "<i>b</i>[bucket(<i>n</i>\xe2\x88\x92<i>m</i>)]"},
        {"a_clip(n-m)", "<i>a</i><sub>clip(<i>n</i>\xe2\x88\x92<i>m</i>)</sub>"},
        {"2^(-8h/H)", "2<sup>\xe2\x88\x92"
                      "8<i>h</i>/<i>H</i></sup>"},
        {"-s |n - m|", "\xe2\x88\x92<i>s</i> |<i>n</i> \xe2\x88\x92 <i>m</i>|"},
        {"T5 has b", "T5 has <i>b</i>"}, /* a name, not T times 5 */
        {"sum_i theta_i", "\xe2\x88\x91<sub><i>i</i></sub> \xce\xb8<sub><i>i</i></sub>"},
        {"the sum, a k-th query's key", "the sum, a k-th query's key"},
        {"content-position", "content-position"},
        {"N x d", "<i>N</i>\xc2\xa0\xc3\x97 <i>d</i>"},
        {"n <= 2N-1", "<i>n</i> \xe2\x89\xa4 2<i>N</i>\xe2\x88\x92"
                      "1"},
        {"<b> & \"c\" --length", "&lt;<i>b</i>&gt; &amp; &quot;<i>c</i>&quot; --length"},
        {"open_(n", "open_(<i>n</i>"},
        {"end_", "end_"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_written(put_math, cases[k][0], cases[k][1]);
}

static void test_numbers(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"-1.5e-07", "\xe2\x88\x92"
                                                        "1.5\xc2\xb7"
                                                        "10<sup>\xe2\x88\x92"
                                                        "7</sup>"},
                                           {"2.0e+10", "2.0\xc2\xb7"
                                                       "10<sup>10</sup>"},
                                           {"3.0e+00", "3.0"},
                                           {"12.5", "12.5"},
                                           {"inf", "inf"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_written(put_decimal, cases[k][0], cases[k][1]);
}

/* ---- levels and stops -------------------------------------------------------------------------------- */

static void test_levels(void **state) {
    (void)state;
    static const struct {
        double value, scale;
        int level;
    } cases[] = {{0.0, 8.0, 0},  {8.0, 8.0, 10},  {-8.0, 8.0, -10}, {4.0, 8.0, 5},       {-0.25, 8.0, 0},
                 {0.5, 8.0, 1},  {-0.5, 8.0, -1}, {1.0, 0.0, 0},    {INFINITY, 1.0, 0},  {NAN, 1.0, 0},
                 {7.6, 8.0, 10}, {7.59, 8.0, 9},  {-7.6, 8.0, -10}, {5e-324, 5e-324, 10}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(map_level(cases[k].value, cases[k].scale), cases[k].level);
}

static void check_stops(int64_t last, const int64_t *want, int count) {
    int64_t stop[VIEW_STOPS];
    assert_int_equal(view_stops(stop, last), count);
    for (int k = 0; k < count; k++) assert_int_equal(stop[k], want[k]);
}

static void test_stops(void **state) {
    (void)state;
    check_stops(0, (const int64_t[]){0}, 1);
    check_stops(3, (const int64_t[]){0, 1, 2, 3}, 4);
    check_stops(-2, (const int64_t[]){0, -1, -2}, 3);
    check_stops(17, (const int64_t[]){0, 1, 2, 4, 8, 16, 17}, 7);
    check_stops(64, (const int64_t[]){0, 1, 2, 4, 8, 16, 32, 64}, 8);
    int64_t stop[VIEW_STOPS];
    const int count = view_stops(stop, INT64_C(1) << 29);
    assert_int_equal(stop[count - 1], INT64_C(1) << 29);
    assert_int_equal(view_stops(stop, 16), 17);
}

/* ---- what counts as changed -------------------------------------------------------------------------- */

/* Three terms of one number each, for positions from `first`: 1, whatever the position; the position of the query; and
 * its position again, but known to within 2 only. */
static rope_status build_known(encoding_run *run, rope_error *error) {
    (void)error;
    const size_t length = run->data->length;
    rows *const steps = rows_new(length, 1, ROWS_DOUBLE), *const vague = rows_new(length, 1, ROWS_DOUBLE);
    for (size_t m = 0; m < length; m++) {
        const double position = (double)run->first + (double)m;
        rows_set(steps, m, &position);
        rows_set(vague, m, &position);
        vague->error[m] = 2.0;
    }
    rows_settle(steps);
    rows_settle(vague);
    const rows *const one =
        encoding_keep(run, rows_repeated(encoding_keep(run, rows_constant(1.0, 1, ROWS_DOUBLE)), length));
    encoding_term_add(run, TERM_PRODUCT, one, one, NULL);
    encoding_term_add(run, TERM_PRODUCT, encoding_keep(run, steps), one, NULL);
    encoding_term_add(run, TERM_PRODUCT, encoding_keep(run, vague), one, NULL);
    encoding_direct_add(run, TERM_PRODUCT, one, one, NULL);
    return ROPE_OK;
}

static const encoding_term_text known_terms[] = {{"constant", "1", "One.", true, false},
                                                 {"steps", "m", "The position.", false, false},
                                                 {"vague", "m", "The position, nearly.", false, false},
                                                 {0}};

static void test_changed(void **state) {
    (void)state;
    enum { LENGTH = 30 };
    const encoding known = {.name = "known", .term = known_terms, .build = build_known};
    const int64_t stop[] = {0, 1, 3, 5};
    compare_data data = make_data("constant", LENGTH);
    scheme_view view;
    assert_int_equal(view_new(&view, &known, &data, stop, 4, NULL), ROPE_OK);
    assert_int_equal(view.maps, 4);
    assert_int_equal(view.size, VIEW_SIZE);
    const int64_t cells = VIEW_SIZE * VIEW_SIZE;
    for (int k = 0; k < 4; k++) {
        assert_int_equal(view.map[0].changed[k], 0);
        assert_int_equal(view.map[1].changed[k], stop[k] > 0 ? cells : 0);
        assert_int_equal(view.map[2].changed[k], stop[k] > 4 ? cells : 0); /* both values are within 2 */
        assert_int_equal(view.map[3].changed[k], stop[k] > 2 ? cells : 0); /* 2 positions moved, 4 vague */
        check_same(view.map[1].change[k], (double)stop[k]);
        check_same(view.map[1].value[k * cells + 7 * VIEW_SIZE + 2], 7.0 + (double)stop[k]);
    }
    assert_false(view.map[0].moves);
    assert_true(view.map[2].moves);
    check_same(view.map[1].scale, VIEW_SIZE - 1 + 5.0);
    view_free(&view);
    compare_data_free(&data);
}

/* ---- the page ---------------------------------------------------------------------------------------- */

/* Half a unit of the last of four digits, and the bound of a computed value: below 1e-12 for d = 4. */
static double half_unit(double value) {
    return 0.5 * pow(10.0, floor(log10(fabs(value))) - (MAP_DIGITS - 1)) + 1e-12;
}

/* Every term and score that compare_reference.txt knows. Its tokens are the same at every position, so (15, 12) is (5,
 * 2) shifted by 10. */
static void test_reference(void **state) {
    (void)state;
    compare_data data = make_data("reference", COMPARE_REFERENCE_LENGTH);
    char *const page = page_of(encodings, &data, 10), path[512], line[256];
    json_t *const values = values_of(page);
    snprintf(path, sizeof path, "%s/vectors/compare_reference.txt",
             getenv("ROPE_TESTS") ? getenv("ROPE_TESTS") : "tests");
    FILE *const known = fopen(path, "r");
    assert_non_null(known);
    int checked = 0;
    while (fgets(line, sizeof line, known)) {
        char scheme[64], term[64], map[160];
        int m, n;
        double want;
        if (sscanf(line, "%63s %63s %d %d %lf", scheme, term, &m, &n, &want) != 5 || !encoding_named(scheme) ||
            !strcmp(term, "query-norm") || m >= VIEW_SIZE)
            continue;
        snprintf(map, sizeof map, "map-%s-%s", scheme, strcmp(term, "sum") ? term : "score");
        const int64_t shift = m == 15 ? 10 : 0;
        check_near(cell(values, map, shift, m - shift, n - shift), want, half_unit(want));
        checked++;
    }
    assert_true(checked > 180);
    fclose(known);
    json_decref(values);
    free(page);
    compare_data_free(&data);
}

static void test_self_contained(void **state) {
    (void)state;
    compare_data data = make_data("gaussian", 12);
    char *const page = page_of(encodings, &data, 3), *const again = page_of(encodings, &data, 3);
    static const char *const foreign[] = {"<!--",  " src=",  "<link", "url(",  "@import",
                                          "http:", "https:", "nan",   "(null)"};
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        if (strstr(page, foreign[k])) fail_msg("the page has %s: %.60s", foreign[k], strstr(page, foreign[k]));
    for (const encoding *const *scheme = encodings; *scheme; scheme++) {
        char heading[256];
        snprintf(heading, sizeof heading, "<h2 id=\"%s\">", (*scheme)->name);
        check_contains(page, heading);
    }
    assert_string_equal(page, again);
    free(page);
    free(again);
    compare_data_free(&data);
}

/* The smallest runs, and a long one that shows its first positions. */
static void test_sizes(void **state) {
    (void)state;
    static const int64_t lengths[] = {1, 2, 40};
    const encoding *const list[] = {encoding_named("sinusoidal"), NULL};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        compare_data data = make_data("gaussian", lengths[k]);
        char *const page = page_of(list, &data, 0);
        json_t *const values = values_of(page);
        const int64_t size = json_integer_value(json_object_get(values, "size"));
        assert_int_equal(size, lengths[k] < VIEW_SIZE ? lengths[k] : VIEW_SIZE);
        assert_int_equal(strstr(page, "the maps show the first 24") != NULL, lengths[k] > VIEW_SIZE);
        json_decref(values);
        free(page);
        compare_data_free(&data);
    }
}

static void test_hostile_name(void **state) {
    (void)state;
    const encoding *const list[] = {encoding_named("rope"), NULL};
    compare_data data = make_data("gaussian", 3);
    data.request.data = "</p><img alt='&\" onerror=alert(1)>.npy";
    char *const page = page_of(list, &data, 1);
    assert_null(strstr(page, "<img"));
    check_contains(page, "p&gt;&lt;img alt='&amp;&quot; onerror=alert(1)&gt;.npy tokens");
    free(page);
    compare_data_free(&data);
}

/* A scheme that refuses a shift, and a path that cannot be written: an error, and no file. */
static void test_page_failures(void **state) {
    (void)state;
    const encoding *const list[] = {encoding_named("learned")};
    compare_data data = make_data("gaussian", 3);
    measurement measured = {.encoding = list[0], .terms = 4};
    rope_error error;
    char *const path = in_folder("none.html");
    assert_int_equal(compare_page(&data, list, 1, -1, &measured, path, &error), ROPE_BAD_INPUT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(compare_page(&data, list, 1, 0, &measured, in_folder("no/page.html"), &error), ROPE_IO);
    compare_data_free(&data);
}

/* ---- figures ----------------------------------------------------------------------------------------- */

static bool has_program(const char *name) {
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static void check_same_files(const char *one, const char *other) {
    char command[600];
    snprintf(command, sizeof command, "cmp -s %s %s", one, other);
    if (system(command) != 0) fail_msg("%s and %s differ", one, other);
}

/* Every kind of figure is there with its data and script, and the script draws the same bytes again. */
static void test_figures(void **state) {
    (void)state;
    if (!has_program("gnuplot")) skip();
    static const char *const names[] = {"heat-alibi", "defect", "decay-ones", "decay-tokens", "decay-peak"};
    static const char *const endings[] = {".svg", ".png", ".tsv", ".gp"};
    const encoding *const list[] = {encoding_named("alibi"), NULL};
    compare_data data = make_data("constant", 5); /* one map has no negative cell, no term changes */
    measurement measured;
    measure_all(&measured, list, &data, 2);
    char *const directory = in_folder("figures"), command[512];
    rope_error error;
    if (compare_figures(&data, list, 1, 2, &measured, directory, &error) != ROPE_OK)
        fail_msg("%s: %s", error.place, error.reason);
    snprintf(command, sizeof command,
             "cp -R %s %s/again && cd %s/again && rm *.svg && gnuplot heat-alibi.gp && "
             "gnuplot defect.gp",
             directory, folder, folder);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            char name[64];
            snprintf(name, sizeof name, "figures/%s%s", names[k], endings[e]);
            struct stat file;
            if (stat(in_folder(name), &file) != 0 || file.st_size == 0) fail_msg("%s is not there", name);
        }
    assert_int_equal(system(command), 0);
    check_same_files(in_folder("figures/heat-alibi.svg"), in_folder("again/heat-alibi.svg"));
    check_same_files(in_folder("figures/defect.svg"), in_folder("again/defect.svg"));
    compare_data_free(&data);
}

static void test_figure_failures(void **state) {
    (void)state;
    if (!has_program("gnuplot")) skip();
    const encoding *const list[] = {encoding_named("rope"), NULL};
    compare_data data = make_data("constant", 3);
    measurement measured;
    measure_all(&measured, list, &data, 1);
    rope_error error;
    assert_int_equal(compare_figures(&data, list, 1, 1, &measured, in_folder("no/figures"), &error), ROPE_IO);
    FILE *const file = fopen(in_folder("file"), "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(compare_figures(&data, list, 1, 1, &measured, in_folder("file"), &error), ROPE_IO);
    compare_data_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_changed),
        cmocka_unit_test_setup_teardown(test_reference, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_self_contained, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_sizes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_hostile_name, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_page_failures, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_figures, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_figure_failures, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
