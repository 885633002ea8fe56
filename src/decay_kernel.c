#include "decay_kernel.h"

#include <math.h>

#include "clones.h"
#include "number/dd.h"

/* v = 2^-53 throughout. Lemma [Lipschitz]: ||S'| - |S|| <= |S' - S|, so errors of the phases reach |S_i| unamplified,
 * also where S_i is almost 0; only the square root itself adds to them. */
static const double v = 0x1p-53;

/* Evaluating a bound in doubles costs 2^-45 of it, second-order terms 2^-17: this factor holds both. */
static const double slack = 1 + 0x1p-10;

static double sum1(double h) { return h * (h + 1) / 2; }               /* sum of i, i = 1 .. h */
static double sum2(double h) { return h * (h + 1) * (2 * h + 1) / 6; } /* of i^2 */
static double sum3(double h) { return sum1(h) * sum1(h); }             /* of i^3 */

enum { LANES = ROPE_DECAY_LANES };
#define LANE _Pragma("omp simd") for (int l = 0; l < LANES; l++)

/* ---- giants ------------------------------------------------------------------------------------------ */

/* p u + sign q w of double-doubles, where |p u| + |q w| <= 1. The low parts left of p u and q w (v), of their sum
 * (v), and the four cross products (2 v) have absolute sum at most 4 v, and each takes at most 5 roundings: 20 v^2.
 * Low times low is left out: v^2. */
ROPE_INLINE rope_dd combine(rope_dd p, rope_dd u, double sign, rope_dd q, rope_dd w) {
    const rope_dd x = rope_two_prod(p.hi, u.hi), y = rope_two_prod(sign * q.hi, w.hi), sum = rope_two_sum(x.hi, y.hi);
    const double cross = fma(p.hi, u.lo, p.lo * u.hi) + fma(sign * q.hi, w.lo, sign * q.lo * w.hi);
    return rope_two_sum(sum.hi, sum.lo + ((x.lo + y.lo) + cross));
}

/* One phase is the product of mid, top and baby, each off by 2^-106 = v^2 as a complex number (a component by v^2 of
 * itself), plus sqrt2 21 v^2 here: 33 v^2 < ROPE_DECAY_PHASE_ERROR. The grid kernel's own product is counted there. */
ROPE_INLINE rope_decay_giant *giants_body(int h, rope_decay_giant *giant, const rope_decay_giant *mid,
                                          const rope_decay_giant *top) {
    for (int j = 0; j < h; j++) {
        const rope_dd mc = {mid[j].c, mid[j].cl}, ms = {mid[j].s, mid[j].sl};
        const rope_dd tc = {top[j].c, top[j].cl}, ts = {top[j].s, top[j].sl};
        const rope_dd c = combine(mc, tc, -1.0, ms, ts), s = combine(ms, tc, 1.0, mc, ts);
        giant[j] = (rope_decay_giant){c.hi, c.lo, s.hi, s.lo};
    }
    return giant;
}

ROPE_KERNEL(rope_decay_giant *, giants,
            (int h, rope_decay_giant *giant, const rope_decay_giant *mid, const rope_decay_giant *top),
            (h, giant, mid, top))

void rope_decay_giants(int h, rope_decay_giant *giant, const rope_decay_giant *mid, const rope_decay_giant *top) {
    giants(h, giant, mid, top);
}

/* ---- double-double on a grid ------------------------------------------------------------------------ */

/* A sum lives on a grid: its high part is kept with 1.5 2^52 g added, in the binade whose spacing is g, so n = RN(A B
 * + sum) and p = n - sum are multiples of g, p is exact, and |A B - p| <= g/2. This needs |sum - 1.5 2^52 g| <= 2^51
 * g throughout.
 *
 * Products: |sum| <= h <= 2^51 g for g = 2^(ceil(log2 h) - 51), as |A|, |B| <= 1 and 1 is on the grid.
 * Moduli: x <= i + 2^-18, so their sum is below h (h+1)/2 + 1 <= 2^51 g'. */
static double grid_for(double largest) {
    double power = 1.0;
    while (power < largest) power *= 2;
    return power * 0x1p-51;
}

static double grid_of_products(int h) { return grid_for(h); }
static double grid_of_moduli(int h) { return grid_for(sum1(h) + 1); }

/* Largest low part that one product leaves: |A B - p| <= g/2 and the cross terms |A Bl|, |Al B| <= v. */
static double low_part(int h) { return grid_of_products(h) / 2 + 2 * v; }

/* Error of Re S_i and of Im S_i, e = low_part. Each fma of the low part rounds by v e at most, three times; Al Bl <=
 * v^2 <= v e / 2 is left out; the k-th addition to the low sum rounds by v k e: together v e (7/2 i + i (i+1)/2) per
 * sum of products. Two of them; their high parts are added exactly (multiples of g below 2^53 g), the low ones with 2
 * v i e: v e (i^2 + 10 i). Tables: i times their error. [derivation 16.5] [proofs/numeric/decay_grid.gappa: one pair] */
static double grid_component(int h, double i) {
    return v * low_part(h) * (i * i + 10 * i) + i * ROPE_DECAY_PHASE_ERROR;
}

double rope_decay_grid_re(int h) { return grid_component(h, h) * slack; }

/* Where the root's own error is under control: D^3 / (2 x^2) below. */
double rope_decay_grid_least(int h) { return h * 0x1p-20; }

/* |S_i| as x + t, from re = a + al, im = b + bl, |(al, bl)| <= sqrt2 2 i e =: lambda. H = RN(a^2 + b^2), x = RN(sqrt
 * H). Then R = |S_i|^2 - x^2 is the sum of H - x^2 (one fma, exact [Boldo, Daumas 2003]), the rounding errors of H
 * (e0 exact [Dekker 1971], and those of the squares, each one fma, exact), and w = al (2a + al) + bl (2b + bl). |S_i|
 * = x sqrt(1 + R/x^2) = x + D - D^2/(2x) + rest, D = R/(2x), |rest| <= |D|^3/(2x^2).
 *
 * In R the parts have absolute sum at most T = 4.1 v x^2 + 2 lambda x + lambda^2 and each takes at most 7 roundings:
 * T/(2x) <= 2.1 v x + lambda (1 + 2^-19) =: d, as lambda <= 2^-18 x where x >= grid_least. |D| <= d too. Roundings: 7
 * v d in R, 2 v d for D, 1.1 v d after: 10.1 v d. */
static double deviation(int h, double i) { return 2.1 * v * i + sqrt(2.0) * 2 * i * low_part(h); }

/* The total: x joins the grid of moduli exactly, its rest (at most g'/2) plus t rounds by v (g'/2 + d_i), and the low
 * sum, at most i g'/2 + sum d_k, by v of itself. d_i = i d_1. */
double rope_decay_grid_total(int h) {
    const double d = deviation(h, 1), e = low_part(h), half = grid_of_moduli(h) / 2, least = rope_decay_grid_least(h);
    const double products = sqrt(2.0) * (v * e * (sum2(h) + 10 * sum1(h)) + sum1(h) * ROPE_DECAY_PHASE_ERROR);
    const double roots = 10.1 * v * d * sum1(h) + d * d * d * sum3(h) / (2 * least * least);
    const double total = v * (half * (h + sum1(h)) + d * (sum1(h) + (sum2(h) + sum1(h)) / 2));
    return (products + roots + total) * slack;
}

ROPE_INLINE double larger(double a, double b) { return a > b ? a : b; }
ROPE_INLINE double smaller(double a, double b) { return a < b ? a : b; }

/* high + low += (A + Al)(B + Bl). */
ROPE_INLINE void add_product(double *high, double *low, double A, double Al, double B, double Bl) {
    const double n = fma(A, B, *high), p = n - *high;
    *low += fma(A, Bl, fma(Al, B, fma(A, B, -p)));
    *high = n;
}

/* total += |(a + al) + i (b + bl)|. */
ROPE_INLINE void add_modulus(double *total, double *low, double *least, double a, double al, double b, double bl) {
    const double a2 = a * a, b2 = b * b, H = a2 + b2, x = sqrt(H), half = 0.5 / x;
    const double e0 = smaller(a2, b2) - (H - larger(a2, b2));
    const double e = fma(a, a, -a2) + fma(b, b, -b2);
    const double w = fma(al, fma(2.0, a, al), bl * fma(2.0, b, bl));
    const double D = (fma(-x, x, H) + ((e + e0) + w)) * half, t = D - D * D * half;
    const double n = x + *total, p = n - *total;
    *low += (x - p) + t;
    *total = n;
    *least = smaller(x, *least);
}

ROPE_INLINE rope_decay_rows grid_body(int h, const rope_decay_giant *giant, const rope_decay_baby *baby) {
    const double start = 0x1.8p52 * grid_of_products(h), origin = 0x1.8p52 * grid_of_moduli(h);
    double cc[LANES], ss[LANES], sc[LANES], cs[LANES], up[LANES], down[LANES], up_least[LANES], down_least[LANES];
    double ccl[LANES], ssl[LANES], scl[LANES], csl[LANES], up_low[LANES], down_low[LANES];
    LANE {
        cc[l] = ss[l] = sc[l] = cs[l] = start;
        ccl[l] = ssl[l] = scl[l] = csl[l] = up_low[l] = down_low[l] = 0.0;
        up[l] = down[l] = origin;
        up_least[l] = down_least[l] = h;
    }
    for (int j = 0; j < h; j++) {
        const rope_decay_giant g = giant[j];
        const rope_decay_baby *const b = &baby[j];
        LANE {
            add_product(&cc[l], &ccl[l], g.c, g.cl, b->c[l], b->cl[l]);
            add_product(&ss[l], &ssl[l], g.s, g.sl, b->s[l], b->sl[l]);
            add_product(&sc[l], &scl[l], g.s, g.sl, b->c[l], b->cl[l]);
            add_product(&cs[l], &csl[l], g.c, g.cl, b->s[l], b->sl[l]);
            add_modulus(&up[l], &up_low[l], &up_least[l], cc[l] - ss[l], ccl[l] - ssl[l],
                        (sc[l] - 2 * start) + cs[l], scl[l] + csl[l]);
            add_modulus(&down[l], &down_low[l], &down_least[l], (cc[l] - 2 * start) + ss[l], ccl[l] + ssl[l],
                        sc[l] - cs[l], scl[l] - csl[l]);
        }
    }
    rope_decay_rows rows = {0};
    LANE {
        rows.total[0][l] = up[l] - origin, rows.total_low[0][l] = up_low[l], rows.least[0][l] = up_least[l];
        rows.total[1][l] = down[l] - origin, rows.total_low[1][l] = down_low[l], rows.least[1][l] = down_least[l];
        rows.re[0][l] = cc[l] - ss[l], rows.re_low[0][l] = ccl[l] - ssl[l];
        rows.re[1][l] = (cc[l] - 2 * start) + ss[l], rows.re_low[1][l] = ccl[l] + ssl[l];
    }
    return rows;
}

ROPE_KERNEL(rope_decay_rows, grid, (int h, const rope_decay_giant *giant, const rope_decay_baby *baby),
            (h, giant, baby))

rope_decay_rows rope_decay_grid(int h, const rope_decay_giant *giant, const rope_decay_baby *baby) {
    return grid(h, giant, baby);
}

/* ---- plain double ----------------------------------------------------------------------------------- */

/* Re S_i and Im S_i: a table value is off by v/2 (modulus below 1), twice per product, which rounds by v/2; the k-th
 * addition rounds by v k: each sum of products is within v (3/2 i + i (i+1)/2). Two of them, and the last addition, v
 * i: v (i^2 + 5 i). |S_i|: sqrt2 of that; the squares and their sum cost the root v i, and the root itself v i. The
 * product with the weight rounds by v weight i, the addition to the total by v of the total, at most sum k weight_k.
 *
 * The phases: both components of one are within 2 (3/2 v) + v = 4 v, the two products with the term and their
 * difference round by 2 v of at most |re| + |im|, the addition by v of the sum so far. [derivation 16.6] */
rope_decay_error rope_decay_narrow_error(int h, const rope_decay_term *term) {
    rope_decay_error error = {0};
    double total = 0.0, sum = 0.0;
    for (int i = 1; i <= h; i++) {
        const double weight = term[i - 1].weight, size = fabs(term[i - 1].re) + fabs(term[i - 1].im);
        total += weight * i, sum += size;
        error.total += weight * (sqrt(2.0) * (sum1(i) * 2 + 4.0 * i) + 3.0 * i) + total;
        error.re += 6 * size + sum;
    }
    return (rope_decay_error){error.total * v * slack, error.re * v * slack};
}

ROPE_INLINE double modulus(double a, double b) { return sqrt(a * a + b * b); }

ROPE_INLINE rope_decay_rows narrow_body(int h, const rope_decay_giant *giant, const rope_decay_baby *baby,
                                        const rope_decay_term *term) {
    double cc[LANES] = {0}, ss[LANES] = {0}, sc[LANES] = {0}, cs[LANES] = {0};
    rope_decay_rows rows = {0};
    for (int j = 0; j < h; j++) {
        const double c = giant[j].c, s = giant[j].s;
        const rope_decay_term t = term[j];
        LANE {
            const double p = c * baby[j].c[l], q = s * baby[j].s[l], x = s * baby[j].c[l], y = c * baby[j].s[l];
            cc[l] += p, ss[l] += q, sc[l] += x, cs[l] += y;
            rows.total[0][l] += t.weight * modulus(cc[l] - ss[l], sc[l] + cs[l]);
            rows.total[1][l] += t.weight * modulus(cc[l] + ss[l], sc[l] - cs[l]);
            rows.re[0][l] += t.re * (p - q) - t.im * (x + y);
            rows.re[1][l] += t.re * (p + q) - t.im * (x - y);
        }
    }
    return rows;
}

ROPE_KERNEL(rope_decay_rows, narrow,
            (int h, const rope_decay_giant *giant, const rope_decay_baby *baby, const rope_decay_term *term),
            (h, giant, baby, term))

rope_decay_rows rope_decay_narrow(int h, const rope_decay_giant *giant, const rope_decay_baby *baby,
                                  const rope_decay_term *term) {
    return narrow(h, giant, baby, term);
}
