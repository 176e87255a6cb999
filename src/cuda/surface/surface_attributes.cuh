/* Particle fields at the vertices of a mesh, on the GPU. See surface/attributes.c. */
#ifndef OOZE_CUDA_SURFACE_ATTRIBUTES_CUH
#define OOZE_CUDA_SURFACE_ATTRIBUTES_CUH

#include "cuda/surface/surface_blocks.cuh"

namespace ooze
{

/* A field of the frame in device memory, in the order of the frame. */
struct DeviceField {
    const float *data;
    uint32_t stride, components;
};
/* Copies the field to scratch memory. `data` is NULL where memory is missing. */
DeviceField surface_field(Gpu *gpu, const OozeFieldView *field, uint64_t n);

/* Averages of a field over the particles near each vertex, weighted by their distance: `components`
   numbers per vertex. */
void surface_average(Gpu *gpu, const SurfaceCloud *cloud, const SurfaceMesh &mesh,
                     const DeviceField &field, float *values);
/* Normals by the gradient of the field. */
void surface_field_normals(Gpu *gpu, const SurfaceCloud *cloud, const SurfaceMesh &mesh,
                           float *normals);

} // namespace ooze

#endif
