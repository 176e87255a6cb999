/* Connected components of fluid: see methods/conformation/components.c. */
#include "cuda/conformation/lodge.cuh"
#include "methods/conformation/components_formula.h"

namespace ooze
{

/* The parent of each is its least neighbour first: most of the pairs then have the same root
   already. */
void find_components(Step *step, uint32_t *root, const int32_t *off)
{
    StepView s = step->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            uint32_t least = i;
            uint16_t own = s.material[i];
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                least = j < least && s.material[j] == own ? j : least;
            });
            root[i] = least;
        });
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                (void)ooze_component_root(root, i);
            }
        });
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            uint16_t own = s.material[i];
            uint32_t mine = ooze_component_root(root, i);
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                if (j < i && s.material[j] == own && ooze_parent_get(root, j) != mine) {
                    ooze_component_join(root, i, j);
                    mine = ooze_component_root(root, i);
                }
            });
        });
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                root[i] = ooze_component_root(root, i);
            }
        });
}

} // namespace ooze
