/* Bodies made of particles among all particles of a step on the processor: see bodies.h. All do nothing where there
   are none. */
#ifndef OOZE_METHODS_CONFORMATION_STEP_BODIES_H
#define OOZE_METHODS_CONFORMATION_STEP_BODIES_H

#include "methods/conformation/bodies.h"
#include "methods/conformation/workspace.h"

typedef struct OozeStepBodies {
    OozeConformationStep *step;
    OozeBodies all;
    uint32_t *slot;     /* particle to slot; for fluid UINT32_MAX */
    uint16_t *rigid_of; /* per particle: number of its rigid body from 1; 0: fluid or soft */
    float *ease;        /* per particle: see OozeDensityJob */
    float *limit;       /* per particle: density that its own body makes, or 1 */
    uint8_t *bare;      /* per particle: part of a body */
    uint16_t *film;     /* per particle: row of rheology of the fluid that wets it, or its own */
    /* soft: per bond of this step */
    const OozeBonds *bonds; /* NULL: no soft bodies */
    OozeFour *pull;         /* direction towards the other end; last lane: stretch, m */
    float *stiffness;       /* 1/s2 */
    uint32_t *to;           /* particle at the other end */
} OozeStepBodies;

/* Sets step->bodies where there are any, and makes the velocities of rigid bodies those of rigid motions. */
OozeStatus ooze_step_bodies_begin(OozeConformationStep *step, OozeConformationMemory *own,
                                  OozeError *error);
/* As the functions of bodies.h, for fields of all particles. */
void ooze_step_bodies_place(OozeConformationStep *step, OozeFour *x);
double ooze_step_bodies_precondition(OozeConformationStep *step, const OozeFour *r);
/* field += response */
void ooze_step_bodies_respond(OozeConformationStep *step, OozeFour *field);
void ooze_step_bodies_keep_motion(OozeConformationStep *step, OozeFour *field);
void ooze_step_bodies_hold(OozeConformationStep *step, OozeFour *star);
void ooze_step_bodies_release(OozeConformationStep *step, const OozeFour *residual);
void ooze_step_bodies_settle(OozeConformationStep *step);
void ooze_step_bodies_shift(void *step, OozeFour *shift);

/* Force of its bonds on particle i over the reference mass, at the end of the step: of the velocities v,
   and with `known` of the stretch at its beginning. */
static inline OozeFour ooze_bond_force(const OozeStepBodies *b, uint64_t i, const OozeFour *v,
                                       float dt, bool known)
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
