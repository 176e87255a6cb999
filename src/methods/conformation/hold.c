/* Contact as the solver sees it: which directions of which particles the solids hold. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/step_bodies.h"
#include "solids/nearby.h"

/* Adds a direction, made orthogonal to those that are held already. */
static void add_direction(OozeHold *hold, OozeVec3 normal, double speed)
{
    OozeFour n = ooze_four((float)normal.x, (float)normal.y, (float)normal.z, 0);
    float rest = (float)speed;
    for (int k = 0; k < hold->count; k++) {
        float along = ooze_four_dot3(n, hold->direction[k]);
        n -= along * hold->direction[k];
        rest -= along * hold->speed[k];
    }
    float length = sqrtf(ooze_four_dot3(n, n));
    if (hold->count < 3 && length > 0.1f) {
        hold->direction[hold->count] = n / length;
        hold->speed[hold->count] = rest / length;
        hold->count++;
    }
}

/* Tangents of a contact, moving with the surface; whether friction can hold them is found out when
   the push of the solid is known. */
static void add_tangents(OozeHold *hold, OozeVec3 normal, OozeVec3 surface)
{
    OozeVec3 first = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    first = vec3_unit(vec3_cross(normal, first), vec3(0, 0, 1));
    OozeVec3 second = vec3_cross(normal, first);
    add_direction(hold, first, vec3_dot(surface, first));
    add_direction(hold, second, vec3_dot(surface, second));
}

/* A particle is held by a solid that its free flight would enter; it moves with the surface along the
   normal, and hardly faster if it lay too near when the step began (see nearest_allowed of the density
   stage): a solid that overlaps fluid must not throw it. The settling of the density stage brings it out. Where fluid clings to a solid its boundary
   samples do the rest, and tangents stay free. */
static OozeHold hold_of_particle(const OozeConformationStep *s, uint64_t i, uint64_t near)
{
    OozeHold hold = {.count = 0};
    const OozeStepContext *c = s->context;
    OozeVec3 x = vec3(s->x0[i][0], s->x0[i][1], s->x0[i][2]);
    OozeVec3 u = vec3(s->u[i][0], s->u[i][1], s->u[i][2]);
    if (s->mobility[i] == 0.0f) { /* a nozzle leads it: all that it does is given */
        add_direction(&hold, vec3(1, 0, 0), u.x);
        add_direction(&hold, vec3(0, 1, 0), u.y);
        add_direction(&hold, vec3(0, 0, 1), u.z);
        return hold;
    }
    if (s->bodies && s->bodies->rigid_of[i]) { /* held as a whole */
        return hold;
    }
    OozeContact first = {0};
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (!ooze_nearby_has(near, k) || solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
            continue;
        }
        OozeContact contact = ooze_solid_contact(solid, x);
        /* the contact is with the surface of the end of the step, seen from the start of the particle */
        double surface = vec3_dot(contact.velocity, contact.normal);
        double lack = (s->settings.contact - contact.distance) / c->dt - surface;
        double needed = surface + fmin(lack, 0.02 * c->spacing / c->dt);
        if (lack * c->dt > 0.25 * c->spacing) {
            s->intruder[i] = k;
        }
        if (s->coupled && ooze_coupled_is_dynamic(s->coupled, k)) {
            continue; /* it gives way: its samples and the density stage tell how far */
        }
        if (vec3_dot(u, contact.normal) < needed) {
            if (hold.count == 0) {
                first = contact;
                hold.friction = (float)solid->params[OOZE_SOLID_FRICTION];
            }
            add_direction(&hold, contact.normal, needed);
        }
    }
    hold.normals = hold.count;
    if (hold.count > 0 && hold.friction > 0.0f && isfinite(hold.friction)) {
        add_tangents(&hold, first.normal, first.velocity);
    }
    return hold;
}

OozeFour ooze_conformation_pinned(const OozeConformationStep *s, uint64_t i)
{
    const OozeSolid *solid = &s->context->solids[s->context->pin[i] - 1];
    OozeVec3 x = vec3(s->x0[i][0], s->x0[i][1], s->x0[i][2]);
    OozeVec3 u = ooze_pose_carry(&solid->previous, &solid->pose, x, s->context->dt);
    return ooze_four((float)u.x, (float)u.y, (float)u.z, 0);
}

/* ---- all particles ---------------------------------------------------------------------------- */

enum { GRAIN = OOZE_CONFORMATION_GRAIN, GROUPS = GRAIN / OOZE_NEARBY_GROUP };

typedef struct FindJob {
    OozeConformationStep *step;
    OozeNearby nearby;
    uint64_t *near;        /* per group: solids that may hold its particles */
    uint64_t *room, *base; /* per chunk: holds at most, and where they begin */
    uint64_t *held;        /* per chunk: holds */
} FindJob;

static bool is_led(const OozeConformationStep *s, uint64_t i)
{
    return s->mobility[i] == 0.0f;
}

/* Who may come to touch what: with v the fastest of some particles, nothing is held farther than
   v dt from where contact begins. */
static uint64_t find_near(const FindJob *job, uint64_t begin, uint64_t end, uint64_t among)
{
    const OozeConformationStep *s = job->step;
    float fastest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        fastest = ooze_max(fastest, ooze_four_dot3(s->u[i], s->u[i]));
    }
    float reach = s->settings.contact + s->dt * sqrtf(fastest);
    return ooze_nearby_find(&job->nearby, s->x0, begin, end, reach, true, among);
}

static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    const OozeConformationStep *s = job->step;
    uint64_t around = find_near(job, begin, end, UINT64_MAX), room = 0;
    for (uint64_t first = begin; first < end; first += OOZE_NEARBY_GROUP) {
        uint64_t last = first + OOZE_NEARBY_GROUP < end ? first + OOZE_NEARBY_GROUP : end;
        uint64_t near = around ? find_near(job, first, last, around) : 0;
        job->near[first / OOZE_NEARBY_GROUP] = near;
        for (uint64_t i = first; i < last; i++) {
            room += near || is_led(s, i);
        }
    }
    job->room[begin / GRAIN] = room;
}

static void find_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    OozeConformationStep *s = job->step;
    uint64_t first = job->base[begin / GRAIN], at = first;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t near = job->near[i / OOZE_NEARBY_GROUP];
        s->hold_of[i] = s->intruder[i] = -1;
        if (near || is_led(s, i)) {
            s->holds[at] = hold_of_particle(s, i, near);
            if (s->holds[at].count > 0) {
                s->hold_of[i] = (int32_t)at++;
            }
        }
    }
    job->held[begin / GRAIN] = at - first;
}

/* Holds moved to where all of them stand without gaps. */
static void number_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    OozeConformationStep *s = job->step;
    uint64_t at = job->base[begin / GRAIN];
    for (uint64_t i = begin; i < end && job->held[begin / GRAIN]; i++) {
        if (s->hold_of[i] >= 0) {
            s->hold_of[i] = (int32_t)at++;
        }
    }
}

static void pack(FindJob *job, uint64_t chunks)
{
    OozeConformationStep *s = job->step;
    for (uint64_t k = 0; k < chunks; k++) {
        memmove(s->holds + s->hold_count, s->holds + job->base[k], job->held[k] * sizeof *s->holds);
        job->base[k] = s->hold_count;
        s->hold_count += job->held[k];
    }
    if (s->hold_count > 0) {
        ooze_parallel_for(s->context->threads, s->n, GRAIN, number_range, job);
    }
}

static OozeStatus find_holds(FindJob *job, OozeError *error)
{
    OozeConformationStep *s = job->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = (s->n + GRAIN - 1) / GRAIN, room = 0;
    job->near = ooze_arena_alloc(arena, chunks * GROUPS, sizeof *job->near);
    job->room = ooze_arena_alloc(arena, chunks, sizeof *job->room);
    job->base = ooze_arena_alloc(arena, chunks, sizeof *job->base);
    job->held = ooze_arena_alloc(arena, chunks, sizeof *job->held);
    if (!job->near || !job->room || !job->base || !job->held) {
        return ooze_fail_memory(error, "contacts", chunks * GROUPS * sizeof *job->near);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, count_range, job);
    for (uint64_t k = 0; k < chunks; k++) {
        job->base[k] = room;
        room += job->room[k];
    }
    s->holds = ooze_arena_alloc(arena, room, sizeof *s->holds);
    if (!s->holds) {
        return ooze_fail_memory(error, "contacts", room * sizeof *s->holds);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, find_range, job);
    pack(job, chunks);
    return OOZE_OK;
}

OozeStatus ooze_conformation_find_holds(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    s->hold_of = ooze_arena_alloc(c->arena, s->n, sizeof *s->hold_of);
    s->intruder = ooze_arena_alloc(c->arena, s->n, sizeof *s->intruder);
    s->hold_count = 0;
    if (!s->hold_of || !s->intruder) {
        return ooze_fail_memory(error, "contacts", s->n * 8);
    }
    FindJob job = {.step = s};
    OozeStatus status = ooze_nearby_begin(&job.nearby, c->solids, c->solid_count, c->spacing, c->dt,
                                          c->arena, error);
    return status ? status : find_holds(&job, error);
}
