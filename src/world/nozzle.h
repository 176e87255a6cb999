/* The pattern of one layer of particles that leaves a nozzle. */
#ifndef OOZE_WORLD_NOZZLE_H
#define OOZE_WORLD_NOZZLE_H

#include "ooze/world.h"

enum { OOZE_STAR_POINTS_MIN = 3, OOZE_STAR_POINTS_MAX = 360 };

/* Points in the nozzle's frame (z = 0, jet along +z), evenly spread inside the outline, as many as
   round(area / spacing^2), so that layers one spacing apart carry the nozzle's volume. `frame` is
   the nozzle's frame at time 0, needed where the outline is cut from a shape. Free with ooze_free.
   */
OozeStatus ooze_nozzle_pattern(const OozeEmitterDef *def, OozeAxis up, double spacing,
                               const OozePose *frame, uint64_t *count, OozeVec3 **points,
                               double *area, OozeError *error);

#endif
