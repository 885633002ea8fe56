/* The text under every run: what the curves say, and what they do not. */
#include "decay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_at(FILE *out, const char *what, const decay_request *request, const decay_curve *curve, int64_t k) {
    if (isnan(curve->error[k])) {
        fprintf(out, "    %-8s %.6g at %.15g\n", what, curve->value[k], decay_point(&request->points, curve->from + k));
        return;
    }
    if (curve->text) {
        fprintf(out, "    %-8s %s (error <= %s) at %.15g\n", what, curve->text[k] ? curve->text[k] : "undecided",
                number_bound(curve->text_error[k]).text, decay_point(&request->points, curve->from + k));
        return;
    }
    const int digits = decay_digits_of(request, curve);
    fprintf(out, "    %-8s %.*g (error <= %s) at %.15g\n", what, digits, curve->value[k],
            number_bound(decay_printed_error(curve->value[k], curve->error[k], digits)).text,
            decay_point(&request->points, curve->from + k));
}

static int64_t extreme(const decay_curve *curve, int sign) {
    int64_t found = 0;
    for (int64_t k = 1; k < curve->count; k++)
        if (sign * (curve->value[k] - curve->value[found]) > 0) found = k;
    return found;
}

/* x is above y whatever their errors; a difference of doubles rounds by less than the sum of errors doubled. */
static bool surely_above(const decay_curve *curve, int64_t x, int64_t y) {
    return curve->value[x] - curve->error[x] > curve->value[y] + curve->error[y];
}

static void print_maxima(FILE *out, const decay_request *request, const decay_curve *curve) {
    int64_t count = 0, first = 0, highest = 0;
    for (int64_t k = 1; k + 1 < curve->count; k++) {
        if (!surely_above(curve, k, k - 1) || !surely_above(curve, k, k + 1)) continue;
        if (!count) first = highest = k;
        if (curve->value[k] > curve->value[highest]) highest = k;
        count++;
    }
    if (!count) return;
    fprintf(out, "    local maxima among these distances: %lld, the first %.7g at %.15g", (long long)count,
            curve->value[first], decay_point(&request->points, curve->from + first));
    if (highest != first)
        fprintf(out, ", the highest %.7g at %.15g", curve->value[highest],
                decay_point(&request->points, curve->from + highest));
    fprintf(out, "\n");
}

static void print_curve(FILE *out, const decay_request *request, const decay_curve *curve) {
    static const struct {
        const char *name;
        int sign;
    } ends[] = {{"least", -1}, {"largest", 1}};
    const int64_t last = curve->count - 1;
    fprintf(out, "  %s: %s\n", curve->kind->name, curve->kind->unit);
    if (curve->value[extreme(curve, -1)] == curve->value[extreme(curve, 1)]) {
        print_at(out, curve->count > 1 ? "always" : "value", request, curve, 0);
        return;
    }
    print_at(out, "first", request, curve, 0);
    print_at(out, "last", request, curve, last);
    for (int k = 0; k < 2; k++) {
        const int64_t at = extreme(curve, ends[k].sign);
        if (at != 0 && at != last) print_at(out, ends[k].name, request, curve, at);
    }
    if (curve->undecided)
        fprintf(out,
                curve->text ? "    %lld values undecided at %ld bits: ask for more --bits or fewer --digits\n"
                            : "    %lld values undecided at %ld bits: one of the two nearest doubles, error one ulp\n",
                (long long)curve->undecided, curve->text ? request->bits : (long)DECAY_MOST_BITS);
    print_maxima(out, request, curve);
}

/* Abel's outer bound at r = 0 and the trivial one, from numbers at 128 bits. */
static void bounds_at_zero(const rope_spec *spec, const double *q, const double *k, double *outer, double *outer_error,
                           double *trivial, double *trivial_error) {
    mpfr_t zero;
    rope_abel_value value;
    mpfr_init2(zero, 53);
    mpfr_set_zero(zero, 1);
    rope_abel_value_init(&value);
    rope_abel_at(&value, spec, q, k, zero, 128);
    decay_to_doubles(outer, outer_error, value.outer, value.error);
    decay_to_doubles(trivial, trivial_error, value.trivial, value.error);
    rope_abel_value_clear(&value);
    mpfr_clear(zero);
}

/* outer(r) = trivial B(r) / kappa with kappa = mean|h| / max|h_i - h_(i-1)|, so the bound says something where
 * B(r) < kappa. The two divisions and the product round by u each, and (1 - 2^-50) rounds down. */
static double kappa_of(const rope_spec *spec, const double *q, const double *k) {
    double outer, outer_error, trivial, trivial_error;
    bounds_at_zero(spec, q, k, &outer, &outer_error, &trivial, &trivial_error);
    const double B0 = 0.5 * (rope_spec_pairs(spec) + 1); /* B(0) */
    return outer > outer_error ? (trivial - trivial_error) / (outer + outer_error) * B0 * (1 - 0x1p-50) : 0.0;
}

static rope_status print_trivial(FILE *out, const decay_request *request, const decay_curve *bound, rope_error *error) {
    decay_vectors vectors;
    const rope_spec spec = decay_paired(bound->spec);
    const rope_status status = decay_vectors_new(&vectors, &request->vectors, &spec, error);
    if (status != ROPE_OK) return status;
    double least = INFINITY, largest = 0.0;
    for (int s = 0; s < vectors.samples; s++) {
        const double kappa = kappa_of(&spec, decay_query(&vectors, s), decay_key(&vectors, s));
        least = fmin(least, kappa);
        largest = fmax(largest, kappa);
    }
    int64_t below = 0, first = -1;
    for (int64_t k = 0; k < bound->count; k++)
        if (bound->value[k] + bound->error[k] < largest) {
            if (first < 0) first = k;
            below++;
        }
    fprintf(out,
            "    as a bound on scores (%s): below the trivial bound sum|h| where B < mean|h|/max|h_i - h_(i-1)| = %.4g",
            request->vectors.kind->statement, vectors.samples > 1 ? least : largest);
    if (vectors.samples > 1) fprintf(out, " .. %.4g", largest);
    if (below)
        fprintf(out, ": at %lld of %lld distances, first at %.15g\n", (long long)below, (long long)bound->count,
                decay_point(&request->points, bound->from + first));
    else
        fprintf(out, ": nowhere here, it says nothing\n");
    decay_vectors_free(&vectors);
    return ROPE_OK;
}

static void print_first_negative(FILE *out, const decay_request *request, const decay_curve *sum) {
    int64_t negative = 0, first = -1;
    for (int64_t k = 0; k < sum->count; k++)
        if (sum->value[k] + sum->error[k] < 0) {
            if (first < 0) first = k;
            negative++;
        }
    if (first < 0)
        fprintf(out, "    C is not below 0 at any of these distances\n");
    else
        fprintf(out, "    first C < 0 at %.15g (certified sign); below 0 at %lld of %lld distances\n",
                decay_point(&request->points, sum->from + first), (long long)negative, (long long)sum->count);
}

/* C of the same distances, when it was not asked for. */
static rope_status print_sum_of(FILE *out, const decay_request *request, const decay_curve *bound, rope_error *error) {
    decay_request asked = *request;
    decay_curve *curves = NULL;
    option_bar bar = {.on = false};
    int count = 0;
    memset(asked.wants, 0, sizeof asked.wants);
    asked.wants[QUANTITY_SUM] = true;
    asked.law = false;
    asked.bits = ROPE_DECAY_DOUBLE;
    asked.spec = (rope_spec *)bound->spec;
    asked.specs = 1;
    const rope_status status = decay_curves(&curves, &count, &asked, &bar, error);
    if (status == ROPE_OK) print_first_negative(out, request, &curves[0]);
    decay_curves_free(curves, count);
    return status;
}

/* A bound above the trivial one is none: how often a curve of Abel's bounds is below A^2 sum|h|, for certain. */
static rope_status print_below_trivial(FILE *out, const decay_request *request, const decay_curve *abel,
                                       rope_error *error) {
    decay_vectors vectors;
    const rope_spec spec = decay_paired(abel->spec);
    const rope_status status = decay_vectors_new(&vectors, &request->vectors, &spec, error);
    if (status != ROPE_OK) return status;
    double outer, outer_error, trivial, trivial_error;
    bounds_at_zero(&spec, decay_query(&vectors, 0), decay_key(&vectors, 0), &outer, &outer_error, &trivial,
                   &trivial_error);
    int64_t below = 0;
    for (int64_t k = 0; k < abel->count; k++) below += abel->value[k] + abel->error[k] < trivial - trivial_error;
    fprintf(out, "    below the trivial bound A^2 sum|h| = %.7g at %lld of %lld distances\n", trivial, (long long)below,
            (long long)abel->count);
    decay_vectors_free(&vectors);
    return status;
}

static rope_status print_notes(FILE *out, const decay_request *request, const decay_curve *curve, rope_error *error) {
    const int h = rope_spec_pairs(curve->spec);
    rope_status status = ROPE_OK;
    if (curve->kind->law) return status;
    if (curve->kind->quantity == QUANTITY_BOUND) {
        fprintf(out,
                "    random-phase floor: mean B = %.4g (approximation); beyond r of about the base nothing decays any "
                "more\n",
                decay_floor_bound(h));
        status = print_trivial(out, request, curve, error);
        if (status == ROPE_OK && !request->wants[QUANTITY_SUM]) status = print_sum_of(out, request, curve, error);
    } else if (curve->kind->quantity == QUANTITY_SUM) {
        fprintf(out, "    random-phase floor: root mean square of C = %.4g (approximation)\n", decay_floor_sum(h));
        print_first_negative(out, request, curve);
    } else if (curve->kind->quantity == QUANTITY_ABEL && curve->kind->vectors == ONE_PAIR) {
        status = print_below_trivial(out, request, curve, error);
    }
    if (curve->spec->rotary_dim < curve->spec->dim)
        fprintf(out, "    over the %d rotated pairs; the other %d channels add a constant that does not turn\n", h,
                curve->spec->dim - curve->spec->rotary_dim);
    return status;
}

rope_status decay_summary(FILE *out, const decay_request *request, const decay_curve *curves, int count,
                          rope_error *error) {
    const decay_points *const points = &request->points;
    rope_status status = ROPE_OK;
    if (request->inexact) fprintf(out, "inputs: %s\n\n", request->inexact);
    for (int c = 0; status == ROPE_OK && c < count; c++) {
        if (c == 0 || curves[c].spec != curves[c - 1].spec)
            fprintf(out,
                    points->count > 1 ? "%s%s, %lld distances from %.15g to %.15g\n" : "%s%s, %lld distance, %.15g\n",
                    c ? "\n" : "", curves[c].label, (long long)points->count, decay_point(points, 0),
                    decay_point(points, points->count - 1));
        print_curve(out, request, &curves[c]);
        status = print_notes(out, request, &curves[c], error);
    }
    return status;
}
