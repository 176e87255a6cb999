/* Contact of a particle with a solid: restitution, friction, adhesion. Valid C17 and CUDA.

   n is the outward unit normal of the solid; velocities (m/s) are relative to the solid's surface.
   */
#ifndef OOZE_PHYSICS_CONTACT_H
#define OOZE_PHYSICS_CONTACT_H

#include "physics/formula.h"

typedef struct OozeContactVector {
    OOZE_REAL x, y, z;
} OozeContactVector;

OOZE_FORMULA OozeContactVector ooze_contact_vector(OOZE_REAL x, OOZE_REAL y, OOZE_REAL z)
{
    OozeContactVector v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

/* Fraction of a tangential speed that Coulomb friction leaves for a normal impulse per mass
   `impulse` >= 0 (m/s): |change| <= friction * impulse. Infinite friction is no slip, and leaves
   nothing even where the impulse is zero. */
OOZE_FORMULA OOZE_REAL ooze_friction_factor(OOZE_REAL friction, OOZE_REAL impulse, OOZE_REAL speed)
{
    OOZE_REAL most = friction > 1e30f ? speed : friction * impulse;
    return most >= speed ? 0 : (speed - most) / speed;
}

/* Velocity after the contact. A particle that approaches (v.n < 0) leaves with v.n' = -e v.n and
   loses tangential speed to friction; one that leaves keeps its velocity. */
OOZE_FORMULA OozeContactVector ooze_contact_bounce(OozeContactVector v, OozeContactVector n,
                                                   OOZE_REAL restitution, OOZE_REAL friction)
{
    OOZE_REAL normal = v.x * n.x + v.y * n.y + v.z * n.z;
    if (!(normal <= 0)) {
        return v;
    }
    OozeContactVector t =
        ooze_contact_vector(v.x - normal * n.x, v.y - normal * n.y, v.z - normal * n.z);
    OOZE_REAL speed = OOZE_SQRT(t.x * t.x + t.y * t.y + t.z * t.z);
    OOZE_REAL keep = ooze_friction_factor(friction, -(1 + restitution) * normal, speed);
    OOZE_REAL bounce = -restitution * normal;
    return ooze_contact_vector(keep * t.x + bounce * n.x, keep * t.y + bounce * n.y,
                               keep * t.z + bounce * n.z);
}

/* The same without restitution and with wet friction: a fraction mu, 0 (slip) to 1 (no slip), of
   the tangential velocity is lost for any impulse. Clavet, Beaudoin and Poulin 2005, eqs 9 to 11,
   with the sign that stops a particle. */
OOZE_FORMULA OozeContactVector ooze_contact_wet(OozeContactVector v, OozeContactVector n,
                                                OOZE_REAL mu)
{
    OOZE_REAL normal = v.x * n.x + v.y * n.y + v.z * n.z;
    if (!(normal <= 0)) {
        return v;
    }
    OOZE_REAL keep = mu < 1 ? 1 - mu : 0;
    return ooze_contact_vector(keep * (v.x - normal * n.x), keep * (v.y - normal * n.y),
                               keep * (v.z - normal * n.z));
}

/* Change of velocity towards the surface (along -n) of a particle at distance d over dt: Clavet,
   Beaudoin and Poulin 2005, eq 12. Largest at half the range, zero at its ends. */
OOZE_FORMULA OOZE_REAL ooze_stick_impulse(OOZE_REAL dt, OOZE_REAL strength, OOZE_REAL d,
                                          OOZE_REAL range)
{
    return d > 0 && d < range ? dt * strength * d * (1 - d / range) : 0;
}

/* Displacement along n after which the distance is at least `margin`. */
OOZE_FORMULA OOZE_REAL ooze_contact_push(OOZE_REAL d, OOZE_REAL margin)
{
    return d < margin ? margin - d : 0;
}

#endif
