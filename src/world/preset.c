/* Presets in a world: their numbers are derived by its first step, which knows all fluids, emitters
   and solids. A scene derives them when it is read, by the same functions, and its worlds have
   nothing to derive. */
#include <math.h>
#include <string.h>

#include "methods/derive.h"
#include "world/world.h"

OozeStatus ooze_world_add_preset(OozeWorld *world, const OozeMaterialDef *def, OozeError *error)
{
    OozeMaterialDef own;
    if (!def->preset) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_material_preset(def->preset, &own, error);
    if (status) {
        return status;
    }
    OozeWorldPreset *preset = OOZE_LIST_RESERVE(world->presets);
    if (!preset) {
        return ooze_fail_memory(error, "a preset", sizeof *preset);
    }
    preset->material = world->materials.count - 1;
    preset->stated = def->stated;
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
        bool differs = !isnan(def->values[i]) && def->values[i] != own.values[i];
        preset->stated |= differs ? 1ull << i : 0;
    }
    world->presets.count++;
    return OOZE_OK;
}

void ooze_world_state_number(OozeWorld *world, int material, int number)
{
    for (int k = 0; k < world->presets.count; k++) {
        OozeWorldPreset *preset = &world->presets.items[k];
        if (preset->material == material) {
            preset->stated |= 1ull << number;
        }
    }
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Nozzles with their present speeds and motions; the array is in the arena. */
static OozeScaleNozzle *list_nozzles(OozeWorld *world)
{
    OozeScaleNozzle *nozzles =
        ooze_arena_alloc(world->arena, (size_t)world->emitters.count, sizeof *nozzles);
    for (int i = 0; nozzles && i < world->emitters.count; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        nozzles[i] = emitter->scale;
        nozzles[i].speed = emitter->state.speed;
        nozzles[i].motion = &emitter->motion;
        for (int k = 0; k < world->changes.count; k++) {
            const OozeChange *change = &world->changes.items[k];
            if (change->target == OOZE_CHANGE_EMITTER && change->index == i) {
                nozzles[i].changed = fmax(nozzles[i].changed, change->value);
            }
        }
    }
    return nozzles;
}

static void find_scales(const OozeWorld *world, const OozeScaleNozzle *nozzles, OozeScale *scales)
{
    const OozeScaleItems items = {
        .gravity = world->def.gravity,
        .up = world->def.up,
        .spacing = world->def.spacing,
        .duration = world->def.duration,
        .volumes = world->volumes.items,
        .nozzles = nozzles,
        .solids = world->solids.items,
        .volume_count = world->volumes.count,
        .nozzle_count = world->emitters.count,
        .solid_count = world->solids.count,
    };
    ooze_scales(&items, scales, world->materials.count);
}

/* ---- temperature ----------------------------------------------------------------------------- */

static double colder(const OozeWorld *world, double coldest, double temperature)
{
    return fmin(coldest, isnan(temperature) ? world->def.air_temperature : temperature);
}

/* Of all fluids, degC: heat spreads by conduction alone. -INFINITY: something cools without
   limit. */
static double find_coldest(const OozeWorld *world)
{
    double coldest = world->def.air_transfer > 0.0 ? world->def.air_temperature : INFINITY;
    for (int i = 0; i < world->volumes.count; i++) {
        coldest = colder(world, coldest, world->volumes.items[i].temperature);
    }
    for (int i = 0; i < world->emitters.count; i++) {
        coldest = colder(world, coldest, world->emitters.items[i].temperature);
    }
    for (int i = 0; i < world->solids.count; i++) { /* NAN: exchanges no heat */
        coldest = fmin(coldest, world->solids.items[i].params[OOZE_SOLID_TEMPERATURE]);
    }
    for (int i = 0; i < world->sources.count; i++) {
        const OozeHeatSource *source = &world->sources.items[i];
        bool fixed = !isnan(source->temperature);
        coldest = fmin(coldest, fixed                 ? source->temperature
                                : source->power < 0.0 ? -INFINITY
                                                      : NAN);
    }
    for (int i = 0; i < world->changes.count; i++) {
        const OozeChange *change = &world->changes.items[i];
        bool solid = change->target == OOZE_CHANGE_SOLID && change->param == OOZE_SOLID_TEMPERATURE;
        coldest = solid ? fmin(coldest, change->value) : coldest;
    }
    return coldest == INFINITY ? world->def.air_temperature : coldest;
}

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct Numbers {
    OozeScaleNozzle *nozzles;
    OozeScale *scales;
    OozeMaterial *measured;
    OozeFlow *flows;
    bool *preset;
    uint64_t *stated;
    double *params;
} Numbers;

static bool allocate(OozeWorld *world, Numbers *n)
{
    OozeArena *arena = world->arena;
    size_t count = (size_t)world->materials.count;
    n->nozzles = list_nozzles(world);
    n->scales = ooze_arena_alloc(arena, count, sizeof *n->scales);
    n->measured = ooze_arena_alloc(arena, count, sizeof *n->measured);
    n->flows = ooze_arena_alloc(arena, count, sizeof *n->flows);
    n->preset = ooze_arena_alloc(arena, count, sizeof *n->preset);
    n->stated = ooze_arena_alloc(arena, count, sizeof *n->stated);
    n->params =
        ooze_arena_alloc(arena, (size_t)world->method->info.param_count + 1, sizeof *n->params);
    return !ooze_arena_failed(arena);
}

/* The materials at the coldest temperature, as for scenes: ooze_scene_materials_at. */
static void measure(OozeWorld *world, Numbers *n)
{
    double coldest = find_coldest(world);
    for (int m = 0; m < world->materials.count; m++) {
        const OozeMaterial *material = &world->materials.items[m];
        bool tables = world->method->uses_tables && material->table_count > 0;
        n->measured[m] = *material;
        if (tables) { /* below its first row a table is constant */
            n->measured[m] = ooze_material_at(material, coldest);
        }
        n->preset[m] = false;
        n->stated[m] = 0;
    }
    for (int k = 0; k < world->presets.count; k++) {
        OozeWorldPreset *preset = &world->presets.items[k];
        const OozeMaterial *material = &world->materials.items[preset->material];
        if (!preset->derived) {
            memcpy(preset->values, material->values, sizeof preset->values);
            n->preset[preset->material] = true;
            n->stated[preset->material] = preset->stated;
            preset->derived = true;
        }
    }
}

static OozeStatus derive(OozeWorld *world, OozeError *error)
{
    const OozeMethod *method = world->method;
    Numbers n;
    if (!allocate(world, &n)) {
        return ooze_fail_memory(error, "presets", sizeof n);
    }
    measure(world, &n);
    find_scales(world, n.nozzles, n.scales);
    OozeStepContext context = ooze_world_step_context(world);
    context.materials = n.measured;
    context.params = n.params;
    for (int i = 0; i < method->info.param_count; i++) {
        n.params[i] = ooze_method_param(method, world->params, i);
    }
    for (int m = 0; m < context.material_count; m++) {
        n.flows[m] = ooze_flow(&context, m, &n.scales[m].scale);
        n.flows[m].scale.flows = n.flows[m].scale.flows && n.preset[m];
    }
    const OozePresets presets = {n.preset, n.flows, n.stated, world->stated_params};
    ooze_derive_presets(method, &context, &presets, n.params, world->materials.items, NULL);
    for (int i = 0; i < method->info.param_count; i++) {
        bool same = n.params[i] == ooze_method_param(method, world->params, i);
        world->params[i] = same || isnan(n.params[i]) ? world->params[i] : n.params[i];
    }
    return OOZE_OK;
}

OozeStatus ooze_world_derive_presets(OozeWorld *world, OozeError *error)
{
    bool any = false;
    for (int k = 0; k < world->presets.count; k++) {
        any = any || !world->presets.items[k].derived;
    }
    if (!any || !world->method->derive_material) {
        return OOZE_OK;
    }
    OozeStatus status = derive(world, error);
    for (int m = 0; m < world->materials.count && !status; m++) {
        status = ooze_world_add_optional_fields(world, &world->materials.items[m], error);
    }
    return status;
}

/* ---- restoring ------------------------------------------------------------------------------- */

void ooze_world_begin_restoring_presets(OozeWorld *world)
{
    for (int k = 0; k < world->presets.count; k++) {
        OozeWorldPreset *preset = &world->presets.items[k];
        if (!preset->derived) {
            memcpy(preset->values, world->materials.items[preset->material].values,
                   sizeof preset->values);
        }
    }
}

void ooze_world_end_restoring_presets(OozeWorld *world)
{
    for (int k = 0; k < world->presets.count; k++) {
        OozeWorldPreset *preset = &world->presets.items[k];
        const double *values = world->materials.items[preset->material].values;
        preset->derived = false;
        for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
            bool same =
                values[i] == preset->values[i] || (isnan(values[i]) && isnan(preset->values[i]));
            preset->derived = preset->derived || !same;
        }
    }
}
