/* What an offset is to a table: its row, clipped or by logarithmic buckets, and ALiBi's slope. Buckets are decided by
 * comparing integers: floating logarithms decide the same except perhaps at an edge; here the edges are exact. */
#include <assert.h>
#include <gmp.h>
#include <stdlib.h>

#include "encoding.h"

int64_t encoding_clip(int64_t offset, int64_t clip) {
    return (offset < -clip ? -clip : offset > clip ? clip : offset) + clip;
}

/* x^p y^q <= z^p w^q in integers. */
static bool powers_ordered(int64_t x, int64_t z, int p, int64_t y, int64_t w, int q) {
    mpz_t left, right, factor;
    mpz_inits(left, right, factor, NULL);
    mpz_ui_pow_ui(left, (unsigned long)x, (unsigned long)p);
    mpz_ui_pow_ui(factor, (unsigned long)y, (unsigned long)q);
    mpz_mul(left, left, factor);
    mpz_ui_pow_ui(right, (unsigned long)z, (unsigned long)p);
    mpz_ui_pow_ui(factor, (unsigned long)w, (unsigned long)q);
    mpz_mul(right, right, factor);
    const bool ordered = mpz_cmp(left, right) <= 0;
    mpz_clears(left, right, factor, NULL);
    return ordered;
}

/* With B buckets for one direction and e = B/2 of them exact: e + floor((B - e) log(n/e) / log(D/e)), at most B - 1.
 * The floor is the largest t with (D/e)^t <= (n/e)^(B - e). [Raffel et al. 2020, 2.1; their code] */
static int64_t bucket_of_distance(int64_t n, int buckets, int64_t max_distance) {
    const int e = buckets / 2, steps = buckets - e;
    if (n < e) return n;
    if (n >= max_distance) return buckets - 1;
    int t = 0;
    while (t + 1 < steps && powers_ordered(max_distance, e, t + 1, e, n, steps)) t++;
    return e + t;
}

int64_t encoding_bucket(int64_t offset, bool both, int buckets, int64_t max_distance) {
    assert(buckets >= 4 && buckets % 4 == 0 && max_distance > buckets / 2);
    if (!both) return bucket_of_distance(offset < 0 ? -offset : 0, buckets, max_distance);
    return (offset > 0 ? buckets / 2 : 0) + bucket_of_distance(llabs(offset), buckets / 2, max_distance);
}

/* With mid = B/2 and x = |distance| cut at M - 1: ceil((mid - 1) log(x/mid) / log((M - 1)/mid)) + mid. The ceiling is
 * the smallest t with (x/mid)^(mid - 1) <= ((M - 1)/mid)^t. [He et al. 2021, code of DeBERTa v2] */
int64_t encoding_log_distance(int64_t distance, int buckets, int64_t max_distance) {
    assert(buckets >= 4 && max_distance - 1 > buckets / 2);
    const int64_t mid = buckets / 2, cut = max_distance - 1, x = llabs(distance) < cut ? llabs(distance) : cut;
    if (x <= mid) return distance;
    int t = 1;
    while (!powers_ordered(x, mid, (int)mid - 1, mid, cut, t)) t++;
    return distance < 0 ? -(mid + t) : mid + t;
}

/* With m the largest power of two up to the number of heads: slopes 2^(-8 k/m) for the first m heads; the others take
 * the 1st, 3rd, 5th ... slope of 2m heads. [Press et al. 2022, section 3 and code] */
double encoding_alibi_exponent(int heads, int head) {
    int m = 1;
    assert(1 <= head && head <= heads);
    while (2 * m <= heads) m *= 2;
    return head <= m ? 8.0 * head / m : 4.0 * (2 * (head - m) - 1) / m;
}
