/* Kernel gradients along every edge of the neighbour lists, the correction that makes gradients
   exact for linear fields, and the density at the beginning of a step. */
#ifndef OOZE_SOLVERS_PAIRS_GATHER_H
#define OOZE_SOLVERS_PAIRS_GATHER_H

#include "base/isa.h"
#include "physics/kernels.h"
#include "physics/strain_weight.h"
#include "physics/tensor.h"
#include "solvers/pairs/edges.h"
#include "step/context.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_GATHER_GRAIN = 256 };

typedef struct OozeGather {
    /* given */
    const OozeStepContext *context;
    uint64_t n;
    float support;
    float volume; /* V0 such that the rest lattice has density 1 exactly */
    /* Volume of a boundary sample over its Akinci volume, such that a lattice half a spacing above
       a flat wall has density 1: one layer of samples represents the half space behind it. */
    float wall_scale;
    /* Samples of dynamic solids are at the beginning of the step. Dynamic solids with friction are
       no-slip. */
    bool dynamic;
    /* Weights of edges are this times ooze_strain_weight; 0: the slope of the cubic spline. */
    float strain_scale;
    /* The same for the samples of no-slip walls, with OOZE_STRAIN_WALL_POWER. */
    float wall_strain_scale;
    const OozeF32x4 *x;     /* positions of the lists of the context: see OozeEdges */
    OozeEdgeMemory *memory; /* for weights; NULL: they go into the arena */
    /* results, in the step arena. `gathered` and `wall_edge` of an earlier call are used again */
    OozeF32x4 *gathered; /* 3 (n + 4): memory of edge_sum, correction, density, surface_indicator */
    OozeEdges edges;     /* with V f for weights; f = |W'|/r where it is a kernel's */
    OozeF32x4 *wall_edge;     /* per boundary list entry; 0 for solids on which fluid slips */
    OozeF32x4 *edge_sum;      /* per particle: sum of its edges, those to walls included */
    OozeSym3 *correction;     /* B: inverse of sum V0 x g^T, or 0 where that is singular */
    float *density;           /* relative to rest */
    float *surface_indicator; /* |sum of edges|: 0 inside and at walls, large at free surfaces */
} OozeGather;

/* V f (x_ji, 1) with the weight f of `strain_scale` (see OozeGather); `value` is W of the
   density. */
static inline OozeF32x4 ooze_edge(OozeF32x4 x_ji, float support, float volume, float strain_scale,
                                  float *value)
{
    float r = sqrtf(ooze_f32x4_dot3(x_ji, x_ji));
    float f = strain_scale > 0.0f
                  ? strain_scale * ooze_strain_weight(r, support)
                  : -ooze_kernel_gradient_scale(ooze_cubic_slope(r, support), r, support);
    f *= volume;
    *value = ooze_cubic_value(r, support);
    return (OozeF32x4){f * x_ji[0], f * x_ji[1], f * x_ji[2], f};
}

typedef struct OozeGatherLoops {
    OozeRangeBody gather; /* of an OozeGather */
} OozeGatherLoops;
OOZE_LOOPS_DECLARE(OozeGatherLoops, ooze_gather_loops);

OozeStatus ooze_gather(OozeGather *gather, OozeError *error);

#endif
