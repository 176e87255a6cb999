#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const status_names[OOZE_STATUS_COUNT] = {
    [OOZE_OK] = "ok",
    [OOZE_ERROR_ARGUMENT] = "bad argument",
    [OOZE_ERROR_MEMORY] = "out of memory",
    [OOZE_ERROR_FILE] = "cannot read file",
    [OOZE_ERROR_WRITE] = "cannot write file",
    [OOZE_ERROR_FORMAT] = "damaged or unknown format",
    [OOZE_ERROR_SCENE] = "scene has errors",
    [OOZE_ERROR_LIMIT] = "limit exceeded",
    [OOZE_ERROR_UNSUPPORTED] = "not supported here",
    [OOZE_ERROR_NUMERIC] = "simulation went wrong",
    [OOZE_ERROR_CANCELLED] = "cancelled",
};

const char *ooze_status_name(OozeStatus status)
{
    if ((int)status < 0 || status >= OOZE_STATUS_COUNT) {
        return "unknown status";
    }
    return status_names[status];
}

OozeStatus ooze_fail(OozeError *error, OozeStatus status, const char *hint, const char *format, ...)
{
    if (error) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        snprintf(error->hint, sizeof error->hint, "%s", hint ? hint : "");
    }
    return status;
}

OozeStatus ooze_fail_memory(OozeError *error, const char *what, unsigned long long bytes)
{
    return ooze_fail(error, OOZE_ERROR_MEMORY,
                     "use a larger spacing or fewer particles, or a machine with more memory",
                     "out of memory: %llu bytes for %s", bytes, what);
}

OozeStatus ooze_fail_missing(OozeError *error, const char *what)
{
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "pass a pointer to it", "%s is NULL", what);
}
