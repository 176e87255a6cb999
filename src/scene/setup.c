#include "scene/setup.h"

#include "methods/derive.h"

bool ooze_scene_setup(OozeScene *scene, OozeSceneSetup *setup)
{
    const OozeSceneDef *def = &scene->def;
    const OozeMethodInfo *info = ooze_method_info(def->method.index);
    size_t count = (size_t)def->material_count;
    OozeMaterial *materials = ooze_scene_alloc(scene, count, sizeof *materials);
    *setup = (OozeSceneSetup){
        .scene = scene,
        .method = ooze_method_find(info->name),
        .flows = ooze_scene_alloc(scene, count, sizeof *setup->flows),
        .scales = ooze_scene_scales(scene),
    };
    if (!materials || !setup->flows || !setup->scales) {
        return false;
    }
    for (size_t m = 0; m < count; m++) {
        materials[m] = ooze_material_of(&def->materials[m]);
    }
    for (int i = 0; i < info->param_count && i < OOZE_SCENE_PARAMS_MAX; i++) {
        setup->params[i] = ooze_method_param(setup->method, def->method.params, i);
    }
    setup->context = (OozeStepContext){
        .method = setup->method,
        .spacing = def->world.spacing,
        .support =
            ooze_method_support_ratio(setup->method, def->world.support_ratio) * def->world.spacing,
        .gravity = def->world.gravity,
        .material_count = def->material_count,
    };
    setup->materials = materials;
    return !scene->out_of_memory;
}

bool ooze_scene_setup_step(OozeSceneSetup *setup, int i, double dt)
{
    setup->context.dt = dt;
    setup->context.params = setup->params;
    setup->context.materials = setup->materials;
    if (!ooze_scene_materials_at(setup->scene, setup->method, i, &setup->context)) {
        return false;
    }
    for (int m = 0; m < setup->context.material_count; m++) {
        setup->flows[m] = ooze_flow(&setup->context, m, &setup->scales->materials[m].scale);
    }
    return true;
}

OozeFlow ooze_scene_setup_flow(const OozeSceneSetup *setup, int material)
{
    const OozeFlowScale *scale = &setup->scales->materials[material].scale;
    OozeMaterial shown = setup->context.materials[material];
    OozeStepContext one = setup->context;
    ooze_method_measure(setup->method, &setup->context, scale, &shown);
    one.materials = &shown;
    return ooze_flow(&one, 0, scale);
}
