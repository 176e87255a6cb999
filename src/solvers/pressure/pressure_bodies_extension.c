/* Slots of bodies at nodes that have no pressure of their own. The force on a body is the integral
   of the pressure over its surface, where a constant pressure must cancel: in deep fluid a node
   that lacks would be a false force. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/grid_multigrid_levels.h"
#include "solvers/pressure/pressure_grid.h"

enum { SLOTS = OOZE_PRESSURE_SLOTS, AROUND = 27, CENTRE = 13 };

/* Number of the node that is `steps` cells from one; false: it is outside of the lattice. */
static bool number_at(const OozePressureGrid *grid, uint64_t from, const int steps[3],
                      uint64_t *number)
{
    const OozeMultigridShape *shape = &grid->multigrid->grids.level[0].shape;
    int32_t at[3];
    bool inside = true;
    ooze_multigrid_place(shape->nodes, from, at);
    for (int k = 0; k < 3; k++) {
        at[k] += steps[k];
        if (shape->wraps[k]) {
            at[k] = (at[k] + shape->nodes[k]) % shape->nodes[k];
        }
        inside = inside && at[k] >= 0 && at[k] < shape->nodes[k];
    }
    *number = inside ? ooze_multigrid_number(shape->nodes, at) : 0;
    return inside;
}

/* Index of a node of the lattice, or OOZE_MULTIGRID_NONE. */
static uint32_t find_node(const OozePressureGrid *grid, uint64_t number)
{
    const OozeMultigridLevel *level = &grid->multigrid->grids.level[0];
    uint64_t low = 0, high = level->nodes;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        low = level->node[middle] < number ? middle + 1 : low;
        high = level->node[middle] < number ? high : middle;
    }
    return low < level->nodes && level->node[low] == number ? (uint32_t)low : OOZE_MULTIGRID_NONE;
}

static void steps_of(int s, int steps[3])
{
    steps[0] = s % 3 - 1;
    steps[1] = s / 3 % 3 - 1;
    steps[2] = s / 9 - 1;
}

static OozeVec3 offset_of(const OozePressureGrid *grid, const int steps[3])
{
    return vec3(steps[0] * (double)grid->edge[0], steps[1] * (double)grid->edge[1],
                steps[2] * (double)grid->edge[2]);
}

/* ---- missing nodes ---- */

static int ascending(const void *a, const void *b)
{
    uint64_t x = ((const OozePressureMissing *)a)->number,
             y = ((const OozePressureMissing *)b)->number;
    return x < y ? -1 : x > y;
}

/* Lists those beside nodes with bodies, with repetitions; `to` NULL: counts. */
static uint64_t list_missing(const OozePressureGrid *grid, OozePressureMissing *to)
{
    uint64_t count = 0, number = 0;
    for (uint64_t a = 0; a < grid->nodes; a++) {
        for (int s = 0; s < AROUND && ooze_pressure_bodies_at(grid, a); s++) {
            int steps[3];
            steps_of(s, steps);
            if (!number_at(grid, grid->multigrid->grids.level[0].node[a], steps, &number) ||
                find_node(grid, number) != OOZE_MULTIGRID_NONE) {
                continue;
            }
            if (to) {
                OozeVec3 x = ooze_pressure_node_position(grid, a);
                to[count].number = number;
                to[count].x = vec3_add(x, offset_of(grid, steps));
            }
            count++;
        }
    }
    return count;
}

OozeStatus ooze_pressure_bodies_find_missing(OozePressureGrid *grid, OozeError *error)
{
    OozePressureBodies *b = &grid->bodies;
    if (!b->slot) {
        return OOZE_OK;
    }
    uint64_t most = list_missing(grid, NULL);
    b->missing = ooze_arena_alloc(grid->input.arena, most, sizeof *b->missing);
    if (!b->missing) {
        return ooze_fail_memory(error, "bodies in the pressure grid", most * sizeof *b->missing);
    }
    memset(b->missing, 0, most * sizeof *b->missing);
    list_missing(grid, b->missing);
    qsort(b->missing, most, sizeof *b->missing, ascending);
    for (uint64_t k = 0; k < most; k++) {
        if (k == 0 || b->missing[k].number != b->missing[b->missing_count - 1].number) {
            b->missing[b->missing_count++] = b->missing[k];
        }
    }
    for (uint64_t k = 0; k < b->missing_count * SLOTS; k++) {
        b->missing[k / SLOTS].slot[k % SLOTS].body = -1;
    }
    return OOZE_OK;
}

/* ---- extension ---- */

static bool has_pressure(const OozePressureGrid *grid, uint32_t a)
{
    return a != OOZE_MULTIGRID_NONE && grid->row_first[a + 1] > grid->row_first[a];
}

/* Slots that move from a node to another, `to` at y from it. */
static void move_slots(OozePressureGrid *grid, const OozePressureMissing *from, uint32_t to,
                       const int steps[3], double weight)
{
    OozeVec3 x = vec3_add(from->x, offset_of(grid, steps));
    OozePressureSums *sums = &grid->sums[to];
    for (int k = 0; k < SLOTS && from->slot[k].body >= 0; k++) {
        const OozePressureSlot *slot = &from->slot[k];
        OozeVec3 g = vec3_scale(vec3(slot->row.v[0], slot->row.v[1], slot->row.v[2]), weight);
        OozeVec3 turn = vec3_scale(vec3(slot->row.v[3], slot->row.v[4], slot->row.v[5]), weight);
        OozeVec3 arm = vec3_sub(grid->input.body_centre[slot->body], x);
        if (!ooze_pressure_bodies_add_row(grid, to, slot->body, weight, &slot->row)) {
            continue;
        }
        turn = vec3_add(turn, vec3_cross(arm, g)); /* about the node */
        const double gradient[3] = {g.x, g.y, g.z}, moment[3] = {turn.x, turn.y, turn.z};
        for (int q = 0; q < 3; q++) {
            sums->gradient[q] += (float)gradient[q];
            sums->turn[q] += (float)moment[q];
        }
    }
}

/* As add_wall_node of pressure_grid.c. `scale` by the wetness of the node that is followed. */
static void extend(OozePressureGrid *grid, const OozePressureMissing *from, bool scale)
{
    int best = -1, steps[3];
    double most = -INFINITY;
    uint64_t number = 0;
    uint32_t first = OOZE_MULTIGRID_NONE, second = OOZE_MULTIGRID_NONE;
    for (int s = 0; s < AROUND; s++) {
        steps_of(s, steps);
        if (s == CENTRE || !number_at(grid, from->number, steps, &number)) {
            continue;
        }
        uint32_t node = find_node(grid, number);
        OozeVec3 e = offset_of(grid, steps);
        double along = vec3_dot(e, from->normal) / vec3_length(e);
        if (has_pressure(grid, node) && along > most) {
            most = along;
            best = s;
            first = node;
        }
    }
    if (best < 0) {
        return;
    }
    int twice[3];
    steps_of(best, steps);
    for (int k = 0; k < 3; k++) {
        twice[k] = 2 * steps[k];
    }
    if (number_at(grid, from->number, twice, &number)) {
        second = find_node(grid, number);
    }
    double wet = scale ? (double)grid->bodies.wet[first] : 1.0;
    bool linear = has_pressure(grid, second);
    move_slots(grid, from, first, steps, linear ? 2.0 * wet : wet);
    if (linear) {
        move_slots(grid, from, second, twice, -wet);
    }
}

void ooze_pressure_bodies_extend(OozePressureGrid *grid, const OozeVec3 *normal)
{
    const OozePressureBodies *b = &grid->bodies;
    for (uint64_t a = 0; b->slot && a < grid->nodes; a++) {
        if (ooze_pressure_bodies_at(grid, a) && !has_pressure(grid, (uint32_t)a)) {
            OozePressureMissing node = {.number = grid->multigrid->grids.level[0].node[a],
                                        .x = ooze_pressure_node_position(grid, a),
                                        .normal = normal[a]};
            memcpy(node.slot, b->slot + SLOTS * a, sizeof node.slot);
            extend(grid, &node, false);
        }
    }
    for (uint64_t k = 0; k < b->missing_count; k++) {
        extend(grid, &b->missing[k], true);
    }
}
