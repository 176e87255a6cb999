/* The inside of the density stage, shared by its files. */
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
    int32_t last_needed; /* iteration; grows while some density exceeds the tolerance */
    int32_t off;         /* an iteration was found not to be needed */
    int32_t inside;      /* in the last push-out a particle stayed inside of a solid */
    int32_t overlaps;    /* some particles have overlaps to relieve */
    float worst;         /* largest density beyond rest */
    double sum;          /* all density beyond rest */
};

/* A particle with a pair whose line has rotated by more than 45 degrees; a particle whose own
   effective inverse mass, or that of a neighbour, is not 1, or that is part of a rigid particle
   body. */
enum { ROTATED = 1, UNEVEN = 2 };

/* Captured by loop bodies, by value. Arrays are in the order of the stage's own grid and have
   n + 1 elements, but where the caller's order is named: there particle i is order[i]. Lists are
   filled up with particle n, whose pairs have weight 0. */
struct DensitySweep {
    uint32_t n;
    FixedPoint fixed_point;
    bool open; /* no axis wraps */
    OozeCubic cubic;
    OozePeriodic periodic;
    float support, own, eps; /* own: its own share of a density */
    float inverse;           /* 1 over the support, in units of the fixed_point */
    float smallest; /* likewise, added to squares of distances: shorter ones have no direction */
    float arrow_smallest; /* the same, m2 */
    float farthest;       /* m that a place can move on the fixed_point */
    float wall_scale;
    float tolerance;
    ListView list, wall_list;
    WallView walls;
    SolidsView solids;
    float contact, spacing, dt;
    bool relieving; /* overlaps are relieved now, by shifts of position only */

    const uint32_t *order;
    const float4 *first; /* caller's: x as it was when the stage began */
    float4 *shift;       /* caller's */
    const float4 *start; /* the rest are the caller's, as in DensityJob */
    const float *density_target, *load_excess, *mobility, *effective_inverse_mass;
    const uint16_t *rigid;
    const uint8_t *ignores_boundary;
    float4 *position_only_shift, *drift;

    uint2 *place, *next; /* where particles are and will be; marked: see UNEVEN */
    uint4 *arrow;        /* where they started, and the change of their multiplier */
    OozeProjectedMultiplier *multiplier;
    float *density_error; /* density minus rest at the last sweep */
    uint8_t *flags;
    float4 *wall_push; /* slopes times directions of the samples of walls, where there are some */
    /* Travel since the stage began below which a particle has no contact; per slice: not 0 where
       one of its particles may have one. */
    float *clearance;
    uint8_t *touches;
    DensityState *state;
};

/* Iteration k is not needed any more. */
OOZE_DEVICE bool is_converged(const DensitySweep &s, int k)
{
    return s.state->last_needed < k;
}

OOZE_DEVICE bool is_rigid(const DensitySweep &s, uint32_t o)
{
    return s.rigid && s.rigid[o];
}

OOZE_DEVICE float between(float a, float low, float high)
{
    return fminf(fmaxf(a, low), high);
}

/* Where a particle of these shifts is now. One that has been pushed farther than the fixed_point
   can tell is taken to be as far as that. */
OOZE_DEVICE uint2 place_of(const DensitySweep &s, float4 first, float4 shift, uint32_t mark)
{
    float most = s.farthest;
    return make_place(s.fixed_point, (double)first.x + (double)between(shift.x, -most, most),
                      (double)first.y + (double)between(shift.y, -most, most),
                      (double)first.z + (double)between(shift.z, -most, most), mark);
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

/* Loops of iteration k, which do nothing once the stage is through. The first one sets the flags of
   particles. */
struct DensityIteration {
    int k;
    float momentum;
    bool first;
};
void density_multipliers(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
void density_corrections(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
/* Moves particles that are inside of solids onto their surface, in `next`. */
void density_push_out(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration);
/* The next places become the present ones. */
static inline void density_swap(DensitySweep *s)
{
    uint2 *was = s->place;
    s->place = s->next;
    s->next = was;
}
/* Relieves overlaps by shifts of position only; without `overlaps` only particles inside of solids
   move. */
void density_relieve(Gpu *gpu, DensitySweep *sweep, bool overlaps);
/* Drift of pairs that are nearer than `min_distance`. */
void density_drift(Gpu *gpu, const DensitySweep *sweep, float min_distance);

} // namespace ooze

#endif
