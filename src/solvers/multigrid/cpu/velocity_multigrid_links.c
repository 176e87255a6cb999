/* The levels of velocity_multigrid.h: links of the first one, which edges make. */
#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/links_formula.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

enum { SLOTS = OOZE_LINK_SLOTS, SEEN = OOZE_LINK_SEEN };

typedef struct Linking {
    const OozeVelocityMultigridInput *input;
    OozeMultigridLevel *level;
    const uint32_t *element_of;
    uint32_t *found; /* SLOTS per element: elements that it is linked with, then NONE */
} Linking;

/* Elements at the other ends of edges, in the 26 cells around: where cells of a periodic axis are
   short, an edge may pass over one, but such elements share no corner. */
static void link_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Linking *s = data;
    const OozeMultigridLevel *level = s->level;
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
                    bool links =
                        ooze_links_place(&level->shape, level->cell[e], level->cell[other]) >= 0;
                    count = links ? ooze_links_insert(list, count, other) : count;
                    *last = other;
                }
            }
        }
        level->link_first[e] = count;
    }
}

static void link_first_elements(OozeVelocityMultigrid *mg, const uint32_t *element_of)
{
    OozeMultigridLevel *level = &mg->grids.level[0];
    Linking s = {.input = mg->input, .level = level, .element_of = element_of};
    s.found = ooze_arena_alloc(mg->grids.temporary, SLOTS * level->cells, sizeof *s.found);
    level->link_first = ooze_arena_alloc(mg->grids.kept, level->cells + 1, sizeof(uint32_t));
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    ooze_parallel_for(mg->grids.threads, level->cells, OOZE_VELOCITY_ELEMENT_GRAIN, link_particles,
                      &s);
    ooze_hierarchy_store_links(&mg->grids, 0, s.found, NULL);
}

/* ---- levels ---- */

static void find_first(OozeHierarchy *h)
{
    OozeVelocityMultigrid *mg = (OozeVelocityMultigrid *)h;
    const OozeVelocityMultigridInput *in = mg->input;
    uint32_t *element_of = NULL;
    ooze_hierarchy_find_axes(h, in->edges->x, in->spacing, in->periodic, in->halo);
    if (mg->sharing) {
        ooze_velocity_share_elements(mg, in);
    } else {
        element_of = ooze_arena_alloc(h->temporary, h->n, sizeof *element_of);
        ooze_hierarchy_find_cells(h, in->edges->x, element_of);
    }
    if (!mg->sharing && !ooze_hierarchy_failed(h)) {
        link_first_elements(mg, element_of);
    }
}

OozeStatus ooze_velocity_find_levels(OozeVelocityMultigrid *mg, OozeError *error)
{
    const OozeHierarchyStages stages = {find_first, ooze_hierarchy_find_nodes,
                                        ooze_hierarchy_find_coarser, ooze_hierarchy_failed};
    ooze_hierarchy_find(&mg->grids, &stages);
    for (int k = 0; k < mg->grids.levels; k++) {
        mg->rows[k].node_end = mg->grids.level[k].nodes;
    }
    if (mg->sharing && !ooze_hierarchy_failed(&mg->grids)) {
        ooze_velocity_share_nodes(mg);
    }
    bool out_of_memory = ooze_hierarchy_failed(&mg->grids);
    ooze_arena_reset(mg->grids.temporary);
    return out_of_memory
               ? ooze_fail_memory(error, "the grids of the velocity solve", mg->grids.n * 400)
               : OOZE_OK;
}
