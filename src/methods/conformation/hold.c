/* Contact as the solver sees it: which directions of which particles the solids hold. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/bodies.h"

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
static OozeHold hold_of_particle(const OozeConformationStep *s, uint64_t i)
{
    OozeHold hold = {.count = 0};
    s->intruder[i] = -1;
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
        if (solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
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
    OozeVec3 local =
        quat_rotate_back(solid->previous.rotation, vec3_sub(x, solid->previous.position));
    OozeVec3 next = vec3_add(quat_rotate(solid->pose.rotation, local), solid->pose.position);
    OozeVec3 u = vec3_scale(vec3_sub(next, x), 1.0 / s->context->dt);
    return ooze_four((float)u.x, (float)u.y, (float)u.z, 0);
}

typedef struct FindJob {
    OozeConformationStep *step;
    OozeHold *found; /* one per particle */
} FindJob;

static void find_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    for (uint64_t i = begin; i < end; i++) {
        job->found[i] = hold_of_particle(job->step, i);
    }
}

OozeStatus ooze_conformation_find_holds(OozeConformationStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    s->hold_of = ooze_arena_alloc(arena, s->n, sizeof *s->hold_of);
    s->holds = ooze_arena_alloc(arena, s->n, sizeof *s->holds);
    s->intruder = ooze_arena_alloc(arena, s->n, sizeof *s->intruder);
    if (!s->hold_of || !s->holds || !s->intruder) {
        return ooze_fail_memory(error, "contacts", s->n * sizeof *s->holds);
    }
    bool any = s->context->solid_count > 0 || s->context->led;
    if (any) {
        FindJob job = {.step = s, .found = s->holds};
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, find_range, &job);
    }
    s->hold_count = 0;
    for (uint64_t i = 0; i < s->n; i++) { /* packed in place: the target never overtakes */
        bool held = any && s->holds[i].count > 0;
        s->hold_of[i] = held ? (int32_t)s->hold_count : -1;
        if (held) {
            s->holds[s->hold_count++] = s->holds[i];
        }
    }
    return OOZE_OK;
}
