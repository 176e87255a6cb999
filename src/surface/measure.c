/* Volume and area of a closed mesh. */
#include <math.h>

#include "surface/march.h"

/* Volume times 6 about the first vertex, and area times 2. */
static void measure_range(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeSurfaceMesh *mesh = context;
    const float *origin = mesh->positions;
    for (uint64_t t = begin; t < end; t++) {
        double p[3][3];
        for (int k = 0; k < 3; k++) {
            const float *x = mesh->positions + 3 * (uint64_t)mesh->triangles[3 * t + (uint64_t)k];
            for (int a = 0; a < 3; a++) {
                p[k][a] = (double)x[a] - (double)origin[a];
            }
        }
        double u[3], v[3];
        for (int a = 0; a < 3; a++) {
            u[a] = p[1][a] - p[0][a];
            v[a] = p[2][a] - p[0][a];
        }
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
        sums[0] += p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2];
        sums[1] += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
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
