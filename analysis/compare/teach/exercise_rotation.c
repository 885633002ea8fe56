/* Exercises on the rotation itself: one pair, four channels, coming back, the efficient form, the place of W. */
#include "exercise.h"

/* ---- rotate ------------------------------------------------------------------------------------------ */

static void draw_rotate(exercise_numbers *x, lots *from) {
    x->m = lots_between(from, 2, 9);
    lots_vector(from, 2, x->x, 4);
}

static void ask_rotate(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "One pair: d = 2, theta_0 = 1. The vector is x = %s.", vector_of(2, x->x).text);
    exercise_ask(out, "(a)", "Compute R_%d x.", x->m);
    exercise_ask(out, "(b)", "Compute |x| and |R_%d x|.", x->m);
    exercise_ask(out, "(c)", "Compute R_(%d) applied to the result of (a).", -x->m);
}

static void solve_rotate(exercise_key *key, const exercise_numbers *x) {
    interval given[2], turned[2];
    exact_vector(2, given, x->x);
    turn_vector(2, turned, given, x->m);
    key_vector(key, 2, turned, "(a) R_%d x", x->m);
    key_number(key, length_of(2, given), "(b) |x|");
    key_number(key, length_of(2, turned), "    |R_%d x|", x->m);
    key_vector(key, 2, given, "(c) R_(%d) R_%d x", -x->m, x->m);
}

/* ---- layout ------------------------------------------------------------------------------------------ */

static void draw_layout(exercise_numbers *x, lots *from) {
    x->m = lots_between(from, 2, 30);
    lots_vector(from, 4, x->x, 4);
}

static void ask_layout(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "d = 4, so theta_0 = 1 and theta_1 = 0.01. The vector is x = %s, the position m = %d.",
                 vector_of(4, x->x).text, x->m);
    exercise_ask(out, "(a)", "Interleaved layout: the pairs are (x_0, x_1) and (x_2, x_3). Compute R_%d x.", x->m);
    exercise_ask(out, "(b)", "Half layout: the pairs are (x_0, x_2) and (x_1, x_3). Compute R_%d x.", x->m);
    exercise_ask(out, "(c)", "Compute the lengths of both results. Would a test of lengths find a mix-up?");
    exercise_ask(out, "(d)",
                 "A program with the half layout loads weights that were trained with the interleaved one. Which "
                 "reordering of the rows of W_q and W_k makes it right?");
}

static void solve_layout(exercise_key *key, const exercise_numbers *x) {
    static const int half[4] = {0, 2, 1, 3}; /* channel of each place of the two pairs */
    interval given[4], pairs[4], interleaved[4], swapped[4];
    exact_vector(4, given, x->x);
    turn_vector(4, interleaved, given, x->m);
    for (int j = 0; j < 4; j++) pairs[j] = given[half[j]];
    turn_vector(4, pairs, pairs, x->m);
    for (int j = 0; j < 4; j++) swapped[half[j]] = pairs[j];
    key_vector(key, 4, interleaved, "(a) interleaved");
    key_vector(key, 4, swapped, "(b) half");
    key_number(key, length_of(4, interleaved), "(c) length of (a)");
    key_number(key, length_of(4, swapped), "    length of (b)");
}

/* ---- return ------------------------------------------------------------------------------------------ */

static void draw_return(exercise_numbers *x, lots *from) {
    static const int near[] = {6, 19, 25, 44, 333}; /* close to whole turns */
    x->parts = lots_between(from, 2, 9);
    x->turns = lots_between(from, 1, x->parts - 1);
    x->m = lots_one_of(from, 5, near);
}

static void ask_return(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "One pair turns by theta per position. It comes back at position m when R_m = I.");
    char turns[16] = "";
    if (x->turns > 1) snprintf(turns, sizeof turns, "%d ", x->turns);
    exercise_ask(out, "(a)", "theta = %spi / %d. Find the smallest m > 0 at which it comes back.", turns, x->parts);
    exercise_ask(out, "(b)",
                 "theta = 1. Show that it comes back at no whole m > 0. You may use that pi is irrational.");
    exercise_ask(out, "(c)",
                 "theta = 1. How near does it come at m = %d? Compute |R_%d x - x| / |x|; it is the same for every x.",
                 x->m, x->m);
    exercise_ask(out, "(d)",
                 "Somebody says: two positions never coincide, because R_m is orthogonal. Is that the reason?");
}

/* m turns/parts is an even whole number first at m = 2 parts / gcd(turns, 2 parts). (c): |e^(im) - 1|^2 = 2 - 2 cos m.
 */
static void solve_return(exercise_key *key, const exercise_numbers *x) {
    int a = x->turns, b = 2 * x->parts;
    while (a) {
        const int rest = b % a;
        b = a, a = rest;
    }
    const rope_spec spec = exercise_spec(2, 10000);
    const interval two = interval_exact(2);
    const interval square = interval_difference(two, interval_product(two, turn_by(&spec, x->m, 0).c));
    key_whole(key, 2 * x->parts / b, "(a) m");
    key_number(key, interval_root(square), "(c) |R_%d x - x| / |x|", x->m);
}

/* ---- efficient --------------------------------------------------------------------------------------- */

static void draw_efficient(exercise_numbers *x, lots *from) {
    static const int dims[] = {64, 80, 96, 128, 256};
    x->m = lots_between(from, 2, 30);
    lots_vector(from, 4, x->x, 4);
    x->dim = lots_one_of(from, 5, dims);
}

static void ask_efficient(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "Programs do not multiply by the matrix R_m. They form R_m x as x * c + rot(x) * s, entry by entry, "
                 "with rot(x) = (-x_1, x_0, -x_3, x_2, ...) [RoFormer, equation 34]. Here d = 4 and m = %d.",
                 x->m);
    exercise_ask(out, "(a)", "Write down the vector c of cosines.");
    exercise_ask(out, "(b)", "Write down rot(x) for x = %s, and compute R_%d x.", vector_of(4, x->x).text, x->m);
    exercise_ask(out, "(c)",
                 "How many multiplications does this form need for d = %d, c and s being known? How many does a "
                 "product with the full d x d matrix need?",
                 x->dim);
}

static void solve_efficient(exercise_key *key, const exercise_numbers *x) {
    const rope_spec spec = exercise_spec(4, 10000);
    interval c[4], s[4], given[4], rot[4], sum[4];
    exact_vector(4, given, x->x);
    for (int j = 0; j < 4; j++) {
        const turn by = turn_by(&spec, x->m, j / 2);
        c[j] = by.c, s[j] = by.s;
        rot[j] = j % 2 ? given[j - 1] : interval_negative(given[j + 1]);
        sum[j] = interval_sum(interval_product(given[j], c[j]), interval_product(rot[j], s[j]));
    }
    key_vector(key, 4, c, "(a) c");
    key_vector(key, 4, rot, "(b) rot(x)");
    key_vector(key, 4, sum, "    R_%d x", x->m);
    key_whole(key, 2 * x->dim, "(c) this form, 2d");
    key_whole(key, x->dim * x->dim, "    full matrix, d^2");
}

/* ---- order ------------------------------------------------------------------------------------------- */

static void draw_order(exercise_numbers *x, lots *from) {
    x->m = lots_between(from, 2, 9);
    lots_vector(from, 2, x->x, 3);
    do
        for (int j = 0; j < 2; j++) lots_vector(from, 2, x->W[j], 3);
    while (x->W[0][0] == x->W[1][1] && x->W[0][1] == -x->W[1][0]);
}

static void ask_order(FILE *out, const exercise_numbers *x) {
    exercise_say(out, "One pair: d = 2, theta_0 = 1. W = %s, x = %s, m = %d.", matrix_of(x->W).text,
                 vector_of(2, x->x).text, x->m);
    exercise_ask(out, "(a)", "Project first, then turn: compute R_%d (W x).", x->m);
    exercise_ask(out, "(b)", "Turn first, then project: compute W (R_%d x).", x->m);
    exercise_ask(out, "(c)", "Which of them does RoPE use, and why does it matter for the score?");
    exercise_ask(out, "(d)", "For which matrices W are (a) and (b) equal for all x and m?");
}

static void solve_order(exercise_key *key, const exercise_numbers *x) {
    interval given[2], projected[2], turned[2];
    exact_vector(2, given, x->x);
    apply(projected, x->W, given);
    turn_vector(2, projected, projected, x->m);
    key_vector(key, 2, projected, "(a) R_%d (W x)", x->m);
    turn_vector(2, turned, given, x->m);
    apply(projected, x->W, turned);
    key_vector(key, 2, projected, "(b) W (R_%d x)", x->m);
}

const exercise exercises_rotation[] = {
    {"rotate", "Turn one pair", 0.01, draw_rotate, ask_rotate, solve_rotate,
     "A rotation moves the tip of the arrow and keeps its length, because cos^2 + sin^2 = 1; turning back by the "
     "same angle gives x, without any computing. If your lengths differ, look at the signs: with + in the first row "
     "the map is no rotation. If nothing fits, your calculator is set to degrees."},
    {"layout", "Which channels form a pair?", 0.01, draw_layout, ask_layout, solve_layout,
     "(c) Both maps are rotations and keep the length, and each makes scores that depend on n - m alone. So neither "
     "a test of lengths nor one of relative scores finds a mix-up; only comparing values does.\n"
     "(d) New row j is old row 0, 2, 1, 3 for j = 0, 1, 2, 3: the half layout is the interleaved one on channels in "
     "another order. Reorder the rows of W_q and of W_k alike; then every score is what it was."},
    {"return", "Does a turning pair come back?", 0.001, draw_return, ask_return, solve_return,
     "(b) R_m = I means m = 2 pi k for a whole k > 0. Then pi = m / (2k) would be a fraction, and it is none.\n"
     "(c) The chord of the angle m is 2 |sin(m/2)|: small when m is close to a multiple of 2 pi, as 44 is to 7 "
     "turns, but never 0.\n"
     "(d) No. In (a), too, R_m is orthogonal at every position, and it comes back. What forbids it for theta = 1 is "
     "that "
     "pi is irrational."},
    {"efficient", "Without the matrix", 0.001, draw_efficient, ask_efficient, solve_efficient,
     "Each row of R_m has only two entries that are not 0, so two products per channel are enough: d/2 times fewer "
     "than for the full matrix. The minus signs sit in rot(x): at each pair's first place, and nowhere else."},
    {"order", "Before or after the projection?", 0.01, draw_order, ask_order, solve_order,
     "(c) RoPE projects first. Then (R_m W_q x) . (R_n W_k y) = (W_q x)^T R_m^T R_n (W_k y), and R_m^T R_n = "
     "R_(n-m). Turned first, R_m^T (W_q^T W_k) R_n stands in the middle, the two turns do not meet, and the score "
     "depends on m and n themselves.\n"
     "(d) Exactly for W = [a -b; b a]: these commute with every rotation of the plane."},
    {0}};
