/* The world: creation, settings, materials, statistics. */
#include "world/world.h"

#include <math.h>
#include <string.h>

#include "base/color.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/vec3.h"

enum { SPACING_MIN_EXPONENT = -9 }; /* a nanometre; a smaller spacing is in a wrong unit */

OozeWorldDef ooze_world_def_default(void)
{
    return (OozeWorldDef){
        .method = "ballistic",
        .spacing = 0.01,
        .support_ratio = NAN,
        .time_step = 1.0 / 240.0,
        .duration = 1.0,
        .max_travel = 1.0,
        .gravity = {0.0, -9.81, 0.0},
        .up = OOZE_AXIS_Y,
        .air_temperature = 20.0,
    };
}

static OozeStatus check_number(double value, double min, double max, const char *name,
                               const char *unit, OozeError *error)
{
    if (!(value >= min && value <= max)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "lengths are in metres, times in seconds",
                         "%s is %g; it must be between %g and %g %s", name, value, min, max, unit);
    }
    return OOZE_OK;
}

static OozeStatus check_periodic(const OozeWorldDef *def, OozeError *error)
{
    double cell = def->spacing * def->support_ratio;
    for (int axis = 0; axis < 3; axis++) {
        if (!def->periodic[axis]) {
            continue;
        }
        double low = vec3_component(def->periodic_min, axis);
        double high = vec3_component(def->periodic_max, axis);
        if (!isfinite(low) || !isfinite(high) || !(high - low >= 3.0 * cell)) {
            return ooze_fail(
                error, OOZE_ERROR_ARGUMENT, "make the periodic box longer or the spacing smaller",
                "periodic axis %c goes from %g to %g; it must be at least three kernel "
                "supports (%g m) long",
                "xyz"[axis], low, high, 3.0 * cell);
        }
    }
    return OOZE_OK;
}

static OozeStatus check_air(const OozeWorldDef *def, OozeError *error)
{
    if (!(fabs(def->air_temperature) <= OOZE_TEMPERATURE_MAX) ||
        !(def->air_transfer >= 0.0 && def->air_transfer <= 1e9)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give degC, and W/(m2 K) from 0 on",
                         "the air has %g degC and takes %g W/(m2 K)", def->air_temperature,
                         def->air_transfer);
    }
    return OOZE_OK;
}

static OozeStatus check_def(const OozeWorldDef *def, OozeError *error)
{
    OozeStatus status =
        check_number(def->spacing, pow(10.0, SPACING_MIN_EXPONENT), 1e6, "spacing", "m", error);
    if (!status) {
        status = check_number(def->support_ratio, 1.0, 8.0, "support_ratio", "spacings", error);
    }
    if (!status) {
        status = check_number(def->time_step, 1e-12, 1e3, "time_step", "s", error);
    }
    if (!status) {
        status = check_number(def->duration, 0.0, 1e9, "duration", "s", error);
    }
    if (!status) {
        status = check_number(def->max_travel, 0.0, 1e6, "max_travel", "spacings", error);
    }
    if (!status && !vec3_is_finite(def->gravity)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "give three finite numbers in m/s2",
                           "gravity is not finite");
    }
    if (!status) {
        status = check_air(def, error);
    }
    if (!status && (unsigned)def->up > OOZE_AXIS_Z) {
        status =
            ooze_fail(error, OOZE_ERROR_ARGUMENT, "use OOZE_AXIS_X, _Y or _Z", "up is not an axis");
    }
    return status ? status : check_periodic(def, error);
}

static OozePeriodic make_periodic(const OozeWorldDef *def)
{
    OozePeriodic periodic = {0};
    for (int axis = 0; axis < 3; axis++) {
        if (def->periodic[axis]) {
            double low = vec3_component(def->periodic_min, axis);
            double high = vec3_component(def->periodic_max, axis);
            periodic.min[axis] = (float)low;
            periodic.length[axis] = (float)(high - low);
            periodic.inverse[axis] = 1.0f / periodic.length[axis];
        }
    }
    return periodic;
}

static OozeStatus add_fields(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->method->field_count && !status; i++) {
        int field;
        status =
            ooze_particles_add_field(world->particles, &world->method->fields[i], &field, error);
    }
    return status;
}

static OozeStatus build(OozeWorld *world, OozeError *error)
{
    const OozeMethod *method = world->method;
    OozeStatus status = ooze_threads_create(world->def.threads, &world->threads, error);
    if (!status) {
        status = ooze_particles_create(&world->particles, error);
    }
    if (!status) {
        status = add_fields(world, error);
    }
    if (status) {
        return status;
    }
    world->arena = ooze_arena_create();
    world->grid = ooze_grid_create();
    world->params = ooze_alloc((size_t)method->info.param_count, sizeof *world->params);
    world->stated_params =
        ooze_alloc_zero((size_t)method->info.param_count + 1, sizeof *world->stated_params);
    if (!world->arena || !world->grid || !world->params || !world->stated_params) {
        return ooze_fail_memory(error, "the world", sizeof *world);
    }
    for (int i = 0; i < method->info.param_count; i++) {
        world->params[i] = method->info.params[i].initial;
    }
    return method->create ? method->create(&world->method_data, error) : OOZE_OK;
}

OozeStatus ooze_world_create_with(const OozeWorldDef *given, const OozeMethod *method,
                                  OozeWorld **out, OozeError *error)
{
    static const char *const stage_names[OOZE_STAGE_COUNT] = {
        [OOZE_STAGE_EMIT] = "emit",
        [OOZE_STAGE_SOLIDS] = "solids",
        [OOZE_STAGE_NEIGHBOURS] = "neighbours",
        [OOZE_STAGE_METHOD] = "method",
        [OOZE_STAGE_HEAT] = "heat",
        [OOZE_STAGE_FINISH] = "finish",
        [OOZE_STAGE_PROBES] = "probes",
    };
    OozeWorldDef def = *given;
    def.support_ratio = ooze_method_support_ratio(method, given->support_ratio);
    *out = NULL;
    OozeStatus status = check_def(&def, error);
    if (status) {
        return status;
    }
    OozeWorld *world = ooze_alloc_zero(1, sizeof *world);
    if (!world) {
        return ooze_fail_memory(error, "the world", sizeof *world);
    }
    world->def = def;
    world->def.method = method->info.name;
    world->method = method;
    world->engine = &ooze_cpu_engine;
    world->engine_data = world;
    world->engine_speed = NAN;
    world->rest_field = -1;
    world->body_field = -1;
    world->pin_field = -1;
    world->nozzle_field = -1;
    world->temperature_field = -1;
    world->phase_field = -1;
    world->periodic = make_periodic(&def);
    world->support = def.spacing * def.support_ratio;
    world->report = world->substep_report = ooze_step_report_none();
    world->worst_residual = NAN;
    world->boundary_stale = true;
    for (int i = 0; i < OOZE_STAGE_COUNT; i++) {
        world->stages[i].name = stage_names[i];
    }
    world->timer = ooze_step_timer();
    status = ooze_world_open_device(world, error);
    status = status ? status : build(world, error);
    if (status) {
        ooze_world_destroy(world);
        return status;
    }
    *out = world;
    return OOZE_OK;
}

OozeStatus ooze_world_create(const OozeWorldDef *def, OozeWorld **world, OozeError *error)
{
    OOZE_REQUIRE(def, error);
    OOZE_REQUIRE(world, error);
    *world = NULL;
    const char *name = def->method ? def->method : "";
    const OozeMethod *method = ooze_method_find(name);
    if (method) {
        return ooze_world_create_with(def, method, world, error);
    }
    OozeText hint = {0};
    ooze_text_append(&hint, "methods in this build:");
    for (int i = 0; i < ooze_method_list_count; i++) {
        ooze_text_append(&hint, "%s %s", i ? "," : "", ooze_method_list[i]->info.name);
    }
    OozeStatus status =
        ooze_fail(error, OOZE_ERROR_ARGUMENT, hint.data, "there is no method '%s'", name);
    ooze_text_clear(&hint);
    return status;
}

void ooze_world_destroy(OozeWorld *world)
{
    if (!world) {
        return;
    }
    ooze_world_close_engine(world);
    ooze_world_close_dynamics(world);
    if (world->method->destroy) {
        world->method->destroy(world->method_data);
    }
    for (int i = 0; i < world->materials.count; i++) {
        ooze_free(world->materials.items[i].name);
        ooze_free(world->materials.items[i].table);
    }
    for (int i = 0; i < world->solids.count; i++) {
        ooze_solid_free(&world->solids.items[i]);
    }
    for (int i = 0; i < world->joints.count; i++) {
        ooze_joint_free(&world->joints.items[i]);
    }
    for (int i = 0; i < world->emitters.count; i++) {
        ooze_emitter_free(&world->emitters.items[i]);
    }
    for (int i = 0; i < world->sinks.count; i++) {
        ooze_sink_free(&world->sinks.items[i]);
    }
    for (int i = 0; i < world->sources.count; i++) {
        ooze_heat_source_free(&world->sources.items[i]);
    }
    for (int i = 0; i < world->probes.count; i++) {
        ooze_probe_free(&world->probes.items[i]);
    }
    ooze_free(world->materials.items);
    ooze_free(world->presets.items);
    ooze_free(world->volumes.items);
    ooze_free(world->solids.items);
    ooze_free(world->joints.items);
    ooze_free(world->bodies.items);
    ooze_free(world->emitters.items);
    ooze_free(world->sinks.items);
    ooze_free(world->pushes.items);
    ooze_free(world->sources.items);
    ooze_free(world->probes.items);
    ooze_free(world->changes.items);
    ooze_boundary_free(&world->boundary);
    ooze_neighbours_free(&world->fluid);
    ooze_neighbours_free(&world->fluid_boundary);
    ooze_free(world->stress);
    ooze_free(world->loads);
    ooze_grid_destroy(world->grid);
    ooze_snapshot_destroy(world->snapshot);
    ooze_particles_destroy(world->particles);
    ooze_particles_destroy(world->arrivals);
    ooze_arena_destroy(world->arena);
    ooze_threads_destroy(world->threads);
    ooze_free(world->params);
    ooze_free(world->stated_params);
    ooze_free(world);
}

void *ooze_list_reserve(void **items, int count, int *capacity, size_t size)
{
    if (count == *capacity) {
        int wanted = *capacity ? 2 * *capacity : 8;
        void *grown = ooze_grow(*items, (size_t)count, (size_t)wanted, size);
        if (!grown) {
            return NULL;
        }
        *items = grown;
        *capacity = wanted;
    }
    void *item = (char *)*items + (size_t)count * size;
    memset(item, 0, size);
    return item;
}

/* ---- solver settings -------------------------------------------------------------------- */

static bool wants_field(const OozeWorld *world, int field)
{
    bool wants = false;
    for (int m = 0; m < world->materials.count; m++) {
        wants =
            wants || world->method->wants_field(world->params, &world->materials.items[m], field);
    }
    return wants;
}

/* Particles forget the numbers of a field that no material wants: they would be old when one wants
   it again. */
static OozeStatus forget_field(OozeWorld *world, const OozeFieldInfo *info, OozeError *error)
{
    const int field = ooze_particles_find_field(world->particles, info->name);
    OozeStatus status = field < 0 ? OOZE_OK : ooze_world_own_on_host(world, error);
    if (!status && field >= 0) {
        ooze_particles_reset_field(world->particles, field);
    }
    return status;
}

static OozeStatus change_param(OozeWorld *world, int index, double value, OozeError *error)
{
    const OozeMethod *method = world->method;
    const double before = world->params[index];
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < method->optional_field_count && !status; i++) {
        world->params[index] = before;
        const bool wanted = wants_field(world, i);
        world->params[index] = value;
        if (wanted && !wants_field(world, i)) {
            status = forget_field(world, &method->optional_fields[i], error);
        }
    }
    world->params[index] = status ? before : value;
    for (int m = 0; m < world->materials.count && !status; m++) {
        status = ooze_world_add_optional_fields(world, &world->materials.items[m], error);
    }
    return status;
}

OozeStatus ooze_world_set_param(OozeWorld *world, const char *key, double value, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    const OozeMethodInfo *info = &world->method->info;
    int index = 0;
    OozeStatus status =
        ooze_param_check(info->params, info->param_count, info->name, key, value, &index, error);
    status = status ? status : change_param(world, index, value, error);
    if (!status) {
        world->stated_params[index] = true;
    }
    return status;
}

/* Checks the key alone: the value passed on is always in range. */
static OozeStatus find_param(const OozeParamInfo *params, int count, const char *owner,
                             const char *key, int *index, OozeError *error)
{
    int known = key ? ooze_param_find(params, count, key) : -1;
    return ooze_param_check(params, count, owner, key, known < 0 ? 0.0 : params[known].min, index,
                            error);
}

OozeStatus ooze_world_get_param(const OozeWorld *world, const char *key, double *value,
                                OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(value, error);
    const OozeMethodInfo *info = &world->method->info;
    int index = 0;
    OozeStatus status = find_param(info->params, info->param_count, info->name, key, &index, error);
    if (!status) {
        *value = ooze_method_param(world->method, world->params, index);
    }
    return status;
}

/* ---- materials -------------------------------------------------------------------------- */

OozeStatus ooze_world_add_optional_fields(OozeWorld *world, const OozeMaterial *material,
                                          OozeError *error)
{
    const OozeMethod *method = world->method;
    for (int i = 0; i < method->optional_field_count; i++) {
        const OozeFieldInfo *info = &method->optional_fields[i];
        int field = ooze_particles_find_field(world->particles, info->name);
        if (field >= 0 || !method->wants_field(world->params, material, i)) {
            continue;
        }
        OozeStatus status = ooze_world_own_on_host(world, error);
        status = status ? status : ooze_particles_add_field(world->particles, info, &field, error);
        if (status) {
            return status;
        }
    }
    return OOZE_OK;
}

static OozeStatus check_material(const OozeMaterialDef *def, const char *name, OozeError *error)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < count; i++) {
        int index;
        OozeStatus status =
            ooze_param_check(params, count, name, params[i].key, def->values[i], &index, error);
        if (status) {
            return status;
        }
    }
    if (!ooze_color_is_valid(def->color)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "linear RGB, each 0 to 1",
                         "the colour of material '%s' is (%g, %g, %g)", name, (double)def->color[0],
                         (double)def->color[1], (double)def->color[2]);
    }
    if (!isnan(def->values[OOZE_MATERIAL_CONDUCTIVITY]) &&
        !isnan(def->values[OOZE_MATERIAL_DIFFUSIVITY])) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "leave one of them out",
                         "material '%s' has both a conductivity and a diffusivity of heat", name);
    }
    return ooze_temperature_table_check(def, error);
}

static OozeStatus copy_table(OozeMaterial *material, const OozeMaterialDef *def, OozeError *error)
{
    size_t count = (size_t)def->temperature_row_count;
    if (count == 0) {
        return OOZE_OK;
    }
    material->table = ooze_alloc(count, sizeof *material->table);
    if (!material->table) {
        return ooze_fail_memory(error, "a temperature table", count * sizeof *material->table);
    }
    memcpy(material->table, def->temperature_table, count * sizeof *material->table);
    material->table_count = def->temperature_row_count;
    return OOZE_OK;
}

OozeStatus ooze_world_add_material(OozeWorld *world, const OozeMaterialDef *def, OozeMaterialId *id,
                                   OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    const char *name = def->name ? def->name : "";
    OozeStatus checked = check_material(def, name, error);
    if (checked) {
        return checked;
    }
    if (world->materials.count >= UINT16_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials",
                         "a world holds at most %d materials", UINT16_MAX);
    }
    OozeMaterial *material = OOZE_LIST_RESERVE(world->materials);
    if (!material || !(material->name = ooze_copy_text(name))) {
        return ooze_fail_memory(error, "a material", sizeof *material);
    }
    memcpy(material->color, def->color, sizeof material->color);
    memcpy(material->values, def->values, sizeof material->values);
    OozeStatus status = copy_table(material, def, error);
    world->materials.count++; /* ooze_world_enable_heat_for looks at all materials */
    status = status ? status : ooze_world_enable_heat_for(world, material, error);
    status = status ? status : ooze_world_add_optional_fields(world, material, error);
    status = status ? status : ooze_world_add_preset(world, def, error);
    if (status) {
        world->materials.count--;
        ooze_free(material->name);
        ooze_free(material->table);
        return status;
    }
    if (id) {
        id->index = world->materials.count - 1;
    }
    return OOZE_OK;
}

static OozeStatus find_material(const OozeWorld *world, OozeMaterialId id, OozeMaterial **material,
                                OozeError *error)
{
    OozeStatus status = ooze_world_check_id(id.index, world->materials.count, "material", error);
    *material = status ? NULL : &world->materials.items[id.index];
    return status;
}

OozeStatus ooze_world_set_material(OozeWorld *world, OozeMaterialId id, const char *key,
                                   double value, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OozeMaterial *material = NULL;
    int count, index = 0;
    const OozeParamInfo *params = ooze_material_params(&count);
    OozeStatus status = find_material(world, id, &material, error);
    if (!status) {
        status = ooze_param_check(params, count, material->name, key, value, &index, error);
    }
    if (status) {
        return status;
    }
    double before = material->values[index];
    material->values[index] = value;
    status = ooze_world_enable_heat_for(world, material, error);
    status = status ? status : ooze_world_add_optional_fields(world, material, error);
    if (status) {
        material->values[index] = before;
        return status;
    }
    ooze_world_state_number(world, id.index, index);
    return OOZE_OK;
}

OozeStatus ooze_world_get_material(const OozeWorld *world, OozeMaterialId id, const char *key,
                                   double *value, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(value, error);
    OozeMaterial *material = NULL;
    int count, index = 0;
    const OozeParamInfo *params = ooze_material_params(&count);
    OozeStatus status = find_material(world, id, &material, error);
    if (!status) {
        status = find_param(params, count, material->name, key, &index, error);
    }
    if (!status) {
        *value = material->values[index];
    }
    return status;
}

/* ---- statistics ------------------------------------------------------------------------- */

OozeStatus ooze_world_keep_arrays(OozeWorld *world, bool keep, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    ooze_particles_keep_blocks(world->particles, keep);
    return OOZE_OK;
}

void ooze_world_stats(const OozeWorld *world, OozeWorldStats *stats)
{
    if (!world || !stats) {
        return;
    }
    uint64_t growing = ooze_particles_bytes(world->particles) + ooze_grid_bytes(world->grid) +
                       ooze_neighbours_bytes(&world->fluid) +
                       ooze_neighbours_bytes(&world->fluid_boundary) +
                       ooze_arena_bytes(world->arena);
    if (world->method->bytes) {
        growing += world->method->bytes(world->method_data);
    }
    OozeEngineFacts facts;
    world->engine->facts(world->engine_data, &facts);
    *stats = (OozeWorldStats){
        .particles = ooze_world_particle_count(world),
        .boundary_particles = world->boundary.count,
        .emitted = world->emitted,
        .removed = world->removed,
        .neighbour_pairs = facts.pairs + facts.wall_pairs,
        .boundary_pairs = facts.wall_pairs,
        .memory_bytes = sizeof *world + growing + ooze_boundary_bytes(&world->boundary),
        .particle_bytes = growing,
        .worst_density_error = world->report.worst_density_error,
        .mean_density_error = world->report.mean_density_error,
        .residual = world->report.residual,
        .iterations = world->report.iterations,
        .worst_residual = world->worst_residual,
        .unconverged_steps = world->unconverged_steps,
        .substeps = world->substep.count,
        .threads = ooze_threads_count(world->threads),
        .device = world->engine->name,
        .device_bytes = facts.bytes,
        .device_free_bytes = facts.free_bytes,
        .stage_count = OOZE_STAGE_COUNT,
        .stages = world->stages,
        .part_count = world->timer.part_count,
        .parts = world->timer.parts,
    };
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        stats->memory_bytes +=
            ooze_shape_bytes(solid->shape) + ooze_cell_samples_bytes(&solid->cell_samples);
    }
    for (int i = 0; i < world->sinks.count; i++) {
        stats->memory_bytes += ooze_shape_bytes(world->sinks.items[i].shape);
    }
}
