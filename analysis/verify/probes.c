/* A probe folder: x.npy and positions.npy for the user's code to rotate, spec.json, and later its y.npy. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/format/outfile.h"
#include "random.h"
#include "verify.h"

/* The arrays are made in memory: room for 8 million positions at d = 128. */
static const double most_bytes = 0x1p32;

static char *join(const char *directory, const char *name) { return report_text("%s/%s", directory, name); }

static rope_dtype type_of_vectors(const verify_session *session) {
    return session->request.has_dtype ? session->request.dtype : ROPE_F32;
}

static rope_status check_size(const verify_session *session, rope_error *error) {
    const double each = (double)session->request.spec.dim * rope_format_of(type_of_vectors(session))->bytes + sizeof(int64_t);
    const double bytes = ((double)session->options.max_position + 1.0) * each;
    if (!session->contiguous || bytes <= most_bytes) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, "--contiguous", "give a smaller --max-position, or leave --contiguous away: the probe set is small",
                     "positions 0 to %lld would take %.3g GB", (long long)session->options.max_position, 1e-9 * bytes);
}

/* Every probe position three times (q, k, q + k: exact sums test linearity), or 0 .. max once each. */
static int64_t *make_positions(const verify_session *session, size_t *count) {
    size_t probes = (size_t)session->options.max_position + 1;
    int64_t *probe = session->contiguous ? NULL : subject_probe_positions(session->options.max_position, &probes);
    *count = session->contiguous ? probes : 3 * probes;
    int64_t *positions = malloc(*count * sizeof *positions);
    for (size_t t = 0; positions && t < *count; t++) positions[t] = session->contiguous ? (int64_t)t : probe[t / 3];
    free(probe);
    return positions;
}

static rope_status write_vectors(const verify_session *session, const char *path, size_t rows, rope_error *error) {
    const size_t d = (size_t)session->request.spec.dim, shape[] = {rows, d};
    const rope_dtype dtype = type_of_vectors(session);
    const size_t row_bytes = d * (size_t)rope_format_of(dtype)->bytes;
    static const rope_npy_type types[] = {[ROPE_F64] = ROPE_NPY_F8, [ROPE_F32] = ROPE_NPY_F4, [ROPE_F16] = ROPE_NPY_F2, [ROPE_BF16] = ROPE_NPY_U2};
    double x[3][d]; /* a row and the two before it */
    char *stored = malloc(rows * row_bytes);
    if (!stored) return rope_fail(error, ROPE_NO_MEMORY, path, "give a smaller --max-position", "no memory for %zu vectors", rows);
    rope_random random = rope_random_seeded(session->options.seed);
    for (size_t k = 0; k < rows; k++) {
        for (size_t j = 0; j < d; j++) x[k % 3][j] = session->contiguous || k % 3 < 2 ? rope_random_value(&random, dtype) : x[0][j] + x[1][j];
        rope_narrow(dtype, stored + k * row_bytes, x[k % 3], d);
    }
    const rope_status status = rope_npy_write(path, types[dtype], 2, shape, stored, error);
    free(stored);
    return status;
}

static rope_status write_spec(const rope_spec *spec, const char *path, rope_error *error) {
    outfile file;
    const rope_status status = outfile_open(&file, path, error);
    if (status != ROPE_OK) return status;
    verify_spec_to_json(file.stream, spec);
    return outfile_close(&file, error);
}

rope_status verify_probes(const verify_session *session, const char *directory, rope_error *error) {
    rope_status status = check_size(session, error);
    if (status != ROPE_OK) return status;
    const bool made = mkdir(directory, 0777) == 0;
    if (!made && errno != EEXIST)
        return rope_fail(error, ROPE_IO, directory, NULL, "cannot make the folder: %s", strerror(errno));
    char *const x = join(directory, "x.npy"), *const p = join(directory, "positions.npy"), *const s = join(directory, "spec.json"),
               *const y = join(directory, "y.npy");
    size_t count;
    int64_t *positions = make_positions(session, &count);
    if (!positions) status = rope_fail(error, ROPE_NO_MEMORY, p, "give a smaller --max-position", "no memory for %zu positions", count);
    if (status == ROPE_OK && access(y, F_OK) == 0)
        status = rope_fail(error, ROPE_BAD_INPUT, y, "remove it, or choose another folder", "an output of an earlier run stands there");
    if (status == ROPE_OK) status = write_vectors(session, x, count, error);
    if (status == ROPE_OK) status = rope_npy_write(p, ROPE_NPY_I8, 1, &count, positions, error);
    if (status == ROPE_OK) status = write_spec(&session->request.spec, s, error);
    if (status != ROPE_OK && made) {
        unlink(x);
        unlink(p);
        rmdir(directory);
    }
    free(positions);
    free(x);
    free(p);
    free(s);
    free(y);
    return status;
}

rope_status verify_probe_request(verify_session *session, const char *directory, rope_error *error) {
    subject_request *const request = &session->request;
    request->kind = SUBJECT_ROTATED;
    request->before = session->probe_path[0] = join(directory, "x.npy");
    request->after = session->probe_path[1] = join(directory, "y.npy");
    request->positions = session->probe_path[2] = join(directory, "positions.npy");
    if (access(request->after, F_OK) == 0) return ROPE_OK;
    return rope_fail(error, ROPE_BAD_INPUT, request->after, "the code under test writes y.npy: x.npy rotated, same shape and dtype",
                     "is not there");
}

rope_status verify_probe_spec(rope_spec *spec, const char *directory, rope_error *error) {
    char *const path = join(directory, "spec.json");
    json_t *json;
    rope_status status = verify_load_json(&json, path, "rope-verify probes writes it; without one, use --before, --after and --positions", error);
    if (status == ROPE_OK) status = verify_spec_from_json(spec, json, path, error);
    rope_spec checked = *spec; /* by itself: what options change comes later */
    if (status == ROPE_OK && (status = rope_spec_check(&checked, error)) != ROPE_OK) {
        char *place = report_text("%s: %s", path, error->place);
        snprintf(error->place, sizeof error->place, "%s", place);
        free(place);
    }
    json_decref(json);
    free(path);
    return status;
}
