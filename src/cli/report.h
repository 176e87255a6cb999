/* Messages on stderr: errors, warnings, scene diagnostics with a caret. */
#ifndef OOZE_CLI_REPORT_H
#define OOZE_CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/fail.h"
#include "ooze/scene.h"

/* Prints one line; replaces control characters by '?', since file names may contain them. */
void ooze_report_line(const char *format, ...) OOZE_PRINTF(1, 2);
void ooze_report_warning(const char *format, ...) OOZE_PRINTF(1, 2);

/* The error and its hint; returns the exit code that fits its status. */
int ooze_report_error(const OozeError *error);

#define OOZE_HINT_FRAMES                                                                           \
    "`ooze run --resume RUN --from-frame N` makes them again, from a frame N before them"
/* Reports the number of missing and damaged frames that a command left out; returns the exit
   code. */
int ooze_report_damaged(uint64_t frames);

/* Every diagnostic of a scene in turn; returns how many are errors. */
int ooze_report_scene(const OozeScene *scene, int *warnings);

bool ooze_is_terminal(FILE *stream);

#endif
