/* log.txt of a run: one line with a UTC time each. Lines written before the folder exists are kept
   until it does. */
#ifndef OOZE_CLI_RUN_LOG_H
#define OOZE_CLI_RUN_LOG_H

#include <stdbool.h>

#include "base/text.h"
#include "ooze/types.h"

typedef struct OozeRunLog {
    int fd; /* -1: not open yet */
    OozeText pending;
    bool shows_info;                    /* information goes to stderr as well, as warnings do */
    void (*before_warning)(void *user); /* called before a warning also goes to stderr */
    void *user;
} OozeRunLog;

void ooze_run_log_start(OozeRunLog *log);
OozeStatus ooze_run_log_open(OozeRunLog *log, const char *path, OozeError *error);
/* A line that cannot be written is dropped; a full disk is reported by the frames. Thread-safe once
   the log is open. */
void ooze_run_log_line(OozeRunLog *log, const char *format, ...) OOZE_PRINTF(2, 3);
void ooze_run_log_close(OozeRunLog *log);

/* An OozeLogCallback with the log as its user: warnings go to stderr as well, and information where
   the log shows it. */
void ooze_run_log_callback(void *user, OozeLogLevel level, const char *line);

#endif
