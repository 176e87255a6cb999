/* One substep of the conformation method: see methods/conformation/step.c and position_stage.c. */
#include "cuda/rank_sums.cuh"
#include "cuda/velocity_multigrid.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"
#include "methods/conformation/constraint/cuda/constraint.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/push_stress.cuh"
#include "methods/conformation/cuda/surface_tension.cuh"

#include <cstdio>

#include "cuda/shape_distance.cuh"
#include "methods/conformation/position_stage_formula.h"
#include "physics/surface_energy.h"

namespace ooze
{

bool conformation_supports(const OozeStepContext *context, char *why, size_t size)
{
    OozeConformationSettings set = ooze_conformation_settings(context);
    bool multigrid = set.preconditioner == OOZE_PRECONDITIONER_MULTIGRID;
    if (context->dynamic && set.pressure_grid) {
        snprintf(why, size, "'pressure: grid' with dynamic solids runs on the processor alone");
        return false;
    }
    if (context->dynamic && multigrid) {
        snprintf(why, size,
                 "'velocity_preconditioner: multigrid' with dynamic solids runs on the "
                 "processor alone");
        return false;
    }
    if (context->dynamic && context->body_count > 0) {
        snprintf(why, size, "particle bodies with dynamic solids run on the processor alone");
        return false;
    }
    return true;
}

/* The first setting that one GPU supports and several do not; NULL: none. */
static const char *single_setting(const OozeConformationSettings *set)
{
    return set->pressure_grid ? "pressure: grid"
           : set->preconditioner == OOZE_PRECONDITIONER_MULTIGRID
               ? "velocity_preconditioner: multigrid"
           : set->preconditioner == OOZE_PRECONDITIONER_AUTO ? "velocity_preconditioner: auto"
           : set->impact_passes > 0                          ? "impact_passes"
                                                             : nullptr;
}

bool conformation_supports_ranks(const OozeStepContext *context, char *why, size_t size)
{
    OozeConformationSettings set = ooze_conformation_settings(context);
    const char *setting = single_setting(&set);
    if (setting) {
        snprintf(why, size, "'%s' of method 'conformation' runs on one GPU or on processors",
                 setting);
    }
    return !setting;
}

double conformation_reach(const OozeStepContext *context)
{
    bool tension = false;
    for (int k = 0; k < context->material_count; k++) {
        const double *values = context->materials[k].values;
        tension = tension || values[OOZE_MATERIAL_SURFACE_TENSION] > 0.0 ||
                  values[OOZE_MATERIAL_INTERFACE_TENSION] > 0.0;
    }
    return context->support * (tension ? OOZE_SURFACE_REACH : 1.0);
}

/* ---- memory ---- */

struct ConformationData {
    VelocityMultigrid grids;
    SurfaceLists surface;
    ImpactMemory impact_memory;
    PressureMemory pressure_memory;
};

OozeStatus conformation_create(Engine *, void **out, OozeError *error)
{
    *out = ooze_alloc_zero(1, sizeof(ConformationData));
    return *out ? OOZE_OK
                : ooze_fail_memory(error, "the conformation method", sizeof(ConformationData));
}

void conformation_destroy(Engine *engine, void *pointer)
{
    ConformationData *data = static_cast<ConformationData *>(pointer);
    bonds_free(&engine->gpu, &engine->bonds);
    if (data) {
        velocity_multigrid_free(&engine->gpu, &data->grids);
        surface_lists_free(&engine->gpu, &data->surface);
        impact_memory_free(&engine->gpu, &data->impact_memory);
        pressure_memory_free(&engine->gpu, &data->pressure_memory);
        ooze_free(data);
    }
}

/* ---- the beginning ---- */

static void describe(Step *step)
{
    const OozeStepContext *c = step->context;
    const OozeConformationPlan *plan = &step->plan;
    Engine *engine = step->engine;
    StepView *s = &step->view;
    s->n = (uint32_t)engine->store.n;
    s->dt = plan->dt;
    s->support = plan->support;
    s->spacing = (float)c->spacing;
    s->inverse = 1.0f / plan->support;
    s->inverse2 = s->inverse * s->inverse;
    s->volume = plan->volume;
    s->wall_scale = plan->wall_scale;
    s->flat_gradient = plan->flat_gradient;
    s->strain = plan->strain_scale * plan->volume;
    s->wall_strain = plan->wall_strain_scale;
    s->value = plan->volume * (float)(8.0 / OOZE_PI) / (s->support * s->support * s->support);
    s->slope = 6.0f * s->value / s->support;
    s->nearest = s->support * (float)OOZE_KERNEL_NEAREST;
    s->bulk = plan->settings.bulk;
    s->void_closure = plan->settings.void_closure;
    s->contact_distance = plan->settings.contact_distance;
    s->velocity = store_velocities(&step->engine->store);
    s->free_speed = (float)step->context->free_speed;
    s->periodic = c->periodic;
    s->fluid = view(&engine->fluid);
    s->walls = engine->walls.view;
    s->solids = engine->solids.view;
    if (engine->walls.count > 0) {
        s->near_walls = view(&engine->fluid_walls);
    }
    step->wraps = ooze_periodic_any(&c->periodic);
}

/* From this many particles on, edges are gathered twice to save 40 bytes a particle. */
enum { REGATHER_FROM = 40000000 };

static void allocate_edges(Step *step)
{
    step->view.edge_sum = scratch<float4>(step->gpu, step->view.n);
    step->view.correction = scratch<OozeSym3>(step->gpu, step->view.n);
}

/* Rows of particles whose material depends on temperature, after those of bodies. */
static void find_temperature_rows(Step *step)
{
    const OozeConformationPlan *plan = &step->plan;
    const Store *store = &step->engine->store;
    StepView *s = &step->view;
    if (!plan->temperature_rows) {
        return;
    }
    uint32_t count = (uint32_t)step->context->material_count;
    OozeTemperatureRows *rows = scratch<OozeTemperatureRows>(step->gpu, count);
    copy_in(step->gpu, rows, plan->temperature_rows, count * sizeof *rows);
    const uint16_t *plain = s->material, *material = store_materials(store);
    const double *temperature = static_cast<const double *>(store_data(store, "temperature"));
    uint16_t *row = scratch<uint16_t>(step->gpu, s->n);
    for_each(
        step->gpu, s->n, OOZE_BODY(uint32_t i) {
            uint32_t kind = (plain[i] - (uint32_t)material[i]) / count;
            row[i] = (uint16_t)ooze_temperature_row(&rows[material[i]], (OozeBodyKind)kind,
                                                    temperature[i], plain[i]);
        });
    s->material = row;
    s->film = step->bodies ? s->film : row;
}

static void allocate(Step *step)
{
    Gpu *gpu = step->gpu;
    const Store *store = &step->engine->store;
    StepView *s = &step->view;
    uint64_t n = s->n;
    s->material = store_materials(store);
    s->prescribed = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    s->conformation = static_cast<float *>(store_data(store, "conformation"));
    s->expansion = static_cast<float *>(store_data(store, "expansion"));
    s->warm_start = static_cast<float *>(store_data(store, "warm_start"));
    s->relief_progress = static_cast<float *>(store_data(store, "relief_progress"));
    s->more_modes = step->plan.more_modes;
    for (int k = 0; k < s->more_modes; k++) {
        char name[] = "conformation_2";
        name[sizeof name - 2] = (char)('2' + k);
        s->more[k] = static_cast<float *>(store_data(store, name));
    }
    s->x0 = store_positions(store);
    s->u = scratch<float4>(gpu, n);
    s->density = scratch<float>(gpu, n);
    s->surface_indicator = scratch<float>(gpu, n);
    s->mobility = scratch<float>(gpu, n);
    s->stress = scratch<float>(gpu, n);
    s->anchored = scratch<uint8_t>(gpu, n);
    step->state = scratch<SolveState>(gpu, 1);
    clear(gpu, step->state, sizeof *step->state);
    OozeRheology *rheology = scratch<OozeRheology>(gpu, (uint64_t)step->plan.row_count);
    copy_in(gpu, rheology, step->plan.rheology, (size_t)step->plan.row_count * sizeof *rheology);
    s->rheology = rheology;
    bool lodge = step->plan.settings.formulation == OOZE_FORMULATION_LODGE;
    s->next_warm_start = scratch<float4>(gpu, lodge ? n : 0);
    s->thread_regularisation = step->plan.regularises_threads ? scratch<OozeSym3>(gpu, n) : nullptr;
    s->density_multiplier = nullptr;
    if (step->plan.isotropic_pushes || step->plan.warm_density) {
        s->density_multiplier = scratch<float>(gpu, n);
        clear(gpu, s->density_multiplier + n, sizeof *s->density_multiplier);
    }
    s->expects_pushes = step->plan.expects_pushes;
    s->first_push = step->plan.warm_density ? scratch<float4>(gpu, n) : nullptr;
    s->buried_in = s->solids.count > 0 ? scratch<int32_t>(gpu, n) : nullptr;
    bodies_allocate(step);
    find_temperature_rows(step);
    step->edges_mark = scratch_mark(gpu); /* the density stage reuses memory from here on */
    allocate_edges(step);
}

/* Velocity of a particle that is fixed to a solid. */
OOZE_DEVICE float4 pinned_velocity(const StepView &s, double dt, uint32_t i)
{
    const SolidView &solid = s.solids.items[s.pin[i] - 1];
    return narrow(ooze_pose_carry(&solid.previous, &solid.pose, widen(s.x0[i]), dt));
}

static void start(Step *step)
{
    const OozeStepContext *c = step->context;
    allocate(step);
    StepView s = step->view;
    float4 kick = make_float4((float)(c->gravity.x * c->dt), (float)(c->gravity.y * c->dt),
                              (float)(c->gravity.z * c->dt), 0.0f);
    const double dt = c->dt;
    const float4 *velocity = store_velocities(&step->engine->store);
    float4 *x0 = store_positions(&step->engine->store);
    for_each(
        step->gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) { /* padding of lists */
                x0[i] = make_float4(0, 0, 0, OOZE_DUMMY_FAR);
                s.u[i] = make_float4(0, 0, 0, 0);
                s.mobility[i] = 0.0f;
                return;
            }
            float4 v = velocity[i];
            const OozeRheology *m = &s.rheology[s.material[i]];
            bool fixed = s.pin && s.pin[i], prescribed = (s.prescribed && s.prescribed[i]) || fixed;
            v.w = 0.0f;
            s.u[i] = prescribed ? v : v + kick;
            if (fixed) {
                s.u[i] = pinned_velocity(s, dt, i);
            }
            s.mobility[i] = prescribed ? 0.0f : 1.0f / m->relative_mass;
            OozeSym3 strain[OOZE_MODES];
            modes_get(s, i, s.more_modes, strain);
            for (int k = 0; k <= s.more_modes; k++) {
                strain[k] = ooze_sym3_add(strain[k], ooze_sym3_identity(-1));
            }
            s.stress[i] = ooze_lodge_elastic_stress(m, s.more_modes, strain);
        });
    ooze_timer_lap(c->timer, "load");
}

/* ---- the end ---- */

DensityJob density_job(Step *step)
{
    StepView s = step->view;
    DensityJob job = {ooze_conformation_density_settings(step->context, &step->plan), {}};
    job.n = s.n;
    job.mobility = s.mobility;
    job.thread_regularisation = s.thread_regularisation;
    job.drift = job.min_distance > 0.0f ? s.drift : nullptr;
    job.density_target = s.density_target;
    job.position_only_shift = s.position_only_shift;
    job.load_excess = s.load_excess;
    job.multiplier = s.density_multiplier;
    job.first_multiplier = s.first_push ? s.density_multiplier : nullptr;
    job.start = s.x0;
    return job;
}

OozeStatus solve_density(Step *step, float4 *x, float4 *shift, OozeError *error)
{
    DensityJob job = density_job(step);
    OozeStatus placed = dynamic_density(step, &job, error);
    if (placed) {
        return placed;
    }
    bodies_density(step, &job);
    return density_solve(step->engine, &job, x, shift, error);
}

static void predict(Step *step, float4 *x)
{
    StepView s = step->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            x[i] = s.x0[i] + s.dt * s.u[i];
            if (s.first_push) {
                x[i] = x[i] + s.first_push[i];
            }
            s.drift[i] = s.position_only_shift[i] = f32x4(0, 0, 0);
        });
    ooze_timer_lap(step->context->timer, "predict");
}

struct Arrival {
    float square; /* of the largest distance that a particle has moved, or deviated from a straight
                     path in free flight */
    float shift2; /* square of the largest position-only shift */
    __device__ void operator+=(const Arrival &o)
    {
        square = fmaxf(square, o.square);
        shift2 = fmaxf(shift2, o.shift2);
    }
};

/* In device memory, read by the host at once. */
struct StepEnd {
    Arrival arrival;
    OozeSolveResidual residual; /* of the velocity stage */
};

/* Corrected positions. Waits. */
static Arrival arrive(Step *step, float4 *x, const float4 *shift, StepEnd *end)
{
    StepView s = step->view;
    const SolveState *state = step->state;
    const Arrival none = {0.0f, 0.0f};
    StepEnd found = {none, {}};
    const MessageSender sender = message_sender(step->gpu);
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            float4 corrected = shift[i], position_only = s.drift[i] + s.position_only_shift[i];
            x[i] = x[i] + corrected + position_only;
            if (s.first_push) { /* x has it already */
                corrected = s.shift[i] = corrected + s.first_push[i];
            }
            float4 u = s.u[i], travel = s.dt * u + corrected + position_only;
            s.u[i] = u + (1.0f / s.dt) * (corrected + s.position_only_shift[i]);
            float4 before = s.velocity[i];
            if (ooze_flies_freely(dot(before, before), s.free_speed)) {
                travel = travel - s.dt * before;
            }
            float4 relieved = s.position_only_shift[i];
            Arrival own = {dot(travel, travel), dot(relieved, relieved)};
            return own;
        },
        OOZE_BODY(Arrival all) {
            const StepEnd now = {all, state->residual};
            *end = now;
            sender(now);
        });
    receive(step->gpu, &found);
    refresh(step->gpu, x, sizeof *x);
    refresh(step->gpu, s.u, sizeof *s.u);
    refresh(step->gpu, s.position_only_shift, sizeof *s.position_only_shift);
    step->residual = found.residual;
    return step->gpu->failed == cudaSuccess ? found.arrival : none;
}

/* Position-only shifts do not enter the velocity. */
static void store_state(Step *step, const float4 *x)
{
    StepView s = step->view;
    float4 *position = store_positions(&step->engine->store);
    float4 *velocity = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            float4 at = x[i], u = s.u[i] - (1.0f / s.dt) * s.position_only_shift[i];
            position[i] = f32x4(at.x, at.y, at.z);
            velocity[i] = f32x4(u.x, u.y, u.z);
        });
    ooze_timer_lap(step->context->timer, "store");
}

static OozeStatus move(Step *step, const Formulation *formulation, OozeError *error)
{
    Gpu *gpu = step->gpu;
    StepView *s = &step->view;
    OozeStepTimer *timer = step->context->timer;
    if (!ghosts_suffice(gpu, s->u, s->first_push, s->n, s->dt, s->support)) {
        return OOZE_OK;
    }
    float4 *x = scratch<float4>(gpu, s->n);
    s->shift = scratch<float4>(gpu, s->n);
    s->drift = scratch<float4>(gpu, s->n);
    s->position_only_shift = scratch<float4>(gpu, s->n);
    s->density_target = scratch<float>(gpu, s->n);
    s->load_excess = scratch<float>(gpu, s->n);
    StepEnd *end = scratch<StepEnd>(gpu, 1);
    set_density_targets(step);
    predict(step, x);
    Mark mark = scratch_mark(gpu);
    OozeStatus status = formulation->solve_positions(step, x, s->shift, error);
    scratch_rewind(gpu, mark);
    status = status ? status : grid_pressure_repair(step, error);
    if (status) {
        return status;
    }
    Arrival arrival = arrive(step, x, s->shift, end);
    if (ooze_travels_too_far(sqrtf(arrival.square), step->context->longest_travel)) {
        step->context->report->too_far = true;
        return OOZE_OK;
    }
    ooze_timer_lap(timer, "rest");
    if (step->dynamic) { /* the density stage has moved dynamic solids as well */
        dynamic_spread(step, true);
    }
    if (step->regathers_edges) {
        allocate_edges(step);
        gather(step);
    }
    if (step->plan.isotropic_shifts) { /* which are motion that strains the fluid */
        push_stress_remove(step, x);
    }
    formulation->finish(step);
    ooze_timer_lap(timer, "finish");
    if (!step->plan.isotropic_shifts) {
        push_stress_remove(step, x);
    }
    update_relief(step, &end->arrival.shift2);
    ooze_timer_lap(timer, "rest");
    grid_pressure_store(step, x);
    store_state(step, x);
    bodies_place(step, store_positions(&step->engine->store),
                 store_velocities(&step->engine->store));
    return OOZE_OK;
}

/* Reports the residual and the iterations of the velocity stage, if there is one. */
static void report(Step *step)
{
    const OozeConformationSettings *set = &step->plan.settings;
    if (set->positions_only) {
        return;
    }
    ooze_solve_residual_report(&step->residual, step->context->report);
    step->context->report->multigrid = step->used_multigrid;
}

OozeStatus conformation_step(Engine *engine, ConformationData *data, OozeStepContext *context,
                             const Formulation *formulation, OozeError *error)
{
    Step step;
    Bodies bodies;
    StepDynamic dynamic;
    ConstraintView constraint;
    GridPressure pressure;
    memset(&step, 0, sizeof step);
    memset(&constraint, 0, sizeof constraint);
    step.constraint = &constraint;
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.context = context;
    step.grids = &data->grids;
    step.surface = &data->surface;
    data->surface.near.temporary = true;
    step.impact_memory = &data->impact_memory;
    step.pressure_memory = &data->pressure_memory;
    if (all_particles(step.gpu, engine->store.n) == 0) {
        return OOZE_OK;
    }
    OozeStatus failed = ooze_conformation_plan(context, &step.plan, error);
    if (failed) {
        return failed;
    }
    describe(&step);
    failed = bodies_create(&step, &bodies, error);
    failed = failed ? failed : dynamic_create(&step, &dynamic, error);
    if (failed) {
        return failed;
    }
    /* rigid bodies and their contacts, and the pressure grid, are in this memory until the end of
       the step */
    step.regathers_edges = step.plan.settings.formulation == OOZE_FORMULATION_LODGE &&
                           step.view.n >= REGATHER_FROM && rigid_slots(&step) == 0 &&
                           !step.plan.settings.pressure_grid;
    start(&step);
    gather(&step);
    failed = surface_tension(&step, error);
    failed = failed ? failed : grid_pressure_begin(&step, &pressure, error);
    failed = failed ? failed : bodies_begin(&step, error);
    if (failed) {
        return failed;
    }
    impact_begin(&step);
    find_contacts(&step);
    failed = formulation->solve_velocities(&step, error);
    if (failed) {
        return failed;
    }
    if (step.regathers_edges) {
        scratch_rewind(step.gpu, step.edges_mark);
        scratch_trim(step.gpu); /* in a first step: arrays of the solve have a chunk each */
        step.view.contact_of = nullptr;
    }
    failed = move(&step, formulation, error);
    if (engine->gpu.share && engine->gpu.share->again) {
        return failed;
    }
    if (!failed && step.dynamic && !context->report->too_far) {
        dynamic_load(step.gpu, &step.dynamic->solids);
        if (step.gpu->failed == cudaSuccess) {
            ooze_solid_pushes_record(&step.dynamic->solids.coupling);
        }
    }
    if (!failed) {
        report(&step);
        failed = status(step.gpu, engine->store.n, error);
    }
    return failed;
}

} // namespace ooze
