/* Many subjects from one JSON file: a list of {"name", "subject", "files", "spec", "table", "axes", "quantity", "expected",
 * "xfail"}. Each is judged; with "expected", its outcome must be the one expected. */
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/frequency/frequency.h"
#include "../report/number.h"
#include "fault/fault.h"
#include "verify.h"

typedef struct suite_case {
    json_t *json;
    const char *name;
    char *place;     /* "suite.json: case 3 (ggml-neox)" */
    char *directory; /* files are relative to the suite's folder */
    subject_request request;
    char *paths[8];
    int path_count;
    char waiting[256]; /* not empty: this version cannot judge it, and why */
} suite_case;

static const char *text_of(json_t *object, const char *key) { return json_string_value(json_object_get(object, key)); }

static rope_status wrong(const suite_case *one, const char *key, const char *needs, rope_error *error) {
    char where[512];
    snprintf(where, sizeof where, "%s: %s", one->place, key);
    return rope_fail(error, ROPE_BAD_INPUT, where, NULL, "must be %s", needs);
}

/* ---- keys: a misspelt one must not be passed over ---------------------------------------------------- */

enum { ANYTHING = -1 };

typedef struct suite_key {
    const char *name;
    int type; /* a json_type, or ANYTHING: read by people or other programs */
} suite_key;

static const suite_key case_keys[] = {{"name", JSON_STRING}, {"subject", JSON_STRING}, {"files", JSON_OBJECT}, {"spec", JSON_OBJECT},
                                      {"table", JSON_OBJECT}, {"axes", JSON_STRING}, {"quantity", JSON_STRING}, {"grade", JSON_STRING},
                                      {"expected", JSON_OBJECT}, {"xfail", JSON_ARRAY}, {"notes", ANYTHING}, {"made_by", ANYTHING},
                                      {"measured", ANYTHING}, {"measured_against_explanation", ANYTHING}, {"context_length", ANYTHING}, {NULL, 0}},
                       table_keys[] = {{"first_position", JSON_INTEGER}, {"rows", ANYTHING}, {"tiling", JSON_STRING}, {"order", JSON_STRING}, {"dtype", JSON_STRING}, {NULL, 0}},
                       expected_keys[] = {{"verdict", JSON_STRING}, {"grade", JSON_STRING}, {"diagnosis_kind", JSON_STRING},
                                          {"parameters", JSON_OBJECT}, {"accept", JSON_ARRAY}, {NULL, 0}};

static const char *type_name(int type) {
    return type == JSON_STRING ? "a text" : type == JSON_OBJECT ? "an object" : type == JSON_ARRAY ? "a list" : "a whole number";
}

/* object may be NULL: not given. */
static rope_status check_keys(const suite_case *one, const char *prefix, json_t *object, const suite_key *keys, rope_error *error) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        char place[512], hint[512] = "keys:";
        const suite_key *key = keys;
        while (key->name && strcmp(key->name, name) != 0) key++;
        snprintf(place, sizeof place, "%s: %s%s", one->place, prefix, name);
        for (const suite_key *known = keys; known->name; known++) {
            const size_t used = strlen(hint);
            snprintf(hint + used, sizeof hint - used, " %s", known->name);
        }
        if (!key->name) return rope_fail(error, ROPE_BAD_INPUT, place, hint, "is not a key that is read here");
        if (key->type != ANYTHING && key->type != (int)json_typeof(value)) return rope_fail(error, ROPE_BAD_INPUT, place, NULL, "must be %s", type_name(key->type));
    }
    return ROPE_OK;
}

static rope_status check_case(const suite_case *one, rope_error *error) {
    rope_status status = check_keys(one, "", one->json, case_keys, error);
    if (status == ROPE_OK) status = check_keys(one, "table.", json_object_get(one->json, "table"), table_keys, error);
    if (status == ROPE_OK) status = check_keys(one, "expected.", json_object_get(one->json, "expected"), expected_keys, error);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static rope_status read_files(suite_case *one, rope_error *error) {
    subject_request *request = &one->request;
    const struct {
        const char *role;
        const char **path;
    } roles[] = {{"cos", &request->cos},       {"sin", &request->sin},     {"cos_sin", &request->cos_sin}, {"cis", &request->cis},
                 {"freqs", &request->freqs},   {"before", &request->before}, {"after", &request->after}, {"positions", &request->positions}};
    json_t *files = json_object_get(one->json, "files"), *value;
    const char *role;
    if (!json_is_object(files)) return wrong(one, "files", "an object of role: path", error);
    json_object_foreach(files, role, value) {
        const char *path = json_string_value(value);
        if (!path) return wrong(one, "files", "an object of role: path", error);
        size_t k = 0;
        while (k < sizeof roles / sizeof *roles && strcmp(roles[k].role, role) != 0) k++;
        const char *ending = strrchr(path, '.');
        if (strchr(path, ':') || (ending && (!strncmp(ending, ".gguf", 5) || !strncmp(ending, ".safetensors", 12) || !strncmp(ending, ".npz", 4)))) {
            snprintf(one->waiting, sizeof one->waiting, "waits for a reader of %s", ending ? ending : path);
            continue;
        }
        if (k == sizeof roles / sizeof *roles) return wrong(one, role, "cos, sin, cos_sin, cis, freqs, before, after or positions", error);
        char *full = path[0] == '/' ? report_text("%s", path) : report_text("%s/%s", one->directory, path);
        one->paths[one->path_count++] = full;
        *roles[k].path = full;
    }
    return ROPE_OK;
}

static rope_status need_files(const suite_case *one, rope_error *error) {
    const subject_request *request = &one->request;
    const bool table = request->cis || request->cos_sin || (request->cos && request->sin);
    if (request->kind == SUBJECT_TABLE && !table) return wrong(one, "files", "cos and sin, or cos_sin, or cis", error);
    if (request->kind == SUBJECT_FREQS && !request->freqs) return wrong(one, "files.freqs", "a path", error);
    if (request->kind == SUBJECT_ROTATED && !(request->before && request->after)) return wrong(one, "files", "before and after", error);
    return ROPE_OK;
}

/* ---- the table key --------------------------------------------------------------------------------- */

static rope_status read_table(suite_case *one, rope_error *error) {
    subject_request *request = &one->request;
    json_t *table = json_object_get(one->json, "table");
    if (!table) return ROPE_OK;
    const char *tiling = text_of(table, "tiling"), *order = text_of(table, "order"), *dtype = text_of(table, "dtype");
    request->first_position = json_integer_value(json_object_get(table, "first_position"));
    if (request->first_position < -INT32_MAX || request->first_position > INT32_MAX)
        return wrong(one, "table.first_position", "a position in [-(2^31-1), 2^31-1]", error);
    for (int k = TILING_NONE; tiling && k <= TILING_PAIR; k++)
        if (!strcmp(tiling, subject_tiling_name((table_tiling)k))) request->tiling = (table_tiling)k;
    if (tiling && request->tiling == TILING_FOUND) return wrong(one, "table.tiling", "none, block or pair", error);
    if (order && strcmp(order, "cos-sin") != 0 && strcmp(order, "sin-cos") != 0) return wrong(one, "table.order", "cos-sin or sin-cos", error);
    request->sin_first = order && order[0] == 's';
    if (dtype && !rope_dtype_named(&request->dtype, dtype)) return wrong(one, "table.dtype", "f64, f32, f16 or bf16", error);
    request->has_dtype = dtype && request->dtype == ROPE_BF16; /* the others say so themselves */
    return ROPE_OK;
}

static rope_status read_grade(suite_case *one, rope_error *error) {
    const char *grade = text_of(one->json, "grade");
    if (!grade) grade = text_of(json_object_get(one->json, "expected"), "grade");
    if (!grade) return ROPE_OK;
    one->request.exact = !strcmp(grade, "exact");
    one->request.has_grade = !one->request.exact;
    if (!one->request.exact && (!rope_dtype_named(&one->request.grade, grade) || one->request.grade == ROPE_TF32))
        return wrong(one, "grade", "exact, f64, f32, f16 or bf16", error);
    return ROPE_OK;
}

/* What suites may say already and only a later version judges. */
static const char *const later_subjects[] = {"config", "scores", "permutation", "pair", NULL},
                  *const later_faults[] = {"width", "scaling-lost", "formula", "trig", "cache", "axis", "layer", "switch", "permutation", NULL};

static bool is_later(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name) != 0) names++;
    return *names;
}

static rope_status read_case(suite_case *one, rope_error *error) {
    const char *subject = text_of(one->json, "subject"), *quantity = text_of(one->json, "quantity");
    one->request.name = one->name;
    one->request.spec = rope_spec_default();
    one->request.axes = text_of(one->json, "axes");
    one->request.divisors = quantity && !strcmp(quantity, "divisors");
    one->request.kind = !subject                       ? 0
                        : !strcmp(subject, "table")    ? SUBJECT_TABLE
                        : !strcmp(subject, "freqs")    ? SUBJECT_FREQS
                        : !strcmp(subject, "rotated")  ? SUBJECT_ROTATED
                                                       : 0;
    if (subject && is_later(later_subjects, subject)) {
        snprintf(one->waiting, sizeof one->waiting, "waits for subjects of kind '%s'", subject);
        return ROPE_OK;
    }
    if (quantity && !one->request.divisors && strcmp(quantity, "frequencies") != 0) return wrong(one, "quantity", "frequencies or divisors", error);
    if (!one->request.kind) return wrong(one, "subject", "table, freqs or rotated", error);
    rope_status status = verify_spec_from_json(&one->request.spec, json_object_get(one->json, "spec"), one->place, error);
    if (status == ROPE_UNSUPPORTED) {
        snprintf(one->waiting, sizeof one->waiting, "waits: %.200s", error->reason);
        *error = (rope_error){0};
        return ROPE_OK;
    }
    if (status == ROPE_OK) status = read_files(one, error);
    if (status == ROPE_OK && !one->waiting[0]) status = need_files(one, error);
    if (status == ROPE_OK) status = read_table(one, error);
    if (status == ROPE_OK) status = read_grade(one, error);
    return status;
}

/* ---- expectations ---------------------------------------------------------------------------------- */

static bool is_listed(json_t *list, const char *word) {
    size_t k;
    json_t *value;
    json_array_foreach(list, k, value) if (json_is_string(value) && !strcmp(json_string_value(value), word)) return true;
    return false;
}

/* The same number in the six digits that reports print. */
static bool prints_alike(double x, double y) {
    return !strcmp(number_short(x, 6).text, number_short(y, 6).text);
}

/* Parameters that both sides name must agree. */
static bool parameters_agree(json_t *expected, const report_diagnosis *found) {
    const char *name;
    json_t *value;
    json_object_foreach(expected, name, value) for (int k = 0; k < found->parameters; k++) {
        const report_parameter *parameter = &found->parameter[k];
        if (strcmp(parameter->name, name) != 0) continue;
        if (json_is_string(value) && parameter->is_text && strcmp(json_string_value(value), parameter->text) != 0) return false;
        if (json_is_number(value) && !parameter->is_text && !prints_alike(json_number_value(value), parameter->number)) return false;
    }
    return true;
}

static char *name_diagnosis(const report *found) {
    if (!found->diagnoses) return report_text("no name");
    const report_diagnosis *diagnosis = &found->diagnosis[0];
    char text[256];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", diagnosis->kind);
    for (int k = 0; k < diagnosis->parameters && used < sizeof text; k++) {
        const report_parameter *parameter = &diagnosis->parameter[k];
        used += parameter->is_text ? (size_t)snprintf(text + used, sizeof text - used, " %s=%s", parameter->name, parameter->text)
                                   : (size_t)snprintf(text + used, sizeof text - used, " %s=%.9g", parameter->name, parameter->number);
    }
    return report_text("%s", text);
}

static void compare(json_t *expected, report *found) {
    const char *verdict = text_of(expected, "verdict"), *kind = text_of(expected, "diagnosis_kind");
    char *name = name_diagnosis(found);
    const char *got = report_verdict_name(found->verdict);
    free(found->note);
    if (strcmp(verdict, got) != 0) {
        found->note = report_text("expected %s%s%s, got %s", verdict, kind ? ", " : "", kind ? kind : "", got);
    } else if (found->verdict != REPORT_BROKEN || !kind) {
        found->counts_as_passed = true;
        found->note = isnan(found->error_u) ? report_text("%s, as expected", got)
                                            : report_text("%s, as expected: model %s, error %.2g u", got, found->model, found->error_u);
    } else if (!fault_named(kind)) {
        found->counts_as_passed = true;
        found->note = report_text("broken, as expected; its name '%s' waits for a later version (now: %s)", kind, name);
    } else if (found->diagnoses && !strcmp(found->diagnosis[0].kind, kind) && !parameters_agree(json_object_get(expected, "parameters"), &found->diagnosis[0])) {
        found->note = report_text("broken, as expected, but with other parameters: %s", name);
    } else if (found->diagnoses && (!strcmp(found->diagnosis[0].kind, kind) || is_listed(json_object_get(expected, "accept"), found->diagnosis[0].kind))) {
        found->counts_as_passed = true;
        found->note = report_text("broken, as expected: %s", name);
    } else {
        found->note = report_text("broken, as expected, but named %s instead of %s", name, kind);
    }
    free(name);
}

/* "xfail": ["table", "frequency:base"] beside the command line's own. */
static rope_status add_xfails(const suite_case *one, verify_options *options, rope_error *error) {
    json_t *list = json_object_get(one->json, "xfail"), *value;
    size_t k;
    if (!list) return ROPE_OK;
    if (!json_is_array(list)) return wrong(one, "xfail", "a list of claims, \"ID\" or \"ID:KIND\"", error);
    json_array_foreach(list, k, value) {
        if (!json_is_string(value) || options->xfails == VERIFY_NAMES) return wrong(one, "xfail", "a list of claims, \"ID\" or \"ID:KIND\"", error);
        options->xfail[options->xfails++] = json_string_value(value);
    }
    if (verify_options_check(options, error) == ROPE_OK) return ROPE_OK;
    snprintf(error->place, sizeof error->place, "%.400s: xfail", one->place);
    return error->status;
}

static rope_status check_expected(const suite_case *one, json_t *expected, rope_error *error) {
    const char *verdict = text_of(expected, "verdict"), *kind = text_of(expected, "diagnosis_kind");
    if (!expected) return ROPE_OK;
    if (!verdict || (strcmp(verdict, "holds") && strcmp(verdict, "broken") && strcmp(verdict, "undecided")))
        return wrong(one, "expected.verdict", "holds, broken or undecided", error);
    if (kind && !fault_named(kind) && !is_later(later_faults, kind))
        return wrong(one, "expected.diagnosis_kind", "a fault kind (rope-verify explain KIND)", error);
    return ROPE_OK;
}

/* ---- the command that judges one case alone ---------------------------------------------------------- */

static void add_word(char **command, const char *option, const char *value) {
    char *const words[] = {(char *)option, (char *)value, NULL};
    char *quoted = option_quote(value ? 2 : 1, (char **)words), *longer = report_text("%s %s", *command, quoted);
    free(quoted);
    free(*command);
    *command = longer;
}

static void add_number(char **command, const char *option, double value) {
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    add_word(command, option, number);
}

static void add_spec(char **command, const rope_spec *spec) {
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", spec->rule->name);
    if (spec->layout_in != ROPE_LAYOUT_UNSET) {
        char layout[64];
        snprintf(layout, sizeof layout, spec->layout_in == spec->layout_out ? "%s" : "%s:%s", rope_layout_name(spec->layout_in), rope_layout_name(spec->layout_out));
        add_word(command, "--layout", layout);
    }
    add_number(command, "--dim", spec->dim);
    if (spec->rotary_dim && spec->rotary_dim != spec->dim) add_number(command, "--rotary-dim", spec->rotary_dim);
    if (spec->rotary_at == ROPE_TRAILING) add_word(command, "--rotary-at", "trailing");
    add_number(command, "--base", spec->base);
    for (int k = 0; spec->rule->key[k].name && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%.17g", k ? "," : ":", spec->rule->key[k].name, spec->rule_value[k]);
    if (spec->rule != &rope_rule_default) add_word(command, "--scaling", text);
    if (spec->has_magnitude) add_number(command, "--magnitude", spec->magnitude);
}

static char *command_of(const subject_request *request) {
    const struct {
        const char *option, *path;
    } files[] = {{"--cos", request->cos},       {"--sin", request->sin},     {"--cos-sin", request->cos_sin},    {"--cis", request->cis},
                 {"--before", request->before}, {"--after", request->after}, {"--positions", request->positions}};
    char *command = report_text("rope-verify %s", request->kind == SUBJECT_TABLE ? "table" : request->kind == SUBJECT_FREQS ? "freqs" : "rotated");
    if (request->freqs) add_word(&command, request->freqs, NULL);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (files[k].path) add_word(&command, files[k].option, files[k].path);
    add_spec(&command, &request->spec);
    if (request->first_position) add_number(&command, "--first-position", (double)request->first_position);
    if (request->sin_first) add_word(&command, "--order", "sin-cos");
    if (request->tiling != TILING_FOUND) add_word(&command, "--tiling", subject_tiling_name(request->tiling));
    if (request->axes) add_word(&command, "--axes", request->axes);
    if (request->divisors) add_word(&command, "--divisors", NULL);
    if (request->has_dtype) add_word(&command, "--dtype", rope_format_of(request->dtype)->name);
    if (request->exact || request->has_grade) add_word(&command, "--grade", request->exact ? "exact" : rope_format_of(request->grade)->name);
    return command;
}

/* ---- judging --------------------------------------------------------------------------------------- */

/* "broken, as expected: table frequency": what --xfail or the case's own list is about; NULL when nothing of it broke. */
static char *name_expected_failures(const report *found) {
    char *text = NULL;
    for (int k = 0; k < found->claims; k++) {
        if (!found->claim[k].expected_failure || found->claim[k].verdict != REPORT_BROKEN) continue;
        char *longer = report_text("%s %s", text ? text : "broken, as expected:", found->claim[k].id);
        free(text);
        text = longer;
    }
    return text;
}

/* A case whose files cannot be used is an error of its own; the others are judged all the same. */
static report *unusable_report(const suite_case *one, const char *command, const rope_error *error) {
    report *found = report_new(one->name, "unusable");
    found->unusable = true;
    found->note = report_text("%s: %s%s%s", error->place, error->reason, *error->hint ? "; " : "", error->hint);
    found->command = report_text("%s", command);
    return found;
}

static report *waiting_report(const suite_case *one) {
    report *found = report_new(one->name, "waiting");
    found->waiting = true;
    found->note = report_text("%s", one->waiting);
    found->command = report_text("%s", "");
    return found;
}

static rope_status judge_case(verify_session *session, suite_case *one, rope_error *error) {
    verify_options options = session->options;
    rope_status status = check_case(one, error);
    if (status == ROPE_OK) status = read_case(one, error);
    if (status == ROPE_OK) status = add_xfails(one, &options, error);
    if (status != ROPE_OK) return status;
    json_t *expected = json_object_get(one->json, "expected");
    status = check_expected(one, expected, error);
    if (status != ROPE_OK) return status;
    char *command = command_of(&one->request);
    report *found = one->waiting[0] ? waiting_report(one) : verify_request(&one->request, &options, command, error);
    if (!found) {
        found = unusable_report(one, command, error);
        *error = (rope_error){0};
    } else if (!one->waiting[0] && expected) {
        compare(expected, found);
    } else if (!one->waiting[0]) {
        found->counts_as_passed = found->verdict == REPORT_HOLDS;
        if (found->counts_as_passed) found->note = name_expected_failures(found);
    }
    free(command);
    report_run_add(&session->run, found);
    return ROPE_OK;
}

static rope_status judge_all(verify_session *session, const char *path, json_t *cases, rope_error *error) {
    char *copy = report_text("%s", path);
    const char *directory = dirname(copy);
    rope_status status = ROPE_OK;
    size_t k;
    json_t *json;
    option_bar bar;
    option_bar_begin(&bar, option_progress(&session->line.common), "judging", json_array_size(cases));
    json_array_foreach(cases, k, json) {
        suite_case one = {.json = json, .name = text_of(json, "name")};
        one.place = report_text("%s: case %zu (%s)", path, k + 1, one.name ? one.name : "no name");
        one.directory = (char *)directory;
        for (size_t j = 0; one.name && j < k; j++)
            if (!strcmp(one.name, text_of(json_array_get(cases, j), "name"))) status = wrong(&one, "name", "a name that no earlier case has", error);
        if (!json_is_object(json))
            status = rope_fail(error, ROPE_BAD_INPUT, one.place, NULL, "must be an object");
        else if (!one.name)
            status = wrong(&one, "name", "a text", error);
        if (status == ROPE_OK) status = judge_case(session, &one, error);
        for (int j = 0; j < one.path_count; j++) free(one.paths[j]);
        free(one.place);
        if (status != ROPE_OK) break;
        option_bar_step(&bar, k + 1);
    }
    option_bar_end(&bar);
    free(copy);
    return status;
}

int verify_suite(verify_session *session, rope_error *error) {
    const char *path = session->line.operands[0];
    static const char hint[] = "a suite is a JSON list of cases: [{\"name\": ..., \"subject\": \"table\", \"files\": {...}, \"spec\": {...}}]";
    json_t *cases;
    rope_status status = verify_load_json(&cases, path, hint, error);
    if (status == ROPE_OK && json_array_size(cases) == 0) status = rope_fail(error, ROPE_BAD_INPUT, path, hint, "holds no list of cases");
    session->run.is_suite = true;
    if (status == ROPE_OK) status = judge_all(session, path, cases, error);
    const int result = status == ROPE_OK ? verify_print(session, error) : EXIT_MISUSE;
    json_decref(cases);
    return result;
}
