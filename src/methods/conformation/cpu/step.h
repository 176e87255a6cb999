/* The step of the conformation method on the processor: what its loops share. Arrays that are read
   at neighbours have four zero elements after the last one. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_STEP_H
#define OOZE_METHODS_CONFORMATION_CPU_STEP_H

#include <math.h>

#include "methods/conformation/cpu/surface_tension.h"
#include "methods/conformation/method.h"
#include "methods/conformation/stages.h"
#include "solids/broad_phase.h"
#include "solvers/contact/dynamic_coupling.h"
#include "solvers/density/density.h"
#include "solvers/pairs/edges.h"

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
    const float *e = s->conformation + 8 * i;
    return ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
}

/* The conformation of the first mode. */
static inline OozeSym3 ooze_strain_get(const OozeConformationStep *s, uint64_t i)
{
    return ooze_strain_read(s->conformation, i);
}

static inline void ooze_strain_set(OozeConformationStep *s, uint64_t i, OozeSym3 q)
{
    ooze_strain_write(s->conformation, i, q);
}

/* The conformations of all modes. */
static inline void ooze_modes_get(const OozeConformationStep *s, uint64_t i, OozeSym3 *q)
{
    q[0] = ooze_strain_get(s, i);
    for (int k = 0; k < s->more_modes; k++) {
        q[k + 1] = ooze_strain_read(s->more_conformation[k], i);
    }
}

/* Reference density of kinematic units, kg/m3. */
static inline float ooze_reference_density(const OozeConformationStep *s)
{
    return (float)s->context->materials[0].values[OOZE_MATERIAL_DENSITY];
}

/* OozeConformationStep.own. */
typedef struct OozeConformationOwn {
    struct OozeEdges *edges; /* at x0, with weights V0 f */
    OozeVector *gathered;    /* memory of the next, see OozeGather */
    OozeVector *wall_edge;   /* per boundary list entry, with the volume of the boundary sample */
    uint64_t contact_count;
    struct OozeBroadPhase *nearby;
    uint64_t *contact_near; /* solids that each OOZE_BROAD_PHASE_GROUP particles may touch */
    struct OozeGridPressure *grid_pressure; /* NULL without `pressure: grid` */
    struct OozeConstraint *constraint;      /* of the method constraint */
    struct OozeStepBodies *bodies;          /* NULL: there are none */
    struct OozeDynamicCoupling *coupling;   /* NULL: no solid is dynamic */
} OozeConformationOwn;

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

/* ---- stages, in the order of the step ---- */

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
/* Solids that u may take particles to: step->own->contact_near. */
void ooze_conformation_find_near_solids(OozeConformationStep *step);
/* Density targets of this step, and relief_progress after it. */
OozeStatus ooze_conformation_set_density_targets(OozeConformationStep *step, OozeError *error);
OozeStatus ooze_conformation_end_relief(OozeConformationStep *step, OozeError *error);
/* One-sided position-based density with solids, on the neighbours of x (see solve_positions). */
OozeStatus ooze_conformation_density(OozeConformationStep *step, OozeError *error);

#endif
