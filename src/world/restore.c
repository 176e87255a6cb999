/* Restores a world from a frame. The whole frame is checked before the world is changed. */
#include <math.h>
#include <string.h>

#include "world/frame.h"
#include "world/snapshot.h"

/* ---- checking -------------------------------------------------------------------------------- */

/* A particle of body k must have one of the body's ids. */
static OozeStatus check_bodies(const OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    const OozeFieldView *body = ooze_frame_field(frame, "body");
    const OozeFieldView *pin = ooze_frame_field(frame, "pin");
    const OozeFieldView *ids = ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_ID].name);
    for (uint64_t i = 0; world->body_field >= 0 && i < frame->particle_count; i++) {
        double number = ooze_field_value(body, i, 0);
        if (number > world->bodies.count || ooze_field_value(pin, i, 0) > world->solids.count) {
            return ooze_state_fail_mismatch(
                error, "a particle belongs to a body or solid that does not exist");
        }
        uint64_t id = ((const uint64_t *)ids->data)[i * (uint64_t)ids->stride];
        const OozeBody *its = number > 0.0 ? &world->bodies.items[(int)number - 1] : NULL;
        if (its && (id < its->first_id || id - its->first_id >= its->count)) {
            return ooze_state_fail_mismatch(error,
                                            "a particle of a body has an id of another body");
        }
    }
    return OOZE_OK;
}

static bool has_field(const OozeFieldInfo *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Fields of the method may be missing: the frame is of an earlier version, or its materials and
   settings did not need them. Particles then have the initial value. */
static bool may_be_missing(const OozeMethod *method, const char *field)
{
    return has_field(method->fields, method->field_count, field) ||
           has_field(method->optional_fields, method->optional_field_count, field);
}

/* Adds the fields of the frame that the world does not need yet: the saved numbers of a material or
   settings may differ from the scene's. */
static OozeStatus add_optional_fields(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->method->optional_field_count && !status; i++) {
        const OozeFieldInfo *info = &world->method->optional_fields[i];
        int field = ooze_particles_find_field(world->particles, info->name);
        if (field < 0 && ooze_frame_field(frame, info->name)) {
            status = ooze_world_own_on_host(world, error);
            status =
                status ? status : ooze_particles_add_field(world->particles, info, &field, error);
        }
    }
    return status;
}

static const OozeGoneField *gone_field(const OozeMethod *method, const OozeFieldView *view)
{
    const OozeGoneField *gone = NULL;
    for (int i = 0; i < method->gone_field_count && !gone; i++) {
        const OozeGoneField *one = &method->gone_fields[i];
        bool same = strcmp(one->name, view->name) == 0 && one->components == view->components;
        gone = same && view->type == OOZE_FIELD_FLOAT32 ? one : NULL;
    }
    return gone;
}

static OozeStatus check_fields(const OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    for (int i = 0; i < ooze_particles_field_count(world->particles); i++) {
        const OozeFieldInfo *info = ooze_particles_field_info(world->particles, i);
        const OozeFieldView *view = ooze_frame_field(frame, info->name);
        if (info->saved && !view && !may_be_missing(world->method, info->name)) {
            return ooze_state_fail_mismatch(error, "it lacks the field '%s'", info->name);
        }
        if (info->saved && view &&
            (view->type != info->type || view->components != info->components ||
             view->count != frame->particle_count)) {
            return ooze_state_fail_mismatch(error, "the field '%s' has another type or shape",
                                            info->name);
        }
    }
    for (int i = 0; i < frame->field_count; i++) {
        const char *name = frame->fields[i].name;
        int field = ooze_particles_find_field(world->particles, name);
        if (gone_field(world->method, &frame->fields[i]) &&
            frame->fields[i].count == frame->particle_count) {
            continue;
        }
        if (field < 0 || !ooze_particles_field_info(world->particles, field)->saved) {
            return ooze_state_fail_unknown(error, "particles", name);
        }
    }
    return OOZE_OK;
}

static OozeStatus check_arrays(const OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    for (int i = 0; i < world->method->array_count; i++) {
        const OozeFieldInfo *info = &world->method->arrays[i];
        const OozeFieldView *view = ooze_frame_state(frame, info->name);
        if (!view || view->type != info->type || view->components != info->components ||
            view->stride != view->components || (view->count > 0 && !view->data)) {
            return ooze_state_fail_mismatch(error, "'%s' %s", info->name,
                                            view ? "has another type or shape" : "is missing");
        }
    }
    return OOZE_OK;
}

static OozeStatus check_particles(const OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    const OozeFieldView *material =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name);
    const OozeFieldView *x = ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_POSITION].name);
    const OozeFieldView *v = ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_VELOCITY].name);
    const OozeFieldView *t =
        world->temperature_field < 0 ? NULL : ooze_frame_field(frame, "temperature");
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        if (t && !isfinite(ooze_field_value(t, i, 0))) {
            return ooze_state_fail_mismatch(error, "a temperature is not finite");
        }
        for (int k = 0; k < 3; k++) {
            if (!isfinite(ooze_field_value(x, i, k)) || !isfinite(ooze_field_value(v, i, k))) {
                return ooze_state_fail_mismatch(error, "a position or velocity is not finite");
            }
        }
        if (ooze_field_value(material, i, 0) >= world->materials.count) {
            return ooze_state_fail_mismatch(error, "a particle has a material that does not exist");
        }
    }
    return check_bodies(world, frame, error);
}

static OozeStatus check_frame(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    if (!frame->method || strcmp(frame->method, world->method->info.name) != 0) {
        return ooze_state_fail_mismatch(error, "it was made by another method");
    }
    if (frame->spacing != world->def.spacing || frame->support != world->support) {
        return ooze_state_fail_mismatch(error, "spacing or kernel support differ");
    }
    if (frame->solid_count != world->solids.count) {
        return ooze_state_fail_mismatch(error, "it has %d solids instead of %d", frame->solid_count,
                                        world->solids.count);
    }
    OozeStatus status = check_fields(world, frame, error);
    status = status ? status : ooze_state_check(world, frame, error);
    status = status ? status : check_arrays(world, frame, error);
    return status ? status : check_particles(world, frame, error);
}

/* ---- restoring ------------------------------------------------------------------------------- */

static void restore_field(OozeWorld *world, int field, const OozeFieldView *view)
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

static OozeStatus restore_particles(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    world->data_location = OOZE_DATA_ON_HOST; /* the engine's particles are outdated */
    OozeStatus status = ooze_particles_resize(world->particles, frame->particle_count, error);
    for (int i = 0; i < ooze_particles_field_count(world->particles) && !status; i++) {
        const OozeFieldInfo *info = ooze_particles_field_info(world->particles, i);
        const OozeFieldView *view = ooze_frame_field(frame, info->name);
        if (info->saved && view) {
            restore_field(world, i, view);
        }
    }
    return status;
}

static OozeStatus restore_tables(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    const uint64_t *counters = world->snapshot->counters;
    for (int i = 0; i < world->solids.count; i++) {
        world->solids.items[i].pose = ooze_pose_from_public(&frame->solids[i].pose);
    }
    ooze_state_restore(world, frame); /* solid_spin: without the rounding of deg/s */
    ooze_particles_set_next_id(world->particles, counters[OOZE_STATE_NEXT_ID]);
    world->emitted = counters[OOZE_STATE_EMITTED];
    world->removed = counters[OOZE_STATE_REMOVED];
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->materials.count && !status; i++) {
        status = ooze_world_add_optional_fields(world, &world->materials.items[i], error);
    }
    return status;
}

/* After the settings are restored, which say what the numbers of a field mean. */
static void convert_gone_fields(OozeWorld *world, const OozeFrame *frame)
{
    OozeStepContext context = ooze_world_step_context(world);
    for (int i = 0; i < frame->field_count; i++) {
        const OozeGoneField *gone = gone_field(world->method, &frame->fields[i]);
        if (gone) {
            gone->convert(&context, &frame->fields[i]);
        }
    }
}

static OozeStatus restore_arrays(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    const OozeMethod *method = world->method;
    const OozeFieldView *views[OOZE_METHOD_ARRAYS_MAX];
    for (int i = 0; i < method->array_count; i++) {
        views[i] = ooze_frame_state(frame, method->arrays[i].name);
    }
    OozeStepContext context = ooze_world_step_context(world);
    return method->array_count == 0 ? OOZE_OK
                                    : method->restore(world->method_data, &context, views, error);
}

OozeStatus ooze_world_restore(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(frame, error);
    OozeSnapshot *snapshot = ooze_world_snapshot(world);
    if (!snapshot) {
        return ooze_fail_memory(error, "the frame view", sizeof *snapshot);
    }
    if (frame == &snapshot->frame) {
        return OOZE_OK; /* the world is in this state already */
    }
    OozeStatus status = ooze_frame_check_arrays(frame, error);
    status = status ? status : add_optional_fields(world, frame, error);
    status = status ? status : check_frame(world, frame, error);
    status = status ? status : restore_particles(world, frame, error);
    ooze_world_begin_restoring_presets(world);
    status = status ? status : restore_tables(world, frame, error);
    if (status) {
        return status;
    }
    ooze_world_end_restoring_presets(world);
    convert_gone_fields(world, frame);
    world->step = frame->step;
    world->time = (double)world->step * world->def.time_step;
    world->needs_wrap = frame->step == 0;
    world->report = world->substep_report = ooze_step_report_none();
    world->boundary_stale = true;
    return restore_arrays(world, frame, error);
}
