#include "view/live.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

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

static OozeStatus build(OozeLive *live, OozeError *error)
{
    OozeStatus status = ooze_scene_build(live->scene, &live->options, &live->world, error);
    live->has_step_probes = false;
    for (int i = 0; !status && i < ooze_world_probe_count(live->world); i++) {
        OozeProbeReading reading;
        status = ooze_world_probe(live->world, (OozeProbeId){i}, &reading, error);
        live->has_step_probes |= !status && reading.every_step;
    }
    return status ? status : ooze_world_measure(live->world, false, error);
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
        status = build(live, error);
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
    ooze_free(action->nozzles);
    *action = (OozeLiveAction){0};
}

static void drop_rows(OozeLive *live, int count)
{
    while (live->row_count > count) {
        OozeLiveRow *row = &live->rows[--live->row_count];
        ooze_free(row->set);
        ooze_free(row->to);
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

OozeStatus ooze_live_change(OozeLive *live, const char *set, const char *to, double ramp,
                            OozeError *error)
{
    OozeLiveRow *row = NULL;
    OozeStatus status = reserve_row(live, &row, error);
    if (status) {
        return status;
    }
    *row = (OozeLiveRow){ooze_copy_text(set), ooze_copy_text(to), live->world->time, ramp,
                         ooze_push_def_default()};
    if (!row->set || !row->to) {
        status = ooze_fail_memory(error, "a change", 0);
    } else {
        const OozeSceneChangeText text = {row->set, row->to, row->time, row->ramp};
        status = ooze_scene_change_world(live->scene, live->world, &text, error);
    }
    live->row_count++;
    if (status) {
        drop_rows(live, live->row_count - 1);
    }
    return status;
}

OozeStatus ooze_live_push(OozeLive *live, OozeVec3 position, double radius, OozeVec3 velocity,
                          OozeError *error)
{
    OozeLiveRow *row = NULL;
    OozePushDef push = {position, radius, velocity, live->world->time};
    OozeStatus status = reserve_row(live, &row, error);
    status = status ? status : ooze_world_add_push(live->world, &push, error);
    if (!status) {
        *row = (OozeLiveRow){.time = push.time, .push = push};
        live->row_count++;
    }
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
    const OozeWorld *world = live->world;
    make_room(live);
    const OozeFrame *frame = ooze_world_frame(live->world);
    OozeLiveAction action = {.row_count = live->row_count,
                             .change_count = world->changes.count,
                             .push_count = world->pushes.count,
                             .gravity = world->def.gravity,
                             .air = {world->def.air_temperature, world->def.air_transfer}};
    action.nozzles = ooze_alloc((size_t)world->emitters.count + 1, sizeof *action.nozzles);
    if (!frame || !action.nozzles) {
        ooze_free(action.nozzles);
        return ooze_fail_memory(error, "a state to return to", 0);
    }
    for (int i = 0; i < world->emitters.count; i++) {
        action.nozzles[i] = world->emitters.items[i].motion.position;
    }
    OozeStatus status = ooze_frame_copy(&action.copy, frame, NULL, error);
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

OozeStatus ooze_live_undo(OozeLive *live, OozeError *error)
{
    OozeWorld *world = live->world;
    if (live->action_count == 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "there is no change to undo");
    }
    OozeLiveAction *action = &live->actions[live->action_count - 1];
    ooze_world_drop_changes(world, action->change_count, action->push_count);
    world->def.gravity = action->gravity;
    world->def.air_temperature = action->air[0];
    world->def.air_transfer = action->air[1];
    for (int i = 0; i < world->emitters.count; i++) {
        world->emitters.items[i].motion.position = action->nozzles[i];
    }
    OozeStatus status = ooze_world_restore(world, &action->copy.frame, error);
    if (!status) {
        status = ooze_world_measure(world, false, error); /* readings of this time are shown */
    }
    if (!status) { /* what probes keep from one reading to the next is not that of an extra one */
        status = ooze_world_restore(world, &action->copy.frame, error);
    }
    drop_rows(live, action->row_count);
    free_action(action);
    live->action_count--;
    return status;
}

OozeStatus ooze_live_reset(OozeLive *live, OozeError *error)
{
    OozeWorld *before = live->world;
    live->world = NULL;
    OozeStatus status = build(live, error);
    if (status) { /* such as of memory: the session goes on with what it has */
        ooze_world_destroy(live->world);
        live->world = before;
        return status;
    }
    forget(live);
    ooze_world_destroy(before);
    return OOZE_OK;
}
