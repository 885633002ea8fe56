#include "../subject.h"

#include <stdlib.h>
#include <string.h>

const char *subject_tiling_name(table_tiling tiling) {
    static const char *const names[] = {"unknown", "none", "block", "pair"};
    return names[tiling];
}

const char *subject_type_hint(const rope_npy *npy) {
    switch (rope_npy_type_of(npy)) {
    case ROPE_NPY_I2:
    case ROPE_NPY_U2:
    case ROPE_NPY_V2:
        return "if it holds bfloat16 bits, add --dtype bf16";
    case ROPE_NPY_C8:
    case ROPE_NPY_C16:
        return "only table --cis takes complex numbers";
    default:
        return "save with .astype(np.float32)";
    }
}

rope_status subject_need_layout(const rope_spec *spec, rope_error *error) {
    if (spec->layout_in != ROPE_LAYOUT_UNSET) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, "--layout",
                     "add --layout interleaved (pairs 2i, 2i+1: GPT-J, Meta, ggml normal) or --layout half (pairs i, i+r/2: "
                     "GPT-NeoX, Hugging Face, rotate_half)",
                     "the verdict depends on the layout, and none is declared");
}

rope_status subject_open(rope_subject **opened, const subject_request *request, rope_error *error) {
    *opened = NULL;
    rope_subject *subject = calloc(1, sizeof *subject);
    if (!subject) return rope_fail(error, ROPE_NO_MEMORY, request->name, NULL, "no memory");
    subject->name = request->name;
    subject->kind = request->kind;
    subject->spec = request->spec;
    subject->first_position = request->first_position;
    subject->batches = subject->heads = subject->position_batches = 1;
    subject->exact = request->exact;
    subject->divisors = request->divisors;

    rope_status status = rope_spec_check(&subject->spec, error);
    if (status == ROPE_OK && request->kind == SUBJECT_ROTATED) status = subject_need_layout(&subject->spec, error);
    if (status == ROPE_OK && request->kind == SUBJECT_ROTATED && request->exact)
        status = rope_fail(error, ROPE_BAD_INPUT, "--grade", "f64, f32, f16 or bf16; exact is for tables and frequencies",
                           "rotated vectors round their products, too: they cannot be exact");
    if (status == ROPE_OK)
        status = request->kind == SUBJECT_TABLE   ? subject_open_table(subject, request, error)
                 : request->kind == SUBJECT_FREQS ? subject_open_freqs(subject, request, error)
                                                  : subject_open_rotated(subject, request, error);
    if (status != ROPE_OK) {
        subject_close(subject);
        return status;
    }
    subject->grade = request->has_grade ? request->grade : subject->dtype;
    *opened = subject;
    return ROPE_OK;
}

void subject_close(rope_subject *subject) {
    if (!subject) return;
    for (int k = 0; k < SUBJECT_ARRAYS; k++) rope_npy_close(subject->array[k]);
    free(subject->position);
    free(subject);
}

int64_t subject_position(const rope_subject *subject, size_t batch, size_t time) {
    if (!subject->position) return subject->first_position + (int64_t)time;
    return subject->position[(subject->position_batches == 1 ? 0 : batch) * subject->times + time];
}

int64_t subject_largest_position(const rope_subject *subject) {
    int64_t largest = 0;
    if (!subject->position) {
        const int64_t last = subject->first_position + (int64_t)subject->times - 1;
        return llabs(last) > llabs(subject->first_position) ? llabs(last) : llabs(subject->first_position);
    }
    for (size_t k = 0; k < subject->position_batches * subject->times; k++)
        if (llabs(subject->position[k]) > largest) largest = llabs(subject->position[k]);
    return largest;
}

int subject_column_pair(const rope_subject *subject, table_tiling tiling, size_t column) {
    const int h = rope_spec_pairs(&subject->spec), j = (int)column;
    return tiling == TILING_PAIR ? j / 2 : j % h;
}
