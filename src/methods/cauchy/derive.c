/* Numbers of presets for this method. */
#include <math.h>

#include "methods/cauchy/method.h"
#include "methods/derive.h"
#include "physics/thinning.h"

/* Shear rate below which a yield stress acts as a viscosity, over the rate of the flow: slow enough
   that the fluid seems to rest, and the viscosity there only twenty times that of the flow. */
static const double PLATEAU = 0.05;

/* A fluid beyond its yield stress as Bercovier and Engelman (1980) regularise Bingham's:
     stress = yield rate / sqrt(rate^2 + plateau^2) + viscosity rate,
   which is Carreau's law with the exponent 0 and the viscosity yield/plateau at rest, beside a
   solvent. */
static unsigned derive_yielding(const OozeFlow *flow, OozeMaterial *material)
{
    double *v = material->values, rate = flow->speed / flow->scale.length;
    double yield = flow->yield * flow->density, plateau = PLATEAU * rate;
    double solvent = fmax(ooze_flow_viscosity(flow) - yield / rate, 0.0);
    ooze_derive_viscosity(yield / plateau, material);
    v[OOZE_MATERIAL_SOLVENT] = solvent;
    v[OOZE_MATERIAL_THINNING] = OOZE_THINNING_CARREAU;
    v[OOZE_MATERIAL_THINNING_RATE] = plateau;
    v[OOZE_MATERIAL_THINNING_EXPONENT] = 0.0;
    v[OOZE_MATERIAL_THINNING_FLOOR] = 0.0;
    return OOZE_EFFECT_VISCOSITY | OOZE_EFFECT_YIELD;
}

unsigned ooze_cauchy_derive_material(const OozeStepContext *c, const OozeFlow *flow,
                                     OozeMaterial *material)
{
    bool yields = isfinite(flow->nu) && flow->yield > 0.0 && flow->speed > 0.0;
    unsigned shown =
        yields ? derive_yielding(flow, material) : ooze_derive_maxwell(c, flow, material);
    return shown | OOZE_EFFECT_TENSION;
}
