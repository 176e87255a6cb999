/* Multigrid preconditioner of velocity equations on the device: see
   solvers/multigrid/velocity_multigrid.h. The grids and matrices are those of the processor, up
   to rounding. */
#ifndef OOZE_CUDA_VELOCITY_MULTIGRID_CUH
#define OOZE_CUDA_VELOCITY_MULTIGRID_CUH

#include "cuda/edges.cuh"
#include "solvers/multigrid/cuda/levels.cuh"

extern "C" {
#include "solvers/multigrid/velocity_multigrid_formula.h"
}

namespace ooze
{

/* Rows of a matrix are stored in slices of so many nodes, which all have as many columns as the
   longest row among them: number k of all nodes of a slice are neighbours in memory. */
enum { ROW_SLICE = 32 };

/* What the velocity has at the cells and nodes of a level: see OozeVelocityRows. */
struct VelocityRows {
    float *isolated_inverse; /* 24 x 24 for each isolated cell */
    uint32_t *fine_first, *fine_node;
    float *fine_weight;
    /* Matrix: column k of node i is at 32 (slice_first[i / 32] + k) + i % 32, and number e of its
       block, column by column, at 32 (9 (slice_first[i / 32] + k) + e) + i % 32. Rows end with
       blocks of zeros. */
    uint32_t *slice_first, *column;
    uint32_t *stencil; /* per node: bits of the places that it has, see find_stencil */
    float *block;
    OozeSym3 *inverse;
    float4 *b, *r, *x, *p[2];
    float *element; /* matrices of elements; only during a build */
};

/* Captured by loops over a level. */
struct VelocityLevel : OozeMultigridLevel, VelocityRows {
};

struct VelocityMultigridInput;

/* Memory that is kept from step to step. Starts as zero. */
struct VelocityMultigrid : DeviceHierarchy {
    uint64_t refused; /* number of particles that memory did not suffice for; 0: it did */
    const VelocityMultigridInput *input; /* during a build */
    float4 *corner_sums;                 /* 8 per element of the first level */
    double *dense; /* inverse of the coarsest matrix; NULL: that is only smoothed */
    VelocityRows rows[OOZE_MULTIGRID_LEVELS];
    VelocityLevel host_level[OOZE_MULTIGRID_LEVELS];
    VelocityLevel *device_level; /* their copy in device memory */
    DeviceBuffer shared_buffer;
    DeviceBuffer buffer[OOZE_MULTIGRID_LEVELS][3]; /* see velocity_multigrid_parts.cuh */
};
void velocity_multigrid_free(Gpu *gpu, VelocityMultigrid *mg);

/* Bytes of device memory that a step with these grids needs at most, per particle. */
enum { VELOCITY_MULTIGRID_BYTES = 2000 };

/* See OozeVelocityMultigridInput; arrays of the device. */
struct VelocityMultigridInput {
    uint64_t n;
    double spacing;
    OozePeriodic periodic;
    const float4 *x0; /* positions, as edges.cuh has them */
    ListView fluid;
    float inverse2, strain; /* of the edges of the lists: see edges.cuh */
    float link_weight;
    const float *mass;
    const OozeSym3 *stiffness;
    const float *bulk;
    const uint32_t *boundary_particle_of;
    const OozeVelocityBoundaryParticle *boundary_particle;
    uint32_t boundary_particle_count;
};
/* Use scratch memory, which is free again on return. Wait for the sizes of the levels. */
OozeStatus velocity_multigrid_build(Gpu *gpu, VelocityMultigrid *mg,
                                    const VelocityMultigridInput *input, OozeError *error);
OozeStatus velocity_multigrid_refill(Gpu *gpu, VelocityMultigrid *mg,
                                     const VelocityMultigridInput *input, OozeError *error);

/* Nodes of the first level: W(P^T r), unless the flag *off is set. Does not wait. */
void velocity_multigrid_apply(Gpu *gpu, const VelocityMultigrid *mg, const float4 *r,
                              const int32_t *off);

/* Captured by loops over the particles after that. */
struct VelocityProlongation {
    Axes axes;
    OozeMultigridShape shape;
    const uint32_t *element_of, *corner_node;
    const float4 *x;
};
VelocityProlongation velocity_prolongation(const VelocityMultigrid *mg);

/* Weights of the corners of a cell at a place in it. */
OOZE_DEVICE void corner_weights(float4 into, float w[8])
{
    const float at[3] = {into.x, into.y, into.z};
    ooze_velocity_weights(at, w);
}

/* P x at a particle. */
OOZE_DEVICE float4 prolong_to(const VelocityProlongation &v, uint32_t i, float4 at)
{
    const uint32_t *node = v.corner_node + 8 * (uint64_t)v.element_of[i];
    float4 into = f32x4(0, 0, 0), sum = into;
    float w[8];
    (void)cell_at(v.axes, v.shape, at, &into);
    corner_weights(into, w);
    for (int c = 0; c < 8; c++) {
        sum = sum + w[c] * v.x[node[c]];
    }
    return sum;
}

} // namespace ooze

#endif
