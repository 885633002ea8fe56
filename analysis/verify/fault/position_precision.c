/* Positions rounded to a short format: bf16 above 256, f16 and TF32 above 2048. [bugs of kind POS-LOWP] */
#include "fault.h"

static void propose(const fault_context *context, fault_list *list) {
    /* f16 and TF32 round positions below 65520 alike: a product rounds both its factors to TF32, a cast gives f16. */
    static const rope_dtype formats[2][3] = {{ROPE_BF16, ROPE_F16, ROPE_TF32}, {ROPE_BF16, ROPE_TF32, ROPE_F16}};
    if (!context->evidence) return;
    for (int also = 0; also < 2; also++)
        for (size_t k = 0; k < 3; k++) {
            const rope_dtype format = formats[also][k];
            const char *name = rope_format_of(format)->name;
            fault_hypothesis *row = fault_propose(context, list, &fault_position_precision, "positions%s were rounded to %s",
                                                  also ? " and frequencies" : "", name);
            row->program.position = format;
            if (also) row->program.frequency = format;
            report_word(&row->said, "format", name);
            if (also) report_word(&row->said, "also", "frequency");
        }
}

const fault_kind fault_position_precision = {
    .name = "position-precision",
    .meaning = "positions were rounded to a short format before the product",
    .cause = "positions built in the model's dtype, autocast around the angle product, or a matrix product of positions and frequencies that "
             "runs in TF32",
    .pytorch = "torch.arange(t, dtype=torch.float32), autocast off, and (position[:, None] * inv_freq) instead of a matmul",
    .jax = "jnp.arange(t, dtype=jnp.float32); jnp.outer with precision=jax.lax.Precision.HIGHEST",
    .c = "multiply (float)position or (double)position, never a half",
    .propose = propose,
    .twin = "positions rounded to bf16",
};
