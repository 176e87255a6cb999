/* Data of a step of the method cauchy: arrays in the memory of the machine, one element a particle
   in the order of the particle store. Those that are read at neighbours also have elements for
   ghosts (see halo.h). All operators refer to the positions at the beginning of the step. */
#ifndef OOZE_METHODS_CAUCHY_STEP_H
#define OOZE_METHODS_CAUCHY_STEP_H

#include "machine/machine.h"
#include "methods/cauchy/constants.h"
#include "methods/cauchy/walls_formula.h"
#include "solvers/contact/contact_loads.h"
#include "solvers/linear/conjugate_gradients_formula.h"
#include "solvers/pairs/surface_tension_formula.h"
#include "solvers/vectors/vector_formula.h"

/* Scalars of the solves, in the memory of the machine. All passes of the pressure stop at the same
   residual. */
typedef struct OozeCauchySolves {
    OozeConjugateGradients velocity, pressure;
    int32_t missed; /* of the processor: some pass before the last one did not converge */
} OozeCauchySolves;

typedef struct OozeCauchyStep {
    OozeMachine *machine;
    const struct OozeCauchyStages *stages;
    void *memory;              /* of this machine, that outlives a step; none of it is saved */
    struct OozeCauchyOwn *own; /* what loops of this machine alone keep during the step */
    OozeCauchyConstants k;
    double dt, spacing; /* s, m */
    const OozeCauchyMaterial *materials;
    const uint16_t *material;   /* row of `materials`; of ghosts too */
    const uint16_t *prescribed; /* likewise; NULL: no nozzle prescribes any velocity */
    float inverse_reference;    /* 1 / density of the first material, m3/kg */
    OozeCauchySolves *solves;
    /* fields */
    float *elastic_strain; /* eight floats a particle, see ooze_cauchy_strain */
    float *pressure;       /* Pa */
    float *density;        /* number density over n0 */
    /* g = V f (x_ji, 1) with the strain weight, h = c w (x_ji, 1) / 2: see OozeMpsLattice */
    OozeVector *x, *u;
    OozeVector *edge_sum;          /* sum g over fluid and no-slip walls */
    OozeVector *fluid_edge_sum;    /* sum g over fluid */
    OozeVector *mps_sum;           /* sum h over fluid */
    OozeCauchyWall *wall;          /* sums over walls; of ghosts too */
    float *number;                 /* number density over n0 */
    float *air;                    /* coupling to the pressure 0 of the air, 1/m2 */
    OozeSym3 *correction;          /* B of stresses: inverse of sum x g^T over fluid and walls */
    OozeSym3 *pressure_correction; /* B of pressures: inverse of sum h x^T, walls included */
    float *mobility;               /* 1 / relative mass; 0: the velocity is prescribed */
    float *divergence_target;      /* s, 1/s */
    OozeVector *force;             /* explicit forces over the reference density, m/s2 */
    OozeSym3 *stiffness, *explicit_stress;
    float *viscosity; /* m2/s */
    float *rate;      /* 1/s: shear rate at the beginning of the step */
    /* kinematic pressure of the last step that acts before the projection; after it, all that
       acts */
    float *last_pressure;
    /* results, stored unless the step is refused */
    OozeVector *next_x;
    float *next_pressure;        /* Pa */
    OozeSolidImpulses *impulses; /* NULL: no solid is dynamic */
} OozeCauchyStep;

/* Surface tension as a stress. */
typedef struct OozeCauchyTension {
    OozeCauchyStep *step;
    OozeSurfaceTension numbers;
    OozeVector *flux; /* three rows a particle */
    OozeVector *base;
} OozeCauchyTension;

/* The velocity solve (M - dt K) u = M u*. */
typedef struct OozeCauchyVelocity {
    OozeCauchyStep *step;
    OozeConjugateGradients *cg;
    float *hourglass;
    float *edge_hourglass; /* sum over the edges of f n_j */
    OozeVector *flux;      /* three a particle: rows of F = S B - n L with n u in the fourth lane */
    OozeVector *u_star;
    OozeVector *r, *p, *ap; /* of conjugate gradients */
    OozeVector *input;      /* of a product */
    bool explicit_terms;    /* of a product before the iterations: with S0 and moving walls */
} OozeCauchyVelocity;

/* The pressure solve L q = b. */
typedef struct OozeCauchyPressure {
    OozeCauchyStep *step;
    OozeConjugateGradients *cg;
    float *q, *r, *z, *p, *ap;
    float *diagonal;          /* of the operator */
    float *mass;              /* of the coarse grids: see the stage build_grids */
    OozeVector *acceleration; /* M^-1 D^T of q */
    float *divergence;        /* of the velocities before the solve, 1/s */
    float *mean;              /* one: of the right side, see ooze_cauchy_mean */
    float *share;             /* one: of q that acts */
    int pass;                 /* from 0 */
} OozeCauchyPressure;

/* The end of the step. */
typedef struct OozeCauchyMotion {
    OozeCauchyStep *step;
    OozeVector *collided; /* velocities after collisions */
    OozeVector *shift;    /* m: of positions alone */
} OozeCauchyMotion;

#endif
