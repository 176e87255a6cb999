#include "solids/nearby.h"

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/reach.h"

static OozeNearbySolid describe(const OozeSolid *solid, double spacing, double dt)
{
    OozeReach reach = ooze_solid_reach(solid, spacing, dt);
    return (OozeNearbySolid){.collides = solid->params[OOZE_SOLID_COLLIDES] != 0.0,
                             .extra = reach.extra,
                             .spare = reach.spare,
                             .low = ooze_four(reach.low[0], reach.low[1], reach.low[2], 0),
                             .high = ooze_four(reach.high[0], reach.high[1], reach.high[2], 0)};
}

OozeStatus ooze_nearby_begin(OozeNearby *nearby, const OozeSolid *solids, int count, double spacing,
                             double dt, OozeArena *arena, OozeError *error)
{
    size_t size = sizeof *nearby->items;
    nearby->solids = solids;
    nearby->count = count;
    nearby->items = ooze_arena_alloc(arena, (size_t)count, size);
    if (!nearby->items) {
        return ooze_fail_memory(error, "contacts", (size_t)count * size);
    }
    for (int k = 0; k < count; k++) {
        nearby->items[k] = describe(&solids[k], spacing, dt);
    }
    return OOZE_OK;
}

/* Whether two boxes are farther apart than `reach`. */
static bool boxes_apart(OozeFour low, OozeFour high, const OozeNearbySolid *item, float reach)
{
    OozeFour none = {0};
    OozeFour gap = ooze_four_max(ooze_four_max(low - item->high, item->low - high), none);
    return ooze_four_dot3(gap, gap) > reach * reach;
}

static bool is_apart(const OozeSolid *solid, OozeVec3 middle, double reach)
{
    OozeVec3 local = ooze_pose_to_local(&solid->pose, middle);
    return ooze_shape_distance(solid->shape, local, NULL) > reach;
}

uint64_t ooze_nearby_find(const OozeNearby *nearby, const OozeFour *x, uint64_t begin, uint64_t end,
                          float reach, bool moving, uint64_t among)
{
    if (nearby->count == 0 || among == 0) {
        return 0;
    }
    OozeFour low = x[begin], high = x[begin];
    for (uint64_t i = begin + 1; i < end; i++) {
        low = ooze_four_min(x[i], low);
        high = ooze_four_max(x[i], high);
    }
    /* a distance is worth asking for where it can rule out the whole group */
    bool ask = end - begin <= OOZE_NEARBY_GROUP;
    OozeFour middle = 0.5f * (low + high), half = high - middle;
    float radius = sqrtf(ooze_four_dot3(half, half));
    OozeVec3 centre = vec3((double)middle[0], (double)middle[1], (double)middle[2]);
    uint64_t set = 0;
    for (int k = 0; k < nearby->count; k++) {
        const OozeNearbySolid *item = &nearby->items[k];
        float near = reach + item->spare + (moving ? item->extra : 0.0f);
        if (item->collides && ooze_nearby_has(among, k) && !boxes_apart(low, high, item, near) &&
            !(ask && is_apart(&nearby->solids[k], centre, (double)(near + radius)))) {
            set |= UINT64_C(1) << (k % 64);
        }
    }
    return set;
}
