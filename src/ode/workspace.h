/* What the files of this folder share: a stroke on its way. */
#ifndef OOZE_ODE_WORKSPACE_H
#define OOZE_ODE_WORKSPACE_H

#include <ode/ode.h>

#include "solids/dynamic.h"
#include "solids/feelers.h"

/* A meeting of two solids, ready to be solved. */
typedef struct OozeOdeContact {
    int a, b; /* a gives way */
    OozeVec3 point, normal, slide;
    double friction;
    double push,
        keep;    /* least speed at which they part, m/s: to be where they should, and to be kept */
    double give; /* 1/kg: how little a soft contact gives */
} OozeOdeContact;

typedef struct OozeOdeWork {
    const OozeDynamicStage *stage;
    OozePose *start;           /* of each solid: where the stroke begins, with what it was given */
    OozeTraveller *travellers; /* of each */
    OozeOdeContact *contacts;
    int contact_count, contact_room;
    bool *held;      /* of each: by a contact or a joint */
    bool pushed;     /* some contact's push is not its keep */
    double softness; /* factor on what contacts and joints give */
    double uneven;   /* m/s: see solve.c */
    int attempt;
    bool corrects;    /* this solution says where solids come to, not how fast they are */
    OozePose *solved; /* of each that is held: velocity and spin after */
    dBodyID *bodies;  /* of each; NULL: not held */
    bool complete;    /* ODE had the memory it needs */
} OozeOdeWork;

/* Speeds of the held solids that obey contacts and joints: reads all, writes `solved` and `complete`. */
void ooze_ode_solve(void *work);

/* All pairs that meet: fills contacts, `held` and `pushed`. */
OozeStatus ooze_ode_find_contacts(OozeOdeWork *work, OozeError *error);

#endif
