/* Quality of the surface of known bodies of fluid, by the settings of the arguments. The table of
   docs/surface.md is its output.

     surface_quality_bench [mesh_smoothing] [smoothing] [cell] */
#include <stdio.h>
#include <stdlib.h>

#include "unit/surface_measure.h"

static OozeSurfaceSettings settings;

static OozeSurface *build(const CloudFrame *cloud)
{
    OozeSurface *surface = NULL;
    OozeError error = {0};
    if (ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error)) {
        fprintf(stderr, "%s (%s)\n", error.message, error.hint);
        exit(1);
    }
    return surface;
}

static void print_roughness(const char *name, const OozeSurface *mesh, double volume,
                            const Roughness *r)
{
    printf("%-28s volume %+6.2f %%  offset %+.3f  distance %.4f  most %.3f  angle %5.2f deg  "
           "curvature %.3f\n",
           name, 100.0 * (mesh->volume / volume - 1.0), r->offset, r->distance, r->most, r->angle,
           r->curvature);
}

static void ball(void)
{
    const double half[3] = {8.0, 8.0, 8.0};
    CloudFrame *cloud = cloud_amorphous(true, half, 3);
    OozeSurface *mesh = build(cloud);
    Roughness r = measure_roughness(mesh, truth_ball, half);
    print_roughness("ball, radius 8", mesh, (double)cloud->frame.particle_count, &r);
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

static void pool(double jitter)
{
    const double half[3] = {9.0, 3.0, 9.0};
    CloudFrame *cloud = cloud_amorphous(false, half, 5);
    if (jitter > 0.0) {
        cloud_free(cloud);
        cloud = cloud_block(18, 6, 18, jitter, 5, 1.0);
        for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
            const double shift[3] = {8.5 + 0.13, 2.5 + 0.21, 8.5 + 0.37};
            for (uint64_t a = 0; a < 3; a++) {
                cloud->position[4 * i + a] -= (float)shift[a];
            }
        }
    }
    OozeSurface *mesh = build(cloud);
    Roughness r = measure_roughness(mesh, truth_top, half);
    char name[64];
    snprintf(name, sizeof name, jitter > 0.0 ? "pool, lattice off by %.2f" : "pool at rest",
             jitter);
    print_roughness(name, mesh, (double)cloud->frame.particle_count, &r);
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

/* The top of a slab sheared by 45 degrees, three spacings from its sides. */
static bool truth_slab(const void *context, const float p[3], double *distance, double normal[3],
                       double *curvature)
{
    const float straight[3] = {p[0] - p[1], p[1], p[2]};
    return truth_top(context, straight, distance, normal, curvature);
}

static void slab(void)
{
    const double half[3] = {12.0, 4.0, 12.0};
    CloudFrame *cloud = cloud_block(24, 8, 24, 0.1, 7, 1.0);
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        float *p = cloud->position + 4 * i;
        p[1] -= 3.5f + 0.21f;
        p[0] += p[1] - 11.5f - 0.13f;
        p[2] -= 11.5f + 0.37f;
    }
    OozeSurface *mesh = build(cloud);
    Roughness r = measure_roughness(mesh, truth_slab, half);
    print_roughness("slab sheared by 45 degrees", mesh, (double)cloud->frame.particle_count, &r);
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

/* How much the surface moves, relative to the body, from frame to frame: particles that shiver by 1
   % of a spacing, or the pool at rest carried through the grid by 0.13 spacings. */
static void flicker(bool carried)
{
    enum { SIDE = 24 };
    const double half[3] = {9.0, 3.0, 9.0};
    CloudFrame *cloud = cloud_amorphous(false, half, 5);
    double height[2][SIDE * SIDE], squares = 0.0, most = 0.0;
    for (int frame = 0; frame < 2; frame++) {
        double shift[3] = {0.13 * carried * frame, 0.11 * carried * frame, 0.07 * carried * frame};
        for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
            for (uint64_t a = 0; a < 3; a++) {
                double shiver = 0.01 * (2.0 * ooze_random01(9 + (uint64_t)frame, i, a) - 1.0);
                cloud->position[4 * i + a] += (float)(carried ? shift[a] : shiver);
            }
        }
        OozeSurface *mesh = build(cloud);
        for (int k = 0; k < SIDE * SIDE; k++) {
            height[frame][k] = mesh_height(mesh, 0.4 * (k % SIDE) - 4.8 + shift[0] + 1e-4,
                                           0.4 * (k / SIDE) - 4.8 + shift[2] + 1e-4) -
                               shift[1];
        }
        ooze_surface_free(mesh);
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        double move = fabs(height[1][k] - height[0][k]);
        squares += move * move;
        most = fmax(most, move);
    }
    printf("%-28s rms %.5f  most %.5f\n", carried ? "pool carried through grid" : "pool shivering",
           sqrt(squares / (SIDE * SIDE)), most);
    cloud_free(cloud);
}

static void connectivity(const char *name, const int n[3], bool sheet)
{
    printf("%-28s parts/euler/volume:", name);
    for (int k = 0; k < 6; k++) {
        double stretch = 1.0 + 0.2 * k;
        CloudFrame *cloud = cloud_stretched(n, stretch, sheet, 0.1);
        OozeSurface *mesh = build(cloud);
        printf("  %.1f: %llu/%lld/%.2f", stretch, (unsigned long long)mesh_components(mesh),
               (long long)mesh_euler(mesh), mesh->volume / (double)cloud->frame.particle_count);
        ooze_surface_free(mesh);
        cloud_free(cloud);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    settings = ooze_surface_default();
    settings.mesh_smoothing = argc > 1 ? atoi(argv[1]) : settings.mesh_smoothing;
    settings.smoothing = argc > 2 ? atof(argv[2]) : settings.smoothing;
    settings.cell = argc > 3 ? atof(argv[3]) : settings.cell;
    ball();
    pool(0.0);
    pool(0.15);
    pool(0.3);
    slab();
    flicker(false);
    flicker(true);
    connectivity("sheet of 1 layer", (const int[3]){30, 30, 1}, true);
    connectivity("sheet of 2 layers", (const int[3]){30, 30, 2}, true);
    connectivity("sheet of 3 layers", (const int[3]){30, 30, 3}, true);
    connectivity("thread of 1", (const int[3]){50, 1, 1}, false);
    connectivity("thread of 2 x 2", (const int[3]){50, 2, 2}, false);
    connectivity("thread of 3 x 3", (const int[3]){50, 3, 3}, false);
    return 0;
}
