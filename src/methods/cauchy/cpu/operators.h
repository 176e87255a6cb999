/* The processor's stages of the method cauchy: what they keep during a step, and the innermost
   loops, bodies of parallel loops in chunks of OOZE_CAUCHY_GRAIN. "gathered" arrays have four zero
   elements at their end. */
#ifndef OOZE_METHODS_CAUCHY_CPU_OPERATORS_H
#define OOZE_METHODS_CAUCHY_CPU_OPERATORS_H

#include "base/isa.h"
#include "methods/cauchy/particle_formula.h"
#include "methods/cauchy/stages.h"
#include "solids/broad_phase.h"
#include "solvers/linear/conjugate_gradients.h"
#include "solvers/multigrid/grid_multigrid.h"
#include "solvers/pairs/edges.h"

enum { OOZE_CAUCHY_GRAIN = 256 };

/* State that outlives a step; none of it is saved. */
typedef struct OozeCauchyMemory {
    OozeEdgeMemory edges, mps;
    OozeGridMultigrid *multigrid;
} OozeCauchyMemory;

typedef struct OozeCauchyOwn {
    OozeEdges edges;       /* g */
    OozeEdges mps;         /* h */
    OozeF32x4 *wall_edge;  /* per entry of the boundary lists: g of walls */
    uint8_t *wall_no_slip; /* likewise: the fluid does not slip on it */
    OozeBroadPhase nearby;
    double *partial; /* sums of fixed blocks, at most three for each */
} OozeCauchyOwn;

typedef struct OozeCauchyLoops {
    OozeRangeBody gather;   /* of an OozeCauchyStep */
    OozeRangeBody cohesion; /* likewise: adds it to the forces */
    /* of an OozeCauchyVelocity */
    OozeRangeBody edge_hourglass, stress, product;
    /* of an OozeCauchyAcceleration */
    OozeRangeBody accelerate;
    /* of an OozeCauchyPressure */
    OozeRangeBody multiply;         /* ap = L p; sums p . ap */
    OozeRangeBody diagonal;         /* and mass */
    OozeRangeBody right_side;       /* r = b; three sums, see ooze_cauchy_mean */
    OozeRangeBody classic_gradient; /* acceleration by q in the classic scheme */
} OozeCauchyLoops;
OOZE_LOOPS_DECLARE(OozeCauchyLoops, ooze_cauchy_loops);

/* to = M^-1 D^T pressure */
typedef struct OozeCauchyAcceleration {
    OozeCauchyStep *step;
    const float *pressure;
    OozeF32x4 *to;
} OozeCauchyAcceleration;

extern const OozeCauchyVelocityStages ooze_cauchy_velocity_stages;
extern const OozeCauchyPressureStages ooze_cauchy_pressure_stages;
extern const OozeCauchyMotionStages ooze_cauchy_motion_stages;

/* Runs a loop over the particles. */
static inline void ooze_cauchy_run(const OozeCauchyStep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_CAUCHY_GRAIN, body, data);
}

/* Likewise; it leaves a sum per block in own->partial, which are added. */
static inline double ooze_cauchy_sum(const OozeCauchyStep *s, OozeRangeBody body, void *data)
{
    const OozeStepContext *c = s->machine->context;
    OozeBlockSum sum = {c->threads, s->machine->n, OOZE_CAUCHY_GRAIN, s->own->partial, c->halo};
    return ooze_block_sum(&sum, body, data);
}

/* Leaves three sums of the block that begins here. */
static inline void ooze_cauchy_set_sums(const OozeCauchyStep *s, uint64_t begin, double a, double b,
                                        double c)
{
    double *sums = s->own->partial + 3 * (begin / OOZE_CAUCHY_GRAIN);
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
}

/* Adds sum u_w g^T over walls on which the fluid does not slip. */
static inline OozeRows ooze_cauchy_wall_rows(const OozeCauchyStep *s, uint64_t i, OozeRows rows)
{
    const OozeNeighbours *walls = s->machine->context->fluid_boundary;
    const OozeBoundary *boundary = s->machine->context->boundary;
    if (boundary->count == 0) {
        return rows;
    }
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        if (s->own->wall_no_slip[e]) {
            OozeF32x4 v = ooze_f32x4_load(&boundary->velocity[walls->index[e]].x);
            rows = ooze_rows_outer(v, s->own->wall_edge[e], rows);
        }
    }
    return rows;
}

/* Velocity gradient of u with walls on which the fluid does not slip. */
OozeMat3 ooze_cauchy_gradient(const OozeCauchyStep *step, const OozeF32x4 *u, uint64_t i);

#endif
