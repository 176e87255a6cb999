/* Settings of the wcsph method, and its limits. */
#ifndef OOZE_METHODS_WCSPH_STEP_H
#define OOZE_METHODS_WCSPH_STEP_H

#include "methods/wcsph/method.h"

/* Settings, in the order of the table in method.c. */
enum { OOZE_WCSPH_SOUND_SPEED, OOZE_WCSPH_CONTACT_DISTANCE, OOZE_WCSPH_PARAM_COUNT };

/* Pa s; 0 if not given. */
double ooze_wcsph_viscosity(const OozeMaterial *material);

/* The longest stable step on the rest lattice, without surfaces, walls or compression. */
double ooze_wcsph_lattice_step(const OozeStepContext *context);
/* A step that is stable in all flows; see docs/methods/wcsph.md. */
double ooze_wcsph_stable_step(const OozeStepContext *context);
/* Warns of a sound speed that is too low for falling fluid. */
void ooze_wcsph_advise(const OozeStepContext *context, const OozeAdvice *advice);

#endif
