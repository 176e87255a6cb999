/* Joints: what holds two solids together, or one to the world. */
#ifndef OOZE_SOLIDS_JOINT_H
#define OOZE_SOLIDS_JOINT_H

#include "solids/solid.h"

typedef struct OozeJoint {
    char *name;
    OozeJointKind kind;
    int solid, other;      /* indices; other -1: the world */
    OozePose at, other_at; /* of both when it was made: where it is at zero */
    OozeVec3 anchor, axis; /* in the world, then */
    double params[OOZE_JOINT_PARAM_COUNT];
} OozeJoint;

OozeStatus ooze_joint_create(OozeJoint *joint, const OozeJointDef *def, const OozeSolid *solids,
                             int count, OozeError *error);
void ooze_joint_free(OozeJoint *joint);
/* Numbers that may change while running; values out of range are refused. */
OozeStatus ooze_joint_set(OozeJoint *joint, OozeJointParam param, double value, OozeError *error);

#endif
