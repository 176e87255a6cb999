/* What became of a material with a preset in the scene's method. */
#ifndef OOZE_SCENE_DERIVE_H
#define OOZE_SCENE_DERIVE_H

#include "methods/flow.h"
#include "scene/scene.h"

struct OozeSceneDerived {
    bool preset;       /* it has one */
    OozeFlow measured; /* of the preset's numbers, where the method derives its own; 0 otherwise */
    unsigned shown;    /* effects that the method's numbers show: effects.h */
};

/* What a scene has that states a preset and nothing else for a material. */
typedef struct OozeScenePreset {
    double values[OOZE_MATERIAL_PARAM_COUNT]; /* numbers of the material */
    /* Settings of the method that go with it; NAN: as they are. Where another material flows as
       well all are NAN: the numbers of that one go with the present settings. */
    double params[OOZE_SCENE_PARAMS_MAX];
} OozeScenePreset;

/* `params`: present settings of the method. */
OozeStatus ooze_scene_preset(OozeScene *scene, const double *params, int material, const char *name,
                             OozeScenePreset *preset, OozeError *error);

#endif
