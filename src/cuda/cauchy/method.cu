/* One substep of the cauchy method on the device, in the order of methods/cauchy/method.c. */
#include "cuda/cauchy/step.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

/* ---- memory ---- */

static OozeStatus create(Engine *, void **out, OozeError *error)
{
    *out = ooze_alloc_zero(1, sizeof(CauchyData));
    return *out ? OOZE_OK : ooze_fail_memory(error, "the cauchy method", sizeof(CauchyData));
}

static void destroy(Engine *engine, void *pointer)
{
    CauchyData *data = static_cast<CauchyData *>(pointer);
    if (data) {
        grid_multigrid_free(&engine->gpu, &data->multigrid);
        ooze_free(data);
    }
}

/* ---- the beginning ---- */

/* Rows of particles whose material depends on temperature. */
static void find_rows(CauchyStep *step, const OozeCauchyTable *tables)
{
    Gpu *gpu = step->gpu;
    CauchyView *s = &step->view;
    uint64_t count = (uint64_t)step->context->material_count;
    OozeCauchyTable *sent = scratch<OozeCauchyTable>(gpu, count);
    copy_in(gpu, sent, tables, count * sizeof *sent);
    const double *temperature =
        static_cast<const double *>(store_data(&step->engine->store, "temperature"));
    const uint16_t *material = s->material;
    uint16_t *row = scratch<uint16_t>(gpu, s->n);
    for_each(
        gpu, s->n, OOZE_BODY(uint32_t i) {
            row[i] = (uint16_t)ooze_cauchy_row(sent, material[i], temperature[i]);
        });
    s->material = row;
}

static OozeStatus send_materials(CauchyStep *step, OozeError *error)
{
    OozeCauchyRows rows;
    OozeStatus result = ooze_cauchy_rows(step->context, &rows, error);
    if (result) {
        return result;
    }
    uint64_t count = (uint64_t)rows.count;
    OozeCauchyMaterial *sent = scratch<OozeCauchyMaterial>(step->gpu, count);
    copy_in(step->gpu, sent, rows.materials, count * sizeof *sent);
    step->view.materials = sent;
    step->view.inverse_reference = rows.materials[0].inverse_reference;
    if (rows.tables) {
        find_rows(step, rows.tables);
    }
    return OOZE_OK;
}

template <class T> static T *field(const Store *store, const char *name)
{
    return static_cast<T *>(store_data(store, name));
}

static void describe(CauchyStep *step)
{
    const OozeStepContext *c = step->context;
    const Engine *engine = step->engine;
    const Store *store = &engine->store;
    CauchyView *s = &step->view;
    s->n = (uint32_t)store->n;
    s->k = ooze_cauchy_constants(c);
    s->dt = c->dt;
    s->spacing = c->spacing;
    s->gravity = f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z);
    s->inverse2 = 1.0f / (s->k.support * s->k.support);
    s->strain = s->k.strain_scale;
    s->wall_strain = s->k.wall_strain_scale * s->k.inverse_sample;
    s->periodic = c->periodic;
    s->fluid = view(&engine->fluid);
    s->walls = engine->walls.view;
    s->solids = engine->solids.view;
    if (engine->walls.count > 0) {
        s->near_walls = view(&engine->fluid_walls);
    }
    s->x0 = store_positions(store);
    s->velocity = store_velocities(store);
    s->material = field<const uint16_t>(store, "material");
    s->prescribed = field<const uint16_t>(store, "nozzle");
    s->elastic_strain = field<float>(store, "strain");
    s->pressure = field<float>(store, "pressure");
    s->density = field<float>(store, "density");
    step->wraps = ooze_periodic_any(&c->periodic);
}

static void allocate(CauchyStep *step)
{
    Gpu *gpu = step->gpu;
    CauchyView *s = &step->view;
    const uint64_t n = s->n;
    s->u = scratch<float4>(gpu, n);
    s->mps_weight = scratch<float4>(gpu, step->engine->fluid.quads);
    s->edge_sum = scratch<float4>(gpu, n);
    s->fluid_edge_sum = scratch<float4>(gpu, n);
    s->mps_sum = scratch<float4>(gpu, n);
    s->wall = scratch<OozeCauchyWall>(gpu, n);
    s->number = scratch<float>(gpu, n);
    s->air = scratch<float>(gpu, n);
    s->mobility = scratch<float>(gpu, n);
    s->divergence_target = scratch<float>(gpu, n);
    s->viscosity = scratch<float>(gpu, n);
    s->rate = scratch<float>(gpu, n);
    s->last_pressure = scratch<float>(gpu, n);
    s->correction = scratch<OozeSym3>(gpu, n);
    s->pressure_correction = scratch<OozeSym3>(gpu, n);
    s->stiffness = scratch<OozeSym3>(gpu, n);
    s->explicit_stress = scratch<OozeSym3>(gpu, n);
    s->force = scratch<float4>(gpu, n);
    s->next_x = scratch<float4>(gpu, n);
    s->next_pressure = scratch<float>(gpu, n);
    s->impulses = step->context->dynamic ? scratch<OozeSolidImpulses>(gpu, n) : nullptr;
    OozeConjugateGradients *solves = scratch<OozeConjugateGradients>(gpu, 2);
    clear(gpu, solves, 2 * sizeof *solves);
    step->velocity_solve = solves;
    step->pressure_solve = solves + 1;
}

static void load(CauchyStep *step)
{
    const CauchyView s = step->view;
    float4 *x0 = store_positions(&step->engine->store);
    for_each(
        step->gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) { /* padding of lists */
                x0[i] = make_float4(0, 0, 0, OOZE_DUMMY_FAR);
                s.u[i] = f32x4(0, 0, 0);
                s.mobility[i] = s.last_pressure[i] = 0.0f;
                s.pressure_correction[i] = ooze_sym3_identity(0);
                return;
            }
            const OozeCauchyMaterial &m = material_of(s, i);
            const bool prescribed = s.prescribed && s.prescribed[i];
            float4 v = s.velocity[i];
            v.w = 0.0f;
            s.u[i] = v;
            s.mobility[i] = prescribed ? 0.0f : 1.0f / m.relative_mass;
            s.force[i] = m.relative_mass * s.gravity;
            s.last_pressure[i] =
                ooze_cauchy_last_pressure(&s.k, &m, s.pressure[i] * s.inverse_reference);
        });
    ooze_timer_lap(step->context->timer, "load");
}

/* ---- the step ---- */

/* Velocities under gravity, surface tension and the pressure of the last step. */
static void apply_forces(CauchyStep *step)
{
    const CauchyView s = step->view;
    Mark mark = scratch_mark(step->gpu);
    if (s.k.any_tension && s.k.potential) {
        cauchy_potential(step);
    } else if (s.k.any_tension) {
        cauchy_tension(step);
    }
    float4 *acceleration = nullptr;
    if (!s.k.classic) {
        acceleration = scratch<float4>(step->gpu, s.n);
        cauchy_accelerate(step, s.last_pressure, acceleration);
    }
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            float4 force = s.force[i];
            if (acceleration) {
                force = force + material_of(s, i).relative_mass * acceleration[i];
            }
            s.u[i] = s.u[i] + (s.k.dt * s.mobility[i]) * force;
        });
    scratch_rewind(step->gpu, mark);
    ooze_timer_lap(step->context->timer, "forces");
}

static void store_results(CauchyStep *step)
{
    const CauchyView s = step->view;
    float4 *x = store_positions(&step->engine->store), *u = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            x[i] = s.next_x[i];
            s.pressure[i] = s.next_pressure[i];
            u[i] = s.u[i];
        });
    ooze_timer_lap(step->context->timer, "store");
}

/* Waits for the solves. */
static void report_solves(CauchyStep *step)
{
    OozeConjugateGradients solves[2] = {};
    OozeStepReport *to = step->context->report;
    copy_out(step->gpu, solves, step->velocity_solve, sizeof solves);
    for (const OozeConjugateGradients &cg : solves) {
        const bool unconverged = to->unconverged; /* the solve before */
        ooze_solve_residual_report(&cg.residual, to);
        to->unconverged = to->unconverged || unconverged;
    }
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    CauchyStep step = {};
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.data = static_cast<CauchyData *>(data);
    step.context = context;
    if (engine->store.n == 0) {
        return OOZE_OK;
    }
    describe(&step);
    allocate(&step);
    OozeStatus result = send_materials(&step, error);
    if (result) {
        return result;
    }
    load(&step);
    cauchy_find_walls(&step);
    cauchy_gather(&step);
    apply_forces(&step);
    cauchy_solve_velocities(&step);
    result = cauchy_project(&step, error);
    if (result) {
        return result;
    }
    result = cauchy_move(&step, error);
    report_solves(&step);
    if (!result && !context->report->too_far) {
        cauchy_update_strain(&step);
        store_results(&step);
    }
    return result ? result : status(step.gpu, engine->store.n, error);
}

const DeviceMethod cauchy_method = {
    "cauchy", nullptr, create, destroy, step, nullptr, nullptr,
};

} // namespace ooze
