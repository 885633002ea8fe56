/* C at whole distances as a function of the base, in plain double. [derivation 16.8] */
#include "decay.h"

#include <assert.h>
#include <math.h>

#include "clones.h"
#include "frequency/frequency.h"
#include "phase_angle.h"

static const double v = 0x1p-53;

/* Sums below are of positive numbers, off by less than h 2^-50 of themselves; second-order terms are smaller still. */
static const double slack = 1 + 0x1p-10;

/* ratio = theta_1 / theta_0, within v and a little of itself. */
static double ratio_of(const rope_spec *spec) {
    mpfr_t first, second;
    mpfr_inits2(100, first, second, (mpfr_ptr)0);
    rope_frequency(first, spec, 0);
    rope_frequency(second, spec, 1);
    mpfr_div(second, second, first, MPFR_RNDN);
    const double ratio = mpfr_get_d(second, MPFR_RNDN);
    mpfr_clears(first, second, (mpfr_ptr)0);
    return ratio;
}

/* theta_0 is off by 2 v of itself, each step of the progression by 2 v more: theta_j by 2 (j + 1) v. Of a distance m,
 * in units of v:
 *
 *   the angle RN(m theta_j): m theta_j (2 (j + 1) + 1); cosine and sine: 2 more [phase_angle.h];
 *   C: h additions of at most h more: m sum theta_j (2 j + 3) + 2 h + h^2;
 *   slope: e_j theta_j, its product with m and with the sine round by 2 (j + 1) + 4 of themselves, the sine is off by
 *   m theta_j (2 j + 3) + 2, and h additions add h of the sum of moduli:
 *   m sum e_j theta_j (2 j + 8 + h) + m^2 sum e_j theta_j^2 (2 j + 3). */
void rope_decay_base_set(rope_decay_base *base, const rope_spec *spec) {
    const int h = base->pairs = rope_spec_pairs(spec);
    const double ratio = h > 1 ? ratio_of(spec) : 1.0;
    double theta = rope_frequency_double(spec, 0);
    base->steepness = base->bend[0] = base->bend[1] = 0.0;
    base->C_error[0] = 2.0 * h + (double)h * h, base->C_error[1] = base->slope_error[0] = base->slope_error[1] = 0.0;
    for (int j = 0; j < h; j++, theta *= ratio) {
        const double e = (double)j / h, weight = e * theta;
        base->theta[j] = theta;
        base->weight[j] = weight;
        base->steepness += weight;
        base->bend[0] += e * weight;
        base->bend[1] += weight * weight;
        base->C_error[1] += theta * (2 * j + 3);
        base->slope_error[0] += weight * (2 * j + 8 + h);
        base->slope_error[1] += weight * theta * (2 * j + 3);
    }
    base->steepness *= slack;
}

enum { LANES = 8 };

/* C and slope / m of eight distances. */
ROPE_INLINE double *sums_body(const rope_decay_base *base, const double *m, double *C, double *slope) {
    for (int l = 0; l < LANES; l++) C[l] = slope[l] = 0.0;
    for (int j = 0; j < base->pairs; j++) {
        const double theta = base->theta[j], weight = base->weight[j];
        _Pragma("omp simd") for (int l = 0; l < LANES; l++) {
            double c, s;
            rope_phase_angle_reduced(m[l] * theta, &c, &s);
            C[l] += c;
            slope[l] += weight * s;
        }
    }
    return C;
}

ROPE_KERNEL(double *, sums, (const rope_decay_base *base, const double *m, double *C, double *slope),
            (base, m, C, slope))

void rope_decay_trends(const rope_decay_base *base, const int64_t *m, int n, rope_decay_trend *trend) {
    for (int from = 0; from < n; from += LANES) {
        const int lanes = n - from < LANES ? n - from : LANES;
        double r[LANES] = {0}, C[LANES], slope[LANES];
        for (int l = 0; l < lanes; l++) {
            r[l] = (double)m[from + l];
            assert(0 < m[from + l] && r[l] * base->theta[0] < ROPE_PHASE_ANGLE_LARGEST);
        }
        sums(base, r, C, slope);
        for (int l = 0; l < lanes; l++)
            trend[from + l] = (rope_decay_trend){.C = C[l],
                                                 .slope = r[l] * slope[l],
                                                 .C_error = v * slack * (base->C_error[0] + r[l] * base->C_error[1]),
                                                 .slope_error = v * slack * r[l] *
                                                                (base->slope_error[0] + r[l] * base->slope_error[1]),
                                                 .bend = slack * r[l] * (base->bend[0] + r[l] * base->bend[1])};
    }
}
