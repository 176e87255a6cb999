/* Replaces the numbers of presets by those with which the scene's method shows them, after the
   definitions are read and before values are chosen: the canonical text holds these numbers. */
#include <math.h>

#include "methods/derive.h"
#include "scene/derive.h"
#include "scene/setup.h"

/* Whether the scene gives a key itself: not by a preset. */
static bool is_given(const OozeNode *map, const char *key)
{
    const OozeNode *child = map ? ooze_node_find(map, key) : NULL;
    return child && !child->source->preset;
}

static void derive_params(OozeScene *scene, OozeSceneSetup *setup, const OozeFlow *flows)
{
    const OozeMethodInfo *info = &setup->method->info;
    const OozeNode *method = ooze_node_find(scene->root, "method");
    double params[OOZE_SCENE_PARAMS_MAX];
    for (int i = 0; i < info->param_count; i++) {
        params[i] = NAN;
    }
    setup->method->derive_params(&setup->context, flows, params);
    for (int i = 0; i < info->param_count; i++) {
        if (!isnan(params[i]) && !is_given(method, info->params[i].key)) {
            scene->def.method.params[i] = setup->params[i] = params[i];
        }
    }
}

static void derive_material(OozeScene *scene, const OozeSceneSetup *setup, int index)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    const OozeNode *node = ooze_scene_item_node(scene, "materials", index);
    OozeMaterial material = setup->context.materials[index];
    OozeSceneDerived *derived = &scene->derived[index];
    derived->measured = setup->flows[index];
    derived->shown = setup->method->derive_material(&setup->context, &derived->measured, &material);
    for (int i = 0; i < count; i++) {
        if (!is_given(node, params[i].key)) {
            scene->def.materials[index].values[i] = material.values[i];
        }
    }
}

static void derive_all(OozeScene *scene)
{
    OozeSceneSetup setup;
    int count = scene->def.material_count;
    OozeFlow *flows = ooze_scene_alloc(scene, (size_t)count, sizeof *flows);
    if (!flows || !ooze_scene_setup(scene, &setup)) {
        return;
    }
    ooze_scene_setup_step(&setup, 0, 1.0 / scene->def.frame_rate);
    for (int m = 0; m < count; m++) {
        flows[m] = setup.flows[m];
        flows[m].scale.flows = flows[m].scale.flows && scene->derived[m].preset;
    }
    if (setup.method->derive_params) {
        derive_params(scene, &setup, flows);
    }
    for (int m = 0; m < count; m++) {
        if (scene->derived[m].preset) {
            derive_material(scene, &setup, m);
        }
    }
}

void ooze_scene_derive(OozeScene *scene)
{
    const OozeMethod *method = ooze_method_list[scene->def.method.index];
    int count = scene->def.material_count;
    bool any = false;
    if (scene->error_count > 0) {
        return;
    }
    OozeSceneDerived *derived = ooze_scene_alloc(scene, (size_t)count, sizeof *derived);
    for (int m = 0; derived && m < count; m++) {
        const OozeNode *node = ooze_scene_item_node(scene, "materials", m);
        derived[m].preset = node && ooze_node_find(node, "preset");
        derived[m].shown = ooze_method_effects(method);
        any = any || derived[m].preset;
    }
    scene->derived = any ? derived : NULL;
    if (any && method->derive_material) {
        derive_all(scene);
    }
}
