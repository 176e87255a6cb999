#include "solids/gap.h"

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/dynamic_formula.h"
#include "solids/swept_bounds.h"

/* Large solids may have samples near fluid alone, and which ones is not saved. */
static bool searched(const OozeSolid *solid)
{
    return ooze_solid_is_dynamic(solid) && ooze_solid_collides(solid) &&
           solid->sample_count <= OOZE_CELL_SAMPLES_MIN;
}

/* The samples of dynamic solids, by solid: those of solid k are order[first[k]] to
   order[first[k + 1] - 1]. */
typedef struct Samples {
    uint64_t *first, *order;
} Samples;

static void sort_samples(const OozeGapSearch *search, const Samples *samples)
{
    const OozeBoundary *b = search->boundary;
    uint64_t *first = samples->first, sum = 0;
    for (int k = 0; k <= search->count; k++) {
        first[k] = 0;
    }
    for (uint64_t i = 0; i < b->count; i++) {
        first[b->local_solid[i]] += searched(&search->solids[b->local_solid[i]]);
    }
    for (int k = 0; k <= search->count; k++) { /* ends, which the next loop makes beginnings */
        sum += first[k];
        first[k] = sum;
    }
    for (uint64_t i = b->count; i-- > 0;) {
        if (searched(&search->solids[b->local_solid[i]])) {
            samples->order[--first[b->local_solid[i]]] = i;
        }
    }
}

/* Whether a part of solid k may be within `reach` of the other one: solids like planes have no
   bounds, and distances change by no more than the point moves. */
static bool may_be_near(const OozeGapSearch *search, const OozeSweptBounds *bounds, int k,
                        int other, double reach)
{
    const OozeSweptBounds *b = &bounds[k];
    OozeVec3 low = vec3((double)b->low[0], (double)b->low[1], (double)b->low[2]), normal;
    OozeVec3 high = vec3((double)b->high[0], (double)b->high[1], (double)b->high[2]);
    OozeVec3 half = vec3_scale(vec3_sub(high, low), 0.5);
    double radius = vec3_length(half) + (double)(b->margin + bounds[other].margin);
    return !(ooze_solid_distance(&search->solids[other], vec3_add(low, half), &normal) >
             radius + reach);
}

static bool are_near(const OozeSweptBounds *a, const OozeSweptBounds *b, double reach)
{
    bool near = true;
    float margin = a->margin + b->margin + (float)reach;
    for (int k = 0; k < 3; k++) {
        near = near && a->low[k] < b->high[k] + margin && b->low[k] < a->high[k] + margin;
    }
    return near;
}

static double least_distance(const OozeGapSearch *search, const Samples *samples, int k, int other,
                             double gap)
{
    const OozePose *pose = &search->solids[k].pose;
    for (uint64_t e = samples->first[k]; e < samples->first[k + 1] && gap > search->least; e++) {
        const OozeFloat4 at = search->boundary->local[samples->order[e]];
        OozeVec3 normal, local = vec3((double)at.x, (double)at.y, (double)at.z);
        gap = fmin(gap, ooze_solid_distance(&search->solids[other], ooze_pose_to_world(pose, local),
                                            &normal));
    }
    return gap;
}

OozeStatus ooze_solid_gaps(const OozeGapSearch *search, double *gap, OozeError *error)
{
    size_t count = (size_t)search->count;
    OozeSweptBounds *bounds = ooze_arena_alloc(search->arena, count, sizeof *bounds);
    Samples samples = {ooze_arena_alloc(search->arena, count + 1, sizeof *samples.first),
                       ooze_arena_alloc(search->arena, search->boundary->count, sizeof(uint64_t))};
    if (ooze_arena_failed(search->arena)) {
        return ooze_fail_memory(error, "gaps between solids", search->boundary->count * 8);
    }
    sort_samples(search, &samples);
    for (int k = 0; k < search->count; k++) {
        bounds[k] = ooze_solid_swept_bounds(&search->solids[k], search->spacing, 0.0);
    }
    for (int k = 0; k < search->count; k++) {
        const OozeSolid *solid = &search->solids[k];
        gap[k] = search->most;
        if (!ooze_solid_is_dynamic(solid) || !ooze_solid_collides(solid)) {
            continue;
        }
        if (!searched(solid)) {
            gap[k] = search->least;
        }
        for (int other = 0; other < search->count && gap[k] > search->least; other++) {
            if (other != k && ooze_solid_collides(&search->solids[other]) &&
                are_near(&bounds[k], &bounds[other], gap[k]) &&
                may_be_near(search, bounds, k, other, gap[k])) {
                gap[k] = least_distance(search, &samples, k, other, gap[k]);
            }
        }
        gap[k] = fmax(gap[k], search->least);
    }
    return OOZE_OK;
}
