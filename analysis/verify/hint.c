/* What to try when a claim is broken and no fault is named: another declaration that explains the data. */
#include <stdlib.h>
#include <string.h>

#include "evidence.h"
#include "verify.h"

/* Does an honest program leave every sampled pair within rounding, were the subject declared so? */
static bool is_explained(const rope_subject *variant) {
    enum { ROWS = 64 };
    rope_evidence evidence;
    rope_fit fit;
    bool explained = false;
    if (rope_evidence_collect(&evidence, variant, NULL) != ROPE_OK) return false;
    const rope_program honest = rope_program_honest(&variant->spec);
    rope_samples samples = rope_evidence_samples(&evidence, ROWS);
    if (samples.rotated == ROPE_ROTATED) samples.rotated = ROPE_ROTATED_SHORT; /* honest, too */
    if (rope_fit_best(&fit, &honest, &samples, NULL) == ROPE_OK) {
        explained = fit.identified && fit.pairs_explained == evidence.h;
        rope_fit_clear(&fit);
    }
    rope_samples_free(&samples);
    rope_evidence_clear(&evidence);
    return explained;
}

/* ---- storage --------------------------------------------------------------------------------------- */

static bool is_array_of(const rope_npy *npy, rope_dtype dtype) {
    enum { BLOCK = 2048 };
    double block[2 * BLOCK]; /* complex elements give two */
    const rope_npy_type type = rope_npy_type_of(npy);
    const size_t count = rope_npy_count(npy), each = type == ROPE_NPY_C8 || type == ROPE_NPY_C16 ? 2 : 1;
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t some = count - first < BLOCK ? count - first : BLOCK;
        rope_npy_read(npy, first, some, block);
        for (size_t k = 0; k < each * some; k++)
            if (!(rope_round(dtype, block[k]) == block[k])) return false;
    }
    return true;
}

/* "every value is a bf16 number": a shorter format than the grade holds all of them. */
static char *hint_upcast(const rope_subject *subject) {
    static const rope_dtype formats[] = {ROPE_BF16, ROPE_F16, ROPE_F32};
    static const int judged[] = {ARRAY_COS, ARRAY_SIN, ARRAY_AFTER};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        bool all = rope_unit(formats[f]) > rope_unit(subject->grade);
        for (size_t k = 0; all && k < sizeof judged / sizeof *judged; k++)
            all = !subject->array[judged[k]] || is_array_of(subject->array[judged[k]], formats[f]);
        const char *const name = rope_format_of(formats[f])->name;
        if (all) return report_text("all values are %s numbers: if you upcast to save, add --grade %s", name, name);
    }
    return NULL;
}

/* Float32 cosines and sines times float64 vectors leave no float32 numbers. */
static char *hint_single(const rope_subject *subject) {
    rope_subject variant = *subject;
    variant.grade = ROPE_F32;
    if (subject->grade != ROPE_F64 || !is_explained(&variant)) return NULL;
    return report_text("a float32 phase explains the data: if it is meant to be no finer, add --grade f32");
}

static char *hint_raw_bits(const rope_subject *subject) {
    rope_dtype before;
    if (subject->kind != SUBJECT_ROTATED || !rope_npy_dtype(subject->array[ARRAY_BEFORE], &before)) return NULL;
    if (before != ROPE_BF16 || rope_format_of(subject->dtype)->bytes == 2) return NULL;
    return report_text("the input holds bfloat16 bits in 2-byte integers: view them as bfloat16 before you rotate, and write the output's "
                       "bits the same way");
}

/* ---- order ----------------------------------------------------------------------------------------- */

static void swap(size_t *a, size_t *b) {
    const size_t first = *a;
    *a = *b;
    *b = first;
}

static char *hint_order(const rope_subject *subject) {
    if (subject->kind != SUBJECT_TABLE) return NULL;
    rope_subject variant = *subject;
    if (subject->array[ARRAY_SIN]) {
        variant.array[ARRAY_COS] = subject->array[ARRAY_SIN];
        variant.array[ARRAY_SIN] = subject->array[ARRAY_COS];
    } else {
        swap(&variant.offset[0], &variant.offset[1]);
    }
    if (!is_explained(&variant)) return NULL;
    if (subject->array[ARRAY_SIN]) return report_text("cos and sin are exchanged: swap --cos and --sin");
    if (subject->step == 2) return report_text("the array holds sin + i cos");
    return report_text("cos and sin are exchanged: add --order %s", subject->offset[0] ? "cos-sin" : "sin-cos");
}

/* The time axis exchanged with another. Positions from a file have its length. */
static char *hint_axes(const rope_subject *subject) {
    static const struct {
        char letter;
        int stride; /* B, H, T, D */
    } others[] = {{'H', 1}, {'B', 0}};
    if (subject->kind != SUBJECT_ROTATED) return NULL;
    for (size_t k = 0; k < 2; k++) {
        rope_subject variant = *subject;
        char *const other = strchr(variant.axes, others[k].letter), *const time = strchr(variant.axes, 'T');
        size_t *const extent = others[k].letter == 'H' ? &variant.heads : &variant.batches;
        if (!other || *extent < 2 || (subject->position && *extent != subject->times)) continue;
        *other = 'T';
        *time = others[k].letter;
        swap(extent, &variant.times);
        swap(&variant.stride[others[k].stride], &variant.stride[2]);
        if (is_explained(&variant)) return report_text("read in another order, the data are right: add --axes %s", variant.axes);
    }
    return NULL;
}

char *verify_hint(const rope_subject *subject) {
    char *(*const hints[])(const rope_subject *) = {hint_axes, hint_order, hint_upcast, hint_single, hint_raw_bits};
    char *hint = NULL;
    for (size_t k = 0; !hint && k < sizeof hints / sizeof *hints; k++) hint = hints[k](subject);
    return hint;
}
