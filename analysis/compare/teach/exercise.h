/* Exercises: one row each. A row draws a student's numbers, asks, and solves with certified arithmetic.
 *
 * A new exercise is three functions and a row in its family's file. Rows are counted from 1 in the order of
 * exercise_families, so that new ones belong at the end of the last family if sheets already handed out are to keep
 * their numbers; names never change.
 */
#ifndef ROPE_COMPARE_EXERCISE_H
#define ROPE_COMPARE_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "interval.h"
#include "../../report/paragraph.h"

/* ---- the same numbers for the same student ----------------------------------------------------------- */

/* SplitMix64 [Steele, Lea, Flood 2014], its state the FNV-1a hash [Fowler, Noll, Vo 1991] of "STUDENT/NAME/TRY". */
typedef struct lots {
    uint64_t state;
} lots;

lots lots_of(const char *student, const char *name, int attempt);
uint64_t lots_next(lots *from);
int lots_between(lots *from, int least, int largest); /* both included */
int lots_one_of(lots *from, int count, const int *choice);
void lots_vector(lots *from, int count, int *x, int largest); /* -largest .. largest, no entry 0 */

/* ---- what a student gets, and what the key says ------------------------------------------------------ */

/* Each exercise uses some of these, in the letters of its text. */
typedef struct exercise_numbers {
    int dim, base, length;
    int m, n, shift, i;
    int q[4], k[4], x[4];
    int W[2][2], U[2][2]; /* two matrices of a head with d = 2 */
    int offset[5];
    int clip, head, heads, advantage, factor, quarters, turns, parts;
} exercise_numbers;

enum { EXERCISE_ANSWERS = 12, EXERCISE_ENTRIES = 8 };

typedef struct exercise_answer {
    char label[48];
    int count; /* 1: a number; else a vector */
    interval value[EXERCISE_ENTRIES];
} exercise_answer;

typedef struct exercise_key {
    int count;
    exercise_answer answer[EXERCISE_ANSWERS];
} exercise_key;

/* Adds one answer; the label is printf-like. */
void key_number(exercise_key *key, interval value, const char *label, ...) __attribute__((format(printf, 3, 4)));
void key_vector(exercise_key *key, int count, const interval *value, const char *label, ...)
    __attribute__((format(printf, 4, 5)));
void key_whole(exercise_key *key, int64_t value, const char *label, ...) __attribute__((format(printf, 3, 4)));

typedef struct exercise {
    const char *name, *title;
    double least; /* rounded answers are no smaller than this, so that a pocket calculator reaches their digits */
    void (*draw)(exercise_numbers *numbers, lots *from);
    void (*ask)(FILE *out, const exercise_numbers *numbers);
    void (*solve)(exercise_key *key, const exercise_numbers *numbers);
    const char *why; /* the reason behind the answers, and what usually goes wrong */
} exercise;

extern const exercise exercises_rotation[], exercises_score[], exercises_scheme[], exercises_number[];
extern const exercise *const exercise_families[]; /* ends with NULL; each family ends with a row without name */

const exercise *exercise_at(int number);          /* from 1; NULL past the end */
const exercise *exercise_named(const char *name); /* or a number as text; NULL when there is none */

/* The student's numbers and the key. Numbers are drawn again while the key's digits are not decided, or an answer is
 * too small. */
void exercise_for(exercise_numbers *numbers, exercise_key *key, const exercise *row, const char *student);

/* Prints the key's answers, one a line. */
void exercise_print_key(FILE *out, const exercise_key *key);

/* ---- shared by the families -------------------------------------------------------------------------- */

/* Text of an exercise: a paragraph, and a question (a), (b), ... */
#define exercise_say(out, ...) text_say(out, 3, "", 0, __VA_ARGS__)
#define exercise_ask(out, label, ...) text_say(out, 3, label, 4, __VA_ARGS__)

typedef struct vector_text {
    char text[64];
} vector_text;
vector_text vector_of(int count, const int *x); /* "(3, -2)" */
vector_text matrix_of(const int W[2][2]);       /* "[1 2; 0 -1]" */

rope_spec exercise_spec(int dim, double base); /* interleaved, no scaling */
void exact_vector(int count, interval *value, const int *x);
interval inner_product(int count, const interval *x, const interval *y);
interval length_of(int count, const interval *x);
/* y = R_m x for pairs of an interleaved head. y may be x. */
void turn_vector(int dim, interval *y, const interval *x, int64_t m);
void turn_pair(interval *a, interval *b, turn by);
void apply(interval y[2], const int W[2][2], const interval x[2]); /* y = W x; y != x */

#endif
