/* Numbers of a step of the springs method. */
#include "methods/springs/constants.h"

#include <math.h>

#include "base/hash.h"
#include "methods/springs/schedule_formula.h"

OozeSpringsConstants ooze_springs_constants(const OozeStepContext *c)
{
    double unit = c->params[OOZE_SPRINGS_UNIT];
    float dt_units = (float)(c->dt / unit);
    return (OozeSpringsConstants){
        .dt = (float)c->dt,
        .dt_units = dt_units,
        .dt_units2 = dt_units * dt_units,
        .h = (float)c->support,
        .inverse_h = (float)(1.0 / c->support),
        .speed = (float)(c->support / unit),
        .seed = ooze_mix((uint64_t)c->params[OOZE_SPRINGS_SEED] + OOZE_HASH_START),
        .from_distance = c->params[OOZE_SPRINGS_START] == OOZE_SPRINGS_FROM_DISTANCE,
    };
}

static float value_or(double value, double fallback)
{
    return (float)(isnan(value) ? fallback : value);
}

static OozeSpringsCoefficients coefficients_of(const double *v, float dt_units, double dx)
{
    double stretch = v[OOZE_MATERIAL_PLASTICITY], yield = v[OOZE_MATERIAL_YIELD_RATIO];
    return (OozeSpringsCoefficients){
        .stiffness = (float)v[OOZE_MATERIAL_STIFFNESS],
        .near_stiffness = (float)v[OOZE_MATERIAL_NEAR_STIFFNESS],
        .rest_density = (float)v[OOZE_MATERIAL_REST_DENSITY],
        .linear = (float)v[OOZE_MATERIAL_LINEAR_VISCOSITY],
        .quadratic = (float)v[OOZE_MATERIAL_QUADRATIC_VISCOSITY],
        .spring = (float)v[OOZE_MATERIAL_SPRING_STIFFNESS],
        .law = {.stretch = dt_units * (float)stretch,
                .compress = dt_units * value_or(v[OOZE_MATERIAL_PLASTICITY_COMPRESS], stretch),
                .stretch_yield = (float)yield,
                .compress_yield = value_or(v[OOZE_MATERIAL_YIELD_RATIO_COMPRESS], yield)},
        .mass = (float)(v[OOZE_MATERIAL_DENSITY] * dx * dx * dx),
    };
}

OozeSpringsFeatures ooze_springs_coefficients(const OozeStepContext *c,
                                              OozeSpringsCoefficients *coefficients)
{
    OozeSpringsFeatures features = {false, false};
    float dt_units = ooze_springs_constants(c).dt_units;
    for (int m = 0; m < c->material_count; m++) {
        coefficients[m] = coefficients_of(c->materials[m].values, dt_units, c->spacing);
        features.springs = features.springs || coefficients[m].spring > 0.0f;
        features.viscosity =
            features.viscosity || coefficients[m].linear > 0.0f || coefficients[m].quadratic > 0.0f;
    }
    return features;
}

OozeContactRule ooze_springs_contact_rule(const OozeStepContext *c)
{
    return (OozeContactRule){.margin = c->params[OOZE_SPRINGS_CONTACT_DISTANCE] * c->spacing,
                             .tolerance = 0.1 * c->spacing,
                             .dt = c->dt,
                             .wet = c->dt / c->params[OOZE_SPRINGS_UNIT]};
}

void ooze_springs_colour_order(uint8_t *order, uint64_t step)
{
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        order[k] = (uint8_t)k;
    }
    for (int k = OOZE_SPRINGS_COLOURS_MAX - 1; k > 0; k--) {
        int other = (int)(ooze_random01(0, step, (uint64_t)k) * (k + 1));
        uint8_t kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
}
