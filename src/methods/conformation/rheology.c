/* From a material's numbers to what the solver needs. */
#include <math.h>

#include "methods/conformation/workspace.h"

/* Time over which a fluid without relaxation time that is given by its compliance alone resists as
   if elastic: the time step most scenes of the paper use. It makes such a fluid's viscosity
   G * REFERENCE_STEP, the same at every time step. */
#define REFERENCE_STEP (1.0 / 240.0)
/* The stiffest elasticity that is meant by compliance 0: a shear wave crosses this many spacings a
   step. */
#define STIFFEST_COURANT 20.0

typedef struct Maxwell {
    double modulus, relaxation, viscosity; /* kinematic; viscosity: of the solvent */
} Maxwell;

/* Any two of viscosity, modulus and relaxation time, or the relaxation time and the compliance;
   viscosity alone is Newtonian, modulus alone elastic. */
static Maxwell read_maxwell(const OozeStepContext *c, const OozeMaterial *material,
                            double reference)
{
    const double *v = material->values;
    double eta = v[OOZE_MATERIAL_VISCOSITY] / reference, g = v[OOZE_MATERIAL_MODULUS] / reference;
    double tau = v[OOZE_MATERIAL_RELAXATION], alpha = v[OOZE_MATERIAL_COMPLIANCE];
    Maxwell m = {0, 0, 0};
    if (isnan(g) && !isnan(alpha)) {
        double stiffest = STIFFEST_COURANT * c->spacing / c->dt;
        double weight = v[OOZE_MATERIAL_DENSITY] / reference;
        g = fmin(alpha > 0.0 ? weight / alpha : INFINITY, stiffest * stiffest * weight);
    }
    if (isnan(g)) {
        g = !isnan(eta) && tau > 0.0 ? eta / tau : 0.0;
    } else if (isnan(tau)) {
        tau = g > 0.0 && !isnan(eta) ? eta / g : INFINITY;
    }
    if (!(tau > 0.0)) { /* no memory: all viscosity */
        m.viscosity = !isnan(eta) ? eta : g * (alpha > 0.0 ? REFERENCE_STEP : c->dt);
    } else {
        m.modulus = g;
        m.relaxation = tau;
    }
    if (!isnan(v[OOZE_MATERIAL_SOLVENT])) {
        m.viscosity += v[OOZE_MATERIAL_SOLVENT] / reference;
    }
    return m;
}

OozeRheology ooze_rheology(const OozeStepContext *c, const OozeMaterial *material, double reference,
                           double hourglass, double hourglass_reach)
{
    Maxwell m = read_maxwell(c, material, reference);
    double slow = m.modulus > 0.0 ? hourglass_reach * c->spacing / sqrt(m.modulus) : 0.0;
    double acts = fmax(fmin(c->dt, m.relaxation), fmin(m.relaxation, slow));
    double alpha = material->values[OOZE_MATERIAL_COMPLIANCE];
    return (OozeRheology){
        .weight = (float)(material->values[OOZE_MATERIAL_DENSITY] / reference),
        .modulus = (float)m.modulus,
        .viscosity = (float)m.viscosity,
        .relaxation = (float)m.relaxation,
        .compliance = (float)(!isnan(alpha)     ? alpha
                              : m.modulus > 0.0 ? 1.0 / m.modulus
                                                : 0.0),
        .hourglass = (float)(hourglass * (m.viscosity + m.modulus * acts)),
        .memory = ooze_memory(m.relaxation, c->dt),
    };
}
