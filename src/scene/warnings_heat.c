/* Warnings of heat: numbers without effect, and conduction that takes many stages. */
#include <math.h>

#include "heat/heat.h"
#include "physics/heat.h"
#include "scene/scene.h"
#include "world/world.h"

/* More stages per step than this cause a warning. */
enum { STAGES_MANY = 20 };

static void check_unused(OozeScene *scene)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < scene->def.material_count; i++) {
        const OozeNode *node = ooze_scene_item_node(scene, "materials", i);
        for (const OozeNode *child = node ? node->first : NULL; child; child = child->next) {
            const char *key = child->key->text;
            if (ooze_material_is_heat(ooze_param_find(params, count, key)) &&
                ooze_scene_asks_for(scene, i, child)) {
                ooze_scene_warn(scene, child->key, "give a fluid, emitter or solid a temperature",
                                "'%s' does nothing: nothing in the scene has a temperature", key);
            }
        }
    }
}

static void check_stages(OozeScene *scene, const OozeWorld *world)
{
    double dt = scene->info.time_step, spacing = world->def.spacing;
    double outflow = ooze_heat_outflow(spacing, world->support);
    for (int m = 0; m < world->materials.count; m++) {
        const OozeMaterial *material = &world->materials.items[m];
        double capacity = ooze_heat_capacity(material, spacing);
        double conductance = ooze_heat_conductivity(material) * outflow;
        double load = fmin(conductance * dt / capacity, 1e8);
        int stages = ooze_heat_stages(load);
        if (stages > OOZE_HEAT_STAGES_MAX) {
            ooze_scene_error(scene, ooze_scene_item_node(scene, "materials", m),
                             "lower its conductivity, or the time step",
                             "heat takes %d stages a step in '%s'; at most %d are possible", stages,
                             material->name, OOZE_HEAT_STAGES_MAX);
        } else if (stages > STAGES_MANY) {
            ooze_scene_warn(scene, ooze_scene_item_node(scene, "materials", m),
                            "lower its conductivity, or the time step",
                            "heat takes %d stages a step in '%s': the time step is %.3g times the "
                            "explicit limit of conduction",
                            stages, material->name, load);
        }
    }
}

void ooze_scene_check_heat(OozeScene *scene, const OozeWorld *world)
{
    if (world->temperature_field < 0) {
        check_unused(scene);
    } else {
        check_stages(scene, world);
    }
}
