/* A stroke of dynamic solids: what they would do freely, whom they meet on the way, which speeds obey contacts and
   joints, and where these take them.

   Two solutions are found where solids overlap or joints have come apart: one takes that out, and says where solids
   come to; the other leaves it, and says how fast they are then. So no correction adds energy. */
#include "ode/dynamics.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "ode/guard.h"
#include "ode/workspace.h"

/* Of a solid's own 1/kg: contacts that share a load by turns need a little of it to be sure which has how much. */
static const double SOFTNESS = 1e-6;
/* Of the speeds that matter: how uneven rows are at first; and how often they are made more so. */
static const double UNEVEN = 1e-6;
enum { TRIES = 8 };

typedef struct Memory {
    OozeFeelers *feelers; /* of each solid, made when it is first seen */
    int known;
    OozePose *start, *solved, *corrected;
    OozeTraveller *travellers;
    bool *held;
    dBodyID *bodies;
    OozeOdeContact *contacts;
    int contact_room;
} Memory;

static void forget(Memory *m)
{
    for (int i = 0; i < m->known; i++) {
        ooze_feelers_free(&m->feelers[i]);
    }
    ooze_free(m->feelers);
    ooze_free(m->start);
    ooze_free(m->solved);
    ooze_free(m->corrected);
    ooze_free(m->travellers);
    ooze_free(m->held);
    ooze_free(m->bodies);
    ooze_free(m->contacts);
    *m = (Memory){0};
}

static OozeStatus create(void **data, OozeError *error)
{
    ooze_ode_open();
    *data = ooze_alloc_zero(1, sizeof(Memory));
    return *data ? OOZE_OK : ooze_fail_memory(error, "contacts of solids", sizeof(Memory));
}

static void destroy(void *data)
{
    if (data) {
        forget(data);
        ooze_free(data);
    }
}

/* Solids are only ever added, and never change their shape. */
static OozeStatus learn(Memory *m, const OozeDynamicStage *stage, OozeError *error)
{
    size_t n = (size_t)stage->count;
    if (m->known == stage->count) {
        return OOZE_OK;
    }
    forget(m);
    m->feelers = ooze_alloc_zero(n, sizeof *m->feelers);
    m->start = ooze_alloc_zero(n, sizeof *m->start);
    m->solved = ooze_alloc_zero(n, sizeof *m->solved);
    m->corrected = ooze_alloc_zero(n, sizeof *m->corrected);
    m->travellers = ooze_alloc_zero(n, sizeof *m->travellers);
    m->held = ooze_alloc_zero(n, sizeof *m->held);
    m->bodies = ooze_alloc_zero(n, sizeof *m->bodies);
    if (!m->feelers || !m->start || !m->solved || !m->corrected || !m->travellers || !m->held ||
        !m->bodies) {
        return ooze_fail_memory(error, "contacts of solids", n * sizeof *m->travellers);
    }
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < stage->count && !status; i++) {
        status = ooze_feelers_create(stage->solids[i].shape, &m->feelers[i], error);
        m->known += !status;
    }
    return status;
}

/* What takes a solid that is led from one end of the stroke to the other. */
static OozePose led(const OozeSolid *solid, double dt)
{
    OozePose pose = solid->previous;
    OozeQuat turn = quat_mul(solid->pose.rotation, quat_conjugate(pose.rotation));
    OozeVec3 half = vec3(turn.x, turn.y, turn.z);
    double sine = vec3_length(half), angle = 2.0 * atan2(sine, fabs(turn.w));
    double rate = sine > 0.0 ? (turn.w < 0.0 ? -angle : angle) / (sine * dt) : 0.0;
    pose.velocity = vec3_scale(vec3_sub(solid->pose.position, pose.position), 1.0 / dt);
    pose.spin = vec3_scale(half, rate);
    return pose;
}

/* With load and gravity, before anything is met. */
static OozePose given(const OozeDynamicStage *stage, int i)
{
    OozePose pose = stage->solids[i].previous;
    ooze_dynamic_push(&stage->solids[i], &pose, &stage->loads[i]);
    pose.velocity = vec3_madd(pose.velocity, stage->dt, stage->gravity);
    return pose;
}

static OozePose fly(const OozeDynamicStage *stage, int i, const OozePose *from)
{
    return ooze_dynamic_fly(&stage->solids[i], from, vec3(0, 0, 0), stage->dt);
}

static void set_out(OozeOdeWork *work, const Memory *m)
{
    const OozeDynamicStage *stage = work->stage;
    for (int i = 0; i < stage->count; i++) {
        const OozeSolid *solid = &stage->solids[i];
        bool dynamic = ooze_solid_is_dynamic(solid);
        work->start[i] = dynamic ? given(stage, i) : led(solid, stage->dt);
        work->held[i] = false;
        work->travellers[i] = (OozeTraveller){
            .shape = solid->shape,
            .feelers = &m->feelers[i],
            .from = solid->previous,
            .to = dynamic ? fly(stage, i, &work->start[i]) : solid->pose,
        };
    }
}

/* m/s that matter in this stroke: what gravity gives, and a little of the fastest impact. */
static double speed_scale(const OozeOdeWork *work)
{
    double most = 0.0;
    for (int k = 0; k < work->contact_count; k++) {
        most = fmax(most, fabs(work->contacts[k].keep));
    }
    return vec3_length(work->stage->gravity) * work->stage->dt + 1e-3 * most;
}

static OozeStatus solve(OozeOdeWork *work, bool corrects, OozePose *solved, OozeError *error)
{
    int doubts = 1;
    OozeStatus status = OOZE_OK;
    work->corrects = corrects;
    work->solved = solved;
    work->softness = SOFTNESS;
    work->uneven = UNEVEN * speed_scale(work);
    for (int k = 0; k < TRIES && doubts > 0 && !status; k++) {
        work->attempt = k;
        status = ooze_ode_guarded(ooze_ode_solve, work, &doubts, error);
        work->uneven *= 4.0;
        if (!status && !work->complete) {
            status = ooze_fail_memory(error, "ODE's solution",
                                      (uint64_t)work->contact_count * sizeof(OozeOdeContact));
        }
    }
    return status;
}

/* Places of one solution, speeds of the other. */
static void arrive(const OozeOdeWork *work, OozeSolid *solids, const OozePose *places,
                   const OozePose *speeds)
{
    for (int i = 0; i < work->stage->count; i++) {
        OozeSolid *solid = &solids[i];
        if (!ooze_solid_is_dynamic(solid)) {
            continue;
        }
        if (!work->held[i]) {
            solid->pose = work->travellers[i].to;
            continue;
        }
        OozePose to = fly(work->stage, i, &places[i]), kept = fly(work->stage, i, &speeds[i]);
        OozeVec3 centre = ooze_dynamic_centre(solid, &kept);
        OozeVec3 velocity = ooze_pose_velocity_at(&kept, centre);
        OozeVec3 arm = vec3_sub(to.position, ooze_dynamic_centre(solid, &to));
        to.spin = kept.spin;
        to.velocity = vec3_add(velocity, vec3_cross(to.spin, arm));
        solid->pose = to;
    }
}

static OozeStatus move(void *data, const OozeDynamicStage *stage, OozeError *error)
{
    Memory *m = data;
    OozeStatus status = learn(m, stage, error);
    if (status) {
        return status;
    }
    OozeOdeWork work = {
        .stage = stage,
        .start = m->start,
        .travellers = m->travellers,
        .contacts = m->contacts,
        .contact_room = m->contact_room,
        .held = m->held,
        .bodies = m->bodies,
    };
    set_out(&work, m);
    status = ooze_ode_find_contacts(&work, error);
    m->contacts = work.contacts;
    m->contact_room = work.contact_room;
    for (int k = 0; k < stage->joint_count; k++) {
        work.held[stage->joints[k].solid] = true;
        if (stage->joints[k].other >= 0) {
            work.held[stage->joints[k].other] = true;
        }
    }
    bool corrects = work.pushed || stage->joint_count > 0;
    if (!status && (work.contact_count > 0 || stage->joint_count > 0)) {
        status = solve(&work, false, m->solved, error);
        if (!status && corrects) {
            status = solve(&work, true, m->corrected, error);
        }
    }
    if (!status) {
        arrive(&work, stage->solids, corrects ? m->corrected : m->solved, m->solved);
    }
    return status;
}

void ooze_ode_describe(char *text, size_t size)
{
    ooze_ode_open();
    snprintf(text, size, "%s", dODE_VERSION);
}

const OozeDynamics ooze_ode_dynamics = {
    .name = "ode",
    .create = create,
    .destroy = destroy,
    .move = move,
};
