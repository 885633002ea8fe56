#include "finding.h"

#include <math.h>

#include "../../../src/decay.h"

static const double u = 0x1p-53;

rope_status finding_no_memory(rope_error *error) {
    return rope_fail(error, ROPE_NO_MEMORY, "", NULL, "memory is out");
}

myth_number finding_number(const mpfr_t x, double off) {
    const double value = mpfr_get_d(x, MPFR_RNDN);
    return (myth_number){value, off + u * fabs(value)};
}

myth_number finding_whole(int64_t n) {
    return (myth_number){(double)n, 0.0};
}

myth_number finding_difference(myth_number a, myth_number b) {
    const double value = a.value - b.value;
    return (myth_number){value, (a.bound + b.bound + u * fabs(value)) * (1.0 + 4.0 * u)};
}
myth_number finding_times(double factor, myth_number a) {
    const double value = factor * a.value;
    return (myth_number){value, (fabs(factor) * a.bound + u * fabs(value)) * (1.0 + 4.0 * u)};
}
myth_number finding_quotient(myth_number a, myth_number b) {
    const double value = a.value / b.value;
    return (myth_number){value, ((a.bound + fabs(value) * b.bound) / (fabs(b.value) - b.bound) + u * fabs(value)) *
                                    (1.0 + 8.0 * u)};
}

bool finding_above(myth_number a, myth_number b) {
    return a.value - a.bound > b.value + b.bound;
}
bool finding_above_number(myth_number a, double b) {
    return finding_above(a, (myth_number){b, 0.0});
}
bool finding_is_zero(myth_number a) {
    return fabs(a.value) <= a.bound;
}

rope_spec finding_spec(int dim, double base) {
    rope_spec spec = rope_spec_default();
    spec.dim = dim;
    spec.base = base;
    spec.layout_in = spec.layout_out = ROPE_INTERLEAVED;
    rope_spec_check(&spec, NULL);
    return spec;
}

typedef struct decay_pair {
    myth_number B, C;
} decay_pair;

static decay_pair decay_at(int dim, double base, double r) {
    const rope_spec spec = finding_spec(dim, base);
    rope_decay_value at;
    mpfr_t distance;
    mpfr_init2(distance, 53);
    mpfr_set_d(distance, r, MPFR_RNDN);
    rope_decay_value_init(&at);
    rope_decay_at(&at, &spec, distance, FINDING_BITS);
    const decay_pair found = {finding_number(at.B, mpfr_get_d(at.B_error, MPFR_RNDU)),
                              finding_number(at.C, mpfr_get_d(at.C_error, MPFR_RNDU))};
    rope_decay_value_clear(&at);
    mpfr_clear(distance);
    return found;
}

myth_number finding_B(double r) {
    return decay_at(128, 1e4, r).B;
}
myth_number finding_C(double r) {
    return decay_at(128, 1e4, r).C;
}
