/* State of one step of the conformation method: arrays in the step arena, one element a
   particle, in the order of the particle store. */
#ifndef OOZE_METHODS_CONFORMATION_STEP_H
#define OOZE_METHODS_CONFORMATION_STEP_H

#include <math.h>

#include "methods/conformation/cpu/surface_tension.h"
#include "methods/conformation/method.h"
#include "methods/conformation/plan.h"
#include "solids/broad_phase.h"
#include "solvers/contact/contact_set_formula.h"
#include "solvers/contact/dynamic_coupling.h"
#include "solvers/density/density.h"
#include "solvers/pairs/edges.h"

typedef struct OozeConformationStep {
    OozeStepContext *context;
    OozeConformationSettings settings;
    uint64_t n;
    uint64_t local; /* with the ghosts of other processes: length of arrays read at neighbours */
    float dt, support;
    float volume, flat_gradient, wall_scale, strain_scale, wall_strain_scale; /* see the plan */
    float largest_surface_tension;                                            /* likewise */
    bool interfaces;                                                          /* likewise */
    OozeDensityJob density_settings; /* without particles */
    bool regularises_threads;        /* likewise */
    const OozeRheology *rheology;    /* rows: see the plan */
    int row_count;
    const OozeTemperatureRows *temperature_rows; /* see the plan */
    const uint16_t *material;                    /* row of rheology */
    OozeF32x4 *x0;               /* n + 1: positions at the beginning of the step; last lane 1 */
    OozeF32x4 *u;                /* n + 1: velocities being solved for */
    OozeEdgeMemory *edge_memory; /* edge weights, and after them the density stage */
    OozeEdges edges;             /* at x0, with weights V0 f */
    OozeF32x4 *gathered;         /* memory of the next, see OozeGather */
    OozeF32x4 *edge_sum;         /* sum of the edges of a particle, those to walls included */
    OozeF32x4 *wall_edge;     /* per boundary list entry, with the volume of the boundary sample */
    OozeSym3 *correction;     /* B: inverse of sum x g^T, or 0 where that is singular */
    float *density;           /* at the beginning of the step, relative to rest */
    float *surface_indicator; /* see OozeGather */
    float *strain; /* Q - I, eight floats a particle (see ooze_strain_get); written at the end */
    float *more_strain[OOZE_MORE_MODES]; /* the same of further modes */
    int more_modes;                      /* how many of these: see the plan */
    float *expansion; /* relative volume gained beyond rest: at the beginning, then at the end */
    float *mobility;  /* 1 / relative mass; 0: a nozzle or a solid prescribes the velocity */
    float *stress;    /* norm of the stress over the reference density, m2/s2 */
    /* Velocity change of the last step's velocity solve over dt, m/s2, eight floats a particle,
       and that of this step. */
    float *warm_start;
    OozeF32x4 *next_warm_start;
    OozeF32x4 *surface_impulse;              /* velocity that surface tension adds; or NULL */
    bool isotropic_pushes, isotropic_shifts; /* see the plan */
    bool expects_pushes;                     /* likewise */
    float solid_push_share;                  /* likewise */
    bool warm_density;                       /* likewise */
    /* Multipliers (m2, with four zero ones) that the density stage begins with, and their shift
       (m): see density_warm_start.h. NULL: it begins with zero. */
    float *first_multiplier;
    OozeF32x4 *first_push;
    float *density_multiplier;           /* see OozeDensityJob, with four zero ones; or NULL */
    float *density_target, *load_excess; /* of densities, see OozeDensityJob */
    float *relief_progress; /* 1: relief is finished; see ooze_conformation_set_density_targets */
    OozeSym3 *thread_regularisation; /* see OozeDensityJob; NULL without `regularises_threads` */
    OozeF32x4 *shift;                /* by the density stage */
    OozeF32x4 *drift;                /* position-only, see OozeDensityJob */
    OozeF32x4 *position_only_shift;  /* likewise */
    int32_t *contact_of;             /* index into contact_sets, or -1 */
    OozeContactSet *contact_sets;
    uint64_t contact_count, contact_room;
    bool any_contacts; /* of any process */
    OozeBroadPhase nearby;
    uint64_t *contact_near; /* solids that each OOZE_BROAD_PHASE_GROUP particles may touch */
    bool long_step;         /* see impact.h */
    struct OozeImpactMemory **impact_memory;
    OozeSurfaceMemory *surface_memory; /* of the memory that outlives the step */
    int32_t *buried_in; /* solid in which it was buried at the beginning of the step, or -1 */
    struct OozeVelocityMultigrid **velocity_multigrid; /* of the memory that outlives the step */
    struct OozeGridMultigrid **pressure_multigrid;     /* likewise */
    struct OozeGridPressure *grid_pressure;            /* NULL without `pressure: grid` */
    struct OozeConstraint *constraint;                 /* of the method constraint */
    struct OozeStepBodies *bodies;                     /* NULL: there are none */
    OozeDynamicCoupling *coupling;                     /* NULL: no solid is dynamic */
} OozeConformationStep;

enum { OOZE_CONFORMATION_GRAIN = 256 };

/* A conformation Q, stored as Q - I: near rest this keeps the precision of floats. */
static inline OozeSym3 ooze_strain_read(const float *strain, uint64_t i)
{
    const float *e = strain + 8 * i;
    return ooze_sym3(1 + e[0], 1 + e[1], 1 + e[2], e[3], e[4], e[5]);
}

static inline void ooze_strain_write(float *strain, uint64_t i, OozeSym3 q)
{
    float *e = strain + 8 * i;
    e[0] = q.xx - 1;
    e[1] = q.yy - 1;
    e[2] = q.zz - 1;
    e[3] = q.xy;
    e[4] = q.xz;
    e[5] = q.yz;
}

static inline OozeSym3 ooze_strain_beyond_rest(const OozeConformationStep *s, uint64_t i)
{
    const float *e = s->strain + 8 * i;
    return ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
}

/* The conformation of the first mode. */
static inline OozeSym3 ooze_strain_get(const OozeConformationStep *s, uint64_t i)
{
    return ooze_strain_read(s->strain, i);
}

static inline void ooze_strain_set(OozeConformationStep *s, uint64_t i, OozeSym3 q)
{
    ooze_strain_write(s->strain, i, q);
}

/* The conformations of all modes. */
static inline void ooze_modes_get(const OozeConformationStep *s, uint64_t i, OozeSym3 *q)
{
    q[0] = ooze_strain_get(s, i);
    for (int k = 0; k < s->more_modes; k++) {
        q[k + 1] = ooze_strain_read(s->more_strain[k], i);
    }
}

/* Reference density of kinematic units, kg/m3. */
static inline float ooze_reference_density(const OozeConformationStep *s)
{
    return (float)s->context->materials[0].values[OOZE_MATERIAL_DENSITY];
}

/* State that outlives a step; none of it is saved. */
typedef struct OozeConformationMemory {
    OozeDensityMemory *density;
    struct OozeBonds *bonds; /* of the soft bodies; NULL: none yet */
    OozeEdgeMemory edges;
    struct OozeVelocityMultigrid *multigrid;      /* NULL: no step has needed it yet */
    struct OozeImpactMemory *impact;              /* likewise */
    struct OozeGridMultigrid *pressure_multigrid; /* likewise */
    OozeSurfaceMemory surface;
} OozeConformationMemory;

/* One discretisation of the method: velocities first, then positions, then the new conformation. */
typedef struct OozeFormulation {
    /* The density stage overwrites the gathered data, and edges are gathered again after it. */
    bool regathers_edges;
    bool kernel_gradients; /* velocity gradients by the kernel of the density: strain_scale 0 */
    /* step->u: from u* = u + dt f to the velocities under viscoelastic stress. */
    OozeStatus (*solve_velocities)(OozeConformationStep *step, OozeError *error);
    /* The shift of the positions x = x0 + dt u by density, solids and other position
       constraints, not added to x: see ooze_density_solve. Wraps x into the box. */
    OozeStatus (*solve_positions)(OozeConformationStep *step, OozeDensityMemory *own, OozeF32x4 *x,
                                  OozeF32x4 *shift, OozeError *error);
    /* Conformations at the end of the step; step->u is now (x - x0) / dt. */
    void (*finish)(OozeConformationStep *step);
} OozeFormulation;

extern const OozeFormulation ooze_formulation_lodge;

/* ---- method.c: tables of fields, and functions of OozeMethod ---- */

/* Data of the fields that the method adds to the particles, at step->strain and so on. */
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

/* Edges, corrections and densities at x0; a second call uses the same memory. */
OozeStatus ooze_conformation_gather(OozeConformationStep *step, OozeError *error);
/* Adds the effect of surface tension to u. */
OozeStatus ooze_conformation_tension(OozeConformationStep *step, OozeError *error);
/* Adds to the dynamic solids the opposite of the forces of their samples on particles, before the
   velocity solve. The chunks of the coupling hold these forces. */
void ooze_lodge_solids_pull(OozeConformationStep *step);
/* Adds their expected pushes to the motions of the dynamic solids. A sign of -1 removes them after
   the velocity solve. */
void ooze_lodge_solids_expect(OozeConformationStep *step, double sign);
/* Share of its push that particle i expects in the next step. It depends on the material and on the
   dynamic solids near the particle. */
float ooze_lodge_solids_push_share(const OozeConformationStep *step, uint64_t i);
/* Contact sets of the particles that u would move into a solid. */
OozeStatus ooze_conformation_find_contacts(OozeConformationStep *step, OozeError *error);
/* Solids that u may take particles to: step->contact_near. */
void ooze_conformation_find_near_solids(OozeConformationStep *step);
/* The density stage with the settings of this method. */
OozeDensityJob ooze_conformation_density_job(OozeConformationStep *step, OozeDensityMemory *own);
/* Density targets of this step, and relief_progress after it. */
OozeStatus ooze_conformation_set_density_targets(OozeConformationStep *step, OozeError *error);
OozeStatus ooze_conformation_update_relief(OozeConformationStep *step, OozeError *error);
/* One-sided position-based density with solids, on the neighbours of x (see solve_positions). */
OozeStatus ooze_conformation_density(OozeConformationStep *step, OozeDensityMemory *own,
                                     OozeF32x4 *x, OozeF32x4 *shift, OozeError *error);
/* Positions, conformations and state at the end of the step. */
OozeStatus ooze_conformation_move(OozeConformationStep *step, OozeDensityMemory *own,
                                  const OozeFormulation *formulation, OozeError *error);

/* Warns of too few iterations and of numbers that contradict each other. */
void ooze_conformation_advise(const OozeStepContext *context, const OozeAdvice *advice);
/* Lists what acts in a step. */
OozeStatus ooze_conformation_explain(const OozeStepContext *context,
                                     const OozeExplanation *explanation, OozeError *error);
void ooze_conformation_describe_order(const OozeStepContext *context, int material, bool soft,
                                      char *text, size_t size);

#endif
