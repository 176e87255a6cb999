/* The progress display on stderr: one line redrawn on a terminal, plain lines elsewhere. */
#ifndef OOZE_CLI_PROGRESS_H
#define OOZE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OozeProgress {
    bool quiet, terminal;
    const char *unit;                    /* "frame", "file" */
    uint64_t first, last;                /* of the units: where this session began, where it ends */
    double began;                        /* clock */
    double drawn;                        /* clock of the last line */
    uint64_t drawn_unit;                 /* what it told */
    double recent_steps, recent_seconds; /* fading sums, for the rate */
    double rate_clock;                   /* up to where they count */
    uint64_t rate_step;
    bool line_open; /* a redrawn line stands without its newline */
} OozeProgress;

typedef struct OozeProgressPoint {
    uint64_t unit;              /* finished units */
    uint64_t step;              /* finished steps */
    uint64_t last_step;         /* at the end; 0: there are no steps to speak of */
    uint64_t particles;         /* now */
    double worst_density_error; /* relative; NAN: none */
} OozeProgressPoint;

void ooze_progress_start(OozeProgress *progress, bool quiet, const char *unit, uint64_t first,
                         uint64_t last, uint64_t step);
/* Draws when it is time to; `now` draws at once. */
void ooze_progress_show(OozeProgress *progress, const OozeProgressPoint *point, bool now);
/* Takes the redrawn line away, so that other text can be printed. */
void ooze_progress_clear(OozeProgress *progress);
/* Leaves the last line standing. */
void ooze_progress_end(OozeProgress *progress);

#endif
