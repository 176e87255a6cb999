/* Replaces the numbers of presets by those with which the scene's method shows them, after the
   definitions are read and before values are chosen: the canonical text holds these numbers. */
#include <math.h>
#include <string.h>

#include "methods/derive.h"
#include "scene/derive.h"
#include "scene/setup.h"

/* Whether the scene gives a key itself: not by a preset. */
static bool is_given(const OozeNode *map, const char *key)
{
    const OozeNode *child = map ? ooze_node_find(map, key) : NULL;
    return child && !child->source->preset;
}

/* Settings that the method derives and the scene does not give; the others are NAN. The setup has
   them from then on. */
static void derive_params(const OozeScene *scene, OozeSceneSetup *setup, const OozeFlow *flows,
                          double params[OOZE_SCENE_PARAMS_MAX])
{
    const OozeMethodInfo *info = &setup->method->info;
    const OozeNode *method = ooze_node_find(scene->root, "method");
    for (int i = 0; i < OOZE_SCENE_PARAMS_MAX; i++) {
        params[i] = NAN;
    }
    if (setup->method->derive_params) {
        setup->method->derive_params(&setup->context, flows, params);
    }
    for (int i = 0; i < info->param_count; i++) {
        params[i] = is_given(method, info->params[i].key) ? NAN : params[i];
        setup->params[i] = isnan(params[i]) ? setup->params[i] : params[i];
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
    double params[OOZE_SCENE_PARAMS_MAX];
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
    derive_params(scene, &setup, flows, params);
    for (int i = 0; i < setup.method->info.param_count; i++) {
        scene->def.method.params[i] = isnan(params[i]) ? scene->def.method.params[i] : params[i];
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

/* ---- a preset in place of a material's numbers ----------------------------------------------- */

/* Whether no other material flows in the scene. */
static bool flows_alone(const OozeSceneSetup *setup, int material)
{
    bool alone = true;
    for (int m = 0; m < setup->context.material_count; m++) {
        alone = alone && (m == material || !setup->flows[m].scale.flows);
    }
    return alone;
}

/* The scene has the numbers of the preset. */
static void derive_preset(OozeScene *scene, const double *params, int index,
                          OozeScenePreset *preset)
{
    OozeSceneSetup setup;
    if (!ooze_scene_setup(scene, &setup)) {
        return;
    }
    memcpy(setup.params, params, (size_t)setup.method->info.param_count * sizeof *params);
    ooze_scene_setup_step(&setup, 0, 1.0 / scene->def.frame_rate);
    if (flows_alone(&setup, index)) {
        derive_params(scene, &setup, setup.flows, preset->params);
    }
    OozeMaterial material = setup.context.materials[index];
    setup.method->derive_material(&setup.context, &setup.flows[index], &material);
    memcpy(preset->values, material.values, sizeof preset->values);
}

OozeStatus ooze_scene_preset(OozeScene *scene, const double *params, int material, const char *name,
                             OozeScenePreset *preset, OozeError *error)
{
    OozeMaterialDef def;
    OozeStatus status = ooze_material_preset(name, &def, error);
    if (status) {
        return status;
    }
    for (int i = 0; i < OOZE_SCENE_PARAMS_MAX; i++) {
        preset->params[i] = NAN;
    }
    memcpy(preset->values, def.values, sizeof preset->values);
    if (!ooze_method_list[scene->def.method.index]->derive_material) {
        return OOZE_OK;
    }
    double *values = scene->def.materials[material].values, own[OOZE_MATERIAL_PARAM_COUNT];
    OozeArenaMark mark = ooze_arena_mark(scene->arena); /* a session chooses many presets */
    const OozeSceneScales *scales = scene->scales;
    memcpy(own, values, sizeof own);
    memcpy(values, def.values, sizeof own);
    derive_preset(scene, params, material, preset);
    memcpy(values, own, sizeof own);
    scene->scales = scales;
    ooze_arena_rewind(scene->arena, mark);
    bool failed = scene->out_of_memory;
    scene->out_of_memory = false;
    return failed ? ooze_fail_memory(error, "a preset", 0) : OOZE_OK;
}
