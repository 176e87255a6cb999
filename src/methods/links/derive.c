/* Numbers of presets for this method, and what its own stand for.

   A column of height H under its weight is compressed by rho g H/2 on average. Its viscosity
   resists with Trouton's 3 eta times the rate of strain, so that it comes down at the rate
   rho g H/(6 eta), but not faster than it falls, sqrt(2 g/H). Links creep at the rate
   `stretch_rate` under any load: with this rate they do so for a body of that height.

   Fluid on a floor comes down to a single layer of particles, 1.2 to 1.5 spacings thick, at every
   rate that reaches it within the scene: there fronts of cubes of 3 to 20 cm, 5 to 10 spacings
   high, do not depend on the rate (or, at long steps, on it and on the step by factors). */
#include <math.h>

#include "base/vec3.h"
#include "methods/derive.h"
#include "methods/links/constants.h"
#include "methods/links/method.h"

/* Choices of `label`. */
enum { LABEL_VISCOUS, LABEL_ELASTIC };

/* Thickness of fluid that has come to rest on a floor, spacings. */
static const double REST_LAYER = 1.2;

static double weight_of(const OozeStepContext *c, double density, double height)
{
    return density * vec3_length(c->gravity) * height;
}

unsigned ooze_links_derive_material(const OozeStepContext *c, const OozeFlow *flow,
                                    OozeMaterial *material)
{
    double *v = material->values, height = flow->scale.height;
    double weight = weight_of(c, flow->density, height), viscosity = ooze_flow_viscosity(flow);
    if (ooze_flow_holds(c, flow)) {
        v[OOZE_MATERIAL_LABEL] = LABEL_ELASTIC;
        return 0;
    }
    if (!(weight > 0.0)) {
        return 0;
    }
    double falling = sqrt(2.0 * vec3_length(c->gravity) / height);
    bool resists = 6.0 * viscosity * falling > weight;
    v[OOZE_MATERIAL_STRETCH_RATE] = resists ? weight / (6.0 * viscosity) : falling;
    return resists && ooze_flow_stays_thicker(c, flow, REST_LAYER) ? OOZE_EFFECT_VISCOSITY : 0;
}

void ooze_links_measured_material(const OozeStepContext *c, const OozeFlowScale *scale,
                                  OozeMaterial *material)
{
    double *v = material->values, extension = v[OOZE_MATERIAL_EXTENSION];
    double rate = v[OOZE_MATERIAL_STRETCH_RATE];
    rate = isnan(rate) ? OOZE_LINKS_STRETCH_RATE : rate;
    rate = isnan(extension) ? rate : log(extension) / c->dt;
    if (v[OOZE_MATERIAL_LABEL] == LABEL_ELASTIC) {
        v[OOZE_MATERIAL_COMPLIANCE] = 0.0;
    } else if (rate > 0.0) {
        double weight = weight_of(c, v[OOZE_MATERIAL_DENSITY], scale->height);
        v[OOZE_MATERIAL_VISCOSITY] = weight / (6.0 * rate);
    }
}
