/* rope-decay: what is asked, and the curves that answer it.
 *
 * A curve is one quantity of one spec over the distances of a sweep: numbers with proved error bounds. Curves are rows
 * of decay_curve_kinds, vector kinds rows of decay_vector_kinds, published results rows of reproduce_items.
 */
#ifndef ROPE_DECAY_DECAY_H
#define ROPE_DECAY_DECAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../src/decay.h"
#include "../command/program.h"
#include "../command/sheet.h"
#include "../report/number.h"

enum { EXIT_DONE = 0, EXIT_MISUSE = 2 };

enum { DECAY_MOST_BITS = 4096 }; /* where a double that is not decided is given up */

/* ---- distances ------------------------------------------------------------------------------------- */

typedef struct decay_points {
    rope_distances line; /* first + k step, when list is NULL */
    double *list;        /* --log-distance: whole numbers, rising */
    int64_t count;
} decay_points;

rope_status decay_parse_distance(decay_points *points, const char *text, const char *name, rope_error *error);
rope_status decay_parse_log_distance(decay_points *points, const char *text, const char *name, rope_error *error);
double decay_point(const decay_points *points, int64_t k);               /* rounded to a double */
void decay_point_exact(mpfr_t r, const decay_points *points, int64_t k); /* sets the precision of r */

/* ---- vectors --------------------------------------------------------------------------------------- */

/* Query and key of `samples` draws; d channels each, paired as the spec's layout says. */
typedef struct decay_vectors {
    int samples, dim;
    double *q, *k;
} decay_vectors;

typedef struct decay_vector_request {
    const struct decay_vector_kind *kind;
    double peak; /* adversarial: where the score is to be largest */
    int samples; /* Gaussian */
    uint64_t seed;
    const char *query, *key; /* files */
} decay_vector_request;

typedef struct decay_vector_kind {
    const char *name, *statement;
    bool sampled; /* many draws: curves of their mean, rms and quantiles */
    rope_status (*fill)(decay_vectors *vectors, const decay_vector_request *request, const rope_spec *spec,
                        rope_error *error);
} decay_vector_kind;

extern const decay_vector_kind decay_vector_kinds[]; /* the first is the default; ends with a NULL name */
extern const decay_vector_kind decay_vector_files;   /* --query, --key */

const decay_vector_kind *decay_vector_kind_named(const char *name); /* NULL when unknown */
/* The spec with a layout: scores are the same under every pairing that q and k share, so where none is declared any
 * will do. */
rope_spec decay_paired(const rope_spec *spec);
rope_status decay_vectors_new(decay_vectors *vectors, const decay_vector_request *request, const rope_spec *spec,
                              rope_error *error);
void decay_vectors_free(decay_vectors *vectors);
static inline const double *decay_query(const decay_vectors *v, int sample) {
    return v->q + (size_t)sample * (size_t)v->dim;
}
static inline const double *decay_key(const decay_vectors *v, int sample) {
    return v->k + (size_t)sample * (size_t)v->dim;
}

/* ---- request --------------------------------------------------------------------------------------- */

typedef enum decay_quantity {
    QUANTITY_BOUND,
    QUANTITY_SUM,
    QUANTITY_ABEL,
    QUANTITY_SCORE,
    QUANTITY_ENVELOPE,
    QUANTITIES
} decay_quantity;
extern const char *const decay_quantity_names[QUANTITIES + 1];

typedef struct decay_request {
    rope_spec *spec;
    int specs;
    decay_points points;
    bool wants[QUANTITIES];
    bool law;
    long bits;  /* ROPE_DECAY_DOUBLE or more */
    int digits; /* significant decimals of a value */
    bool digits_given;
    decay_vector_request vectors;
    int shard, shards; /* 1 of 1: everything */
    char *command;     /* canonical: no paths, no shard, nothing that leaves numbers as they are */
    char *inexact;     /* which decimals of the command stand for doubles that are not they; NULL: none */
} decay_request;

/* ---- curves ---------------------------------------------------------------------------------------- */

typedef struct decay_curve_kind decay_curve_kind;

/* Values at the distances from .. from + count - 1 of the sweep. */
typedef struct decay_curve {
    const decay_curve_kind *kind;
    const rope_spec *spec;
    char label[160]; /* the spec in words */
    int64_t from, count;
    double *value, *error; /* |value - exact| <= error; NAN for an approximation, which bounds nothing */
    char **text;           /* at more bits than a double's: the digits; NULL otherwise */
    double *text_error;    /* of the digits as they are printed */
    int64_t undecided;     /* values whose rounding the bits did not decide */
} decay_curve;

/* One spec's tables while its curves are computed. */
typedef struct decay_sweep {
    const decay_request *request;
    rope_spec spec;              /* with a layout */
    rope_decay *doubles, *limbs; /* NULL where neither is used */
    int64_t *place;              /* of a list: its distances as places in doubles; else NULL */
    decay_vectors vectors;
    option_bar *bar;
    uint64_t done;
} decay_sweep;

struct decay_curve_kind {
    const char *name;
    decay_quantity quantity;
    enum { ANY_VECTORS, ONE_PAIR, MANY_PAIRS } vectors; /* drawn for such vectors only */
    bool law;                                           /* an approximation, drawn with --law only */
    const char *unit;                                   /* what it is, for the TSV's comments */
    /* Fills n values from `at` on (index in the curve). parameter is a quantile, or which of two. */
    rope_status (*fill)(decay_sweep *sweep, decay_curve *curve, int64_t at, int64_t n, rope_error *error);
    double parameter;
};

extern const decay_curve_kind decay_curve_kinds[]; /* ends with a NULL name */

bool decay_wants(const decay_request *request, const decay_curve_kind *kind);

/* All curves of the request (of its shard), spec by spec; *count of them. decay_curves_free(NULL, 0) is fine. */
rope_status decay_curves(decay_curve **curves, int *count, const decay_request *request, option_bar *bar,
                         rope_error *error);
void decay_curves_free(decay_curve *curves, int count);

/* ---- numbers as text ------------------------------------------------------------------------------- */

/* The value with `digits` significant digits when every number within error of it rounds to the same ones, else NULL.
 * Memory the caller frees. *off: how far the digits may lie from the exact number. */
char *decay_digits(const mpfr_t value, const mpfr_t error, int digits, double *off);
/* Significant digits of a curve's values: those asked for, at most 17 of doubles. */
int decay_digits_of(const decay_request *request, const decay_curve *curve);
/* How far a printed double of so many digits may lie from an exact number within error of it. */
double decay_printed_error(double value, double error, int digits);
/* mpfr number and error as doubles: |*value - exact| <= *error. */
void decay_to_doubles(double *value, double *error, const mpfr_t exact, const mpfr_t bound);

/* ---- the closed form ------------------------------------------------------------------------------- */

/* Frequencies scale ratio^-(i/h): what every rule that keeps them in geometric progression does. */
typedef struct decay_law {
    int pairs;
    double first, log_ratio; /* theta_0, ln(theta_0 / theta_h) */
} decay_law;

rope_status decay_law_new(decay_law *law, const rope_spec *spec, rope_error *error);
double decay_law_sum(const decay_law *law, double r);
double decay_law_bound(const decay_law *law, double r);
double decay_floor_sum(int pairs);   /* rms of C for random phases */
double decay_floor_bound(int pairs); /* mean of B for random phases */

/* ---- output ---------------------------------------------------------------------------------------- */

typedef struct decay_output {
    const char *tsv, *table, *plot, *keep;
    const char *figure; /* script template; NULL: the call's */
    bool log_x, cite;
    double width;
} decay_output;

/* What would be refused after a long computation is refused before it. */
rope_status decay_check_output(const decay_output *output, rope_error *error);
rope_status decay_write(const decay_output *output, const decay_request *request, const decay_curve *curves, int count,
                        rope_error *error);
/* TSV and figure of any sheet, as output asks for them. */
rope_status decay_write_sheet(const decay_output *output, const char *figure_name, const sheet *s, rope_error *error);
void decay_print_table(const decay_request *request, const decay_curve *curves, int count);
/* As printf, to where the text of a call goes: nowhere when out is NULL. */
__attribute__((format(printf, 2, 3))) void decay_say(FILE *out, const char *form, ...);
/* The text under every run. */
rope_status decay_summary(FILE *out, const decay_request *request, const decay_curve *curves, int count,
                          rope_error *error);

/* ---- bases and contexts ---------------------------------------------------------------------------- */

/* (d - r)/2: the pairs that are not turned add cos 0 = 1 each to C. */
double decay_passed_pairs(const rope_spec *spec);
/* Sign of C(m) + passed by MPFR; 0 when 1024 bits do not tell. |*value - exact| <= *error. */
int decay_sign_of_sum(const rope_spec *spec, int64_t m, double *value, double *error);
/* The first whole r >= 1, r < limit, with C(r) + passed < 0, certified; 0: none. */
rope_status decay_first_negative(int64_t *first, const rope_spec *spec, int64_t limit, option_bar *bar,
                                 rope_error *error);

#define DECAY_LARGEST_BASE 1e15

/* An interval of bases that serve a context: C(r) + passed >= 0 for all whole r < length. */
typedef struct decay_island {
    double first, last; /* first 1: from there, 1 excluded; last INFINITY: beyond DECAY_LARGEST_BASE */
} decay_island;

typedef struct decay_search {
    uint64_t steps; /* each proved */
    int jumps;      /* places where it went on by a relative 2^-26 without a proof */
    int below;      /* 1: all bases from 1 to the walk's first, 1 + 2^-20, serve; -1: none does; 0: not proved */
} decay_search;

/* The first islands above base 1, at most *count; sets *count. All bases between are proved to fail, all in an island
 * to serve, but for what is narrower than a relative 2^-26. Rules default, linear and ntk. */
rope_status decay_islands(decay_island *island, int *count, decay_search *search, const rope_spec *spec, int64_t length,
                          option_bar *bar, rope_error *error);

/* ---- references ------------------------------------------------------------------------------------ */

/* Sources, as bits. */
enum {
    CITE_ROFORMER = 1,
    CITE_MEN = 2,
    CITE_BARBERO = 4,
    CITE_SU = 8,
    CITE_PI = 16,
    CITE_XPOS = 32,
    CITE_T5 = 64,
    CITE_ALIBI = 128,
    CITE_YARN = 256,
    CITE_LIU = 512
};

void decay_cite(FILE *out, unsigned sources); /* BibTeX entries */
unsigned decay_sources(const decay_request *request);

/* ---- calls ----------------------------------------------------------------------------------------- */

typedef struct decay_session {
    decay_request request;
    decay_output output;
    program_line line;
    FILE *text;     /* of context and reproduce: standard error when the TSV goes to standard output, NULL when quiet */
    rope_spec spec; /* SPEC options, the last --base included */
    bool has_base;
    int64_t *length; /* context: each --length */
    int lengths;
    decay_points bases; /* context: --bases */
    int64_t limit;      /* context, returns: how far to look; 0: the default */
    int islands;
} decay_session;

int decay_context(decay_session *session, rope_error *error);
int decay_returns(decay_session *session, rope_error *error);
int decay_reproduce(decay_session *session, rope_error *error);

#endif
