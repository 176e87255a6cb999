/* Bounded least squares: Levenberg 1944, Marquardt 1963, steps cut at the bounds. Residuals are
   logarithms of value over measured: relative deviations where they are small, and as far from
   half as from twice where they are not. */
#ifndef OOZE_RHEOLOGY_LEAST_SQUARES_H
#define OOZE_RHEOLOGY_LEAST_SQUARES_H

#include <stddef.h>

enum { OOZE_UNKNOWNS_MAX = 9 };

typedef struct OozeLeastSquares {
    /* All values of the model at once. */
    void (*values)(const void *context, const double *unknowns, double *values);
    const void *context;
    const double *measured; /* above 0, as the values are */
    size_t count;
    int unknown_count;
    double low[OOZE_UNKNOWNS_MAX], high[OOZE_UNKNOWNS_MAX];
    double *work; /* (OOZE_UNKNOWNS_MAX + 2) * count numbers */
} OozeLeastSquares;

/* Sum of the squares of ln(value / measured). */
double ooze_residual_sum(const OozeLeastSquares *problem, const double *unknowns);

/* Goes downhill from `unknowns`, and tells the half widths of their 95 % confidence intervals:
   infinite for one that lies at a bound or that the data leave open. Returns the residual sum. */
double ooze_least_squares(const OozeLeastSquares *problem, double *unknowns, double *half_widths);

#endif
