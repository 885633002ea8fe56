#include "encoding.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const encoding encoding_none, encoding_sinusoidal, encoding_learned, encoding_shaw, encoding_shaw_roformer,
    encoding_transformer_xl, encoding_transformer_xl_roformer, encoding_t5, encoding_t5_causal, encoding_t5_roformer,
    encoding_tupe, encoding_tupe_roformer, encoding_deberta, encoding_deberta_paper, encoding_deberta_log,
    encoding_deberta_roformer, encoding_alibi, encoding_alibi_signed, encoding_rope, encoding_rope_half, encoding_xpos,
    encoding_rope_linear;

const encoding *const encodings[] = {
    &encoding_none,
    &encoding_sinusoidal,
    &encoding_learned,
    &encoding_shaw,
    &encoding_shaw_roformer,
    &encoding_transformer_xl,
    &encoding_transformer_xl_roformer,
    &encoding_t5,
    &encoding_t5_causal,
    &encoding_t5_roformer,
    &encoding_tupe,
    &encoding_tupe_roformer,
    &encoding_deberta,
    &encoding_deberta_paper,
    &encoding_deberta_log,
    &encoding_deberta_roformer,
    &encoding_alibi,
    &encoding_alibi_signed,
    &encoding_rope,
    &encoding_rope_half,
    &encoding_xpos,
    &encoding_rope_linear,
    NULL,
};

static const struct {
    const char *alias, *name;
} aliases[] = {{"nope", "none"},
               {"sinusoid", "sinusoidal"},
               {"additive", "sinusoidal"},
               {"txl", "transformer-xl"},
               {"roformer", "rope"}};

const encoding *encoding_named(const char *name) {
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        if (!strcmp(name, aliases[k].alias)) name = aliases[k].name;
    for (int k = 0; encodings[k]; k++)
        if (!strcmp(name, encodings[k]->name)) return encodings[k];
    return NULL;
}

/* ---- building ---------------------------------------------------------------------------------------- */

const rows *encoding_keep(encoding_run *run, rows *made) {
    if (!made) return NULL;
    assert(run->kept < ENCODING_KEPT);
    return run->keep[run->kept++] = made;
}

static int64_t *indices(encoding_index *index, const compare_data *data) {
    const int64_t N = (int64_t)data->length;
    int64_t *f = malloc((size_t)(2 * N - 1) * sizeof *f);
    for (int64_t r = 1 - N; f && r < N; r++) f[r + N - 1] = index(r, data);
    return f;
}

static bool has_index(term_shape shape) {
    return shape != TERM_PRODUCT && shape != TERM_PAIR;
}

static encoding_term term_of(const compare_data *data, term_shape shape, const rows *a, const rows *b,
                             encoding_index *index) {
    assert(has_index(shape) == (index != NULL));
    return (encoding_term){shape, a, b, index ? indices(index, data) : NULL};
}

void encoding_term_add(encoding_run *run, term_shape shape, const rows *a, const rows *b, encoding_index *index) {
    assert(run->terms < ENCODING_TERMS);
    run->term[run->terms++] = term_of(run->data, shape, a, b, index);
}

void encoding_direct_add(encoding_run *run, term_shape shape, const rows *a, const rows *b, encoding_index *index) {
    assert(run->parts < ENCODING_TERMS);
    run->direct[run->parts++] = term_of(run->data, shape, a, b, index);
}

static bool is_whole(const encoding_term *term, int count) {
    for (int k = 0; k < count; k++)
        if (!term[k].a || !term[k].b || (has_index(term[k].shape) && !term[k].index)) return false;
    return true;
}

rope_status encoding_build(encoding_run *run, const encoding *scheme, const compare_data *data, int64_t first,
                           rope_error *error) {
    *run = (encoding_run){.encoding = scheme, .data = data, .first = first, .query = data->q, .key = data->k};
    const int64_t last = INT64_C(1) << 30; /* of src/phase.h half */
    rope_status status = ROPE_OK;
    if (first < -last || first > last - (int64_t)data->length)
        status = rope_fail(error, ROPE_BAD_INPUT, "--shift", "positions end at 2^30", "position %lld is too far",
                           (long long)first);
    if (status == ROPE_OK) status = scheme->build(run, error);
    if (status == ROPE_OK &&
        !(is_whole(run->term, run->terms) && is_whole(run->direct, run->parts) && run->query && run->key))
        status = rope_fail(error, ROPE_NO_MEMORY, scheme->name, "try fewer tokens", "memory is out");
    if (status != ROPE_OK) encoding_free(run);
    return status;
}

void encoding_free(encoding_run *run) {
    for (int k = 0; k < run->kept; k++) rows_free(run->keep[k]);
    for (int k = 0; k < run->terms; k++) free(run->term[k].index);
    for (int k = 0; k < run->parts; k++) free(run->direct[k].index);
    *run = (encoding_run){0};
}

/* ---- what builds share ------------------------------------------------------------------------------- */

const rows *encoding_project(encoding_run *run, const rows *W, const rows *x) {
    return encoding_keep(run, rows_project(W, x));
}

void encoding_content(encoding_run *run) {
    encoding_term_add(run, TERM_PRODUCT, run->data->q, run->data->k, NULL);
}

void encoding_content_direct(encoding_run *run) {
    const rows *back = encoding_keep(run, rows_transpose(run->data->W_q));
    encoding_direct_add(run, TERM_PRODUCT, run->data->x_query, encoding_project(run, back, run->data->k), NULL);
}

const rows *encoding_one(encoding_run *run) {
    return encoding_keep(run, rows_constant(1.0, 1, run->data->bits));
}

const rows *encoding_positions(encoding_run *run) {
    const compare_data *data = run->data;
    return encoding_keep(run, rows_sinusoid(run->first, 1, data->length, data->dim, data->request.base, data->bits));
}

const rows *encoding_distances(encoding_run *run) {
    const compare_data *data = run->data;
    const int64_t N = (int64_t)data->length;
    return encoding_keep(run,
                         rows_sinusoid(N - 1, -1, 2 * data->length - 1, data->dim, data->request.base, data->bits));
}

rope_spec encoding_rotation(const compare_data *data, rope_layout layout) {
    return rows_spec(data->dim, data->request.base, layout);
}

int64_t encoding_row_of_offset(int64_t offset, const compare_data *data) {
    return offset + (int64_t)data->length - 1;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* A tile of queries by keys that fits the stack. Offsets in it: queries + keys - 1. TERM_KEY multiplies every offset
 * with every key, so its tiles are narrow; TERM_QUERY every query with every offset, so its are wide. */
enum { QUERIES = 32, WIDE = 96, NARROW = 16, OFFSETS = QUERIES + WIDE - 1 };

typedef struct tile {
    int64_t query, queries, key, keys;
    double value[QUERIES * OFFSETS], bound[QUERIES * OFFSETS]; /* [rows][stride], see locate */
} tile;

/* Rows of the term for the tile's offsets r = key - query - (queries - 1) .. */
static size_t list_offsets(const encoding_term *term, const compare_data *data, const tile *t, int64_t *list) {
    const int64_t offsets = t->queries + t->keys - 1, least = t->key - t->query - (t->queries - 1);
    for (int64_t k = 0; k < offsets; k++) list[k] = term->index[least + k + (int64_t)data->length - 1];
    return (size_t)offsets;
}

static void list_from(int64_t first, int64_t count, int64_t *list) {
    for (int64_t k = 0; k < count; k++) list[k] = first + k;
}

/* A number is off by no more than its row is, and by the rounding of an MPFR number to double. */
static void copy_pairs(const rows *a, tile *t) {
    for (int64_t k = 0; k < t->queries * t->keys; k++) {
        const size_t m = (size_t)(t->query + k / t->keys), n = (size_t)(t->key + k % t->keys);
        t->value[k] = rows_row(a, m)[n];
        t->bound[k] = a->error[m] + (a->exact ? 0x1p-53 * fabs(t->value[k]) + 0x1p-1074 : 0.0);
    }
}

/* The products that the tile needs, in the order that locate knows. */
static void fill(const encoding_term *term, const compare_data *data, bool bounds, tile *t) {
    int64_t query[QUERIES], key[WIDE], offset[OFFSETS];
    const int64_t zero = 0;
    double *bound = bounds ? t->bound : NULL;
    list_from(t->query, t->queries, query);
    list_from(t->key, t->keys, key);
    const size_t queries = (size_t)t->queries, keys = (size_t)t->keys;
    const size_t offsets = term->index ? list_offsets(term, data, t, offset) : 0;
    switch (term->shape) {
    case TERM_PRODUCT:
        rows_products(term->a, query, queries, term->b, key, keys, t->value, bound);
        break;
    case TERM_QUERY:
        rows_products(term->a, query, queries, term->b, offset, offsets, t->value, bound);
        break;
    case TERM_KEY:
        rows_products(term->a, offset, offsets, term->b, key, keys, t->value, bound);
        break;
    case TERM_PAIR:
        copy_pairs(term->a, t);
        break;
    case TERM_OFFSET:
        rows_products(term->a, offset, offsets, term->b, &zero, 1, t->value, bound);
        break;
    }
}

/* Where the tile has query i against key j. */
static size_t locate(term_shape shape, const tile *t, int64_t i, int64_t j) {
    const int64_t offset = j - i + t->queries - 1;
    switch (shape) {
    case TERM_PAIR:
    case TERM_PRODUCT:
        return (size_t)(i * t->keys + j);
    case TERM_QUERY:
        return (size_t)(i * (t->queries + t->keys - 1) + offset);
    case TERM_KEY:
        return (size_t)(offset * t->keys + j);
    case TERM_OFFSET:
        break;
    }
    return (size_t)offset;
}

/* Sets or adds the tile into value and bound, [..][N] with the first row that of query `from`. A sum is off by what its
 * summands are, and by u of itself. */
static void put(const tile *t, term_shape shape, bool add, int64_t from, int64_t N, double *value, double *bound) {
    for (int64_t i = 0; i < t->queries; i++)
        for (int64_t j = 0; j < t->keys; j++) {
            const size_t here = locate(shape, t, i, j), there = (size_t)((t->query - from + i) * N + t->key + j);
            const double before = add ? value[there] : 0.0;
            value[there] = before + t->value[here];
            if (!bound) continue;
            const double rounding = add ? 0x1p-53 * fabs(value[there]) : 0.0;
            bound[there] = ((add ? bound[there] : 0.0) + t->bound[here] + rounding) * ROWS_SLACK;
        }
}

static void add_term(const encoding_term *term, const compare_data *data, bool add, int64_t from, int64_t count,
                     double *value, double *bound) {
    const int64_t N = (int64_t)data->length, width = term->shape == TERM_KEY ? NARROW : WIDE;
    tile t;
    for (t.query = from; t.query < from + count; t.query += QUERIES)
        for (t.key = 0; t.key < N; t.key += width) {
            t.queries = t.query + QUERIES < from + count ? QUERIES : from + count - t.query;
            t.keys = t.key + width < N ? width : N - t.key;
            fill(term, data, bound != NULL, &t);
            put(&t, term->shape, add, from, N, value, bound);
        }
}

/* The terms that `which` adds up. */
static const encoding_term *terms_of(const encoding_run *run, int which, int *count) {
    assert(which == ENCODING_SUM || which == ENCODING_DIRECT || (0 <= which && which < run->terms));
    *count = which == ENCODING_SUM ? run->terms : which == ENCODING_DIRECT ? run->parts : 1;
    return which == ENCODING_DIRECT ? run->direct : &run->term[which == ENCODING_SUM ? 0 : which];
}

void encoding_block(const encoding_run *run, int which, int64_t from, int64_t count, double *value, double *bound) {
    int terms;
    const encoding_term *term = terms_of(run, which, &terms);
    assert(0 <= from && from + count <= (int64_t)run->data->length);
    for (int k = 0; k < terms; k++) add_term(&term[k], run->data, k > 0, from, count, value, bound);
}

/* ---- one value --------------------------------------------------------------------------------------- */

static void pair_exact(mpfr_t value, const rows *a, size_t m, size_t n, double *bound) {
    if (a->exact)
        mpfr_set(value, rows_exact_row(a, m)[n], MPFR_RNDN);
    else
        mpfr_set_d(value, rows_row(a, m)[n], MPFR_RNDN);
    *bound = a->error[m] + rows_unit((long)mpfr_get_prec(value)) * fabs(rows_row(a, m)[n]);
}

static void term_exact(mpfr_t value, const encoding_term *term, const compare_data *data, int64_t m, int64_t n,
                       double *bound) {
    if (term->shape == TERM_PAIR) {
        pair_exact(value, term->a, (size_t)m, (size_t)n, bound);
        return;
    }
    const int64_t f = term->index ? term->index[n - m + (int64_t)data->length - 1] : 0;
    const bool offset_a = term->shape == TERM_KEY || term->shape == TERM_OFFSET;
    const int64_t s = offset_a ? f : m, t = term->shape == TERM_QUERY ? f : term->shape == TERM_OFFSET ? 0 : n;
    rows_product_exact(value, term->a, (size_t)s, term->b, (size_t)t, bound);
}

void encoding_exact(mpfr_t value, const encoding_run *run, int which, int64_t m, int64_t n, double *bound) {
    int terms;
    const encoding_term *term = terms_of(run, which, &terms);
    const double u = rows_unit((long)mpfr_get_prec(value));
    double total = 0.0, each;
    mpfr_t summand;
    mpfr_init2(summand, mpfr_get_prec(value));
    mpfr_set_zero(value, 1);
    for (int k = 0; k < terms; k++) {
        term_exact(summand, &term[k], run->data, m, n, &each);
        mpfr_add(value, value, summand, MPFR_RNDN);
        total += each + (k ? u * fabs(mpfr_get_d(value, MPFR_RNDA)) : 0.0);
    }
    mpfr_clear(summand);
    if (bound) *bound = total * ROWS_SLACK;
}
