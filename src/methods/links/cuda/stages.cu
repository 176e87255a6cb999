/* Stages of the links method on the GPU, and its entry in the list of methods. */
#include "methods/links/cuda/stages.cuh"

#include "cuda/method.cuh"

namespace ooze
{

LinksView view_of(const OozeLinksStep *step)
{
    const Engine *engine = engine_of(step->machine);
    const LinksData *data = data_of(step);
    LinksView s = {};
    static_cast<OozeLinksStep &>(s) = *step;
    s.n = (uint32_t)step->machine->n;
    s.own = own_range(&engine->gpu, s.n);
    s.now = pairs_of(step->machine, step->k.kernel);
    s.next = s.now;
    s.next.x = step->x;
    s.next.fluid = view(&engine->near);
    if (!step->k.samples) {
        s.now.walls = {};
        s.next.walls = {};
    } else if (s.now.walls.begin) {
        s.next.walls = view(&engine->near_walls);
    }
    s.solids = engine->solids.view;
    s.first = data->links[0].first();
    s.count = data->links[0].count();
    s.links = data->links[0].items();
    s.wall_first = data->walls[0].first();
    s.wall_count = data->walls[0].count();
    s.wall_links = data->walls[0].items();
    if (step->machine->context->dynamic) {
        s.dynamic = data->dynamic.view;
        s.coupled = data->coupled.particles;
        s.pushes = data->pushes;
        s.solids_moved = data->solids_moved;
    }
    return s;
}

/* ---- beginning ---- */

static OozeStatus load(OozeLinksStep *step, OozeError *error)
{
    step->end = ooze_machine_load(step->machine);
    step->x0 = static_cast<float4 *>(step->end.x);
    OozeStatus result =
        tables_send(gpu_of(step->machine), step->machine->context, &data_of(step)->tables, error);
    if (result) {
        return result;
    }
    const LinksView s = view_of(step);
    const float4 *v = static_cast<const float4 *>(step->end.u);
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t i) {
            const OozeLinksMaterial *own = &s.materials[s.store_material[i]];
            s.u[i] = f32x4(v[i].x, v[i].y, v[i].z);
            s.elastic[i] = ooze_links_is_elastic(own, s.phase, i);
            s.store_inverse_mass[i] = s.prescribed && s.prescribed[i] ? 0.0f : own->inverse_mass;
        });
    return OOZE_OK;
}

/* ---- predicted positions ---- */

static void predict(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    refresh(gpu_of(step->machine), s.u, sizeof *s.u);
    const float4 kick = s.k.dt * gravity_of(step->machine);
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t i) {
            if (!s.prescribed || !s.prescribed[i]) {
                s.u[i] = s.u[i] + kick;
            }
            s.change[i] = ooze_links_predicted(s.x0[i], s.u[i], s.k.dt, &s.periodic);
        });
}

/* The extension of a particle at its temperature. */
OOZE_DEVICE float extension_at(const LinksView &s, const MaterialTable *tables, uint32_t i,
                               double dt, double whole_step)
{
    const OozeLinksMaterial &own = s.materials[s.store_material[i]];
    if (!tables || tables[s.store_material[i]].count == 0) {
        return own.extension;
    }
    const MaterialTable &table = tables[s.store_material[i]];
    const OozeTemperatureBetween at =
        ooze_temperature_between(table.rows, table.count, s.temperature[i]);
    const double per_step =
        ooze_temperature_line(at.low->extension, at.high->extension, at.share, own.per_step);
    const double rate =
        ooze_temperature_line(at.low->stretch_rate, at.high->stretch_rate, at.share, own.rate);
    return (float)ooze_links_extension(dt, whole_step, per_step, rate);
}

/* The particles in the order of the grid. */
static void load_sorted(OozeLinksStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const OozeStepContext *c = step->machine->context;
    const uint64_t n = step->machine->n;
    const LinksView s = view_of(step);
    const MaterialTable *tables = data_of(step)->tables;
    const double dt = c->dt, whole_step = c->whole_step;
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) {
            const uint32_t i = s.order[k];
            s.x[k] = s.change[i];
            s.shift[k] = f32x4(0, 0, 0);
            s.effective_inverse_mass[k] = s.materials[s.store_material[i]].inverse_mass;
            s.inverse_mass[k] = s.store_inverse_mass[i];
            s.extension[k] = extension_at(s, tables, i, dt, whole_step);
            s.is_elastic[k] = s.elastic[i];
            s.old_row[k] = s.row[i];
            s.is_new[k] = s.row[i] == OOZE_LINK_ROW_NONE;
            s.material[k] = s.store_material[i];
        });
}

/* Rows of several processes have been brought into the order of the store. */
static void find_rows(OozeLinksStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    LinksData *data = data_of(step);
    const LinksView s = view_of(step);
    data->row_before = s.old_row;
    if (!gpu->share) {
        data->rows_before = data->links[0].n;
        return;
    }
    uint32_t *before = scratch<uint32_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) {
            before[k] = s.old_row[k];
            const bool has_row = is_own(s, k) && before[k] != OOZE_LINK_ROW_NONE;
            s.old_row[k] = has_row ? s.order[k] : OOZE_LINK_ROW_NONE;
        });
    data->row_before = before;
}

/* Reuses the grid of the substep. */
static OozeStatus sort(OozeLinksStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Engine *engine = engine_of(machine);
    OozeStatus result = ooze_links_allocate_sorted(step, error);
    result = result ? result
                    : ranks_sort_points(engine, machine->context, step->change, machine->n, error);
    if (result) {
        return result;
    }
    step->order = engine->grid.order;
    load_sorted(step);
    find_rows(step);
    return machine->ranks ? links_divide(step, error) : OOZE_OK;
}

static OozeStatus find_neighbours(OozeLinksStep *step, OozeError *error)
{
    Engine *engine = engine_of(step->machine);
    Gpu *gpu = gpu_of(step->machine);
    const uint64_t n = step->machine->n;
    const double support = step->machine->context->support;
    const float4 *x = step->x;
    OozeStatus result =
        lists_build(gpu, &engine->near, &engine->grid, {x, n, x, support, true}, error);
    if (!result && view_of(step).now.walls.begin) {
        result = lists_build(gpu, &engine->near_walls, &engine->walls.grid,
                             {x, n, engine->walls.view.position, support, false}, error);
    }
    return result;
}

/* ---- rows ---- */

static void clear_links(OozeLinksStep *step)
{
    data_of(step)->links[0].n = data_of(step)->walls[0].n = 0;
}

static void number_rows(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    const uint32_t *number = data_of(step)->number;
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t k) {
            s.row[s.order[k]] = s.lost ? OOZE_LINK_ROW_NONE : number ? number[k] : k;
        });
}

/* ---- end ---- */

/* Iterations need no more memory. */
static OozeStatus begin_solve(OozeLinksStep *, OozeError *)
{
    return OOZE_OK;
}

static void store(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    float4 *x = static_cast<float4 *>(s.end.x), *v = static_cast<float4 *>(s.end.u);
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t k) {
            uint32_t i = s.order[k];
            float4 u = s.u[i] + (1.0f / s.k.dt) * s.shift[k];
            float4 p = x[i] + (s.k.dt * s.u[i] + s.shift[k]);
            x[i] = f32x4(p.x, p.y, p.z);
            v[i] = f32x4(u.x, u.y, u.z);
        });
}

static const OozeLinksStages stages = {
    links_couple,
    load,
    links_find_densities,
    links_smooth,
    predict,
    links_follow,
    sort,
    find_neighbours,
    links_control,
    links_control_walls,
    clear_links,
    number_rows,
    begin_solve,
    links_find_near,
    links_find_multipliers,
    links_push_solids,
    links_correct,
    links_push_out,
    links_push_back,
    links_hold,
    links_order_excess,
    store,
    links_leave,
    links_load_solids,
};

/* ---- memory ---- */

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
    rank_order_free(&data->order);
    ooze_link_table_destroy(data->host);
    ooze_free(data);
}

/* ---- frames ---- */

static OozeStatus save(Engine *engine, void *pointer, OozeFieldView *arrays, OozeError *error)
{
    LinksData *data = static_cast<LinksData *>(pointer);
    OozeLinkRows *links, *walls;
    ooze_link_table_rows_of(data->host, &links, &walls);
    OozeStatus result = rows_download(&engine->gpu, &data->links[0], links, error);
    result = result ? result : rows_download(&engine->gpu, &data->walls[0], walls, error);
    result = result ? result : status(&engine->gpu, engine->store.n, error);
    if (const RankShare *share = engine->gpu.share) {
        uint64_t first = links->n;
        share->ranks->sum_before(share->ranks, &first, 1);
        ooze_link_table_number_from(data->host, first);
    }
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
    if (const RankShare *share = engine->gpu.share) {
        const OozeRanks *ranks = share->ranks;
        result = result ? result
                        : ooze_link_table_keep_part(data->host, ranks->rank, ranks->count, error);
    }
    if (!result) {
        ooze_link_table_rows_of(data->host, &links, &walls);
        rows_upload(&engine->gpu, &data->links[0], links);
        rows_upload(&engine->gpu, &data->walls[0], walls);
        gpu_wait(&engine->gpu); /* the host may change its rows after this */
        result = status(&engine->gpu, engine->store.n, error);
    }
    return result;
}

static OozeStatus step(Engine *engine, void *pointer, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    LinksData *data = static_cast<LinksData *>(pointer);
    data->coupled = {};
    data->pushes = nullptr;
    data->solids_moved = nullptr;
    data->number = nullptr;
    return ooze_links_step(&machine, &stages, reinterpret_cast<OozeLinksMemory *>(data),
                           &data->rest, error);
}

static double reach(const OozeStepContext *context)
{
    return context->params[OOZE_LINKS_REACH] * context->support;
}

const DeviceMethod links_method = {
    "links", nullptr, create, destroy, step, save, restore, nullptr, reach,
};

} // namespace ooze
