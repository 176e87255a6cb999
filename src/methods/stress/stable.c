/* Coefficients of a material, and the longest stable step: the discrete operators applied to plane
   waves on the rest lattice. */
#include <math.h>

#include "methods/maxwell.h"
#include "methods/stress/step.h"
#include "physics/ucm.h"
#include "solvers/lattice_waves.h"

/* Courant number of the shear wave, spacings a step, for compliance 0. */
#define STIFFEST_COURANT 0.5

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

static double step_of(const OozeStepContext *c, int material, const OozeLatticeWave *wave)
{
    OozeStressMaterial o = ooze_stress_material(c, material);
    double gradient2 = wave->gradient2 / (wave->moment * wave->moment); /* with correction */
    double residual = fmax(wave->spread - gradient2, 0.0);              /* beyond a linear field */
    /* compression waves: sigma = 2 G e along the wave, twice that of shear */
    double w = sqrt(2.0 * o.modulus * gradient2 / o.relative_mass);
    double damping = (2.0 * o.viscosity * gradient2 + o.hourglass * residual) / o.relative_mass;
    return ooze_ucm_stable_step(w, damping, o.rate);
}

double ooze_stress_stable_step(const OozeStepContext *c)
{
    return ooze_lattice_waves_step(c, step_of);
}
