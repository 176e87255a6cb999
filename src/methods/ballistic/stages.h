/* The stages of a step of the ballistic method, in order: loops of the processor or of the GPU.
   Valid C17 and C++. */
#ifndef OOZE_METHODS_BALLISTIC_STAGES_H
#define OOZE_METHODS_BALLISTIC_STAGES_H

#include "methods/ballistic/step.h"

typedef struct OozeBallisticStages {
    void (*fly)(OozeBallisticStep *step); /* positions, velocities, impulses */
    /* The reaction of dynamic solids: see contact_loads.h. */
    OozeStatus (*load_solids)(OozeBallisticStep *step, OozeError *error);
} OozeBallisticStages;

extern const OozeBallisticStages ooze_ballistic_stages; /* of the processor */

OozeStatus ooze_ballistic_step(OozeMachine *machine, const OozeBallisticStages *stages,
                               OozeError *error);

#endif
