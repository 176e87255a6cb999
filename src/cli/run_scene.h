/* Comparison of the scene of a run with the one given now. */
#ifndef OOZE_CLI_RUN_SCENE_H
#define OOZE_CLI_RUN_SCENE_H

#include "ooze/scene.h"

typedef struct OozeRunScene {
    const char *original; /* path of the scene that the run was started with */
    const char *kept;     /* its text */
    const char *folder;   /* of the run */
    const char *given;    /* path of the scene given now; NULL: that of the folder */
} OozeRunScene;

/* Prints the difference where there is one; returns the exit code. */
int ooze_run_check_scene(const OozeScene *scene, const OozeRunScene *run);

#endif
