#include "solvers/multigrid/velocity_multigrid_levels.h"

#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/grid_cells.h"
#include "solvers/multigrid/velocity_multigrid_links_formula.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

enum {
    PARTICLE_GRAIN = 4096,
    GROUP_GRAIN = 256,
    SLOTS = OOZE_VELOCITY_SLOTS,
    SEEN = OOZE_VELOCITY_SEEN
};
#define ISOLATED UINT64_MAX

/* first[k]: sum of count[0 .. k - 1], in place of the counts. */
static uint32_t sum_counts(uint32_t *first, uint64_t n)
{
    uint32_t total = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint32_t here = first[k];
        first[k] = total;
        total += here;
    }
    first[n] = total;
    return total;
}

/* ---- elements of the first level ---- */

typedef struct Numbering {
    const OozeVelocityMultigridInput *input;
    const OozeMultigridAxis *axis;
    OozeVelocityLevel *level;
    OozeF32x4 *into;
    uint64_t *key;
    uint32_t *value, *element_of;
} Numbering;

static void number_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    for (uint64_t i = begin; i < end; i++) {
        int32_t at[3];
        float into;
        for (int k = 0; k < 3; k++) {
            at[k] = ooze_multigrid_cell(&s->axis[k], s->input->edges->x[i][k], &into);
        }
        s->key[i] = ooze_multigrid_number(s->level->shape.cells, at);
        s->value[i] = (uint32_t)i;
    }
}

static void place_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        for (uint32_t i = level->child_first[e]; i < level->child_first[e + 1]; i++) {
            OozeF32x4 x = s->input->edges->x[level->child[i]];
            float into[3];
            for (int k = 0; k < 3; k++) {
                ooze_multigrid_cell(&s->axis[k], x[k], &into[k]);
            }
            s->into[i] = ooze_f32x4(into[0], into[1], into[2], 0.0f);
            s->element_of[level->child[i]] = (uint32_t)e;
        }
    }
}

void ooze_velocity_find_axes(OozeVelocityMultigrid *mg, const OozeVelocityMultigridInput *input,
                             OozeMultigridAxis axis[3])
{
    ooze_grid_find_axes(input->edges->x, mg->n, input->spacing, input->periodic, mg->threads,
                        input->halo, axis);
    const int32_t cells[3] = {axis[0].cells, axis[1].cells, axis[2].cells};
    const bool wraps[3] = {axis[0].wraps, axis[1].wraps, axis[2].wraps};
    mg->level[0].shape = ooze_multigrid_shape(cells, wraps);
    for (int k = 0; k < 3; k++) {
        mg->inverse[k] = (float)axis[k].inverse;
    }
}

/* Cells of the particles; element_of: per particle. */
static void find_first_elements(OozeVelocityMultigrid *mg, const OozeVelocityMultigridInput *input,
                                uint32_t *element_of)
{
    OozeVelocityLevel *level = &mg->level[0];
    OozeMultigridAxis axis[3];
    OozeKeySort sort;
    ooze_velocity_find_axes(mg, input, axis);
    ooze_key_sort_alloc(&sort, mg->temporary, mg->n);
    level->child = ooze_arena_alloc(mg->kept, mg->n, sizeof *level->child);
    mg->into = ooze_arena_alloc(mg->kept, mg->n, sizeof *mg->into);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    Numbering s = {.input = input, .axis = axis, .level = level, .into = mg->into};
    s.key = sort.key[0];
    s.value = sort.value[0];
    s.element_of = element_of;
    ooze_parallel_for(mg->threads, mg->n, PARTICLE_GRAIN, number_particles, &s);
    ooze_key_sort(&sort, mg->threads, mg->n, ooze_multigrid_bits(level->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->kept, mg->temporary, &sort, mg->n);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    memcpy(level->child, sort.value[0], mg->n * sizeof *level->child);
    level->elements = groups.count;
    level->cell = groups.number;
    level->child_first = groups.first;
    ooze_parallel_for(mg->threads, level->elements, OOZE_VELOCITY_ELEMENT_GRAIN, place_particles,
                      &s);
}

/* ---- links of the first level ---- */

typedef struct Linking {
    const OozeVelocityMultigridInput *input;
    OozeVelocityLevel *fine, *level;
    const uint32_t *element_of;
    uint32_t *found; /* SLOTS per element: elements that it is linked with, then NONE */
} Linking;

/* Elements at the other ends of edges, in the 26 cells around: where cells of a periodic axis are
   short, an edge may pass over one, but such elements share no corner. */
static void link_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Linking *s = data;
    const OozeVelocityLevel *level = s->level;
    const OozeEdges *edges = s->input->edges;
    for (uint64_t e = begin; e < end; e++) {
        uint32_t *list = s->found + SLOTS * e, count = 0, seen[SEEN];
        for (uint32_t k = 0; k < SEEN; k++) {
            seen[k] = (uint32_t)e;
        }
        for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
            uint64_t i = level->child[k], first = edges->list->first[i];
            for (uint64_t f = first; f < first + edges->list->count[i]; f++) {
                uint32_t other = s->element_of[edges->list->index[f]];
                uint32_t *last = &seen[other % SEEN];
                /* & instead of &&: one branch that is rarely taken, instead of three */
                bool is_near = edges->weight[f] >= s->input->link_weight;
                if (is_near & (other != *last) & (other != e)) {
                    bool links = ooze_velocity_link_place(&level->shape, level->cell[e],
                                                          level->cell[other]) >= 0;
                    count = links ? ooze_velocity_insert(list, count, other) : count;
                    *last = other;
                }
            }
        }
        level->link_first[e] = count;
    }
}

static void copy_links(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Linking *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        uint32_t first = level->link_first[e];
        memcpy(level->link + first, s->found + SLOTS * e,
               (level->link_first[e + 1] - first) * sizeof *level->link);
    }
}

static void link_first_elements(OozeVelocityMultigrid *mg, const OozeVelocityMultigridInput *input,
                                const uint32_t *element_of)
{
    OozeVelocityLevel *level = &mg->level[0];
    Linking s = {.input = input, .level = level, .element_of = element_of};
    s.found = ooze_arena_alloc(mg->temporary, SLOTS * level->elements, sizeof *s.found);
    level->link_first = ooze_arena_alloc(mg->kept, level->elements + 1, sizeof(uint32_t));
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    ooze_parallel_for(mg->threads, level->elements, OOZE_VELOCITY_ELEMENT_GRAIN, link_particles,
                      &s);
    uint32_t total = sum_counts(level->link_first, level->elements);
    level->link = ooze_arena_alloc(mg->kept, total, sizeof *level->link);
    if (!ooze_velocity_multigrid_failed(mg)) {
        ooze_parallel_for(mg->threads, level->elements, OOZE_VELOCITY_ELEMENT_GRAIN, copy_links,
                          &s);
    }
}

/* ---- components of linked elements in groups ---- */

static void join_groups(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t g = begin; g < end; g++) {
        ooze_velocity_join_group(data, g);
    }
}

static void number_groups(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t g = begin; g < end; g++) {
        ooze_velocity_number_group(data, g);
    }
}

static void list_groups(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t g = begin; g < end; g++) {
        ooze_velocity_list_group(data, g);
    }
}

typedef struct Components {
    OozeVelocityComponents of;
    uint64_t groups;
} Components;

static Components components(const OozeVelocityLevel *level, OozeGridGroups groups,
                             const uint32_t *value, uint32_t per_element)
{
    return (Components){.of = {.links = {level->link_first, level->link},
                               .group_first = groups.first,
                               .value = value,
                               .per_element = per_element},
                        .groups = groups.count};
}

/* Returns the number of components. */
static uint64_t find_components(OozeVelocityMultigrid *mg, Components *s, uint64_t values)
{
    OozeVelocityComponents *of = &s->of;
    of->root = ooze_arena_alloc(mg->temporary, values, sizeof *of->root);
    of->component = ooze_arena_alloc(mg->temporary, values, sizeof *of->component);
    of->count = ooze_arena_alloc(mg->temporary, s->groups + 1, sizeof *of->count);
    if (ooze_velocity_multigrid_failed(mg)) {
        return 0;
    }
    ooze_parallel_for(mg->threads, s->groups, GROUP_GRAIN, join_groups, of);
    uint32_t total = sum_counts(of->count, s->groups);
    ooze_parallel_for(mg->threads, s->groups, GROUP_GRAIN, number_groups, of);
    return total;
}

/* first[components + 1], and `listed` of all values. */
static void list_components(OozeThreads *threads, Components *s, uint32_t *first, uint32_t *listed)
{
    s->of.first = first;
    s->of.listed = listed;
    ooze_parallel_for(threads, s->groups, GROUP_GRAIN, list_groups, &s->of);
    first[s->of.count[s->groups]] = s->of.group_first[s->groups];
}

/* ---- nodes ---- */

static void find_nodes(OozeVelocityMultigrid *mg, OozeVelocityLevel *level)
{
    OozeKeySort sort;
    uint64_t corners = 8 * level->elements;
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    ooze_key_sort_alloc(&sort, mg->temporary, corners);
    level->node_corner = ooze_arena_alloc(mg->kept, corners, sizeof *level->node_corner);
    level->corner_node = ooze_arena_alloc(mg->kept, corners, sizeof *level->corner_node);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    ooze_grid_number_corners(mg->threads, &level->shape, level->cell, level->elements, &sort);
    ooze_key_sort(&sort, mg->threads, corners, ooze_multigrid_bits(level->shape.nodes));
    OozeGridGroups groups = ooze_grid_groups(mg->temporary, mg->temporary, &sort, corners);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    Components c = components(level, groups, sort.value[0], 8);
    level->nodes = find_components(mg, &c, corners);
    level->node_first = ooze_arena_alloc(mg->kept, level->nodes + 1, sizeof *level->node_first);
    if (!ooze_velocity_multigrid_failed(mg)) {
        list_components(mg->threads, &c, level->node_first, level->node_corner);
        ooze_grid_link_corners(mg->threads, level->nodes, level->node_first, level->node_corner,
                               level->corner_node);
    }
    level->node_begin = 0;
    level->node_end = level->nodes;
    ooze_arena_rewind(mg->temporary, mark);
}

/* ---- coarser levels ---- */

static void link_parents(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Linking *s = data;
    const OozeVelocityLevel *level = s->level, *fine = s->fine;
    for (uint64_t p = begin; p < end; p++) {
        uint32_t *list = s->found + level->link_first[p], count = 0;
        for (uint32_t c = level->child_first[p]; c < level->child_first[p + 1]; c++) {
            uint32_t child = level->child[c];
            for (uint32_t e = fine->link_first[child]; e < fine->link_first[child + 1]; e++) {
                uint32_t other = fine->parent[fine->link[e]];
                if (other != p && other != OOZE_MULTIGRID_NONE) {
                    count = ooze_velocity_insert(list, count, other);
                }
            }
        }
        level->link[p] = count; /* moved together by link_coarse_elements */
    }
}

static void link_coarse_elements(OozeVelocityMultigrid *mg, OozeVelocityLevel *fine,
                                 OozeVelocityLevel *level)
{
    Linking s = {.fine = fine, .level = level};
    uint64_t n = level->elements;
    uint32_t *first = ooze_arena_alloc(mg->kept, n + 1, sizeof *first);
    uint32_t *counts = ooze_arena_alloc(mg->temporary, n, sizeof *counts);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    for (uint64_t p = 0; p < n; p++) {
        first[p] = 0;
        for (uint32_t c = level->child_first[p]; c < level->child_first[p + 1]; c++) {
            first[p] += fine->link_first[level->child[c] + 1] - fine->link_first[level->child[c]];
        }
    }
    uint32_t room = sum_counts(first, n);
    s.found = ooze_arena_alloc(mg->temporary, room, sizeof *s.found);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    level->link_first = first;
    level->link = counts;
    ooze_parallel_for(mg->threads, n, OOZE_VELOCITY_ELEMENT_GRAIN, link_parents, &s);
    uint32_t total = 0;
    for (uint64_t p = 0; p < n; p++) {
        memmove(s.found + total, s.found + first[p], counts[p] * sizeof *counts);
        first[p] = total;
        total += counts[p];
    }
    first[n] = total;
    level->link = ooze_arena_alloc(mg->kept, total, sizeof *level->link);
    if (level->link) {
        memcpy(level->link, s.found, total * sizeof *level->link);
    }
}

typedef struct Children {
    OozeVelocityLevel *fine, *level;
    uint64_t *key; /* number of the parent's cell, or ISOLATED */
} Children;

static void number_children(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Children *s = data;
    OozeVelocityLevel *fine = s->fine;
    const OozeVelocityCornerLists lists = {fine->corner_node, fine->node_first, fine->node_corner};
    for (uint64_t e = begin; e < end; e++) {
        uint64_t parent =
            ooze_multigrid_parent(&fine->shape, &s->level->shape, fine->cell[e], &fine->place[e]);
        fine->parent[e] = OOZE_MULTIGRID_NONE;
        s->key[e] = ooze_velocity_is_isolated(&lists, e) ? ISOLATED : parent;
    }
}

/* Elements without neighbours stay on this level; the others get keys of their parents' cells. */
static uint64_t list_children(OozeVelocityMultigrid *mg, OozeVelocityLevel *fine,
                              OozeVelocityLevel *level, OozeKeySort *sort)
{
    Children s = {.fine = fine, .level = level, .key = sort->key[0]};
    uint64_t count = 0;
    ooze_parallel_for(mg->threads, fine->elements, OOZE_VELOCITY_ELEMENT_GRAIN, number_children,
                      &s);
    fine->isolated_count = 0;
    for (uint64_t e = 0; e < fine->elements; e++) {
        if (s.key[e] == ISOLATED) {
            fine->isolated[fine->isolated_count++] = (uint32_t)e;
        } else {
            sort->key[0][count] = s.key[e];
            sort->value[0][count++] = (uint32_t)e;
        }
    }
    return count;
}

/* The elements of the level that follows `fine`, which may be none. */
static void find_coarser_elements(OozeVelocityMultigrid *mg, OozeVelocityLevel *fine,
                                  OozeVelocityLevel *level)
{
    OozeKeySort sort;
    level->shape = ooze_multigrid_coarser(&fine->shape);
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    ooze_key_sort_alloc(&sort, mg->temporary, fine->elements);
    level->child = ooze_arena_alloc(mg->kept, fine->elements, sizeof *level->child);
    fine->parent = ooze_arena_alloc(mg->kept, fine->elements, sizeof *fine->parent);
    fine->place = ooze_arena_alloc(mg->kept, fine->elements, sizeof *fine->place);
    fine->isolated = ooze_arena_alloc(mg->kept, fine->elements, sizeof *fine->isolated);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    uint64_t count = list_children(mg, fine, level, &sort);
    ooze_key_sort(&sort, mg->threads, count, ooze_multigrid_bits(level->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->temporary, mg->temporary, &sort, count);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    Components c = components(fine, groups, sort.value[0], 1);
    level->elements = find_components(mg, &c, count);
    level->child_first = ooze_arena_alloc(mg->kept, level->elements + 1, sizeof(uint32_t));
    level->cell = ooze_arena_alloc(mg->kept, level->elements, sizeof *level->cell);
    if (ooze_velocity_multigrid_failed(mg)) {
        return;
    }
    list_components(mg->threads, &c, level->child_first, level->child);
    for (uint64_t i = 0; i < count; i++) {
        fine->parent[sort.value[0][i]] = c.of.component[i];
        level->cell[c.of.component[i]] = sort.key[0][i];
    }
    link_coarse_elements(mg, fine, level);
    ooze_arena_rewind(mg->temporary, mark);
}

OozeStatus ooze_velocity_find_levels(OozeVelocityMultigrid *mg,
                                     const OozeVelocityMultigridInput *input, OozeError *error)
{
    uint32_t *element_of = ooze_arena_alloc(mg->temporary, mg->n, sizeof *element_of);
    if (mg->sharing) {
        ooze_velocity_share_elements(mg, input);
    } else if (element_of) {
        find_first_elements(mg, input, element_of);
    }
    if (!mg->sharing && !ooze_velocity_multigrid_failed(mg)) {
        link_first_elements(mg, input, element_of);
    }
    while (!ooze_velocity_multigrid_failed(mg) && mg->levels < OOZE_MULTIGRID_LEVELS &&
           mg->level[mg->levels].elements > 0) {
        OozeVelocityLevel *level = &mg->level[mg->levels++];
        find_nodes(mg, level);
        if (ooze_velocity_multigrid_failed(mg) || level->nodes <= OOZE_VELOCITY_DENSE) {
            break;
        }
        if (mg->levels < OOZE_MULTIGRID_LEVELS) {
            find_coarser_elements(mg, level, &mg->level[mg->levels]);
        }
    }
    if (mg->sharing && !ooze_velocity_multigrid_failed(mg)) {
        ooze_velocity_share_nodes(mg);
    }
    bool out_of_memory = ooze_velocity_multigrid_failed(mg);
    ooze_arena_reset(mg->temporary);
    return out_of_memory ? ooze_fail_memory(error, "the grids of the velocity solve", mg->n * 400)
                         : OOZE_OK;
}
