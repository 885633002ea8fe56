/* Exercises on the score: its sign, its parts, its bound, and what it does not promise. */
#include "exercise.h"

/* q . R_r k for one pair. */
static interval pair_score(const int q[2], const int k[2], int r) {
    interval query[2], key[2];
    exact_vector(2, query, q);
    exact_vector(2, key, k);
    turn_vector(2, key, key, r);
    return inner_product(2, query, key);
}

static void draw_pair_vectors(exercise_numbers *x, lots *from) {
    do {
        lots_vector(from, 2, x->q, 4);
        lots_vector(from, 2, x->k, 4);
    } while (x->q[1] * x->k[0] == x->q[0] * x->k[1] || x->q[0] * x->k[0] + x->q[1] * x->k[1] == 0);
}

/* ---- offset-sign ------------------------------------------------------------------------------------- */

static void draw_offset_sign(exercise_numbers *x, lots *from) {
    draw_pair_vectors(x, from);
    x->n = lots_between(from, 1, 5);
    x->m = x->n + lots_between(from, 1, 5);
}

static void ask_offset_sign(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "One pair: d = 2, theta_0 = 1. The query q = %s stands at m = %d, the key k = %s at n = %d.",
                 vector_of(2, x->q).text, x->m, vector_of(2, x->k).text, x->n);
    exercise_ask(out, "(a)", "Turn both and multiply: compute (R_%d q) . (R_%d k).", x->m, x->n);
    exercise_ask(out, "(b)", "Turn the key by n - m: compute q . R_(%d) k.", x->n - x->m);
    exercise_ask(out, "(c)", "Turn the key by m - n: compute q . R_%d k.", x->m - x->n);
    exercise_ask(out, "(d)", "Which of (b) and (c) equals (a)? Why?");
}

static void solve_offset_sign(exercise_key *key, const exercise_numbers *x) {
    interval q[2], k[2];
    exact_vector(2, q, x->q);
    exact_vector(2, k, x->k);
    turn_vector(2, q, q, x->m);
    turn_vector(2, k, k, x->n);
    key_number(key, inner_product(2, q, k), "(a) (R_%d q) . (R_%d k)", x->m, x->n);
    key_number(key, pair_score(x->q, x->k, x->n - x->m), "(b) q . R_(%d) k", x->n - x->m);
    key_number(key, pair_score(x->q, x->k, x->m - x->n), "(c) q . R_%d k", x->m - x->n);
}

/* ---- parts ------------------------------------------------------------------------------------------- */

static void draw_parts(exercise_numbers *x, lots *from) {
    draw_pair_vectors(x, from);
    x->n = lots_between(from, 1, 9);
}

static void ask_parts(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "One pair: d = 2, theta_0 = 1, q = %s, k = %s. The score is s(r) = q . R_r k.",
                 vector_of(2, x->q).text, vector_of(2, x->k).text);
    exercise_ask(out, "(a)", "Find the numbers A and B for which s(r) = A cos r + B sin r.");
    exercise_ask(out, "(b)", "Compute s(%d) and s(%d).", x->n, -x->n);
    exercise_ask(out, "(c)", "What is the largest value of s(r) over all real r?");
    exercise_ask(out, "(d)", "For which q and k is s(r) = s(-r) for every r?");
}

/* q . R_r k = q_0 (k_0 c - k_1 s) + q_1 (k_1 c + k_0 s); A^2 + B^2 = |q|^2 |k|^2 (Lagrange's identity). */
static void solve_parts(exercise_key *key, const exercise_numbers *x) {
    const int A = x->q[0] * x->k[0] + x->q[1] * x->k[1], B = x->q[1] * x->k[0] - x->q[0] * x->k[1];
    key_whole(key, A, "(a) A");
    key_whole(key, B, "    B");
    key_number(key, pair_score(x->q, x->k, x->n), "(b) s(%d)", x->n);
    key_number(key, pair_score(x->q, x->k, -x->n), "    s(%d)", -x->n);
    key_number(key, interval_root(interval_exact(A * A + B * B)), "(c) largest");
}

/* ---- bound ------------------------------------------------------------------------------------------- */

static void draw_bound(exercise_numbers *x, lots *from) {
    lots_vector(from, 4, x->q, 4);
    x->n = lots_between(from, 20, 90);
}

static void ask_bound(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "d = 4, so theta_0 = 1 and theta_1 = 0.01. The query is q = %s. The key stands %d positions before "
                 "it: r = %d.",
                 vector_of(4, x->q).text, x->n, -x->n);
    exercise_ask(out, "(a)",
                 "Find a key k as long as q whose score q . R_r k is as large as any key of that length can make it.");
    exercise_ask(out, "(b)", "Compute this score. (No calculator is needed.)");
    exercise_ask(out, "(c)", "The curve in RoFormer's figure 2 falls with the distance. Does (b) contradict it?");
}

/* R_r k = q. */
static void solve_bound(exercise_key *key, const exercise_numbers *x) {
    interval k[4], q[4];
    exact_vector(4, q, x->q);
    turn_vector(4, k, q, x->n);
    key_vector(key, 4, k, "(a) k = R_(-r) q");
    key_number(key, inner_product(4, q, q), "(b) score = |q|^2");
}

/* ---- decay ------------------------------------------------------------------------------------------- */

static void draw_decay(exercise_numbers *x, lots *from) {
    x->offset[0] = lots_between(from, 1, 2);
    x->offset[1] = x->offset[0] + 2;
    x->offset[2] = x->offset[1] + lots_between(from, 1, 2);
    x->offset[3] = lots_between(from, 40, 90);
}

static void ask_decay(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "d = 4, so theta_0 = 1 and theta_1 = 0.01. Query and key are q = k = (1, 1, 1, 1).");
    exercise_ask(out, "(a)", "Show that the score at distance r is 2 (cos r + cos(r/100)).");
    exercise_ask(out, "(b)", "Compute it at the distances %d, %d, %d and %d.", x->offset[0], x->offset[1], x->offset[2],
                 x->offset[3]);
    exercise_ask(out, "(c)", "\"With RoPE, the score decays with the distance.\" What do you say?");
}

static void solve_decay(exercise_key *key, const exercise_numbers *x) {
    static const int ones[4] = {1, 1, 1, 1};
    for (int j = 0; j < 4; j++) {
        interval one[4], turned[4];
        exact_vector(4, one, ones);
        turn_vector(4, turned, one, x->offset[j]);
        key_number(key, inner_product(4, one, turned), "%s score at %d", j ? "   " : "(b)", x->offset[j]);
    }
}

/* ---- output ------------------------------------------------------------------------------------------ */

static void draw_output(exercise_numbers *x, lots *from) {
    x->quarters = lots_between(from, 1, 3);
    lots_vector(from, 2, x->q, 4);
    lots_vector(from, 2, x->k, 4);
    x->n = lots_between(from, 0, 4);
    x->shift = lots_between(from, 2, 9);
}

static void ask_output(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "One pair: d = 2, theta_0 = 1. A query attends to two tokens, at n and n + 1, with the values v = "
                 "%s and v' = %s. The scores are relative, so the weights %.2f and %.2f do not depend on n. Somebody "
                 "turns the values as well: o(n) = %.2f R_n v + %.2f R_(n+1) v'.",
                 vector_of(2, x->q).text, vector_of(2, x->k).text, x->quarters / 4.0, 1 - x->quarters / 4.0,
                 x->quarters / 4.0, 1 - x->quarters / 4.0);
    exercise_ask(out, "(a)", "Compute o(%d).", x->n);
    exercise_ask(out, "(b)", "All tokens move by %d: compute o(%d).", x->shift, x->n + x->shift);
    exercise_ask(out, "(c)", "Compute the lengths of both. How does (b) come from (a)?");
    exercise_ask(out, "(d)", "Which one step more makes the output relative again?");
}

static void output_at(interval o[2], const exercise_numbers *x, int n) {
    const interval weight = interval_exact(x->quarters / 4.0), rest = interval_exact(1 - x->quarters / 4.0);
    interval v[2], w[2];
    exact_vector(2, v, x->q);
    exact_vector(2, w, x->k);
    turn_vector(2, v, v, n);
    turn_vector(2, w, w, n + 1);
    for (int j = 0; j < 2; j++) o[j] = interval_sum(interval_product(weight, v[j]), interval_product(rest, w[j]));
}

static void solve_output(exercise_key *key, const exercise_numbers *x) {
    interval o[2][2];
    for (int moved = 0; moved < 2; moved++) {
        const int n = x->n + moved * x->shift;
        output_at(o[moved], x, n);
        key_vector(key, 2, o[moved], "%s o(%d)", moved ? "(b)" : "(a)", n);
    }
    key_number(key, length_of(2, o[0]), "(c) |o(%d)|", x->n);
    key_number(key, length_of(2, o[1]), "    |o(%d)|", x->n + x->shift);
}

/* ---- linear ------------------------------------------------------------------------------------------ */

static void draw_linear(exercise_numbers *x, lots *from) {
    x->m = lots_between(from, 3, 5);
    for (int j = 0; j < 2; j++) x->q[j] = lots_between(from, 1, 4), x->k[j] = lots_between(from, 1, 4);
}

static void ask_linear(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "Linear attention replaces exp(q . k) by a product of positive features f(q) . f(k). RoFormer's "
                      "equation 19 turns the features above the fraction bar only: the weight of the key at n is");
    fprintf(out, "\n      w_n = (R_m f(q)) . (R_n f(k_n)) / sum over j of f(q) . f(k_j)\n\n");
    exercise_say(out,
                 "Here d = 2, theta_0 = 1, f(q) = %s, and every key has f(k) = %s. The query stands at m = %d, the "
                 "keys at 0, 1, ..., %d.",
                 vector_of(2, x->q).text, vector_of(2, x->k).text, x->m, x->m);
    exercise_ask(out, "(a)", "Compute w_%d, w_%d, ..., w_0 (the nearest key first).", x->m, x->m - 1);
    exercise_ask(out, "(b)", "Compute their sum.");
    exercise_ask(out, "(c)", "Are these weights of a mean?");
}

static void solve_linear(exercise_key *key, const exercise_numbers *x) {
    const double below = (x->m + 1) * (x->q[0] * x->k[0] + x->q[1] * x->k[1]);
    interval weight[EXERCISE_ENTRIES], sum = interval_exact(0);
    for (int r = 0; r <= x->m; r++) {
        weight[r] = interval_over(pair_score(x->q, x->k, -r), below);
        sum = interval_sum(sum, weight[r]);
    }
    key_vector(key, x->m + 1, weight, "(a) w_%d .. w_0", x->m);
    key_number(key, sum, "(b) sum");
}

const exercise exercises_score[] = {
    {"offset-sign", "Which way round is the offset?", 0.01, draw_offset_sign, ask_offset_sign, solve_offset_sign,
     "(d) (b). (R_m q) . (R_n k) = q^T R_m^T R_n k, and the transpose of a turn is the turn back: R_m^T R_n = "
     "R_(n-m). With m - n the key turns the wrong way. The usual slip comes from RoFormer's equation 12, which has m "
     "- n and is right, too: there it is the complex product q conj(k) that turns."},
    {"parts", "The cosine part and the sine part", 0.01, draw_parts, ask_parts, solve_parts,
     "(a) A = q . k = q_0 k_0 + q_1 k_1 and B = q_1 k_0 - q_0 k_1; many forget B.\n"
     "(c) The largest value is sqrt(A^2 + B^2) = |q| |k|, reached when the turn brings k into the direction of q.\n"
     "(d) When B = 0: q and k are parallel. In general RoPE tells before from after; the difference s(r) - s(-r) is "
     "2 B sin r."},
    {"bound", "Can a far key have a large score?", 0.01, draw_bound, ask_bound, solve_bound,
     "(a) The product with q is largest when R_r k = q (Cauchy and Schwarz), so k is q turned by -r.\n"
     "(c) No. Figure 2 shows one factor of an upper bound [equation 37]; the other factor depends on q and k. That a "
     "bound falls does not make what lies under it fall. For every distance there is a key whose score is the "
     "largest there [Barbero et al. 2024, arXiv 2410.06205, proposition 3.1]."},
    {"decay", "Do scores fall with the distance?", 0.01, draw_decay, ask_decay, solve_decay,
     "(a) In each pair q . k = 2, and the sine part of equal vectors is 0.\n"
     "(c) Not as it stands: this score falls and rises again. With many pairs the waves blur; for equal vectors a "
     "trend remains that falls about like 1 - log(r)/log(b) as long as r is well below b. For random q and k the "
     "score is 0 on average at every distance, and its spread does not fall at all."},
    {"output", "Relative scores, absolute output?", 0.01, draw_output, ask_output, solve_output,
     "(c) o(n + s) = R_s o(n): the same length, another direction. So the output moves with the text although no "
     "score does.\n"
     "(d) Turn the output back by the position m of the query, R_m^T o: then only offsets remain. RoFormer leaves "
     "the values alone, which is simpler. A relative score makes a relative output only if nothing else is turned."},
    {"linear", "What do the weights sum to?", 0.001, draw_linear, ask_linear, solve_linear,
     "(c) No. The turned products can be negative although the features are positive, and they do not sum to what "
     "stands below the bar, which is not turned. Equation 19 avoids a division by zero that way; it gives up that "
     "the output lies among the values."},
    {0}};
