/* What a step works on: the particles, their neighbours, solids, materials and settings. The world
   fills it for each substep; methods, solvers and engines read it. */
#ifndef OOZE_SOLVERS_STEP_CONTEXT_H
#define OOZE_SOLVERS_STEP_CONTEXT_H

#include "base/memory.h"
#include "base/threads.h"
#include "materials/material.h"
#include "particles/neighbours.h"
#include "particles/particles.h"
#include "physics/tensor.h"
#include "solids/boundary.h"
#include "solids/dynamic.h"
#include "solvers/step_report.h"
#include "solvers/step_timer.h"

/* A body made of particles: those with its number and ids from `first_id` on, as many as are left
   of `count`. */
typedef struct OozeBody {
    OozeBodyKind kind;
    uint64_t first_id, count;
} OozeBody;

/* Everything a step may touch; made afresh by the world for each step. */
typedef struct OozeStepContext {
    double time; /* at the beginning of the step */
    double dt;
    double whole_step;     /* s: of the step that this is all or a part of */
    double longest_travel; /* m that a particle should move; INFINITY: any. A method that finds out
                              before it changes anything may say so in its report instead, and is
                              called again with a shorter dt. */
    uint64_t step;
    double spacing, support;
    OozeVec3 gravity;
    OozePeriodic periodic;
    OozeParticles *particles; /* sorted in space, valid until the step ends */
    const uint16_t
        *prescribed; /* per particle: not 0 while a nozzle leads it, that is, it moves with its
                            velocity whatever pushes; NULL: no nozzle leads any */
    const OozeBody *bodies;
    int body_count;              /* 0: all particles are fluid, and the next three are NULL */
    const uint16_t *body;        /* per particle: 0: fluid, k: of bodies[k - 1] */
    const uint16_t *pin;         /* per particle: 0: free, k: moves with solids[k - 1] */
    const OozeFloat4 *rest;      /* per particle: where it was when it came into the world */
    const double *temperature;   /* per particle, degC; NULL: no heat in this world */
    const uint8_t *phase;        /* per particle: see ooze_heat_phase; NULL: nothing melts */
    const OozeNeighbours *fluid; /* fluid-fluid; empty unless the method asks */
    const OozeNeighbours *fluid_boundary; /* fluid-boundary; empty unless the method asks */
    OozeBoundary *boundary;  /* volumes are known of the samples in fluid_boundary; of others ask
                               ooze_boundary_measure */
    const OozeSolid *solids; /* already at their pose of the end of the step */
    int solid_count;
    OozeDynamicStage *dynamic; /* NULL: no solid is dynamic */
    const OozeMaterial *materials;
    int material_count;
    const double *params; /* the method's settings, in the order of its table */
    OozeThreads *threads;
    OozeArena *arena; /* scratch, gone after the step */
    /* Output: the stress of each particle in this step, Pa, without the pressure that keeps the
       volume; NaN on entry. NULL: not wanted. */
    OozeSym3 *stress;
    OozeStepReport *report;
    OozeStepTimer *timer; /* NULL: timing is off */
} OozeStepContext;

#endif
