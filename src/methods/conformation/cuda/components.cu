/* Connected components of fluid: see methods/conformation/cpu/components.c. */
#include "methods/conformation/cuda/lodge.cuh"
#include "particles/components_formula.h"

namespace ooze
{

/* Lanes of a particle: loops wait for what they load, not for bandwidth, at any number of
   particles. */
#ifdef __CUDACC__
enum { LANES = MANY_LANES };
#else
enum { LANES = 1 };
#endif

OOZE_DEVICE uint32_t lowest_of_lanes(uint32_t a)
{
#ifdef __CUDACC__
    for (int k = LANES / 2; k > 0; k /= 2) {
        const uint32_t other = __shfl_xor_sync(lanes_mask<LANES>(), a, k);
        a = other < a ? other : a;
    }
#endif
    return a;
}

/* Neighbours that may belong to the component of i, of this lane; padding excluded. */
template <class F>
OOZE_DEVICE void each_of_component(const StepView &s, bool across_rows, uint32_t i, uint32_t lane,
                                   F f)
{
    const uint16_t own = s.material[i];
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        if (j < i && (across_rows || s.material[j] == own)) { /* padding is behind all */
            f(j);
        }
    });
}

/* The neighbour of lowest index becomes the parent: most pairs then have the same root already. */
static void set_first_parents(Step *step, bool across_rows, uint32_t *root, const int32_t *off)
{
    const StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (*off) {
                return;
            }
            uint32_t lowest = i;
            each_of_component(s, across_rows, i, lane,
                              [&](uint32_t j) { lowest = j < lowest ? j : lowest; });
            lowest = lowest_of_lanes(lowest);
            if (lane == 0) {
                root[i] = lowest;
            }
        });
}

static void join_neighbours(Step *step, bool across_rows, uint32_t *root, const int32_t *off)
{
    const StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (*off) {
                return;
            }
            uint32_t own_root = ooze_component_root(root, i);
            each_of_component(s, across_rows, i, lane, [&](uint32_t j) {
                if (ooze_parent_get(root, j) != own_root) {
                    ooze_component_join(root, i, j);
                    own_root = ooze_component_root(root, i);
                }
            });
        });
}

void find_components(Step *step, bool across_rows, uint32_t *root, const int32_t *off)
{
    const uint32_t n = step->view.n;
    const bool one_row = across_rows || step->view.plan->row_count == 1;
    set_first_parents(step, one_row, root, off);
    for_each(
        step->gpu, n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                (void)ooze_component_root(root, i);
            }
        });
    join_neighbours(step, one_row, root, off);
    for_each(
        step->gpu, n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                root[i] = ooze_component_root(root, i);
            }
        });
}

} // namespace ooze
