/* One material at several spacings, time steps and numbers of iterations: the numbers that tell
   whether a scene's settings are fine enough. */
#ifndef OOZE_RHEOMETER_STUDY_H
#define OOZE_RHEOMETER_STUDY_H

#include "rheometer/protocol.h"

/* Each over what theory says, so 1 is exact; NaN: has no meaning for this material. */
typedef enum OozeKeyNumber {
    OOZE_KEY_VISCOSITY_SLOW, /* at a tenth of the material's rate */
    OOZE_KEY_VISCOSITY,
    OOZE_KEY_VISCOSITY_FAST, /* at three times it */
    OOZE_KEY_NORMAL,         /* N1 over shear stress */
    OOZE_KEY_NORMAL_FAST,
    OOZE_KEY_STORAGE,   /* G' at omega = 1 / time */
    OOZE_KEY_LOSS,      /* G'' there */
    OOZE_KEY_CROSSOVER, /* omega at which G' = G'', between the frequencies measured */
    OOZE_KEY_TIME,      /* of relaxation */
    OOZE_KEY_MOMENTUM,  /* viscosity by momentum, at the material's rate */
    OOZE_KEY_COUNT
} OozeKeyNumber;

const char *ooze_key_name(OozeKeyNumber key);

/* Factors on a sample: of its spacing, time step and all numbers of iterations. */
typedef struct OozeVariation {
    double spacing, time_step, iterations;
    double value[OOZE_KEY_COUNT];
} OozeVariation;

/* Measures all variations. */
OozeStatus ooze_study(const OozeSample *sample, OozeVariation *variations, int count,
                      OozeThreads *threads, OozeError *error);

/* The given settings, then one thing finer at a time. */
enum { OOZE_STUDY_USUAL = 4, OOZE_STUDY_GRID = 18 };
void ooze_study_usual(OozeVariation *variations);
/* Three spacings x three time steps x two numbers of iterations. */
void ooze_study_grid(OozeVariation *variations);

#endif
