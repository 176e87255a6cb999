#include "view/live.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "scene/derive.h"

/* The first error of a scene, with its place. */
static OozeStatus fail_scene(const OozeScene *scene, const OozeError *cause, OozeError *error)
{
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        const OozeDiagnostic *d = ooze_scene_diagnostic(scene, i);
        if (d->severity == OOZE_SEVERITY_ERROR) {
            return ooze_fail(error, OOZE_ERROR_SCENE, d->hint, "%s:%d:%d: %s", d->file, d->line,
                             d->column, d->message);
        }
    }
    if (error) {
        *error = *cause;
    }
    return cause->status;
}

/* ---- building ---------------------------------------------------------------------------- */

/* Adds all numbers of a material to the world, or none where a step would refuse them. */
static OozeStatus add_numbers(OozeWorld *world, const OozeLiveRow *row, OozeError *error)
{
    int mark = ooze_world_mark_changes(world);
    OozeStatus status =
        ooze_world_add_material_change(world, row->index, row->numbers, row->time, error);
    const OozeChangeDef first = {.target = OOZE_CHANGE_MATERIAL,
                                 .index = row->index,
                                 .key = ooze_material_params(NULL)[0].key,
                                 .value = row->numbers[0],
                                 .time = row->time};
    status = status ? status : ooze_world_check_change(world, &first, error); /* with the others */
    if (status) {
        ooze_world_drop_changes(world, mark);
    }
    return status;
}

/* Adds one row to the world. */
static OozeStatus add_to_world(const OozeLive *live, OozeWorld *world, const OozeLiveRow *row,
                               OozeError *error)
{
    if (row->numbers) {
        return add_numbers(world, row, error);
    }
    if (!row->set) {
        return ooze_world_add_push(world, &row->push, error);
    }
    const OozeSceneChangeText text = {row->set, row->to, row->time, row->ramp};
    return ooze_scene_change_world(live->scene, world, &text, error);
}

/* The world of the scene, with the first rows of the session, in the state of `frame`; NULL: at the
   beginning. */
static OozeStatus build(const OozeLive *live, int row_count, const OozeFrame *frame,
                        OozeWorld **world, OozeError *error)
{
    OozeBuildOptions options = live->options;
    options.to_be_restored = frame != NULL;
    OozeStatus status = ooze_scene_build(live->scene, &options, world, error);
    for (int i = 0; i < row_count && !status; i++) {
        status = add_to_world(live, *world, &live->rows[i], error);
    }
    if (!status && (*world)->method->records_stress) {
        ooze_world_record_stress(*world); /* for a page that asks for it between two steps */
    }
    if (!status && frame) {
        status = ooze_world_restore(*world, frame, error);
    }
    if (!status) {
        status = ooze_world_measure(*world, false, error); /* readings of this time are shown */
    }
    if (!status && frame) { /* what probes keep between readings is not that of an extra one */
        status = ooze_world_restore(*world, frame, error);
    }
    if (status) {
        ooze_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

static OozeStatus find_step_probes(OozeLive *live, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; !status && i < ooze_world_probe_count(live->world); i++) {
        OozeProbeReading reading;
        status = ooze_world_probe(live->world, (OozeProbeId){i}, &reading, error);
        live->has_step_probes |= !status && reading.every_step;
    }
    return status;
}

OozeStatus ooze_live_open(OozeLive *live, const char *path, const char *const *overrides,
                          int override_count, const OozeBuildOptions *options, OozeError *error)
{
    OozeError cause = {0};
    *live = (OozeLive){.options = *options};
    OozeStatus status = ooze_scene_load(path, overrides, override_count, &live->scene, &cause);
    if (status) {
        fail_scene(live->scene, &cause, error);
    } else {
        status = build(live, 0, NULL, &live->world, error);
        status = status ? status : find_step_probes(live, error);
        status = status ? status
                        : ooze_view_parameters_create(&live->parameters, live->scene, live->world,
                                                      error);
    }
    if (status) {
        ooze_live_close(live);
    }
    return status;
}

static void free_action(OozeLiveAction *action)
{
    ooze_frame_copy_free(&action->copy);
    *action = (OozeLiveAction){0};
}

static void drop_rows(OozeLive *live, int count)
{
    while (live->row_count > count) {
        OozeLiveRow *row = &live->rows[--live->row_count];
        ooze_free(row->set);
        ooze_free(row->to);
        ooze_free(row->numbers);
    }
}

static void forget(OozeLive *live)
{
    drop_rows(live, 0);
    while (live->action_count > 0) {
        free_action(&live->actions[--live->action_count]);
    }
}

void ooze_live_close(OozeLive *live)
{
    forget(live);
    ooze_free(live->rows);
    ooze_view_parameters_free(&live->parameters);
    ooze_world_destroy(live->world);
    ooze_scene_free(live->scene);
    *live = (OozeLive){0};
}

/* ---- stepping ---------------------------------------------------------------------------- */

OozeStatus ooze_live_step(OozeLive *live, OozeError *error)
{
    OozeStatus status = ooze_world_step(live->world, error);
    bool at_frame = live->world->step % live->scene->info.steps_per_frame == 0;
    if (!status && (at_frame || live->has_step_probes)) {
        status = ooze_world_measure(live->world, !at_frame, error);
    }
    return status;
}

/* ---- rows -------------------------------------------------------------------------------- */

static OozeStatus reserve_row(OozeLive *live, OozeLiveRow **row, OozeError *error)
{
    if (live->row_count >= OOZE_LIVE_ROWS_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "save the scene, or reset it",
                         "a session takes at most %d changes", OOZE_LIVE_ROWS_MAX);
    }
    *row =
        ooze_list_reserve((void **)&live->rows, live->row_count, &live->row_capacity, sizeof **row);
    return *row ? OOZE_OK : ooze_fail_memory(error, "a change", sizeof **row);
}

/* Adds the row, which has been reserved, to the world; frees its texts where that fails. */
static OozeStatus add_row(OozeLive *live, const OozeLiveRow *row, OozeError *error)
{
    OozeStatus status = row->set && row->to ? add_to_world(live, live->world, row, error)
                                            : ooze_fail_memory(error, "a change", 0);
    live->row_count++;
    if (status) {
        drop_rows(live, live->row_count - 1);
    }
    return status;
}

OozeStatus ooze_live_change(OozeLive *live, const char *set, const char *to, double ramp,
                            OozeError *error)
{
    OozeLiveRow *row = NULL;
    OozeStatus status = reserve_row(live, &row, error);
    if (status) {
        return status;
    }
    *row = (OozeLiveRow){.set = ooze_copy_text(set),
                         .to = ooze_copy_text(to),
                         .time = live->world->time,
                         .ramp = ramp};
    return add_row(live, row, error);
}

static OozeStatus change_numbers(OozeLive *live, int material, const char *preset,
                                 const double *numbers, OozeError *error)
{
    size_t bytes = OOZE_MATERIAL_PARAM_COUNT * sizeof *numbers;
    OozeLiveRow *row = NULL;
    OozeStatus status = reserve_row(live, &row, error);
    double *copy = status ? NULL : ooze_alloc(1, bytes);
    if (status || !copy) {
        return status ? status : ooze_fail_memory(error, "a change", bytes);
    }
    memcpy(copy, numbers, bytes);
    OozeText path = {0};
    ooze_text_append(&path, "materials.%s", live->scene->def.materials[material].name);
    *row = (OozeLiveRow){.set = path.failed ? NULL : ooze_copy_text(path.data),
                         .to = ooze_copy_text(preset),
                         .time = live->world->time,
                         .numbers = copy,
                         .index = material};
    ooze_text_clear(&path);
    return add_row(live, row, error);
}

/* Settings of the method that go with a preset; those that are so already are left out. */
static OozeStatus change_settings(OozeLive *live, const double *params, OozeError *error)
{
    OozeKey key;
    OozeStatus status = OOZE_OK;
    for (int i = 0; !status && ooze_scene_change_row(live->scene, OOZE_CHANGE_METHOD, i, &key);
         i++) {
        int param = ooze_param_find(live->world->method->info.params,
                                    live->world->method->info.param_count, key.key);
        if (param < 0 || isnan(params[param]) || params[param] == live->world->params[param]) {
            continue;
        }
        OozeText set = {0}, to = {0};
        key.offset = 0;
        ooze_text_append(&set, "method.%s", key.key);
        ooze_value_write(&to, &key, &params[param]);
        status = set.failed || to.failed ? ooze_fail_memory(error, "a change", 0)
                                         : ooze_live_change(live, set.data, to.data, 0.0, error);
        ooze_text_clear(&set);
        ooze_text_clear(&to);
    }
    return status;
}

OozeStatus ooze_live_choose_preset(OozeLive *live, int material, const char *preset,
                                   OozeError *error)
{
    OozeScenePreset chosen;
    int rows = live->row_count, mark = ooze_world_mark_changes(live->world);
    OozeStatus status =
        ooze_scene_preset(live->scene, live->world->params, material, preset, &chosen, error);
    status = status ? status : change_settings(live, chosen.params, error);
    status = status ? status : change_numbers(live, material, preset, chosen.values, error);
    if (status) {
        drop_rows(live, rows);
        ooze_world_drop_changes(live->world, mark);
    }
    return status;
}

OozeStatus ooze_live_push(OozeLive *live, OozeVec3 position, double radius, OozeVec3 velocity,
                          OozeError *error)
{
    OozeLiveRow *row = NULL;
    double time = live->world->time;
    OozeStatus status = reserve_row(live, &row, error);
    if (!status) {
        *row = (OozeLiveRow){.time = time, .push = {position, radius, velocity, time}};
        status = add_to_world(live, live->world, row, error);
    }
    live->row_count += !status;
    return status;
}

/* ---- undo -------------------------------------------------------------------------------- */

static void drop_oldest_action(OozeLive *live)
{
    free_action(&live->actions[0]);
    live->action_count--;
    memmove(live->actions, live->actions + 1, (size_t)live->action_count * sizeof *live->actions);
    live->actions[live->action_count] = (OozeLiveAction){0};
}

/* At most 512 MiB of states are kept. */
static void make_room(OozeLive *live)
{
    uint64_t bytes = 0;
    for (int i = 0; i < live->action_count; i++) {
        bytes += ooze_frame_copy_bytes(&live->actions[i].copy);
    }
    if (live->action_count == OOZE_LIVE_ACTIONS_MAX ||
        (live->action_count > 1 && bytes > (uint64_t)512 << 20)) {
        drop_oldest_action(live);
    }
}

OozeStatus ooze_live_begin_action(OozeLive *live, OozeError *error)
{
    make_room(live);
    const OozeFrame *frame = ooze_world_frame(live->world);
    OozeLiveAction action = {.row_count = live->row_count};
    OozeStatus status = frame ? ooze_frame_copy(&action.copy, frame, NULL, error)
                              : ooze_fail_memory(error, "a state to return to", 0);
    if (status) {
        free_action(&action);
        return status;
    }
    live->actions[live->action_count++] = action;
    return OOZE_OK;
}

void ooze_live_cancel_action(OozeLive *live)
{
    OozeLiveAction *last = live->action_count > 0 ? &live->actions[live->action_count - 1] : NULL;
    if (last && last->row_count == live->row_count) {
        free_action(last);
        live->action_count--;
    }
}

/* If that fails, the session keeps the world that it has. */
static OozeStatus replace_world(OozeLive *live, int row_count, const OozeFrame *frame,
                                OozeError *error)
{
    OozeWorld *world = NULL;
    OozeStatus status = build(live, row_count, frame, &world, error);
    if (!status) {
        ooze_world_destroy(live->world);
        live->world = world;
        drop_rows(live, row_count);
    }
    return status;
}

OozeStatus ooze_live_undo(OozeLive *live, OozeError *error)
{
    if (live->action_count == 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "there is no change to undo");
    }
    OozeLiveAction *action = &live->actions[live->action_count - 1];
    OozeStatus status = replace_world(live, action->row_count, &action->copy.frame, error);
    if (!status) {
        free_action(action);
        live->action_count--;
    }
    return status;
}

OozeStatus ooze_live_reset(OozeLive *live, OozeError *error)
{
    OozeStatus status = replace_world(live, 0, NULL, error);
    if (!status) {
        forget(live);
    }
    return status;
}
