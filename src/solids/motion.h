/* Motion of solids and nozzles as a function of time. */
#ifndef OOZE_SOLIDS_MOTION_H
#define OOZE_SOLIDS_MOTION_H

#include "solids/pose.h"

typedef struct OozeMotion {
    OozeKeyframe *keyframes; /* owned */
    int keyframe_count;
    OozeInterpolation interpolation;
    OozeVec3 velocity;       /* m/s */
    OozeVec3 spin;           /* rad/s */
    OozeVec3 pivot;          /* m */
    OozeVec3 sine_amplitude; /* m */
    double sine_frequency;   /* Hz */
    double sine_phase;       /* rad */
    double start, stop;      /* s */
    double ramp_time;        /* s */
    OozeVec3 position;       /* m, of the shape at rest */
    OozeQuat rotation;
} OozeMotion;

OozeStatus ooze_motion_create(OozeMotion *motion, const OozeMotionDef *def, OozeVec3 position,
                              OozeQuat rotation, OozeError *error);
void ooze_motion_free(OozeMotion *motion);
bool ooze_motion_is_still(const OozeMotion *motion);

/* Pose at a time, with the exact velocity and spin of that instant.

   Smooth keyframes pass each key with continuous velocity and spin, never overshoot it, and rest at
   the first and the last. Between two keys a rotation takes the shorter direction. Velocity, spin
   and sine run from `start`: before it the sine stands at its phase, after `stop` all stay where
   they are, so that a pose never jumps. Velocity and spin rise over the first `ramp_time`; the
   displacement is the integral of the velocity. */
OozePose ooze_motion_pose(const OozeMotion *motion, double time);

OOZE_FORMULA OozeVec3 ooze_pose_to_local(const OozePose *pose, OozeVec3 world_point)
{
    return quat_rotate_inverse(pose->rotation, vec3_sub(world_point, pose->position));
}

OOZE_FORMULA OozeVec3 ooze_pose_to_world(const OozePose *pose, OozeVec3 local_point)
{
    return vec3_add(pose->position, quat_rotate(pose->rotation, local_point));
}

/* Mean velocity of the body's material point at `world_point`, from one pose to another in `dt`. */
OOZE_FORMULA OozeVec3 ooze_pose_carry(const OozePose *from, const OozePose *to,
                                      OozeVec3 world_point, double dt)
{
    OozeVec3 next = ooze_pose_to_world(to, ooze_pose_to_local(from, world_point));
    return vec3_scale(vec3_sub(next, world_point), 1.0 / dt);
}

/* Velocity of the material point of the body that is at `world_point` now. */
OOZE_FORMULA OozeVec3 ooze_pose_velocity_at(const OozePose *pose, OozeVec3 world_point)
{
    return vec3_add(pose->velocity, vec3_cross(pose->spin, vec3_sub(world_point, pose->position)));
}

#endif
