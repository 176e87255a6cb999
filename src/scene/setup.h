/* Spacing, settings, materials and their flows of a scene, before there is a world. */
#ifndef OOZE_SCENE_SETUP_H
#define OOZE_SCENE_SETUP_H

#include "scene/scales.h"

typedef struct OozeSceneSetup {
    OozeScene *scene;
    const OozeMethod *method;
    OozeStepContext context;
    OozeFlow *flows;
    double params[OOZE_SCENE_PARAMS_MAX];
    const OozeSceneScales *scales;
} OozeSceneSetup;

/* All but the flows, which depend on the time step. False: out of memory. */
bool ooze_scene_setup(OozeScene *scene, OozeSceneSetup *setup);
/* Sets the time step and the flows. Must be repeated after a copy: the context points into the
   setup. */
void ooze_scene_setup_step(OozeSceneSetup *setup, double dt);

#endif
