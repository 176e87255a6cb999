/* Materials in kinematic units. */
#include <math.h>

#include "base/angle.h"
#include "methods/conformation/step.h"
#include "methods/maxwell.h"
#include "physics/flow_numbers.h"
#include "physics/surface_energy.h"

/* Damping of an oscillation of frequency w. First order in time leaves 1/sqrt(1 + (w dt)^2) of the
   amplitude in a step, which is a rate of w^2 dt/2. The material itself damps at the rate (sum
   G_k/tau_k + nu w^2)/(2 sum G_k). A bounce of fewer than three steps is resolved by no order, and
   the rate of first order is set to 0. */
OozeBounce ooze_conformation_bounce(const OozeStepContext *c, const OozeMaterial *material)
{
    double density = material->values[OOZE_MATERIAL_DENSITY];
    OozeMaxwell m = ooze_maxwell(c, material, density, OOZE_STIFFEST_WAVE);
    OozeMaxwellSum sum = ooze_maxwell_sum(&m, material, density);
    const double layers = 15.0, steps = 10.0, fewest = 3.0;
    OozeBounce b = {.longest = sum.longest, .wave = ooze_wave_speed(sum.modulus)};
    double swing = ooze_bounce_frequency(b.wave, layers * c->spacing);
    bool resolved = swing * fewest * c->dt <= OOZE_PI;
    double frequency = resolved ? fmin(swing, OOZE_PI / (steps * c->dt)) : swing;
    b.duration = OOZE_PI / frequency;
    b.first_order = resolved ? frequency * frequency * c->dt / 2.0 : 0.0;
    b.own = (sum.fading + m.viscosity * frequency * frequency) / (2.0 * sum.modulus);
    return b;
}

/* A material that yields loses the energy of an impact by flowing, and does not bounce. A heap of
   it comes to rest sooner in first order, which `auto` therefore keeps. */
bool ooze_conformation_is_second_order(const OozeStepContext *c, const OozeMaterial *material,
                                       const OozeRheologyRecipe *recipe)
{
    OozeBounce bounce = ooze_conformation_bounce(c, material);
    bool bounces = bounce.own < bounce.first_order && isnan(material->values[OOZE_MATERIAL_YIELD]);
    return !ooze_material_is_stiffest(material) && bounce.longest > c->dt &&
           bounce.wave * c->dt < recipe->second_order_travel &&
           (!recipe->second_order_if_it_bounces || bounces);
}

OozeRheology ooze_rheology(const OozeStepContext *c, const OozeMaterial *material,
                           const OozeRheologyRecipe *recipe)
{
    const double reference = recipe->reference_density, hourglass = recipe->hourglass;
    OozeMaxwell m = ooze_maxwell(c, material, reference, OOZE_STIFFEST_WAVE);
    const double *v = material->values;
    OozeMaxwellSum sum = ooze_maxwell_sum(&m, material, reference);
    bool elastic = sum.modulus > 0.0;
    double travel = elastic ? OOZE_HOURGLASS_REACH * c->spacing / sqrt(sum.modulus) : 0.0;
    bool plastic = elastic && !isnan(v[OOZE_MATERIAL_YIELD]);
    double solvent = plastic ? m.viscosity : m.solvent;
    double mass = v[OOZE_MATERIAL_DENSITY] / reference;
    OozeRheology r = {
        .relative_mass = (float)mass,
        .preconditioner_mass = (float)mass,
        .modulus = (float)m.modulus,
        .viscosity = (float)m.viscosity,
        .relaxation = (float)m.relaxation,
        .compliance = (float)v[OOZE_MATERIAL_COMPLIANCE],
        .longest_relaxation = (float)sum.longest,
        .second_order = ooze_conformation_is_second_order(c, material, recipe),
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
        OozeMaxwellMode mode = ooze_maxwell_mode(material, k, reference);
        r.more[k] = (OozeMode){
            .modulus = (float)mode.modulus,
            .hourglass = (float)(hourglass * mode.modulus *
                                 ooze_damping_time(mode.relaxation, c->dt, travel)),
            .memory = ooze_memory(mode.relaxation, c->dt),
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
