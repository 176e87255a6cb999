/* The progress display on stderr: one line redrawn on a terminal, plain lines elsewhere. */
#ifndef OOZE_CLI_PROGRESS_H
#define OOZE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OozeProgress {
    bool quiet, terminal;
    const char *unit;                    /* "frame", "file" */
    uint64_t first, last;                /* units at the beginning and end of this session */
    double began;                        /* clock */
    double drawn;                        /* clock of the last line */
    uint64_t drawn_unit;                 /* unit of the last line */
    double recent_steps, recent_seconds; /* decaying sums, for the rate */
    double rate_clock;                   /* clock of their last update */
    uint64_t rate_step;
    bool line_open; /* the last line has no newline yet */
} OozeProgress;

typedef struct OozeProgressPoint {
    uint64_t unit;              /* finished units */
    uint64_t step;              /* finished steps */
    uint64_t last_step;         /* at the end; 0: no steps */
    uint64_t particles;         /* now; 0: not shown, where there are no steps */
    double worst_density_error; /* relative; NAN: none */
} OozeProgressPoint;

void ooze_progress_start(OozeProgress *progress, bool quiet, const char *unit, uint64_t first,
                         uint64_t last, uint64_t step);
/* Leaves the time until now, in which the steps up to `step` were taken, out of the rate. */
void ooze_progress_skip(OozeProgress *progress, uint64_t step);
/* Draws at intervals; with `now` at once. */
void ooze_progress_show(OozeProgress *progress, const OozeProgressPoint *point, bool now);
/* Erases the redrawn line, so that other text can be printed. */
void ooze_progress_clear(OozeProgress *progress);
/* Ends the redrawn line with a newline. */
void ooze_progress_end(OozeProgress *progress);

#endif
