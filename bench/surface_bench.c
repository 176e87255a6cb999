/* Cost of the surface compared with that of simulating the frame: 100k particles, cells of half a
   spacing, against a step of the conformation method (mean of 8); then the cost of growing
   surfaces, which should be linear in their area. Run it from the repository's root.

     surface_bench [particles] [threads] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "ooze/ooze.h"

static void fail(const OozeError *error)
{
    fprintf(stderr, "%s (%s)\n", error->message, error->hint);
    exit(1);
}

/* Of all threads: other programs on the machine do not count. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The three cubes of Figure 4 of Barreiro et al. 2017, finer. */
static OozeWorld *make_world(int side, int threads)
{
    char spacing[64];
    snprintf(spacing, sizeof spacing, "spacing=0.3/%d", side);
    const char *overrides[] = {spacing};
    OozeError error = {0};
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = threads};
    if (ooze_scene_load("scenes/barreiro2017/blocks.yaml", overrides, 1, &scene, &error) ||
        ooze_scene_build(scene, &options, &world, &error)) {
        fail(&error);
    }
    ooze_scene_free(scene);
    return world;
}

/* Minimum of three. */
static double time_surface(const OozeFrame *frame, int threads, uint64_t *triangles, double *area)
{
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        OozeSurfaceSettings settings = ooze_surface_default();
        OozeSurface *surface = NULL;
        OozeError error = {0};
        double begin = processor_seconds();
        if (ooze_surface_build(frame, &settings, threads, &surface, &error)) {
            fail(&error);
        }
        best = fmin(best, processor_seconds() - begin);
        *triangles = surface->triangle_count;
        *area = surface->area / (frame->spacing * frame->spacing);
        ooze_surface_free(surface);
    }
    return best;
}

static void against_simulation(int side, int threads)
{
    enum { WARM = 2, STEPS = 8 };
    OozeError error = {0};
    OozeWorld *world = make_world(side, threads);
    double seconds = 0.0;
    for (int step = 0; step < WARM + STEPS; step++) {
        double begin = processor_seconds();
        if (ooze_world_step(world, &error)) {
            fail(&error);
        }
        seconds += step >= WARM ? processor_seconds() - begin : 0.0;
    }
    uint64_t triangles;
    double area;
    const OozeFrame *frame = ooze_world_frame(world);
    double surface = time_surface(frame, threads, &triangles, &area);
    double n = (double)frame->particle_count;
    printf("%.0f particles, cells of half a spacing\n"
           "  a step              %8.3f s of processor time\n"
           "  its surface         %8.3f s, %.2f of that\n"
           "  %.3g particles/s, %.3g triangles/s (%llu triangles)\n\n",
           n, seconds / STEPS, surface, surface * STEPS / seconds, n / surface,
           (double)triangles / surface, (unsigned long long)triangles);
    ooze_world_destroy(world);
}

/* Sheets three particles thick. */
static void against_area(int threads)
{
    printf("sheets three particles thick\n  particles       area  triangles   seconds  "
           "us per d^2  us per particle\n");
    for (int side = 64; side <= 256; side *= 2) {
        uint64_t n = (uint64_t)side * (uint64_t)side * 3;
        float *position = malloc(n * 4 * sizeof *position);
        if (!position) {
            exit(1);
        }
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at[3] = {i % (uint64_t)side, i / 3 / (uint64_t)side, i / (uint64_t)side % 3};
            for (uint64_t a = 0; a < 3; a++) {
                position[4 * i + a] = (float)((double)at[a] + 0.2 * ooze_random01(1, i, a));
            }
        }
        OozeFieldView field = {"position", OOZE_FIELD_FLOAT32, 3, 4, "m", "", n, position, NULL};
        OozeFrame frame = {.spacing = 1.0, .particle_count = n, .field_count = 1, .fields = &field};
        uint64_t triangles;
        double area, seconds = time_surface(&frame, threads, &triangles, &area);
        printf("  %9llu  %9.0f  %9llu  %8.3f  %10.2f  %15.2f\n", (unsigned long long)n, area,
               (unsigned long long)triangles, seconds, 1e6 * seconds / area,
               1e6 * seconds / (double)n);
        free(position);
    }
}

int main(int argc, char **argv)
{
    double particles = argc > 1 ? atof(argv[1]) : 100e3;
    int threads = argc > 2 ? atoi(argv[2]) : 0;
    against_simulation((int)lround(cbrt(particles / 3.0)), threads);
    against_area(threads);
    return 0;
}
