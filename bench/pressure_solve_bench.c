/* Time and iterations of a pressure solve of semi-implicit MPS with the multigrid preconditioner,
   to a residual of 1e-5, for blocks of fluid on a floor. The last column is the exponent of the
   growth of the time of build and solve with the number of particles, from the first row on.

     pressure_solve_bench [threads] [largest number of particles] [density ratio] */
#include <stdio.h>

#include "base/clock.h"
#include "mps_laplacian.h"

enum { REPEATS = 3 };

static void require(OozeStatus status, const OozeError *error)
{
    if (status) {
        fprintf(stderr, "%s (%s)\n", error->message, error->hint);
        exit(1);
    }
}

/* Layers along z of alternating density. */
static void set_densities(Mps *s, int side, double ratio)
{
    for (uint64_t i = 0; i < s->n; i++) {
        bool light = (int)((double)s->x[i][2] / s->spacing * 4.0 / side) % 2 == 1;
        s->inverse_density[i] = light ? (float)(1.0 / ratio) : 1.0f;
    }
}

static double seconds_of_products(Mps *s)
{
    double begin = ooze_clock();
    for (int k = 0; k < 5; k++) {
        mps_multiply(s);
    }
    return (ooze_clock() - begin) / 5;
}

/* Time of build and solve. */
static double measure(int side, double ratio, OozeThreads *threads)
{
    Mps s = {.spacing = 0.01, .threads = threads};
    OozeError error = {0};
    mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){side, side, side}, 0.2);
    set_densities(&s, side, ratio);
    mps_assemble(&s, 0.0, false);
    mps_allocate(&s);
    mps_right_side(&s, false);
    double build = INFINITY, solve = INFINITY, apply = INFINITY, product = INFINITY;
    OozeConjugateGradients cg = {0};
    for (int k = 0; k < REPEATS; k++) {
        double begin = ooze_clock();
        require(mps_build(&s, &error), &error);
        double middle = ooze_clock();
        cg = mps_solve(&s, 1e-5, 500);
        double end = ooze_clock();
        for (int a = 0; a < 5; a++) {
            ooze_grid_multigrid_apply(s.multigrid, s.b, s.z);
        }
        apply = fmin(apply, (ooze_clock() - end) / 5);
        build = fmin(build, middle - begin);
        solve = fmin(solve, end - middle);
        product = fmin(product, seconds_of_products(&s));
    }
    double each = 1e9 / (double)s.n;
    printf("%9llu %5d %9.1f ms %9.1f ms %8.1f ns %8.1f ns %8.1f ns %7.0f", (unsigned long long)s.n,
           cg.residual.iterations, 1e3 * build, 1e3 * solve, build * each, apply * each,
           product * each, (double)ooze_grid_multigrid_bytes(s.multigrid) / (double)s.n);
    mps_free(&s);
    return build + solve;
}

int main(int argc, char **argv)
{
    static const int sides[] = {17, 34, 68, 79};
    double largest = argc > 2 ? atof(argv[2]) : 5e5, ratio = argc > 3 ? atof(argv[3]) : 1.0;
    double first = 0.0;
    OozeThreads *threads = NULL;
    OozeError error = {0};
    require(ooze_threads_create(argc > 1 ? atoi(argv[1]) : 0, &threads, &error), &error);
    printf("                                          per particle: build, correction, product\n");
    printf("particles   its        build        solve       build  correction     product   bytes "
           "exponent\n");
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        double side = sides[k];
        if (side * side * side <= largest) {
            double seconds = measure(sides[k], ratio, threads);
            first = k == 0 ? seconds : first;
            printf(k == 0 ? "\n" : " %8.3f\n", log(seconds / first) / (3.0 * log(side / sides[0])));
            fflush(stdout);
        }
    }
    ooze_threads_destroy(threads);
    return 0;
}
