#include "solvers/multigrid/levels.h"

/* Of all processes. */
static uint64_t cell_count(const OozeHierarchy *h, int k)
{
    return k == 0 && h->all_cells > 0 ? h->all_cells : h->level[k].cells;
}

/* A cell of a level without links has a node of its own, so that a level of more cells has more
   nodes; all processes have all cells of a first level of fewer. */
bool ooze_hierarchy_is_coarsest(const OozeHierarchy *h, int k)
{
    return (h->linked || cell_count(h, k) <= h->direct) && h->level[k].nodes <= h->direct;
}

void ooze_hierarchy_find(OozeHierarchy *h, const OozeHierarchyStages *stages)
{
    stages->find_first(h);
    while (!stages->failed(h) && h->levels < OOZE_MULTIGRID_LEVELS &&
           cell_count(h, h->levels) > 0) {
        const int k = h->levels++;
        stages->find_nodes(h, k);
        if (stages->failed(h) || ooze_hierarchy_is_coarsest(h, k) ||
            h->levels == OOZE_MULTIGRID_LEVELS) {
            break;
        }
        h->level[k + 1].shape = ooze_multigrid_coarser(&h->level[k].shape);
        stages->find_coarser(h, k);
    }
}
