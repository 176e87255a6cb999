/* Tables of the conformation method: parameters, material keys, particle fields. */
#include "methods/conformation/method.h"

#include <math.h>

#include "methods/conformation/cost_model.h"
#include "methods/conformation/step.h"
#include "methods/maxwell.h"
#include "physics/surface_stress.h"

enum {
    PARAM_FORMULATION,
    PARAM_VELOCITY_ITERATIONS,
    PARAM_DENSITY_ITERATIONS,
    PARAM_PASSES,
    PARAM_BULK,
    PARAM_VOID_CLOSURE,
    PARAM_HOURGLASS,
    PARAM_CONTACT_DISTANCE,
    PARAM_TOLERANCE,
    PARAM_MIN_DISTANCE,
    PARAM_POSITION_ITERATIONS,
    PARAM_SOLVER,
    PARAM_PROJECTION,
    PARAM_VELOCITY_ONLY,
    PARAM_COROTATION,
    PARAM_DEVIATORIC_ONLY,
    PARAM_WARM_START,
    PARAM_CHEBYSHEV,
    PARAM_DENSITY_TOLERANCE,
    PARAM_PRECONDITIONER,
    PARAM_TIME_INTEGRATION,
    PARAM_IMPACT_PASSES,
    PARAM_PRESSURE,
    PARAM_DENSITY_MEAN_TOLERANCE,
    PARAM_DENSITY_WARM_START,
    PARAM_COUNT
};

/* The choice after those of OozeConstraintSolver: chosen by the program. */
enum { SOLVER_AUTO = OOZE_CONSTRAINT_CONJUGATE_GRADIENTS + 1 };

const OozeFormulation *const ooze_formulations[OOZE_FORMULATION_COUNT] = {
    [OOZE_FORMULATION_LODGE] = &ooze_formulation_lodge,
    [OOZE_FORMULATION_CONSISTENT] = &ooze_formulation_consistent,
    [OOZE_FORMULATION_PAPER] = &ooze_formulation_paper,
};

static const OozeParamInfo params[PARAM_COUNT] = {
    [PARAM_FORMULATION] = {"formulation", OOZE_PARAM_CHOICE, "", 0, 2, 0, "lodge|consistent|paper",
                           "which equations are solved; see docs/methods/conformation.md"},
    [PARAM_VELOCITY_ITERATIONS] =
        {"velocity_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, NAN, NULL,
         "iterations of the velocity solve at most, per pass; where not given, 1000 for lodge, "
         "which ends at its tolerance, and 20 sweeps for the others"},
    [PARAM_DENSITY_ITERATIONS] = {"density_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 8, NULL,
                                  "lodge: iterations of the density stage"},
    [PARAM_PASSES] = {"passes", OOZE_PARAM_INTEGER, "", 1, 8, 2, NULL,
                      "times the stress is linearised in a step"},
    [PARAM_BULK] = {"bulk", OOZE_PARAM_REAL, "", 0, 1e3, 5, NULL,
                    "resistance to change of volume, over that to shear"},
    [PARAM_VOID_CLOSURE] = {"void_closure", OOZE_PARAM_REAL, "", 0, 10, 0.5, NULL,
                            "tensile stress that closes voids inside the fluid"},
    [PARAM_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 1, NULL,
                         "damping of motion that a linear field does not describe"},
    [PARAM_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5, NULL,
                                "how near a particle's centre comes to a solid"},
    [PARAM_TOLERANCE] = {"tolerance", OOZE_PARAM_REAL, "", 0, 1, 3e-4, NULL,
                         "relative residual at which the velocity solve stops"},
    [PARAM_MIN_DISTANCE] =
        {"min_distance", OOZE_PARAM_REAL, "spacings", 0, 1, 0.8, NULL,
         "particles nearer than this drift apart; 0: they may line up in strings"},
    [PARAM_POSITION_ITERATIONS] = {"position_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 5, NULL,
                                   "consistent, paper: iterations of the position stage, each one "
                                   "of density and one of conformation"},
    [PARAM_SOLVER] = {"solver", OOZE_PARAM_CHOICE, "", 0, 3, 1,
                      "jacobi|chebyshev|conjugate_gradients|auto",
                      "consistent: how the velocity stage is solved. auto: chebyshev, and in every "
                      "formulation a scene's time_step, velocity_iterations, passes and "
                      "density_iterations are chosen where they are not given; see docs/advice.md"},
    [PARAM_PROJECTION] = {"projection", OOZE_PARAM_CHOICE, "", 0, 1, 0,
                          "doubly_constrained|positions_only",
                          "consistent, paper: with or without a velocity stage"},
    [PARAM_VELOCITY_ONLY] = {"velocity_only", OOZE_PARAM_SWITCH, "", 0, 1, 0, NULL,
                             "consistent, paper: no conformation in the position stage"},
    [PARAM_COROTATION] = {"corotation", OOZE_PARAM_SWITCH, "", 0, 1, 1, NULL,
                          "consistent, paper: rotations are no strain"},
    [PARAM_DEVIATORIC_ONLY] = {"deviatoric_only", OOZE_PARAM_SWITCH, "", 0, 1, 0, NULL,
                               "consistent, paper: constrain shear alone, not volume"},
    [PARAM_WARM_START] = {"warm_start", OOZE_PARAM_REAL, "", 0, 0.95, 0.8, NULL,
                          "consistent: share of the last step's stress to begin with"},
    [PARAM_CHEBYSHEV] = {"chebyshev_radius", OOZE_PARAM_REAL, "", 0, 0.9999, 0.97, NULL,
                         "consistent: spectral radius that Chebyshev's weights are made for"},
    [PARAM_DENSITY_TOLERANCE] =
        {"density_tolerance", OOZE_PARAM_REAL, "", 0, 1, 1e-4, NULL,
         "lodge: density beyond rest, of the worst particle, at which the density "
         "stage stops; 0: it always takes all iterations"},
    [PARAM_PRECONDITIONER] = {"velocity_preconditioner", OOZE_PARAM_CHOICE, "", 0, 2, 0,
                              "auto|mass|multigrid",
                              "lodge: preconditioner of the velocity solve. auto: multigrid where "
                              "it is expected to be faster"},
    [PARAM_TIME_INTEGRATION] =
        {"time_integration", OOZE_PARAM_CHOICE, "", 0, 2, OOZE_TIME_AUTO,
         "first_order|second_order|auto",
         "lodge: first_order damps elastic motion like a viscosity of modulus times time step; "
         "second_order has two passes, and damps only what a step does not resolve. auto: second "
         "order of materials that damp the bounce of a body of 15 layers less than first order "
         "would"},
    [PARAM_IMPACT_PASSES] = {"impact_passes", OOZE_PARAM_INTEGER, "", 0, 20, 0, NULL,
                             "lodge: further passes, at most, of steps in which particles cross "
                             "more than half a spacing; they find contacts within the step and "
                             "oppose compression. 0: none"},
    [PARAM_PRESSURE] = {"pressure", OOZE_PARAM_CHOICE, "", 0, 1, 0, "density_stage|grid",
                        "lodge: density_stage finds pressure after the velocities. grid: "
                        "velocities and a pressure on a grid of two spacings are solved together, "
                        "for slow flow under weight, where density_stage resists shear like a "
                        "yield stress"},
    [PARAM_DENSITY_MEAN_TOLERANCE] =
        {"density_mean_tolerance", OOZE_PARAM_REAL, "", 0, 1, 0, NULL,
         "lodge: error of density (beyond rest, and below it where pressure acts), mean over the "
         "particles, at which the density stage stops; "
         "density_iterations is the most it takes. 0: the mean does not end it"},
    [PARAM_DENSITY_WARM_START] =
        {"density_warm_start", OOZE_PARAM_SWITCH, "", 0, 1, 0, NULL,
         "lodge: the density stage begins with the pressure of the last step. For thick fluid in "
         "long steps; not with dynamic solids, particle bodies or pressure: grid"},
};

static const OozeGoneSetting gone_settings[] = {
    {"divergence_iterations", NULL, NULL, 0.0,
     "leave it out: more density_iterations leave less compression in the same time"},
    {"pressure", "velocity_solve", "divergence_iterations", 0.0,
     "use grid for slow flow under weight, or leave it out"},
    {"void_closure_cutoff", NULL, NULL, 0.7,
     "leave it out: void closure ends at 0.7 of the surface indicator of a flat surface"},
    {"hourglass_reach", NULL, NULL, 3.0,
     "leave it out: the damping acts while an elastic wave runs 3 spacings"},
};

static const char *const material_keys[] = {
    "density",           "viscosity",         "modulus",
    "relaxation_time",   "compliance",        "solvent_viscosity",
    "yield_strain",      "thinning",          "thinning_rate",
    "thinning_exponent", "thinning_floor",    "surface_tension",
    "interface_tension", "contact_angle",     "modulus_2",
    "relaxation_time_2", "modulus_3",         "relaxation_time_3",
    "modulus_4",         "relaxation_time_4", NULL};

enum { FIELD_CONFORMATION, FIELD_EXPANSION, FIELD_WARM_START, FIELD_RELIEF_PROGRESS };

static const OozeFieldInfo fields[] = {
    {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "polymer conformation less identity, Q - I: xx, yy, zz, xy, xz, yz"},
    {"expansion", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, "volume gained beyond rest, relative"},
    {"warm_start", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "initial guess of the next step's velocity solve. lodge: acceleration by stress and contacts, "
     "m/s2, then that by the density stage, or pressure over density, m2/s2, which "
     "density_warm_start keeps; consistent: six multipliers, m2/s2"},
    {"relief_progress", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true,
     "1: density errors push in full; less: overlaps that were placed are still being relaxed"},
};

#define MODE_FIELD(k)                                                                              \
    {                                                                                              \
        "conformation_" #k, OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,                               \
            "the same of relaxation mode " #k                                                      \
    }
/* Only in worlds with a material of that mode. */
static const OozeFieldInfo mode_fields[OOZE_MORE_MODES] = {MODE_FIELD(2), MODE_FIELD(3),
                                                           MODE_FIELD(4)};

/* Includes the modes below one that the material has: loops over modes skip none. */
static bool wants_mode(const OozeMaterial *material, int field)
{
    bool wants = false;
    for (int k = field; k < OOZE_MORE_MODES; k++) {
        wants = wants || ooze_maxwell_mode(material, k, 1.0).modulus > 0.0;
    }
    return wants;
}

/* Sweeps of `consistent` and `paper` converge slowly or not at all: there are as many as in most
   scenes of the paper. */
static double derive_param(const double *given, int param)
{
    const double cap = OOZE_VELOCITY_CAP, sweeps = 20.0;
    double formulation = given[PARAM_FORMULATION];
    bool lodge = isnan(formulation) || formulation == OOZE_FORMULATION_LODGE;
    return param != PARAM_VELOCITY_ITERATIONS ? NAN : lodge ? cap : sweeps;
}

/* Pressure on a grid and impact passes exist in first order only. */
static OozeTimeIntegration time_integration(const OozeStepContext *c)
{
    OozeTimeIntegration given = (OozeTimeIntegration)c->params[PARAM_TIME_INTEGRATION];
    bool lodge = c->params[PARAM_FORMULATION] == OOZE_FORMULATION_LODGE;
    bool first = c->params[PARAM_IMPACT_PASSES] > 0.0;
    return !lodge || (given == OOZE_TIME_AUTO && first) ? OOZE_TIME_FIRST_ORDER : given;
}

OozeConformationSettings ooze_conformation_settings(const OozeStepContext *c)
{
    OozeTimeIntegration integration = time_integration(c);
    return (OozeConformationSettings){
        .formulation = (OozeFormulationKind)c->params[PARAM_FORMULATION],
        .velocity_iterations =
            (int)ooze_method_param(&ooze_method_conformation, c->params, PARAM_VELOCITY_ITERATIONS),
        .density_iterations = (int)c->params[PARAM_DENSITY_ITERATIONS],
        .passes = (int)c->params[PARAM_PASSES],
        .impact_passes = c->params[PARAM_FORMULATION] == OOZE_FORMULATION_LODGE &&
                                 integration == OOZE_TIME_FIRST_ORDER
                             ? (int)c->params[PARAM_IMPACT_PASSES]
                             : 0,
        .time_integration = integration,
        .pressure_grid = c->params[PARAM_PRESSURE] == 1.0 &&
                         c->params[PARAM_FORMULATION] == OOZE_FORMULATION_LODGE,
        .hourglass = c->params[PARAM_HOURGLASS],
        .bulk = (float)c->params[PARAM_BULK],
        .void_closure = (float)c->params[PARAM_VOID_CLOSURE],
        .contact_distance = (float)(c->params[PARAM_CONTACT_DISTANCE] * c->spacing),
        .tolerance = c->params[PARAM_TOLERANCE],
        .density_tolerance = c->params[PARAM_DENSITY_TOLERANCE] > 0.0
                                 ? (float)c->params[PARAM_DENSITY_TOLERANCE]
                                 : -1.0f,
        .density_mean_tolerance = (float)c->params[PARAM_DENSITY_MEAN_TOLERANCE],
        .density_warm_start = c->params[PARAM_DENSITY_WARM_START] != 0.0,
        .preconditioner = (OozePreconditioner)c->params[PARAM_PRECONDITIONER],
        .min_distance = (float)(c->params[PARAM_MIN_DISTANCE] * c->spacing),
        .position_iterations = (int)c->params[PARAM_POSITION_ITERATIONS],
        .solver = c->params[PARAM_SOLVER] == SOLVER_AUTO
                      ? OOZE_CONSTRAINT_CHEBYSHEV
                      : (OozeConstraintSolver)c->params[PARAM_SOLVER],
        .positions_only = c->params[PARAM_PROJECTION] == 1.0,
        .velocity_only = c->params[PARAM_VELOCITY_ONLY] != 0.0,
        .corotation = c->params[PARAM_COROTATION] != 0.0,
        .deviatoric_only = c->params[PARAM_DEVIATORIC_ONLY] != 0.0,
        .warm_start = (float)c->params[PARAM_WARM_START],
        .chebyshev = (float)c->params[PARAM_CHEBYSHEV],
    };
}

int ooze_conformation_count_modes(const OozeStepContext *c)
{
    int count = 0;
    while (count < OOZE_MORE_MODES &&
           ooze_particles_find_field(c->particles, mode_fields[count].name) >= 0) {
        count++;
    }
    return count;
}

static float *field_of(const OozeConformationStep *s, const OozeFieldInfo *info)
{
    OozeParticles *particles = s->context->particles;
    return ooze_particles_data(particles, ooze_particles_find_field(particles, info->name));
}

void ooze_conformation_find_fields(OozeConformationStep *s)
{
    s->strain = field_of(s, &fields[FIELD_CONFORMATION]);
    s->expansion = field_of(s, &fields[FIELD_EXPANSION]);
    s->relief_progress = field_of(s, &fields[FIELD_RELIEF_PROGRESS]);
    s->warm_start = field_of(s, &fields[FIELD_WARM_START]);
    for (int k = 0; k < s->more_modes; k++) {
        s->more_strain[k] = field_of(s, &mode_fields[k]);
    }
}

/* All but surface tension is implicit. */
static double stable_step(const OozeStepContext *c)
{
    double longest = INFINITY;
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        if (v[OOZE_MATERIAL_SURFACE_TENSION] > 0.0) {
            longest = fmin(longest, ooze_capillary_step(v[OOZE_MATERIAL_SURFACE_TENSION],
                                                        v[OOZE_MATERIAL_DENSITY], c->spacing));
        }
    }
    return longest;
}

static OozeStatus check(const OozeStepContext *context, OozeError *error)
{
    OozeConformationPlan plan;
    return ooze_conformation_plan(context, &plan, error);
}

/* Nodes of the grid have no ghosts yet. */
static const char *refuses_ranks(const OozeStepContext *c)
{
    return ooze_conformation_settings(c).pressure_grid
               ? "'pressure: grid' needs one process; 'pressure: density_stage' does not"
               : NULL;
}

static const char *const chosen_keys[] = {"velocity_iterations", "passes", "density_iterations",
                                          NULL};

static const char *const ghost_fields[] = {"material", "body", NULL};

/* Boundary samples drag fluid that does not slip, and all fluid at dynamic solids. */
static double wall_friction(const OozeSolid *solid)
{
    double friction = ooze_solid_fluid_friction(solid);
    if (!solid->sampled) {
        return isinf(friction) ? 0.0 : friction;
    }
    return ooze_solid_is_dynamic(solid) && friction > 0.0 ? INFINITY : friction;
}

/* Before the setting, there was first order alone. */
static double earlier_param(int param)
{
    return param == PARAM_TIME_INTEGRATION ? OOZE_TIME_FIRST_ORDER : params[param].initial;
}

const OozeMethod ooze_method_conformation = {
    .info = {.name = "conformation",
             .summary = "viscoelastic fluids by polymer conformation: honey, cream, slime, jelly",
             .reference = "Barreiro et al. 2017, Conformation constraints for efficient "
                          "viscoelastic fluid simulation",
             .params = params,
             .param_count = PARAM_COUNT},
    .gone_settings = gone_settings,
    .gone_count = sizeof gone_settings / sizeof gone_settings[0],
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .material_fields = mode_fields,
    .material_field_count = OOZE_MORE_MODES,
    .wants_field = wants_mode,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .refuses_ranks = refuses_ranks,
    .shares_bodies = true,
    .uses_fluid_neighbours = true,
    .uses_boundary_neighbours = true,
    .takes_bodies = true,
    .wall_friction = wall_friction,
    .pushes_solids = true,
    .records_stress = true,
    .uses_tables = true,
    .create = ooze_conformation_create,
    .destroy = ooze_conformation_destroy,
    .bytes = ooze_conformation_bytes,
    .step = ooze_conformation_step,
    .check = check,
    .stable_step = stable_step,
    .advise = ooze_conformation_advise,
    .explain = ooze_conformation_explain,
    .describe_order = ooze_conformation_describe_order,
    .chosen_keys = chosen_keys,
    .choose = ooze_conformation_choose,
    .derive_param = derive_param,
    .earlier_param = earlier_param,
    .numerical_viscosity = 0.76,
    .step_bias = ooze_conformation_step_bias,
};
