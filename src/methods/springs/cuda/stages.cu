/* Stages of the springs method on the GPU, and its entry in the list of methods. */
#include "methods/springs/cuda/stages.cuh"

#include <cstdio>

#include "cuda/method.cuh"

namespace ooze
{

/* ---- beginning ---- */

/* Friction of solids where particles slide along them. */
static OozeStatus send_friction(OozeSpringsStep *step, OozeError *error)
{
    const OozeStepContext *c = step->machine->context;
    const uint64_t solids = (uint64_t)c->solid_count;
    double *friction = static_cast<double *>(ooze_arena_alloc(c->arena, solids, sizeof *friction));
    for (uint64_t k = 0; k < solids && friction; k++) {
        friction[k] = ooze_contact_wet_fraction(&c->solids[k], &step->rule);
    }
    step->wet_friction = static_cast<const double *>(
        ooze_machine_send(step->machine, friction, solids, sizeof *friction));
    return ooze_machine_status(step->machine, "the springs step", error);
}

static OozeStatus load(OozeSpringsStep *step, OozeError *error)
{
    step->end = ooze_machine_load(step->machine);
    step->x0 = static_cast<float4 *>(step->end.x);
    OozeStatus result = send_friction(step, error);
    if (result) {
        return result;
    }
    const SpringsView s = view_of(step);
    const float4 kick = s.k.dt * gravity_of(step->machine);
    const float4 *v = static_cast<const float4 *>(step->end.u);
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t i) {
            const bool prescribed = s.store_prescribed && s.store_prescribed[i];
            const float4 u = f32x4(v[i].x, v[i].y, v[i].z);
            s.u[i] = prescribed ? u : u + kick;
            s.store_key[i] = ooze_springs_key(s.store_id[i], s.k.seed);
        });
    return OOZE_OK;
}

/* ---- predicted positions ---- */

/* Reuses the grid of the substep. */
static OozeStatus sort(OozeSpringsStep *step, OozeError *error)
{
    Engine *engine = engine_of(step->machine);
    Gpu *gpu = gpu_of(step->machine);
    const OozeStepContext *c = step->machine->context;
    OozeStatus result = ooze_springs_allocate_sorted(step, error);
    if (result) {
        return result;
    }
    const SpringsView before = view_of(step);
    float4 *predicted = before.shift; /* set after the sort */
    for_each(
        gpu, before.n, OOZE_BODY(uint32_t i) {
            predicted[i] = wrap_point(before.periodic, before.x0[i] + before.k.dt * before.u[i]);
        });
    result = ranks_sort_points(engine, c, predicted, before.n, error);
    if (result) {
        return result;
    }
    step->order = engine->grid.order;
    const SpringsView s = view_of(step);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) {
            const uint32_t i = s.order[k];
            s.p[k] = s.x[k] = predicted[i];
            s.material[k] = s.store_material[i];
            s.id[k] = s.store_id[i];
            s.key[k] = s.store_key[i];
            s.prescribed[k] = s.store_prescribed && s.store_prescribed[i];
            s.old_row[k] = s.row[i];
        });
    clear(gpu, s.shift, s.n * sizeof *s.shift);
    data_of(step)->row_before = s.old_row;
    if (gpu->share) {
        return springs_divide(step, error);
    }
    data_of(step)->rows_before = data_of(step)->rows[0].n;
    return OOZE_OK;
}

static OozeStatus find_neighbours(OozeSpringsStep *step, OozeError *error)
{
    Engine *engine = engine_of(step->machine);
    const OozeStepContext *c = step->machine->context;
    const uint32_t n = (uint32_t)step->machine->n;
    OozeStatus result = lists_build(gpu_of(step->machine), &engine->near, &engine->grid,
                                    {step->p, n, step->p, c->support, true}, error);
    if (!result) {
        springs_schedule(step, step->p, step->key, &data_of(step)->schedule);
    }
    return result;
}

static const OozeSpringsStages stages = {
    load,
    springs_apply_viscosity,
    springs_follow,
    sort,
    find_neighbours,
    springs_update,
    springs_clear,
    springs_number_rows,
    springs_pull,
    springs_pull_long,
    springs_relax,
    springs_find_near,
    springs_collide_near,
    springs_solve_bodies,
    springs_collide_particles,
    springs_sum_lost,
    springs_change_velocities,
    springs_leave,
};

/* ---- the method ---- */

static bool supports(const OozeStepContext *context, char *why, size_t size)
{
    const bool sequential = context->params[OOZE_SPRINGS_ORDER] == OOZE_SPRINGS_SEQUENTIAL;
    if (sequential) {
        snprintf(why, size, "'order: sequential' of method 'springs' runs on the processor alone");
    }
    return !sequential;
}

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
        rank_order_free(&data->order);
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
    if (const RankShare *share = engine->gpu.share) {
        result = result ? result
                        : ooze_spring_table_keep_part(&data->host, share->ranks->rank,
                                                      share->ranks->count, error);
    }
    if (!result) {
        rows_upload(&engine->gpu, &data->rows[0], &data->host.rows[0]);
        gpu_wait(&engine->gpu); /* the host may change its rows after this */
        result = status(&engine->gpu, engine->store.n, error);
    }
    return result;
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    static_cast<SpringsData *>(data)->number = nullptr;
    return ooze_springs_step(&machine, &stages, static_cast<OozeSpringsMemory *>(data), error);
}

static bool supports_ranks(const OozeStepContext *context, char *why, size_t size)
{
    if (context->dynamic) {
        snprintf(why, size, "dynamic solids of method 'springs' move on one GPU or on processors");
    }
    return !context->dynamic;
}

const DeviceMethod springs_method = {
    "springs", supports, create, destroy, step, save, restore, supports_ranks, springs_reach,
};

} // namespace ooze
