/* Options of the programs: what is read, and every way to refuse it. Command lines and messages are written out by
 * hand. */
#include "check.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../analysis/command/options.h"
#include "../src/frequency/frequency.h"

enum { COS = 1, SIN, COS_SIN, QUIET, OUTPUT, ROTARY_DIM, ROTARY_AT };

static const option_row rows[] = {{"cos", COS, "FILE", "cosines", "Arrays", 0},
                                  {"sin", SIN, "FILE", "sines", NULL, 0},
                                  {"cosines", COS, NULL, NULL, NULL, 0},
                                  {"cos-sin", COS_SIN, "FILE", "both", NULL, 0},
                                  {"quiet", QUIET, NULL, "say less", "Other", 0},
                                  {"output", OUTPUT, "DIR", "where the probes go", NULL, 0},
                                  {"o", OUTPUT, "DIR", NULL, NULL, 0},
                                  {"outputs", OUTPUT, "DIR", NULL, NULL, 0},
                                  {"rotary-dim", ROTARY_DIM, "R", "width", NULL, 0},
                                  {"rotary-at", ROTARY_AT, "END", "end", NULL, 0},
                                  {NULL, 0, NULL, NULL, NULL, 0}};

/* ---- scanning -------------------------------------------------------------------------------------- */

enum { WORDS = 8 };

typedef struct scan_step {
    int key;
    const char *value, *name; /* NULL: not compared */
} scan_step;

/* The words after the program's name, ended by NULL, give these steps, and then the end. */
static void check_steps(char *const words[WORDS], const scan_step steps[WORDS]) {
    char *argv[WORDS + 1] = {"program"};
    int argc = 1, k = 0;
    for (; argc <= WORDS && words[argc - 1]; argc++) argv[argc] = words[argc - 1];
    option_scan scan = option_begin(rows, argc, argv);
    for (int key; (key = option_next(&scan)) != OPTION_END; k++) {
        assert_int_equal(key, steps[k].key);
        if (steps[k].value)
            assert_string_equal(scan.value, steps[k].value);
        else
            assert_null(scan.value);
        if (steps[k].name) assert_string_equal(scan.name, steps[k].name);
    }
    assert_int_equal(steps[k].key, 0);
    assert_null(steps[k].value);
    assert_int_equal(option_next(&scan), OPTION_END);
}

static void test_scan(void **state) {
    (void)state;
    check_steps((char *[WORDS]){NULL}, (scan_step[WORDS]){{0}});
    check_steps(
        (char *[WORDS]){"--cos", "a", "--cos=b", "--cos=", "--quiet", NULL},
        (scan_step[WORDS]){{COS, "a", "--cos"}, {COS, "b", "--cos"}, {COS, "", "--cos"}, {QUIET, NULL, "--quiet"}});
    check_steps(
        (char *[WORDS]){"x", "--quiet", "-", "--cos", "-", "y=z", NULL},
        (scan_step[WORDS]){{0, "x", NULL}, {QUIET, NULL, NULL}, {0, "-", NULL}, {COS, "-", NULL}, {0, "y=z", NULL}});
    check_steps((char *[WORDS]){"--quiet", "--", "--quiet", "--", "-o", NULL},
                (scan_step[WORDS]){{QUIET, NULL, NULL}, {0, "--quiet", NULL}, {0, "--", NULL}, {0, "-o", NULL}});
    check_steps((char *[WORDS]){"--sin", "-5", "--sin=--quiet", "--sin=a=b", NULL},
                (scan_step[WORDS]){{SIN, "-5", NULL}, {SIN, "--quiet", NULL}, {SIN, "a=b", NULL}});
}

/* "cos" is exact though two longer names begin with it; "cosi" has one; "rotary-d" too; "q" and an alias without
 * argument. */
static void test_abbreviations(void **state) {
    (void)state;
    check_steps((char *[WORDS]){"--cos=a", "--cosi=b", "--cosines", "c", "--rotary-d", "4", "--q", NULL},
                (scan_step[WORDS]){{COS, "a", "--cos"},
                                   {COS, "b", "--cosi"},
                                   {COS, "c", "--cosines"},
                                   {ROTARY_DIM, "4", "--rotary-d"},
                                   {QUIET, NULL, "--q"}});
    check_steps((char *[WORDS]){"-o", "dir", "-odir", "--out", "dir", NULL},
                (scan_step[WORDS]){{OUTPUT, "dir", "-o"}, {OUTPUT, "dir", "-o"}, {OUTPUT, "dir", "--out"}});
}

static void test_stop_at_operand(void **state) {
    (void)state;
    char *argv[] = {"program", "--quiet", "table", "--cos", "a", NULL};
    option_scan scan = option_begin(rows, 5, argv);
    scan.stop_at_operand = true;
    assert_int_equal(option_next(&scan), QUIET);
    assert_int_equal(option_next(&scan), OPTION_END);
    assert_string_equal(argv[scan.next], "table");

    char *command[] = {"program", "--quiet", "--", "--quiet", NULL};
    scan = option_begin(rows, 4, command);
    scan.stop_at_operand = true;
    assert_int_equal(option_next(&scan), QUIET);
    assert_int_equal(option_next(&scan), OPTION_END);
    assert_string_equal(command[scan.next], "--quiet");
    assert_int_equal(option_next(&scan), OPTION_END);
    assert_int_equal(scan.next, 3);
}

static void check_refused(char *first, char *second, const char *place, const char *reason, const char *hint) {
    char *argv[] = {"program", first, second, NULL};
    option_scan scan = option_begin(rows, second ? 3 : 2, argv);
    assert_int_equal(option_next(&scan), OPTION_ERROR);
    assert_int_equal(scan.error.status, ROPE_BAD_INPUT);
    assert_string_equal(scan.error.place, place);
    assert_string_equal(scan.error.reason, reason);
    assert_string_equal(scan.error.hint, hint);
}

static void test_scan_errors(void **state) {
    (void)state;
    check_refused("--quite", NULL, "--quite", "unknown option", "did you mean --quiet?");
    check_refused("--rotary_dim=4", NULL, "--rotary_dim", "unknown option", "did you mean --rotary-dim?");
    check_refused("--ouptut", NULL, "--ouptut", "unknown option", "did you mean --output?");
    check_refused("-sin", NULL, "-sin", "unknown option", "did you mean --sin?");
    check_refused("--frobnicate", NULL, "--frobnicate", "unknown option", "--help lists the options");
    check_refused("--=x", NULL, "--", "unknown option", "--help lists the options");
    check_refused("--rotary", "4", "--rotary", "ambiguous option", "could be --rotary-dim --rotary-at");
    check_refused("--sin", NULL, "--sin", "needs an argument", "write --sin=FILE");
    check_refused("--sin", "--quiet", "--sin", "needs an argument", "write --sin=FILE");
    check_refused("--cosines", NULL, "--cosines", "needs an argument", "write --cosines=FILE");
    check_refused("-o", NULL, "-o", "needs an argument", "write -o DIR");
    check_refused("--quiet=yes", NULL, "--quiet", "takes no argument, but 'yes' was given", "");
}

/* A word of any length is refused without harm. */
static void test_long_words(void **state) {
    (void)state;
    char word[4096];
    for (size_t length = 3; length < sizeof word; length += 37) {
        memset(word, 'x', length);
        memcpy(word, "--", 2);
        word[length] = 0;
        char *argv[] = {"program", word, NULL};
        option_scan scan = option_begin(rows, 2, argv);
        assert_int_equal(option_next(&scan), OPTION_ERROR);
        assert_string_equal(scan.error.reason, "unknown option");
    }
}

/* ---- numbers and ranges ---------------------------------------------------------------------------- */

static void check_integer(const char *text, int64_t want) {
    int64_t value = 12345;
    assert_int_equal(option_integer(&value, text, INT64_MIN, INT64_MAX, "--n", NULL), ROPE_OK);
    assert_true(value == want);
}

static void refuse_integer(const char *text, int64_t least, int64_t largest, const char *reason) {
    int64_t value = 12345;
    rope_error error;
    assert_int_equal(option_integer(&value, text, least, largest, "--n", &error), ROPE_BAD_INPUT);
    assert_int_equal(value, 12345);
    assert_string_equal(error.place, "--n");
    assert_string_equal(error.reason, reason);
}

static void test_integers(void **state) {
    (void)state;
    check_integer("0", 0);
    check_integer("-17", -17);
    check_integer("+17", 17);
    check_integer("007", 7);
    check_integer("9223372036854775807", INT64_MAX);
    check_integer("-9223372036854775808", INT64_MIN);
    refuse_integer("", 0, 9, "is empty, but needs a whole number");
    refuse_integer("x", 0, 9, "'x' is not a whole number");
    refuse_integer(" 5", 0, 9, "' 5' is not a whole number");
    refuse_integer("5 ", 0, 9, "'5 ' is not a whole number: ' ' is left over");
    refuse_integer("12x", 0, 99, "'12x' is not a whole number: 'x' is left over");
    refuse_integer("1e5", 0, 9, "'1e5' is not a whole number: 'e5' is left over");
    refuse_integer("0x10", 0, 99, "'0x10' is not a whole number: 'x10' is left over");
    refuse_integer("10", 0, 9, "10 is out of range: 0 to 9");
    refuse_integer("-1", 0, 9, "-1 is out of range: 0 to 9");
    refuse_integer("-1", 0, INT64_MAX, "-1 is too small: at least 0");
    refuse_integer("9223372036854775808", INT64_MIN, INT64_MAX,
                   "9223372036854775808 is out of range: -9223372036854775808 to 9223372036854775807");
}

static void check_real(const char *text, double want) {
    double value = 12345;
    assert_int_equal(option_real(&value, text, -1e300, 1e300, "--x", NULL), ROPE_OK);
    check_same(value, want);
}

static void refuse_real(const char *text, const char *reason) {
    double value = 12345;
    rope_error error;
    assert_int_equal(option_real(&value, text, 0, 10, "--x", &error), ROPE_BAD_INPUT);
    check_same(value, 12345);
    assert_string_equal(error.place, "--x");
    assert_string_equal(error.reason, reason);
}

static void check_reals(void) {
    check_real("10000", 10000.0);
    check_real("5e5", 500000.0);
    check_real("-0.5", -0.5);
    check_real(".25", 0.25);
    check_real("0x1p-3", 0.125);
    check_real("0.1", 0x1.999999999999ap-4);
    refuse_real("", "is empty, but needs a number");
    refuse_real("abc", "'abc' is not a number");
    refuse_real(" 1", "' 1' is not a number");
    refuse_real("1,5", "'1,5' is not a number: ',5' is left over");
    refuse_real("1e", "'1e' is not a number: 'e' is left over");
    refuse_real("nan", "'nan' is not a finite number");
    refuse_real("inf", "'inf' is not a finite number");
    refuse_real("1e999", "'1e999' is not a finite number");
    refuse_real("10.5", "10.5 is out of range: 0 to 10");
    refuse_real("-1e-9", "-1e-9 is out of range: 0 to 10");
}

static void test_reals(void **state) {
    (void)state;
    check_reals();
}

static void test_reals_under_a_decimal_comma(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR"};
    bool comma = false;
    for (size_t k = 0; k < sizeof names / sizeof *names && !comma; k++)
        comma = setlocale(LC_NUMERIC, names[k]) && !strcmp(localeconv()->decimal_point, ",");
    if (!comma) skip(); /* no such locale here */
    check_real("0.1", 0x1.999999999999ap-4);
    refuse_real("1,5", "'1,5' is not a number: ',5' is left over");
    assert_string_equal(localeconv()->decimal_point, ","); /* the program's locale is as it was */
    setlocale(LC_NUMERIC, "C");
}

static void check_range(const char *text, int64_t first, int64_t end, int64_t step) {
    option_range range;
    rope_error error;
    if (option_parse_range(&range, text, "--positions", &error) != ROPE_OK) fail_msg("%s: %s", text, error.reason);
    assert_true(range.first == first && range.end == end && range.step == step);
}

static void refuse_range(const char *text, const char *reason) {
    option_range range = {1, 2, 3};
    rope_error error;
    assert_int_equal(option_parse_range(&range, text, "--positions", &error), ROPE_BAD_INPUT);
    assert_string_equal(error.place, "--positions");
    assert_string_equal(error.reason, reason);
    check_contains(error.hint, "A:B:STEP");
    assert_true(range.first == 1 && range.end == 2 && range.step == 3);
}

static void test_ranges(void **state) {
    (void)state;
    check_range("7", 7, 8, 1);
    check_range("-3", -3, -2, 1);
    check_range("0:4096", 0, 4096, 1);
    check_range("-4:4:2", -4, 4, 2);
    check_range("4611686018427387902", INT64_C(4611686018427387902), INT64_C(4611686018427387903), 1);
    refuse_range("", "is empty, but needs a whole number");
    refuse_range("5:", "is empty, but needs a whole number");
    refuse_range(":5", "is empty, but needs a whole number");
    refuse_range("1:2:3:4", "'1:2:3:4' is not a range");
    refuse_range("1:2:", "is empty, but needs a whole number");
    refuse_range("5:5", "'5:5' is an empty range");
    refuse_range("5:4", "'5:4' is an empty range");
    refuse_range("1:2x", "'2x' is not a whole number: 'x' is left over");
    refuse_range("0:9:0", "0 is out of range: 1 to 4611686018427387902");
    refuse_range("9:0:-1", "-1 is out of range: 1 to 4611686018427387902");
    refuse_range("9223372036854775807",
                 "9223372036854775807 is out of range: -4611686018427387903 to 4611686018427387902");
    refuse_range("000000000000000000000000000000000001", "'000000000000000000000000000000000001' is not a range");
}

/* ---- the shared options ---------------------------------------------------------------------------- */

/* Applies the words, options only, to a spec and the common options. */
static rope_status apply(rope_spec *spec, option_common *common, char *const words[WORDS], rope_error *error) {
    option_row *table = option_join(option_spec_rows, option_common_rows, (const option_row *)NULL);
    char *argv[WORDS + 1] = {"program"};
    int argc = 1, key;
    for (; argc <= WORDS && words[argc - 1]; argc++) argv[argc] = words[argc - 1];
    option_scan scan = option_begin(table, argc, argv);
    rope_status status = ROPE_OK;
    while (status == ROPE_OK && (key = option_next(&scan)) != OPTION_END) {
        if (key == OPTION_ERROR) fail_msg("%s: %s", scan.error.place, scan.error.reason);
        const bool is_spec = key >= OPTION_SPEC && key < OPTION_SPEC_END;
        assert_true(is_spec || (key >= OPTION_COMMON && key < OPTION_COMMON_END));
        status = is_spec ? option_apply_spec(spec, key, &scan, error) : option_apply_common(common, key, &scan, error);
    }
    free(table);
    return status;
}

static void test_spec(void **state) {
    (void)state;
    rope_spec spec = rope_spec_default();
    option_common common = option_common_default();
    rope_error error;
    assert_int_equal(
        apply(&spec, &common,
              (char *[WORDS]){"--head-dim=80", "--rotary-dim=32", "--rotary-at=trailing", "--rope-theta=5e5",
                              "--layout=neox:gptj", "--scaling=linear:factor=4", "--magnitude=1.25"},
              &error),
        ROPE_OK);
    assert_int_equal(spec.dim, 80);
    assert_int_equal(spec.rotary_dim, 32);
    assert_int_equal(spec.rotary_at, ROPE_TRAILING);
    check_same(spec.base, 500000.0);
    assert_int_equal(spec.layout_in, ROPE_HALF);
    assert_int_equal(spec.layout_out, ROPE_INTERLEAVED);
    assert_string_equal(spec.rule->name, "linear");
    check_same(spec.rule_value[0], 4.0);
    assert_true(spec.has_magnitude);
    check_same(spec.magnitude, 1.25);
    assert_int_equal(
        apply(&spec, &common, (char *[WORDS]){"--dim=64", "--dim=96", "--rotary-at=leading", NULL}, &error), ROPE_OK);
    assert_int_equal(spec.dim, 96);
    assert_int_equal(spec.rotary_at, ROPE_LEADING);
}

static void refuse_shared(char *word, const char *place, const char *reason) {
    rope_spec spec = rope_spec_default();
    option_common common = option_common_default();
    rope_error error;
    assert_int_equal(apply(&spec, &common, (char *[WORDS]){word, NULL}, &error), ROPE_BAD_INPUT);
    assert_string_equal(error.place, place);
    check_contains(error.reason, reason);
    assert_false(spec.has_magnitude);
    assert_int_equal(spec.dim, 128);
    assert_int_equal(common.seed, 1);
}

static void test_shared_errors(void **state) {
    (void)state;
    refuse_shared("--dim=0", "--dim", "0 is out of range: 1 to ");
    refuse_shared("--head-dim=1000000", "--head-dim", "1000000 is out of range");
    refuse_shared("--rotary-dim=1", "--rotary-dim", "1 is out of range: 2 to ");
    refuse_shared("--rotary-at=middle", "--rotary-at", "'middle' is no end of a head");
    refuse_shared("--base=1e400", "--base", "not a finite number");
    refuse_shared("--layout=diagonal", "--layout", "'diagonal'");
    refuse_shared("--scaling=magic", "--scaling", "'magic'");
    refuse_shared("--magnitude=big", "--magnitude", "'big' is not a number");
    refuse_shared("--seed=-1", "--seed", "-1 is too small: at least 0");
    refuse_shared("--color=red", "--color", "'red' is none of its values");
    refuse_shared("--progress=", "--progress", "'' is none of its values");
}

static void test_common(void **state) {
    (void)state;
    rope_spec spec = rope_spec_default();
    option_common common = option_common_default();
    assert_int_equal(common.seed, 1);
    assert_int_equal(common.verbosity, 0);
    assert_int_equal(apply(&spec, &common,
                           (char *[WORDS]){"--seed=9223372036854775807", "--quiet", "--color=never",
                                           "--progress=always", "--help", "--version"},
                           NULL),
                     ROPE_OK);
    assert_true(common.seed == INT64_MAX && common.help && common.version);
    assert_int_equal(common.verbosity, -1);
    assert_int_equal(common.color, WHEN_NEVER);
    assert_true(option_progress(&common));
    assert_int_equal(apply(&spec, &common, (char *[WORDS]){"--verbose", "--colour=always", "--progress=never"}, NULL),
                     ROPE_OK);
    assert_int_equal(common.verbosity, 1);
    assert_false(option_progress(&common));
}

/* The tests' output is no terminal, so auto is off; always wins over NO_COLOR and TERM. */
static void test_colour(void **state) {
    (void)state;
    option_common common = option_common_default();
    if (isatty(STDOUT_FILENO)) {
        setenv("TERM", "xterm", 1);
        unsetenv("NO_COLOR");
        assert_true(option_colour(&common));
        setenv("NO_COLOR", "", 1);
        assert_true(option_colour(&common));
        setenv("NO_COLOR", "1", 1);
        assert_false(option_colour(&common));
        unsetenv("NO_COLOR");
        setenv("TERM", "dumb", 1);
    }
    assert_false(option_colour(&common));
    setenv("NO_COLOR", "1", 1);
    common.color = WHEN_ALWAYS;
    assert_true(option_colour(&common));
    common.color = WHEN_NEVER;
    assert_false(option_colour(&common));
}

/* ---- what is printed ------------------------------------------------------------------------------- */

static char *help_of(const option_row *table) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    option_help(out, table);
    fclose(out);
    return text;
}

static void test_help(void **state) {
    (void)state;
    const option_row small[] = {
        {"dim", 1, "D", "head size", "SPEC", 0},
        {"head-dim", 1, "D", NULL, NULL, 0},
        {"o", 2, "DIR", NULL, NULL, 0},
        {"output", 2, "DIR", "where the probes go; the folder is made when it is not there yet, and kept", "Other", 0},
        {"an-option-of-many-letters", 3, NULL, "one line\nand another", NULL, 0},
        {"x", 4, NULL, "short", NULL, 0},
        {NULL, 0, NULL, NULL, NULL, 0}};
    char *text = help_of(small);
    assert_string_equal(text, "SPEC:\n"
                              "  --dim D                 head size\n"
                              "\nOther:\n"
                              "  -o, --output DIR        where the probes go; the folder is made when it is\n"
                              "                          not there yet, and kept\n"
                              "  --an-option-of-many-letters\n"
                              "                          one line\n"
                              "                          and another\n"
                              "  -x                      short\n");
    free(text);
}

/* No line is longer than 80 columns or ends in a space; every scaling rule of the library is named. */
static void test_help_of_shared_options(void **state) {
    (void)state;
    option_row *table = option_join(option_spec_rows, option_common_rows, rows, (const option_row *)NULL);
    char *text = help_of(table);
    for (const option_row *row = table; row->name; row++)
        if (row->help) check_contains(text, row->name);
    for (const rope_rule *const *rule = rope_rules; *rule; rule++) check_contains(text, (*rule)->name);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 80);
        assert_true(line[0] && line[strlen(line) - 1] != ' ');
    }
    free(text);
    free(table);
}

/* What the call writes to the descriptor. */
static char *captured(int descriptor, void (*call)(void)) {
    static char text[4096];
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(NULL);
    const int kept = dup(descriptor);
    dup2(fileno(file), descriptor);
    call();
    fflush(NULL);
    dup2(kept, descriptor);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void print_version(void) {
    option_print_version("rope-verify");
}

static void test_version(void **state) {
    (void)state;
    const char *text = captured(STDOUT_FILENO, print_version);
    char want[64];
    assert_int_equal(
        strncmp(text, "rope-verify " ROPE_VERSION " (MPFR ", strlen("rope-verify " ROPE_VERSION " (MPFR ")), 0);
    snprintf(want, sizeof want, "MPFR %d.%d.%d", MPFR_VERSION_MAJOR, MPFR_VERSION_MINOR, MPFR_VERSION_PATCHLEVEL);
    check_contains(text, want);
    check_contains(text, "GMP ");
    check_contains(text, "GSL ");
    check_contains(text, "jansson ");
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void misuse(void) {
    const rope_error error = {ROPE_BAD_INPUT, "--dim", "is empty", "write --dim=D"}, bare = {ROPE_IO, "", "broken", ""};
    assert_int_equal(option_misuse("rope-verify", &error), 2);
    assert_int_equal(option_misuse("rope-verify", &bare), 2);
}

static void test_misuse(void **state) {
    (void)state;
    assert_string_equal(captured(STDERR_FILENO, misuse),
                        "rope-verify: --dim: is empty\nhint: write --dim=D\nrope-verify: broken\n");
}

static void draw_bar(void) {
    option_bar bar;
    option_bar_begin(&bar, true, "rows", 200);
    for (uint64_t k = 0; k <= 200; k++) option_bar_step(&bar, k);
    bar.last = 0; /* the next step is drawn, as if 0.1 s had passed */
    option_bar_step(&bar, 100);
    bar.last = 0;
    option_bar_step(&bar, 1000);
    option_bar_end(&bar);
    option_bar_begin(&bar, true, "count", 0);
    option_bar_end(&bar);
}

static void draw_nothing(void) {
    option_bar bar;
    option_bar_begin(&bar, false, "rows", 200);
    option_bar_step(&bar, 200);
    option_bar_end(&bar);
}

static void test_bar(void **state) {
    (void)state;
    assert_string_equal(captured(STDERR_FILENO, draw_bar), "\rrows [..............................]   0 %"
                                                           "\rrows [###############...............]  50 %"
                                                           "\rrows [##############################] 100 %"
                                                           "\r\033[K\rcount 0\r\033[K");
    assert_string_equal(captured(STDERR_FILENO, draw_nothing), "");
}

/* ---- quoting --------------------------------------------------------------------------------------- */

static void test_quote(void **state) {
    (void)state;
    char *argv[] = {"rope-verify", "--cos=a.npy", "my file.npy", "it's", "", "$HOME", "a=b", "*"};
    char *line = option_quote(8, argv);
    assert_string_equal(line, "rope-verify --cos=a.npy 'my file.npy' 'it'\\''s' '' '$HOME' a=b '*'");
    free(line);
    char *assignment[] = {"a=b"};
    line = option_quote(1, assignment);
    assert_string_equal(line, "'a=b'");
    free(line);
    line = option_quote(0, NULL);
    assert_string_equal(line, "");
    free(line);
}

/* A shell reads back what was quoted: every byte a word can hold. */
static void test_quote_read_by_a_shell(void **state) {
    (void)state;
    char word[256];
    for (int k = 0; k < 255; k++) word[k] = (char)(k + 1);
    word[255] = 0;
    char *argv[] = {"printf", "%s", word}, *line = option_quote(3, argv), got[512];
    setenv("LC_ALL", "C", 1);
    FILE *shell = popen(line, "r");
    assert_non_null(shell);
    got[fread(got, 1, sizeof got - 1, shell)] = 0;
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(got, word);
    free(line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals_under_a_decimal_comma), /* first: a locale that stays behind would hide itself */
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_abbreviations),
        cmocka_unit_test(test_stop_at_operand),
        cmocka_unit_test(test_scan_errors),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_spec),
        cmocka_unit_test(test_shared_errors),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_of_shared_options),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_quote),
        cmocka_unit_test(test_quote_read_by_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
