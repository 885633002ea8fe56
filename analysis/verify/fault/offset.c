/* Position m + lag is used for position m. [bugs of kind OFFSET] */
#include <math.h>

#include "fault.h"

/* Mean phase error of pair i over the rows nearest to position 0 (their angles carry the least rounding). */
static double phase_error(const fault_context *context, int i) {
    const rope_evidence *evidence = context->evidence;
    const size_t h = (size_t)evidence->h, rows = evidence->rows < 24 ? evidence->rows : 24;
    double c[h], s[h], re = 0.0, im = 0.0;
    for (size_t t = 0; t < rows; t++) {
        const double a = evidence->re[t * h + (size_t)i], b = evidence->im[t * h + (size_t)i];
        if (!isfinite(a) || !isfinite(b)) continue;
        rope_judge_exact(context->judge, evidence->m[t], c, s);
        re += a * c[i] + b * s[i];
        im += b * c[i] - a * s[i];
    }
    return atan2(im, re);
}

/* The slowest pair gives lag theta_i without wrapping (for lags below pi/theta_last); each faster pair sharpens it, since
 * neighbouring frequencies differ by a factor below 2 pi. */
static double estimate_lag(const fault_context *context) {
    const int h = context->judge->h;
    double lag = 0.0;
    for (int i = h - 1; i >= 0; i--) {
        const double theta = context->judge->theta[i];
        const double off = remainder(phase_error(context, i) - lag * theta, 2.0 * M_PI);
        lag += off / theta;
    }
    return lag;
}

static void propose(const fault_context *context, fault_list *list) {
    if (!context->evidence) return;
    const double lag = round(estimate_lag(context));
    if (lag == 0.0 || !(fabs(lag) < 0x1p30)) return;
    fault_hypothesis *row = fault_propose(context, list, &fault_offset, "position m%+.0f is used for position m", lag);
    row->program.lag = (int64_t)lag;
    report_number(&row->said, "lag", lag);
}

const fault_kind fault_offset = {
    .name = "offset",
    .meaning = "the position used differs from the position declared by a constant",
    .cause = "positions counted from 1, the length of the cache added twice or not at all, left padding counted, or a slice that starts one "
             "row late",
    .pytorch = "position_ids = attention_mask.cumsum(-1) - 1, and past_length added once",
    .jax = "positions = jnp.arange(t) + cache_index, with the cache index before this step",
    .c = "angle = (double)(n_past + t) * theta, t from 0",
    .propose = propose,
    .twin = "positions counted from 1",
};
