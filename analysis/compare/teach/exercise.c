/* The sheet: who gets which numbers, and how questions and keys are printed. */
#include "exercise.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../teach.h"

const exercise *const exercise_families[] = {exercises_rotation, exercises_score, exercises_scheme, exercises_number,
                                             NULL};

/* ---- lots -------------------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t h, const char *text) {
    for (; *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

lots lots_of(const char *student, const char *name, int attempt) {
    char last[16];
    snprintf(last, sizeof last, "/%d", attempt);
    const uint64_t h = hash(UINT64_C(0xcbf29ce484222325), student);
    return (lots){hash(hash(hash(h, "/"), name), last)};
}

uint64_t lots_next(lots *from) {
    uint64_t z = from->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int lots_between(lots *from, int least, int largest) {
    return least + (int)(lots_next(from) % (uint64_t)(largest - least + 1));
}

int lots_one_of(lots *from, int count, const int *choice) {
    return choice[lots_between(from, 0, count - 1)];
}

void lots_vector(lots *from, int count, int *x, int largest) {
    for (int j = 0; j < count; j++) {
        const int size = lots_between(from, 1, largest);
        x[j] = lots_next(from) >> 63 ? -size : size;
    }
}

/* ---- rows -------------------------------------------------------------------------------------------- */

const exercise *exercise_at(int number) {
    for (const exercise *const *family = exercise_families; *family; family++)
        for (const exercise *row = *family; row->name; row++)
            if (--number == 0) return row;
    return NULL;
}

const exercise *exercise_named(const char *name) {
    for (int number = 1; exercise_at(number); number++) {
        char text[16];
        snprintf(text, sizeof text, "%d", number);
        if (strcmp(name, text) == 0 || strcmp(name, exercise_at(number)->name) == 0) return exercise_at(number);
    }
    return NULL;
}

/* ---- the key ----------------------------------------------------------------------------------------- */

static void add(exercise_key *key, int count, const interval *value, const char *label, va_list arguments) {
    assert(key->count < EXERCISE_ANSWERS && count <= EXERCISE_ENTRIES);
    exercise_answer *answer = &key->answer[key->count++];
    vsnprintf(answer->label, sizeof answer->label, label, arguments);
    answer->count = count;
    for (int j = 0; j < count; j++) answer->value[j] = value[j];
}

void key_vector(exercise_key *key, int count, const interval *value, const char *label, ...) {
    va_list arguments;
    va_start(arguments, label);
    add(key, count, value, label, arguments);
    va_end(arguments);
}

void key_number(exercise_key *key, interval value, const char *label, ...) {
    va_list arguments;
    va_start(arguments, label);
    add(key, 1, &value, label, arguments);
    va_end(arguments);
}

void key_whole(exercise_key *key, int64_t value, const char *label, ...) {
    const interval exact = interval_exact((double)value);
    va_list arguments;
    va_start(arguments, label);
    add(key, 1, &exact, label, arguments);
    va_end(arguments);
}

static bool printable(const exercise_key *key, double least) {
    char text[32];
    for (int a = 0; a < key->count; a++)
        for (int j = 0; j < key->answer[a].count; j++) {
            const interval x = key->answer[a].value[j];
            const bool small = x.low < x.high && fmin(fabs(x.low), fabs(x.high)) < least;
            if (small || !interval_digits(text, x)) return false;
        }
    return true;
}

void exercise_for(exercise_numbers *numbers, exercise_key *key, const exercise *row, const char *student) {
    for (int attempt = 0;; attempt++) {
        lots from = lots_of(student, row->name, attempt);
        *numbers = (exercise_numbers){0};
        key->count = 0;
        row->draw(numbers, &from);
        row->solve(key, numbers);
        if (printable(key, row->least)) return;
    }
}

void exercise_print_key(FILE *out, const exercise_key *key) {
    for (int a = 0; a < key->count; a++) {
        const exercise_answer *answer = &key->answer[a];
        char line[EXERCISE_ENTRIES * 34 + 4] = "= ", text[32];
        if (answer->count > 1) strcat(line, "(");
        for (int j = 0; j < answer->count; j++) {
            interval_digits(text, answer->value[j]);
            strcat(strcat(line, j ? ", " : ""), text);
        }
        if (answer->count > 1) strcat(line, ")");
        text_wrap(out, 3, answer->label, (int)strlen(answer->label) + 1, line);
    }
}

/* ---- shared by the families -------------------------------------------------------------------------- */

vector_text vector_of(int count, const int *x) {
    vector_text v = {"("};
    for (int j = 0; j < count; j++) {
        const size_t used = strlen(v.text);
        snprintf(v.text + used, sizeof v.text - used, "%s%d", j ? ", " : "", x[j]);
    }
    strcat(v.text, ")");
    return v;
}

vector_text matrix_of(const int W[2][2]) {
    vector_text v;
    snprintf(v.text, sizeof v.text, "[%d %d; %d %d]", W[0][0], W[0][1], W[1][0], W[1][1]);
    return v;
}

rope_spec exercise_spec(int dim, double base) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim;
    spec.base = base;
    spec.layout_in = spec.layout_out = ROPE_INTERLEAVED;
    const rope_status status = rope_spec_check(&spec, NULL);
    assert(status == ROPE_OK);
    (void)status;
    return spec;
}

void exact_vector(int count, interval *value, const int *x) {
    for (int j = 0; j < count; j++) value[j] = interval_exact(x[j]);
}

interval inner_product(int count, const interval *x, const interval *y) {
    interval sum = interval_exact(0);
    for (int j = 0; j < count; j++) sum = interval_sum(sum, interval_product(x[j], y[j]));
    return sum;
}

interval length_of(int count, const interval *x) {
    return interval_root(inner_product(count, x, x));
}

void turn_pair(interval *a, interval *b, turn by) {
    const interval x = *a, y = *b;
    *a = interval_difference(interval_product(x, by.c), interval_product(y, by.s));
    *b = interval_sum(interval_product(y, by.c), interval_product(x, by.s));
}

void turn_vector(int dim, interval *y, const interval *x, int64_t m) {
    const rope_spec spec = exercise_spec(dim, 10000);
    for (int i = 0; i < dim / 2; i++) {
        y[2 * i] = x[2 * i], y[2 * i + 1] = x[2 * i + 1];
        turn_pair(&y[2 * i], &y[2 * i + 1], turn_by(&spec, m, i));
    }
}

void apply(interval y[2], const int W[2][2], const interval x[2]) {
    for (int j = 0; j < 2; j++) {
        interval row[2];
        exact_vector(2, row, W[j]);
        y[j] = inner_product(2, row, x);
    }
}

/* ---- the sheet --------------------------------------------------------------------------------------- */

static void print_notation(FILE *out, const char *student) {
    text_say(out, 0, "", 0, "Exercises on position encodings for: %s", student);
    fprintf(out, "\n");
    text_wrap(
        out, 0, "", 0,
        "Notation. Positions count from 0. The query q stands at position m, the key k at position n; r = n - m is "
        "the offset, |r| the distance. A head has d channels. Pair i, counted from 0, turns by theta_i = b^(-2i/d) "
        "radians per position; the base b is 10000 unless something else is said, so theta_0 = 1. R_m turns a pair "
        "(x, y) by the angle a = m theta_i:");
    fprintf(out, "\n      R_m (x, y) = (x cos a - y sin a,  y cos a + x sin a)\n\n");
    text_wrap(out, 0, "", 0,
              "Channels (0, 1) are pair 0, (2, 3) pair 1, and so on, unless something else is said. A score is the "
              "product of query and key, without 1/sqrt(d). A matrix [a b; c d] has the rows (a, b) and (c, d); I is "
              "the identity. Angles are in radians: set your calculator. Give numbers to 6 significant digits.");
    fprintf(out, "\n");
    text_wrap(
        out, 0, "", 0,
        "The numbers are drawn from the name above (the FNV-1a hash of its bytes starts the generator SplitMix64): the "
        "same name gives the same sheet anywhere.");
}

/* One paragraph a line; what belongs to a question begins with its letter, "(b) ...". */
static void print_why(FILE *out, const char *why) {
    for (size_t length; *why; why += length + (why[length] != 0)) {
        length = strcspn(why, "\n");
        const bool lettered = why[0] == '(' && why[2] == ')';
        char label[4] = "", text[1024];
        if (lettered) memcpy(label, why, 3);
        snprintf(text, sizeof text, "%.*s", (int)length, why);
        text_wrap(out, 3, label, lettered ? 4 : 0, lettered ? text + 4 : text);
    }
}

static void print_exercise(FILE *out, int number, const char *student, bool answer) {
    const exercise *row = exercise_at(number);
    exercise_numbers numbers;
    exercise_key key;
    exercise_for(&numbers, &key, row, student);
    fprintf(out, "\n%d. %s\n\n", number, row->title);
    row->ask(out, &numbers);
    if (!answer) return;
    fprintf(out, "\n   Answer\n");
    exercise_print_key(out, &key);
    print_why(out, row->why);
}

static void print_list(FILE *out) {
    for (int number = 1; exercise_at(number); number++)
        fprintf(out, "%4d  %-16s%s\n", number, exercise_at(number)->name, exercise_at(number)->title);
    fprintf(out, "\n");
    text_wrap(
        out, 0, "", 0,
        "rope-compare exercise N --seed ID prints exercise N (a number, a name, or all) with the numbers of student "
        "ID; --answer adds the key.");
}

/* Text that a terminal shows as it is and that fits a line. */
static bool plain(const char *student) {
    const size_t length = strlen(student);
    for (const char *c = student; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) return false;
    return length > 0 && length <= 200;
}

rope_status teach_exercise(FILE *out, const char *which, const char *student, bool answer, rope_error *error) {
    if (!which) {
        print_list(out);
        return ROPE_OK;
    }
    const exercise *row = exercise_named(which);
    if (!row && strcmp(which, "all") != 0)
        return rope_fail(error, ROPE_BAD_INPUT, "exercise", "a number, a name or all; rope-compare exercise lists them",
                         "there is no exercise '%s'", which);
    if (!student || !plain(student))
        return rope_fail(error, ROPE_BAD_INPUT, "--seed",
                         "any text of one line, such as a student's name: --seed alice",
                         student ? "a name has 1 to 200 characters and none that steers a terminal"
                                 : "whose numbers? The exercise needs it");
    print_notation(out, student);
    for (int number = 1; exercise_at(number); number++)
        if (!row || exercise_at(number) == row) print_exercise(out, number, student, answer);
    return ROPE_OK;
}
