/* The reference shape on the device: see methods/blend/update.c. Checks and new reference positions
   are loops over particles; the regions, which change rarely, are built on the host. */
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

template <class T> static T *send(Gpu *gpu, DeviceBuffer *to, const T *from, uint64_t count)
{
    T *sent = buffer<T>(gpu, to, count);
    copy_in(gpu, sent, from, count * sizeof *from);
    return sent;
}

/* Copies regions to the device. */
static void send_regions(Gpu *gpu, BlendData *data, const OozeRegions *built)
{
    OozeRegions r = *built;
    r.reference = send(gpu, &data->reference, built->reference, r.n);
    r.region_of = send(gpu, &data->region_of, built->region_of, r.n);
    r.share = send(gpu, &data->share, built->share, r.n);
    if (r.kind == OOZE_REGIONS_OF_CELLS) {
        r.cell = send(gpu, &data->cell, built->cell, r.cells + 1);
        r.near = send(gpu, &data->near, built->near, OOZE_BLEND_NEAR * r.cells);
        r.list_first = nullptr;
        r.list = nullptr;
    } else {
        r.list_first = send(gpu, &data->list_first, built->list_first, r.n + 1);
        r.list = send(gpu, &data->list, built->list, built->list_first[r.n]);
        r.cell = nullptr;
        r.near = nullptr;
    }
    gpu_wait(gpu); /* the host's arrays are freed after this */
    if (gpu->failed == cudaSuccess) {
        data->regions = r;
    }
}

/* Fields of the particles in the host's memory. */
struct HostFields {
    OozeFloat4 *reference;
    uint32_t *reference_step, *slot;
    uint64_t *id;
};

static OozeStatus build_regions(BlendStep *step, const HostFields &host, OozeError *error)
{
    Gpu *gpu = step->gpu;
    const BlendView &s = step->view;
    const uint64_t n = s.pairs.n;
    copy_out(gpu, host.reference, s.reference, n * sizeof *host.reference);
    copy_out(gpu, host.reference_step, s.reference_step, n * sizeof *host.reference_step);
    copy_out(gpu, host.id, store_data(&step->engine->store, "id"), n * sizeof *host.id);
    OozeStatus result = status(gpu, n, error);
    if (result) {
        return result;
    }
    OozeRegions built = {};
    OozeRegionsInput input = {};
    input.n = n;
    input.reference = host.reference;
    input.reference_step = host.reference_step;
    input.id = host.id;
    input.kind = s.pairs.kernel.kind;
    input.radius = s.pairs.kernel.radius;
    result = ooze_regions_build(&built, step->context->threads, &input, host.slot, error);
    if (!result) {
        copy_in(gpu, s.slot, host.slot, n * sizeof *host.slot);
        send_regions(gpu, step->data, &built);
        result = status(gpu, n, error);
    }
    ooze_regions_free(&built);
    return result;
}

static OozeStatus rebuild_regions(BlendStep *step, OozeError *error)
{
    const uint64_t n = step->view.pairs.n;
    HostFields host = {
        static_cast<OozeFloat4 *>(ooze_alloc(n, sizeof *host.reference)),
        static_cast<uint32_t *>(ooze_alloc(n, sizeof *host.reference_step)),
        static_cast<uint32_t *>(ooze_alloc(n, sizeof *host.slot)),
        static_cast<uint64_t *>(ooze_alloc(n, sizeof *host.id)),
    };
    bool has_memory = host.reference && host.reference_step && host.slot && host.id;
    step->data->regions = {}; /* a failure leaves none */
    OozeStatus result =
        has_memory ? build_regions(step, host, error) : ooze_fail_memory(error, "regions", n * 32);
    ooze_free(host.reference);
    ooze_free(host.reference_step);
    ooze_free(host.slot);
    ooze_free(host.id);
    return result;
}

OozeStatus blend_update(BlendStep *step, OozeError *error)
{
    bool changed = check_shapes(step);
    OozeStatus result = status(step->gpu, step->view.pairs.n, error);
    if (!result && (changed || !regions_fit(step))) {
        result = rebuild_regions(step, error);
    }
    return result;
}

} // namespace ooze
