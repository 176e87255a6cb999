/* Time of the device's multigrid preconditioner for blocks of fluid with a free top: of a build
   and of a correction.

     multigrid_bench [largest number of particles] */
#include <cstdio>
#include <vector>

#include "cuda/grid_multigrid.cuh"

extern "C" {
#include "base/clock.h"
#include "base/hash.h"
}

using namespace ooze;

static void measure(Gpu *gpu, GridMultigrid *mg, uint64_t side)
{
    enum { BUILDS = 5, CORRECTIONS = 50 };
    const uint64_t n = side * side * side;
    const double spacing = 0.01;
    std::vector<float4> x(n);
    std::vector<float> ones(n, 1.0f), mass(n, 0.0f);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at[3] = {i % side, i / side % side, i / side / side};
        float p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (float)(spacing * ((double)at[k] + 0.4 * ooze_random01(1, i, (uint64_t)k)));
        }
        x[i] = make_float4(p[0], p[1], p[2], 0.0f);
        mass[i] = at[1] + 1 == side ? (float)(1.0 / (spacing * spacing)) : 0.0f;
    }
    scratch_reset(gpu);
    float4 *positions = scratch<float4>(gpu, n);
    float *stiffness = scratch<float>(gpu, n), *masses = scratch<float>(gpu, n);
    float *r = scratch<float>(gpu, n), *z = scratch<float>(gpu, n);
    copy_in(gpu, positions, x.data(), n * sizeof(float4));
    copy_in(gpu, stiffness, ones.data(), n * sizeof(float));
    copy_in(gpu, masses, mass.data(), n * sizeof(float));
    copy_in(gpu, r, ones.data(), n * sizeof(float));
    clear(gpu, z, n * sizeof(float));
    const GridMultigridInput input = {n, positions, spacing, nullptr, stiffness, masses};
    OozeError error = {};
    double build = 1e30, correction = 1e30;
    for (int k = 0; k < BUILDS; k++) {
        gpu_wait(gpu);
        double begin = ooze_clock();
        if (grid_multigrid_build(gpu, mg, &input, &error)) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        gpu_wait(gpu);
        double middle = ooze_clock();
        for (int c = 0; c < CORRECTIONS; c++) {
            grid_multigrid_apply(gpu, mg, r, z, nullptr);
        }
        gpu_wait(gpu);
        double end = ooze_clock();
        build = middle - begin < build ? middle - begin : build;
        correction = end - middle < correction ? end - middle : correction;
    }
    correction /= CORRECTIONS;
    printf("%10llu %6d %9.3f ms %9.3f ms %9.3f ns %9.3f ns\n", (unsigned long long)n, mg->levels,
           1e3 * build, 1e3 * correction, 1e9 * build / (double)n, 1e9 * correction / (double)n);
}

int main(int argc, char **argv)
{
    const double largest = argc > 1 ? atof(argv[1]) : 1e7;
    Gpu gpu = {};
    GridMultigrid *mg = new GridMultigrid();
    if (!gpu_create(&gpu)) {
        fprintf(stderr, "no GPU\n");
        return 1;
    }
    printf(" particles levels        build   correction        build   correction per particle\n");
    for (uint64_t side : {17u, 46u, 100u, 215u}) {
        if ((double)(side * side * side) <= largest) {
            measure(&gpu, mg, side);
        }
    }
    grid_multigrid_free(&gpu, mg);
    gpu_destroy(&gpu);
    delete mg;
    return 0;
}
