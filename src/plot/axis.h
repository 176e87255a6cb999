/* Axes: which stretch of numbers they show, where round numbers fall on it, and how those are written. */
#ifndef OOZE_PLOT_AXIS_H
#define OOZE_PLOT_AXIS_H

#include <stdbool.h>

enum { OOZE_TICKS_MAX = 64, OOZE_LABEL_MAX = 48 };

typedef struct OozeAxisScale {
    double low, high; /* low < high; both positive on a logarithmic axis */
    bool logarithmic;
    double step;  /* between ticks; of a logarithmic axis, the factor between them */
    int exponent; /* labels are in units of ten to this power: 0, 3, -3, ... */
    int decimals; /* of the labels */
    int tick_count;
    double ticks[OOZE_TICKS_MAX];
} OozeAxisScale;

/* The largest of 1, 2 and 5 times a power of ten that is not larger than `wish` (within rounding). */
double ooze_axis_round(double wish);

/* The axis over data from `low` to `high`, with at most `wanted` ticks or so, and at least two. `tight`:
   it ends with the data, or with a zero close by; else there is air above and below, and zero is on it
   when the data come near. A single number gets room around it. */
OozeAxisScale ooze_axis_make(double low, double high, bool logarithmic, bool tight, int wanted);
/* The same without touching the ends. */
OozeAxisScale ooze_axis_between(double low, double high, bool logarithmic, int wanted);

/* Where a number falls: 0 at the low end, 1 at the high end. NaN where the axis has no place for it. */
double ooze_axis_place(const OozeAxisScale *axis, double value);

/* "0.25", "−40", "20 000", "10⁻³": as it stands beside a tick. */
void ooze_axis_label(const OozeAxisScale *axis, double tick, char label[OOZE_LABEL_MAX]);
/* "height (mm)", "momentum (10³ kg m/s)", "height": the name of the axis with what its numbers count. */
void ooze_axis_title(const OozeAxisScale *axis, const char *name, const char *unit, char *title,
                     int room);

#endif
