/* What a RoPE is: head size, rotary width, base, layout, scaling, magnitude.
 *
 * Symbols [RoFormer, arXiv 2104.09864]: d head size (dim); r rotary width (rotary_dim, even, r <= d);
 * h = r/2 pairs; theta_i = b^(-2i/r) rad per position (eq. 15, i from 0); R_m the rotation at
 * position m (eq. 13): y_a = x_a cos - x_b sin, y_b = x_b cos + x_a sin; A the magnitude factor on cos
 * and sin.
 *
 *     rope_spec spec = rope_spec_default();
 *     spec.dim = 80; spec.rotary_dim = 32;
 *     if (rope_spec_set_scaling(&spec, "linear:factor=4", &error) != ROPE_OK) ...
 *     if (rope_spec_check(&spec, &error) != ROPE_OK) ...
 */
#ifndef ROPE_SPEC_H
#define ROPE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

typedef enum rope_layout {
    ROPE_LAYOUT_UNSET,
    ROPE_INTERLEAVED, /* pair i is channels (2i, 2i+1); GPT-J, ggml "normal" */
    ROPE_HALF         /* pair i is channels (i, i+h); GPT-NeoX, rotate_half */
} rope_layout;

typedef enum rope_end { ROPE_LEADING, ROPE_TRAILING } rope_end;

enum { ROPE_RULE_KEYS = 8, ROPE_MAX_DIM = 8192 };

typedef struct rope_rule rope_rule; /* frequency/frequency.h */

typedef struct rope_spec {
    int dim;                         /* d */
    int rotary_dim;                  /* r; 0 until rope_spec_check sets it to d */
    rope_end rotary_at;              /* the first or the last r channels are rotated */
    double base;                     /* b: the binary64 number nearest to what the user wrote */
    rope_layout layout_in;           /* how pairs are read ... */
    rope_layout layout_out;          /* ... and written; nearly always the same */
    const rope_rule *rule;           /* scaling rule, never NULL */
    double rule_value[ROPE_RULE_KEYS]; /* its parameters, in the rule's key order */
    bool has_magnitude;              /* magnitude was set by the user, else the rule implies A */
    double magnitude;
} rope_spec;

/* d = 128, r = d, b = 10000, layout unset, rule default, A implied. */
rope_spec rope_spec_default(void);

/* "interleaved" (gptj, normal), "half" (neox, rotate_half), or "IN:OUT". */
rope_status rope_spec_set_layout(rope_spec *spec, const char *text, rope_error *error);

/* "RULE" or "RULE:key=value,..." with Hugging Face's keys. */
rope_status rope_spec_set_scaling(rope_spec *spec, const char *text, rope_error *error);

/* Fills defaults (rotary_dim, magnitude when it is implied) and refuses what is no RoPE: odd or oversized r,
 * base <= 1, non-finite numbers, a rule's parameter out of range. Place names the option. */
rope_status rope_spec_check(rope_spec *spec, rope_error *error);

int rope_spec_pairs(const rope_spec *spec);   /* h = r/2 */
int rope_spec_first(const rope_spec *spec);   /* first rotary channel: 0 or d-r */

/* Channels (a, b) of pair i in a head of d channels, under the given layout. */
void rope_spec_channels(const rope_spec *spec, rope_layout layout, int i, int *a, int *b);

const char *rope_layout_name(rope_layout layout); /* "interleaved", "half", "unset" */

/* One canonical line, "dim 128 base 10000 half linear:factor=4"; always terminated. */
void rope_spec_describe(const rope_spec *spec, char *text, size_t size);

#endif
