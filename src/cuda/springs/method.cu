/* One substep of the springs method on the device, in the order of methods/springs/method.c. */
#include "cuda/springs/step.cuh"

#include <cstdio>

namespace ooze
{

static bool supports(const OozeStepContext *context, char *why, size_t size)
{
    const bool sequential = context->params[OOZE_SPRINGS_ORDER] == OOZE_SPRINGS_SEQUENTIAL;
    if (sequential) {
        snprintf(why, size, "'order: sequential' of method 'springs' runs on the processor alone");
    }
    return !sequential;
}

/* ---- memory ---- */

static OozeStatus create(Engine *engine, void **out, OozeError *error)
{
    SpringsData *data = static_cast<SpringsData *>(ooze_alloc_zero(1, sizeof(SpringsData)));
    *out = data;
    if (!data) {
        return ooze_fail_memory(error, "the springs method", sizeof *data);
    }
    ooze_spring_table_begin(&data->host);
    engine->grid.cubic = true;
    return OOZE_OK;
}

static void destroy(Engine *engine, void *pointer)
{
    SpringsData *data = static_cast<SpringsData *>(pointer);
    if (data) {
        rows_free(&engine->gpu, &data->rows[0]);
        rows_free(&engine->gpu, &data->rows[1]);
        ooze_spring_table_free(&data->host);
        ooze_free(data);
    }
}

static OozeStatus save(Engine *engine, void *pointer, OozeFieldView *arrays, OozeError *error)
{
    SpringsData *data = static_cast<SpringsData *>(pointer);
    OozeStatus result = rows_download(&engine->gpu, &data->rows[0], &data->host.rows[0], error);
    result = result ? result : status(&engine->gpu, engine->store.n, error);
    return result ? result : ooze_spring_table_save(&data->host, arrays, error);
}

static OozeStatus restore(Engine *engine, void *pointer, const OozeFieldView *arrays,
                          OozeError *error)
{
    SpringsData *data = static_cast<SpringsData *>(pointer);
    const OozeFieldView *views[OOZE_SPRING_ARRAYS];
    for (int k = 0; k < OOZE_SPRING_ARRAYS; k++) {
        views[k] = &arrays[k];
    }
    OozeStatus result = ooze_spring_table_unpack(&data->host, views, error);
    if (!result) {
        rows_upload(&engine->gpu, &data->rows[0], &data->host.rows[0]);
        gpu_wait(&engine->gpu); /* the host may change its rows after this */
        result = status(&engine->gpu, engine->store.n, error);
    }
    return result;
}

/* ---- the beginning ---- */

static OozeStatus send_constants(SpringsStep *step, OozeError *error)
{
    const OozeStepContext *c = step->context;
    const uint64_t materials = (uint64_t)c->material_count, solids = (uint64_t)c->solid_count;
    OozeSpringsCoefficients *rows =
        static_cast<OozeSpringsCoefficients *>(ooze_arena_alloc(c->arena, materials, sizeof *rows));
    double *friction = static_cast<double *>(ooze_arena_alloc(c->arena, solids, sizeof *friction));
    OozeSpringsCoefficients *sent = scratch<OozeSpringsCoefficients>(step->gpu, materials);
    double *sent_friction = scratch<double>(step->gpu, solids);
    if (!rows || !friction) {
        return ooze_fail_memory(error, "the springs step", materials * sizeof *rows);
    }
    ContactView *contact = &step->view.contact;
    contact->solids = step->engine->solids.view;
    contact->rule = ooze_springs_contact_rule(c);
    for (uint64_t k = 0; k < solids; k++) {
        friction[k] = ooze_contact_wet_fraction(&c->solids[k], &contact->rule);
    }
    step->any = ooze_springs_coefficients(c, rows);
    copy_in(step->gpu, sent, rows, materials * sizeof *rows);
    copy_in(step->gpu, sent_friction, friction, solids * sizeof *friction);
    step->view.coefficients = sent;
    contact->wet_friction = sent_friction;
    return OOZE_OK;
}

static void describe(SpringsStep *step)
{
    const OozeStepContext *c = step->context;
    const Engine *engine = step->engine;
    const Store *store = &engine->store;
    Gpu *gpu = step->gpu;
    SpringsView *s = &step->view;
    const uint64_t n = store->n;
    s->n = (uint32_t)n;
    s->k = ooze_springs_constants(c);
    s->periodic = c->periodic;
    s->x0 = store_positions(store);
    s->u = scratch<float4>(gpu, n);
    s->store_material = static_cast<const uint16_t *>(store_data(store, "material"));
    s->store_prescribed = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    s->store_id = static_cast<const uint64_t *>(store_data(store, "id"));
    s->store_key = scratch<uint64_t>(gpu, n);
    s->row = static_cast<uint32_t *>(store_data(store, "spring_row"));
    s->fluid = view(&engine->fluid);
    s->p = scratch<float4>(gpu, n);
    s->x = scratch<float4>(gpu, n);
    s->shift = scratch<float4>(gpu, n);
    s->material = scratch<uint16_t>(gpu, n);
    s->prescribed = scratch<uint8_t>(gpu, n);
    s->id = scratch<uint64_t>(gpu, n);
    s->key = scratch<uint64_t>(gpu, n);
    s->old_row = scratch<uint32_t>(gpu, n);
    s->long_count = scratch<uint32_t>(gpu, n);
}

static void load(SpringsStep *step)
{
    const SpringsView s = step->view;
    const OozeVec3 g = step->context->gravity;
    const float4 kick = s.k.dt * f32x4((float)g.x, (float)g.y, (float)g.z);
    const float4 *v = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const bool prescribed = s.store_prescribed && s.store_prescribed[i];
            const float4 u = f32x4(v[i].x, v[i].y, v[i].z);
            s.u[i] = prescribed ? u : u + kick;
            s.store_key[i] = ooze_springs_key(s.store_id[i], s.k.seed);
        });
}

/* The grid still holds the cells of the store. */
static void apply_viscosity(SpringsStep *step)
{
    Mark mark = scratch_mark(step->gpu);
    SpringsSchedule schedule = {};
    springs_schedule(step, step->view.x0, step->view.store_key, &schedule);
    springs_apply_viscosity(step, &schedule);
    scratch_rewind(step->gpu, mark);
}

/* Sorts the predicted positions and finds neighbours; reuses the grid of the substep. */
static OozeStatus find_neighbours(SpringsStep *step, OozeError *error)
{
    Engine *engine = step->engine;
    Gpu *gpu = step->gpu;
    const OozeStepContext *c = step->context;
    SpringsView *s = &step->view;
    const SpringsView before = *s;
    float4 *predicted = s->shift; /* set after the sort */
    for_each(
        gpu, s->n, OOZE_BODY(uint32_t i) {
            predicted[i] = wrap_point(before.periodic, before.x0[i] + before.k.dt * before.u[i]);
        });
    OozeStatus result =
        grid_sort(gpu, &engine->grid, predicted, s->n, c->support, &c->periodic, error);
    if (result) {
        return result;
    }
    s->order = engine->grid.order;
    const SpringsView v = *s;
    for_each(
        gpu, v.n, OOZE_BODY(uint32_t k) {
            const uint32_t i = v.order[k];
            v.p[k] = v.x[k] = predicted[i];
            v.material[k] = v.store_material[i];
            v.id[k] = v.store_id[i];
            v.key[k] = v.store_key[i];
            v.prescribed[k] = v.store_prescribed && v.store_prescribed[i];
            v.old_row[k] = v.row[i];
        });
    clear(gpu, v.shift, v.n * sizeof *v.shift);
    ooze_timer_lap(c->timer, "sort");
    result =
        lists_build(gpu, &engine->near, &engine->grid, {v.p, v.n, v.p, c->support, true}, error);
    s->near = view(&engine->near);
    if (!result) {
        springs_schedule(step, v.p, v.key, &step->schedule);
    }
    ooze_timer_lap(c->timer, "lists");
    return result;
}

/* ---- solids ---- */

/* Section 6; writes positions and velocities to the store. */
static OozeStatus collide(SpringsStep *step, OozeError *error)
{
    float4 *x = store_positions(&step->engine->store), *v = store_velocities(&step->engine->store);
    OozeStatus result = step->context->dynamic ? springs_move_bodies(step, error) : OOZE_OK;
    if (result) {
        return result;
    }
    const SpringsView s = step->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t k) {
            OozeSpringsCollision m;
            springs_collide(s, k, &m);
            x[s.order[k]] = narrow(m.position);
            v[s.order[k]] = narrow(m.velocity);
        });
    return step->context->dynamic ? springs_balance_bodies(step, error) : OOZE_OK;
}

/* ---- the step ---- */

static OozeStatus start(SpringsStep *step, OozeError *error)
{
    OozeStepTimer *timer = step->context->timer;
    describe(step);
    OozeStatus result = send_constants(step, error);
    if (result) {
        return result;
    }
    load(step);
    ooze_timer_lap(timer, "load");
    if (step->any.viscosity) {
        apply_viscosity(step);
    }
    ooze_timer_lap(timer, "viscosity");
    result = find_neighbours(step, error);
    result = result ? result : springs_adjust(step, error);
    ooze_timer_lap(timer, "predict");
    return result;
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    SpringsStep step = {};
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.data = static_cast<SpringsData *>(data);
    step.context = context;
    if (engine->store.n == 0) {
        step.data->rows[0].n = 0;
        return OOZE_OK;
    }
    OozeStatus result = start(&step, error);
    if (result) {
        return result;
    }
    if (step.any.springs) {
        springs_pull(&step);
        springs_pull_long(&step);
        ooze_timer_lap(context->timer, "springs");
    }
    springs_relax(&step);
    ooze_timer_lap(context->timer, "double_density");
    result = collide(&step, error);
    ooze_timer_lap(context->timer, "collisions");
    return result ? result : status(step.gpu, engine->store.n, error);
}

const DeviceMethod springs_method = {
    "springs", supports, create, destroy, step, save, restore,
};

} // namespace ooze
