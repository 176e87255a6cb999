/* The velocity solve of formulation `lodge`, with the diagonal preconditioner and with multigrid:
   iterations to residuals of 1e-3 and 1e-4, and the time of a solve to 1e-4, without a warm start.
   Flops and bytes are those of an iteration, per particle: of the operator, and of the matrices of
   the grids; memory is that of the world, in bytes per particle.

     velocity_solve_bench [threads, or cuda] [largest number of particles] [diagonal up to] [cases]

   With a fourth argument other bodies follow the blocks on a floor. On a GPU the time of the solve
   includes a wait after each of its parts; that of the whole step, the last number, does not. */
#include "base/clock.h"
#include "methods/conformation/cpu/step.h"
#include "output/frame_copy.h"
#include "solvers/multigrid/velocity_multigrid.h"
#include "velocity_cases.h"
#include "world/world.h"

static double seconds_of(const OozeWorldStats *stats, const char *part)
{
    double sum = 0.0;
    for (int k = 0; k < stats->part_count; k++) {
        if (!strcmp(stats->parts[k].name, part)) {
            sum += stats->parts[k].seconds;
        }
    }
    return sum;
}

/* Where steps are taken. */
typedef struct Place {
    OozeDevice device;
    int threads;
} Place;

enum { PARTS = 5 };
static const char *const parts[PARTS] = {"velocity_operator", "velocity_vectors",
                                         "multigrid_diagonal", "multigrid_build",
                                         "multigrid_cycle"};

/* Steps of a solve to a tolerance, all from the same state. */
typedef struct Solve {
    OozeWorldStats stats;
    double seconds[PARTS], step; /* s: parts, and the whole step */
    double blocks;               /* products of blocks in a cycle, per particle; 0: not known */
} Solve;

static Solve solve(const VelocityCase *c, int preconditioner, double tolerance, const Place *place)
{
    OozeError error = {0};
    OozeFrameCopy start = {0};
    Solve result = {.step = INFINITY};
    OozeWorld *world =
        velocity_world_on(c, preconditioner, tolerance, place->threads, place->device);
    velocity_require(ooze_frame_copy(&start, ooze_world_frame(world), NULL, &error), &error);
    for (int k = 0; k < 4; k++) { /* the first allocates memory; the last is measured by parts */
        velocity_require(ooze_world_restore(world, &start.frame, &error), &error);
        if (k == 3) {
            ooze_world_time_parts(world);
        }
        ooze_world_stats(world, &result.stats);
        for (int p = 0; p < PARTS; p++) {
            result.seconds[p] = -seconds_of(&result.stats, parts[p]);
        }
        double begin = ooze_clock();
        result.stats = velocity_step(world);
        double seconds = ooze_clock() - begin;
        result.step = k > 0 && seconds < result.step ? seconds : result.step;
        for (int p = 0; p < PARTS; p++) {
            result.seconds[p] += seconds_of(&result.stats, parts[p]);
        }
    }
    ooze_frame_copy_free(&start);
    if (place->device == OOZE_DEVICE_CPU) {
        const OozeConformationMemory *own = world->method_data;
        result.blocks = own->multigrid
                            ? (double)ooze_velocity_multigrid_block_products(own->multigrid) /
                                  (double)result.stats.particles
                            : 0.0;
    }
    ooze_world_destroy(world);
    return result;
}

static void measure(const VelocityCase *c, int preconditioner, const Place *place)
{
    const int rough = solve(c, preconditioner, 1e-3, place).stats.iterations;
    const Solve fine = solve(c, preconditioner, 1e-4, place);
    const OozeWorldStats stats = fine.stats;
    const double *seconds = fine.seconds, blocks = fine.blocks;
    double total = 0.0;
    for (int p = 0; p < PARTS; p++) {
        total += seconds[p];
    }
    double each = 1e9 / (double)stats.particles;
    double pairs = (double)stats.neighbour_pairs / (double)stats.particles;
    /* both gathers: differences, weights and twelve multiply-adds an edge; index and weight */
    double flops = 62.0 * pairs + 420.0 + 18.0 * blocks, bytes = 16.0 * pairs + 300.0;
    printf("%-24s %-9s %9llu %5d %5d %9.1f ms", c->name,
           preconditioner == VELOCITY_DIAGONAL ? "diagonal" : "multigrid",
           (unsigned long long)stats.particles, rough, stats.iterations, 1e3 * total);
    printf(" %6.0f ns %5.0f ns %5.0f ns %5.0f ns %6.0f %6.0f %6.0f %9.1f ms\n",
           seconds[0] * each / (stats.iterations + 1), seconds[2] * each, seconds[3] * each,
           seconds[4] * each / (stats.iterations + 1), flops, bytes + 40.0 * blocks,
           (double)(place->device == OOZE_DEVICE_CPU ? stats.memory_bytes : stats.device_bytes) /
               (double)stats.particles,
           1e3 * fine.step);
    fflush(stdout);
}

static void measure_both(const VelocityCase *c, const Place *place, double largest_mass)
{
    double count = 0.0;
    for (int k = 0; k < c->boxes; k++) {
        count += c->box[k].n[0] * c->box[k].n[1] * c->box[k].n[2];
    }
    if (count <= largest_mass) {
        measure(c, VELOCITY_DIAGONAL, place);
    }
    measure(c, VELOCITY_MULTIGRID, place);
}

static void measure_cases(const Place *place, double largest_mass)
{
    const VelocityCase cases[] = {
        velocity_block(22, false),
        {.name = "rope", .layers = 230, .boxes = 1, .box = {{.n = {8, 300, 8}}}},
        {.name = "rope on a floor",
         .layers = 230,
         .floor = true,
         .boxes = 1,
         .box = {{.n = {8, 300, 8}}}},
        {.name = "jitter 0.3, floor",
         .layers = 22,
         .floor = true,
         .jitter = 0.3,
         .boxes = 1,
         .box = {{.n = {22, 22, 22}}}},
        {.name = "jitter 0.3, free",
         .layers = 22,
         .jitter = 0.3,
         .boxes = 1,
         .box = {{.n = {22, 22, 22}}}},
        {.name = "stiff on soft, 1e4",
         .layers = 22,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {22, 22, 22}, .viscosity = 1e-4},
                 {.n = {22, 22, 22}, .corner = {11, 22, 7}}}},
        {.name = "soft on stiff, 1e4",
         .layers = 22,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {22, 22, 22}},
                 {.n = {22, 22, 22}, .corner = {11, 22, 7}, .viscosity = 1e-4}}},
        {.name = "thin under thick, 1e4",
         .layers = 22,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {22, 3, 22}, .viscosity = 1e-4}, {.n = {22, 19, 22}, .corner = {0, 3, 0}}}},
        {.name = "thin under thick, 1e6",
         .layers = 22,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {22, 3, 22}, .viscosity = 1e-6}, {.n = {22, 19, 22}, .corner = {0, 3, 0}}}},
        {.name = "crack of 2 d",
         .layers = 22,
         .boxes = 2,
         .box = {{.n = {22, 22, 22}}, {.n = {22, 22, 22}, .corner = {0, 23, 0}}}},
        {.name = "eight blocks 4 d apart",
         .layers = 22,
         .boxes = 8,
         .box = {{.n = {11, 11, 11}},
                 {.n = {11, 11, 11}, .corner = {14, 0, 0}},
                 {.n = {11, 11, 11}, .corner = {0, 14, 0}},
                 {.n = {11, 11, 11}, .corner = {14, 14, 0}},
                 {.n = {11, 11, 11}, .corner = {0, 0, 14}},
                 {.n = {11, 11, 11}, .corner = {14, 0, 14}},
                 {.n = {11, 11, 11}, .corner = {0, 14, 14}},
                 {.n = {11, 11, 11}, .corner = {14, 14, 14}}}},
        {.name = "creature",
         .layers = 46,
         .floor = true,
         .boxes = 8,
         .box = {{.n = {9, 14, 9}, .corner = {-9, 0, -4}},
                 {.n = {9, 14, 9}, .corner = {1, 0, -4}},
                 {.n = {18, 28, 14}, .corner = {-9, 14, -7}},
                 {.n = {14, 11, 14}, .corner = {-7, 42, -7}},
                 {.n = {8, 5, 6}, .corner = {-4, 43, 7}},
                 {.n = {14, 6, 6}, .corner = {-23, 32, -3}},
                 {.n = {14, 6, 6}, .corner = {9, 32, -3}},
                 {.n = {5, 5, 16}, .corner = {-2, 15, -23}}}},
        {.name = "friction 0.5",
         .layers = 22,
         .floor = true,
         .friction = 0.5,
         .boxes = 1,
         .box = {{.n = {22, 22, 22}}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        measure_both(&cases[k], place, largest_mass);
    }
}

int main(int argc, char **argv)
{
    static const double sides[] = {22, 32, 46, 62, 100, 228};
    bool gpu = argc > 1 && !strcmp(argv[1], "cuda");
    Place place = {gpu ? OOZE_DEVICE_CUDA : OOZE_DEVICE_CPU, argc > 1 && !gpu ? atoi(argv[1]) : 0};
    double largest = argc > 2 ? atof(argv[2]) : 1e5, largest_mass = argc > 3 ? atof(argv[3]) : 1e5;
    printf("%-24s %-9s %9s %5s %5s %12s %9s %8s %8s %8s %6s %6s %6s %12s\n", "", "", "particles",
           "1e-3", "1e-4", "time", "product", "diagonal", "build", "cycle", "flops", "bytes",
           "memory", "step");
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        if (sides[k] * sides[k] * sides[k] <= largest) {
            VelocityCase block = velocity_block(sides[k], true);
            measure_both(&block, &place, largest_mass);
        }
    }
    if (argc > 4) {
        measure_cases(&place, largest_mass);
    }
    return 0;
}
