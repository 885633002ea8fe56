/* R_(-m) instead of R_m. [bugs of kind SIGN: norms and relative scores of equal q and k stay right] */
#include "fault.h"

static void propose(const fault_context *context, fault_list *list) {
    if (!context->evidence) return;
    fault_propose(context, list, &fault_sign, "every pair turns the other way: R_(-m) where R_m is declared")->program.sign = -1;
}

const fault_kind fault_sign = {
    .name = "sign",
    .meaning = "every pair turns the other way",
    .cause = "the sine's sign is on the wrong term, a backward kernel is used forward, or row and column vectors were mixed up",
    .pytorch = "x * cos + rotate_half(x) * sin, where rotate_half puts the minus on the second half of x",
    .jax = "out_a = a * cos - b * sin; out_b = b * cos + a * sin",
    .c = "y[a] = x[a]*c - x[b]*s; y[b] = x[b]*c + x[a]*s;",
    .propose = propose,
    .twin = "sine negated",
};
