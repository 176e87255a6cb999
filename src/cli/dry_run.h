/* ooze run --dry-run: what a run would need, told from the built world and a short trial. */
#ifndef OOZE_CLI_DRY_RUN_H
#define OOZE_CLI_DRY_RUN_H

#include "ooze/scene.h"

/* `folder` may be NULL; nothing is written anywhere. Returns the exit code. */
int ooze_dry_run(OozeWorld *world, const OozeSceneInfo *info, uint64_t last_frame,
                 const char *folder);

#endif
