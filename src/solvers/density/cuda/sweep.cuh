/* Data of the density stage, shared by its files. */
#ifndef OOZE_SOLVERS_DENSITY_CUDA_SWEEP_CUH
#define OOZE_SOLVERS_DENSITY_CUDA_SWEEP_CUH

#include "cuda/density.cuh"
#include "cuda/fixed_point.cuh"
#include "cuda/machine.cuh"
#include "cuda/ranks.cuh"
#include "cuda/shape_distance.cuh"

extern "C" {
#include "solvers/density/density_formula.h"
#include "solvers/density/stages.h"
}

namespace ooze
{

/* Read by the host once, after the iterations. */
struct DensityState {
    /* last iteration that is needed: some density exceeds the tolerance, and the mean of what is
       unfinished its own */
    int32_t last_needed;
    int32_t off;        /* converged: later iterations do nothing */
    int32_t inside;     /* a particle stayed inside a solid in the last push-out */
    int32_t overlaps;   /* some particles have overlaps to relieve */
    float solids_moved; /* m: bound on the travel of dynamic solids since the stage began */
    float worst;        /* largest density beyond rest */
    double sum;         /* all density beyond rest */
    /* of the particles of this process at the last sweep: sum of ooze_density_unfinished, see
       density_units; only with a mean tolerance */
    long long unfinished;
};

/* What nearest_allowed has found last, since contacts last for many iterations. */
struct AllowedDistance {
    int32_t solid; /* at rest; -1: none yet */
    float distance;
};

/* Captured by loop bodies. Arrays have n + 1 elements in the order of the grid of this stage; those
   of the job are in the order of the caller, in which particle i is order[i]. Particle n is the
   padding of lists, with pairs of weight 0. */
struct DensitySweep : OozeDensitySweep {
    OozeDensityJob given; /* effective_inverse_mass is mobility where there is none */
    uint32_t n;
    uint64_t all;                /* particles of all ranks; n on one process */
    OwnRange own;                /* of the order of the caller */
    uint32_t *place_of_particle; /* inverse of `order`, to refresh ghosts; NULL: one process */
    FixedPoint fixed_point;
    bool open; /* no axis wraps */
    OozePeriodic periodic;
    float eps;
    float self_density; /* contribution of a particle to its own density */
    float inverse;      /* 1 over the support, in units of fixed_point */
    float smallest;     /* added to squares of distances, in units of fixed_point: avoids 1/0 */
    float x0_smallest;  /* the same, m2 */
    float farthest;     /* m: largest shift that fixed_point represents */
    float wall_scale;
    float tolerance;
    double unfinished_limit; /* sum over the particles of all ranks at which iterations stop; 0:
                                they do not */
    ListView near_list, wall_list;
    WallView samples;
    SolidsView solids;
    float spacing, dt;
    DynamicView dynamic;
    DynamicList near_solids; /* particles with samples of dynamic solids in their lists */
    DynamicList pushing;     /* those that push dynamic solids in the present push-out; on one
                                process all particles */
    /* per particle of all ranks: place in the order of this stage; NULL: one process */
    const uint32_t *place_in_all;
    DynamicPush *pushes; /* NULL: no solid is dynamic */

    uint2 *place, *next;      /* present and next positions; mark: OOZE_DENSITY_UNEVEN */
    uint4 *fixed_x0;          /* position at the beginning of the step; change of the multiplier */
    float *density_error;     /* density minus rest density at the last sweep */
    float *clearance;         /* shift below which the particle has no contact; NULL: no solids */
    AllowedDistance *allowed; /* per particle in the order of the caller, where it comes out of
                                 solids gradually; NULL: none does */
    uint8_t *touches;         /* per slice: some particle may have a contact */
    DensityState *state;
};

static inline DensitySweep *sweep_of(OozeDensitySweep *sweep)
{
    return static_cast<DensitySweep *>(sweep);
}

/* Iteration k is not needed. */
OOZE_DEVICE bool is_converged(const DensitySweep &s, int k)
{
    return s.state->last_needed < k;
}

/* Errors of density are summed as integers, in units of 2^-32, which does not depend on the order.
   Errors above 8, of fluid that diverges, could overflow the sum. */
OOZE_DEVICE long long density_units(float error)
{
    return llrint((double)fminf(error, 8.0f) * 0x1p32);
}

/* The last iteration that is needed, after sweep k of all ranks has found `unfinished`. */
OOZE_BOTH int32_t needed_after(int32_t needed, int k, long long unfinished, double limit)
{
    const bool reached = (double)unfinished * 0x1p-32 <= limit;
    return reached && needed > k ? k : needed;
}

OOZE_DEVICE bool is_rigid(const DensitySweep &s, uint32_t o)
{
    return s.given.rigid && s.given.rigid[o];
}

OOZE_DEVICE float clamped(float a, float low, float high)
{
    return fminf(fmaxf(a, low), high);
}

/* Fixed-point position of a particle; longer shifts than `farthest` are clamped. */
OOZE_DEVICE uint2 place_of(const DensitySweep &s, float4 first, float4 shift, uint32_t mark)
{
    float limit = s.farthest;
    return make_place(s.fixed_point, (double)first.x + (double)clamped(shift.x, -limit, limit),
                      (double)first.y + (double)clamped(shift.y, -limit, limit),
                      (double)first.z + (double)clamped(shift.z, -limit, limit), mark);
}

/* Sets the new shift of particle i for pairs and for the push-out. */
OOZE_DEVICE void move(const DensitySweep &s, uint32_t i, uint32_t o, float4 shift, uint32_t mark)
{
    shift.w = 0.0f;
    s.shift[o] = shift;
    s.next[i] = place_of(s, s.first[o], shift, mark);
    if (s.clearance &&
        !(s.clearance[i] > 0.0f && dot(shift, shift) < s.clearance[i] * s.clearance[i])) {
        s.touches[i / SLICE] = 1;
    }
}

/* An iteration. Its loops do nothing once the stage has converged; the second one sets the flag. */
struct DensityIteration {
    int k;
    float momentum;
    bool first;
};
static inline DensityIteration iteration_of(const DensitySweep *s)
{
    return {s->may_stop && !s->relieving ? s->k : 0, s->momentum, s->k == 0};
}

/* sweeps.cu */
void density_multipliers(Gpu *gpu, const DensitySweep *sweep);
void density_corrections(Gpu *gpu, const DensitySweep *sweep);
/* Iterations from the present one on, not the first, in one launch: see cuda/repeat.cuh. Solids are
   at rest in them, lines are those AT_START, and one process has all particles. Positions are
   exchanged as often as there are iterations. */
void density_repeat(Gpu *gpu, DensitySweep *sweep, int count);
/* push_out.cu: moves particles inside solids onto their surface, in `next`. */
void density_push_out(Gpu *gpu, const DensitySweep *sweep);
/* position_shifts.cu */
OozeStatus density_begin_relief(OozeDensitySweep *sweep, OozeError *error);
void density_end_relief(OozeDensitySweep *sweep);
void density_drift(OozeDensitySweep *sweep);

/* Dynamic solids, solids.cu: see cpu/solids.c. */
void density_begin_solids(OozeDensitySweep *sweep);
void density_find_solid_diagonals(OozeDensitySweep *sweep);
void density_push_solids(OozeDensitySweep *sweep);
/* Before the push-out: counts the particles that touch each solid; after it: moves the solids by
   the reaction. */
void density_count_touching(const DensitySweep *sweep);
void density_push_back(DensitySweep *sweep);

/* ---- push-out ---- */

/* Distance to solid k that a particle must keep, from its distance at the beginning of the step to
   the pose of the solid at that time. */
OOZE_DEVICE double nearest_allowed(const DensitySweep &s, int k, uint32_t o)
{
    const SolidView &solid = s.solids.items[k];
    if (s.allowed[o].solid == k) {
        return (double)s.allowed[o].distance;
    }
    OozeContact begin = solid_contact(solid, widen(s.given.start[o]));
    double gap = begin.distance + s.dt * vec3_dot(begin.velocity, begin.normal);
    const AllowedDistance found = {
        solid.dynamic ? -1 : k,
        (float)ooze_push_out_distance((double)s.given.contact, gap, (double)s.spacing)};
    s.allowed[o] = found;
    return (double)found.distance;
}

/* The penetration of solid k to remove. `inside` is set where some of it remains. */
OOZE_DEVICE double penetration(const DensitySweep &s, int k, uint32_t o, double distance,
                               bool *inside)
{
    if (distance >= (double)s.given.contact) {
        return 0.0;
    }
    bool gradual = s.allowed && !s.relieving;
    double allowed = gradual ? nearest_allowed(s, k, o) : (double)s.given.contact;
    *inside = *inside || allowed < (double)s.given.contact;
    return ooze_push_out_penetration(distance, allowed);
}

/* Distance of a particle from the box of a solid within which its distance is computed. */
OOZE_DEVICE float push_out_reach(const DensitySweep &s)
{
    return s.given.contact + s.spacing + s.state->solids_moved;
}

} // namespace ooze

#endif
