/* Section 6: what solids do to particles. */
#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/workspace.h"

/* Eq 12, where the particle would come to: acts on the position as well, as all impulses of the collision stage do. */
static void stick(const OozeSpringsStep *s, OozeSpringsMeeting *m)
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
        if ((pull.x != 0.0 || pull.y != 0.0 || pull.z != 0.0) &&
            ooze_touches_add(&m->held, k, m->position, pull)) {
            m->velocity = vec3_add(m->velocity, pull);
            m->position = vec3_madd(m->position, c->dt, pull);
        }
    }
}

void ooze_springs_meet(const OozeSpringsStep *s, uint64_t k, OozeSpringsMeeting *m)
{
    const OozeStepContext *c = s->context;
    uint32_t i = s->order[k];
    OozeFour from = s->x0[i], u = s->u[i] + s->point[k].shift / s->dt;
    OozeFour to = from + (s->dt * s->u[i] + s->point[k].shift);
    OozeVec3 start = vec3(from[0], from[1], from[2]);
    m->position = vec3(to[0], to[1], to[2]);
    m->velocity = m->arriving = vec3(u[0], u[1], u[2]);
    m->touches.count = m->held.count = 0;
    if (c->solid_count > 0 && !s->led[k]) {
        stick(s, m);
        m->arriving = m->velocity;
        ooze_contact_resolve_noting(c->solids, c->solid_count, &s->rule, start, &m->position,
                                    &m->velocity, &m->touches);
    }
}

static void put(const OozeSpringsStep *s, uint64_t k, const OozeSpringsMeeting *m)
{
    OozeFloat4 *x = ooze_particles_positions(s->context->particles) + s->order[k];
    OozeFloat4 *v = ooze_particles_velocities(s->context->particles) + s->order[k];
    *x = (OozeFloat4){(float)m->position.x, (float)m->position.y, (float)m->position.z, 0};
    *v = (OozeFloat4){(float)m->velocity.x, (float)m->velocity.y, (float)m->velocity.z, 0};
}

static void collide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        OozeSpringsMeeting m;
        ooze_springs_meet(s, k, &m);
        put(s, k, &m);
    }
}

static void collide_near(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t e = begin; e < end; e++) {
        ooze_springs_meet(s, s->near[e], &s->meetings[e]);
        put(s, s->near[e], &s->meetings[e]);
    }
}

/* Lines 12 to 15 of algorithm 6: bodies are where they are, and heavy. */
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
        status = ooze_springs_settle_bodies(s, error);
    }
    return status;
}
