/* Warnings of the method, at the material or setting concerned. */
#include <math.h>
#include <string.h>

#include "methods/advice.h"
#include "scene/scales.h"
#include "world/world.h"

static void add_warning(void *user, int material, const char *key, const char *hint,
                        const char *message)
{
    OozeScene *scene = user;
    const OozeNode *node = material >= 0 ? ooze_scene_item_node(scene, "materials", material)
                                         : ooze_node_find(scene->root, "method");
    const OozeNode *at = node && key ? ooze_node_find(node, key) : NULL;
    const char *copy = ooze_scene_copy(scene, hint, strlen(hint));
    ooze_scene_warn(scene, at ? at : node ? node->key : NULL, copy, "%s", message);
}

void ooze_scene_check_advice(OozeScene *scene, OozeWorld *world)
{
    OozeStepContext context = ooze_world_step_context(world);
    OozeAdvice advice = {.warn = add_warning, .user = scene};
    ooze_scene_materials_at(scene, world->method, 0, &context);
    const OozeSceneScales *scales = ooze_scene_scales(scene);
    for (int m = 0; scales && m < scene->def.material_count; m++) {
        advice.extent = fmax(advice.extent, scales->materials[m].scale.extent);
    }
    if (world->method->advise) {
        world->method->advise(&context, &advice);
    }
}
