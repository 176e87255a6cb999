/* For the parts of velocity_multigrid.cuh. */
#ifndef OOZE_CUDA_VELOCITY_MULTIGRID_PARTS_CUH
#define OOZE_CUDA_VELOCITY_MULTIGRID_PARTS_CUH

#include "cuda/velocity_multigrid.cuh"

extern "C" {
#include "solvers/multigrid/velocity_multigrid_links_formula.h"
}

namespace ooze
{

/* Buffers of a level, by what their sizes depend on. */
enum {
    VELOCITY_ELEMENTS,
    VELOCITY_CHILDREN,
    VELOCITY_LINKS,
    VELOCITY_NODES,
    VELOCITY_ROWS,
    VELOCITY_FINE_NODES,
    VELOCITY_BUFFERS
};

/* first[k] = sum of count[0 .. k - 1], in place of n counts; first[n], and the result: their sum.
   Waits. */
uint32_t sum_counts(Gpu *gpu, uint32_t *first, uint64_t n);

/* Finds elements, nodes and their relations for all levels: velocity_multigrid_levels.cu. */
void velocity_find_levels(Gpu *gpu, VelocityMultigrid *mg, const VelocityMultigridInput *input);
/* Columns of matrices and weights between levels, without values: velocity_multigrid_rows.cu. */
void velocity_find_rows(Gpu *gpu, VelocityMultigrid *mg, int k);
void velocity_find_weights(Gpu *gpu, VelocityMultigrid *mg, int k,
                           const OozeMultigridChild *children);
/* Matrices of rows from those of elements. */
void velocity_fill_rows(Gpu *gpu, const VelocityLevel *level);
/* Inverses of the matrices of isolated elements and of the coarsest level:
   velocity_multigrid_dense.cu. */
void velocity_invert_isolated(Gpu *gpu, const VelocityLevel *level);
void velocity_invert_coarsest(Gpu *gpu, const VelocityLevel *level, double *dense);

} // namespace ooze

#endif
