/* Exercises, explanations and the tour: answers against values found elsewhere, and by a second route for many
 * students.
 */
#include "check.h"

#include <complex.h>
#include <float.h>
#include <stdlib.h>

#include "../analysis/compare/teach.h"
#include "../analysis/compare/teach/example.h"
#include "../analysis/compare/teach/exercise.h"

/* ---- intervals --------------------------------------------------------------------------------------- */

/* The exact result lies inside, and the ends are at most one ulp apart for operands that are exact. */
static void contains(interval got, const mpfr_t exact) {
    assert_true(mpfr_cmp_d(exact, got.low) >= 0 && mpfr_cmp_d(exact, got.high) <= 0);
    assert_true(got.high == got.low || got.high == nextafter(got.low, INFINITY));
    assert_true((got.high == got.low) == (mpfr_cmp_d(exact, got.low) == 0));
}

/* 200 bits hold sums and products of doubles of these sizes exactly; roots and quotients are compared at 200 bits,
 * where an irrational or periodic number is no double. */
static void interval_operations_enclose(void **state) {
    (void)state;
    uint64_t seed = 7;
    mpfr_t x, y, z;
    mpfr_inits2(200, x, y, z, (mpfr_ptr)0);
    for (int k = 0; k < 20000; k++) {
        const bool whole = k % 4 == 0;
        double a = check_uniform(&seed, -100, 100), b = check_uniform(&seed, -1, 1);
        if (whole) a = rint(a), b = rint(8 * b) / 4;
        mpfr_set_d(x, a, MPFR_RNDN), mpfr_set_d(y, b, MPFR_RNDN);
        mpfr_add(z, x, y, MPFR_RNDN);
        contains(interval_sum(interval_exact(a), interval_exact(b)), z);
        mpfr_sub(z, x, y, MPFR_RNDN);
        contains(interval_difference(interval_exact(a), interval_exact(b)), z);
        mpfr_mul(z, x, y, MPFR_RNDN);
        contains(interval_product(interval_exact(a), interval_exact(b)), z);
        mpfr_abs(z, x, MPFR_RNDN);
        mpfr_sqrt(z, z, MPFR_RNDN);
        contains(interval_root(interval_exact(fabs(a))), z);
        if (b == 0) continue;
        mpfr_abs(y, y, MPFR_RNDN);
        mpfr_div(z, x, y, MPFR_RNDN);
        contains(interval_over(interval_exact(a), fabs(b)), z);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

/* Products of intervals that hold 0 take their ends from any corner. */
static void interval_products_take_every_corner(void **state) {
    (void)state;
    const interval across = {-2, 3}, below = {-5, -1};
    interval got = interval_product(across, below);
    check_same(got.low, -15), check_same(got.high, 10);
    got = interval_product(across, across);
    check_same(got.low, -6), check_same(got.high, 9);
}

static void digits_are_printed_only_when_decided(void **state) {
    (void)state;
    char text[32];
    assert_true(interval_digits(text, interval_exact(0.25)));
    assert_string_equal(text, "0.25");
    assert_true(interval_digits(text, interval_exact(-0.0)));
    assert_string_equal(text, "0");
    assert_true(interval_digits(text, (interval){0.25, nextafter(0.25, 1)}));
    assert_string_equal(text, "0.250000");
    assert_true(interval_digits(text, (interval){1.2345665, 1.2345674}));
    assert_string_equal(text, "1.23457");
    assert_false(interval_digits(text, (interval){1.2345649, 1.2345651}));
    assert_false(interval_digits(text, (interval){-0x1p-60, 0x1p-60}));
}

/* ---- answers found elsewhere ------------------------------------------------------------------------- */

/* Computed from the printed questions by a program in Python 3 with mpmath 1.3.0 at 40 digits, rounded once to 6
 * digits; it shares no code with this project. Rotations are a cos - b sin, b cos + a sin there, the buckets come from
 * floor and log, the slopes from powers of 2, float32 and bfloat16 from integers. Public domain. */
static const struct known {
    const char *student, *name, *answers;
} known[] = {
    {"1", "rotate", "(-2.98471,-4.01142) 5 5.00000 (3,-4)"},
    {"1", "layout", "(2.58811,-3.20962,-2.11276,0.732294) (1.74778,-4.09588,-1.39473,0.473025) 4.69042 4.69042"},
    {"1", "return", "8 0.0177026"},
    {"1", "efficient",
     "(-0.547729,-0.547729,0.978031,0.978031) (2,1,-3,-3) (1.12558,1.93211,-3.55947,2.30871) 128 4096"},
    {"1", "order", "(14.0875,-11.5993) (8.17459,-13.5702)"},
    {"1", "offset-sign", "11.4264 11.4264 -22.2324"},
    {"1", "parts", "16 2 10.3278 6.96189 16.1245"},
    {"1", "bound", "(-1.03289,-5.56176,-4.20536,1.52150) 52"},
    {"1", "decay", "1.16731 0.691113 3.91674 1.84883"},
    {"1", "output", "(-3.08786,3.00146) (4.28987,0.375015) 4.30623 4.30623"},
    {"1", "linear", "(0.200000,-0.0882828,-0.295399,-0.230927,0.0458585) -0.368750"},
    {"1", "length", "(-0.961397,-0.275163,0.169182,0.985585) 0.0848225 0.0848225"},
    {"1", "additive", "-2.71773 -3.26034 -0.542607 -0.653644 -0.653644"},
    {"1", "clip", "-2 4 28 (6,8,0)"},
    {"1", "bucket", "1 21 14 28 31 32"},
    {"1", "slope", "0.015625 0.609375 65"},
    {"1", "wavelength", "6.28319 13261.1 2.39013e+06 3.14159e+06 1.31440"},
    {"1", "interpolation", "18.3477 2.29346 3058.38 0.958851 0.124919"},
    {"1", "float32", "0.121153 1937.72 0.000230994 -5.20543e-05 3 4.30260e-13 12"},
    {"1", "bf16", "272 1 3 385"},
    {"alice", "rotate", "(0.552858,3.11357) 3.16228 3.16228 (3,-1)"},
    {"alice", "layout", "(-3.48318,2.80490,-1.07979,3.97920) (-0.755290,1.91961,4.05334,4.03920) 6.08276 6.08276"},
    {"alice", "return", "5 0.00882125"},
    {"alice", "efficient",
     "(-0.547729,-0.547729,0.978031,0.978031) (-2,1,3,1) (-2.22104,-0.258803,1.60341,-2.72563) 128 4096"},
    {"alice", "order", "(-5.93995,0.846720) (-5.65771,1.12896)"},
    {"alice", "offset-sign", "9.97358 9.97358 -3.48995"},
    {"alice", "parts", "-1 -18 4.06931 -5.98965 18.0278"},
    {"alice", "bound", "(0.481399,1.32976,-0.733635,-1.20904) 4"},
    {"alice", "decay", "3.08050 0.0191151 0.691113 0.467260"},
    {"alice", "output", "(1.44958,-2.96415) (3.04025,-1.28233) 3.29962 3.29962"},
    {"alice", "linear", "(0.166667,0.0620014,-0.0996677,-0.169703,-0.0837139,0.0792412) -0.0451751"},
    {"alice", "length", "(0.990607,0.136737,0.139543,0.990216) 1.95837 1.95837"},
    {"alice", "additive", "-0.705600 -6.14682 -5.44122 -0.989992 -0.989992"},
    {"alice", "clip", "-2 -12 -20 (3,8,0)"},
    {"alice", "bucket", "2 18 27 10 31 -16"},
    {"alice", "slope", "0.015625 0.296875 129"},
    {"alice", "wavelength", "6.28319 54.4101 54410.1 62831.9 1.15478"},
    {"alice", "interpolation", "20.5021 10.2511 1367 0.958851 0.494808"},
    {"alice", "float32", "0.464159 12008.7 0.00143155 0.000119677 2 2.66647e-12 11"},
    {"alice", "bf16", "508 -1 3 385"},
};

/* The key as in the table: answers apart by blanks, vectors without. */
static void key_text(char text[1024], const exercise_key *key) {
    *text = 0;
    for (int a = 0; a < key->count; a++) {
        const exercise_answer *answer = &key->answer[a];
        strcat(text, a ? " " : "");
        strcat(text, answer->count > 1 ? "(" : "");
        for (int j = 0; j < answer->count; j++) {
            char digits[32];
            assert_true(interval_digits(digits, answer->value[j]));
            strcat(strcat(text, j ? "," : ""), digits);
        }
        strcat(text, answer->count > 1 ? ")" : "");
    }
}

static void answers_are_those_found_elsewhere(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const exercise *row = exercise_named(known[k].name);
        exercise_numbers numbers;
        exercise_key key;
        char text[1024];
        assert_non_null(row);
        exercise_for(&numbers, &key, row, known[k].student);
        key_text(text, &key);
        assert_string_equal(text, known[k].answers);
    }
}

/* ---- answers by a second route ----------------------------------------------------------------------- */

/* Complex numbers and powers in long double instead of intervals and certified phases. A twin makes the mistake that
 * its row names; no student's key may agree with it. */
typedef long double real;
typedef long double complex number;

typedef struct route {
    real value[64];
    int count;
} route;

static void put(route *to, real value) {
    to->value[to->count++] = value;
}
static void put_complex(route *to, number z) {
    put(to, creall(z)), put(to, cimagl(z));
}
static number pair(const int *x) {
    return x[0] + (number)I * x[1];
}
static number turned(number z, real angle) {
    return z * (cosl(angle) + (number)I * sinl(angle));
}
static real dot(number q, number k) {
    return creall(q * conjl(k));
}

static void rotate(route *to, const exercise_numbers *x, bool twin) {
    const number z = pair(x->x), y = turned(z, twin ? -x->m : x->m);
    put_complex(to, y), put(to, cabsl(z)), put(to, cabsl(y)), put_complex(to, z);
}

static void layout(route *to, const exercise_numbers *x, bool twin) {
    const real m = x->m;
    const number first = turned(pair(x->x), m), second = turned(pair(x->x + 2), m / 100);
    const number even = turned(x->x[0] + (number)I * x->x[2], m), odd = turned(x->x[1] + (number)I * x->x[3], m / 100);
    const real interleaved[4] = {creall(first), cimagl(first), creall(second), cimagl(second)};
    const real half[4] = {creall(even), creall(odd), cimagl(even), cimagl(odd)};
    for (int j = 0; j < 4; j++) put(to, twin ? half[j] : interleaved[j]);
    for (int j = 0; j < 4; j++) put(to, twin ? interleaved[j] : half[j]);
    put(to, hypotl(cabsl(first), cabsl(second))), put(to, hypotl(cabsl(even), cabsl(odd)));
}

static void come_back(route *to, const exercise_numbers *x, bool twin) {
    int m = 1;
    while (m * x->turns % (2 * x->parts)) m++;
    put(to, m), put(to, (twin ? 1 : 2) * fabsl(sinl((real)x->m / 2)));
}

static void efficient(route *to, const exercise_numbers *x, bool twin) {
    const real m = x->m, c[2] = {cosl(m), cosl(m / 100)}, s[2] = {sinl(m), sinl(m / 100)};
    for (int j = 0; j < 4; j++) put(to, c[j / 2]);
    for (int j = 0; j < 4; j++) put(to, j % 2 ? x->x[j - 1] : -x->x[j + 1]);
    for (int row = 0; row < 4; row++) { /* the full matrix */
        real sum = 0;
        for (int j = 0; j < 4; j++) {
            const real sine = (row % 2) == (int)twin ? -s[row / 2] : s[row / 2];
            sum += (row == j ? c[row / 2] : row / 2 == j / 2 ? sine : 0) * x->x[j];
        }
        put(to, sum);
    }
    put(to, 2 * x->dim), put(to, x->dim * x->dim);
}

static number times(const int W[2][2], number z) {
    return W[0][0] * creall(z) + W[0][1] * cimagl(z) + (number)I * (W[1][0] * creall(z) + W[1][1] * cimagl(z));
}

static void order(route *to, const exercise_numbers *x, bool twin) {
    const number z = pair(x->x), right = turned(times(x->W, z), x->m), wrong = times(x->W, turned(z, x->m));
    put_complex(to, twin ? wrong : right), put_complex(to, twin ? right : wrong);
}

static void offset_sign(route *to, const exercise_numbers *x, bool twin) {
    const number q = pair(x->q), k = pair(x->k);
    const int r = twin ? x->m - x->n : x->n - x->m;
    put(to, dot(q, turned(k, r))), put(to, dot(q, turned(k, r))), put(to, dot(q, turned(k, -r)));
}

static void parts(route *to, const exercise_numbers *x, bool twin) {
    const number z = conjl(pair(x->q)) * pair(x->k);
    const real A = creall(z), B = twin ? cimagl(z) : -cimagl(z), r = x->n;
    put(to, A), put(to, B), put(to, A * cosl(r) + B * sinl(r)), put(to, A * cosl(r) - B * sinl(r));
    put(to, cabsl(pair(x->q)) * cabsl(pair(x->k)));
}

static void bound(route *to, const exercise_numbers *x, bool twin) {
    const real r = twin ? -x->n : x->n;
    const number first = turned(pair(x->q), r), second = turned(pair(x->q + 2), r / 100);
    put_complex(to, first), put_complex(to, second);
    put(to, dot(pair(x->q), turned(first, -r)) + dot(pair(x->q + 2), turned(second, -r / 100)));
}

static void decay(route *to, const exercise_numbers *x, bool twin) {
    for (int j = 0; j < 4; j++) put(to, 2 * (cosl(x->offset[j]) + cosl((real)x->offset[j] / (twin ? 10 : 100))));
}

static void output(route *to, const exercise_numbers *x, bool twin) {
    const real w = (real)x->quarters / 4;
    number o[2];
    for (int moved = 0; moved < 2; moved++) {
        const int n = x->n + (twin ? 0 : moved * x->shift); /* the twin's output is relative */
        o[moved] = w * turned(pair(x->q), n) + (1 - w) * turned(pair(x->k), n + 1);
        put_complex(to, o[moved]);
    }
    put(to, cabsl(o[0])), put(to, cabsl(o[1]));
}

static void linear(route *to, const exercise_numbers *x, bool twin) {
    const number z = conjl(pair(x->q)) * pair(x->k);
    real sum = 0, weight[8];
    for (int r = 0; r <= x->m; r++) sum += weight[r] = creall(turned(z, -r)) / (creall(z) * (x->m + 1));
    for (int r = 0; r <= x->m; r++) put(to, twin ? weight[r] / sum : weight[r]);
    put(to, twin ? 1 : sum);
}

static void length(route *to, const exercise_numbers *x, bool twin) {
    const real m = x->m, r = x->m - x->n;
    const real p[4] = {sinl(m), cosl(m), sinl(m / 100), cosl(m / 100)};
    for (int j = 0; j < 4; j++) put(to, twin ? p[j ^ 1] : p[j]); /* cosines first */
    put(to, cosl(r) + cosl(r / 100)), put(to, cosl(r) + cosl(r / 100));
}

static real position_product(const exercise_numbers *x, int m, int n) {
    const number p = sinl(m) + (number)I * cosl(m), s = sinl(n) + (number)I * cosl(n);
    return dot(times(x->W, p), times(x->U, s));
}

static void additive(route *to, const exercise_numbers *x, bool twin) {
    const real before = position_product(x, x->m, x->n);
    const real after = position_product(x, x->m + x->shift, twin ? x->n : x->n + x->shift); /* twin: only m moves */
    put(to, before), put(to, after), put(to, after - before);
    put(to, cosl(x->m - x->n)), put(to, cosl(x->m - x->n));
}

static void clip(route *to, const exercise_numbers *x, bool twin) {
    int r[3];
    for (int j = 0; j < 3; j++) {
        r[j] = twin ? -x->offset[j] : x->offset[j]; /* m - n */
        while (r[j] > x->clip) r[j]--;
        while (r[j] < -x->clip) r[j]++;
        put(to, x->q[0] * r[j] + x->q[1] * r[j] * r[j]);
    }
    for (int j = 0; j < 3; j++) put(to, x->clip + r[j]);
}

/* First distance of each bucket of one side, 32 buckets and largest distance 128: by exact integers, in Python. */
static const int first_of_bucket[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};

static void bucket(route *to, const exercise_numbers *x, bool twin) {
    for (int j = 0; j < 5; j++) {
        const int a = abs(x->offset[j]);
        int k = 15;
        while (a < first_of_bucket[k] || (twin && a >= 8 && a == first_of_bucket[k])) k--; /* an edge goes down */
        put(to, k + (x->offset[j] > 0 ? 16 : 0));
    }
    put(to, x->offset[3]);
}

static void slope(route *to, const exercise_numbers *x, bool twin) {
    const int head = twin ? x->head - 1 : x->head; /* counted from 0 */
    const real s = powl(2, -8.0L * head / x->heads);
    int r = 0;
    while (s * r <= x->advantage * (1 + 0x1p-40L)) r++; /* s r = advantage may come out rounded */
    put(to, s), put(to, s * x->n), put(to, r);
}

static void wavelength(route *to, const exercise_numbers *x, bool twin) {
    const real pi = acosl(-1), b = x->base;
    const int last = twin ? x->dim / 2 : x->dim / 2 - 1;
    put(to, 2 * pi), put(to, 2 * pi * powl(b, 2.0L * x->i / x->dim)), put(to, 2 * pi * powl(b, 2.0L * last / x->dim));
    put(to, 2 * pi * b), put(to, powl(b, 2.0L / x->dim));
}

static void interpolation(route *to, const exercise_numbers *x, bool twin) {
    const real f = twin ? 1.0L / x->factor : x->factor, angle = x->m * powl(10000, -2.0L * x->i / x->dim);
    put(to, angle), put(to, angle / f), put(to, x->m / f);
    put(to, 2 * sinl(0.5L)), put(to, 2 * fabsl(sinl(0.5L / f)));
}

static void float32(route *to, const exercise_numbers *x, bool twin) {
    const real theta = powl(10000, -2.0L * x->i / x->dim), angle = x->m * theta;
    const float stored = (float)theta, product = (float)x->m * stored;
    put(to, theta), put(to, angle);
    for (int k = 0; k < 2; k++) {
        const real e = angle * (k ? 0x1p-52L : 0x1p-23L);
        put(to, e);
        if (k == 0) put(to, twin ? (real)((double)x->m * (double)theta) - angle : (real)product - angle);
        put(to, floorl(-log10l(2 * e)));
    }
}

/* bfloat16 from the bits of binary32. */
static int stored_bf16(int m, bool twin) {
    float f = (float)m;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (!twin) bits += 0x7fff + (bits >> 16 & 1); /* to nearest, ties to even; the twin cuts off */
    bits &= 0xffff0000;
    memcpy(&f, &bits, sizeof bits);
    return (int)f;
}

static void bf16(route *to, const exercise_numbers *x, bool twin) {
    const int stored = stored_bf16(x->m, twin);
    int alike = 0, different = 1;
    for (int m = 1; m < 2 * x->m; m++) alike += stored_bf16(m, twin) == stored;
    for (int m = 1; m < x->length; m++) different += stored_bf16(m, twin) != stored_bf16(m - 1, twin);
    put(to, stored), put(to, stored - x->m), put(to, alike), put(to, different);
}

/* size: no number on the way is larger. With fewer than 64 roundings and functions good to an ulp, the second route is
 * off by less than 128 size epsilon. */
static const struct second {
    const char *name;
    void (*solve)(route *to, const exercise_numbers *x, bool twin);
    real size;
} seconds[] = {{"rotate", rotate, 16},
               {"layout", layout, 32},
               {"return", come_back, 400},
               {"efficient", efficient, 32},
               {"order", order, 64},
               {"offset-sign", offset_sign, 64},
               {"parts", parts, 64},
               {"bound", bound, 128},
               {"decay", decay, 16},
               {"output", output, 32},
               {"linear", linear, 64},
               {"length", length, 32},
               {"additive", additive, 32},
               {"clip", clip, 0},
               {"bucket", bucket, 0},
               {"slope", slope, 8},
               {"wavelength", wavelength, 6.3e6},
               {"interpolation", interpolation, 32768},
               {"float32", float32, 131072},
               {"bf16", bf16, 0}};

/* Of the arithmetic that is really there: valgrind computes long double in 53 bits, whatever LDBL_EPSILON says. */
static real epsilon(void) {
    volatile real one = 1, step = 1;
    while (one + step / 2 > one) step /= 2;
    return step;
}

static bool agrees(const exercise_key *key, const route *second, real size) {
    const real allowed = 128 * size * epsilon();
    int next = 0;
    bool same = true;
    for (int a = 0; a < key->count; a++)
        for (int j = 0; j < key->answer[a].count; j++) {
            const interval got = key->answer[a].value[j];
            const real want = second->value[next++];
            same = same && want >= got.low - allowed && want <= got.high + allowed;
        }
    assert_int_equal(next, second->count);
    return same;
}

enum { STUDENTS = 200 };

static void every_answer_agrees_with_a_second_route(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++)
        for (int student = 0; student < STUDENTS; student++) {
            char name[32];
            snprintf(name, sizeof name, "student %d", student);
            exercise_numbers numbers;
            exercise_key key;
            route right = {0}, wrong = {0};
            exercise_for(&numbers, &key, exercise_named(seconds[k].name), name);
            seconds[k].solve(&right, &numbers, false);
            seconds[k].solve(&wrong, &numbers, true);
            if (!agrees(&key, &right, seconds[k].size)) fail_msg("%s, %s: wrong", seconds[k].name, name);
            if (agrees(&key, &wrong, seconds[k].size)) fail_msg("%s, %s: its twin passes", seconds[k].name, name);
        }
}

static void every_exercise_has_a_second_route(void **state) {
    (void)state;
    const int count = (int)(sizeof seconds / sizeof *seconds);
    for (int k = 1; k <= count; k++) assert_string_equal(exercise_at(k)->name, seconds[k - 1].name);
    assert_null(exercise_at(count + 1));
}

/* ---- numbers for a pocket calculator ----------------------------------------------------------------- */

static void check_small(int count, const int *x, int largest) {
    for (int j = 0; j < count; j++) assert_true(abs(x[j]) <= largest);
}

static void numbers_stay_small(void **state) {
    (void)state;
    for (int k = 1; exercise_at(k); k++)
        for (int student = 0; student < STUDENTS; student++) {
            char name[32];
            snprintf(name, sizeof name, "%d", student);
            exercise_numbers x;
            exercise_key key;
            exercise_for(&x, &key, exercise_at(k), name);
            check_small(4, x.q, 4), check_small(4, x.k, 4), check_small(4, x.x, 4);
            check_small(4, &x.W[0][0], 3), check_small(4, &x.U[0][0], 2), check_small(5, x.offset, 999);
            assert_true(x.m >= 0 && x.n >= 0 && x.m < 131072 && x.n < 100);
            assert_true(key.count > 0 && key.count <= EXERCISE_ANSWERS);
        }
}

/* ---- sheets ------------------------------------------------------------------------------------------ */

static char *sheet_of(const char *which, const char *student, bool answer) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    rope_error error;
    assert_non_null(out);
    assert_int_equal(teach_exercise(out, which, student, answer, &error), ROPE_OK);
    fclose(out);
    return text;
}

static void check_columns(const char *text) {
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (length > TEXT_COLUMNS || (length && line[length - 1] == ' ')) fail_msg("'%.*s'", (int)length, line);
        line += length + (line[length] != 0);
    }
}

static void a_sheet_is_the_student_s_own(void **state) {
    (void)state;
    char *const anna = sheet_of("all", "anna", false), *const again = sheet_of("all", "anna", false);
    char *const ann = sheet_of("all", "ann", false), *const key = sheet_of("all", "anna", true);
    char *const one = sheet_of("7", "anna", false), *const named = sheet_of("parts", "anna", false);
    assert_string_equal(anna, again);
    assert_string_not_equal(anna, ann);
    assert_string_equal(one, named);
    check_contains(anna, strstr(one, "7. The cosine part")); /* the same numbers alone and in the sheet */
    assert_null(strstr(anna, "Answer"));
    check_contains(key, "Answer");
    check_columns(key);
    free(anna), free(again), free(ann), free(key), free(one), free(named);
}

static void refused(const char *which, const char *student, const char *place) {
    rope_error error;
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(teach_exercise(out, which, student, false, &error), ROPE_BAD_INPUT);
    assert_string_equal(error.place, place);
    assert_true(*error.reason && *error.hint);
    assert_int_equal(ftell(out), 0); /* nothing half-written */
    fclose(out);
}

static void bad_requests_are_refused(void **state) {
    (void)state;
    char long_name[300];
    memset(long_name, 'x', sizeof long_name), long_name[sizeof long_name - 1] = 0;
    refused("21", "anna", "exercise"), refused("0", "anna", "exercise"), refused("rope", "anna", "exercise");
    refused("1", NULL, "--seed"), refused("all", "", "--seed"), refused("all", "a\033[2J", "--seed");
    refused("all", long_name, "--seed");
}

/* ---- schemes in numbers ------------------------------------------------------------------------------ */

typedef struct example {
    compare_data data;
    encoding_run run;
} example;

static void example_begin(example *x, const char *scheme) {
    rope_error error;
    memset(x, 0, sizeof *x);
    assert_int_equal(example_data(&x->data, &error), ROPE_OK);
    assert_int_equal(encoding_build(&x->run, encoding_named(scheme), &x->data, 0, &error), ROPE_OK);
}

static void example_end(example *x) {
    encoding_free(&x->run);
    compare_data_free(&x->data);
}

/* The terms of the additive sinusoid, computed in Python with mpmath at 50 digits from the formulas of the reference
 * data; public domain. Both values, and which positions the formula contains. */
static void the_example_has_the_known_values(void **state) {
    (void)state;
    static const struct {
        int which;
        double before, after;
        example_place place;
    } want[] = {{0, 0.3591522091606856833, 0.3591522091606856833, PLACE_NONE},
                {1, -0.04929824553487114302, -0.3264482123642834056, PLACE_KEY},
                {2, -0.05046190149727388939, -0.1547690841673662150, PLACE_QUERY},
                {3, 0.006068647188734585019, -0.6344788569799078928, PLACE_BOTH},
                {ENCODING_SUM, 0.2654607093172751860, -0.7565439443508718800, PLACE_BOTH}};
    example x;
    example_begin(&x, "sinusoidal");
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        const example_term got = example_of(&x.run, want[k].which);
        check_near(got.before, want[k].before, got.bound + 0x1p-53); /* and the rounding of the constant */
        check_near(got.after, want[k].after, got.bound + 0x1p-53);
        check_near(got.by, want[k].after - want[k].before, got.bound + 0x1p-51);
        assert_int_equal(got.place, want[k].place);
        assert_true(got.bound < 1e-15);
    }
    example_end(&x);
}

/* What moves in the example is what the table of encodings says. */
static void every_scheme_moves_as_it_says(void **state) {
    (void)state;
    for (const encoding *const *row = encodings; *row; row++) {
        example x;
        example_begin(&x, (*row)->name);
        for (int k = 0; k < x.run.terms; k++) {
            const example_term term = example_of(&x.run, k);
            assert_int_equal((*row)->term[k].relative, term.place == PLACE_NONE || term.place == PLACE_OFFSET);
            assert_int_equal((*row)->term[k].relative, term.by == 0);
        }
        assert_int_equal((*row)->relative, example_of(&x.run, ENCODING_SUM).by == 0);
        example_end(&x);
    }
}

/* ---- explain ----------------------------------------------------------------------------------------- */

static char *explanation(const char *scheme) {
    char *text = NULL;
    size_t size = 0;
    rope_error error;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(teach_explain(out, scheme, &error), ROPE_OK);
    fclose(out);
    return text;
}

static void every_scheme_is_explained(void **state) {
    (void)state;
    char *const list = explanation(NULL);
    check_columns(list);
    for (const encoding *const *row = encodings; *row; row++) {
        char *const text = explanation((*row)->name);
        check_columns(text);
        check_contains(list, (*row)->name);
        check_contains(text, (*row)->title);
        for (const encoding_term_text *term = (*row)->term; term->id; term++) check_contains(text, term->id);
        check_contains(text, "(15, 12)");
        if ((*row)->differs) check_contains(text, "RoFormer");
        free(text);
    }
    free(list);
}

static void an_unknown_scheme_is_refused(void **state) {
    (void)state;
    rope_error error;
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(teach_explain(out, "rpoe", &error), ROPE_BAD_INPUT);
    check_contains(error.reason, "rpoe");
    check_contains(error.hint, "rope");
    assert_int_equal(ftell(out), 0);
    fclose(out);
}

/* ---- tour -------------------------------------------------------------------------------------------- */

/* How many questions and how many answers are printed for what the visitor types; typed NULL: nobody is asked. */
static void tour(const char *typed, int questions, int answers) {
    char *text = NULL;
    size_t size = 0;
    rope_error error;
    FILE *in = tmpfile(), *out = open_memstream(&text, &size);
    assert_true(in && out);
    fputs(typed ? typed : "q\n", in);
    rewind(in);
    assert_int_equal(teach_tour(in, out, typed != NULL, &error), ROPE_OK);
    if (!typed) assert_int_equal(ftell(in), 0); /* nothing is read */
    fclose(in), fclose(out);
    if (!typed) check_columns(text);
    int asked = 0, shown = 0;
    for (const char *at = text; (at = strstr(at, " of 12. ")); at++) asked++;
    for (const char *at = text; (at = strstr(at, "\n   score = ")); at++) shown++;
    shown += strstr(text, "factors?") != NULL;
    free(text);
    assert_int_equal(asked, questions);
    assert_int_equal(shown, answers);
}

static void the_tour_waits_and_can_be_left(void **state) {
    (void)state;
    tour(NULL, 12, 12);
    tour("\n\n\n\n\n\n\n\n\n\n\n\n", 12, 12);
    tour("q\n", 1, 0);
    tour("\nno idea\nQuit\n\n", 3, 2);
    tour("", 1, 0);
    tour("\nq", 2, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_operations_enclose),
        cmocka_unit_test(interval_products_take_every_corner),
        cmocka_unit_test(digits_are_printed_only_when_decided),
        cmocka_unit_test(answers_are_those_found_elsewhere),
        cmocka_unit_test(every_answer_agrees_with_a_second_route),
        cmocka_unit_test(every_exercise_has_a_second_route),
        cmocka_unit_test(numbers_stay_small),
        cmocka_unit_test(a_sheet_is_the_student_s_own),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(the_example_has_the_known_values),
        cmocka_unit_test(every_scheme_moves_as_it_says),
        cmocka_unit_test(every_scheme_is_explained),
        cmocka_unit_test(an_unknown_scheme_is_refused),
        cmocka_unit_test(the_tour_waits_and_can_be_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
