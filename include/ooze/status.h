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

/* What a call answers. OOZE_OK is zero, so `if (status)` reads as "if it failed". */
typedef enum OozeStatus {
    OOZE_OK = 0,
    OOZE_ERROR_ARGUMENT,    /* the caller passed something meaningless */
    OOZE_ERROR_MEMORY,      /* the machine has not enough memory */
    OOZE_ERROR_FILE,        /* a file cannot be opened, read or found */
    OOZE_ERROR_WRITE,       /* a file cannot be written: full disk, read-only folder */
    OOZE_ERROR_FORMAT,      /* a file was read but its content is damaged or not understood */
    OOZE_ERROR_SCENE,       /* the scene has errors: see its diagnostics */
    OOZE_ERROR_LIMIT,       /* a stated limit was exceeded */
    OOZE_ERROR_UNSUPPORTED, /* this build or machine lacks what was asked for */
    OOZE_ERROR_NUMERIC,     /* the simulation produced a NaN or ran away */
    OOZE_ERROR_CANCELLED,   /* a progress callback asked to stop */
    OOZE_STATUS_COUNT
} OozeStatus;

/* A filled report: what went wrong and where, then what to do about it. Both strings are always
   terminated; `hint` may be empty. Pass NULL where a call takes one and you do not need it. */
typedef struct OozeError {
    OozeStatus status;
    char message[1024];
    char hint[512];
} OozeError;

/* Short English name of a status, such as "out of memory". Never NULL. */
OOZE_API const char *ooze_status_name(OozeStatus status);

#ifdef __cplusplus
}
#endif
#endif
