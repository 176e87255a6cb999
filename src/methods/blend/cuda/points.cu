/* Points of shape matching on the GPU: see points.c and cpu/points.c. */
#include "cuda/rank_sums.cuh"
#include "cuda/sort.cuh"
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

OOZE_DEVICE OozeBlendPoint point_of(const BlendView &s, uint32_t i)
{
    const float4 x = s.x[i], u = s.u[i];
    return {s.slot[i],       s.material[i],          {x.x, x.y, x.z},
            {u.x, u.y, u.z}, s.state[i].fluid_share, s.rotation[i]};
}

void blend_place_points(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    const OwnRange own = own_range(gpu_of(step->machine), step->machine->n);
    for_each(
        gpu_of(step->machine), own.count, OOZE_BODY(uint32_t k) {
            const uint32_t i = own.begin + k;
            if (s.slot[i] != OOZE_BLEND_SLOT_NONE) {
                const OozeBlendPoint point = point_of(s, i);
                ooze_match_place(&s.matching, &s.r, s.materials, &point, s.dt);
            }
        });
}

/* ---- other processes -------------------------------------------------------------------- */

static void spread_role(Gpu *gpu, const OozeRegions &regions, uint8_t *role, uint8_t from)
{
    const OozeRegions r = regions;
    for_each(
        gpu, r.cells, OOZE_BODY(uint32_t c) { ooze_match_spread_role(&r, c, from, role); });
}

static void find_roles(OozeBlendStep *step, uint8_t *role)
{
    const BlendView s = view_of(step);
    Gpu *gpu = gpu_of(step->machine);
    const OwnRange own = own_range(gpu, step->machine->n);
    clear(gpu, role, s.r.cells);
    for_each(
        gpu, own.count, OOZE_BODY(uint32_t k) {
            const uint32_t slot = s.slot[own.begin + k];
            if (slot != OOZE_BLEND_SLOT_NONE) { /* threads write the same number */
                role[ooze_regions_cell_of(&s.r, slot)] = OOZE_MATCH_PULL;
            }
        });
    spread_role(gpu, s.r, role, OOZE_MATCH_PULL);
    spread_role(gpu, s.r, role, OOZE_MATCH_MAP);
}

static uint64_t count_points(OozeBlendStep *step, const uint8_t *needed)
{
    const BlendView s = view_of(step);
    const OwnRange own = own_range(gpu_of(step->machine), step->machine->n);
    const Sum1 none = {0.0};
    return (uint64_t)sum_to_host(
               gpu_of(step->machine), own.count, none,
               OOZE_BODY(uint32_t k)->Sum1 {
                   return {ooze_match_is_needed(&s.r, s.slot[own.begin + k], needed) ? 1.0 : 0.0};
               })
        .a;
}

static void list_points(OozeBlendStep *step, const uint8_t *needed, uint32_t *list)
{
    const BlendView s = view_of(step);
    Gpu *gpu = gpu_of(step->machine);
    const OwnRange own = own_range(gpu, step->machine->n);
    Mark mark = scratch_mark(gpu);
    uint8_t *unwanted = scratch<uint8_t>(gpu, own.count);
    for_each(
        gpu, own.count, OOZE_BODY(uint32_t k) {
            unwanted[k] = !ooze_match_is_needed(&s.r, s.slot[own.begin + k], needed);
        });
    select_unflagged(gpu, unwanted, list, own.count);
    scratch_rewind(gpu, mark);
}

static void pack_points(OozeBlendStep *step, const uint32_t *list, uint64_t count,
                        OozeBlendPoint *to)
{
    const BlendView s = view_of(step);
    const OwnRange own = own_range(gpu_of(step->machine), step->machine->n);
    for_each(
        gpu_of(step->machine), count,
        OOZE_BODY(uint32_t k) { to[k] = point_of(s, own.begin + list[k]); });
}

static void place_received(OozeBlendStep *step, const OozeBlendPoint *points, uint64_t count)
{
    const BlendView s = view_of(step);
    for_each(
        gpu_of(step->machine), count, OOZE_BODY(uint32_t k) {
            ooze_match_place(&s.matching, &s.r, s.materials, &points[k], s.dt);
        });
}

static void copy_roles(OozeBlendStep *step, const uint8_t *of_cells, uint8_t *of_slots)
{
    const OozeRegions r = *step->regions;
    for_each(
        gpu_of(step->machine), r.n,
        OOZE_BODY(uint32_t i) { of_slots[i] = of_cells[ooze_regions_cell_of(&r, i)]; });
}

extern const OozeBlendSharingStages blend_sharing_stages = {
    find_roles, count_points, list_points, pack_points, place_received, copy_roles,
};

} // namespace ooze
