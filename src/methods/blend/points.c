/* Points of shape matching that other processes have: every process fits the regions that contain
   particles of its own, with all their points. */
#include <string.h>

#include "base/fail.h"
#include "methods/blend/stages.h"

static const char name[] = "shape matching";

typedef struct Sharing {
    OozeBlendStep *step;
    const OozeBlendSharingStages *stages;
    OozeMessagePlan plan;  /* of points */
    uint8_t *role;         /* per cell */
    uint64_t bitmap;       /* bytes of a bit a cell */
    const uint8_t *needed; /* of each process: the cells whose points it needs */
} Sharing;

/* Tells all processes which cells this one needs. */
static OozeStatus share_needs(Sharing *s, OozeError *error)
{
    OozeMachine *machine = s->step->machine;
    OozeArena *arena = machine->context->arena;
    const uint64_t cells = s->step->regions->cells, bytes = (cells + 7) / 8;
    const uint64_t all_bytes = (uint64_t)machine->ranks->count * bytes;
    uint8_t *role = ooze_arena_alloc(arena, cells, 1);
    uint8_t *own = ooze_arena_alloc(arena, bytes, 1), *all = ooze_arena_alloc(arena, all_bytes, 1);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, name, cells + bytes + all_bytes);
    }
    ooze_machine_read(machine, role, s->role, cells);
    memset(own, 0, bytes);
    for (uint64_t c = 0; c < cells; c++) {
        own[c / 8] |= (uint8_t)((role[c] != OOZE_MATCH_NONE) << c % 8);
    }
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (!status) {
        machine->ranks->gather(machine->ranks, own, bytes, all);
        s->bitmap = bytes;
        s->needed = ooze_machine_send(machine, all, all_bytes, 1);
        status = ooze_machine_status(machine, name, error);
    }
    return status;
}

static void count_points(Sharing *s)
{
    const OozeRanks *ranks = s->step->machine->ranks;
    uint64_t *at = s->plan.send_at;
    for (int r = 0; r < ranks->count; r++) {
        const uint8_t *needed = s->needed + (uint64_t)r * s->bitmap;
        at[r + 1] = at[r] + (r != ranks->rank ? s->stages->count_points(s->step, needed) : 0);
    }
}

/* Those for each process, one after the other. */
static void list_points(const Sharing *s, uint32_t *list)
{
    const uint64_t *at = s->plan.send_at;
    for (int r = 0; r < s->plan.ranks->count; r++) {
        if (at[r + 1] > at[r]) {
            s->stages->list_points(s->step, s->needed + (uint64_t)r * s->bitmap, list + at[r]);
        }
    }
}

static OozeStatus exchange_points(Sharing *s, OozeError *error)
{
    OozeMachine *machine = s->step->machine;
    count_points(s);
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (status) {
        return status;
    }
    ooze_message_plan_complete(&s->plan);
    const uint64_t sent = ooze_message_plan_sent(&s->plan),
                   received = ooze_message_plan_received(&s->plan);
    uint32_t *list = ooze_machine_alloc(machine, sent, sizeof *list);
    OozeBlendPoint *packed = ooze_machine_alloc(machine, sent, sizeof *packed);
    OozeBlendPoint *points = ooze_machine_alloc(machine, received, sizeof *points);
    status = ooze_machine_status(machine, name, error);
    if (!status) {
        list_points(s, list);
        s->stages->pack_points(s->step, list, sent, packed);
        ooze_machine_exchange(machine, &s->plan, packed, points, sizeof *packed);
        s->stages->place_received(s->step, points, received);
    }
    return status;
}

/* Roles as the loops read them. */
static OozeStatus set_roles(const Sharing *s, OozeError *error)
{
    OozeMachine *machine = s->step->machine;
    OozeMatching *matching = &s->step->matching;
    matching->role = s->role;
    if (s->step->regions->kind == OOZE_REGIONS_OF_CELLS) {
        return OOZE_OK;
    }
    uint8_t *role = ooze_machine_alloc(machine, s->step->regions->n, sizeof *role);
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (!status) {
        s->stages->copy_roles(s->step, s->role, role);
        matching->role = role;
    }
    return status;
}

OozeStatus ooze_blend_share_points(OozeBlendStep *step, const OozeBlendSharingStages *stages,
                                   OozeError *error)
{
    OozeMachine *machine = step->machine;
    Sharing s = {.step = step, .stages = stages};
    s.role = ooze_machine_alloc(machine, step->regions->cells, sizeof *s.role);
    if (!ooze_message_plan_create(&s.plan, machine->ranks, machine->context->arena)) {
        return ooze_fail_memory(error, name, 0);
    }
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (status) {
        return status;
    }
    stages->find_roles(step, s.role);
    status = share_needs(&s, error);
    status = status ? status : exchange_points(&s, error);
    return status ? status : set_roles(&s, error);
}
