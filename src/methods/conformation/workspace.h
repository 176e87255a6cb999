/* What one step of the conformation method works on: arrays in the step arena, one element a particle,
   in the order of the particle store. */
#ifndef OOZE_METHODS_CONFORMATION_WORKSPACE_H
#define OOZE_METHODS_CONFORMATION_WORKSPACE_H

#include <math.h>

#include "methods/conformation/conformation.h"
#include "methods/conformation/plan.h"
#include "methods/coupled.h"
#include "methods/density.h"
#include "methods/edges.h"

/* Directions in which a particle in contact may not move freely: orthonormal, normals first, with the
   velocity along each that keeps it on the surface. */
typedef struct OozeHold {
    OozeFour direction[3];
    float speed[3];
    int count;      /* directions held */
    int normals;    /* of these, normals of solids; the rest are tangents that friction holds */
    float friction; /* Coulomb coefficient of the solid that was met first */
    bool released;  /* the last pass has let go of some */
} OozeHold;

typedef struct OozeConformationStep {
    OozeStepContext *context;
    OozeConformationSettings settings;
    uint64_t n;
    float dt, support;
    float volume, flat_gradient, wall_scale, strain_scale, wall_strain_scale; /* see the plan */
    const OozeRheology *rheology; /* per material and kind of body */
    int row_count;                /* of rheology */
    const OozeWarmRows *warm;     /* see the plan */
    const uint16_t *material;     /* row of rheology */
    OozeFour *x0;                 /* n + 1: positions at the beginning of the step; last lane 1 */
    OozeFour *u;                  /* n + 1: velocities being solved for */
    OozeEdgeMemory *edge_memory;  /* for weights, and after them the density stage */
    OozeEdges edges;              /* at x0, with V0 |W'|/r for weights */
    OozeFour *sums;               /* memory of the next, see OozeGather */
    OozeFour *edge_sum;           /* per particle: sum of its edges, those to walls included */
    OozeFour *wall_edge;  /* per boundary list entry, with the volume of the boundary sample */
    OozeSym3 *correction; /* B: inverse of sum V0 x g^T, or 0 where the neighbourhood is too poor */
    float *strain; /* Q - I, eight a particle: see ooze_strain_get; changed at the end alone */
    float *more_strain[OOZE_MORE_MODES]; /* likewise of further modes, as many as follow */
    int more_modes;                      /* see the plan */
    float *expansion;     /* volume gained beyond rest, relative: begin of step, then end */
    float *density;       /* at the beginning of the step, relative to rest */
    float *open;          /* see OozeGather */
    float *mobility;      /* 1 / weight, 0 for particles that a nozzle leads */
    float *stress;        /* size of the stress, over the reference density, m2/s2 */
    float *push;          /* what the last step's velocity solve did, m/s2, four a particle */
    OozeFour *pushed;     /* the same of this step */
    float *limit, *borne; /* of densities, see OozeDensityJob */
    float *
        calm; /* 1: the particle's place is its own doing; less: see ooze_conformation_set_limits */
    OozeFour *drift;   /* moves that are no velocity, see OozeDensityJob */
    OozeFour *settled; /* likewise */
    int32_t *hold_of;  /* index into holds, or -1 */
    OozeHold *holds;
    int32_t *intruder; /* solid in which it lay deep when the step began, or -1; only with solids */
    uint64_t hold_count;
    struct OozeConstraint *constraint; /* of the constraint formulations */
    struct OozeStepBodies *bodies;     /* NULL: all is fluid */
    OozeCoupled *coupled;              /* NULL: no solid is dynamic */
} OozeConformationStep;

enum { OOZE_CONFORMATION_GRAIN = 256 };

/* A conformation Q, kept as its strain: near rest that is what floats can tell. */
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

/* That of the first mode. */
static inline OozeSym3 ooze_strain_get(const OozeConformationStep *s, uint64_t i)
{
    return ooze_strain_read(s->strain, i);
}

static inline void ooze_strain_set(OozeConformationStep *s, uint64_t i, OozeSym3 q)
{
    ooze_strain_write(s->strain, i, q);
}

/* The density that kinematic numbers are over, kg/m3. */
static inline float ooze_reference_density(const OozeConformationStep *s)
{
    return (float)s->context->materials[0].values[OOZE_MATERIAL_DENSITY];
}

/* What outlives a step; nothing that is saved. */
typedef struct OozeConformationMemory {
    OozeDensityMemory *density;
    struct OozeBonds *bonds; /* of the soft bodies; NULL: none yet */
    OozeEdgeMemory edges;
} OozeConformationMemory;

/* A way to solve the same fluid: velocities first, then positions, then the new conformation. */
typedef struct OozeFormulation {
    const char *name;
    bool takes_bodies;
    bool takes_dynamic; /* solids */
    bool
        lends_edges; /* the density stage may work in the memory of what was gathered, which is then
                         gathered anew */
    bool kernel_gradients; /* velocity gradients by the kernel of the density: strain_scale 0 */
    /* step->u: from u* = u + dt f to the velocities under viscoelastic stress. */
    OozeStatus (*solve_velocities)(OozeConformationStep *step, OozeError *error);
    /* The shift that positions x = x0 + dt u need: density, solids, and what else is a position
       constraint. Kept apart from the positions: a velocity taken from rounded positions would lose
       every change smaller than their last bit over dt. Positions are wrapped into the box. */
    OozeStatus (*solve_positions)(OozeConformationStep *step, OozeDensityMemory *own, OozeFour *x,
                                  OozeFour *shift, OozeError *error);
    /* step->q at the end of the step; step->u is now (x - x0) / dt. */
    void (*finish)(OozeConformationStep *step);
} OozeFormulation;

extern const OozeFormulation ooze_formulation_lodge;
extern const OozeFormulation ooze_formulation_consistent;
extern const OozeFormulation ooze_formulation_paper;

/* What the iterations cannot reach, and numbers that contradict each other. */
void ooze_conformation_advise(const OozeStepContext *context, const OozeAdvice *advice);

/* Edges, corrections and densities at x0; again in the same memory, where it has been lent. */
OozeStatus ooze_conformation_gather(OozeConformationStep *step, OozeError *error);
/* Adds what surface tension does in the step to u. */
OozeStatus ooze_conformation_tension(OozeConformationStep *step, OozeError *error);
/* Dynamic solids get what their samples took part in, along edges with these fluxes; before the velocity solve. */
void ooze_couple_pull(OozeConformationStep *step, const OozeRows *flux);
/* Which particles the solids hold, given where u would take them. */
OozeStatus ooze_conformation_find_holds(OozeConformationStep *step, OozeError *error);
/* Takes out of u what would compress the fluid; nothing with no iterations. */
OozeStatus ooze_conformation_divergence(OozeConformationStep *step, OozeError *error);
/* The density stage with the settings of this method. */
OozeDensityJob ooze_conformation_density_job(OozeConformationStep *step, OozeDensityMemory *own);
/* How far errors of density may become velocity in this step, and whose may all the way in the next. */
OozeStatus ooze_conformation_set_limits(OozeConformationStep *step, OozeError *error);
OozeStatus ooze_conformation_find_strangers(OozeConformationStep *step, OozeError *error);
/* One-sided position-based density with solids, on the neighbours of x (see solve_positions). */
OozeStatus ooze_conformation_density(OozeConformationStep *step, OozeDensityMemory *own,
                                     OozeFour *x, OozeFour *shift, OozeError *error);

/* The end of the step. */
OozeStatus ooze_conformation_move(OozeConformationStep *step, OozeDensityMemory *own,
                                  const OozeFormulation *formulation, OozeError *error);

/* What the numbers of a material are made of, besides its own. */
typedef struct OozeWarmRecipe {
    double reference, hourglass, reach;
} OozeWarmRecipe;
/* Rows that temperatures ask for, and filling them from row `first` on. */
int ooze_warm_row_count(const OozeStepContext *context);
OozeStatus ooze_warm_rows_plan(const OozeStepContext *context, OozeConformationPlan *plan,
                               int first, const OozeWarmRecipe *recipe, OozeError *error);
/* The row of a particle with a temperature; `otherwise` where it makes no difference. */
int ooze_warm_row(const OozeWarmRows *warm, OozeBodyKind kind, double temperature, int otherwise);

/* What the solids make a particle do that is fixed to one. */
OozeFour ooze_conformation_pinned(const OozeConformationStep *step, uint64_t i);

#endif
