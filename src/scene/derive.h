/* What became of a material with a preset in the scene's method. */
#ifndef OOZE_SCENE_DERIVE_H
#define OOZE_SCENE_DERIVE_H

#include "methods/flow.h"
#include "scene/scene.h"

struct OozeSceneDerived {
    bool preset;       /* it has one; the rest is 0 otherwise */
    OozeFlow measured; /* of the preset's numbers */
    unsigned shown;    /* effects that the method's numbers show: effects.h */
};

#endif
