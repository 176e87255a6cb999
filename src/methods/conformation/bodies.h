/* Bodies made of particles, inside the velocity and density stages.

   The particles of all bodies have slots, in the order of their ids, whatever their order in space: sums
   over a body run over its slots in fixed blocks, so that they do not depend on threads or sorting.

   A rigid body's velocities are u = v + w x arm: six numbers. The solver searches among such velocities
   alone; what pushes at its particles acts on their sums. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_H
#define OOZE_METHODS_CONFORMATION_BODIES_H

#include "methods/conformation/workspace.h"

#define OOZE_NO_PARTICLE UINT32_MAX

/* Linear then angular: velocities, momenta, or one row of a constraint on velocities. */
typedef struct OozeSix {
    double v[6];
} OozeSix;

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

typedef struct OozeBodies {
    OozeConformationStep *step;
    uint64_t slots;
    uint64_t *first_slot; /* per body */
    uint32_t *index;      /* slot to particle, or OOZE_NO_PARTICLE */
    uint32_t *slot;       /* particle to slot; for fluid UINT32_MAX */
    uint16_t *rigid_of;   /* per particle: number of its rigid body from 1; 0: fluid or soft */
    float *ease;          /* per particle: see OozeDensityJob */
    float *limit;         /* per particle: density that its own body makes, or 1 */
    uint8_t *bare;        /* per particle: part of a body */
    uint16_t *film;       /* per particle: row of rheology of the fluid that wets it, or its own */
    OozeVec3 *arm;        /* per slot of a rigid body: from the centre of mass, begin of step */
    OozeRigid *rigids;
    int rigid_count;
    OozeBodyBlock *blocks;
    uint64_t block_count;
    OozeSix *partial; /* per block */
    OozeRigidContact *contacts;
    uint64_t contact_count;
    /* soft: per bond of this step */
    const OozeBonds *bonds; /* NULL: no soft bodies */
    OozeFour *pull;         /* direction towards the other end; last lane: stretch, m */
    float *stiffness;       /* 1/s2 */
    uint32_t *to;           /* particle at the other end */
} OozeBodies;

/* Slots, rigid bodies as they stand, bonds. Sets step->bodies where there are any, and makes the
   velocities of rigid bodies those of rigid motions of the same momentum. */
OozeStatus ooze_bodies_begin(OozeConformationStep *step, OozeConformationMemory *own,
                             OozeError *error);
/* Rigid bodies take their new places x, all distances as at rest, and the velocities that go with their
   momenta there. */
void ooze_bodies_place(OozeConformationStep *step, OozeFour *x);

/* ---- rigid bodies: all do nothing where there are none ------------------------------------------ */

/* rigid->sum of a field of forces, or with `by_mass` of velocities: momenta. */
void ooze_rigid_gather(OozeBodies *bodies, const OozeFour *field, bool by_mass);
/* field = motion of the body at its particles, or with `add` field += response. */
void ooze_rigid_spread(OozeBodies *bodies, OozeFour *field, bool add);
/* Inverse mass times a sum. */
OozeSix ooze_rigid_respond(const OozeRigid *rigid, const OozeSix *sum);

/* The preconditioned residual of a search direction: response of the bodies to the forces r, within
   what contacts allow. Returns r . response. */
double ooze_rigid_precondition(OozeConformationStep *step, const OozeFour *r);
/* Makes of velocities what the bodies can do of them: rigid motions of the same momenta, within what contacts
   allow. */
void ooze_rigid_keep_motion(OozeConformationStep *step, OozeFour *field);
/* A pass of the velocity solve begins: contacts for the motions as they stand, written to step->u; what
   outer forces and slipping friction give goes to `star`. */
void ooze_rigid_hold(OozeConformationStep *step, OozeFour *star);
/* A pass has ended; `residual` is what is left over by the particles' forces, held or not. The motions
   become those without contacts, for the next ooze_rigid_hold. */
void ooze_rigid_release(OozeConformationStep *step, const OozeFour *residual);
/* Particles were pushed: bodies move with the momentum that they got, and into no solid. */
void ooze_rigid_settle(OozeConformationStep *step);
/* Shifts of the density stage become those of rigid motions that enter no solid. */
void ooze_rigid_shift(void *step, OozeFour *shift);

/* Which particles of rigid bodies may touch solids in this step. */
OozeStatus ooze_rigid_find_contacts(OozeBodies *bodies, OozeError *error);
/* Pushes `motion` of a body out of all its contacts, with friction. `slip`, where not NULL, gets the part
   of the impulses that friction gives to slipping contacts; the body then remembers which directions
   are held. */
void ooze_rigid_resolve(OozeBodies *bodies, OozeRigid *rigid, OozeSix *slip);

/* ---- soft bodies -------------------------------------------------------------------------------- */

OozeStatus ooze_bonds_begin(OozeBodies *bodies, OozeConformationMemory *own, OozeError *error);
void ooze_bonds_destroy(OozeBonds *bonds);
/* Force of its bonds on particle i over the reference mass, at the end of the step: of the velocities v,
   and with `known` of the stretch at its beginning. */
static inline OozeFour ooze_bond_force(const OozeBodies *b, uint64_t i, const OozeFour *v, float dt,
                                       bool known)
{
    OozeFour force = {0};
    uint32_t slot = b->slot[i];
    if (!b->bonds || slot == UINT32_MAX) {
        return force;
    }
    for (uint64_t e = b->bonds->first[slot], end = b->bonds->first[slot + 1]; e < end; e++) {
        OozeFour n = b->pull[e];
        float stretch = dt * ooze_four_dot3(v[b->to[e]] - v[i], n) + (known ? n[3] : 0.0f);
        force += (b->stiffness[e] * stretch) * n;
    }
    force[3] = 0;
    return force;
}

#endif
