#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../report/number.h"
#include "compare.h"
#include "encoding/shared.h"

static const struct kind {
    const char *name, *formula, *words;
    bool relative; /* what theory says */
    const char *loss;
} kinds[VALUES_KINDS] = {
    {"none", "o_m = sum_n a_mn v_n", "the weights depend on n - m, the values on no position", true, "2.712"},
    {"v", "o_m = sum_n a_mn R_n v_n", "every value brings its absolute position along", false, "2.783"},
    {"v and back", "R_m^T o_m = sum_n a_mn R_(n-m) v_n", "turned back, only n - m is left", true, "2.719"}};

/* The outputs with the positions counted from `first`. */
static rope_status outputs(rows *output[VALUES_KINDS], const compare_data *data, int64_t first, rope_error *error) {
    encoding_run run = {0};
    const rope_spec spec = encoding_rotation(data, ROPE_INTERLEAVED);
    const rope_status built = encoding_build(&run, encoding_named("rope"), data, first, error);
    if (built == ROPE_OK) {
        rows *const turned = rows_rotate(data->value, &spec, first, false);
        output[VALUES_NONE] = measure_output(&run, data->value);
        output[VALUES_TURNED] = turned ? measure_output(&run, turned) : NULL;
        output[VALUES_BACK] = rows_rotate(output[VALUES_TURNED], &spec, first, true);
        rows_free(turned);
    }
    encoding_free(&run);
    if (built != ROPE_OK || (output[VALUES_NONE] && output[VALUES_BACK])) return built;
    return rope_fail(error, ROPE_NO_MEMORY, "", "a smaller --length or --dim", "memory is out");
}

rope_status values_measure(row_defect found[VALUES_KINDS], const compare_data *data, int64_t shift, rope_error *error) {
    rows *at[VALUES_KINDS] = {NULL}, *moved[VALUES_KINDS] = {NULL};
    rope_status status = outputs(at, data, 0, error);
    if (status == ROPE_OK) status = outputs(moved, data, shift, error);
    for (int k = 0; k < VALUES_KINDS; k++) {
        if (status == ROPE_OK) found[k] = measure_rows(at[k], moved[k]);
        rows_free(at[k]);
        rows_free(moved[k]);
    }
    return status;
}

static sheet *values_sheet(const compare_session *session, const row_defect found[VALUES_KINDS]) {
    static const char *const names[] = {"rotated", "output", "only n - m?", "shift defect", "bound", "loss"};
    sheet *const s = compare_sheet(session);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        sheet_column(s, names[k], k < 3 ? SHEET_TEXT : SHEET_NUMBER);
    for (int k = 0; k < VALUES_KINDS; k++) {
        char value[32];
        compare_value_text(value, found[k].defect, found[k].bound, 4);
        if (found[k].stays == MEASURE_UNDECIDED) strcpy(value, "-");
        sheet_row(s);
        sheet_text(s, kinds[k].name);
        sheet_text(s, kinds[k].formula);
        sheet_text(s, measure_answers[found[k].stays]);
        sheet_text(s, value);
        sheet_text(s, number_bound(found[k].bound).text);
        sheet_text(s, kinds[k].loss);
    }
    return s;
}

int compare_values(compare_session *session, rope_error *error) {
    compare_data data;
    row_defect found[VALUES_KINDS];
    if (compare_open_data(&data, session, error) != ROPE_OK) return EXIT_MISUSE;
    rope_status status = values_measure(found, &data, session->shift, error);
    compare_data_free(&data);
    if (status != ROPE_OK) return EXIT_MISUSE;
    char *const what = compare_statement(session);
    sheet *const s = values_sheet(session, found);
    bool as_theory_says = true;
    printf("Outputs under RoPE scores, %s.\nHow far do they move when all positions move by %" PRId64 "?\n\n", what,
           session->shift);
    sheet_print(stdout, s);
    printf("\n");
    for (int k = 0; k < VALUES_KINDS; k++) {
        printf("%s: %s.\n", kinds[k].name, kinds[k].words);
        const bool stays = kinds[k].relative || session->shift == 0;
        as_theory_says = as_theory_says && found[k].stays != (stays ? MEASURE_NO : MEASURE_YES);
    }
    printf("RoFormer's target (eq. 11) asks for n - m in the score alone; v meets no second rotated vector, so\n"
           "nothing turns it back. Hence equations 5 to 7 drop f_v. loss: of 1B models trained by J. Su with q, k\n"
           "and the above rotated (kexue.fm 10862), as published; without any position 2.795, v alone 2.856.\n");
    if (!as_theory_says) printf("FAIL: an output does not move as theory says\n");
    status = compare_write_table(session, s, error);
    sheet_free(s);
    free(what);
    return status != ROPE_OK ? EXIT_MISUSE : as_theory_says ? EXIT_DONE : EXIT_FAILED;
}
