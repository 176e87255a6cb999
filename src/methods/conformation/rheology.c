/* From a material's numbers to what the solver needs. */
#include <math.h>

#include "methods/conformation/workspace.h"
#include "methods/maxwell.h"

/* The stiffest elasticity that is meant by compliance 0: a shear wave crosses this many spacings a
   step. */
#define STIFFEST_COURANT 20.0

OozeRheology ooze_rheology(const OozeStepContext *c, const OozeMaterial *material, double reference,
                           double hourglass, double hourglass_reach)
{
    OozeMaxwell m = ooze_maxwell(c, material, reference, STIFFEST_COURANT);
    double slow = m.modulus > 0.0 ? hourglass_reach * c->spacing / sqrt(m.modulus) : 0.0;
    double acts = fmax(fmin(c->dt, m.relaxation), fmin(m.relaxation, slow));
    return (OozeRheology){
        .weight = (float)(material->values[OOZE_MATERIAL_DENSITY] / reference),
        .modulus = (float)m.modulus,
        .viscosity = (float)m.viscosity,
        .relaxation = (float)m.relaxation,
        .compliance = (float)material->values[OOZE_MATERIAL_COMPLIANCE],
        .hourglass = (float)(hourglass * (m.viscosity + m.modulus * acts)),
        .memory = ooze_memory(m.relaxation, c->dt),
    };
}
