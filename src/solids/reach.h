/* Where a solid is and how far it comes in a step: what rules out contact at little cost. */
#ifndef OOZE_SOLIDS_REACH_H
#define OOZE_SOLIDS_REACH_H

#include "solids/solid.h"

typedef struct OozeReach {
    float low[3], high[3]; /* box around it in the world; without end where it says nothing */
    float extra;           /* m: way of its fastest point in a step */
    float spare;           /* m: what distances and the box may be wrong by */
} OozeReach;

OozeReach ooze_solid_reach(const OozeSolid *solid, double spacing, double dt);

#endif
