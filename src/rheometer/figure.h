/* Figures of measured and theoretical values: `rheometer` over rate and frequency, `relaxation`
   over time, each as .svg, .png and .pdf. */
#ifndef OOZE_RHEOMETER_FIGURE_H
#define OOZE_RHEOMETER_FIGURE_H

#include "rheometer/experiment.h"

OozeStatus ooze_rheometer_draw(const OozeExperiment *experiments, int count,
                               const OozeTheory *theory, const char *title, const char *folder,
                               OozeError *error);

#endif
