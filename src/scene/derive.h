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

#endif
