/* Frequencies (or the angles) rounded to a short format. [bugs of kind FREQ-LOWP] */
#include "fault.h"

static void propose(const fault_context *context, fault_list *list) {
    static const rope_dtype formats[] = {ROPE_BF16, ROPE_F16, ROPE_TF32, ROPE_F32};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const char *name = rope_format_of(formats[k])->name;
        if (rope_unit(formats[k]) == rope_unit(ROPE_F32) && context->subject->grade != ROPE_F64) continue; /* no fault there */
        fault_hypothesis *row = fault_propose(context, list, &fault_frequency_precision,
                                              "frequencies were rounded to %s before the product with the position", name);
        row->program.frequency = formats[k];
        report_word(&row->said, "format", name);
    }
    if (!context->evidence) return;
    for (size_t k = 0; k < 2; k++) { /* the whole angle in the model's half precision */
        const char *name = rope_format_of(formats[k])->name;
        for (int whole = 0; whole < 2; whole++) {
            fault_hypothesis *row = fault_propose(context, list, &fault_frequency_precision,
                                                  whole ? "positions, frequencies and angles were all rounded to %s" : "angles were rounded to %s", name);
            row->program.angle = formats[k];
            if (whole) row->program.frequency = row->program.position = formats[k];
            report_word(&row->said, "format", name);
            report_word(&row->said, "what", "angle");
        }
    }
}

const fault_kind fault_frequency_precision = {
    .name = "frequency-precision",
    .meaning = "the inverse frequencies, or the angles, were rounded to a short format",
    .cause = "inv_freq is a module buffer and model.to(bfloat16) or .half() rounded it; casting back does not help. Relative scores still look "
             "right at short distances",
    .pytorch = "keep inv_freq out of the cast (recompute it in float32 after .to(dtype)), and run the product under autocast(enabled=False)",
    .jax = "compute theta and the angle with dtype=jnp.float32 whatever the activations use",
    .c = "keep frequencies and angles in float or double; round only cos, sin or the output",
    .propose = propose,
    .twin = "inverse frequencies rounded to bf16",
};
