/* Axes: the range of values they show, their ticks, and the labels of these. */
#ifndef OOZE_PLOT_AXIS_H
#define OOZE_PLOT_AXIS_H

#include <stdbool.h>

enum { OOZE_TICKS_MAX = 64, OOZE_MINOR_TICKS_MAX = 96, OOZE_LABEL_MAX = 48 };

typedef struct OozeRange {
    double low, high;
} OozeRange;

typedef struct OozeAxisScale {
    double low, high; /* low < high; both positive on a logarithmic axis */
    bool logarithmic;
    double step;    /* between ticks of a linear axis */
    int exponent;   /* labels of a linear axis are in units of ten to this power: 0, 3, -3, ... */
    int decimals;   /* of these labels */
    bool as_powers; /* labels of a logarithmic axis are powers of ten */
    int tick_count, minor_count;
    double ticks[OOZE_TICKS_MAX];
    double minor_ticks[OOZE_MINOR_TICKS_MAX]; /* without labels, on logarithmic axes only */
} OozeAxisScale;

/* The largest of 1, 2 and 5 times a power of ten that is not above `value` (within rounding). */
double ooze_axis_step_below(double value);

/* The ends of an axis for data of a range. `tight`: the axis ends with the data, or at a zero close
   by; otherwise it is padded at both ends and includes a zero near the data. A range without extent
   is widened. */
OozeRange ooze_axis_extend(OozeRange data, bool logarithmic, bool tight);

/* The axis between given ends, with about `tick_target` ticks at most, and at least two. */
OozeAxisScale ooze_axis_make(OozeRange ends, bool logarithmic, int tick_target);

/* Position of a value along the axis: 0 at the low end, 1 at the high end; NaN for a value at or
   below zero on a logarithmic axis. */
double ooze_axis_position(const OozeAxisScale *axis, double value);

/* The label of a tick: "0.25", "−40", "20 000", "10⁻³". */
void ooze_axis_label(const OozeAxisScale *axis, double tick, char label[OOZE_LABEL_MAX]);
/* Name and unit of the labels: "height (mm)", "momentum (10³ kg m/s)", "height". */
void ooze_axis_title(const OozeAxisScale *axis, const char *name, const char *unit, char *title,
                     int capacity);

#endif
