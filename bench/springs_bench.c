/* The springs method compared with the times of its paper: 10 frames a second of 1,000 particles,
   and 2 s a frame of 20,000, with marching cubes. A frame is one step of 1/30 s and a surface of eq
   13, in cells of half a spacing. Drops of fluid, and of clay with its springs, fall on a floor.

     springs_bench [threads] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "ooze/ooze.h"

static void require(OozeStatus status, const OozeError *error)
{
    if (status) {
        fprintf(stderr, "%s (%s)\n", error->message, error->hint);
        exit(1);
    }
}

/* Support of one metre, and the gravity derived from the paper; see docs/methods/springs.md. */
static OozeWorld *make_world(double particles, bool springs, int threads)
{
    OozeError error = {0};
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.method = "springs";
    def.spacing = 0.372;
    def.time_step = 1.0 / 30.0;
    def.gravity = (OozeVec3){0, -1.8, 0}; /* 0.002 supports in a unit, squared */
    def.threads = threads;
    require(ooze_world_create(&def, &world, &error), &error);
    OozeMaterialDef matter = ooze_material_def_default();
    OozeMaterialId id;
    require(ooze_material_def_set(&matter, "spring_stiffness", springs ? 0.3 : 0.0, &error),
            &error);
    require(ooze_world_add_material(world, &matter, &id, &error), &error);
    OozeSolidDef floor = ooze_solid_def_default();
    floor.friction = 0.5;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    require(ooze_world_add_solid(world, &floor, NULL, &error), &error);
    double radius = def.spacing * cbrt(particles * 3.0 / (4.0 * 3.14159265358979));
    int reach = (int)(radius / def.spacing) + 1;
    OozeVec3 *x = calloc((size_t)(8 * reach * reach * reach), sizeof *x);
    uint64_t n = 0;
    for (int k = 0; x && k < 8 * reach * reach * reach; k++) {
        int side = 2 * reach;
        double a = (k % side - reach + 0.5) * def.spacing;
        double b = (k / side % side - reach + 0.5) * def.spacing;
        double c = (k / side / side - reach + 0.5) * def.spacing;
        if (a * a + b * b + c * c < radius * radius) {
            x[n++] = (OozeVec3){a, b + radius + def.spacing, c};
        }
    }
    require(ooze_world_add_particles(world, id, n, x, NULL, &error), &error);
    free(x);
    return world;
}

static void measure(double particles, bool springs, int threads)
{
    enum { WARM = 30, FRAMES = 30 };
    OozeError error = {0};
    OozeWorld *world = make_world(particles, springs, threads);
    double steps = 0, surfaces = 0, min = INFINITY;
    for (int k = 0; k < WARM + FRAMES; k++) {
        double begin = ooze_clock();
        require(ooze_world_step(world, &error), &error);
        double middle = ooze_clock();
        OozeSurfaceSettings settings = ooze_surface_default();
        settings.method = OOZE_SURFACE_CLAVET;
        OozeSurface *surface = NULL;
        require(ooze_surface_build(ooze_world_frame(world), &settings, threads, &surface, &error),
                &error);
        ooze_surface_free(surface);
        double end = ooze_clock();
        if (k >= WARM) {
            steps += middle - begin;
            surfaces += end - middle;
            min = fmin(min, end - begin);
        }
    }
    double frame = (steps + surfaces) / FRAMES;
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    printf("%-6s %8llu %10.2f ms %10.2f ms %10.2f ms %10.2f ms %8.1f /s\n",
           springs ? "clay" : "fluid", (unsigned long long)stats.particles, 1e3 * steps / FRAMES,
           1e3 * surfaces / FRAMES, 1e3 * frame, 1e3 * min, 1.0 / frame);
    ooze_world_destroy(world);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    printf(
        "       particles          step        surface          frame   fastest frame   frames\n");
    for (int springs = 0; springs < 2; springs++) {
        measure(1000, springs, threads);
        measure(20000, springs, threads);
    }
    return 0;
}
