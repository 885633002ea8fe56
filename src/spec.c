#include "spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frequency/frequency.h"

rope_spec rope_spec_default(void) {
    return (rope_spec){.dim = 128, .base = 10000.0, .rule = &rope_rule_default};
}

/* ---- layout ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    rope_layout layout;
} layout_names[] = {
    {"interleaved", ROPE_INTERLEAVED}, {"gptj", ROPE_INTERLEAVED}, {"normal", ROPE_INTERLEAVED},
    {"half", ROPE_HALF},               {"neox", ROPE_HALF},        {"rotate_half", ROPE_HALF},
};

static bool find_layout(rope_layout *layout, const char *name, size_t length) {
    for (size_t k = 0; k < sizeof layout_names / sizeof *layout_names; k++)
        if (strlen(layout_names[k].name) == length && !strncmp(layout_names[k].name, name, length)) {
            *layout = layout_names[k].layout;
            return true;
        }
    return false;
}

const char *rope_layout_name(rope_layout layout) {
    return layout == ROPE_INTERLEAVED ? "interleaved" : layout == ROPE_HALF ? "half" : "unset";
}

rope_status rope_spec_set_layout(rope_spec *spec, const char *text, rope_error *error) {
    const size_t in_length = strcspn(text, ":");
    const char *out = text[in_length] ? text + in_length + 1 : text;
    rope_layout layout_in, layout_out;
    if (!find_layout(&layout_in, text, in_length) ||
        !find_layout(&layout_out, out, text[in_length] ? strlen(out) : in_length))
        return rope_fail(error, ROPE_BAD_INPUT, "--layout",
                         "interleaved (also gptj, normal) pairs channels (2i, 2i+1); half (also neox, rotate_half) "
                         "pairs (i, i + r/2); IN:OUT when they differ",
                         "'%s' is no layout", text);
    spec->layout_in = layout_in;
    spec->layout_out = layout_out;
    return ROPE_OK;
}

/* ---- scaling --------------------------------------------------------------------------------------- */

static rope_status unknown_rule(const char *name, int length, rope_error *error) {
    char hint[512] = "known rules:";
    for (const rope_rule *const *rule = rope_rules; *rule; rule++) {
        const size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, " %s", (*rule)->name);
    }
    /* Rules of other programs that are right names, only not read yet: told apart from misspellings. */
    static const char *const later[] = {"dynamic", "yarn", "longrope", "llama3", "proportional", "su"};
    for (size_t k = 0; k < sizeof later / sizeof *later; k++)
        if ((int)strlen(later[k]) == length && !strncmp(later[k], name, (size_t)length))
            return rope_fail(error, ROPE_UNSUPPORTED, "--scaling", hint, "rule '%s' is not supported by this version",
                             later[k]);
    return rope_fail(error, ROPE_BAD_INPUT, "--scaling", hint, "'%.*s' is no scaling rule", length, name);
}

static void list_keys(const rope_rule *rule, char *hint, size_t size) {
    snprintf(hint, size, "keys of %s:%s", rule->name, rule->key[0].name ? "" : " none");
    for (const rope_rule_key *key = rule->key; key->name; key++) {
        const size_t used = strlen(hint);
        snprintf(hint + used, size - used, " %s", key->name);
    }
}

/* Reads one "key=value" of length characters into spec->rule_value; seen has a bit per key. */
static rope_status set_key(rope_spec *spec, const char *text, size_t length, unsigned *seen, rope_error *error) {
    const rope_rule *rule = spec->rule;
    const char *equals = memchr(text, '=', length);
    const size_t name_length = equals ? (size_t)(equals - text) : length;
    int k = 0;
    while (rule->key[k].name &&
           (strlen(rule->key[k].name) != name_length || strncmp(rule->key[k].name, text, name_length) != 0))
        k++;
    char hint[256];
    list_keys(rule, hint, sizeof hint);
    if (!rule->key[k].name)
        return rope_fail(error, ROPE_BAD_INPUT, "--scaling", hint, "rule %s has no key '%.*s'", rule->name,
                         (int)name_length, text);
    if (*seen & (1u << k))
        return rope_fail(error, ROPE_BAD_INPUT, "--scaling", "give each key once", "key '%s' is given twice",
                         rule->key[k].name);
    const char *number = equals ? equals + 1 : text + length, *stop = text + length;
    if (number == stop)
        return rope_fail(error, ROPE_BAD_INPUT, "--scaling", "write key=number", "key '%s' has no number",
                         rule->key[k].name);
    char *end;
    const double value = strtod(number, &end);
    if (end != stop || !isfinite(value))
        return rope_fail(error, ROPE_BAD_INPUT, "--scaling", "write key=number", "'%.*s' is no number for key '%s'",
                         (int)(stop - number), number, rule->key[k].name);
    spec->rule_value[k] = value;
    *seen |= 1u << k;
    return ROPE_OK;
}

rope_status rope_spec_set_scaling(rope_spec *spec, const char *text, rope_error *error) {
    const size_t name_length = strcspn(text, ":");
    const rope_rule *rule = NULL;
    for (const rope_rule *const *row = rope_rules; *row && !rule; row++)
        if (strlen((*row)->name) == name_length && !strncmp((*row)->name, text, name_length)) rule = *row;
    if (!rule) return unknown_rule(text, (int)name_length, error);

    rope_spec changed = *spec;
    changed.rule = rule;
    for (int k = 0; rule->key[k].name; k++) changed.rule_value[k] = rule->key[k].standard;
    unsigned seen = 0;
    const char *rest = text + name_length;
    while (*rest) {
        rest++; /* the ':' or ',' before a key */
        const size_t length = strcspn(rest, ",");
        const rope_status status = set_key(&changed, rest, length, &seen, error);
        if (status != ROPE_OK) return status;
        rest += length;
    }
    for (int k = 0; rule->key[k].name; k++)
        if (rule->key[k].required && !(seen & (1u << k)))
            return rope_fail(error, ROPE_BAD_INPUT, "--scaling", "write RULE:key=number", "rule %s needs key '%s'",
                             rule->name, rule->key[k].name);
    *spec = changed;
    return ROPE_OK;
}

/* ---- validation ------------------------------------------------------------------------------------ */

static rope_status check_width(rope_spec *spec, rope_error *error) {
    if (spec->dim < 2 || spec->dim > ROPE_MAX_DIM)
        return rope_fail(error, ROPE_BAD_INPUT, "--dim", "the size of one attention head",
                         "head size %d is not in [2, %d]", spec->dim, ROPE_MAX_DIM);
    if (spec->rotary_dim == 0) {
        if (spec->dim % 2)
            return rope_fail(error, ROPE_BAD_INPUT, "--dim",
                             "RoPE rotates pairs of channels; with an odd head size give an even --rotary-dim",
                             "head size %d is odd and the whole head would rotate", spec->dim);
        spec->rotary_dim = spec->dim;
    }
    if (spec->rotary_dim < 2 || spec->rotary_dim % 2)
        return rope_fail(error, ROPE_BAD_INPUT, "--rotary-dim",
                         "RoPE rotates pairs of channels: an even width of 2 or more",
                         "rotary width %d is %s", spec->rotary_dim, spec->rotary_dim % 2 ? "odd" : "too small");
    if (spec->rotary_dim > spec->dim)
        return rope_fail(error, ROPE_BAD_INPUT, "--rotary-dim", "at most the head size (--dim)",
                         "rotary width %d exceeds the head size %d", spec->rotary_dim, spec->dim);
    return ROPE_OK;
}

rope_status rope_spec_check(rope_spec *spec, rope_error *error) {
    rope_status status = check_width(spec, error);
    if (status != ROPE_OK) return status;
    if (!(spec->base > 1.0) || !isfinite(spec->base))
        return rope_fail(error, ROPE_BAD_INPUT, "--base", "a finite number above 1, such as 10000",
                         "base %g would not give falling frequencies", spec->base);
    for (int k = 0; spec->rule->key[k].name; k++) {
        const rope_rule_key *key = &spec->rule->key[k];
        if (!(spec->rule_value[k] >= key->least && spec->rule_value[k] <= key->largest))
            return rope_fail(error, ROPE_BAD_INPUT, "--scaling", spec->rule->statement, "%s: %s=%g is not in [%.7g, %.7g]",
                             spec->rule->name, key->name, spec->rule_value[k], key->least, key->largest);
    }
    status = spec->rule->check ? spec->rule->check(spec, error) : ROPE_OK;
    if (status != ROPE_OK) return status;
    if (spec->has_magnitude && (!(spec->magnitude > 0.0) || !isfinite(spec->magnitude)))
        return rope_fail(error, ROPE_BAD_INPUT, "--magnitude", "a finite number above 0; 1 when nothing is scaled",
                         "magnitude %g is no magnitude", spec->magnitude);
    if (!spec->has_magnitude) spec->magnitude = rope_magnitude_double(spec);
    return ROPE_OK;
}

/* ---- reading a spec -------------------------------------------------------------------------------- */

int rope_spec_pairs(const rope_spec *spec) { return spec->rotary_dim / 2; }

int rope_spec_first(const rope_spec *spec) {
    return spec->rotary_at == ROPE_TRAILING ? spec->dim - spec->rotary_dim : 0;
}

void rope_spec_channels(const rope_spec *spec, rope_layout layout, int i, int *a, int *b) {
    const int first = rope_spec_first(spec), h = rope_spec_pairs(spec);
    *a = first + (layout == ROPE_INTERLEAVED ? 2 * i : i);
    *b = first + (layout == ROPE_INTERLEAVED ? 2 * i + 1 : i + h);
}

/* x in as few digits as give it back: 15 do for what people write, 17 always. */
static const char *decimal(char text[static 32], double x) {
    snprintf(text, 32, "%.15g", x);
    if (strtod(text, NULL) != x) snprintf(text, 32, "%.17g", x);
    return text;
}

void rope_spec_describe(const rope_spec *spec, char *text, size_t size) {
    char number[32];
    size_t used = (size_t)snprintf(text, size, "dim %d", spec->dim);
#define APPEND(...) \
    if (used < size) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    if (spec->rotary_dim && spec->rotary_dim != spec->dim)
        APPEND(" rotary %d%s", spec->rotary_dim, spec->rotary_at == ROPE_TRAILING ? " trailing" : "");
    APPEND(" base %s", decimal(number, spec->base));
    if (spec->layout_in != ROPE_LAYOUT_UNSET) APPEND(" %s", rope_layout_name(spec->layout_in));
    if (spec->layout_out != spec->layout_in) APPEND(":%s", rope_layout_name(spec->layout_out));
    if (spec->rule != &rope_rule_default) APPEND(" %s", spec->rule->name);
    for (int k = 0; spec->rule->key[k].name; k++)
        APPEND("%s%s=%s", k ? "," : ":", spec->rule->key[k].name, decimal(number, spec->rule_value[k]));
    if (spec->has_magnitude && spec->magnitude != 1.0) APPEND(" magnitude %s", decimal(number, spec->magnitude));
#undef APPEND
}
