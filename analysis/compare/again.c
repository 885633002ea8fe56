#include "again.h"

#include <stdlib.h>

#include "compare.h"

char *again_command(const compare_data *data, const encoding *const *list, int count, int64_t shift) {
    char *names = NULL;
    size_t room = 0;
    FILE *const out = open_memstream(&names, &room);
    if (!out) abort();
    for (int k = 0; k < count; k++) fprintf(out, "%s%s", k ? "," : "", list[k]->name);
    if (fclose(out) != 0) abort();
    const compare_session session = {
        .line.bit = CALL_SCHEMES, .request = data->request, .shift = shift, .schemes = names};
    char *const command = compare_command(&session);
    free(names);
    return command;
}

char *again_statement(const compare_data *data) {
    const compare_session session = {.line.bit = CALL_SCHEMES, .request = data->request};
    return compare_statement(&session);
}
