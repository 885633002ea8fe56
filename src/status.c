#include "status.h"

#include <stdarg.h>
#include <stdio.h>

rope_status rope_fail(rope_error *error, rope_status status, const char *place, const char *hint,
                      const char *reason, ...) {
    if (!error) return status;
    error->status = status;
    snprintf(error->place, sizeof error->place, "%s", place ? place : "");
    snprintf(error->hint, sizeof error->hint, "%s", hint ? hint : "");
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(error->reason, sizeof error->reason, reason, arguments);
    va_end(arguments);
    return status;
}
