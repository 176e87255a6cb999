/* What a step of the conformation method is to do, in numbers: the settings, the materials in kinematic units,
   and what follows from spacing and support. Valid C and C++: all machines work from the same plan. */
#ifndef OOZE_METHODS_CONFORMATION_PLAN_H
#define OOZE_METHODS_CONFORMATION_PLAN_H

#include "methods/method.h"
#include "physics/lodge.h"
#include "physics/thinning.h"

/* One relaxation time of a material beside its first. Modulus 0: it has no such mode. */
typedef struct OozeMode {
    float modulus;     /* as below */
    float hourglass;   /* its share in the coefficient of the hourglass term */
    OozeMemory memory; /* of nothing where there is no such mode: its Q stays I */
} OozeMode;

/* A material as the solver sees it: kinematic units, ready for this time step. */
typedef struct OozeRheology {
    float weight;  /* density over the reference density */
    float divisor; /* the same, or infinite where a rigid body takes up what pushes its particles */
    float modulus; /* G over the reference density, m2/s2 */
    float viscosity;  /* solvent viscosity over the reference density, m2/s */
    float relaxation; /* tau, s; may be infinite */
    float
        compliance; /* alpha as given, s2/m2; 0: as stiff as the iterations allow; NAN: not given */
    float longest;  /* relaxation time of all modes with a modulus, s; 0: nothing is elastic */
    float hourglass; /* coefficient of the hourglass term, m2/s; further modes have their own */
    /* what of viscosity and hourglass does not thin or yield: the solvent's */
    float solvent, solvent_hourglass;
    OozeMemory memory;
    OozeMode more[OOZE_MORE_MODES];
    OozeThinning thinning;
    float yield;   /* elastic strain beyond which it flows; may be infinite */
    float tension; /* surface tension over the reference density, m3/s2 */
    float bond;    /* G of a soft body over the reference density, m2/s2 */
} OozeRheology;

/* How far a velocity solve has come. All parts of it, passes and changes of solver, stop at the same
   residual: `tolerance` times the largest that one of them began with, before any guess, or times what
   `first` was set to before they began. */
typedef struct OozeVelocitySolve {
    double first, last; /* squared residuals: the largest at a beginning, and now */
    double stop;        /* squared residual that is good enough */
    int iterations;
    bool asked; /* for a tolerance: fixed counts have none to miss */
} OozeVelocitySolve;

/* All tell whether to go on. */
OOZE_FORMULA bool ooze_velocity_solve_begin(OozeVelocitySolve *solve, double square,
                                            double tolerance)
{
    solve->first = square > solve->first ? square : solve->first;
    solve->last = square;
    solve->stop = solve->first * tolerance * tolerance;
    solve->asked = tolerance > 0.0;
    return square > solve->stop;
}

OOZE_FORMULA bool ooze_velocity_solve_look(OozeVelocitySolve *solve, double square)
{
    solve->last = square;
    return square > solve->stop;
}

OOZE_FORMULA bool ooze_velocity_solve_go_on(OozeVelocitySolve *solve, double square)
{
    solve->iterations++;
    return ooze_velocity_solve_look(solve, square);
}

/* How `consistent` solves for its multipliers in the velocity stage. */
typedef enum OozeConstraintSolver {
    OOZE_CONSTRAINT_JACOBI,
    OOZE_CONSTRAINT_CHEBYSHEV,
    OOZE_CONSTRAINT_CONJUGATE_GRADIENTS
} OozeConstraintSolver;

/* In the order of the setting's choices. */
typedef enum OozeFormulationKind {
    OOZE_FORMULATION_LODGE,
    OOZE_FORMULATION_CONSISTENT,
    OOZE_FORMULATION_PAPER,
    OOZE_FORMULATION_COUNT
} OozeFormulationKind;

/* Settings of the solver, from the method's parameters. */
typedef struct OozeConformationSettings {
    OozeFormulationKind formulation;
    int velocity_iterations, density_iterations, divergence_iterations, passes;
    float bulk;       /* kb: bulk over shear stiffness */
    float tension;    /* bt: pull against dilation inside the fluid */
    float surface;    /* sth: share of the flat-surface gradient sum that counts as surface */
    float contact;    /* m between centres and solids */
    float apart;      /* m: see OozeDensityJob */
    double tolerance; /* relative residual at which the velocity solve stops */
    float density_tolerance; /* see OozeDensityJob */
    /* of the constraint formulations */
    int position_iterations;
    OozeConstraintSolver solver;
    bool positions_only;  /* Algorithm 1: no velocity stage */
    bool velocity_only;   /* no conformation in the position stage */
    bool corotation;      /* rotations are no strain */
    bool deviatoric_only; /* constrains shear, not volume */
    float warm_start;     /* share of the last step's multipliers to begin with */
    float chebyshev;      /* spectral radius that Chebyshev's weights are made for */
} OozeConformationSettings;

/* Rows of a material whose numbers depend on temperature, evenly from the lowest of its table to the highest: with
   a viscosity that changes 1000 fold between the two, a row differs by 3 % from the next. */
enum { OOZE_WARM_ROWS = 256 };
typedef struct OozeWarmRows {
    int fluid, soft; /* first row of each kind; -1: it has none */
    double low;      /* degC of the first */
    double rows_per_degree;
} OozeWarmRows;

typedef struct OozeConformationPlan {
    OozeConformationSettings settings;
    float dt, support;
    float volume;            /* V0 such that the rest lattice has density 1 exactly */
    float flat_gradient;     /* |sum V0 g| of a particle on a flat free surface */
    float wall_scale;        /* see OozeGather */
    float strain_scale;      /* likewise; 0: gradients by the kernel of the density */
    float wall_strain_scale; /* likewise */
    /* Rows of the materials as fluids, then, where there are bodies, as rigid ones and as soft ones, then those
       of temperatures. In the step arena. */
    OozeRheology *rheology;
    int row_count;
    int more_modes;     /* as many as the material with most has beside its first; gaps count */
    OozeWarmRows *warm; /* per material; NULL: none depends on temperature */
    bool any_tension;   /* of a surface */
} OozeConformationPlan;

OozeStatus ooze_conformation_plan(const OozeStepContext *context, OozeConformationPlan *plan,
                                  OozeError *error);

OozeConformationSettings ooze_conformation_settings(const OozeStepContext *context);

/* A material's compliances as the constraint formulations see it in this step, and the share of the stored
   strain that counts. */
typedef struct OozeConstraintMaterial {
    float normal, shear, share;
} OozeConstraintMaterial;

OozeConstraintMaterial ooze_constraint_material(const OozeRheology *rheology,
                                                OozeFormulationKind formulation, double dt);

/* Tells the report of the step how the velocity solve went. */
void ooze_velocity_solve_report(const OozeVelocitySolve *solve, OozeStepReport *report);

/* A material's numbers in kinematic units for this step. */
OozeRheology ooze_rheology(const OozeStepContext *context, const OozeMaterial *material,
                           double reference_density, double hourglass, double hourglass_reach);
/* The same of bodies, which have no memory of the fluid's kind. */
OozeRheology ooze_body_rheology(const OozeStepContext *context, const OozeMaterial *material,
                                double reference_density, double hourglass, OozeBodyKind kind);

/* Gradients at a surface mix the fluid's strain with the body's, which is none, so both sides count too
   little of it. In shear flow along a lattice, with the particles of the body taking part like fluid of
   F times the stress, the fluid seems to slip by so many spacings:

     F                     0     1     2     3     4
     support 1.8 to 2.0   1.50  0.50  0.17  0.00 -0.10
     support 2.2          1.62  0.53  0.16 -0.03 -0.15
     support 3.0          2.17  0.68  0.16 -0.12 -0.30 */
#define OOZE_FILM 3.0f

OOZE_FORMULA float ooze_stress_size(OozeSym3 s)
{
    return sqrtf(ooze_mat3_norm2(ooze_mat3_from_sym3(s)));
}

#endif
