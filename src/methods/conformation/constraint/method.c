/* Tables of the method constraint, which takes the steps of conformation with other equations for
   velocities and positions: settings, material keys, particle fields. */
#include "methods/conformation/constraint/method.h"

#include <math.h>

#include "methods/conformation/constraint/cpu/constraint_solve.h"
#include "methods/conformation/cost_model.h"
#include "methods/derive.h"
#include "methods/effects.h"

enum {
    PARAM_FORMULATION,
    PARAM_VELOCITY_ITERATIONS,
    PARAM_POSITION_ITERATIONS,
    PARAM_SOLVER,
    PARAM_PROJECTION,
    PARAM_VELOCITY_ONLY,
    PARAM_COROTATION,
    PARAM_DEVIATORIC_ONLY,
    PARAM_WARM_START,
    PARAM_CHEBYSHEV,
    PARAM_TOLERANCE,
    PARAM_CONTACT_DISTANCE,
    PARAM_MIN_DISTANCE,
    PARAM_COUNT
};

/* Sweeps converge slowly or not at all: there are as many as in most scenes of the paper. */
enum { SWEEPS = 20 };

static const OozeParamInfo params[PARAM_COUNT] = {
    [PARAM_FORMULATION] = {"formulation", OOZE_PARAM_CHOICE, "", 0, 1, 0, "consistent|paper",
                           "paper: the equations as printed; consistent: with corrected units, "
                           "isotropy, momentum, rotation and contact"},
    [PARAM_VELOCITY_ITERATIONS] = {"velocity_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, SWEEPS,
                                   NULL, "sweeps of the velocity stage at most"},
    [PARAM_POSITION_ITERATIONS] = {"position_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 5, NULL,
                                   "iterations of the position stage, each one of density and one "
                                   "of conformation"},
    [PARAM_SOLVER] = {"solver", OOZE_PARAM_CHOICE, "", 0, 2, 1,
                      "jacobi|chebyshev|conjugate_gradients",
                      "consistent: how the velocity stage is solved"},
    [PARAM_PROJECTION] = {"projection", OOZE_PARAM_CHOICE, "", 0, 1, 0,
                          "doubly_constrained|positions_only", "with or without a velocity stage"},
    [PARAM_VELOCITY_ONLY] = {"velocity_only", OOZE_PARAM_SWITCH, "", 0, 1, 0, NULL,
                             "no conformation in the position stage"},
    [PARAM_COROTATION] = {"corotation", OOZE_PARAM_SWITCH, "", 0, 1, 1, NULL,
                          "rotations are no strain"},
    [PARAM_DEVIATORIC_ONLY] = {"deviatoric_only", OOZE_PARAM_SWITCH, "", 0, 1, 0, NULL,
                               "constrain shear alone, not volume"},
    [PARAM_WARM_START] = {"warm_start", OOZE_PARAM_REAL, "", 0, 0.95, 0.8, NULL,
                          "consistent: share of the last step's stress to begin with"},
    [PARAM_CHEBYSHEV] = {"chebyshev_radius", OOZE_PARAM_REAL, "", 0, 0.9999, 0.97, NULL,
                         "consistent: spectral radius that Chebyshev's weights are made for"},
    [PARAM_TOLERANCE] =
        {"tolerance", OOZE_PARAM_REAL, "", 0, 1, 3e-4, NULL,
         "relative residual at which the velocity stage ends; 0: it and the position stage take "
         "all their iterations"},
    [PARAM_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5, NULL,
                                "how near a particle's centre comes to a solid"},
    [PARAM_MIN_DISTANCE] =
        {"min_distance", OOZE_PARAM_REAL, "spacings", 0, 1, 0.8, NULL,
         "consistent: particles nearer than this drift apart; 0: they may line up in strings"},
};

static const char *const material_keys[] = {
    "density",         "viscosity",         "modulus",       "relaxation_time",   "compliance",
    "surface_tension", "interface_tension", "contact_angle", "solvent_viscosity", NULL};

static const OozeFieldInfo fields[] = {
    {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "polymer conformation less identity, Q - I: xx, yy, zz, xy, xz, yz"},
    {"multipliers", OOZE_FIELD_FLOAT32, 6, 8, "m2/s2", 0.0, true,
     "of the six rows of the constraint, minus a stress over the density: xx, yy, zz, xy, xz, yz"},
    {"relief_progress", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true,
     "1: density errors push in full; less: overlaps that were placed are still being relaxed"},
};

static OozeConformationSettings settings_of(const OozeStepContext *c)
{
    const double hourglass = 1.0;
    bool paper = c->params[PARAM_FORMULATION] == 1.0;
    return (OozeConformationSettings){
        .formulation = paper ? OOZE_FORMULATION_PAPER : OOZE_FORMULATION_CONSISTENT,
        .stages = paper ? &ooze_formulation_paper : &ooze_formulation_consistent,
        .velocity_iterations = (int)c->params[PARAM_VELOCITY_ITERATIONS],
        .density_iterations = (int)c->params[PARAM_POSITION_ITERATIONS],
        .passes = 1,
        .time_integration = OOZE_TIME_FIRST_ORDER,
        .hourglass = hourglass,
        .contact_distance = (float)(c->params[PARAM_CONTACT_DISTANCE] * c->spacing),
        .tolerance = c->params[PARAM_TOLERANCE],
        .density_tolerance = c->params[PARAM_TOLERANCE] > 0.0 ? OOZE_DENSITY_TOLERANCE : -1.0f,
        .min_distance = (float)(c->params[PARAM_MIN_DISTANCE] * c->spacing),
        .solver = (OozeConstraintSolver)c->params[PARAM_SOLVER],
        .positions_only = c->params[PARAM_PROJECTION] == 1.0,
        .velocity_only = c->params[PARAM_VELOCITY_ONLY] != 0.0,
        .corotation = c->params[PARAM_COROTATION] != 0.0,
        .deviatoric_only = c->params[PARAM_DEVIATORIC_ONLY] != 0.0,
        .warm_start = (float)c->params[PARAM_WARM_START],
        .chebyshev = (float)c->params[PARAM_CHEBYSHEV],
    };
}

static unsigned derive_material(const OozeStepContext *c, const OozeFlow *flow,
                                OozeMaterial *material)
{
    return ooze_derive_maxwell(c, flow, material) | OOZE_EFFECT_TENSION;
}

static const OozeGoneSetting gone_settings[] = {
    {"density_iterations", NULL, NULL, -1.0,
     "use position_iterations; density_iterations is a setting of conformation", NULL},
};

static const OozeConformationKind kind = {settings_of};

static const char *const chosen_keys[] = {"velocity_iterations", "position_iterations", NULL};

static const char *const ghost_fields[] = {"material", "body", NULL};

const OozeMethod ooze_method_constraint = {
    .info = {.name = "constraint",
             .summary = "viscoelastic fluids by constraints on polymer conformation, as published",
             .reference = "Barreiro et al. 2017, Conformation constraints for efficient "
                          "viscoelastic fluid simulation",
             .params = params,
             .param_count = PARAM_COUNT},
    .own = &kind,
    .gone_settings = gone_settings,
    .gone_count = sizeof gone_settings / sizeof gone_settings[0],
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_boundary_neighbours = true,
    .wall_friction = ooze_conformation_wall_friction,
    .records_stress = true,
    .uses_tables = true,
    .create = ooze_conformation_create,
    .destroy = ooze_conformation_destroy,
    .bytes = ooze_conformation_bytes,
    .step = ooze_conformation_step,
    .check = ooze_conformation_check,
    .stable_step = ooze_conformation_stable_step,
    .advise = ooze_conformation_advise,
    .explain = ooze_conformation_explain,
    .chosen_keys = chosen_keys,
    .choose = ooze_conformation_choose,
    .derive_material = derive_material,
};
