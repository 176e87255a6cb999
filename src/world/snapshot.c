#include "world/snapshot.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* Everything besides the particles that decides how a run goes on. Each entry packs one kind of thing,
   a fixed number of values each; the same table writes and restores. */
typedef struct StateEntry {
    const char *name;
    OozeFieldType type;
    int (*rows)(const OozeWorld *world);
    int width;
    /* Copies row i between the world and `values` (double or uint64_t); `put`: into the world. */
    void (*row)(OozeWorld *world, int i, void *values, bool put);
    const char *help;
} StateEntry;

static void move_number(double *inside, double **values, bool put)
{
    if (put) {
        *inside = **values;
    } else {
        **values = *inside;
    }
    (*values)++;
}

static void move_count(uint64_t *inside, uint64_t **values, bool put)
{
    if (put) {
        *inside = **values;
    } else {
        **values = *inside;
    }
    (*values)++;
}

static int one_row(const OozeWorld *world)
{
    (void)world;
    return 1;
}

static void counters_row(OozeWorld *world, int i, void *values, bool put)
{
    (void)i;
    uint64_t *v = values;
    uint64_t next_id = ooze_particles_next_id(world->particles);
    move_count(&next_id, &v, put);
    move_count(&world->emitted, &v, put);
    move_count(&world->removed, &v, put);
    if (put) {
        ooze_particles_set_next_id(world->particles, next_id);
    }
}

static int param_rows(const OozeWorld *world)
{
    return world->method->info.param_count;
}

static void param_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    move_number(&world->params[i], &v, put);
}

static int material_rows(const OozeWorld *world)
{
    return world->materials.count;
}

static void material_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    for (int k = 0; k < OOZE_MATERIAL_PARAM_COUNT; k++) {
        move_number(&world->materials.items[i].values[k], &v, put);
    }
}

static int solid_rows(const OozeWorld *world)
{
    return world->solids.count;
}

enum { POSE_WIDTH = 13, SOLID_WIDTH = OOZE_SOLID_PARAM_COUNT + 2 + 2 * POSE_WIDTH + 6 };

static void move_pose(OozePose *pose, double **values, bool put)
{
    double *numbers[POSE_WIDTH] = {
        &pose->position.x, &pose->position.y, &pose->position.z, &pose->rotation.x,
        &pose->rotation.y, &pose->rotation.z, &pose->rotation.w, &pose->velocity.x,
        &pose->velocity.y, &pose->velocity.z, &pose->spin.x,     &pose->spin.y,
        &pose->spin.z,
    };
    for (int k = 0; k < POSE_WIDTH; k++) {
        move_number(numbers[k], values, put);
    }
}

static void solid_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    OozeSolid *solid = &world->solids.items[i];
    for (int k = 0; k < OOZE_SOLID_PARAM_COUNT; k++) {
        move_number(&solid->params[k], &v, put);
    }
    double driven = solid->driven, arriving = solid->arriving;
    move_number(&driven, &v, put);
    move_number(&arriving, &v, put);
    solid->driven = driven != 0.0;
    solid->arriving = arriving != 0.0;
    move_pose(&solid->pose, &v, put);
    move_pose(&solid->previous, &v, put);
    OozeVec3 *corners[2] = {&solid->clip.min, &solid->clip.max};
    for (int k = 0; k < 2; k++) {
        move_number(&corners[k]->x, &v, put);
        move_number(&corners[k]->y, &v, put);
        move_number(&corners[k]->z, &v, put);
    }
}

static int joint_rows(const OozeWorld *world)
{
    return world->joints.count;
}

static void joint_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    for (int k = 0; k < OOZE_JOINT_PARAM_COUNT; k++) {
        move_number(&world->joints.items[i].params[k], &v, put);
    }
}

static int emitter_rows(const OozeWorld *world)
{
    return world->emitters.count;
}

static void emitter_number_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    move_number(&world->emitters.items[i].state.travelled, &v, put);
    move_number(&world->emitters.items[i].state.speed, &v, put);
}

static void emitter_count_row(OozeWorld *world, int i, void *values, bool put)
{
    uint64_t *v = values;
    move_count(&world->emitters.items[i].state.layers, &v, put);
    move_count(&world->emitters.items[i].state.emitted, &v, put);
}

static int probe_rows(const OozeWorld *world)
{
    return world->probes.count;
}

static void probe_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    for (int k = 0; k < OOZE_PROBE_STATE_MAX; k++) {
        move_number(&world->probes.items[i].state[k], &v, put);
    }
}

static int change_rows(const OozeWorld *world)
{
    return world->changes.count;
}

static void change_row(OozeWorld *world, int i, void *values, bool put)
{
    double *v = values;
    OozeChangeState *state = &world->changes.items[i].state;
    double phase = state->phase;
    move_number(&phase, &v, put);
    move_number(&state->from, &v, put);
    state->phase = phase == OOZE_CHANGE_RUNS   ? OOZE_CHANGE_RUNS
                   : phase == OOZE_CHANGE_DONE ? OOZE_CHANGE_DONE
                                               : OOZE_CHANGE_WAITS;
}

static const StateEntry entries[OOZE_STATE_ENTRIES] = {
    {"counters", OOZE_FIELD_UINT64, one_row, 3, counters_row, "next id, emitted, removed"},
    {"method", OOZE_FIELD_FLOAT64, param_rows, 1, param_row, "settings of the method"},
    {"materials", OOZE_FIELD_FLOAT64, material_rows, OOZE_MATERIAL_PARAM_COUNT, material_row,
     "numbers of each material, as they are now"},
    {"solids", OOZE_FIELD_FLOAT64, solid_rows, SOLID_WIDTH, solid_row,
     "parameters of each solid, whether it is driven or arriving, its pose and the one before, "
     "where it "
     "carries samples"},
    {"emitters", OOZE_FIELD_FLOAT64, emitter_rows, 2, emitter_number_row,
     "jet since the last layer, speed"},
    {"emitter_counts", OOZE_FIELD_UINT64, emitter_rows, 2, emitter_count_row, "layers, particles"},
    {"probes", OOZE_FIELD_FLOAT64, probe_rows, OOZE_PROBE_STATE_MAX, probe_row,
     "what probes remember"},
    {"changes", OOZE_FIELD_FLOAT64, change_rows, 2, change_row,
     "of each change in time: waits 0, runs 1, done 2; value when it began"},
    {"joints", OOZE_FIELD_FLOAT64, joint_rows, OOZE_JOINT_PARAM_COUNT, joint_row,
     "motor and limits of each joint, as they are now"},
};

/* ---- taking ------------------------------------------------------------------------------- */

static bool room(void **items, int *capacity, int wanted, size_t size)
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

static bool take_fields(OozeWorld *world, OozeSnapshot *snapshot)
{
    int count = ooze_particles_field_count(world->particles);
    if (!room((void **)&snapshot->fields, &snapshot->field_capacity, count,
              sizeof *snapshot->fields)) {
        return false;
    }
    int saved = 0;
    for (int i = 0; i < count; i++) {
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
    return true;
}

static bool take_things(OozeWorld *world, OozeSnapshot *snapshot)
{
    if (!room((void **)&snapshot->solids, &snapshot->solid_capacity, world->solids.count,
              sizeof *snapshot->solids) ||
        !room((void **)&snapshot->materials, &snapshot->material_capacity, world->materials.count,
              sizeof *snapshot->materials)) {
        return false;
    }
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        snapshot->solids[i] = (OozeSolidView){.name = solid->name, .pose = solid->pose};
    }
    for (int i = 0; i < world->materials.count; i++) {
        const OozeMaterial *material = &world->materials.items[i];
        snapshot->materials[i] = (OozeMaterialView){
            .name = material->name,
            .density = material->values[OOZE_MATERIAL_DENSITY],
        };
        memcpy(snapshot->materials[i].color, material->color, sizeof material->color);
    }
    snapshot->frame.solid_count = world->solids.count;
    snapshot->frame.solids = snapshot->solids;
    snapshot->frame.material_count = world->materials.count;
    snapshot->frame.materials = snapshot->materials;
    return true;
}

static bool take_state(OozeWorld *world, OozeSnapshot *snapshot)
{
    int numbers = 0, counts = 0;
    for (int e = 0; e < OOZE_STATE_ENTRIES; e++) {
        int size = entries[e].rows(world) * entries[e].width;
        *(entries[e].type == OOZE_FIELD_FLOAT64 ? &numbers : &counts) += size;
    }
    if (!room((void **)&snapshot->numbers, &snapshot->number_capacity, numbers, sizeof(double)) ||
        !room((void **)&snapshot->counts, &snapshot->count_capacity, counts, sizeof(uint64_t))) {
        return false;
    }
    double *number = snapshot->numbers;
    uint64_t *count = snapshot->counts;
    for (int e = 0; e < OOZE_STATE_ENTRIES; e++) {
        const StateEntry *entry = &entries[e];
        bool real = entry->type == OOZE_FIELD_FLOAT64;
        int rows = entry->rows(world);
        snapshot->state[e] = (OozeFieldView){
            .name = entry->name,
            .type = entry->type,
            .components = entry->width,
            .stride = entry->width,
            .unit = "",
            .help = entry->help,
            .count = (uint64_t)rows,
            .data = real ? (void *)number : (void *)count,
        };
        for (int i = 0; i < rows; i++) {
            entry->row(world, i, real ? (void *)number : (void *)count, false);
            number += real ? entry->width : 0;
            count += real ? 0 : entry->width;
        }
    }
    snapshot->frame.state_count = OOZE_STATE_ENTRIES;
    snapshot->frame.state = snapshot->state;
    return true;
}

/* What the method keeps besides fields comes after the world's own. */
static bool take_arrays(OozeWorld *world, OozeSnapshot *snapshot)
{
    const OozeMethod *method = world->method;
    OozeFieldView *views = snapshot->state + OOZE_STATE_ENTRIES;
    for (int i = 0; i < method->array_count; i++) {
        const OozeFieldInfo *info = &method->arrays[i];
        views[i] = (OozeFieldView){
            .name = info->name,
            .type = info->type,
            .components = info->components,
            .stride = info->components,
            .unit = info->unit,
            .help = info->help,
        };
    }
    snapshot->frame.state_count += method->array_count;
    return method->array_count == 0 || !method->save(world->method_data, views, NULL);
}

const OozeFrame *ooze_world_frame(OozeWorld *world)
{
    if (!world) {
        return NULL;
    }
    if (!world->snapshot) {
        world->snapshot = ooze_alloc_zero(1, sizeof *world->snapshot);
    }
    OozeSnapshot *snapshot = world->snapshot;
    if (!snapshot || ooze_world_bring_home(world, NULL) || !take_fields(world, snapshot) ||
        !take_things(world, snapshot) || !take_state(world, snapshot) ||
        !take_arrays(world, snapshot)) {
        return NULL;
    }
    OozeFrame *frame = &snapshot->frame;
    frame->index = 0; /* a run numbers its frames when it writes them */
    frame->step = world->step;
    frame->time = world->time;
    frame->spacing = world->def.spacing;
    frame->support = world->support;
    frame->up = world->def.up;
    frame->method = world->method->info.name;
    frame->particle_count = ooze_particles_count(world->particles);
    return frame;
}

void ooze_snapshot_destroy(OozeSnapshot *snapshot)
{
    if (snapshot) {
        ooze_free(snapshot->fields);
        ooze_free(snapshot->solids);
        ooze_free(snapshot->materials);
        ooze_free(snapshot->numbers);
        ooze_free(snapshot->counts);
        ooze_free(snapshot);
    }
}

/* ---- putting back ------------------------------------------------------------------------- */

static OozeStatus mismatch(OozeError *error, const char *what)
{
    return ooze_fail(error, OOZE_ERROR_FORMAT,
                     "resume with the scene and the version of Ooze that wrote the run",
                     "the saved state does not fit this world: %s", what);
}

static const OozeFieldView *find_state(const OozeFrame *frame, const char *name)
{
    for (int i = 0; i < frame->state_count; i++) {
        if (strcmp(frame->state[i].name, name) == 0) {
            return &frame->state[i];
        }
    }
    return NULL;
}

/* Particles of a body have its number and one of its ids. */
static OozeStatus check_bodies(const OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    const OozeFieldView *body = ooze_frame_field(frame, "body");
    const OozeFieldView *pin = ooze_frame_field(frame, "pin");
    const OozeFieldView *ids = ooze_frame_field(frame, "id");
    for (uint64_t i = 0; world->body_field >= 0 && i < frame->particle_count; i++) {
        double number = ooze_field_value(body, i, 0);
        if (number > world->bodies.count || ooze_field_value(pin, i, 0) > world->solids.count) {
            return mismatch(error, "a particle belongs to a body or solid that does not exist");
        }
        uint64_t id = ((const uint64_t *)ids->data)[i * (uint64_t)ids->stride];
        const OozeBody *own = number > 0.0 ? &world->bodies.items[(int)number - 1] : NULL;
        if (own && (id < own->first_id || id - own->first_id >= own->count)) {
            return mismatch(error, "a particle of a body has an id of none of its own");
        }
    }
    return OOZE_OK;
}

/* Those that some materials need and others do not. */
static bool is_optional(const OozeWorld *world, const char *field)
{
    for (int i = 0; i < world->method->material_field_count; i++) {
        if (strcmp(world->method->material_fields[i].name, field) == 0) {
            return true;
        }
    }
    return false;
}

/* A material of the saved world may have had needs that its scene does not tell of. */
static OozeStatus adopt_fields(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->method->material_field_count && !status; i++) {
        const OozeFieldInfo *info = &world->method->material_fields[i];
        int field = ooze_particles_find_field(world->particles, info->name);
        if (field < 0 && ooze_frame_field(frame, info->name)) {
            status = ooze_world_take_back(world, error);
            status =
                status ? status : ooze_particles_add_field(world->particles, info, &field, error);
        }
    }
    return status;
}

static OozeStatus check_fit(const OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    if (!frame->method || strcmp(frame->method, world->method->info.name) != 0) {
        return mismatch(error, "it was made by another method");
    }
    if (frame->spacing != world->def.spacing || frame->support != world->support) {
        return mismatch(error, "spacing or kernel support differ");
    }
    for (int i = 0; i < ooze_particles_field_count(world->particles); i++) {
        const OozeFieldInfo *info = ooze_particles_field_info(world->particles, i);
        const OozeFieldView *view = ooze_frame_field(frame, info->name);
        bool missing = !view && is_optional(world, info->name);
        if (info->saved && !missing &&
            (!view || view->type != info->type || view->components != info->components ||
             view->count != frame->particle_count)) {
            return mismatch(error, info->name);
        }
    }
    for (int e = 0; e < OOZE_STATE_ENTRIES; e++) {
        const OozeFieldView *view = find_state(frame, entries[e].name);
        if (!view && entries[e].rows(world) == 0) {
            continue; /* a frame from before there were such things */
        }
        if (!view || view->type != entries[e].type || view->components != entries[e].width ||
            view->count != (uint64_t)entries[e].rows(world)) {
            return mismatch(error, entries[e].name);
        }
    }
    for (int i = 0; i < world->method->array_count; i++) {
        const OozeFieldInfo *info = &world->method->arrays[i];
        const OozeFieldView *view = find_state(frame, info->name);
        if (!view || view->type != info->type || view->components != info->components ||
            view->stride != view->components || (view->count > 0 && !view->data)) {
            return mismatch(error, info->name);
        }
    }
    OozeStatus status = check_bodies(world, frame, error);
    if (status) {
        return status;
    }
    const OozeFieldView *materials = ooze_frame_field(frame, "material");
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    const OozeFieldView *t =
        world->temperature_field < 0 ? NULL : ooze_frame_field(frame, "temperature");
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        if (t && !isfinite(ooze_field_value(t, i, 0))) {
            return mismatch(error, "a temperature is not finite");
        }
        for (int k = 0; k < 3; k++) {
            if (!isfinite(ooze_field_value(x, i, k)) || !isfinite(ooze_field_value(v, i, k))) {
                return mismatch(error, "a particle is not finite");
            }
        }
        if (ooze_field_value(materials, i, 0) >= world->materials.count) {
            return mismatch(error, "a particle has a material that does not exist");
        }
    }
    return OOZE_OK;
}

static void put_field(OozeWorld *world, int field, const OozeFieldView *view)
{
    const OozeFieldInfo *info = ooze_particles_field_info(world->particles, field);
    size_t size = ooze_field_type_size(info->type);
    size_t used = size * (size_t)info->components;
    char *to = ooze_particles_data(world->particles, field);
    const char *from = view->data;
    for (uint64_t i = 0; i < view->count; i++) {
        memcpy(to, from, used);
        to += size * (size_t)info->stride;
        from += size * (size_t)view->stride;
    }
}

static OozeStatus put_arrays(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    const OozeMethod *method = world->method;
    const OozeFieldView *views[OOZE_METHOD_ARRAYS_MAX];
    for (int i = 0; i < method->array_count; i++) {
        views[i] = find_state(frame, method->arrays[i].name);
    }
    OozeStepContext context = ooze_world_step_context(world);
    return method->array_count == 0 ? OOZE_OK
                                    : method->restore(world->method_data, &context, views, error);
}

OozeStatus ooze_world_restore(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(frame, error);
    if (world->snapshot && frame == &world->snapshot->frame) {
        return OOZE_OK; /* its own view: the world is there already */
    }
    OozeStatus status = adopt_fields(world, frame, error);
    status = status ? status : check_fit(world, frame, error);
    if (!status) {
        world->holder = OOZE_HOLDER_HOST; /* what an engine has is of the past */
        status = ooze_particles_resize(world->particles, frame->particle_count, error);
    }
    if (status) {
        return status;
    }
    for (int i = 0; i < ooze_particles_field_count(world->particles); i++) {
        const OozeFieldInfo *info = ooze_particles_field_info(world->particles, i);
        const OozeFieldView *view = ooze_frame_field(frame, info->name);
        if (info->saved && view) { /* without: it starts as a new particle's */
            put_field(world, i, view);
        }
    }
    for (int e = 0; e < OOZE_STATE_ENTRIES; e++) {
        const OozeFieldView *view = find_state(frame, entries[e].name);
        if (!view) {
            continue;
        }
        size_t bytes = ooze_field_type_size(view->type) * (size_t)view->stride;
        for (int i = 0; i < entries[e].rows(world); i++) {
            entries[e].row(world, i, (char *)view->data + (size_t)i * bytes, true);
        }
    }
    for (int i = 0; i < world->materials.count && !status; i++) {
        status = ooze_world_add_material_fields(world, &world->materials.items[i], error);
    }
    world->step = frame->step;
    world->time = (double)world->step * world->def.time_step;
    world->newcomers = frame->step == 0;
    world->report = world->stroke = ooze_step_report_none(); /* no step of this world led here */
    world->boundary_stale = true;
    return status ? status : put_arrays(world, frame, error);
}
