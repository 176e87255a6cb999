/* Particle bodies, separated from all other particles: the same code for the processor and the GPU.
   Valid C and C++.

   The particles of all bodies have slots, those of rigid bodies first, in the order of their ids,
   whatever their order in space: sums over a body run over its slots in fixed blocks, so that they
   do not depend on threads or sorting. The caller copies fields of its particles into arrays of one
   element a slot, and copies the results back.

   The velocities of a rigid body are u = v + w x arm: six unknowns. Forces on its particles act by
   their sum and torque. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_BODIES_H
#define OOZE_METHODS_CONFORMATION_BODIES_BODIES_H

#include "base/formula.h"
#include "methods/method.h"
#include "solvers/twist.h"

#define OOZE_NO_PARTICLE UINT32_MAX

/* The fluid that wets a particle of a body is that of its nearest fluid neighbour, whose edge has
   the largest weight. */
OOZE_FORMULA bool ooze_film_is_nearer(bool fluid, float weight, float *largest)
{
    bool nearer = fluid && weight > *largest;
    *largest = nearer ? weight : *largest;
    return nearer;
}

typedef struct OozeRigid {
    uint64_t first, count; /* slots */
    uint64_t particles;    /* present */
    double mass;           /* in particles of the reference density */
    double inverse_inertia[6];
    OozeVec3 rest_centre, centre; /* of mass */
    double rotation[9];           /* from rest, about the centre of mass */
    OozeTwist motion_star;        /* motion under external forces alone */
    OozeTwist motion;             /* the unknown of the solve */
    OozeTwist pass_motion;        /* motion at the end of the last pass */
    OozeTwist sum;                /* of the last gather */
    OozeTwist response;           /* to a sum, constrained by contacts */
    OozeTwist slip;               /* change by slipping friction */
    uint64_t contacts, contact_count;
    OozeTwist held[6]; /* independent rows that contacts hold at present */
    int held_count;
    OozeTwistMatrix inverse;  /* of the mass, without the rows that are held */
    OozeTwistMatrix smoother; /* of the mass and the stiffness of what is around it, likewise */
} OozeRigid;

/* A possible contact of a particle of a rigid body with a solid in this step. */
typedef struct OozeRigidContact {
    OozeVec3 arm;
    OozeTwist row[3], response[3]; /* along the normal, then the tangents */
    double speed[3];     /* at least, along the normal; of the surface, along the tangents */
    double effective[3]; /* 1/(row . response) */
    double impulse[3];
    double friction;
} OozeRigidContact;

/* Bonds of the soft bodies: per slot, from rest positions; kept while the particles are the
   same. */
typedef struct OozeBonds {
    uint64_t slots;   /* that they were made for */
    uint64_t made_of; /* hash of the particles they connect */
    uint64_t *first;  /* slots + 1 */
    uint32_t *other;  /* slot at the other end */
    float *length;    /* at rest, m */
    float *share;     /* see physics/bond.h, surface included */
} OozeBonds;

typedef struct OozeBodyBlock {
    uint64_t begin, end; /* slots */
    int rigid;
} OozeBodyBlock;

/* In the step arena. */
typedef struct OozeBodies {
    const OozeStepContext *context;
    float contact; /* m between centres and solids */
    uint64_t slots, rigid_slots;
    uint64_t *first_slot; /* per body */
    uint16_t *rigid_of;   /* per body: its number among rigid bodies from 1; 0: soft */
    /* Filled by the caller before ooze_bodies_begin. */
    uint32_t *index;   /* per slot: its particle, or OOZE_NO_PARTICLE */
    OozeFloat4 *rest;  /* per slot: position of the particle when it was added */
    OozeFloat4 *place; /* per rigid slot: position; last lane: relative mass */
    /* Per rigid slot: copies of fields. */
    OozeFloat4 *field[2];
    OozeVec3 *arm; /* per rigid slot: from the centre of mass, begin of step */
    OozeRigid *rigids;
    int rigid_count;
    OozeBodyBlock *blocks;
    uint64_t block_count;
    OozeTwist *partial; /* per block */
    OozeRigidContact *contacts;
    uint64_t contact_count;
    const OozeBonds *bonds; /* NULL: no soft bodies */
} OozeBodies;

/* Allocates, and assigns slots to bodies. */
OozeStatus ooze_bodies_create(OozeBodies *bodies, const OozeStepContext *context, float contact,
                              OozeError *error);
/* Finds poses and possible contacts of rigid bodies; velocities u become those of rigid motions of
   the same momenta. */
OozeStatus ooze_bodies_begin(OozeBodies *bodies, OozeFloat4 *u, OozeError *error);
/* Moves rigid bodies with the velocities u to new positions x, all distances as at rest; u becomes
   the velocities of the same momenta in the new pose. */
void ooze_bodies_place(OozeBodies *bodies, OozeFloat4 *u, OozeFloat4 *x);

/* ---- rigid bodies: fields are per rigid slot ---- */

/* rigid->sum of a field of forces, or with `by_mass` of velocities: momenta. */
void ooze_rigid_gather(OozeBodies *bodies, const OozeFloat4 *field, bool by_mass);
/* field = motion of the body at its particles. */
void ooze_rigid_spread_motion(const OozeBodies *bodies, OozeFloat4 *field);
/* field = response of the body at its particles. */
void ooze_rigid_spread_response(const OozeBodies *bodies, OozeFloat4 *field);
/* Inverse mass times a sum. */
OozeTwist ooze_rigid_respond(const OozeRigid *rigid, const OozeTwist *sum);
/* Effective inverse mass of a particle of the body over its own: see OozeDensityJob. */
float ooze_rigid_inverse_mass_ratio(const OozeRigid *rigid);

/* Sets rigid->smoother of all; around: per rigid slot, stiffness of what is around the body against
   a motion of this particle as part of it. */
void ooze_rigid_set_smoothers(OozeBodies *bodies, const OozeSym3 *around);
/* The preconditioned residual of a search direction: response of the bodies to the forces r,
   constrained by contacts. Returns r . response. */
double ooze_rigid_precondition(OozeBodies *bodies, const OozeFloat4 *r);
/* After it: the responses become those by rigid->smoother. */
void ooze_rigid_smooth(OozeBodies *bodies);
/* Projects velocities onto rigid motions of the same momenta, constrained by contacts. */
void ooze_rigid_project_velocities(OozeBodies *bodies, OozeFloat4 *field);
/* Begins a pass of the velocity solve: resolves contacts for the present motions, which are written
   to u; `u_star` receives the motions under external forces and slipping friction. */
void ooze_rigid_begin_pass(OozeBodies *bodies, OozeFloat4 *u, OozeFloat4 *u_star);
/* Ends a pass with the velocities u; `residual` is that of the particles' forces, contacts not
   counted. The motions become those without contacts, for the next ooze_rigid_begin_pass. */
void ooze_rigid_end_pass(OozeBodies *bodies, const OozeFloat4 *u, const OozeFloat4 *residual);
/* Bodies move with the momentum of their particles, constrained by contacts. */
void ooze_rigid_apply_impulses(OozeBodies *bodies, OozeFloat4 *u);
/* Shifts of the density stage become those of rigid motions that enter no solid. */
void ooze_rigid_shift(OozeBodies *bodies, OozeFloat4 *shift);

/* Finds the possible contacts of rigid bodies with velocities u in this step. */
OozeStatus ooze_rigid_find_contacts(OozeBodies *bodies, const OozeFloat4 *u, OozeError *error);

/* ---- soft bodies ---- */

/* Sets bodies->bonds; *kept is the bonds of the last step, or NULL. */
OozeStatus ooze_bonds_find(OozeBodies *bodies, OozeBonds **kept, OozeError *error);
void ooze_bonds_destroy(OozeBonds *bonds);

#endif
