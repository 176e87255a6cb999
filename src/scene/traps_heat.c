/* Traps of heat: numbers that do nothing, and steps that take many sweeps. */
#include <math.h>

#include "heat/heat.h"
#include "physics/heat.h"
#include "scene/scene.h"
#include "world/world.h"

/* So many sweeps in a step are a surprise. */
enum { SWEEPS_MANY = 20 };

static void check_idle(OozeScene *scene)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < scene->def.material_count; i++) {
        const OozeNode *node = ooze_scene_item_node(scene, "materials", i);
        for (const OozeNode *child = node ? node->first : NULL; child; child = child->next) {
            const char *key = child->key->text;
            bool own = !child->source->includer; /* a preset serves every scene */
            if (own && ooze_material_is_heat(ooze_param_find(params, count, key))) {
                ooze_scene_warn(scene, child->key, "give a fluid, emitter or solid a temperature",
                                "'%s' does nothing: nothing in the scene has a temperature", key);
            }
        }
    }
}

static void check_sweeps(OozeScene *scene, const OozeWorld *world)
{
    double dt = scene->info.time_step, spacing = world->def.spacing;
    double outflow = ooze_heat_outflow(spacing, world->support);
    for (int m = 0; m < world->materials.count; m++) {
        const OozeMaterial *material = &world->materials.items[m];
        double capacity = ooze_heat_capacity(material, spacing);
        double conductance = ooze_heat_conductivity(material) * outflow;
        double load = fmin(conductance * dt / capacity, 1e8);
        int sweeps = ooze_heat_stages(load);
        if (sweeps > SWEEPS_MANY) {
            ooze_scene_warn(scene, ooze_scene_item_node(scene, "materials", m),
                            "lower its conductivity, or the time step",
                            "heat takes %d sweeps a step in '%s': it spreads %.3g times as far as "
                            "one can take it",
                            sweeps, material->name, load);
        }
    }
}

void ooze_scene_check_heat(OozeScene *scene, const OozeWorld *world)
{
    if (world->temperature_field < 0) {
        check_idle(scene);
    } else {
        check_sweeps(scene, world);
    }
}

/* ---- advice ---------------------------------------------------------------------------------- */

/* The lowest temperature that a material may have: that of its particles, or of what cools them. */
static double coldest(const OozeWorld *world, int material)
{
    const uint16_t *own = ooze_particles_materials(world->particles);
    const double *t = ooze_particles_data(world->particles, world->temperature_field);
    double low = world->def.air_transfer > 0.0 ? world->def.air_temperature : INFINITY;
    for (uint64_t i = 0; i < ooze_particles_count(world->particles); i++) {
        low = own[i] == material && t[i] < low ? t[i] : low;
    }
    for (int k = 0; k < world->emitters.count; k++) {
        const OozeEmitter *emitter = &world->emitters.items[k];
        low = emitter->material == material ? fmin(low, emitter->temperature) : low;
    }
    for (int k = 0; k < world->solids.count; k++) {
        low = fmin(low, world->solids.items[k].params[OOZE_SOLID_TEMPERATURE]); /* NAN: none */
    }
    return low;
}

void ooze_scene_cool_materials(OozeScene *scene, const OozeWorld *world, OozeStepContext *context)
{
    int count = context->material_count;
    OozeMaterial *cold = ooze_scene_alloc(scene, (size_t)count, sizeof *cold);
    if (!cold || world->temperature_field < 0 || !world->method->uses_tables) {
        return;
    }
    for (int m = 0; m < count; m++) {
        const OozeMaterial *material = &context->materials[m];
        cold[m] = material->table_count ? ooze_material_at(material, coldest(world, m)) : *material;
    }
    context->materials = cold;
}
