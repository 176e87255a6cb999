/* The particles of a frame on the GPU: sorted in cells, with the kernels of those near the surface.
   See surface/cloud.h. */
#ifndef OOZE_CUDA_SURFACE_CLOUD_CUH
#define OOZE_CUDA_SURFACE_CLOUD_CUH

#include "cuda/lists.cuh"

extern "C" {
#include "surface/attributes.h"
#include "surface/kernel_formula.h"
}

namespace ooze
{

/* Read by loops; passed by value. */
struct SurfaceView {
    Cells cells;
    const float4 *x; /* sorted */
    const float *fill;
    const uint32_t *slot;
    const OozeSurfaceKernel *kernels;
    OozeSurfaceKernel shared;
    double spacing;
    float width[3]; /* of a column of cells, m */
    float reach;    /* largest distance of a particle from the end of its kernel, m */
    float iso;
    bool cones;
};

struct SurfaceCloud {
    SurfaceView view;
    Grid grid;
    uint64_t n, kernel_count;
};

/* Sorts the positions of a frame, which are in device memory in its order. */
OozeStatus surface_cloud_open(Gpu *gpu, SurfaceCloud *cloud, const OozeFrame *frame,
                              const float4 *points, OozeError *error);
/* Fills view.fill, slot, kernels, reach. */
void surface_cloud_shape(Gpu *gpu, SurfaceCloud *cloud, const OozeSurfaceSettings *settings);

/* ---- particles near a point ---- */

template <bool SPARSE, class Visit>
OOZE_DEVICE void each_near_in(const SurfaceView &v, float4 p, float radius, Visit visit)
{
    const Place x = place_on(v.cells.axis[0], p.x), y = place_on(v.cells.axis[1], p.y);
    const Place z = place_on(v.cells.axis[2], p.z);
    const int32_t rows = (int32_t)ceilf(radius / v.width[1]);
    const int32_t slabs = (int32_t)ceilf(radius / v.width[2]);
    const float square = radius * radius;
    OOZE_UNROLL(1)
    for (int32_t c = -slabs; c <= slabs; c++) {
        const int32_t slab = z.column + c;
        if (slab < 0 || slab >= v.cells.axis[2].count) {
            continue;
        }
        const float dz = (c > 0 ? (float)c - z.into : c < 0 ? z.into - (float)(c + 1) : 0.0f);
        OOZE_UNROLL(1)
        for (int32_t b = -rows; b <= rows; b++) {
            const int32_t row = y.column + b;
            const float dy = (b > 0 ? (float)b - y.into : b < 0 ? y.into - (float)(b + 1) : 0.0f);
            const float rest =
                square - dz * dz * v.width[2] * v.width[2] - dy * dy * v.width[1] * v.width[1];
            if (row >= 0 && row < v.cells.axis[1].count && rest >= 0.0f) {
                each_row_run<SPARSE, false>(v.cells, row, slab, x, sqrtf(rest) / v.width[0],
                                            [&](uint2 run) {
                                                for (uint32_t j = run.x; j < run.y; j++) {
                                                    visit(j, v.x[j]);
                                                }
                                            });
            }
        }
    }
}

/* Calls visit(j, x[j]) for all particles within a radius of a point, and some beyond, in ascending
   order. */
template <class Visit>
OOZE_DEVICE void each_near(const SurfaceView &v, float4 p, float radius, Visit visit)
{
    radius *= 1.0001f; /* by more than rounding */
    if (v.cells.sparse) {
        each_near_in<true>(v, p, radius, visit);
    } else {
        each_near_in<false>(v, p, radius, visit);
    }
}

OOZE_DEVICE float square_apart(float4 a, float4 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

/* The kernel of particle j at x. */
OOZE_DEVICE OozeSurfaceKernel kernel_of(const SurfaceView &v, uint32_t j, float4 x)
{
    const uint32_t slot = v.slot[j];
    if (slot != OOZE_SURFACE_SHARED) {
        return v.kernels[slot];
    }
    OozeSurfaceKernel own = v.shared;
    own.centre[0] = x.x;
    own.centre[1] = x.y;
    own.centre[2] = x.z;
    return own;
}

/* The field at a point, without the root of the cone method. */
OOZE_DEVICE float field_sum(const SurfaceView &v, float4 p)
{
    float sum = 0.0f;
    each_near(v, p, v.reach, [&](uint32_t j, float4 x) {
        if (square_apart(p, x) < v.reach * v.reach) {
            OozeSurfaceKernel k = kernel_of(v, j, x);
            const float d[3] = {p.x - k.centre[0], p.y - k.centre[1], p.z - k.centre[2]};
            float slope;
            sum += ooze_kernel_value(v.cones, &k, d, &slope);
        }
    });
    return sum;
}
OOZE_DEVICE float field_at(const SurfaceView &v, float4 p)
{
    float sum = field_sum(v, p);
    return v.cones ? sqrtf(sum) : sum;
}

} // namespace ooze

#endif
