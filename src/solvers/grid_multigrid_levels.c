#include "solvers/grid_multigrid_levels.h"

#include <float.h>
#include <string.h>

#include "base/fail.h"
#include "solvers/key_sort.h"

enum { BOUNDS_BLOCKS = 64, PARTICLE_GRAIN = 4096 };

/* ---- bounds of the particles ---- */

typedef struct Bounds {
    const OozeF32x4 *x;
    uint64_t block;
    float low[BOUNDS_BLOCKS][3], high[BOUNDS_BLOCKS][3];
} Bounds;

static void bounds_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Bounds *bounds = data;
    OozeF32x4 low = ooze_f32x4_splat(FLT_MAX), high = -low;
    for (uint64_t i = begin; i < end; i++) { /* NaN is skipped */
        low = ooze_f32x4_min(bounds->x[i], low);
        high = ooze_f32x4_max(bounds->x[i], high);
    }
    for (int k = 0; k < 3; k++) {
        bounds->low[begin / bounds->block][k] = low[k];
        bounds->high[begin / bounds->block][k] = high[k];
    }
}

static void find_axes(const OozeGridMultigridInput *input, OozeMultigridAxis axis[3])
{
    Bounds bounds = {.x = input->x, .block = input->n / BOUNDS_BLOCKS + 1};
    ooze_parallel_for(input->threads, input->n, bounds.block, bounds_range, &bounds);
    const OozePeriodic *periodic = input->periodic;
    for (int k = 0; k < 3; k++) {
        float low = bounds.low[0][k], high = bounds.high[0][k];
        for (uint64_t b = 1; b * bounds.block < input->n; b++) {
            low = bounds.low[b][k] < low ? bounds.low[b][k] : low;
            high = bounds.high[b][k] > high ? bounds.high[b][k] : high;
        }
        axis[k] = ooze_multigrid_axis(input->spacing, low, high,
                                      periodic ? (double)periodic->min[k] : 0.0,
                                      periodic ? (double)periodic->length[k] : 0.0);
    }
}

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

/* Divides `count` sorted keys into groups of the same key. Returns the number of groups, whose keys
   and first places are written to `number` and `first`, each as long as the keys and one more. */
static uint64_t find_groups(const uint64_t *key, uint64_t count, uint64_t *number, uint32_t *first)
{
    uint64_t groups = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i == 0 || key[i] != key[i - 1]) {
            number[groups] = key[i];
            first[groups++] = (uint32_t)i;
        }
    }
    first[groups] = (uint32_t)count;
    return groups;
}

/* Copies the groups of sorted pairs to the kept arena. */
typedef struct Groups {
    uint64_t count;
    uint64_t *number;
    uint32_t *first;
} Groups;
static Groups keep_groups(OozeGridMultigrid *mg, const OozeKeySort *sort, uint64_t count)
{
    Groups groups = {0};
    uint64_t *number = ooze_arena_alloc(mg->temporary, count + 1, sizeof *number);
    uint32_t *first = ooze_arena_alloc(mg->temporary, count + 1, sizeof *first);
    if (ooze_arena_failed(mg->temporary)) {
        return groups;
    }
    groups.count = find_groups(sort->key[0], count, number, first);
    groups.number = ooze_arena_alloc(mg->kept, groups.count, sizeof *number);
    groups.first = ooze_arena_alloc(mg->kept, groups.count + 1, sizeof *first);
    if (!ooze_arena_failed(mg->kept)) {
        memcpy(groups.number, number, groups.count * sizeof *number);
        memcpy(groups.first, first, (groups.count + 1) * sizeof *first);
    }
    return groups;
}

static bool failed(const OozeGridMultigrid *mg)
{
    return ooze_arena_failed(mg->kept) || ooze_arena_failed(mg->temporary);
}

static void find_first_cells(OozeGridMultigrid *mg, const OozeGridMultigridInput *input)
{
    OozeMultigridLevel *level = &mg->level[0];
    OozeMultigridAxis axis[3];
    OozeKeySort sort;
    find_axes(input, axis);
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
    if (failed(mg)) {
        return;
    }
    Numbering s = {.input = input, .axis = axis, .level = level, .into = mg->into};
    s.key = sort.key[0];
    s.value = sort.value[0];
    ooze_parallel_for(mg->threads, mg->n, PARTICLE_GRAIN, number_particles, &s);
    ooze_key_sort(&sort, mg->threads, mg->n, ooze_multigrid_bits(cells));
    Groups groups = keep_groups(mg, &sort, mg->n);
    memcpy(level->child, sort.value[0], mg->n * sizeof *level->child);
    ooze_parallel_for(mg->threads, mg->n, PARTICLE_GRAIN, place_particles, &s);
    level->cells = groups.count;
    level->cell = groups.number;
    level->child_first = groups.first;
    ooze_arena_rewind(mg->temporary, mark);
}

/* ---- nodes ---- */

static void number_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    for (uint64_t c = begin; c < end; c++) {
        int32_t at[3];
        ooze_multigrid_place(s->level->shape.cells, s->level->cell[c], at);
        for (int k = 0; k < 8; k++) {
            s->key[8 * c + (uint64_t)k] = ooze_multigrid_corner(&s->level->shape, at, k);
            s->value[8 * c + (uint64_t)k] = (uint32_t)(8 * c) + (uint32_t)k;
        }
    }
}

static void link_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridLevel *level = data;
    for (uint64_t a = begin; a < end; a++) {
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            level->corner_node[level->node_corner[e]] = (uint32_t)a;
        }
    }
}

static void find_nodes(OozeGridMultigrid *mg, OozeMultigridLevel *level)
{
    OozeKeySort sort;
    uint64_t corners = 8 * level->cells;
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    ooze_key_sort_alloc(&sort, mg->temporary, corners);
    level->node_corner = ooze_arena_alloc(mg->kept, corners, sizeof *level->node_corner);
    level->corner_node = ooze_arena_alloc(mg->kept, corners, sizeof *level->corner_node);
    if (failed(mg)) {
        return;
    }
    Numbering s = {.level = level, .key = sort.key[0], .value = sort.value[0]};
    ooze_parallel_for(mg->threads, level->cells, OOZE_MULTIGRID_CELL_GRAIN, number_corners, &s);
    ooze_key_sort(&sort, mg->threads, corners, ooze_multigrid_bits(level->shape.nodes));
    Groups groups = keep_groups(mg, &sort, corners);
    level->nodes = groups.count;
    level->node = groups.number;
    level->node_first = groups.first;
    memcpy(level->node_corner, sort.value[0], corners * sizeof *level->node_corner);
    ooze_arena_rewind(mg->temporary, mark);
    if (!failed(mg)) {
        ooze_parallel_for(mg->threads, level->nodes, OOZE_MULTIGRID_NODE_GRAIN, link_corners,
                          level);
    }
}

/* ---- coarser levels ---- */

/* No other cell has a corner of this one: a coarser grid would add nothing to it. */
static bool is_isolated(const OozeMultigridLevel *level, uint64_t cell)
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
    if (failed(mg)) {
        return;
    }
    for (uint64_t c = 0; c < fine->cells; c++) {
        uint64_t parent =
            ooze_multigrid_parent(&fine->shape, &coarse->shape, fine->cell[c], &fine->place[c]);
        fine->parent[c] = OOZE_MULTIGRID_NONE;
        if (!is_isolated(fine, c)) {
            sort.key[0][count] = parent;
            sort.value[0][count++] = (uint32_t)c;
        }
    }
    ooze_key_sort(&sort, mg->threads, count, ooze_multigrid_bits(coarse->shape.cells));
    Groups groups = keep_groups(mg, &sort, count);
    if (!failed(mg)) {
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

OozeStatus ooze_multigrid_find_levels(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                      OozeError *error)
{
    find_first_cells(mg, input);
    while (!failed(mg) && mg->levels < OOZE_MULTIGRID_LEVELS && mg->level[mg->levels].cells > 0) {
        OozeMultigridLevel *level = &mg->level[mg->levels++];
        find_nodes(mg, level);
        if (failed(mg) || level->nodes <= OOZE_MULTIGRID_DENSE) {
            break;
        }
        if (mg->levels < OOZE_MULTIGRID_LEVELS) {
            find_coarser_cells(mg, level, &mg->level[mg->levels]);
        }
    }
    return failed(mg) ? ooze_fail_memory(error, "the grids of the pressure solve", mg->n * 120)
                      : OOZE_OK;
}
