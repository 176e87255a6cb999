/* Volume and area of a closed mesh. */
#include "surface/smooth_formula.h"

static void measure_range(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeSurfaceMesh *mesh = context;
    for (uint64_t t = begin; t < end; t++) {
        ooze_measure_triangle(mesh->positions, mesh->triangles + 3 * t, sums);
    }
}

OozeStatus ooze_mesh_measure(const OozeSurfaceMesh *mesh, OozeThreads *threads, double *volume,
                             double *area, OozeError *error)
{
    double sums[2] = {0.0, 0.0};
    OozeStatus status = ooze_parallel_sum(threads, mesh->triangle_count, 2, measure_range,
                                          (void *)(uintptr_t)mesh, sums, error);
    *volume = sums[0] / 6.0;
    *area = sums[1] / 2.0;
    return status;
}
