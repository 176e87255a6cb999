/* A substep of dynamic solids: predicts free flight, finds contacts along it, solves for the
   velocities that contacts and joints allow, and integrates the poses.

   Where solids overlap or joints have drifted, two systems are solved: poses follow from the one
   that corrects these errors, velocities from the one that does not, so that correction adds no
   energy. No state outlives the substep, so that a resumed run has the same bits. */
#include "ode/dynamics.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "ode/guard.h"
#include "ode/substep.h"

/* Dither of the first attempt, relative to velocity_scale, and the number of attempts. */
static const double DITHER = 1e-6;
enum { ATTEMPTS = 8 };

/* ODE's random numbers, which order the rows of the iterative solver, have one state for the whole
   process. */
static pthread_mutex_t random_state = PTHREAD_MUTEX_INITIALIZER;

/* Memory of one world: shells of its solids, and room for a substep. */
typedef struct Memory {
    OozePointShell *shells;
    int count;
    OozeOdeSubstep substep;
} Memory;

static void clear(Memory *m)
{
    OozeOdeSubstep *s = &m->substep;
    for (int i = 0; i < m->count; i++) {
        ooze_point_shell_free(&m->shells[i]);
    }
    ooze_free(m->shells);
    ooze_free(s->start);
    ooze_free(s->velocities);
    ooze_free(s->corrections);
    ooze_free(s->swept);
    ooze_free(s->solver);
    ooze_free(s->island);
    ooze_free(s->island_contacts);
    ooze_free(s->bodies);
    ooze_free(s->contacts);
    *m = (Memory){0};
}

static OozeStatus create(void **data, OozeError *error)
{
    ooze_ode_init();
    *data = ooze_alloc_zero(1, sizeof(Memory));
    return *data ? OOZE_OK : ooze_fail_memory(error, "contacts of solids", sizeof(Memory));
}

static void destroy(void *data)
{
    if (data) {
        clear(data);
        ooze_free(data);
    }
}

/* The number of solids is a sufficient key: solids are only added and keep their shape. */
static OozeStatus make_room(Memory *m, const OozeDynamicStage *stage, OozeError *error)
{
    size_t n = (size_t)stage->count;
    OozeOdeSubstep *s = &m->substep;
    if (m->count == stage->count) {
        return OOZE_OK;
    }
    clear(m);
    m->shells = ooze_alloc_zero(n, sizeof *m->shells);
    s->start = ooze_alloc_zero(n, sizeof *s->start);
    s->velocities = ooze_alloc_zero(n, sizeof *s->velocities);
    s->corrections = ooze_alloc_zero(n, sizeof *s->corrections);
    s->swept = ooze_alloc_zero(n, sizeof *s->swept);
    s->solver = ooze_alloc_zero(n, sizeof *s->solver);
    s->island = ooze_alloc_zero(n, sizeof *s->island);
    s->island_contacts = ooze_alloc_zero(n, sizeof *s->island_contacts);
    s->bodies = ooze_alloc_zero(n, sizeof *s->bodies);
    if (!m->shells || !s->start || !s->velocities || !s->corrections || !s->swept || !s->solver ||
        !s->island || !s->island_contacts || !s->bodies) {
        return ooze_fail_memory(error, "contacts of solids", n * sizeof *s->swept);
    }
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < stage->count && !status; i++) {
        status = ooze_point_shell_create(stage->solids[i].shape, &m->shells[i], error);
        m->count += !status;
    }
    return status;
}

/* Constant velocity and spin that take a solid from `previous` to `pose` in a substep. */
static OozePose prescribed(const OozeSolid *solid, double dt)
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

static OozePose loaded(const OozeDynamicStage *stage, int i)
{
    OozePose pose = stage->solids[i].previous;
    ooze_dynamic_apply_load(&stage->solids[i], &pose, &stage->loads[i]);
    pose.velocity = vec3_madd(pose.velocity, stage->dt, stage->gravity);
    return pose;
}

static OozePose fly(const OozeDynamicStage *stage, int i, const OozePose *from)
{
    return ooze_dynamic_fly(&stage->solids[i], from, vec3(0, 0, 0), stage->dt);
}

static void predict(OozeOdeSubstep *s, const OozePointShell *shells)
{
    const OozeDynamicStage *stage = s->stage;
    for (int i = 0; i < stage->count; i++) {
        const OozeSolid *solid = &stage->solids[i];
        bool dynamic = ooze_solid_is_dynamic(solid);
        s->start[i] = dynamic ? loaded(stage, i) : prescribed(solid, stage->dt);
        OozePose to = dynamic ? fly(stage, i, &s->start[i]) : solid->pose;
        s->swept[i] = ooze_swept_solid(solid->shape, &shells[i], &solid->previous, &to);
    }
}

/* m/s, the scale of the dither: free fall in a substep, and 1e-3 of the fastest impact. */
static double velocity_scale(const OozeOdeSystem *system)
{
    const OozeOdeSubstep *s = system->substep;
    double max = 0.0;
    for (int k = 0; k < s->contact_count; k++) {
        if (ooze_ode_has_contact(system, &s->contacts[k])) {
            max = fmax(max, fabs(ooze_ode_contact_velocity(system, &s->contacts[k])));
        }
    }
    return vec3_length(s->stage->gravity) * s->stage->dt + 1e-3 * max;
}

/* Seed of the row order: depends on the state alone, so that runs are reproducible, and differs
   between substeps, so that errors of unconverged iterations have no preferred direction. */
static unsigned long seed_of(const OozeOdeSubstep *s)
{
    uint64_t hash = OOZE_HASH_START;
    for (int k = 0; k < s->contact_count; k++) {
        hash = ooze_hash_bytes(hash, &s->contacts[k].touching, sizeof s->contacts[k].touching);
    }
    return (unsigned long)(hash & 0xffffffffu);
}

/* `warnings` counts ODE's reports that the result is inaccurate. */
static OozeStatus attempt(OozeOdeSystem *system, int *warnings, OozeError *error)
{
    if (system->iterative) {
        pthread_mutex_lock(&random_state);
        dRandSetSeed(seed_of(system->substep));
    }
    OozeStatus status = ooze_ode_guarded(ooze_ode_solve, system, warnings, error);
    if (system->iterative) {
        pthread_mutex_unlock(&random_state);
    }
    if (!status && !system->complete) {
        status =
            ooze_fail_memory(error, "ODE's solution",
                             (uint64_t)system->substep->contact_count * sizeof(OozeOdeContact));
    }
    return status;
}

/* Solves exactly where the islands are assigned to the exact solver; iteratively where they are
   not, or where the exact solver warned in all attempts. */
static OozeStatus solve(OozeOdeSystem *system, OozeError *error)
{
    int warnings = 1;
    OozeStatus status = OOZE_OK;
    system->iterative = system->islands == OOZE_ODE_ITERATIVE;
    system->dither = system->iterative ? 0.0 : DITHER * velocity_scale(system);
    for (int k = 0; k <= ATTEMPTS && warnings > 0 && !status; k++) {
        system->attempt = k;
        system->iterative = system->iterative || k == ATTEMPTS;
        status = attempt(system, &warnings, error);
        system->dither *= 4.0;
        warnings = system->iterative ? 0 : warnings;
    }
    return status;
}

/* Whether correction changes any target velocity, or there are joints. */
static bool needs_correction(OozeOdeSystem system)
{
    const OozeOdeSubstep *s = system.substep;
    bool needed = false;
    for (int k = 0; k < s->contact_count && !needed; k++) {
        const OozeOdeContact *contact = &s->contacts[k];
        system.corrects = false;
        double kept = ooze_ode_contact_velocity(&system, contact);
        system.corrects = true;
        needed = ooze_ode_has_contact(&system, contact) &&
                 kept != ooze_ode_contact_velocity(&system, contact);
    }
    for (int k = 0; k < s->stage->joint_count && !needed; k++) {
        needed = ooze_ode_has_joint(&system, &s->stage->joints[k]);
    }
    return needed;
}

static OozeStatus solve_islands(OozeOdeSubstep *s, OozeOdeSolver islands, OozeError *error)
{
    OozeOdeSystem system = {.substep = s, .islands = islands, .results = s->velocities};
    bool any = false;
    for (int i = 0; i < s->stage->count; i++) {
        any = any || (s->solver[i] == islands && ooze_solid_is_dynamic(&s->stage->solids[i]));
    }
    if (!any) {
        return OOZE_OK;
    }
    OozeStatus status = solve(&system, error);
    if (!status && needs_correction(system)) {
        system.corrects = true;
        system.results = s->corrections;
        return solve(&system, error);
    }
    for (int i = 0; i < s->stage->count; i++) {
        s->corrections[i] = s->solver[i] == islands ? s->velocities[i] : s->corrections[i];
    }
    return status;
}

static void finish(const OozeOdeSubstep *s, OozeSolid *solids)
{
    for (int i = 0; i < s->stage->count; i++) {
        OozeSolid *solid = &solids[i];
        if (!ooze_solid_is_dynamic(solid)) {
            continue;
        }
        if (s->solver[i] == OOZE_ODE_NONE) {
            solid->pose = s->swept[i].to;
            continue;
        }
        OozePose kept = fly(s->stage, i, &s->velocities[i]);
        solid->pose = fly(s->stage, i, &s->corrections[i]);
        ooze_dynamic_set_velocity(solid, &solid->pose, ooze_dynamic_velocity(solid, &kept),
                                  kept.spin);
    }
}

static OozeStatus move(void *data, const OozeDynamicStage *stage, OozeError *error)
{
    Memory *m = data;
    OozeOdeSubstep *s = &m->substep;
    OozeStatus status = make_room(m, stage, error);
    if (status) {
        return status;
    }
    s->stage = stage;
    s->contact_count = 0;
    predict(s, m->shells);
    status = ooze_ode_find_contacts(s, error);
    ooze_ode_assign_solvers(s);
    status = status ? status : solve_islands(s, OOZE_ODE_EXACT, error);
    status = status ? status : solve_islands(s, OOZE_ODE_ITERATIVE, error);
    if (!status) {
        finish(s, stage->solids);
    }
    return status;
}

void ooze_ode_describe(char *text, size_t size)
{
    ooze_ode_init();
    snprintf(text, size, "%s", dODE_VERSION);
}

const OozeDynamics ooze_ode_dynamics = {
    .name = "ode",
    .create = create,
    .destroy = destroy,
    .move = move,
};
