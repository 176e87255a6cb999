/* Points of shape matching on the processor, and those of other processes: every process fits the
   regions that contain particles of its own, with all their points. */
#include <string.h>

#include "base/fail.h"
#include "methods/blend/cpu/loops.h"
#include "particles/message_plan.h"

static OozeBlendPoint point_of(const OozeBlendStep *s, uint64_t i)
{
    return (OozeBlendPoint){.slot = s->slot[i],
                            .material = s->material[i],
                            .x = {s->x[i][0], s->x[i][1], s->x[i][2]},
                            .u = {s->u[i][0], s->u[i][1], s->u[i][2]},
                            .fluid_share = s->state[i].fluid_share,
                            .rotation = s->rotation[i]};
}

/* Every particle of a cell holds the rotation of its region, so that it survives the removal of
   others; the first particle of a cell gives it. */
static void place_point(const OozeBlendStep *s, const OozeBlendPoint *p)
{
    const OozeRegions *r = s->regions;
    ooze_match_place(&s->matching, r, &s->materials[p->material], p, s->dt);
    if (ooze_regions_leads(r, p->slot)) {
        ooze_match_read_rotation(&p->rotation, s->matching.rotation[r->region_of[p->slot]]);
    }
}

static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeBlendStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        if (s->slot[i] != OOZE_BLEND_SLOT_NONE) {
            OozeBlendPoint point = point_of(s, i);
            place_point(s, &point);
        }
    }
}

/* ---- other processes ------------------------------------------------------------------------ */

typedef struct Sharing {
    const OozeBlendStep *step;
    OozeArena *arena;
    uint64_t n;           /* own particles */
    OozeMessagePlan plan; /* of points */
    uint32_t *cell_of;    /* per slot */
    uint8_t *role;        /* per cell */
    uint8_t *needed;      /* per rank a bit a cell: its points are needed */
    uint64_t bitmap;      /* bytes of a rank in it */
} Sharing;

static OozeStatus allocate(Sharing *s, OozeError *error)
{
    const OozeRegions *r = s->step->regions;
    OozeRanks *ranks = ooze_halo_ranks(s->step->machine->context->halo);
    s->bitmap = (r->cells + 7) / 8;
    s->cell_of = ooze_arena_alloc(s->arena, r->n, sizeof *s->cell_of);
    s->role = ooze_arena_alloc(s->arena, r->cells, 1);
    s->needed = ooze_arena_alloc(s->arena, (uint64_t)ranks->count * s->bitmap, 1);
    const bool made = ooze_message_plan_create(&s->plan, ranks, s->arena);
    return !made || ooze_arena_failed(s->arena)
               ? ooze_fail_memory(error, "shape matching", r->n * 5)
               : OOZE_OK;
}

/* Cells around those of one role get at least the next lower one. */
static void spread_role(const Sharing *s, uint8_t from)
{
    const OozeRegions *r = s->step->regions;
    for (uint64_t c = 0; c < r->cells; c++) {
        const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
        for (int k = 0; k < OOZE_BLEND_NEAR && s->role[c] == from; k++) {
            if (near[k] != OOZE_BLEND_CELL_NONE && s->role[near[k]] + 1 < from) {
                s->role[near[k]] = (uint8_t)(from - 1);
            }
        }
    }
}

static void find_roles(const Sharing *s)
{
    const OozeRegions *r = s->step->regions;
    const uint32_t *slot = s->step->slot;
    for (uint64_t c = 0; c < r->cells; c++) {
        s->role[c] = OOZE_MATCH_NONE;
        for (uint64_t i = r->cell[c].first; i < r->cell[c + 1].first; i++) {
            s->cell_of[i] = (uint32_t)c;
        }
    }
    for (uint64_t i = 0; i < s->n; i++) {
        if (slot[i] != OOZE_BLEND_SLOT_NONE) {
            s->role[s->cell_of[slot[i]]] = OOZE_MATCH_PULL;
        }
    }
    spread_role(s, OOZE_MATCH_PULL);
    spread_role(s, OOZE_MATCH_MAP);
}

/* Tells all processes which cells this one needs. */
static OozeStatus share_needs(const Sharing *s, OozeError *error)
{
    uint64_t cells = s->step->regions->cells;
    uint8_t *own = ooze_arena_alloc(s->arena, s->bitmap, 1);
    if (!own) {
        return ooze_fail_memory(error, "shape matching", s->bitmap);
    }
    memset(own, 0, s->bitmap);
    for (uint64_t c = 0; c < cells; c++) {
        own[c / 8] |= (uint8_t)((s->role[c] != OOZE_MATCH_NONE) << c % 8);
    }
    s->plan.ranks->gather(s->plan.ranks, own, s->bitmap, s->needed);
    return OOZE_OK;
}

/* Counts the points that each process needs, or lists them one after the other. */
static void visit_points(const Sharing *s, OozeBlendPoint *list)
{
    for (int r = 0; r < s->plan.ranks->count; r++) {
        const uint8_t *needed = s->needed + (uint64_t)r * s->bitmap;
        uint64_t count = 0;
        for (uint64_t i = 0; i < s->n && r != s->plan.ranks->rank; i++) {
            uint32_t slot = s->step->slot[i];
            uint32_t cell = slot == OOZE_BLEND_SLOT_NONE ? 0 : s->cell_of[slot];
            if (slot != OOZE_BLEND_SLOT_NONE && (needed[cell / 8] >> cell % 8 & 1)) {
                if (list) {
                    list[s->plan.send_at[r] + count] = point_of(s->step, i);
                }
                count++;
            }
        }
        s->plan.send_at[r + 1] = s->plan.send_at[r] + count;
    }
}

static OozeStatus exchange_points(Sharing *s, OozeError *error)
{
    visit_points(s, NULL);
    ooze_message_plan_complete(&s->plan);
    uint64_t sent = ooze_message_plan_sent(&s->plan),
             received = ooze_message_plan_received(&s->plan);
    OozeBlendPoint *send = ooze_arena_alloc(s->arena, sent, sizeof *send);
    OozeBlendPoint *receive = ooze_arena_alloc(s->arena, received, sizeof *receive);
    if (!send || !receive) {
        return ooze_fail_memory(error, "shape matching", (sent + received) * sizeof *send);
    }
    visit_points(s, send);
    ooze_message_plan_exchange(&s->plan, send, receive, sizeof *send);
    for (uint64_t k = 0; k < received; k++) {
        place_point(s->step, &receive[k]);
    }
    return OOZE_OK;
}

/* Roles as the loops read them. */
static OozeStatus set_roles(const Sharing *s, OozeMatching *matching, OozeError *error)
{
    const OozeRegions *r = s->step->regions;
    matching->role = s->role;
    if (r->kind == OOZE_REGIONS_OF_CELLS) {
        return OOZE_OK;
    }
    uint8_t *role = ooze_arena_alloc(s->arena, r->n, 1);
    for (uint64_t i = 0; i < r->n && role; i++) {
        role[i] = s->role[s->cell_of[i]];
    }
    matching->role = role;
    return role ? OOZE_OK : ooze_fail_memory(error, "shape matching", r->n);
}

/* Places the points of other processes that regions of this one's particles contain, and finds
   which regions these are. */
static OozeStatus share_points(OozeBlendStep *step, OozeError *error)
{
    const OozeStepContext *c = step->machine->context;
    Sharing s = {.step = step, .arena = c->arena, .n = step->machine->n};
    OozeStatus status = allocate(&s, error);
    if (status) {
        return status;
    }
    find_roles(&s);
    status = share_needs(&s, error);
    status = status ? status : exchange_points(&s, error);
    return status ? status : set_roles(&s, &step->matching, error);
}

OozeStatus ooze_blend_place_points(OozeBlendStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    ooze_parallel_for(c->threads, s->machine->n, OOZE_BLEND_GRAIN, place_range, s);
    return c->halo ? share_points(s, error) : OOZE_OK;
}
