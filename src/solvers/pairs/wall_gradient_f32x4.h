/* Kernel gradients of the boundary samples near a particle, four at once. */
#ifndef OOZE_SOLVERS_PAIRS_WALL_GRADIENT_F32X4_H
#define OOZE_SOLVERS_PAIRS_WALL_GRADIENT_F32X4_H

#include "solids/boundary.h"
#include "solvers/vectors/cubic_f32x4.h"
#include "solvers/vectors/periodic_f32x4.h"

typedef struct OozeWallSamples {
    const OozeNeighbours *near; /* of the particles */
    const OozeBoundary *boundary;
    OozeBox box;
    OozeCubic cubic;
} OozeWallSamples;

/* The sum of the gradients of particle i at x, whose last lane is 0, each times `scale` and the
   volume of the sample. Adds their density to `density`. */
static inline OozeF32x4 ooze_wall_gradient(const OozeWallSamples *walls, uint64_t i, OozeF32x4 x,
                                           float scale, float *density)
{
    const OozeNeighbours *near = walls->near;
    const OozeF32x4 smallest = ooze_f32x4_splat(walls->cubic.smallest);
    OozeF32x4 sum = {0};
    for (uint64_t e = near->first[i], last = e + near->count[i]; e < last; e += 4) {
        OozeF32x4 d[4], volume = {0}, value = {0};
        for (uint64_t k = 0; k < 4; k++) {
            bool there = e + k < last;
            uint32_t b = near->index[there ? e + k : e];
            OozeF32x4 sample = ooze_f32x4_load(&walls->boundary->position[b].x);
            d[k] = ooze_f32x4_image(x - sample, walls->box);
            volume[k] = there ? scale * walls->boundary->volume[b] : 0.0f;
        }
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 slope = volume * ooze_cubic_f32x4_slope(&walls->cubic, r, &value);
        *density += walls->cubic.value * ooze_f32x4_sum(volume * value);
        sum = ooze_f32x4_add_weighted(slope / ooze_f32x4_max(r, smallest), d, sum);
    }
    return sum;
}

#endif
