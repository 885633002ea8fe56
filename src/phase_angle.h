/* cos and sin of an angle below 2^30 in plain double arithmetic, without a branch, so that loops vectorise.
 *
 * Let u = 2^-54, half an ulp just below 1. The angle is cut to a = k pi/2 + r.
 *
 * k = RN(2a/pi), by the addition of 1.5 2^52. 2/pi as a double is off by less than 2^-54, so |k - 2a/pi| <= 1/2 +
 * 2^-24, |r| < pi/4 + 2^-23 < 0.7855, and |k| < 2^30.
 *
 * r = (a - k P1) - k P2 by two fma, where P1 + P2 is pi/2 within 2^-107. Both results are below 1 and round by at most
 * u each; k 2^-107 <= 2^-77. Error of r: 2u. z = r^2 < 0.6171 rounds by u.
 *
 * cos r = 1 + z (-1/2 + z (1/24 - ...)) up to z^8, by fma. Errors in u: the last step 1; the step before, at most 1/2
 * in size, 1/2 times z: 0.31; 1/24 and its step, 1/8 together, times z^2: 0.05; the steps before: 0.01; z's error times
 * |dcos/dz| <= 1/2: 0.50; r's error times sin 0.7855: 1.42; what is cut off, r^18/18! < 2^-58.7: 0.04. Sum 3.33.
 *
 * sin r = r + (r z) (-1/6 + z (1/120 - ...)) up to z^8, by fma. Errors in u: the last step 1; r z <= 0.4848, 1/2 times
 * 1/6: 0.09; z's error times r (1/6 + ...): 0.14; -1/6 and its step, 1/2 together, times r z: 0.25; the steps before:
 * 0.02; r's error times cos 0: 2; what is cut off, r^19/19! < 2^-63: 0.01. Sum 3.51.
 *
 * Both are below 4u = 2^-52. [derivation 15.2] [proofs/numeric/phase_angle.gappa, proofs/numeric/PhaseAngle.v]
 */
#ifndef ROPE_PHASE_ANGLE_H
#define ROPE_PHASE_ANGLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "clones.h"

#define ROPE_PHASE_ANGLE_REDUCED 0x1p-52 /* error of rope_phase_angle_reduced */
#define ROPE_PHASE_ANGLE_LARGEST 0x1p30

ROPE_INLINE void rope_phase_angle_reduced(double a, double *c, double *s) {
    const double two_over_pi = 0x1.45f306dc9c883p-1, P1 = 0x1.921fb54442d18p+0, P2 = 0x1.1a62633145c07p-54;
    const double shift = 0x1.8p52;

    const double shifted = fma(a, two_over_pi, shift), k = shifted - shift;
    uint64_t quadrant; /* k mod 4 in the low bits */
    memcpy(&quadrant, &shifted, sizeof quadrant);
    const double r = fma(-k, P2, fma(-k, P1, a)), z = r * r;

    double p = 1.0 / 20922789888000; /* 1/16! */
    p = fma(p, z, -1.0 / 87178291200);
    p = fma(p, z, 1.0 / 479001600);
    p = fma(p, z, -1.0 / 3628800);
    p = fma(p, z, 1.0 / 40320);
    p = fma(p, z, -1.0 / 720);
    p = fma(p, z, 1.0 / 24);
    p = fma(p, z, -1.0 / 2);
    const double cosine = fma(p, z, 1.0);

    double q = 1.0 / 355687428096000; /* 1/17! */
    q = fma(q, z, -1.0 / 1307674368000);
    q = fma(q, z, 1.0 / 6227020800);
    q = fma(q, z, -1.0 / 39916800);
    q = fma(q, z, 1.0 / 362880);
    q = fma(q, z, -1.0 / 5040);
    q = fma(q, z, 1.0 / 120);
    q = fma(q, z, -1.0 / 6);
    const double sine = fma(r * z, q, r);

    /* cos(r + k pi/2) is cos r, -sin r, -cos r, sin r for k = 0, 1, 2, 3 mod 4; sin is that of k - 1. */
    const double c_size = quadrant & 1 ? sine : cosine, s_size = quadrant & 1 ? cosine : sine;
    *c = (quadrant + 1) & 2 ? -c_size : c_size;
    *s = quadrant & 2 ? -s_size : s_size;
}

#endif
