#include "solids/contact.h"

#include <math.h>

#include "solids/dynamic.h"
#include "solids/sweep_formula.h"

OozeVec3 ooze_contact_stick(const OozeSolid *solid, const OozeContact *contact, double distance,
                            double dt)
{
    return ooze_contact_adhesion(solid->params[OOZE_SOLID_STICK_STRENGTH],
                                 solid->params[OOZE_SOLID_STICK_DISTANCE], contact, distance, dt);
}

double ooze_contact_wet_fraction(const OozeSolid *solid, const OozeContactRule *rule)
{
    double mu = ooze_solid_fluid_friction(solid);
    return mu >= 1.0 ? 1.0 : 1.0 - pow(1.0 - mu, rule->wet);
}

/* Without the wet friction. */
static OozeContactSolid view_of(const OozeSolid *solid, const OozeContactRule *rule)
{
    return (OozeContactSolid){.shape = solid->shape,
                              .pose = &solid->pose,
                              .previous = &solid->previous,
                              .friction = rule->dry ? ooze_solid_dry_friction(solid)
                                                    : ooze_solid_fluid_friction(solid),
                              .restitution = solid->params[OOZE_SOLID_RESTITUTION],
                              .dynamic = ooze_solid_is_dynamic(solid)};
}

static OozeContactSolid view_with_friction(const OozeSolid *solid, const OozeContactRule *rule)
{
    OozeContactSolid view = view_of(solid, rule);
    view.wet_friction = rule->wet > 0.0 ? ooze_contact_wet_fraction(solid, rule) : 0.0;
    return view;
}

/* Returns whether a solid was hit. */
static bool sweep_once(OozeContactSweep *sweep, const OozeSolid *solids, int count,
                       const OozeContactRule *rule, bool moving, OozeTouches *touches)
{
    ooze_sweep_round(sweep);
    for (int i = 0; i < count; i++) {
        if (ooze_solid_collides(&solids[i])) {
            OozeContactSolid view = view_of(&solids[i], rule);
            OozeBounds box = ooze_shape_bounds(solids[i].shape);
            ooze_sweep_find(sweep, rule, &view, &box, i, moving);
        }
    }
    if (sweep->hit >= 0) {
        OozeContactSolid view = view_with_friction(&solids[sweep->hit], rule);
        ooze_sweep_stop(sweep, rule, &view, touches);
    }
    return sweep->hit >= 0;
}

/* Returns whether the particle was moved. */
static bool push_once(OozeContactSweep *sweep, const OozeSolid *solids, int count,
                      const OozeContactRule *rule, OozeTouches *touches)
{
    bool moved = false;
    /* dynamic solids first, so that the particle ends outside of the others */
    for (int k = 0; k < 2 * count; k++) {
        int i = k % count;
        if (!ooze_solid_collides(&solids[i]) || ooze_solid_is_dynamic(&solids[i]) != (k < count)) {
            continue;
        }
        OozeContact contact;
        OozeContactSolid view = view_of(&solids[i], rule);
        if (ooze_sweep_push(sweep, rule, &view, &contact)) {
            view = view_with_friction(&solids[i], rule);
            ooze_contact_touch(&view, i, rule, &contact, sweep->position, &sweep->velocity,
                               touches);
            moved = true;
        }
    }
    return moved;
}

static OozeContactSweep resolve(const OozeSolid *solids, int count, const OozeContactRule *rule,
                                OozeContactSweep sweep, OozeTouches *touches)
{
    bool hit = true, moved = true;
    for (int round = 0; round < OOZE_SWEEP_ROUNDS && hit; round++) {
        hit = sweep_once(&sweep, solids, count, rule, round == 0, touches);
    }
    if (sweep.clear) {
        return sweep;
    }
    if (hit) { /* more surfaces than rounds: stays at the last point outside */
        sweep.position = sweep.from;
    }
    for (int round = 0; round < OOZE_PUSH_ROUNDS && moved; round++) {
        moved = push_once(&sweep, solids, count, rule, touches);
    }
    return sweep;
}

void ooze_contact_resolve(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity,
                          OozeTouches *touches)
{
    OozeTouches own;
    own.count = 0;
    OozeContactSweep sweep = ooze_sweep_begin(from, *position, *velocity, rule->dt);
    sweep = resolve(solids, count, rule, sweep, touches ? touches : &own);
    *position = sweep.position;
    *velocity = sweep.velocity;
}

bool ooze_contact_advance(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 *position, OozeVec3 *velocity)
{
    OozeVec3 from = *position, end = vec3_madd(from, rule->dt, *velocity),
             free_velocity = *velocity;
    *position = end;
    ooze_contact_resolve(solids, count, rule, from, position, velocity, NULL);
    return ooze_contact_has_changed(*position, end, *velocity, free_velocity);
}
