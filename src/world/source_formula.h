/* The effect of nozzles on one particle. Valid C17 and CUDA. */
#ifndef OOZE_WORLD_SOURCE_FORMULA_H
#define OOZE_WORLD_SOURCE_FORMULA_H

#include "solids/shape_formula.h"

/* The flow that a nozzle prescribes at a time. */
typedef struct OozeNozzleFlow {
    OozePose pose; /* of the nozzle: the exit is at z = 0, the jet along +z */
    OozeVec3 jet;  /* m/s, in the world, relative to the nozzle */
    bool over;     /* the nozzle has stopped or reached its limit: particles inside are free */
} OozeNozzleFlow;

/* The prescribed velocity of a particle at x; false: it has passed the exit, or the nozzle has
   stopped, and the particle is free. */
OOZE_FORMULA bool ooze_nozzle_velocity(const OozeNozzleFlow *flow, OozeVec3 x, OozeVec3 *velocity)
{
    *velocity = vec3_add(flow->jet, ooze_pose_velocity_at(&flow->pose, x));
    return !flow->over && !(ooze_pose_to_local(&flow->pose, x).z >= 0.0);
}

#endif
