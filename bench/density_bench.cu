/* Speed of the density stage on the device, on a jittered block of particles.

     density_bench [PARTICLES ...]

   Prints ms of sorting, lists and the two sweeps of an iteration, with a wait after each part;
   `iteration` is measured without waits, as in a step. */
#include <cstdio>
#include <cstdlib>

#include "cuda/density.cuh"

extern "C" {
#include "base/clock.h"
#include "base/hash.h"
#include "physics/lattice.h"
}

using namespace ooze;

enum { ROUNDS = 7, FEWER = 5, MORE = 25 }; /* iterations */
static const double spacing = 0.01, support = 0.022;

static void wait_for(void *gpu)
{
    gpu_wait(static_cast<Gpu *>(gpu));
}

static void stop_on(OozeStatus status, const OozeError *error)
{
    if (status != OOZE_OK) {
        fprintf(stderr, "%s: %s (%s)\n", ooze_status_name(status), error->message, error->hint);
        exit(1);
    }
}

struct Block {
    Engine engine;
    OozeStepContext context;
    OozeStepReport report;
    OozeStepTimer timer;
    DensityJob job;
    uint64_t n;
    float4 *start, *x, *shift, *drift;
    float *mobility, *density_target;
};

/* A lattice compressed by one per cent and jittered, and its previous positions. */
static void place(Block *b)
{
    Gpu *m = &b->engine.gpu;
    uint64_t side = (uint64_t)ceil(cbrt((double)b->n));
    float4 *start = b->start, *x = b->x;
    float *mobility = b->mobility, *density_target = b->density_target;
    float d = (float)(0.99 * spacing);
    for_each(
        m, b->n, OOZE_BODY(uint32_t i) {
            uint32_t random = i * 2654435761u, other = random * 40503u + 12345u;
            float a = (float)(random >> 16) * 0x1p-16f, c = (float)(other >> 16) * 0x1p-16f;
            float4 p = f32x4(d * ((float)(i % side) + 0.2f * a), d * (float)(i / side % side),
                             d * ((float)(i / (side * side)) + 0.2f * c));
            x[i] = p;
            start[i] = p - f32x4(0.1f * d * a, 0.05f * d, 0.1f * d * c);
            mobility[i] = density_target[i] = 1.0f;
        });
}

static double run(Block *b, int iterations, bool waits)
{
    Gpu *m = &b->engine.gpu;
    OozeError error;
    scratch_reset(m);
    b->start = scratch<float4>(m, b->n);
    b->x = scratch<float4>(m, b->n);
    b->shift = scratch<float4>(m, b->n);
    b->drift = scratch<float4>(m, b->n);
    b->mobility = scratch<float>(m, b->n);
    b->density_target = scratch<float>(m, b->n);
    place(b);
    b->timer = ooze_step_timer();
    b->timer.wait = waits ? wait_for : nullptr;
    b->timer.engine = m;
    b->job.iterations = iterations;
    b->job.start = b->start;
    b->job.drift = b->drift;
    b->job.mobility = b->mobility;
    b->job.density_target = b->density_target;
    gpu_wait(m);
    double begin = ooze_clock();
    ooze_timer_begin(&b->timer, "method");
    stop_on(density_solve(&b->engine, &b->job, b->x, b->shift, &error), &error);
    gpu_wait(m);
    return ooze_clock() - begin;
}

static double part(const Block *b, const char *name)
{
    double ms = 0.0;
    for (int k = 0; k < b->timer.part_count; k++) {
        const OozeStagePartTime *time = &b->timer.parts[k];
        if (strcmp(time->name, name) == 0 && time->calls > 0) {
            ms += 1e3 * time->seconds / (double)time->calls;
        }
    }
    return ms;
}

static void measure(uint64_t n)
{
    static Block b;
    memset(static_cast<void *>(&b), 0, sizeof b);
    b.n = n;
    Gpu *m = &b.engine.gpu;
    if (!gpu_create(m)) {
        fprintf(stderr, "no device\n");
        exit(1);
    }
    b.context.arena = ooze_arena_create();
    b.context.spacing = spacing;
    b.context.support = support;
    b.context.dt = 0.002;
    b.context.report = &b.report;
    b.context.timer = &b.timer;
    b.job.context = &b.context;
    b.job.n = n;
    b.job.support = (float)support;
    b.job.volume = (float)(1.0 / ooze_lattice_sum(spacing, support));
    b.job.tolerance = 0.0f;
    b.job.min_distance = (float)(0.8 * spacing);
    double few = INFINITY, many = INFINITY;
    for (int k = 0; k < ROUNDS; k++) {
        few = fmin(few, run(&b, FEWER, false));
        many = fmin(many, run(&b, MORE, false));
    }
    run(&b, MORE, true);
    printf("%10llu %10.1f %8.3f %8.3f %10.3f %10.3f %8.3f %10.4f %8.1f\n", (unsigned long long)n,
           (double)b.engine.near.pairs / (double)n, part(&b, "density_sort"),
           part(&b, "density_lists"), part(&b, "density_multipliers"),
           part(&b, "density_corrections"), part(&b, "drift"), 1e3 * (many - few) / (MORE - FEWER),
           (double)m->allocated / (double)n);
    grid_free(m, &b.engine.grid);
    lists_free(m, &b.engine.near);
    gpu_destroy(m);
    ooze_arena_destroy(b.context.arena);
}

int main(int argc, char **argv)
{
    printf("%10s %10s %8s %8s %10s %10s %8s %10s %8s\n", "particles", "neighbours", "sort", "lists",
           "multiply", "correct", "drift", "iteration", "bytes");
    if (argc < 2) {
        measure(15625);
        measure(1000000);
    }
    for (int k = 1; k < argc; k++) {
        measure(strtoull(argv[k], NULL, 10));
    }
    return 0;
}
