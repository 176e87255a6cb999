/* The inside of the density stage, shared by its files. */
#ifndef OOZE_CUDA_DENSITY_SWEEP_CUH
#define OOZE_CUDA_DENSITY_SWEEP_CUH

#include "cuda/density.cuh"
#include "cuda/dial.cuh"

extern "C" {
#include "methods/projected.h"
#include "physics/cubic.h"
}

namespace ooze
{

/* What the host reads once, when the iterations are through. */
struct DensityState {
    int32_t going;  /* the last iteration that is needed: one more while some density is too high */
    int32_t off;    /* an iteration was found not to be needed */
    int32_t inside; /* in the last look a solid has let something be */
    int32_t strange; /* something may settle */
    float worst;     /* largest density beyond rest */
    double sum;      /* all density beyond rest */
};

/* A particle with a pair that has moved around itself; one with a neighbour, or itself, that gives way unlike
   most or is part of a rigid body. */
enum { TURNED = 1, UNEVEN = 2 };

/* All that bodies need; captured by value. Arrays are in the order of the stage's own grid and have n + 1
   elements, but where the caller's order is named: there particle i is order[i]. Lists are filled up with particle
   n, which pushes nobody. */
struct DensitySweep {
    uint32_t n;
    Dial dial;
    bool open; /* no axis wraps */
    OozeCubic cubic;
    OozePeriodic periodic;
    float support, own, eps; /* own: its own share of a density */
    float inverse;           /* 1 over the support, in units of the dial */
    float smallest; /* square of what has a direction, likewise; added to squares of distances */
    float arrow_smallest; /* the same, m2 */
    float farthest;       /* m that a place can move on the dial */
    float wall_scale;
    float tolerance;
    bool plain;
    ListView list, wall_list;
    WallView walls;
    SolidsView solids;
    float contact, spacing, dt;
    bool settles; /* what was kept back is moved now */

    const uint32_t *order;
    const float4 *first; /* caller's: x as it was when the stage began */
    float4 *shift;       /* caller's */
    const float4 *start; /* the rest are the caller's, as in DensityJob */
    const float *limit, *borne, *mobility, *ease;
    const uint16_t *rigid;
    const uint8_t *bare;
    float4 *settled, *drift;

    uint2 *place, *next; /* where particles are and will be; marked: gives way unlike most */
    uint4 *arrow;        /* where they started, and the change of their multiplier */
    OozePush *pushed;
    float *over; /* density beyond rest at the last look, or less */
    uint8_t *flags;
    float4 *wall_push; /* slopes times directions of the samples of walls, where there are some */
    /* Moved no farther than this from where the stage began, a particle touches nothing; where one of a slice
       may, the slice is not clear. */
    float *room;
    uint8_t *touches;
    DensityState *state;
};

/* Iteration k is not needed any more. */
OOZE_DEVICE bool is_through(const DensitySweep &s, int k)
{
    return s.state->going < k;
}

OOZE_DEVICE bool is_rigid(const DensitySweep &s, uint32_t o)
{
    return s.rigid && s.rigid[o];
}

OOZE_DEVICE float between(float a, float low, float high)
{
    return fminf(fmaxf(a, low), high);
}

/* Where a particle of these shifts is now. One that has been pushed farther than the dial can tell is taken to be
   as far as that. */
OOZE_DEVICE uint2 place_of(const DensitySweep &s, float4 first, float4 shift, uint32_t mark)
{
    float most = s.farthest;
    return make_place(s.dial, (double)first.x + (double)between(shift.x, -most, most),
                      (double)first.y + (double)between(shift.y, -most, most),
                      (double)first.z + (double)between(shift.z, -most, most), mark);
}

/* Makes the new shift of particle i known: to pairs, and to solids that it may have come to. */
OOZE_DEVICE void move(const DensitySweep &s, uint32_t i, uint32_t o, float4 shift, uint32_t mark)
{
    shift.w = 0.0f;
    s.shift[o] = shift;
    s.next[i] = place_of(s, s.first[o], shift, mark);
    if (s.room && !(s.room[i] > 0.0f && dot(shift, shift) < s.room[i] * s.room[i])) {
        s.touches[i / SLICE] = 1;
    }
}

/* Loops of iteration k, which do nothing once the stage is through. The first one finds out which particles take a
   longer way. */
struct DensityIteration {
    int k;
    float momentum;
    bool first;
};
void density_multipliers(Machine *m, const DensitySweep *sweep, DensityIteration iteration);
void density_corrections(Machine *m, const DensitySweep *sweep, DensityIteration iteration);
/* Puts what is inside of solids on their surface, where they will be. */
void density_push_out(Machine *m, const DensitySweep *sweep, DensityIteration iteration);
/* Where they will be is where they are. */
static inline void density_turn(DensitySweep *s)
{
    uint2 *was = s->place;
    s->place = s->next;
    s->next = was;
}
/* Moves what was kept back; `strangers`: there are some that settle among others. */
void density_settle(Machine *m, DensitySweep *sweep, bool strangers);
/* The move of pairs that are nearer than `apart`. */
void density_drift(Machine *m, const DensitySweep *sweep, float apart);

} // namespace ooze

#endif
