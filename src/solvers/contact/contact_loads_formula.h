/* Velocity changes of one particle by dynamic solids: see contact_loads.h. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_CONTACT_CONTACT_LOADS_FORMULA_H
#define OOZE_SOLVERS_CONTACT_CONTACT_LOADS_FORMULA_H

#include "solids/dynamic_formula.h"

/* Two solids at most, the second entry also holds the changes by any further solid. */
typedef struct OozeSolidImpulses {
    int count;
    int solid[2];
    OozeVec3 point[2], change[2]; /* m; m/s */
} OozeSolidImpulses;

OOZE_FORMULA void ooze_impulses_add(OozeSolidImpulses *impulses, int solid, OozeVec3 point,
                                    OozeVec3 change)
{
    int k = impulses->count > 0 && impulses->solid[0] != solid ? 1 : 0;
    if (k == impulses->count) {
        impulses->solid[k] = solid;
        impulses->point[k] = point;
        impulses->change[k] = vec3(0, 0, 0);
        impulses->count++;
    }
    impulses->change[k] = vec3_add(impulses->change[k], change);
}

/* Inverse effective mass of a solid at a point along a direction, 1/kg. */
OOZE_FORMULA double ooze_impulses_inverse_mass(const OozeSolid *solid, OozeVec3 point,
                                               OozeVec3 direction)
{
    OozeVec3 arm = vec3_sub(point, ooze_dynamic_centre(solid, &solid->pose));
    OozeVec3 spin = ooze_dynamic_spin_change(solid, &solid->pose, vec3_cross(arm, direction));
    return 1.0 / solid->mass.mass + vec3_dot(direction, vec3_cross(spin, arm));
}

/* The part of a velocity change at a point that a particle gives back, `touching` being the mass of
   all particles that touch the solid, kg. */
OOZE_FORMULA OozeVec3 ooze_impulses_given_back(const OozeSolid *solid, double touching,
                                               OozeVec3 point, OozeVec3 change)
{
    OozeVec3 along = vec3_unit(change, vec3(0, 0, 1));
    double mass_ratio = touching * ooze_impulses_inverse_mass(solid, point, along);
    return vec3_scale(change, -mass_ratio / (1.0 + mass_ratio));
}

#endif
