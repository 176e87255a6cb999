/* Throughput of the conformation method on the paper's blocks (Figure 4, 10k particles, dt 1/240):
   particle-iterations per second beside what Table 1 of Barreiro et al. 2017 implies.

   A velocity iteration is one product of the operator (two gathers along all edges); a density
   iteration is one multiplier and one correction gather. The paper's iteration is one sweep of each of
   its two stages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ooze/ooze.h"

/* Blocks: 10k particles, 8 steps a frame, 20 iterations, 0.16 s a frame on its GPU, which its authors
   measured at 12 times their six-core processor. */
#define PAPER_GPU (10e3 * 8 * 20 / 0.16)
#define PAPER_CPU (PAPER_GPU / 12)

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fail(const OozeError *error)
{
    fprintf(stderr, "%s (%s)\n", error->message, error->hint);
    exit(1);
}

static OozeWorld *load(const char *path, int threads)
{
    OozeError error = {0};
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = threads};
    if (ooze_scene_load(path, NULL, 0, &scene, &error) ||
        ooze_scene_build(scene, &options, &world, &error)) {
        fail(&error);
    }
    ooze_scene_free(scene);
    return world;
}

int main(int argc, char **argv)
{
    enum { WARM = 30, ROUNDS = 9, STEPS = 8 };
    const char *path = argc > 1 ? argv[1] : "scenes/barreiro2017/blocks.yaml";
    int threads = argc > 2 ? atoi(argv[2]) : 0;
    OozeError error = {0};
    OozeWorld *world = load(path, threads);
    double velocity, passes, density, seconds[ROUNDS];
    if (ooze_world_get_param(world, "velocity_iterations", &velocity, &error) ||
        ooze_world_get_param(world, "passes", &passes, &error) ||
        ooze_world_get_param(world, "density_iterations", &density, &error)) {
        fail(&error);
    }
    for (int i = 0; i < WARM + ROUNDS * STEPS; i++) {
        double start = ooze_clock();
        if (ooze_world_step(world, &error)) {
            fail(&error);
        }
        int round = (i - WARM) / STEPS;
        if (i >= WARM) {
            seconds[round] = (i - WARM) % STEPS ? seconds[round] : 0.0;
            seconds[round] += ooze_clock() - start;
        }
    }
    qsort(seconds, ROUNDS, sizeof seconds[0], compare);
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    double n = (double)stats.particles, step = seconds[ROUNDS / 2] / STEPS;
    double iterations = velocity * passes + density;
    double rate = n * iterations / step;
    printf("%s: %.0f particles, %d threads, median of %d rounds of %d steps\n", path, n,
           stats.threads, ROUNDS, STEPS);
    printf("  %.0f velocity iterations in %.0f passes at most, and %.0f of density, a step\n",
           velocity * passes, passes, density);
    printf("  %.2f ms a step, %.0f ns per particle and iteration\n", 1e3 * step,
           1e9 * step * stats.threads / (n * iterations));
    printf("  %.2f million particle-iterations/s, %.2f per thread; the paper implies %.2f on six "
           "cores, %.1f on its GPU\n",
           1e-6 * rate, 1e-6 * rate / stats.threads, 1e-6 * PAPER_CPU, 1e-6 * PAPER_GPU);
    printf("  %.0f bytes held per particle, %.1f neighbours\n", (double)stats.memory_bytes / n,
           (double)stats.neighbour_pairs / n);
    ooze_world_destroy(world);
    return 0;
}
