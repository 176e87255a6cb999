/* Contacts of rigid bodies with solids: see methods/conformation/bodies/rigid_contact.c. The lanes
   of a body look at as many contacts at a time; those that act are resolved one after another, in
   the order of the slots, as on the processor. */
#include "cuda/sort.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"

namespace ooze
{

/* ---- possible contacts ---- */

/* f(solid, contact) for each solid that the particle of a slot may touch in the step. */
template <class F>
OOZE_DEVICE void each_contact(const RigidView &b, const StepView &s, uint32_t slot, F f)
{
    const bool present = b.index[slot] != OOZE_NO_PARTICLE;
    for (int k = 0; present && k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        const float4 x = b.place[slot], u = b.velocity[slot];
        /* a little farther than ooze_rigid_may_touch */
        const float reach = 1.01f * (b.scale.contact + s.spacing + s.dt * sqrtf(dot(u, u)));
        if (solid_near(solid, x, reach, true)) {
            const OozeContact met = solid_contact(solid, widen(x));
            if (ooze_rigid_may_touch(&b.scale, met.distance, u.x, u.y, u.z)) {
                f(solid, met);
            }
        }
    }
}

/* Lists the contacts of each body in the order of the slots, those of a slot in that of the solids.
   `first`: per slot, number of contacts before it. */
static void list_contacts(Step *step, const uint64_t *first)
{
    const RigidView b = step->bodies->rigid;
    const StepView s = step->view;
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            uint64_t at = first[slot];
            if (first[slot + 1] > at) {
                const OozeRigid *body = &b.body[body_of_slot(b, slot)];
                each_contact(b, s, slot, [&](const SolidView &solid, const OozeContact &met) {
                    b.contacts[at++] =
                        ooze_rigid_contact(&b.scale, body, b.arm[slot], solid.dry_friction, &met);
                });
            }
        });
    for_each(
        step->gpu, b.segments.count, OOZE_BODY(uint32_t k) {
            const uint32_t begin = b.segments.part[b.segments.first_part[k]].begin,
                           end = b.segments.part[b.segments.first_part[k + 1] - 1].end;
            b.body[k].contacts = first[begin];
            b.body[k].contact_count = first[end] - first[begin];
        });
}

void rigid_find_contacts(Step *step)
{
    Gpu *gpu = step->gpu;
    const uint64_t slots = rigid_slots(step);
    if (slots == 0 || step->view.solids.count == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const StepView s = step->view;
    uint32_t *count = scratch<uint32_t>(gpu, slots);
    uint64_t *first = scratch<uint64_t>(gpu, slots), total = 0;
    for_each(
        gpu, slots + 1, OOZE_BODY(uint32_t slot) {
            uint32_t found = 0;
            if (slot < slots) {
                each_contact(b, s, slot, [&](const SolidView &, const OozeContact &) { found++; });
            }
            count[slot] = found;
        });
    running_sum(gpu, count, first, slots);
    copy_out(gpu, &total, first + slots, sizeof total);
    if (total > 0 && gpu->failed == cudaSuccess) {
        step->bodies->rigid.contacts = scratch<OozeRigidContact>(gpu, total);
        list_contacts(step, first);
    }
}

/* ---- impulses: functions of all lanes of a body, in which `motion` is the same ---- */

/* The contacts of body k; their number is 0 where there are none. */
OOZE_DEVICE OozeRigidContact *contacts_of_body(const RigidView &b, uint32_t k, uint64_t *count)
{
    *count = b.contacts ? b.body[k].contact_count : 0;
    return b.contacts ? b.contacts + b.body[k].contacts : nullptr;
}

/* One sweep over the contacts; returns the largest change of speed. */
OOZE_DEVICE double sweep(OozeRigidContact *contacts, uint64_t count, OozeTwist *motion,
                         uint32_t lane)
{
    double largest = 0.0;
    for (uint64_t base = 0; base < count; base += SEGMENT_LANES) {
        OozeRigidContact *own = base + lane < count ? contacts + base + lane : nullptr;
        uint32_t left = lanes_where(own != nullptr);
        while (left) {
            const bool acts = (left >> lane & 1u) && ooze_rigid_contact_acts(own, motion);
            left = lanes_where(acts);
            if (left) {
                const uint32_t first = lowest_bit(left);
                double change = 0.0;
                if (lane == first) {
                    change = ooze_rigid_resolve(own, motion);
                }
                for (int c = 0; c < 6; c++) {
                    motion->v[c] = lane_value(motion->v[c], first);
                }
                largest = fmax(largest, lane_value(change, first));
                /* those that do not act with this motion may with the next */
                left = bits_after(lanes_where(own != nullptr), first);
            }
        }
    }
    return largest;
}

/* As resolve_contacts of rigid_contact.c. */
OOZE_DEVICE void resolve(const RigidView &b, uint32_t k, OozeTwist *motion, uint32_t lane)
{
    uint64_t count;
    OozeRigidContact *contacts = contacts_of_body(b, k, &count);
    const double converged = OOZE_RIGID_CONVERGED * b.scale.spacing / b.scale.dt;
    double largest = INFINITY;
    for (uint64_t c = lane; c < count; c += SEGMENT_LANES) {
        contacts[c].impulse[0] = contacts[c].impulse[1] = contacts[c].impulse[2] = 0.0;
    }
    for (int n = 0; n < OOZE_RIGID_SWEEPS && count > 0 && largest > converged; n++) {
        largest = sweep(contacts, count, motion, lane);
    }
}

/* Holds rows of contacts that push, along normals, or that stick, along both tangents. */
OOZE_DEVICE void hold_rows(OozeRigid *body, const OozeRigidContact *contacts, uint64_t count,
                           bool tangents, uint32_t lane)
{
    const uint64_t rows = tangents ? 2 * count : count;
    for (uint64_t base = 0; base < rows && body->held_count < 6; base += SEGMENT_LANES) {
        const uint64_t at = base + lane;
        const OozeRigidContact *own = at < rows ? &contacts[tangents ? at / 2 : at] : nullptr;
        const OozeTwist *row = own ? &own->row[tangents ? 1 + at % 2 : 0] : nullptr;
        const bool holds =
            own && (tangents ? ooze_rigid_contact_sticks(own) : own->impulse[0] > 0.0);
        uint32_t left = lanes_where(holds);
        while (left) {
            left = lanes_where((left >> lane & 1u) && ooze_rigid_row_is_independent(body, row));
            if (left) {
                const uint32_t first = lowest_bit(left);
                lanes_sync(); /* all lanes have read the rows that are held */
                if (lane == first) {
                    ooze_rigid_hold_row(body, row);
                }
                lanes_sync();
                left = bits_after(left, first);
            }
        }
    }
}

/* Sum of the impulses of slipping friction, the same in every lane. */
OOZE_DEVICE OozeTwist slipping_impulses(const OozeRigidContact *contacts, uint64_t count,
                                        uint32_t lane)
{
    OozeTwist sum = {{0, 0, 0, 0, 0, 0}};
    for (uint64_t c = lane; c < count; c += SEGMENT_LANES) {
        for (int t = 1; t < 3 && !ooze_rigid_contact_sticks(&contacts[c]); t++) {
            ooze_twist_add(&sum, contacts[c].impulse[t], &contacts[c].row[t]);
        }
    }
    for (int c = 0; c < 6; c++) {
        sum.v[c] = segment_lanes_sum(sum.v[c]);
    }
    return sum;
}

/* ---- in the velocity solve ---- */

/* field[i] = velocity of a motion of the body at its particles. */
template <class Motion> static void spread(Step *step, float4 *field, Motion motion)
{
    const RigidView b = step->bodies->rigid;
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            const uint32_t i = b.index[slot];
            if (i < OOZE_FAR_PARTICLE) {
                const OozeTwist y = motion(b.body[b.number[i] - 1u]);
                field[i] = narrow(ooze_rigid_velocity_at(&y, b.arm[slot]));
            }
        });
}

struct BodyMotion {
    __device__ OozeTwist operator()(const OozeRigid &body) const { return body.motion; }
};
struct BodyResponse {
    __device__ OozeTwist operator()(const OozeRigid &body) const { return body.response; }
};

void bodies_begin_pass(Step *step, float4 *u_star)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const StepView s = step->view;
    for_segments(
        step->gpu, b.segments.count, OOZE_BODY(uint32_t k, uint32_t lane) {
            uint64_t count;
            OozeRigid *body = &b.body[k];
            const OozeRigidContact *contacts = contacts_of_body(b, k, &count);
            OozeTwist motion = body->motion;
            resolve(b, k, &motion, lane);
            lanes_sync();
            if (lane == 0) {
                body->motion = motion;
                ooze_rigid_hold_none(body);
            }
            lanes_sync();
            hold_rows(body, contacts, count, false, lane);
            hold_rows(body, contacts, count, true, lane);
            const OozeTwist slip = slipping_impulses(contacts, count, lane);
            if (lane == 0) {
                ooze_rigid_set_slip(body, &slip);
            }
        });
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            const uint32_t i = b.index[slot];
            if (i < OOZE_FAR_PARTICLE) {
                const OozeRigid *body = &b.body[b.number[i] - 1u];
                const OozeTwist free = ooze_rigid_free_motion(body);
                s.u[i] = narrow(ooze_rigid_velocity_at(&body->motion, b.arm[slot]));
                u_star[i] = narrow(ooze_rigid_velocity_at(&free, b.arm[slot]));
            }
        });
}

struct PassSum {
    OozeTwist momentum, residual;
    __device__ void operator+=(const PassSum &o)
    {
        ooze_twist_add(&momentum, 1.0, &o.momentum);
        ooze_twist_add(&residual, 1.0, &o.residual);
    }
};

void bodies_end_pass(Step *step, const float4 *residual)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const SlotField u = rigid_field(step, step->view.u, 0);
    const SlotField r = rigid_field(step, residual, 1);
    const PassSum none = {{{0, 0, 0, 0, 0, 0}}, {{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) {
            PassSum sum = {wrench_at(b, u, slot, true).all, wrench_at(b, r, slot, false).all};
            return sum;
        },
        OOZE_BODY(uint32_t k, PassSum sum, uint32_t lane) {
            if (lane == 0) {
                ooze_rigid_release(&b.body[k], &sum.momentum, &sum.residual);
            }
        });
}

void bodies_apply_impulses(Step *step)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const SlotField u = rigid_field(step, step->view.u, 0);
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) { return wrench_at(b, u, slot, true); },
        OOZE_BODY(uint32_t k, TwistSum sum, uint32_t lane) {
            OozeTwist motion = ooze_rigid_respond(&b.body[k], &sum.all);
            resolve(b, k, &motion, lane);
            if (lane == 0) {
                b.body[k].motion = motion;
            }
        });
    spread(step, step->view.u, BodyMotion());
}

/* ---- in the density stage ---- */

void bodies_shift(void *user, float4 *shift)
{
    Step *step = static_cast<Step *>(user);
    const RigidView b = step->bodies->rigid;
    const SlotField f = rigid_field(step, shift, 0);
    const double dt = (double)step->view.dt; /* as the particles move */
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) { return wrench_at(b, f, slot, true); },
        OOZE_BODY(uint32_t k, TwistSum sum, uint32_t lane) {
            OozeRigid *body = &b.body[k];
            const OozeTwist change = ooze_rigid_respond(body, &sum.all);
            OozeTwist motion = body->motion;
            ooze_twist_add(&motion, 1.0 / dt, &change);
            resolve(b, k, &motion, lane);
            ooze_twist_add(&motion, -1.0, &body->motion);
            for (int c = 0; c < 6; c++) {
                motion.v[c] *= dt;
            }
            if (lane == 0) {
                body->response = motion;
            }
        });
    spread(step, shift, BodyResponse());
}

} // namespace ooze
