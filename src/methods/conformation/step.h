/* State of one step of the methods conformation and constraint: numbers for the programme, and
   arrays in the memory of the machine, one element a particle in the order of the particle store.
   Those that are read at neighbours also have elements for ghosts (see halo.h). Valid C17 and C++:
   the GPU's loops capture the same struct (cuda/step.cuh). */
#ifndef OOZE_METHODS_CONFORMATION_STEP_H
#define OOZE_METHODS_CONFORMATION_STEP_H

#include "machine/machine.h"
#include "methods/conformation/plan.h"
#include "physics/tensor.h"
#include "solvers/contact/contact_set_formula.h"
#include "solvers/vectors/vector_formula.h"

typedef struct OozeConformationStep {
    OozeMachine *machine;
    OozeStepContext *context;
    const OozeConformationPlan *plan;
    const struct OozeConformationStages *stages;
    const struct OozeFormulation *formulation; /* of that machine */
    struct OozeConformationMemory *memory;     /* of the machine; outlives the step */
    struct OozeConformationOwn *own;           /* what the machine's loops alone keep in the step */
    uint64_t n;
    uint64_t local; /* with the ghosts of other processes: length of arrays read at neighbours */
    float dt, support;
    float volume, flat_gradient, wall_scale;    /* see the plan */
    float spacing, free_speed;                  /* see OozeStepContext */
    float bulk, void_closure, contact_distance; /* see OozeConformationSettings */
    bool expects_pushes;                        /* likewise */
    int more_modes;                             /* likewise */
    const OozeRheology *rheology;               /* rows: see the plan */
    const uint16_t *material;                   /* row of rheology */
    const uint16_t *film;                       /* row of the fluid that wets it, or its own */
    const uint16_t *body;                       /* see OozeStepContext; NULL: all is fluid */
    const uint16_t *rigid_of;                   /* number of its rigid body from 1, or 0; or NULL */
    const OozeVector *velocity;                 /* at the beginning of the step */
    const float *reached; /* 1: the pressure grid holds it, else 0; NULL: there is no grid */
    OozeVector
        *x0; /* positions at the beginning of the step; last lane: see OozeMachineVerbs.load */
    OozeVector *u;            /* velocities being solved for */
    OozeVector *edge_sum;     /* sum of the edges of a particle, those to walls included */
    OozeSym3 *correction;     /* B: inverse of sum x g^T, or 0 where that is singular */
    float *density;           /* at the beginning of the step, relative to rest */
    float *surface_indicator; /* see OozeGather */
    float *conformation;      /* Q - I, eight floats a particle; written at the end */
    float *more_conformation[OOZE_MORE_MODES]; /* the same of further modes */
    float *expansion; /* relative volume gained beyond rest: at the beginning, then at the end */
    float *mobility;  /* 1 / relative mass; 0: a nozzle or a solid prescribes the velocity */
    float *stress;    /* norm of the stress over the reference density, m2/s2 */
    /* What the last step has passed on: the fields of these names, of method.c. NULL: the settings
       do not need them. The first, the second and the last have three floats a particle. */
    float *velocity_change, *push, *multiplier;
    float *weight_pressure, *pressure_change, *pressure_change_gradient;
    OozeVector *next_velocity_change; /* of this step */
    OozeVector *surface_impulse;      /* velocity that surface tension adds; or NULL */
    /* What the density stage begins with, see cpu/density_warm_start.h: multipliers (m2) and their
       shift (m). NULL: it begins with zero. */
    float *first_multiplier;
    OozeVector *first_push;
    float *density_multiplier;           /* see OozeDensityJob; or NULL */
    float *density_target, *load_excess; /* of densities, see OozeDensityJob */
    float *relief_progress;              /* 1: relief is finished; see set_density_targets */
    OozeSym3 *thread_regularisation;     /* see OozeDensityJob; NULL: nothing is elastic */
    OozeVector *x;                   /* from the prediction on: positions at the end of the step */
    OozeVector *shift;               /* by the density stage */
    OozeVector *drift;               /* position-only, see OozeDensityJob */
    OozeVector *position_only_shift; /* likewise */
    int32_t *contact_of;             /* index into contact_sets, or -1 */
    OozeContactSet *contact_sets;
    uint64_t contact_room;              /* contact sets that there is room for */
    struct OozeSolidPush *solid_pushes; /* of dynamic solids; NULL: they expect none */
    bool any_contacts;                  /* some particle, of any process, may be in contact */
    bool long_step;                     /* see cpu/impact.h */
    int32_t *buried_in; /* solid in which it was buried at the beginning of the step, or -1 */
    /* The density stage overwrites the gathered data, and edges are gathered again after it. */
    bool regathers_edges;
    OozeSolveResidual residual; /* of the velocity stage, when the step is done */
    bool used_multigrid;        /* the velocity stage */
} OozeConformationStep;

/* ---- method.c: tables of fields, and functions of OozeMethod ---- */

/* Data of the fields that the method adds to the particles, at step->conformation and so on. */
void ooze_conformation_find_fields(OozeConformationStep *step);
/* Number of relaxation modes beyond the first that particles have fields for. */
int ooze_conformation_count_modes(const OozeStepContext *context);
OozeStatus ooze_conformation_check(const OozeStepContext *context, OozeError *error);
double ooze_conformation_stable_step(const OozeStepContext *context);
double ooze_conformation_wall_friction(const OozeSolid *solid);

/* ---- stages, in the order of the step ---- */

/* Of OozeMethod: `memory` is an OozeConformationMemory. */
OozeStatus ooze_conformation_step(void *memory, OozeStepContext *context, OozeError *error);
OozeStatus ooze_conformation_create(void **memory, OozeError *error);
void ooze_conformation_destroy(void *memory);
uint64_t ooze_conformation_bytes(const void *memory);

/* Warns of too few iterations and of numbers that contradict each other. */
void ooze_conformation_advise(const OozeStepContext *context, const OozeAdvice *advice);
/* Lists what acts in a step. */
OozeStatus ooze_conformation_explain(const OozeStepContext *context,
                                     const OozeExplanation *explanation, OozeError *error);
void ooze_conformation_describe_order(const OozeStepContext *context, int material, bool soft,
                                      char *text, size_t size);

#endif
