/* Bodies made of particles, apart from all other particles: little beside the fluid, and for all machines the same.
   Valid C and C++.

   The particles of all bodies have slots, those of rigid bodies first, in the order of their ids, whatever their
   order in space: sums over a body run over its slots in fixed blocks, so that they do not depend on threads or
   sorting. A machine brings what its particles have into arrays of one element a slot, and takes the answer
   from there.

   A rigid body's velocities are u = v + w x arm: six numbers. The solver searches among such velocities
   alone; what pushes at its particles acts on their sums. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_H
#define OOZE_METHODS_CONFORMATION_BODIES_H

#include "methods/method.h"
#include "methods/six.h"

#define OOZE_NO_PARTICLE UINT32_MAX

typedef struct OozeRigid {
    uint64_t first, count; /* slots */
    uint64_t particles;    /* that are left */
    double mass;           /* a particle of the reference density counts 1 */
    double inverse_inertia[6];
    OozeVec3 rest_centre, centre; /* of mass */
    double rotation[9];           /* from rest, about the centre of mass */
    OozeSix given;                /* motion that the outer forces alone would give it */
    OozeSix motion;               /* as it is solved for */
    OozeSix found;                /* at the end of the last pass of the solve */
    OozeSix sum;                  /* what was gathered last */
    OozeSix response;             /* to a sum, within what contacts allow */
    OozeSix slip;                 /* what slipping friction gives it */
    uint64_t contacts, contact_count;
    OozeSix held[6], held_response[6]; /* orthonormal rows that contacts hold at present */
    int held_count;
} OozeRigid;

/* A particle of a rigid body that may come to touch a solid in this step. */
typedef struct OozeRigidContact {
    OozeVec3 arm;
    OozeSix row[3], response[3]; /* along the normal, then the tangents */
    double speed[3];     /* at least, along the normal; of the surface, along the tangents */
    double effective[3]; /* 1/(row . response) */
    double impulse[3];
    double friction;
} OozeRigidContact;

/* Bonds of the soft bodies: per slot, from rest positions; kept while the same particles are there. */
typedef struct OozeBonds {
    uint64_t slots;   /* that they were made for */
    uint64_t made_of; /* hash of the particles that they were made of */
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
    /* The machine's to fill before the beginning. */
    uint32_t *index;   /* per slot: its particle, or OOZE_NO_PARTICLE */
    OozeFloat4 *rest;  /* per slot: where the particle was when it came into the world */
    OozeFloat4 *place; /* per rigid slot: where it is; last lane: its weight, see OozeRheology */
    /* Per rigid slot, and one more for the machine: room for what it brings and takes. */
    OozeFloat4 *field[2];
    OozeVec3 *arm; /* per rigid slot: from the centre of mass, begin of step */
    OozeRigid *rigids;
    int rigid_count;
    OozeBodyBlock *blocks;
    uint64_t block_count;
    OozeSix *partial; /* per block */
    OozeRigidContact *contacts;
    uint64_t contact_count;
    const OozeBonds *bonds; /* NULL: no soft bodies */
} OozeBodies;

/* Room, and which slots are whose. */
OozeStatus ooze_bodies_create(OozeBodies *bodies, const OozeStepContext *context, float contact,
                              OozeError *error);
/* Rigid bodies as they stand, and what they may touch; velocities u become those of rigid motions of the same
   momenta. */
OozeStatus ooze_bodies_begin(OozeBodies *bodies, OozeFloat4 *u, OozeError *error);
/* Rigid bodies of the velocities u take their new places x, all distances as at rest, and the velocities that go with
   their momenta there. */
void ooze_bodies_place(OozeBodies *bodies, OozeFloat4 *u, OozeFloat4 *x);

/* ---- rigid bodies: fields are per rigid slot ----------------------------------------------------- */

/* rigid->sum of a field of forces, or with `by_mass` of velocities: momenta. */
void ooze_rigid_gather(OozeBodies *bodies, const OozeFloat4 *field, bool by_mass);
/* field = motion of the body at its particles. */
void ooze_rigid_spread_motion(const OozeBodies *bodies, OozeFloat4 *field);
/* field = response of the body at its particles. */
void ooze_rigid_spread_response(const OozeBodies *bodies, OozeFloat4 *field);
/* Inverse mass times a sum. */
OozeSix ooze_rigid_respond(const OozeRigid *rigid, const OozeSix *sum);
/* How far its particles give way in the density stage, over their mobility: see OozeDensityJob. */
float ooze_rigid_ease(const OozeRigid *rigid);

/* The preconditioned residual of a search direction: response of the bodies to the forces r, within
   what contacts allow. Returns r . response. */
double ooze_rigid_precondition(OozeBodies *bodies, const OozeFloat4 *r);
/* Makes of velocities what the bodies can do of them: rigid motions of the same momenta, within what contacts
   allow. */
void ooze_rigid_keep_motion(OozeBodies *bodies, OozeFloat4 *field);
/* A pass of the velocity solve begins: contacts for the motions as they stand, written to u; what
   outer forces and slipping friction give goes to `star`. */
void ooze_rigid_hold(OozeBodies *bodies, OozeFloat4 *u, OozeFloat4 *star);
/* A pass has ended with the velocities u; `residual` is what is left over by the particles' forces, held or not. The
   motions become those without contacts, for the next ooze_rigid_hold. */
void ooze_rigid_release(OozeBodies *bodies, const OozeFloat4 *u, const OozeFloat4 *residual);
/* Particles were pushed: bodies move with the momentum that they got, and into no solid. */
void ooze_rigid_settle(OozeBodies *bodies, OozeFloat4 *u);
/* Shifts of the density stage become those of rigid motions that enter no solid. */
void ooze_rigid_shift(OozeBodies *bodies, OozeFloat4 *shift);

/* Which particles of rigid bodies, with velocities u, may touch solids in this step. */
OozeStatus ooze_rigid_find_contacts(OozeBodies *bodies, const OozeFloat4 *u, OozeError *error);
/* Pushes `motion` of a body out of all its contacts, with friction. `slip`, where not NULL, gets the part
   of the impulses that friction gives to slipping contacts; the body then remembers which directions
   are held. */
void ooze_rigid_resolve(OozeBodies *bodies, OozeRigid *rigid, OozeSix *slip);

/* ---- soft bodies -------------------------------------------------------------------------------- */

/* Sets bodies->bonds; *kept is what the last step had, or NULL. */
OozeStatus ooze_bonds_find(OozeBodies *bodies, OozeBonds **kept, OozeError *error);
void ooze_bonds_destroy(OozeBonds *bonds);

#endif
