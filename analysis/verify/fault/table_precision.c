/* cos and sin rounded to a short format before use or before being stored in a wider one. [bugs of kind TAB-LOWP] */
#include "fault.h"

static void propose(const fault_context *context, fault_list *list) {
    static const rope_dtype formats[] = {ROPE_BF16, ROPE_F16};
    if (!context->evidence) return;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const rope_dtype grade = context->subject->grade;
        const char *name = rope_format_of(formats[k])->name;
        if (formats[k] == grade) continue;
        /* A finer one on the way shows, too: what it rounds to a tie of the grade may then go the wrong way. */
        fault_hypothesis *row =
            rope_unit(formats[k]) > rope_unit(grade)
                ? fault_propose(context, list, &fault_table_precision, "cos and sin hold only %s values; if you upcast to save, add --grade %s", name, name)
                : fault_propose(context, list, &fault_table_precision, "cos and sin were rounded to %s before they were stored as %s", name,
                                rope_format_of(grade)->name);
        row->program.table = formats[k];
        report_word(&row->said, "format", name);
    }
}

const fault_kind fault_table_precision = {
    .name = "table-precision",
    .meaning = "cos and sin were rounded to a short format",
    .cause = "the table is cached in the activations' dtype and cast back, or a half-precision table was upcast to save it",
    .pytorch = "cache cos and sin in float32 and cast the rotated q and k; if half tables are intended, declare --grade bf16",
    .jax = "compute cos and sin in float32 and cast the output only",
    .c = "store float tables, or declare the grade of the stored format",
    .propose = propose,
    .twin = "table rounded to bf16, saved as f32",
};
