/* Changes: numbers that take another value at a given time, at once or on a ramp. */
#ifndef OOZE_WORLD_CHANGE_H
#define OOZE_WORLD_CHANGE_H

#include "ooze/world.h"

typedef enum OozeChangePhase {
    OOZE_CHANGE_PENDING,
    OOZE_CHANGE_RUNNING,
    OOZE_CHANGE_DONE /* the number can be set by a later change or by the API */
} OozeChangePhase;

/* The state that is saved with a frame. */
typedef struct OozeChangeState {
    OozeChangePhase phase;
    double from; /* value when it began */
} OozeChangeState;

typedef struct OozeChange {
    OozeChangeTarget target;
    int32_t index;            /* of the material, solid, emitter or joint */
    int param;                /* index of its number */
    double value, time, ramp; /* see OozeChangeDef */
    OozeChangeState state;
} OozeChange;

#endif
