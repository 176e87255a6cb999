/* Coefficients of a material and of a step. */
#include <math.h>

#include "methods/maxwell.h"
#include "methods/stress/step.h"

/* Courant number of the shear wave, spacings a step, for compliance 0: within the bound of a block
   at rest, 0.39. */
#define STIFFEST_COURANT 0.33

OozeStressMaterial ooze_stress_material(const OozeStepContext *c, int index)
{
    const OozeMaterial *material = &c->materials[index];
    double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    OozeMaxwell m = ooze_maxwell(c, material, reference, STIFFEST_COURANT);
    return (OozeStressMaterial){
        .relative_mass = material->values[OOZE_MATERIAL_DENSITY] / reference,
        .modulus = m.modulus,
        .rate = m.relaxation > 0.0 ? 1.0 / m.relaxation : 0.0,
        .viscosity = m.viscosity,
        .hourglass =
            c->params[OOZE_STRESS_HOURGLASS] * (m.viscosity + sqrt(m.modulus) * c->spacing),
    };
}

OozeStressMaterial ooze_stress_substep_material(const OozeStepContext *c, int index)
{
    OozeStepContext whole = *c;
    whole.dt = c->whole_step;
    return ooze_stress_material(&whole, index);
}

OozeContactRule ooze_stress_contact_rule(const OozeStepContext *c)
{
    return (OozeContactRule){.margin = c->params[OOZE_STRESS_CONTACT_DISTANCE] * c->spacing,
                             .tolerance = 0.1 * c->spacing,
                             .dt = c->dt};
}

float ooze_stress_kept_share(const OozeStepContext *c)
{
    double time = c->params[OOZE_STRESS_DENSITY_TIME];
    return time > c->dt ? (float)(1.0 - c->dt / time) : 0.0f;
}
