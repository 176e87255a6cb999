/* Rows of the key table: joints between solids. */
#include <math.h>

#include "scene/scene.h"
#include "scene/table.h"

#define JOINT(kind) OOZE_BIT(OOZE_JOINT_##kind)
#define AXIAL       (JOINT(HINGE) | JOINT(SLIDER))

static void joint_defaults(void *item, int variant)
{
    OozeSceneJoint *joint = item;
    *joint = (OozeSceneJoint){.def = ooze_joint_def_default()};
    joint->def.name = NULL;
    joint->def.kind = variant < 0 ? joint->def.kind : (OozeJointKind)variant;
}

static const OozeKey joint_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneJoint, def.name),
     .help = "its name in messages and overrides", .default_text = "joint0, joint1, ..."},
    {"type", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneJoint, def.kind),
     .help = "free motion: rotation about a point, rotation about an axis, translation along it, "
             "none",
     .required = OOZE_REQUIRED, .choices = "ball|hinge|slider|fixed"},
    {"solid", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneJoint, solid),
     .help = "name of the first solid", .required = OOZE_REQUIRED},
    {"other", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneJoint, other),
     .help = "name of the second solid", .default_text = "the world"},
    {"anchor", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeSceneJoint, def.anchor),
     .help = "position of the joint in the world at the start",
     .default_text = "the solid's position"},
    {"axis", OOZE_KEY_VEC3, "", OOZE_FREE, offsetof(OozeSceneJoint, def.axis),
     .help = "direction in the world at the start", .variants = AXIAL, .required = AXIAL},
    {"low", OOZE_KEY_REAL, "deg or m", OOZE_FREE, offsetof(OozeSceneJoint, def.low),
     .help = "lower limit of angle or position from the start; of a hinge within 180 degrees",
     .variants = AXIAL, .default_text = "no limit"},
    {"high", OOZE_KEY_REAL, "deg or m", OOZE_FREE, offsetof(OozeSceneJoint, def.high),
     .help = "upper limit of angle or position from the start", .variants = AXIAL,
     .default_text = "no limit"},
    {"speed", OOZE_KEY_REAL, "deg/s or m/s", OOZE_FREE, offsetof(OozeSceneJoint, def.speed),
     .help = "of the motor, relative to the other solid", .variants = AXIAL},
    {"force", OOZE_KEY_REAL, "N m or N", 0.0, INFINITY, offsetof(OozeSceneJoint, def.force),
     .help = "largest torque or force of the motor; 0: no motor", .variants = AXIAL},
};

const OozeSection ooze_section_joint = {
    .name = "joint",
    .plural = "joints",
    .help = "Connections of two solids, or of a solid and the world; at least one of the solids is "
            "dynamic. The two solids do not collide. See docs/bodies.md.",
    .keys = joint_keys,
    .key_count = OOZE_COUNT(joint_keys),
    .size = sizeof(OozeSceneJoint),
    .defaults = joint_defaults,
    .variant_key = "type",
};
