#include "methods/derive.h"

#include <math.h>

#include "base/vec3.h"
#include "physics/flow_numbers.h"

/* Largest elastic sag of a body that stands, over its height. */
static const double LARGEST_SAG = 0.5;

bool ooze_flow_holds(const OozeStepContext *c, const OozeFlow *flow)
{
    double wave = ooze_wave_speed(ooze_flow_modulus(flow) / flow->density);
    double sag = ooze_sag_strain(vec3_length(c->gravity), flow->scale.height, wave);
    return !isfinite(flow->nu) || (flow->deborah >= 1.0 && sag <= LARGEST_SAG);
}

double ooze_flow_modulus(const OozeFlow *flow)
{
    bool relaxes = isfinite(flow->relaxation) && flow->relaxation > 0.0;
    return flow->density * (relaxes ? flow->remembered / flow->relaxation : flow->modulus);
}

double ooze_flow_viscosity(const OozeFlow *flow)
{
    return flow->density * (isfinite(flow->nu) ? flow->nu : flow->viscosity);
}

bool ooze_flow_stays_thicker(const OozeStepContext *c, const OozeFlow *flow, double layer)
{
    double height = flow->scale.height, weight = flow->density * vec3_length(c->gravity) * height;
    double strain = weight * flow->scale.duration / (6.0 * ooze_flow_viscosity(flow));
    return strain <= log(height / (layer * c->spacing));
}

/* ---- of all materials ------------------------------------------------------------------------ */

enum { PARAMS_MAX = 64 };

static void derive_params(const OozeMethod *method, const OozeStepContext *context,
                          const OozePresets *presets, double *params)
{
    double derived[PARAMS_MAX];
    int count = method->info.param_count;
    for (int i = 0; i < count && i < PARAMS_MAX; i++) {
        derived[i] = NAN;
    }
    method->derive_params(context, presets->flows, derived);
    for (int i = 0; i < count && i < PARAMS_MAX; i++) {
        if (!isnan(derived[i]) && !presets->stated_params[i]) {
            params[i] = derived[i];
        }
    }
}

void ooze_derive_presets(const OozeMethod *method, const OozeStepContext *context,
                         const OozePresets *presets, double *params, OozeMaterial *materials,
                         unsigned *shown)
{
    if (method->derive_params) {
        derive_params(method, context, presets, params);
    }
    for (int m = 0; m < context->material_count; m++) {
        if (!presets->preset[m] || !method->derive_material) {
            continue;
        }
        OozeMaterial derived = context->materials[m];
        unsigned effects = method->derive_material(context, &presets->flows[m], &derived);
        for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
            if (!(presets->stated[m] & 1ull << i)) {
                materials[m].values[i] = derived.values[i];
            }
        }
        if (shown) {
            shown[m] = effects;
        }
    }
}

/* ---- of one material ------------------------------------------------------------------------- */

static void clear_stresses(OozeMaterial *material)
{
    static const int stresses[] = {
        OOZE_MATERIAL_VISCOSITY,     OOZE_MATERIAL_MODULUS,      OOZE_MATERIAL_RELAXATION,
        OOZE_MATERIAL_COMPLIANCE,    OOZE_MATERIAL_SOLVENT,      OOZE_MATERIAL_YIELD,
        OOZE_MATERIAL_THINNING_RATE, OOZE_MATERIAL_MODULUS_2,    OOZE_MATERIAL_RELAXATION_2,
        OOZE_MATERIAL_MODULUS_3,     OOZE_MATERIAL_RELAXATION_3, OOZE_MATERIAL_MODULUS_4,
        OOZE_MATERIAL_RELAXATION_4,
    };
    for (size_t i = 0; i < sizeof stresses / sizeof stresses[0]; i++) {
        material->values[stresses[i]] = NAN;
    }
}

void ooze_derive_viscosity(double viscosity, OozeMaterial *material)
{
    clear_stresses(material);
    material->values[OOZE_MATERIAL_VISCOSITY] = viscosity;
}

unsigned ooze_derive_newtonian(const OozeStepContext *c, const OozeFlow *flow,
                               OozeMaterial *material)
{
    (void)c;
    ooze_derive_viscosity(ooze_flow_viscosity(flow), material);
    return OOZE_EFFECT_VISCOSITY;
}

unsigned ooze_derive_maxwell(const OozeStepContext *c, const OozeFlow *flow, OozeMaterial *material)
{
    bool relaxes = isfinite(flow->relaxation);
    if (!(flow->modulus > 0.0) || (!relaxes && isfinite(flow->nu))) {
        return ooze_derive_newtonian(c, flow, material);
    }
    double *v = material->values, solvent = flow->viscosity * flow->density;
    clear_stresses(material);
    v[OOZE_MATERIAL_MODULUS] = ooze_flow_modulus(flow);
    v[OOZE_MATERIAL_RELAXATION] = relaxes ? flow->relaxation : NAN;
    v[OOZE_MATERIAL_SOLVENT] = solvent > 0.0 ? solvent : NAN;
    return OOZE_EFFECT_VISCOSITY | OOZE_EFFECT_ELASTICITY;
}

/* ---- of a method ---------------------------------------------------------------------------- */

unsigned ooze_method_effects(const OozeMethod *method)
{
    unsigned shown = 0;
    for (const char *const *key = method->material_keys; key && *key; key++) {
        shown |= ooze_effect_of(*key);
    }
    return shown;
}

bool ooze_method_shows_presets(const OozeMethod *method)
{
    return method->derive_material || ooze_method_effects(method) != 0;
}

void ooze_method_measure(const OozeMethod *method, const OozeStepContext *c,
                         const OozeFlowScale *scale, OozeMaterial *material)
{
    OozeMaterialDef unset = ooze_material_def_default();
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < count; i++) {
        if (!ooze_method_uses(method, params[i].key)) {
            material->values[i] = unset.values[i];
        }
    }
    if (method->measured_material) {
        method->measured_material(c, scale, material);
    }
}
