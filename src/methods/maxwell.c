#include "methods/maxwell.h"

#include <math.h>

#include "physics/spectrum.h"

/* Time over which a fluid without relaxation time that is given by its compliance alone resists as
   if elastic: the time step most scenes of the paper use. It makes such a fluid's viscosity
   G * REFERENCE_STEP, the same at every time step. */
#define REFERENCE_STEP (1.0 / 240.0)

OozeMaxwell ooze_maxwell(const OozeStepContext *c, const OozeMaterial *material, double reference,
                         double stiffest)
{
    const double *v = material->values;
    double eta = v[OOZE_MATERIAL_VISCOSITY] / reference, g = v[OOZE_MATERIAL_MODULUS] / reference;
    double tau = v[OOZE_MATERIAL_RELAXATION], alpha = v[OOZE_MATERIAL_COMPLIANCE];
    OozeMaxwell m = {0, 0, 0, 0};
    if (isnan(g) && !isnan(alpha)) {
        double speed = stiffest * c->spacing / c->dt;
        double mass = v[OOZE_MATERIAL_DENSITY] / reference;
        g = fmin(alpha > 0.0 ? mass / alpha : INFINITY, speed * speed * mass);
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
        m.solvent = v[OOZE_MATERIAL_SOLVENT] / reference;
        m.viscosity += m.solvent;
    }
    return m;
}

OozeMaxwellMode ooze_maxwell_mode(const OozeMaterial *material, int k, double reference)
{
    const double *v = material->values + OOZE_MATERIAL_MODULUS_2 + 2 * k;
    if (!(v[0] > 0.0)) {
        return (OozeMaxwellMode){0, 0};
    }
    return (OozeMaxwellMode){v[0] / reference, isnan(v[1]) ? INFINITY : v[1]};
}

OozeMaxwellSum ooze_maxwell_sum(const OozeMaxwell *first, const OozeMaterial *material,
                                double reference)
{
    bool elastic = first->modulus > 0.0;
    OozeMaxwellSum sum = {first->modulus, elastic ? first->modulus / first->relaxation : 0.0,
                          elastic ? first->relaxation : 0.0};
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        OozeMaxwellMode mode = ooze_maxwell_mode(material, k, reference);
        sum.modulus += mode.modulus;
        sum.fading += mode.modulus > 0.0 ? mode.modulus / mode.relaxation : 0.0;
        sum.longest = fmax(sum.longest, mode.relaxation);
    }
    return sum;
}

bool ooze_material_is_stiffest(const OozeMaterial *material)
{
    const double *v = material->values;
    return isnan(v[OOZE_MATERIAL_MODULUS]) && v[OOZE_MATERIAL_COMPLIANCE] == 0.0;
}

double ooze_maxwell_resistance(const OozeStepContext *c, const OozeMaterial *material,
                               double reference, double stiffest)
{
    OozeMaxwell m = ooze_maxwell(c, material, reference, stiffest);
    double sum = m.viscosity + ooze_mode_resistance(m.modulus, m.relaxation, c->dt);
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        OozeMaxwellMode mode = ooze_maxwell_mode(material, k, reference);
        sum += ooze_mode_resistance(mode.modulus, mode.relaxation, c->dt);
    }
    return sum;
}

double ooze_damping_time(double relaxation, double dt, double travel)
{
    return fmax(fmin(dt, relaxation), fmin(relaxation, travel));
}

OozeThinning ooze_material_thinning(const OozeMaterial *material)
{
    const double *v = material->values;
    bool thins = !isnan(v[OOZE_MATERIAL_THINNING_RATE]);
    return (OozeThinning){
        .law = (OozeThinningLaw)v[OOZE_MATERIAL_THINNING],
        .time = thins ? (float)(1.0 / v[OOZE_MATERIAL_THINNING_RATE]) : 0.0f,
        .exponent = (float)v[OOZE_MATERIAL_THINNING_EXPONENT],
        .floor = (float)v[OOZE_MATERIAL_THINNING_FLOOR],
    };
}
