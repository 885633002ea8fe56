/* A session in words, and its sheets. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../report/number.h"
#include "compare.h"

static const char *file_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *compare_command(const compare_session *session) {
    const compare_request *const r = &session->request;
    char *line = NULL, *words[] = {(char *)file_name(r->data)}, *const data = option_quote(1, words);
    const char *const call = session->line.call ? session->line.call->name : NULL;
    const bool runs = (session->line.bit & CALL_RUNS) != 0,
               shifts = (session->line.bit & (CALL_SCHEMES | CALL_VALUES)) != 0;
    const compare_request usual = compare_request_default();
    char dim[32] = "", tokens[48] = "", shift[48] = "", clip[48] = "", more[160] = "";
    const bool own = session->line.bit == CALL_LINEAR; /* its defaults differ: only what was said */
    if (!own || session->has_dim) snprintf(dim, sizeof dim, " --dim %d", r->dim);
    if (!own || session->has_length) snprintf(tokens, sizeof tokens, " --length %" PRId64, r->length);
    if (r->buckets != usual.buckets || r->max_distance != usual.max_distance || r->heads != usual.heads ||
        r->head != usual.head)
        snprintf(more, sizeof more, " --buckets %d --max-distance %" PRId64 " --heads %d --head %d", r->buckets,
                 r->max_distance, r->heads, r->head);
    if (shifts) snprintf(shift, sizeof shift, " --shift %" PRId64, session->shift);
    if (r->clip) snprintf(clip, sizeof clip, " --clip %" PRId64, r->clip);
    const int length =
        runs ? asprintf(&line, "rope-compare%s%s%s%s%s%s --seed %" PRIu64 "%s --data %s --bits %ld --base %s%s%s",
                        call ? " " : "", call ? call : "", call ? "" : " --schemes ", call ? "" : session->schemes, dim,
                        tokens, r->seed, shift, data, r->bits, number_exact(r->base).text, clip, more)
             : asprintf(&line, "rope-compare %s%s%s", call, session->line.operand_count ? " " : "",
                        session->line.operand_count ? session->line.operands[0] : "");
    if (length < 0) abort();
    free(data);
    return line;
}

char *compare_statement(const compare_session *session) {
    const compare_request *const r = &session->request;
    char *line = NULL, seed[32] = "", precision[32] = "doubles";
    if (strcmp(r->data, "reference"))
        snprintf(seed, sizeof seed, " (seed %" PRIu64 ")", r->seed); /* of the weights, too */
    if (r->bits > ROWS_DOUBLE) snprintf(precision, sizeof precision, "%ld bits", r->bits);
    if (asprintf(&line, "%s tokens%s, d = %d, N = %" PRId64 ", base %s, %s", file_name(r->data), seed, r->dim,
                 r->length, number_exact(r->base).text, precision) < 0)
        abort();
    return line;
}

void compare_sign(sheet *s, const compare_session *session) {
    char *const command = compare_command(session), *line = NULL;
    if (asprintf(&line, "command: %s", command) < 0) abort();
    sheet_comment(s, "rope-compare " ROPE_VERSION);
    sheet_comment(s, line);
    free(line);
    free(command);
}

sheet *compare_sheet(const compare_session *session) {
    sheet *const s = sheet_new();
    compare_sign(s, session);
    return s;
}

rope_status compare_write_table(const compare_session *session, const sheet *s, rope_error *error) {
    return session->table ? sheet_write(s, session->table, true, error) : ROPE_OK;
}

rope_status compare_open_data(compare_data *data, compare_session *session, rope_error *error) {
    const compare_request asked = session->request;
    const rope_status status = compare_data_new(data, &asked, error);
    if (status != ROPE_OK) return status;
    session->request = data->request;
    const bool dim = session->has_dim && data->request.dim != asked.dim,
               length = session->has_length && data->request.length != asked.length;
    if (!dim && !length) return ROPE_OK;
    compare_data_free(data);
    *data = (compare_data){.length = 0};
    return rope_fail(error, ROPE_BAD_INPUT, dim ? "--dim" : "--length", "leave the option out",
                     "%s has d = %d and N = %" PRId64, file_name(asked.data), session->request.dim,
                     session->request.length);
}
