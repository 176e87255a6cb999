/* For the parts of velocity_multigrid.cuh. */
#ifndef OOZE_SOLVERS_MULTIGRID_CUDA_VELOCITY_MULTIGRID_PARTS_CUH
#define OOZE_SOLVERS_MULTIGRID_CUDA_VELOCITY_MULTIGRID_PARTS_CUH

#include "cuda/velocity_multigrid.cuh"

namespace ooze
{

/* Buffers of a level, by what their sizes depend on. */
enum { VELOCITY_NODES, VELOCITY_ROWS, VELOCITY_FINE_NODES, VELOCITY_BUFFERS };

/* Cells of the first level and their links: velocity_multigrid_links.cu. */
void velocity_find_first(OozeHierarchy *h);
/* Vectors, columns of matrices, and weights between levels, without values:
   velocity_multigrid_rows.cu. */
void velocity_find_rows(Gpu *gpu, VelocityMultigrid *mg, int k);
void velocity_find_weights(Gpu *gpu, VelocityMultigrid *mg, int k);
/* Steps of the small level: velocity_multigrid_cycle.cu. */
void velocity_find_steps(VelocityMultigrid *mg);
/* Matrices of rows from those of elements. */
void velocity_fill_rows(Gpu *gpu, const VelocityLevel *level);
/* Inverses of the matrices of isolated elements and of the coarsest level:
   velocity_multigrid_dense.cu. */
void velocity_invert_isolated(Gpu *gpu, const VelocityLevel *level);
void velocity_invert_coarsest(Gpu *gpu, const VelocityLevel *level, double *dense);

} // namespace ooze

#endif
