/* The numbers that Gappa and Coq prove are those that the C uses: expected values are read from proofs/numeric, never from
 * the code. And proofs/link.md says of each claim what rope-verify says. (That names exist: tests/proofs_link.)
 *
 * Scripts prove their bounds at one e_i ln b, and with the terms of second order that the C leaves out (derivation 1.4):
 * hence three ways to agree. */
#include "check.h"

#include <glob.h>
#include <stdlib.h>

#include "../analysis/verify/claim/claim.h"
#include "../src/bound.h"
#include "../src/decay_kernel.h"
#include "../src/frequency/frequency.h"
#include "../src/model/model.h"
#include "../src/phase.h"
#include "../src/phase_angle.h"

/* ---- what is proved ----------------------------------------------------------------------------------- */

/* The number behind "<= " in a line: "9b-48" is 9 * 2^-48, "1 / 2 ^ 52" and "5 * u * A" in Coq; "u * (...)" is 1. */
static double number_of(const char *text) {
    text = strstr(text, "<= ");
    if (!text) fail_msg("no bound in a line");
    text += 3 + (text[3] == '(');
    char *end;
    const double n = strtod(text, &end);
    if (end == text) return 1.0;
    if (*end == 'b') return ldexp(n, (int)strtol(end + 1, NULL, 10));
    if (!strncmp(end, " / 2 ^ ", 7)) return ldexp(n, -(int)strtol(end + 7, NULL, 10));
    return n;
}

static FILE *open_proof(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "proofs/numeric/%s", name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s: cannot be opened; run the tests in the project's root", path);
    return file;
}

static bool is_gappa(const char *name) { return strstr(name, ".gappa") != NULL; }

/* The bound on `subject` in a file of proofs/numeric; in a script it must be one that check.sh cuts in half. */
static double proved(const char *name, const char *subject) {
    char line[512], bounded[256];
    snprintf(bounded, sizeof bounded, is_gappa(name) ? "%s <= " : "%s", subject);
    FILE *file = open_proof(name);
    double found = NAN;
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, bounded);
        if (at && (!is_gappa(name) || strstr(line, "# bound"))) found = number_of(at);
    }
    fclose(file);
    if (isnan(found)) fail_msg("proofs/numeric/%s does not bound %s", name, subject);
    return found;
}

/* ---- what C uses -------------------------------------------------------------------------------------- */

/* The scripts' program: pair 4 of 8, e_i ln b = 10 - 1.2e-8. */
enum { PAIR = 4 };
static rope_spec spec_of(const rope_rule *rule) {
    rope_spec spec = rope_spec_default();
    spec.dim = spec.rotary_dim = 16;
    spec.base = 485165184.0; /* the float next to e^20: another base would count one rounding more */
    if (rule) {
        spec.rule = rule;
        spec.rule_value[0] = 3.0;
    }
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    return spec;
}

static double growth(const rope_model *model) {
    const rope_spec spec = spec_of(NULL);
    return rope_bound_slope(model, &spec, PAIR, 0.0) / rope_frequency_double(&spec, PAIR);
}

static double scaled(const rope_model *model) {
    const rope_spec spec = spec_of(&rope_rule_linear);
    return rope_bound_slope(model, &spec, PAIR, 0.0) / rope_frequency_double(&spec, PAIR);
}

static double window(const rope_model *model) {
    const rope_spec spec = spec_of(NULL);
    return rope_bound_frequency(model, &spec, PAIR);
}

static double drift(const rope_model *model) {
    const rope_spec spec = spec_of(NULL);
    return rope_bound_drift(model, &spec, PAIR) / rope_frequency_double(&spec, PAIR);
}

static double difference(const rope_model *model, double angle) {
    const rope_spec spec = spec_of(NULL);
    return rope_bound_difference(model, &spec, PAIR, angle, 1.0);
}

typedef enum agreement {
    EQUAL,   /* the very number */
    ROUNDED, /* C counts first-order terms, or whole floats: proved <= C (1 + 2^-16), and more than C - u */
    BELOW    /* C allows more, for the reason given */
} agreement;

typedef struct proof_row {
    const char *file, *subject;
    agreement agreement;
    double used; /* by C */
} proof_row;

static const double u = 0x1p-24, w = 0x1p-53;

/* Numbers that only a static function of C holds, as its line says. */
static const char *const sources[][2] = {{"src/table_kernel.c", "return tile->A * ((4 + 0x1p-6) * 0x1p-53);"},
                                         {"src/table_kernel.c", "return tile->phase->grid * 0x1p-75;"}};

/* Every bound of every script, and the constants of the Coq files. */
enum { MOST = 64 };
static size_t rows_of(proof_row *rows) {
    const double entry32 = rope_bound_entry(ROPE_F32, ROPE_F64, 1.0), entry_b = rope_bound_entry(ROPE_BF16, ROPE_F32, 1.0);
    const double entry_h = rope_bound_entry(ROPE_F16, ROPE_F32, 1.0), turn32 = rope_bound_rotation(ROPE_F32);
    const double turn64 = rope_bound_rotation(ROPE_F64), trig32 = rope_bound_trig(ROPE_F32, 1.0), trig64 = rope_bound_trig(ROPE_F64, 1.0);
    const proof_row all[] = {
        {"trig.gappa", "dc * dc + ds * ds", EQUAL, trig32 * trig32},
        {"trig.gappa", "Dc * Dc + Ds * Ds", EQUAL, trig64 * trig64},
        {"Rounding.v", "<= 5 * u * A.", EQUAL, rope_bound_trig(ROPE_F32, 1.5) / u},
        {"Rounding.v", "<= 8 * u * A.", EQUAL, rope_bound_trig(ROPE_F64, 0.7) / w},

        {"Rounding.v", "<= (2 * u + u * u) * (sqrt", EQUAL, turn32 / u},
        {"Rounding.v", "<= u * (sqrt", EQUAL, rope_bound_products(ROPE_BF16) / 0x1p-8},
        {"rotation32.gappa", "|plain - exact|", EQUAL, turn32 + 2.0 * entry32}, /* |x| = |y| = 1: both entries count */
        {"rotation32.gappa", "|fused - exact|", BELOW, turn32 + 2.0 * entry32}, /* nobody has to fuse */
        {"rotation32.gappa", "|plain - given|", EQUAL, turn32},
        {"rotation32.gappa", "|fused - given|", BELOW, turn32},
        {"rotation64.gappa", "|plain - exact|", EQUAL, turn64 + w},
        {"rotation64.gappa", "|fused - exact|", BELOW, turn64 + w},
        {"rotation64.gappa", "|plain - given|", EQUAL, turn64},
        {"rotation64.gappa", "|fused - given|", BELOW, turn64},

        {"storage.gappa", "|b - exact|", EQUAL, 2.0 * entry_b + turn32 + rope_unit(ROPE_BF16)},
        {"storage.gappa", "|h - exact|", EQUAL, 2.0 * entry_h + turn32 + rope_unit(ROPE_F16)},
        {"storage.gappa", "|cb - C|", EQUAL, entry_b},
        {"storage.gappa", "|ch - C|", EQUAL, entry_h},
        {"storage.gappa", "|tb -/ t|", EQUAL, rope_bound_output(ROPE_BF16, 1.0) - rope_bound_output(ROPE_BF16, 0.0)},
        {"storage.gappa", "|th -/ t|", EQUAL, rope_bound_output(ROPE_F16, 1.0) - rope_bound_output(ROPE_F16, 0.0)},
        {"storage.gappa", "|dh - d|", EQUAL, rope_bound_output(ROPE_F16, 0.0)},

        /* N^2 = 2; the judge's steady error of a binary64 pair is trig + sqrt(2) rotation. trig has room for a libm. */
        {"norm.gappa", "|(u * u + v * v) - (U * U + V * V)|", BELOW, 2.0 * 2.0 * (trig64 + sqrt(2.0) * turn64)},
        {"norm.gappa", "|(c * c + s * s) - (C * C + S * S)|", BELOW, 2.0 * trig64},

        /* theta itself rounded and the product: 2 u of the 13 u that a formed frequency has */
        {"angle.gappa", "|angle32 - m * theta|", BELOW, 131071.0 * growth(&rope_model_direct)},
        {"angle.gappa", "|angle64 - m * theta|", BELOW, 131071.0 * growth(&rope_model_f64)},
        {"angle.gappa", "|angle32 - m * f|", EQUAL, difference(&rope_model_direct, 131071.0)},

        {"frequency.gappa", "|e -/ e_|", EQUAL, u},
        {"frequency.gappa", "|power -/ W|", ROUNDED, window(&rope_model_quotient)},
        {"frequency.gappa", "|found -/ theta|", ROUNDED, window(&rope_model_direct)},
        {"frequency.gappa", "|angle -/ (m * theta)|", ROUNDED, growth(&rope_model_direct)},
        {"frequency.gappa", "|quotient -/ (m / W)|", ROUNDED, growth(&rope_model_quotient)},
        {"exponential.gappa", "|x -/ (e_ * L)|", ROUNDED, (growth(&rope_model_exp2) - 2.0 * u) / 10.0},
        {"exponential.gappa", "|found -/ theta|", ROUNDED, window(&rope_model_exp2)},
        {"exponential.gappa", "|angle -/ (m * theta)|", ROUNDED, growth(&rope_model_exp2)},
        {"iterated.gappa", "|found -/ S|", ROUNDED, window(&rope_model_iterated)},
        {"iterated.gappa", "|angle -/ given|", ROUNDED, difference(&rope_model_iterated, 1.0)}, /* at a power of two */
        {"iterated.gappa", "|angle -/ exact|", ROUNDED, growth(&rope_model_iterated)},
        {"iterated.gappa", "|accumulated -/ product|", ROUNDED, growth(&rope_model_accumulated)},
        /* the rule counts 2 u; a division is one of them */
        {"scaled.gappa", "|divided -/ ((m / F) * theta)|", ROUNDED, scaled(&rope_model_divided_position)},
        {"scaled.gappa", "|multiplied -/ ((m * (1 / F)) * theta)|", ROUNDED, scaled(&rope_model_multiplied_position)},
        {"scaled.gappa", "|angle -/ (m * (theta * (1 / F)))|", ROUNDED, scaled(&rope_model_direct)},

        {"mixed.gappa", "|program -/ (m * theta)|", BELOW, drift(&rope_model_float_angle)}, /* the two and a test: 39 w */
        {"mixed.gappa", "|replay -/ (m * theta)|", BELOW, drift(&rope_model_float_angle) - 35.0 * w},
        {"mixed.gappa", "|angle -/ (m * theta)|", ROUNDED, growth(&rope_model_float_angle)},
        {"mixed.gappa", "|frequency -/ (m * theta)|", ROUNDED, growth(&rope_model_float_frequency)},
        {"mixed.gappa", "|quotient -/ (m / W)|", ROUNDED, growth(&rope_model_float_quotient)},
        {"mixed.gappa", "|divided -/ ((m / F) * theta)|", ROUNDED, scaled(&rope_model_divided_float_product)},
        {"mixed.gappa", "|position -/ ((m / F) * theta)|", ROUNDED, scaled(&rope_model_divided_float_angle)},

        /* the sum of 1.5 and 1.9 units of roundings, 2 of the reduced angle, and the polynomials' rest: PhaseAngle.v */
        {"phase_angle.gappa", "|cosine - P|", BELOW, ROPE_PHASE_ANGLE_REDUCED},
        {"phase_angle.gappa", "|sine - Q|", BELOW, ROPE_PHASE_ANGLE_REDUCED},
        {"PhaseAngle.v", "Rabs (x - cos t) <= ", EQUAL, ROPE_PHASE_ANGLE_REDUCED},
        {"PhaseAngle.v", "Rabs (y - sin t) <= ", EQUAL, ROPE_PHASE_ANGLE_REDUCED},
        /* four products and five tables of w^2 must fit into a row */
        {"product.gappa", "|(h + low) - exact|", BELOW, (ROPE_PHASE_ROW_ERROR - 5.0 * w * w) / (4.0 * sqrt(2.0))},
        /* 2^-7 w more, for the sum of distance and error */
        {"grid.gappa", "|v - exact|", BELOW, (4 + 0x1p-6) * 0x1p-53}, /* sources[0] */
        /* and the tables' own 2^-98 */
        {"split.gappa", "|rest - exact|", BELOW, 0x1p-75 - 0x1p-98}, /* sources[1] */
        /* by hand, for one pair: 4.5 and 9 + 2 roundings of a low part, which are seldom so large */
        {"decay_grid.gappa", "|((n - 3) + low) - (A + Al) * (B + Bl)|", BELOW, (rope_decay_grid_re(1) - ROPE_DECAY_PHASE_ERROR) / 2.0},
        {"decay_grid.gappa", "|(high + rest) - exact|", BELOW, rope_decay_grid_re(1) - ROPE_DECAY_PHASE_ERROR},
    };
    _Static_assert(sizeof all <= MOST * sizeof *all, "MOST rows");
    memcpy(rows, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* ---- the comparison ----------------------------------------------------------------------------------- */

static bool agrees(const proof_row *row, double value) {
    switch (row->agreement) {
    case EQUAL: return value == row->used;
    case ROUNDED: return value <= row->used * (1 + 0x1p-16) && value > fmax(row->used - u, 0.6 * row->used);
    case BELOW: return value <= row->used;
    }
    return false;
}

static void numbers_agree(void **state) {
    (void)state;
    proof_row rows[MOST];
    const size_t count = rows_of(rows);
    for (size_t k = 0; k < count; k++) {
        const double value = proved(rows[k].file, rows[k].subject);
        if (!agrees(&rows[k], value)) fail_msg("%s: %s is proved to %g, C uses %g", rows[k].file, rows[k].subject, value, rows[k].used);
    }
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        char line[512];
        bool seen = false;
        FILE *file = fopen(sources[k][0], "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) seen = seen || strstr(line, sources[k][1]);
        fclose(file);
        if (!seen) fail_msg("%s no longer says '%s'", sources[k][0], sources[k][1]);
    }
}

/* A script that proves half or twice of what C uses, or more than C allows, is noticed. */
static void other_numbers_do_not(void **state) {
    (void)state;
    proof_row rows[MOST];
    const size_t count = rows_of(rows);
    for (size_t k = 0; k < count; k++) {
        const double value = proved(rows[k].file, rows[k].subject);
        const double above = rows[k].agreement == BELOW ? 2.0 * rows[k].used : 2.0 * value;
        assert_false(agrees(&rows[k], above));
        assert_true(rows[k].agreement == BELOW || !agrees(&rows[k], 0.5 * value));
        assert_false(agrees(&rows[k], NAN));
    }
}

/* No bound of a script is without a row. */
static void every_bound_has_a_row(void **state) {
    (void)state;
    proof_row rows[MOST];
    const size_t count = rows_of(rows);
    char line[512];
    glob_t scripts;
    assert_int_equal(glob("proofs/numeric/*.gappa", 0, NULL, &scripts), 0);
    for (size_t k = 0; k < scripts.gl_pathc; k++) {
        const char *const name = strrchr(scripts.gl_pathv[k], '/') + 1;
        size_t bounds = 0, known = 0;
        FILE *file = open_proof(name);
        while (fgets(line, sizeof line, file)) bounds += strstr(line, "# bound") != NULL;
        fclose(file);
        for (size_t j = 0; j < count; j++) known += !strcmp(rows[j].file, name);
        if (bounds != known) fail_msg("%s: %zu bounds, %zu of them compared with C", name, bounds, known);
    }
    globfree(&scripts);
}

/* Cell n of a table row "| a | b |", into text. */
static bool cell_of(const char *line, int n, char *text, size_t size) {
    for (; n > 0 && line; n--) line = strchr(line + 1, '|');
    if (!line) return false;
    line += strspn(line, "| ");
    size_t length = strcspn(line, "|");
    while (length > 0 && line[length - 1] == ' ') length--;
    snprintf(text, size, "%.*s", (int)length, line);
    return true;
}

/* The table of claims in link.md has the rows, theorems and twins of rope-verify, in its order. */
static void claims_are_linked(void **state) {
    (void)state;
    FILE *file = fopen("proofs/link.md", "r");
    assert_non_null(file);
    char line[1024], text[512];
    const claim_row *row = claim_rows;
    bool inside = false;
    int seen = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') inside = !strcmp(line, "## Claims\n");
        if (!inside || line[0] != '|' || ++seen <= 2) continue;
        const char *const want[] = {row->id, row->theorem, NULL, NULL, row->twin};
        for (int n = 0; row->id && n < 5; n++) {
            if (!want[n]) continue;
            if (!cell_of(line, n, text, sizeof text) || strcmp(text, want[n])) fail_msg("link.md: '%s', and rope-verify says '%s'", text, want[n]);
        }
        if (!row->id) fail_msg("link.md has a claim too many: %s", line);
        row++;
    }
    fclose(file);
    if (row->id) fail_msg("link.md has no row for the claim %s", row->id);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_agree), cmocka_unit_test(other_numbers_do_not),
                                       cmocka_unit_test(every_bound_has_a_row), cmocka_unit_test(claims_are_linked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
