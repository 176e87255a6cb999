/* Solids: pressure of the half space behind a wall, and collisions; for the processor and the GPU.
 */
#ifndef OOZE_METHODS_BLEND_CONTACT_FORMULA_H
#define OOZE_METHODS_BLEND_CONTACT_FORMULA_H

#include "base/vec3.h"
#include "physics/kernels.h"
#include "solids/contact_formula.h"

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
