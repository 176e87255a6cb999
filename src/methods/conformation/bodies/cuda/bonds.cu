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

/* Particles of bodies change when all are sent anew or a sink removes some. */
OozeStatus bonds_find(Step *step, OozeError *error)
{
    Bonds *bonds = &step->engine->bonds;
    OozeBodies *all = &step->bodies->all;
    const Store *store = &step->engine->store;
    const uint64_t soft = all->slots - all->rigid_slots;
    if (soft == 0 ||
        (bonds->found && bonds->found_slots == all->slots && bonds->found_of == store->changes)) {
        all->bonds = soft > 0 ? bonds->valid : nullptr;
        return OOZE_OK;
    }
    OozeStatus result = ooze_bodies_allocate(all, error);
    if (result) {
        return result;
    }
    const uint32_t *index = step->bodies->index;
    const float4 *rest = static_cast<const float4 *>(store_data(store, "rest_position"));
    const Mark mark = scratch_mark(step->gpu);
    float4 *rests = scratch<float4>(step->gpu, all->slots);
    for_each(
        step->gpu, all->slots, OOZE_BODY(uint32_t slot) {
            rests[slot] = index[slot] != OOZE_NO_PARTICLE ? rest[index[slot]] : f32x4(0, 0, 0);
        });
    copy_out(step->gpu, all->index, index, all->slots * sizeof *index);
    copy_out(step->gpu, all->rest, rests, all->slots * sizeof *rests);
    scratch_rewind(step->gpu, mark);
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

void bonds_begin(Step *step)
{
    const OozeBodies *all = &step->bodies->all;
    if (!all->bonds) {
        return;
    }
    BondsView bonds = view_bonds(step->gpu, &step->engine->bonds);
    step->bodies->bonds = bonds;
    StepView s = step->view;
    const uint32_t *index = step->bodies->index;
    const uint64_t first = all->rigid_slots;
    for_each(
        step->gpu, all->slots - first, OOZE_BODY(uint32_t k) {
            uint64_t slot = first + k;
            uint32_t i = index[slot];
            for (uint64_t e = bonds.first[slot]; e < bonds.first[slot + 1]; e++) {
                uint32_t j = index[bonds.other[e]];
                Delta d = delta<true>(s, s.x0[i], s.x0[j]);
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
    const float dt = step->view.dt, stretched = with_stretch ? 1.0f : 0.0f;
    for_lanes<LANES>(
        step->gpu, all->slots - first, OOZE_BODY(uint32_t k, uint32_t lane) {
            uint64_t slot = first + k, last = bonds.first[slot + 1];
            uint32_t i = index[slot];
            if (*off || i == OOZE_NO_PARTICLE) {
                return;
            }
            float4 own = v[i];
            float x = 0.0f, y = 0.0f, z = 0.0f;
            for (uint64_t e = bonds.first[slot] + lane; e < last; e += LANES) {
                uint2 end = bonds.end[e];
                float4 n = bonds.pull[e];
                float speed = dot(v[end.x] - own, n);
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
