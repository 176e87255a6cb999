/* Multigrid preconditioner of pressure equations on the device: see
   solvers/multigrid/grid_multigrid.h. The grids and matrices are those of the processor, up to
   rounding. */
#ifndef OOZE_CUDA_GRID_MULTIGRID_CUH
#define OOZE_CUDA_GRID_MULTIGRID_CUH

#include "cuda/gpu.cuh"

extern "C" {
#include "solvers/multigrid/grid_multigrid_formula.h"
}

namespace ooze
{

/* See OozeMultigridLevel. Arrays with several numbers per node are ordered by these first: number s
   of node i is at s * nodes + i. */
struct MultigridLevel {
    OozeMultigridShape shape;
    uint32_t cells, nodes;
    uint64_t *cell;        /* numbers */
    uint32_t *child_first; /* cells + 1 */
    uint32_t *child;
    uint32_t *corner_node; /* 8 per cell, by cell */
    uint32_t *node_corner; /* 8 per cell, by node */
    uint32_t *parent;
    uint8_t *place;
    uint64_t *node;       /* numbers */
    uint32_t *node_first; /* nodes + 1 */
    uint32_t *fine_node;  /* 27; not in the first level */
    uint32_t *coarse_cell;
    uint8_t *coarse_place;
    uint32_t *run;      /* 9 */
    float *coefficient; /* 27 */
    uint32_t *across;   /* 9, or NULL */
    float *across_coefficient;
    float *inverse;
    float *b, *r, *x[2]; /* with four zeros behind them */
    float *elements;     /* 64 per cell; only during a build */
};

/* Memory that is kept from step to step. */
struct GridMultigrid {
    uint32_t n;
    OozeMultigridAxis axis[3]; /* of the first level */
    float inverse[3];
    float4 *into;       /* per particle, by cell */
    uint32_t *cell_of;  /* cell of each of them */
    float *corner_sums; /* 8 per cell of the first level */
    float *node_weight; /* P^T 1 of the first level, where it is singular */
    Sum1 *mean;         /* sum over the particles, where it is singular */
    double *dense;      /* inverse of the coarsest matrix; NULL: that is only smoothed */
    bool singular;
    int levels;
    MultigridLevel level[OOZE_MULTIGRID_LEVELS];
    MultigridLevel *device_level; /* their copy in device memory */
    DeviceBuffer particle_buffer, shared_buffer;
    /* of each level: numbers of cells, the rest of the cells, numbers of nodes, and the rest */
    DeviceBuffer buffer[OOZE_MULTIGRID_LEVELS][4];
    double dense_host[OOZE_MULTIGRID_DENSE * OOZE_MULTIGRID_DENSE];
};
void grid_multigrid_free(Gpu *gpu, GridMultigrid *mg);

/* See OozeGridMultigridInput; arrays of the device. */
struct GridMultigridInput {
    uint64_t n;
    const float4 *x;
    double spacing;
    const OozePeriodic *periodic; /* NULL: no axis is periodic */
    const float *stiffness;
    const float *mass;             /* NULL: no particle is coupled to pressure 0 */
    const uint8_t *held = nullptr; /* see OozeGridMultigridInput; with it it is not singular */
};
/* As ooze_grid_multigrid_place, _fill and _build. They use scratch memory, which is free again on
   return, and wait for the sizes of the levels and for the coarsest matrix. */
OozeStatus grid_multigrid_place(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                                OozeError *error);
OozeStatus grid_multigrid_fill(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                               OozeError *error);
OozeStatus grid_multigrid_build(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                                OozeError *error);

/* z += P V(P^T r), unless the flag *off is set; off may be NULL. Does not wait. */
void grid_multigrid_apply(Gpu *gpu, const GridMultigrid *mg, const float *r, float *z,
                          const int32_t *off);

/* x = V(b) on the nodes of the first grid. Does not wait. */
void grid_multigrid_cycle(Gpu *gpu, const GridMultigrid *mg, const float *b, float *x);

/* b of the first level: P^T r. */
void multigrid_restrict(Gpu *gpu, const GridMultigrid *mg, const float *r, const int32_t *off);

} // namespace ooze

#endif
