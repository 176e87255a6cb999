/* Constants of one step of the conformation method: settings, materials in kinematic units, and
   constants of the spacing and support. Valid C and C++, for the processor and the GPU. */
#ifndef OOZE_METHODS_CONFORMATION_PLAN_H
#define OOZE_METHODS_CONFORMATION_PLAN_H

#include "methods/method.h"
#include "methods/temperature_scale.h"
#include "physics/lodge.h"
#include "physics/thinning.h"
#include "solvers/density/density_job.h"
#include "solvers/linear/conjugate_gradients_formula.h"

/* A relaxation mode of a material beyond the first. Modulus 0: the material has no such mode. */
typedef struct OozeMode {
    float modulus;     /* G_k over the reference density, m2/s2 */
    float hourglass;   /* contribution to the hourglass coefficient, m2/s */
    OozeMemory memory; /* r, m1 and m2 of the mode; of an absent mode such that Q stays I */
} OozeMode;

/* A material in kinematic units (over the reference density) for this time step. */
typedef struct OozeRheology {
    float relative_mass; /* rho: density over the reference density */
    /* The same, or infinite for particles of rigid bodies, whose residual the body takes up as a
       whole. */
    float preconditioner_mass;
    float modulus;    /* G, m2/s2 */
    float viscosity;  /* nu_s of the solvent, m2/s */
    float relaxation; /* tau, s; may be infinite */
    /* alpha as given, s2/m2; 0: as stiff as the iterations allow; NAN: not given */
    float compliance;
    float longest_relaxation; /* of all modes with a modulus, s; 0: nothing is elastic */
    float hourglass;          /* n of the first mode and the viscosity, m2/s */
    /* part of viscosity and hourglass that is independent of thinning and yield */
    float solvent, solvent_hourglass;
    /* elastic over more than a step, and solved in two stages: see lodge_formula.h */
    bool second_order;
    OozeMemory memory; /* r, m1 and m2 of the first mode */
    OozeMode more[OOZE_MORE_MODES];
    OozeThinning thinning;
    float yield;               /* elastic strain beyond which it flows; may be infinite */
    float surface_tension;     /* sigma, m3/s2 */
    float interface_tension;   /* against other liquids, m3/s2; of a pair, the mean of theirs */
    float contact_cosine;      /* of the contact angle on solids that give none */
    float bond_modulus;        /* G of a soft body, m2/s2 */
    float push_stress_share;   /* see ooze_push_stress_share */
    float expected_push_share; /* see expected_push_formula.h */
    float multiplier_share;    /* likewise */
} OozeRheology;

/* How `consistent` solves for its multipliers in the velocity stage. */
typedef enum OozeConstraintSolver {
    OOZE_CONSTRAINT_JACOBI,
    OOZE_CONSTRAINT_CHEBYSHEV,
    OOZE_CONSTRAINT_CONJUGATE_GRADIENTS
} OozeConstraintSolver;

/* `lodge` is the method conformation; the others are the choices of the method constraint. */
typedef enum OozeFormulationKind {
    OOZE_FORMULATION_LODGE,
    OOZE_FORMULATION_CONSISTENT,
    OOZE_FORMULATION_PAPER
} OozeFormulationKind;

/* Preconditioner of the velocity solve of `lodge`, in the order of the setting's choices. */
typedef enum OozePreconditioner {
    OOZE_PRECONDITIONER_AUTO,
    OOZE_PRECONDITIONER_DIAGONAL,
    OOZE_PRECONDITIONER_MULTIGRID
} OozePreconditioner;

/* Iterations of the velocity solve of `lodge` at most, per pass, where a scene gives none. The
   solve ends at its tolerance; this bounds the time of one that does not converge. Multigrid takes
   some 16, and the diagonal preconditioner is chosen where it is expected to take fewer than about
   60; ropes of cream take 200 to 400 where they fold. */
#define OOZE_VELOCITY_CAP 1000

/* Of elastic motion, in the order of the setting's choices. */
typedef enum OozeTimeIntegration {
    OOZE_TIME_FIRST_ORDER,
    OOZE_TIME_SECOND_ORDER,
    OOZE_TIME_AUTO /* second order of the materials that swing: see material.c */
} OozeTimeIntegration;

/* Resistance to change of volume, over that to shear: with less, density errors of soft fluid grow;
   with more, the solve takes more iterations. */
#define OOZE_BULK 5.0f
/* Density beyond rest, of the worst particle, at which the density stage ends. */
#define OOZE_DENSITY_TOLERANCE 1e-4f
/* Surface indicator at which void closure ends, over that of a flat surface: voids inside the fluid
   are closed, the surface of a body is not pulled in. */
#define OOZE_VOID_CLOSURE_CUTOFF 0.7f
/* Spacings that an elastic wave runs while hourglass damping acts: a little more than a support,
   within which motion alternates that the damping is for. */
#define OOZE_HOURGLASS_REACH 3.0

/* Settings of the solver, from the method's parameters. */
typedef struct OozeConformationSettings {
    OozeFormulationKind formulation;
    const struct OozeFormulation *stages; /* of that formulation, on the processor */
    int velocity_iterations, passes;
    int density_iterations; /* with the method constraint: iterations on positions */
    int impact_passes;      /* further ones in long steps, at most; see impact.h */
    bool pressure_grid;     /* see pressure_solve.h */
    OozeTimeIntegration time_integration;
    bool second_order;            /* some material is; then there are two passes */
    double hourglass;             /* factor of the term */
    float bulk;                   /* bulk over shear stiffness */
    float void_closure;           /* tensile stress that closes voids inside the fluid */
    float contact_distance;       /* m between centres and solids */
    float min_distance;           /* m: see OozeDensityJob */
    double tolerance;             /* relative residual at which the velocity solve stops */
    float density_tolerance;      /* see OozeDensityJob */
    float density_mean_tolerance; /* likewise */
    bool density_warm_start;      /* see density_warm_start.h */
    OozePreconditioner preconditioner;
    /* of the method constraint */
    OozeConstraintSolver solver;
    bool positions_only;  /* Algorithm 1: no velocity stage */
    bool velocity_only;   /* no conformation in the position stage */
    bool corotation;      /* rotations are no strain */
    bool deviatoric_only; /* constrains shear, not volume */
    float warm_start;     /* fraction of the last step's multipliers to start from */
    float chebyshev;      /* spectral radius for Chebyshev's weights */
} OozeConformationSettings;

/* First rows of a material that depends on temperature. */
typedef struct OozeTemperatureRows {
    int fluid, soft; /* of each kind; -1: none */
    OozeTemperatureScale scale;
} OozeTemperatureRows;

typedef struct OozeConformationPlan {
    OozeConformationSettings settings;
    float dt, support;
    float volume;            /* V0 such that the rest lattice has density 1 exactly */
    float flat_gradient;     /* |sum V0 g| of a particle on a flat free surface */
    float wall_scale;        /* see OozeGather */
    float strain_scale;      /* likewise; 0: gradients by the kernel of the density */
    float wall_strain_scale; /* likewise */
    /* Rows of the materials as fluids; where there are bodies, then as rigid and as soft bodies;
       then rows of temperatures. In the step arena. */
    OozeRheology *rheology;
    int row_count;
    int more_modes; /* largest number of modes beyond the first; gaps count */
    OozeTemperatureRows *temperature_rows; /* per material; NULL: none depends on temperature */
    /* over relative mass, of all rows, m3/s2; tensions between liquids count */
    float largest_surface_tension;
    bool isotropic_pushes;    /* some row removes the stress of pushes: see push_stress.h */
    bool isotropic_shifts;    /* all rows do, also near walls, and shifts change too */
    bool interfaces;          /* there are several liquids, and tension between them */
    float drift_share;        /* see OozeDensityJob */
    bool expects_pushes;      /* of the density stage: see expected_push_formula.h */
    float solid_push_share;   /* expected by dynamic solids: the least of all materials */
    bool warm_density;        /* see density_warm_start.h */
    bool regularises_threads; /* see ooze_lodge_thread_regularisation */
} OozeConformationPlan;

OozeStatus ooze_conformation_plan(const OozeStepContext *context, OozeConformationPlan *plan,
                                  OozeError *error);
/* A job of the density stage without its particles. */
OozeDensityJob ooze_conformation_density_settings(const OozeStepContext *context,
                                                  const OozeConformationPlan *plan);

/* What the methods conformation and constraint differ in: OozeMethod.own. */
typedef struct OozeConformationKind {
    OozeConformationSettings (*settings)(const OozeStepContext *context);
} OozeConformationKind;
OozeConformationSettings ooze_conformation_settings(const OozeStepContext *context);
OozeStepBias ooze_conformation_step_bias(const OozeStepContext *context, const OozeFlow *flow,
                                         double share);

/* Compliances of a material in the method constraint, and the fraction of the stored
   strain that counts. */
typedef struct OozeConstraintMaterial {
    float normal, shear, share;
} OozeConstraintMaterial;

OozeConstraintMaterial ooze_constraint_material(const OozeRheology *rheology,
                                                OozeFormulationKind formulation, double dt);

/* Numbers that turn a material into a row of rheology, besides its own. */
typedef struct OozeRheologyRecipe {
    double reference_density, hourglass;
    double second_order_travel;      /* m that a shear wave may cross in a step of second order */
    bool second_order_if_it_bounces; /* see OozeBounce */
} OozeRheologyRecipe;
OozeRheologyRecipe ooze_rheology_recipe(const OozeStepContext *context,
                                        const OozeConformationSettings *settings);
/* Damping of the bounce of a body of 15 layers, as many as the cubes of Figure 4 of the paper have,
   or of one that takes ten steps if that is longer: second order damps shorter ones, too. */
typedef struct OozeBounce {
    double duration;         /* s */
    double own, first_order; /* 1/s: of the amplitude, by the material and by first order in time */
    double wave;             /* m/s, of shear */
    double longest;          /* relaxation time, s */
} OozeBounce;
OozeBounce ooze_conformation_bounce(const OozeStepContext *context, const OozeMaterial *material);
bool ooze_conformation_is_second_order(const OozeStepContext *context, const OozeMaterial *material,
                                       const OozeRheologyRecipe *recipe);
/* A material in kinematic units for this step. */
OozeRheology ooze_rheology(const OozeStepContext *context, const OozeMaterial *material,
                           const OozeRheologyRecipe *recipe);
/* The same of a body, whose own stress comes from bonds or rigidity instead of Q. */
OozeRheology ooze_body_rheology(const OozeStepContext *context, const OozeMaterial *material,
                                const OozeRheologyRecipe *recipe, OozeBodyKind kind);

/* Number of temperature rows, and filling them from row `first` on. */
int ooze_temperature_row_count(const OozeStepContext *context);
OozeStatus ooze_temperature_rows_plan(const OozeStepContext *context, OozeConformationPlan *plan,
                                      int first, const OozeRheologyRecipe *recipe,
                                      OozeError *error);
/* The row of a particle at a temperature; `otherwise` where temperature makes no difference. */
OOZE_FORMULA int ooze_temperature_row(const OozeTemperatureRows *rows, OozeBodyKind kind,
                                      double temperature, int otherwise)
{
    int first = kind == OOZE_BODY_FLUID ? rows->fluid : kind == OOZE_BODY_SOFT ? rows->soft : -1;
    return first < 0 ? otherwise : first + ooze_temperature_scale_row(&rows->scale, temperature);
}

/* Stress factor of body particles that fluid wets. Gradients at the surface mix the strain of
   the fluid with that of the body, which is zero, so both sides underestimate it. In shear flow
   along a lattice, with this factor F, the apparent slip in spacings is:

     F                     0     1     2     3     4
     support 1.8 to 2.0   1.50  0.50  0.17  0.00 -0.10
     support 2.2          1.62  0.53  0.16 -0.03 -0.15
     support 3.0          2.17  0.68  0.16 -0.12 -0.30 */
#define OOZE_FILM 3.0f

/* Frobenius norm. */
OOZE_FORMULA float ooze_stress_size(OozeSym3 s)
{
    return sqrtf(ooze_mat3_norm2(ooze_mat3_from_sym3(s)));
}

#endif
