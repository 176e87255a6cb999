/* Inputs of a substep: particles, neighbours, solids, materials and settings. The world fills it;
   methods, solvers and engines read it. */
#ifndef OOZE_STEP_CONTEXT_H
#define OOZE_STEP_CONTEXT_H

#include "base/memory.h"
#include "base/threads.h"
#include "materials/material.h"
#include "particles/halo.h"
#include "particles/neighbours.h"
#include "particles/particles.h"
#include "physics/tensor.h"
#include "solids/boundary.h"
#include "solids/dynamic.h"
#include "step/report.h"
#include "step/timer.h"

/* A particle body: the particles with its number, whose ids are in first_id .. first_id + count. */
typedef struct OozeBody {
    OozeBodyKind kind;
    uint64_t first_id, count;
} OozeBody;

typedef struct OozeStepContext {
    double time; /* at the beginning of the step */
    double dt;
    double whole_step; /* s: the step that this is a substep of */
    /* m that a particle may move; INFINITY: any. A method that exceeds it, or that finds a finite
       one's step unstable, reports too_far and changes nothing; it is then called again with a
       shorter dt. */
    double longest_travel;
    /* m/s: particles that are faster at the beginning of the step meet no other particles and no
       solids in it, except for particles that fly with them; INFINITY: there are none. They may
       move any distance; longest_travel limits how far they deviate from a straight path. */
    double free_speed;
    uint64_t step;
    double spacing, support;
    OozeVec3 gravity;
    OozePeriodic periodic;
    OozeParticles *particles; /* sorted in space, valid until the step ends */
    /* Particles of other processes near these; NULL: there is one process. Arrays that are read at
       neighbours have elements for them after those of the particles: see halo.h. */
    OozeHalo *halo;
    /* per particle: not 0 while a nozzle prescribes its velocity; NULL: 0 for all */
    const uint16_t *prescribed;
    const OozeBody *bodies;
    int body_count;              /* 0: all particles are fluid, and the next three are NULL */
    const uint16_t *body;        /* per particle: 0: fluid, k: of bodies[k - 1] */
    const uint16_t *pin;         /* per particle: 0: free, k: moves with solids[k - 1] */
    const OozeFloat4 *rest;      /* per particle: its initial position */
    const double *temperature;   /* per particle, degC; NULL: no heat */
    const uint8_t *phase;        /* per particle: see ooze_heat_phase; NULL: nothing melts */
    const OozeNeighbours *fluid; /* fluid-fluid; empty unless the method uses it */
    const OozeNeighbours *fluid_boundary; /* fluid-boundary; likewise */
    /* volumes are set for samples in fluid_boundary; for others see ooze_boundary_measure */
    OozeBoundary *boundary;
    const OozeSolid *solids; /* at their poses at the end of the step */
    int solid_count;
    OozeDynamicStage *dynamic; /* NULL: no solid is dynamic */
    const OozeMaterial *materials;
    int material_count;
    const struct OozeMethod *method; /* that takes the step */
    const double *params;            /* its settings, in the order of its table */
    OozeThreads *threads;
    OozeArena *arena; /* scratch, freed after the step */
    /* Output: stress of each particle in this step, Pa, without the pressure of incompressibility;
       NaN before. NULL: not wanted. */
    OozeSym3 *stress;
    OozeStepReport *report;
    OozeStepTimer *timer; /* NULL: timing is off */
} OozeStepContext;

#endif
