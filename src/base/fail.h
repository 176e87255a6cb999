/* Error reports: `return ooze_fail(error, status, hint, "message %s", ...);` */
#ifndef OOZE_BASE_FAIL_H
#define OOZE_BASE_FAIL_H

#include "ooze/status.h"

#if defined(__GNUC__)
#define OOZE_PRINTF(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))
#else
#define OOZE_PRINTF(format_index, first_index)
#endif

/* Fills `error` unless it is NULL, and returns `status`. `hint` may be NULL. */
OozeStatus ooze_fail(OozeError *error, OozeStatus status, const char *hint, const char *format, ...)
    OOZE_PRINTF(4, 5);

/* The report of a failed allocation; `what` is the purpose of the memory. */
OozeStatus ooze_fail_memory(OozeError *error, const char *what, unsigned long long bytes);

/* The report of a NULL argument; `what` is its name. */
OozeStatus ooze_fail_missing(OozeError *error, const char *what);

/* For the first lines of a public function: returns an error if `pointer` is NULL. */
#define OOZE_REQUIRE(pointer, error)                                                               \
    do {                                                                                           \
        if (!(pointer)) {                                                                          \
            return ooze_fail_missing(error, #pointer);                                             \
        }                                                                                          \
    } while (0)

#endif
