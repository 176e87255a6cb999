/* The inner loops of the springs method: runs of an OozeSpringsStep's schedules, one colour at a
   time. */
#ifndef OOZE_METHODS_SPRINGS_SWEEP_H
#define OOZE_METHODS_SPRINGS_SWEEP_H

#include "base/isa.h"
#include "methods/springs/step.h"

typedef struct OozeSpringsLoops {
    OozeRangeBody apply_viscosity; /* algorithm 5, on velocities in store order: store_schedule */
    OozeRangeBody pull;            /* algorithm 3: predicted_schedule */
    OozeRangeBody relax;           /* algorithm 2: predicted_schedule */
} OozeSpringsLoops;
OOZE_LOOPS_DECLARE(OozeSpringsLoops, ooze_springs_loops);

#endif
