/* The stages of a step of the wcsph method, in order: loops of the processor or of the GPU. Valid
   C17 and C++. */
#ifndef OOZE_METHODS_WCSPH_STAGES_H
#define OOZE_METHODS_WCSPH_STAGES_H

#include "methods/wcsph/step.h"

typedef struct OozeWcsphStages {
    void (*allocate)(OozeWcsphStep *step);       /* what only its loops need; NULL: nothing */
    void (*find_densities)(OozeWcsphStep *step); /* density, state */
    void (*apply_forces)(OozeWcsphStep *step);   /* next_u */
} OozeWcsphStages;

extern const OozeWcsphStages ooze_wcsph_stages; /* of the processor */

OozeStatus ooze_wcsph_step(OozeMachine *machine, const OozeWcsphStages *stages, OozeError *error);

#endif
