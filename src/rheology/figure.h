/* Measured points and fitted curves on the same logarithmic axes. */
#ifndef OOZE_RHEOLOGY_FIGURE_H
#define OOZE_RHEOLOGY_FIGURE_H

#include "rheology/fit.h"

/* fit.svg and fit.png in `folder`, which is made where it is not there. */
OozeStatus ooze_rheo_draw(const OozeRheoData *data, const OozeRheoResult *result,
                          const char *folder, OozeError *error);

#endif
