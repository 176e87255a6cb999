/* Section 6: what solids do to particles. */
#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/workspace.h"

/* Eq 12, where the particle would come to: acts on the position as well, as all impulses of the collision stage do. */
static void stick(const OozeSpringsStep *s, OozeVec3 *position, OozeVec3 *velocity,
                  OozeTouches *touches)
{
    const OozeStepContext *c = s->context;
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (!(solid->params[OOZE_SOLID_STICK_DISTANCE] > 0.0) ||
            solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
            continue;
        }
        OozeContact contact = ooze_solid_contact(solid, *position);
        OozeVec3 pull =
            ooze_contact_stick(solid, &contact, contact.distance - s->rule.margin, c->dt);
        if ((pull.x != 0.0 || pull.y != 0.0 || pull.z != 0.0) &&
            ooze_touches_add(touches, k, *position, pull)) {
            *velocity = vec3_add(*velocity, pull);
            *position = vec3_madd(*position, c->dt, pull);
        }
    }
}

void ooze_springs_meet(const OozeSpringsStep *s, uint64_t k, OozeVec3 *position, OozeVec3 *velocity,
                       OozeTouches *touches)
{
    const OozeStepContext *c = s->context;
    uint32_t i = s->order[k];
    OozeFour from = s->x0[i], u = s->u[i] + s->point[k].shift / s->dt;
    OozeFour to = from + (s->dt * s->u[i] + s->point[k].shift);
    *position = vec3(to[0], to[1], to[2]);
    *velocity = vec3(u[0], u[1], u[2]);
    touches->count = 0;
    if (c->solid_count > 0 && !s->led[k]) {
        OozeTouches held;
        held.count = 0;
        stick(s, position, velocity, &held);
        ooze_contact_resolve_noting(c->solids, c->solid_count, &s->rule,
                                    vec3(from[0], from[1], from[2]), position, velocity, touches);
        for (int m = 0; m < held.count; m++) {
            (void)ooze_touches_add(touches, held.item[m].solid, held.item[m].point,
                                   held.item[m].change);
        }
    }
}

static void collide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    OozeFloat4 *x = ooze_particles_positions(s->context->particles);
    OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = s->order[k];
        OozeVec3 position, velocity;
        OozeTouches touches;
        ooze_springs_meet(s, k, &position, &velocity, &touches);
        x[i] = (OozeFloat4){(float)position.x, (float)position.y, (float)position.z, 0};
        v[i] = (OozeFloat4){(float)velocity.x, (float)velocity.y, (float)velocity.z, 0};
    }
}

OozeStatus ooze_springs_collide(OozeSpringsStep *s, OozeError *error)
{
    (void)error;
    ooze_parallel_for(s->context->threads, s->n, OOZE_SPRINGS_GRAIN, collide_range, s);
    return OOZE_OK;
}
