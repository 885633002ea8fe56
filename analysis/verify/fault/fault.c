#include "fault.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/frequency/frequency.h"

const fault_kind *const fault_kinds[] = {&fault_layout, &fault_sign, &fault_offset, &fault_magnitude,
                                         &fault_table_precision, &fault_frequency_precision, &fault_position_precision,
                                         &fault_base, NULL};

const fault_kind *fault_named(const char *name) {
    for (const fault_kind *const *kind = fault_kinds; *kind; kind++)
        if (!strcmp((*kind)->name, name)) return *kind;
    return NULL;
}

fault_hypothesis *fault_propose(const fault_context *context, fault_list *list, const fault_kind *kind, const char *text, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(sentence, sizeof sentence, text, arguments);
    va_end(arguments);
    list->row = realloc(list->row, ((size_t)list->count + 1) * sizeof *list->row);
    if (!list->row) abort();
    fault_hypothesis *row = &list->row[list->count++];
    *row = (fault_hypothesis){.program = rope_program_honest(&context->subject->spec), .wiring = rope_wiring_declared(context->subject)};
    row->said.kind = kind->name;
    row->said.text = report_text("%s", sentence);
    return row;
}

double fault_decimal(double value, int digits) {
    char text[40]; /* rounded in decimal: a power of ten as a double would not give 500000 back */
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

static void drop(report_diagnosis *said) {
    for (int k = 0; k < said->parameters; k++) free(said->parameter[k].text);
    free(said->text);
}

/* ---- testing a hypothesis -------------------------------------------------------------------------- */

/* Rows of pairs that a program explains, on a sample of at most `most` rows; whole: every pair is explained. */
static size_t rows_explained(const fault_context *context, const rope_program *program, const rope_wiring *wiring, size_t most,
                             bool *whole, double *residual_u) {
    rope_fit fit;
    rope_evidence_wire(context->evidence, wiring);
    rope_samples samples = rope_evidence_samples(context->evidence, most);
    size_t rows = 0;
    /* A faulty program may round its products, too: that is no second fault. */
    if (samples.rotated == ROPE_ROTATED) samples.rotated = ROPE_ROTATED_SHORT;
    *whole = false;
    if (rope_fit_best(&fit, program, &samples, NULL) == ROPE_OK) {
        *whole = fit.identified && fit.pairs_explained == context->evidence->h;
        *residual_u = fit.residual_u;
        rows = fit.rows_explained;
        rope_fit_clear(&fit);
    }
    rope_samples_free(&samples);
    return rows;
}

/* Every pair is explained by one model of computation, and more rows than the honest program explains: a rounding that
 * changes nothing in the sample is no explanation. Few rows first: most hypotheses fail there. */
static bool explains_rows(const fault_context *context, const fault_hypothesis *hypothesis, double *residual_u) {
    static const size_t sizes[] = {16, 64};
    const rope_program honest = rope_program_honest(&context->subject->spec);
    const rope_wiring declared = rope_wiring_declared(context->subject), expected = rope_wiring_expected(context->subject);
    bool explains = true;
    for (int k = 0; explains && k < 2; k++) {
        bool whole;
        double unused;
        const size_t rows = rows_explained(context, &hypothesis->program, &hypothesis->wiring, sizes[k], &explains, residual_u);
        if (explains && k == 1) explains = rows > rows_explained(context, &honest, &expected, sizes[k], &whole, &unused);
    }
    rope_evidence_wire(context->evidence, &declared);
    return explains;
}

/* The predicted entry of pair i, `moved` roundings away: the float32 frequency, rounded once more if the program does. */
static double predicted_frequency(const rope_program *program, bool divisors, int i, int moved) {
    rope_spec unscaled = program->spec;
    unscaled.rule = &rope_rule_default;
    const double theta = rope_frequency_double(&program->spec, i);
    const double exact = divisors ? rope_frequency_double(&unscaled, i) / theta : theta;
    const double single = rope_step(ROPE_F32, rope_round(ROPE_F32, exact), moved);
    return rope_round(program->frequency, single);
}

static bool explains_frequencies(const fault_context *context, const fault_hypothesis *hypothesis, double *residual_u) {
    const rope_program *program = &hypothesis->program;
    *residual_u = 0.0;
    for (int i = 0; i < rope_spec_pairs(&program->spec); i++) {
        const int window = rope_model_direct.window(&program->spec, i);
        const double got = context->freqs[i];
        double least = INFINITY;
        if (program->frequency == ROPE_F64) { /* at rounding level: the derived bound */
            const double exact = predicted_frequency(program, context->subject->divisors, i, 0);
            least = fabs(got - exact) / exact;
            if (!(least <= rope_bound_frequency(&rope_model_direct, &program->spec, i) + rope_unit(ROPE_F32))) return false;
        } else { /* rounded again: equal to the bit for one of the frequencies an honest program may start from */
            for (int moved = -window; moved <= window; moved++)
                least = fmin(least, fabs(got / predicted_frequency(program, context->subject->divisors, i, moved) - 1.0));
            if (!(least <= rope_unit(ROPE_F32))) return false;
        }
        *residual_u = fmax(*residual_u, least / 0x1p-24);
    }
    return true;
}

void fault_diagnose(const fault_context *context, report *found) {
    for (const fault_kind *const *kind = fault_kinds; *kind && found->diagnoses == 0; kind++) {
        fault_list list = {0};
        (*kind)->propose(context, &list);
        for (int k = 0; k < list.count; k++) {
            double residual_u = NAN;
            const bool explains = found->diagnoses == 0 && (context->freqs ? explains_frequencies : explains_rows)(context, &list.row[k], &residual_u);
            if (!explains) {
                drop(&list.row[k].said);
                continue;
            }
            report_diagnosis *diagnosis = report_add_diagnosis(found, (*kind)->name);
            free(diagnosis->text);
            *diagnosis = list.row[k].said;
            diagnosis->residual_u = residual_u;
        }
        free(list.row);
    }
}
