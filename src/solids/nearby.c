#include "solids/nearby.h"

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/boundary.h"

/* Rounding of boxes and places, in spacings, and of distances that are interpolated: twice the quarter of a
   spacing by which a ridge halfway between two nodes is missed. */
#define SPARE      0.01
#define SPARE_GRID 0.5

static OozeFour narrow(OozeVec3 a)
{
    return ooze_four((float)a.x, (float)a.y, (float)a.z, 0.0f);
}

/* The fastest point of a solid that turns is the farthest from where it turns about. */
static double fastest(const OozeSolid *solid, const OozeBounds *box)
{
    double spin = vec3_length(solid->pose.spin);
    OozeVec3 far = vec3(fmax(-box->min.x, box->max.x), fmax(-box->min.y, box->max.y),
                        fmax(-box->min.z, box->max.z));
    return vec3_length(solid->pose.velocity) + (spin > 0.0 ? spin * vec3_length(far) : 0.0);
}

static OozeNearbySolid describe(const OozeSolid *solid, double spacing, double dt)
{
    OozeBounds box = ooze_shape_bounds(solid->shape);
    bool bounded = vec3_is_finite(box.min) && vec3_is_finite(box.max);
    OozeNearbySolid item = {.collides = solid->params[OOZE_SOLID_COLLIDES] != 0.0,
                            .extra = (float)(dt * fastest(solid, &box)),
                            .low = ooze_four(-INFINITY, -INFINITY, -INFINITY, 0),
                            .high = ooze_four(INFINITY, INFINITY, INFINITY, 0)};
    double wrong = ooze_shape_is_interpolated(solid->shape) ? SPARE_GRID : SPARE;
    item.spare = (float)(wrong * spacing);
    if (bounded && !ooze_shape_inverted(solid->shape)) {
        OozeBounds world = ooze_bounds_turn(&box, &solid->pose, false);
        item.low = narrow(world.min);
        item.high = narrow(world.max);
    }
    return item;
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
