#include "solids/contact.h"

#include "physics/contact.h"

static OozeContactVector narrow(OozeVec3 a)
{
    return ooze_contact_vector((float)a.x, (float)a.y, (float)a.z);
}

OozeVec3 ooze_contact_velocity(const OozeSolid *solid, const OozeContact *contact,
                               OozeVec3 velocity)
{
    OozeContactVector v = narrow(vec3_sub(velocity, contact->velocity));
    v = ooze_contact_bounce(v, narrow(contact->normal),
                            (float)solid->params[OOZE_SOLID_RESTITUTION],
                            (float)solid->params[OOZE_SOLID_FRICTION]);
    return vec3_add(contact->velocity, vec3((double)v.x, (double)v.y, (double)v.z));
}

OozeVec3 ooze_contact_stick(const OozeSolid *solid, const OozeContact *contact, double distance,
                            double dt)
{
    float impulse =
        ooze_stick_impulse((float)dt, (float)solid->params[OOZE_SOLID_STICK_STRENGTH],
                           (float)distance, (float)solid->params[OOZE_SOLID_STICK_DISTANCE]);
    return vec3_scale(contact->normal, -(double)impulse);
}

static bool collides(const OozeSolid *solid)
{
    return solid->params[OOZE_SOLID_COLLIDES] != 0.0;
}

/* Stops at the first surface on the way; what is left of the way goes along the surface, which the
   next round checks against the others. The first round sees the solids move; after it the particle
   is placed at the end of the step, and so are they. `clear`: every solid is out of reach. */
static bool sweep_once(const OozeSolid *solids, int count, const OozeContactRule *rule, bool moving,
                       double *left, OozeVec3 *from, OozeVec3 *position, OozeVec3 *velocity,
                       bool *clear)
{
    double first = 2.0;
    OozeVec3 place = *position;
    const OozeSolid *met = NULL;
    *clear = true;
    for (int i = 0; i < count; i++) {
        const OozeSolid *solid = &solids[i];
        if (!collides(solid)) {
            continue;
        }
        OozeVec3 a = ooze_pose_to_local(moving ? &solid->previous : &solid->pose, *from);
        OozeVec3 b = ooze_pose_to_local(&solid->pose, *position);
        OozeTrace trace = ooze_solid_trace(solid, a, b, rule->margin, rule->tolerance);
        *clear = *clear && trace.clear;
        if (trace.hit && trace.fraction < first) {
            first = trace.fraction;
            place = ooze_pose_to_world(&solid->pose, trace.point);
            met = solid;
        }
    }
    if (!met) {
        return false;
    }
    OozeContact contact = ooze_solid_contact(met, place);
    *velocity = ooze_contact_velocity(met, &contact, *velocity);
    *from = place;
    *left *= 1.0 - first;
    *position = vec3_madd(place, *left, vec3_sub(*velocity, contact.velocity));
    return true;
}

/* Rounds that a particle caught in a corner of three walls needs, and one more. */
enum { SWEEP_ROUNDS = 4, PUSH_ROUNDS = 4 };

void ooze_contact_resolve(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity)
{
    OozeVec3 start = from;
    double left = rule->dt;
    bool hit = true, clear = false;
    for (int round = 0; round < SWEEP_ROUNDS && hit; round++) {
        hit =
            sweep_once(solids, count, rule, round == 0, &left, &start, position, velocity, &clear);
    }
    if (clear) {
        return;
    }
    if (hit) { /* still hitting something: stay where it was last outside */
        *position = start;
    }
    bool moved = true;
    for (int round = 0; round < PUSH_ROUNDS && moved; round++) {
        moved = false;
        for (int i = 0; i < count; i++) {
            if (!collides(&solids[i])) {
                continue;
            }
            OozeContact contact = ooze_solid_contact(&solids[i], *position);
            float push = ooze_contact_push((float)contact.distance, (float)rule->margin);
            if (push > 0.0f) {
                *position = vec3_madd(*position, (double)push, contact.normal);
                *velocity = ooze_contact_velocity(&solids[i], &contact, *velocity);
                moved = true;
            }
        }
    }
}
