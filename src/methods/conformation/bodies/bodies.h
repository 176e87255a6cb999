/* Particle bodies on the processor, separated from all other particles; the GPU shares their slots
   and bonds. Valid C and C++.

   The particles of all bodies have slots, those of rigid bodies first, in the order of their ids,
   whatever their order in space: sums over a body run over its slots in fixed blocks, so that they
   do not depend on threads or sorting. The caller copies fields of its particles into arrays of one
   element a slot, and copies the results back.

   rigid_formula.h describes one rigid body. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_BODIES_H
#define OOZE_METHODS_CONFORMATION_BODIES_BODIES_H

#include "base/formula.h"
#include "methods/conformation/bodies/rigid_formula.h"
#include "methods/method.h"

#define OOZE_NO_PARTICLE UINT32_MAX
/* A particle of another process, which has a slot here too. */
#define OOZE_FAR_PARTICLE (UINT32_MAX - 1)

/* The fluid that wets a particle of a body is that of its nearest fluid neighbour, whose edge has
   the largest weight. */
OOZE_FORMULA bool ooze_film_is_nearer(bool fluid, float weight, float *largest)
{
    bool nearer = fluid && weight > *largest;
    *largest = nearer ? weight : *largest;
    return nearer;
}

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
    const OozeBonds *bonds;          /* NULL: no soft bodies */
    struct OozeBodySharing *sharing; /* of particles among processes; NULL: there is one */
} OozeBodies;

/* Lists the bodies and assigns their slots. */
OozeStatus ooze_bodies_assign_slots(OozeBodies *bodies, const OozeStepContext *context,
                                    float contact, OozeError *error);
/* Allocates the arrays of one element a slot. */
OozeStatus ooze_bodies_allocate(OozeBodies *bodies, OozeError *error);
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
