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
    double params[OOZE_SOLID_PARAM_COUNT];
    bool sampled;
    float color[3];
} OozeSolid;

OozeStatus ooze_solid_create(OozeSolid *solid, const OozeSolidDef *def, OozeAxis up, double spacing,
                             OozeError *error);
void ooze_solid_free(OozeSolid *solid);

/* Moves to `time` (end of a step of length dt): from the motion, or from the driven velocity. */
void ooze_solid_advance(OozeSolid *solid, double time, double dt);

/* What a particle meets: distance (negative: inside), outward normal, surface velocity, all in world
   space at the solid's present pose. */
typedef struct OozeContact {
    double distance;
    OozeVec3 normal, velocity;
} OozeContact;
OozeContact ooze_solid_contact(const OozeSolid *solid, OozeVec3 world_point);

#endif
