/* Section 6: collisions of particles with solids, and stickiness. */
#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/step.h"

/* Stickiness, at the predicted position. */
static void stick(const OozeSpringsStep *s, OozeSpringsCollision *m)
{
    const OozeStepContext *c = s->context;
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

OozeSpringsMotion ooze_springs_motion(const OozeSpringsStep *s, uint64_t k)
{
    uint32_t i = s->order[k];
    return (OozeSpringsMotion){s->x0[i], s->u[i], s->point[k].shift, s->material[k],
                               s->prescribed[k] != 0};
}

void ooze_springs_collide_particle(const OozeSpringsStep *s, const OozeSpringsMotion *motion,
                                   OozeSpringsCollision *m)
{
    const OozeStepContext *c = s->context;
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

static void put(const OozeSpringsStep *s, uint64_t k, const OozeSpringsCollision *m)
{
    OozeFloat4 *x = s->end_x + s->order[k], *v = s->end_v + s->order[k];
    *x = (OozeFloat4){(float)m->position.x, (float)m->position.y, (float)m->position.z, 0};
    *v = (OozeFloat4){(float)m->velocity.x, (float)m->velocity.y, (float)m->velocity.z, 0};
}

static void collide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t k = begin + s->below; k < end + s->below; k++) {
        OozeSpringsMotion motion = ooze_springs_motion(s, k);
        OozeSpringsCollision m;
        ooze_springs_collide_particle(s, &motion, &m);
        put(s, k, &m);
    }
}

static void collide_near(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t e = begin; e < end; e++) {
        ooze_springs_collide_particle(s, &s->near_motion[e], &s->collisions[e]);
        if (e - s->near_first < s->own_near_count) {
            put(s, s->near[e - s->near_first], &s->collisions[e]);
        }
    }
}

/* Lines 12 to 15 of algorithm 6: particles collide with solids, which do not move any more. */
OozeStatus ooze_springs_collide(OozeSpringsStep *s, OozeError *error)
{
    OozeThreads *threads = s->context->threads;
    OozeStatus status = s->context->dynamic ? ooze_springs_move_bodies(s, error) : OOZE_OK;
    if (status) {
        return status;
    }
    ooze_parallel_for(threads, s->n, OOZE_SPRINGS_GRAIN, collide_range, s);
    if (s->context->dynamic) {
        ooze_parallel_for(threads, s->near_count, 16, collide_near, s);
        status = ooze_springs_balance_bodies(s, error);
    }
    return status;
}
