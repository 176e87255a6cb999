/* Changes: numbers that take another value at a given time, at once or on a ramp. */
#ifndef OOZE_WORLD_CHANGE_H
#define OOZE_WORLD_CHANGE_H

#include "ooze/world.h"

typedef enum OozeChangePhase {
    OOZE_CHANGE_WAITS,
    OOZE_CHANGE_RUNS,
    OOZE_CHANGE_DONE /* the number is free again: for a later change, or for the API */
} OozeChangePhase;

/* What must be saved to resume bit for bit. */
typedef struct OozeChangeState {
    OozeChangePhase phase;
    double from; /* value when it began */
} OozeChangeState;

typedef struct OozeChange {
    OozeChangeTarget target;
    int32_t index; /* of the thing */
    int param;     /* of its numbers */
    double value, time, ramp;
    OozeChangeState state;
} OozeChange;

#endif
