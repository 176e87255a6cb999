/* When new reference positions are taken (section 3.2 of the paper), for the processor and the GPU.
 */
#ifndef OOZE_METHODS_BLEND_REFERENCE_FORMULA_H
#define OOZE_METHODS_BLEND_REFERENCE_FORMULA_H

#include "base/vec3.h"
#include "methods/blend/constants.h"

/* Whether shape matching acts on a particle. */
OOZE_FORMULA bool ooze_blend_is_elastic(uint32_t reference_step, float fluid_share)
{
    return reference_step != 0 && fluid_share < 1.0f;
}

/* Sums over the particles of one material. */
typedef struct OozeBlendGate {
    double count, external, share; /* number; sums of |f_ext| / m and of alpha */
    double without;                /* particles that need a reference position and have none */
} OozeBlendGate;

OOZE_FORMULA void ooze_blend_gate_add(OozeBlendGate *gate, const OozeBlendGate *other)
{
    gate->count += other->count;
    gate->external += other->external;
    gate->share += other->share;
    gate->without += other->without;
}

/* Soft bodies keep the shape that they began with. `body`: 0: fluid. */
OOZE_FORMULA bool ooze_blend_keeps_shape(uint16_t body, uint32_t reference_step)
{
    return body != 0 && reference_step != 0;
}

/* The terms of one particle. `contact`: its averaged contact acceleration; `gravity`: 0 where
   gravity does not count among the external forces. */
OOZE_FORMULA OozeBlendGate ooze_blend_gate_terms(const OozeFloat4 *contact, OozeVec3 gravity,
                                                 float fluid_share, uint32_t reference_step)
{
    OozeBlendGate gate;
    OozeVec3 sum = vec3((double)contact->x, (double)contact->y, (double)contact->z);
    gate.count = 1.0;
    gate.external = vec3_length(vec3_add(sum, gravity));
    gate.share = (double)fluid_share;
    gate.without = reference_step == 0 && fluid_share < 1.0f ? 1.0 : 0.0;
    return gate;
}

/* Whether the particles of a material take new reference positions; `threshold`: gamma_u, m/s2. */
OOZE_FORMULA bool ooze_blend_is_due(double threshold, const OozeBlendGate *gate)
{
    if (!(gate->count > 0.0)) {
        return false;
    }
    double share = gate->share / gate->count;
    return gate->without > 0.0 || share >= 1.0 ||
           gate->external / gate->count > threshold * (1.0 - share);
}

#endif
