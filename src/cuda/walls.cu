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
    ooze_free(walls->solids);
    ooze_free(walls->local_boxes);
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

/* Of the solid's samples, in its frame; low > high: it has none. */
static PointBox *local_boxes(const OozeBoundary *boundary, int count)
{
    PointBox *box = static_cast<PointBox *>(ooze_alloc_zero((size_t)count + 1, sizeof *box));
    for (int k = 0; k < count && box; k++) {
        box[k] = box_of_none();
    }
    for (uint64_t i = 0; i < boundary->count && box; i++) {
        const OozeFloat4 at = boundary->local[i];
        box[boundary->local_solid[i]] += box_of_point(at.x, at.y, at.z);
    }
    return box;
}

static OozeStatus make_solids(Walls *walls, const OozeBoundary *boundary, OozeError *error)
{
    int count = 0;
    for (uint64_t i = 0; i < boundary->count; i++) {
        count = boundary->local_solid[i] >= count ? boundary->local_solid[i] + 1 : count;
    }
    size_t size = sizeof *walls->solids;
    ooze_free(walls->solids);
    ooze_free(walls->local_boxes);
    walls->solid_count = 0;
    walls->solids = static_cast<WallSolid *>(ooze_alloc_zero(2 * (size_t)count + 1, size));
    walls->local_boxes = local_boxes(boundary, count);
    if (!walls->solids || !walls->local_boxes) {
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
    walls->moving = false;
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

/* Adds the corners of a box in the frame of a solid. False: some are not finite. */
static bool add_corners(const OozePose *pose, const PointBox &local, PointBox *box)
{
    bool finite = true;
    for (int corner = 0; corner < 8 && local.low[0] <= local.high[0]; corner++) {
        const OozeVec3 at = vec3((double)(corner & 1 ? local.high : local.low)[0],
                                 (double)(corner & 2 ? local.high : local.low)[1],
                                 (double)(corner & 4 ? local.high : local.low)[2]);
        const OozeVec3 x = ooze_pose_to_world(pose, at);
        finite = finite && isfinite(x.x) && isfinite(x.y) && isfinite(x.z);
        *box += box_of_point((float)x.x, (float)x.y, (float)x.z);
    }
    return finite;
}

/* A box around the samples at their poses. It need not be the smallest, since cells have their
   numbers from a fixed origin: the host does not wait for the positions. False: some are not
   finite. */
static bool find_box_of_samples(const Walls *walls, PointBox *box)
{
    bool finite = true;
    *box = box_of_none();
    for (int k = 0; k < walls->solid_count; k++) {
        finite = finite && add_corners(&walls->solids[k].pose, walls->local_boxes[k], box);
    }
    for (int k = 0; k < 3; k++) { /* positions are rounded, and wrapped into a periodic box */
        const float rounding = 0x1p-20f * fmaxf(fabsf(box->low[k]), fabsf(box->high[k]));
        const bool wraps = walls->periodic.length[k] != 0.0f;
        box->low[k] = wraps ? walls->periodic.min[k] : box->low[k] - rounding;
        box->high[k] = wraps ? walls->periodic.min[k] : box->high[k] + rounding;
    }
    return finite;
}

/* The order of the samples at the positions `placed`, which it finds. */
static OozeStatus sort(Gpu *gpu, Walls *walls, float4 *placed, OozeError *error)
{
    const OozePeriodic periodic = walls->periodic;
    const float4 *local = static_cast<float4 *>(walls->local_buffer.memory);
    const uint16_t *made_solid = static_cast<uint16_t *>(walls->made_solid_buffer.memory);
    const WallSolid *solids = static_cast<WallSolid *>(walls->pose_buffer.memory);
    for_each(
        gpu, walls->count, OOZE_BODY(uint32_t i) {
            placed[i] = f32x4(
                ooze_sample_position(&solids[made_solid[i]].pose, plain(local[i]), &periodic));
        });
    PointBox box;
    walls->grid.known_box = find_box_of_samples(walls, &box) ? &box : nullptr;
    return grid_sort(gpu, &walls->grid, placed, walls->count, walls->support, &periodic, error);
}

/* What depends on the poses of the solids, in the order of the samples. `placed`: new positions;
   NULL: they stay. */
static void follow(Gpu *gpu, const Walls *walls, const float4 *placed)
{
    const uint32_t *order = walls->grid.order;
    const float4 *local = static_cast<float4 *>(walls->local_buffer.memory);
    const uint16_t *made_solid = static_cast<uint16_t *>(walls->made_solid_buffer.memory);
    const WallSolid *solids = static_cast<WallSolid *>(walls->pose_buffer.memory);
    const float4 *local_normal = static_cast<float4 *>(walls->local_normal_buffer.memory);
    float4 *position = static_cast<float4 *>(walls->position_buffer.memory);
    float4 *velocity = static_cast<float4 *>(walls->velocity_buffer.memory);
    float4 *normal = static_cast<float4 *>(walls->normal_buffer.memory);
    uint16_t *solid = static_cast<uint16_t *>(walls->solid_buffer.memory);
    uint8_t *no_slip = static_cast<uint8_t *>(walls->no_slip_buffer.memory);
    float *volume = static_cast<float *>(walls->volume_buffer.memory);
    const uint32_t last = (uint32_t)walls->count;
    for_each(
        gpu, walls->count + 1, OOZE_BODY(uint32_t k) {
            if (k == last) {
                position[k] = make_float4(FAR, FAR, FAR, 0.0f);
                velocity[k] = normal[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                volume[k] = 0.0f;
                solid[k] = 0;
                no_slip[k] = 0;
                return;
            }
            const uint32_t made = order[k];
            const WallSolid *of = &solids[made_solid[made]];
            position[k] = placed ? placed[made] : position[k];
            velocity[k] = f32x4(ooze_sample_velocity(&of->pose, plain(local[made])));
            normal[k] = f32x4(ooze_sample_normal(&of->pose, plain(local_normal[made])));
            solid[k] = made_solid[made];
            no_slip[k] = (uint8_t)of->no_slip;
        });
}

/* Sums over the cells, since lists would be used once. */
template <bool SPARSE, bool WRAPS> static void measure_in(Gpu *gpu, const Walls *walls)
{
    const float4 *x = walls->view.position;
    const Cells cells = walls->grid.cells;
    const float reach = reach_square(cells, walls->support, walls->grid.cell);
    const OozePeriodic box = walls->periodic;
    const float h = (float)walls->support, peak = ooze_cubic_value(0.0f, h);
    float *volume = static_cast<float *>(walls->volume_buffer.memory);
    for_each(
        gpu, walls->count, OOZE_BODY(uint32_t i) {
            const OozeFloat4 here = plain(x[i]);
            int64_t sum = 0;
            each_run<SPARSE, WRAPS>(cells, x[i], reach, [&](uint2 run) {
                for (uint32_t j = run.x; j < run.y; j++) {
                    sum += ooze_sample_fixed_weight(here, plain(x[j]), &box, h, peak);
                }
            });
            volume[i] = ooze_sample_volume(sum, peak);
        });
}

static void measure(Gpu *gpu, const Walls *walls)
{
    const Cells &cells = walls->grid.cells;
    if (cells.sparse) {
        cells.wraps ? measure_in<true, true>(gpu, walls) : measure_in<true, false>(gpu, walls);
    } else {
        cells.wraps ? measure_in<false, true>(gpu, walls) : measure_in<false, false>(gpu, walls);
    }
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

static OozeStatus refresh(Gpu *gpu, Walls *walls, WallChange change, OozeError *error)
{
    size_t size = (size_t)walls->solid_count * sizeof *walls->solids;
    WallSolid *sent = buffer<WallSolid>(gpu, &walls->pose_buffer, (uint64_t)walls->solid_count);
    memcpy(walls->solids, walls->solids + walls->solid_count, size);
    copy_in(gpu, sent, walls->solids, size);
    const bool sorts = change.place && walls->count > 0;
    const Mark mark = scratch_mark(gpu);
    float4 *placed = sorts ? scratch<float4>(gpu, walls->count) : nullptr;
    const OozeStatus result = sorts ? sort(gpu, walls, placed, error) : OOZE_OK;
    if (!result) {
        follow(gpu, walls, placed);
    }
    if (!result && sorts) {
        measure(gpu, walls);
    }
    scratch_rewind(gpu, mark);
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
        result = change.motion ? refresh(gpu, walls, change, error) : OOZE_OK;
    }
    OozeStatus failed = status(gpu, particles_of(context), error);
    walls->valid = !result && !failed;
    return result ? result : failed;
}

} // namespace ooze
