/* Published results, recomputed. An item is a function and a row of reproduce_items; it reports one finding per number.
 */
#ifndef ROPE_DECAY_REPRODUCE_H
#define ROPE_DECAY_REPRODUCE_H

#include "../decay.h"

typedef enum reproduce_verdict {
    REPRODUCED,
    DIFFERS,
    FALSE_AS_PRINTED,
    COMPARED /* what another reading gives, or a number that the paper does not have */
} reproduce_verdict;

/* Where the number comes from that ours is compared with. */
typedef enum reproduce_kind {
    PRINTED,     /* in the source, in digits or as a theorem */
    DRAWN,       /* read from the paths of the source's figure */
    INDEPENDENT, /* nobody published it: an independent computation */
    UNVERIFIED,  /* as the source is quoted; not seen there */
    UNMATCHED    /* nothing to compare with */
} reproduce_kind;
enum { REPRODUCE_KINDS = UNMATCHED + 1, REPRODUCE_VERDICTS = COMPARED + 1 };

typedef struct reproduce_tally {
    int count[REPRODUCE_KINDS][REPRODUCE_VERDICTS];
    FILE *text;       /* see decay_session */
    sheet *findings;  /* one row each */
    const char *item; /* that of the next findings */
} reproduce_tally;

typedef struct reproduce_item {
    const char *name, *title, *source;
    unsigned sources; /* decay_cite */
    rope_status (*run)(reproduce_tally *tally, rope_error *error);
} reproduce_item;

extern const reproduce_item reproduce_items[]; /* ends with a NULL name */

/* One line: other is text as it was printed, read or computed; ours is off by at most error (NAN: an approximation);
 * why is one sentence. */
void reproduce_finding(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, double ours,
                       double error, reproduce_verdict verdict, const char *why);
/* The verdict by the other's digits: reproduced when ours rounds to them, up to one unit of the last (figures are read,
 * not printed). */
void reproduce_number(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, double ours,
                      double error, const char *why);
/* Whole numbers and yes/no results. */
void reproduce_exact(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other, const char *ours,
                     reproduce_verdict verdict, const char *why);
/* A number of samples: ours is reproduced within `window` of `expected`, which other says. */
void reproduce_sampled(reproduce_tally *tally, reproduce_kind kind, const char *what, const char *other,
                       double expected, double ours, double window, const char *why);

/* d = 128 or 64 and so on, default rule. */
rope_spec reproduce_spec(int dim, double base);
/* B and C at one real distance, as doubles and bounds, from sums at 160 bits. */
typedef struct reproduce_value {
    double B, B_error, C, C_error;
} reproduce_value;
reproduce_value reproduce_at(const rope_spec *spec, double r);
/* Correctly rounded B, C at r = 0 .. n - 1: each off by half an ulp. */
rope_status reproduce_curve(const rope_spec *spec, int64_t n, double *B, double *C, rope_error *error);

rope_status reproduce_roformer_figure(reproduce_tally *tally, rope_error *error);
rope_status reproduce_reference(reproduce_tally *tally, rope_error *error);
rope_status reproduce_pi_figure(reproduce_tally *tally, rope_error *error);
rope_status reproduce_pi_theorem(reproduce_tally *tally, rope_error *error);
rope_status reproduce_men_table(reproduce_tally *tally, rope_error *error);
rope_status reproduce_su_table(reproduce_tally *tally, rope_error *error);
rope_status reproduce_men_fit(reproduce_tally *tally, rope_error *error);
rope_status reproduce_men_figure_4(reproduce_tally *tally, rope_error *error);
rope_status reproduce_men_figure_5(reproduce_tally *tally, rope_error *error);
rope_status reproduce_first_negative(reproduce_tally *tally, rope_error *error);
rope_status reproduce_men_settings(reproduce_tally *tally, rope_error *error);
rope_status reproduce_xpos_figure(reproduce_tally *tally, rope_error *error);
rope_status reproduce_t5(reproduce_tally *tally, rope_error *error);
rope_status reproduce_alibi(reproduce_tally *tally, rope_error *error);
rope_status reproduce_yarn(reproduce_tally *tally, rope_error *error);
rope_status reproduce_barbero(reproduce_tally *tally, rope_error *error);
rope_status reproduce_returns(reproduce_tally *tally, rope_error *error);
rope_status reproduce_critical_dimension(reproduce_tally *tally, rope_error *error);

#endif
