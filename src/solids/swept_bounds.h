/* Bounds of a solid and of its motion in a step, which exclude contacts at little cost. */
#ifndef OOZE_SOLIDS_SWEPT_BOUNDS_H
#define OOZE_SOLIDS_SWEPT_BOUNDS_H

#include "solids/solid.h"

typedef struct OozeSweptBounds {
    float low[3], high[3]; /* bounding box in the world; infinite where the solid has none */
    float travel;          /* m: displacement of its fastest point in a step */
    float margin;          /* m: error of distances and of the box */
} OozeSweptBounds;

OozeSweptBounds ooze_solid_swept_bounds(const OozeSolid *solid, double spacing, double dt);

#endif
