#include "methods/conformation/plan.h"
#include "base/vec3.h"

#include <math.h>

#include "base/fail.h"
#include "methods/conformation/expected_push_formula.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/push_stress_formula.h"
#include "methods/conformation/stages.h"
#include "physics/lattice.h"
#include "physics/strain_weight.h"
#include "physics/surface_energy.h"
#include "solvers/density/density_formula.h"

/* Distance that a shear wave may travel in a step of second order. A stage takes three diagonal
   iterations for each spacing of it, and is unstable far from its solution. Materials that are too
   stiff for the cap, or for `most`, stay of first order. So do those of compliance 0, which are not
   meant to oscillate. */
static double second_order_travel(const OozeStepContext *c, const OozeConformationSettings *set)
{
    const double per_spacing = 3.0, most = 200.0;
    double iterations = fmin(set->velocity_iterations, most);
    return set->time_integration == OOZE_TIME_FIRST_ORDER ? 0.0
                                                          : iterations / per_spacing * c->spacing;
}

OozeRheologyRecipe ooze_rheology_recipe(const OozeStepContext *c,
                                        const OozeConformationSettings *set)
{
    return (OozeRheologyRecipe){
        .reference_density = c->materials[0].values[OOZE_MATERIAL_DENSITY],
        .hourglass = set->hourglass,
        .second_order_travel = second_order_travel(c, set),
        .second_order_if_it_bounces = set->time_integration == OOZE_TIME_AUTO,
    };
}

/* Rows of rheology, in the order that the plan describes. */
static OozeStatus plan_materials(const OozeStepContext *c, OozeConformationPlan *plan,
                                 OozeError *error)
{
    int count = c->material_count, kinds = c->body_count ? 3 : 1;
    if (count > UINT16_MAX / 3 && kinds > 1) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials",
                         "with bodies a world holds at most %d materials", UINT16_MAX / 3);
    }
    int by_temperature = ooze_temperature_row_count(c), first = count * kinds;
    plan->row_count = first + by_temperature;
    if (by_temperature > UINT16_MAX - first) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials with temperature tables",
                         "materials that depend on temperature need %d rows; %d are possible",
                         by_temperature, UINT16_MAX - first);
    }
    size_t rows = (size_t)plan->row_count;
    plan->rheology = ooze_arena_alloc(c->arena, rows, sizeof *plan->rheology);
    if (!plan->rheology) {
        return ooze_fail_memory(error, "the conformation step", rows * sizeof *plan->rheology);
    }
    OozeRheologyRecipe recipe = ooze_rheology_recipe(c, &plan->settings);
    for (int m = 0; m < count; m++) {
        plan->rheology[m] = ooze_rheology(c, &c->materials[m], &recipe);
        for (int kind = OOZE_BODY_RIGID; kind < kinds; kind++) {
            plan->rheology[kind * count + m] =
                ooze_body_rheology(c, &c->materials[m], &recipe, (OozeBodyKind)kind);
        }
    }
    bool second_order = false, elastic = false;
    OozeStatus status =
        by_temperature > 0 ? ooze_temperature_rows_plan(c, plan, first, &recipe, error) : OOZE_OK;
    for (int k = 0; !status && k < plan->row_count; k++) {
        const OozeRheology *row = &plan->rheology[k];
        float tension = ooze_max(row->surface_tension, row->interface_tension);
        plan->largest_surface_tension =
            ooze_max(plan->largest_surface_tension, tension / row->relative_mass);
        plan->interfaces = plan->interfaces || row->interface_tension > 0.0f;
        second_order = second_order || row->second_order;
        elastic = elastic || row->longest_relaxation > 0.0f;
    }
    plan->settings.second_order = second_order;
    plan->regularises_threads = elastic && plan->settings.formulation == OOZE_FORMULATION_LODGE;
    plan->drift_share =
        OOZE_DRIFT_SHARE * ooze_surface_drift(plan->largest_surface_tension, (float)c->spacing,
                                              plan->dt, (float)vec3_length(c->gravity));
    plan->settings.passes = second_order ? 2 : plan->settings.passes;
    return status;
}

/* Coefficients of a material, sheared at a rate (1/s), with no strain so far. */
static OozeLodgeCoefficients coefficients_at(const OozeRheology *row,
                                             const OozeConformationPlan *plan, float rate)
{
    OozeLodgeState state = {
        .more = plan->more_modes, .dt = plan->dt, .bulk_factor = plan->settings.bulk};
    for (int k = 0; k < OOZE_MODES; k++) {
        state.q[k] = ooze_sym3_identity(1);
    }
    state.l.m[1] = rate;
    OozeRheology first_order = *row; /* whose operator has all of the stiffness */
    first_order.second_order = false;
    return ooze_lodge_coefficients(&first_order, &state);
}

/* Resistance of the row to shear in a step from rest, as a viscosity over the reference density,
   m2/s. */
static float step_viscosity(const OozeRheology *row, const OozeConformationPlan *plan)
{
    return ooze_sym3_trace(coefficients_at(row, plan, 0.0f).stiffness) / 3.0f;
}

/* In worlds with particle bodies the stress of pushes stays: removing it changes velocities of
   single particles, and bodies move only as a whole. It also stays in materials with surface
   tension, whose surfaces it holds in balance. */
static void plan_push_stress(const OozeStepContext *c, OozeConformationPlan *plan)
{
    const OozeConformationSettings *set = &plan->settings;
    if (set->formulation != OOZE_FORMULATION_LODGE || c->body_count > 0 ||
        set->density_iterations == 0 || set->pressure_grid) {
        return;
    }
    plan->isotropic_shifts = plan->expects_pushes;
    for (int k = 0; k < plan->row_count; k++) {
        OozeRheology *row = &plan->rheology[k];
        bool tension = row->surface_tension > 0.0f || row->interface_tension > 0.0f;
        float viscosity = step_viscosity(row, plan);
        float share = ooze_push_stress_share(viscosity, row->expected_push_share, (float)c->spacing,
                                             plan->dt);
        row->push_stress_share = tension ? 0.0f : share;
        plan->isotropic_pushes = plan->isotropic_pushes || row->push_stress_share > 0.0f;
        plan->isotropic_shifts =
            plan->isotropic_shifts && !tension && row->expected_push_share > 0.0f &&
            ooze_push_stress_is_of_shifts(viscosity, (float)vec3_length(c->gravity),
                                          (float)c->spacing, plan->dt);
    }
}

/* Factor of the tolerance: an error of one solve becomes a push that the next solves expect. */
#define EXPECTED_PUSH_TOLERANCE 0.5

/* Nothing is expected in worlds with particle bodies, for which expected pushes are not
   implemented. */
static void plan_expected_pushes(const OozeStepContext *c, OozeConformationPlan *plan)
{
    plan->expects_pushes = plan->settings.formulation == OOZE_FORMULATION_LODGE &&
                           !plan->settings.pressure_grid && c->body_count == 0;
    plan->warm_density = plan->expects_pushes && !c->dynamic && plan->settings.density_warm_start &&
                         plan->settings.density_iterations > 0;
    plan->settings.tolerance *= plan->expects_pushes ? EXPECTED_PUSH_TOLERANCE : 1.0;
    plan->solid_push_share = plan->expects_pushes ? 1.0f : 0.0f;
    for (int k = 0; plan->expects_pushes && k < plan->row_count; k++) {
        OozeRheology *row = &plan->rheology[k];
        bool elastic = ooze_warm_start_is_elastic(row, plan->dt);
        float viscosity = step_viscosity(row, plan), spacing = (float)c->spacing;
        row->expected_push_share = ooze_push_share(viscosity, elastic, spacing, plan->dt);
        if (plan->warm_density) { /* the multipliers of the stage have no errors of the solve */
            row->expected_push_share = elastic ? 0.0f : 1.0f;
            row->multiplier_share =
                elastic ? 0.0f : ooze_push_multiplier_share(viscosity, spacing, plan->dt);
        }
        plan->solid_push_share = ooze_min(plan->solid_push_share, row->expected_push_share);
    }
}

/* Surface tension acts on layers thinner than the cells of the grid. */
static OozeStatus check_pressure_grid(const OozeStepContext *c, const OozeConformationPlan *plan,
                                      OozeError *error)
{
    const OozeConformationSettings *set = &plan->settings;
    const char *what = c->body_count > 0                      ? "rigid or soft bodies"
                       : plan->largest_surface_tension > 0.0f ? "surface tension"
                       : set->impact_passes > 0               ? "impact passes"
                                                              : NULL;
    if (!set->pressure_grid || !what) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use pressure: density_stage",
                     "pressure: grid does not take %s", what);
}

OozeConformationSettings ooze_conformation_settings(const OozeStepContext *c)
{
    const OozeConformationKind *kind = c->method->own;
    return kind->settings(c);
}

OozeStatus ooze_conformation_plan(const OozeStepContext *c, OozeConformationPlan *plan,
                                  OozeError *error)
{
    OozeConformationSettings settings = ooze_conformation_settings(c);
    *plan = (OozeConformationPlan){
        .settings = settings,
        .dt = (float)c->dt,
        .support = (float)c->support,
        .volume = (float)(1.0 / ooze_lattice_sum(c->spacing, c->support)),
        .flat_gradient = (float)ooze_strain_weight_surface(c->spacing, c->support),
        .wall_scale = (float)ooze_lattice_wall_scale(c->spacing, c->support),
    };
    plan->more_modes = ooze_conformation_count_modes(c);
    if (!settings.stages->kernel_gradients) {
        plan->strain_scale = (float)ooze_strain_weight_scale(c->spacing, c->support);
        plan->wall_strain_scale = (float)ooze_strain_wall_scale(
            c->spacing, c->support, ooze_lattice_sample_volume(c->spacing, c->support));
    }
    OozeStatus status = plan_materials(c, plan, error);
    status = status ? status : check_pressure_grid(c, plan, error);
    if (!status) {
        plan_expected_pushes(c, plan);
        plan_push_stress(c, plan);
    }
    return status;
}

OozeDensityJob ooze_conformation_density_settings(const OozeStepContext *c,
                                                  const OozeConformationPlan *plan)
{
    const OozeConformationSettings *set = &plan->settings;
    const bool lodge = set->formulation == OOZE_FORMULATION_LODGE;
    return (OozeDensityJob){
        .context = c,
        .support = plan->support,
        .volume = plan->volume,
        .wall_scale = plan->wall_scale,
        .contact = set->contact_distance,
        .iterations = set->density_iterations,
        .tolerance = set->density_tolerance,
        .mean_tolerance = lodge ? set->density_mean_tolerance : 0.0f,
        .min_distance = set->min_distance,
        .drift_share = plan->drift_share,
    };
}
