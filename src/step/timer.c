#include "step/timer.h"

#include <string.h>

#include "base/clock.h"

OozeStepTimer ooze_step_timer(void)
{
    return (OozeStepTimer){.stage = "", .read = ooze_clock};
}

double ooze_timer_now(const OozeStepTimer *timer)
{
    if (timer->wait) {
        timer->wait(timer->engine);
    }
    return timer->read();
}

static OozeEngineCounts counts_of(const OozeStepTimer *timer)
{
    return timer->counts ? *timer->counts : (OozeEngineCounts){0, 0};
}

void ooze_timer_begin(OozeStepTimer *timer, const char *stage)
{
    if (timer) {
        timer->stage = stage;
        timer->last = ooze_timer_now(timer);
        timer->last_counts = counts_of(timer);
    }
}

/* A part beyond the capacity of the table shares the last row. */
static OozeStagePartTime *find_part(OozeStepTimer *timer, const char *name)
{
    for (int k = 0; k < timer->part_count; k++) {
        OozeStagePartTime *part = &timer->parts[k];
        if (strcmp(part->name, name) == 0 && strcmp(part->stage, timer->stage) == 0) {
            return part;
        }
    }
    if (timer->part_count == OOZE_TIMER_PARTS_MAX) {
        return &timer->parts[OOZE_TIMER_PARTS_MAX - 1];
    }
    OozeStagePartTime *part = &timer->parts[timer->part_count++];
    *part = (OozeStagePartTime){.stage = timer->stage, .name = name};
    return part;
}

static OozeStagePartTime *attribute(OozeStepTimer *timer, const char *name)
{
    OozeStagePartTime *part = find_part(timer, name);
    double now = ooze_timer_now(timer);
    part->seconds += now - timer->last;
    timer->last = now;
    const OozeEngineCounts counts = counts_of(timer);
    part->launches += counts.launches - timer->last_counts.launches;
    part->waits += counts.waits - timer->last_counts.waits;
    timer->last_counts = counts;
    return part;
}

void ooze_timer_lap(OozeStepTimer *timer, const char *part)
{
    if (timer) {
        attribute(timer, part)->calls++;
    }
}

void ooze_timer_add(OozeStepTimer *timer, const char *part)
{
    if (timer) {
        (void)attribute(timer, part);
    }
}
