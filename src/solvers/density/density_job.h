/* What the density stage (density.h) is asked to do, on the processor and on the GPU. Arrays are in
   the order of the caller, in the memory of the machine. Valid C17 and C++. */
#ifndef OOZE_SOLVERS_DENSITY_DENSITY_JOB_H
#define OOZE_SOLVERS_DENSITY_DENSITY_JOB_H

#include "physics/tensor.h"
#include "solvers/vectors/vector_formula.h"
#include "step/context.h"

struct OozeDynamicCoupling;
struct OozeEdgeMemory;
struct OozeDensityMemory;

typedef struct OozeDensityJob {
    const OozeStepContext *context;
    uint64_t n;
    float support;
    float volume;     /* V0 such that the rest lattice has density 1 exactly */
    float wall_scale; /* see OozeGather */
    float contact;    /* m between centres and solids */
    int iterations;
    /* Iterations stop when the density of the worst particle exceeds that of rest by no more than
       this, unless `between` is set. Below 0: they never stop early. */
    float tolerance;
    /* Iterations also stop when the mean error of density falls below this. It counts density
       beyond rest, and below rest where multipliers push. 0: the mean does not stop them. */
    float mean_tolerance;
    bool plain; /* sweeps as published: full Jacobi steps with nonnegative changes of multipliers */
    /* Pairs closer than `min_distance` (m) drift apart by position-only shifts: each particle by
       `drift_share` of the missing distance a step. Particles of a stretched fluid would otherwise
       line up in strings. `drift` receives the shift per particle; NULL: none. */
    float min_distance, drift_share;
    OozeVector *drift;
    /* Per particle: tensor that multiplies the sum of the vectors from its neighbours, weighted by
       ooze_thread_regularisation_weight, before that is added to the drift. NULL: 0 for all. */
    const OozeSym3 *thread_regularisation;
    /* Target density per particle, relative to rest; NULL: 1 for all. Removed compression becomes
       velocity, so targets above 1 spread the removal over several short steps. */
    const float *density_target;
    /* Receives the position-only shift of each particle, which strains the fluid and does not enter
       the velocity. With it, a particle that was inside a solid at the beginning of the step comes
       out gradually. Further iterations relieve overlaps after the others. Their target is 1 +
       load_excess, and they keep the full distance to solids. Needs start and load_excess. NULL:
       none of this. */
    OozeVector *position_only_shift;
    /* Per particle: density above rest that carries the load, and that relief leaves. */
    const float *load_excess;
    /* Per particle: inverse mass relative to the reference; 0: it does not move. NULL: all 1. */
    const float *mobility;
    /* Per particle: number of its rigid particle body, 0: it is in none; NULL: there are no bodies.
       Pairs within one body do not push each other. `between` replaces the shifts of a body by
       those of a rigid motion that enters no solid. */
    const uint16_t *rigid;
    /* Per particle: inverse mass with the inertia of its rigid body, which the diagonals of
       multipliers use. NULL: mobility. */
    const float *effective_inverse_mass;
    /* Per particle: not 0: boundary samples have no weight, because contacts of its particle body
       with solids are solved elsewhere. NULL: 0 for all. */
    const uint8_t *ignores_boundary;
    /* Positions x0 at the beginning of the step. Pairs are pushed along the line between these, not
       along the present line. With velocities (x - x0)/dt this conserves angular momentum: the
       change of x cross u is x0 cross the push. NULL: along the present line. */
    const OozeVector *start;
    /* Receives the multiplier of each density, m2: dt^2 times pressure over the reference density.
       Multipliers of the relief of overlaps are not included. A neighbour pushes a particle by the
       sum of both multipliers times the slope of the kernel. NULL: not wanted. Not of a plain job.
       */
    float *multiplier;
    /* Multipliers that the sweeps begin with. The positions x include their shift already, and the
       shift that is found does not. NULL: 0 for all. Not of a plain job. */
    const float *first_multiplier;
    /* Called in every iteration between density and solids, with the shifts of all particles so
       far, which it may change. It is for constraints that alternate with density. May be NULL. */
    void (*between)(void *user, OozeVector *shift);
    void *user;
    /* ---- of the processor ---- */
    /* Dynamic solids, whose samples in the context's boundary move; NULL: none. */
    struct OozeDynamicCoupling *coupling;
    /* Per particle, > 0: a pressure acts between it and dynamic solids, which then move it by
       position-only shifts alone. NULL: 0 for all. */
    const float *has_pressure;
    /* working memory that outlives the step */
    struct OozeEdgeMemory *memory; /* may be NULL */
    OozeVector *workspace;         /* 3 (n + 1) elements that the stage overwrites, or NULL */
    struct OozeDensityMemory *own;
} OozeDensityJob;

#endif
