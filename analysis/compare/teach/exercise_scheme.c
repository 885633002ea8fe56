/* Exercises on the other schemes: sinusoids, additive scores, Shaw's clip, T5's buckets, ALiBi's slopes. */
#include <math.h>

#include "../encoding.h"
#include "exercise.h"

/* ---- length ------------------------------------------------------------------------------------------ */

static void draw_length(exercise_numbers *x, lots *from) {
    x->n = lots_between(from, 1, 9);
    x->m = x->n + lots_between(from, 1, 9);
    x->length = 10 * lots_between(from, 3, 9);
    x->factor = lots_between(from, 2, 9);
    x->shift = lots_between(from, 2, 9);
}

static void ask_length(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "The sinusoid with d = 4 is p_m = (sin m, cos m, sin(m/100), cos(m/100)).");
    exercise_ask(out, "(a)",
                 "A token stands at position %d. Compute its p_%d in a text of %d tokens, and in a text of %d tokens.",
                 x->m, x->m, x->length, x->factor * x->length);
    exercise_ask(out, "(b)", "Compute p_%d . p_%d, and p_%d . p_%d.", x->m, x->n, x->m + x->shift, x->n + x->shift);
    exercise_ask(out, "(c)", "\"RoPE does not depend on the length of the text, the sinusoid does.\" Is that so?");
}

static void sinusoid(interval p[4], int m) {
    const rope_spec spec = exercise_spec(4, 10000);
    for (int i = 0; i < 2; i++) {
        const turn by = turn_by(&spec, m, i);
        p[2 * i] = by.s, p[2 * i + 1] = by.c;
    }
}

static void solve_length(exercise_key *key, const exercise_numbers *x) {
    interval p[4];
    sinusoid(p, x->m);
    key_vector(key, 4, p, "(a) p_%d, both times", x->m);
    for (int shift = 0; shift <= x->shift; shift += x->shift) {
        interval other[4];
        sinusoid(p, x->m + shift);
        sinusoid(other, x->n + shift);
        key_number(key, inner_product(4, p, other), "%s p_%d . p_%d", shift ? "   " : "(b)", x->m + shift,
                   x->n + shift);
    }
}

/* ---- additive ---------------------------------------------------------------------------------------- */

static void draw_additive(exercise_numbers *x, lots *from) {
    x->n = lots_between(from, 0, 4);
    x->m = x->n + lots_between(from, 1, 4);
    x->shift = lots_between(from, 1, 9);
    for (int j = 0; j < 2; j++) lots_vector(from, 2, x->W[j], 2), lots_vector(from, 2, x->U[j], 2);
}

static void ask_additive(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "With additive positions the query is W_q (x + p_m) and the key W_k (y + p_n). The score has four "
                 "terms; the last is t(m, n) = (W_q p_m) . (W_k p_n). Here d = 2, p_m = (sin m, cos m), W_q = %s and "
                 "W_k = %s.",
                 matrix_of(x->W).text, matrix_of(x->U).text);
    exercise_ask(out, "(a)", "Compute t(%d, %d).", x->m, x->n);
    exercise_ask(out, "(b)", "Both tokens move by %d: compute t(%d, %d).", x->shift, x->m + x->shift, x->n + x->shift);
    exercise_ask(out, "(c)", "By how much did the term move? (This is its shift defect.)");
    exercise_ask(out, "(d)", "Compute t at both places for W_q = W_k = I. Why does it not move now?");
}

static interval position_term(int m, int n, const int W[2][2], const int U[2][2]) {
    interval p[4], query[2], key[2];
    sinusoid(p, m);
    apply(query, W, p);
    sinusoid(p, n);
    apply(key, U, p);
    return inner_product(2, query, key);
}

static void solve_additive(exercise_key *key, const exercise_numbers *x) {
    static const int I[2][2] = {{1, 0}, {0, 1}};
    const int m = x->m + x->shift, n = x->n + x->shift;
    const interval before = position_term(x->m, x->n, x->W, x->U), after = position_term(m, n, x->W, x->U);
    key_number(key, before, "(a) t(%d, %d)", x->m, x->n);
    key_number(key, after, "(b) t(%d, %d)", m, n);
    key_number(key, interval_difference(after, before), "(c) t(%d, %d) - t(%d, %d)", m, n, x->m, x->n);
    key_number(key, position_term(x->m, x->n, I, I), "(d) t(%d, %d) with I", x->m, x->n);
    key_number(key, position_term(m, n, I, I), "    t(%d, %d) with I", m, n);
}

/* ---- clip -------------------------------------------------------------------------------------------- */

static void draw_clip(exercise_numbers *x, lots *from) {
    x->clip = lots_between(from, 2, 4);
    lots_vector(from, 2, x->q, 3);
    do x->offset[0] = lots_between(from, 1 - x->clip, x->clip - 1);
    while (x->offset[0] == 0 || x->q[0] + x->q[1] * (2 * x->offset[0] + 1) == 0); /* (c): the term changes */
    x->offset[1] = x->clip + lots_between(from, 2, 9);
    x->offset[2] = -x->clip - lots_between(from, 2, 9);
    x->m = lots_between(from, 14, 20);
}

static void ask_clip(FILE *out, const exercise_numbers *x) {
    exercise_say(
        out,
        "Shaw's scheme learns a vector a_r for each offset r = -c, ..., c; offsets beyond are clipped to -c or c. "
        "Its score is q . k + q . a_clip(n-m). Here c = %d, q = %s, and the vectors happen to be a_r = (r, r^2).",
        x->clip, vector_of(2, x->q).text);
    exercise_ask(out, "(a)", "Compute the second term for (m, n) = (%d, %d), (%d, %d) and (%d, %d).", x->m,
                 x->m + x->offset[0], x->m, x->m + x->offset[1], x->m, x->m + x->offset[2]);
    exercise_ask(out, "(b)", "The vectors are the rows of a table, a_(-c) in row 0. Which row is read each time?");
    exercise_ask(out, "(c)",
                 "The key moves one position to the right, n + 1. For which of the three does the term change?");
}

static void solve_clip(exercise_key *key, const exercise_numbers *x) {
    interval row[3];
    for (int j = 0; j < 3; j++) {
        const int64_t at = encoding_clip(x->offset[j], x->clip), r = at - x->clip;
        key_whole(key, x->q[0] * r + x->q[1] * r * r, "%s term for (%d, %d)", j ? "   " : "(a)", x->m,
                  x->m + x->offset[j]);
        row[j] = interval_exact((double)at);
    }
    key_vector(key, 3, row, "(b) rows");
}

/* ---- bucket ------------------------------------------------------------------------------------------ */

static void draw_bucket(exercise_numbers *x, lots *from) {
    static const int edges[] = {16, 32, 64};
    x->offset[0] = -lots_between(from, 1, 7);
    x->offset[1] = lots_between(from, 1, 7);
    do x->offset[2] = lots_between(from, 9, 127);
    while (x->offset[2] == 16 || x->offset[2] == 32 || x->offset[2] == 64);
    x->offset[3] = -lots_one_of(from, 3, edges);
    x->offset[4] = lots_between(from, 129, 999);
    if (lots_next(from) >> 63) x->offset[2] = -x->offset[2], x->offset[3] = -x->offset[3];
}

static void ask_bucket(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "T5 learns one number per bucket of offsets and adds it to the score. Its encoder has 32 buckets "
                 "and the largest distance 128. Let a = |r|, r = n - m. Within a side, the bucket is a itself when a "
                 "< 8; else it is 8 + floor(8 log(a/8) / log(128/8)), but at most 15. Keys after the query (r > 0) "
                 "get 16 more.");
    exercise_ask(out, "(a)", "Find the buckets of r = %d, %d, %d, %d and %d.", x->offset[0], x->offset[1], x->offset[2],
                 x->offset[3], x->offset[4]);
    exercise_ask(out, "(b)",
                 "One of them lies exactly on the edge between two buckets. Which one, and how do you decide it "
                 "without a calculator?");
}

static void solve_bucket(exercise_key *key, const exercise_numbers *x) {
    for (int j = 0; j < 5; j++)
        key_whole(key, encoding_bucket(x->offset[j], true, 32, 128), "%s bucket of %d", j ? "   " : "(a)",
                  x->offset[j]);
    key_whole(key, x->offset[3], "(b) on the edge: r");
}

/* ---- slope ------------------------------------------------------------------------------------------- */

static void draw_slope(exercise_numbers *x, lots *from) {
    static const int heads[] = {4, 8, 16};
    x->heads = lots_one_of(from, 3, heads);
    x->head = lots_between(from, 1, x->heads / 4 * 3);
    x->n = lots_between(from, 3, 40);
    x->advantage = lots_between(from, 1, 6);
}

static void ask_slope(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "ALiBi subtracts s |n - m| from the score. Head j of H (j from 1) has the slope s = 2^(-8j/H). Take "
                 "head %d of %d.",
                 x->head, x->heads);
    exercise_ask(out, "(a)", "Compute its slope.");
    exercise_ask(out, "(b)", "Compute the penalty at distance %d.", x->n);
    exercise_ask(out, "(c)",
                 "The content score of a far key is larger by %d than that of the key at distance 0. From which "
                 "distance on does the far key lose all the same?",
                 x->advantage);
    exercise_ask(out, "(d)", "Is ALiBi's penalty divided by sqrt(d), as q . k is?");
}

/* The slope is 2^-e / sqrt(2) or 2^-e; s r > A is decided by its square: r^2 > A^2 4^(8j/H). */
static void solve_slope(exercise_key *key, const exercise_numbers *x) {
    const int twice = 16 * x->head / x->heads; /* 2^twice = 1/s^2 */
    const interval slope = interval_root(interval_exact(ldexp(1, -twice)));
    int64_t r = 0;
    while (r * r <= ((int64_t)x->advantage * x->advantage << twice)) r++;
    key_number(key, slope, "(a) s");
    key_number(key, interval_product(slope, interval_exact(x->n)), "(b) penalty at %d", x->n);
    key_whole(key, r, "(c) from distance");
}

const exercise exercises_scheme[] = {
    {"length", "Does the length of the text matter?", 0.01, draw_length, ask_length, solve_length,
     "(a) The same four numbers: N occurs nowhere in p_m, as it occurs nowhere in R_m.\n"
     "(b) p_m . p_n = cos(n-m) + cos((n-m)/100), the same after a shift.\n"
     "(c) No. Neither depends on N, and both depend on m. What tells them apart is what the projections do to them: "
     "see the exercise additive."},
    {"additive", "Which term moves?", 0.01, draw_additive, ask_additive, solve_additive,
     "(d) p_m . p_n = cos(n-m): bare sinusoids know the offset only. With projections, p_m^T (W_q^T W_k) p_n depends "
     "on n - m alone only if W_q^T W_k commutes with the turns, as [a -b; b a] does; trained matrices do not. The "
     "two middle terms, x with p_n and p_m with y, contain one position only; they move in any case."},
    {"clip", "Clipped offsets", 0, draw_clip, ask_clip, solve_clip,
     "(c) Only for the first. Beyond c all offsets read the same row, so the scheme cannot tell far from farther. "
     "Usual slips: clipping m - n, which mirrors the table; and forgetting to add c to the clipped offset to get the "
     "row."},
    {"bucket", "Logarithmic buckets", 0, draw_bucket, ask_bucket, solve_bucket,
     "(b) 16, 32 and 64 are on an edge: log(a/8)/log(16) is exactly 1/4, 1/2, 3/4, and the floor of 8 times it is 2, "
     "4, 6. A calculator that shows 1.99999 puts it one bucket too low. Without logarithms: bucket 8 + j starts at "
     "the first a with a^2 >= 64 * 2^j. A frequent slip is the side: r > 0 means that the key comes after the query."},
    {"slope", "A penalty on distance", 0.0001, draw_slope, ask_slope, solve_slope,
     "(c) The far key loses when s r is larger than its advantage. Small slopes let a head look far.\n"
     "(d) No: it is added after q . k was divided [Press et al. 2022, arXiv 2108.12409, section 3]. Heads are "
     "counted from 1; counted from 0, the first would have the slope 1."},
    {0}};
