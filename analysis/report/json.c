/* JSON for machines [RFC 8259]; the keys and their order are an interface, described in rope-verify-1.schema.json.
 * What has no value is null. Numbers read back exactly; NaN and infinities are the strings "nan", "inf", "-inf". */
#include "format.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../../src/frequency/frequency.h"
#include "escape.h"
#include "line.h"
#include "number.h"

/* ---- writing --------------------------------------------------------------------------------------- */

enum { DEPTH = 8 };

/* Where the writer stands: each open container, whether it has an item yet, and whether items get lines of their own.
 */
typedef struct writer {
    FILE *out;
    int depth;
    struct {
        char end;
        bool lines, begun;
    } open[DEPTH];
} writer;

static void new_line(writer *w) {
    fprintf(w->out, "\n%*s", 2 * w->depth, "");
}

/* What stands before every item: comma, line or space, and in an object the key. */
static void item(writer *w, const char *key) {
    if (w->depth > 0) {
        if (w->open[w->depth - 1].begun) putc(',', w->out);
        if (w->open[w->depth - 1].lines)
            new_line(w);
        else if (w->open[w->depth - 1].begun)
            putc(' ', w->out);
        w->open[w->depth - 1].begun = true;
    }
    if (!key) return;
    escape_json(w->out, key);
    fputs(": ", w->out);
}

static void begin(writer *w, const char *key, char bracket, bool lines) {
    assert(w->depth < DEPTH);
    item(w, key);
    putc(bracket, w->out);
    w->open[w->depth].end = bracket == '{' ? '}' : ']';
    w->open[w->depth].lines = lines;
    w->open[w->depth].begun = false;
    w->depth++;
}

static void end(writer *w) {
    w->depth--;
    if (w->open[w->depth].lines && w->open[w->depth].begun) new_line(w);
    putc(w->open[w->depth].end, w->out);
}

static void put_null(writer *w, const char *key) {
    item(w, key);
    fputs("null", w->out);
}

static void put_string(writer *w, const char *key, const char *value) {
    item(w, key);
    escape_json(w->out, value);
}

static void put_bool(writer *w, const char *key, bool value) {
    item(w, key);
    fputs(value ? "true" : "false", w->out);
}

static void put_count(writer *w, const char *key, uint64_t value) {
    item(w, key);
    fprintf(w->out, "%" PRIu64, value);
}

static void put_integer(writer *w, const char *key, bool known, int64_t value) {
    item(w, key);
    if (known)
        fprintf(w->out, "%" PRId64, value);
    else
        fputs("null", w->out);
}

static void put_number(writer *w, const char *key, double value) {
    item(w, key);
    fprintf(w->out, isfinite(value) ? "%s" : "\"%s\"", number_exact(value).text);
}

/* A number whose NaN says that there is none. */
static void put_measured(writer *w, const char *key, double value) {
    if (isnan(value))
        put_null(w, key);
    else
        put_number(w, key, value);
}

/* ---- the report ------------------------------------------------------------------------------------ */

static void put_spec(writer *w, const rope_spec *spec) {
    begin(w, "spec", '{', false);
    put_count(w, "dim", (uint64_t)spec->dim);
    put_count(w, "rotary_dim", (uint64_t)(spec->rotary_dim ? spec->rotary_dim : spec->dim));
    put_number(w, "base", spec->base);
    const char *in = rope_layout_name(spec->layout_in), *out = rope_layout_name(spec->layout_out);
    char *both = spec->layout_in == spec->layout_out ? report_text("%s", in) : report_text("%s:%s", in, out);
    put_string(w, "layout", spec->layout_in == ROPE_LAYOUT_UNSET ? NULL : both);
    free(both);
    begin(w, "scaling", '{', false);
    put_string(w, "rule", spec->rule->name);
    for (int k = 0; spec->rule->key[k].name; k++) put_number(w, spec->rule->key[k].name, spec->rule_value[k]);
    end(w);
    put_number(w, "magnitude", spec->magnitude);
    put_string(w, "rotary_at", spec->rotary_at == ROPE_TRAILING ? "trailing" : "leading");
    end(w);
}

static void put_subject(writer *w, const report *subject) {
    begin(w, "subject", '{', false);
    put_string(w, "kind", subject->subject_kind);
    begin(w, "files", '[', false);
    for (int k = 0; k < subject->files; k++) {
        const report_file *file = &subject->file[k];
        begin(w, NULL, '{', false);
        put_string(w, "name", file->name);
        put_string(w, "sha256", *file->sha256 ? file->sha256 : NULL);
        put_string(w, "role", file->role);
        end(w);
    }
    end(w);
    put_string(w, "dtype", subject->dtype);
    if (subject->has_positions) {
        begin(w, "positions", '{', false);
        put_integer(w, "first", true, subject->first_position);
        put_integer(w, "last", true, subject->last_position);
        put_count(w, "count", subject->position_count);
        end(w);
    } else {
        put_null(w, "positions");
    }
    end(w);
}

static void put_grade(writer *w, const report *subject) {
    begin(w, "grade", '{', false);
    put_string(w, "required", subject->required_grade);
    put_string(w, "model", subject->model);
    put_measured(w, "error_u", subject->error_u);
    put_number(w, "max_angle", subject->max_angle);
    end(w);
}

/* Values are strings: digits that read back exactly, also by readers whose numbers are not binary64. */
static void put_values(writer *w, const report_witness *witness) {
    const bool known = witness->has_values;
    put_string(w, "expected", known && !isnan(witness->expected) ? number_exact(witness->expected).text : NULL);
    put_string(w, "got", known ? number_exact(witness->got).text : NULL);
    char hex[24];
    snprintf(hex, sizeof hex, "0x%0*" PRIx64, 2 * witness->bits_bytes, witness->got_bits);
    put_string(w, "got_hex", known && witness->has_bits ? hex : NULL);
    put_measured(w, "ulps", known ? witness->ulps : NAN);
    put_measured(w, "error", known ? witness->error : NAN);
    put_measured(w, "allowed", known ? witness->allowed : NAN);
    put_string(w, "predicted", known && witness->has_predicted ? number_exact(witness->predicted).text : NULL);
}

static void put_witness(writer *w, const char *key, bool known, const report_witness *witness) {
    if (!known) {
        put_null(w, key);
        return;
    }
    begin(w, key, '{', false);
    put_integer(w, "m", witness->has_m, witness->m);
    put_integer(w, "n", witness->has_n, witness->n);
    put_integer(w, "pair", witness->pair >= 0, witness->pair);
    put_string(w, "array", witness->array);
    put_integer(w, "row", witness->row >= 0, witness->row);
    put_integer(w, "column", witness->column >= 0, witness->column);
    put_integer(w, "batch", witness->batch >= 0, witness->batch);
    put_integer(w, "head", witness->head >= 0, witness->head);
    put_values(w, witness);
    end(w);
}

static void put_claim(writer *w, const report_claim *claim) {
    begin(w, NULL, '{', true);
    put_string(w, "id", claim->id);
    put_string(w, "verdict", report_verdict_name(claim->verdict));
    put_measured(w, "defect", claim->defect);
    put_measured(w, "bound", claim->bound);
    put_string(w, "unit", claim->unit);
    put_count(w, "checked", claim->checked);
    put_count(w, "broken", claim->broken);
    put_count(w, "untestable", claim->untestable);
    put_string(w, "coverage", claim->coverage);
    put_string(w, "reason", claim->reason);
    put_witness(w, "first", claim->has_first, &claim->first);
    put_witness(w, "witness", claim->has_witness, &claim->witness);
    put_string(w, "statement", claim->statement);
    put_string(w, "source", claim->source);
    put_bool(w, "expected_failure", claim->expected_failure);
    end(w);
}

static void put_budget(writer *w, const report_budget *budget) {
    if (!budget->known) {
        put_null(w, "budget");
        return;
    }
    begin(w, "budget", '{', false);
    put_number(w, "frequency", budget->frequency);
    put_number(w, "angle", budget->angle);
    put_number(w, "trig", budget->trig);
    put_number(w, "storage", budget->storage);
    put_number(w, "magnitude", budget->magnitude);
    put_number(w, "offset", budget->offset);
    end(w);
}

static void put_diagnosis(writer *w, const report_diagnosis *diagnosis) {
    begin(w, NULL, '{', false);
    put_string(w, "kind", diagnosis->kind);
    begin(w, "parameters", '{', false);
    for (int k = 0; k < diagnosis->parameters; k++) {
        const report_parameter *parameter = &diagnosis->parameter[k];
        if (parameter->is_text)
            put_string(w, parameter->name, parameter->text);
        else
            put_number(w, parameter->name, parameter->number);
    }
    end(w);
    put_measured(w, "residual_u", diagnosis->residual_u);
    put_string(w, "text", diagnosis->text);
    end(w);
}

static void put_report(writer *w, const report *subject) {
    put_spec(w, &subject->spec);
    put_subject(w, subject);
    put_string(w, "verdict", report_verdict_name(subject->verdict));
    put_grade(w, subject);
    begin(w, "claims", '[', true);
    for (int k = 0; k < subject->claims; k++) put_claim(w, &subject->claim[k]);
    end(w);
    put_budget(w, &subject->budget);
    begin(w, "diagnosis", '[', true);
    for (int k = 0; k < subject->diagnoses; k++) put_diagnosis(w, &subject->diagnosis[k]);
    end(w);
    put_string(w, "name", subject->name);
    put_string(w, "note", subject->note);
}

static void put_many(writer *w, const report_run *run) {
    put_string(w, "verdict", report_verdict_name(line_run_verdict(run)));
    begin(w, "reports", '[', true);
    for (int k = 0; k < run->count; k++) {
        const report *subject = run->reports[k];
        begin(w, NULL, '{', true);
        put_string(w, "command", subject->command);
        put_report(w, subject);
        if (run->is_suite) {
            put_bool(w, "as_expected", subject->counts_as_passed);
            put_bool(w, "waiting", subject->waiting);
        }
        put_string(w, "hint", subject->hint);
        end(w);
    }
    end(w);
}

void format_json(FILE *out, const report_run *run, const report_style *style) {
    (void)style;
    writer w = {.out = out};
    begin(&w, NULL, '{', true);
    put_string(&w, "schema", "rope-verify/1");
    put_string(&w, "version", run->version);
    put_string(&w, "command", run->command);
    put_count(&w, "seed", run->seed);
    if (run->count == 1 && !run->is_suite) {
        put_report(&w, run->reports[0]);
        put_string(&w, "hint", run->reports[0]->hint);
    } else {
        put_many(&w, run);
    }
    end(&w);
    putc('\n', out);
}
