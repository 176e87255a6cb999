/* Data of a step of the method cauchy: arrays in the step arena, one element a particle in the
   order of the particle store. "gathered" arrays also have elements for ghosts (see halo.h), and
   four zero elements after them. All operators refer to the positions at the beginning of the
   step. */
#ifndef OOZE_METHODS_CAUCHY_STEP_H
#define OOZE_METHODS_CAUCHY_STEP_H

#include "base/isa.h"
#include "methods/cauchy/constants.h"
#include "methods/cauchy/method.h"
#include "methods/cauchy/walls_formula.h"
#include "solids/broad_phase.h"
#include "solvers/contact/contact_loads.h"
#include "solvers/linear/conjugate_gradients.h"
#include "solvers/pairs/edges.h"

enum { OOZE_CAUCHY_GRAIN = 256 };

enum {
    OOZE_CAUCHY_FIELD_STRAIN,
    OOZE_CAUCHY_FIELD_PRESSURE,
    OOZE_CAUCHY_FIELD_DENSITY,
    OOZE_CAUCHY_FIELD_COUNT
};

/* State that outlives a step; none of it is saved. */
typedef struct OozeCauchyMemory {
    OozeEdgeMemory edges, mps;
    struct OozeGridMultigrid *multigrid;
} OozeCauchyMemory;

typedef struct OozeCauchyStep {
    OozeStepContext *context;
    OozeCauchyMemory *memory;
    OozeCauchyConstants k;
    uint64_t n, local; /* particles; with ghosts */
    const OozeCauchyMaterial *materials;
    const uint16_t *material; /* row of `materials`; of ghosts too */
    /* fields */
    float *strain;   /* eight floats a particle, see ooze_cauchy_strain */
    float *pressure; /* Pa */
    float *density;  /* number density over n0 */
    /* gathered */
    OozeF32x4 *x, *u;        /* last lane of x is 1 */
    OozeEdges edges;         /* g = V f (x_ji, 1) with the strain weight */
    OozeEdges mps;           /* h = c w (x_ji, 1) / 2, see OozeMpsLattice */
    OozeF32x4 *wall_edge;    /* per entry of the boundary lists: g of walls */
    uint8_t *wall_clings;    /* likewise: the fluid does not slip on it */
    OozeF32x4 *edge_sum;     /* sum g over fluid neighbours */
    OozeF32x4 *mps_sum;      /* sum h over fluid neighbours */
    OozeCauchyWall *wall;    /* sums over walls; of ghosts too */
    float *number;           /* number density over n0 */
    float *air;              /* coupling to the pressure 0 of the air, 1/m2 */
    OozeF32x4 *clinging_sum; /* sum g over walls on which the fluid does not slip, and fluid */
    OozeSym3 *correction;    /* B of stresses: inverse of sum x g^T over fluid and clinging walls */
    OozeSym3 *pressure_correction; /* B of pressures: inverse of sum h x^T, walls included */
    float *mobility;               /* 1 / relative mass; 0: the velocity is prescribed */
    float *divergence_target;      /* s, 1/s */
    OozeF32x4 *force;              /* explicit forces over the reference density, m/s2 */
    OozeSym3 *stiffness, *explicit_stress;
    float *viscosity; /* m2/s */
    float *rate;      /* 1/s: shear rate at the beginning of the step */
    /* kinematic pressure of the last step that acts before the projection; after it, all that
       acts */
    float *last_pressure;
    /* results, stored unless the step is refused */
    OozeF32x4 *next_x;
    float *next_pressure; /* Pa */
    OozeBroadPhase nearby;
    OozeSolidImpulses *impulses; /* per particle; NULL: no solid is dynamic */
} OozeCauchyStep;

/* ---- stages, in the order of the step ---- */

/* Rows of material numbers, and the row of each particle. */
OozeStatus ooze_cauchy_set_materials(OozeCauchyStep *step, OozeError *error);
/* Sums over walls. */
OozeStatus ooze_cauchy_find_walls(OozeCauchyStep *step, OozeError *error);
/* Adds surface tension as a stress. */
OozeStatus ooze_cauchy_tension(OozeCauchyStep *step, OozeError *error);
/* Adds the force of the last step's pressure. */
OozeStatus ooze_cauchy_predict_pressure(OozeCauchyStep *step, OozeError *error);
/* u under forces and stress. */
OozeStatus ooze_cauchy_solve_velocities(OozeCauchyStep *step, OozeError *error);
/* Removes the divergence of u. */
OozeStatus ooze_cauchy_project(OozeCauchyStep *step, OozeError *error);
/* Collisions, new positions. */
OozeStatus ooze_cauchy_move(OozeCauchyStep *step, OozeError *error);

/* Elements of ghosts become those of their owners. */
static inline void ooze_cauchy_refresh(const OozeCauchyStep *s, void *data, size_t size)
{
    ooze_halo_refresh(s->context->halo, data, size);
}

static inline OozeF32x4 ooze_cauchy_wall_edge(const OozeCauchyStep *s, uint64_t i)
{
    const float *e = s->wall[i].edge;
    return ooze_f32x4(e[0], e[1], e[2], 0);
}

/* Velocity gradient of u with walls that the fluid clings to. */
OozeMat3 ooze_cauchy_gradient(const OozeCauchyStep *step, const OozeF32x4 *u, uint64_t i);

#endif
