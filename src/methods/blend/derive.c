/* Numbers of presets for this method, and what its own stand for.

   A body that keeps its shape has the fluid share 0: it is an elastic solid with the modulus of the
   material, damped by its solvent. It forgets its shape where collisions decelerate it beyond
   sqrt(3) yield/(rho H), at which the foot of a body of height H yields.

   A fluid that relaxes forgets its shape again and again: with the threshold 0 it is updated in
   every interval T. The stress of a steady shear then grows from 0 to G rate T and falls back, and
   is G rate T/2 on average. T = 2 tau gives the viscosity G tau of a Maxwell fluid.

   Other fluids have the share 1 and their viscosity. */
#include <math.h>

#include "base/vec3.h"
#include "methods/blend/constants.h"
#include "methods/blend/method.h"
#include "methods/derive.h"

/* Whether a fluid is shown by updates of an elastic shape. */
static bool relaxes(const OozeStepContext *c, const OozeFlow *flow)
{
    return !ooze_flow_holds(c, flow) && flow->remembered > 0.0;
}

void ooze_blend_derive_params(const OozeStepContext *c, const OozeFlow *flows, double *params)
{
    double shortest = INFINITY;
    for (int m = 0; m < c->material_count; m++) {
        if (flows[m].scale.flows && relaxes(c, &flows[m])) {
            shortest = fmin(shortest, flows[m].relaxation);
        }
    }
    if (isfinite(shortest)) {
        params[OOZE_BLEND_UPDATE_INTERVAL] = 2.0 * shortest;
    }
}

/* Acceleration at which the foot of the body yields, m/s2; INFINITY: it does not. */
static double yield_acceleration(const OozeFlow *flow)
{
    double height = flow->scale.height;
    return flow->yield > 0.0 && height > 0.0 ? sqrt(3.0) * flow->yield / height : INFINITY;
}

unsigned ooze_blend_derive_material(const OozeStepContext *c, const OozeFlow *flow,
                                    OozeMaterial *material)
{
    double *v = material->values, solvent = flow->viscosity * flow->density;
    bool updated = relaxes(c, flow);
    if (!ooze_flow_holds(c, flow) && !updated) {
        ooze_derive_viscosity(ooze_flow_viscosity(flow), material);
        v[OOZE_MATERIAL_FLUID_SHARE] = 1.0;
        return OOZE_EFFECT_VISCOSITY;
    }
    double interval = c->params[OOZE_BLEND_UPDATE_INTERVAL];
    ooze_derive_viscosity(NAN, material);
    v[OOZE_MATERIAL_FLUID_SHARE] = 0.0;
    v[OOZE_MATERIAL_MODULUS] =
        updated ? 2.0 * flow->remembered * flow->density / interval : ooze_flow_modulus(flow);
    v[OOZE_MATERIAL_SOLVENT] = solvent > 0.0 ? solvent : NAN;
    v[OOZE_MATERIAL_UPDATE_THRESHOLD] = updated ? 0.0 : yield_acceleration(flow);
    return OOZE_EFFECT_VISCOSITY | OOZE_EFFECT_ELASTICITY | OOZE_EFFECT_YIELD;
}

void ooze_blend_measured_material(const OozeStepContext *c, const OozeFlowScale *scale,
                                  OozeMaterial *material)
{
    double *v = material->values, share = v[OOZE_MATERIAL_FLUID_SHARE];
    double viscosity =
        share * (isnan(v[OOZE_MATERIAL_VISCOSITY]) ? 0.0 : v[OOZE_MATERIAL_VISCOSITY]);
    double modulus = (1.0 - share) * v[OOZE_MATERIAL_MODULUS];
    double solvent = (1.0 - share) * v[OOZE_MATERIAL_SOLVENT];
    double threshold = (1.0 - share) * v[OOZE_MATERIAL_UPDATE_THRESHOLD];
    if (share >= 1.0) {
        ooze_derive_viscosity(viscosity, material);
        return;
    }
    ooze_derive_viscosity(NAN, material);
    v[OOZE_MATERIAL_MODULUS] = modulus;
    v[OOZE_MATERIAL_SOLVENT] = solvent;
    if (isnan(modulus)) {
        v[OOZE_MATERIAL_COMPLIANCE] = 0.0; /* as stiff as the step allows */
    } else if (threshold < vec3_length(c->gravity)) {
        v[OOZE_MATERIAL_RELAXATION] = 0.5 * c->params[OOZE_BLEND_UPDATE_INTERVAL];
    } else if (isfinite(threshold)) {
        double yield = v[OOZE_MATERIAL_DENSITY] * threshold * scale->height / sqrt(3.0);
        v[OOZE_MATERIAL_YIELD] = yield / modulus;
    }
}
