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

/* The numbers of a material that the scene gives itself. */
static uint64_t stated_numbers(const OozeScene *scene, int material)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    const OozeNode *node = ooze_scene_item_node(scene, "materials", material);
    uint64_t stated = 0;
    for (int i = 0; i < count; i++) {
        stated |= is_given(node, params[i].key) ? 1ull << i : 0;
    }
    return stated;
}

typedef struct Numbers {
    OozeFlow *flows;
    bool *preset;
    uint64_t *stated;
    OozeMaterial *materials;
    unsigned *shown;
} Numbers;

static bool allocate(OozeScene *scene, Numbers *n)
{
    size_t count = (size_t)scene->def.material_count;
    n->flows = ooze_scene_alloc(scene, count, sizeof *n->flows);
    n->preset = ooze_scene_alloc(scene, count, sizeof *n->preset);
    n->stated = ooze_scene_alloc(scene, count, sizeof *n->stated);
    n->materials = ooze_scene_alloc(scene, count, sizeof *n->materials);
    n->shown = ooze_scene_alloc(scene, count, sizeof *n->shown);
    return n->flows && n->preset && n->stated && n->materials && n->shown;
}

static void derive_all(OozeScene *scene)
{
    OozeSceneSetup setup;
    OozeSceneDef *def = &scene->def;
    Numbers n;
    if (!allocate(scene, &n) || !ooze_scene_setup(scene, &setup)) {
        return;
    }
    ooze_scene_setup_step(&setup, 0, 1.0 / def->frame_rate);
    for (int m = 0; m < def->material_count; m++) {
        n.flows[m] = scene->derived[m].measured = setup.flows[m];
        n.preset[m] = scene->derived[m].preset;
        n.stated[m] = stated_numbers(scene, m);
        n.materials[m] = setup.context.materials[m];
        n.flows[m].scale.flows = n.flows[m].scale.flows && n.preset[m];
    }
    const OozeMethodInfo *info = &setup.method->info;
    const OozeNode *method = ooze_node_find(scene->root, "method");
    bool stated_params[OOZE_SCENE_PARAMS_MAX] = {false};
    double before[OOZE_SCENE_PARAMS_MAX];
    for (int i = 0; i < info->param_count; i++) {
        stated_params[i] = is_given(method, info->params[i].key);
        before[i] = setup.params[i];
    }
    const OozePresets presets = {n.preset, n.flows, n.stated, stated_params};
    ooze_derive_presets(setup.method, &setup.context, &presets, setup.params, n.materials, n.shown);
    for (int i = 0; i < info->param_count; i++) {
        def->method.params[i] =
            setup.params[i] == before[i] ? def->method.params[i] : setup.params[i];
    }
    for (int m = 0; m < def->material_count; m++) {
        for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT && n.preset[m]; i++) {
            bool stays = n.stated[m] & 1ull << i;
            def->materials[m].values[i] =
                stays ? def->materials[m].values[i] : n.materials[m].values[i];
        }
        scene->derived[m].shown = n.preset[m] ? n.shown[m] : scene->derived[m].shown;
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
    Numbers n;
    if (!allocate(scene, &n) || !ooze_scene_setup(scene, &setup)) {
        return;
    }
    const OozeMethodInfo *info = &setup.method->info;
    const OozeNode *method = ooze_node_find(scene->root, "method");
    memcpy(setup.params, params, (size_t)info->param_count * sizeof *params);
    ooze_scene_setup_step(&setup, 0, 1.0 / scene->def.frame_rate);
    bool alone = flows_alone(&setup, index), stated_params[OOZE_SCENE_PARAMS_MAX];
    for (int m = 0; m < scene->def.material_count; m++) {
        n.flows[m] = setup.flows[m];
        n.preset[m] = m == index;
        n.stated[m] = 0;
        n.materials[m] = setup.context.materials[m];
    }
    for (int i = 0; i < info->param_count; i++) {
        stated_params[i] = !alone || is_given(method, info->params[i].key);
    }
    const OozePresets presets = {n.preset, n.flows, n.stated, stated_params};
    ooze_derive_presets(setup.method, &setup.context, &presets, setup.params, n.materials, n.shown);
    for (int i = 0; i < info->param_count; i++) {
        preset->params[i] = setup.params[i] == params[i] ? NAN : setup.params[i];
    }
    memcpy(preset->values, n.materials[index].values, sizeof preset->values);
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
