/* Collisions of particles with solids, and sums over the particles near dynamic solids, on the
   processor: section 6 and algorithm 6. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/cpu/loops.h"

/* ---- one particle ---------------------------------------------------------------------------- */

/* Stickiness, at the predicted position. */
static void stick(const OozeSpringsStep *s, OozeSpringsCollision *m)
{
    const OozeStepContext *c = s->machine->context;
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (!(solid->params[OOZE_SOLID_STICK_DISTANCE] > 0.0) ||
            solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
            continue;
        }
        OozeContact contact = ooze_solid_contact(solid, m->position);
        OozeVec3 pull =
            ooze_contact_stick(solid, &contact, contact.distance - s->rule.margin, c->dt);
        ooze_springs_stick(m, k, pull, c->dt);
    }
}

static OozeSpringsMotion motion_of(const OozeSpringsStep *s, uint64_t k)
{
    uint32_t i = s->order[k];
    return (OozeSpringsMotion){s->x0[i], s->u[i], s->point[k].shift, s->material[k],
                               s->prescribed[k] != 0};
}

static void collide_particle(const OozeSpringsStep *s, const OozeSpringsMotion *motion,
                             OozeSpringsCollision *m)
{
    const OozeStepContext *c = s->machine->context;
    OozeF32x4 from = motion->x0, u = motion->u + motion->shift / s->k.dt;
    OozeF32x4 to = from + (s->k.dt * motion->u + motion->shift);
    OozeVec3 start = vec3(from[0], from[1], from[2]);
    m->position = vec3(to[0], to[1], to[2]);
    m->velocity = m->incoming_velocity = vec3(u[0], u[1], u[2]);
    m->touches.count = m->adhesion.count = 0;
    if (c->solid_count > 0 && !motion->prescribed) {
        stick(s, m);
        m->incoming_velocity = m->velocity;
        ooze_contact_resolve(c->solids, c->solid_count, &s->rule, start, &m->position, &m->velocity,
                             &m->touches);
    }
}

static void collide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    OozeFloat4 *x = s->end.x, *v = s->end.u;
    for (uint64_t k = begin + s->below; k < end + s->below; k++) {
        OozeSpringsMotion motion = motion_of(s, k);
        OozeSpringsCollision m;
        collide_particle(s, &motion, &m);
        x[s->order[k]] =
            (OozeFloat4){(float)m.position.x, (float)m.position.y, (float)m.position.z, 0};
        v[s->order[k]] =
            (OozeFloat4){(float)m.velocity.x, (float)m.velocity.y, (float)m.velocity.z, 0};
    }
}

void ooze_springs_collide_particles(OozeSpringsStep *s)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_SPRINGS_GRAIN,
                      collide_range, s);
}

/* ---- particles that may collide -------------------------------------------------------------- */

typedef struct Search {
    const OozeSpringsStep *s;
    uint8_t *flag;
} Search;

static bool may_collide(const OozeSpringsStep *s, uint64_t k)
{
    const OozeStepContext *c = s->machine->context;
    uint32_t i = s->order[k];
    OozeF32x4 delta = s->k.dt * s->u[i] + s->point[k].shift, to = s->x0[i] + delta;
    OozeVec3 at = vec3(to[0], to[1], to[2]);
    double travel = (double)sqrtf(ooze_f32x4_dot3(delta, delta));
    for (int b = 0; b < c->solid_count; b++) {
        const OozeSolid *solid = &c->solids[b];
        if (ooze_solid_is_dynamic(solid) && ooze_solid_collides(solid)) {
            OozeContact contact = ooze_solid_contact(solid, at);
            double reach = s->rule.margin + solid->params[OOZE_SOLID_STICK_DISTANCE];
            if (ooze_springs_may_collide(contact.distance, reach, travel,
                                         c->dt * vec3_length(contact.velocity), c->support)) {
                return true;
            }
        }
    }
    return false;
}

static void search_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Search *search = data;
    uint64_t below = search->s->below;
    for (uint64_t k = begin; k < end; k++) {
        search->flag[k] = !search->s->prescribed[k + below] && may_collide(search->s, k + below);
    }
}

OozeStatus ooze_springs_find_near(OozeSpringsStep *s, OozeError *error)
{
    OozeArena *arena = s->machine->context->arena;
    Search search = {s, ooze_arena_alloc(arena, s->machine->n, sizeof *search.flag)};
    uint64_t count = 0;
    if (!search.flag) {
        return ooze_fail_memory(error, "particles near bodies", s->machine->n);
    }
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_SPRINGS_GRAIN, search_range,
                      &search);
    for (uint64_t k = 0; k < s->machine->n; k++) {
        count += search.flag[k];
    }
    s->near = ooze_arena_alloc(arena, count, sizeof *s->near);
    s->near_motion = ooze_arena_alloc(arena, count, sizeof *s->near_motion);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "particles near bodies", count * sizeof *s->near_motion);
    }
    s->own_near_count = s->near_first = 0;
    for (uint64_t k = 0; k < s->machine->n; k++) {
        if (search.flag[k]) {
            s->near[s->own_near_count] = (uint32_t)(k + s->below);
            s->near_motion[s->own_near_count++] = motion_of(s, k + s->below);
        }
    }
    s->near_count = count;
    OozeStatus status = s->machine->context->halo ? ooze_springs_gather_near(s, error) : OOZE_OK;
    s->collisions = ooze_arena_alloc(arena, s->near_count, sizeof *s->collisions);
    return status || s->collisions ? status
                                   : ooze_fail_memory(error, "particles near bodies",
                                                      s->near_count * sizeof *s->collisions);
}

static void collide_near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t e = begin; e < end; e++) {
        collide_particle(s, &s->near_motion[e], &s->collisions[e]);
    }
}

static double particle_mass(const OozeSpringsStep *s, uint64_t e)
{
    return (double)s->coefficients[s->near_motion[e].material].mass;
}

OozeStatus ooze_springs_collide_near(OozeSpringsStep *s, OozeError *error)
{
    (void)error;
    ooze_parallel_for(s->machine->context->threads, s->near_count, 16, collide_near_range, s);
    return OOZE_OK;
}

/* ---- dynamic solids -------------------------------------------------------------------------- */

/* The system over particles that approach the solid when it moves by x relative to free flight. */
static void assemble(const OozeSpringsStep *s, const OozeSpringsBody *body, const double x[6],
                     OozeSpringsSystem *y)
{
    const OozeSolid *solid = &s->machine->context->solids[body->solid];
    ooze_springs_system_begin(y, body);
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 incoming_velocity;
        const OozeTouch *touch =
            ooze_springs_first_touch(&s->collisions[e], body->solid, &incoming_velocity);
        if (touch) {
            ooze_springs_add_particle(y, body, x, touch->point,
                                      ooze_solid_contact(solid, touch->point).normal,
                                      incoming_velocity, particle_mass(s, e));
        }
    }
}

/* The impulse and moment of stickiness. */
static OozeLoad adhesion_load(const OozeSpringsStep *s, const OozeSpringsBody *body)
{
    OozeLoad load = {{0, 0, 0}, {0, 0, 0}};
    for (uint64_t e = 0; e < s->near_count; e++) {
        ooze_springs_add_reaction(&load, &s->collisions[e].adhesion, body->solid, body->centre,
                                  particle_mass(s, e));
    }
    return load;
}

OozeStatus ooze_springs_solve_bodies(OozeSpringsStep *s, double (*change)[6], OozeError *error)
{
    (void)error;
    for (int b = 0; b < s->body_count; b++) {
        OozeLoad adhesion = adhesion_load(s, &s->bodies[b]);
        double active = -1.0;
        bool changed = true;
        memset(change[b], 0, sizeof change[b]);
        for (int round = 0; round < OOZE_SPRINGS_ACTIVE_ROUNDS && changed; round++) {
            OozeSpringsSystem y;
            assemble(s, &s->bodies[b], change[b], &y);
            ooze_springs_add_load(&y, &adhesion);
            changed = ooze_springs_system_update(&y, change[b], &active);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_springs_sum_lost(OozeSpringsStep *s, OozeSpringsLost *lost, OozeError *error)
{
    (void)error;
    for (int b = 0; b < s->body_count; b++) {
        const OozeSpringsBody *body = &s->bodies[b];
        lost[b] = (OozeSpringsLost){adhesion_load(s, body), 0.0};
        for (uint64_t e = 0; e < s->near_count; e++) {
            double mass = particle_mass(s, e);
            bool touched = ooze_springs_add_reaction(&lost[b].load, &s->collisions[e].touches,
                                                     body->solid, body->centre, mass);
            lost[b].touching += touched ? mass : 0.0;
        }
    }
    return OOZE_OK;
}

void ooze_springs_change_velocities(OozeSpringsStep *s, const OozeVec3 *changes)
{
    OozeFloat4 *v = s->end.u;
    for (uint64_t e = 0; e < s->own_near_count; e++) {
        const OozeVec3 u = ooze_springs_changed_velocity(&s->collisions[s->near_first + e],
                                                         s->bodies, s->body_count, changes);
        v[s->order[s->near[e]]] = (OozeFloat4){(float)u.x, (float)u.y, (float)u.z, 0};
    }
}
