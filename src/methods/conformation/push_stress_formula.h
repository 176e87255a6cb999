/* The deviatoric stress of the pushes of the density stage, for the processor and the GPU: see
   push_stress.h. */
#ifndef OOZE_METHODS_CONFORMATION_PUSH_STRESS_FORMULA_H
#define OOZE_METHODS_CONFORMATION_PUSH_STRESS_FORMULA_H

#include <math.h>

#include "physics/tensor.h"

/* Stiffness times dt over the square of the spacing up to which any material takes all of that
   stress back, and from which on an elastic one takes back none: its stress then resists more than
   the pushes do. */
#define OOZE_PUSH_STRESS_THIN  0.05f
#define OOZE_PUSH_STRESS_THICK 0.1f

/* Share that a material of this stiffness (m2/s, see A of the velocity solve) takes back. A viscous
   one takes back what its velocity solve expects of the pushes (expected_push_formula.h): stress of
   pushes resists slow shear however thick the fluid is, like a yield stress. */
OOZE_FORMULA float ooze_push_stress_share(float stiffness, float expected_push_share, float spacing,
                                          float dt)
{
    float thickness = stiffness * dt / (spacing * spacing);
    float share =
        (OOZE_PUSH_STRESS_THICK - thickness) / (OOZE_PUSH_STRESS_THICK - OOZE_PUSH_STRESS_THIN);
    share = share < 1.0f ? share : 1.0f;
    return share > expected_push_share ? share : expected_push_share;
}

/* The part of a moment of pushes that is taken back. */
OOZE_FORMULA OozeSym3 ooze_push_stress_deviator(OozeSym3 moment, float share)
{
    float mean = ooze_sym3_trace(moment) / 3.0f;
    moment.xx -= mean;
    moment.yy -= mean;
    moment.zz -= mean;
    return ooze_sym3_scale(moment, share);
}

/* Sums over all particles: energy that the pushes have removed, that the change of velocities adds
   to first order, and that it has by itself. */
typedef struct OozePushEnergy {
    double removed, along, own;
} OozePushEnergy;

/* Those of a particle: its mass, its velocity after the pushes, the velocity that these have
   added, and the change. Vectors have three numbers. */
OOZE_FORMULA OozePushEnergy ooze_push_energy_of(float mass, const float *u, const float *pushed,
                                                const float *change)
{
    OozePushEnergy e = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        e.removed += (double)(mass * pushed[k] * (0.5f * pushed[k] - u[k]));
        e.along += (double)(mass * u[k] * change[k]);
        e.own += (double)(0.5f * mass * change[k] * change[k]);
    }
    return e;
}

/* Largest factor of the change, at most 1, with which the stage adds no energy. One factor for all
   conserves momentum. */
OOZE_FORMULA float ooze_push_stress_factor(OozePushEnergy e)
{
    double most = e.removed > 0.0 ? e.removed : 0.0;
    if (!(e.own > 0.0)) {
        return 0.0f;
    }
    if (e.along + e.own <= most) {
        return 1.0f;
    }
    return (float)((sqrt(e.along * e.along + 4.0 * e.own * most) - e.along) / (2.0 * e.own));
}

#endif
