/* A solid in the world: shape, motion, surface properties; contact with particles. */
#ifndef OOZE_SOLIDS_SOLID_H
#define OOZE_SOLIDS_SOLID_H

#include "ooze/world.h"
#include "solids/motion.h"
#include "solids/shape.h"

typedef struct OozeSolid {
    char *name;
    OozeShape *shape;
    OozeMotion motion;
    OozePose pose;     /* at the end of the present step */
    OozePose previous; /* at its beginning */
    bool driven;       /* taken over by the API: follows pose.velocity and spin */
    bool arriving;     /* driven, and `pose` is where the next step is to end */
    double params[OOZE_SOLID_PARAM_COUNT];
    bool sampled;
    float color[3];
} OozeSolid;

OozeStatus ooze_solid_create(OozeSolid *solid, const OozeSolidDef *def, OozeAxis up, double spacing,
                             OozeError *error);
void ooze_solid_free(OozeSolid *solid);

/* Numbers that may change while running; unknown ones and values out of range are refused. */
OozeStatus ooze_solid_set(OozeSolid *solid, OozeSolidParam param, double value, OozeError *error);
OozeStatus ooze_solid_get(const OozeSolid *solid, OozeSolidParam param, double *value,
                          OozeError *error);

/* Takes the solid over: the next step ends at `pose`; further steps follow its velocity and spin. */
OozeStatus ooze_solid_drive(OozeSolid *solid, const OozePose *pose, OozeError *error);

/* Moves to `time` (end of a step of length dt): from the motion, or from the driven velocity. */
void ooze_solid_advance(OozeSolid *solid, double time, double dt);

/* What a particle meets: distance (negative: inside), outward normal, surface velocity, all in world
   space at the solid's present pose. */
typedef struct OozeContact {
    double distance;
    OozeVec3 normal, velocity;
} OozeContact;
OozeContact ooze_solid_contact(const OozeSolid *solid, OozeVec3 world_point);

/* Where a particle that goes from `from` (beginning of the step) to `to` (its end) first comes
   within `margin` of the solid while approaching it. Traced along the distance in the solid's own
   frame, so neither a thin wall nor a fast solid is missed; `tolerance` is the shortest stride: walls
   thicker than it always count. True where there is a hit; `place` is then the particle's place
   relative to the solid at the end of the step (it has travelled with the solid since the hit). */
bool ooze_solid_sweep(const OozeSolid *solid, OozeVec3 from, OozeVec3 to, double margin,
                      double tolerance, double *fraction, OozeVec3 *place);

/* The same along a straight line from a to b in the solid's own frame; `point` is in that frame. */
bool ooze_solid_trace(const OozeSolid *solid, OozeVec3 a, OozeVec3 b, double margin,
                      double tolerance, double *fraction, OozeVec3 *point);

#endif
