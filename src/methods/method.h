/* What a method is: one const struct. The world calls it; a method never calls the world. */
#ifndef OOZE_METHODS_METHOD_H
#define OOZE_METHODS_METHOD_H

#include "base/memory.h"
#include "base/threads.h"
#include "methods/material.h"
#include "methods/stage_clock.h"
#include "methods/step_report.h"
#include "particles/neighbours.h"
#include "particles/particles.h"
#include "physics/tensor.h"
#include "solids/boundary.h"
#include "solids/dynamic.h"

/* A body made of particles: those with its number and ids from `first_id` on, as many as are left of
   `count`. */
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
    const uint16_t *led; /* per particle: not 0 while a nozzle leads it, that is, it moves with its
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
    /* Asked for: the stress of each particle in this step, Pa, as it pushed its neighbours, but for the
       pressure that keeps the volume; full of NaN before. NULL: nobody asks. */
    OozeSym3 *stress;
    OozeStepReport *report;
    OozeStageClock *clock; /* what was done is said to it; NULL: nobody asks */
} OozeStepContext;

typedef struct OozeAdvice OozeAdvice; /* see advice.h */
typedef struct OozeFlow OozeFlow;     /* see flow.h */
typedef struct OozeChoice OozeChoice; /* see choice.h */
typedef struct OozeChoiceQuestion OozeChoiceQuestion;

enum { OOZE_METHOD_ARRAYS_MAX = 8 };

typedef struct OozeMethod {
    OozeMethodInfo info;
    const OozeFieldInfo *fields; /* rows it adds to the particle store */
    int field_count;
    /* Rows that only some materials need: a world has such a row from when `wants_field` first says so of one of
       its materials. Particles of others have its initial value. */
    const OozeFieldInfo *material_fields;
    int material_field_count;
    bool (*wants_field)(const OozeMaterial *material, int field);
    /* Arrays of its own that belong to the state and have rows of another number than particles: see save. */
    const OozeFieldInfo *arrays;
    int array_count;                  /* at most OOZE_METHOD_ARRAYS_MAX */
    const char *const *material_keys; /* material numbers it uses, NULL-terminated: others are
                                         reported as ignored by `ooze check` */
    double support_ratio; /* of the kernel's support to the spacing, where none is given; 0: 2.2 */
    bool uses_fluid_neighbours;
    bool uses_boundary_neighbours;
    bool takes_bodies;  /* other methods refuse them */
    bool pushes_solids; /* knows `dynamic`: other methods refuse solids with a density */
    bool uses_tables;   /* of temperature: others leave a material's numbers as they are */
    bool traces_paths;  /* loses nothing by long strokes: steps are not cut */

    /* Private data that lives as long as the world; saved numbers belong in fields, or in arrays. May be
       NULL with destroy. */
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    uint64_t (*bytes)(const void *data); /* of it that grow with the particles; NULL: none */
    /* Gives count and data of each of the arrays, which last until the next step; and takes them back, when
       particles and solids are there again. Of `views` name, type and components are as in the table, rows without
       gaps; all else is to be checked. */
    OozeStatus (*save)(void *data, OozeFieldView *views, OozeError *error);
    OozeStatus (*restore)(void *data, const OozeStepContext *context,
                          const OozeFieldView *const *views, OozeError *error);
    OozeStatus (*step)(void *data, OozeStepContext *context, OozeError *error);
    /* Largest stable time step for the present materials, or INFINITY. `ooze check` then also warns
       where something crosses too much of a spacing a step. NULL: the method is exact at any step. */
    double (*stable_step)(const OozeStepContext *context);
    /* What these materials and settings will not do as asked, for `ooze check`; may be NULL. */
    void (*advise)(const OozeStepContext *context, const OozeAdvice *advice);
    /* Settings that a scene may leave open (`auto`), NULL-terminated, and who chooses them; may be NULL
       together. The time step may always be left open. */
    const char *const *chosen_keys;
    void (*choose)(const OozeChoiceQuestion *question, OozeChoice *choice);
} OozeMethod;

/* The one list of methods. */
extern const OozeMethod *const ooze_method_list[];
extern const int ooze_method_list_count;
const OozeMethod *ooze_method_find(const char *name); /* NULL: unknown */
/* The ratio that is given, or the method's own where it is not a number. */
double ooze_method_support_ratio(const OozeMethod *method, double given);
/* Whether it makes something of that number of a material. */
bool ooze_method_uses(const OozeMethod *method, const char *key);

#endif
