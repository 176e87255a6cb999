/* Convergence study: key numbers of one material at several spacings, time steps and numbers of
   iterations. */
#ifndef OOZE_RHEOMETER_STUDY_H
#define OOZE_RHEOMETER_STUDY_H

#include "rheometer/protocol.h"

/* Ratios of measured to theoretical values: 1 is exact; NaN: not defined for this material. */
typedef enum OozeKeyNumber {
    OOZE_KEY_VISCOSITY_SLOW, /* at a tenth of the characteristic rate */
    OOZE_KEY_VISCOSITY,
    OOZE_KEY_VISCOSITY_FAST, /* at three times that rate */
    OOZE_KEY_NORMAL,         /* N1 over shear stress */
    OOZE_KEY_NORMAL_FAST,
    OOZE_KEY_STORAGE,   /* G' at omega = 1 / time */
    OOZE_KEY_LOSS,      /* G'' at the same frequency */
    OOZE_KEY_CROSSOVER, /* omega at which G' = G'', between the frequencies measured */
    OOZE_KEY_TIME,      /* of relaxation */
    OOZE_KEY_MOMENTUM,  /* viscosity from momentum, at the characteristic rate */
    OOZE_KEY_COUNT
} OozeKeyNumber;

const char *ooze_key_name(OozeKeyNumber key);

/* Factors of spacing, time step and numbers of iterations, and the results. */
typedef struct OozeVariation {
    double spacing, time_step, iterations;
    double value[OOZE_KEY_COUNT];
} OozeVariation;

/* Measures all variations. */
OozeStatus ooze_study(const OozeSample *sample, OozeVariation *variations, int count,
                      OozeThreads *threads, OozeError *error);

/* The given settings, then each of the three refined alone. */
enum { OOZE_STUDY_REFINEMENTS = 4, OOZE_STUDY_GRID = 18 };
void ooze_study_refinements(OozeVariation *variations);
/* Three spacings x three time steps x two numbers of iterations. */
void ooze_study_grid(OozeVariation *variations);

#endif
