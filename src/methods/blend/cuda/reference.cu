/* The reference shape on the GPU: see cpu/reference.c. */
#include "cuda/rank_sums.cuh"
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

/* ---- the check -------------------------------------------------------------------------- */

struct GateSum {
    OozeBlendGate gate;
    __device__ void operator+=(const GateSum &o) { ooze_blend_gate_add(&gate, &o.gate); }
};

/* Whether a check of the reference shape of this material concerns a particle. */
OOZE_DEVICE bool is_checked(const BlendView &s, uint32_t i, uint16_t material)
{
    return s.material[i] == material &&
           !ooze_blend_keeps_shape(s.body ? s.body[i] : (uint16_t)0, s.reference_step[i]);
}

OozeBlendGate blend_measure_gate(OozeBlendStep *step, uint16_t material)
{
    const BlendView s = view_of(step);
    const OozeVec3 gravity = ooze_blend_counted_gravity(step->machine->context);
    GateSum none = {};
    return sum_particles_to_host(
               gpu_of(step->machine), s.pairs.n, none,
               OOZE_BODY(uint32_t i)->GateSum {
                   GateSum term = {};
                   if (is_checked(s, i, material)) {
                       term.gate = ooze_blend_gate_terms(
                           &s.external[i], gravity, s.state[i].fluid_share, s.reference_step[i]);
                   }
                   return term;
               })
        .gate;
}

void blend_take_positions(OozeBlendStep *step, uint16_t material)
{
    const BlendView s = view_of(step);
    const uint32_t number = (uint32_t)step->machine->context->step + 1;
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            if (is_checked(s, i, material)) {
                const float4 x = s.x[i];
                s.reference[i] = {x.x, x.y, x.z, 0};
                s.reference_step[i] = number;
                s.rotation[i] = {0, 0, 0, 0};
            }
        });
}

/* ---- the regions ------------------------------------------------------------------------ */

struct SlotCount {
    double held, unfit;
    __device__ void operator+=(const SlotCount &o)
    {
        held += o.held;
        unfit += o.unfit;
    }
};

bool blend_regions_fit(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    SlotCount none = {};
    SlotCount all = sum_particles_to_host(
        gpu_of(step->machine), s.pairs.n, none, OOZE_BODY(uint32_t i)->SlotCount {
            bool fits = ooze_blend_slot_fits(&s.r, s.slot[i], &s.reference[i], s.reference_step[i]);
            return {s.slot[i] != OOZE_BLEND_SLOT_NONE ? 1.0 : 0.0, fits ? 0.0 : 1.0};
        });
    return all.unfit == 0.0 && all.held == (double)s.r.n;
}

} // namespace ooze
