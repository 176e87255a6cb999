/* Responses of rigid bodies within the iterations of the velocity solve: sums over a body, its six
   by six matrix, and the motion of its particles, all on the device. Sums run over parts of a body
   of some root of its slots, one thread a part, and then over the parts in order: the same bits
   in every run. */
#include <cmath>

#include "cuda/conformation/bodies/bodies.cuh"

namespace ooze
{

/* ---- what a step and a pass send ---- */

void rigid_begin_step(Step *step)
{
    Bodies *b = step->bodies;
    OozeBodies *all = &b->all;
    Gpu *gpu = step->gpu;
    uint64_t most = 0, parts = 0;
    for (int k = 0; k < all->rigid_count; k++) {
        most += (uint64_t)sqrt((double)all->rigids[k].count) + 2;
    }
    OozeArena *arena = step->context->arena;
    RigidPart *part = static_cast<RigidPart *>(ooze_arena_alloc(arena, most, sizeof(RigidPart)));
    b->rigid_table = static_cast<DeviceRigid *>(
        ooze_arena_alloc(arena, (uint64_t)all->rigid_count, sizeof(DeviceRigid)));
    if (!part || !b->rigid_table) {
        record_error(gpu, cudaErrorMemoryAllocation);
        return;
    }
    for (int k = 0; k < all->rigid_count; k++) {
        const OozeRigid *rigid = &all->rigids[k];
        const uint64_t size = (uint64_t)sqrt((double)rigid->count) + 1;
        const uint64_t end = rigid->first + rigid->count;
        memset(&b->rigid_table[k], 0, sizeof b->rigid_table[k]);
        b->rigid_table[k].first_part = (uint32_t)parts;
        for (uint64_t at = rigid->first; at < end; at += size) {
            part[parts].begin = (uint32_t)at;
            part[parts++].end = (uint32_t)(at + size < end ? at + size : end);
        }
        b->rigid_table[k].last_part = (uint32_t)parts;
    }
    RigidPart *to = scratch<RigidPart>(gpu, parts);
    OozeVec3 *arm = scratch<OozeVec3>(gpu, all->rigid_slots);
    copy_in(gpu, to, part, parts * sizeof *to);
    copy_in(gpu, arm, all->arm, all->rigid_slots * sizeof *arm);
    b->rigid.part = to;
    b->rigid.part_count = (uint32_t)parts;
    b->rigid.arm = arm;
    b->rigid.part_sum = scratch<OozeTwist>(gpu, parts);
    b->rigid.body = scratch<DeviceRigid>(gpu, (uint64_t)all->rigid_count);
    b->rigid.rz = scratch<double>(gpu, 1);
}

void rigid_send(Step *step)
{
    const OozeBodies *all = &step->bodies->all;
    const uint64_t count = (uint64_t)all->rigid_count;
    DeviceRigid *table = step->bodies->rigid_table;
    for (uint64_t k = 0; k < count && table; k++) {
        table[k].inverse = all->rigids[k].inverse;
        table[k].smoother = all->rigids[k].smoother;
    }
    if (table) {
        copy_in(step->gpu, step->bodies->rigid.body, table, count * sizeof *table);
    }
}

/* ---- sums and responses ---- */

/* Sum of a field over each part; of forces, or with `by_mass` of momenta. */
static void sum_parts(Step *step, const float4 *field, bool by_mass, const int32_t *off)
{
    const RigidView b = step->bodies->rigid;
    const StepView s = step->view;
    const uint32_t *index = step->bodies->index;
    for_each(
        step->gpu, b.part_count, OOZE_BODY(uint32_t k) {
            OozeTwist sum;
            for (int c = 0; c < 6; c++) {
                sum.v[c] = 0.0;
            }
            for (uint32_t slot = b.part[k].begin; slot < b.part[k].end && !(off && *off); slot++) {
                const uint32_t i = index[slot];
                if (i == OOZE_NO_PARTICLE) {
                    continue;
                }
                const float4 own = field[i];
                const double mass = by_mass ? (double)s.rheology[s.material[i]].relative_mass : 1.0;
                const double x = mass * (double)own.x, y = mass * (double)own.y,
                             z = mass * (double)own.z;
                const OozeVec3 a = b.arm[slot];
                sum.v[0] += x;
                sum.v[1] += y;
                sum.v[2] += z;
                sum.v[3] += a.y * z - a.z * y;
                sum.v[4] += a.z * x - a.x * z;
                sum.v[5] += a.x * y - a.y * x;
            }
            b.part_sum[k] = sum;
        });
}

/* Sums over the bodies, and their responses by masses. */
static void respond(Step *step, const int32_t *off)
{
    const RigidView b = step->bodies->rigid;
    for_each(
        step->gpu, (uint64_t)step->bodies->all.rigid_count, OOZE_BODY(uint32_t k) {
            DeviceRigid *body = &b.body[k];
            if (off && *off) {
                return;
            }
            for (int c = 0; c < 6; c++) {
                body->sum.v[c] = 0.0;
            }
            for (uint32_t p = body->first_part; p < body->last_part; p++) {
                for (int c = 0; c < 6; c++) {
                    body->sum.v[c] += b.part_sum[p].v[c];
                }
            }
            body->response = ooze_twist_apply(&body->inverse, &body->sum);
        });
}

/* Velocity of the response at the particle of a slot of body k. */
OOZE_DEVICE float4 response_at(const RigidView &b, uint32_t k, uint32_t slot)
{
    const double *y = b.body[k].response.v;
    const OozeVec3 a = b.arm[slot];
    return f32x4((float)(y[0] + y[4] * a.z - y[5] * a.y), (float)(y[1] + y[5] * a.x - y[3] * a.z),
                 (float)(y[2] + y[3] * a.y - y[4] * a.x));
}

void bodies_precondition(Step *step, const float4 *r, const int32_t *off)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const uint32_t count = (uint32_t)step->bodies->all.rigid_count;
    sum_parts(step, r, false, off);
    respond(step, off);
    for_each(
        step->gpu, 1, OOZE_BODY(uint32_t) {
            double sum = 0.0;
            for (uint32_t k = 0; k < count; k++) {
                for (int c = 0; c < 6; c++) {
                    sum += b.body[k].sum.v[c] * b.body[k].response.v[c];
                }
            }
            *b.rz = sum;
        });
}

void bodies_smooth(Step *step)
{
    const RigidView b = step->bodies->rigid;
    for_each(
        step->gpu, (uint64_t)step->bodies->all.rigid_count, OOZE_BODY(uint32_t k) {
            b.body[k].response = ooze_twist_apply(&b.body[k].smoother, &b.body[k].sum);
        });
}

const float4 *bodies_response(Step *step)
{
    const RigidView b = step->bodies->rigid;
    const uint16_t *rigid_of = step->view.rigid_of;
    const uint32_t *index = step->bodies->index;
    float4 *to = step->bodies->field[0];
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            if (index[slot] != OOZE_NO_PARTICLE) {
                to[slot] = response_at(b, rigid_of[index[slot]] - 1u, slot);
            }
        });
    return to;
}

void bodies_project_velocities(Step *step, float4 *field, const int32_t *off)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const uint16_t *rigid_of = step->view.rigid_of;
    const uint32_t *index = step->bodies->index;
    sum_parts(step, field, true, off);
    respond(step, off);
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            const uint32_t i = index[slot];
            if (i != OOZE_NO_PARTICLE && !(off && *off)) {
                field[i] = response_at(b, rigid_of[i] - 1u, slot);
            }
        });
}

} // namespace ooze
