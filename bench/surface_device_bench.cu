/* Time of a surface on the GPU, and of its parts: 64 balls of disordered particles with
   velocities, cells of half a spacing. Beside it the processor's, with the threads asked for.

     surface_device_bench [particles] [threads of the processor; 0: none] */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda/surface/surface_build.cuh"

extern "C" {
#include "base/hash.h"
#include "ooze/ooze.h"
}

static void stop(const OozeError &error)
{
    fprintf(stderr, "%s (%s)\n", error.message, error.hint);
    exit(1);
}

enum { BALLS = 4 }; /* along each axis */

static void add_ball(double radius, const double centre[3], std::vector<float4> *points)
{
    const int edge = (int)radius + 1;
    for (int z = -edge; z <= edge; z++) {
        for (int y = -edge; y <= edge; y++) {
            for (int x = -edge; x <= edge; x++) {
                const uint64_t i = points->size();
                double at[3] = {(double)x, (double)y, (double)z};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) {
                    continue;
                }
                for (int a = 0; a < 3; a++) {
                    at[a] += centre[a] + 0.4 * ooze_random01(1, i, (uint64_t)a) - 0.2;
                }
                points->push_back(make_float4((float)at[0], (float)at[1], (float)at[2], 0.0f));
            }
        }
    }
}

static std::vector<float4> make_points(double particles)
{
    std::vector<float4> points;
    const double radius = cbrt(particles / (BALLS * BALLS * BALLS) * 0.2387324);
    for (int k = 0; k < BALLS * BALLS * BALLS; k++) {
        const double apart = 2.0 * radius + 3.0;
        const double centre[3] = {apart * (k % BALLS), apart * (k / BALLS % BALLS),
                                  apart * (k / BALLS / BALLS)};
        add_ball(radius, centre, &points);
    }
    return points;
}

static void wait_for(void *gpu)
{
    ooze::gpu_wait(static_cast<ooze::Gpu *>(gpu));
}

/* Parts of one surface; the GPU is waited for after each. */
static void time_parts(const OozeFrame &frame, const OozeSurfaceSettings &settings)
{
    static ooze::Gpu gpu;
    OozeError error = {};
    for (int round = 0; round < 2; round++) {
        OozeOwnedSurface *owned =
            static_cast<OozeOwnedSurface *>(ooze_alloc_zero(1, sizeof(OozeOwnedSurface)));
        OozeStepTimer timer = ooze_step_timer();
        bool done = false;
        if (!owned || !ooze::gpu_create(&gpu)) {
            fprintf(stderr, "no GPU\n");
            exit(1);
        }
        timer.wait = wait_for;
        timer.engine = &gpu;
        if (ooze::surface_build(&gpu, &frame, &settings, owned, &done, &timer, &error)) {
            stop(error);
        }
        for (int k = 0; k < timer.part_count && round == 1; k++) {
            printf("  %-12s %9.1f ms, %llu calls\n", timer.parts[k].name,
                   1e3 * timer.parts[k].seconds, (unsigned long long)timer.parts[k].calls);
        }
        if (round == 1) {
            printf("  device memory %.0f bytes a particle\n",
                   (double)gpu.allocated / (double)frame.particle_count);
        }
        ooze::gpu_destroy(&gpu);
        ooze_surface_free(&owned->surface);
    }
}

/* Least of three, in wall-clock seconds. */
static double time_surface(const OozeFrame &frame, OozeSurfaceSettings settings, OozeDevice device,
                           int threads, OozeSurface **surface)
{
    double best = INFINITY;
    settings.device = device;
    for (int round = 0; round < 3; round++) {
        OozeError error = {};
        OozeStepTimer timer = ooze_step_timer();
        ooze_surface_free(*surface);
        double begin = ooze_timer_now(&timer);
        if (ooze_surface_build(&frame, &settings, threads, surface, &error)) {
            stop(error);
        }
        best = fmin(best, ooze_timer_now(&timer) - begin);
    }
    return best;
}

int main(int argc, char **argv)
{
    const std::vector<float4> points = make_points(argc > 1 ? atof(argv[1]) : 100e3);
    const int threads = argc > 2 ? atoi(argv[2]) : 1;
    const uint64_t n = points.size();
    const OozeFieldView fields[2] = {
        {"position", OOZE_FIELD_FLOAT32, 3, 4, "m", "", n, points.data(), nullptr},
        {"velocity", OOZE_FIELD_FLOAT32, 3, 4, "m/s", "", n, points.data(), nullptr}};
    OozeFrame frame = {};
    frame.spacing = 1.0;
    frame.particle_count = n;
    frame.field_count = 2;
    frame.fields = fields;
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.memory = (uint64_t)64 << 30;
    OozeSurface *gpu = nullptr, *cpu = nullptr;
    printf("%llu particles in %d balls\n", (unsigned long long)n, BALLS * BALLS * BALLS);
    time_parts(frame, settings);
    double seconds = time_surface(frame, settings, OOZE_DEVICE_CUDA, 0, &gpu);
    printf("  all          %9.1f ms, %llu triangles, area %.4g, volume %.5f of the particles'\n",
           1e3 * seconds, (unsigned long long)gpu->triangle_count, gpu->area,
           gpu->volume / (double)n);
    if (threads > 0) {
        seconds = time_surface(frame, settings, OOZE_DEVICE_CPU, threads, &cpu);
        printf("  processor    %9.1f ms with %d threads; triangles %s\n", 1e3 * seconds, threads,
               cpu->triangle_count == gpu->triangle_count ? "as many" : "of another number");
    }
    ooze_surface_free(cpu);
    ooze_surface_free(gpu);
    return 0;
}
