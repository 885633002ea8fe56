/* Seeded numbers for probe vectors: the same on every platform. xorshift64* [Vigna 2016]. */
#ifndef ROPE_VERIFY_RANDOM_H
#define ROPE_VERIFY_RANDOM_H

#include <stdint.h>

#include "../../src/number/dtype.h"

typedef struct rope_random {
    uint64_t state;
} rope_random;

static inline rope_random rope_random_seeded(uint64_t seed) {
    return (rope_random){seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du + (seed == 0)};
}

static inline uint64_t rope_random_next(rope_random *random) {
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1du;
}

/* A value of a format with p bits in (-2, 2), never 0: a multiple of 2^(2-p), so that sums of two are exact, and no
 * coarser, so that rounding a value to a shorter format on the way shows. */
static inline double rope_random_value(rope_random *random, rope_dtype dtype) {
    const int bits = rope_format_of(dtype)->precision - 2;
    const int64_t k = (int64_t)(rope_random_next(random) >> 1) % ((INT64_C(2) << bits) - 1) + 1;
    return (double)(rope_random_next(random) >> 63 ? -k : k) / (double)(INT64_C(1) << bits);
}

/* A multiple of 2^-6 in (-2, 2), never 0: weights that no format rounds. */
static inline double rope_random_grid(rope_random *random) { return rope_random_value(random, ROPE_BF16); }

#endif
