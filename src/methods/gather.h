/* Kernel gradients along every edge of the neighbour lists, the correction that makes gradients exact
   for linear fields, and the density: what a step re-uses. */
#ifndef OOZE_METHODS_GATHER_H
#define OOZE_METHODS_GATHER_H

#include "base/machine.h"
#include "methods/edges.h"
#include "methods/method.h"
#include "physics/kernels.h"
#include "physics/strain_weight.h"
#include "physics/tensor.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_GATHER_GRAIN = 256 };

typedef struct OozeGather {
    /* given */
    const OozeStepContext *context;
    uint64_t n;
    float support;
    float volume; /* V0 such that the rest lattice has density 1 exactly */
    /* Volume of a boundary sample over its Akinci volume, such that a lattice half a spacing above
       a flat wall has density 1: one layer of samples stands for all that is missing behind it. */
    float wall_scale;
    bool
        dynamic; /* samples of dynamic solids stand where the step began, and fluid clings to those with friction */
    /* Edges weigh neighbours by this times ooze_strain_weight; 0: by the slope of the cubic spline. */
    float strain_scale;
    /* The same for the samples of walls that fluid clings to, with ooze_strain_wall_weight. */
    float wall_strain_scale;
    const OozeFour *x;      /* positions that the context's lists belong to: see OozeEdges */
    OozeEdgeMemory *memory; /* for weights; NULL: they go into the arena */
    /* found, in the step arena. With `sums` and `wall_edge` at hand from an earlier call, these are used again */
    OozeFour *sums;  /* 3 (n + 4): memory of edge_sum, correction, density and open */
    OozeEdges edges; /* with V f for weights; f = |W'|/r where it is a kernel's */
    OozeFour
        *wall_edge;     /* per boundary list entry; 0 for solids that the fluid does not cling to */
    OozeFour *edge_sum; /* per particle: sum of its edges, those to walls included */
    OozeSym3 *correction; /* B: inverse of sum V0 x g^T, or 0 where the neighbourhood is too poor */
    float *density;       /* relative to rest */
    float *open;          /* |sum of edges| that fluid or walls leave: 0 inside */
} OozeGather;

/* V f (x_ji, 1) with the weight f that `strain_scale` stands for (see OozeGather): the gradient of the
   weight's kernel, which points along x_ji, and f itself. `value` is W of the density. */
static inline OozeFour ooze_edge(OozeFour x_ji, float support, float volume, float strain_scale,
                                 float *value)
{
    float r = sqrtf(ooze_four_dot3(x_ji, x_ji));
    float f = strain_scale > 0.0f
                  ? strain_scale * ooze_strain_weight(r, support)
                  : -ooze_kernel_gradient_scale(ooze_cubic_slope(r, support), r, support);
    f *= volume;
    *value = ooze_cubic_value(r, support);
    return (OozeFour){f * x_ji[0], f * x_ji[1], f * x_ji[2], f};
}

typedef struct OozeGatherLoops {
    OozeRangeBody gather; /* of an OozeGather */
} OozeGatherLoops;
OOZE_LOOPS_DECLARE(OozeGatherLoops, ooze_gather_loops);

OozeStatus ooze_gather(OozeGather *gather, OozeError *error);

#endif
