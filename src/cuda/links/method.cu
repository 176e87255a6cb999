/* One substep of the links method on the device, in the order of methods/links/method.c. */
#include "cuda/links/step.cuh"

namespace ooze
{

/* ---- memory ----------------------------------------------------------------------------- */

static OozeStatus create(Engine *, void **out, OozeError *error)
{
    LinksData *data = static_cast<LinksData *>(ooze_alloc_zero(1, sizeof(LinksData)));
    if (data) {
        data->host = ooze_link_table_create();
    }
    *out = data;
    return data && data->host ? OOZE_OK : ooze_fail_memory(error, "the links", sizeof *data);
}

static void destroy(Engine *engine, void *pointer)
{
    LinksData *data = static_cast<LinksData *>(pointer);
    if (!data) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        rows_free(&engine->gpu, &data->links[k]);
        rows_free(&engine->gpu, &data->walls[k]);
    }
    ooze_link_table_destroy(data->host);
    ooze_free(data);
}

/* ---- frames ------------------------------------------------------------------------------ */

static OozeStatus save(Engine *engine, void *pointer, OozeFieldView *arrays, OozeError *error)
{
    LinksData *data = static_cast<LinksData *>(pointer);
    OozeLinkRows *links, *walls;
    ooze_link_table_rows_of(data->host, &links, &walls);
    OozeStatus result = rows_download(&engine->gpu, &data->links[0], links, error);
    result = result ? result : rows_download(&engine->gpu, &data->walls[0], walls, error);
    result = result ? result : status(&engine->gpu, engine->store.n, error);
    return result ? result : ooze_link_table_save(data->host, arrays, error);
}

static OozeStatus restore(Engine *engine, void *pointer, const OozeFieldView *arrays,
                          OozeError *error)
{
    LinksData *data = static_cast<LinksData *>(pointer);
    const OozeFieldView *views[OOZE_LINK_ARRAYS];
    OozeLinkRows *links, *walls;
    for (int k = 0; k < OOZE_LINK_ARRAYS; k++) {
        views[k] = &arrays[k];
    }
    OozeStatus result = ooze_link_table_unpack(data->host, views, error);
    if (!result) {
        ooze_link_table_rows_of(data->host, &links, &walls);
        rows_upload(&engine->gpu, &data->links[0], links);
        rows_upload(&engine->gpu, &data->walls[0], walls);
        gpu_wait(&engine->gpu); /* the host may change its rows after this */
        result = status(&engine->gpu, engine->store.n, error);
    }
    return result;
}

/* ---- the step --------------------------------------------------------------------------- */

static OozeStatus send_materials(LinksStep *step, OozeError *error)
{
    const OozeStepContext *c = step->context;
    uint64_t count = (uint64_t)c->material_count;
    LinksMaterial *rows =
        static_cast<LinksMaterial *>(ooze_arena_alloc(c->arena, count, sizeof *rows));
    float *mass = static_cast<float *>(ooze_arena_alloc(c->arena, count, sizeof *mass));
    float *extension = static_cast<float *>(ooze_arena_alloc(c->arena, count, sizeof *extension));
    LinksMaterial *sent = scratch<LinksMaterial>(step->gpu, count);
    if (!rows || !mass || !extension) {
        return ooze_fail_memory(error, "materials", count * sizeof *rows);
    }
    ooze_links_materials(c, mass, extension);
    for (uint64_t k = 0; k < count; k++) {
        const double *v = c->materials[k].values;
        rows[k] = {mass[k],
                   extension[k],
                   v[OOZE_MATERIAL_LABEL] != 0.0,
                   c->phase && !std::isnan(v[OOZE_MATERIAL_MELTING]),
                   v[OOZE_MATERIAL_EXTENSION],
                   v[OOZE_MATERIAL_STRETCH_RATE]};
    }
    copy_in(step->gpu, sent, rows, count * sizeof *rows);
    step->view.materials = sent;
    OozeStatus result = tables_send(step->gpu, c, &step->view.tables, error);
    step->view.extension =
        step->view.tables ? scratch<float>(step->gpu, step->view.now.n) : nullptr;
    return result;
}

static void describe(LinksStep *step)
{
    const OozeStepContext *c = step->context;
    const Engine *engine = step->engine;
    const Store *store = &engine->store;
    Gpu *gpu = step->gpu;
    LinksView *s = &step->view;
    uint64_t n = store->n;
    s->k = ooze_links_constants(&step->data->rest, c);
    s->now.n = s->next.n = (uint32_t)n;
    s->now.x = store_positions(store);
    s->now.fluid = view(&engine->fluid);
    s->now.boundary = s->next.boundary = engine->walls.view;
    s->now.periodic = s->next.periodic = c->periodic;
    s->now.kernel = s->next.kernel = s->k.kernel;
    if (s->k.samples && engine->walls.count > 0) {
        s->now.walls = view(&engine->fluid_walls);
    }
    s->solids = engine->solids.view;
    s->material = static_cast<const uint16_t *>(store_data(store, "material"));
    s->prescribed = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    s->row = static_cast<uint32_t *>(store_data(store, "link_row"));
    s->elastic = static_cast<uint8_t *>(store_data(store, "elastic"));
    s->temperature = static_cast<const double *>(store_data(store, "temperature"));
    s->phase = static_cast<const uint8_t *>(store_data(store, "phase"));
    s->u = scratch<float4>(gpu, n);
    s->x = scratch<float4>(gpu, n);
    s->next.x = s->x;
    s->shift = scratch<float4>(gpu, n);
    s->before = scratch<float4>(gpu, n);
    s->change = scratch<float4>(gpu, n);
    s->inverse_mass = scratch<float>(gpu, n);
    s->share = scratch<float>(gpu, n);
    s->excess = scratch<float>(gpu, n);
    s->old_row = scratch<uint32_t>(gpu, n);
}

static void load(LinksStep *step)
{
    const LinksView s = step->view;
    const float4 *v = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.now.n, OOZE_BODY(uint32_t i) {
            s.u[i] = f32x4(v[i].x, v[i].y, v[i].z);
            const LinksMaterial &own = s.materials[s.material[i]];
            s.elastic[i] = own.melts ? s.phase[i] == OOZE_PHASE_SOLID : own.elastic != 0;
        });
}

/* Into `change`, wrapped. */
static void predict(LinksStep *step)
{
    const LinksView s = step->view;
    const OozeVec3 g = step->context->gravity;
    const float4 kick = s.k.dt * f32x4((float)g.x, (float)g.y, (float)g.z);
    for_each(
        step->gpu, s.now.n, OOZE_BODY(uint32_t i) {
            if (!s.prescribed || !s.prescribed[i]) {
                s.u[i] = s.u[i] + kick;
            }
            s.change[i] = wrap_point(s.now.periodic, s.now.x[i] + s.k.dt * s.u[i]);
        });
}

/* The extension of a particle at its temperature, as extension_at of methods/links/method.c. */
OOZE_DEVICE float extension_at(const LinksView &s, uint32_t i, double dt, double whole_step)
{
    const LinksMaterial &own = s.materials[s.material[i]];
    const MaterialTable &table = s.tables[s.material[i]];
    if (table.count == 0) {
        return own.extension;
    }
    const OozeTemperatureBetween at =
        ooze_temperature_between(table.rows, table.count, s.temperature[i]);
    const double extension =
        ooze_temperature_line(at.low->extension, at.high->extension, at.share, own.given_extension);
    const double rate = ooze_temperature_line(at.low->stretch_rate, at.high->stretch_rate, at.share,
                                              own.stretch_rate);
    return (float)ooze_links_extension(dt, whole_step, extension, rate);
}

/* Sorts the predicted positions and finds neighbours; reuses the grid of the substep. */
static OozeStatus find_neighbours(LinksStep *step, OozeError *error)
{
    Engine *engine = step->engine;
    Gpu *gpu = step->gpu;
    const OozeStepContext *c = step->context;
    LinksView *s = &step->view;
    uint64_t n = s->now.n;
    OozeStatus result =
        grid_sort(gpu, &engine->grid, s->change, n, c->support, &c->periodic, error);
    if (result) {
        return result;
    }
    s->order = engine->grid.order;
    const LinksView v = *s;
    const double dt = c->dt, whole_step = c->whole_step;
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) {
            uint32_t i = v.order[k];
            v.x[k] = v.change[i];
            v.shift[k] = f32x4(0, 0, 0);
            v.inverse_mass[k] =
                v.prescribed && v.prescribed[i] ? 0.0f : v.materials[v.material[i]].inverse_mass;
            v.old_row[k] = v.row[i];
            if (v.extension) {
                v.extension[k] = extension_at(v, i, dt, whole_step);
            }
        });
    ooze_timer_lap(c->timer, "sort");
    result =
        lists_build(gpu, &engine->near, &engine->grid, {s->x, n, s->x, c->support, true}, error);
    s->next.fluid = view(&engine->near);
    if (!result && s->now.walls.begin) {
        result = lists_build(gpu, &engine->near_walls, &engine->walls.grid,
                             {s->x, n, engine->walls.view.position, c->support, false}, error);
        s->next.walls = view(&engine->near_walls);
    }
    ooze_timer_lap(c->timer, "lists");
    return result;
}

static void store_results(LinksStep *step)
{
    const LinksView s = step->view;
    float4 *x = store_positions(&step->engine->store), *v = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.now.n, OOZE_BODY(uint32_t k) {
            uint32_t i = s.order[k];
            float4 u = s.u[i] + (1.0f / s.k.dt) * s.shift[k];
            float4 p = x[i] + (s.k.dt * s.u[i] + s.shift[k]);
            x[i] = f32x4(p.x, p.y, p.z);
            v[i] = f32x4(u.x, u.y, u.z);
        });
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    LinksStep step = {};
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.data = static_cast<LinksData *>(data);
    step.context = context;
    if (engine->store.n == 0) {
        step.data->links[0].n = step.data->walls[0].n = 0;
        return OOZE_OK;
    }
    describe(&step);
    OozeStatus result = send_materials(&step, error);
    result = result ? result : links_couple(&step, error);
    if (result) {
        return result;
    }
    load(&step);
    ooze_timer_lap(context->timer, "load");
    links_smooth(&step);
    ooze_timer_lap(context->timer, "smooth");
    predict(&step);
    result = find_neighbours(&step, error);
    result = result ? result : links_control(&step, error);
    ooze_timer_lap(context->timer, "links");
    if (!result) {
        links_solve(&step);
        store_results(&step);
        if (context->dynamic) {
            dynamic_load(step.gpu, &step.dynamic);
        }
        ooze_timer_lap(context->timer, "store");
        result = status(step.gpu, engine->store.n, error);
    }
    return result;
}

const DeviceMethod links_method = {
    "links", nullptr, create, destroy, step, save, restore,
};

} // namespace ooze
