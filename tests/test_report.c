/* Reports built by hand, printed in every format: compared with the texts in tests/vectors/report (see the README
 * there), parsed back, and checked against the JSON schema. */
#include "check.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../analysis/report/escape.h"
#include "../analysis/report/number.h"
#include "../analysis/report/report.h"

/* ---- reports built by hand ------------------------------------------------------------------------- */

static report_claim *add_claim(report *subject, const char *id, report_verdict verdict) {
    report_claim *claim = report_add_claim(subject, id);
    claim->statement = "a sentence about it";
    claim->source = "RoFormer eq. 14";
    claim->verdict = verdict;
    claim->checked = 1;
    claim->coverage = "exhaustive";
    return claim;
}

static report_claim *add_measured(report *subject, const char *id, report_verdict verdict, double units,
                                  double allowed) {
    report_claim *claim = add_claim(subject, id, verdict);
    claim->unit = "absolute";
    claim->defect = units * 0x1p-24;
    claim->bound = allowed * 0x1p-24;
    claim->checked = 262144;
    return claim;
}

static void add_skipped(report *subject, const char *id, const char *reason) {
    report_claim *claim = add_claim(subject, id, REPORT_SKIPPED);
    claim->checked = 0;
    claim->coverage = NULL;
    claim->reason = report_text("%s", reason);
}

static rope_spec spec_half(void) {
    rope_spec spec = rope_spec_default();
    assert_int_equal(rope_spec_set_layout(&spec, "half", NULL), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

static report *new_table(const char *name) {
    report *subject = report_new(name, "table");
    subject->spec = spec_half();
    subject->command = report_text("rope-verify table --cos cos.npy --sin sin.npy --layout half");
    subject->dtype = report_text("f32");
    subject->required_grade = report_text("f32");
    subject->has_positions = true;
    subject->last_position = 4095;
    subject->position_count = 4096;
    subject->max_angle = 4095.0;
    report_add_file(subject, "cos", "cos.npy", "abc", 3);
    report_add_file(subject, "sin", "sin.npy", "", 0);
    return subject;
}

static void skip_the_rest(report *subject) {
    add_skipped(subject, "relative", "needs vectors");
    add_skipped(subject, "spectrum", "built-in kernels only");
    add_skipped(subject, "group", "needs vectors");
}

/* An honest float32 table. */
static report *table_that_holds(const char *name) {
    report *subject = new_table(name);
    report_claim *finite = add_claim(subject, "finite", REPORT_HOLDS);
    finite->checked = 524288;
    add_claim(subject, "layout", REPORT_HOLDS);
    add_measured(subject, "table", REPORT_HOLDS, 2.08, 3.0);
    report_claim *norm = add_measured(subject, "orthogonal", REPORT_HOLDS, 1.5, 4.0);
    norm->checked = 8192;
    norm->coverage = "sampled";
    norm->untestable = 12;
    skip_the_rest(subject);
    subject->model = report_text("direct-f32");
    subject->error_u = 2.08;
    report_conclude(subject);
    return subject;
}

static report_witness place(int64_t m, int pair) {
    return (report_witness){.has_m = true, .m = m, .pair = pair, .row = m, .column = pair, .batch = -1, .head = -1};
}

/* Positions rounded to bfloat16: the example of the contract, and one claim of each other verdict. */
static report *table_that_breaks(const char *name) {
    report *subject = new_table(name);
    add_claim(subject, "finite", REPORT_HOLDS)->checked = 524288;
    report_claim *table = add_measured(subject, "table", REPORT_BROKEN, 0.333 * 0x1p24, 3.0);
    table->broken = 4031;
    table->reason = report_text("the positions were rounded before they were multiplied");
    table->has_first = table->has_witness = true;
    table->first = place(257, 0);
    table->witness = place(4095, 3);
    table->witness.array = "cos";
    table->witness.has_values = true;
    table->witness.expected = 0.456;
    table->witness.got = 0.123;
    table->witness.error = 0.333;
    table->witness.allowed = 3.0 * 0x1p-24;
    table->witness.has_bits = true;
    table->witness.got_bits = 0x3dfbe76d;
    table->witness.bits_bytes = 4;
    table->witness.ulps = 44694503.0;
    report_claim *decided = add_measured(subject, "orthogonal", REPORT_UNDECIDED, 3.0, 3.0);
    decided->reason = report_text("the precision cap of 4096 bits was hit");
    report_claim *sign = add_claim(subject, "sign", REPORT_BROKEN);
    sign->expected_failure = true;
    sign->reason = report_text("sin has the opposite sign");
    skip_the_rest(subject);
    report_diagnosis *best = report_add_diagnosis(subject, "position-precision");
    report_word(best, "format", "bf16");
    best->residual_u = 1.9;
    best->text = report_text("Positions above 256 were rounded to bfloat16; keep position ids in int64 or float32.");
    report_diagnosis *other = report_add_diagnosis(subject, "base");
    report_number(other, "found", 10001.5);
    other->residual_u = 91234.0;
    subject->budget = (report_budget){true, 0.0, 0.0, 16.0, 1.2e-7, 0x1p-25, 1.0};
    subject->model = report_text("unidentified");
    report_conclude(subject);
    return subject;
}

static report_run new_run(void) {
    return (report_run){.program = "rope-verify",
                        .version = "0.1.0",
                        .seed = 1,
                        .command = report_text("rope-verify table --cos cos.npy --sin sin.npy --layout half")};
}

static report_run run_that_holds(void) {
    report_run run = new_run();
    report_run_add(&run, table_that_holds("table"));
    return run;
}

static report_run run_that_breaks(void) {
    report_run run = new_run();
    report_run_add(&run, table_that_breaks("table"));
    return run;
}

static report_run run_of_kernels(void) {
    report_run run = new_run();
    run.preface = report_text("Built-in kernels only: no implementation of yours was tested.");
    run.closing = report_text("To test yours: rope-verify table --cos cos.npy --sin sin.npy --layout half");
    report_run_add(&run, table_that_holds("f32"));
    report_run_add(&run, table_that_holds("f32"));
    report_run_add(&run, table_that_breaks("bf16"));
    return run;
}

/* One case as expected, one that fails as expected, one surprise, one that waits. */
static report_run run_of_cases(void) {
    report_run run = new_run();
    run.is_suite = true;
    report *honest = table_that_holds("table-f32");
    honest->counts_as_passed = true;
    honest->note = report_text("as expected: holds");
    report_run_add(&run, honest);
    report *faulty = table_that_breaks("table-bf16-positions");
    faulty->counts_as_passed = true;
    faulty->note = report_text("as expected: broken, position-precision");
    report_run_add(&run, faulty);
    report *surprise = table_that_breaks("table-ggml");
    surprise->note = report_text("broken, but expected to hold");
    report_run_add(&run, surprise);
    report *later = report_new("table-yarn", "table");
    later->waiting = true;
    later->note = report_text("needs the scaling rule yarn");
    report_run_add(&run, later);
    return run;
}

/* Hostile names, NaN and infinities, nothing known. */
static report_run run_of_oddities(void) {
    report_run run = new_run();
    report *subject = report_new("a<b> & \"c\" # d\n\x1b[31m", "rotated");
    report_add_file(subject, "before", "x\xff\xc0\xaf\xed\xa0\x80\xe2\x82\xac\x01.npy", NULL, 0);
    report_claim *finite = add_claim(subject, "finite", REPORT_BROKEN);
    finite->checked = 8;
    finite->broken = 2;
    finite->has_first = finite->has_witness = true;
    finite->first = finite->witness = (report_witness){.pair = -1,
                                                       .row = 5,
                                                       .column = 7,
                                                       .batch = 0,
                                                       .head = 2,
                                                       .array = "after",
                                                       .has_values = true,
                                                       .expected = (double)-INFINITY,
                                                       .got = (double)NAN,
                                                       .error = (double)NAN,
                                                       .allowed = (double)NAN,
                                                       .ulps = (double)NAN,
                                                       .has_bits = true,
                                                       .got_bits = 0x7e00,
                                                       .bits_bytes = 2};
    report_claim *frequency = add_claim(subject, "frequency", REPORT_BROKEN);
    frequency->unit = "radians";
    frequency->defect = (double)INFINITY;
    frequency->bound = 1e-300;
    report_claim *again = add_claim(subject, "frequency", REPORT_BROKEN);
    again->unit = "relative";
    again->defect = 3.0000001 * 0x1p-24;
    again->bound = 3.0 * 0x1p-24;
    report_claim *passed = add_claim(subject, "sign", REPORT_HOLDS);
    passed->expected_failure = true;
    report_diagnosis *diagnosis = report_add_diagnosis(subject, "axis");
    report_word(diagnosis, "used", "H");
    report_word(diagnosis, "expected", "T");
    report_number(diagnosis, "ratio", (double)NAN);
    report_conclude(subject);
    report_run_add(&run, subject);
    return run;
}

static char *print(const char *format, const report_run *run, bool colour, int verbosity) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const report_style style = {colour, verbosity};
    report_format_named(format)->print(out, run, &style);
    fclose(out);
    assert_int_equal(strlen(text), size);
    return text;
}

/* ---- golden texts ---------------------------------------------------------------------------------- */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s: cannot be opened; set ROPE_TESTS to the tests folder", path);
    char *text;
    size_t size;
    FILE *copy = open_memstream(&text, &size);
    assert_non_null(copy);
    for (int c; (c = getc(file)) != EOF;) putc(c, copy);
    fclose(copy);
    fclose(file);
    return text;
}

static char *tests_path(const char *relative) {
    const char *root = getenv("ROPE_TESTS");
    return report_text("%s/%s", root ? root : "tests", relative);
}

/* Fails with the first line that differs. */
static void check_golden(const char *got, const char *name) {
    char *relative = report_text("vectors/report/%s", name), *path = tests_path(relative), *want = read_file(path);
    size_t line = 1, start = 0, k = 0;
    for (; got[k] && got[k] == want[k]; k++)
        if (got[k] == '\n') line++, start = k + 1;
    if (got[k] != want[k])
        fail_msg("%s:%zu: printed '%.*s', stored '%.*s'", path, line, (int)strcspn(got + start, "\n"), got + start,
                 (int)strcspn(want + start, "\n"), want + start);
    free(want);
    free(path);
    free(relative);
}

static void check_formats(report_run run, const char *name) {
    for (const report_format *const *format = report_formats; *format; format++) {
        char *file = report_text("%s%s", name, (*format)->extension), *text = print((*format)->name, &run, false, 0);
        check_golden(text, file);
        free(text);
        free(file);
    }
    report_run_clear(&run);
}

static void test_golden(void **state) {
    (void)state;
    check_formats(run_that_holds(), "holds");
    check_formats(run_that_breaks(), "broken");
    check_formats(run_of_kernels(), "kernels");
    check_formats(run_of_cases(), "suite");
    check_formats(run_of_oddities(), "odd");
}

static void test_golden_styles(void **state) {
    (void)state;
    report_run run = run_that_breaks();
    const struct {
        bool colour;
        int verbosity;
        const char *name;
    } styles[] = {{false, -1, "broken-quiet.txt"}, {false, 1, "broken-verbose.txt"}, {true, 0, "broken-colour.txt"}};
    for (size_t k = 0; k < sizeof styles / sizeof *styles; k++) {
        char *text = print("text", &run, styles[k].colour, styles[k].verbosity);
        check_golden(text, styles[k].name);
        free(text);
    }
    report_run_clear(&run);
}

/* The failure lines are the contract, letter by letter, up to the encoding in brackets. */
static void test_failure_line(void **state) {
    (void)state;
    report_run run = run_that_breaks();
    free(run.reports[0]->command);
    run.reports[0]->command = report_text("rope-verify table ... --positions 257");
    char *text = print("text", &run, false, 0);
    check_contains(text, "\nFAIL table: 4031 of 262144 entries; first m=257 pair=0, worst m=4095 pair=3: cos got 0.123 "
                         "[0x3dfbe76d] want 0.456 (error 5.6e6 u, allowed 3 u)\n");
    check_contains(text, "\n     looks like: position-precision (bf16), residual 1.9 u        reproduce: "
                         "rope-verify table ... --positions 257\n");
    free(text);
    report_run_clear(&run);
}

/* Colour adds escapes and nothing else; without it there are none. */
static void test_colour_adds_nothing(void **state) {
    (void)state;
    report_run run = run_of_cases();
    for (int verbosity = -1; verbosity <= 1; verbosity++) {
        char *plain = print("text", &run, false, verbosity), *colour = print("text", &run, true, verbosity),
             *end = colour;
        assert_null(strchr(plain, '\033'));
        assert_non_null(strchr(colour, '\033'));
        for (const char *c = colour; *c; c++)
            if (*c == '\033')
                c += strcspn(c, "m");
            else
                *end++ = *c;
        *end = 0;
        assert_string_equal(plain, colour);
        free(plain);
        free(colour);
    }
    report_run_clear(&run);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

/* A validator for the part of JSON Schema that the schema file uses. It fails on a keyword that it does not know, so
 * that no constraint is passed over, and on a key that the schema does not name, so that the file stays complete. */
typedef struct validator {
    json_t *root;
    char error[1024];
} validator;

static bool reject(validator *v, const char *path, const char *why) {
    snprintf(v->error, sizeof v->error, "%s: %s", path, why);
    return false;
}

static bool is_type(const json_t *value, const char *type) {
    return !strcmp(type, "object")    ? json_is_object(value)
           : !strcmp(type, "array")   ? json_is_array(value)
           : !strcmp(type, "string")  ? json_is_string(value)
           : !strcmp(type, "integer") ? json_is_integer(value)
           : !strcmp(type, "number")  ? json_is_number(value)
           : !strcmp(type, "boolean") ? json_is_boolean(value)
           : !strcmp(type, "null")    ? json_is_null(value)
                                      : false;
}

static bool has_type(const json_t *value, const json_t *type) {
    if (json_is_string(type)) return is_type(value, json_string_value(type));
    bool fits = false;
    for (size_t k = 0; k < json_array_size(type); k++)
        fits = fits || is_type(value, json_string_value(json_array_get(type, k)));
    return fits;
}

static bool is_one_of(json_t *value, const json_t *list) {
    bool found = false;
    for (size_t k = 0; k < json_array_size(list); k++) found = found || json_equal(value, json_array_get(list, k));
    return found;
}

static bool validate(validator *v, json_t *schema, json_t *value, const char *path);

static bool validate_reference(validator *v, const char *reference, json_t *value, const char *path) {
    static const char prefix[] = "#/$defs/";
    json_t *target = strncmp(reference, prefix, strlen(prefix))
                         ? NULL
                         : json_object_get(json_object_get(v->root, "$defs"), reference + strlen(prefix));
    return target ? validate(v, target, value, path) : reject(v, path, "reference to nothing");
}

static bool validate_one_of(validator *v, const json_t *choices, json_t *value, const char *path) {
    int fitting = 0;
    char first[sizeof v->error] = "";
    for (size_t k = 0; k < json_array_size(choices); k++) {
        if (validate(v, json_array_get(choices, k), value, path))
            fitting++;
        else if (!first[0] || strlen(v->error) > strlen(first)) /* the deepest complaint is the telling one */
            memcpy(first, v->error, sizeof first);
    }
    return fitting == 1 || reject(v, path, fitting ? "fits more than one shape" : first);
}

static bool validate_properties(validator *v, json_t *schema, json_t *value, const char *path) {
    json_t *properties = json_object_get(schema, "properties"),
           *other = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) {
        char inner[512];
        snprintf(inner, sizeof inner, "%s.%s", path, key);
        json_t *rule = json_object_get(properties, key);
        if (!rule && !other) return reject(v, inner, "is not in the schema");
        if (!validate(v, rule ? rule : other, member, inner)) return false;
    }
    return true;
}

static bool validate_required(validator *v, const json_t *names, const json_t *value, const char *path) {
    for (size_t k = 0; json_is_object(value) && k < json_array_size(names); k++)
        if (!json_object_get(value, json_string_value(json_array_get(names, k))))
            return reject(v, path, json_string_value(json_array_get(names, k)));
    return true;
}

static bool validate_items(validator *v, json_t *schema, json_t *value, const char *path) {
    for (size_t k = 0; k < json_array_size(value); k++)
        if (!validate(v, schema, json_array_get(value, k), path)) return false;
    return true;
}

static bool validate(validator *v, json_t *schema, json_t *value, const char *path) {
    const char *word;
    json_t *rule;
    json_object_foreach(schema, word, rule) {
        bool good = true;
        if (!strcmp(word, "type"))
            good = has_type(value, rule) || reject(v, path, "has the wrong type");
        else if (!strcmp(word, "const"))
            good = json_equal(value, rule) || reject(v, path, "is not the constant");
        else if (!strcmp(word, "enum"))
            good = is_one_of(value, rule) || reject(v, path, "is none of the values");
        else if (!strcmp(word, "minimum"))
            good = json_number_value(value) >= json_number_value(rule) || reject(v, path, "is too small");
        else if (!strcmp(word, "required"))
            good = validate_required(v, rule, value, path);
        else if (!strcmp(word, "items"))
            good = validate_items(v, rule, value, path);
        else if (!strcmp(word, "oneOf"))
            good = validate_one_of(v, rule, value, path);
        else if (!strcmp(word, "$ref"))
            good = validate_reference(v, json_string_value(rule), value, path);
        else if (!strcmp(word, "properties") || !strcmp(word, "additionalProperties"))
            good = !json_is_object(value) || validate_properties(v, schema, value, path);
        else if (strcmp(word, "$schema") != 0 && strcmp(word, "$defs") != 0 && strcmp(word, "title") != 0 &&
                 strcmp(word, "description") != 0)
            good = reject(v, path, "the schema uses a keyword that the test does not know");
        if (!good) return false;
    }
    return true;
}

static json_t *parse(const char *text) {
    json_error_t error;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!value) fail_msg("line %d: %s in %s", error.line, error.text, text);
    return value;
}

static json_t *load_schema(void) {
    char *path = tests_path("../analysis/report/rope-verify-1.schema.json"), *text = read_file(path);
    json_t *schema = parse(text);
    free(text);
    free(path);
    return schema;
}

static void test_json_fits_schema(void **state) {
    (void)state;
    json_t *schema = load_schema();
    report_run runs[] = {run_that_holds(), run_that_breaks(), run_of_kernels(),
                         run_of_cases(),   run_of_oddities(), new_run()};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        char *text = print("json", &runs[k], false, 0);
        json_t *value = parse(text);
        validator v = {.root = schema};
        if (!validate(&v, schema, value, "$")) fail_msg("run %zu: %s", k, v.error);
        json_decref(value);
        free(text);
        report_run_clear(&runs[k]);
    }
    json_decref(schema);
}

/* The validator refuses a report with a key missing, one too many, or of the wrong type. */
static void test_schema_can_refuse(void **state) {
    (void)state;
    json_t *schema = load_schema();
    report_run run = run_that_breaks();
    char *text = print("json", &run, false, 0);
    json_t *whole = parse(text);
    const char *key;
    json_t *member;
    json_object_foreach(whole, key, member) {
        json_t *less = json_copy(whole), *wrong = json_copy(whole);
        json_object_del(less, key);
        json_object_set_new(wrong, key, json_real(0.5));
        validator v = {.root = schema};
        const bool optional = !strcmp(key, "name") || !strcmp(key, "note") || !strcmp(key, "hint");
        assert_int_equal(validate(&v, schema, less, "$"), optional);
        assert_false(validate(&v, schema, wrong, "$"));
        json_decref(less);
        json_decref(wrong);
    }
    json_object_set_new(whole, "extra", json_null());
    validator v = {.root = schema};
    assert_false(validate(&v, schema, whole, "$"));
    json_decref(whole);
    json_decref(schema);
    free(text);
    report_run_clear(&run);
}

/* The keys in the order of the contract, and the values of the example. */
static void test_json_values(void **state) {
    (void)state;
    report_run run = run_that_breaks();
    char *text = print("json", &run, false, 0);
    static const char *const order[] = {
        "\"schema\"",     "\"version\"",    "\"command\"",   "\"seed\"",      "\"spec\"",
        "\"dim\"",        "\"rotary_dim\"", "\"base\"",      "\"layout\"",    "\"scaling\"",
        "\"magnitude\"",  "\"subject\"",    "\"kind\"",      "\"files\"",     "\"sha256\"",
        "\"dtype\"",      "\"positions\"",  "\"verdict\"",   "\"grade\"",     "\"required\"",
        "\"model\"",      "\"error_u\"",    "\"max_angle\"", "\"claims\"",    "\"id\": \"table\"",
        "\"defect\"",     "\"bound\"",      "\"unit\"",      "\"checked\"",   "\"broken\"",
        "\"untestable\"", "\"coverage\"",   "\"reason\"",    "\"first\"",     "\"witness\"",
        "\"m\"",          "\"n\"",          "\"pair\"",      "\"array\"",     "\"row\"",
        "\"column\"",     "\"batch\"",      "\"head\"",      "\"expected\"",  "\"got\"",
        "\"got_hex\"",    "\"ulps\"",       "\"budget\"",    "\"frequency\"", "\"angle\"",
        "\"trig\"",       "\"storage\"",    "\"magnitude\"", "\"diagnosis\"", "\"kind\"",
        "\"parameters\"", "\"residual_u\"", "\"text\""};
    const char *at = text;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        at = strstr(at, order[k]);
        if (!at) fail_msg("%s is missing or out of order", order[k]);
        at++;
    }
    json_t *value = parse(text);
    json_t *claim = json_array_get(json_object_get(value, "claims"), 1), *witness = json_object_get(claim, "witness");
    check_same(json_number_value(json_object_get(claim, "defect")), 0.333);
    check_same(json_number_value(json_object_get(claim, "bound")), 0x3p-24);
    assert_int_equal(json_integer_value(json_object_get(claim, "broken")), 4031);
    assert_string_equal(json_string_value(json_object_get(witness, "expected")), "0.456");
    assert_string_equal(json_string_value(json_object_get(witness, "got")), "0.123");
    assert_string_equal(json_string_value(json_object_get(witness, "got_hex")), "0x3dfbe76d");
    assert_true(json_is_null(json_object_get(witness, "n")));
    assert_true(json_is_null(json_object_get(json_array_get(json_object_get(value, "claims"), 3), "bound")));
    json_decref(value);
    free(text);
    report_run_clear(&run);
}

static void test_json_specials(void **state) {
    (void)state;
    report_run run = run_of_oddities();
    char *text = print("json", &run, false, 0);
    json_t *value = parse(text); /* jansson refuses invalid UTF-8 and raw control characters */
    json_t *claims = json_object_get(value, "claims"), *witness = json_object_get(json_array_get(claims, 0), "witness");
    assert_string_equal(json_string_value(json_object_get(witness, "got")), "nan");
    assert_string_equal(json_string_value(json_object_get(witness, "expected")), "-inf");
    assert_string_equal(json_string_value(json_object_get(witness, "got_hex")), "0x7e00");
    assert_string_equal(json_string_value(json_object_get(json_array_get(claims, 1), "defect")), "inf");
    json_t *file = json_array_get(json_object_get(json_object_get(value, "subject"), "files"), 0);
    assert_string_equal(
        json_string_value(json_object_get(file, "name")),
        "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x82\xac\x01.npy");
    assert_string_equal(json_string_value(json_object_get(value, "name")), run.reports[0]->name);
    json_decref(value);
    free(text);
    report_run_clear(&run);
}

/* ---- TAP and JUnit --------------------------------------------------------------------------------- */

/* One plan, as many tests as it says, numbered from 1, and every claim that fails is "not ok". */
static void test_tap_plan(void **state) {
    (void)state;
    report_run runs[] = {run_that_holds(), run_that_breaks(), run_of_kernels(),
                         run_of_cases(),   run_of_oddities(), new_run()};
    const int failures[] = {0, 2, 2, 3, 4, 0};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        char *text = print("tap", &runs[k], false, 0);
        int plans = 0, planned = 0, tests = 0, failed = 0;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            int number;
            plans += sscanf(line, "1..%d", &planned) == 1;
            const bool bad = sscanf(line, "not ok %d - ", &number) == 1;
            if (!bad && sscanf(line, "ok %d - ", &number) != 1) continue;
            assert_int_equal(number, ++tests);
            failed += bad && !strstr(line, "# TODO");
        }
        assert_int_equal(plans, 1);
        assert_int_equal(tests, planned);
        assert_int_equal(failed, failures[k]);
        free(text);
        report_run_clear(&runs[k]);
    }
}

/* Reads XML as far as the reports use it: elements nest, and text and attributes hold no raw markup or control
 * character. */
static bool well_formed(const char *xml) {
    char open[8][32];
    int depth = 0;
    if (strncmp(xml, "<?xml", 5) != 0) return false;
    for (const char *c = strstr(xml, "?>") + 2; *c; c++) {
        if (*c == '&' && strncmp(c, "&lt;", 4) && strncmp(c, "&gt;", 4) && strncmp(c, "&amp;", 5) &&
            strncmp(c, "&quot;", 6) && strncmp(c, "&#10;", 5))
            return false;
        if (*c == '>' || ((unsigned char)*c < 0x20 && *c != '\n')) return false;
        if (*c != '<') continue;
        const bool closing = c[1] == '/';
        char name[32] = "";
        if (sscanf(c + 1 + closing, "%31[a-z]", name) != 1) return false;
        bool quoted = false;
        for (c++; *c && (quoted || *c != '>'); c++) {
            if (*c == '"') quoted = !quoted;
            if (*c == '<' || (unsigned char)*c < 0x20) return false;
        }
        if (!*c) return false;
        if (closing) {
            if (depth == 0 || strcmp(open[--depth], name) != 0) return false;
        } else if (c[-1] != '/') {
            if (depth == 8) return false;
            memcpy(open[depth++], name, sizeof name);
        }
    }
    return depth == 0;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) count++;
    return count;
}

static void test_junit(void **state) {
    (void)state;
    assert_false(well_formed("<?xml version=\"1.0\"?>\n<a><b></a></b>"));
    assert_false(well_formed("<?xml version=\"1.0\"?>\n<a>&</a>"));
    report_run runs[] = {run_that_holds(), run_that_breaks(), run_of_kernels(),
                         run_of_cases(),   run_of_oddities(), new_run()};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        char *text = print("junit", &runs[k], false, 0);
        if (!well_formed(text)) fail_msg("run %zu is not well formed:\n%s", k, text);
        int tests, failures, skipped;
        const char *totals = strstr(text, "tests=");
        assert_int_equal(
            sscanf(totals, "tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\"", &tests, &failures, &skipped), 3);
        assert_int_equal(count_of(text, "<testcase"), tests);
        assert_int_equal(count_of(text, "<failure"), failures);
        assert_int_equal(count_of(text, "<skipped"), skipped);
        assert_int_equal(count_of(text, "<testsuite "), runs[k].count);
        for (const char *name = text; (name = strstr(name, "<testcase")) != NULL; name++) {
            char *line = report_text("%.*s", (int)strcspn(name, ">"), name);
            if (count_of(text, line) != 1) fail_msg("'%s' is not unique", line);
            free(line);
        }
        free(text);
        report_run_clear(&runs[k]);
    }
}

/* ---- verdicts -------------------------------------------------------------------------------------- */

static report_verdict concluded(int claims, const report_verdict *verdicts, const bool *expected) {
    report *subject = report_new("x", "table");
    for (int k = 0; k < claims; k++) {
        report_claim *claim = report_add_claim(subject, "claim");
        claim->verdict = verdicts[k];
        claim->expected_failure = expected[k];
    }
    const report_verdict verdict = report_conclude(subject);
    assert_int_equal(verdict, subject->verdict);
    report_free(subject);
    return verdict;
}

/* Every mix of up to three claims, with and without --xfail, against the rule said in words. */
static void test_conclude(void **state) {
    (void)state;
    assert_int_equal(concluded(0, NULL, NULL), REPORT_SKIPPED);
    for (int mix = 0; mix < 512; mix++) {
        report_verdict verdicts[3];
        bool expected[3];
        int broken = 0, undecided = 0, holds = 0;
        for (int k = 0; k < 3; k++) {
            verdicts[k] = (report_verdict)(mix >> (3 * k) & 3);
            expected[k] = mix >> (3 * k + 2) & 1;
            const bool bad = verdicts[k] == (expected[k] ? REPORT_HOLDS : REPORT_BROKEN);
            broken += bad;
            undecided += verdicts[k] == REPORT_UNDECIDED;
            holds += !bad && (verdicts[k] == REPORT_HOLDS || verdicts[k] == REPORT_BROKEN);
        }
        const report_verdict want = broken      ? REPORT_BROKEN
                                    : undecided ? REPORT_UNDECIDED
                                    : holds     ? REPORT_HOLDS
                                                : REPORT_SKIPPED;
        assert_int_equal(concluded(3, verdicts, expected), want);
    }
}

static int status(bool suite, bool allow, const report_verdict *verdicts, const bool *passed, int count) {
    report_run run = {.program = "rope-verify", .version = "0", .is_suite = suite};
    for (int k = 0; k < count; k++) {
        report *subject = report_new("x", "table");
        subject->verdict = verdicts[k];
        subject->counts_as_passed = passed[k];
        subject->waiting = suite && verdicts[k] == REPORT_SKIPPED && !passed[k];
        report_run_add(&run, subject);
    }
    const int result = report_status(&run, allow);
    report_run_clear(&run);
    return result;
}

/* Every mix of two reports. In a suite a skipped report that was not expected waits for a later version. */
static void test_status(void **state) {
    (void)state;
    assert_int_equal(status(false, false, NULL, NULL, 0), 2);
    for (int mix = 0; mix < 256; mix++) {
        const bool suite = mix & 1, allow = mix >> 1 & 1;
        report_verdict verdicts[2];
        bool passed[2];
        int broken = 0, undecided = 0, holds = 0;
        for (int k = 0; k < 2; k++) {
            verdicts[k] = (report_verdict)(mix >> (2 + 3 * k) & 3);
            passed[k] = mix >> (4 + 3 * k) & 1;
            if (passed[k])
                holds++;
            else if (suite)
                broken += verdicts[k] != REPORT_SKIPPED;
            else
                broken += verdicts[k] == REPORT_BROKEN, undecided += verdicts[k] == REPORT_UNDECIDED,
                    holds += verdicts[k] == REPORT_HOLDS;
        }
        const int want = broken ? 1 : undecided ? (allow ? 0 : 3) : holds ? 0 : 2;
        assert_int_equal(status(suite, allow, verdicts, passed, 2), want);
    }
}

static void test_more_than_one_page_of_rows(void **state) {
    (void)state;
    report *subject = report_new("x", "table");
    for (int k = 0; k < 300; k++) report_add_claim(subject, "claim")->checked = (uint64_t)k;
    assert_int_equal(subject->claims, 300);
    for (int k = 0; k < 300; k++) assert_int_equal(subject->claim[k].checked, k);
    report_free(subject);
    report_free(NULL);
}

/* ---- numbers and text ------------------------------------------------------------------------------ */

static void check_number(double x, const char *want) {
    assert_string_equal(number_exact(x).text, want);
}

static void test_numbers(void **state) {
    (void)state;
    check_number(0.0, "0");
    check_number(-0.0, "-0.0");
    check_number(0.1, "0.1");
    check_number(-10000.0, "-10000");
    check_number(1e23, "1e23");
    check_number(0x1p53, "9007199254740992");
    check_number(0x1p-24, "5.9604644775390625e-8"); /* 16 digits, rounded to even, would read back as its neighbour */
    check_number(0x1p-1074, "5e-324");
    check_number(-DBL_MAX, "-1.7976931348623157e308");
    check_number(0.0001, "0.0001");
    check_number(-0.00012345678901234567, "-0.00012345678901234567");
    check_number(0.00001, "1e-5");
    check_number((double)NAN, "nan");
    check_number((double)INFINITY, "inf");
    check_number((double)-INFINITY, "-inf");
    assert_string_equal(number_short(5586826.0, 2).text, "5.6e6");
    assert_string_equal(number_short(9999.0, 2).text, "1e4");
    assert_string_equal(number_short(1234.0, 2).text, "1200");
    assert_string_equal(number_short(2.0, 6).text, "2");
    assert_string_equal(number_short(130871.2, 6).text, "130871");
    assert_string_equal(number_bound(1.01e-3).text, "1.1e-03"); /* up, not to nearest */
    assert_string_equal(number_bound(0.0).text, "0");
    assert_string_equal(number_bound(NAN).text, "nan");
    assert_int_equal(number_digits_apart(3.0, 3.0001, 2), 5);
    assert_int_equal(number_digits_apart(3.0, 3.0, 2), 2);
}

/* Random encodings read back as themselves, by MPFR's reader. */
static void test_numbers_read_back(void **state) {
    (void)state;
    uint64_t random = 1;
    mpfr_t read;
    mpfr_init2(read, 53);
    for (int k = 0; k < 20000; k++) {
        const uint64_t bits = check_random(&random);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x) || fabs(x) < DBL_MIN) continue; /* MPFR at 53 bits does not round as subnormals do */
        char *end;
        mpfr_strtofr(read, number_exact(x).text, &end, 10, MPFR_RNDN);
        assert_int_equal(*end, 0);
        check_same(mpfr_get_d(read, MPFR_RNDN), x);
    }
    mpfr_clear(read);
}

static void test_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",      "fr_FR.UTF-8",
                                        "fr_FR.utf8",  "fr_FR",      "nl_NL.UTF-8"};
    bool comma = false;
    for (size_t k = 0; k < sizeof names / sizeof *names && !comma; k++)
        comma = setlocale(LC_ALL, names[k]) && !strcmp(localeconv()->decimal_point, ",");
    report_run run = run_that_breaks();
    char *text = print("json", &run, false, 0);
    check_number(0.1, "0.1");
    check_number(-1.7976931348623157e308, "-1.7976931348623157e308");
    check_golden(text, "broken.json");
    setlocale(LC_ALL, "C");
    free(text);
    report_run_clear(&run);
    if (!comma) skip(); /* no such locale here: the same was checked in C */
}

static void test_invalid_utf8(void **state) {
    (void)state;
    const struct {
        const char *bytes;
        uint32_t rune;
        size_t length;
    } cases[] = {{"A", 'A', 1},
                 {"\xc3\xa9", 0xe9, 2},
                 {"\xe2\x82\xac", 0x20ac, 3},
                 {"\xf0\x9f\x98\x80", 0x1f600, 4},
                 {"\x80", 0xfffd, 1},
                 {"\xc0\x80", 0xfffd, 1},
                 {"\xc3", 0xfffd, 1},
                 {"\xc3(", 0xfffd, 1},
                 {"\xe0\x80\x80", 0xfffd, 1},
                 {"\xed\xa0\x80", 0xfffd, 1},
                 {"\xe2\x82", 0xfffd, 1},
                 {"\xf4\x90\x80\x80", 0xfffd, 1},
                 {"\xf0\x80\x80\x80", 0xfffd, 1},
                 {"\xf8\x88\x80\x80\x80", 0xfffd, 1},
                 {"\xff", 0xfffd, 1},
                 {"", 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *text = cases[k].bytes;
        assert_int_equal(escape_next(&text), cases[k].rune);
        assert_int_equal(text - cases[k].bytes, cases[k].length);
    }
}

/* FIPS 180-4: the digests of "abc" and of nothing, as NIST publishes them. */
static void test_sha256(void **state) {
    (void)state;
    report *subject = report_new("x", "table");
    report_add_file(subject, "cos", "a", "abc", 3);
    report_add_file(subject, "cos", "b", "", 0);
    report_add_file(subject, "cos", "c", NULL, 0);
    assert_string_equal(subject->file[0].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(subject->file[1].sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(subject->file[2].sha256, "");
    report_free(subject);
}

/* ---- writing to a file ----------------------------------------------------------------------------- */

static void test_format_names(void **state) {
    (void)state;
    assert_string_equal(report_format_named("junit")->extension, ".xml");
    assert_null(report_format_named("yaml"));
    assert_ptr_equal(report_format_for_file("a/b.JSON"), report_format_named("json"));
    assert_ptr_equal(report_format_for_file("b.txt.tap"), report_format_named("tap"));
    assert_null(report_format_for_file("b.json.gz"));
    assert_null(report_format_for_file(".xml"));
}

static char folder[] = "/tmp/rope-report-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails, and with it the test, when a file was left behind */
}

static void test_write(void **state) {
    (void)state;
    char *path = report_text("%s/r.json", folder), *link_path = report_text("%s/link.json", folder);
    report_run run = run_that_breaks();
    rope_error error;
    for (int k = 0; k < 2; k++) { /* new, then replaced */
        assert_int_equal(report_write(path, report_format_for_file(path), &run, &error), ROPE_OK);
        char *text = read_file(path);
        check_golden(text, "broken.json");
        free(text);
    }
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(report_write(link_path, report_format_named("tap"), &run, &error), ROPE_OK);
    struct stat entry;
    assert_int_equal(lstat(link_path, &entry), 0);
    assert_true(S_ISLNK(entry.st_mode));
    char *text = read_file(path);
    check_golden(text, "broken.tap");
    free(text);
    unlink(link_path);
    unlink(path);
    report_run_clear(&run);
    free(link_path);
    free(path);
}

/* Rights that cannot replace a device: a broken report_write run by root would. */
static void give_up_root(bool give_up) {
    if (getuid() == 0) assert_int_equal(seteuid(give_up ? 65534 : 0), 0);
}

/* A device or pipe is written where it stands. */
static void test_full_device(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    report_run run = run_that_breaks();
    rope_error error;
    struct stat entry;
    give_up_root(true);
    const rope_status written = report_write("/dev/full", report_format_named("json"), &run, &error);
    give_up_root(false);
    assert_int_equal(written, ROPE_IO);
    assert_string_equal(error.place, "/dev/full");
    check_contains(error.reason, strerror(ENOSPC));
    assert_int_equal(stat("/dev/full", &entry), 0);
    assert_true(S_ISCHR(entry.st_mode));
    report_run_clear(&run);
}

/* A file size limit lets some bytes through: nothing is left of them, and what stood there before is not lost. */
static void test_short_write(void **state) {
    (void)state;
    char *path = report_text("%s/r.json", folder);
    report_run run = run_that_breaks();
    rope_error error = {.status = ROPE_OK};
    assert_int_equal(report_write(path, report_format_named("tap"), &run, &error), ROPE_OK);
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const rope_status written = report_write(path, report_format_named("json"), &run, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(written, ROPE_IO);
    check_contains(error.reason, strerror(EFBIG));
    char *text = read_file(path);
    check_golden(text, "broken.tap");
    free(text);
    unlink(path);
    free(path);
    path = report_text("%s/none/r.json", folder);
    assert_int_equal(report_write(path, report_format_named("json"), &run, &error), ROPE_IO);
    check_contains(error.reason, strerror(ENOENT));
    free(path);
    report_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_styles),
        cmocka_unit_test(test_failure_line),
        cmocka_unit_test(test_colour_adds_nothing),
        cmocka_unit_test(test_json_fits_schema),
        cmocka_unit_test(test_schema_can_refuse),
        cmocka_unit_test(test_json_values),
        cmocka_unit_test(test_json_specials),
        cmocka_unit_test(test_tap_plan),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_conclude),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_more_than_one_page_of_rows),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_invalid_utf8),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_format_names),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_full_device),
        cmocka_unit_test(test_short_write),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
