/* Tables of the conformation method: parameters, material keys, particle fields. */
#include "methods/conformation/method.h"

#include <math.h>
#include <string.h>

#include "methods/conformation/cost_model.h"
#include "methods/conformation/solid_pushes.h"
#include "methods/conformation/stages.h"
#include "methods/maxwell.h"
#include "physics/surface_stress.h"

enum {
    PARAM_VELOCITY_ITERATIONS,
    PARAM_DENSITY_ITERATIONS,
    PARAM_PASSES,
    PARAM_VOID_CLOSURE,
    PARAM_HOURGLASS,
    PARAM_CONTACT_DISTANCE,
    PARAM_TOLERANCE,
    PARAM_MIN_DISTANCE,
    PARAM_PRECONDITIONER,
    PARAM_TIME_INTEGRATION,
    PARAM_IMPACT_PASSES,
    PARAM_PRESSURE,
    PARAM_DENSITY_MEAN_TOLERANCE,
    PARAM_DENSITY_WARM_START,
    PARAM_COUNT
};

static const OozeParamInfo params[PARAM_COUNT] = {
    [PARAM_VELOCITY_ITERATIONS] =
        {"velocity_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, OOZE_VELOCITY_CAP, NULL,
         "iterations of the velocity solve at most, per pass; it ends at its tolerance"},
    [PARAM_DENSITY_ITERATIONS] = {"density_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 8, NULL,
                                  "iterations of the density stage"},
    [PARAM_PASSES] = {"passes", OOZE_PARAM_INTEGER, "", 1, 8, 2, NULL,
                      "times the stress is linearised in a step"},
    [PARAM_VOID_CLOSURE] = {"void_closure", OOZE_PARAM_REAL, "", 0, 10, 0.5, NULL,
                            "tensile stress that closes voids inside the fluid"},
    [PARAM_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 1, NULL,
                         "damping of motion that a linear field does not describe"},
    [PARAM_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5, NULL,
                                "how near a particle's centre comes to a solid"},
    [PARAM_TOLERANCE] =
        {"tolerance", OOZE_PARAM_REAL, "", 0, 1, 3e-4, NULL,
         "relative residual at which the velocity solve stops; 0: it and the density stage take "
         "all their iterations"},
    [PARAM_MIN_DISTANCE] =
        {"min_distance", OOZE_PARAM_REAL, "spacings", 0, 1, 0.8, NULL,
         "particles nearer than this drift apart; 0: they may line up in strings"},
    [PARAM_PRECONDITIONER] = {"velocity_preconditioner", OOZE_PARAM_CHOICE, "", 0, 2, 0,
                              "auto|diagonal|multigrid",
                              "preconditioner of the velocity solve. auto: multigrid where "
                              "it is expected to be faster"},
    [PARAM_TIME_INTEGRATION] =
        {"time_integration", OOZE_PARAM_CHOICE, "", 0, 2, OOZE_TIME_AUTO,
         "first_order|second_order|auto",
         "first_order damps elastic motion like a viscosity of modulus times time step; "
         "second_order has two passes, and damps only what a step does not resolve. auto: second "
         "order of materials that damp the bounce of a body of 15 layers less than first order "
         "would"},
    [PARAM_IMPACT_PASSES] = {"impact_passes", OOZE_PARAM_INTEGER, "", 0, 20, 0, NULL,
                             "further passes, at most, of steps in which particles cross "
                             "more than half a spacing; they find contacts within the step and "
                             "oppose compression. 0: none"},
    [PARAM_PRESSURE] = {"pressure", OOZE_PARAM_CHOICE, "", 0, 1, 0, "density_stage|grid",
                        "density_stage finds pressure after the velocities. grid: "
                        "velocities and a pressure on a grid of two spacings are solved together, "
                        "for slow flow under weight, where density_stage resists shear like a "
                        "yield stress"},
    [PARAM_DENSITY_MEAN_TOLERANCE] =
        {"density_mean_tolerance", OOZE_PARAM_REAL, "", 0, 1, 0, NULL,
         "error of density (beyond rest, and below it where pressure acts), mean over the "
         "particles, at which the density stage stops; "
         "density_iterations is the most it takes. 0: the mean does not end it"},
    [PARAM_DENSITY_WARM_START] =
        {"density_warm_start", OOZE_PARAM_SWITCH, "", 0, 1, 0, NULL,
         "the density stage begins with the pressure of the last step. For thick fluid in "
         "long steps; not with dynamic solids, particle bodies or pressure: grid"},
};

static const char use_constraint[] = "use the method constraint, or leave it out";
/* Of the formulations that are the method `constraint`; they had no effect in `lodge`. */
#define OF_CONSTRAINT(key)                                                                         \
    {                                                                                              \
        key, NULL, NULL, NAN, use_constraint, NULL                                                 \
    }

static const OozeGoneSetting gone_settings[] = {
    {"formulation", NULL, NULL, 0.0, "leave it out", "lodge"},
    {"formulation", "consistent", NULL, NAN, "use method: {name: constraint}", NULL},
    {"formulation", "paper", NULL, NAN, "use method: {name: constraint, formulation: paper}", NULL},
    OF_CONSTRAINT("position_iterations"),
    OF_CONSTRAINT("projection"),
    OF_CONSTRAINT("velocity_only"),
    OF_CONSTRAINT("corotation"),
    OF_CONSTRAINT("deviatoric_only"),
    OF_CONSTRAINT("warm_start"),
    OF_CONSTRAINT("chebyshev_radius"),
    OF_CONSTRAINT("solver"),
    {"solver", "auto", NULL, NAN,
     "use time_step: auto, or density_iterations: auto and the like with a given step", NULL},
    {"bulk", NULL, NULL, 5.0, "leave it out: volume is five times as stiff as shear", NULL},
    {"density_tolerance", NULL, NULL, 1e-4,
     "leave it out: the density stage ends at 1e-4 of the density of rest", NULL},
    {"divergence_iterations", NULL, NULL, 0.0,
     "leave it out: more density_iterations leave less compression in the same time", NULL},
    {"pressure", "velocity_solve", "divergence_iterations", 0.0,
     "use grid for slow flow under weight, or leave it out", NULL},
    {"velocity_preconditioner", "mass", NULL, 1.0, "use diagonal, its new name", NULL},
    {"void_closure_cutoff", NULL, NULL, 0.7,
     "leave it out: void closure ends at 0.7 of the surface indicator of a flat surface", NULL},
    {"hourglass_reach", NULL, NULL, 3.0,
     "leave it out: the damping acts while an elastic wave runs 3 spacings", NULL},
};

static const char *const material_keys[] = {
    "density",           "viscosity",         "modulus",
    "relaxation_time",   "compliance",        "solvent_viscosity",
    "yield_strain",      "thinning",          "thinning_rate",
    "thinning_exponent", "thinning_floor",    "surface_tension",
    "interface_tension", "contact_angle",     "modulus_2",
    "relaxation_time_2", "modulus_3",         "relaxation_time_3",
    "modulus_4",         "relaxation_time_4", NULL};

enum { FIELD_CONFORMATION, FIELD_EXPANSION, FIELD_RELIEF_PROGRESS };

static const OozeFieldInfo fields[] = {
    {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "polymer conformation less identity, Q - I: xx, yy, zz, xy, xz, yz"},
    {"expansion", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, "volume gained beyond rest, relative"},
    {"relief_progress", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true,
     "1: density errors push in full; less: overlaps that were placed are still being relaxed"},
};

/* Fields that a material of further modes needs, then what a step passes on to the next one, which
   depends on the settings. */
enum {
    FIELD_VELOCITY_CHANGE = OOZE_MORE_MODES,
    FIELD_PUSH,
    FIELD_MULTIPLIER,
    FIELD_WEIGHT_PRESSURE,
    FIELD_PRESSURE_CHANGE,
    FIELD_PRESSURE_CHANGE_GRADIENT,
    OPTIONAL_FIELDS
};

#define MODE_FIELD(k)                                                                              \
    {                                                                                              \
        "conformation_" #k, OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,                               \
            "the same of relaxation mode " #k                                                      \
    }
static const OozeFieldInfo optional_fields[OPTIONAL_FIELDS] = {
    MODE_FIELD(2),
    MODE_FIELD(3),
    MODE_FIELD(4),
    [FIELD_VELOCITY_CHANGE] =
        {"velocity_change", OOZE_FIELD_FLOAT32, 3, 3, "m/s2", 0.0, true,
         "acceleration with which the next velocity solve begins: by stress and "
         "contacts in the last step, of elastic materials from the end of "
         "that step back to its solve"},
    [FIELD_PUSH] = {"push", OOZE_FIELD_FLOAT32, 3, 3, "m/s2", 0.0, true,
                    "acceleration by the density stage of the last step, as far as the next "
                    "velocity solve expects it"},
    [FIELD_MULTIPLIER] = {"multiplier", OOZE_FIELD_FLOAT32, 1, 1, "m2/s2", 0.0, true,
                          "pressure over density of the last density stage, with which the next "
                          "one begins (density_warm_start)"},
    [FIELD_WEIGHT_PRESSURE] = {"weight_pressure", OOZE_FIELD_FLOAT32, 1, 1, "m2/s2", 0.0, true,
                               "pressure over density that balanced weight in the last step "
                               "(pressure: grid)"},
    [FIELD_PRESSURE_CHANGE] = {"pressure_change", OOZE_FIELD_FLOAT32, 1, 1, "m2/s2", 0.0, true,
                               "pressure over density beyond weight_pressure that the last "
                               "velocity solve found (pressure: grid)"},
    [FIELD_PRESSURE_CHANGE_GRADIENT] = {"pressure_change_gradient", OOZE_FIELD_FLOAT32, 3, 3,
                                        "m/s2", 0.0, true, "gradient of pressure_change"},
};

/* Includes the modes below one that the material has: loops over modes skip none. */
static bool wants_mode(const OozeMaterial *material, int mode)
{
    bool wants = false;
    for (int k = mode; k < OOZE_MORE_MODES; k++) {
        wants = wants || ooze_maxwell_mode(material, k, 1.0).modulus > 0.0;
    }
    return wants;
}

/* With density_warm_start particles also have the push: the setting does not act with dynamic
   solids. */
static bool wants_field(const double *values, const OozeMaterial *material, int field)
{
    const bool grid = values[PARAM_PRESSURE] == 1.0;
    switch (field) {
    case FIELD_VELOCITY_CHANGE:
    case FIELD_PUSH:
        return !grid;
    case FIELD_MULTIPLIER:
        return !grid && values[PARAM_DENSITY_WARM_START] != 0.0;
    case FIELD_WEIGHT_PRESSURE:
    case FIELD_PRESSURE_CHANGE:
    case FIELD_PRESSURE_CHANGE_GRADIENT:
        return grid;
    default:
        return wants_mode(material, field);
    }
}

/* ---- the field `warm_start` of earlier versions ---- */

static float *optional_field(const OozeStepContext *c, int field)
{
    int found = ooze_particles_find_field(c->particles, optional_fields[field].name);
    return found >= 0 ? ooze_particles_data(c->particles, found) : NULL;
}

/* With `pressure: grid` it held the gradient of the change of pressure, the change, and the
   pressure of weight. Otherwise it held the velocity change, then the push, or a multiplier m > 0
   as m, -m, -m. */
static void convert_warm_start(const OozeStepContext *c, const OozeFieldView *from)
{
    const bool grid = c->params[PARAM_PRESSURE] == 1.0;
    float *first = optional_field(c, grid ? FIELD_PRESSURE_CHANGE_GRADIENT : FIELD_VELOCITY_CHANGE);
    float *push = optional_field(c, FIELD_PUSH), *multiplier = optional_field(c, FIELD_MULTIPLIER),
          *change = optional_field(c, FIELD_PRESSURE_CHANGE),
          *weight = optional_field(c, FIELD_WEIGHT_PRESSURE);
    for (uint64_t i = 0; first && i < from->count; i++) {
        const float *w = (const float *)from->data + i * (uint64_t)from->stride;
        const bool multiplied = w[3] > 0.0f && w[4] == -w[3] && w[5] == -w[3];
        for (int k = 0; k < 3; k++) {
            first[3 * i + (uint64_t)k] = w[k];
        }
        if (grid) {
            change[i] = w[3];
            weight[i] = w[4];
        } else if (!multiplied) {
            memcpy(push + 3 * i, w + 3, 3 * sizeof *push);
        } else if (multiplier) {
            multiplier[i] = w[3];
        }
    }
}

static const OozeGoneField gone_fields[] = {{"warm_start", 6, convert_warm_start}};

/* Impact passes exist in first order only. */
static OozeTimeIntegration time_integration(const OozeStepContext *c)
{
    OozeTimeIntegration given = (OozeTimeIntegration)c->params[PARAM_TIME_INTEGRATION];
    bool first = c->params[PARAM_IMPACT_PASSES] > 0.0;
    return given == OOZE_TIME_AUTO && first ? OOZE_TIME_FIRST_ORDER : given;
}

static OozeConformationSettings settings_of(const OozeStepContext *c)
{
    OozeTimeIntegration integration = time_integration(c);
    return (OozeConformationSettings){
        .formulation = OOZE_FORMULATION_LODGE,
        .stages = &ooze_formulation_lodge,
        .velocity_iterations =
            (int)ooze_method_param(c->method, c->params, PARAM_VELOCITY_ITERATIONS),
        .density_iterations = (int)c->params[PARAM_DENSITY_ITERATIONS],
        .passes = (int)c->params[PARAM_PASSES],
        .impact_passes =
            integration == OOZE_TIME_FIRST_ORDER ? (int)c->params[PARAM_IMPACT_PASSES] : 0,
        .time_integration = integration,
        .pressure_grid = c->params[PARAM_PRESSURE] == 1.0,
        .hourglass = c->params[PARAM_HOURGLASS],
        .bulk = OOZE_BULK,
        .void_closure = (float)c->params[PARAM_VOID_CLOSURE],
        .contact_distance = (float)(c->params[PARAM_CONTACT_DISTANCE] * c->spacing),
        .tolerance = c->params[PARAM_TOLERANCE],
        .density_tolerance = c->params[PARAM_TOLERANCE] > 0.0 ? OOZE_DENSITY_TOLERANCE : -1.0f,
        .density_mean_tolerance = (float)c->params[PARAM_DENSITY_MEAN_TOLERANCE],
        .density_warm_start = c->params[PARAM_DENSITY_WARM_START] != 0.0,
        .preconditioner = (OozePreconditioner)c->params[PARAM_PRECONDITIONER],
        .min_distance = (float)(c->params[PARAM_MIN_DISTANCE] * c->spacing),
    };
}

static const OozeConformationKind kind = {settings_of};

int ooze_conformation_count_modes(const OozeStepContext *c)
{
    int count = 0;
    while (count < OOZE_MORE_MODES &&
           ooze_particles_find_field(c->particles, optional_fields[count].name) >= 0) {
        count++;
    }
    return count;
}

void ooze_conformation_find_fields(OozeConformationStep *s)
{
    s->conformation = ooze_machine_field(s->machine, fields[FIELD_CONFORMATION].name);
    s->expansion = ooze_machine_field(s->machine, fields[FIELD_EXPANSION].name);
    s->relief_progress = ooze_machine_field(s->machine, fields[FIELD_RELIEF_PROGRESS].name);
    for (int k = 0; k < s->more_modes; k++) {
        s->more_conformation[k] = ooze_machine_field(s->machine, optional_fields[k].name);
    }
    float **const passed_on[] = {
        [FIELD_VELOCITY_CHANGE] = &s->velocity_change,
        [FIELD_PUSH] = &s->push,
        [FIELD_MULTIPLIER] = &s->multiplier,
        [FIELD_WEIGHT_PRESSURE] = &s->weight_pressure,
        [FIELD_PRESSURE_CHANGE] = &s->pressure_change,
        [FIELD_PRESSURE_CHANGE_GRADIENT] = &s->pressure_change_gradient,
    };
    for (int k = FIELD_VELOCITY_CHANGE; k < OPTIONAL_FIELDS; k++) {
        *passed_on[k] = ooze_machine_field(s->machine, optional_fields[k].name);
    }
}

/* All but surface tension is implicit. */
double ooze_conformation_stable_step(const OozeStepContext *c)
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

OozeStatus ooze_conformation_check(const OozeStepContext *context, OozeError *error)
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
double ooze_conformation_wall_friction(const OozeSolid *solid)
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
    .own = &kind,
    .gone_settings = gone_settings,
    .gone_count = sizeof gone_settings / sizeof gone_settings[0],
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .optional_fields = optional_fields,
    .optional_field_count = OPTIONAL_FIELDS,
    .wants_field = wants_field,
    .gone_fields = gone_fields,
    .gone_field_count = sizeof gone_fields / sizeof gone_fields[0],
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .refuses_ranks = refuses_ranks,
    .shares_bodies = true,
    .uses_boundary_neighbours = true,
    .takes_bodies = true,
    .wall_friction = ooze_conformation_wall_friction,
    .pushes_solids = true,
    .solid_state = &ooze_solid_pushes_state,
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
    .describe_order = ooze_conformation_describe_order,
    .chosen_keys = chosen_keys,
    .choose = ooze_conformation_choose,
    .earlier_param = earlier_param,
    .numerical_viscosity = 0.76,
    .step_bias = ooze_conformation_step_bias,
};
