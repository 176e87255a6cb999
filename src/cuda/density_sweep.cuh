/* Data of the density stage, shared by its files. */
#ifndef OOZE_CUDA_DENSITY_SWEEP_CUH
#define OOZE_CUDA_DENSITY_SWEEP_CUH

#include "cuda/density.cuh"
#include "cuda/fixed_point.cuh"

extern "C" {
#include "physics/cubic.h"
#include "solvers/projected_jacobi.h"
}

namespace ooze
{

/* Read by the host once, after the iterations. */
struct DensityState {
    int32_t last_needed; /* last iteration that is needed: some density exceeds the tolerance */
    int32_t off;         /* converged: later iterations do nothing */
    int32_t inside;      /* a particle stayed inside a solid in the last push-out */
    int32_t overlaps;    /* some particles have overlaps to relieve */
    float worst;         /* largest density beyond rest */
    double sum;          /* all density beyond rest */
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
    ListView list, wall_list;
    WallView walls;
    SolidsView solids;
    float contact, spacing, dt;
    bool relieving; /* the iterations relieve overlaps, by position-only shifts */

    const uint32_t *order;
    const float4 *first; /* caller's: x at the beginning of the stage */
    float4 *shift;       /* caller's */
    const float4 *start; /* caller's, like the arrays up to `drift`: see DensityJob */
    const float *density_target, *load_excess, *mobility, *effective_inverse_mass;
    const uint16_t *rigid;
    const uint8_t *ignores_boundary;
    float4 *position_only_shift, *drift;

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
    return sweep->clearance && sweep->n < FEW;
}
/* Moves particles inside solids onto their surface, in `next`. */
void density_push_out(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
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

} // namespace ooze

#endif
