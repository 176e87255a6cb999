/* Position-based density: Macklin and Mueller 2013, one-sided, on neighbours of the predicted
   positions, by projected Jacobi sweeps (see projected_jacobi.h). Solids push particles out after
   every iteration. */
#ifndef OOZE_SOLVERS_DENSITY_DENSITY_H
#define OOZE_SOLVERS_DENSITY_DENSITY_H

#include "physics/tensor.h"
#include "solvers/contact/dynamic_coupling.h"
#include "solvers/density/density_job.h"
#include "solvers/pairs/edges.h"
#include "step/context.h"

/* Working memory that outlives a step and is not saved. The functions have the types of
   OozeMethod, for methods without other memory. */
typedef struct OozeDensityMemory {
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near, near_walls;
    OozeSplit split; /* of predicted positions among ranks, and their ghosts */
    OozeHalo *halo;
} OozeDensityMemory;

OozeStatus ooze_density_memory_create(void **memory, OozeError *error);
void ooze_density_memory_destroy(void *memory);
uint64_t ooze_density_memory_bytes(const void *memory);

/* Finds the shift of positions x, and wraps x into the box. The shift is not added to x, because
   the difference of rounded positions would lose small velocities. */
OozeStatus ooze_density_solve(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                              OozeError *error);

#endif
