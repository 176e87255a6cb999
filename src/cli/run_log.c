#include "cli/run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/report.h"

void ooze_run_log_start(OozeRunLog *log)
{
    *log = (OozeRunLog){.fd = -1};
}

static void flush_pending(OozeRunLog *log)
{
    if (log->fd >= 0 && log->pending.length > 0) {
        ssize_t written = write(log->fd, log->pending.data, log->pending.length);
        (void)written;
        ooze_text_clear(&log->pending);
    }
}

OozeStatus ooze_run_log_open(OozeRunLog *log, const char *path, OozeError *error)
{
    log->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log->fd < 0) {
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, errno);
    }
    flush_pending(log);
    return OOZE_OK;
}

void ooze_run_log_line(OozeRunLog *log, const char *format, ...)
{
    char stamp[32] = "", line[1024], text[sizeof stamp + sizeof line];
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    int length = snprintf(text, sizeof text, "%s %s\n", stamp, line);
    if (log->fd < 0) {
        ooze_text_append_bytes(&log->pending, text, (size_t)length);
        return;
    }
    ssize_t written =
        write(log->fd, text, (size_t)length); /* one call, so that lines of threads do not mix */
    (void)written;
}

void ooze_run_log_close(OozeRunLog *log)
{
    if (log->fd >= 0) {
        close(log->fd);
    }
    ooze_text_clear(&log->pending);
    log->fd = -1;
}

void ooze_run_log_callback(void *user, OozeLogLevel level, const char *line)
{
    OozeRunLog *log = user;
    static const char *const names[] = {"debug: ", "", "warning: "};
    ooze_run_log_line(log, "%s%s", names[level], line);
    if (level == OOZE_LOG_WARNING) {
        if (log->before_warning) {
            log->before_warning(log->user);
        }
        ooze_report_warning("%s", line);
    } else if (level == OOZE_LOG_INFO && log->shows_info) {
        ooze_report_line("ooze: %s", line);
    }
}
