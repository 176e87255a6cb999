/* Coupling of particles with dynamic solids on the device: see
   solvers/contact/dynamic_coupling.h. Motions and momenta of the solids are in device memory;
   contacts and joints are solved on the host. */
#ifndef OOZE_CUDA_DYNAMIC_SOLIDS_CUH
#define OOZE_CUDA_DYNAMIC_SOLIDS_CUH

#include "cuda/rank_sums.cuh"
#include "cuda/twist_sum.cuh"

extern "C" {
#include "solvers/contact/dynamic_coupling.h"
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
    OozeDynamicCoupling coupling; /* host: as of the last download */
    DynamicView view;
    OozePose *before; /* per solid of the world: at the beginning of the step */
};

/* The motion of the solids without particles, with contacts and joints; sends their poses. */
OozeStatus dynamic_begin(Engine *engine, DynamicSolids *dynamic, OozeStepContext *context,
                         double particle_mass, OozeError *error);
/* Back to before that, for a step that is repeated. Waits. */
OozeStatus dynamic_undo(Engine *engine, DynamicSolids *dynamic, OozeError *error);
/* Sends the poses by `motion`, and places and measures the boundary particles there. Waits. */
OozeStatus dynamic_place(Engine *engine, DynamicSolids *dynamic, OozeError *error);
/* Moves the boundary particles to the poses of engine->solids.view, in the order that they have. */
void dynamic_move_samples(Engine *engine, const DynamicView &view);
/* Adds the momentum from the particles to the loads of the stage. Waits. */
void dynamic_load(Gpu *gpu, DynamicSolids *dynamic);

/* ---- sums over particles, one a solid ---- */

template <class Body> struct SolidBody {
    const uint32_t *particles;
    int k;
    Body body;
    __device__ TwistSum operator()(uint32_t e) const
    {
        TwistSum sum = {{{0, 0, 0, 0, 0, 0}}};
        body(k, particles ? particles[e] : e, &sum.all);
        return sum;
    }
};

template <class Then> struct SolidThen {
    int k;
    Then then;
    __device__ void operator()(const TwistSum &sum) const { then(k, sum.all); }
};

/* As dynamic_sums over all particles, of all processes. */
template <class Body, class Then>
void dynamic_sums_of_particles(Gpu *gpu, const DynamicView &view, uint64_t n, Body body, Then then)
{
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    for (int k = 0; k < view.count; k++) {
        SolidBody<Body> one = {nullptr, k, body};
        SolidThen<Then> end = {k, then};
        sum_particles(gpu, n, none, one, end);
    }
}

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

/* Particles that sums over particles near dynamic solids take: own ones, in their order. The sums
   are over those of all ranks. */
struct DynamicList : RankList {
    uint32_t *particles; /* device, `count` */
    uint64_t length;     /* elements of the sum */
    /* device, per element of the sum: its place in the list of all ranks, or UINT32_MAX: it is
       zero. NULL: they are in order */
    const uint32_t *element;
};

/* As dynamic_sums, with the bits of one process. body(k, ...) of all solids precedes then. Waits
   for the other ranks where there are some. */
template <class Body, class Then>
void dynamic_sums_of_list(Gpu *gpu, const DynamicView &view, const DynamicList &list, Body body,
                          Then then)
{
    if (!gpu->share) {
        dynamic_sums(gpu, view, list.particles, list.count, body, then);
        return;
    }
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    const uint32_t solids = (uint32_t)view.count, *particles = list.particles;
    const uint32_t *element = list.element;
    Mark mark = scratch_mark(gpu);
    TwistSum *own = scratch<TwistSum>(gpu, list.count * solids);
    for_each(
        gpu, list.count, OOZE_BODY(uint32_t e) {
            for (uint32_t k = 0; k < solids; k++) {
                SolidBody<Body> one = {particles, (int)k, body};
                own[e * solids + k] = one(e);
            }
        });
    const TwistSum *all =
        static_cast<const TwistSum *>(gather_list(gpu, own, list, solids * sizeof *own));
    for (uint32_t k = 0; k < solids; k++) {
        SolidThen<Then> end = {(int)k, then};
        sum_each(
            gpu, list.length, none,
            OOZE_BODY(uint32_t e)->TwistSum {
                const uint32_t at = element ? element[e] : e;
                return at == UINT32_MAX ? none : all[at * solids + k];
            },
            end);
    }
    scratch_rewind(gpu, mark);
}

/* Stores the sum as `collected`. */
struct CollectTwist {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].collected = sum; }
};

/* What is near a dynamic solid: a particle whose list holds boundary particles of it. */
struct DynamicSearch {
    ListView walls; /* walls.begin: NULL where there are no boundary particles */
    const uint16_t *solid_of_sample;
    uint64_t n;
    const uint32_t *order; /* number in the store of the particle of each list; NULL: the same */
};
/* The list of them, in scratch memory. Waits for their number. */
DynamicList dynamic_find_near(Gpu *gpu, OozeArena *arena, const DynamicView &view,
                              const DynamicSearch &search);

OOZE_DEVICE OozeVec3 dynamic_arm(const DynamicView &v, const OozeDynamicSolid &solid, float4 x)
{
    const float at[3] = {x.x, x.y, x.z};
    return ooze_coupling_arm(&solid, at, &v.periodic);
}

/* ---- movement ---- */

/* Moves a solid by the sum of reactions of the particles: kg m over the mass of a particle. */
struct MoveSolid {
    DynamicView v;
    SolidView *views; /* per solid of the world: gets the new pose */
    float *moved;     /* grows by a bound on the travel of the solid, m */
    double dt;        /* as the particles move */
    __device__ void operator()(int k, const OozeTwist &sum) const
    {
        OozeDynamicSolid *solid = &v.solids[k];
        SolidView *view = &views[solid->solid];
        const OozeTwist change = ooze_coupling_velocity_change(solid, &sum);
        const OozeVec3 diagonal = vec3((double)view->high[0] - (double)view->low[0],
                                       (double)view->high[1] - (double)view->low[1],
                                       (double)view->high[2] - (double)view->low[2]);
        ooze_twist_add(&solid->motion, 1.0 / dt, &change);
        view->pose = ooze_coupling_pose(solid, &v.of[k], v.dt);
        *moved += (float)ooze_coupling_travel(&change, vec3_length(diagonal));
    }
};

static inline MoveSolid solid_mover(const DynamicView &view, const SolidsView &solids, float *moved,
                                    float dt)
{
    return {view, const_cast<SolidView *>(solids.items), moved, (double)dt};
}

/* Shifts of a particle by dynamic solids in a push-out: two solids at most, the second entry also
   holds those by any further solid. */
struct DynamicPush {
    float4 delta[2];
    int32_t solid[2]; /* index among the dynamic solids; -1: none */
};

OOZE_DEVICE DynamicPush no_push(void)
{
    const float4 none = f32x4(0, 0, 0);
    return {{none, none}, {-1, -1}};
}

/* Adds a shift by dynamic solid k. */
OOZE_DEVICE void record_push(int32_t k, float4 delta, DynamicPush *to)
{
    const int at = to->solid[0] < 0 || to->solid[0] == k ? 0 : 1;
    to->delta[at] = to->delta[at] + delta;
    to->solid[at] = to->solid[at] < 0 ? k : to->solid[at];
}

/* The share of a penetration that a particle moves which was at `begin`; dynamic solid k moves the
   rest. */
OOZE_DEVICE double push_share(const DynamicView &v, int32_t k, float4 begin, OozeVec3 normal,
                              float mobility)
{
    const OozeDynamicSolid &solid = v.solids[k];
    return ooze_coupling_push_share(&solid, dynamic_arm(v, solid, begin), normal, mobility);
}

/* Adds the reaction on dynamic solid k to a push of a particle. */
OOZE_DEVICE void add_reaction(const DynamicView &v, int k, const DynamicPush &push, float4 begin,
                              float mobility, OozeTwist *sum)
{
    for (int m = 0; m < 2; m++) {
        if (push.solid[m] == k) {
            const float4 delta = push.delta[m];
            ooze_coupling_add(sum, dynamic_arm(v, v.solids[k], begin),
                              vec3_scale(vec3((double)delta.x, (double)delta.y, (double)delta.z),
                                         -1.0 / (double)mobility));
        }
    }
}

} // namespace ooze

#endif
