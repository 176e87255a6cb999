/* Links of the first level: see cpu/velocity_multigrid_links.c. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

namespace ooze
{

/* Elements at the other ends of edges: see link_particles of the processor. */
static void link_first_elements(VelocityMultigrid *mg)
{
    Gpu *gpu = mg->gpu;
    const OozeMultigridLevel level = mg->level[0];
    const VelocityMultigridInput input = *mg->input;
    const uint32_t *element_of = mg->element_of;
    Mark mark = scratch_mark(gpu);
    uint32_t *found = scratch<uint32_t>(gpu, OOZE_LINK_SLOTS * level.cells);
    for_each(
        gpu, level.cells, OOZE_BODY(uint32_t e) {
            uint32_t *list = found + OOZE_LINK_SLOTS * (uint64_t)e, count = 0, last = e;
            for (uint32_t k = level.child_first[e]; k < level.child_first[e + 1]; k++) {
                const uint32_t i = level.child[k];
                const float4 here = input.x0[i];
                each_true_neighbour(input.fluid, i, [&](uint32_t j) {
                    uint32_t other = element_of[j];
                    if (other == last || other == e) {
                        return;
                    }
                    float r2 = delta<true>(input, here, input.x0[j]).r2;
                    if (edge_weight(input, r2) >= input.link_weight) {
                        bool links =
                            ooze_links_place(&level.shape, level.cell[e], level.cell[other]) >= 0;
                        count = links ? ooze_links_insert(list, count, other) : count;
                        last = other;
                    }
                });
            }
            level.link_first[e] = count;
        });
    store_links(mg, 0, found, nullptr);
    scratch_rewind(gpu, mark);
}

void velocity_find_first(OozeHierarchy *h)
{
    VelocityMultigrid *mg = static_cast<VelocityMultigrid *>(h);
    const VelocityMultigridInput *input = mg->input;
    Extent box = find_extent(
        mg->gpu, input->x0, input->n, OOZE_BODY(uint32_t) { return 0.0f; });
    hierarchy_set_axes(mg, axes_of(box, input->spacing, &input->periodic));
    hierarchy_find_cells(mg, input->x0);
    link_first_elements(mg);
}

} // namespace ooze
