/* Warns of presets that the method does not show entirely. */
#include <math.h>
#include <string.h>

#include "methods/derive.h"
#include "scene/derive.h"
#include "scene/setup.h"

/* A number that is there and asks for nothing: a surface tension of 0. */
static bool is_unset(const OozeMaterialDef *def, const char *key)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    int i = ooze_param_find(params, count, key);
    return i < 0 || (!isnan(params[i].initial) && def->values[i] == params[i].initial &&
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
static const char *describe(OozeScene *scene, const OozeSceneSetup *setup, int material)
{
    const OozeStepContext *c = &setup->context;
    const OozeSceneDerived *derived = &scene->derived[material];
    const OozeMethod *method = setup->method;
    const OozeFlow shown = ooze_scene_setup_flow(setup, material), *flow = &shown;
    if (!ooze_method_shows_presets(method)) {
        return "particles that fly alike";
    }
    if (flow->stiffest) {
        return "an elastic body as stiff as the solver allows";
    }
    if (ooze_flow_holds(c, flow)) {
        return ooze_scene_format(scene, "an elastic body of %.3g Pa", ooze_flow_modulus(flow));
    }
    const char *fluid =
        derived->shown & OOZE_EFFECT_VISCOSITY
            ? ooze_scene_format(scene, "a fluid of %.3g Pa s", ooze_flow_viscosity(flow))
            : "a fluid";
    const char *depends = method->flow_depends_on;
    return ooze_scene_format(scene, "%s%s%s%s", fluid,
                             isfinite(derived->measured.nu) ? "" : " that does not keep its shape",
                             depends ? " whose flow depends on " : "", depends ? depends : "");
}

/* A method without stresses may take the colours of an included file of materials. */
static bool is_borrowed(const OozeSceneSetup *setup, const OozeNode *preset)
{
    return preset->source->includer && !ooze_method_shows_presets(setup->method);
}

static void check_preset(OozeScene *scene, const OozeSceneSetup *setup, int material)
{
    const OozeSceneDerived *derived = &scene->derived[material];
    const OozeMaterialDef *def = &scene->def.materials[material];
    const OozeNode *node = ooze_scene_item_node(scene, "materials", material);
    OozeText missing = {0};
    if (is_borrowed(setup, ooze_node_find(node, "preset"))) {
        return;
    }
    append_missing(&missing, node, def, derived->shown);
    if (missing.length > 0 || setup->method->flow_depends_on) {
        bool any = missing.length > 0;
        ooze_scene_warn(scene, ooze_node_find(node, "preset"),
                        "method: {name: conformation} uses all numbers of presets",
                        "the method '%s' shows '%s' as %s%s%s", setup->method->info.name, def->name,
                        describe(scene, setup, material), any ? ", and does not use its " : "",
                        any ? missing.data : "");
    }
    scene->out_of_memory = scene->out_of_memory || missing.failed;
    ooze_text_clear(&missing);
}

void ooze_scene_check_presets(OozeScene *scene)
{
    OozeSceneSetup setup;
    if (!scene->derived || !ooze_scene_setup(scene, &setup)) {
        return;
    }
    ooze_scene_setup_step(&setup, 0, scene->info.time_step);
    for (int m = 0; m < scene->def.material_count && !scene->out_of_memory; m++) {
        if (scene->derived[m].preset && setup.scales->materials[m].scale.flows) {
            check_preset(scene, &setup, m);
        }
    }
}
