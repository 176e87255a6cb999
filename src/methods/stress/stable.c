/* How long a step may be: the discrete operators on the rest lattice, wave by wave. */
#include <math.h>

#include "methods/maxwell.h"
#include "methods/stress/step.h"
#include "physics/ucm.h"
#include "solvers/lattice_waves.h"

/* Compliance 0 asks for the stiffest elasticity: the shear wave that the scheme carries safely, in
   spacings a step. */
#define STIFFEST_COURANT 0.5

OozeStressMaterial ooze_stress_material(const OozeStepContext *c, int index)
{
    const OozeMaterial *material = &c->materials[index];
    double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    OozeMaxwell m = ooze_maxwell(c, material, reference, STIFFEST_COURANT);
    return (OozeStressMaterial){
        .weight = material->values[OOZE_MATERIAL_DENSITY] / reference,
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
    double gradient2 = wave->gradient2 / (wave->moment * wave->moment); /* it is corrected */
    double rest = fmax(wave->spread - gradient2, 0.0);
    /* compression waves: sigma = 2 G e along the wave, twice that of shear */
    double w = sqrt(2.0 * o.modulus * gradient2 / o.weight);
    double damping = (2.0 * o.viscosity * gradient2 + o.hourglass * rest) / o.weight;
    return ooze_ucm_stable_step(w, damping, o.rate);
}

double ooze_stress_stable_step(const OozeStepContext *c)
{
    return ooze_lattice_waves_step(c, step_of);
}
