/* Speed of sorting, reordering and neighbour lists on a jittered block of particles.

     neighbours_bench [--n PARTICLES] [--threads T] [--radius R] [--repeat K] [--clock wall|cpu]

   R is the support radius in particle spacings (both 2.0 and 2.2 when not given). Before each timed
   round every particle moves a little at random, as it does from step to step. Prints the median
   and the fastest of K rounds. The cpu clock measures processor time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "particles/neighbours.h"
#include "particles/particles.h"

enum { ROUNDS_MAX = 99 };

typedef struct Options {
    uint64_t n; /* 0: the four standard sizes */
    int threads, repeat;
    double radius; /* 0: the two standard ones */
    bool cpu;
} Options;

typedef struct Times {
    double sort[ROUNDS_MAX], reorder[ROUNDS_MAX], list[ROUNDS_MAX];
} Times;

static void stop_on(OozeStatus status, const OozeError *error)
{
    if (status != OOZE_OK) {
        fprintf(stderr, "%s: %s (%s)\n", ooze_status_name(status), error->message, error->hint);
        exit(1);
    }
}

static double now(const Options *options)
{
    if (!options->cpu) {
        return ooze_clock();
    }
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times of all rounds but the first, which still allocates. */
static double median(double *times, int rounds)
{
    qsort(times + 1, (size_t)rounds - 1, sizeof *times, compare);
    return times[1 + (rounds - 1) / 2];
}

static void place(OozeFloat4 *points, uint64_t n)
{
    uint64_t side = (uint64_t)ceil(cbrt((double)n));
    for (uint64_t i = 0; i < n; i++) {
        double lattice[3] = {(double)(i % side), (double)(i / side % side),
                             (double)(i / (side * side))};
        float *p = &points[i].x;
        for (int k = 0; k < 3; k++) {
            p[k] = (float)(lattice[k] + 0.4 * (ooze_random01(1, i, (uint64_t)k) - 0.5));
        }
    }
}

static void move(OozeFloat4 *points, uint64_t n, int round)
{
    for (uint64_t i = 0; i < n; i++) {
        float *p = &points[i].x;
        for (uint64_t k = 0; k < 3; k++) {
            p[k] += (float)(0.04 * (ooze_random01(2 + (uint64_t)round, i, k) - 0.5));
        }
    }
}

static void run(uint64_t n, double radius, const Options *options, OozeThreads *threads)
{
    OozeError error = {0};
    OozeParticles *particles;
    OozeNeighbours lists = {0};
    OozeGrid *grid = ooze_grid_create();
    OozeArena *arena = ooze_arena_create();
    static Times times;
    stop_on(ooze_particles_create(&particles, &error), &error);
    stop_on(ooze_particles_add(particles, n, NULL, &error), &error);
    place(ooze_particles_positions(particles), n);
    int rounds = options->repeat + 1;
    for (int round = 0; round < rounds; round++) {
        move(ooze_particles_positions(particles), n, round);
        double start = now(options);
        stop_on(ooze_grid_sort(grid, threads, ooze_particles_positions(particles), n, radius, NULL,
                               &error),
                &error);
        double sorted = now(options);
        stop_on(ooze_particles_reorder(particles, threads, ooze_grid_order(grid), arena, &error),
                &error);
        double reordered = now(options);
        const OozeFloat4 *points = ooze_particles_positions(particles);
        stop_on(ooze_neighbours_build(&lists, grid, threads,
                                      &(OozeNeighbourQuery){points, n, points, radius, true},
                                      &error),
                &error);
        times.list[round] = now(options) - reordered;
        times.reorder[round] = reordered - sorted;
        times.sort[round] = sorted - start;
    }
    double scale = 1e9 / (double)n, cores = options->cpu ? 1 : ooze_threads_count(threads);
    double sort = median(times.sort, rounds), list = median(times.list, rounds);
    double reorder = median(times.reorder, rounds);
    printf("| %9llu | %4.1f | %10.1f | %5.1f / %5.1f | %5.1f | %6.1f / %6.1f | %5.2f / %5.2f | "
           "%5.0f | %4.0f | %4.0f |\n",
           (unsigned long long)n, radius, (double)lists.pairs / (double)n, sort * scale,
           times.sort[1] * scale, reorder * scale, list * scale, times.list[1] * scale,
           1e-6 * (double)n / (sort + list) / cores,
           1e-6 * (double)n / (times.sort[1] + times.list[1]) / cores,
           (double)ooze_neighbours_bytes(&lists) / (double)n,
           (double)ooze_grid_bytes(grid) / (double)n,
           (double)ooze_particles_bytes(particles) / (double)n);
    fflush(stdout);
    ooze_neighbours_free(&lists);
    ooze_grid_destroy(grid);
    ooze_arena_destroy(arena);
    ooze_particles_destroy(particles);
}

static Options read_options(int argc, char **argv)
{
    Options options = {.threads = 1, .repeat = 9};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--n") == 0 && strtoull(value, NULL, 10) > 0) {
            options.n = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--threads") == 0) {
            options.threads = atoi(value);
        } else if (strcmp(argv[i], "--radius") == 0 && strtod(value, NULL) > 0.0) {
            options.radius = strtod(value, NULL);
        } else if (strcmp(argv[i], "--repeat") == 0 && atoi(value) > 0 &&
                   atoi(value) < ROUNDS_MAX) {
            options.repeat = atoi(value);
        } else if (strcmp(argv[i], "--clock") == 0 &&
                   (strcmp(value, "cpu") == 0 || strcmp(value, "wall") == 0)) {
            options.cpu = value[0] == 'c';
        } else {
            fprintf(stderr, "usage: neighbours_bench [--n PARTICLES] [--threads T] [--radius R] "
                            "[--repeat K, at most 98] [--clock wall|cpu]\n");
            exit(2);
        }
    }
    return options;
}

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    OozeError error = {0};
    OozeThreads *threads;
    stop_on(ooze_threads_create(options.threads, &threads, &error), &error);
    printf("%d thread(s); %s time in ns per particle, median / fastest of %d rounds\n\n",
           ooze_threads_count(threads), options.cpu ? "processor" : "wall-clock", options.repeat);
    printf("| particles | h/dx | neighbours | sort          | reorder | lists          | "
           "million/s/core | list B | grid B | store B |\n");
    printf("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    const uint64_t sizes[] = {10000, 100000, 1000000, 4000000};
    const double radii[] = {2.0, 2.2};
    for (int r = 0; r < (options.radius > 0.0 ? 1 : 2); r++) {
        for (int s = 0; s < (options.n > 0 ? 1 : 4); s++) {
            run(options.n > 0 ? options.n : sizes[s],
                options.radius > 0.0 ? options.radius : radii[r], &options, threads);
        }
    }
    ooze_threads_destroy(threads);
    return 0;
}
