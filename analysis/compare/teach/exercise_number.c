/* Exercises on frequencies and on the numbers of a machine: wavelengths, interpolation, float32 angles, bfloat16. */
#include <math.h>

#include "../../../src/number/dtype.h"
#include "exercise.h"

static interval pi(void) {
    mpfr_t x;
    mpfr_init2(x, 80);
    mpfr_const_pi(x, MPFR_RNDN);
    const interval result = interval_near(x, 0x1p-79); /* half an ulp of 80 bits at 3.14 */
    mpfr_clear(x);
    return result;
}

/* b^(2i/d), the reciprocal of theta_i: b^1 theta_(d/2 - i). */
static interval power(const rope_spec *spec, int i) {
    return i == 0 ? interval_exact(1)
                  : interval_product(interval_exact(spec->base), interval_frequency(spec, spec->dim / 2 - i));
}

/* ---- wavelength -------------------------------------------------------------------------------------- */

static void draw_wavelength(exercise_numbers *x, lots *from) {
    static const int dims[] = {64, 80, 96, 128}, bases[] = {10000, 500000, 1000000};
    x->dim = lots_one_of(from, 4, dims);
    x->base = lots_one_of(from, 3, bases);
    x->i = lots_between(from, 3, x->dim / 2 - 4);
}

static void ask_wavelength(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "Pair i turns by theta_i = b^(-2i/d) per position, so it comes round after 2 pi / theta_i "
                 "positions, its wavelength. Here d = %d and b = %d.",
                 x->dim, x->base);
    exercise_ask(out, "(a)", "Compute the wavelengths of the first pair, of pair %d, and of the last pair.", x->i);
    exercise_ask(out, "(b)", "\"The wavelengths run from 2 pi to 2 pi b.\" Is that so?");
    exercise_ask(out, "(c)", "Pair i and pair i + 1: what is the ratio of their wavelengths?");
}

static void solve_wavelength(exercise_key *key, const exercise_numbers *x) {
    const rope_spec spec = exercise_spec(x->dim, x->base);
    const interval round = interval_product(interval_exact(2), pi());
    const int pair[3] = {0, x->i, x->dim / 2 - 1};
    for (int j = 0; j < 3; j++)
        key_number(key, interval_product(round, power(&spec, pair[j])), "%s pair %d", j ? "   " : "(a)", pair[j]);
    key_number(key, interval_product(round, interval_exact(x->base)), "(b) 2 pi b");
    key_number(key, power(&spec, 1), "(c) b^(2/d)");
}

/* ---- interpolation ----------------------------------------------------------------------------------- */

static void draw_interpolation(exercise_numbers *x, lots *from) {
    x->factor = lots_one_of(from, 3, (const int[]){2, 4, 8});
    x->length = 2048 * lots_between(from, 1, 2);
    x->m = lots_between(from, x->length + 1, x->factor * (x->length - 1));
    x->dim = 64;
    x->i = lots_between(from, 1, 31);
}

static void ask_interpolation(FILE *out, const exercise_numbers *x) {
    exercise_say(
        out,
        "A model was trained on positions below L = %d and shall read %d. Position interpolation divides every "
        "position by f = %d before the turn [Chen et al. 2023, arXiv 2306.15595, equation 4]. d = %d.",
        x->length, x->factor * x->length, x->factor, x->dim);
    exercise_ask(out, "(a)", "By which angle does pair %d turn at m = %d without interpolation, and by which with it?",
                 x->i, x->m);
    exercise_ask(out, "(b)", "Which position of the training has the same angles?");
    exercise_ask(out, "(c)",
                 "How far apart are neighbours? Compute |R_1 x - x| / |x| in pair 0, without and with interpolation.");
    exercise_ask(out, "(d)", "What does the model lose?");
}

/* |e^(ia) - 1| = sqrt(2 - 2 cos a). */
static interval chord(const rope_spec *spec) {
    const interval two = interval_exact(2);
    return interval_root(interval_difference(two, interval_product(two, turn_by(spec, 1, 0).c)));
}

static void solve_interpolation(exercise_key *key, const exercise_numbers *x) {
    rope_spec spec = exercise_spec(x->dim, 10000);
    const interval m = interval_exact(x->m), far = interval_product(m, interval_frequency(&spec, x->i)),
                   apart = chord(&spec);
    char rule[32];
    snprintf(rule, sizeof rule, "linear:factor=%d", x->factor);
    rope_spec_set_scaling(&spec, rule, NULL);
    key_number(key, far, "(a) without");
    key_number(key, interval_product(m, interval_frequency(&spec, x->i)), "    with");
    key_number(key, interval_over(m, x->factor), "(b) position m / f");
    key_number(key, apart, "(c) without");
    key_number(key, chord(&spec), "    with");
}

/* ---- float32 ----------------------------------------------------------------------------------------- */

static void draw_float32(exercise_numbers *x, lots *from) {
    static const int dims[] = {64, 80, 96, 128};
    x->dim = lots_one_of(from, 4, dims);
    x->i = lots_between(from, 1, x->dim / 8);
    x->m = lots_between(from, 1000, 131071);
}

static void ask_float32(FILE *out, const exercise_numbers *x) {
    exercise_say(out,
                 "float32 keeps 24 significant bits: a rounded number is off by at most u = 2^-24 of itself. A "
                 "program rounds theta_i once and the product with m once more. Take pair %d of d = %d, at m = %d.",
                 x->i, x->dim, x->m);
    exercise_ask(out, "(a)", "Compute theta_%d and the angle m theta_%d.", x->i, x->i);
    exercise_ask(out, "(b)",
                 "Show that the computed angle is off by at most e = 2 u m theta_%d, but for a term in u^2 that you "
                 "may leave out. Compute e.",
                 x->i);
    exercise_ask(out, "(c)",
                 "cos changes by no more than its angle. How many digits after the point of cos(m theta_%d) are "
                 "safe, that is, for which k is e <= 0.5 * 10^-k?",
                 x->i);
    exercise_ask(out, "(d)", "The same with double precision, u = 2^-53.");
}

/* The largest k with e <= 0.5 10^-k. */
static double safe_digits(double e) {
    double k = 0;
    for (double power = 10; 2 * e * power <= 1; power *= 10) k++;
    return k;
}

/* The same for e, and for e enlarged by more than the left-out share u/2 of it: other numbers, when they differ. */
static interval safe(interval e) {
    return (interval){safe_digits(e.high * (1 + 0x1p-24)), safe_digits(e.low * (1 - 0x1p-24))};
}

/* What the two roundings really make of the angle; every float32 times 2^17 is exact in doubles. */
static interval angle_off(const rope_spec *spec, int m, int i, interval angle) {
    const interval theta = interval_frequency(spec, i);
    const double low = rope_round(ROPE_F32, theta.low), high = rope_round(ROPE_F32, theta.high);
    if (low != high) return (interval){-INFINITY, INFINITY}; /* other numbers, then */
    return interval_difference(interval_exact(rope_round(ROPE_F32, m * low)), angle);
}

static void solve_float32(exercise_key *key, const exercise_numbers *x) {
    const rope_spec spec = exercise_spec(x->dim, 10000);
    const interval theta = interval_frequency(&spec, x->i), angle = interval_product(interval_exact(x->m), theta);
    const interval e = interval_product(interval_exact(0x1p-23), angle);
    const interval e_double = interval_product(interval_exact(0x1p-52), angle);
    key_number(key, theta, "(a) theta_%d", x->i);
    key_number(key, angle, "    m theta_%d", x->i);
    key_number(key, e, "(b) e");
    key_number(key, angle_off(&spec, x->m, x->i, angle), "    the two roundings really make");
    key_number(key, safe(e), "(c) k");
    key_number(key, e_double, "(d) e");
    key_number(key, safe(e_double), "    k");
}

/* ---- bf16 -------------------------------------------------------------------------------------------- */

static void draw_bf16(exercise_numbers *x, lots *from) {
    x->length = 512 << lots_between(from, 0, 4);
    do x->m = lots_between(from, 257, x->length - 1);
    while (rope_round(ROPE_BF16, x->m) == x->m);
}

static void ask_bf16(FILE *out, const exercise_numbers *x) {
    exercise_say(
        out, "bfloat16 keeps 8 significant bits: of the whole numbers from 2^e to 2^(e+1) it holds every 2^(e-7)-th "
             "(all of them up to 256). Others are rounded to the nearest; from halfway, to the one whose last bit is "
             "0. A program stores its positions in bfloat16.");
    exercise_ask(out, "(a)", "As which number is position %d stored?", x->m);
    exercise_ask(out, "(b)", "By how many radians does pair 0 (theta_0 = 1) turn too far?");
    exercise_ask(out, "(c)", "How many whole positions are stored as this number?");
    exercise_ask(out, "(d)", "How many different numbers do the positions 0, ..., %d become?", x->length - 1);
}

static void solve_bf16(exercise_key *key, const exercise_numbers *x) {
    const double stored = rope_round(ROPE_BF16, x->m);
    int alike = 0, different = 0;
    for (int m = 0; m < 2 * x->m; m++) alike += rope_round(ROPE_BF16, m) == stored;
    for (int m = 0; m < x->length; m++) different += m == 0 || rope_round(ROPE_BF16, m) != rope_round(ROPE_BF16, m - 1);
    key_whole(key, (int64_t)stored, "(a) stored");
    key_whole(key, (int64_t)stored - x->m, "(b) radians");
    key_whole(key, alike, "(c) positions");
    key_whole(key, different, "(d) different numbers");
}

const exercise exercises_number[] = {
    {"wavelength", "How long is a turn?", 0.01, draw_wavelength, ask_wavelength, solve_wavelength,
     "(b) Not quite. The last pair is i = d/2 - 1, not d/2, so its wavelength is 2 pi b^(1 - 2/d) and 2 pi b is "
     "never reached.\n"
     "(c) b^(2/d), the same for all neighbours: on a logarithmic scale the wavelengths stand at equal steps."},
    {"interpolation", "Longer texts by slower turns", 0.0001, draw_interpolation, ask_interpolation,
     solve_interpolation,
     "(b) Position m / f, which may fall between two whole positions; it lies below L, where the training was.\n"
     "(d) Resolution: neighbours come closer together by nearly the factor f in the fast pairs, which told them "
     "apart best. So such models are usually trained a little further."},
    {"float32", "How many digits survive?", 0, draw_float32, ask_float32, solve_float32,
     "(b) The stored frequency is theta (1 + d1), the computed angle m theta (1 + d1)(1 + d2), with |d1|, |d2| <= u; "
     "multiply out. The second line is what these two roundings make, less than the worst.\n"
     "(c) The error grows with the angle, not with the size of cos: large positions in fast pairs lose most."},
    {"bf16", "Positions in bfloat16", 0, draw_bf16, ask_bf16, solve_bf16,
     "(b) With theta_0 = 1 the stored number minus the position; a minus sign means not far enough. Norms are kept "
     "and short texts work, so this mistake is easily missed.\n"
     "(d) 257 numbers up to 256, and 128 for each doubling after that. The rest cannot be told apart, whatever the "
     "later arithmetic is."},
    {0}};
