/* The legend of a picture that is coloured by a field. */
#ifndef OOZE_RENDER_LEGEND_H
#define OOZE_RENDER_LEGEND_H

#include "ooze/status.h"

typedef struct OozeLegend {
    const char *name, *unit; /* of the field */
    double low, high;        /* values at the ends of the colour map */
} OozeLegend;

/* Draws a bar of the colours with labelled ticks into the upper right corner of a picture of 3
   bytes a pixel; what does not fit is clipped. */
OozeStatus ooze_legend_draw(const OozeLegend *legend, unsigned char *pixels, int width, int height,
                            OozeError *error);

#endif
