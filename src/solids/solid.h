/* A solid in the world: shape, motion, surface properties; contact with particles. */
#ifndef OOZE_SOLIDS_SOLID_H
#define OOZE_SOLIDS_SOLID_H

#include <math.h>

#include "ooze/world.h"
#include "solids/cell_samples.h"
#include "solids/cell_set.h"
#include "solids/motion.h"
#include "solids/shape.h"

/* Mass properties in the solid's frame; see dynamic.h. */
typedef struct OozeSolidMass {
    double density; /* kg/m3; 0: not dynamic, follows its motion */
    double mass;    /* kg */
    OozeVec3 centre;
    OozeVec3 moments; /* kg m2, about the centre, along the principal axes */
    OozeQuat axes;    /* rotation from the principal axes to the solid's frame */
} OozeSolidMass;

enum { OOZE_SOLID_KEPT_NUMBERS = 6 };

typedef struct OozeSolid {
    char *name;
    OozeShape *shape;
    OozeMotion motion;
    OozePose pose;     /* at the end of the present step */
    OozePose previous; /* at the beginning of the step */
    /* of the full step, where it is divided into substeps; of a dynamic solid `begin` is the pose
       at the beginning of the substep */
    OozePose begin, end;
    /* Dynamic: what the method keeps of it from one substep to the next, 0 at first and when it is
       placed: see solid_state of methods/method.h */
    double kept_by_method[OOZE_SOLID_KEPT_NUMBERS];
    bool driven;   /* by the API: follows pose.velocity and spin */
    bool arriving; /* driven, and `pose` is the one at the end of the next step */
    double params[OOZE_SOLID_PARAM_COUNT];
    OozeSolidMass mass;
    bool sampled;
    OozeBounds clip;     /* local: samples of an infinite plane lie inside it */
    double sample_count; /* estimated number of samples of the whole surface; 0: not computed yet */
    /* A large solid has samples near fluid only: within sampled_reach cells of the cells below (see
       surface_lattice.h). */
    bool sampled_in_cells;
    bool undivided[3]; /* axes along which there is one cell */
    int sampled_reach;
    bool resampled; /* in the last substep: cells get no margin where they change all the time */
    OozeCellSet sampled_cells;
    OozeCellSamples cell_samples; /* in these cells, where it has no lattice */
    float color[3];
} OozeSolid;

OozeStatus ooze_solid_create(OozeSolid *solid, const OozeSolidDef *def, OozeAxis up, double spacing,
                             OozeThreads *threads, OozeError *error);
void ooze_solid_free(OozeSolid *solid);

/* Parameters that may change while running; fails for unknown ones and values out of range. */
OozeStatus ooze_solid_set(OozeSolid *solid, OozeSolidParam param, double value, OozeError *error);
OozeStatus ooze_solid_get(const OozeSolid *solid, OozeSolidParam param, double *value,
                          OozeError *error);

/* Coulomb coefficient of fluid on the solid. Without one of its own fluid does not slip: it sticks
   to walls, whatever its viscosity. */
static inline double ooze_solid_fluid_friction(const OozeSolid *solid)
{
    double given = solid->params[OOZE_SOLID_FRICTION];
    return isnan(given) ? INFINITY : given;
}

/* The same of other solids, of rigid bodies and of ballistic particles, which touch it dry. */
#define OOZE_DRY_FRICTION 0.5
static inline double ooze_solid_dry_friction(const OozeSolid *solid)
{
    double given = solid->params[OOZE_SOLID_FRICTION];
    return isnan(given) ? OOZE_DRY_FRICTION : given;
}

/* The next step ends at `pose`; further steps follow its velocity and spin. A dynamic solid is
   placed there at once. */
OozeStatus ooze_solid_drive(OozeSolid *solid, const OozePose *pose, OozeError *error);

/* Moves to `time` (end of a step of length dt): from the motion, or from the driven velocity. */
void ooze_solid_advance(OozeSolid *solid, double time, double dt);

/* Restricts the step of ooze_solid_advance to a substep: `from` and `to` are fractions of the step,
   0 to 1. */
void ooze_solid_set_substep(OozeSolid *solid, double from, double to, double from_time,
                            double to_time);

/* Distance (negative: inside), outward normal and surface velocity, in the world, at the solid's
   current pose. */
typedef struct OozeContact {
    double distance;
    OozeVec3 normal, velocity;
} OozeContact;
OozeContact ooze_solid_contact(const OozeSolid *solid, OozeVec3 world_point);
/* Distance and normal of ooze_solid_contact. */
double ooze_solid_distance(const OozeSolid *solid, OozeVec3 world_point, OozeVec3 *normal);

#endif
