/* Multigrid preconditioner of pressure equations on the device: see
   solvers/multigrid/grid_multigrid.h. The grids and matrices are those of the processor, up to
   rounding. */
#ifndef OOZE_CUDA_GRID_MULTIGRID_CUH
#define OOZE_CUDA_GRID_MULTIGRID_CUH

#include "solvers/multigrid/cuda/levels.cuh"

extern "C" {
#include "solvers/multigrid/grid_multigrid_rows.h"
}

namespace ooze
{

/* Captured by loops over a level. */
struct MultigridLevel : OozeMultigridLevel, OozePressureRows {
};

struct GridMultigridInput;

/* Memory that is kept from step to step. */
struct GridMultigrid : DeviceHierarchy {
    const GridMultigridInput *input; /* during a build */
    float *corner_sums;              /* 8 per cell of the first level */
    float *node_weight;              /* P^T 1 of the first level, where it is singular */
    Sum1 *mean;                      /* sum over the particles, where it is singular */
    double *dense;                   /* inverse of the coarsest matrix; NULL: it is only smoothed */
    bool singular;
    OozePressureRows rows[OOZE_MULTIGRID_LEVELS];
    MultigridLevel host_level[OOZE_MULTIGRID_LEVELS];
    MultigridLevel *device_level; /* their copy in device memory */
    DeviceBuffer shared_buffer, rows_buffer[OOZE_MULTIGRID_LEVELS];
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

/* Steps of the small level; once the levels are known. */
void multigrid_find_steps(GridMultigrid *mg);

/* b of the first level: P^T r. */
void multigrid_restrict(Gpu *gpu, const GridMultigrid *mg, const float *r, const int32_t *off);

} // namespace ooze

#endif
