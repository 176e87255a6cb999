/* Coupling of particles with dynamic solids on the device: see solvers/dynamic_coupling.h. Motions
   and momenta of the solids are in device memory; contacts and joints are solved on the host. */
#ifndef OOZE_CUDA_DYNAMIC_SOLIDS_CUH
#define OOZE_CUDA_DYNAMIC_SOLIDS_CUH

#include "cuda/engine.cuh"

extern "C" {
#include "solvers/dynamic_coupling.h"
}

namespace ooze
{

/* Captured by loop bodies. */
struct DynamicView {
    int count; /* 0: no solid is dynamic */
    OozeDynamicSolid *solids;
    const OozeTwistMatrix *mass; /* per dynamic solid: times a motion it is the momentum */
    const OozeSolid *of;         /* per dynamic solid: copy of the world's, without its pointers */
    const int32_t *index_of;     /* per solid of the world: index in `solids`, or -1 */
    OozePeriodic periodic;
    double dt;
};

/* The dynamic solids of a step. */
struct DynamicSolids {
    OozeDynamicCoupling coupling; /* host: as of the last dynamic_download */
    DynamicView view;
};

/* The motion of the solids without particles, with contacts and joints; sends their poses. */
OozeStatus dynamic_begin(Engine *engine, DynamicSolids *dynamic, OozeStepContext *context,
                         double particle_mass, OozeError *error);
/* Copies the solids to the host. Waits. */
void dynamic_download(Gpu *gpu, DynamicSolids *dynamic);
/* Sends the poses by `motion`, and places and measures the boundary particles there. Waits. */
OozeStatus dynamic_place(Engine *engine, DynamicSolids *dynamic, OozeError *error);
/* Moves the boundary particles to the poses of engine->solids.view, in the order that they have. */
void dynamic_move_samples(Engine *engine, const DynamicView &view);
/* Adds the momentum from the particles to the loads of the stage. Waits. */
void dynamic_load(Gpu *gpu, DynamicSolids *dynamic);

/* ---- sums over particles, one a solid ---- */

struct TwistSum {
    OozeTwist a;
    __device__ void operator+=(const TwistSum &o) { ooze_twist_add(&a, 1.0, &o.a); }
};

template <class Body> struct SolidBody {
    const uint32_t *particles;
    int k;
    Body body;
    __device__ TwistSum operator()(uint32_t e) const
    {
        TwistSum sum = {{{0, 0, 0, 0, 0, 0}}};
        body(k, particles ? particles[e] : e, &sum.a);
        return sum;
    }
};

template <class Then> struct SolidThen {
    int k;
    Then then;
    __device__ void operator()(const TwistSum &sum) const { then(k, sum.a); }
};

/* For each dynamic solid k: body(k, i, &twist) adds what particle i contributes, for the `count`
   particles of a list (NULL: the first particles), and then(k, sum) is called once. */
template <class Body, class Then>
void dynamic_sums(Gpu *gpu, const DynamicView &view, const uint32_t *particles, uint64_t count,
                  Body body, Then then)
{
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    for (int k = 0; k < view.count; k++) {
        SolidBody<Body> one = {particles, k, body};
        SolidThen<Then> end = {k, then};
        sum_each(gpu, count, none, one, end);
    }
}

/* Stores the sum as `collected`. */
struct CollectTwist {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].collected = sum; }
};

/* Particles whose list holds boundary particles of dynamic solids, ascending, in scratch memory.
   Waits for their number, and returns it. */
uint64_t dynamic_find_near(Gpu *gpu, const DynamicView &view, const ListView &walls,
                           const uint16_t *solid_of_sample, uint64_t n, uint32_t **near);

OOZE_DEVICE OozeVec3 dynamic_arm(const DynamicView &v, const OozeDynamicSolid &solid, float4 x)
{
    const float at[3] = {x.x, x.y, x.z};
    return ooze_coupling_arm(&solid, at, &v.periodic);
}

} // namespace ooze

#endif
