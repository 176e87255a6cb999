/* Broad phase: the solids that a group of particles may touch. Most particles are far from most
   solids, and one bounding box or one distance excludes a group of eight: signed distances are
   1-Lipschitz. */
#ifndef OOZE_SOLIDS_BROAD_PHASE_H
#define OOZE_SOLIDS_BROAD_PHASE_H

#include "base/f32x4.h"
#include "base/memory.h"
#include "solids/solid.h"

/* Particles tested together; consecutive ones are near each other. */
enum { OOZE_BROAD_PHASE_GROUP = 8 };

typedef struct OozeBroadPhaseSolid {
    OozeF32x4 low, high; /* bounding box in the world; infinite where the solid has none */
    bool collides;
    float travel; /* m: displacement of its fastest point in a step */
    float margin; /* m: error of distances */
} OozeBroadPhaseSolid;

typedef struct OozeBroadPhase {
    const OozeSolid *solids;
    int count;
    OozeBroadPhaseSolid *items;
} OozeBroadPhase;

/* Items are in the arena. */
OozeStatus ooze_broad_phase_begin(OozeBroadPhase *broad, const OozeSolid *solids, int count,
                                  double spacing, double dt, OozeArena *arena, OozeError *error);

/* Solid k is in the set where bit k % 64 is set; solids that share a bit only cost time. */
static inline bool ooze_broad_phase_has(uint64_t set, int k)
{
    return set >> (k % 64) & 1;
}

/* Colliding solids of `among` that may be nearer than `range` to one of these points. With
   `moving`, the travel of their surface in the step is added. */
uint64_t ooze_broad_phase_find(const OozeBroadPhase *broad, const OozeF32x4 *x, uint64_t begin,
                               uint64_t end, float range, bool moving, uint64_t among);

#endif
