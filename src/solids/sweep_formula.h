/* Collision of a particle with solids on its path through a step, for the processor and the GPU:
   the body of a loop over solids (see ooze_contact_resolve). */
#ifndef OOZE_SOLIDS_SWEEP_FORMULA_H
#define OOZE_SOLIDS_SWEEP_FORMULA_H

#include "base/bounds.h"
#include "physics/contact.h"
#include "solids/contact.h"
#include "solids/shape_formula.h"

/* ---- paths ---------------------------------------------------------------------------------- */

/* Result of tracing a straight path in the solid's frame. */
typedef struct OozeTrace {
    bool hit;
    bool clear;      /* no hit, and the solid is out of reach of the whole path */
    double fraction; /* of the path, at the hit */
    OozeVec3 point;  /* in the solid's frame, at the hit */
} OozeTrace;

/* Largest number of strides of a trace, reached only along a surface for hundreds of spacings; it
   then counts as a hit. */
enum { OOZE_TRACE_STRIDES_MAX = 8192 };

/* Descent of a path along a surface, per length, that is the rounding of a velocity. */
#define OOZE_TRACE_GRAZING 1e-6

/* Length of path to the surface at a point near it; -1 where the path leads along it or away from
   it or the length is above 2 tolerance. */
OOZE_FORMULA double ooze_trace_left(const OozeShape *shape, OozeVec3 point, OozeVec3 direction,
                                    double room, double tolerance)
{
    OozeVec3 normal;
    (void)ooze_shape_distance_at(shape, point, &normal);
    double approach = -vec3_dot(normal, direction);
    if (!(approach > OOZE_TRACE_GRAZING)) {
        return -1.0;
    }
    double left = room > 0.0 ? room / approach : 0.0;
    return left <= 2.0 * tolerance ? left : -1.0;
}

/* Whether the bounding box is farther from a point than `reach`. An inverted shape is solid outside
   of its box. */
OOZE_FORMULA bool ooze_trace_is_far(const OozeShape *shape, const OozeBounds *box, OozeVec3 p,
                                    double reach)
{
    return !shape->inverted &&
           (p.x < box->min.x - reach || p.x > box->max.x + reach || p.y < box->min.y - reach ||
            p.y > box->max.y + reach || p.z < box->min.z - reach || p.z > box->max.z + reach);
}

/* Finds where a particle that moves from a to b first comes within `margin` of a solid while
   approaching it. a is in the solid's frame at the beginning of a step, b in that at its end, so
   that fast solids are not missed. Sphere tracing with a shortest stride of `tolerance`: walls
   thicker than it are always hit. `box` is that of ooze_shape_bounds. */
OOZE_FORMULA_CALL OozeTrace ooze_shape_trace(const OozeShape *shape, const OozeBounds *box,
                                             OozeVec3 a, OozeVec3 b, double margin,
                                             double tolerance)
{
    OozeTrace trace;
    trace.hit = trace.clear = false;
    trace.fraction = 0.0;
    trace.point = vec3(0, 0, 0);
    OozeVec3 travel = vec3_sub(b, a), normal;
    double length = vec3_length(travel), travelled = 0.0;
    if (!(length > 0.0) || !isfinite(length) || !(tolerance > 0.0)) {
        return trace;
    }
    trace.clear = ooze_trace_is_far(shape, box, a, margin + length + tolerance);
    OozeVec3 direction = vec3_scale(travel, 1.0 / length);
    for (int stride = 0; !trace.clear && travelled < length && stride < OOZE_TRACE_STRIDES_MAX;
         stride++) {
        trace.point = vec3_madd(a, travelled, direction);
        double room = ooze_shape_distance_at(shape, trace.point, &normal) - margin;
        if (room <= tolerance) {
            double left = ooze_trace_left(shape, trace.point, direction, room, tolerance);
            if (left >= 0.0) {
                trace.fraction = (travelled + left) / length;
                trace.point = vec3_madd(trace.point, left, direction);
                trace.hit = trace.fraction <= 1.0;
                return trace;
            }
        }
        trace.clear = stride == 0 && room > length + tolerance;
        trace.fraction = travelled / length;
        travelled += fabs(room) > tolerance ? fabs(room) : tolerance;
    }
    trace.hit = !trace.clear && travelled < length;
    return trace;
}

/* ---- contacts ------------------------------------------------------------------------------- */

/* A solid as contacts see it; on a GPU the pointers are to device memory. */
typedef struct OozeContactSolid {
    const OozeShape *shape;
    const OozePose *pose, *previous; /* at the end of the step, at its beginning */
    double friction, restitution;
    double wet_friction; /* fraction of tangential velocity lost in a contact, if the rule is wet */
    bool dynamic;
} OozeContactSolid;

OOZE_FORMULA OozeContactVector ooze_contact_narrow(OozeVec3 a)
{
    return ooze_contact_vector((float)a.x, (float)a.y, (float)a.z);
}

/* The velocity after a contact. Wet friction acts once a step; `again`: it has acted already. */
OOZE_FORMULA OozeVec3 ooze_contact_velocity_after(const OozeContactSolid *solid,
                                                  const OozeContactRule *rule, bool again,
                                                  const OozeContact *contact, OozeVec3 velocity)
{
    OozeContactVector v = ooze_contact_narrow(vec3_sub(velocity, contact->velocity));
    OozeContactVector n = ooze_contact_narrow(contact->normal);
    v = rule->wet > 0.0
            ? ooze_contact_wet(v, n, (float)(again ? 0.0 : solid->wet_friction))
            : ooze_contact_bounce(v, n, (float)solid->restitution, (float)solid->friction);
    return vec3_add(contact->velocity, vec3((double)v.x, (double)v.y, (double)v.z));
}

/* Adds a change; in a full list it is added to the last entry of the same solid. False: the list is
   full and has none, nothing is recorded. */
OOZE_FORMULA bool ooze_touches_record(OozeTouches *touches, int solid, OozeVec3 point,
                                      OozeVec3 change)
{
    if (touches->count < OOZE_TOUCHES_MAX) {
        OozeTouch *item = &touches->item[touches->count++];
        item->solid = solid;
        item->point = point;
        item->change = change;
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

/* Applies a contact with solid `index` at `place` and records it. A dynamic solid must receive the
   reaction, so it has no effect where the record is full. */
OOZE_FORMULA void ooze_contact_touch(const OozeContactSolid *solid, int index,
                                     const OozeContactRule *rule, const OozeContact *contact,
                                     OozeVec3 place, OozeVec3 *velocity, OozeTouches *touches)
{
    bool again = false;
    for (int k = 0; k < touches->count; k++) {
        again = again || touches->item[k].solid == index;
    }
    OozeVec3 after = ooze_contact_velocity_after(solid, rule, again, contact, *velocity);
    bool recorded = ooze_touches_record(touches, index, place, vec3_sub(after, *velocity));
    if (recorded || !solid->dynamic) {
        *velocity = after;
    }
}

/* As ooze_contact_stick. */
OOZE_FORMULA OozeVec3 ooze_contact_adhesion(double strength, double range,
                                            const OozeContact *contact, double distance, double dt)
{
    float impulse = ooze_stick_impulse((float)dt, (float)strength, (float)distance, (float)range);
    return vec3_scale(contact->normal, -(double)impulse);
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/* One more than a particle in a corner of three walls needs. */
enum { OOZE_SWEEP_ROUNDS = 4, OOZE_PUSH_ROUNDS = 4 };

/* The motion of a particle through a step, while solids stop it. */
typedef struct OozeContactSweep {
    OozeVec3 from;    /* end of the checked part of the path */
    double time_left; /* s of the step after `from` */
    OozeVec3 position, velocity;
    bool clear; /* no solid is within reach of the path */
    /* of the present round: the first solid on the path (-1: none), and where it is met */
    int hit;
    double fraction;
    OozeVec3 place;
} OozeContactSweep;

OOZE_FORMULA OozeContactSweep ooze_sweep_begin(OozeVec3 from, OozeVec3 position, OozeVec3 velocity,
                                               double dt)
{
    OozeContactSweep sweep;
    sweep.from = from;
    sweep.time_left = dt;
    sweep.position = sweep.place = position;
    sweep.velocity = velocity;
    sweep.clear = false;
    sweep.hit = -1;
    sweep.fraction = 2.0;
    return sweep;
}

/* Begins a round: ooze_sweep_find for each solid that collides, then ooze_sweep_stop. */
OOZE_FORMULA void ooze_sweep_round(OozeContactSweep *sweep)
{
    sweep->clear = true;
    sweep->hit = -1;
    sweep->fraction = 2.0;
    sweep->place = sweep->position;
}

/* Finds where the path meets a solid, if not later than those before it. In the first round solids
   are `moving`; after it the particle is placed at the end of the step, and so are they. */
OOZE_FORMULA void ooze_sweep_find(OozeContactSweep *sweep, const OozeContactRule *rule,
                                  const OozeContactSolid *solid, const OozeBounds *box, int index,
                                  bool moving)
{
    OozeVec3 a = ooze_pose_to_local(moving ? solid->previous : solid->pose, sweep->from);
    OozeVec3 b = ooze_pose_to_local(solid->pose, sweep->position);
    OozeTrace trace = ooze_shape_trace(solid->shape, box, a, b, rule->margin, rule->tolerance);
    sweep->clear = sweep->clear && trace.clear;
    if (trace.hit && trace.fraction < sweep->fraction) {
        sweep->fraction = trace.fraction;
        sweep->place = ooze_pose_to_world(solid->pose, trace.point);
        sweep->hit = index;
    }
}

/* Stops the particle at the surface that it has met, that of `solid`; the rest of the path follows
   the surface and is checked by the next round. */
OOZE_FORMULA void ooze_sweep_stop(OozeContactSweep *sweep, const OozeContactRule *rule,
                                  const OozeContactSolid *solid, OozeTouches *touches)
{
    OozeContact contact = ooze_placed_contact(solid->shape, solid->pose, sweep->place);
    ooze_contact_touch(solid, sweep->hit, rule, &contact, sweep->place, &sweep->velocity, touches);
    sweep->from = sweep->place;
    sweep->time_left *= 1.0 - sweep->fraction;
    sweep->position =
        vec3_madd(sweep->place, sweep->time_left, vec3_sub(sweep->velocity, contact.velocity));
}

/* Moves a particle that is inside a solid, or nearer to it than the margin, out of it; true: it
   has, and `contact` is to be applied. */
OOZE_FORMULA bool ooze_sweep_push(OozeContactSweep *sweep, const OozeContactRule *rule,
                                  const OozeContactSolid *solid, OozeContact *contact)
{
    *contact = ooze_placed_contact(solid->shape, solid->pose, sweep->position);
    float push = ooze_contact_push((float)contact->distance, (float)rule->margin);
    if (push > 0.0f) {
        sweep->position = vec3_madd(sweep->position, (double)push, contact->normal);
    }
    return push > 0.0f;
}

/* Whether solids have changed the end of a path: particles on other paths end where single
   precision puts them, so that they round once. */
OOZE_FORMULA bool ooze_contact_has_changed(OozeVec3 position, OozeVec3 free_position,
                                           OozeVec3 velocity, OozeVec3 free_velocity)
{
    return vec3_length(vec3_sub(velocity, free_velocity)) > 0.0 ||
           vec3_length(vec3_sub(position, free_position)) > 0.0;
}

#endif
