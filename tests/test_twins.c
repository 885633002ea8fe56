/* Every claim is broken by a twin, every fault kind is named on one, and the honest counterparts hold.
 *
 * A twin is a program of tests/twins with one mistake in it. A row says which claims it must break and under which name it
 * must be found, on every kind of subject that can show it, and which claims hold all the same: a claim that any mistake
 * breaks would say nothing. */
#include "check.h"

#include <stdlib.h>

#include "../analysis/verify/fault/fault.h"
#include "twins/judge.h"

enum { TABLE = SUBJECT_TABLE, FREQS = SUBJECT_FREQS, ROTATED = SUBJECT_ROTATED, KERNEL = SUBJECT_BUILT_IN, FULL = 16 };
enum { ALL = TABLE | ROTATED | KERNEL }; /* FULL: the table has full width */

typedef struct twin_row {
    const char *name;
    unsigned kinds;
    twin_recipe recipe; /* of dumps; kernels compute in double */
    rope_dtype grade;
    twin_fault fault;
    const char *broken, *holds; /* claims; those that do not apply to a kind are passed over */
    const char *named;          /* "KIND parameter=value"; NULL: no kind of today explains it */
    int dim, rotary_dim;        /* 32 and all of it */
    double base;                /* 10000 */
    const char *layout, *scaling;
    int64_t first;              /* of tables ... */
    size_t count;               /* ... of 80 rows */
    int64_t stride;             /* of the vectors' positions: 0, s, 2 s ...; 0: windows of neighbours */
    double magnitude;
    twin_style style;
} twin_row;

#define POSITIONS_BROKEN "relative group score-shift score-complex elementwise distinct"
#define OPERATOR "sign magnitude identity orthogonal norm"

static const twin_row rows[] = {
    /* base */
    {"base 500000 declared 10000", ALL | FREQS, TWIN_DIRECT, ROPE_F32, {.base = 5e5},
     "frequency table score-complex elementwise spectrum linear-attention", "finite layout width determinant relative score-shift decay-bound " OPERATOR,
     .named = "base found=500000"},
    {"base 1000000 declared 500000", ALL | FREQS, TWIN_ITERATED, ROPE_F32, {.base = 1e6}, "frequency", "relative " OPERATOR,
     .named = "base found=1000000", .base = 5e5},
    {"base 12345 declared 10000", ALL | FREQS, TWIN_EXP2, ROPE_F32, {.base = 12345}, "frequency", OPERATOR, .named = "base found=12345"},
    {"base 500000 declared 10000, bf16", TABLE | ROTATED, TWIN_DIRECT, ROPE_BF16, {.base = 5e5}, "frequency elementwise", OPERATOR,
     .named = "base found=500000"},
    {"base 12345 declared 10000, bf16", ROTATED, TWIN_DIRECT, ROPE_BF16, {.base = 12345}, "elementwise", OPERATOR, .named = "base found=12345"},
    {"base 1000000 declared 10000, f16 products", ROTATED, TWIN_DIRECT, ROPE_F16, {.base = 1e6}, "frequency elementwise", "sign",
     .named = "base found=1000000", .style = {.short_products = true}},
    {"base 10500 declared 10000, angles in double", TABLE | ROTATED, TWIN_WIDE, ROPE_F32, {.base = 10500}, "frequency elementwise", OPERATOR,
     .named = "base found=10500"},
    {"base 10500 declared 10000, float angles", TABLE | ROTATED, TWIN_NARROW, ROPE_F32, {.base = 10500}, "frequency elementwise", OPERATOR,
     .named = "base found=10500"},
    {"base 10500 declared 10000, float angles, bf16", TABLE | ROTATED, TWIN_NARROW, ROPE_BF16, {.base = 10500}, "elementwise", OPERATOR,
     .named = "base found=10500"},
    {"base 10000 declared 500000, scaled", TABLE | ROTATED | FREQS, TWIN_DIRECT, ROPE_F32, {.base = 1e4}, "frequency", OPERATOR,
     .named = "base found=10000", .base = 5e5, .scaling = "linear:factor=4"},
    {"base 500000 declared 10000, ntk", TABLE | ROTATED | FREQS, TWIN_DIRECT, ROPE_F32, {.base = 5e5}, "frequency", OPERATOR,
     .named = "base found=500000", .scaling = "ntk:factor=4"},
    {"base 12345 declared 10000, far out", TABLE, TWIN_DIRECT, ROPE_F32, {.base = 12345}, "frequency", "magnitude norm",
     .named = "base found=12345", .first = 100000},
    {"base 500000 declared 10000, no neighbours", ROTATED, TWIN_DIRECT, ROPE_F32, {.base = 5e5}, "frequency elementwise", "magnitude norm",
     .named = "base found=500000", .stride = 37},
    {"base 12345 declared 10000, every third position", ROTATED, TWIN_ITERATED, ROPE_F32, {.base = 12345}, "frequency elementwise", "magnitude norm",
     .named = "base found=12345", .stride = 3},
    {"exponent over 48 where 32 turn", TABLE | ROTATED | FREQS, TWIN_DIRECT, ROPE_F32, {.base = 464.158883361277889}, "frequency", OPERATOR,
     .named = "base found=464.158883361277889", .dim = 48, .rotary_dim = 32}, /* 10000^(2/3) */

    /* layout */
    {"interleaved rotation declared half", ROTATED | KERNEL, TWIN_DIRECT, ROPE_F32, {.in = ROPE_INTERLEAVED, .out = ROPE_INTERLEAVED},
     "layout sign elementwise", "finite identity norm orthogonal linear", .named = "layout found=interleaved"},
    {"half rotation declared interleaved", ROTATED | KERNEL, TWIN_ITERATED, ROPE_F32, {.in = ROPE_HALF, .out = ROPE_HALF},
     "layout elementwise", "identity norm orthogonal", .named = "layout found=half", .layout = "interleaved"},
    {"read interleaved, written half", ROTATED, TWIN_DIRECT, ROPE_F32, {.in = ROPE_INTERLEAVED}, "layout identity elementwise", "norm",
     .named = "layout in=interleaved out=half"},
    {"read half, written interleaved", ROTATED, TWIN_DIRECT, ROPE_F16, {.out = ROPE_INTERLEAVED}, "layout identity elementwise", "norm",
     .named = "layout in=half out=interleaved"},
    {"half declared interleaved to half", ROTATED, TWIN_DIRECT, ROPE_F32, {.in = ROPE_HALF}, "layout elementwise", "norm",
     .named = "layout found=half", .layout = "interleaved:half"},
    {"pair-tiled table in a rotation by halves", ROTATED | KERNEL, TWIN_DIRECT, ROPE_F32, {.other_tiling = true},
     "layout orthogonal norm elementwise", "finite identity", .named = "layout table=pair rotation=half"},
    {"block-tiled table in a rotation of neighbours", ROTATED | KERNEL, TWIN_DIRECT, ROPE_F32, {.other_tiling = true},
     "layout orthogonal norm elementwise", "finite identity", .named = "layout table=block rotation=interleaved", .layout = "interleaved"},
    {"table tiled by pairs declared half", TABLE | FULL, TWIN_DIRECT, ROPE_F32, {.tiling = TILING_PAIR}, "layout elementwise",
     "frequency " OPERATOR, .named = "layout tiling=pair declared=block"},
    {"table tiled in blocks declared interleaved", TABLE | FULL, TWIN_DIRECT, ROPE_BF16, {.tiling = TILING_BLOCK}, "layout elementwise",
     "frequency " OPERATOR, .named = "layout tiling=block declared=pair", .layout = "interleaved"},

    /* sign */
    {"sine negated", ALL, TWIN_DIRECT, ROPE_F32, {.backwards = true}, "sign frequency table score-complex elementwise",
     "layout magnitude identity orthogonal norm relative group score-shift determinant spectrum decay-bound", .named = "sign"},
    {"sine negated, f16", TABLE | ROTATED, TWIN_ITERATED, ROPE_F16, {.backwards = true}, "sign", "norm group", .named = "sign"},

    /* offset */
    {"positions counted from 1", ALL, TWIN_DIRECT, ROPE_F32, {.lag = 1}, "table identity group elementwise",
     "layout sign magnitude frequency orthogonal norm score-complex", .named = "offset lag=1"},
    {"positions one late", ALL, TWIN_ITERATED, ROPE_F32, {.lag = -1}, "identity elementwise", "norm sign", .named = "offset lag=-1"},
    {"padding of seven", ALL, TWIN_EXP2, ROPE_F32, {.lag = 7}, "identity elementwise", "norm sign", .named = "offset lag=7"},
    {"positions one late, bf16", TABLE | ROTATED, TWIN_DIRECT, ROPE_BF16, {.lag = -1}, "identity elementwise", "norm", .named = "offset lag=-1"},
    {"positions one late, angles in double", TABLE | ROTATED, TWIN_WIDE, ROPE_F32, {.lag = -1}, "identity elementwise", "norm", .named = "offset lag=-1"},
    {"positions counted from 1, float angles", TABLE | ROTATED, TWIN_NARROW, ROPE_F16, {.lag = 1}, "identity elementwise", "norm", .named = "offset lag=1"},
    {"cache length added twice", TABLE | ROTATED, TWIN_DIRECT, ROPE_F32, {.lag = 1000}, "identity elementwise", "norm", .named = "offset lag=1000"},

    /* magnitude */
    {"cos and sin times 1.1", ALL, TWIN_DIRECT, ROPE_F32, {.factor = 1.1},
     "magnitude table identity orthogonal norm group elementwise determinant decay-bound", "finite layout sign width linear distinct",
     .named = "magnitude found=1.1 expected=1"},
    {"cos and sin times 1.1, bf16", TABLE | ROTATED, TWIN_DIRECT, ROPE_BF16, {.factor = 1.1}, "magnitude identity norm elementwise", "sign",
     .named = "magnitude found=1.1 expected=1"},
    {"cos and sin times 0.9", ALL, TWIN_ITERATED, ROPE_F32, {.factor = 0.9}, "magnitude norm", "sign", .named = "magnitude found=0.9"},
    {"magnitude squared", TABLE | ROTATED, TWIN_DIRECT, ROPE_F32, {.factor = 1.138629436111989}, "magnitude norm identity", "sign",
     .named = "magnitude found=1.2964769927807063 expected=1.138629436111989 fault=squared", .magnitude = 1.138629436111989},
    {"magnitude lost", TABLE | ROTATED, TWIN_DIRECT, ROPE_F32, {.factor = 1.0 / 1.25}, "magnitude norm identity", "sign",
     .named = "magnitude found=1 expected=1.25", .magnitude = 1.25},

    /* storage */
    {"table rounded to bf16, saved as f32", ALL, TWIN_DIRECT, ROPE_F32, {.table = ROPE_BF16}, "magnitude table norm orthogonal elementwise",
     "finite sign width", .named = "table-precision format=bf16"},
    {"table rounded to f16, saved as f32", ALL, TWIN_ITERATED, ROPE_F32, {.table = ROPE_F16}, "magnitude norm elementwise", "sign",
     .named = "table-precision format=f16"},
    {"table rounded to f16, saved as bf16", TABLE, TWIN_DIRECT, ROPE_BF16, {.table = ROPE_F16}, "table", "sign frequency",
     .named = "table-precision format=f16"},
    {"table rounded to bf16, saved as f16", TABLE | ROTATED, TWIN_DIRECT, ROPE_F16, {.table = ROPE_BF16}, "magnitude elementwise", "sign",
     .named = "table-precision format=bf16"},

    /* frequencies and angles */
    {"inverse frequencies rounded to bf16", ALL | FREQS, TWIN_DIRECT, ROPE_F32, {.frequency = ROPE_BF16}, "frequency table elementwise spectrum",
     "relative score-shift distinct " OPERATOR, .named = "frequency-precision format=bf16"},
    {"inverse frequencies rounded to f16", ALL | FREQS, TWIN_DIRECT, ROPE_F32, {.frequency = ROPE_F16}, "frequency", "relative " OPERATOR,
     .named = "frequency-precision format=f16"},
    {"inverse frequencies rounded to bf16, f16 table", TABLE | ROTATED, TWIN_EXP2, ROPE_F16, {.frequency = ROPE_BF16}, "frequency", OPERATOR,
     .named = "frequency-precision format=bf16"},
    {"inverse frequencies rounded to bf16, angles in double", TABLE | ROTATED, TWIN_WIDE, ROPE_F32, {.frequency = ROPE_BF16}, "frequency", OPERATOR,
     .named = "frequency-precision format=bf16"},
    {"inverse frequencies rounded to bf16, float angles", TABLE | ROTATED, TWIN_NARROW, ROPE_F32, {.frequency = ROPE_BF16}, "frequency", OPERATOR,
     .named = "frequency-precision format=bf16"},
    {"float frequencies in doubles", ALL | FREQS, TWIN_DOUBLE, ROPE_F64, {.frequency = ROPE_F32}, "frequency", "relative " OPERATOR,
     .named = "frequency-precision format=f32"},
    {"angles rounded to f16", ALL, TWIN_DIRECT, ROPE_F32, {.angle = ROPE_F16}, "relative elementwise", "sign norm orthogonal",
     .named = "frequency-precision format=f16 what=angle"},
    {"positions, frequencies and angles in bf16", TABLE | ROTATED, TWIN_DIRECT, ROPE_F32,
     {.angle = ROPE_BF16, .frequency = ROPE_BF16, .position = ROPE_BF16}, "relative elementwise", "norm",
     .named = "frequency-precision format=bf16 what=angle", .count = 280},

    /* positions */
    {"positions rounded to bf16", ALL, TWIN_DIRECT, ROPE_F32, {.position = ROPE_BF16}, "table linear-attention " POSITIONS_BROKEN,
     "layout sign magnitude identity orthogonal norm linear determinant decay-bound", .named = "position-precision format=bf16", .count = 280},
    {"positions rounded to bf16, iterated", TABLE | ROTATED, TWIN_ITERATED, ROPE_F32, {.position = ROPE_BF16}, POSITIONS_BROKEN, "norm",
     .named = "position-precision format=bf16", .count = 280},
    {"positions rounded to bf16, angles in double", TABLE | ROTATED, TWIN_WIDE, ROPE_F32, {.position = ROPE_BF16}, POSITIONS_BROKEN, "norm",
     .named = "position-precision format=bf16", .count = 280},
    {"positions rounded to bf16, float angles", TABLE | ROTATED, TWIN_NARROW, ROPE_F32, {.position = ROPE_BF16}, POSITIONS_BROKEN, "norm",
     .named = "position-precision format=bf16", .count = 280},
    {"positions rounded to f16", TABLE | ROTATED, TWIN_DIRECT, ROPE_F32, {.position = ROPE_F16}, "elementwise distinct", "norm",
     .named = "position-precision format=f16", .first = 2040},
    {"a product in TF32", TABLE | ROTATED, TWIN_DIRECT, ROPE_F32, {.position = ROPE_TF32, .frequency = ROPE_TF32}, "elementwise frequency", "norm",
     .named = "position-precision format=tf32 also=frequency", .first = 2040},

    /* what no kind names yet */
    {"one NaN in a table", ALL, TWIN_DIRECT, ROPE_F32, {.poked = true, .poke_m = 3, .poke_pair = 3, .poke = NAN}, "finite table elementwise",
     "sign identity", .named = NULL},
    {"pass-through channel rounded", ROTATED | KERNEL, TWIN_DIRECT, ROPE_F32, {.round_passed = true}, "width",
     "layout elementwise frequency linear " OPERATOR, .named = NULL, .dim = 48, .rotary_dim = 32},
    {"last pairs not rotated", ALL, TWIN_DIRECT, ROPE_F32, {.still = 3}, "width frequency table elementwise spectrum",
     "layout sign linear determinant magnitude norm", .named = NULL},
    {"wrong number of columns", TABLE | FREQS, TWIN_DIRECT, ROPE_F32, {.width = 64}, "width", NULL, .named = NULL, .dim = 64, .rotary_dim = 24},
    {"sine of another pair", ALL, TWIN_DIRECT, ROPE_F32, {.other_sine = true}, "orthogonal norm magnitude elementwise layout",
     "finite identity linear width", .named = NULL},
    {"pair 0 reflected", ROTATED | KERNEL, TWIN_DIRECT, ROPE_F32, {.reflected = true}, "determinant identity elementwise",
     "finite width norm linear", .named = NULL},
    {"position taken from the head", ROTATED | KERNEL, TWIN_DIRECT, ROPE_F32, {.head_as_position = true}, "linear orthogonal elementwise", "norm",
     .named = NULL},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- making and judging a row ------------------------------------------------------------------------ */

static twin program_of(const twin_row *row, bool faulty, unsigned kind) {
    rope_spec spec = rope_spec_default();
    spec.dim = row->dim ? row->dim : 32;
    spec.rotary_dim = row->rotary_dim;
    if (row->base > 0.0) spec.base = row->base;
    spec.has_magnitude = row->magnitude > 0.0;
    spec.magnitude = row->magnitude;
    assert_int_equal(rope_spec_set_layout(&spec, row->layout ? row->layout : "half", NULL), ROPE_OK);
    if (row->scaling) assert_int_equal(rope_spec_set_scaling(&spec, row->scaling, NULL), ROPE_OK);
    assert_int_equal(rope_spec_check(&spec, NULL), ROPE_OK);
    const bool kernel = kind == KERNEL;
    twin program = {.spec = spec, .recipe = kernel ? TWIN_DOUBLE : row->recipe, .grade = kernel ? ROPE_F64 : row->grade,
                    .style = row->style};
    if (faulty) program.fault = row->fault;
    return program;
}

/* Where bf16 positions round (above 256), and f16 and TF32 ones (above 2048). */
static size_t positions(const twin_row *row, int64_t *m) {
    static const int64_t windows[][2] = {{0, 24}, {252, 268}, {2044, 2060}, {4088, 4096}};
    size_t count = 0;
    for (; row->stride && count < 80; count++) m[count] = (int64_t)count * row->stride;
    for (size_t k = 0; !row->stride && k < sizeof windows / sizeof *windows; k++)
        for (int64_t p = windows[k][0]; p < windows[k][1]; p++) m[count++] = p;
    return count;
}

static report *judge(const twin_row *row, bool faulty, unsigned kind, const char *folder) {
    const twin program = program_of(row, faulty, kind);
    const bool interleaved = program.spec.layout_in == ROPE_INTERLEAVED;
    const table_tiling tiling = !(row->kinds & FULL) ? TILING_NONE : interleaved ? TILING_PAIR : TILING_BLOCK;
    int64_t m[128];
    twin_dump dump;
    if (kind == KERNEL) return twin_judge_kernel(&program);
    if (kind == TABLE) twin_dump_table(&dump, &program, folder, row->first, row->count ? row->count : 80, tiling);
    if (kind == ROTATED) twin_dump_rotated(&dump, &program, folder, m, positions(row, m));
    if (kind == FREQS) twin_dump_freqs(&dump, &program, folder);
    return twin_judge(&dump);
}

static const char *kind_name(unsigned kind) {
    return kind == TABLE ? "table" : kind == ROTATED ? "rotated" : kind == KERNEL ? "kernel" : "freqs";
}

/* A kernel's table is the tool's own; a table of half width has no channels. */
static bool applies(const char *claim, unsigned kind, const report *found) {
    const claim_row *row = claim_named(claim);
    assert_non_null(row);
    if (!(row->domain & kind) || (kind == KERNEL && !strcmp(claim, "table"))) return false;
    return twin_verdict(found, claim) != REPORT_SKIPPED;
}

static void expect(const report *found, const char *claims, unsigned kind, report_verdict verdict, const char *what) {
    char list[256], *rest = list;
    snprintf(list, sizeof list, "%s", claims ? claims : "");
    for (char *claim; (claim = strtok_r(rest, " ", &rest));) {
        if (!applies(claim, kind, found) || twin_verdict(found, claim) == verdict) continue;
        twin_print(found);
        fail_msg("%s: claim %s %s, and should be %s", what, claim, report_verdict_name(twin_verdict(found, claim)), report_verdict_name(verdict));
    }
}

/* A factor is read off a mean of single roundings: off by at most the bound of one, 5 u [rope_bound_trig at A != 1]. */
static const double named_within = 5 * 0x1p-24;

static void check_twin(const twin_row *row, unsigned kind, const char *folder) {
    char what[128];
    snprintf(what, sizeof what, "%s (%s)", row->name, kind_name(kind));
    report *found = judge(row, true, kind, folder);
    expect(found, row->broken, kind, REPORT_BROKEN, what);
    expect(found, row->holds, kind, REPORT_HOLDS, what);
    twin_expect_named(found, row->named, named_within, what);
    assert_int_equal(found->verdict, REPORT_BROKEN);
    report_free(found);
}

static bool same_honest(const twin_row *a, const twin_row *b) {
    const twin p = program_of(a, false, TABLE), q = program_of(b, false, TABLE);
    return !memcmp(&p, &q, sizeof p) && a->first == b->first && a->count == b->count && (a->kinds & FULL) == (b->kinds & FULL);
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void twins_are_caught_and_named(void **state) {
    for (int k = 0; k < ROWS; k++)
        for (unsigned kind = 1; kind <= KERNEL; kind *= 2)
            if (rows[k].kinds & kind) check_twin(&rows[k], kind, *state);
}

static void honest_counterparts_hold(void **state) {
    for (int k = 0; k < ROWS; k++)
        for (unsigned kind = 1; kind <= KERNEL; kind *= 2) {
            bool done = !(rows[k].kinds & kind);
            for (int j = 0; j < k && !done; j++) done = (rows[j].kinds & kind) && same_honest(&rows[j], &rows[k]);
            if (done) continue;
            char what[128];
            snprintf(what, sizeof what, "honest counterpart of '%s' (%s)", rows[k].name, kind_name(kind));
            report *found = judge(&rows[k], false, kind, *state);
            twin_expect_holds(found, what);
            report_free(found);
        }
}

/* The tightest fault there is: one entry moved by twice what it may be off. */
static void one_entry_is_caught(void **state) {
    const rope_dtype grades[] = {ROPE_F32, ROPE_F16, ROPE_BF16};
    for (size_t g = 0; g < 3; g++) {
        const twin_row row = {.grade = grades[g], .count = 280};
        report *honest = judge(&row, false, TABLE, *state);
        const double allowed = twin_claim(honest, "table")->bound;
        report_free(honest);
        /* the rows after it must not be lost to it: in f16 they need a better frequency than the sample finds */
        const twin_row faulty = {.grade = grades[g], .count = 280, .fault = {.poked = true, .poke_m = 201, .poke_pair = 5, .poke = 2.0 * allowed}};
        report *found = judge(&faulty, true, TABLE, *state);
        const report_claim *table = twin_claim(found, "table");
        assert_int_equal(table->verdict, REPORT_BROKEN);
        assert_int_equal(table->broken, 1);
        assert_int_equal(table->witness.m, 201);
        assert_int_equal(table->witness.pair, 5);
        assert_string_equal(table->witness.array, "cos");
        twin_expect_named(found, NULL, 0.0, "one entry");
        report_free(found);
    }
}

/* b^(-2i/2r) = (b^(1/2))^(-2i/r): the diagnosis says both. */
static void wrong_exponents_are_told(void **state) {
    static const struct {
        twin_row row;
        const char *said;
    } cases[] = {{{.grade = ROPE_F32, .fault = {.base = 100}}, "base 100 is used, declared 10000, or the exponent is divided by 64 where 32 is declared"},
                 {{.grade = ROPE_F32, .fault = {.base = 101}}, "base 101 is used, declared 10000"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        report *found = judge(&cases[k].row, true, FREQS, *state);
        assert_int_equal(found->diagnoses, 1);
        assert_string_equal(found->diagnosis[0].text, cases[k].said);
        report_free(found);
    }
}

/* Where products round one by one the fault is blamed, and not those: the entry that is wrong, and no other. (In two pairs one
 * rounding may explain the others as well.) */
static void short_products_hide_no_entry(void **state) {
    static const char *const models[] = {"f16 products", "bf16 products"};
    for (int k = 0; k < 8; k++) {
        const rope_dtype grade = k % 2 ? ROPE_BF16 : ROPE_F16;
        twin_row row = {.recipe = k & 2 ? TWIN_ITERATED : TWIN_DIRECT, .grade = grade, .style.short_products = true, .dim = k & 4 ? 4 : 0};
        row.fault = (twin_fault){.poked = true, .poke_m = 260, .poke_pair = 1, .poke = 0.5};
        report *found = judge(&row, true, ROTATED, *state);
        const report_claim *each = twin_claim(found, "elementwise");
        if (each->broken != 1 || !(k & 4 || strstr(found->model, models[k % 2]))) {
            twin_print(found);
            fail_msg("%s: %d entries are blamed", models[k % 2], (int)each->broken);
        }
        assert_int_equal(each->first.m, 260);
        assert_int_equal(each->witness.m, 260);
        assert_int_equal(each->witness.pair, 1);
        assert_int_equal(each->witness.head, 0);
        assert_int_equal(twin_claim(found, "magnitude")->broken, 1);
        report_free(found);
    }
}

/* And the head that does not turn, and no other. */
static void short_products_hide_no_head(void **state) {
    for (int k = 0; k < 2; k++) {
        const twin_row row = {.grade = k ? ROPE_BF16 : ROPE_F16, .style.short_products = true, .fault.head_still = true};
        report *found = judge(&row, true, ROTATED, *state);
        const report_claim *each = twin_claim(found, "elementwise");
        assert_int_equal(each->verdict, REPORT_BROKEN);
        assert_int_equal(each->first.head, TWIN_HEADS - 1);
        assert_int_equal(each->first.m, 1);
        assert_int_equal(each->witness.head, TWIN_HEADS - 1);
        expect(found, "magnitude norm group identity sign", ROTATED, REPORT_HOLDS, "one head not rotated");
        report_free(found);
    }
}

/* Rows that break the claim and, with a kind, are named so. */
static int rows_that(const char *claim, const char *kind, const char *name) {
    int count = 0;
    for (int k = 0; k < ROWS; k++) {
        char named[32] = "";
        if (rows[k].named) snprintf(named, sizeof named, "%.*s", (int)strcspn(rows[k].named, " "), rows[k].named);
        count += (!claim || twin_listed(rows[k].broken, claim)) && (!kind || !strcmp(named, kind)) && (!name || !strcmp(rows[k].name, name));
    }
    return count;
}

/* What claims say about their twins ("name; name") and usual faults is what the rows show. */
static void claims_have_their_twins(void **state) {
    (void)state;
    for (const claim_row *row = claim_rows; row->id; row++) {
        char list[256], *rest = list;
        snprintf(list, sizeof list, "%s", row->twin);
        assert_true(list[0]);
        while (*rest) {
            char *name = rest;
            rest += strcspn(rest, ";");
            if (*rest) *rest++ = 0, rest += strspn(rest, " ");
            const bool entry = !strcmp(name, "one entry off by twice its bound"); /* has a test of its own */
            if (!entry && !rows_that(row->id, NULL, name)) fail_msg("claim %s: no twin '%s' breaks it", row->id, name);
        }
        snprintf(list, sizeof list, "%s", row->kinds);
        rest = list;
        for (char *kind; (kind = strtok_r(rest, " ", &rest));)
            if (!rows_that(row->id, kind, NULL)) fail_msg("claim %s: no twin named %s breaks it", row->id, kind);
    }
}

static void kinds_have_their_twins(void **state) {
    (void)state;
    for (const fault_kind *const *kind = fault_kinds; *kind; kind++)
        if (!rows_that(NULL, (*kind)->name, (*kind)->twin)) fail_msg("kind %s: no twin '%s' is named so", (*kind)->name, (*kind)->twin);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims_have_their_twins), cmocka_unit_test(kinds_have_their_twins),
                                       cmocka_unit_test(twins_are_caught_and_named), cmocka_unit_test(honest_counterparts_hold),
                                       cmocka_unit_test(one_entry_is_caught), cmocka_unit_test(short_products_hide_no_entry),
                                       cmocka_unit_test(short_products_hide_no_head),
                                       cmocka_unit_test(wrong_exponents_are_told)};
    return cmocka_run_group_tests(tests, twin_make_folder, twin_remove_folder);
}
