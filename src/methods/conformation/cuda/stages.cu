/* The stages of a step on the GPU: its beginning, the tables, and the positions at its end. */
#include "cuda/machine.cuh"
#include "cuda/method.cuh"
#include "cuda/rank_sums.cuh"
#include "cuda/ranks.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"
#include "methods/conformation/constraint/cuda/constraint.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"
#include "methods/conformation/cuda/positions.cuh"
#include "methods/conformation/cuda/push_stress.cuh"
#include "methods/conformation/cuda/surface_tension.cuh"

#include <cstdio>

#include "physics/surface_energy.h"

namespace ooze
{

/* ---- what the GPU supports ---- */

/* Whether the GPU has the settings of method `conformation`; if not, `why` gets the reason. */
static bool conformation_supports(const OozeStepContext *context, char *why, size_t size)
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

/* ---- memory that outlives a step ---- */

struct ConformationData {
    VelocityMultigrid grids;
    SurfaceLists surface;
    AllLists all_lists;
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
        all_lists_free(&engine->gpu, &data->all_lists);
        impact_memory_free(&engine->gpu, &data->impact_memory);
        pressure_memory_free(&engine->gpu, &data->pressure_memory);
        ooze_free(data);
    }
}

/* ---- the beginning ---- */

static void describe(Step *step)
{
    const OozeStepContext *c = step->context;
    const OozeConformationPlan *plan = step->view.plan;
    Engine *engine = step->engine;
    StepView *s = &step->view;
    s->inverse = 1.0f / plan->support;
    s->inverse2 = s->inverse * s->inverse;
    s->strain = plan->strain_scale * plan->volume;
    s->wall_strain = plan->wall_strain_scale;
    s->value = plan->volume * (float)(8.0 / OOZE_PI) / (s->support * s->support * s->support);
    s->slope = 6.0f * s->value / s->support;
    s->nearest = s->support * (float)OOZE_KERNEL_NEAREST;
    s->velocity = store_velocities(&step->engine->store);
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

/* Rows of particles whose material depends on temperature, after those of bodies. */
static void find_temperature_rows(Step *step)
{
    const OozeConformationPlan *plan = step->view.plan;
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
    s->x0 = store_positions(store);
    s->u = scratch<float4>(gpu, n);
    s->density = scratch<float>(gpu, n);
    s->surface_indicator = scratch<float>(gpu, n);
    s->mobility = scratch<float>(gpu, n);
    s->stress = scratch<float>(gpu, n);
    s->anchored = scratch<uint8_t>(gpu, n);
    step->state = scratch<SolveState>(gpu, 1);
    clear(gpu, step->state, sizeof *step->state);
    OozeRheology *rheology = scratch<OozeRheology>(gpu, (uint64_t)step->view.plan->row_count);
    copy_in(gpu, rheology, step->view.plan->rheology,
            (size_t)step->view.plan->row_count * sizeof *rheology);
    s->rheology = rheology;
    bool lodge = step->view.plan->settings.formulation == OOZE_FORMULATION_LODGE;
    s->next_velocity_change = scratch<float4>(gpu, lodge ? n : 0);
    s->thread_regularisation =
        step->view.plan->regularises_threads ? scratch<OozeSym3>(gpu, n) : nullptr;
    if (step->view.plan->isotropic_pushes || step->view.plan->warm_density) {
        s->density_multiplier = scratch<float>(gpu, n);
        clear(gpu, s->density_multiplier + n, sizeof *s->density_multiplier);
    }
    if (step->view.plan->warm_density) { /* the stage writes where it has read */
        s->first_multiplier = s->density_multiplier;
        s->first_push = scratch<float4>(gpu, n);
    }
    step->end = scratch<StepEnd>(gpu, 1);
    s->buried_in = s->solids.count > 0 ? scratch<int32_t>(gpu, n) : nullptr;
    bodies_allocate(step);
    find_temperature_rows(step);
    step->edges_mark = scratch_mark(gpu); /* the density stage reuses memory from here on */
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
}

static OozeStatus load(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    describe(step);
    OozeStatus failed = bodies_create(step, error);
    failed = failed ? failed : dynamic_create(step, error);
    if (failed) {
        return failed;
    }
    /* rigid bodies and their contacts, and the pressure grid, are in this memory until the end of
       the step */
    s->regathers_edges = s->plan->settings.formulation == OOZE_FORMULATION_LODGE &&
                         s->n >= REGATHER_FROM && rigid_slots(step) == 0 &&
                         !s->plan->settings.pressure_grid;
    allocate(step);
    start(step);
    return OOZE_OK;
}

/* ---- memory ---- */

static void free_edges(OozeConformationStep *s)
{
    Step *step = step_of(s);
    if (s->regathers_edges) {
        scratch_rewind(step->gpu, step->edges_mark);
        scratch_trim(step->gpu); /* in a first step: arrays of the solve have a chunk each */
        s->contact_of = nullptr;
        s->edge_sum = nullptr;
    }
}

static bool ghosts_are_enough(OozeConformationStep *s)
{
    return ghosts_suffice(step_of(s)->gpu, s->u, s->first_push, s->n, s->dt, s->support);
}

/* ---- dynamic solids ---- */

static void spread_solids(OozeConformationStep *s)
{
    dynamic_spread(step_of(s), true);
}

static void load_solids(OozeConformationStep *s)
{
    Step *step = step_of(s);
    if (!step->dynamic) {
        return;
    }
    dynamic_load(step->gpu, &step->dynamic->solids);
    if (step->gpu->failed == cudaSuccess) {
        ooze_solid_pushes_record(&step->dynamic->solids.coupling);
    }
}

/* ---- the step ---- */

/* In the order of OozeConformationStages. */
static const OozeConformationStages stages = {
    load,
    gather,
    apply_surface_tension,
    grid_pressure_begin,
    bodies_begin,
    find_contacts,
    &lodge_stages,
    free_edges,
    ghosts_are_enough,
    set_density_targets,
    predict,
    grid_pressure_repair,
    arrive,
    spread_solids,
    push_stress_remove,
    end_relief,
    place_bodies,
    grid_pressure_store,
    store,
    load_solids,
};

OozeStatus conformation_step(Engine *engine, void *data, OozeStepContext *context,
                             const OozeFormulation *formulation, OozeError *error)
{
    Step step = {};
    ConformationData *own = static_cast<ConformationData *>(data);
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.context = context;
    step.grids = &own->grids;
    step.surface = &own->surface;
    step.all_lists = &own->all_lists;
    step.impact_memory = &own->impact_memory;
    step.pressure_memory = &own->pressure_memory;
    own->surface.near.temporary = true;
    OozeConformationStep *s = &step.view;
    s->own = reinterpret_cast<OozeConformationOwn *>(&step);
    s->stages = &stages;
    s->formulation = formulation;
    OozeMachine machine = machine_of(engine, context);
    return ooze_conformation_run(&machine, s, error);
}

static OozeStatus step_lodge(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    return conformation_step(engine, data, context, &formulation_lodge, error);
}

const DeviceMethod conformation_method = {
    "conformation",
    conformation_supports,
    conformation_create,
    conformation_destroy,
    step_lodge,
    nullptr,
    nullptr,
    nullptr,
    conformation_reach,
};

} // namespace ooze
