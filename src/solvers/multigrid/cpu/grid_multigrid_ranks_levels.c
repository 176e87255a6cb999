/* Levels of the pressure grid on several processes: the second level that all share, and the
   exchange of matrices and corrections. See grid_multigrid_ranks.h. */
#include <string.h>

#include "base/search.h"
#include "solvers/multigrid/grid_cells.h"
#include "solvers/multigrid/grid_multigrid_ranks.h"
#include "solvers/multigrid/links_formula.h"

enum { ELEMENT_FLOATS = 64, CORNERS = OOZE_MULTIGRID_CORNERS };

/* ---- the second level ---- */

static uint32_t find_cell(const OozeMultigridLevel *level, uint64_t number)
{
    uint64_t at = ooze_lower_bound(level->cell, sizeof *level->cell, level->cells, number);
    bool found = at < level->cells && level->cell[at] == number;
    return found ? (uint32_t)at : OOZE_MULTIGRID_NONE;
}

/* Numbers of the parents of the own cells that are not isolated, then of all processes: those of a
   process are behind those of the ones before it. */
static void gather_parents(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridLevel *fine = &mg->grids.level[0];
    OozeMultigridLevel *coarse = &mg->grids.level[1];
    OozeKeySort sort;
    uint64_t count = 0;
    uint8_t place;
    ooze_key_sort_alloc(&sort, mg->grids.temporary, s->own.cells);
    s->coarse_first = ooze_arena_alloc(mg->grids.kept, (uint64_t)s->ranks->count + 1, sizeof count);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    for (uint64_t c = 0; c < s->own.cells; c++) {
        if (!ooze_links_is_isolated(fine, false, s->place[c])) {
            sort.key[0][count++] =
                ooze_multigrid_parent(&fine->shape, &coarse->shape, s->own.cell[c], &place);
        }
    }
    ooze_key_sort(&sort, mg->grids.threads, count, ooze_multigrid_bits(coarse->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->grids.kept, mg->grids.temporary, &sort, count);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    OozeHaloList list = {.own = groups.number,
                         .count = groups.count,
                         .at = s->coarse_first,
                         .size = sizeof *coarse->cell};
    if (ooze_halo_gather_list(s->halo, mg->grids.kept, &list, NULL) == OOZE_OK) {
        coarse->cell = list.all;
        coarse->cells = list.total;
    }
}

void ooze_multigrid_share_coarser(OozeGridMultigrid *mg)
{
    OozeMultigridLevel *fine = &mg->grids.level[0], *coarse = &mg->grids.level[1];
    gather_parents(mg);
    coarse->child = ooze_arena_alloc(mg->grids.kept, fine->cells, sizeof *coarse->child);
    coarse->child_first =
        ooze_arena_alloc(mg->grids.kept, coarse->cells + 2, sizeof *coarse->child_first);
    fine->parent = ooze_arena_alloc(mg->grids.kept, fine->cells, sizeof *fine->parent);
    fine->place = ooze_arena_alloc(mg->grids.kept, fine->cells, sizeof *fine->place);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    uint32_t *first = coarse->child_first;
    memset(first, 0, (coarse->cells + 2) * sizeof *first);
    for (uint64_t c = 0; c < fine->cells; c++) {
        uint64_t parent =
            ooze_multigrid_parent(&fine->shape, &coarse->shape, fine->cell[c], &fine->place[c]);
        bool isolated = ooze_links_is_isolated(fine, false, c);
        fine->parent[c] = isolated ? OOZE_MULTIGRID_NONE : find_cell(coarse, parent);
        if (fine->parent[c] != OOZE_MULTIGRID_NONE) {
            first[fine->parent[c] + 2]++;
        }
    }
    for (uint64_t p = 0; p < coarse->cells; p++) {
        first[p + 2] += first[p + 1];
    }
    for (uint64_t c = 0; c < fine->cells; c++) { /* moves first[p + 1] to the end of p */
        if (fine->parent[c] != OOZE_MULTIGRID_NONE) {
            coarse->child[first[fine->parent[c] + 1]++] = (uint32_t)c;
        }
    }
    ooze_hierarchy_find_coarse_cells(&mg->grids, 0);
}

/* The process of a node of the second level: that of the first of its cells. */
static int rank_of_node(const OozeGridMultigrid *mg, uint64_t node)
{
    const struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridLevel *coarse = &mg->grids.level[1];
    uint64_t cell = coarse->node_corner[coarse->node_first[node]] / CORNERS;
    return ooze_part_of(s->coarse_first, s->ranks->count, cell);
}

void ooze_multigrid_share_nodes(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    uint64_t nodes = mg->grids.levels > 1 ? mg->grids.level[1].nodes : 0,
             ranks = (uint64_t)s->ranks->count;
    s->own.corner_node =
        ooze_arena_alloc(mg->grids.kept, CORNERS * s->own.cells, sizeof *s->own.corner_node);
    s->coarse_node = ooze_arena_alloc(mg->grids.kept, nodes, sizeof *s->coarse_node);
    s->node_first = ooze_arena_alloc(mg->grids.kept, ranks + 2, sizeof *s->node_first);
    s->own_b = ooze_arena_alloc(mg->grids.kept, nodes, sizeof *s->own_b);
    s->all_b = ooze_arena_alloc(mg->grids.kept, nodes, sizeof *s->all_b);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    for (uint64_t c = 0; c < s->own.cells; c++) {
        memcpy(s->own.corner_node + CORNERS * c,
               mg->grids.level[0].corner_node + CORNERS * (uint64_t)s->place[c],
               CORNERS * sizeof *s->own.corner_node);
    }
    memset(s->node_first, 0, (ranks + 2) * sizeof *s->node_first);
    for (uint64_t i = 0; i < nodes; i++) {
        s->node_first[rank_of_node(mg, i) + 2]++;
    }
    for (uint64_t r = 0; r < ranks; r++) {
        s->node_first[r + 2] += s->node_first[r + 1];
    }
    for (uint64_t i = 0; i < nodes; i++) {
        s->coarse_node[s->node_first[rank_of_node(mg, i) + 1]++] = (uint32_t)i;
    }
}

/* ---- element matrices ---- */

void ooze_multigrid_share_elements(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    OozeMultigridLevel *level = &mg->grids.level[0];
    const size_t bytes = ELEMENT_FLOATS * sizeof(float);
    uint64_t sent = ooze_rank_exchange_sent(&s->cells);
    float *packed = ooze_arena_alloc(mg->grids.temporary, sent, bytes);
    s->own_rows.element = ooze_arena_alloc(mg->grids.temporary, level->cells, bytes);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    OozeMultigridSweep sweep = {.mg = mg,
                                .level = &s->own,
                                .rows = &s->own_rows,
                                .stiffness = s->stiffness,
                                .mass = s->mass};
    ooze_parallel_for(mg->grids.threads, s->own.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->elements, &sweep);
    ooze_rank_exchange_run(&s->cells, s->own_rows.element,
                           s->own_rows.element + ELEMENT_FLOATS * s->own.cells, bytes, packed);
    for (uint64_t c = 0; c < level->cells; c++) {
        memcpy(mg->rows[0].element + ELEMENT_FLOATS * (uint64_t)s->place[c],
               s->own_rows.element + ELEMENT_FLOATS * c, bytes);
    }
}

void ooze_multigrid_share_coarse_elements(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    OozeMultigridLevel part = mg->grids.level[1];
    OozePressureRows rows = mg->rows[1];
    uint64_t first = s->coarse_first[s->ranks->rank];
    part.cells = s->coarse_first[s->ranks->rank + 1] - first;
    part.child_first += first;
    rows.element =
        ooze_arena_alloc(mg->grids.temporary, ELEMENT_FLOATS * part.cells, sizeof(float));
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    OozeMultigridSweep sweep = {.mg = mg,
                                .level = &part,
                                .rows = &rows,
                                .fine = &mg->grids.level[0],
                                .fine_rows = &mg->rows[0]};
    ooze_parallel_for(mg->grids.threads, part.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->coarse_elements, &sweep);
    ooze_rank_gather(s->ranks, s->coarse_first, rows.element, mg->rows[1].element,
                     ELEMENT_FLOATS * sizeof(float), s->bytes);
}

/* ---- a correction ---- */

void ooze_multigrid_shared_restrict(const OozeGridMultigrid *mg, const float *r)
{
    const struct OozeMultigridShared *s = mg->shared;
    const size_t bytes = CORNERS * sizeof(float);
    ooze_rank_exchange_run(&s->move, r, s->here, sizeof *r, s->there);
    OozeMultigridSweep sweep = {
        .mg = mg, .level = &s->own, .rows = &s->own_rows, .from = s->here, .to = s->sums};
    ooze_parallel_for(mg->grids.threads, s->own.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->restricts, &sweep);
    ooze_rank_exchange_run(&s->cells, s->sums, s->sums + CORNERS * s->own.cells, bytes,
                           s->sent_sums);
    for (uint64_t c = 0; c < mg->grids.level[0].cells; c++) {
        memcpy(mg->corner_sums + CORNERS * (uint64_t)s->place[c], s->sums + CORNERS * c, bytes);
    }
}

static void right_side_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridMultigrid *mg = data;
    const struct OozeMultigridShared *s = mg->shared;
    const uint32_t *node = s->coarse_node + s->node_first[s->ranks->rank];
    for (uint64_t k = begin; k < end; k++) {
        s->own_b[k] = ooze_multigrid_restricted(&mg->rows[1], node[k], mg->rows[0].r);
    }
}

void ooze_multigrid_shared_right_side(const OozeGridMultigrid *mg)
{
    const struct OozeMultigridShared *s = mg->shared;
    const uint64_t *first = s->node_first;
    int me = s->ranks->rank;
    ooze_parallel_for(mg->grids.threads, first[me + 1] - first[me], OOZE_MULTIGRID_NODE_GRAIN,
                      right_side_range, (void *)mg);
    ooze_rank_gather(s->ranks, first, s->own_b, s->all_b, sizeof(float), s->bytes);
    for (uint64_t k = 0; k < mg->grids.level[1].nodes; k++) {
        mg->rows[1].b[s->coarse_node[k]] = s->all_b[k];
    }
}

void ooze_multigrid_shared_prolong(const OozeGridMultigrid *mg, const float *x, float *z)
{
    const struct OozeMultigridShared *s = mg->shared;
    uint64_t count = ooze_rank_exchange_received(&s->move);
    for (uint64_t i = 0; i < count; i++) {
        s->here[i] = -0.0f; /* -0 + x is x, also where x is 0 or -0 */
    }
    OozeMultigridSweep sweep = {
        .mg = mg, .level = &s->own, .rows = &s->own_rows, .from = x, .to = s->here};
    ooze_parallel_for(mg->grids.threads, s->own.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->prolongs, &sweep);
    ooze_rank_exchange_back(&s->move, s->here, s->there, sizeof *z);
    for (uint64_t k = 0; k < mg->grids.n; k++) {
        z[s->move.send[k]] += s->there[k];
    }
}
