/* ooze run --dry-run: estimates time, memory and disk of a run from a short trial. */
#ifndef OOZE_CLI_DRY_RUN_H
#define OOZE_CLI_DRY_RUN_H

#include "ooze/scene.h"

/* `folder` may be NULL; writes no files. Returns the exit code. */
int ooze_dry_run(OozeWorld *world, const OozeSceneInfo *info, uint64_t last_frame,
                 const char *folder);

#endif
