#include "solvers/pressure/pressure_bodies.h"

#include <string.h>

#include "base/fail.h"
#include "solvers/pressure/pressure_grid.h"

enum { SLOTS = OOZE_PRESSURE_SLOTS };

static OozePressureSlot *slots_of(const OozePressureGrid *grid, uint64_t node)
{
    return grid->bodies.slot + SLOTS * node;
}

OozeStatus ooze_pressure_bodies_begin(OozePressureGrid *grid, OozeError *error)
{
    uint64_t slots = SLOTS * grid->nodes;
    OozeArena *arena = grid->input.arena;
    if (grid->input.body_count == 0) {
        return OOZE_OK;
    }
    grid->bodies.slot = ooze_arena_alloc(arena, slots, sizeof *grid->bodies.slot);
    grid->bodies.wet = ooze_arena_alloc(arena, grid->nodes, sizeof *grid->bodies.wet);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "bodies in the pressure grid",
                                slots * sizeof *grid->bodies.slot);
    }
    memset(grid->bodies.slot, 0, slots * sizeof *grid->bodies.slot);
    for (uint64_t k = 0; k < slots; k++) {
        grid->bodies.slot[k].body = -1;
    }
    return OOZE_OK;
}

/* Slot of a body, or NULL: they are full. */
static OozePressureSlot *slot_for(OozePressureSlot *slots, int body)
{
    int k = 0;
    while (k < SLOTS && slots[k].body >= 0 && slots[k].body != body) {
        k++;
    }
    return k < SLOTS ? &slots[k] : NULL;
}

bool ooze_pressure_bodies_add(OozePressureSlot *slots, int body, OozeVec3 gradient, OozeVec3 arm)
{
    OozePressureSlot *slot = slot_for(slots, body);
    OozeVec3 turn = vec3_cross(arm, gradient); /* grad N . (w x arm) = w . (arm x grad N) */
    OozeTwist more = {{gradient.x, gradient.y, gradient.z, turn.x, turn.y, turn.z}};
    if (slot) {
        slot->body = body;
        ooze_twist_add(&slot->row, 1.0, &more);
    }
    return slot != NULL;
}

bool ooze_pressure_bodies_add_row(OozePressureGrid *grid, uint64_t node, int body, double weight,
                                  const OozeTwist *row)
{
    OozePressureSlot *slot = slot_for(slots_of(grid, node), body);
    if (slot) {
        slot->body = body;
        ooze_twist_add(&slot->row, weight, row);
    }
    return slot != NULL;
}

bool ooze_pressure_bodies_at(const OozePressureGrid *grid, uint64_t node)
{
    return grid->bodies.slot && slots_of(grid, node)->body >= 0;
}

void ooze_pressure_bodies_wet(const OozePressureGrid *grid, uint64_t node, float wet)
{
    OozePressureSlot *slot = grid->bodies.slot ? slots_of(grid, node) : NULL;
    if (slot) {
        grid->bodies.wet[node] = wet;
    }
    for (int k = 0; slot && k < SLOTS && slot[k].body >= 0; k++) {
        for (int c = 0; c < 6; c++) {
            slot[k].row.v[c] *= (double)wet;
        }
    }
}

/* ---- rows of the unknowns ---- */

static uint64_t count_parts(const OozePressureGrid *grid)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < grid->column_first[grid->nodes]; k++) {
        const OozePressureSlot *slot = slots_of(grid, grid->column_node[k]);
        for (int q = 0; q < SLOTS && slot[q].body >= 0; q++) {
            count++;
        }
    }
    return count;
}

/* Adds to the row of a body, the rows from `first` on being those of unknown g. */
static void add_row(OozePressureBodies *b, uint64_t first, uint32_t g, double weight,
                    const OozePressureSlot *slot)
{
    uint64_t e = first;
    while (e < b->count && b->body[e] != slot->body) {
        e++;
    }
    if (e == b->count) {
        b->unknown[e] = g;
        b->body[e] = slot->body;
        b->row[e] = (OozeTwist){{0}};
        b->count++;
    }
    ooze_twist_add(&b->row[e], weight, &slot->row);
}

OozeStatus ooze_pressure_bodies_find_rows(OozePressureGrid *grid, OozeError *error)
{
    OozePressureBodies *b = &grid->bodies;
    OozeArena *arena = grid->input.arena;
    if (!b->slot) {
        return OOZE_OK;
    }
    uint64_t most = count_parts(grid);
    b->unknown = ooze_arena_alloc(arena, most, sizeof *b->unknown);
    b->body = ooze_arena_alloc(arena, most, sizeof *b->body);
    b->row = ooze_arena_alloc(arena, most, sizeof *b->row);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "bodies in the pressure grid", most * 56);
    }
    for (uint64_t g = 0; g < grid->nodes; g++) {
        uint64_t first = b->count;
        for (uint32_t k = grid->column_first[g]; k < grid->column_first[g + 1] && !grid->idle[g];
             k++) {
            const OozePressureSlot *slot = slots_of(grid, grid->column_node[k]);
            for (int q = 0; q < SLOTS && slot[q].body >= 0; q++) {
                add_row(b, first, (uint32_t)g, (double)grid->column_weight[k], &slot[q]);
            }
        }
    }
    return OOZE_OK;
}

/* ---- products ---- */

void ooze_pressure_bodies_rate(OozePressureGrid *grid, const OozeTwist *motion, float *rate)
{
    const OozePressureBodies *b = &grid->bodies;
    for (uint64_t e = 0; e < b->count; e++) {
        rate[b->unknown[e]] += (float)ooze_twist_dot(&b->row[e], &motion[b->body[e]]);
    }
    if (b->slot) {
        ooze_pressure_centre(grid, rate);
    }
}

void ooze_pressure_bodies_force(const OozePressureGrid *grid, const float *p, OozeTwist *force)
{
    const OozePressureBodies *b = &grid->bodies;
    memset(force, 0, (size_t)grid->input.body_count * sizeof *force);
    for (uint64_t e = 0; e < b->count; e++) {
        ooze_twist_add(&force[b->body[e]], (double)p[b->unknown[e]], &b->row[e]);
    }
}
