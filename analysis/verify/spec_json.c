/* A spec as JSON, in suites and probe folders: {"dim":128,"rotary_dim":128,"base":10000,"layout":"half",
 * "scaling":{"rule":"linear","factor":4},"magnitude":1}. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "../../src/frequency/frequency.h"
#include "verify.h"

rope_status verify_load_json(json_t **json, const char *path, const char *hint, rope_error *error) {
    json_error_t trouble;
    FILE *file = fopen(path, "rb");
    *json = NULL;
    if (!file) return rope_fail(error, ROPE_IO, path, hint, "cannot be opened: %s", strerror(errno));
    struct stat facts;
    if (fstat(fileno(file), &facts) == 0 && S_ISDIR(facts.st_mode)) {
        fclose(file);
        return rope_fail(error, ROPE_BAD_INPUT, path, "name a file in it", "this is a folder");
    }
    *json = json_loadf(file, JSON_REJECT_DUPLICATES, &trouble);
    fclose(file);
    if (*json) return ROPE_OK;
    char place[512];
    snprintf(place, sizeof place, "%s: line %d, column %d", path, trouble.line, trouble.column);
    return rope_fail(error, ROPE_BAD_INPUT, place, hint, "%s", trouble.text);
}

static rope_status wrong(const char *place, const char *key, const char *needs, rope_error *error) {
    char where[512];
    snprintf(where, sizeof where, "%s: spec.%s", place, key);
    return rope_fail(error, ROPE_BAD_INPUT, where, NULL, "must be %s", needs);
}

/* What an option of the command line refused, at its place in the file. */
static rope_status at_key(const char *place, const char *key, rope_error *error) {
    snprintf(error->place, sizeof error->place, "%.400s: spec.%s", place, key);
    return error->status;
}

static rope_status read_integer(int *into, json_t *spec, const char *key, const char *place, rope_error *error) {
    json_t *value = json_object_get(spec, key);
    if (!value) return ROPE_OK;
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > ROPE_MAX_DIM * 1000)
        return wrong(place, key, "a whole number", error);
    *into = (int)json_integer_value(value);
    return ROPE_OK;
}

static rope_status read_scaling(rope_spec *spec, json_t *scaling, const char *place, rope_error *error) {
    char text[512];
    const char *rule = json_string_value(json_object_get(scaling, "rule")), *key;
    json_t *value;
    if (!rule) return wrong(place, "scaling.rule", "the name of a rule", error);
    size_t used = (size_t)snprintf(text, sizeof text, "%s", rule);
    const char *separator = ":";
    json_object_foreach(scaling, key, value) {
        if (!strcmp(key, "rule")) continue;
        if (!json_is_number(value) && !rope_rule_named(rule)) continue; /* another program's rule may take lists */
        if (!json_is_number(value)) return wrong(place, key, "a number", error);
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%.17g", separator, key, json_number_value(value));
        separator = ",";
    }
    return rope_spec_set_scaling(spec, text, error) == ROPE_OK ? ROPE_OK : at_key(place, "scaling", error);
}

rope_status verify_spec_from_json(rope_spec *spec, const void *json, const char *place, rope_error *error) {
    json_t *object = (json_t *)json, *value;
    static const char *const known[] = {"dim", "rotary_dim", "rotary_at", "base", "layout", "scaling", "magnitude"};
    const char *key;
    if (!json_is_object(object)) return rope_fail(error, ROPE_BAD_INPUT, place, NULL, "spec must be an object");
    json_object_foreach(object, key, value) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) found |= !strcmp(known[k], key);
        if (!found) return wrong(place, key, "one of dim, rotary_dim, rotary_at, base, layout, scaling, magnitude", error);
    }
    rope_status status = read_integer(&spec->dim, object, "dim", place, error);
    if (status == ROPE_OK) status = read_integer(&spec->rotary_dim, object, "rotary_dim", place, error);
    if (status != ROPE_OK) return status;
    if ((value = json_object_get(object, "rotary_at"))) {
        const char *end = json_string_value(value);
        if (!end || (strcmp(end, "leading") && strcmp(end, "trailing"))) return wrong(place, "rotary_at", "leading or trailing", error);
        spec->rotary_at = end[0] == 't' ? ROPE_TRAILING : ROPE_LEADING;
    }
    if ((value = json_object_get(object, "base"))) {
        if (!json_is_number(value)) return wrong(place, "base", "a number", error);
        spec->base = json_number_value(value);
    }
    if ((value = json_object_get(object, "layout"))) {
        if (!json_is_string(value)) return wrong(place, "layout", "interleaved, half or IN:OUT", error);
        status = rope_spec_set_layout(spec, json_string_value(value), error);
        if (status != ROPE_OK) return at_key(place, "layout", error);
    }
    if ((value = json_object_get(object, "scaling"))) status = read_scaling(spec, value, place, error);
    if (status != ROPE_OK) return status;
    if ((value = json_object_get(object, "magnitude")) && !json_is_null(value)) {
        if (!json_is_number(value)) return wrong(place, "magnitude", "a number", error);
        rope_spec implied = *spec;
        implied.has_magnitude = false;
        /* a decimal of the implied A, cut to 16 digits, is the implied A */
        const double A = rope_magnitude_double(&implied), given = json_number_value(value);
        spec->has_magnitude = fabs(given - A) > 4.0 * rope_unit(ROPE_F64) * A;
        spec->magnitude = given;
    }
    return ROPE_OK;
}

void verify_spec_to_json(FILE *out, const rope_spec *spec) {
    fprintf(out, "{\"dim\":%d,\"rotary_dim\":%d,\"rotary_at\":\"%s\",\"base\":%.17g,\"layout\":\"%s", spec->dim, spec->rotary_dim,
            spec->rotary_at == ROPE_TRAILING ? "trailing" : "leading", spec->base, rope_layout_name(spec->layout_in));
    if (spec->layout_out != spec->layout_in) fprintf(out, ":%s", rope_layout_name(spec->layout_out));
    fprintf(out, "\",\"scaling\":{\"rule\":\"%s\"", spec->rule->name);
    for (int k = 0; spec->rule->key[k].name; k++) fprintf(out, ",\"%s\":%.17g", spec->rule->key[k].name, spec->rule_value[k]);
    fprintf(out, "},\"magnitude\":%.17g}\n", spec->magnitude);
}
