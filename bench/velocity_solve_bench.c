/* The velocity solve of formulation `lodge`, preconditioned by masses and by multigrid: iterations
   to residuals of 1e-3 and 1e-4, and the time of a solve to 1e-4, without a warm start. Flops and
   bytes are those of an iteration, per particle: of the operator, and of the matrices of the
   grids; memory is that of the world, in bytes per particle.

     velocity_solve_bench [threads] [largest number of particles] [masses up to] [cases]

   With a fourth argument other bodies follow the blocks on a floor. */
#include "methods/conformation/step.h"
#include "output/frame_copy.h"
#include "solvers/velocity_multigrid.h"
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

static void measure(const VelocityCase *c, int preconditioner, int threads)
{
    static const char *const parts[] = {"velocity_operator", "velocity_vectors",
                                        "multigrid_diagonal", "multigrid_build", "multigrid_cycle"};
    static const double tolerances[2] = {1e-3, 1e-4};
    int iterations[2];
    OozeWorldStats stats = {0};
    double seconds[5], total = 0.0, blocks = 0.0;
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = velocity_world(c, preconditioner, tolerances[k], threads);
        OozeError error = {0};
        OozeFrameCopy start = {0};
        velocity_require(ooze_frame_copy(&start, ooze_world_frame(world), NULL, &error), &error);
        stats = velocity_step(world); /* allocates memory; the next is measured */
        for (int p = 0; p < 5; p++) {
            seconds[p] = -seconds_of(&stats, parts[p]);
        }
        velocity_require(ooze_world_restore(world, &start.frame, &error), &error);
        ooze_frame_copy_free(&start);
        stats = velocity_step(world);
        iterations[k] = stats.iterations;
        for (int p = 0; p < 5; p++) {
            seconds[p] += seconds_of(&stats, parts[p]);
            total += k == 1 ? seconds[p] : 0.0;
        }
        const OozeConformationMemory *own = world->method_data;
        blocks = own->multigrid ? (double)ooze_velocity_multigrid_block_products(own->multigrid) /
                                      (double)stats.particles
                                : 0.0;
        ooze_world_destroy(world);
    }
    double each = 1e9 / (double)stats.particles;
    double pairs = (double)stats.neighbour_pairs / (double)stats.particles;
    /* both gathers: differences, weights and twelve multiply-adds an edge; index and weight */
    double flops = 62.0 * pairs + 420.0 + 18.0 * blocks, bytes = 16.0 * pairs + 300.0;
    printf("%-24s %-9s %9llu %5d %5d %9.1f ms", c->name,
           preconditioner == VELOCITY_MASS ? "mass" : "multigrid",
           (unsigned long long)stats.particles, iterations[0], iterations[1], 1e3 * total);
    printf(" %6.0f ns %5.0f ns %5.0f ns %5.0f ns %6.0f %6.0f %6.0f\n",
           seconds[0] * each / (iterations[1] + 1), seconds[2] * each, seconds[3] * each,
           seconds[4] * each / (iterations[1] + 1), flops, bytes + 40.0 * blocks,
           (double)stats.memory_bytes / (double)stats.particles);
    fflush(stdout);
}

static void measure_both(const VelocityCase *c, int threads, double largest_mass)
{
    double count = 0.0;
    for (int k = 0; k < c->boxes; k++) {
        count += c->box[k].n[0] * c->box[k].n[1] * c->box[k].n[2];
    }
    if (count <= largest_mass) {
        measure(c, VELOCITY_MASS, threads);
    }
    measure(c, VELOCITY_MULTIGRID, threads);
}

static void measure_cases(int threads, double largest_mass)
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
        measure_both(&cases[k], threads, largest_mass);
    }
}

int main(int argc, char **argv)
{
    static const double sides[] = {22, 32, 46, 62, 100};
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    double largest = argc > 2 ? atof(argv[2]) : 1e5, largest_mass = argc > 3 ? atof(argv[3]) : 1e5;
    printf("%-24s %-9s %9s %5s %5s %12s %9s %8s %8s %8s %6s %6s %6s\n", "", "", "particles", "1e-3",
           "1e-4", "time", "product", "diagonal", "build", "cycle", "flops", "bytes", "memory");
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        if (sides[k] * sides[k] * sides[k] <= largest) {
            VelocityCase block = velocity_block(sides[k], true);
            measure_both(&block, threads, largest_mass);
        }
    }
    if (argc > 4) {
        measure_cases(threads, largest_mass);
    }
    return 0;
}
