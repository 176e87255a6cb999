/* Measured points and fitted curves on the same logarithmic axes. */
#ifndef OOZE_RHEOLOGY_FIGURE_H
#define OOZE_RHEOLOGY_FIGURE_H

#include "rheology/fit.h"

/* Writes fit.svg, fit.png and fit.pdf into `folder`, which is created where it is missing. */
OozeStatus ooze_rheo_draw(const OozeRheoData *data, const OozeRheoResult *result,
                          const char *folder, OozeError *error);

#endif
