/* Poses of rigid bodies at the beginning and at the end of a step, and their responses within the
   iterations of the velocity solve: see methods/conformation/bodies/bodies.c. */
#include "methods/conformation/bodies/cuda/bodies.cuh"

namespace ooze
{

/* ---- the beginning of the step ---- */

struct CentreSum {
    double mass, particles;
    OozeVec3 rest, now;
    __device__ void operator+=(const CentreSum &o)
    {
        mass += o.mass;
        particles += o.particles;
        rest = vec3_add(rest, o.rest);
        now = vec3_add(now, o.now);
    }
};

struct MatchSum {
    double m[9];
    __device__ void operator+=(const MatchSum &o)
    {
        for (int k = 0; k < 9; k++) {
            m[k] += o.m[k];
        }
    }
};

struct MomentSum {
    double moment[6];
    OozeTwist momentum;
    __device__ void operator+=(const MomentSum &o)
    {
        for (int k = 0; k < 6; k++) {
            moment[k] += o.moment[k];
        }
        ooze_twist_add(&momentum, 1.0, &o.momentum);
    }
};

/* Position of the particle of a slot: the periodic image nearest to that of the anchor of its body,
   the slot that images are relative to. */
OOZE_DEVICE OozeVec3 place_near(const RigidView &b, const OozePeriodic &periodic, uint32_t slot,
                                uint32_t anchor)
{
    const float4 p = b.place[slot], q = b.place[anchor];
    const float *length = periodic.length, *inverse = periodic.inverse;
    return vec3_add(widen(q), vec3((double)ooze_periodic_delta(p.x - q.x, length[0], inverse[0]),
                                   (double)ooze_periodic_delta(p.y - q.y, length[1], inverse[1]),
                                   (double)ooze_periodic_delta(p.z - q.z, length[2], inverse[2])));
}

OOZE_DEVICE double mass_of(const RigidView &b, uint32_t slot)
{
    return (double)b.place[slot].w;
}

static void find_centres(Step *step)
{
    const RigidView b = step->bodies->rigid;
    const uint32_t *anchor = step->bodies->anchor;
    const OozePeriodic periodic = step->view.periodic;
    const CentreSum none = {0.0, 0.0, {0, 0, 0}, {0, 0, 0}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t k) {
            CentreSum sum = none;
            if (b.index[slot] != OOZE_NO_PARTICLE) {
                sum.mass = mass_of(b, slot);
                sum.particles = 1.0;
                sum.rest = vec3_scale(widen(b.rest[slot]), sum.mass);
                sum.now = vec3_scale(place_near(b, periodic, slot, anchor[k]), sum.mass);
            }
            return sum;
        },
        OOZE_BODY(uint32_t k, CentreSum sum, uint32_t lane) {
            OozeRigid *body = &b.body[k];
            if (lane == 0) {
                body->mass = sum.mass;
                body->particles = (uint64_t)sum.particles;
                ooze_rigid_set_centres(body, sum.rest, sum.now);
            }
        });
}

/* See match_shape of bodies.c. */
static void match_shapes(Step *step)
{
    const RigidView b = step->bodies->rigid;
    const uint32_t *anchor = step->bodies->anchor;
    const OozePeriodic periodic = step->view.periodic;
    const MatchSum none = {{0, 0, 0, 0, 0, 0, 0, 0, 0}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t k) {
            MatchSum sum = none;
            if (b.index[slot] != OOZE_NO_PARTICLE) {
                const OozeVec3 place = place_near(b, periodic, slot, anchor[k]);
                ooze_rigid_add_match(sum.m, mass_of(b, slot),
                                     vec3_sub(widen(b.rest[slot]), b.body[k].rest_centre),
                                     vec3_sub(place, b.body[k].centre));
            }
            return sum;
        },
        OOZE_BODY(uint32_t k, MatchSum sum, uint32_t lane) {
            if (lane == 0) {
                ooze_rigid_fit(sum.m, b.body[k].rotation);
            }
        });
}

/* Arms, inertia, and the motions of the same momenta as the velocities u. */
static void find_motions(Step *step)
{
    const RigidView b = step->bodies->rigid;
    const SlotField u = rigid_field(step, step->view.u, 0);
    const MomentSum none = {{0, 0, 0, 0, 0, 0}, {{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t k) {
            MomentSum sum = none;
            if (b.index[slot] != OOZE_NO_PARTICLE) {
                const OozeRigid *body = &b.body[k];
                b.arm[slot] = ooze_rigid_rotated(body->rotation,
                                                 vec3_sub(widen(b.rest[slot]), body->rest_centre));
                ooze_rigid_add_arm(sum.moment, mass_of(b, slot), b.arm[slot]);
                sum.momentum = wrench_at(b, u, slot, true).all;
            }
            return sum;
        },
        OOZE_BODY(uint32_t k, MomentSum sum, uint32_t lane) {
            OozeRigid *body = &b.body[k];
            if (lane == 0) {
                ooze_rigid_set_inertia(body, sum.moment, b.scale.spacing);
                body->sum = sum.momentum;
                body->motion = body->motion_star = body->pass_motion =
                    ooze_rigid_respond(body, &body->sum);
            }
        });
}

/* Segments of slots, one a body, on the device. */
static Segments send_segments(Step *step)
{
    const OozeBodies *all = &step->bodies->all;
    OozeArena *arena = step->context->arena;
    const uint64_t count = (uint64_t)all->rigid_count;
    Segments segments = {nullptr, nullptr, 0, 0};
    uint64_t most = 0;
    for (uint64_t k = 0; k < count; k++) {
        most += segment_parts(all->rigids[k].count);
    }
    SegmentPart *part = static_cast<SegmentPart *>(ooze_arena_alloc(arena, most, sizeof *part));
    uint32_t *first = static_cast<uint32_t *>(ooze_arena_alloc(arena, count + 1, sizeof *first));
    if (!part || !first) {
        record_error(step->gpu, cudaErrorMemoryAllocation);
        return segments;
    }
    uint32_t parts = 0;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t end = all->rigids[k].first + all->rigids[k].count;
        uint64_t at = all->rigids[k].first;
        first[k] = parts;
        for (uint64_t p = segment_parts(all->rigids[k].count); p > 0; p--) {
            const uint64_t next = at + SEGMENT_PART < end ? at + SEGMENT_PART : end;
            part[parts++] = {(uint32_t)at, (uint32_t)next, (uint32_t)k};
            at = next;
        }
    }
    first[count] = parts;
    SegmentPart *part_to = scratch<SegmentPart>(step->gpu, parts);
    uint32_t *first_to = scratch<uint32_t>(step->gpu, count + 1);
    copy_in(step->gpu, part_to, part, parts * sizeof *part);
    copy_in(step->gpu, first_to, first, (count + 1) * sizeof *first);
    segments = {part_to, first_to, parts, (uint32_t)count};
    return segments;
}

static void allocate(Step *step)
{
    Bodies *bodies = step->bodies;
    Gpu *gpu = step->gpu;
    RigidView *b = &bodies->rigid;
    const uint64_t count = (uint64_t)bodies->all.rigid_count;
    b->segments = send_segments(step);
    b->index = bodies->index;
    b->slot_of = bodies->slot_of;
    b->number = bodies->rigid_of;
    b->rest = scratch<float4>(gpu, bodies->all.rigid_slots);
    b->place = scratch<float4>(gpu, bodies->all.rigid_slots);
    b->velocity = scratch<float4>(gpu, bodies->all.rigid_slots);
    b->arm = scratch<OozeVec3>(gpu, bodies->all.rigid_slots);
    b->body = scratch<OozeRigid>(gpu, count);
    b->smoothed = scratch<OozeTwist>(gpu, count);
    b->end = scratch<OozeRigidEnd>(gpu, count);
    b->rz = scratch<double>(gpu, 1);
    b->scale = {step->context->dt, step->context->spacing, bodies->all.contact};
    clear(gpu, b->body, count * sizeof *b->body);
}

/* The first slot of each body with a particle. */
static void find_anchors(Step *step)
{
    const RigidView b = step->bodies->rigid;
    uint32_t *anchor = step->bodies->anchor;
    for_each(
        step->gpu, b.segments.count, OOZE_BODY(uint32_t k) { anchor[k] = UINT32_MAX; });
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            if (b.index[slot] != OOZE_NO_PARTICLE) { /* minima do not depend on their order */
                atomicMin(&anchor[body_of_slot(b, slot)], slot);
            }
        });
}

void rigid_begin(Step *step)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    allocate(step);
    const RigidView b = step->bodies->rigid;
    rigid_fill_slots(step,
                     static_cast<const float4 *>(store_data(&step->engine->store, "rest_position")),
                     b.rest, b.place);
    find_anchors(step);
    find_centres(step);
    match_shapes(step);
    find_motions(step);
    const StepView s = step->view;
    float *inverse_mass = step->bodies->effective_inverse_mass;
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            const uint32_t i = b.index[slot];
            if (i == OOZE_NO_PARTICLE) {
                return;
            }
            const OozeRigid *body = &b.body[body_of_slot(b, slot)];
            const float4 u = narrow(ooze_rigid_velocity_at(&body->motion, b.arm[slot]));
            b.velocity[slot] = u;
            if (i < OOZE_FAR_PARTICLE) {
                s.u[i] = u;
                inverse_mass[i] = s.mobility[i] * ooze_rigid_inverse_mass_ratio(body);
            }
        });
}

/* ---- the end of the step ---- */

void bodies_place(Step *step, float4 *x, float4 *u)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    const SlotField f = rigid_field(step, u, 0);
    const double dt = (double)step->view.dt; /* as the particles move */
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) { return wrench_at(b, f, slot, true); },
        OOZE_BODY(uint32_t k, TwistSum sum, uint32_t lane) {
            if (lane == 0) {
                b.body[k].sum = sum.all;
                b.end[k] = ooze_rigid_end(&b.body[k], dt);
            }
        });
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            const uint32_t i = b.index[slot];
            if (i < OOZE_FAR_PARTICLE) {
                const OozeRigidEnd *end = &b.end[b.number[i] - 1u];
                const OozeVec3 arm = ooze_rigid_rotated(end->rotation, b.arm[slot]);
                x[i] = narrow(vec3_add(end->centre, arm));
                u[i] = narrow(ooze_rigid_velocity_at(&end->motion, arm));
            }
        });
}

/* ---- iterations ---- */

void bodies_find_projection(Step *step, const float4 *field, const int32_t *off)
{
    rigid_respond(step, field, true, off, NothingLast());
}

void bodies_project_velocities(Step *step, float4 *field, const int32_t *off)
{
    if (rigid_slots(step) == 0) {
        return;
    }
    const RigidView b = step->bodies->rigid;
    bodies_find_projection(step, field, off);
    for_each(
        step->gpu, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            const uint32_t i = b.index[slot];
            if (i < OOZE_FAR_PARTICLE && !(off && *off)) {
                field[i] = response_at(b, i);
            }
        });
}

struct StiffnessSum {
    OozeTwistMatrix all;
    __device__ void operator+=(const StiffnessSum &o)
    {
        for (int k = 0; k < 36; k++) {
            all.m[k] += o.all.m[k];
        }
    }
};

void bodies_set_smoothers(Step *step, const OozeSym3 *around)
{
    const RigidView b = step->bodies->rigid;
    StiffnessSum none;
    memset(&none, 0, sizeof none);
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) {
            StiffnessSum sum = none;
            if (b.index[slot] != OOZE_NO_PARTICLE && ooze_sym3_trace(around[slot]) > 0.0f) {
                const double arm[3] = {b.arm[slot].x, b.arm[slot].y, b.arm[slot].z};
                ooze_twist_add_point(&sum.all, ooze_mat3_from_sym3(around[slot]).m, arm);
            }
            return sum;
        },
        OOZE_BODY(uint32_t k, StiffnessSum sum, uint32_t lane) {
            if (lane == 0) {
                StiffnessSum own;
                own.all = ooze_twist_inverse(ooze_rigid_free_inverse(&b.body[k]));
                own += sum;
                ooze_rigid_set_smoother(&b.body[k], &own.all);
            }
        });
}

} // namespace ooze
