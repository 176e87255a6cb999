/* Slope of the regression line (least squares). */
#ifndef OOZE_RHEOMETER_SLOPE_H
#define OOZE_RHEOMETER_SLOPE_H

typedef struct OozeSlope {
    double count, x, y, xx, xy;
} OozeSlope;

static inline void ooze_slope_add(OozeSlope *s, double x, double y)
{
    s->count += 1.0;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->xy += x * y;
}

static inline double ooze_slope(const OozeSlope *s)
{
    return (s->count * s->xy - s->x * s->y) / (s->count * s->xx - s->x * s->x);
}

#endif
