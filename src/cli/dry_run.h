/* ooze run --dry-run: estimates time, memory and disk of a run from a short trial. */
#ifndef OOZE_CLI_DRY_RUN_H
#define OOZE_CLI_DRY_RUN_H

#include "ooze/scene.h"

typedef struct OozeDryRun {
    OozeScene *scene;
    OozeWorld *world; /* of ooze_scene_build_counted */
    const OozeBuildOptions *options;
    uint64_t last_frame;
    const char *folder; /* of the run; NULL: not known yet */
    int processes;      /* that share it */
} OozeDryRun;

/* Prints the estimate and writes no files. Returns the exit code. A world whose fluids are only
   counted stays empty: steps are timed in a smaller copy of the scene. */
int ooze_dry_run(const OozeDryRun *plan);

#endif
