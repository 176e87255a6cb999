/* Stages of the ballistic method on the processor. */
#include "methods/ballistic/stages.h"
#include "base/vec3.h"
#include "methods/ballistic/particle_formula.h"
#include "solids/dynamic_formula.h"

/* Applies stickiness, then resolves collisions along the path. */
static void collide_with_solids(const OozeBallisticStep *s, OozeVec3 from, OozeFloat4 *x,
                                OozeFloat4 *v, OozeTouches *touches)
{
    const OozeStepContext *c = s->machine->context;
    if (c->solid_count == 0) {
        return;
    }
    OozeBallisticMotion m = {from, vec3(x->x, x->y, x->z), vec3(v->x, v->y, v->z)};
    for (int i = 0; i < c->solid_count; i++) {
        if (c->solids[i].params[OOZE_SOLID_STICK_DISTANCE] > 0.0) {
            OozeContact contact = ooze_solid_contact(&c->solids[i], from);
            OozeVec3 pull = ooze_contact_stick(&c->solids[i], &contact,
                                               contact.distance - s->contact.margin, c->dt);
            ooze_ballistic_stick(&m, i, pull, c->dt, touches);
        }
    }
    ooze_contact_resolve(c->solids, c->solid_count, &s->contact, from, &m.position, &m.velocity,
                         touches);
    *x = (OozeFloat4){(float)m.position.x, (float)m.position.y, (float)m.position.z, 0};
    *v = (OozeFloat4){(float)m.velocity.x, (float)m.velocity.y, (float)m.velocity.z, 0};
}

static OozeSolidImpulses sum_dynamic_impulses(const OozeBallisticStep *s,
                                              const OozeTouches *touches)
{
    OozeSolidImpulses impulses = {.count = 0};
    for (int t = 0; t < touches->count; t++) {
        const OozeTouch *touch = &touches->item[t];
        if (ooze_solid_is_dynamic(&s->machine->context->solids[touch->solid])) {
            ooze_impulses_add(&impulses, touch->solid, touch->point, touch->change);
        }
    }
    return impulses;
}

static void fly_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeBallisticStep *s = data;
    const OozeStepContext *c = s->machine->context;
    float gx = (float)c->gravity.x, gy = (float)c->gravity.y, gz = (float)c->gravity.z;
    OozeFloat4 *positions = ooze_particles_positions(c->particles);
    OozeFloat4 *velocities = ooze_particles_velocities(c->particles);
    for (uint64_t i = begin; i < end; i++) {
        bool prescribed = c->prescribed && c->prescribed[i];
        const OozeFlight *f = &s->flights[prescribed ? c->material_count : s->material[i]];
        OozeFloat4 *x = &positions[i], *v = &velocities[i];
        OozeVec3 from = vec3(x->x, x->y, x->z);
        x->x = ooze_flight_position(f, x->x, v->x, gx);
        x->y = ooze_flight_position(f, x->y, v->y, gy);
        x->z = ooze_flight_position(f, x->z, v->z, gz);
        v->x = ooze_flight_velocity(f, v->x, gx);
        v->y = ooze_flight_velocity(f, v->y, gy);
        v->z = ooze_flight_velocity(f, v->z, gz);
        OozeTouches touches;
        touches.count = 0;
        collide_with_solids(s, from, x, v, &touches);
        if (s->impulses) {
            s->impulses[i] = sum_dynamic_impulses(s, &touches);
        }
    }
}

static void fly(OozeBallisticStep *s)
{
    enum { GRAIN = 4096 };
    ooze_parallel_for(s->machine->context->threads, s->machine->n, GRAIN, fly_range, s);
}

static OozeStatus load_solids(OozeBallisticStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    return ooze_impulses_share(c, s->impulses, ooze_particles_velocities(c->particles), error);
}

const OozeBallisticStages ooze_ballistic_stages = {fly, load_solids};
