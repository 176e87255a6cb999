/* Connected components of fluid: see methods/conformation/components.c. */
#include "cuda/conformation/lodge.cuh"
#include "particles/components_formula.h"

namespace ooze
{

/* Starts with the neighbour of lowest index as the parent: most pairs then have the same root
   already. */
void find_components(Step *step, bool across_materials, uint32_t *root, const int32_t *off)
{
    StepView s = step->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            uint32_t lowest = i;
            uint16_t own = s.material[i];
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                bool same = across_materials || s.material[j] == own;
                lowest = j < lowest && same ? j : lowest;
            });
            root[i] = lowest;
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
            uint32_t own_root = ooze_component_root(root, i);
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                bool same = across_materials || s.material[j] == own;
                if (j < i && same && ooze_parent_get(root, j) != own_root) {
                    ooze_component_join(root, i, j);
                    own_root = ooze_component_root(root, i);
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
