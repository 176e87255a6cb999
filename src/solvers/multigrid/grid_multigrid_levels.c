#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/grid_cells.h"
#include "solvers/multigrid/grid_multigrid_ranks.h"

enum { PARTICLE_GRAIN = 4096 };

/* ---- cells of the first level ---- */

typedef struct Numbering {
    const OozeGridMultigridInput *input;
    const OozeMultigridAxis *axis;
    const OozeMultigridLevel *fine;
    OozeMultigridLevel *level;
    OozeF32x4 *into;
    uint64_t *key;
    uint32_t *value;
} Numbering;

static void number_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    for (uint64_t i = begin; i < end; i++) {
        int32_t at[3];
        float into;
        for (int k = 0; k < 3; k++) {
            at[k] = ooze_multigrid_cell(&s->axis[k], s->input->x[i][k], &into);
        }
        s->key[i] = ooze_multigrid_number(s->level->shape.cells, at);
        s->value[i] = (uint32_t)i;
    }
}

static void place_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x = s->input->x[s->level->child[i]];
        float into[3];
        for (int k = 0; k < 3; k++) {
            ooze_multigrid_cell(&s->axis[k], x[k], &into[k]);
        }
        s->into[i] = ooze_f32x4(into[0], into[1], into[2], 0.0f);
    }
}

static void find_first_cells(OozeGridMultigrid *mg, const OozeGridMultigridInput *input)
{
    OozeMultigridLevel *level = &mg->level[0];
    OozeMultigridAxis *axis = mg->axis;
    OozeKeySort sort;
    ooze_grid_find_axes(input->x, mg->n, input->spacing, input->periodic, mg->threads, NULL, axis);
    const int32_t cells[3] = {axis[0].cells, axis[1].cells, axis[2].cells};
    const bool wraps[3] = {axis[0].wraps, axis[1].wraps, axis[2].wraps};
    level->shape = ooze_multigrid_shape(cells, wraps);
    for (int k = 0; k < 3; k++) {
        mg->inverse[k] = (float)axis[k].inverse;
    }
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    ooze_key_sort_alloc(&sort, mg->temporary, mg->n);
    level->child = ooze_arena_alloc(mg->kept, mg->n, sizeof *level->child);
    mg->into = ooze_arena_alloc(mg->kept, mg->n, sizeof *mg->into);
    if (ooze_multigrid_failed(mg)) {
        return;
    }
    Numbering s = {.input = input, .axis = axis, .level = level, .into = mg->into};
    s.key = sort.key[0];
    s.value = sort.value[0];
    ooze_parallel_for(mg->threads, mg->n, PARTICLE_GRAIN, number_particles, &s);
    ooze_key_sort(&sort, mg->threads, mg->n, ooze_multigrid_bits(cells));
    OozeGridGroups groups = ooze_grid_groups(mg->kept, mg->temporary, &sort, mg->n);
    memcpy(level->child, sort.value[0], mg->n * sizeof *level->child);
    ooze_parallel_for(mg->threads, mg->n, PARTICLE_GRAIN, place_particles, &s);
    level->cells = groups.count;
    level->cell = groups.number;
    level->child_first = groups.first;
    ooze_arena_rewind(mg->temporary, mark);
}

/* ---- nodes ---- */

static void find_nodes(OozeGridMultigrid *mg, OozeMultigridLevel *level)
{
    OozeKeySort sort;
    uint64_t corners = 8 * level->cells;
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    ooze_key_sort_alloc(&sort, mg->temporary, corners);
    level->node_corner = ooze_arena_alloc(mg->kept, corners, sizeof *level->node_corner);
    level->corner_node = ooze_arena_alloc(mg->kept, corners, sizeof *level->corner_node);
    if (ooze_multigrid_failed(mg)) {
        return;
    }
    ooze_grid_number_corners(mg->threads, &level->shape, level->cell, level->cells, &sort);
    ooze_key_sort(&sort, mg->threads, corners, ooze_multigrid_bits(level->shape.nodes));
    OozeGridGroups groups = ooze_grid_groups(mg->kept, mg->temporary, &sort, corners);
    level->nodes = groups.count;
    level->node = groups.number;
    level->node_first = groups.first;
    memcpy(level->node_corner, sort.value[0], corners * sizeof *level->node_corner);
    ooze_arena_rewind(mg->temporary, mark);
    if (!ooze_multigrid_failed(mg)) {
        ooze_grid_link_corners(mg->threads, level->nodes, level->node_first, level->node_corner,
                               level->corner_node);
    }
}

/* ---- coarser levels ---- */

bool ooze_multigrid_is_isolated(const OozeMultigridLevel *level, uint64_t cell)
{
    bool isolated = true;
    for (int k = 0; k < 8; k++) {
        uint32_t node = level->corner_node[8 * cell + (uint64_t)k];
        isolated = isolated && level->node_first[node + 1] - level->node_first[node] == 1;
    }
    return isolated;
}

/* The cells of the level that follows `fine`, which may be none. */
static void find_coarser_cells(OozeGridMultigrid *mg, OozeMultigridLevel *fine,
                               OozeMultigridLevel *coarse)
{
    OozeKeySort sort;
    uint64_t count = 0;
    coarse->shape = ooze_multigrid_coarser(&fine->shape);
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    ooze_key_sort_alloc(&sort, mg->temporary, fine->cells);
    coarse->child = ooze_arena_alloc(mg->kept, fine->cells, sizeof *coarse->child);
    fine->parent = ooze_arena_alloc(mg->kept, fine->cells, sizeof *fine->parent);
    fine->place = ooze_arena_alloc(mg->kept, fine->cells, sizeof *fine->place);
    if (ooze_multigrid_failed(mg)) {
        return;
    }
    for (uint64_t c = 0; c < fine->cells; c++) {
        uint64_t parent =
            ooze_multigrid_parent(&fine->shape, &coarse->shape, fine->cell[c], &fine->place[c]);
        fine->parent[c] = OOZE_MULTIGRID_NONE;
        if (!ooze_multigrid_is_isolated(fine, c)) {
            sort.key[0][count] = parent;
            sort.value[0][count++] = (uint32_t)c;
        }
    }
    ooze_key_sort(&sort, mg->threads, count, ooze_multigrid_bits(coarse->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->kept, mg->temporary, &sort, count);
    if (!ooze_multigrid_failed(mg)) {
        coarse->cells = groups.count;
        coarse->cell = groups.number;
        coarse->child_first = groups.first;
        memcpy(coarse->child, sort.value[0], count * sizeof *coarse->child);
        for (uint64_t p = 0; p < coarse->cells; p++) {
            for (uint32_t e = groups.first[p]; e < groups.first[p + 1]; e++) {
                fine->parent[coarse->child[e]] = (uint32_t)p;
            }
        }
    }
    ooze_arena_rewind(mg->temporary, mark);
}

/* Of all processes. */
static uint64_t cell_count(const OozeGridMultigrid *mg, int k)
{
    return k == 0 && mg->shared ? mg->shared->all_cells : mg->level[k].cells;
}

/* A cell has a node of its own, so that a level of more cells has more nodes; all processes have
   all cells of a first level of fewer. */
bool ooze_multigrid_is_coarsest(const OozeGridMultigrid *mg, int k)
{
    return cell_count(mg, k) <= OOZE_MULTIGRID_DENSE && mg->level[k].nodes <= OOZE_MULTIGRID_DENSE;
}

OozeStatus ooze_multigrid_find_levels(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                      OozeError *error)
{
    mg->shared = NULL;
    if (input->halo) {
        ooze_multigrid_share(mg, input);
    } else {
        find_first_cells(mg, input);
    }
    while (!ooze_multigrid_failed(mg) && mg->levels < OOZE_MULTIGRID_LEVELS &&
           cell_count(mg, mg->levels) > 0) {
        OozeMultigridLevel *level = &mg->level[mg->levels++];
        find_nodes(mg, level);
        if (ooze_multigrid_failed(mg) || ooze_multigrid_is_coarsest(mg, mg->levels - 1)) {
            break;
        }
        if (mg->shared && mg->levels == 1) {
            ooze_multigrid_share_coarser(mg);
        } else if (mg->levels < OOZE_MULTIGRID_LEVELS) {
            find_coarser_cells(mg, level, &mg->level[mg->levels]);
        }
    }
    if (!ooze_multigrid_failed(mg) && mg->shared) {
        ooze_multigrid_share_nodes(mg);
    }
    return ooze_multigrid_failed(mg)
               ? ooze_fail_memory(error, "the grids of the pressure solve", mg->n * 120)
               : OOZE_OK;
}
