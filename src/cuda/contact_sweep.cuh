/* Collisions of a particle with solids along its path: see ooze_contact_resolve. */
#ifndef OOZE_CUDA_CONTACT_SWEEP_CUH
#define OOZE_CUDA_CONTACT_SWEEP_CUH

#include "cuda/shape_distance.cuh"

extern "C" {
#include "solids/sweep_formula.h"
}

namespace ooze
{

/* Captured by loop bodies. */
struct ContactView {
    SolidsView solids;
    OozeContactRule rule;
    const double *wet_friction; /* per solid; NULL: the rule is not wet */
};

OOZE_DEVICE OozeContactSolid contact_solid(const ContactView &c, int k)
{
    const SolidView &solid = c.solids.items[k];
    const double wet_friction = c.wet_friction ? c.wet_friction[k] : 0.0;
    const double friction = c.rule.dry ? solid.dry_friction : solid.friction;
    return {&solid.shape,      &solid.pose,  &solid.previous, friction,
            solid.restitution, wet_friction, solid.dynamic};
}

/* Returns whether a solid was hit. */
OOZE_DEVICE bool sweep_once(const ContactView &c, bool moving, OozeContactSweep *sweep,
                            OozeTouches *touches)
{
    ooze_sweep_round(sweep);
    for (int k = 0; k < c.solids.count; k++) {
        if (c.solids.items[k].collides) {
            const OozeContactSolid solid = contact_solid(c, k);
            ooze_sweep_find(sweep, &c.rule, &solid, &c.solids.items[k].box, k, moving);
        }
    }
    if (sweep->hit >= 0) {
        const OozeContactSolid solid = contact_solid(c, sweep->hit);
        ooze_sweep_stop(sweep, &c.rule, &solid, touches);
    }
    return sweep->hit >= 0;
}

/* Returns whether the particle was moved. */
OOZE_DEVICE bool push_once(const ContactView &c, OozeContactSweep *sweep, OozeTouches *touches)
{
    bool moved = false;
    /* dynamic solids first, so that the particle ends outside of the others */
    for (int e = 0; e < 2 * c.solids.count; e++) {
        const int k = e % c.solids.count;
        if (c.solids.items[k].collides && c.solids.items[k].dynamic == (e < c.solids.count)) {
            OozeContact contact;
            const OozeContactSolid solid = contact_solid(c, k);
            if (ooze_sweep_push(sweep, &c.rule, &solid, &contact)) {
                ooze_contact_touch(&solid, k, &c.rule, &contact, sweep->position, &sweep->velocity,
                                   touches);
                moved = true;
            }
        }
    }
    return moved;
}

/* Adds every change of velocity to `touches`. */
OOZE_DEVICE void contact_resolve(const ContactView &c, OozeVec3 from, OozeVec3 *position,
                                 OozeVec3 *velocity, OozeTouches *touches)
{
    OozeContactSweep sweep = ooze_sweep_begin(from, *position, *velocity, c.rule.dt);
    bool hit = true, moved = true;
    OOZE_ROLLED
    for (int round = 0; round < OOZE_SWEEP_ROUNDS && hit; round++) {
        hit = sweep_once(c, round == 0, &sweep, touches);
    }
    if (!sweep.clear) {
        if (hit) { /* more surfaces than rounds: stays at the last point outside */
            sweep.position = sweep.from;
        }
        OOZE_ROLLED
        for (int round = 0; round < OOZE_PUSH_ROUNDS && moved; round++) {
            moved = push_once(c, &sweep, touches);
        }
    }
    *position = sweep.position;
    *velocity = sweep.velocity;
}

/* Moves a particle for a step, with contacts: see ooze_contact_advance. `next_x` without them. */
OOZE_DEVICE void contact_advance(const ContactView &c, float4 x, float4 *next_x, float4 *u)
{
    const OozeVec3 from = widen(x), free_velocity = widen(*u);
    const OozeVec3 end = vec3_madd(from, c.rule.dt, free_velocity);
    OozeVec3 to = end, v = free_velocity;
    OozeTouches touches;
    touches.count = 0;
    contact_resolve(c, from, &to, &v, &touches);
    if (ooze_contact_has_changed(to, end, v, free_velocity)) {
        *next_x = narrow(to);
        *u = narrow(v);
    }
}

} // namespace ooze

#endif
