/* Data of the density stage, shared by its files. */
#ifndef OOZE_CUDA_DENSITY_SWEEP_CUH
#define OOZE_CUDA_DENSITY_SWEEP_CUH

#include "cuda/density.cuh"
#include "cuda/fixed_point.cuh"
#include "cuda/ranks.cuh"
#include "cuda/shape_distance.cuh"

extern "C" {
#include "physics/cubic.h"
#include "solvers/density/density_formula.h"
#include "solvers/density/projected_jacobi.h"
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

/* Flags of a particle. ROTATED: the line of one of its pairs has rotated by more than 45 degrees.
   UNEVEN: its effective inverse mass or that of a neighbour is not 1, or it is part of a rigid
   particle body. */
enum { ROTATED = 1, UNEVEN = 2 };

/* Captured by loop bodies. Arrays have n + 1 elements in the order of the grid of this stage; those
   marked "caller's" are in the order of the caller, in which particle i is order[i]. Particle n is
   the padding of lists, with pairs of weight 0. */
struct DensitySweep {
    uint32_t n;
    uint64_t all;                /* particles of all ranks; n on one process */
    OwnRange own;                /* of the order of the caller */
    uint32_t *place_of_particle; /* inverse of `order`, to refresh ghosts; NULL: one process */
    FixedPoint fixed_point;
    bool open; /* no axis wraps */
    OozeCubic cubic;
    OozePeriodic periodic;
    float support, eps;
    float self_density; /* contribution of a particle to its own density */
    float inverse;      /* 1 over the support, in units of fixed_point */
    float smallest;     /* added to squares of distances, in units of fixed_point: avoids 1/0 */
    float x0_smallest;  /* the same, m2 */
    float farthest;     /* m: largest shift that fixed_point represents */
    float wall_scale;
    float tolerance;
    double unfinished_limit; /* sum over the particles of all ranks at which iterations stop; 0:
                                they do not */
    ListView list, wall_list;
    WallView walls;
    SolidsView solids;
    float contact, spacing, dt;
    bool plain;     /* see OozeDensityJob */
    bool relieving; /* the iterations relieve overlaps, by position-only shifts */
    DynamicView dynamic;
    const uint32_t *near; /* particles with samples of dynamic solids in their lists */
    uint64_t near_count;
    float *solid_diagonal; /* added to the diagonal for dynamic solids; NULL: nothing */
    DynamicPush *pushes;   /* NULL: no solid is dynamic */

    const uint32_t *order;
    const float4 *first; /* caller's: x at the beginning of the stage */
    float4 *shift;       /* caller's */
    const float4 *start; /* caller's, like the arrays up to `drift`: see DensityJob */
    const float *density_target, *load_excess, *mobility, *effective_inverse_mass;
    const float *first_multiplier;
    const uint16_t *rigid;
    const uint8_t *ignores_boundary;
    float4 *position_only_shift, *drift;
    const OozeSym3 *thread_regularisation; /* caller's, or NULL */

    uint2 *place, *next; /* present and next positions; mark: UNEVEN */
    uint4 *x0_lambda;    /* position at the beginning of the step; change of the multiplier */
    OozeProjectedMultiplier *multiplier;
    float *density_error; /* density minus rest density at the last sweep */
    uint8_t *flags;
    float4 *wall_push; /* sum of kernel gradients of boundary samples; NULL: no samples */
    float *clearance;  /* shift below which the particle has no contact; NULL: no solids */
    uint8_t *touches;  /* per slice: some particle may have a contact */
    DensityState *state;
};

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
    return s.rigid && s.rigid[o];
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

/* An iteration. Its loops do nothing once the stage has converged; the first one sets the flags. */
struct DensityIteration {
    int k;
    float momentum;
    bool first;
};
void density_multipliers(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
/* `pushes`: moves particles inside solids onto their surface, too. With few particles a launch
   costs more than the registers that this takes. */
void density_corrections(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration,
                         bool pushes);
static inline bool density_pushes_at_once(const DensitySweep *sweep)
{
    return sweep->clearance && !sweep->pushes && sweep->all < few_particles();
}
/* Moves particles inside solids onto their surface, in `next`. */
void density_push_out(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);

/* Dynamic solids, density_solids.cu: see solvers/density/density_solids.h. They return at once
   without any. */
void density_solids_begin(Gpu *gpu, DensitySweep *sweep);
void density_solid_diagonals(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
/* Between multipliers and corrections: moves the solids by the reaction on their samples. */
void density_push_solids(Engine *engine, const DensitySweep *sweep, DensityIteration iteration);
/* Before the push-out: counts the particles that touch each solid; after it: moves the solids by
   the reaction. */
void density_count_touching(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
void density_push_back(Engine *engine, const DensitySweep *sweep, DensityIteration iteration);

/* Multipliers of ghosts. */
void density_refresh_multipliers(Gpu *gpu, const DensitySweep *sweep);
/* Next positions of ghosts. */
static inline void density_refresh_places(Gpu *gpu, const DensitySweep *s)
{
    refresh_part(gpu, {s->next, sizeof *s->next, sizeof *s->next, 0, s->place_of_particle});
}

/* The next positions become the present ones. */
static inline void density_swap(DensitySweep *s)
{
    uint2 *place = s->place;
    s->place = s->next;
    s->next = place;
}
/* Relieves overlaps by position-only shifts; without `overlaps`, only moves particles out of
   solids. */
void density_relieve(Gpu *gpu, DensitySweep *sweep, bool overlaps);
/* Drift of pairs closer than `min_distance`. */
void density_drift(Gpu *gpu, const DensitySweep *sweep, float min_distance, float share);

/* ---- push-out ---- */

/* Distance to a solid that a particle must keep, from its distance at the beginning of the step to
   the pose of the solid at that time. */
OOZE_DEVICE double nearest_allowed(const DensitySweep &s, const SolidView &solid, float4 start)
{
    OozeContact begin = solid_contact(solid, widen(start));
    double gap = begin.distance + s.dt * vec3_dot(begin.velocity, begin.normal);
    return ooze_push_out_distance((double)s.contact, gap, (double)s.spacing);
}

/* The penetration to remove. `inside` is set where some of it remains. */
OOZE_DEVICE double penetration(const DensitySweep &s, const SolidView &solid, uint32_t o,
                               double distance, bool *inside)
{
    if (distance >= (double)s.contact) {
        return 0.0;
    }
    bool gradual = s.position_only_shift && !s.relieving;
    double allowed = gradual ? nearest_allowed(s, solid, s.start[o]) : (double)s.contact;
    *inside = *inside || allowed < (double)s.contact;
    return fmax(allowed - distance, 0.0);
}

/* Distance of a particle from the box of a solid within which its distance is computed. */
OOZE_DEVICE float push_out_reach(const DensitySweep &s)
{
    return s.contact + s.spacing + s.state->solids_moved;
}

} // namespace ooze

#endif
