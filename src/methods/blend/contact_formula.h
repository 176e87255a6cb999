/* Solids: pressure of the half space behind a wall, and collisions; for the processor and the GPU.
 */
#ifndef OOZE_METHODS_BLEND_CONTACT_FORMULA_H
#define OOZE_METHODS_BLEND_CONTACT_FORMULA_H

#include "base/vec3.h"
#include "physics/contact.h"
#include "physics/kernels.h"
#include "solids/solid.h"

/* A wall counts as the half space behind its surface, at rest density and at the particle's own
   pressure: its part of the density, and the sum of its kernel gradients, 1/m, along the normal. */
OOZE_FORMULA float ooze_blend_wall_density(double distance, float h)
{
    return ooze_poly6_half_space(distance > 0.0 ? (float)distance : 0.0f, h);
}

OOZE_FORMULA float ooze_blend_wall_gradient(double distance, float h)
{
    return ooze_spiky_plane(distance > 0.0 ? (float)distance : 0.0f, h);
}

/* Moves a particle that is nearer than `margin` to a solid out of it and changes its velocity by
   restitution and friction. Returns that change. */
OOZE_FORMULA OozeVec3 ooze_blend_collide(const OozeContact *contact, double margin,
                                         double restitution, double friction, OozeVec3 *x,
                                         OozeVec3 *v)
{
    OozeVec3 before = *v;
    if (!(contact->distance < margin)) {
        return vec3(0, 0, 0);
    }
    *x = vec3_madd(*x, margin - contact->distance, contact->normal);
    OozeVec3 relative = vec3_sub(*v, contact->velocity);
    OozeContactVector after = ooze_contact_bounce(
        ooze_contact_vector((float)relative.x, (float)relative.y, (float)relative.z),
        ooze_contact_vector((float)contact->normal.x, (float)contact->normal.y,
                            (float)contact->normal.z),
        (float)restitution, (float)friction);
    *v = vec3_add(contact->velocity, vec3((double)after.x, (double)after.y, (double)after.z));
    return vec3_sub(*v, before);
}

/* Eqs 5 to 11 in one: v = alpha v_SPH + (1 - alpha) v_SM is v plus dt times the sum of gravity, of
   the pressure and viscosity with weight alpha, and of the pull (g - x) / tau^2 with weight
   1 - alpha. `pull`: N, of a particle of mass `mass`; NULL: none. */
OOZE_FORMULA OozeVec3 ooze_blend_velocity(OozeVec3 v, OozeVec3 gravity, OozeVec3 sph,
                                          const double *pull, double mass, double dt)
{
    OozeVec3 a = vec3_add(gravity, sph);
    if (pull) {
        a = vec3_madd(a, 1.0 / mass, vec3(pull[0], pull[1], pull[2]));
    }
    return vec3_madd(v, dt, a);
}

/* One component of the running average of contact accelerations; `now`: of this substep. */
OOZE_FORMULA float ooze_blend_average(float smoothing, float now, float before)
{
    return smoothing * now + (1.0f - smoothing) * before;
}

#endif
