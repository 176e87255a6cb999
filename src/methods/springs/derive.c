/* Numbers of presets for this method, and what its own stand for.

   Impulses and springs act along the line between two particles. A force f(r) e (e.u) m between all
   pairs of an isotropic fluid with n particles in a volume has the kinematic viscosity
   2 pi n/15 times the integral of r^4 f dr, and with displacements in place of velocities the
   kinematic modulus (the virial of pair forces; Marsh, Backx and Ernst 1997 for the viscosity).
     algorithm 5:  f = sigma/2 (1 - r/h)/U, of pairs that approach: half of them
     algorithm 3:  f = k_spring/2 (1 - r/h)/U^2, of springs at their rest length
   The integral of r^4 (1 - r/h) is h^5/30, and the fluid at rest has n h^3 = 1/0.372^3:
     nu = PAIRS/2 sigma h^2/U,   G/rho = PAIRS k_spring h^2/U^2,   PAIRS = pi n h^3/450.

   Shear by a strain stretches springs by up to half of it: yield_ratio is half the yield strain.
   What is beyond it relaxes at the rate alpha/U, which is 1/tau of a Maxwell fluid, and G over the
   viscosity of a fluid that yields.

   Impulses do not act against pressure, which moves particles to where they rest: on a floor in a
   layer of 3.2 spacings, whatever the viscosity (cubes of 3 to 20 cm, 5 to 12 spacings high, steps
   of 1/120 to 1/480 s). Viscosity orders the fronts of fluids that have not come to it yet, and of
   those whose inertia carries them farther. */
#include <math.h>

#include "base/vec3.h"
#include "methods/derive.h"
#include "methods/springs/constants.h"
#include "methods/springs/method.h"

/* Thickness of fluid that has come to rest on a floor, spacings. */
static const double REST_LAYER = 3.2;

static double pairs(void)
{
    double s = OOZE_SPRINGS_BULK_SPACING;
    return OOZE_PI / (450.0 * s * s * s);
}

void ooze_springs_derive_params(const OozeStepContext *c, const OozeFlow *flows, double *params)
{
    double height = 0.0, g = vec3_length(c->gravity);
    bool elastic = false;
    for (int m = 0; m < c->material_count; m++) {
        if (flows[m].scale.flows) {
            height = fmax(height, flows[m].scale.height);
            elastic = elastic || flows[m].modulus > 0.0;
        }
    }
    if (height > 0.0 && g > 0.0) {
        params[OOZE_SPRINGS_UNIT] =
            c->support * sqrt(OOZE_SPRINGS_SOUND2 * OOZE_SPRINGS_COMPRESSION / (g * height));
    }
    if (elastic) {
        params[OOZE_SPRINGS_START] = OOZE_SPRINGS_FROM_DISTANCE;
    }
}

/* Largest viscosity sigma that acts: impulses take at most the whole approach of a pair. Shares are
   dt (1 - r/h) sigma/U, and 1 - r/h is 2/7 on average with the weight r^4 (1 - r/h). */
static double largest_sigma(double dt, double unit)
{
    return 3.5 * unit / dt;
}

/* Whether inertia carries a fluid that collapses beyond the layer at rest, so that its front
   depends on viscosity. The least Reynolds number of this, measured on cubes: 6.5 at a height of 5
   spacings, 13 at 6, 30 to 110 at 7, 110 to 190 at 8, some 1000 at 10. */
static bool has_inertia(const OozeStepContext *c, const OozeFlow *flow)
{
    double height = flow->scale.height, speed = sqrt(2.0 * vec3_length(c->gravity) * height);
    return speed * height / flow->nu >= 7.0 * pow(height / (5.0 * c->spacing), 7.0);
}

/* Whether the front of a fluid without springs depends on its viscosity. */
static bool orders_front(const OozeStepContext *c, const OozeFlow *flow)
{
    return !(flow->scale.height > 0.0) || ooze_flow_stays_thicker(c, flow, REST_LAYER) ||
           has_inertia(c, flow);
}

unsigned ooze_springs_derive_material(const OozeStepContext *c, const OozeFlow *flow,
                                      OozeMaterial *material)
{
    double *v = material->values, h = c->support, unit = c->params[OOZE_SPRINGS_UNIT];
    double viscous = 0.5 * pairs() * h * h / unit, elastic = pairs() * h * h / (unit * unit);
    bool relaxes = flow->remembered > 0.0, holds = ooze_flow_holds(c, flow);
    bool springs = relaxes || holds;
    double sigma = (springs ? flow->viscosity : flow->nu) / viscous;
    bool thick = sigma > largest_sigma(unit, unit);
    unsigned shown = thick ? 0 : OOZE_EFFECT_VISCOSITY;
    v[OOZE_MATERIAL_LINEAR_VISCOSITY] = sigma;
    if (!springs) {
        return orders_front(c, flow) ? shown : 0;
    }
    double modulus = ooze_flow_modulus(flow) / flow->density, strain;
    double stiffness = fmin(modulus / elastic, OOZE_SPRINGS_STIFFEST);
    bool stiff = stiffness < modulus / elastic;
    strain = flow->yield / (stiffness * elastic); /* softer springs have the same yield stress */
    double rate = relaxes        ? 1.0 / flow->relaxation
                  : strain > 0.0 ? stiffness * elastic / flow->viscosity
                                 : 0.0;
    v[OOZE_MATERIAL_SPRING_STIFFNESS] = stiffness;
    v[OOZE_MATERIAL_PLASTICITY] = fmin(rate * unit, 1.0);
    v[OOZE_MATERIAL_YIELD_RATIO] = strain > 0.0 ? 0.5 * strain : 0.0;
    return shown | OOZE_EFFECT_YIELD | (stiff ? 0 : OOZE_EFFECT_ELASTICITY);
}

void ooze_springs_measured_material(const OozeStepContext *c, const OozeFlowScale *scale,
                                    OozeMaterial *material)
{
    (void)scale;
    double *v = material->values, h = c->support, unit = c->params[OOZE_SPRINGS_UNIT];
    double density = v[OOZE_MATERIAL_DENSITY], viscous = 0.5 * pairs() * h * h / unit;
    double elastic = pairs() * h * h / (unit * unit);
    double stiffness = v[OOZE_MATERIAL_SPRING_STIFFNESS], yield = v[OOZE_MATERIAL_YIELD_RATIO];
    double rate = v[OOZE_MATERIAL_PLASTICITY] / unit;
    double sigma = fmin(v[OOZE_MATERIAL_LINEAR_VISCOSITY], largest_sigma(c->dt, unit));
    ooze_derive_viscosity(density * viscous * sigma, material);
    if (stiffness > 0.0) {
        v[OOZE_MATERIAL_SOLVENT] = v[OOZE_MATERIAL_VISCOSITY];
        v[OOZE_MATERIAL_VISCOSITY] = NAN;
        v[OOZE_MATERIAL_MODULUS] = density * elastic * stiffness;
        v[OOZE_MATERIAL_RELAXATION] = yield > 0.0 || rate == 0.0 ? NAN : 1.0 / rate;
        v[OOZE_MATERIAL_YIELD] = yield > 0.0 && rate > 0.0 ? 2.0 * yield : NAN;
    }
}
