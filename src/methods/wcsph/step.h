/* What the files of the wcsph method share. */
#ifndef OOZE_METHODS_WCSPH_STEP_H
#define OOZE_METHODS_WCSPH_STEP_H

#include "methods/wcsph/method.h"

/* Settings, in the order of the table in wcsph.c. */
enum { OOZE_WCSPH_SOUND_SPEED, OOZE_WCSPH_CONTACT_DISTANCE, OOZE_WCSPH_PARAM_COUNT };

/* Pa s; a material that gives none has none. */
double ooze_wcsph_viscosity(const OozeMaterial *material);

/* The longest step that the rest lattice stands, wave by wave: neither surfaces nor walls, nothing
   compressed. */
double ooze_wcsph_lattice_step(const OozeStepContext *context);
/* A step that whatever flows stands; see docs/methods/wcsph.md. */
double ooze_wcsph_stable_step(const OozeStepContext *context);
/* Warns of sound that is too slow for what falls. */
void ooze_wcsph_advise(const OozeStepContext *context, const OozeAdvice *advice);

#endif
