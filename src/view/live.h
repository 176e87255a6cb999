/* A scene that runs while a page changes it. Every change is a row of the scene's `changes` or
   `pushes` at the time of its step, so that the saved scene runs to the same state. For one
   thread. */
#ifndef OOZE_VIEW_LIVE_H
#define OOZE_VIEW_LIVE_H

#include "output/frame_copy.h"
#include "view/parameters.h"

/* One row, as text. */
typedef struct OozeLiveRow {
    char *set, *to; /* NULL: a push; of a preset the path of the material and the name */
    double time, ramp;
    OozePushDef push;
    double *numbers; /* of a preset: all of the material `index`; otherwise NULL */
    int index;
} OozeLiveRow;

/* The state before an action of the user: a change, or a drag with its many changes. */
typedef struct OozeLiveAction {
    OozeFrameCopy copy;
    int row_count; /* before it */
} OozeLiveAction;

enum { OOZE_LIVE_ACTIONS_MAX = 32, OOZE_LIVE_ROWS_MAX = 8000 };

typedef struct OozeLive {
    OozeScene *scene;
    OozeWorld *world;
    OozeBuildOptions options;
    bool has_step_probes;
    OozeViewParameters parameters;
    OozeLiveRow *rows;
    int row_count, row_capacity;
    OozeLiveAction actions[OOZE_LIVE_ACTIONS_MAX]; /* oldest first */
    int action_count;
} OozeLive;

/* Loads and builds a scene; an error of the scene names its place. */
OozeStatus ooze_live_open(OozeLive *live, const char *path, const char *const *overrides,
                          int override_count, const OozeBuildOptions *options, OozeError *error);
void ooze_live_close(OozeLive *live);
/* Takes one step and measures probes, as `ooze run` does. */
OozeStatus ooze_live_step(OozeLive *live, OozeError *error);
/* Begins an action: undo returns to here. */
OozeStatus ooze_live_begin_action(OozeLive *live, OozeError *error);
/* Forgets the last action if nothing has come of it. */
void ooze_live_cancel_action(OozeLive *live);
/* Adds a row that acts from the next step on; `ramp` in s. */
OozeStatus ooze_live_change(OozeLive *live, const char *set, const char *to, double ramp,
                            OozeError *error);
/* Replaces all numbers of the material by those of a scene that states the preset, in the scene's
   method, with its settings. */
OozeStatus ooze_live_choose_preset(OozeLive *live, int material, const char *preset,
                                   OozeError *error);
OozeStatus ooze_live_push(OozeLive *live, OozeVec3 position, double radius, OozeVec3 velocity,
                          OozeError *error);
/* Builds the world anew, with the rows before the last action, and restores the state before it:
   nothing of what the action has added stays. */
OozeStatus ooze_live_undo(OozeLive *live, OozeError *error);
OozeStatus ooze_live_reset(OozeLive *live, OozeError *error);

/* Completes the frame, then writes a scene that runs to this state; `hash` is that of its last
   frame. */
OozeStatus ooze_live_save(OozeLive *live, OozeText *yaml, uint64_t *hash, OozeError *error);

#endif
