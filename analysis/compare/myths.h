/* What is claimed about RoPE, and the numbers that decide it.
 *
 * A claim is a row of `myths`: words, and a function that computes its numbers on the spot, each with a bound, and says
 * whether they settle the verdict. Where a sweep found the distance of a number, the words say so. Claims about trained
 * models (perplexity, GLUE scores) are no business of a calculator and are not here.
 */
#ifndef ROPE_COMPARE_MYTHS_H
#define ROPE_COMPARE_MYTHS_H

#include <stdbool.h>

#include "../../src/status.h"

typedef enum myth_verdict { MYTH_TRUE, MYTH_PART, MYTH_FALSE } myth_verdict;

enum { MYTH_NUMBERS = 3 };

typedef struct myth_number {
    double value, bound; /* |value - exact| <= bound */
} myth_number;

typedef struct myth_finding {
    myth_number number[MYTH_NUMBERS];
    bool settled; /* the numbers, within their bounds, are such that the verdict stands */
} myth_finding;

typedef rope_status myth_find(myth_finding *found, rope_error *error);

typedef struct myth {
    const char *id, *claim, *source;
    myth_verdict verdict;
    const char *meaning[MYTH_NUMBERS]; /* of each number; NULL: there are no more */
    const char *why;                   /* one sentence */
    myth_find *find;
} myth;

extern const myth myths[];                /* ends with a NULL id */
extern const char *const myth_verdicts[]; /* "true", "true only in part", "false" */

/* The claims' functions, in finding/, by what they compute with. */
myth_find find_orthogonal, find_group, find_relative, find_outputs, find_decays, find_bound_decreases,
    find_bound_useful, find_bound_vanishes, find_rate, find_schedule, find_last_frequency, find_wavelengths,
    find_larger_base, find_base_500, find_interpolation_range, find_interpolation_theorem, find_least_base,
    find_extrapolates, find_linear_time, find_consistent, find_sinusoid_relative, find_sinusoid_turns, find_only_rope,
    find_equation_19, find_parameters, find_unique, find_coincide, find_order, find_layouts, find_absolute,
    find_bf16_scores, find_bf16_positions, find_gaussian;

#endif
