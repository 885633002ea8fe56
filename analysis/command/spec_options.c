/* The SPEC options: what a RoPE is, in the words of src/spec.h. */
#include "options.h"

#include <float.h>
#include <string.h>

enum { SPEC_DIM = OPTION_SPEC, SPEC_ROTARY_DIM, SPEC_ROTARY_AT, SPEC_BASE, SPEC_LAYOUT, SPEC_SCALING, SPEC_MAGNITUDE };

const option_row option_spec_rows[] = {
    {"dim", SPEC_DIM, "D", "head size d (default 128); also --head-dim", "SPEC options", 0},
    {"head-dim", SPEC_DIM, "D", NULL, NULL, 0},
    {"rotary-dim", SPEC_ROTARY_DIM, "R", "rotary width r, even, at most D: so many channels are rotated (default D)",
     NULL, 0},
    {"rotary-at", SPEC_ROTARY_AT, "END", "which R channels are rotated: leading or trailing (default leading)", NULL, 0},
    {"base", SPEC_BASE, "B", "base b of the frequencies b^(-2i/r) (default 10000); also --rope-theta", NULL, 0},
    {"rope-theta", SPEC_BASE, "B", NULL, NULL, 0},
    {"layout", SPEC_LAYOUT, "LAYOUT",
     "which channels form pair i:\n"
     "interleaved (gptj, normal): 2i and 2i+1;\n"
     "half (neox, rotate_half): i and i+r/2;\n"
     "IN:OUT where input and output differ. There is no default where the verdict depends on it.",
     NULL, 0},
    {"scaling", SPEC_SCALING, "RULE",
     "scaling rule with Hugging Face's keys, RULE[:key=value,...]: default (none), linear:factor=F or ntk:factor=F",
     NULL, 0},
    {"magnitude", SPEC_MAGNITUDE, "A", "factor on cos and sin (default: what the scaling rule implies)", NULL, 0},
    {NULL, 0, NULL, NULL, NULL, 0}};

static rope_status set_width(int *width, int smallest, const option_scan *scan, rope_error *error) {
    int64_t number;
    const rope_status status = option_integer(&number, scan->value, smallest, ROPE_MAX_DIM, scan->name, error);
    if (status == ROPE_OK) *width = (int)number;
    return status;
}

static rope_status set_end(rope_end *end, const option_scan *scan, rope_error *error) {
    const bool leading = !strcmp(scan->value, "leading"), trailing = !strcmp(scan->value, "trailing");
    if (!leading && !trailing)
        return rope_fail(error, ROPE_BAD_INPUT, scan->name, "write leading or trailing", "'%s' is no end of a head",
                         scan->value);
    *end = leading ? ROPE_LEADING : ROPE_TRAILING;
    return ROPE_OK;
}

static rope_status set_magnitude(rope_spec *spec, const option_scan *scan, rope_error *error) {
    const rope_status status = option_real(&spec->magnitude, scan->value, -DBL_MAX, DBL_MAX, scan->name, error);
    spec->has_magnitude = spec->has_magnitude || status == ROPE_OK;
    return status;
}

/* What is read here is only finite: rope_spec_check says what else a RoPE needs, whatever the order of the options. */
rope_status option_apply_spec(rope_spec *spec, int key, const option_scan *scan, rope_error *error) {
    switch (key) {
    case SPEC_DIM:
        return set_width(&spec->dim, 1, scan, error);
    case SPEC_ROTARY_DIM:
        return set_width(&spec->rotary_dim, 2, scan, error);
    case SPEC_ROTARY_AT:
        return set_end(&spec->rotary_at, scan, error);
    case SPEC_BASE:
        return option_real(&spec->base, scan->value, -DBL_MAX, DBL_MAX, scan->name, error);
    case SPEC_LAYOUT:
        return rope_spec_set_layout(spec, scan->value, error);
    case SPEC_SCALING:
        return rope_spec_set_scaling(spec, scan->value, error);
    case SPEC_MAGNITUDE:
        return set_magnitude(spec, scan, error);
    default:
        return rope_fail(error, ROPE_BAD_INPUT, scan->name, NULL, "is no SPEC option");
    }
}
