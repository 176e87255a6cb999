/* Joints between two solids, or between a solid and the world. */
#ifndef OOZE_SOLIDS_JOINT_H
#define OOZE_SOLIDS_JOINT_H

#include "solids/solid.h"

typedef struct OozeJoint {
    char *name;
    OozeJointKind kind;
    int solid, other;      /* indices; other -1: the world */
    OozePose at, other_at; /* poses at creation: the zero of angle and displacement */
    OozeVec3 anchor, axis; /* in the world, at creation */
    double params[OOZE_JOINT_PARAM_COUNT]; /* of a hinge in rad, rad/s and N m */
} OozeJoint;

OozeStatus ooze_joint_create(OozeJoint *joint, const OozeJointDef *def, const OozeSolid *solids,
                             int count, OozeError *error);
void ooze_joint_free(OozeJoint *joint);
/* Sets a parameter, of a hinge in deg, deg/s or N m; fails for values out of range. */
OozeStatus ooze_joint_set(OozeJoint *joint, OozeJointParam param, double value, OozeError *error);

#endif
