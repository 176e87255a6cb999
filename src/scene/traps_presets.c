/* Warns of presets that the method does not show entirely. */
#include <math.h>
#include <string.h>

#include "methods/derive.h"
#include "scene/derive.h"
#include "scene/setup.h"
#include "world/world.h"

/* A number that is there and asks for nothing: a surface tension of 0. */
static bool is_unset(const OozeMaterialDef *preset, const char *key)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    int i = ooze_param_find(params, count, key);
    return i < 0 || (!isnan(params[i].initial) && preset->values[i] == params[i].initial &&
                     ooze_effect_of(key) == OOZE_EFFECT_TENSION);
}

/* The keys of one effect that the material has, as text: "modulus, relaxation_time". */
static void append_keys(OozeText *text, const OozeNode *material, const OozeEffectInfo *effect)
{
    bool first = true;
    for (int k = 0; effect->keys[k]; k++) {
        if (ooze_node_find(material, effect->keys[k])) {
            ooze_text_append(text, "%s%s", first ? "" : ", ", effect->keys[k]);
            first = false;
        }
    }
}

static bool has_effect(const OozeNode *material, const OozeMaterialDef *def,
                       const OozeEffectInfo *effect)
{
    bool has = false;
    for (int k = 0; effect->keys[k]; k++) {
        has = has || (ooze_node_find(material, effect->keys[k]) && !is_unset(def, effect->keys[k]));
    }
    return has;
}

/* "yield stress (yield_strain), thinning (thinning, thinning_rate)"; empty: all is shown. */
static void append_missing(OozeText *text, const OozeNode *material, const OozeMaterialDef *def,
                           unsigned shown)
{
    for (unsigned i = 0; i < OOZE_EFFECT_COUNT; i++) {
        if (!(shown & 1u << i) && has_effect(material, def, &ooze_effects[i])) {
            ooze_text_append(text, "%s%s (", text->length ? ", " : "", ooze_effects[i].name);
            append_keys(text, material, &ooze_effects[i]);
            ooze_text_append(text, ")");
        }
    }
}

/* What the method makes of the material. */
static const char *describe(OozeScene *scene, const OozeStepContext *c, const OozeFlow *measured,
                            const OozeFlow *flow)
{
    if (flow->stiffest) {
        return "an elastic body as stiff as the solver allows";
    }
    if (ooze_flow_holds(c, flow)) {
        return ooze_scene_format(scene, "an elastic body of %.3g Pa", ooze_flow_modulus(flow));
    }
    return ooze_scene_format(scene, "a fluid of %.3g Pa s%s", ooze_flow_viscosity(flow),
                             !isfinite(measured->nu) ? " that does not keep its shape" : "");
}

void ooze_scene_check_presets(OozeScene *scene, const OozeWorld *world)
{
    OozeSceneSetup setup;
    if (!scene->derived || !ooze_scene_setup(scene, &setup)) {
        return;
    }
    ooze_scene_setup_step(&setup, scene->info.time_step);
    bool stresses = world->method->derive_material || ooze_method_uses(world->method, "viscosity");
    for (int m = 0; m < scene->def.material_count; m++) {
        const OozeSceneDerived *derived = &scene->derived[m];
        const OozeNode *node = ooze_scene_item_node(scene, "materials", m);
        OozeText missing = {0};
        if (derived->preset) {
            append_missing(&missing, node, &scene->def.materials[m], derived->shown);
        }
        if (missing.length > 0) {
            const OozeFlowScale *scale = &setup.scales->materials[m].scale;
            OozeMaterial material = setup.context.materials[m];
            OozeStepContext one = setup.context;
            ooze_method_measure(world->method, &setup.context, scale, &material);
            one.materials = &material;
            OozeFlow flow = ooze_flow(&one, 0, scale);
            const char *as = stresses && scale->flows
                                 ? describe(scene, &one, &derived->measured, &flow)
                                 : "particles without stress";
            ooze_scene_warn(scene, ooze_node_find(node, "preset"),
                            "method: conformation uses all numbers of presets",
                            "the method '%s' shows '%s' as %s, and does not use its %s",
                            world->method->info.name, scene->def.materials[m].name, as,
                            missing.data);
        }
        scene->out_of_memory = scene->out_of_memory || missing.failed;
        ooze_text_clear(&missing);
    }
}
