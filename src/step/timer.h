/* Times the parts of a step's stages. A step runs on one thread of control, so a part is timed by
   laps: a lap attributes the time since the previous lap to one named part. A method names its own
   parts. There is one clock reading per parallel region and none inside. */
#ifndef OOZE_STEP_TIMER_H
#define OOZE_STEP_TIMER_H

#include "ooze/world.h"

enum { OOZE_TIMER_PARTS_MAX = 48 };

/* Work of an engine that is not the processor, since it was created. */
typedef struct OozeEngineCounts {
    uint64_t launches, waits;
} OozeEngineCounts;

typedef struct OozeStepTimer {
    const char *stage; /* that laps belong to */
    OozeStagePartTime parts[OOZE_TIMER_PARTS_MAX];
    int part_count; /* in the order of their first lap */
    double last;    /* reading of the last lap */
    double (*read)(void);
    /* Waits until the engine has finished all work that was queued. NULL: laps do not wait. */
    void (*wait)(void *engine);
    void *engine;
    const OozeEngineCounts *counts; /* of the engine, which goes on counting; NULL: none */
    OozeEngineCounts last_counts;   /* at the last lap */
} OozeStepTimer;

OozeStepTimer ooze_step_timer(void);
/* The present time, after waiting for the engine. */
double ooze_timer_now(const OozeStepTimer *timer);

/* The functions below do nothing where timer is NULL: timing is off. Names are string constants. */

/* Begins a stage: time before the first lap is not attributed to any part. */
void ooze_timer_begin(OozeStepTimer *timer, const char *stage);
/* Attributes the time since the last lap to a part and counts one call of it. */
void ooze_timer_lap(OozeStepTimer *timer, const char *part);
/* Attributes the time since the last lap to a part without counting a call. */
void ooze_timer_add(OozeStepTimer *timer, const char *part);

#endif
