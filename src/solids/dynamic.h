/* Dynamic solids: rigid bodies with a shape, moved by gravity, particles, contacts and joints.

   In a substep such a solid first moves from `previous` to `pose` in free flight. The method adds
   the impulses of its particles to `loads`. Then the solid moves again from `previous`, with these
   loads, and with contacts and joints if there is a solver for them. */
#ifndef OOZE_SOLIDS_DYNAMIC_H
#define OOZE_SOLIDS_DYNAMIC_H

#include "solids/joint.h"
#include "solids/solid.h"

/* Impulses on a solid in a substep. */
typedef struct OozeLoad {
    OozeVec3 impulse; /* N s */
    OozeVec3 moment;  /* N m s, about its centre of mass at `pose` */
} OozeLoad;

typedef struct OozeDynamicStage OozeDynamicStage;

/* A solver of contacts and joints of dynamic solids. */
typedef struct OozeDynamics {
    const char *name;
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    /* Takes each dynamic solid from `previous`, by gravity, its load, contacts and joints, to a new
       `pose`; others are where they are, and move with `pose`. May be called several times in a
       step. Nothing that it keeps in `data` decides how solids go on: a resumed run goes on
       alike. */
    OozeStatus (*move)(void *data, const OozeDynamicStage *stage, OozeError *error);
} OozeDynamics;

/* The dynamic solids of a step. */
struct OozeDynamicStage {
    OozeSolid *solids;
    int count;
    const OozeJoint *joints;
    int joint_count;
    OozeLoad *loads; /* one per solid, dynamic or not; zero at the beginning */
    OozeVec3 gravity;
    double dt;
    int exact_contacts_max;       /* islands with more contacts are solved iteratively */
    const OozeDynamics *dynamics; /* NULL: they fly freely */
    void *data;
    bool moved; /* the method has done it */
};

/* Begins a substep of them: from where they are, or from where the same substep began before, to
   where they would fly freely in stage->dt; loads are zero again. */
void ooze_dynamic_start(OozeSolid *solids, int count); /* once, before the first try */
void ooze_dynamic_begin(OozeDynamicStage *stage);

/* Moves them all; a method that has to know where they come to calls it, the world does
   otherwise. */
OozeStatus ooze_dynamic_move(OozeDynamicStage *stage, OozeError *error);

bool ooze_solid_is_dynamic(const OozeSolid *solid);
/* Its centre of mass in the world, at a pose. */
OozeVec3 ooze_dynamic_centre(const OozeSolid *solid, const OozePose *pose);
/* Velocity of its centre of mass at a pose, and the velocity of the pose that gives it this one. */
OozeVec3 ooze_dynamic_velocity(const OozeSolid *solid, const OozePose *pose);
void ooze_dynamic_set_velocity(const OozeSolid *solid, OozePose *pose, OozeVec3 velocity,
                               OozeVec3 spin);
/* Whether two solids may touch: both collide, one is dynamic, and no joint connects them. */
bool ooze_solids_collide(const OozeSolid *solids, int a, int b, const OozeJoint *joints,
                         int joint_count);
/* Change of spin by a moment about the centre, at a pose: the inverse inertia times it. */
OozeVec3 ooze_dynamic_spin_by(const OozeSolid *solid, const OozePose *pose, OozeVec3 moment);
/* Angular momentum about the centre: the inertia times a spin. */
OozeVec3 ooze_dynamic_momentum(const OozeSolid *solid, const OozePose *pose, OozeVec3 spin);
/* Velocity and spin of a pose change by a load. */
void ooze_dynamic_push(const OozeSolid *solid, OozePose *pose, const OozeLoad *load);
/* An impulse at a point of the world, added to a load. */
void ooze_load_add(OozeLoad *load, OozeVec3 centre, OozeVec3 point, OozeVec3 impulse);
/* Free flight for dt, from a pose with its velocity and spin; gyroscopic terms included to second
   order. */
OozePose ooze_dynamic_fly(const OozeSolid *solid, const OozePose *from, OozeVec3 gravity,
                          double dt);

#endif
