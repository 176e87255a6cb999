/* The stages of a step of the methods conformation and constraint, in order: loops of the processor
   or of the GPU. Valid C17 and C++. */
#ifndef OOZE_METHODS_CONFORMATION_STAGES_H
#define OOZE_METHODS_CONFORMATION_STAGES_H

#include "methods/conformation/step.h"

/* One discretisation of the method: velocities first, then positions, then the new conformation. */
typedef struct OozeFormulation {
    /* The velocity gradients are those of the kernel of the density: strain_scale is 0. */
    bool kernel_gradients;
    /* step->u: from u* = u + dt f to the velocities under viscoelastic stress. */
    OozeStatus (*solve_velocities)(OozeConformationStep *step, OozeError *error);
    /* step->shift of the positions step->x, predicted from u, by density, solids and other position
       constraints. It is not added to x: see ooze_density_solve. Wraps x into the box. */
    OozeStatus (*solve_positions)(OozeConformationStep *step, OozeError *error);
    /* Conformations at the end of the step, and what the next one starts from; step->u is now
       (x - x0) / dt. */
    void (*finish)(OozeConformationStep *step);
} OozeFormulation;

typedef struct OozeConformationStages {
    /* Arrays of the step; rows of rheology, x0, u with gravity, mobility, stress. Dynamic solids
       without particles. */
    OozeStatus (*load)(OozeConformationStep *step, OozeError *error);
    /* Edges, corrections and densities at x0; a second call uses the same memory. */
    OozeStatus (*gather)(OozeConformationStep *step, OozeError *error);
    OozeStatus (*apply_surface_tension)(OozeConformationStep *step, OozeError *error); /* u */
    /* The known pressure of `pressure: grid`. */
    OozeStatus (*begin_pressure)(OozeConformationStep *step, OozeError *error);
    OozeStatus (*begin_bodies)(OozeConformationStep *step, OozeError *error);
    /* long_step, and contact sets of the particles that u would move into a solid. */
    OozeStatus (*find_contacts)(OozeConformationStep *step, OozeError *error);
    const struct OozeLodgeStages *lodge; /* of the velocity solve */

    /* Frees edges and contacts where the density stage needs their memory. */
    void (*free_edges)(OozeConformationStep *step);
    /* Of several processes: whether the ghosts are all that u can bring near. If not, the step ends
       here, and the caller repeats it. */
    bool (*ghosts_suffice)(OozeConformationStep *step);
    OozeStatus (*find_density_targets)(OozeConformationStep *step, OozeError *error);
    void (*predict)(OozeConformationStep *step); /* x */
    /* Position-only shifts that keep the volumes of `pressure: grid`. */
    OozeStatus (*repair_volumes)(OozeConformationStep *step, OozeError *error);
    /* x with its shifts, u = (x - x0) / dt but for drift, residual; `distance`: the largest,
       over all processes, that a particle has moved, or deviated from free flight. Waits. */
    OozeStatus (*arrive)(OozeConformationStep *step, float *distance, OozeError *error);
    /* Velocities of the samples of dynamic solids, which the density stage has moved as well. */
    void (*spread_solids)(OozeConformationStep *step);
    /* See cpu/push_stress.h. */
    OozeStatus (*remove_push_stress)(OozeConformationStep *step, OozeError *error);
    /* u without position-only shifts, and relief_progress. */
    OozeStatus (*end_relief)(OozeConformationStep *step, OozeError *error);
    void (*place_bodies)(OozeConformationStep *step); /* x and u of rigid ones */
    void (*store_pressure)(OozeConformationStep *step);
    void (*store)(OozeConformationStep *step);
    /* Dynamic solids get the momentum that the fluid has lost to them. */
    void (*load_solids)(OozeConformationStep *step);
} OozeConformationStages;

/* The step. `step` has the stages, the formulation and the memory of the machine; the rest is 0. */
OozeStatus ooze_conformation_run(OozeMachine *machine, OozeConformationStep *step,
                                 OozeError *error);

/* A job of the density stage with the particles of the step. */
OozeDensityJob ooze_conformation_density_job(const OozeConformationStep *step);

/* The formulation of method conformation on the processor: cpu/lodge.c. */
extern const OozeFormulation ooze_formulation_lodge;
/* Its solve_velocities on both machines: lodge.c. */
OozeStatus ooze_lodge_solve(OozeConformationStep *step, OozeError *error);

#endif
