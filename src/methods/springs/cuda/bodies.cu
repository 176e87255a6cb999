/* Collisions of particles with solids, and sums over the particles near dynamic solids, on the GPU.
   The systems of all solids are summed and solved here, each sum over particles in a fixed order;
   the host moves the solids by contacts and joints. */
#include "cuda/sort.cuh"
#include "methods/springs/cuda/stages.cuh"

namespace ooze
{

/* ---- one particle ---- */

/* Stickiness, at the predicted position: see cpu/bodies.c. */
OOZE_DEVICE void stick(const SpringsView &s, OozeSpringsCollision *m)
{
    const OozeContactRule &rule = s.contact.rule;
    for (int k = 0; k < s.contact.solids.count; k++) {
        const SolidView &solid = s.contact.solids.items[k];
        if (!(solid.stick_distance > 0.0) || !solid.collides) {
            continue;
        }
        const OozeContact contact = solid_contact(solid, m->position);
        const OozeVec3 pull =
            ooze_contact_adhesion(solid.stick_strength, solid.stick_distance, &contact,
                                  contact.distance - rule.margin, rule.dt);
        ooze_springs_stick(m, k, pull, rule.dt);
    }
}

/* The movement of a particle without solids. */
OOZE_DEVICE float4 springs_travel(const SpringsView &s, uint32_t k)
{
    return s.k.dt * s.u[s.order[k]] + s.shift[k];
}

/* The collision of particle k with all solids. */
OOZE_DEVICE void springs_collide(const SpringsView &s, uint32_t k, OozeSpringsCollision *m)
{
    const uint32_t i = s.order[k];
    const float4 from = s.x0[i], u = s.u[i], shift = s.shift[k];
    const float dt = s.k.dt;
    m->position = widen(from + springs_travel(s, k));
    m->velocity = m->incoming_velocity =
        widen(f32x4(u.x + shift.x / dt, u.y + shift.y / dt, u.z + shift.z / dt));
    m->touches.count = m->adhesion.count = 0;
    if (s.contact.solids.count > 0 && !s.prescribed[k]) {
        stick(s, m);
        m->incoming_velocity = m->velocity;
        contact_resolve(s.contact, widen(from), &m->position, &m->velocity, &m->touches);
    }
}

void springs_collide_particles(OozeSpringsStep *step)
{
    const SpringsView s = view_of(step);
    float4 *x = static_cast<float4 *>(step->end.x), *v = static_cast<float4 *>(step->end.u);
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t k) {
            OozeSpringsCollision m;
            springs_collide(s, k, &m);
            x[s.order[k]] = narrow(m.position);
            v[s.order[k]] = narrow(m.velocity);
        });
}

/* ---- particles that may collide ---- */

OOZE_DEVICE bool may_collide(const SpringsView &s, uint32_t k, double support)
{
    const float4 travel = springs_travel(s, k), to = s.x0[s.order[k]] + travel;
    const double length = (double)sqrtf(dot(travel, travel));
    for (int b = 0; b < s.contact.solids.count; b++) {
        const SolidView &solid = s.contact.solids.items[b];
        if (solid.dynamic && solid.collides) {
            const OozeContact contact = solid_contact(solid, widen(to));
            if (ooze_springs_may_collide(
                    contact.distance, s.contact.rule.margin + solid.stick_distance, length,
                    s.contact.rule.dt * vec3_length(contact.velocity), support)) {
                return true;
            }
        }
    }
    return false;
}

/* Parts of the sums: every solid has all particles near one of them. */
static OozeStatus send_segments(OozeSpringsStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    OozeArena *arena = machine->context->arena;
    const uint64_t solids = (uint64_t)step->body_count, of_each = segment_parts(step->near_count),
                   count = solids * of_each;
    SegmentPart *part = static_cast<SegmentPart *>(ooze_arena_alloc(arena, count, sizeof *part));
    uint32_t *first = static_cast<uint32_t *>(ooze_arena_alloc(arena, solids + 1, sizeof *first));
    if (!part || !first) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *part);
    }
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t begin = k % of_each * SEGMENT_PART, end = begin + SEGMENT_PART;
        part[k] = {(uint32_t)begin, (uint32_t)(end < step->near_count ? end : step->near_count),
                   (uint32_t)(k / of_each)};
    }
    for (uint64_t k = 0; k <= solids; k++) {
        first[k] = (uint32_t)(k * of_each);
    }
    const void *part_to = ooze_machine_send(machine, part, count, sizeof *part);
    const void *first_to = ooze_machine_send(machine, first, solids + 1, sizeof *first);
    data_of(step)->segments = {static_cast<const SegmentPart *>(part_to),
                               static_cast<const uint32_t *>(first_to), (uint32_t)count,
                               (uint32_t)solids};
    return OOZE_OK;
}

OozeStatus springs_find_near(OozeSpringsStep *step, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    const SpringsView s = view_of(step);
    const double support = step->machine->context->support;
    uint8_t *far = scratch<uint8_t>(gpu, s.n);
    step->near = scratch<uint32_t>(gpu, s.n);
    for_each(
        gpu, s.n,
        OOZE_BODY(uint32_t k) { far[k] = s.prescribed[k] || !may_collide(s, k, support) ? 1 : 0; });
    const uint64_t count = select_unflagged(gpu, far, step->near, s.n);
    step->near_count = gpu->failed == cudaSuccess ? count : 0;
    step->collisions = scratch<OozeSpringsCollision>(gpu, step->near_count);
    return send_segments(step, error);
}

OozeStatus springs_collide_near(OozeSpringsStep *step, OozeError *error)
{
    Engine *engine = engine_of(step->machine);
    OozeStatus result = solids_send(&engine->gpu, &engine->solids, step->machine->context, error);
    const SpringsView s = view_of(step);
    if (!result) {
        for_each(
            &engine->gpu, s.near_count,
            OOZE_BODY(uint32_t e) { springs_collide(s, s.near[e], &s.collisions[e]); });
    }
    return result;
}

/* ---- systems ---- */

struct SystemSum {
    OozeSpringsSystem all;
    __device__ void operator+=(const SystemSum &o)
    {
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                all.a[i][j] += o.all.a[i][j];
            }
            all.b[i] += o.all.b[i];
        }
        all.active += o.all.active;
    }
};

/* Change of velocity and spin of a solid by the particles, and the number of those in its last
   system. */
struct BodySolution {
    double x[6], active;
    uint64_t done; /* not 0: the set of these particles is constant */
};

OOZE_DEVICE double mass_of(const SpringsView &s, uint32_t k)
{
    return (double)coefficients_of(s, k)->mass;
}

/* What a particle adds to the system of a solid. */
OOZE_DEVICE SystemSum contribution(const SpringsView &s, const OozeSpringsCollision &m,
                                   const OozeSpringsBody &body, const double x[6], double mass)
{
    SystemSum sum = {};
    OozeVec3 incoming;
    OozeLoad adhesion = {{0, 0, 0}, {0, 0, 0}};
    const OozeTouch *touch = ooze_springs_first_touch(&m, body.solid, &incoming);
    if (touch) {
        const OozeContact contact = solid_contact(s.contact.solids.items[body.solid], touch->point);
        ooze_springs_add_particle(&sum.all, &body, x, touch->point, contact.normal, incoming, mass);
    }
    if (ooze_springs_add_reaction(&adhesion, &m.adhesion, body.solid, body.centre, mass)) {
        ooze_springs_add_load(&sum.all, &adhesion);
    }
    return sum;
}

/* One active-set iteration of all solids. */
static void solve_round(OozeSpringsStep *step, BodySolution *solutions)
{
    const SpringsView s = view_of(step);
    const SystemSum none = {};
    sum_segments(
        gpu_of(step->machine), data_of(step)->segments, none,
        OOZE_BODY(uint32_t e, uint32_t k)->SystemSum {
            if (solutions[k].done) {
                SystemSum nothing = {};
                return nothing;
            }
            return contribution(s, s.collisions[e], s.bodies[k], solutions[k].x,
                                mass_of(s, s.near[e]));
        },
        OOZE_BODY(uint32_t k, const SystemSum &sum, uint32_t lane) {
            BodySolution *own = &solutions[k];
            if (lane != 0 || own->done) {
                return;
            }
            SystemSum system;
            ooze_springs_system_begin(&system.all, &s.bodies[k]);
            system += sum;
            own->done = !ooze_springs_system_update(&system.all, own->x, &own->active);
        });
}

OozeStatus springs_solve_bodies(OozeSpringsStep *step, double (*change)[6], OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    const uint64_t count = (uint64_t)step->body_count;
    Mark mark = scratch_mark(gpu);
    BodySolution *solutions = scratch<BodySolution>(gpu, count);
    BodySolution *found = static_cast<BodySolution *>(
        ooze_arena_alloc(step->machine->context->arena, count, sizeof(BodySolution)));
    if (!found) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *found);
    }
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            const BodySolution none = {{0, 0, 0, 0, 0, 0}, -1.0, 0};
            solutions[k] = none;
        });
    for (int round = 0; round < OOZE_SPRINGS_ACTIVE_ROUNDS; round++) {
        solve_round(step, solutions);
    }
    copy_out(gpu, found, solutions, count * sizeof *found);
    scratch_rewind(gpu, mark);
    OozeStatus result = status(gpu, step->machine->n, error);
    for (uint64_t k = 0; k < count && !result; k++) {
        memcpy(change[k], found[k].x, sizeof found[k].x);
    }
    return result;
}

/* ---- momentum ---- */

struct LostSum : OozeSpringsLost {
    __device__ void operator+=(const LostSum &o)
    {
        load.impulse = vec3_add(load.impulse, o.load.impulse);
        load.moment = vec3_add(load.moment, o.load.moment);
        touching += o.touching;
    }
};

OozeStatus springs_sum_lost(OozeSpringsStep *step, OozeSpringsLost *to, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    const uint64_t count = (uint64_t)step->body_count;
    OozeSpringsLost *lost = scratch<OozeSpringsLost>(gpu, count);
    const SpringsView s = view_of(step);
    const LostSum none = {};
    sum_segments(
        gpu, data_of(step)->segments, none,
        OOZE_BODY(uint32_t e, uint32_t k)->LostSum {
            LostSum sum = {};
            const OozeSpringsCollision &m = s.collisions[e];
            const OozeSpringsBody &body = s.bodies[k];
            const double mass = mass_of(s, s.near[e]);
            ooze_springs_add_reaction(&sum.load, &m.adhesion, body.solid, body.centre, mass);
            if (ooze_springs_add_reaction(&sum.load, &m.touches, body.solid, body.centre, mass)) {
                sum.touching = mass;
            }
            return sum;
        },
        OOZE_BODY(uint32_t k, const LostSum &sum, uint32_t lane) {
            if (lane == 0) {
                lost[k] = sum;
            }
        });
    copy_out(gpu, to, lost, count * sizeof *lost);
    return status(gpu, step->machine->n, error);
}

void springs_change_velocities(OozeSpringsStep *step, const OozeVec3 *changes)
{
    const SpringsView s = view_of(step);
    float4 *v = static_cast<float4 *>(step->end.u);
    for_each(
        gpu_of(step->machine), s.near_count, OOZE_BODY(uint32_t e) {
            v[s.order[s.near[e]]] = narrow(
                ooze_springs_changed_velocity(&s.collisions[e], s.bodies, s.body_count, changes));
        });
}

} // namespace ooze
