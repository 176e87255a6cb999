/* Boundary particles on the device. */
#include "cuda/solids.cuh"

namespace ooze
{

/* Data of a solid that its samples depend on. */
struct WallSolid {
    OozePose pose;
    uint64_t no_slip; /* 0 for dynamic solids, which methods treat in their own ways */
};

/* Coordinates of the padding sample: its square is finite. */
static const float FAR = 1e18f;

void walls_free(Gpu *gpu, Walls *walls)
{
    DeviceBuffer *buffers[] = {&walls->local_buffer,    &walls->made_solid_buffer,
                               &walls->pose_buffer,     &walls->position_buffer,
                               &walls->velocity_buffer, &walls->volume_buffer,
                               &walls->solid_buffer,    &walls->no_slip_buffer,
                               &walls->normal_buffer,   &walls->local_normal_buffer};
    for (DeviceBuffer *one : buffers) {
        buffer_free(gpu, one);
    }
    grid_free(gpu, &walls->grid);
    lists_free(gpu, &walls->lists);
    ooze_free(walls->solids);
    *walls = {};
}

OOZE_DEVICE OozeFloat4 plain(float4 a)
{
    return {a.x, a.y, a.z, a.w};
}

OOZE_DEVICE float4 f32x4(OozeFloat4 a)
{
    return make_float4(a.x, a.y, a.z, a.w);
}

/* ---- changes ------------------------------------------------------------------- */

static OozeStatus make_solids(Walls *walls, const OozeBoundary *boundary, OozeError *error)
{
    int count = 0;
    for (uint64_t i = 0; i < boundary->count; i++) {
        count = boundary->local_solid[i] >= count ? boundary->local_solid[i] + 1 : count;
    }
    size_t size = sizeof *walls->solids;
    ooze_free(walls->solids);
    walls->solid_count = 0;
    walls->solids = static_cast<WallSolid *>(ooze_alloc_zero(2 * (size_t)count + 1, size));
    if (!walls->solids) {
        return ooze_fail_memory(error, "boundary particles", (2 * (size_t)count + 1) * size);
    }
    walls->solid_count = count;
    return OOZE_OK;
}

struct WallChange {
    bool place, motion;
};

static bool moves(const OozePose *pose)
{
    return vec3_dot(pose->velocity, pose->velocity) > 0.0 || vec3_dot(pose->spin, pose->spin) > 0.0;
}

/* Solids without samples stay zero. */
static WallChange compare(Walls *walls, const OozeStepContext *context)
{
    WallChange change = {!walls->valid, !walls->valid};
    walls->moving = walls->may_move = false;
    for (int k = 0; k < walls->solid_count; k++) {
        const OozeSolid *solid = &context->solids[k];
        WallSolid *before = &walls->solids[k], *now = before + walls->solid_count;
        if (!solid->sampled) {
            continue;
        }
        now->pose = solid->pose;
        bool holds = isinf(ooze_solid_fluid_friction(solid)) && !ooze_solid_is_dynamic(solid);
        now->no_slip = holds ? 1 : 0;
        const OozePose *a = &before->pose, *b = &now->pose;
        change.place = change.place || memcmp(&a->position, &b->position, sizeof a->position) ||
                       memcmp(&a->rotation, &b->rotation, sizeof a->rotation);
        change.motion = change.motion || memcmp(before, now, sizeof *before) != 0;
        walls->moving = walls->moving || moves(b);
        walls->may_move = walls->may_move || solid->driven || ooze_solid_is_dynamic(solid) ||
                          !ooze_motion_is_still(&solid->motion);
    }
    return change;
}

/* ---- samples ---------------------------------------------------------------------------- */

static void send_samples(Gpu *gpu, Walls *walls, const OozeBoundary *boundary)
{
    uint64_t n = walls->count;
    float4 *local = buffer<float4>(gpu, &walls->local_buffer, n);
    float4 *local_normal = buffer<float4>(gpu, &walls->local_normal_buffer, n);
    uint16_t *made_solid = buffer<uint16_t>(gpu, &walls->made_solid_buffer, n);
    walls->view.position = buffer<float4>(gpu, &walls->position_buffer, n);
    walls->view.velocity = buffer<float4>(gpu, &walls->velocity_buffer, n);
    walls->view.normal = buffer<float4>(gpu, &walls->normal_buffer, n);
    walls->view.volume = buffer<float>(gpu, &walls->volume_buffer, n);
    walls->view.solid = buffer<uint16_t>(gpu, &walls->solid_buffer, n);
    walls->view.no_slip = buffer<uint8_t>(gpu, &walls->no_slip_buffer, n);
    walls->view.count = (uint32_t)n;
    copy_in(gpu, local, boundary->local, n * sizeof *local);
    copy_in(gpu, local_normal, boundary->local_normal, n * sizeof *local_normal);
    copy_in(gpu, made_solid, boundary->local_solid, n * sizeof *made_solid);
}

static OozeStatus place(Gpu *gpu, Walls *walls, const OozePeriodic *periodic, OozeError *error)
{
    uint64_t n = walls->count;
    OozePeriodic box = *periodic;
    Mark mark = scratch_mark(gpu);
    float4 *placed = scratch<float4>(gpu, n);
    const float4 *local = static_cast<float4 *>(walls->local_buffer.memory);
    const uint16_t *made_solid = static_cast<uint16_t *>(walls->made_solid_buffer.memory);
    const WallSolid *solids = static_cast<WallSolid *>(walls->pose_buffer.memory);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            placed[i] =
                f32x4(ooze_sample_position(&solids[made_solid[i]].pose, plain(local[i]), &box));
        });
    OozeStatus result =
        n > 0 ? grid_sort(gpu, &walls->grid, placed, n, walls->support, periodic, error) : OOZE_OK;
    if (!result) {
        const uint32_t *order = walls->grid.order;
        float4 *position = static_cast<float4 *>(walls->position_buffer.memory);
        float *volume = static_cast<float *>(walls->volume_buffer.memory);
        uint16_t *solid = static_cast<uint16_t *>(walls->solid_buffer.memory);
        uint32_t last = (uint32_t)n;
        for_each(
            gpu, n + 1, OOZE_BODY(uint32_t k) {
                position[k] = k < last ? placed[order[k]] : make_float4(FAR, FAR, FAR, 0.0f);
                solid[k] = k < last ? made_solid[order[k]] : (uint16_t)0;
                volume[k] = 0.0f;
            });
    }
    scratch_rewind(gpu, mark);
    return result;
}

static void move(Gpu *gpu, const Walls *walls)
{
    const uint32_t *order = walls->grid.order;
    const float4 *local = static_cast<float4 *>(walls->local_buffer.memory);
    const WallSolid *solids = static_cast<WallSolid *>(walls->pose_buffer.memory);
    const uint16_t *solid = walls->view.solid;
    const float4 *local_normal = static_cast<float4 *>(walls->local_normal_buffer.memory);
    float4 *velocity = static_cast<float4 *>(walls->velocity_buffer.memory);
    float4 *normal = static_cast<float4 *>(walls->normal_buffer.memory);
    uint8_t *no_slip = static_cast<uint8_t *>(walls->no_slip_buffer.memory);
    uint32_t last = (uint32_t)walls->count;
    for_each(
        gpu, walls->count + 1, OOZE_BODY(uint32_t k) {
            const WallSolid *of = &solids[solid[k]];
            const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            velocity[k] =
                k < last ? f32x4(ooze_sample_velocity(&of->pose, plain(local[order[k]]))) : none;
            normal[k] = k < last
                            ? f32x4(ooze_sample_normal(&of->pose, plain(local_normal[order[k]])))
                            : none;
            no_slip[k] = k < last ? (uint8_t)of->no_slip : (uint8_t)0;
        });
}

static OozeStatus measure(Gpu *gpu, Walls *walls, OozeError *error)
{
    const float4 *x = walls->view.position;
    uint64_t n = walls->count;
    OozeStatus result = n > 0 ? lists_build(gpu, &walls->lists, &walls->grid,
                                            {x, n, x, walls->support, false}, error)
                              : OOZE_OK;
    if (result || n == 0) {
        return result;
    }
    ListView near = view(&walls->lists);
    OozePeriodic box = walls->periodic;
    float h = (float)walls->support, peak = ooze_cubic_value(0.0f, h);
    float *volume = static_cast<float *>(walls->volume_buffer.memory);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            OozeFloat4 here = plain(x[i]);
            int64_t sum = 0;
            each_true_neighbour(near, i, [&](uint32_t j) {
                sum += ooze_sample_fixed_weight(here, plain(x[j]), &box, h, peak);
            });
            volume[i] = ooze_sample_volume(sum, peak);
        });
    if (!walls->may_move) { /* volumes do not change */
        lists_free(gpu, &walls->lists);
    }
    return OOZE_OK;
}

void walls_move_dynamic(Gpu *gpu, Walls *walls, const SolidsView &solids, const int32_t *index_of)
{
    const SolidView *views = solids.items;
    const uint32_t *order = walls->grid.order;
    const float4 *local = static_cast<float4 *>(walls->local_buffer.memory);
    const uint16_t *solid = walls->view.solid;
    float4 *position = static_cast<float4 *>(walls->position_buffer.memory);
    const OozePeriodic box = walls->periodic;
    for_each(
        gpu, walls->count, OOZE_BODY(uint32_t k) {
            if (index_of[solid[k]] >= 0) {
                position[k] = f32x4(
                    ooze_sample_position(&views[solid[k]].pose, plain(local[order[k]]), &box));
            }
        });
    for (int k = 0; k < walls->solid_count; k++) {
        walls->solids[k].pose.velocity = vec3(NAN, NAN, NAN); /* out of date */
        walls->solids[k].pose.position = walls->solids[k].pose.velocity;
    }
}

/* ---- the update ------------------------------------------------------------------------- */

static OozeStatus refresh(Gpu *gpu, Walls *walls, WallChange change, const OozeStepContext *context,
                          OozeError *error)
{
    size_t size = (size_t)walls->solid_count * sizeof *walls->solids;
    WallSolid *sent = buffer<WallSolid>(gpu, &walls->pose_buffer, (uint64_t)walls->solid_count);
    memcpy(walls->solids, walls->solids + walls->solid_count, size);
    copy_in(gpu, sent, walls->solids, size);
    OozeStatus result = change.place ? place(gpu, walls, &context->periodic, error) : OOZE_OK;
    if (!result) {
        move(gpu, walls);
        result = change.place ? measure(gpu, walls, error) : OOZE_OK;
    }
    return result;
}

OozeStatus walls_update(Gpu *gpu, Walls *walls, const OozeStepContext *context, bool resampled,
                        OozeError *error)
{
    const OozeBoundary *boundary = context->boundary;
    bool other_box = context->support != walls->support ||
                     memcmp(&context->periodic, &walls->periodic, sizeof walls->periodic) != 0;
    OozeStatus result = OOZE_OK;
    if (resampled || other_box || !walls->valid || boundary->count != walls->count) {
        walls->valid = false;
        walls->count = boundary->count;
        walls->support = context->support;
        walls->periodic = context->periodic;
        result = make_solids(walls, boundary, error);
        send_samples(gpu, walls, boundary);
    }
    if (!result) {
        WallChange change = compare(walls, context);
        result = change.motion ? refresh(gpu, walls, change, context, error) : OOZE_OK;
    }
    OozeStatus failed = status(gpu, particles_of(context), error);
    walls->valid = !result && !failed;
    return result ? result : failed;
}

} // namespace ooze
