/* Ooze: status codes and error reports. Part of the public API. */
#ifndef OOZE_STATUS_H
#define OOZE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(OOZE_BUILD) && defined(__GNUC__)
#define OOZE_API __attribute__((visibility("default")))
#else
#define OOZE_API
#endif

/* Result of a call. OOZE_OK is zero, so that `if (status)` tests for failure. */
typedef enum OozeStatus {
    OOZE_OK = 0,
    OOZE_ERROR_ARGUMENT,    /* an argument is invalid */
    OOZE_ERROR_MEMORY,      /* an allocation failed */
    OOZE_ERROR_FILE,        /* a file cannot be opened, read or found */
    OOZE_ERROR_WRITE,       /* a file cannot be written: full disk, read-only folder */
    OOZE_ERROR_FORMAT,      /* a file was read, but its content is damaged or unknown */
    OOZE_ERROR_SCENE,       /* the scene has errors: see its diagnostics */
    OOZE_ERROR_LIMIT,       /* a limit of the library is exceeded */
    OOZE_ERROR_UNSUPPORTED, /* this build, computer or method does not support the request */
    OOZE_ERROR_NUMERIC,     /* the simulation diverged: a value is NaN or out of bounds */
    OOZE_ERROR_CANCELLED,   /* a progress callback returned false */
    OOZE_STATUS_COUNT
} OozeStatus;

/* Details of a failed call. Strings are always terminated. Calls accept NULL in its place. */
typedef struct OozeError {
    OozeStatus status;
    char message[1024]; /* the problem and its place */
    char hint[512];     /* a suggestion how to solve it, or "" */
} OozeError;

/* Short English name of a status, such as "out of memory". Never NULL. */
OOZE_API const char *ooze_status_name(OozeStatus status);

#ifdef __cplusplus
}
#endif
#endif
