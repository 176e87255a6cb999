/* Physics traps of heat: numbers without effect, and conduction that takes many stages. */
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
            bool in_scene =
                !child->source->includer; /* presets have heat numbers for every scene */
            if (in_scene && ooze_material_is_heat(ooze_param_find(params, count, key))) {
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

/* ---- advice ---------------------------------------------------------------------------------- */

/* The lowest temperature that a material can have: of its particles, emitters, solids and air. */
static double coldest(const OozeWorld *world, int material)
{
    const uint16_t *materials = ooze_particles_materials(world->particles);
    const double *t = ooze_particles_data(world->particles, world->temperature_field);
    double low = world->def.air_transfer > 0.0 ? world->def.air_temperature : INFINITY;
    for (uint64_t i = 0; i < ooze_particles_count(world->particles); i++) {
        low = materials[i] == material && t[i] < low ? t[i] : low;
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

void ooze_scene_coldest_materials(OozeScene *scene, const OozeWorld *world,
                                  OozeStepContext *context)
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
