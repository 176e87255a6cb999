/* Dynamic solids: rigid bodies with a shape, moved by gravity, particles, contacts and joints.

   In a substep such a solid first moves from `previous` to `pose` in free flight. The method adds
   the impulses of its particles to `loads`. Then the solid moves again from `previous`, with these
   loads, and with contacts and joints if there is a solver for them. */
#ifndef OOZE_SOLIDS_DYNAMIC_H
#define OOZE_SOLIDS_DYNAMIC_H

#include "solids/dynamic_formula.h"
#include "solids/joint.h"

typedef struct OozeDynamicStage OozeDynamicStage;

/* A solver of contacts and joints of dynamic solids. */
typedef struct OozeDynamics {
    const char *name;
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    /* Moves each dynamic solid from `previous` to a new `pose` by gravity, load, contacts and
       joints; other solids move from `previous` to `pose`. May be called several times in a step.
       Results must not depend on `data`, so that a resumed run has the same bits. */
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
    const OozeDynamics *dynamics; /* NULL: no contacts and joints */
    void *data;
    bool moved; /* ooze_dynamic_move has been called */
};

/* ooze_dynamic_start stores the poses, once before the first attempt of a substep;
   ooze_dynamic_begin sets loads to zero and predicts free flight from these poses, before each. */
void ooze_dynamic_start(OozeSolid *solids, int count);
void ooze_dynamic_begin(OozeDynamicStage *stage);

/* Moves all dynamic solids. Called by methods that need the final poses, otherwise by the world. */
OozeStatus ooze_dynamic_move(OozeDynamicStage *stage, OozeError *error);

/* Whether two solids may touch: both collide, one is dynamic, and no joint connects them. */
bool ooze_solids_collide(const OozeSolid *solids, int a, int b, const OozeJoint *joints,
                         int joint_count);
/* Adds the changes of velocity and spin by a load. */
void ooze_dynamic_apply_load(const OozeSolid *solid, OozePose *pose, const OozeLoad *load);
#endif
