#include "solids/contact.h"

#include <math.h>

#include "physics/contact.h"

static OozeContactVector narrow(OozeVec3 a)
{
    return ooze_contact_vector((float)a.x, (float)a.y, (float)a.z);
}

static OozeVec3 contact_velocity(const OozeSolid *solid, const OozeContact *contact,
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

double ooze_contact_wet_share(const OozeSolid *solid, const OozeContactRule *rule)
{
    double mu = solid->params[OOZE_SOLID_FRICTION];
    return mu >= 1.0 ? 1.0 : 1.0 - pow(1.0 - mu, rule->wet);
}

/* As the rule says. Wet friction takes its share once a step, however often the solid is met:
   `again`. */
static OozeVec3 touched(const OozeSolid *solid, const OozeContactRule *rule, bool again,
                        const OozeContact *contact, OozeVec3 velocity)
{
    if (!(rule->wet > 0.0)) {
        return contact_velocity(solid, contact, velocity);
    }
    double mu = again ? 0.0 : ooze_contact_wet_share(solid, rule);
    OozeContactVector v = ooze_contact_wet(narrow(vec3_sub(velocity, contact->velocity)),
                                           narrow(contact->normal), (float)mu);
    return vec3_add(contact->velocity, vec3((double)v.x, (double)v.y, (double)v.z));
}

bool ooze_touches_add(OozeTouches *touches, int solid, OozeVec3 point, OozeVec3 change)
{
    if (touches->count < OOZE_TOUCHES_MAX) {
        touches->item[touches->count++] = (OozeTouch){solid, point, change};
        return true;
    }
    for (int k = touches->count - 1; k >= 0; k--) {
        if (touches->item[k].solid == solid) {
            touches->item[k].change = vec3_add(touches->item[k].change, change);
            return true;
        }
    }
    return false;
}

/* Applies the contact, except with a dynamic solid whose touch cannot be recorded. */
static void touch(const OozeSolid *solids, int solid, const OozeContactRule *rule,
                  const OozeContact *contact, OozeVec3 place, OozeVec3 *velocity,
                  OozeTouches *touches)
{
    bool again = false;
    for (int k = 0; k < touches->count; k++) {
        again = again || touches->item[k].solid == solid;
    }
    OozeVec3 after = touched(&solids[solid], rule, again, contact, *velocity);
    bool noted = ooze_touches_add(touches, solid, place, vec3_sub(after, *velocity));
    if (noted || !(solids[solid].mass.density > 0.0)) {
        *velocity = after;
    }
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
                       bool *clear, OozeTouches *touches)
{
    double first = 2.0;
    OozeVec3 place = *position;
    int met = -1;
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
            met = i;
        }
    }
    if (met < 0) {
        return false;
    }
    OozeContact contact = ooze_solid_contact(&solids[met], place);
    touch(solids, met, rule, &contact, place, velocity, touches);
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
    OozeTouches touches;
    touches.count = 0;
    ooze_contact_resolve_recording(solids, count, rule, from, position, velocity, &touches);
}

void ooze_contact_resolve_recording(const OozeSolid *solids, int count, const OozeContactRule *rule,
                                    OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity,
                                    OozeTouches *touches)
{
    OozeVec3 start = from;
    double left = rule->dt;
    bool hit = true, clear = false;
    for (int round = 0; round < SWEEP_ROUNDS && hit; round++) {
        hit = sweep_once(solids, count, rule, round == 0, &left, &start, position, velocity, &clear,
                         touches);
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
        /* dynamic solids first, so that positions end outside of the others */
        for (int k = 0; k < 2 * count; k++) {
            int i = k % count;
            if (!collides(&solids[i]) || (solids[i].mass.density > 0.0) != (k < count)) {
                continue;
            }
            OozeContact contact = ooze_solid_contact(&solids[i], *position);
            float push = ooze_contact_push((float)contact.distance, (float)rule->margin);
            if (push > 0.0f) {
                *position = vec3_madd(*position, (double)push, contact.normal);
                touch(solids, i, rule, &contact, *position, velocity, touches);
                moved = true;
            }
        }
    }
}
