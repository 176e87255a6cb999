/* Forces of bonds of soft bodies: see methods/conformation/bodies/bonds.c and step_bodies.c. */
#include "methods/conformation/bodies/cuda/bodies.cuh"

#include "physics/bond.h"

namespace ooze
{

void bonds_free(Gpu *gpu, Bonds *bonds)
{
    ooze_bonds_destroy(bonds->made);
    buffer_free(gpu, &bonds->first);
    buffer_free(gpu, &bonds->other);
    buffer_free(gpu, &bonds->length);
    buffer_free(gpu, &bonds->share);
    *bonds = {};
}

/* Positions at rest of the particles of soft bodies, of all ranks, and which slots have one. */
static void read_slots(Step *step)
{
    Gpu *gpu = step->gpu;
    OozeBodies *all = &step->bodies->all;
    const uint32_t *index = step->bodies->index;
    const float4 *rest =
        static_cast<const float4 *>(store_data(&step->engine->store, "rest_position"));
    const Mark mark = scratch_mark(gpu);
    float4 *rests = scratch<float4>(gpu, all->slots);
    uint32_t *present = scratch<uint32_t>(gpu, all->slots);
    for_each(
        gpu, all->slots, OOZE_BODY(uint32_t slot) {
            present[slot] = index[slot];
            rests[slot] = index[slot] < OOZE_FAR_PARTICLE ? rest[index[slot]] : f32x4(0, 0, 0);
        });
    if (gpu->share) {
        const BodyList soft = bodies_list(step, false);
        const uint32_t *slot = soft.slot;
        bodies_gather(step, soft, rest, rests);
        for_each(
            gpu, soft.all, OOZE_BODY(uint32_t e) { present[slot[e]] = OOZE_FAR_PARTICLE; });
    }
    copy_out(gpu, all->index, present, all->slots * sizeof *present);
    copy_out(gpu, all->rest, rests, all->slots * sizeof *rests);
    scratch_rewind(gpu, mark);
}

/* Particles of bodies change when all are sent anew or a sink removes some, on any rank. */
OozeStatus bonds_find(Step *step, OozeError *error)
{
    Bonds *bonds = &step->engine->bonds;
    OozeBodies *all = &step->bodies->all;
    const Store *store = &step->engine->store;
    const uint64_t soft = all->slots - all->rigid_slots;
    double changed =
        !bonds->found || bonds->found_slots != all->slots || bonds->found_of != store->changes;
    if (soft == 0) {
        return OOZE_OK;
    }
    max_over_ranks(step->gpu, &changed, 1);
    if (changed == 0.0) {
        all->bonds = bonds->valid;
        return OOZE_OK;
    }
    OozeStatus result = ooze_bodies_allocate(all, error);
    if (result) {
        return result;
    }
    read_slots(step);
    result = status(step->gpu, step->view.n, error);
    result = result ? result : ooze_bonds_find(all, &bonds->made, error);
    bonds->found = !result;
    bonds->found_slots = all->slots;
    bonds->found_of = store->changes;
    bonds->valid = all->bonds;
    return result;
}

template <class T> static const T *send(Gpu *gpu, DeviceBuffer *to, const T *from, uint64_t count)
{
    T *memory = buffer<T>(gpu, to, count);
    copy_in(gpu, memory, from, count * sizeof(T));
    return memory;
}

/* Copies the bonds to the device if they have changed. */
static BondsView view_bonds(Gpu *gpu, Bonds *bonds)
{
    const OozeBonds *made = bonds->made;
    uint64_t count = made->first[made->slots];
    BondsView view;
    memset(&view, 0, sizeof view);
    if (!bonds->sent || bonds->sent_slots != made->slots || bonds->sent_of != made->made_of) {
        send(gpu, &bonds->first, made->first, made->slots + 1);
        send(gpu, &bonds->other, made->other, count);
        send(gpu, &bonds->length, made->length, count);
        send(gpu, &bonds->share, made->share, count);
        bonds->sent = gpu->failed == cudaSuccess;
        bonds->sent_slots = made->slots;
        bonds->sent_of = made->made_of;
    }
    view.first = static_cast<const uint64_t *>(bonds->first.memory);
    view.other = static_cast<const uint32_t *>(bonds->other.memory);
    view.length = static_cast<const float *>(bonds->length.memory);
    view.share = static_cast<const float *>(bonds->share.memory);
    view.pull = scratch<float4>(gpu, count);
    view.end = scratch<uint2>(gpu, count);
    return view;
}

/* A field at the end j of a bond. */
OOZE_DEVICE float4 value_at(const BondsView &bonds, const float4 *field, const float4 *far,
                            uint32_t j)
{
    return j < bonds.far_from ? field[j] : far[j - bonds.far_from];
}

void bonds_begin(Step *step)
{
    const OozeBodies *all = &step->bodies->all;
    if (!all->bonds) {
        return;
    }
    BondsView bonds = view_bonds(step->gpu, &step->engine->bonds);
    bonds.far_from = (uint32_t)step->view.n;
    step->bodies->bonds = bonds;
    StepView s = step->view;
    const uint32_t *index = step->bodies->index;
    const uint64_t first = all->rigid_slots;
    const OwnRange own = own_range(step->gpu, s.n);
    const uint32_t *far_place = bonds_find_far(step, bonds);
    const float4 *far = bonds_fetch_far(step, s.x0);
    for_each(
        step->gpu, all->slots - first, OOZE_BODY(uint32_t k) {
            uint64_t slot = first + k;
            uint32_t i = index[slot];
            const uint64_t last = own.has(i) ? bonds.first[slot + 1] : 0;
            for (uint64_t e = bonds.first[slot]; e < last; e++) {
                uint32_t j = index[bonds.other[e]];
                if (j >= OOZE_FAR_PARTICLE) {
                    j = bonds.far_from + far_place[bonds.other[e]];
                }
                Delta d = delta<true>(s, s.x0[i], value_at(bonds, s.x0, far, j));
                float r = sqrtf(d.r2), rest = bonds.length[e], per = r > 0.0f ? 1.0f / r : 0.0f;
                /* both ends have the same material: a body has one */
                float modulus = s.rheology[s.material[i]].bond_modulus;
                bonds.pull[e] = make_float4(per * d.x, per * d.y, per * d.z, r - rest);
                uint2 end = {j, float_to_bits(ooze_bond_stiffness(modulus, bonds.share[e], rest))};
                bonds.end[e] = end;
            }
        });
}

template <int LANES>
static void add_loop(Step *step, const float4 *v, float4 *force, bool with_stretch,
                     const int32_t *off)
{
    const OozeBodies *all = &step->bodies->all;
    BondsView bonds = step->bodies->bonds;
    const uint32_t *index = step->bodies->index;
    const uint64_t first = all->rigid_slots;
    const OwnRange range = own_range(step->gpu, step->view.n);
    const float4 *far = bonds_fetch_far(step, v);
    const float dt = step->view.dt, stretched = with_stretch ? 1.0f : 0.0f;
    for_lanes<LANES>(
        step->gpu, all->slots - first, OOZE_BODY(uint32_t k, uint32_t lane) {
            uint64_t slot = first + k, last = bonds.first[slot + 1];
            uint32_t i = index[slot];
            if (*off || !range.has(i)) {
                return;
            }
            float4 own = v[i];
            float x = 0.0f, y = 0.0f, z = 0.0f;
            for (uint64_t e = bonds.first[slot] + lane; e < last; e += LANES) {
                uint2 end = bonds.end[e];
                float4 n = bonds.pull[e];
                float speed = dot(value_at(bonds, v, far, end.x) - own, n);
                float pull = ooze_bond_pull(bits_to_float(end.y), dt, speed, stretched * n.w);
                x += pull * n.x;
                y += pull * n.y;
                z += pull * n.z;
            }
            float4 sum = f32x4(lanes_sum<LANES>(x), lanes_sum<LANES>(y), lanes_sum<LANES>(z));
            if (lane == 0) {
                force[i] = force[i] + sum;
            }
        });
}

void bonds_add(Step *step, const float4 *v, float4 *force, bool with_stretch, const int32_t *off)
{
    if (step->bodies && step->bodies->bonds.first) {
#define ADD(lanes) add_loop<lanes>(step, v, force, with_stretch, off)
        OOZE_LANES(step->bodies->all.slots, ADD);
    }
}

} // namespace ooze
