/* One view of positions, neighbour lists, boundary particles, periodic box and kernel, for loops
   over pairs; and those loops. */
#ifndef OOZE_CUDA_PAIRS_CUH
#define OOZE_CUDA_PAIRS_CUH

#include "cuda/solids.cuh"

namespace ooze
{

/* Captured by loop bodies. */
template <class Kernel> struct PairView {
    uint32_t n;
    const float4 *x;   /* n + 1; the last is not read */
    ListView fluid;    /* neighbours of each particle */
    ListView walls;    /* boundary particles near it; begin NULL: none */
    WallView boundary; /* the boundary particles */
    OozePeriodic periodic;
    Kernel kernel;
};

/* a - b of nearest images, and its length in the last lane. */
OOZE_DEVICE float4 separation(const OozePeriodic &periodic, float4 a, float4 b)
{
    const float *length = periodic.length, *inverse = periodic.inverse;
    float4 d = f32x4(ooze_periodic_delta(a.x - b.x, length[0], inverse[0]),
                     ooze_periodic_delta(a.y - b.y, length[1], inverse[1]),
                     ooze_periodic_delta(a.z - b.z, length[2], inverse[2]));
    d.w = sqrtf(dot(d, d));
    return d;
}

OOZE_DEVICE float4 wrap_point(const OozePeriodic &p, float4 x)
{
    return f32x4(ooze_periodic_wrap(x.x, p.min[0], p.length[0], p.inverse[0]),
                 ooze_periodic_wrap(x.y, p.min[1], p.length[1], p.inverse[1]),
                 ooze_periodic_wrap(x.z, p.min[2], p.length[2], p.inverse[2]));
}

/* f(j, d) for the neighbours j of i of this lane, d = separation of i and j. */
template <int LANES, class View, class F>
OOZE_DEVICE void each_pair(const View &v, uint32_t i, uint32_t lane, F f)
{
    const float4 here = v.x[i];
    each_neighbour<LANES>(v.fluid, i, lane, [&](uint32_t j) {
        if (j != v.fluid.dummy) {
            f(j, separation(v.periodic, here, v.x[j]));
        }
    });
}

/* f(b, d) for the boundary particles b near i, of this lane. */
template <int LANES, class View, class F>
OOZE_DEVICE void each_wall_pair(const View &v, uint32_t i, uint32_t lane, F f)
{
    if (!v.walls.begin || v.walls.count[i] == 0) {
        return;
    }
    const float4 here = v.x[i];
    each_neighbour<LANES>(v.walls, i, lane, [&](uint32_t b) {
        if (b != v.walls.dummy) {
            f(b, separation(v.periodic, here, v.boundary.position[b]));
        }
    });
}

} // namespace ooze

#endif
