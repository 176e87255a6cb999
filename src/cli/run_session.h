/* A running simulation with its folder: steps, frames, checkpoints, interrupts. */
#ifndef OOZE_CLI_RUN_SESSION_H
#define OOZE_CLI_RUN_SESSION_H

#include "base/ranks.h"
#include "cli/probe_table.h"
#include "cli/progress.h"
#include "cli/run_log.h"
#include "cli/run_output.h"
#include "ooze/scene.h"

typedef struct OozeRunSession {
    const OozeSceneInfo *info;
    OozeWorld *world;
    OozeRunFolder *folder; /* of another rank than 0: to restore a state from, or NULL */
    OozeRunLog *log;
    uint64_t last_frame;     /* last frame of the run */
    double checkpoint_every; /* s of wall clock; 0: only when interrupted */
    bool quiet;
    bool fills;           /* frames that are missing or damaged after `from_frame` are made first */
    uint64_t from_frame;  /* a frame of the folder */
    OozeMeshing *meshing; /* of each frame after it is written; NULL: none */
    OozeRanks *ranks;     /* rank 0 writes; the others take the same steps; NULL: one process */

    OozeProbeTable frame_rows, step_rows; /* step_rows stays closed without probes of every step */
    bool has_step_probes;
    uint64_t step, first_step; /* current, and at the beginning of the session */
    double began, saved;       /* clock: beginning, last frame or checkpoint */
    OozeRunOutput output;
    OozeProgress progress;
} OozeRunSession;

/* Restores the latest state of the folder (`resume`) or writes frame 0. `*resumed`: a state was
   found. */
OozeStatus ooze_run_session_begin(OozeRunSession *session, bool resume, bool *resumed,
                                  OozeError *error);
/* Steps to the last frame. OOZE_ERROR_CANCELLED: stopped by a signal, after a checkpoint. */
OozeStatus ooze_run_session_advance(OozeRunSession *session, OozeError *error);
/* Writes run.xdmf and deletes a checkpoint that is not later than the last frame. Also called for a
   resumed run that has no steps left, because its process may have been killed before this. */
OozeStatus ooze_run_session_finish(OozeRunSession *session, OozeError *error);
void ooze_run_session_end(OozeRunSession *session);

/* The profile: milliseconds per step and percentage of each stage and its parts, and the time for
   output. */
void ooze_run_profile(const OozeRunSession *session, OozeText *table);
/* A warning where velocity solves ended above their tolerance; empty elsewhere. */
void ooze_run_solver_report(const OozeRunSession *session, OozeText *table);

#endif
