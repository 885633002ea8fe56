/* Frequencies theta_i and magnitude A of a spec, certified; one file per scaling rule.
 *
 * A new rule is one file that defines a rope_rule and one row in rule.c.
 * Sources: default [RoFormer eq. 15]; linear [Chen et al. 2023, arXiv 2306.15595, eq. 4]; ntk
 * [NTK-aware scaled RoPE, 2023; YaRN, arXiv 2309.00071, definition 1].
 */
#ifndef ROPE_FREQUENCY_H
#define ROPE_FREQUENCY_H

#include <mpfr.h>

#include "../spec.h"

typedef struct rope_rule_key {
    const char *name;      /* as in Hugging Face's rope_parameters */
    double least, largest; /* accepted range, bounds included */
    bool required;
    double standard; /* value when not required and not given */
} rope_rule_key;

struct rope_rule {
    const char *name;
    const char *statement; /* theta_i as a formula, for reports */
    rope_rule_key key[ROPE_RULE_KEYS + 1]; /* ends with a NULL name */

    /* Conditions between parameters; NULL when there are none. */
    rope_status (*check)(const rope_spec *spec, rope_error *error);

    /* theta_i with |result - theta_i| <= theta_i 2^(1-p), p the precision of theta. */
    void (*theta)(mpfr_t theta, const rope_spec *spec, int i);

    /* A to the precision of A; NULL when the rule implies A = 1. */
    void (*magnitude)(mpfr_t A, const rope_spec *spec);

    /* Roundings (in u) that an honest float32 program spends on theta_i beyond the unscaled one's; NULL: none. */
    double (*roundings)(const rope_spec *spec, int i);
};

extern const rope_rule *const rope_rules[]; /* ends with NULL */
extern const rope_rule rope_rule_default, rope_rule_linear, rope_rule_ntk;

const rope_rule *rope_rule_named(const char *name); /* NULL when unknown */

/* theta_i of the spec, |result - theta_i| <= theta_i 2^(1-p) with p the precision of theta. */
void rope_frequency(mpfr_t theta, const rope_spec *spec, int i);

/* The rule's roundings for pair i, in u; 0 when it adds none. */
double rope_rule_roundings(const rope_spec *spec, int i);

/* theta_i rounded to binary64 (error below 2^-52 theta_i). */
double rope_frequency_double(const rope_spec *spec, int i);

/* A of the spec: the user's magnitude, else what the rule implies; |result - A| <= A 2^(1-p). */
void rope_magnitude(mpfr_t A, const rope_spec *spec);
double rope_magnitude_double(const rope_spec *spec);

/* b'^(-2i/r) for any b' > 0: |result - exact| <= exact 2^(1-p). The kernel of every rule. */
void rope_power(mpfr_t theta, const mpfr_t base, int i, int rotary_dim);

#endif
