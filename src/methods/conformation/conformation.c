#include "methods/conformation/conformation.h"

#include <math.h>

#include "base/fail.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/need.h"
#include "methods/conformation/step_bodies.h"
#include "methods/conformation/workspace.h"
#include "methods/maxwell.h"
#include "physics/lattice.h"
#include "physics/strain_weight.h"
#include "physics/surface_stress.h"

enum {
    PARAM_FORMULATION,
    PARAM_VELOCITY_ITERATIONS,
    PARAM_DENSITY_ITERATIONS,
    PARAM_PASSES,
    PARAM_BULK,
    PARAM_TENSION,
    PARAM_SURFACE,
    PARAM_HOURGLASS,
    PARAM_HOURGLASS_REACH,
    PARAM_CONTACT_DISTANCE,
    PARAM_TOLERANCE,
    PARAM_APART,
    PARAM_POSITION_ITERATIONS,
    PARAM_SOLVER,
    PARAM_PROJECTION,
    PARAM_VELOCITY_ONLY,
    PARAM_COROTATION,
    PARAM_DEVIATORIC_ONLY,
    PARAM_WARM_START,
    PARAM_CHEBYSHEV,
    PARAM_DIVERGENCE_ITERATIONS,
    PARAM_DENSITY_TOLERANCE,
    PARAM_COUNT
};

/* The choice after those of OozeConstraintSolver: left to the program. */
enum { SOLVER_AUTO = OOZE_CONSTRAINT_CONJUGATE_GRADIENTS + 1 };

static const OozeFormulation *const formulations[OOZE_FORMULATION_COUNT] = {
    [OOZE_FORMULATION_LODGE] = &ooze_formulation_lodge,
    [OOZE_FORMULATION_CONSISTENT] = &ooze_formulation_consistent,
    [OOZE_FORMULATION_PAPER] = &ooze_formulation_paper,
};

static const OozeParamInfo params[PARAM_COUNT] = {
    [PARAM_FORMULATION] = {"formulation", OOZE_PARAM_CHOICE, "", 0, 2, 0, "lodge|consistent|paper",
                           "which equations are solved; see docs/methods/conformation.md"},
    [PARAM_VELOCITY_ITERATIONS] = {"velocity_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 20,
                                   NULL, "iterations of the velocity solve at most, per pass"},
    [PARAM_DENSITY_ITERATIONS] = {"density_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 5, NULL,
                                  "lodge: iterations of the density stage"},
    [PARAM_PASSES] = {"passes", OOZE_PARAM_INTEGER, "", 1, 8, 2, NULL,
                      "times the stress is linearised in a step"},
    [PARAM_BULK] = {"bulk", OOZE_PARAM_REAL, "", 0, 1e3, 5, NULL,
                    "resistance to change of volume, over that to shear"},
    [PARAM_TENSION] = {"tension", OOZE_PARAM_REAL, "", 0, 10, 0.5, NULL,
                       "pull that closes voids inside the fluid"},
    [PARAM_SURFACE] = {"surface", OOZE_PARAM_REAL, "", 0.05, 10, 0.7, NULL,
                       "where the pull against voids ends, 1: at a flat surface"},
    [PARAM_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 1, NULL,
                         "damping of motion that a linear field does not describe"},
    [PARAM_HOURGLASS_REACH] = {"hourglass_reach", OOZE_PARAM_REAL, "spacings", 0, 1000, 3, NULL,
                               "distance an elastic wave runs while that damping acts"},
    [PARAM_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5, NULL,
                                "how near a particle's centre comes to a solid"},
    [PARAM_TOLERANCE] = {"tolerance", OOZE_PARAM_REAL, "", 0, 1, 1e-4, NULL,
                         "relative residual at which the velocity solve stops"},
    [PARAM_APART] = {"keep_apart", OOZE_PARAM_REAL, "spacings", 0, 1, 0.8, NULL,
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
    [PARAM_DIVERGENCE_ITERATIONS] = {"divergence_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 0,
                                     NULL,
                                     "sweeps that take compression out of the velocities before "
                                     "anything moves"},
    [PARAM_DENSITY_TOLERANCE] =
        {"density_tolerance", OOZE_PARAM_REAL, "", 0, 1, 1e-4, NULL,
         "lodge: density beyond rest, of the worst particle, at which the density "
         "stage stops; 0: it always takes all iterations"},
};

static const char *const material_keys[] = {"density",
                                            "viscosity",
                                            "modulus",
                                            "relaxation_time",
                                            "compliance",
                                            "solvent_viscosity",
                                            "yield_strain",
                                            "thinning",
                                            "thinning_rate",
                                            "thinning_exponent",
                                            "thinning_floor",
                                            "surface_tension",
                                            "modulus_2",
                                            "relaxation_time_2",
                                            "modulus_3",
                                            "relaxation_time_3",
                                            "modulus_4",
                                            "relaxation_time_4",
                                            NULL};

enum { FIELD_CONFORMATION, FIELD_EXPANSION, FIELD_START, FIELD_CALM };

static const OozeFieldInfo fields[] = {
    {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "strain of the polymer beyond rest, Q - I: xx, yy, zz, xy, xz, yz"},
    {"expansion", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, "volume gained beyond rest, relative"},
    {"start", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "what the next step's solve starts from. lodge: what stress and solids did to the velocity, "
     "m/s2; consistent: "
     "six multipliers, m2/s2"},
    {"calm", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true,
     "1: errors of density are the particle's own doing; less: it was put where it is"},
};

#define MODE_FIELD(k)                                                                              \
    {                                                                                              \
        "conformation_" #k, OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,                               \
            "the same of relaxation mode " #k                                                      \
    }
/* Only in worlds that have a material with that mode. */
static const OozeFieldInfo mode_fields[OOZE_MORE_MODES] = {MODE_FIELD(2), MODE_FIELD(3),
                                                           MODE_FIELD(4)};

/* Also those below a mode that it has: loops over modes leave none out. */
static bool wants_mode(const OozeMaterial *material, int field)
{
    bool wants = false;
    for (int k = field; k < OOZE_MORE_MODES; k++) {
        wants = wants || ooze_maxwell_mode(material, k, 1.0).modulus > 0.0;
    }
    return wants;
}

OozeConformationSettings ooze_conformation_settings(const OozeStepContext *c)
{
    return (OozeConformationSettings){
        .formulation = (OozeFormulationKind)c->params[PARAM_FORMULATION],
        .velocity_iterations = (int)c->params[PARAM_VELOCITY_ITERATIONS],
        .density_iterations = (int)c->params[PARAM_DENSITY_ITERATIONS],
        .divergence_iterations = (int)c->params[PARAM_DIVERGENCE_ITERATIONS],
        .passes = (int)c->params[PARAM_PASSES],
        .bulk = (float)c->params[PARAM_BULK],
        .tension = (float)c->params[PARAM_TENSION],
        .surface = (float)c->params[PARAM_SURFACE],
        .contact = (float)(c->params[PARAM_CONTACT_DISTANCE] * c->spacing),
        .tolerance = c->params[PARAM_TOLERANCE],
        .density_tolerance = c->params[PARAM_DENSITY_TOLERANCE] > 0.0
                                 ? (float)c->params[PARAM_DENSITY_TOLERANCE]
                                 : -1.0f,
        .apart = (float)(c->params[PARAM_APART] * c->spacing),
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

/* Modes that particles have room for beside the first. */
static int count_modes(const OozeStepContext *c)
{
    int count = 0;
    while (count < OOZE_MORE_MODES &&
           ooze_particles_find_field(c->particles, mode_fields[count].name) >= 0) {
        count++;
    }
    return count;
}

/* Rows of rheology: of the materials as fluids, as rigid bodies, as soft ones. */
static OozeStatus plan_materials(const OozeStepContext *c, OozeConformationPlan *plan,
                                 OozeError *error)
{
    int count = c->material_count, kinds = c->body_count ? 3 : 1;
    double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    if (count > UINT16_MAX / 3 && kinds > 1) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials",
                         "with bodies a world holds at most %d materials", UINT16_MAX / 3);
    }
    int warm = ooze_warm_row_count(c), first_warm = count * kinds;
    plan->row_count = first_warm + warm;
    if (warm > UINT16_MAX - first_warm) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials with temperature tables",
                         "materials that depend on temperature need %d rows; %d are possible", warm,
                         UINT16_MAX - first_warm);
    }
    size_t rows = (size_t)plan->row_count;
    OozeRheology *rheology = ooze_arena_alloc(c->arena, rows, sizeof *rheology);
    if (!rheology) {
        return ooze_fail_memory(error, "the conformation step", rows * sizeof *rheology);
    }
    double hourglass = c->params[PARAM_HOURGLASS], reach = c->params[PARAM_HOURGLASS_REACH];
    for (int m = 0; m < count; m++) {
        rheology[m] = ooze_rheology(c, &c->materials[m], reference, hourglass, reach);
        plan->any_tension = plan->any_tension || rheology[m].tension > 0.0f;
        for (int kind = OOZE_BODY_RIGID; kind < kinds; kind++) {
            rheology[kind * count + m] =
                ooze_body_rheology(c, &c->materials[m], reference, hourglass, (OozeBodyKind)kind);
        }
    }
    plan->rheology = rheology;
    OozeWarmRecipe recipe = {reference, hourglass, reach};
    return warm > 0 ? ooze_warm_rows_plan(c, plan, first_warm, &recipe, error) : OOZE_OK;
}

OozeStatus ooze_conformation_plan(const OozeStepContext *c, OozeConformationPlan *plan,
                                  OozeError *error)
{
    const OozeFormulation *formulation = formulations[(int)c->params[PARAM_FORMULATION]];
    *plan = (OozeConformationPlan){
        .settings = ooze_conformation_settings(c),
        .dt = (float)c->dt,
        .support = (float)c->support,
        .volume = (float)(1.0 / ooze_lattice_sum(OOZE_KERNEL_CUBIC, c->spacing, c->support, 1)),
        .flat_gradient = (float)ooze_strain_weight_surface(c->spacing, c->support),
        .wall_scale = (float)ooze_lattice_wall_scale(c->spacing, c->support),
    };
    if (plan->settings.formulation == OOZE_FORMULATION_LODGE) {
        plan->more_modes = count_modes(c);
    }
    if (c->body_count > 0 && !formulation->takes_bodies) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use formulation: lodge",
                         "the formulation '%s' has no rigid or soft bodies", formulation->name);
    }
    if (c->dynamic && (!formulation->takes_dynamic || plan->settings.divergence_iterations > 0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "use formulation: lodge and divergence_iterations: 0",
                         "dynamic solids need the formulation 'lodge' without a divergence stage; "
                         "here are '%s' and %d divergence iterations",
                         formulation->name, plan->settings.divergence_iterations);
    }
    if (!formulation->kernel_gradients) {
        plan->strain_scale = (float)ooze_strain_weight_scale(c->spacing, c->support);
        plan->wall_strain_scale = (float)ooze_strain_wall_scale(
            c->spacing, c->support, ooze_lattice_sample_volume(c->spacing, c->support));
    }
    return plan_materials(c, plan, error);
}

/* Which row of the plan each particle has. */
static OozeStatus start_materials(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    bool kinds = c->body_count > 0, own = kinds || s->warm;
    uint16_t *row = ooze_arena_alloc(c->arena, own ? s->n : 0, sizeof *row);
    if (!row) {
        return ooze_fail_memory(error, "the conformation step", s->n * sizeof *row);
    }
    s->material = ooze_particles_materials(c->particles);
    for (uint64_t i = 0; own && i < s->n; i++) {
        int kind = kinds && c->body[i] ? (int)c->bodies[c->body[i] - 1].kind : 0;
        int plain = s->material[i] + kind * c->material_count;
        row[i] = (uint16_t)(s->warm ? ooze_warm_row(&s->warm[s->material[i]], (OozeBodyKind)kind,
                                                    c->temperature[i], plain)
                                    : plain);
    }
    s->material = own ? row : s->material;
    return OOZE_OK;
}

static float *field_of(const OozeConformationStep *s, const OozeFieldInfo *info)
{
    OozeParticles *particles = s->context->particles;
    return ooze_particles_data(particles, ooze_particles_find_field(particles, info->name));
}

static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    const OozeStepContext *c = s->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    OozeFour kick = {(float)(c->gravity.x * c->dt), (float)(c->gravity.y * c->dt),
                     (float)(c->gravity.z * c->dt), 0};
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 strain[OOZE_MODES];
        for (int k = 0; k <= s->more_modes; k++) {
            const float *e = (k ? s->more_strain[k - 1] : s->strain) + 8 * i;
            strain[k] = ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
        }
        s->x0[i] = ooze_four(x[i].x, x[i].y, x[i].z, 1);
        bool pinned = c->pin && c->pin[i], led = (c->led && c->led[i]) || pinned;
        s->u[i] = ooze_four(v[i].x, v[i].y, v[i].z, 0);
        s->u[i] += led ? ooze_four(0, 0, 0, 0) : kick;
        s->u[i] = pinned ? ooze_conformation_pinned(s, i) : s->u[i];
        s->mobility[i] = led ? 0.0f : 1.0f / s->rheology[s->material[i]].weight;
        s->stress[i] =
            ooze_lodge_elastic_stress(&s->rheology[s->material[i]], s->more_modes, strain);
    }
}

static OozeStatus start(OozeConformationStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeStatus status = start_materials(s, error);
    if (status) {
        return status;
    }
    s->x0 = ooze_gathered_alloc(c->arena, s->n, sizeof *s->x0);
    s->u = ooze_gathered_alloc(c->arena, s->n, sizeof *s->u);
    s->mobility = ooze_arena_alloc(c->arena, s->n, sizeof *s->mobility);
    s->stress = ooze_arena_alloc(c->arena, s->n, sizeof *s->stress);
    if (!s->x0 || !s->u || !s->mobility || !s->stress) {
        return ooze_fail_memory(error, "the conformation step", s->n * 40);
    }
    s->strain = field_of(s, &fields[FIELD_CONFORMATION]);
    s->expansion = field_of(s, &fields[FIELD_EXPANSION]);
    s->calm = field_of(s, &fields[FIELD_CALM]);
    s->push = field_of(s, &fields[FIELD_START]);
    for (int k = 0; k < s->more_modes; k++) {
        s->more_strain[k] = field_of(s, &mode_fields[k]);
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, start_range, s);
    return OOZE_OK;
}

/* The stages, whose samples of dynamic solids stand where the step began. */
static OozeStatus run_stages(OozeConformationStep *s, OozeConformationMemory *own, OozeError *error)
{
    const OozeFormulation *formulation = formulations[s->settings.formulation];
    OozeStageClock *clock = s->context->clock;
    OozeStatus status = start(s, error);
    ooze_stage_lap(clock, OOZE_PART_START);
    if (!status) {
        status = ooze_conformation_gather(s, error);
    }
    if (!status) {
        status = ooze_conformation_tension(s, error);
    }
    if (!status) {
        status = ooze_step_bodies_begin(s, own, error);
        ooze_stage_lap(clock, OOZE_PART_REST);
    }
    if (!status) {
        status = ooze_conformation_find_holds(s, error);
        ooze_stage_lap(clock, OOZE_PART_CONTACT);
    }
    if (!status) {
        status = formulation->solve_velocities(s, error);
    }
    if (!status) {
        status = ooze_conformation_divergence(s, error);
    }
    return status ? status : ooze_conformation_move(s, own->density, formulation, error);
}

/* The same with dynamic solids, which get what the fluid gave them. */
static OozeStatus run_coupled(OozeConformationStep *s, OozeConformationMemory *own,
                              OozeError *error)
{
    OozeStepContext *c = s->context, seen = *c;
    OozeCoupled coupled;
    double unit = (double)ooze_reference_density(s) * c->spacing * c->spacing * c->spacing;
    OozeStatus status = ooze_coupled_begin(&coupled, c, unit, error);
    if (status) {
        return status;
    }
    seen.boundary = &coupled.view;
    ooze_coupled_look(&coupled, c->fluid_boundary, s->n, &coupled.view);
    s->context = &seen;
    s->coupled = &coupled;
    status = run_stages(s, own, error);
    if (!status && !c->report->too_far) {
        ooze_coupled_load(&coupled);
    }
    return status;
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeConformationMemory *own = data;
    OozeConformationPlan plan;
    uint64_t n = ooze_particles_count(c->particles);
    OozeStatus status = n > 0 ? ooze_conformation_plan(c, &plan, error) : OOZE_OK;
    if (n == 0 || status) {
        return status;
    }
    OozeConformationStep s = {
        .context = c,
        .settings = plan.settings,
        .n = n,
        .dt = plan.dt,
        .support = plan.support,
        .volume = plan.volume,
        .flat_gradient = plan.flat_gradient,
        .wall_scale = plan.wall_scale,
        .strain_scale = plan.strain_scale,
        .wall_strain_scale = plan.wall_strain_scale,
        .rheology = plan.rheology,
        .more_modes = plan.more_modes,
        .row_count = plan.row_count,
        .warm = plan.warm,
        .edge_memory = &own->edges,
    };
    return c->dynamic ? run_coupled(&s, own, error) : run_stages(&s, own, error);
}

static void destroy(void *data)
{
    OozeConformationMemory *own = data;
    if (own) {
        ooze_density_memory_destroy(own->density);
        ooze_free(own->edges.values);
        ooze_bonds_destroy(own->bonds);
        ooze_free(own);
    }
}

static uint64_t bytes(const void *data)
{
    const OozeConformationMemory *own = data;
    return ooze_density_memory_bytes(own->density) + own->edges.room * sizeof(float);
}

static OozeStatus create(void **data, OozeError *error)
{
    OozeConformationMemory *own = ooze_alloc_zero(1, sizeof *own);
    void *density = NULL;
    OozeStatus status = own ? ooze_density_memory_create(&density, error)
                            : ooze_fail_memory(error, "the conformation method", sizeof *own);
    if (status) {
        destroy(own);
        return status;
    }
    own->density = density;
    *data = own;
    return OOZE_OK;
}

/* All but surface tension is implicit. */
static double stable_step(const OozeStepContext *c)
{
    double longest = INFINITY;
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        if (v[OOZE_MATERIAL_TENSION] > 0.0) {
            longest = fmin(longest, ooze_capillary_step(v[OOZE_MATERIAL_TENSION],
                                                        v[OOZE_MATERIAL_DENSITY], c->spacing));
        }
    }
    return longest;
}

static const char *const chosen_keys[] = {"velocity_iterations", "passes", "density_iterations",
                                          NULL};

const OozeMethod ooze_method_conformation = {
    .info = {.name = "conformation",
             .summary = "viscoelastic fluids by polymer conformation: honey, cream, slime, jelly",
             .reference = "Barreiro et al. 2017, Conformation constraints for efficient "
                          "viscoelastic fluid simulation",
             .params = params,
             .param_count = PARAM_COUNT},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .material_fields = mode_fields,
    .material_field_count = OOZE_MORE_MODES,
    .wants_field = wants_mode,
    .material_keys = material_keys,
    .uses_fluid_neighbours = true,
    .uses_boundary_neighbours = true,
    .takes_bodies = true,
    .pushes_solids = true,
    .uses_tables = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .step = step,
    .stable_step = stable_step,
    .advise = ooze_conformation_advise,
    .chosen_keys = chosen_keys,
    .choose = ooze_conformation_choose,
};
