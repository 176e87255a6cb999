/* From a material's numbers to what the solver needs. */
#include <math.h>

#include "methods/conformation/workspace.h"
#include "methods/maxwell.h"

/* How long a mode damps motion that gradients do not see: the step, or the way of an elastic wave. */
static double acts(double relaxation, double dt, double slow)
{
    return fmax(fmin(dt, relaxation), fmin(relaxation, slow));
}

OozeRheology ooze_rheology(const OozeStepContext *c, const OozeMaterial *material, double reference,
                           double hourglass, double hourglass_reach)
{
    OozeMaxwell m = ooze_maxwell(c, material, reference, OOZE_STIFFEST_WAVE);
    const double *v = material->values;
    OozeMaxwellMode mode[OOZE_MORE_MODES];
    double modulus = m.modulus, longest = m.modulus > 0.0 ? m.relaxation : 0.0;
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        mode[k] = ooze_maxwell_mode(material, k, reference);
        modulus += mode[k].modulus;
        longest = fmax(longest, mode[k].relaxation);
    }
    double slow = modulus > 0.0 ? hourglass_reach * c->spacing / sqrt(modulus) : 0.0;
    bool plastic = modulus > 0.0 && !isnan(v[OOZE_MATERIAL_YIELD]);
    double solvent = plastic ? m.viscosity : m.solvent;
    OozeRheology r = {
        .weight = (float)(v[OOZE_MATERIAL_DENSITY] / reference),
        .divisor = (float)(v[OOZE_MATERIAL_DENSITY] / reference),
        .modulus = (float)m.modulus,
        .viscosity = (float)m.viscosity,
        .relaxation = (float)m.relaxation,
        .compliance = (float)v[OOZE_MATERIAL_COMPLIANCE],
        .longest = (float)longest,
        .hourglass =
            (float)(hourglass * (m.viscosity + m.modulus * acts(m.relaxation, c->dt, slow))),
        .solvent = (float)solvent,
        .solvent_hourglass = (float)(hourglass * solvent),
        .memory = ooze_memory(m.relaxation, c->dt),
        .thinning = ooze_material_thinning(material),
        .yield = plastic ? (float)v[OOZE_MATERIAL_YIELD] : INFINITY,
        .tension = (float)(v[OOZE_MATERIAL_TENSION] / reference),
    };
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        r.more[k] = (OozeMode){
            .modulus = (float)mode[k].modulus,
            .hourglass =
                (float)(hourglass * mode[k].modulus * acts(mode[k].relaxation, c->dt, slow)),
            .memory = ooze_memory(mode[k].relaxation, c->dt),
        };
    }
    return r;
}

OozeRheology ooze_body_rheology(const OozeStepContext *c, const OozeMaterial *material,
                                double reference, double hourglass, OozeBodyKind kind)
{
    OozeMaterial springs = *material; /* never relaxes */
    springs.values[OOZE_MATERIAL_VISCOSITY] = NAN;
    springs.values[OOZE_MATERIAL_RELAXATION] = NAN;
    OozeMaxwell m = ooze_maxwell(c, &springs, reference, OOZE_STIFFEST_WAVE);
    bool soft = kind == OOZE_BODY_SOFT;
    float weight = (float)(material->values[OOZE_MATERIAL_DENSITY] / reference);
    float solvent = soft ? (float)m.solvent : 0.0f;
    return (OozeRheology){
        .weight = weight,
        .divisor = soft ? weight : INFINITY,
        .bond = soft ? (float)m.modulus : 0.0f,
        .viscosity = solvent,
        .solvent = solvent,
        .hourglass = (float)hourglass * solvent,
        .solvent_hourglass = (float)hourglass * solvent,
        .compliance = NAN,
        .memory = ooze_memory(0.0, c->dt),
        .yield = INFINITY,
    };
}
