/* The temperatures that materials can have in a scene, and their numbers at them. Heat spreads by
   conduction alone, so that no particle becomes colder or hotter than what it meets. */
#include <math.h>
#include <string.h>

#include "methods/method.h"
#include "scene/scene.h"

static void include(OozeSceneRange *range, double temperature)
{
    range->min = fmin(range->min, temperature); /* NAN: none */
    range->max = fmax(range->max, temperature);
}

/* Temperatures of solids and of the air that changes set. */
static void include_changes(const OozeSceneDef *def, OozeSceneRange *range)
{
    for (int i = 0; i < def->change_count; i++) {
        const OozeChangeDef *change = &def->changes[i].def;
        bool solid = change->target == OOZE_CHANGE_SOLID && strcmp(change->key, "temperature") == 0;
        bool air = change->target == OOZE_CHANGE_WORLD;
        if (solid || (air && strcmp(change->key, "air.temperature") == 0)) {
            include(range, change->value);
        } else if (air && strcmp(change->key, "air.transfer") == 0) {
            include(range, def->world.air_temperature);
        }
    }
}

/* Of all fluids; infinite where a source has a power instead of a temperature. */
static OozeSceneRange temperatures(const OozeSceneDef *def)
{
    double air = def->world.air_temperature;
    OozeSceneRange range = {.min = INFINITY, .max = -INFINITY};
    if (def->world.air_transfer > 0.0) {
        include(&range, air);
    }
    for (int k = 0; k < def->fluid_count; k++) {
        double t = def->fluids[k].def.temperature;
        include(&range, isnan(t) ? air : t);
    }
    for (int k = 0; k < def->emitter_count; k++) {
        double t = def->emitters[k].def.temperature;
        include(&range, isnan(t) ? air : t);
    }
    for (int k = 0; k < def->solid_count; k++) {
        include(&range, def->solids[k].temperature); /* NAN: exchanges no heat */
    }
    for (int k = 0; k < def->heat_source_count; k++) {
        const OozeHeatSourceDef *source = &def->heat_sources[k];
        bool fixed = !isnan(source->temperature);
        include(&range, fixed                 ? source->temperature
                        : source->power > 0.0 ? INFINITY
                        : source->power < 0.0 ? -INFINITY
                                              : NAN);
    }
    include_changes(def, &range);
    return range.min <= range.max ? range : (OozeSceneRange){.min = air, .max = air};
}

OozeSceneRange ooze_scene_table_range(const OozeSceneDef *def, int material)
{
    const OozeMaterialDef *m = &def->materials[material];
    OozeSceneRange range = temperatures(def);
    double first = m->temperature_table[0].temperature;
    double last = m->temperature_table[m->temperature_row_count - 1].temperature;
    /* a source of heat has no limit; beyond its ends a table is constant */
    range.min = isinf(range.min) ? fmin(first, range.max) : range.min;
    range.max = isinf(range.max) ? fmax(last, range.min) : range.max;
    return range;
}

/* Temperature i of those at which a material is examined: the lowest, the highest, and the rows of
   its table between them. NAN past the last. */
static double sample(const OozeMaterial *material, OozeSceneRange range, int i)
{
    if (i == 0 || (i == 1 && range.max > range.min)) {
        return i == 0 ? range.min : range.max;
    }
    for (int k = 0, inside = 2; k < material->table_count; k++) {
        double t = material->table[k].temperature;
        if (t > range.min && t < range.max && inside++ == i) {
            return t;
        }
    }
    return NAN;
}

bool ooze_scene_materials_at(OozeScene *scene, const OozeMethod *method, int i,
                             OozeStepContext *context)
{
    int count = context->material_count;
    bool any = false;
    OozeMaterial *at = ooze_scene_alloc(scene, (size_t)count, sizeof *at);
    for (int m = 0; at && m < count; m++) {
        const OozeMaterial *material = &context->materials[m];
        at[m] = *material;
        if (method->uses_tables && material->table_count > 0) {
            OozeSceneRange range = ooze_scene_table_range(&scene->def, m);
            double t = sample(material, range, i);
            any = any || !isnan(t);
            at[m] = ooze_material_at(material, isnan(t) ? range.min : t);
        }
    }
    context->materials = at ? at : context->materials;
    return at && (any || i == 0);
}
