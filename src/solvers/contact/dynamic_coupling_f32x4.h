/* Arms of particles whose positions are vectors of four floats, for the processor. */
#ifndef OOZE_SOLVERS_CONTACT_DYNAMIC_COUPLING_F32X4_H
#define OOZE_SOLVERS_CONTACT_DYNAMIC_COUPLING_F32X4_H

#include "base/f32x4.h"
#include "solvers/contact/dynamic_coupling.h"

/* From the centre of a solid to x, both at the beginning of the step. */
static inline OozeVec3 ooze_coupling_arm_to(const OozeDynamicCoupling *coupling,
                                            const OozeDynamicSolid *solid, OozeF32x4 x)
{
    const float at[3] = {x[0], x[1], x[2]};
    return ooze_coupling_arm(solid, at, &coupling->context->periodic);
}

#endif
