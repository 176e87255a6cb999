/* Filling error reports. The pattern everywhere: return ooze_fail(error, code, hint, "what %s", ..)
   */
#ifndef OOZE_BASE_FAIL_H
#define OOZE_BASE_FAIL_H

#include "ooze/status.h"

#if defined(__GNUC__)
#define OOZE_PRINTF(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))
#else
#define OOZE_PRINTF(format_index, first_index)
#endif

/* Writes the report where `error` is not NULL and returns `status`. `hint` may be NULL. */
OozeStatus ooze_fail(OozeError *error, OozeStatus status, const char *hint, const char *format, ...)
    OOZE_PRINTF(4, 5);

/* The one sentence for a failed allocation; `what` names what the memory was for. */
OozeStatus ooze_fail_memory(OozeError *error, const char *what, unsigned long long bytes);

/* The one sentence for a pointer of the public API that must not be NULL. */
OozeStatus ooze_fail_missing(OozeError *error, const char *what);

/* First lines of a public function: leaves it where `pointer` is NULL, naming the argument. */
#define OOZE_REQUIRE(pointer, error)                                                               \
    do {                                                                                           \
        if (!(pointer)) {                                                                          \
            return ooze_fail_missing(error, #pointer);                                             \
        }                                                                                          \
    } while (0)

#endif
