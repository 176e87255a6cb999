/* A surface built on the GPU. See surface/surface.c. */
#ifndef OOZE_CUDA_SURFACE_BUILD_CUH
#define OOZE_CUDA_SURFACE_BUILD_CUH

#include "cuda/surface/surface_blocks.cuh"

namespace ooze
{

/* As OozeSurfaceDevice.build, with memory of the GPU that the caller frees. timer may be NULL. */
OozeStatus surface_build(Gpu *gpu, const OozeFrame *frame, const OozeSurfaceSettings *settings,
                         OozeOwnedSurface *owned, bool *done, OozeStepTimer *timer,
                         OozeError *error);

} // namespace ooze

#endif
