/* Flow estimates of a scene's materials at its spacing and time step, and advised settings. */
#ifndef OOZE_SCENE_ADVICE_H
#define OOZE_SCENE_ADVICE_H

#include "methods/choice.h"
#include "scene/scales.h"

/* A step that is long beside the relaxation time of a material; `now.share` NAN: it is not. */
typedef struct OozeLongStep {
    OozeStepBias now; /* at the step of the scene */
    double shorter;   /* s: a step with a smaller error, which is `then` */
    OozeStepBias then;
} OozeLongStep;

typedef struct OozeSceneAdvice {
    const OozeSceneScales *scales;
    const OozeFlow *flows;     /* of each material as the method shows it, where it is coldest */
    const char *const *orders; /* in time, of each material, in words; "": nothing to say */
    const OozeLongStep *long_steps; /* of each material */
    OozeChoice own;                 /* the scene's settings */
    OozeChoice advised;             /* settings for a relative error of the flow of `error` */
    double error;
} OozeSceneAdvice;

/* The scene must have no errors; it owns the memory. */
OozeStatus ooze_scene_advice(OozeScene *scene, OozeSceneAdvice *advice, OozeError *error);
/* The values chosen for `auto`, as text; NULL: none. */
const char *ooze_scene_chosen(const OozeScene *scene);
/* A time step as a fraction where possible: "1/240". */
const char *ooze_step_text(double step, char text[OOZE_NUMBER_MAX]);

#endif
