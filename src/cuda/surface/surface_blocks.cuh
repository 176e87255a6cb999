/* The sparse grid of a surface, and its triangles, on the GPU. See surface/blocks.h. */
#ifndef OOZE_CUDA_SURFACE_BLOCKS_CUH
#define OOZE_CUDA_SURFACE_BLOCKS_CUH

#include "cuda/surface/surface_cloud.cuh"

extern "C" {
#include "surface/march_formula.h"
}

namespace ooze
{

/* `set` has device addresses; its blocks are in ascending order of z, y, x. */
struct SurfaceBlocks {
    OozeBlocks set;
    DeviceBuffer key_buffer, value_buffer; /* of blocks with values, in the order of their values */
};

struct SurfaceMesh { /* device addresses */
    uint64_t vertex_count, triangle_count;
    float *positions;
    uint32_t *triangles;
};

/* Sets *fits to false, and builds nothing, where the grid needs more than the settings' memory. */
void surface_blocks_build(Gpu *gpu, const SurfaceCloud *cloud, const OozeSurfaceSettings *settings,
                          SurfaceBlocks *blocks, bool *fits, OozeStepTimer *timer);
void surface_blocks_free(Gpu *gpu, SurfaceBlocks *blocks);

/* Triangles in the order of the processor's. */
void surface_march(Gpu *gpu, const SurfaceCloud *cloud, SurfaceBlocks *blocks, SurfaceMesh *mesh,
                   bool *fits);

} // namespace ooze

#endif
