/* Smoothers of rigid bodies: see methods/conformation/cpu/lodge_multigrid_bodies.c. */
#include "cuda/edges.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"

extern "C" {
#include "methods/conformation/lodge_multigrid_formula.h"
}

namespace ooze
{

void multigrid_find_bodies(const Lodge *solve)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const uint64_t slots = rigid_slots(step);
    if (slots == 0) {
        return;
    }
    const StepView s = step->view;
    const LodgeView v = solve->view;
    const uint32_t *index = step->bodies->index;
    const Mark mark = scratch_mark(gpu);
    OozeSym3 *around = scratch<OozeSym3>(gpu, s.n), *slot_around = scratch<OozeSym3>(gpu, slots);
    float *weight = scratch<float>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            float g[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                if (s.rigid_of[j] != s.rigid_of[i]) {
                    const Delta d = delta<true>(s, s.x0[i], s.x0[j]);
                    const float f = edge_weight(s, d.r2);
                    g[0] += f * d.x;
                    g[1] += f * d.y;
                    g[2] += f * d.z;
                    g[3] += f;
                }
            });
            const OozeSym3 block = ooze_lodge_gradient_block(g, s.correction[i], v.stiffness[i],
                                                             v.bulk[i], v.hourglass[i]);
            around[i] = ooze_sym3_scale(block, g[3] > 0.0f ? s.dt : 0.0f);
            weight[i] = g[3];
        });
    const OwnRange own = own_range(gpu, s.n);
    refresh(gpu, around, sizeof *around);
    refresh(gpu, weight, sizeof *weight);
    for_each(
        gpu, slots, OOZE_BODY(uint32_t slot) {
            const uint32_t i = index[slot];
            OozeSym3 sum = ooze_sym3_identity(0.0f);
            if (own.has(i)) {
                sum = around[i];
                each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                    if (!s.rigid_of[j] && weight[j] > 0.0f) {
                        const float f = edge_weight(s, delta<true>(s, s.x0[i], s.x0[j]).r2);
                        sum = ooze_sym3_add(sum, ooze_sym3_scale(around[j], f / weight[j]));
                    }
                });
            }
            slot_around[slot] = sum;
        });
    if (gpu->share) {
        bodies_share_slots(step, step->bodies->rigids, slot_around);
    }
    bodies_set_smoothers(step, slot_around);
    scratch_rewind(gpu, mark);
}

} // namespace ooze
