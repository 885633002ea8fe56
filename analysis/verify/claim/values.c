/* Claims decided entry by entry: finite, table, elementwise. */
#include <math.h>
#include <stdlib.h>

#include "../../../src/frequency/frequency.h"
#include "../../../src/table.h"
#include "claim.h"

static void finite_freqs(const claim_context *context, report_claim *claim) {
    const rope_npy *npy = context->subject->array[ARRAY_FREQS];
    rope_count count = {0};
    for (size_t k = 0; k < rope_npy_count(npy); k++) {
        double value;
        rope_npy_read(npy, k, 1, &value);
        report_witness where = rope_witness_nowhere();
        where.array = "freqs";
        where.pair = (int)k;
        where.column = (int64_t)k;
        if (!isfinite(value)) rope_witness_values(&where, context->subject, NAN, value, NAN, NAN);
        rope_count_test(&count, isfinite(value) ? 0.0 : NAN, 0.0, INFINITY, &where);
    }
    claim_take(claim, &count, "exhaustive");
}

void claim_finite(const claim_context *context, report_claim *claim) {
    if (context->subject->kind == SUBJECT_FREQS) {
        finite_freqs(context, claim);
        return;
    }
    /* Zeros that came out as zeros are finite, but a report of nothing else must not read as if something had been tested. */
    const rope_scan *const scan = &context->judge->scan;
    if (context->subject->kind == SUBJECT_ROTATED && !scan->value.checked && !scan->width.checked && !scan->finite.broken) return;
    claim_take(claim, &scan->finite, context->subject->kind == SUBJECT_BUILT_IN ? "probes" : "exhaustive");
}

/* Eq. 34 takes column j of both tables for channel j: it must be the turn of the pair that the declared layout puts
 * there, whatever tiling the columns were found to have. */
static void elementwise_table(const claim_context *context, report_claim *claim) {
    const rope_judge *judge = context->judge;
    const rope_evidence *evidence = context->evidence;
    const size_t columns = context->subject->columns;
    const table_tiling tiling = rope_wiring_expected(context->subject).tiling;
    double c[judge->h], s[judge->h];
    rope_count count = {0};
    for (size_t t = 0; t < evidence->rows; t++) {
        rope_judge_exact(judge, evidence->m[t], c, s);
        for (size_t j = 0; j < columns; j++) {
            const int i = subject_column_pair(context->subject, tiling, j);
            const double *value = evidence->value + 2 * t * columns;
            report_witness where = rope_witness_at(judge, t, i);
            where.column = (int64_t)j;
            rope_count_test(&count, hypot(value[j] - c[i], value[columns + j] - s[i]), rope_judge_turn(judge, t, i), judge->A, &where);
        }
    }
    claim_take(claim, &count, claim_coverage(context));
}

void claim_elementwise(const claim_context *context, report_claim *claim) {
    if (context->subject->kind == SUBJECT_TABLE && context->subject->columns == (size_t)context->judge->h) {
        claim_skip(claim, "a table of half width is one operator in either reading; full width would show it");
        return;
    }
    if (context->subject->kind == SUBJECT_TABLE) {
        elementwise_table(context, claim);
        return;
    }
    claim_take(claim, &context->judge->scan.value, context->subject->kind == SUBJECT_BUILT_IN ? "probes" : "exhaustive");
}

/* The kernel's own table, made in blocks and every entry asked: rounded once from the true value? */
static void table_of_kernel(const claim_context *context, report_claim *claim) {
    const rope_subject *subject = context->subject;
    const size_t rows = context->effort == EFFORT_QUICK ? 8192 : context->effort == EFFORT_NORMAL ? 131072 : 1048576;
    const size_t h = (size_t)context->judge->h, block = 32768, bytes = (size_t)rope_format_of(subject->dtype)->bytes;
    rope_phase *phase = NULL;
    rope_error error;
    char *values = malloc(2 * block * h * bytes);
    if (!values || rope_phase_new(&phase, &subject->spec, (int64_t)rows, &error) != ROPE_OK) {
        claim_skip(claim, "no memory for a table");
        goto done;
    }
    rope_tally total = {0};
    for (size_t first = 0; first < rows; first += block) {
        const size_t some = rows - first < block ? rows - first : block;
        rope_table_fill(phase, &subject->spec, subject->dtype, (int64_t)first, some, h, values, values + block * h * bytes);
        const rope_table table = {subject->dtype, values, values + block * h * bytes, h, some, (int64_t)first};
        rope_tally tally = {0};
        rope_table_exact(&tally, phase, &subject->spec, &table);
        rope_tally_add(&total, &tally);
    }
    claim->checked = total.checked;
    claim->broken = total.broken;
    claim->defect = total.largest_error;
    claim->coverage = "exhaustive";
    if (total.has_broken) {
        claim->has_first = claim->has_witness = true;
        claim->first = claim->witness = rope_witness_nowhere();
        const rope_entry *const entries[] = {&total.first, &total.worst};
        report_witness *const witnesses[] = {&claim->first, &claim->witness};
        for (int k = 0; k < 2; k++) {
            witnesses[k]->has_m = true;
            witnesses[k]->m = entries[k]->m;
            witnesses[k]->pair = entries[k]->pair;
            witnesses[k]->array = entries[k]->array == ROPE_COS ? "cos" : "sin";
            rope_witness_values(witnesses[k], subject, entries[k]->expected, entries[k]->got, entries[k]->error, entries[k]->allowed);
        }
    }
done:
    rope_phase_free(phase);
    free(values);
}

void claim_table(const claim_context *context, report_claim *claim) {
    if (context->subject->kind == SUBJECT_TABLE)
        claim_take(claim, &context->judge->scan.value, "exhaustive");
    else if (context->subject->kernel->has_table)
        table_of_kernel(context, claim);
    else
        claim_skip(claim, "the %s kernel keeps no table", context->subject->kernel->name);
}
