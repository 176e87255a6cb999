/* Rows of the key table: rotations, shapes and motions. */
#include <math.h>

#include "scene/scene.h"
#include "scene/table.h"

/* ---- rotation -------------------------------------------------------------------------------- */

static const OozeKey turn_keys[] = {
    {"axis", OOZE_KEY_VEC3, "", OOZE_FREE, offsetof(OozeAxisAngle, axis),
     .help = "axis of rotation", .required = OOZE_REQUIRED},
    {"degrees", OOZE_KEY_REAL, "deg", OOZE_FREE, offsetof(OozeAxisAngle, degrees),
     .help = "right-handed angle", .required = OOZE_REQUIRED},
};

const OozeSection ooze_section_rotation = {
    .name = "rotation",
    .help = "A rotation is either this, or a list of three angles in degrees: about the x axis "
            "first, then about y, then about z (axes of the world).",
    .keys = turn_keys,
    .key_count = OOZE_COUNT(turn_keys),
    .size = sizeof(OozeAxisAngle),
};

/* ---- shape ----------------------------------------------------------------------------------- */

#define SHAPE(kind) OOZE_BIT(OOZE_SHAPE_##kind)
#define CONTAINER   (SHAPE(OPEN_BOX) | SHAPE(OPEN_CYLINDER) | SHAPE(BOWL))
#define ROUND                                                                                      \
    (SHAPE(SPHERE) | SHAPE(CAPSULE) | SHAPE(CYLINDER) | SHAPE(CONE) | SHAPE(TORUS) |               \
     SHAPE(OPEN_CYLINDER) | SHAPE(BOWL))
#define UPRIGHT   (SHAPE(CAPSULE) | SHAPE(CYLINDER) | SHAPE(CONE))
#define TALL      (UPRIGHT | SHAPE(OPEN_CYLINDER) | SHAPE(BOWL))
#define FROM_FILE (SHAPE(MESH) | SHAPE(HEIGHTFIELD))

static void shape_defaults(void *item, int variant)
{
    OozeShapeKind kind = variant < 0 ? OOZE_SHAPE_SPHERE : (OozeShapeKind)variant;
    *(OozeShapeDef *)item = ooze_shape_def_default(kind);
}

static const OozeKey shape_keys[] = {
    {"type", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeShapeDef, kind),
     .help = "kind of shape", .required = OOZE_REQUIRED,
     .choices = "plane|box|sphere|capsule|cylinder|cone|torus|open_box|open_cylinder|bowl|"
                "heightfield|mesh|compound"},
    {"size", OOZE_KEY_VEC3, "m", OOZE_NOT_NEGATIVE, offsetof(OozeShapeDef, size),
     .help =
         "full outer edge lengths of a box; the two horizontal extents of a height field, which an "
         "ESRI grid contains",
     .variants = SHAPE(BOX) | SHAPE(OPEN_BOX) | SHAPE(HEIGHTFIELD),
     .required = SHAPE(BOX) | SHAPE(OPEN_BOX), .default_text = "that of the file"},
    {"radius", OOZE_KEY_REAL, "m", OOZE_POSITIVE, offsetof(OozeShapeDef, radius),
     .help = "radius; of the base of a cone, of the ring of a torus, of the outside of an open "
             "cylinder, of the outer edge of a bowl's rim",
     .variants = ROUND, .required = ROUND},
    {"tube_radius", OOZE_KEY_REAL, "m", OOZE_POSITIVE, offsetof(OozeShapeDef, tube_radius),
     .help = "radius of a torus' tube", .variants = SHAPE(TORUS), .required = SHAPE(TORUS)},
    {"height", OOZE_KEY_REAL, "m", OOZE_POSITIVE, offsetof(OozeShapeDef, height),
     .help = "along the axis; of a capsule, between the centres of its caps; of a bowl, from its "
             "underside to its rim",
     .variants = TALL, .required = TALL},
    {"normal", OOZE_KEY_VEC3, "", OOZE_FREE, offsetof(OozeShapeDef, normal),
     .help = "direction away from the solid side of a plane", .variants = SHAPE(PLANE),
     .default_text = "up"},
    {"file", OOZE_KEY_FILE, "", OOZE_NO_RANGE, offsetof(OozeShapeDef, path),
     .help = "mesh (OBJ, PLY or STL) or height map (PGM or ESRI ASCII grid)", .variants = FROM_FILE,
     .required = FROM_FILE},
    {"checksum", OOZE_KEY_CHECKSUM, "", OOZE_NO_RANGE, 0,
     .help = "of the file's bytes: a changed file is refused (written by runs)",
     .variants = FROM_FILE, .default_text = "not checked"},
    {"height_scale", OOZE_KEY_REAL, "m", OOZE_NOT_NEGATIVE, offsetof(OozeShapeDef, height_scale),
     .help = "height of the full grey range of a height map", .variants = SHAPE(HEIGHTFIELD)},
    {"thickness", OOZE_KEY_REAL, "m", OOZE_NOT_NEGATIVE, offsetof(OozeShapeDef, thickness),
     .help = "of the walls and the bottom of a container; of the shell that a mesh becomes where "
             "it is not watertight, 0: two spacings",
     .variants = SHAPE(MESH) | CONTAINER, .required = CONTAINER, .default_text = "0"},
    {"parts", OOZE_KEY_LIST, "", OOZE_NO_RANGE, offsetof(OozeShapeDef, parts),
     .help =
         "shapes that a compound is made of, each placed in the compound's frame; up to 64, not "
         "planes, height fields, inverted or compounds",
     .variants = SHAPE(COMPOUND), .required = SHAPE(COMPOUND), .section = &ooze_section_shape,
     .count_offset = offsetof(OozeShapeDef, part_count)},
    {"inverted", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeShapeDef, inverted),
     .help = "the outside is solid: a container"},
    {"position", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeShapeDef, position),
     .help = "of the shape's origin"},
    {"rotation", OOZE_KEY_ROTATION, "", OOZE_FREE, offsetof(OozeShapeDef, rotation),
     .help = "about its origin", .default_text = "none"},
    {"scale", OOZE_KEY_SCALE, "", OOZE_POSITIVE, offsetof(OozeShapeDef, scale),
     .help = "before the rotation: one factor, or one per axis (not of a compound)"},
};

const OozeSection ooze_section_shape = {
    .name = "shape",
    .help =
        "A shape is a volume to fill, a solid, a sink or the outline of a nozzle. It is scaled "
        "first, then rotated, then moved. The axis of capsule, cylinder, cone, torus, containers "
        "and height field is the scene's `up` before the rotation; the origin of a cone is the "
        "centre of its base, that of a container the middle of its underside, that of other "
        "primitive shapes their centre.\n\nContainers are open at the top and have walls of "
        "`thickness`: `open_box`, `open_cylinder` (a cup or a pan) and `bowl`, part of a spherical "
        "shell (half of one where `height` equals `radius`). Their sizes are those of the outside. "
        "See [shapes](shapes.md) for pictures of containers and height maps. "
        "An `inverted` shape, in contrast, is solid everywhere outside, without end, and is closed "
        "at the top.",
    .keys = shape_keys,
    .key_count = OOZE_COUNT(shape_keys),
    .size = sizeof(OozeShapeDef),
    .defaults = shape_defaults,
    .variant_key = "type",
};

/* ---- motion ---------------------------------------------------------------------------------- */

static void keyframe_defaults(void *item, int variant)
{
    (void)variant;
    /* NAN: replaced by the pose of the solid or nozzle after it is read */
    *(OozeKeyframe *)item = (OozeKeyframe){0.0, {NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
}

static const OozeKey keyframe_keys[] = {
    {"time", OOZE_KEY_REAL, "s", OOZE_FREE, offsetof(OozeKeyframe, time), .help = "of the pose",
     .required = OOZE_REQUIRED},
    {"position", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeKeyframe, position),
     .help = "at this time", .default_text = "its own position"},
    {"rotation", OOZE_KEY_ROTATION, "", OOZE_FREE, offsetof(OozeKeyframe, rotation),
     .help = "at this time", .default_text = "its own rotation"},
};

static const OozeSection section_keyframe = {
    .name = "keyframe",
    .plural = "keyframes",
    .help = "One pose at one time. Times must increase; the pose is constant before the first and "
            "after the last.",
    .keys = keyframe_keys,
    .key_count = OOZE_COUNT(keyframe_keys),
    .size = sizeof(OozeKeyframe),
    .defaults = keyframe_defaults,
};

static void motion_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeMotionDef *)item = ooze_motion_def_default();
}

static const OozeKey sine_keys[] = {
    {"amplitude", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeMotionDef, sine_amplitude),
     .help = "largest displacement", .required = OOZE_REQUIRED},
    {"frequency", OOZE_KEY_REAL, "Hz", 0.0, 1e6, offsetof(OozeMotionDef, sine_frequency),
     .help = "periods per second", .required = OOZE_REQUIRED},
    {"phase", OOZE_KEY_REAL, "deg", OOZE_FREE, offsetof(OozeMotionDef, sine_phase),
     .help = "of the oscillation at `start`: 90 is a quarter of a period"},
};

/* Stored in the definition of the motion. */
static const OozeSection section_sine = {
    .name = "sine",
    .help =
        "An oscillation added to the position: amplitude sin(2 pi frequency t + phase), t counted "
        "from `start`.",
    .keys = sine_keys,
    .key_count = OOZE_COUNT(sine_keys),
    .size = sizeof(OozeMotionDef),
};

static const OozeKey motion_keys[] = {
    {"keyframes", OOZE_KEY_LIST, "", OOZE_NO_RANGE, offsetof(OozeMotionDef, keyframes),
     .help = "poses at given times, instead of position and rotation", .section = &section_keyframe,
     .count_offset = offsetof(OozeMotionDef, keyframe_count)},
    {"interpolation", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeMotionDef, interpolation),
     .help = "between keyframes", .choices = "smooth|linear"},
    {"velocity", OOZE_KEY_VEC3, "m/s", OOZE_FREE, offsetof(OozeMotionDef, velocity),
     .help = "constant velocity, added"},
    {"spin", OOZE_KEY_VEC3, "deg/s", OOZE_FREE, offsetof(OozeMotionDef, spin),
     .help = "constant angular velocity (world axes), added: 360 is a revolution per "
             "second"},
    {"pivot", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeMotionDef, pivot),
     .help = "point the spin's axis goes through, relative to the position"},
    {"sine", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, 0, .help = "an oscillation, added",
     .section = &section_sine},
    {"start", OOZE_KEY_REAL, "s", OOZE_FREE, offsetof(OozeMotionDef, start),
     .help = "time at which velocity, spin and sine begin to act"},
    {"stop", OOZE_KEY_REAL, "s", -OOZE_KEY_HUGE, INFINITY, offsetof(OozeMotionDef, stop),
     .help = "time at which they end"},
    {"ramp_time", OOZE_KEY_REAL, "s", 0.0, OOZE_KEY_HUGE, offsetof(OozeMotionDef, ramp_time),
     .help = "velocity and spin rise from 0 at `start` to their value within this time, as the "
             "first quarter of a sine; 0: at once"},
};

const OozeSection ooze_section_motion = {
    .name = "motion",
    .help = "Motion of a solid or a nozzle: the sum of the given terms.",
    .keys = motion_keys,
    .key_count = OOZE_COUNT(motion_keys),
    .size = sizeof(OozeMotionDef),
    .defaults = motion_defaults,
};
