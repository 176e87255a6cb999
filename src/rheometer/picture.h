/* What was measured and what theory says on the same axes: `rheometer.svg` and `.png` over rate and frequency,
   `relaxation.svg` and `.png` over time. */
#ifndef OOZE_RHEOMETER_PICTURE_H
#define OOZE_RHEOMETER_PICTURE_H

#include "rheometer/experiment.h"

OozeStatus ooze_rheometer_draw(const OozeExperiment *experiments, int count,
                               const OozeTheory *theory, const char *title, const char *folder,
                               OozeError *error);

#endif
