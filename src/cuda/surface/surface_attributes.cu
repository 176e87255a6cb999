#include "cuda/surface/surface_attributes.cuh"

extern "C" {
#include "particles/field.h"
#include "surface/point.h"
}

namespace ooze
{

DeviceField surface_field(Gpu *gpu, const OozeFieldView *field, uint64_t n)
{
    const uint32_t components = (uint32_t)field->components;
    if (field->type == OOZE_FIELD_FLOAT32) {
        const uint64_t stride = (uint64_t)field->stride;
        float *data = scratch<float>(gpu, n * stride);
        copy_in(gpu, data, field->data, n * stride * sizeof *data);
        return {data, (uint32_t)stride, components};
    }
    float *values = static_cast<float *>(ooze_alloc(n * components, sizeof *values));
    float *data = scratch<float>(gpu, n * components);
    if (!values) {
        record_error(gpu, cudaErrorMemoryAllocation);
        return {nullptr, components, components};
    }
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t c = 0; c < components; c++) {
            values[i * components + c] = (float)ooze_field_value(field, i, (int)c);
        }
    }
    copy_in(gpu, data, values, n * components * sizeof *data);
    gpu_wait(gpu);
    ooze_free(values);
    return {data, components, components};
}

/* Three components are averaged at a time. */
enum { AT_ONCE = 3 };

struct Average {
    SurfaceView view;
    const uint32_t *order;
    const float *positions;
    DeviceField field;
    uint32_t first, count; /* components */
    float *values;

    __device__ void add(uint32_t j, float part, double sums[AT_ONCE]) const
    {
        const float *value = field.data + (uint64_t)order[j] * field.stride + first;
        for (uint32_t c = 0; c < AT_ONCE; c++) {
            sums[c] += c < count ? (double)part * (double)value[c] : 0.0;
        }
    }

    /* Far from all particles: by the kernels, or the nearest particle. */
    __device__ double add_far(float4 p, double sums[AT_ONCE]) const
    {
        double all = 0.0;
        float best = INFINITY;
        uint32_t nearest = 0;
        each_near(view, p, view.reach, [&](uint32_t j, float4 x) {
            OozeSurfaceKernel k = kernel_of(view, j, x);
            const float d[3] = {p.x - k.centre[0], p.y - k.centre[1], p.z - k.centre[2]};
            float slope, part = ooze_kernel_value(view.cones, &k, d, &slope);
            float r2 = square_apart(p, x);
            nearest = r2 < best ? j : nearest;
            best = r2 < best ? r2 : best;
            if (part > 0.0f) {
                all += (double)part;
                add(j, part, sums);
            }
        });
        if (all == 0.0) {
            all = 1.0;
            add(nearest, 1.0f, sums);
        }
        return all;
    }

    __device__ void operator()(uint32_t v) const
    {
        const float radius = (float)(OOZE_SURFACE_ATTRIBUTES * view.spacing);
        const float inverse2 = 1.0f / (radius * radius), *at = positions + 3 * (uint64_t)v;
        const float4 p = f32x4(at[0], at[1], at[2]);
        double sums[AT_ONCE] = {0.0, 0.0, 0.0}, all = 0.0;
        int parts = 0;
        each_near(view, p, radius, [&](uint32_t j, float4 x) {
            float part = ooze_surface_kernel(square_apart(p, x) * inverse2);
            if (part > 0.0f && parts < OOZE_POINT_WEIGHTS_MAX) {
                all += (double)part;
                parts++;
                add(j, part, sums);
            }
        });
        all = parts ? all : add_far(p, sums);
        float *to = values + (uint64_t)v * field.components + first;
        for (uint32_t c = 0; c < AT_ONCE; c++) {
            if (c < count) {
                to[c] = (float)(sums[c] / all);
            }
        }
    }
};

void surface_average(Gpu *gpu, const SurfaceCloud *cloud, const SurfaceMesh &mesh,
                     const DeviceField &field, float *values)
{
    for (uint32_t first = 0; first < field.components; first += AT_ONCE) {
        const uint32_t left = field.components - first;
        const Average average = {cloud->view,    cloud->grid.order,
                                 mesh.positions, field,
                                 first,          left < AT_ONCE ? left : (uint32_t)AT_ONCE,
                                 values};
        for_each(
            gpu, mesh.vertex_count, OOZE_BODY(uint32_t v) { average(v); });
    }
}

OOZE_DEVICE void field_normal(const SurfaceView &v, const float at[3], float normal[3])
{
    const float4 p = f32x4(at[0], at[1], at[2]);
    float gradient[3] = {0.0f, 0.0f, 0.0f};
    each_near(v, p, v.reach, [&](uint32_t j, float4 x) {
        OozeSurfaceKernel k = kernel_of(v, j, x);
        const float d[3] = {p.x - k.centre[0], p.y - k.centre[1], p.z - k.centre[2]};
        float slope;
        if (ooze_kernel_value(v.cones, &k, d, &slope) > 0.0f) {
            ooze_kernel_add_gradient(&k, d, slope, gradient);
        }
    });
    ooze_normal_of_gradient(gradient, normal);
}

void surface_field_normals(Gpu *gpu, const SurfaceCloud *cloud, const SurfaceMesh &mesh,
                           float *normals)
{
    const SurfaceView view = cloud->view;
    const float *positions = mesh.positions;
    for_each(
        gpu, mesh.vertex_count, OOZE_BODY(uint32_t v) {
            field_normal(view, positions + 3 * (uint64_t)v, normals + 3 * (uint64_t)v);
        });
}

} // namespace ooze
