#include "surface/point.h"

#include <math.h>

#include "physics/surface_field.h"
#include "surface/walk.h"

/* Contribution of a particle at the offset d from its centre; `slope` is its derivative by q^2. */
static float kernel_value(const OozeCloud *cloud, const OozeSurfaceKernel *k, const float d[3],
                          float *slope)
{
    float q2 = (k->xx * d[0] + 2.0f * (k->xy * d[1] + k->xz * d[2])) * d[0] +
               (k->yy * d[1] + 2.0f * k->yz * d[2]) * d[1] + k->zz * d[2] * d[2];
    *slope = 0.0f;
    if (!(q2 < 1.0f)) {
        return 0.0f;
    }
    if (cloud->cones) {
        float q = sqrtf(q2), t = 1.0f - q;
        *slope = q > 0.0f ? -t / q : 0.0f;
        return t * t;
    }
    *slope = k->weight * ooze_surface_kernel_slope(q2);
    return k->weight * ooze_surface_kernel(q2);
}

static OozeCloudRows rows_around(const OozeCloud *cloud, const float point[3])
{
    float low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = point[a] - cloud->largest[a];
        high[a] = point[a] + cloud->largest[a];
    }
    return ooze_cloud_rows(cloud, low, high);
}

/* Sum of the kernels at a point, of the particles with a label, or of all where it is 0. */
static float sum_kernels(const OozeCloud *cloud, const float point[3], uint8_t label)
{
    const OozeFloat4 at = {point[0], point[1], point[2], 0.0f};
    float sum = 0.0f, slope;
    OozeGridRun run;
    OozeNear near;
    for (OozeCloudRows rows = rows_around(cloud, point); ooze_cloud_next(&rows, &run);) {
        while (run.begin < run.end) {
            ooze_near_select(cloud->x, &run.begin, run.end, at, cloud->reach2, &near);
            for (uint32_t e = 0; e < near.count; e++) {
                uint32_t i = near.index[e];
                if (label && cloud->label[i] != label) {
                    continue;
                }
                OozeSurfaceKernel own;
                const OozeSurfaceKernel *k = ooze_cloud_kernel(cloud, i, &own);
                const float d[3] = {point[0] - k->centre[0], point[1] - k->centre[1],
                                    point[2] - k->centre[2]};
                sum += kernel_value(cloud, k, d, &slope);
            }
        }
    }
    return sum;
}

float ooze_field_value_at(const OozeCloud *cloud, const float point[3])
{
    float sum = sum_kernels(cloud, point, 0);
    return cloud->cones ? sqrtf(sum) : sum;
}

void ooze_field_labels_at(const OozeCloud *cloud, const float point[3], uint8_t first,
                          uint8_t second, float values[2])
{
    values[0] = sum_kernels(cloud, point, first);
    values[1] = sum_kernels(cloud, point, second);
}

static void add_gradient(const OozeSurfaceKernel *k, const float d[3], float slope, float g[3])
{
    float s = 2.0f * slope;
    g[0] += s * (k->xx * d[0] + k->xy * d[1] + k->xz * d[2]);
    g[1] += s * (k->xy * d[0] + k->yy * d[1] + k->yz * d[2]);
    g[2] += s * (k->xz * d[0] + k->yz * d[1] + k->zz * d[2]);
}

void ooze_field_weights(const OozeCloud *cloud, const float point[3], OozePointWeights *parts)
{
    float sum = 0.0f, kept = 0.0f, slope, best = INFINITY;
    OozeGridRun run;
    *parts = (OozePointWeights){0};
    for (OozeCloudRows rows = rows_around(cloud, point); ooze_cloud_next(&rows, &run);) {
        for (uint32_t i = run.begin; i < run.end; i++) {
            OozeSurfaceKernel own;
            const OozeSurfaceKernel *k = ooze_cloud_kernel(cloud, i, &own);
            const float d[3] = {point[0] - k->centre[0], point[1] - k->centre[1],
                                point[2] - k->centre[2]};
            float part = kernel_value(cloud, k, d, &slope);
            float dx = point[0] - cloud->x[i].x, dy = point[1] - cloud->x[i].y;
            float dz = point[2] - cloud->x[i].z, r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < best) {
                best = r2;
                parts->nearest = i;
            }
            if (part > 0.0f) {
                sum += part;
                add_gradient(k, d, slope, parts->gradient);
                if (parts->count < OOZE_POINT_WEIGHTS_MAX) {
                    kept += part;
                    parts->particle[parts->count] = i;
                    parts->share[parts->count++] = part;
                }
            }
        }
    }
    parts->value = cloud->cones ? sqrtf(sum) : sum;
    for (int k = 0; k < parts->count; k++) {
        parts->share[k] /= kept;
    }
    if (parts->count == 0) {
        parts->count = 1;
        parts->particle[0] = parts->nearest;
        parts->share[0] = 1.0f;
    }
}

void ooze_point_weights(const OozeCloud *cloud, const float point[3], OozePointWeights *parts)
{
    const float reach = (float)(OOZE_SURFACE_ATTRIBUTES * cloud->spacing);
    const float inverse2 = 1.0f / (reach * reach);
    float low[3], high[3], sum = 0.0f, best = INFINITY;
    parts->count = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = point[a] - reach;
        high[a] = point[a] + reach;
    }
    OozeGridRun run;
    for (OozeCloudRows rows = ooze_cloud_rows(cloud, low, high); ooze_cloud_next(&rows, &run);) {
        for (uint32_t i = run.begin; i < run.end; i++) {
            float dx = point[0] - cloud->x[i].x, dy = point[1] - cloud->x[i].y;
            float dz = point[2] - cloud->x[i].z, r2 = dx * dx + dy * dy + dz * dz;
            float part = ooze_surface_kernel(r2 * inverse2);
            if (part > 0.0f && parts->count < OOZE_POINT_WEIGHTS_MAX) {
                parts->nearest = r2 < best ? i : parts->nearest;
                best = r2 < best ? r2 : best;
                sum += part;
                parts->particle[parts->count] = i;
                parts->share[parts->count++] = part;
            }
        }
    }
    for (int k = 0; k < parts->count; k++) {
        parts->share[k] /= sum;
    }
    if (parts->count == 0) {
        ooze_field_weights(cloud, point, parts);
    }
}
