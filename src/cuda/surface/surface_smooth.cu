#include "cuda/surface/surface_smooth.cuh"

#include "cuda/sort.cuh"

namespace ooze
{

OozeRings surface_rings(Gpu *gpu, const SurfaceMesh &mesh)
{
    const uint64_t n = mesh.vertex_count, corners = 3 * mesh.triangle_count;
    const uint32_t *triangles = mesh.triangles;
    uint64_t *first = scratch<uint64_t>(gpu, n);
    uint32_t *to = scratch<uint32_t>(gpu, corners), *third = scratch<uint32_t>(gpu, corners);
    Mark mark = scratch_mark(gpu);
    uint32_t *count = scratch<uint32_t>(gpu, n), *corner = scratch<uint32_t>(gpu, corners);
    clear(gpu, count, (n + 1) * sizeof *count);
    for_each(
        gpu, corners, OOZE_BODY(uint32_t k) { atomicAdd(&count[triangles[k]], 1u); });
    running_sum(gpu, count, first, n);
    clear(gpu, count, (n + 1) * sizeof *count);
    for_each(
        gpu, corners, OOZE_BODY(uint32_t k) {
            const uint32_t v = triangles[k];
            corner[first[v] + atomicAdd(&count[v], 1u)] = k;
        });
    /* Ascending, whatever the order of the additions was. */
    for_each(
        gpu, n, OOZE_BODY(uint32_t v) {
            const uint64_t begin = first[v], end = first[v + 1];
            for (uint64_t k = begin; k < end; k++) {
                const uint32_t own = corner[k];
                uint64_t at = k;
                for (; at > begin && corner[at - 1] > own; at--) {
                    corner[at] = corner[at - 1];
                }
                corner[at] = own;
            }
            for (uint64_t k = begin; k < end; k++) {
                const uint32_t c = corner[k], t = c / 3 * 3;
                to[k] = triangles[t + (c + 1) % 3];
                third[k] = triangles[t + (c + 2) % 3];
            }
        });
    scratch_rewind(gpu, mark);
    return {first, to, third};
}

/* ---- filters ---- */

struct Filter {
    OozeRings rings;
    uint64_t count;
    float likeness;
};

/* The result is in `values`. */
static void low_pass(Gpu *gpu, const Filter &filter, float *values, float *other, int width,
                     int passes)
{
    for (int pass = 0; pass < passes; pass++) {
        const OozeLowPass job = {filter.rings, pass % 2 ? other : values, pass % 2 ? values : other,
                                 0, filter.likeness};
        if (width == 3) {
            for_each(
                gpu, filter.count, OOZE_BODY(uint32_t v) { ooze_low_pass_vector(&job, v); });
        } else {
            for_each(
                gpu, filter.count, OOZE_BODY(uint32_t v) { ooze_low_pass_number(&job, v); });
        }
    }
    if (passes % 2) {
        copy(gpu, values, other, filter.count * (uint64_t)width * sizeof *values);
    }
}

static void find_normals(Gpu *gpu, const SurfaceMesh &mesh, const OozeRings &of, double spacing,
                         float *normals)
{
    const OozeRings rings = of;
    const float *positions = mesh.positions, scale = (float)(1.0 / spacing);
    for_each(
        gpu, mesh.vertex_count, OOZE_BODY(uint32_t v) {
            ooze_vertex_normal(positions, &rings, scale, v, normals + 3 * (uint64_t)v);
        });
}

void surface_normals(Gpu *gpu, const SurfaceMesh &mesh, const OozeRings &rings, double spacing,
                     float *normals)
{
    Mark mark = scratch_mark(gpu);
    const Filter filter = {rings, mesh.vertex_count, 0.0f};
    float *other = scratch<float>(gpu, 3 * mesh.vertex_count);
    find_normals(gpu, mesh, rings, spacing, normals);
    low_pass(gpu, filter, normals, other, 3, OOZE_SMOOTH_NORMAL_PASSES);
    for_each(
        gpu, mesh.vertex_count,
        OOZE_BODY(uint32_t v) { ooze_scale_to_unit(normals + 3 * (uint64_t)v); });
    scratch_rewind(gpu, mark);
}

/* ---- measures ---- */

void surface_measure(Gpu *gpu, const SurfaceMesh &mesh, double *volume, double *area)
{
    const float *positions = mesh.positions;
    const uint32_t *triangles = mesh.triangles;
    const Sum3 none = {0.0, 0.0, 0.0};
    Sum3 sums = sum_to_host(
        gpu, mesh.triangle_count, none, OOZE_BODY(uint32_t t) {
            double found[2] = {0.0, 0.0};
            ooze_measure_triangle(positions, triangles + 3 * (uint64_t)t, found);
            Sum3 one = {found[0], found[1], 0.0};
            return one;
        });
    *volume = sums.a / 6.0;
    *area = sums.b / 2.0;
}

/* ---- smoothing ---- */

struct Displacements {
    float *x, *shift, *normals, *amount;
};

/* Displacements along the normals: the filter's, less their own low-pass part, within the limit. */
static void find_amounts(Gpu *gpu, Filter *filter, const Displacements &all, int passes,
                         double spacing, float *other)
{
    const Displacements d = all;
    const int plain = passes < OOZE_SMOOTH_PLAIN_PASSES ? passes : (int)OOZE_SMOOTH_PLAIN_PASSES;
    const float limit = OOZE_SMOOTH_DISPLACEMENT_MAX * (float)spacing;
    for_each(
        gpu, filter->count, OOZE_BODY(uint32_t v) {
            const uint64_t k = 3 * (uint64_t)v;
            d.amount[v] = ooze_smooth_distance(d.normals + k, d.shift + k, d.x + k);
        });
    low_pass(gpu, *filter, d.amount, other, 1, plain);
    filter->likeness = (float)(1.0 / (OOZE_SMOOTH_ALIKE * OOZE_SMOOTH_ALIKE * spacing * spacing));
    low_pass(gpu, *filter, d.amount, other, 1, passes - plain);
    for_each(
        gpu, filter->count, OOZE_BODY(uint32_t v) {
            const uint64_t k = 3 * (uint64_t)v;
            float far = ooze_smooth_distance(d.normals + k, d.shift + k, d.x + k);
            d.amount[v] = ooze_smooth_limit(far, d.amount[v], limit);
        });
    filter->likeness = 0.0f;
    low_pass(gpu, *filter, d.amount, other, 1, OOZE_SMOOTH_LAST_PASSES);
}

void surface_smooth(Gpu *gpu, const SurfaceMesh &mesh, const OozeRings &rings, int passes,
                    double spacing)
{
    const uint64_t n = mesh.vertex_count;
    double wanted, volume, area;
    Mark mark = scratch_mark(gpu);
    Filter filter = {rings, n, 0.0f};
    float *other = scratch<float>(gpu, 3 * n);
    const Displacements d = {mesh.positions, scratch<float>(gpu, 3 * n), scratch<float>(gpu, 3 * n),
                             scratch<float>(gpu, n)};
    surface_measure(gpu, mesh, &wanted, &area);
    find_normals(gpu, mesh, rings, spacing, d.normals);
    copy(gpu, d.shift, mesh.positions, 3 * n * sizeof(float));
    low_pass(gpu, filter, d.shift, other, 3, passes);
    find_amounts(gpu, &filter, d, passes, spacing, other);
    for_each(
        gpu, n, OOZE_BODY(uint32_t v) {
            for (uint64_t k = 3 * (uint64_t)v; k < 3 * (uint64_t)v + 3; k++) {
                d.x[k] += d.normals[k] * d.amount[v];
            }
        });
    surface_measure(gpu, mesh, &volume, &area);
    const float offset = area > 0.0 ? (float)((wanted - volume) / area) : 0.0f;
    for_each(
        gpu, n, OOZE_BODY(uint32_t v) {
            for (uint64_t k = 3 * (uint64_t)v; k < 3 * (uint64_t)v + 3; k++) {
                d.x[k] += offset * d.normals[k];
            }
        });
    scratch_rewind(gpu, mark);
}

} // namespace ooze
