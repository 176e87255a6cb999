#include "cuda/surface/surface_cloud.cuh"

#include "cuda/sort.cuh"

namespace ooze
{

OozeStatus surface_cloud_open(Gpu *gpu, SurfaceCloud *cloud, const OozeFrame *frame,
                              const float4 *points, OozeError *error)
{
    SurfaceView *view = &cloud->view;
    const double cell = OOZE_SURFACE_NEIGHBOURHOOD * frame->spacing;
    cloud->n = frame->particle_count;
    OozeStatus result = grid_sort(gpu, &cloud->grid, points, cloud->n, cell, nullptr, error);
    if (result) {
        return result;
    }
    float4 *x = scratch<float4>(gpu, cloud->n);
    reorder(gpu, cloud->grid.order, cloud->n, points, x, sizeof *x);
    view->x = x;
    view->cells = cloud->grid.cells;
    view->spacing = frame->spacing;
    for (int a = 0; a < 3; a++) {
        view->width[a] = (float)(1.0 / view->cells.axis[a].inverse);
    }
    return status(gpu, cloud->n, error);
}

/* ---- filled fractions ---- */

OOZE_DEVICE float fill_of(const SurfaceView &v, uint32_t i)
{
    const float radius = (float)(OOZE_SURFACE_NEIGHBOURHOOD * v.spacing), inverse = 1.0f / radius;
    const float4 p = v.x[i];
    float sum = 0.0f;
    each_near(v, p, radius, [&](uint32_t, float4 x) {
        float q2 = square_apart(x, p) * (inverse * inverse);
        sum += ooze_max(1.0f - q2 * sqrtf(q2), 0.0f);
    });
    return sum * (float)(1.0 / OOZE_SURFACE_FULL);
}

/* Marks the particles near one whose kernel the surface may pass through. Several may mark the
   same. */
OOZE_DEVICE void mark_near(const SurfaceView &v, uint32_t i, uint32_t *near)
{
    const float radius = (float)(OOZE_SURFACE_NEAR * v.spacing);
    const float4 p = v.x[i];
    near[i] = 1;
    each_near(v, p, radius, [&](uint32_t j, float4 x) {
        if (square_apart(x, p) < radius * radius) {
            near[j] = 1;
        }
    });
}

/* Lists the particles that have kernels of their own, in order. */
static const uint32_t *number_kernels(Gpu *gpu, SurfaceCloud *cloud)
{
    const uint64_t n = cloud->n;
    const SurfaceView v = cloud->view;
    uint32_t *slot = scratch<uint32_t>(gpu, n), *near = scratch<uint32_t>(gpu, n);
    uint32_t *particle = scratch<uint32_t>(gpu, n);
    uint64_t *before = scratch<uint64_t>(gpu, n);
    clear(gpu, near, (n + 1) * sizeof *near);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            if (v.fill[i] < (float)OOZE_SURFACE_OUTER_FILL) {
                mark_near(v, i, near);
            }
        });
    running_sum(gpu, near, before, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            slot[i] = near[i] ? (uint32_t)before[i] : OOZE_SURFACE_SHARED;
            if (near[i]) {
                particle[before[i]] = i;
            }
        });
    copy_out(gpu, &cloud->kernel_count, before + n, sizeof cloud->kernel_count);
    cloud->view.slot = slot;
    return particle;
}

/* ---- kernels ---- */

OOZE_DEVICE OozeNeighbourhood neighbourhood_of(const SurfaceView &v, uint32_t i)
{
    const float radius = (float)(OOZE_SURFACE_NEIGHBOURHOOD * v.spacing), inverse = 1.0f / radius;
    const float scale = (float)(1.0 / v.spacing);
    const float4 p = v.x[i];
    OozeNeighbourSums sums = {};
    each_near(v, p, radius, [&](uint32_t, float4 x) {
        float r2 = square_apart(x, p);
        if (r2 < radius * radius) {
            const float d[3] = {(x.x - p.x) * scale, (x.y - p.y) * scale, (x.z - p.z) * scale};
            ooze_neighbour_add(&sums, d, ooze_surface_weight(sqrtf(r2) * inverse));
        }
    });
    return ooze_neighbour_mean(&sums);
}

/* Mean offset of the neighbours whose offsets are like that of particle i; those deep inside have
   none. */
OOZE_DEVICE void mean_offset(const SurfaceView &v, const OozeNeighbourhood *all, uint32_t i,
                             const float own[3], float mean[3])
{
    const float radius = (float)(OOZE_SURFACE_NEIGHBOURHOOD * v.spacing), inverse = 1.0f / radius;
    const float4 p = v.x[i];
    float sum = 0.0f;
    mean[0] = mean[1] = mean[2] = 0.0f;
    each_near(v, p, radius, [&](uint32_t j, float4 x) {
        float r2 = square_apart(x, p);
        if (r2 < radius * radius) {
            const uint32_t slot = v.slot[j];
            float other[3] = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < 3 && slot != OOZE_SURFACE_SHARED; k++) {
                other[k] = all[slot].offset[k];
            }
            float w = ooze_offset_weight(own, other, ooze_surface_weight(sqrtf(r2) * inverse));
            sum += w;
            mean[0] += w * other[0];
            mean[1] += w * other[1];
            mean[2] += w * other[2];
        }
    });
    for (int k = 0; k < 3; k++) {
        mean[k] /= sum;
    }
}

/* Returns how line-like the neighbourhood is. */
OOZE_DEVICE float shape_kernel(const SurfaceView &v, const OozeNeighbourhood *all, uint32_t s,
                               uint32_t i, float smoothing, bool stretched,
                               OozeSurfaceKernel *kernel)
{
    float shift[3] = {0.0f, 0.0f, 0.0f}, mean[3];
    const OozeNeighbourhood own = all[s];
    const OozeEigen3 eigen = ooze_neighbour_axes(&own);
    if (!v.cones && smoothing > 0.0f && ooze_is_across(&eigen)) {
        mean_offset(v, all, i, own.offset, mean);
        ooze_centre_shift(&eigen, own.offset, mean, smoothing, shift);
    }
    const float spacing = (float)v.spacing;
    *kernel = v.shared;
    kernel->centre[0] = v.x[i].x + shift[0] * spacing;
    kernel->centre[1] = v.x[i].y + shift[1] * spacing;
    kernel->centre[2] = v.x[i].z + shift[2] * spacing;
    if (stretched) {
        ooze_kernel_set_stretched(kernel, &eigen, v.fill[i], spacing);
    }
    return ooze_surface_line_likeness(eigen.values);
}

/* The largest reach of a kernel from its particle; no half axis is longer than that of the shared
   kernel. */
static float find_reach(Gpu *gpu, const SurfaceCloud *cloud, const uint32_t *particle)
{
    const SurfaceView v = cloud->view;
    const Max1 none = {0.0f};
    Max1 shift = sum_to_host(
        gpu, cloud->kernel_count, none, OOZE_BODY(uint32_t s) {
            const float *c = v.kernels[s].centre;
            Max1 one = {square_apart(f32x4(c[0], c[1], c[2]), v.x[particle[s]])};
            return one;
        });
    return (sqrtf(shift.a) + v.shared.extent[0]) * 1.0005f;
}

/* Raises the field at particles of thin fluid, see boost_range in surface/shape.c. `line` holds the
   likeness to a line, then the factors. */
static void boost_thin(Gpu *gpu, const SurfaceCloud *cloud, const uint32_t *particle,
                       OozeSurfaceKernel *kernels, float *line)
{
    const SurfaceView v = cloud->view;
    for_each(
        gpu, cloud->kernel_count, OOZE_BODY(uint32_t s) {
            float target = ooze_surface_thin_target(v.fill[particle[s]], line[s]);
            const float *at = v.kernels[s].centre;
            line[s] = target <= 0.0f
                          ? 1.0f
                          : ooze_thin_boost(target, field_sum(v, f32x4(at[0], at[1], at[2])));
        });
    for_each(
        gpu, cloud->kernel_count, OOZE_BODY(uint32_t s) { kernels[s].weight *= line[s]; });
}

static void make_kernels(Gpu *gpu, SurfaceCloud *cloud, const OozeSurfaceSettings *settings,
                         const uint32_t *particle)
{
    const uint64_t count = cloud->kernel_count;
    OozeSurfaceKernel *kernels = scratch<OozeSurfaceKernel>(gpu, count);
    Mark mark = scratch_mark(gpu);
    OozeNeighbourhood *all = scratch<OozeNeighbourhood>(gpu, count);
    float *line = scratch<float>(gpu, count);
    const float smoothing = (float)settings->smoothing;
    const bool stretched = settings->method == OOZE_SURFACE_ANISOTROPIC;
    cloud->view.kernels = kernels;
    const SurfaceView v = cloud->view;
    for_each(
        gpu, count, OOZE_BODY(uint32_t s) { all[s] = neighbourhood_of(v, particle[s]); });
    for_each(
        gpu, count, OOZE_BODY(uint32_t s) {
            line[s] = shape_kernel(v, all, s, particle[s], smoothing, stretched, &kernels[s]);
        });
    cloud->view.reach = find_reach(gpu, cloud, particle);
    if (stretched) {
        boost_thin(gpu, cloud, particle, kernels, line);
    }
    scratch_rewind(gpu, mark);
}

void surface_cloud_shape(Gpu *gpu, SurfaceCloud *cloud, const OozeSurfaceSettings *settings)
{
    SurfaceView *view = &cloud->view;
    float *fill = scratch<float>(gpu, cloud->n);
    view->cones = settings->method == OOZE_SURFACE_CLAVET;
    view->iso = (float)ooze_surface_level(settings->method);
    ooze_surface_shared_kernel(settings->method, view->spacing, &view->shared);
    const SurfaceView v = *view;
    for_each(
        gpu, cloud->n, OOZE_BODY(uint32_t i) { fill[i] = fill_of(v, i); });
    view->fill = fill;
    const uint32_t *particle = number_kernels(gpu, cloud);
    make_kernels(gpu, cloud, settings, particle);
}

} // namespace ooze
