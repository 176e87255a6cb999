/* One stroke of the conformation method: see methods/conformation/{conformation,move}.c. */
#include "cuda/conformation/bodies.cuh"
#include "cuda/conformation/constraint.cuh"

#include "cuda/shape_distance.cuh"

namespace ooze
{

static const Formulation *const formulations[OOZE_FORMULATION_COUNT] = {
    &formulation_lodge, &formulation_consistent, &formulation_paper};

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
    s->tension = plan->settings.tension;
    s->surface = plan->settings.surface;
    s->contact = plan->settings.contact;
    s->periodic = c->periodic;
    s->fluid = view(&engine->fluid);
    s->walls = engine->walls.view;
    s->solids = engine->solids.view;
    if (engine->walls.count > 0) {
        s->near_walls = view(&engine->fluid_walls);
    }
    step->wraps = ooze_periodic_any(&c->periodic);
}

/* Particles from which on 40 bytes each count for more than gathering edges a second time. */
enum { LENDS_FROM = 40000000 };

static void allocate_edges(Step *step)
{
    step->view.edge_sum = scratch<float4>(step->m, step->view.n);
    step->view.correction = scratch<OozeSym3>(step->m, step->view.n);
}

static void allocate(Step *step)
{
    Machine *m = step->m;
    const Store *store = &step->engine->store;
    StepView *s = &step->view;
    uint64_t n = s->n;
    s->material = static_cast<const uint16_t *>(store_data(store, "material"));
    s->led = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    s->conformation = static_cast<float *>(store_data(store, "conformation"));
    s->expansion = static_cast<float *>(store_data(store, "expansion"));
    s->push = static_cast<float *>(store_data(store, "start"));
    s->calm = static_cast<float *>(store_data(store, "calm"));
    s->more_modes = step->plan.more_modes;
    for (int k = 0; k < s->more_modes; k++) {
        char name[] = "conformation_2";
        name[sizeof name - 2] = (char)('2' + k);
        s->more[k] = static_cast<float *>(store_data(store, name));
    }
    s->x0 = store_positions(store);
    s->u = scratch<float4>(m, n);
    s->density = scratch<float>(m, n);
    s->open = scratch<float>(m, n);
    s->mobility = scratch<float>(m, n);
    s->stress = scratch<float>(m, n);
    s->anchored = scratch<uint8_t>(m, n);
    step->state = scratch<SolveState>(m, 1);
    clear(m, step->state, sizeof *step->state);
    OozeRheology *rheology = scratch<OozeRheology>(m, (uint64_t)step->plan.row_count);
    copy_in(m, rheology, step->plan.rheology, (size_t)step->plan.row_count * sizeof *rheology);
    s->rheology = rheology;
    bool pushes = step->plan.settings.formulation == OOZE_FORMULATION_LODGE;
    s->pushed = scratch<float4>(m, pushes ? n : 0);
    s->intruder = s->solids.count > 0 ? scratch<int32_t>(m, n) : nullptr;
    bodies_allocate(step);
    step->lent = scratch_mark(m); /* what comes now is not needed while densities are corrected */
    allocate_edges(step);
}

/* What a solid makes a particle do that is fixed to it. */
OOZE_DEVICE float4 pinned(const StepView &s, double dt, uint32_t i)
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
        step->m, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) { /* what fills up lists */
                x0[i] = make_float4(0, 0, 0, OOZE_DUMMY_FAR);
                s.u[i] = make_float4(0, 0, 0, 0);
                s.mobility[i] = 0.0f;
                return;
            }
            float4 v = velocity[i];
            const OozeRheology *m = &s.rheology[s.material[i]];
            bool fixed = s.pin && s.pin[i], led = (s.led && s.led[i]) || fixed;
            v.w = 0.0f;
            s.u[i] = led ? v : v + kick;
            if (fixed) {
                s.u[i] = pinned(s, dt, i);
            }
            s.mobility[i] = led ? 0.0f : 1.0f / m->weight;
            OozeSym3 strain[OOZE_MODES];
            modes_get(s, i, s.more_modes, strain);
            for (int k = 0; k <= s.more_modes; k++) {
                strain[k] = ooze_sym3_add(strain[k], ooze_sym3_identity(-1));
            }
            s.stress[i] = ooze_lodge_elastic_stress(m, s.more_modes, strain);
        });
    ooze_stage_lap(c->clock, OOZE_PART_START);
}

/* ---- the end ---- */

DensityJob density_job(Step *step)
{
    StepView s = step->view;
    const OozeConformationSettings *set = &step->plan.settings;
    DensityJob job;
    memset(&job, 0, sizeof job);
    job.context = step->context;
    job.n = s.n;
    job.support = s.support;
    job.volume = s.volume;
    job.wall_scale = s.wall_scale;
    job.contact = s.contact;
    job.iterations = set->density_iterations;
    job.tolerance = set->density_tolerance;
    job.mobility = s.mobility;
    job.apart = set->apart;
    job.drift = set->apart > 0.0f ? s.drift : nullptr;
    job.limit = s.limit;
    job.settled = s.settled;
    job.borne = s.borne;
    job.start = s.x0;
    return job;
}

OozeStatus solve_density(Step *step, float4 *x, float4 *shift, OozeError *error)
{
    DensityJob job = density_job(step);
    bodies_density(step, &job);
    return density_solve(step->engine, &job, x, shift, error);
}

static void predict(Step *step, float4 *x)
{
    StepView s = step->view;
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            x[i] = s.x0[i] + s.dt * s.u[i];
            s.drift[i] = s.settled[i] = four(0, 0, 0);
        });
    ooze_stage_lap(step->context->clock, OOZE_PART_LIMITS);
}

/* Where corrections have taken the particles, and how far the farthest has come. Waits. */
static float arrive(Step *step, float4 *x, const float4 *shift)
{
    StepView s = step->view;
    Most1 none = {0.0f};
    Most1 farthest = sum_now(
        step->m, s.n, none, OOZE_BODY(uint32_t i) {
            float4 corrected = shift[i], still = s.drift[i] + s.settled[i];
            float4 u = s.u[i], way = s.dt * u + corrected + still;
            x[i] = x[i] + corrected + still;
            s.u[i] = u + (1.0f / s.dt) * (corrected + s.settled[i]);
            Most1 square = {dot(way, way)};
            return square;
        });
    return sqrtf(farthest.a);
}

/* Settling is no velocity; the rest becomes the particles' state. */
static void store_state(Step *step, const float4 *x)
{
    StepView s = step->view;
    float4 *position = store_positions(&step->engine->store);
    float4 *velocity = store_velocities(&step->engine->store);
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            float4 at = x[i], u = s.u[i] - (1.0f / s.dt) * s.settled[i];
            position[i] = four(at.x, at.y, at.z);
            velocity[i] = four(u.x, u.y, u.z);
        });
    ooze_stage_lap(step->context->clock, OOZE_PART_STORE);
}

static OozeStatus move(Step *step, const Formulation *formulation, OozeError *error)
{
    Machine *m = step->m;
    StepView *s = &step->view;
    OozeStageClock *clock = step->context->clock;
    const float rounding = 1e-5f; /* a stroke just as long as asked for is good */
    float4 *x = scratch<float4>(m, s->n), *shift = scratch<float4>(m, s->n);
    s->drift = scratch<float4>(m, s->n);
    s->settled = scratch<float4>(m, s->n);
    s->limit = scratch<float>(m, s->n);
    s->borne = scratch<float>(m, s->n);
    set_limits(step);
    predict(step, x);
    Mark mark = scratch_mark(m);
    OozeStatus status = formulation->solve_positions(step, x, shift, error);
    scratch_rewind(m, mark);
    if (status) {
        return status;
    }
    float farthest = arrive(step, x, shift);
    if (farthest > (1.0f + rounding) * (float)step->context->longest_travel) {
        step->context->report->too_far = true;
        return OOZE_OK;
    }
    ooze_stage_lap(clock, OOZE_PART_REST);
    if (step->lends) {
        allocate_edges(step);
        gather(step);
    }
    formulation->finish(step);
    ooze_stage_lap(clock, OOZE_PART_FINISH);
    find_strangers(step);
    ooze_stage_lap(clock, OOZE_PART_REST);
    store_state(step, x);
    bodies_place(step, store_positions(&step->engine->store),
                 store_velocities(&step->engine->store));
    return OOZE_OK;
}

/* What the velocity stage came to, where there was one. Waits. */
static void report(Step *step)
{
    const OozeConformationSettings *set = &step->plan.settings;
    SolveState state;
    if (set->formulation != OOZE_FORMULATION_LODGE && set->positions_only) {
        return;
    }
    memset(&state, 0, sizeof state);
    copy_out(step->m, &state, step->state, sizeof state);
    ooze_velocity_solve_report(&state.residual, step->context->report);
}

OozeStatus conformation_step(Engine *engine, OozeStepContext *context, OozeError *error)
{
    Step step;
    Bodies bodies;
    ConstraintView constraint;
    memset(&step, 0, sizeof step);
    memset(&constraint, 0, sizeof constraint);
    step.constraint = &constraint;
    step.engine = engine;
    step.m = &engine->machine;
    step.context = context;
    if (engine->store.n == 0) {
        return OOZE_OK;
    }
    OozeStatus failed = ooze_conformation_plan(context, &step.plan, error);
    if (failed) {
        return failed;
    }
    const Formulation *formulation = formulations[step.plan.settings.formulation];
    describe(&step);
    step.lends =
        step.plan.settings.formulation == OOZE_FORMULATION_LODGE && step.view.n >= LENDS_FROM;
    failed = bodies_create(&step, &bodies, error);
    if (failed) {
        return failed;
    }
    start(&step);
    gather(&step);
    tension(&step);
    failed = bodies_begin(&step, error);
    if (failed) {
        return failed;
    }
    find_holds(&step);
    formulation->solve_velocities(&step);
    divergence(&step);
    if (step.lends) {
        scratch_rewind(step.m, step.lent);
        step.view.hold_of = nullptr;
    }
    failed = move(&step, formulation, error);
    if (!failed) {
        report(&step);
        failed = status(step.m, engine->store.n, error);
    }
    return failed;
}

} // namespace ooze
