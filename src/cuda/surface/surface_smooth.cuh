/* Smoothing, normals and measures of a mesh on the GPU. See surface/smooth.c. */
#ifndef OOZE_CUDA_SURFACE_SMOOTH_CUH
#define OOZE_CUDA_SURFACE_SMOOTH_CUH

#include "cuda/surface/surface_blocks.cuh"

extern "C" {
#include "surface/smooth_formula.h"
}

namespace ooze
{

/* Adjacency in the order of the processor's, in scratch. */
OozeRings surface_rings(Gpu *gpu, const SurfaceMesh &mesh);
void surface_smooth(Gpu *gpu, const SurfaceMesh &mesh, const OozeRings &rings, int passes,
                    double spacing);
/* Unit normals, 3 per vertex. */
void surface_normals(Gpu *gpu, const SurfaceMesh &mesh, const OozeRings &rings, double spacing,
                     float *normals);
/* Waits. */
void surface_measure(Gpu *gpu, const SurfaceMesh &mesh, double *volume, double *area);

} // namespace ooze

#endif
