/* Placement and motion of a rigid frame. */
#ifndef OOZE_SOLIDS_POSE_H
#define OOZE_SOLIDS_POSE_H

#include "base/angle.h"
#include "ooze/shape.h"

typedef struct OozePose {
    OozeVec3 position; /* m, of the frame's origin */
    OozeQuat rotation; /* from the frame's axes to the world's */
    OozeVec3 velocity; /* m/s, of the origin */
    OozeVec3 spin;     /* rad/s, angular velocity, world axes */
} OozePose;

/* From and to the pose of the public API, whose spin is in deg/s. */
OOZE_FORMULA OozePose ooze_pose_from_public(const OozeSolidPose *pose)
{
    OozePose own = {pose->position, pose->rotation, pose->velocity, ooze_vec3_radians(pose->spin)};
    return own;
}

OOZE_FORMULA OozeSolidPose ooze_pose_to_public(const OozePose *pose)
{
    OozeSolidPose view = {pose->position, pose->rotation, pose->velocity,
                          ooze_vec3_degrees(pose->spin)};
    return view;
}

#endif
