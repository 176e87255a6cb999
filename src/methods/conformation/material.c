/* Materials in kinematic units. */
#include <math.h>

#include "base/angle.h"
#include "methods/conformation/step.h"
#include "methods/maxwell.h"
#include "physics/surface_energy.h"

/* Whether first order in time would damp a swing more than the material itself does. Per second a
   swing of frequency w loses w^2 dt/2 of its amplitude to first order, and to the material (sum
   G_k/tau_k + nu w^2)/(2 sum G_k), where the first sum is `fading`. The swing that is asked about
   is a bounce of ten steps, w dt = pi/10: shorter ones second order does not resolve either. */
static bool rings(double modulus, double fading, double viscosity, double dt)
{
    const double phase = ooze_radians(180.0 / 10.0);
    double swing = phase * phase / dt;
    return swing * modulus > fading + viscosity * swing / dt;
}

OozeRheology ooze_rheology(const OozeStepContext *c, const OozeMaterial *material,
                           const OozeRheologyRecipe *recipe)
{
    const double reference = recipe->reference_density, hourglass = recipe->hourglass;
    OozeMaxwell m = ooze_maxwell(c, material, reference, OOZE_STIFFEST_WAVE);
    const double *v = material->values;
    OozeMaxwellMode mode[OOZE_MORE_MODES];
    double modulus = m.modulus, longest = m.modulus > 0.0 ? m.relaxation : 0.0;
    double fading = m.modulus > 0.0 ? m.modulus / m.relaxation : 0.0;
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        mode[k] = ooze_maxwell_mode(material, k, reference);
        modulus += mode[k].modulus;
        longest = fmax(longest, mode[k].relaxation);
        fading += mode[k].modulus > 0.0 ? mode[k].modulus / mode[k].relaxation : 0.0;
    }
    double travel = modulus > 0.0 ? recipe->hourglass_reach * c->spacing / sqrt(modulus) : 0.0;
    bool stiffest = isnan(v[OOZE_MATERIAL_MODULUS]) && v[OOZE_MATERIAL_COMPLIANCE] == 0.0;
    bool plastic = modulus > 0.0 && !isnan(v[OOZE_MATERIAL_YIELD]);
    double solvent = plastic ? m.viscosity : m.solvent;
    double mass = v[OOZE_MATERIAL_DENSITY] / reference;
    OozeRheology r = {
        .relative_mass = (float)mass,
        .preconditioner_mass = (float)mass,
        .modulus = (float)m.modulus,
        .viscosity = (float)m.viscosity,
        .relaxation = (float)m.relaxation,
        .compliance = (float)v[OOZE_MATERIAL_COMPLIANCE],
        .longest_relaxation = (float)longest,
        .second_order =
            !stiffest && longest > c->dt &&
            sqrt(modulus / mass) * c->dt < recipe->second_order_travel &&
            (!recipe->second_order_if_rings || rings(modulus, fading, m.viscosity, c->dt)),
        .hourglass =
            (float)(hourglass *
                    (m.viscosity + m.modulus * ooze_damping_time(m.relaxation, c->dt, travel))),
        .solvent = (float)solvent,
        .solvent_hourglass = (float)(hourglass * solvent),
        .memory = ooze_memory(m.relaxation, c->dt),
        .thinning = ooze_material_thinning(material),
        .yield = plastic ? (float)v[OOZE_MATERIAL_YIELD] : INFINITY,
        .surface_tension = (float)(v[OOZE_MATERIAL_SURFACE_TENSION] / reference),
        .interface_tension = (float)(v[OOZE_MATERIAL_INTERFACE_TENSION] / reference),
        .contact_cosine = (float)cos(ooze_radians(v[OOZE_MATERIAL_CONTACT_ANGLE])),
    };
    float tension = ooze_max(r.surface_tension, r.interface_tension);
    float damping = (float)(hourglass * ooze_surface_hourglass((double)tension, c->spacing));
    r.hourglass += damping;
    r.solvent_hourglass += damping;
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        r.more[k] = (OozeMode){
            .modulus = (float)mode[k].modulus,
            .hourglass = (float)(hourglass * mode[k].modulus *
                                 ooze_damping_time(mode[k].relaxation, c->dt, travel)),
            .memory = ooze_memory(mode[k].relaxation, c->dt),
        };
    }
    return r;
}

OozeRheology ooze_body_rheology(const OozeStepContext *c, const OozeMaterial *material,
                                const OozeRheologyRecipe *recipe, OozeBodyKind kind)
{
    const double reference = recipe->reference_density, hourglass = recipe->hourglass;
    OozeMaterial springs = *material; /* without relaxation */
    springs.values[OOZE_MATERIAL_VISCOSITY] = NAN;
    springs.values[OOZE_MATERIAL_RELAXATION] = NAN;
    OozeMaxwell m = ooze_maxwell(c, &springs, reference, OOZE_STIFFEST_WAVE);
    bool soft = kind == OOZE_BODY_SOFT;
    float mass = (float)(material->values[OOZE_MATERIAL_DENSITY] / reference);
    float solvent = soft ? (float)m.solvent : 0.0f;
    return (OozeRheology){
        .relative_mass = mass,
        .preconditioner_mass = soft ? mass : INFINITY,
        .bond_modulus = soft ? (float)m.modulus : 0.0f,
        .viscosity = solvent,
        .solvent = solvent,
        .hourglass = (float)hourglass * solvent,
        .solvent_hourglass = (float)hourglass * solvent,
        .compliance = NAN,
        .memory = ooze_memory(0.0, c->dt),
        .yield = INFINITY,
    };
}
