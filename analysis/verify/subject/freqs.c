/* A vector of inverse frequencies theta_i, or of divisors of the unscaled ones. */
#include "../subject.h"

#include <stdio.h>

rope_status subject_open_freqs(rope_subject *subject, const subject_request *request, rope_error *error) {
    if (request->has_grade && rope_unit(request->grade) > rope_unit(ROPE_F32))
        return rope_fail(error, ROPE_BAD_INPUT, "--grade", "f32, f64 or exact; for the cos and sin made from them: rope-verify table --grade bf16",
                         "frequencies are judged as float32 or float64 ones: rounded to %s they are wrong from some position on",
                         rope_format_of(request->grade)->name);
    const rope_status status = rope_npy_open(&subject->array[ARRAY_FREQS], request->freqs, error);
    if (status != ROPE_OK) return status;
    rope_npy *npy = subject->array[ARRAY_FREQS];
    if (request->has_dtype && !rope_npy_reinterpret(npy, request->dtype))
        return rope_fail(error, ROPE_BAD_INPUT, request->freqs, "--dtype is for 2-byte arrays that hold other bits; the least acceptable grade is --grade",
                         "an array of %s cannot hold %s bits", rope_npy_type_name(rope_npy_type_of(npy)),
                         rope_format_of(request->dtype)->name);
    const rope_npy_type type = rope_npy_type_of(npy);
    if (!rope_npy_dtype(npy, &subject->dtype) || type == ROPE_NPY_C8 || type == ROPE_NPY_C16)
        return rope_fail(error, ROPE_BAD_INPUT, request->freqs, subject_type_hint(npy),
                         "frequencies of type %s are no real floating-point numbers", rope_npy_type_name(type));
    if (rope_npy_count(npy) == 0)
        return rope_fail(error, ROPE_BAD_INPUT, request->freqs, "dump inv_freq after it has been filled",
                         "the array is empty");
    subject->columns = rope_npy_count(npy);
    const size_t h = (size_t)rope_spec_pairs(&subject->spec);
    if (subject->columns != h)
        snprintf(subject->width_fault, sizeof subject->width_fault, "%zu frequencies; rotary width %zu (--dim, --rotary-dim) needs %zu",
                 subject->columns, 2 * h, h);
    return ROPE_OK;
}
