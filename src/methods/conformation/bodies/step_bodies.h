/* Particle bodies among all particles of a step on the processor: see bodies.h. All functions
   return at once where there are none. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_STEP_BODIES_H
#define OOZE_METHODS_CONFORMATION_BODIES_STEP_BODIES_H

#include "methods/conformation/bodies/bodies.h"
#include "methods/conformation/cpu/step.h"
#include "physics/bond.h"
#include "solvers/multigrid/rank_exchange.h"

typedef struct OozeStepBodies {
    OozeConformationStep *step;
    OozeBodies all;
    uint32_t *slot;     /* particle to slot; for fluid UINT32_MAX */
    uint16_t *rigid_of; /* per particle: number of its rigid body from 1; 0: fluid or soft */
    float *effective_inverse_mass; /* per particle: see OozeDensityJob */
    float *density_target;         /* per particle: density by its own body, at least 1 */
    uint8_t *ignores_boundary;     /* per particle: part of a body */
    uint16_t *film; /* per particle: row of rheology of the fluid that wets it, or its own */
    /* soft: per bond of this step */
    const OozeBonds *bonds;    /* NULL: no soft bodies */
    OozeF32x4 *pull;           /* direction towards the other end; last lane: stretch, m */
    float *stiffness;          /* 1/s2 */
    uint32_t *to;              /* particle at the other end; from n on: of `far` */
    OozeRankExchange far_ends; /* particles of other processes at ends of bonds */
    OozeF32x4 *far;            /* their values of the field that was fetched last; NULL: none */
    OozeF32x4 *far_buffer;
} OozeStepBodies;

/* ---- over several processes: body_sharing.c. Every process has all slots ---- */

/* Fills the slots with the particles of all processes. */
OozeStatus ooze_body_sharing_begin(OozeStepBodies *bodies, OozeError *error);
/* A field of the particles of rigid bodies of all processes, by slots. */
void ooze_body_sharing_to_slots(const OozeBodies *bodies, const OozeF32x4 *field,
                                OozeFloat4 *slots);
/* The same for tensors that are there by slots for particles of this process. */
void ooze_body_sharing_tensors(const OozeBodies *bodies, OozeSym3 *slots);
/* Finds bodies->to and the exchange of far ends. */
OozeStatus ooze_body_sharing_find_ends(OozeStepBodies *bodies, OozeError *error);
/* Values at far ends of bonds: before they are read. */
void ooze_step_bodies_fetch(OozeConformationStep *step, const OozeF32x4 *field);

static inline OozeF32x4 ooze_bond_value(const OozeStepBodies *b, const OozeF32x4 *v, uint32_t to)
{
    return to < b->step->n ? v[to] : b->far[to - b->step->n];
}

/* Sets own->bodies where there are any, and makes the velocities of rigid bodies those of rigid
   motions. */
OozeStatus ooze_step_bodies_begin(OozeConformationStep *step, OozeError *error);
/* As the functions of bodies.h, for fields of all particles. */
/* Positions x and velocities u at the end of the step. */
void ooze_step_bodies_place(OozeConformationStep *step);
double ooze_step_bodies_precondition(OozeConformationStep *step, const OozeF32x4 *r);
/* field += response by the smoothers, after ooze_step_bodies_precondition */
void ooze_step_bodies_smooth(OozeConformationStep *step, OozeF32x4 *field);
/* field += response */
void ooze_step_bodies_respond(OozeConformationStep *step, OozeF32x4 *field);
void ooze_step_bodies_project_velocities(OozeConformationStep *step, OozeF32x4 *field);
void ooze_step_bodies_begin_pass(OozeConformationStep *step, OozeF32x4 *u_star);
void ooze_step_bodies_end_pass(OozeConformationStep *step, const OozeF32x4 *residual);
void ooze_step_bodies_apply_impulses(OozeConformationStep *step);
void ooze_step_bodies_shift(void *step, OozeF32x4 *shift);

/* Force of its bonds on particle i over the reference mass, at the end of the step: by the
   velocities v, and `with_stretch` by the stretch at the beginning. */
static inline OozeF32x4 ooze_bond_force(const OozeStepBodies *b, uint64_t i, const OozeF32x4 *v,
                                        float dt, bool with_stretch)
{
    OozeF32x4 force = {0};
    uint32_t slot = b->slot[i];
    if (!b->bonds || slot == UINT32_MAX) {
        return force;
    }
    for (uint64_t e = b->bonds->first[slot], end = b->bonds->first[slot + 1]; e < end; e++) {
        OozeF32x4 n = b->pull[e];
        float speed = ooze_f32x4_dot3(ooze_bond_value(b, v, b->to[e]) - v[i], n);
        force += ooze_bond_pull(b->stiffness[e], dt, speed, with_stretch ? n[3] : 0.0f) * n;
    }
    force[3] = 0;
    return force;
}

#endif
