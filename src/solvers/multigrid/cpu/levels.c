#include "solvers/multigrid/cpu/levels.h"

#include <string.h>

#include "solvers/multigrid/grid_cells.h"
#include "solvers/multigrid/links_formula.h"

enum { PARTICLE_GRAIN = 4096, GROUP_GRAIN = 256, CELL_GRAIN = 128, NODE_GRAIN = 512 };
#define ISOLATED UINT64_MAX

/* ---- memory ---- */

bool ooze_hierarchy_create(OozeHierarchy *h)
{
    h->child = ooze_alloc_zero(OOZE_MULTIGRID_PLACES, sizeof *h->child);
    h->kept = ooze_arena_create();
    h->temporary = ooze_arena_create();
    for (int place = 0; h->child && place < OOZE_MULTIGRID_PLACES; place++) {
        ooze_multigrid_child(place, &h->child[place]);
    }
    return h->child && h->kept && h->temporary;
}

void ooze_hierarchy_destroy(OozeHierarchy *h)
{
    ooze_arena_destroy(h->kept);
    ooze_arena_destroy(h->temporary);
    ooze_free(h->child);
}

uint64_t ooze_hierarchy_bytes(const OozeHierarchy *h)
{
    return OOZE_MULTIGRID_PLACES * sizeof *h->child + ooze_arena_bytes(h->kept) +
           ooze_arena_bytes(h->temporary);
}

void ooze_hierarchy_clear(OozeHierarchy *h, OozeThreads *threads)
{
    ooze_arena_reset(h->kept);
    ooze_arena_reset(h->temporary);
    memset(h->level, 0, sizeof h->level);
    h->levels = 0;
    h->n = h->all_cells = 0;
    h->threads = threads;
}

uint32_t ooze_sum_counts(uint32_t *first, uint64_t n)
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

/* ---- cells of the first level ---- */

void ooze_hierarchy_find_axes(OozeHierarchy *h, const OozeF32x4 *x, double spacing,
                              const OozePeriodic *periodic, OozeHalo *halo)
{
    OozeMultigridAxis *axis = h->axis;
    ooze_grid_find_axes(x, h->n, spacing, periodic, h->threads, halo, axis);
    const int32_t cells[3] = {axis[0].cells, axis[1].cells, axis[2].cells};
    const bool wraps[3] = {axis[0].wraps, axis[1].wraps, axis[2].wraps};
    h->level[0].shape = ooze_multigrid_shape(cells, wraps);
    for (int k = 0; k < 3; k++) {
        h->inverse[k] = (float)axis[k].inverse;
    }
}

typedef struct Numbering {
    const OozeHierarchy *h;
    const OozeF32x4 *x;
    uint64_t *key;
    uint32_t *value, *cell_of;
} Numbering;

static void number_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 into;
        s->key[i] = ooze_hierarchy_cell(s->h, s->x[i], &into);
        s->value[i] = (uint32_t)i;
    }
}

static void place_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Numbering *s = data;
    const OozeMultigridLevel *level = &s->h->level[0];
    for (uint64_t c = begin; c < end; c++) {
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            ooze_hierarchy_cell(s->h, s->x[level->child[i]], &s->h->into[i]);
            if (s->cell_of) {
                s->cell_of[level->child[i]] = (uint32_t)c;
            }
        }
    }
}

void ooze_hierarchy_find_cells(OozeHierarchy *h, const OozeF32x4 *x, uint32_t *cell_of)
{
    OozeMultigridLevel *level = &h->level[0];
    OozeKeySort sort;
    OozeArenaMark mark = ooze_arena_mark(h->temporary);
    ooze_key_sort_alloc(&sort, h->temporary, h->n);
    level->child = ooze_arena_alloc(h->kept, h->n, sizeof *level->child);
    h->into = ooze_arena_alloc(h->kept, h->n, sizeof *h->into);
    if (ooze_hierarchy_failed(h)) {
        return;
    }
    Numbering s = {h, x, sort.key[0], sort.value[0], cell_of};
    ooze_parallel_for(h->threads, h->n, PARTICLE_GRAIN, number_particles, &s);
    ooze_key_sort(&sort, h->threads, h->n, ooze_multigrid_bits(level->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(h->kept, h->temporary, &sort, h->n);
    if (!ooze_hierarchy_failed(h)) {
        memcpy(level->child, sort.value[0], h->n * sizeof *level->child);
        level->cells = groups.count;
        level->cell = groups.number;
        level->child_first = groups.first;
        ooze_parallel_for(h->threads, level->cells, CELL_GRAIN, place_particles, &s);
    }
    ooze_arena_rewind(h->temporary, mark);
}

/* ---- links ---- */

typedef struct Storing {
    const OozeMultigridLevel *level;
    const uint32_t *found, *place;
} Storing;

static void copy_links(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Storing *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t c = begin; c < end; c++) {
        uint32_t first = level->link_first[c];
        const uint32_t *from = s->found + (s->place ? s->place[c] : OOZE_LINK_SLOTS * c);
        memcpy(level->link + first, from, (level->link_first[c + 1] - first) * sizeof *level->link);
    }
}

void ooze_hierarchy_store_links(OozeHierarchy *h, int k, const uint32_t *found,
                                const uint32_t *place)
{
    OozeMultigridLevel *level = &h->level[k];
    Storing s = {level, found, place};
    level->links = ooze_sum_counts(level->link_first, level->cells);
    level->link = ooze_arena_alloc(h->kept, level->links, sizeof *level->link);
    if (level->link) {
        ooze_parallel_for(h->threads, level->cells, CELL_GRAIN, copy_links, &s);
    }
}

/* ---- components of linked cells in groups ---- */

static void join_groups(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t g = begin; g < end; g++) {
        ooze_links_join_group(data, g);
    }
}

static void number_groups(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t g = begin; g < end; g++) {
        ooze_links_number_group(data, g);
    }
}

static void list_groups(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t g = begin; g < end; g++) {
        ooze_links_list_group(data, g);
    }
}

/* The components of groups, in temporary memory. Returns their number. */
static uint64_t find_components(OozeHierarchy *h, OozeLinkComponents *of, uint64_t groups)
{
    uint64_t values = of->group_first[groups];
    of->root = ooze_arena_alloc(h->temporary, values, sizeof *of->root);
    of->component = ooze_arena_alloc(h->temporary, values, sizeof *of->component);
    of->count = ooze_arena_alloc(h->temporary, groups + 1, sizeof *of->count);
    if (ooze_hierarchy_failed(h)) {
        return 0;
    }
    ooze_parallel_for(h->threads, groups, GROUP_GRAIN, join_groups, of);
    uint32_t total = ooze_sum_counts(of->count, groups);
    ooze_parallel_for(h->threads, groups, GROUP_GRAIN, number_groups, of);
    return total;
}

/* Sorted pairs in groups of equal keys, which links divide. */
typedef struct Groups {
    uint64_t count;
    uint64_t *number;    /* per group: its key; NULL with links */
    uint32_t *first;     /* count + 1: in `value` */
    uint32_t *value;     /* by group, in the order of the sort */
    uint32_t *component; /* with links, per sorted pair: its group; else NULL */
} Groups;

/* `level`: has the links of the values, `per_cell` of which are of one cell; value: room for them,
   in memory that is kept. */
static Groups find_groups(OozeHierarchy *h, const OozeMultigridLevel *level, OozeKeySort *sort,
                          uint64_t count, uint32_t per_cell, uint32_t *value)
{
    OozeArena *memory = h->linked ? h->temporary : h->kept;
    OozeGridGroups keys = ooze_grid_groups(memory, h->temporary, sort, count);
    Groups groups = {keys.count, keys.number, keys.first, value, NULL};
    if (ooze_hierarchy_failed(h)) {
        return groups;
    }
    if (!h->linked) {
        memcpy(value, sort->value[0], count * sizeof *value);
        return groups;
    }
    OozeLinkComponents of = {.links = {level->link_first, level->link},
                             .group_first = keys.first,
                             .value = sort->value[0],
                             .per_element = per_cell};
    groups.count = find_components(h, &of, keys.count);
    groups.number = NULL;
    groups.component = of.component;
    groups.first = of.first = ooze_arena_alloc(h->kept, groups.count + 1, sizeof *of.first);
    of.listed = value;
    if (!ooze_hierarchy_failed(h)) {
        ooze_parallel_for(h->threads, keys.count, GROUP_GRAIN, list_groups, &of);
        of.first[of.count[keys.count]] = of.group_first[keys.count];
    }
    return groups;
}

/* ---- nodes ---- */

typedef struct Corners {
    OozeMultigridLevel *level;
    OozeKeySort *sort;
} Corners;

/* Keys of the corners of cells, eight each, and their numbers 8 cell + corner. */
static void number_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Corners *s = data;
    const OozeMultigridShape *shape = &s->level->shape;
    for (uint64_t c = begin; c < end; c++) {
        int32_t at[3];
        ooze_multigrid_place(shape->cells, s->level->cell[c], at);
        for (int k = 0; k < 8; k++) {
            s->sort->key[0][8 * c + (uint64_t)k] = ooze_multigrid_corner(shape, at, k);
            s->sort->value[0][8 * c + (uint64_t)k] = (uint32_t)(8 * c) + (uint32_t)k;
        }
    }
}

static void link_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Corners *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t a = begin; a < end; a++) {
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            level->corner_node[level->node_corner[e]] = (uint32_t)a;
        }
    }
}

void ooze_hierarchy_find_nodes(OozeHierarchy *h, int k)
{
    OozeMultigridLevel *level = &h->level[k];
    OozeKeySort sort;
    uint64_t corners = 8 * level->cells;
    OozeArenaMark mark = ooze_arena_mark(h->temporary);
    ooze_key_sort_alloc(&sort, h->temporary, corners);
    level->node_corner = ooze_arena_alloc(h->kept, corners, sizeof *level->node_corner);
    level->corner_node = ooze_arena_alloc(h->kept, corners, sizeof *level->corner_node);
    if (ooze_hierarchy_failed(h)) {
        return;
    }
    Corners s = {level, &sort};
    ooze_parallel_for(h->threads, level->cells, CELL_GRAIN, number_corners, &s);
    ooze_key_sort(&sort, h->threads, corners, ooze_multigrid_bits(level->shape.nodes));
    Groups groups = find_groups(h, level, &sort, corners, 8, level->node_corner);
    if (!ooze_hierarchy_failed(h)) {
        level->nodes = groups.count;
        level->node = groups.number;
        level->node_first = groups.first;
        ooze_parallel_for(h->threads, level->nodes, NODE_GRAIN, link_corners, &s);
    }
    ooze_arena_rewind(h->temporary, mark);
}

/* ---- coarser levels ---- */

typedef struct Children {
    const OozeHierarchy *h;
    OozeMultigridLevel *fine, *level;
    uint64_t *key;   /* number of the parent's cell, or ISOLATED */
    uint32_t *found; /* links of each parent, from `room` on */
    uint32_t *room;
} Children;

static void number_children(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Children *s = data;
    OozeMultigridLevel *fine = s->fine;
    for (uint64_t c = begin; c < end; c++) {
        uint64_t parent =
            ooze_multigrid_parent(&fine->shape, &s->level->shape, fine->cell[c], &fine->place[c]);
        fine->parent[c] = OOZE_MULTIGRID_NONE;
        s->key[c] = ooze_links_is_isolated(fine, s->h->linked, c) ? ISOLATED : parent;
    }
}

/* Cells without neighbours stay on this level; the others get keys of their parents' cells. */
static uint64_t list_children(OozeHierarchy *h, OozeMultigridLevel *fine, OozeMultigridLevel *level,
                              OozeKeySort *sort)
{
    Children s = {.h = h, .fine = fine, .level = level, .key = sort->key[0]};
    uint64_t count = 0;
    ooze_parallel_for(h->threads, fine->cells, CELL_GRAIN, number_children, &s);
    for (uint64_t c = 0; c < fine->cells; c++) {
        if (s.key[c] == ISOLATED) {
            fine->isolated[fine->isolated_count++] = (uint32_t)c;
        } else {
            sort->key[0][count] = s.key[c];
            sort->value[0][count++] = (uint32_t)c;
        }
    }
    return count;
}

static void link_parents(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Children *s = data;
    for (uint64_t p = begin; p < end; p++) {
        s->level->link_first[p] = ooze_links_of_parent(s->fine, s->level, p, s->found + s->room[p]);
    }
}

/* Parents are linked where children of theirs are. */
static void link_parent_cells(OozeHierarchy *h, int k)
{
    OozeMultigridLevel *level = &h->level[k];
    Children s = {.fine = level - 1, .level = level};
    level->link_first = ooze_arena_alloc(h->kept, level->cells + 1, sizeof *level->link_first);
    s.room = ooze_arena_alloc(h->temporary, level->cells + 1, sizeof *s.room);
    if (ooze_hierarchy_failed(h)) {
        return;
    }
    for (uint64_t p = 0; p < level->cells; p++) {
        s.room[p] = ooze_links_of_children(s.fine, level, p);
    }
    uint32_t room = ooze_sum_counts(s.room, level->cells);
    s.found = ooze_arena_alloc(h->temporary, room, sizeof *s.found);
    if (s.found) {
        ooze_parallel_for(h->threads, level->cells, CELL_GRAIN / 4, link_parents, &s);
        ooze_hierarchy_store_links(h, k, s.found, s.room);
    }
}

static void find_coarse_cells(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeMultigridLevel *level = data;
    for (uint64_t i = begin; i < end; i++) {
        ooze_links_find_coarse_cell(level, i);
    }
}

void ooze_hierarchy_find_coarse_cells(OozeHierarchy *h, int k)
{
    OozeMultigridLevel *level = &h->level[k];
    level->coarse_cell = ooze_arena_alloc(h->kept, level->nodes, sizeof *level->coarse_cell);
    level->coarse_place = ooze_arena_alloc(h->kept, level->nodes, sizeof *level->coarse_place);
    if (!ooze_hierarchy_failed(h)) {
        ooze_parallel_for(h->threads, level->nodes, NODE_GRAIN, find_coarse_cells, level);
    }
}

/* Cells of the coarser level from the groups of their children. */
static void set_coarse_cells(OozeHierarchy *h, OozeMultigridLevel *fine, const Groups *groups,
                             const OozeKeySort *sort, OozeMultigridLevel *coarse)
{
    coarse->cells = groups->count;
    coarse->child_first = groups->first;
    coarse->cell = groups->component
                       ? ooze_arena_alloc(h->kept, coarse->cells, sizeof *coarse->cell)
                       : groups->number;
    if (ooze_hierarchy_failed(h)) {
        return;
    }
    for (uint64_t p = 0; p < coarse->cells && !groups->component; p++) {
        for (uint32_t e = coarse->child_first[p]; e < coarse->child_first[p + 1]; e++) {
            fine->parent[coarse->child[e]] = (uint32_t)p;
        }
    }
    for (uint64_t i = 0; i < coarse->child_first[coarse->cells] && groups->component; i++) {
        fine->parent[sort->value[0][i]] = groups->component[i];
        coarse->cell[groups->component[i]] = sort->key[0][i];
    }
}

void ooze_hierarchy_find_coarser(OozeHierarchy *h, int k)
{
    OozeMultigridLevel *fine = &h->level[k], *coarse = fine + 1;
    OozeKeySort sort;
    OozeArenaMark mark = ooze_arena_mark(h->temporary);
    ooze_key_sort_alloc(&sort, h->temporary, fine->cells);
    coarse->child = ooze_arena_alloc(h->kept, fine->cells, sizeof *coarse->child);
    fine->parent = ooze_arena_alloc(h->kept, fine->cells, sizeof *fine->parent);
    fine->place = ooze_arena_alloc(h->kept, fine->cells, sizeof *fine->place);
    fine->isolated = ooze_arena_alloc(h->kept, fine->cells, sizeof *fine->isolated);
    if (ooze_hierarchy_failed(h)) {
        return;
    }
    uint64_t count = list_children(h, fine, coarse, &sort);
    ooze_key_sort(&sort, h->threads, count, ooze_multigrid_bits(coarse->shape.cells));
    Groups groups = find_groups(h, fine, &sort, count, 1, coarse->child);
    if (!ooze_hierarchy_failed(h)) {
        set_coarse_cells(h, fine, &groups, &sort, coarse);
    }
    if (h->linked && !ooze_hierarchy_failed(h)) {
        link_parent_cells(h, k + 1);
    }
    ooze_arena_rewind(h->temporary, mark);
    ooze_hierarchy_find_coarse_cells(h, k);
}
