#include "world/snapshot.h"

#include <string.h>

OozeSnapshot *ooze_world_snapshot(OozeWorld *world)
{
    if (!world->snapshot) {
        OozeSnapshot *snapshot = ooze_alloc_zero(1, sizeof *snapshot);
        const char **columns = ooze_state_columns(world);
        if (!snapshot || !columns) {
            ooze_free(snapshot);
            ooze_free(columns);
            return NULL;
        }
        snapshot->columns = columns;
        world->snapshot = snapshot;
    }
    return world->snapshot;
}

void ooze_snapshot_destroy(OozeSnapshot *snapshot)
{
    if (snapshot) {
        ooze_free(snapshot->fields);
        ooze_free(snapshot->solids);
        ooze_free(snapshot->materials);
        ooze_free(snapshot->columns);
        ooze_free(snapshot);
    }
}

/* Does not keep the contents. */
static bool reserve(void **items, int *capacity, int wanted, size_t size)
{
    if (wanted > *capacity) {
        void *grown = ooze_alloc((size_t)wanted, size);
        if (!grown) {
            return false;
        }
        ooze_free(*items);
        *items = grown;
        *capacity = wanted;
    }
    return true;
}

static void view_fields(OozeWorld *world, OozeSnapshot *snapshot)
{
    int saved = 0;
    for (int i = 0; i < ooze_particles_field_count(world->particles); i++) {
        const OozeFieldInfo *info = ooze_particles_field_info(world->particles, i);
        if (info->saved) {
            snapshot->fields[saved++] = (OozeFieldView){
                .name = info->name,
                .type = info->type,
                .components = info->components,
                .stride = info->stride,
                .unit = info->unit,
                .help = info->help,
                .count = ooze_particles_count(world->particles),
                .data = ooze_particles_data_const(world->particles, i),
            };
        }
    }
    snapshot->frame.field_count = saved;
    snapshot->frame.fields = snapshot->fields;
}

static void view_solids(OozeWorld *world, OozeSnapshot *snapshot)
{
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        snapshot->solids[i] =
            (OozeSolidView){.name = solid->name, .pose = ooze_pose_to_public(&solid->pose)};
    }
    snapshot->frame.solid_count = world->solids.count;
    snapshot->frame.solids = snapshot->solids;
}

static void view_materials(OozeWorld *world, OozeSnapshot *snapshot)
{
    for (int i = 0; i < world->materials.count; i++) {
        const OozeMaterial *material = &world->materials.items[i];
        snapshot->materials[i] = (OozeMaterialView){
            .name = material->name,
            .density = material->values[OOZE_MATERIAL_DENSITY],
        };
        memcpy(snapshot->materials[i].color, material->color, sizeof material->color);
    }
    snapshot->frame.material_count = world->materials.count;
    snapshot->frame.materials = snapshot->materials;
}

/* The tables of the world, then the arrays of the method. */
static bool view_state(OozeWorld *world, OozeSnapshot *snapshot)
{
    const OozeMethod *method = world->method;
    snapshot->counters[OOZE_STATE_NEXT_ID] = ooze_particles_next_id(world->particles);
    snapshot->counters[OOZE_STATE_EMITTED] = world->emitted;
    snapshot->counters[OOZE_STATE_REMOVED] = world->removed;
    int count = ooze_state_views(world, snapshot->state);
    OozeFieldView *arrays = snapshot->state + count;
    for (int i = 0; i < method->array_count; i++) {
        const OozeFieldInfo *info = &method->arrays[i];
        arrays[i] = (OozeFieldView){
            .name = info->name,
            .type = info->type,
            .components = info->components,
            .stride = info->components,
            .unit = info->unit,
            .help = info->help,
        };
    }
    snapshot->frame.state_count = count + method->array_count;
    snapshot->frame.state = snapshot->state;
    return method->array_count == 0 || !method->save(world->method_data, arrays, NULL);
}

/* The views of a frame, of the fields that the host's store has. */
static OozeSnapshot *view_world(OozeWorld *world)
{
    OozeSnapshot *snapshot = ooze_world_snapshot(world);
    if (!snapshot ||
        !reserve((void **)&snapshot->fields, &snapshot->field_capacity,
                 ooze_particles_field_count(world->particles), sizeof *snapshot->fields) ||
        !reserve((void **)&snapshot->solids, &snapshot->solid_capacity, world->solids.count,
                 sizeof *snapshot->solids) ||
        !reserve((void **)&snapshot->materials, &snapshot->material_capacity,
                 world->materials.count, sizeof *snapshot->materials) ||
        !view_state(world, snapshot)) {
        return NULL;
    }
    view_fields(world, snapshot);
    view_solids(world, snapshot);
    view_materials(world, snapshot);
    OozeFrame *frame = &snapshot->frame;
    frame->index = 0; /* a run numbers its frames when it writes them */
    frame->step = world->step;
    frame->time = world->time;
    frame->spacing = world->def.spacing;
    frame->support = world->support;
    frame->up = world->def.up;
    frame->method = world->method->info.name;
    frame->particle_count = ooze_particles_count(world->particles);
    return snapshot;
}

const OozeFrame *ooze_world_frame(OozeWorld *world)
{
    bool ready = world && ooze_world_sync_to_host(world, NULL) == OOZE_OK;
    const OozeSnapshot *snapshot = ready ? view_world(world) : NULL;
    return snapshot ? &snapshot->frame : NULL;
}

const OozeFrame *ooze_world_fetch_frame(OozeWorld *world, OozeFetch *fetch)
{
    bool possible = world->data_location == OOZE_DATA_ON_ENGINE && world->engine->fetch &&
                    world->method->array_count == 0;
    OozeSnapshot *snapshot = possible ? view_world(world) : NULL;
    if (!snapshot || !world->engine->fetch(world->engine_data, fetch, snapshot->fields,
                                           snapshot->frame.field_count)) {
        return NULL;
    }
    snapshot->frame.particle_count = snapshot->fields[OOZE_FIELD_POSITION].count;
    return &snapshot->frame;
}
