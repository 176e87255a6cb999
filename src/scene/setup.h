/* Spacing, settings, materials and their flows of a scene, before there is a world. */
#ifndef OOZE_SCENE_SETUP_H
#define OOZE_SCENE_SETUP_H

#include "scene/scales.h"

typedef struct OozeSceneSetup {
    OozeScene *scene;
    const OozeMethod *method;
    const OozeMaterial *materials; /* as the scene defines them */
    OozeStepContext context;       /* with materials at one temperature each */
    OozeFlow *flows;
    double params[OOZE_SCENE_PARAMS_MAX];
    const OozeSceneScales *scales;
} OozeSceneSetup;

/* All but the flows, which depend on the time step. False: out of memory. */
bool ooze_scene_setup(OozeScene *scene, OozeSceneSetup *setup);
/* Sets the materials at temperature i of the scene (0: the lowest), the time step and the flows.
   False past the last temperature. Must be repeated after a copy: the context points into the
   setup. */
bool ooze_scene_setup_step(OozeSceneSetup *setup, int i, double dt);
/* The flow of a material as the method shows it; `flows` are those of the numbers as given. */
OozeFlow ooze_scene_setup_flow(const OozeSceneSetup *setup, int material);

#endif
