#include "device/surface_case.h"

#include <math.h>
#include <string.h>

#include "unit/surface_frame.h"

static CloudFrame *make_drops(double spacing)
{
    CloudFrame *cloud = cloud_create(400, spacing);
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t group = i / 5; /* groups of five, 100 spacings across */
        double at[3];
        for (uint64_t a = 0; a < 3; a++) {
            at[a] = 100.0 * ooze_random01(3, group, a) + 1.2 * ooze_random01(4, i, a);
        }
        cloud_add(cloud, at[0], at[1], i % 25 == 0 ? at[2] + 500.0 : at[2]);
    }
    return cloud;
}

/* More particles near a point than are listed at a time. */
static CloudFrame *make_clump(double spacing)
{
    enum { EDGE = 6, MORE = 6000 };
    CloudFrame *cloud = cloud_create(EDGE * EDGE * EDGE + MORE, spacing);
    for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
        cloud_add(cloud, i % EDGE, i / EDGE % EDGE + 0.3, i / EDGE / EDGE + 0.1);
    }
    for (uint64_t i = 0; i < MORE; i++) {
        cloud_add(cloud, ooze_random01(6, i, 0), ooze_random01(6, i, 1), ooze_random01(6, i, 2));
    }
    return cloud;
}

static CloudFrame *make_cloud(SurfaceShape shape, double spacing)
{
    CloudFrame *cloud = shape == SURFACE_DROPS   ? make_drops(spacing)
                        : shape == SURFACE_CLUMP ? make_clump(spacing)
                        : shape == SURFACE_SHEET ? cloud_block(24, 24, 1, 0.05, 5, spacing)
                                                 : cloud_block(18, 14, 12, 0.2, 9, spacing);
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        float *x = cloud->position + 4 * i;
        for (int a = 0; a < 3 && shape == SURFACE_SHEET; a++) {
            x[a] *= 1.4f;
        }
        cloud->velocity[4 * i] = sinf(x[1] / (float)spacing);
        cloud->velocity[4 * i + 2] = 2.0f;
        cloud->temperature[i] = 300.0f + x[0] / (float)spacing;
        cloud->material[i] = shape == SURFACE_LIQUIDS && x[0] > 9.0f * (float)spacing;
    }
    return cloud;
}

static double apart(const float *a, const float *b, uint64_t count, double scale)
{
    double most = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        most = difference <= most ? most : difference; /* also NaN */
    }
    return most / scale;
}

static bool equal(const float *a, const float *b, uint64_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static void compare(const OozeSurface *cpu, const OozeSurface *gpu, const OozeSurface *again,
                    double spacing, SurfaceDifference *found)
{
    uint64_t n = cpu->vertex_count;
    found->vertices = n;
    found->triangles = cpu->triangle_count;
    found->same_triangles =
        gpu->vertex_count == n && gpu->triangle_count == cpu->triangle_count &&
        memcmp(gpu->triangles, cpu->triangles, 12 * cpu->triangle_count) == 0 &&
        memcmp(gpu->materials, cpu->materials, 2 * n) == 0 &&
        memcmp(gpu->triangle_materials, cpu->triangle_materials, 2 * cpu->triangle_count) == 0;
    if (!found->same_triangles) {
        return;
    }
    found->repeated = again->vertex_count == n && equal(gpu->positions, again->positions, 3 * n) &&
                      equal(gpu->normals, again->normals, 3 * n) &&
                      equal(gpu->velocities, again->velocities, 3 * n) &&
                      equal(gpu->fields[0].values, again->fields[0].values, n) &&
                      gpu->volume == again->volume;
    found->same_bits = equal(gpu->positions, cpu->positions, 3 * n);
    found->position = apart(gpu->positions, cpu->positions, 3 * n, spacing);
    found->normal = apart(gpu->normals, cpu->normals, 3 * n, 1.0);
    found->velocity = apart(gpu->velocities, cpu->velocities, 3 * n, 2.0);
    found->temperature = apart(gpu->fields[0].values, cpu->fields[0].values, n, 300.0);
    found->volume = fabs(gpu->volume / cpu->volume - 1.0);
    found->area = fabs(gpu->area / cpu->area - 1.0);
}

SurfaceDifference compare_surfaces(SurfaceShape shape, OozeSurfaceSettings settings, double spacing)
{
    static const char *const names[] = {"temperature"};
    SurfaceDifference found = {0};
    CloudFrame *cloud = make_cloud(shape, spacing);
    OozeSurface *surface[3] = {NULL, NULL, NULL};
    settings.fields = names;
    settings.field_count = 1;
    for (int k = 0; k < 3 && !found.status; k++) {
        settings.device = k == 0 ? OOZE_DEVICE_CPU : OOZE_DEVICE_CUDA;
        found.status = ooze_surface_build(&cloud->frame, &settings, 2, &surface[k], &found.error);
    }
    if (!found.status) {
        compare(surface[0], surface[1], surface[2], spacing, &found);
    }
    for (int k = 0; k < 3; k++) {
        ooze_surface_free(surface[k]);
    }
    cloud_free(cloud);
    return found;
}
