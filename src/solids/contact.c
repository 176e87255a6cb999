#include "solids/contact.h"

#include <math.h>

#include "physics/contact.h"
#include "solids/dynamic.h"

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

double ooze_contact_wet_fraction(const OozeSolid *solid, const OozeContactRule *rule)
{
    double mu = solid->params[OOZE_SOLID_FRICTION];
    return mu >= 1.0 ? 1.0 : 1.0 - pow(1.0 - mu, rule->wet);
}

/* The velocity after a contact. Wet friction acts once a step; `again`: it has acted already. */
static OozeVec3 velocity_after(const OozeSolid *solid, const OozeContactRule *rule, bool again,
                               const OozeContact *contact, OozeVec3 velocity)
{
    if (!(rule->wet > 0.0)) {
        return contact_velocity(solid, contact, velocity);
    }
    double mu = again ? 0.0 : ooze_contact_wet_fraction(solid, rule);
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

/* Applies a contact and records it. A dynamic solid must receive the reaction, so it has no effect
   where the record is full. */
static void touch(const OozeSolid *solids, int solid, const OozeContactRule *rule,
                  const OozeContact *contact, OozeVec3 place, OozeVec3 *velocity,
                  OozeTouches *touches)
{
    bool again = false;
    for (int k = 0; k < touches->count; k++) {
        again = again || touches->item[k].solid == solid;
    }
    OozeVec3 after = velocity_after(&solids[solid], rule, again, contact, *velocity);
    bool recorded = ooze_touches_add(touches, solid, place, vec3_sub(after, *velocity));
    if (recorded || !ooze_solid_is_dynamic(&solids[solid])) {
        *velocity = after;
    }
}

static bool collides(const OozeSolid *solid)
{
    return solid->params[OOZE_SOLID_COLLIDES] != 0.0;
}

/* The motion of a particle through a step, while solids stop it. */
typedef struct Sweep {
    const OozeSolid *solids;
    int count;
    const OozeContactRule *rule;
    OozeVec3 from;    /* end of the checked part of the path */
    double time_left; /* s of the step after `from` */
    OozeVec3 *position, *velocity;
    OozeTouches *touches;
    bool clear; /* no solid is within reach of the path */
} Sweep;

/* Stops the particle at the first surface on its path; the rest of the path follows the surface and
   is checked by the next round. In the first round solids move; after it the particle is placed at
   the end of the step, and so are they. Returns whether a solid was hit. */
static bool sweep_once(Sweep *s, bool moving)
{
    double first = 2.0;
    OozeVec3 place = *s->position;
    int hit = -1;
    s->clear = true;
    for (int i = 0; i < s->count; i++) {
        const OozeSolid *solid = &s->solids[i];
        if (!collides(solid)) {
            continue;
        }
        OozeVec3 a = ooze_pose_to_local(moving ? &solid->previous : &solid->pose, s->from);
        OozeVec3 b = ooze_pose_to_local(&solid->pose, *s->position);
        OozeTrace trace = ooze_solid_trace(solid, a, b, s->rule->margin, s->rule->tolerance);
        s->clear = s->clear && trace.clear;
        if (trace.hit && trace.fraction < first) {
            first = trace.fraction;
            place = ooze_pose_to_world(&solid->pose, trace.point);
            hit = i;
        }
    }
    if (hit < 0) {
        return false;
    }
    OozeContact contact = ooze_solid_contact(&s->solids[hit], place);
    touch(s->solids, hit, s->rule, &contact, place, s->velocity, s->touches);
    s->from = place;
    s->time_left *= 1.0 - first;
    *s->position = vec3_madd(place, s->time_left, vec3_sub(*s->velocity, contact.velocity));
    return true;
}

/* One more than a particle in a corner of three walls needs. */
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
    Sweep sweep = {solids, count, rule, from, rule->dt, position, velocity, touches, false};
    bool hit = true;
    for (int round = 0; round < SWEEP_ROUNDS && hit; round++) {
        hit = sweep_once(&sweep, round == 0);
    }
    if (sweep.clear) {
        return;
    }
    if (hit) { /* more surfaces than rounds: stays at the last point outside */
        *position = sweep.from;
    }
    bool moved = true;
    for (int round = 0; round < PUSH_ROUNDS && moved; round++) {
        moved = false;
        /* dynamic solids first, so that the particle ends outside of the others */
        for (int k = 0; k < 2 * count; k++) {
            int i = k % count;
            if (!collides(&solids[i]) || ooze_solid_is_dynamic(&solids[i]) != (k < count)) {
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
