/* The reference shape on the device: see methods/blend/update.c. */
#include "cuda/blend/step.cuh"

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

static bool is_due(BlendStep *step, uint16_t material)
{
    const BlendView s = step->view;
    const OozeVec3 gravity = ooze_blend_counted_gravity(step->context);
    GateSum none = {};
    GateSum all = sum_to_host(
        step->gpu, s.pairs.n, none, OOZE_BODY(uint32_t i)->GateSum {
            GateSum term = {};
            if (is_checked(s, i, material)) {
                term.gate = ooze_blend_gate_terms(&s.external[i], gravity, s.state[i].w,
                                                  s.reference_step[i]);
            }
            return term;
        });
    return ooze_blend_is_due(&step->materials[material], &all.gate);
}

static void take_positions(BlendStep *step, uint16_t material)
{
    const BlendView s = step->view;
    const uint32_t number = (uint32_t)step->context->step + 1;
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            if (is_checked(s, i, material)) {
                const float4 x = s.pairs.x[i];
                s.reference[i] = {x.x, x.y, x.z, 0};
                s.reference_step[i] = number;
                s.rotation[i] = {0, 0, 0, 0};
            }
        });
}

/* Returns whether a reference shape has changed. */
static bool check_shapes(BlendStep *step)
{
    const OozeStepContext *c = step->context;
    bool changed = false;
    for (int m = 0; m < c->material_count && ooze_blend_checks_shapes(c); m++) {
        if (is_due(step, (uint16_t)m)) {
            take_positions(step, (uint16_t)m);
            changed = true;
        }
    }
    return changed;
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

/* Whether the regions hold exactly the particles that have a reference position. */
static bool regions_fit(BlendStep *step)
{
    const BlendView s = step->view;
    const OozeRegions r = step->data->regions;
    if (r.kind != s.pairs.kernel.kind || r.radius != s.pairs.kernel.radius) {
        return false;
    }
    SlotCount none = {};
    SlotCount all = sum_to_host(
        step->gpu, s.pairs.n, none, OOZE_BODY(uint32_t i)->SlotCount {
            bool fits = ooze_blend_slot_fits(&r, s.slot[i], &s.reference[i], s.reference_step[i]);
            return {s.slot[i] != OOZE_BLEND_SLOT_NONE ? 1.0 : 0.0, fits ? 0.0 : 1.0};
        });
    return all.unfit == 0.0 && all.held == (double)r.n;
}

OozeStatus blend_update(BlendStep *step, OozeError *error)
{
    bool changed = check_shapes(step);
    OozeStatus result = status(step->gpu, step->view.pairs.n, error);
    if (!result && (changed || !regions_fit(step))) {
        result = blend_build_regions(step, error);
    }
    return result;
}

} // namespace ooze
