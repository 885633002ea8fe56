/* A probe folder: x.npy and positions.npy for the user's code to rotate, spec.json, and later its y.npy. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"
#include "verify.h"

static char *join(const char *directory, const char *name) { return report_text("%s/%s", directory, name); }

/* Every probe position three times (q, k, q + k: exact sums test linearity), or 0 .. max once each. */
static int64_t *make_positions(const verify_session *session, size_t *count) {
    if (session->contiguous) {
        *count = (size_t)session->options.max_position + 1;
        int64_t *positions = malloc(*count * sizeof *positions);
        if (!positions) abort();
        for (size_t t = 0; t < *count; t++) positions[t] = (int64_t)t;
        return positions;
    }
    size_t probes;
    int64_t *probe = subject_probe_positions(session->options.max_position, &probes);
    int64_t *positions = malloc(3 * probes * sizeof *positions);
    if (!positions) abort();
    for (size_t t = 0; t < 3 * probes; t++) positions[t] = probe[t / 3];
    free(probe);
    *count = 3 * probes;
    return positions;
}

static rope_status write_vectors(const verify_session *session, const char *path, size_t rows, rope_error *error) {
    const size_t d = (size_t)session->request.spec.dim, shape[] = {rows, d};
    const rope_dtype dtype = session->request.has_dtype ? session->request.dtype : ROPE_F32;
    static const rope_npy_type types[] = {[ROPE_F64] = ROPE_NPY_F8, [ROPE_F32] = ROPE_NPY_F4, [ROPE_F16] = ROPE_NPY_F2, [ROPE_BF16] = ROPE_NPY_U2};
    double *x = malloc(rows * d * sizeof *x);
    void *stored = malloc(rows * d * sizeof *x);
    rope_random random = rope_random_seeded(session->options.seed);
    if (!x || !stored) abort();
    for (size_t k = 0; k < rows * d; k++)
        x[k] = session->contiguous || k / d % 3 < 2 ? rope_random_grid(&random) : x[k - d] + x[k - 2 * d];
    rope_narrow(dtype, stored, x, rows * d);
    const rope_status status = rope_npy_write(path, types[dtype], 2, shape, stored, error);
    free(stored);
    free(x);
    return status;
}

static rope_status write_spec(const rope_spec *spec, const char *path, rope_error *error) {
    char *draft = report_text("%s.new", path);
    FILE *out = fopen(draft, "w");
    if (out) verify_spec_to_json(out, spec);
    const bool bad = !out || ferror(out) | fclose(out) || rename(draft, path) != 0;
    const rope_status status = bad ? rope_fail(error, ROPE_IO, path, NULL, "cannot be written: %s", strerror(errno)) : ROPE_OK;
    if (bad) unlink(draft);
    free(draft);
    return status;
}

rope_status verify_probes(const verify_session *session, const char *directory, rope_error *error) {
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return rope_fail(error, ROPE_IO, directory, NULL, "cannot make the folder: %s", strerror(errno));
    char *const x = join(directory, "x.npy"), *const p = join(directory, "positions.npy"), *const s = join(directory, "spec.json"),
               *const y = join(directory, "y.npy");
    size_t count;
    int64_t *positions = make_positions(session, &count);
    rope_status status = access(y, F_OK) == 0 ? rope_fail(error, ROPE_BAD_INPUT, y, "remove it, or choose another folder",
                                                          "an output of an earlier run stands there") : ROPE_OK;
    if (status == ROPE_OK) status = write_vectors(session, x, count, error);
    if (status == ROPE_OK) status = rope_npy_write(p, ROPE_NPY_I8, 1, &count, positions, error);
    if (status == ROPE_OK) status = write_spec(&session->request.spec, s, error);
    free(positions);
    free(x);
    free(p);
    free(s);
    free(y);
    return status;
}

rope_status verify_probe_request(subject_request *request, const char *directory, bool read_spec, rope_error *error) {
    char *const path = join(directory, "spec.json");
    json_error_t trouble;
    rope_status status = ROPE_OK;
    request->kind = SUBJECT_ROTATED;
    request->before = join(directory, "x.npy");
    request->after = join(directory, "y.npy");
    request->positions = join(directory, "positions.npy");
    if (access(request->after, F_OK) != 0)
        status = rope_fail(error, ROPE_BAD_INPUT, request->after, "the code under test writes y.npy: x.npy rotated, same shape and dtype",
                           "is not there");
    if (status == ROPE_OK && read_spec) {
        json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &trouble);
        status = json ? verify_spec_from_json(&request->spec, json, path, error)
                      : rope_fail(error, ROPE_BAD_INPUT, path, "rope-verify probes -o DIR writes it", "line %d: %s", trouble.line, trouble.text);
        json_decref(json);
    }
    free(path);
    return status;
}
