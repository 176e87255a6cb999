#include "surface/point.h"

#include <math.h>

#include "surface/walk.h"

static OozeCloudRows rows_around(const OozeCloud *cloud, const float point[3])
{
    float low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = point[a] - cloud->largest[a];
        high[a] = point[a] + cloud->largest[a];
    }
    return ooze_cloud_rows(cloud, low, high);
}

/* Adds the kernels of selected particles, of those with a label, or of all where it is 0. */
static float add_near(const OozeCloud *cloud, const float point[3], uint8_t label,
                      const OozeNear *near, float sum)
{
    float slope;
    for (uint32_t e = 0; e < near->count; e++) {
        uint32_t i = near->index[e];
        if (label && cloud->label[i] != label) {
            continue;
        }
        OozeSurfaceKernel own;
        const OozeSurfaceKernel *k = ooze_cloud_kernel(cloud, i, &own);
        const float d[3] = {point[0] - k->centre[0], point[1] - k->centre[1],
                            point[2] - k->centre[2]};
        /* without a branch: many are just out of reach */
        sum += cloud->cones ? ooze_kernel_value(true, k, d, &slope)
                            : k->weight * ooze_surface_kernel(ooze_kernel_square(k, d));
    }
    return sum;
}

/* Sum of the kernels at a point, of the particles with a label, or of all where it is 0. */
static float sum_kernels(const OozeCloud *cloud, const float point[3], uint8_t label)
{
    const OozeFloat4 at = {point[0], point[1], point[2], 0.0f};
    float sum = 0.0f;
    OozeGridRun run;
    OozeNear near;
    near.count = 0;
    for (OozeCloudRows rows = rows_around(cloud, point); ooze_cloud_next(&rows, &run);) {
        while (run.begin < run.end) {
            ooze_near_select(cloud->x, &run.begin, run.end, at, cloud->reach2, &near);
            if (run.begin < run.end) {
                sum = add_near(cloud, point, label, &near, sum);
                near.count = 0;
            }
        }
    }
    return add_near(cloud, point, label, &near, sum);
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
            float part = ooze_kernel_value(cloud->cones, k, d, &slope);
            float dx = point[0] - cloud->x[i].x, dy = point[1] - cloud->x[i].y;
            float dz = point[2] - cloud->x[i].z, r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < best) {
                best = r2;
                parts->nearest = i;
            }
            if (part > 0.0f) {
                sum += part;
                ooze_kernel_add_gradient(k, d, slope, parts->gradient);
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
    OozeNear near;
    near.count = 0;
    const OozeFloat4 at = {point[0], point[1], point[2], 0.0f};
    for (OozeCloudRows rows = ooze_cloud_rows(cloud, low, high); ooze_cloud_next(&rows, &run);) {
        ooze_near_select(cloud->x, &run.begin, run.end, at, reach * reach, &near);
    }
    for (uint32_t e = 0; e < near.count && parts->count < OOZE_POINT_WEIGHTS_MAX; e++) {
        float r2 = near.r2[e], part = ooze_surface_kernel(r2 * inverse2);
        parts->nearest = r2 < best ? near.index[e] : parts->nearest;
        best = r2 < best ? r2 : best;
        sum += part;
        parts->particle[parts->count] = near.index[e];
        parts->share[parts->count++] = part;
    }
    parts->count = sum > 0.0f ? parts->count : 0;
    for (int k = 0; k < parts->count; k++) {
        parts->share[k] /= sum;
    }
    if (parts->count == 0) {
        ooze_field_weights(cloud, point, parts);
    }
}
