#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/quantity.h"
#include "cli/report.h"

#define REDRAW_SECONDS 0.1 /* on a terminal */
#define LINE_SECONDS   2.0 /* elsewhere, such as in a log file */
enum { BAR_WIDTH = 20, LINE_MAX_BYTES = 320 };

void ooze_progress_start(OozeProgress *progress, bool quiet, const char *unit, uint64_t first,
                         uint64_t last, uint64_t step)
{
    double now = ooze_clock();
    *progress = (OozeProgress){.quiet = quiet,
                               .terminal = ooze_is_terminal(stderr),
                               .unit = unit,
                               .first = first,
                               .last = last,
                               .began = now,
                               .rate_clock = now,
                               .rate_step = step};
}

void ooze_progress_skip(OozeProgress *progress, uint64_t step)
{
    progress->rate_clock = ooze_clock();
    progress->rate_step = step;
}

/* Updates the rate: sums of steps and seconds that decay over about ten seconds, since the cost of
   a step changes. */
static void update_rate(OozeProgress *progress, uint64_t step, double now)
{
    double seconds = now - progress->rate_clock;
    double kept = exp(-seconds / 10.0);
    progress->recent_steps = progress->recent_steps * kept + (double)(step - progress->rate_step);
    progress->recent_seconds = progress->recent_seconds * kept + seconds;
    progress->rate_clock = now;
    progress->rate_step = step;
}

static double rate_of(const OozeProgress *progress)
{
    return progress->recent_steps > 0.0 ? progress->recent_steps / progress->recent_seconds : NAN;
}

static double seconds_left(const OozeProgress *progress, const OozeProgressPoint *point, double now)
{
    if (point->last_step > 0) {
        return (double)(point->last_step - point->step) / rate_of(progress);
    }
    uint64_t done = point->unit - progress->first;
    return done == 0
               ? NAN
               : (now - progress->began) / (double)done * (double)(progress->last - point->unit);
}

static int columns_of_terminal(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) {
        return size.ws_col;
    }
    return 80;
}

static void format_line(const OozeProgress *progress, const OozeProgressPoint *point, double now,
                        char *line, size_t size)
{
    char particles[OOZE_QUANTITY_SIZE], rate[OOZE_QUANTITY_SIZE], left[OOZE_QUANTITY_SIZE];
    char density[OOZE_QUANTITY_SIZE] = "-";
    if (isfinite(point->worst_density_error)) {
        snprintf(density, sizeof density, "%.2f%%", 100.0 * point->worst_density_error);
    }
    int used = 0;
    if (progress->terminal) {
        double share = point->last_step > 0 ? (double)point->step / (double)point->last_step
                       : progress->last > progress->first
                           ? (double)(point->unit - progress->first) /
                                 (double)(progress->last - progress->first)
                           : 1.0;
        int filled = (int)(share * BAR_WIDTH);
        filled = filled < 0 ? 0 : filled > BAR_WIDTH ? BAR_WIDTH : filled;
        used = snprintf(line, size, "[%.*s%.*s] ", filled, "####################",
                        BAR_WIDTH - filled, "--------------------");
    }
    used += snprintf(line + used, size - (size_t)used, "%s %llu/%llu", progress->unit,
                     (unsigned long long)point->unit, (unsigned long long)progress->last);
    if (point->last_step > 0 || point->particles > 0) {
        used += snprintf(line + used, size - (size_t)used, ", %s particles",
                         ooze_quantity_count(particles, point->particles));
    }
    if (point->last_step > 0) {
        used += snprintf(line + used, size - (size_t)used, ", %s steps/s",
                         ooze_quantity_rate(rate, rate_of(progress)));
    }
    used += snprintf(line + used, size - (size_t)used, ", ETA %s",
                     ooze_quantity_seconds(left, seconds_left(progress, point, now)));
    if (point->last_step > 0) {
        snprintf(line + used, size - (size_t)used, ", density error %s", density);
    }
}

void ooze_progress_show(OozeProgress *progress, const OozeProgressPoint *point, bool now)
{
    if (progress->quiet) {
        return;
    }
    double clock = ooze_clock();
    double pause = progress->terminal ? REDRAW_SECONDS : LINE_SECONDS;
    bool shown = progress->drawn > 0.0 && point->unit == progress->drawn_unit &&
                 point->step == progress->rate_step;
    if (now ? shown && !progress->terminal : clock - progress->drawn < pause) {
        return;
    }
    progress->drawn_unit = point->unit;
    update_rate(progress, point->step, clock);
    progress->drawn = clock;
    char line[LINE_MAX_BYTES];
    format_line(progress, point, clock, line, sizeof line);
    if (progress->terminal) {
        fprintf(stderr, "\r%.*s\033[K", columns_of_terminal() - 1, line);
        progress->line_open = true;
    } else {
        fprintf(stderr, "%s\n", line);
    }
    fflush(stderr);
}

void ooze_progress_clear(OozeProgress *progress)
{
    if (progress->line_open) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->line_open = false;
    }
}

void ooze_progress_end(OozeProgress *progress)
{
    if (progress->line_open) {
        fputc('\n', stderr);
        fflush(stderr);
        progress->line_open = false;
    }
}
