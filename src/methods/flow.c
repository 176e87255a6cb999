#include "methods/flow.h"

#include <math.h>

#include "base/vec3.h"
#include "methods/maxwell.h"
#include "physics/flow_numbers.h"

/* NAN for 0/0 of a fluid at rest. */
static double ratio(double value)
{
    return isfinite(value) ? value : NAN;
}

/* A material with all modes as one: the sum of the moduli, and the mean relaxation time sum G tau^2
   / sum G tau, which gives the normal stresses of all modes. */
typedef struct Fluid {
    OozeMaxwell sum;
    double remembered; /* viscosity of the modes that relax, m2/s */
    OozeThinning thinning;
    bool yields; /* it has a yield stress: the solvent thins, and nothing else (Herschel-Bulkley) */
} Fluid;

static Fluid fluid_of(const OozeStepContext *c, const OozeMaterial *material, bool more)
{
    double density = material->values[OOZE_MATERIAL_DENSITY];
    OozeMaxwell m = ooze_maxwell(c, material, density, OOZE_STIFFEST_WAVE);
    double viscosity = m.modulus > 0.0 ? m.modulus * m.relaxation : 0.0;
    double second = viscosity * m.relaxation;
    bool holds = m.modulus > 0.0 && !isfinite(m.relaxation), several = false;
    for (int k = 0; k < OOZE_MORE_MODES && more; k++) {
        OozeMaxwellMode mode = ooze_maxwell_mode(material, k, density);
        several = several || mode.modulus > 0.0;
        holds = holds || !isfinite(mode.relaxation);
        m.modulus += mode.modulus;
        viscosity += mode.modulus * mode.relaxation;
        second += mode.modulus * mode.relaxation * mode.relaxation;
    }
    if (holds) {
        m.relaxation = INFINITY;
    } else if (several) {
        m.relaxation = second / viscosity;
    }
    return (Fluid){m, holds ? 0.0 : viscosity, ooze_material_thinning(material),
                   !isnan(material->values[OOZE_MATERIAL_YIELD])};
}

/* Kinematic viscosity at a rate of shear; modes that never relax do not contribute. */
static double viscosity_at(const Fluid *fluid, double rate)
{
    double rest = fluid->sum.viscosity - fluid->sum.solvent + fluid->remembered;
    double factor = (double)ooze_thinning(fluid->thinning, (float)rate);
    return fluid->yields ? factor * fluid->sum.solvent + rest : fluid->sum.solvent + factor * rest;
}

static void find_speed(const OozeStepContext *c, const Fluid *fluid, OozeFlow *flow)
{
    const OozeFlowScale *scale = &flow->scale;
    double g = vec3_length(c->gravity);
    bool holds = !isfinite(fluid->sum.relaxation) && !(flow->stands < scale->height);
    double fastest = scale->height > 0.0 ? sqrt(g / scale->height) : 0.0;
    double slump =
        ooze_slump_speed(g, scale->height, viscosity_at(fluid, fastest), holds ? flow->wave : 0.0);
    double jet = ooze_jet_speed(g, scale->drop, scale->pour, viscosity_at(fluid, fastest));
    flow->speed = fmax(fmax(slump, jet), scale->strike);
    flow->slumps = slump == flow->speed && slump > 0.0;
    flow->pours = !flow->slumps && jet == flow->speed && jet > 0.0;
}

OozeFlow ooze_flow(const OozeStepContext *c, int index, const OozeFlowScale *scale)
{
    OozeMaterial material = c->materials[index];
    double *v = material.values, density = v[OOZE_MATERIAL_DENSITY];
    if (scale->soft) {
        v[OOZE_MATERIAL_VISCOSITY] = v[OOZE_MATERIAL_RELAXATION] = NAN;
    }
    Fluid fluid = fluid_of(c, &material, !scale->soft);
    OozeMaxwell m = fluid.sum;
    double g = vec3_length(c->gravity), tension = v[OOZE_MATERIAL_SURFACE_TENSION];
    double yield = m.modulus > 0.0 ? m.modulus * v[OOZE_MATERIAL_YIELD] : NAN;
    double stands = ratio(ooze_yield_height(yield, g));
    bool yields = stands < scale->height;
    bool elastic = m.modulus > 0.0 && !isfinite(m.relaxation) && !yields;
    OozeFlow flow = {
        .scale = *scale,
        .stiffest = ooze_material_is_stiffest(&material),
        .density = density,
        .modulus = m.modulus,
        .viscosity = m.viscosity,
        .relaxation = m.relaxation,
        .remembered = fluid.remembered,
        .yield = yield,
        .stands = stands,
        .wave = ooze_wave_speed(m.modulus),
    };
    find_speed(c, &fluid, &flow);
    double rate = scale->length > 0.0 ? flow.speed / scale->length : 0.0;
    double nu = viscosity_at(&fluid, rate);
    if (yields && !isfinite(m.relaxation) && rate > 0.0) {
        nu += yield / rate; /* Bingham 1916: yield stress over the rate */
    }
    bool tense = tension > 0.0;
    flow.nu = elastic ? INFINITY : nu;
    flow.reynolds = elastic ? NAN : ratio(ooze_reynolds(flow.speed, scale->length, nu));
    bool remembers = m.relaxation > 0.0 && isfinite(m.relaxation);
    flow.weissenberg =
        remembers ? ratio(ooze_weissenberg(m.relaxation, flow.speed, scale->length)) : NAN;
    flow.deborah = remembers ? ratio(ooze_deborah(m.relaxation, scale->duration)) : NAN;
    flow.bond = tense ? ooze_bond_number(density, g, scale->length, tension) : NAN;
    flow.capillary =
        tense && !elastic ? ooze_capillary_number(density, nu, flow.speed, tension) : NAN;
    flow.ohnesorge =
        tense && !elastic ? ratio(ooze_ohnesorge(density, nu, scale->length, tension)) : NAN;
    flow.crossing = flow.wave * c->dt / c->spacing;
    flow.diffusion = ooze_diffusion(elastic ? m.viscosity : nu, c->dt, c->spacing);
    double resists = ooze_maxwell_resistance(c, &material, density, OOZE_STIFFEST_WAVE);
    flow.diffusion_length = ooze_momentum_diffusion_length(resists, c->dt) / c->spacing;
    flow.sag = elastic ? ratio(ooze_sag_strain(g, scale->height, flow.wave)) : NAN;
    return flow;
}

double ooze_flow_numerical(const OozeFlow *flow, const OozeMethod *method, double spacing)
{
    double measured = method->numerical_viscosity;
    return measured > 0.0 ? measured * flow->speed * spacing : NAN;
}
