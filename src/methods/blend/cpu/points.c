/* Points of shape matching on the processor. */
#include <string.h>

#include "methods/blend/cpu/loops.h"

static OozeBlendPoint point_of(const OozeBlendStep *s, uint64_t i)
{
    return (OozeBlendPoint){.slot = s->slot[i],
                            .material = s->material[i],
                            .x = {s->x[i][0], s->x[i][1], s->x[i][2]},
                            .u = {s->u[i][0], s->u[i][1], s->u[i][2]},
                            .fluid_share = s->state[i].fluid_share,
                            .rotation = s->rotation[i]};
}

static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeBlendStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        if (s->slot[i] != OOZE_BLEND_SLOT_NONE) {
            const OozeBlendPoint point = point_of(s, i);
            ooze_match_place(&s->matching, s->regions, s->materials, &point, s->dt);
        }
    }
}

void ooze_blend_place_points(OozeBlendStep *s)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_BLEND_GRAIN, place_range,
                      s);
}

/* ---- other processes ------------------------------------------------------------------------ */

static void spread_role(const OozeRegions *r, uint8_t *role, uint8_t from)
{
    for (uint64_t c = 0; c < r->cells; c++) {
        ooze_match_spread_role(r, c, from, role);
    }
}

static void find_roles(OozeBlendStep *s, uint8_t *role)
{
    const OozeRegions *r = s->regions;
    memset(role, OOZE_MATCH_NONE, r->cells);
    for (uint64_t i = 0; i < s->machine->n; i++) {
        if (s->slot[i] != OOZE_BLEND_SLOT_NONE) {
            role[ooze_regions_cell_of(r, s->slot[i])] = OOZE_MATCH_PULL;
        }
    }
    spread_role(r, role, OOZE_MATCH_PULL);
    spread_role(r, role, OOZE_MATCH_MAP);
}

/* Counts the points of needed cells, and lists them unless `list` is NULL. */
static uint64_t visit_points(const OozeBlendStep *s, const uint8_t *needed, uint32_t *list)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->machine->n; i++) {
        if (ooze_match_is_needed(s->regions, s->slot[i], needed)) {
            if (list) {
                list[count] = (uint32_t)i;
            }
            count++;
        }
    }
    return count;
}

static uint64_t count_points(OozeBlendStep *s, const uint8_t *needed)
{
    return visit_points(s, needed, NULL);
}

static void list_points(OozeBlendStep *s, const uint8_t *needed, uint32_t *list)
{
    visit_points(s, needed, list);
}

static void pack_points(OozeBlendStep *s, const uint32_t *list, uint64_t count, OozeBlendPoint *to)
{
    for (uint64_t k = 0; k < count; k++) {
        to[k] = point_of(s, list[k]);
    }
}

static void place_received(OozeBlendStep *s, const OozeBlendPoint *points, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        ooze_match_place(&s->matching, s->regions, s->materials, &points[k], s->dt);
    }
}

static void copy_roles(OozeBlendStep *s, const uint8_t *of_cells, uint8_t *of_slots)
{
    const OozeRegions *r = s->regions;
    for (uint64_t c = 0; c < r->cells; c++) {
        memset(of_slots + r->cell[c].first, of_cells[c], r->cell[c + 1].first - r->cell[c].first);
    }
}

const OozeBlendSharingStages ooze_blend_sharing_stages = {
    .find_roles = find_roles,
    .count_points = count_points,
    .list_points = list_points,
    .pack_points = pack_points,
    .place_received = place_received,
    .copy_roles = copy_roles,
};
