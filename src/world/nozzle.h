/* The pattern of one layer of particles that leaves a nozzle. */
#ifndef OOZE_WORLD_NOZZLE_H
#define OOZE_WORLD_NOZZLE_H

#include "ooze/world.h"
#include "solids/pose.h"

enum { OOZE_STAR_POINTS_MIN = 3, OOZE_STAR_POINTS_MAX = 360 };

/* One layer in the nozzle's frame (jet along +z): points evenly spread inside the outline,
   round(area / spacing^2) of them, so that layers one spacing apart carry the nozzle's volume, and
   from z = 0 to one spacing ahead. */
typedef struct OozeNozzlePattern {
    OozeVec3 *points; /* free with ooze_free */
    uint64_t count;
    double area; /* of the outline, m2 */
} OozeNozzlePattern;

/* `frame` is the nozzle's frame at time 0, needed where the outline is cut from a shape. */
OozeStatus ooze_nozzle_pattern(const OozeEmitterDef *def, OozeAxis up, double spacing,
                               const OozePose *frame, OozeNozzlePattern *pattern, OozeError *error);
/* Sets z of the points: see nozzle_stagger.c. */
OozeStatus ooze_nozzle_stagger(OozeNozzlePattern *pattern, double spacing, OozeError *error);

#endif
