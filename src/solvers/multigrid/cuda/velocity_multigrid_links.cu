/* Links of the first level: see cpu/velocity_multigrid_links.c. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

namespace ooze
{

/* Linked elements of element e by their place among the cells around it, from the particles of one
   lane. Lanes that find the same element write the same number. */
template <int LANES>
OOZE_DEVICE void find_links(const OozeMultigridLevel &level, const VelocityMultigridInput &input,
                            const uint32_t *element_of, uint32_t e, uint32_t lane, uint32_t *at)
{
    uint32_t last = e;
    for (uint32_t k = level.child_first[e] + lane; k < level.child_first[e + 1]; k += LANES) {
        const uint32_t i = level.child[k];
        const float4 here = input.x0[i];
        each_true_neighbour(input.fluid, i, [&](uint32_t j) {
            const uint32_t other = element_of[j];
            if (other == last || other == e) {
                return;
            }
            if (edge_weight(input, delta<true>(input, here, input.x0[j]).r2) >= input.link_weight) {
                const int place = ooze_links_place(&level.shape, level.cell[e], level.cell[other]);
                if (place >= 0) {
                    at[place] = other;
                }
                last = other;
            }
        });
    }
}

/* Elements at the other ends of edges: see link_particles of the processor. */
template <int LANES> static void link_first_elements(VelocityMultigrid *mg)
{
    Gpu *gpu = mg->gpu;
    const OozeMultigridLevel level = mg->level[0];
    const VelocityMultigridInput input = *mg->input;
    const uint32_t *element_of = mg->element_of;
    Mark mark = scratch_mark(gpu);
    uint32_t *found = scratch<uint32_t>(gpu, OOZE_LINK_SLOTS * level.cells);
    for_lanes<LANES>(
        gpu, level.cells, OOZE_BODY(uint32_t e, uint32_t lane) {
            uint32_t *at = found + OOZE_LINK_SLOTS * (uint64_t)e;
            for (uint32_t k = lane; k < OOZE_LINK_SLOTS; k += LANES) {
                at[k] = OOZE_MULTIGRID_NONE;
            }
            lanes_sync<LANES>();
            find_links<LANES>(level, input, element_of, e, lane, at);
            lanes_sync<LANES>();
            if (lane == 0) {
                uint32_t count = 0;
                for (uint32_t k = 0; k < OOZE_LINK_SLOTS; k++) {
                    const uint32_t other = at[k]; /* the list is no longer than what was read */
                    count =
                        other != OOZE_MULTIGRID_NONE ? ooze_links_insert(at, count, other) : count;
                }
                level.link_first[e] = count;
            }
        });
    store_links(mg, 0, found, nullptr);
    scratch_rewind(gpu, mark);
}

void velocity_find_first(OozeHierarchy *h)
{
#define LINK_FIRST(lanes) link_first_elements<lanes>(mg)
    VelocityMultigrid *mg = static_cast<VelocityMultigrid *>(h);
    const VelocityMultigridInput *input = mg->input;
    Extent box = find_extent(
        mg->gpu, input->x0, input->n, OOZE_BODY(uint32_t) { return 0.0f; });
    hierarchy_set_axes(mg, axes_of(box, input->spacing, &input->periodic));
    hierarchy_find_cells(mg, input->x0);
    OOZE_LANES(mg->level[0].cells, LINK_FIRST);
}

} // namespace ooze
