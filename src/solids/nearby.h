/* Which solids a handful of particles may touch. Most particles are far from most solids, and a box or one
   distance for eight of them tells so: distances grow no faster than the way. */
#ifndef OOZE_SOLIDS_NEARBY_H
#define OOZE_SOLIDS_NEARBY_H

#include "base/four.h"
#include "base/memory.h"
#include "solids/solid.h"

/* Particles that ask together, one after the other in space. */
enum { OOZE_NEARBY_GROUP = 8 };

/* A solid of a step, as far as the question needs. */
typedef struct OozeNearbySolid {
    OozeFour low, high; /* box around it in the world; without end where it says nothing */
    bool collides;
    float extra; /* m: its fastest point in a step */
    float spare; /* m: what distances may be wrong by */
} OozeNearbySolid;

typedef struct OozeNearby {
    const OozeSolid *solids;
    int count;
    OozeNearbySolid *items;
} OozeNearby;

/* Items lie in the arena. */
OozeStatus ooze_nearby_begin(OozeNearby *nearby, const OozeSolid *solids, int count, double spacing,
                             double dt, OozeArena *arena, OozeError *error);

/* Solid k is among those named by the set where bit k % 64 is set: a solid that is named without need
   costs time and nothing else. */
static inline bool ooze_nearby_has(uint64_t set, int k)
{
    return set >> (k % 64) & 1;
}

/* Colliding solids of `among` that may be nearer than `reach` to one of these points. With `moving`, the
   way of their surface in the step is added. */
uint64_t ooze_nearby_find(const OozeNearby *nearby, const OozeFour *x, uint64_t begin, uint64_t end,
                          float reach, bool moving, uint64_t among);

#endif
