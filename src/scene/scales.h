/* Length and speed scales of the fluid of each material, from the definitions of a scene alone:
   they are needed before a world is built. */
#ifndef OOZE_SCENE_SCALES_H
#define OOZE_SCENE_SCALES_H

#include "scene/scene.h"
#include "world/scales.h"

typedef struct OozeSceneScale {
    OozeFlowScale scale;
    /* The items that determine the scales, for messages; "": none. */
    const char *length_from; /* "nozzle 'jet'" */
    const char *strike_from; /* "fluid 'drop' falls 0.2 m" */
    const char *pour_from;   /* "falls 0.2 m from nozzle 'jet'" */
} OozeSceneScale;

/* The largest prescribed speed: initial velocities of fluid, nozzles, motions of solids. */
typedef struct OozeSceneFastest {
    double speed;
    const char *kind, *name;
} OozeSceneFastest;

/* Of a fluid or an emitter. */
typedef struct OozeSceneExtreme {
    double
        distance; /* m: of its farthest point from the origin, along axes that are not periodic */
    double speed; /* m/s: at the start, or of the jet at most */
} OozeSceneExtreme;

struct OozeSceneScales {
    OozeSceneScale *materials; /* in order */
    OozeSceneFastest fastest;
    OozeSceneExtreme *fluids, *emitters; /* in order */
};

/* Computed by the first call and owned by the scene; NULL: out of memory. Leaves out items that
   cannot be created: building the world reports them. */
const OozeSceneScales *ooze_scene_scales(OozeScene *scene);

#endif
