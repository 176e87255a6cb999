/* How large and how fast the fluid of each material is in a scene, from its definitions alone: no
   world is built, so that it can be asked before one is. */
#ifndef OOZE_SCENE_SCALES_H
#define OOZE_SCENE_SCALES_H

#include "methods/flow.h"
#include "scene/scene.h"

typedef struct OozeSceneScale {
    OozeFlowScale scale;
    const char *length_from; /* "nozzle 'jet'"; "" */
    const char *strike_from; /* "fluid 'drop' falls 0.2 m"; "" where nothing moves it */
    const char *pour_from;   /* "falls 0.2 m from nozzle 'jet'"; "" */
} OozeSceneScale;

/* What moves of itself: thrown fluid, nozzles, solids. */
typedef struct OozeSceneFastest {
    double speed;
    const char *kind, *name;
} OozeSceneFastest;

struct OozeSceneScales {
    OozeSceneScale *materials; /* in order */
    OozeSceneFastest fastest;
};

/* Found once, kept with the scene; NULL: out of memory. What cannot be read is left out: building
   the world will tell. */
const OozeSceneScales *ooze_scene_scales(OozeScene *scene);

/* Smallest width of a nozzle's opening, m; NAN where the outline is a shape. */
double ooze_nozzle_width(const OozeEmitterDef *def);

#endif
