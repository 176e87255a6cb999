/* Speed of sorting, reordering and neighbour lists on the device, on a jittered block of particles
   over a floor of samples, and of downloading the particles.

     lists_bench [--n PARTICLES] [--radius R] [--repeat K] [--spread S]

   R is the support in spacings, 2.2 when not given. Before each round every particle moves a
   little, as it does from step to step. With --spread one particle in a thousand flies about in a
   box S times as wide: a large one takes the table of few cells. `bytes` are of device memory a
   particle, `most` the chunks kept of one. Prints the median of K rounds in ms; the first, which
   still allocates, is left out. */
#include <cstdio>
#include <cstdlib>

#include "cuda/store.cuh"

extern "C" {
#include "base/clock.h"
#include "base/hash.h"
}

using namespace ooze;

enum { ROUNDS_MAX = 99 };
enum Part { SORT, REORDER, LISTS, WALLS, DOWNLOAD, PART_COUNT };

struct Options {
    uint64_t n; /* 0: the standard sizes */
    int repeat;
    double radius, spread;
};

static void stop_on(OozeStatus answer, const OozeError *error)
{
    if (answer != OOZE_OK) {
        fprintf(stderr, "%s: %s (%s)\n", ooze_status_name(answer), error->message, error->hint);
        exit(1);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *static_cast<const double *>(a), y = *static_cast<const double *>(b);
    return (x > y) - (x < y);
}

static double median_ms(double *times, int rounds)
{
    qsort(times + 1, (size_t)rounds - 1, sizeof *times, compare);
    return 1e3 * times[1 + (rounds - 1) / 2];
}

/* Waits for the device. */
static double now(Gpu *m)
{
    gpu_wait(m);
    return ooze_clock();
}

static void place(OozeFloat4 *points, uint64_t n, double spread)
{
    uint64_t side = (uint64_t)ceil(cbrt((double)n));
    for (uint64_t i = 0; i < n; i++) {
        double x[3] = {(double)(i % side), (double)(i / side % side), (double)(i / (side * side))};
        float *p = &points[i].x;
        for (int k = 0; k < 3; k++) {
            double jitter = ooze_random01(1, i, (uint64_t)k);
            bool flies = spread > 1.0 && i % 1000 == 7;
            p[k] = (float)(flies ? spread * (double)side * jitter : x[k] + 0.4 * (jitter - 0.5));
        }
    }
}

/* With fields as in the conformation method: 106 bytes per particle. */
static OozeParticles *make_particles(uint64_t n, double spread)
{
    static const OozeFieldInfo rows[] = {
        {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true, ""},
        {"velocity_change", OOZE_FIELD_FLOAT32, 3, 3, "", 0.0, true, ""},
        {"push", OOZE_FIELD_FLOAT32, 3, 3, "", 0.0, true, ""},
        {"expansion", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, ""},
        {"relief_progress", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, ""},
    };
    OozeParticles *particles = nullptr;
    OozeError error;
    int field;
    stop_on(ooze_particles_create(&particles, &error), &error);
    for (const OozeFieldInfo &row : rows) {
        stop_on(ooze_particles_add_field(particles, &row, &field, &error), &error);
    }
    stop_on(ooze_particles_add(particles, n, nullptr, &error), &error);
    place(ooze_particles_positions(particles), n, spread);
    return particles;
}

static void move(Gpu *m, float4 *x, uint64_t n, uint32_t round)
{
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            uint32_t mixed = (i * 2654435761u + round) * 2246822519u;
            mixed ^= mixed >> 15;
            float4 p = x[i];
            p.x += 1e-4f * (float)(mixed & 255u) - 0.0128f;
            p.y += 1e-4f * (float)(mixed >> 8 & 255u) - 0.0128f;
            p.z += 1e-4f * (float)(mixed >> 16 & 255u) - 0.0128f;
            x[i] = p;
        });
}

struct Scene {
    Gpu gpu;
    Store store;
    Grid grid, floor_grid;
    Lists lists, walls;
    float4 *samples; /* a floor under the block, two to a spacing */
    uint64_t sample_count;
    OozeParticles *particles;
    double radius;
};

static void make_floor(Scene *s, uint64_t n)
{
    Gpu *m = &s->gpu;
    OozeError error;
    uint32_t side = 2 * (uint32_t)ceil(cbrt((double)n));
    s->sample_count = (uint64_t)side * side;
    float4 *samples = scratch<float4>(m, s->sample_count);
    for_each(
        m, s->sample_count, OOZE_BODY(uint32_t k) {
            samples[k] = f32x4(0.5f * (float)(k % side), 0.5f * (float)(k / side), -0.5f);
        });
    stop_on(grid_sort(m, &s->floor_grid, samples, s->sample_count, s->radius, nullptr, &error),
            &error);
    s->samples = scratch<float4>(m, s->sample_count);
    reorder(m, s->floor_grid.order, s->sample_count, samples, s->samples, sizeof(float4));
}

static void run_round(Scene *s, int round, double times[PART_COUNT][ROUNDS_MAX])
{
    Gpu *m = &s->gpu;
    OozeError error;
    uint64_t n = s->store.n;
    move(m, store_positions(&s->store), n, (uint32_t)round);
    double clock[PART_COUNT + 1];
    clock[SORT] = now(m);
    stop_on(grid_sort(m, &s->grid, store_positions(&s->store), n, s->radius, nullptr, &error),
            &error);
    clock[REORDER] = now(m);
    stop_on(store_reorder(m, &s->store, s->grid.order, &error), &error);
    clock[LISTS] = now(m);
    const float4 *x = store_positions(&s->store);
    stop_on(lists_build(m, &s->lists, &s->grid, {x, n, x, s->radius, true}, &error), &error);
    clock[WALLS] = now(m);
    stop_on(lists_build(m, &s->walls, &s->floor_grid, {x, n, s->samples, s->radius, false}, &error),
            &error);
    clock[DOWNLOAD] = now(m);
    stop_on(store_download(m, &s->store, s->particles, &error), &error);
    clock[PART_COUNT] = now(m);
    for (int part = 0; part < PART_COUNT; part++) {
        times[part][round] = clock[part + 1] - clock[part];
    }
}

static void run_size(const Options *options, uint64_t n)
{
    static double times[PART_COUNT][ROUNDS_MAX];
    Scene *s = static_cast<Scene *>(calloc(1, sizeof(Scene)));
    OozeError error;
    if (!s || !gpu_create(&s->gpu)) {
        fprintf(stderr, "no device\n");
        exit(1);
    }
    s->radius = options->radius;
    s->particles = make_particles(n, options->spread);
    stop_on(store_upload(&s->gpu, &s->store, s->particles, &error), &error);
    make_floor(s, n);
    for (int round = 0; round < options->repeat; round++) {
        run_round(s, round, times);
    }
    double ms[PART_COUNT];
    for (int part = 0; part < PART_COUNT; part++) {
        ms[part] = median_ms(times[part], options->repeat);
    }
    printf("%10llu %6.1f %5.2f %6.1f %4u %6s | %8.3f %8.3f %8.3f %8.3f | %8.3f %6.1f\n",
           (unsigned long long)n, (double)s->lists.pairs / (double)n,
           (double)s->lists.stored / (double)s->lists.pairs, (double)s->gpu.allocated / (double)n,
           s->lists.chunks, s->grid.cells.sparse ? "few" : "all", ms[SORT], ms[REORDER], ms[LISTS],
           ms[WALLS], ms[DOWNLOAD], 114e-6 * (double)n / ms[DOWNLOAD]);
    lists_free(&s->gpu, &s->lists);
    lists_free(&s->gpu, &s->walls);
    grid_free(&s->gpu, &s->grid);
    grid_free(&s->gpu, &s->floor_grid);
    store_free(&s->gpu, &s->store);
    gpu_destroy(&s->gpu);
    ooze_particles_destroy(s->particles);
    free(s);
}

int main(int count, char **words)
{
    Options options = {0, 21, 2.2, 1.0};
    for (int k = 1; k + 1 < count; k += 2) {
        double value = strtod(words[k + 1], nullptr);
        if (strcmp(words[k], "--n") == 0) {
            options.n = (uint64_t)value;
        } else if (strcmp(words[k], "--radius") == 0) {
            options.radius = value;
        } else if (strcmp(words[k], "--repeat") == 0) {
            options.repeat = value < 3.0 ? 3 : value > ROUNDS_MAX ? ROUNDS_MAX : (int)value;
        } else if (strcmp(words[k], "--spread") == 0) {
            options.spread = value;
        }
    }
    printf("%10s %6s %5s %6s %4s %6s | %8s %8s %8s %8s | %8s %6s\n", "n", "near", "fill", "bytes",
           "most", "cells", "sort", "reorder", "lists", "walls", "download", "GB/s");
    const uint64_t sizes[] = {15625, 97336, 1000000, 12000000};
    for (uint64_t n : sizes) {
        if (options.n == 0) {
            run_size(&options, n);
        }
    }
    if (options.n > 0) {
        run_size(&options, options.n);
    }
    return 0;
}
