/* A solid in the world: shape, motion, surface properties; contact with particles. */
#ifndef OOZE_SOLIDS_SOLID_H
#define OOZE_SOLIDS_SOLID_H

#include "ooze/world.h"
#include "solids/motion.h"
#include "solids/shape.h"

/* Of a dynamic solid, in its own frame: see dynamic.h. */
typedef struct OozeSolidMass {
    double density; /* kg/m3; 0: it is not dynamic, its motion says where it goes */
    double mass;    /* kg */
    OozeVec3 centre;
    OozeVec3 moments; /* kg m2, about the centre, along the principal axes */
    OozeQuat axes;    /* turns these into the solid's frame */
} OozeSolidMass;

typedef struct OozeSolid {
    char *name;
    OozeShape *shape;
    OozeMotion motion;
    OozePose pose;     /* at the end of the present step */
    OozePose previous; /* at its beginning */
    OozePose begin,
        end;       /* of the whole step, where it is cut into several; of a dynamic solid `begin` is
                            where the substep begins */
    bool driven;   /* taken over by the API: follows pose.velocity and spin */
    bool arriving; /* driven, and `pose` is where the next step is to end */
    double params[OOZE_SOLID_PARAM_COUNT];
    OozeSolidMass mass;
    bool sampled;
    OozeBounds clip; /* local: an infinite plane carries samples inside it only */
    float color[3];
} OozeSolid;

OozeStatus ooze_solid_create(OozeSolid *solid, const OozeSolidDef *def, OozeAxis up, double spacing,
                             OozeError *error);
void ooze_solid_free(OozeSolid *solid);

/* Numbers that may change while running; unknown ones and values out of range are refused. */
OozeStatus ooze_solid_set(OozeSolid *solid, OozeSolidParam param, double value, OozeError *error);
OozeStatus ooze_solid_get(const OozeSolid *solid, OozeSolidParam param, double *value,
                          OozeError *error);

/* Takes the solid over: the next step ends at `pose`; further steps follow its velocity and
   spin. */
OozeStatus ooze_solid_drive(OozeSolid *solid, const OozePose *pose, OozeError *error);

/* Moves to `time` (end of a step of length dt): from the motion, or from the driven velocity. */
void ooze_solid_advance(OozeSolid *solid, double time, double dt);

/* Part of the step that ooze_solid_advance has made: from one share of it to another, 0 to 1, which
   ends at `time`. */
void ooze_solid_part(OozeSolid *solid, double from, double to, double from_time, double to_time);

/* What a particle meets: distance (negative: inside), outward normal, surface velocity, all in
   world space at the solid's present pose. */
typedef struct OozeContact {
    double distance;
    OozeVec3 normal, velocity;
} OozeContact;
OozeContact ooze_solid_contact(const OozeSolid *solid, OozeVec3 world_point);
/* The first two of these alone. */
double ooze_solid_distance(const OozeSolid *solid, OozeVec3 world_point, OozeVec3 *normal);

/* What a straight way in the solid's own frame meets. */
typedef struct OozeTrace {
    bool hit;
    bool clear;      /* no hit, and the solid is out of reach of the whole way, its end too */
    double fraction; /* of the way, at the hit */
    OozeVec3 point;  /* in the solid's frame, at the hit */
} OozeTrace;

/* Where a particle on its way from a to b first comes within `margin` of the solid while
   approaching it. Both are in the solid's own frame, a in that of the beginning of a step and b
   in that of its end, and the way is traced along the distance there: neither a thin wall nor a
   fast solid is missed. `tolerance` is the shortest stride: walls thicker than it always count. */
OozeTrace ooze_solid_trace(const OozeSolid *solid, OozeVec3 a, OozeVec3 b, double margin,
                           double tolerance);

#endif
