/* The stages of a step of the stress method, in order: loops of the processor or of the GPU. Valid
   C17 and C++. */
#ifndef OOZE_METHODS_STRESS_STAGES_H
#define OOZE_METHODS_STRESS_STAGES_H

#include "methods/stress/step.h"
#include "solvers/density/density_job.h"

typedef struct OozeStressStages {
    /* density, correction, edge_sum */
    OozeStatus (*gather)(OozeStressStep *step, OozeError *error);
    void (*find_stiffness)(OozeStressStep *step);
    void (*find_load)(OozeStressStep *step);
    void (*find_flux)(OozeStressStep *step);
    void (*apply_forces)(OozeStressStep *step); /* next_u */
    /* Whether ghosts suffice for the neighbours of next_x; if not, the substep is repeated. */
    bool (*finds_neighbours)(OozeStressStep *step);
    void (*find_density_target)(OozeStressStep *step, float kept_share);
    /* shift */
    OozeStatus (*solve_density)(OozeStressStep *step, OozeDensityJob *job, OozeError *error);
    void (*add_shift)(OozeStressStep *step); /* to next_x and next_u */
    void (*carry_strain)(OozeStressStep *step);
} OozeStressStages;

extern const OozeStressStages ooze_stress_stages; /* of the processor */

/* `memory`: of the density stage; NULL on the GPU. */
OozeStatus ooze_stress_step(OozeMachine *machine, const OozeStressStages *stages, void *memory,
                            OozeError *error);

#endif
