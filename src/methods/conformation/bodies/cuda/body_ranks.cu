/* Particle bodies over several processes: see methods/conformation/bodies/body_sharing.c. Every GPU
   has the slots of all bodies and computes their motions, so that sums over a body have the order
   of one process. */
#include "cuda/sort.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"

namespace ooze
{

/* ---- fields by slots ---- */

BodyList bodies_list(Step *step, bool rigid)
{
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const uint16_t *rigid_of = step->bodies->rigid_of;
    const uint32_t *slot_of = step->bodies->slot_of;
    const OwnRange range = own_range(gpu, s.n);
    uint8_t *other = scratch<uint8_t>(gpu, s.n);
    uint32_t *own = scratch<uint32_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            other[i] = range.has(i) && s.body[i] && (rigid_of[i] != 0) == rigid ? 0 : 1;
        });
    BodyList list = {};
    list.own = own;
    list.count = select_unflagged(gpu, other, own, s.n);
    rank_list_share(gpu, step->context->arena, &list);
    uint32_t *slot = scratch<uint32_t>(gpu, list.count);
    for_each(
        gpu, list.count, OOZE_BODY(uint32_t e) { slot[e] = slot_of[own[e]]; });
    list.slot = gather_list(gpu, slot, list);
    return list;
}

/* to[slot] = value(i) for the particles i of all ranks in a list. */
template <class Value>
static void gather_values(Gpu *gpu, const BodyList &list, float4 *to, Value value)
{
    const Mark mark = scratch_mark(gpu);
    const uint32_t *own = list.own, *slot = list.slot;
    float4 *sent = scratch<float4>(gpu, list.count);
    for_each(
        gpu, list.count, OOZE_BODY(uint32_t e) { sent[e] = value(own[e]); });
    const float4 *all = gather_list(gpu, sent, list);
    for_each(
        gpu, list.all, OOZE_BODY(uint32_t e) { to[slot[e]] = all[e]; });
    scratch_rewind(gpu, mark);
}

void bodies_gather(Step *step, const BodyList &list, const float4 *field, float4 *to)
{
    gather_values(
        step->gpu, list, to, OOZE_BODY(uint32_t i) { return field[i]; });
}

void bodies_share_slots(Step *step, const BodyList &list, OozeSym3 *slots)
{
    Gpu *gpu = step->gpu;
    const Mark mark = scratch_mark(gpu);
    const uint32_t *own = list.own, *slot = list.slot, *slot_of = step->bodies->slot_of;
    OozeSym3 *sent = scratch<OozeSym3>(gpu, list.count);
    for_each(
        gpu, list.count, OOZE_BODY(uint32_t e) { sent[e] = slots[slot_of[own[e]]]; });
    const OozeSym3 *all = gather_list(gpu, sent, list);
    for_each(
        gpu, list.all, OOZE_BODY(uint32_t e) { slots[slot[e]] = all[e]; });
    scratch_rewind(gpu, mark);
}

SlotField rigid_field(Step *step, const float4 *field, int which)
{
    Bodies *b = step->bodies;
    if (!step->gpu->share) {
        return {field, b->index};
    }
    bodies_gather(step, b->rigids, field, b->field[which]);
    return {b->field[which], nullptr};
}

void rigid_fill_slots(Step *step, const float4 *rest_of, float4 *rest, float4 *place)
{
    Gpu *gpu = step->gpu;
    Bodies *b = step->bodies;
    const StepView s = step->view;
    uint32_t *index = b->index;
    const uint64_t slots = b->all.rigid_slots;
    const auto place_of = OOZE_BODY(uint32_t i)->float4
    {
        const float4 x = s.x0[i];
        return f32x4(x.x, x.y, x.z, s.rheology[s.material[i]].relative_mass);
    };
    if (!gpu->share) {
        for_each(
            gpu, slots, OOZE_BODY(uint32_t slot) {
                const uint32_t i = index[slot];
                if (i != OOZE_NO_PARTICLE) {
                    rest[slot] = rest_of[i];
                    place[slot] = place_of(i);
                }
            });
        return;
    }
    b->rigids = bodies_list(step, true);
    b->field[0] = scratch<float4>(gpu, slots);
    b->field[1] = scratch<float4>(gpu, slots);
    bodies_gather(step, b->rigids, rest_of, rest);
    gather_values(gpu, b->rigids, place, place_of);
    const uint32_t *slot = b->rigids.slot;
    for_each(
        gpu, b->rigids.all, OOZE_BODY(uint32_t e) {
            if (index[slot[e]] == OOZE_NO_PARTICLE) {
                index[slot[e]] = OOZE_FAR_PARTICLE;
            }
        });
}

/* ---- bonds of soft bodies ---- */

/* Marks the slots at the other ends of bonds of own particles that this rank has no copy of. */
static void mark_far(Step *step, const BondsView &bonds, uint8_t *unwanted)
{
    Gpu *gpu = step->gpu;
    const OozeBodies *all = &step->bodies->all;
    const OwnRange own = own_range(gpu, step->view.n);
    const uint32_t *index = step->bodies->index;
    const uint64_t *first_bond = bonds.first;
    const uint32_t *other = bonds.other;
    const uint64_t first = all->rigid_slots;
    for_each(
        gpu, all->slots, OOZE_BODY(uint32_t slot) { unwanted[slot] = 1; });
    for_each(
        gpu, all->slots - first, OOZE_BODY(uint32_t k) {
            const uint64_t slot = first + k;
            const uint64_t last = own.has(index[slot]) ? first_bond[slot + 1] : 0;
            for (uint64_t e = first_bond[slot]; e < last; e++) {
                if (index[other[e]] == OOZE_NO_PARTICLE) {
                    unwanted[other[e]] = 0;
                }
            }
        });
}

/* The own ones of the particles that some rank has no copy of and wants. */
static void list_provided(Step *step, const RankList &wanted, const uint32_t *wanted_slot)
{
    Gpu *gpu = step->gpu;
    Bodies *b = step->bodies;
    const OwnRange range = own_range(gpu, step->view.n);
    const uint32_t *index = b->index;
    uint8_t *elsewhere = scratch<uint8_t>(gpu, wanted.all);
    uint32_t *place = scratch<uint32_t>(gpu, wanted.all);
    uint32_t *own = scratch<uint32_t>(gpu, wanted.all);
    const uint32_t *slots = gather_list(gpu, wanted_slot, wanted);
    for_each(
        gpu, wanted.all,
        OOZE_BODY(uint32_t e) { elsewhere[e] = range.has(index[slots[e]]) ? 0 : 1; });
    b->far.count = select_unflagged(gpu, elsewhere, place, wanted.all);
    rank_list_share(gpu, step->context->arena, &b->far);
    for_each(
        gpu, b->far.count, OOZE_BODY(uint32_t k) { own[k] = index[slots[place[k]]]; });
    b->far.own = own;
    b->far.slot = gather_list(gpu, place, b->far);
    b->far_values = scratch<float4>(gpu, wanted.all);
}

const uint32_t *bonds_find_far(Step *step, const BondsView &bonds)
{
    Gpu *gpu = step->gpu;
    const uint64_t slots = step->bodies->all.slots;
    if (!gpu->share) {
        return nullptr;
    }
    uint8_t *unwanted = scratch<uint8_t>(gpu, slots);
    uint32_t *slot = scratch<uint32_t>(gpu, slots);
    uint32_t *place_of = scratch<uint32_t>(gpu, slots);
    mark_far(step, bonds, unwanted);
    RankList wanted = {};
    wanted.count = select_unflagged(gpu, unwanted, slot, slots);
    rank_list_share(gpu, step->context->arena, &wanted);
    if (wanted.all == 0 || gpu->failed != cudaSuccess) {
        return nullptr;
    }
    const uint32_t before = (uint32_t)rank_list_begin(gpu, wanted);
    for_each(
        gpu, wanted.count, OOZE_BODY(uint32_t e) { place_of[slot[e]] = before + e; });
    list_provided(step, wanted, slot);
    return place_of;
}

const float4 *bonds_fetch_far(Step *step, const float4 *field)
{
    Bodies *b = step->bodies;
    if (b->far_values) {
        bodies_gather(step, b->far, field, b->far_values);
    }
    return b->far_values;
}

} // namespace ooze
