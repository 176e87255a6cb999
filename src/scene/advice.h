/* What a scene's materials will do at its spacing and step, and what would be better. */
#ifndef OOZE_SCENE_ADVICE_H
#define OOZE_SCENE_ADVICE_H

#include "methods/choice.h"
#include "scene/scales.h"

typedef struct OozeSceneAdvice {
    const OozeSceneScales *scales;
    const OozeFlow *flows; /* of each material, at the scene's own step */
    OozeChoice own;        /* as the scene is */
    OozeChoice advised;    /* for an error of `error` */
    double error;
} OozeSceneAdvice;

/* Of a scene without errors; in the scene's memory. */
OozeStatus ooze_scene_advice(OozeScene *scene, OozeSceneAdvice *advice, OozeError *error);
/* What was left to the program and chosen, in words; NULL: nothing was. */
const char *ooze_scene_chosen(const OozeScene *scene);
/* A step as people write it: "1/240". */
const char *ooze_step_text(double step, char text[OOZE_NUMBER_MAX]);

#endif
