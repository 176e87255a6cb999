#include "solids/broad_phase.h"

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/swept_bounds.h"

static OozeBroadPhaseSolid describe(const OozeSolid *solid, double spacing, double dt)
{
    OozeSweptBounds swept = ooze_solid_swept_bounds(solid, spacing, dt);
    return (OozeBroadPhaseSolid){.collides = solid->params[OOZE_SOLID_COLLIDES] != 0.0,
                                 .travel = swept.travel,
                                 .margin = swept.margin,
                                 .low = ooze_f32x4(swept.low[0], swept.low[1], swept.low[2], 0),
                                 .high =
                                     ooze_f32x4(swept.high[0], swept.high[1], swept.high[2], 0)};
}

OozeStatus ooze_broad_phase_begin(OozeBroadPhase *broad, const OozeSolid *solids, int count,
                                  double spacing, double dt, OozeArena *arena, OozeError *error)
{
    size_t size = sizeof *broad->items;
    broad->solids = solids;
    broad->count = count;
    broad->items = ooze_arena_alloc(arena, (size_t)count, size);
    if (!broad->items) {
        return ooze_fail_memory(error, "contacts", (size_t)count * size);
    }
    for (int k = 0; k < count; k++) {
        broad->items[k] = describe(&solids[k], spacing, dt);
    }
    return OOZE_OK;
}

/* Whether two boxes are farther apart than `range`. */
static bool boxes_apart(OozeF32x4 low, OozeF32x4 high, const OozeBroadPhaseSolid *item, float range)
{
    OozeF32x4 none = {0};
    OozeF32x4 gap = ooze_f32x4_max(ooze_f32x4_max(low - item->high, item->low - high), none);
    return ooze_f32x4_dot3(gap, gap) > range * range;
}

static bool is_apart(const OozeSolid *solid, OozeVec3 middle, double range)
{
    OozeVec3 local = ooze_pose_to_local(&solid->pose, middle);
    return ooze_shape_distance(solid->shape, local, NULL) > range;
}

uint64_t ooze_broad_phase_find(const OozeBroadPhase *broad, const OozeF32x4 *x, uint64_t begin,
                               uint64_t end, float range, bool moving, uint64_t among)
{
    if (broad->count == 0 || among == 0) {
        return 0;
    }
    OozeF32x4 low = x[begin], high = x[begin];
    for (uint64_t i = begin + 1; i < end; i++) {
        low = ooze_f32x4_min(x[i], low);
        high = ooze_f32x4_max(x[i], high);
    }
    /* a distance is computed only where it can exclude the whole group */
    bool small = end - begin <= OOZE_BROAD_PHASE_GROUP;
    OozeF32x4 middle = 0.5f * (low + high), half = high - middle;
    float radius = sqrtf(ooze_f32x4_dot3(half, half));
    OozeVec3 centre = vec3((double)middle[0], (double)middle[1], (double)middle[2]);
    uint64_t set = 0;
    for (int k = 0; k < broad->count; k++) {
        const OozeBroadPhaseSolid *item = &broad->items[k];
        float near = range + item->margin + (moving ? item->travel : 0.0f);
        if (item->collides && ooze_broad_phase_has(among, k) &&
            !boxes_apart(low, high, item, near) &&
            !(small && is_apart(&broad->solids[k], centre, (double)(near + radius)))) {
            set |= UINT64_C(1) << (k % 64);
        }
    }
    return set;
}
