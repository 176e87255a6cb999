/* The inner loops of the springs method: runs of an OozeSpringsStep's schedules, one colour at a time. */
#ifndef OOZE_METHODS_SPRINGS_SWEEP_H
#define OOZE_METHODS_SPRINGS_SWEEP_H

#include "base/machine.h"
#include "methods/springs/workspace.h"

typedef struct OozeSpringsLoops {
    OozeRangeBody slow;  /* algorithm 5, on velocities of the store: schedule `before` */
    OozeRangeBody pull;  /* algorithm 3: schedule `after` */
    OozeRangeBody relax; /* algorithm 2: the same */
} OozeSpringsLoops;
OOZE_LOOPS_DECLARE(OozeSpringsLoops, ooze_springs_loops);

#endif
