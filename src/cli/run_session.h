/* A running simulation with its folder: stepping, saving, stopping in order. */
#ifndef OOZE_CLI_RUN_SESSION_H
#define OOZE_CLI_RUN_SESSION_H

#include "cli/probe_table.h"
#include "cli/progress.h"
#include "cli/run_log.h"
#include "cli/run_output.h"
#include "ooze/scene.h"

typedef struct OozeRunSession {
    const OozeSceneInfo *info;
    OozeWorld *world;
    OozeRunFolder *folder;
    OozeRunLog *log;
    uint64_t last_frame;     /* the run ends with this one */
    double checkpoint_every; /* s of wall clock; 0: only when interrupted */
    bool quiet;
    OozeMeshing *meshing; /* of each frame as soon as it is written; NULL: none */

    OozeProbeTable frame_rows, step_rows; /* step_rows stays closed without probes of every step */
    bool has_step_probes;
    uint64_t step, first_step; /* now, and where this session took over */
    double began, saved;       /* clock: start of the run, last frame or checkpoint */
    OozeRunOutput output;
    OozeProgress progress;
} OozeRunSession;

/* Puts the world into the latest state of its folder (`resume`) or writes frame 0. `*resumed` tells
   whether a state was found. */
OozeStatus ooze_run_session_begin(OozeRunSession *session, bool resume, bool *resumed,
                                  OozeError *error);
/* Steps to the last frame. OOZE_ERROR_CANCELLED: stopped by a signal, after a checkpoint. */
OozeStatus ooze_run_session_advance(OozeRunSession *session, OozeError *error);
/* Brings the index up to date and drops a checkpoint no later than the last frame. A kill right after
   the last frame leaves this to the next resume. */
OozeStatus ooze_run_session_finish(OozeRunSession *session, OozeError *error);
void ooze_run_session_end(OozeRunSession *session);

/* The profile: milliseconds a step and share of every stage, what output cost the steps as its own row,
   and a line on what it did beside them; a line about the solver where it ended at its cap. */
void ooze_run_profile(const OozeRunSession *session, OozeText *table);

#endif
