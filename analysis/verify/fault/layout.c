/* Pairs are formed otherwise than declared. [bugs of kind LAYOUT: norms and relative scores stay right] */
#include "fault.h"

static void propose(const fault_context *context, fault_list *list) {
    const rope_spec *spec = &context->subject->spec;
    if (!context->evidence) return;
    if (context->subject->kind == SUBJECT_TABLE) {
        const table_tiling found = context->subject->tiling;
        const table_tiling declared = rope_wiring_expected(context->subject).tiling;
        if (found != TILING_BLOCK && found != TILING_PAIR) return;
        if (found == declared) return;
        fault_hypothesis *row = fault_propose(context, list, &fault_layout, "the table is tiled %s where the layout needs %s",
                                              subject_tiling_name(found), subject_tiling_name(declared));
        report_word(&row->said, "tiling", subject_tiling_name(found));
        report_word(&row->said, "declared", subject_tiling_name(declared));
        return;
    }
    static const rope_layout layouts[] = {ROPE_INTERLEAVED, ROPE_HALF};
    for (int k = 0; k < 4; k++) {
        const rope_layout in = layouts[(k >> 1) ^ (k & 1)], out = layouts[k & 1]; /* equal ones first */
        if (in == spec->layout_in && out == spec->layout_out) continue;
        fault_hypothesis *row =
            in == out ? fault_propose(context, list, &fault_layout, "pairs are %s, declared %s", rope_layout_name(in), rope_layout_name(spec->layout_in))
                      : fault_propose(context, list, &fault_layout, "pairs are read %s and written %s", rope_layout_name(in), rope_layout_name(out));
        row->wiring.layout_in = in;
        row->wiring.layout_out = out;
        if (in == out) {
            report_word(&row->said, "found", rope_layout_name(in));
        } else {
            report_word(&row->said, "in", rope_layout_name(in));
            report_word(&row->said, "out", rope_layout_name(out));
        }
    }
    if (spec->layout_in != spec->layout_out) return;
    const bool half = spec->layout_in == ROPE_HALF;
    fault_hypothesis *row = fault_propose(context, list, &fault_layout, half ? "a table tiled by pairs was used with a rotation by halves"
                                                                             : "a table tiled in blocks was used with a rotation of neighbours");
    row->wiring.other_tiling = true;
    report_word(&row->said, "table", half ? "pair" : "block");
    report_word(&row->said, "rotation", rope_layout_name(spec->layout_in));
}

const fault_kind fault_layout = {
    .name = "layout",
    .meaning = "pairs are formed from other channels than declared",
    .cause = "a checkpoint or table of one convention meets code of the other: interleaved (2i, 2i+1) is GPT-J, Meta and ggml normal; half "
             "(i, i + r/2) is GPT-NeoX, Hugging Face and rotate_half",
    .pytorch = "half: rotate_half(x) = cat((-x[..., r//2:], x[..., :r//2]), -1) with cat((freqs, freqs), -1); interleaved: "
               "x[..., 0::2], x[..., 1::2] with repeat_interleave(freqs, 2, -1)",
    .jax = "half: jnp.split(x, 2, axis=-1); interleaved: x.reshape(..., r//2, 2)",
    .c = "half: a = i, b = i + r/2; interleaved: a = 2*i, b = 2*i + 1",
    .propose = propose,
    .twin = "interleaved rotation declared half",
};
