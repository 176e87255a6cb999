/* Warnings that the method itself gives, at the material or setting that they are about. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "methods/advice.h"
#include "scene/scene.h"
#include "world/world.h"

static void say(void *user, int material, const char *key, const char *hint, const char *message)
{
    OozeScene *scene = user;
    const OozeNode *node = material >= 0 ? ooze_scene_item_node(scene, "materials", material)
                                         : ooze_node_find(scene->root, "method");
    const OozeNode *at = node && key ? ooze_node_find(node, key) : NULL;
    const char *copy = ooze_scene_copy(scene, hint, strlen(hint));
    ooze_scene_warn(scene, at ? at : node ? node->key : NULL, copy, "%s", message);
}

/* How far the jet of an emitter reaches: to the nearest solid, or as far as time allows. */
static double jet_length(const OozeScene *scene, const OozeWorld *world, int index)
{
    const OozeEmitterDef *emitter = &scene->def.emitters[index].def;
    double reach = emitter->speed * scene->def.duration;
    for (int k = 0; k < world->solids.count; k++) {
        OozeContact contact = ooze_solid_contact(&world->solids.items[k], emitter->position);
        if (fabs(contact.distance) < reach) {
            reach = fabs(contact.distance);
        }
    }
    return reach;
}

/* Longest side of the box of the particles along one axis. */
static double side_of(const OozeWorld *world, int axis)
{
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    float low = INFINITY, high = -INFINITY;
    for (uint64_t i = 0; i < ooze_particles_count(world->particles); i++) {
        float at = axis == 0 ? x[i].x : axis == 1 ? x[i].y : x[i].z;
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return high > low ? (double)(high - low) : 0.0;
}

void ooze_scene_check_advice(OozeScene *scene, OozeWorld *world)
{
    OozeStepContext context = ooze_world_step_context(world);
    OozeAdvice advice = {.say = say, .user = scene};
    ooze_scene_cool_materials(scene, world, &context);
    for (int axis = 0; axis < 3; axis++) {
        advice.extent = fmax(advice.extent, side_of(world, axis));
    }
    for (int i = 0; i < scene->def.emitter_count; i++) {
        advice.extent = fmax(advice.extent, jet_length(scene, world, i));
    }
    if (world->method->advise) {
        world->method->advise(&context, &advice);
    }
}
