/* Position-based density: Macklin and Mueller 2013, one-sided, on neighbours of the positions that
   a step predicts, with sweeps that converge (see projected_jacobi.h). Solids push back after every
   iteration. */
#ifndef OOZE_SOLVERS_DENSITY_H
#define OOZE_SOLVERS_DENSITY_H

#include "solvers/dynamic_coupling.h"
#include "solvers/edges.h"
#include "solvers/step_context.h"

/* Working memory that outlives a step and is not saved. The functions have the types of those of a
   method, for methods without other memory. */
typedef struct OozeDensityMemory {
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near, near_walls;
} OozeDensityMemory;

OozeStatus ooze_density_memory_create(void **memory, OozeError *error);
void ooze_density_memory_destroy(void *memory);
uint64_t ooze_density_memory_bytes(const void *memory);

typedef struct OozeDensityJob {
    const OozeStepContext *context;
    uint64_t n;
    float support;
    float volume;     /* V0 such that the rest lattice has density 1 exactly */
    float wall_scale; /* see OozeGather */
    float contact;    /* m between centres and solids */
    int iterations;
    /* Density beyond rest, of the worst particle, at which iterations stop, unless `between` is
       set. Below 0: they never stop early. */
    float tolerance;
    bool plain; /* sweeps as first published: whole Jacobi steps that only ever push */
    /* Pairs nearer than `min_distance` (m) drift from each other without a velocity, by half of the
       missing distance a step: particles of a stretched fluid would otherwise line up in strings.
       `drift` gets this shift per particle; NULL: none. */
    float min_distance;
    OozeF32x4 *drift;
    /* Density that the iterations aim at, per particle, relative to rest; NULL: 1 for all. What is
       removed from a density in a step becomes velocity, so a step much shorter than the time in
       which an error should vanish keeps most of it. */
    const float *density_target;
    /* Not NULL: a particle that lay in a solid when the step began follows the surface of that
       solid, and after the iterations overlaps are relieved: iterations with 1 + load_excess for
       the target and the full distance to solids. `position_only_shift` gets this shift per
       particle. It strains the fluid and is no velocity. Needs start and load_excess. */
    OozeF32x4 *position_only_shift;
    /* Per particle: density beyond rest that carries the load, which relief of overlaps leaves. */
    const float *load_excess;
    /* Per particle: inverse mass, 1 over its density relative to the others'; 0: it does not move.
       NULL: all 1. */
    const float *mobility;
    /* Per particle: number of the rigid particle body it is part of, 0: of none; NULL: there are
       none. Pairs of one body do not push each other, and `between` replaces its shifts by those of
       a rigid motion that enters no solid. */
    const uint16_t *rigid;
    /* Per particle: inverse mass with the inertia of its rigid body, which the diagonals of
       multipliers use. NULL: mobility. */
    const float *effective_inverse_mass;
    /* Per particle: not 0 where samples of solids do not count, because contacts of its particle
       body with solids are solved elsewhere. NULL: they count for all. */
    const uint8_t *ignores_boundary;
    /* Positions at the beginning of the step: pairs are pushed along the line between these, not
       along the present one. With velocities (x - x0)/dt that conserves angular momentum: the
       change of x cross u is x0 cross the push. NULL: along the line between x. */
    const OozeF32x4 *start;
    /* Dynamic solids, whose samples in the context's boundary move; NULL: none. */
    OozeDynamicCoupling *coupling;
    /* Called in every iteration between density and solids, with the shifts of all particles so
       far, which it may change. For constraints that alternate with density; may be NULL. */
    void (*between)(void *user, OozeF32x4 *shift);
    void *user;
    /* working memory that outlives the step */
    OozeEdgeMemory *memory; /* may be NULL */
    OozeF32x4 *lent;        /* 3 (n + 1) of the caller's, or NULL */
    OozeGrid *grid;
    OozeNeighbours *near, *near_walls;
} OozeDensityJob;

/* The shift that the positions x need, which are wrapped into the box. It is returned separately: a
   velocity taken from rounded positions would lose every change smaller than their last bit over
   dt. */
OozeStatus ooze_density_solve(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                              OozeError *error);

#endif
