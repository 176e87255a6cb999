/* Dynamic solids: see methods/springs/bodies.c. The systems of all solids are summed and solved on
   the device, each sum over particles in a fixed order; the host moves the solids by contacts and
   joints. */
#include "cuda/sort.cuh"
#include "cuda/springs/step.cuh"

namespace ooze
{

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

/* Waits for their number. */
static void find_near(SpringsStep *step)
{
    Gpu *gpu = step->gpu;
    SpringsBodies *all = &step->bodies;
    const SpringsView s = step->view;
    const double support = step->context->support;
    uint8_t *far = scratch<uint8_t>(gpu, s.n);
    uint32_t *near = scratch<uint32_t>(gpu, s.n);
    for_each(
        gpu, s.n,
        OOZE_BODY(uint32_t k) { far[k] = s.prescribed[k] || !may_collide(s, k, support) ? 1 : 0; });
    const uint64_t count = select_unflagged(gpu, far, near, s.n);
    all->near = near;
    all->near_count = gpu->failed == cudaSuccess ? (uint32_t)count : 0;
    all->collisions = scratch<OozeSpringsCollision>(gpu, all->near_count);
}

/* ---- the solids ---- */

/* Parts of the sums: every solid has all particles near one of them. */
static OozeStatus send_segments(SpringsStep *step, OozeError *error)
{
    SpringsBodies *all = &step->bodies;
    OozeArena *arena = step->context->arena;
    const uint64_t solids = (uint64_t)all->count, of_each = segment_parts(all->near_count),
                   count = solids * of_each;
    SegmentPart *part = static_cast<SegmentPart *>(ooze_arena_alloc(arena, count, sizeof *part));
    uint32_t *first = static_cast<uint32_t *>(ooze_arena_alloc(arena, solids + 1, sizeof *first));
    SegmentPart *part_to = scratch<SegmentPart>(step->gpu, count);
    uint32_t *first_to = scratch<uint32_t>(step->gpu, solids + 1);
    if (!part || !first) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *part);
    }
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t begin = k % of_each * SEGMENT_PART, end = begin + SEGMENT_PART;
        part[k] = {(uint32_t)begin, end < all->near_count ? (uint32_t)end : all->near_count,
                   (uint32_t)(k / of_each)};
    }
    for (uint64_t k = 0; k <= solids; k++) {
        first[k] = (uint32_t)(k * of_each);
    }
    copy_in(step->gpu, part_to, part, count * sizeof *part);
    copy_in(step->gpu, first_to, first, (solids + 1) * sizeof *first);
    all->segments = {part_to, first_to, (uint32_t)count, (uint32_t)solids};
    return OOZE_OK;
}

/* Lists the dynamic solids, which are in free flight. */
static OozeStatus list_bodies(SpringsStep *step, OozeError *error)
{
    SpringsBodies *all = &step->bodies;
    const OozeStepContext *c = step->context;
    const uint64_t solids = (uint64_t)c->solid_count;
    all->bodies =
        static_cast<OozeSpringsBody *>(ooze_arena_alloc(c->arena, solids, sizeof(OozeSpringsBody)));
    all->free_pose = static_cast<OozePose *>(ooze_arena_alloc(c->arena, solids, sizeof(OozePose)));
    if (!all->bodies || !all->free_pose) {
        return ooze_fail_memory(error, "dynamic solids", solids * sizeof(OozeSpringsBody));
    }
    for (int b = 0; b < c->solid_count; b++) {
        if (ooze_solid_is_dynamic(&c->solids[b])) {
            all->free_pose[all->count] = c->solids[b].pose;
            all->bodies[all->count++].solid = b;
        }
    }
    all->sent = scratch<OozeSpringsBody>(step->gpu, (uint64_t)all->count);
    return OOZE_OK;
}

/* Sends the solids at their present poses. */
static OozeStatus send_bodies(SpringsStep *step, OozeError *error)
{
    SpringsBodies *all = &step->bodies;
    OozeStepContext *c = step->context;
    for (int k = 0; k < all->count; k++) {
        all->bodies[k] = ooze_springs_body(c->solids, all->bodies[k].solid, &all->free_pose[k],
                                           &step->view.contact.rule);
    }
    copy_in(step->gpu, all->sent, all->bodies, (uint64_t)all->count * sizeof *all->bodies);
    OozeStatus result = solids_send(step->gpu, &step->engine->solids, c, error);
    step->view.contact.solids = step->engine->solids.view;
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

/* The collisions with solids at their present poses. */
static void find_collisions(SpringsStep *step)
{
    const SpringsView s = step->view;
    const SpringsBodies all = step->bodies;
    for_each(
        step->gpu, all.near_count,
        OOZE_BODY(uint32_t e) { springs_collide(s, all.near[e], &all.collisions[e]); });
}

/* One active-set iteration of all solids. */
static void solve_round(SpringsStep *step, BodySolution *solutions)
{
    const SpringsView s = step->view;
    const SpringsBodies all = step->bodies;
    const SystemSum none = {};
    sum_segments(
        step->gpu, all.segments, none,
        OOZE_BODY(uint32_t e, uint32_t k)->SystemSum {
            if (solutions[k].done) {
                SystemSum nothing = {};
                return nothing;
            }
            return contribution(s, all.collisions[e], all.sent[k], solutions[k].x,
                                mass_of(s, all.near[e]));
        },
        OOZE_BODY(uint32_t k, const SystemSum &sum, uint32_t lane) {
            BodySolution *own = &solutions[k];
            if (lane != 0 || own->done) {
                return;
            }
            SystemSum system;
            ooze_springs_system_begin(&system.all, &all.sent[k]);
            system += sum;
            own->done = !ooze_springs_system_update(&system.all, own->x, &own->active);
        });
}

/* Loads of the solids by the particles near them, at their present poses. Waits. */
static OozeStatus solve_bodies(SpringsStep *step, OozeError *error)
{
    Gpu *gpu = step->gpu;
    SpringsBodies *all = &step->bodies;
    OozeDynamicStage *stage = step->context->dynamic;
    const uint64_t count = (uint64_t)all->count;
    Mark mark = scratch_mark(gpu);
    BodySolution *solutions = scratch<BodySolution>(gpu, count);
    BodySolution *found = static_cast<BodySolution *>(
        ooze_arena_alloc(step->context->arena, count, sizeof(BodySolution)));
    if (!found) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *found);
    }
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            const BodySolution none = {{0, 0, 0, 0, 0, 0}, -1.0, 0};
            solutions[k] = none;
        });
    find_collisions(step);
    for (int round = 0; round < OOZE_SPRINGS_ACTIVE_ROUNDS; round++) {
        solve_round(step, solutions);
    }
    copy_out(gpu, found, solutions, count * sizeof *found);
    scratch_rewind(gpu, mark);
    OozeStatus result = status(gpu, step->view.n, error);
    for (uint64_t k = 0; k < count && !result; k++) {
        const int b = all->bodies[k].solid;
        stage->loads[b] = ooze_springs_load_of(&stage->solids[b], found[k].x);
    }
    return result;
}

OozeStatus springs_move_bodies(SpringsStep *step, OozeError *error)
{
    OozeStatus result = list_bodies(step, error);
    if (!result) {
        find_near(step);
        result = send_segments(step, error);
    }
    for (int move = 0; move < OOZE_SPRINGS_MOVES && !result; move++) {
        result = send_bodies(step, error);
        result = result ? result : solve_bodies(step, error);
        result = result ? result : ooze_dynamic_move(step->context->dynamic, error);
    }
    result = result ? result : send_bodies(step, error);
    if (!result) { /* particles collide with the solids there, which changes their positions */
        find_collisions(step);
    }
    return result;
}

/* ---- momentum ---- */

/* What particles lost to a solid, and the mass of those that touch it, kg. */
struct LostSum {
    OozeLoad load;
    double touching;
    __device__ void operator+=(const LostSum &o)
    {
        load.impulse = vec3_add(load.impulse, o.load.impulse);
        load.moment = vec3_add(load.moment, o.load.moment);
        touching += o.touching;
    }
};

static void sum_lost(SpringsStep *step, LostSum *lost)
{
    const SpringsView s = step->view;
    const SpringsBodies all = step->bodies;
    const LostSum none = {};
    sum_segments(
        step->gpu, all.segments, none,
        OOZE_BODY(uint32_t e, uint32_t k)->LostSum {
            LostSum sum = {};
            const OozeSpringsCollision &m = all.collisions[e];
            const OozeSpringsBody &body = all.sent[k];
            const double mass = mass_of(s, all.near[e]);
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
}

/* Changes the velocity of every particle that touches a solid. */
static void distribute(SpringsStep *step, const OozeVec3 *changes)
{
    const SpringsView s = step->view;
    const SpringsBodies all = step->bodies;
    float4 *v = store_velocities(&step->engine->store);
    for_each(
        step->gpu, all.near_count, OOZE_BODY(uint32_t e) {
            OozeVec3 velocity = all.collisions[e].velocity, incoming;
            for (int k = 0; k < all.count; k++) {
                if (ooze_springs_first_touch(&all.collisions[e], all.sent[k].solid, &incoming)) {
                    velocity = vec3_add(velocity, changes[k]);
                }
            }
            v[s.order[all.near[e]]] = narrow(velocity);
        });
}

OozeStatus springs_balance_bodies(SpringsStep *step, OozeError *error)
{
    Gpu *gpu = step->gpu;
    OozeArena *arena = step->context->arena;
    OozeDynamicStage *stage = step->context->dynamic;
    const uint64_t count = (uint64_t)step->bodies.count;
    LostSum *lost = scratch<LostSum>(gpu, count);
    LostSum *found = static_cast<LostSum *>(ooze_arena_alloc(arena, count, sizeof(LostSum)));
    OozeVec3 *changes = static_cast<OozeVec3 *>(ooze_arena_alloc(arena, count, sizeof(OozeVec3)));
    OozeVec3 *sent = scratch<OozeVec3>(gpu, count);
    if (!found || !changes) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *found);
    }
    sum_lost(step, lost);
    copy_out(gpu, found, lost, count * sizeof *found);
    OozeStatus result = status(gpu, step->view.n, error);
    for (uint64_t k = 0; k < count && !result; k++) {
        const int b = step->bodies.bodies[k].solid;
        changes[k] = ooze_springs_balance(&stage->solids[b], &found[k].load, found[k].touching,
                                          &stage->loads[b]);
    }
    if (!result) {
        copy_in(gpu, sent, changes, count * sizeof *changes);
        distribute(step, sent);
        result = ooze_dynamic_move(stage, error);
    }
    return result;
}

} // namespace ooze
