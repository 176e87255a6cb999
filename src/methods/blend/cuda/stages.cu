/* Stages of the blend method on the GPU, and its entry in the list of methods. */
#include "methods/blend/cuda/stages.cuh"

#include "cuda/contact_loads.cuh"
#include "cuda/heat.cuh"
#include "cuda/method.cuh"

namespace ooze
{

static OozeStatus load(OozeBlendStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    const OozeMachineMotion now = ooze_machine_load(machine);
    step->x = static_cast<float4 *>(now.x);
    step->u = static_cast<float4 *>(now.u);
    const MaterialTable *tables = nullptr; /* NULL: no material has one */
    OozeStatus result = tables_send(gpu_of(machine), machine->context, &tables, error);
    if (result) {
        return result;
    }
    const BlendView s = view_of(step);
    for_each(
        gpu_of(machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            const OozeBlendMaterial &own = s.materials[s.material[i]];
            const MaterialTable table = tables ? tables[s.material[i]] : MaterialTable{};
            const float share =
                ooze_blend_share(&own, table.rows, table.count, s.phase ? s.phase[i] : 0,
                                 s.temperature ? s.temperature[i] : 0.0);
            s.state[i] = {0, 0, own.viscosity, share};
        });
    return OOZE_OK;
}

static void set_shapes(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            const OozeFloat4 q = s.reference[i];
            s.elastic[i] = ooze_blend_is_elastic(s.reference_step[i], s.state[i].fluid_share);
            s.shape[i] = f32x4(q.x, q.y, q.z, ooze_blend_shape_tag(s.reference_step[i]));
        });
}

static OozeStatus load_solids(OozeBlendStep *step, OozeError *error)
{
    return impulses_share(engine_of(step->machine), step->machine->context, step->impulses,
                          step->next_u, error);
}

/* Every particle of a cell holds the rotation of its region, so that it survives the removal of
   others. */
static void store(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 external = s.next_external[i];
            s.x[i] = s.next_x[i];
            s.u[i] = s.next_u[i];
            s.external[i] = {external.x, external.y, external.z, 0};
            if (s.slot[i] != OOZE_BLEND_SLOT_NONE) {
                s.rotation[i] =
                    ooze_match_write_rotation(s.matching.rotation[s.r.region_of[s.slot[i]]]);
            }
        });
}

static const OozeBlendStages stages = {
    load,
    blend_measure_gate,
    blend_take_positions,
    blend_regions_fit,
    blend_build_regions,
    set_shapes,
    blend_find_walls,
    blend_sum_densities,
    blend_sum_forces,
    blend_place_points,
    &blend_sharing_stages,
    blend_fit_cells,
    blend_fit_cell_velocities,
    blend_pull_cells,
    blend_fit_particles,
    blend_pull_particles,
    blend_move,
    load_solids,
    store,
    1,
};

/* ---- the method ------------------------------------------------------------------------- */

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
    DeviceBuffer *const buffers[] = {
        &data->reference_buffer, &data->region_of_buffer,  &data->share_buffer, &data->cell_buffer,
        &data->near_buffer,      &data->list_first_buffer, &data->list_buffer};
    for (DeviceBuffer *buffer : buffers) {
        buffer_free(&engine->gpu, buffer);
    }
    ooze_free(data);
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    return ooze_blend_step(&machine, &stages, static_cast<BlendData *>(data), error);
}

const DeviceMethod blend_method = {
    "blend", nullptr, create, destroy, step,
};

} // namespace ooze
