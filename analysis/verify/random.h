/* Seeded numbers for probe vectors: the same on every platform. xorshift64* [Vigna 2016]. */
#ifndef ROPE_VERIFY_RANDOM_H
#define ROPE_VERIFY_RANDOM_H

#include <stdint.h>

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

/* A multiple of 2^-6 in (-2, 2), never 0: seven bits, so that sums of two are exact in bfloat16. */
static inline double rope_random_grid(rope_random *random) {
    const int64_t k = (int64_t)(rope_random_next(random) >> 32) % 127 + 1;
    return (double)(rope_random_next(random) >> 63 ? -k : k) / 64.0;
}

#endif
