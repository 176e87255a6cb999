/* Surface tension on the device: memory that outlives a step. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_SURFACE_TENSION_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_SURFACE_TENSION_CUH

#include "cuda/lists.cuh"

namespace ooze
{

/* Neighbours within the reach of the energy: see methods/conformation/cpu/surface_tension.h.
   Starts as zero. */
struct SurfaceLists {
    Grid grid;
    Lists near;
};
void surface_lists_free(Gpu *gpu, SurfaceLists *lists);

} // namespace ooze

#endif
