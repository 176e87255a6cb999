/* One substep of the blend method on the device, in the order of methods/blend/method.c. */
#include "cuda/blend/step.cuh"

extern "C" {
#include "methods/blend/method.h"
}

namespace ooze
{

/* ---- memory ----------------------------------------------------------------------------- */

static OozeStatus create(Engine *, void **out, OozeError *error)
{
    *out = ooze_alloc_zero(1, sizeof(BlendData));
    return *out ? OOZE_OK : ooze_fail_memory(error, "the blend method", sizeof(BlendData));
}

static void destroy(Engine *engine, void *pointer)
{
    BlendData *data = static_cast<BlendData *>(pointer);
    if (!data) {
        return;
    }
    DeviceBuffer *const buffers[] = {&data->reference, &data->region_of,  &data->share, &data->cell,
                                     &data->near,      &data->list_first, &data->list};
    for (DeviceBuffer *buffer : buffers) {
        buffer_free(&engine->gpu, buffer);
    }
    ooze_free(data);
}

/* ---- the step --------------------------------------------------------------------------- */

static OozeStatus send_materials(BlendStep *step, OozeError *error)
{
    const OozeStepContext *c = step->context;
    uint64_t count = (uint64_t)c->material_count;
    OozeBlendMaterial *rows =
        static_cast<OozeBlendMaterial *>(ooze_arena_alloc(c->arena, count, sizeof *rows));
    OozeBlendMaterial *sent = scratch<OozeBlendMaterial>(step->gpu, count);
    if (!rows) {
        return ooze_fail_memory(error, "materials", count * sizeof *rows);
    }
    bool elastic = false, blended = step->view.pairs.kernel.blended_pressure;
    for (uint64_t k = 0; k < count; k++) {
        rows[k] = ooze_blend_material(c, (int)k);
        elastic = elastic || rows[k].melts || rows[k].has_table || rows[k].fluid_share < 1.0f;
        blended = blended || rows[k].viscosity > 0.0f;
        step->damped = step->damped || rows[k].damping > 0.0;
    }
    step->view.compares_shapes = elastic && blended;
    copy_in(step->gpu, sent, rows, count * sizeof *rows);
    step->materials = rows;
    step->view.materials = sent;
    return tables_send(step->gpu, c, &step->view.tables, error);
}

template <class T> static T *field(const Store *store, const char *name)
{
    return static_cast<T *>(store_data(store, name));
}

static void describe(BlendStep *step)
{
    const OozeStepContext *c = step->context;
    const Engine *engine = step->engine;
    const Store *store = &engine->store;
    Gpu *gpu = step->gpu;
    BlendView *s = &step->view;
    uint64_t n = store->n;
    s->pairs.n = (uint32_t)n;
    s->pairs.x = store_positions(store);
    s->pairs.fluid = view(&engine->fluid);
    s->pairs.periodic = c->periodic;
    s->pairs.kernel = ooze_blend_constants(c);
    s->solids = engine->solids.view;
    s->gravity = c->gravity;
    s->dt = c->dt;
    s->smoothing = ooze_blend_smoothing(c);
    s->material = field<const uint16_t>(store, "material");
    s->prescribed = field<const uint16_t>(store, "nozzle");
    s->body = field<const uint16_t>(store, "body");
    s->pin = field<const uint16_t>(store, "pin");
    s->temperature = field<const double>(store, "temperature");
    s->phase = field<const uint8_t>(store, "phase");
    s->u = store_velocities(store);
    s->reference = field<OozeFloat4>(store, "reference");
    s->reference_step = field<uint32_t>(store, "reference_step");
    s->rotation = field<OozeFloat4>(store, "rotation");
    s->external = field<OozeFloat4>(store, "contact_acceleration");
    s->density = field<float>(store, "density");
    s->elastic = field<uint8_t>(store, "elastic");
    s->slot = field<uint32_t>(store, "region_slot");
    s->shape = scratch<float4>(gpu, n);
    s->state = scratch<float4>(gpu, n);
    s->acceleration = scratch<float4>(gpu, n);
    s->wall = scratch<float4>(gpu, n);
    s->next_x = scratch<float4>(gpu, n);
    s->next_u = scratch<float4>(gpu, n);
    s->next_external = scratch<float4>(gpu, n);
    s->impulses = c->dynamic ? scratch<OozeSolidImpulses>(gpu, n) : nullptr;
}

static void load(BlendStep *step)
{
    const BlendView s = step->view;
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            const OozeBlendMaterial &own = s.materials[s.material[i]];
            const MaterialTable table = s.tables ? s.tables[s.material[i]] : MaterialTable{};
            const float share =
                ooze_blend_share(&own, table.rows, table.count, s.phase ? s.phase[i] : 0,
                                 s.temperature ? s.temperature[i] : 0.0);
            s.state[i] = pack_state({0, 0, own.viscosity, share});
        });
}

static void load_shape(BlendStep *step)
{
    const BlendView s = step->view;
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            const OozeFloat4 q = s.reference[i];
            s.elastic[i] =
                ooze_blend_is_elastic(s.reference_step[i], unpack_state(s.state[i]).fluid_share);
            s.shape[i] = f32x4(q.x, q.y, q.z, ooze_blend_shape_tag(s.reference_step[i]));
        });
}

/* Every particle of a cell holds the rotation of its region, so that it survives the removal of
   others. */
static void store_results(BlendStep *step)
{
    const BlendView s = step->view;
    const MatchView v = step->match;
    float4 *x = store_positions(&step->engine->store), *u = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 external = s.next_external[i];
            x[i] = s.next_x[i];
            u[i] = s.next_u[i];
            s.external[i] = {external.x, external.y, external.z, 0};
            if (s.slot[i] != OOZE_BLEND_SLOT_NONE) {
                s.rotation[i] = ooze_match_write_rotation(v.m.rotation[v.r.region_of[s.slot[i]]]);
            }
        });
}

static OozeStatus start(BlendStep *step, OozeError *error)
{
    OozeStatus result = send_materials(step, error);
    if (!result) {
        load(step);
        result = blend_update(step, error);
    }
    if (!result) {
        load_shape(step);
    }
    ooze_timer_lap(step->context->timer, "reference");
    return result;
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    BlendStep step = {};
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.data = static_cast<BlendData *>(data);
    step.context = context;
    if (engine->store.n == 0) {
        return OOZE_OK;
    }
    describe(&step);
    OozeStatus result = ooze_method_blend.check(context, error);
    result = result ? result : start(&step, error);
    if (result) {
        return result;
    }
    blend_find_walls(&step);
    ooze_timer_lap(context->timer, "walls");
    blend_sum_densities(&step);
    ooze_timer_lap(context->timer, "density");
    blend_sum_forces(&step);
    ooze_timer_lap(context->timer, "forces");
    blend_match_shapes(&step);
    result = blend_move(&step, error);
    ooze_timer_lap(context->timer, "contact");
    if (!result && !context->report->too_far) {
        store_results(&step);
        ooze_timer_lap(context->timer, "store");
    }
    return result ? result : status(step.gpu, engine->store.n, error);
}

const DeviceMethod blend_method = {
    "blend", nullptr, create, destroy, step, nullptr, nullptr,
};

} // namespace ooze
